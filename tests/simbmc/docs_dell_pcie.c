/* SPDX-License-Identifier: MIT */
/*
 * Dell: PCIe devices, their functions, and the slots. iDRAC10 tells generation and lanes
 * in PCIeInterface and links functions to drives; iDRAC9 of old does neither.
 */
#include "tests/simbmc/docs_dell.h"

#include <stdio.h>
#include <string.h>

#define BUS_BOOT	0x05
#define BUS_NIC		0x11

/* A card that is no drive, so that a client has something to leave alone. */
static const struct card {
	unsigned bus, slot;
	const char *name, *slot_type;
	int lanes, slot_lanes;
	unsigned gen;
} nic = { BUS_NIC, 3, "Quayside 2x100G Network Adapter", "FullLength", 16, 16, 5 };

static json_t *gen_text(unsigned gen)
{
	return gen ? text("Gen%u", gen) : docs_must(json_null());
}

static json_t *lanes(unsigned n)
{
	return docs_must(n ? json_integer(n) : json_null());
}

static const struct bay *bay_of_device(const struct machine *m, const char *device)
{
	char id[DELL_ID_SIZE];

	for (unsigned i = 0; i < m->n_bays; i++) {
		dell_device_id(m, m->bays[i].pci_bus, id);
		if (m->bays[i].present && !strcmp(id, device))
			return &m->bays[i];
	}
	return NULL;
}

static bool is_device(const struct machine *m, unsigned bus, const char *device)
{
	char id[DELL_ID_SIZE];

	dell_device_id(m, bus, id);
	return !strcmp(id, device);
}

static json_t *device_ref(const struct machine *m, unsigned bus)
{
	char id[DELL_ID_SIZE];

	dell_device_id(m, bus, id);
	return ref("%s/%s", dell_devices(m), id);
}

json_t *dell_device_refs(const struct machine *m)
{
	json_t *list = pack("[o]", device_ref(m, BUS_NIC));

	if (dell_has_boot(m))
		push(list, device_ref(m, BUS_BOOT));
	for (unsigned i = 0; i < m->n_bays; i++) {
		if (m->bays[i].present)
			push(list, device_ref(m, m->bays[i].pci_bus));
	}
	return list;
}

json_t *dell_pcie_devices(struct ask *a)
{
	if (!a->m->desc->idrac10)
		return NULL;
	return collection(a, "PCIeDevice", dell_device_refs(a->m));
}

static json_t *device_doc(const struct ask *a, const char *name, const char *maker,
			  enum health h)
{
	const char *id = a->seg[3];
	json_t *doc = pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:{s:[o]}}",
			   "@odata.id", a->path,
			   "@odata.type", "#PCIeDevice.v1_14_0.PCIeDevice",
			   "Id", id,
			   "Name", name,
			   "Manufacturer", maker,
			   "DeviceType", "SingleFunction",
			   "Status", status_of(h),
			   "Links", "Chassis", ref(DELL_CHASSIS));

	/* The PPID of the board, never the serial number of the drive (trap 14). */
	put(doc, "SerialNumber", text("PHLW%03uPP%s", a->m->instance % 1000, id));
	if (a->m->desc->idrac10)
		put(doc, "PCIeFunctions",
		    ref("%s/%s/PCIeFunctions", dell_devices(a->m), id));
	return doc;
}

static json_t *slot_place(unsigned ordinal)
{
	return pack("{s:{s:i, s:s}}", "PartLocation",
		    "LocationOrdinalValue", (int)ordinal,
		    "LocationType", "Slot");
}

static json_t *drive_device(const struct ask *a, const struct bay *b)
{
	json_t *doc = device_doc(a, b->model, b->maker, b->health);

	put(doc, "FirmwareVersion", text("%s", b->firmware));
	if (!a->m->desc->idrac10)
		return doc;
	put(doc, "PCIeInterface", pack("{s:o, s:o, s:o, s:o}",
				       "PCIeType", gen_text(b->now_gen),
				       "MaxPCIeType", gen_text(b->drive_gen),
				       "LanesInUse", lanes(b->now_lanes),
				       "MaxLanes", lanes(b->drive_lanes)));
	put(doc, "Slot", pack("{s:o, s:o, s:s, s:b, s:o}",
			      "PCIeType", gen_text(b->slot_gen),
			      "Lanes", lanes(b->slot_lanes),
			      "SlotType", "U2",
			      "HotPluggable", 1,
			      "Location", slot_place(b->number)));
	return doc;
}

static json_t *card_device(const struct ask *a, const char *name, const char *maker,
			   unsigned gen, unsigned width)
{
	json_t *doc = device_doc(a, name, maker, HEALTH_OK);

	if (a->m->desc->idrac10)
		put(doc, "PCIeInterface", pack("{s:o, s:o, s:o, s:o}",
					       "PCIeType", gen_text(gen),
					       "MaxPCIeType", gen_text(gen),
					       "LanesInUse", lanes(width),
					       "MaxLanes", lanes(width)));
	return doc;
}

json_t *dell_pcie_device(struct ask *a)
{
	const struct machine *m = a->m;
	const struct bay *b;

	/* iDRAC10 has them below Chassis, this iDRAC9 below Systems. */
	if (m->desc->idrac10 != !strcmp(a->seg[0], "Chassis"))
		return NULL;
	if (is_device(m, BUS_NIC, a->seg[3]))
		return card_device(a, nic.name, "Quayside", nic.gen, (unsigned)nic.lanes);
	if (dell_has_boot(m) && is_device(m, BUS_BOOT, a->seg[3]))
		return card_device(a, m->desc->boot_model, "DELL", 4, 8);
	b = bay_of_device(m, a->seg[3]);
	return b ? drive_device(a, b) : NULL;
}

static bool known_device(const struct ask *a)
{
	const struct machine *m = a->m;

	return m->desc->idrac10 &&
	       (is_device(m, BUS_NIC, a->seg[3]) ||
		(dell_has_boot(m) && is_device(m, BUS_BOOT, a->seg[3])) ||
		bay_of_device(m, a->seg[3]));
}

json_t *dell_pcie_functions(struct ask *a)
{
	if (!known_device(a))
		return NULL;
	return collection(a, "PCIeFunction",
			  pack("[o]", ref("%s/%s/PCIeFunctions/%s-0", dell_devices(a->m),
					  a->seg[3], a->seg[3])));
}

json_t *dell_pcie_function(struct ask *a)
{
	const struct bay *b = bay_of_device(a->m, a->seg[3]);
	json_t *drives;
	char id[DELL_ID_SIZE + 8];

	snprintf(id, sizeof id, "%s-0", a->seg[3]);
	if (!known_device(a) || strcmp(id, a->seg[5]))
		return NULL;
	drives = pack("[]");
	if (b)
		push(drives, dell_drive_ref(a->m, b));
	return pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:o, s:{s:o, s:o}}",
		    "@odata.id", a->path,
		    "@odata.type", "#PCIeFunction.v1_5_0.PCIeFunction",
		    "Id", id,
		    "Name", b ? b->model : "Function",
		    "FunctionId", 0,
		    "FunctionType", "Physical",
		    "DeviceClass", b ? "MassStorageController" : "NetworkController",
		    "ClassCode", b ? "0x010802" : "0x020000",
		    "Status", status_of(b ? b->health : HEALTH_OK),
		    "Links",
		    "Drives", drives,
		    "PCIeDevice", ref("%s/%s", dell_devices(a->m), a->seg[3]));
}

/* A slot keeps its place and its ability whether or not something is in it. */
static json_t *slot(unsigned gen, unsigned width, const char *type, unsigned ordinal,
		    json_t *key, json_t *device)
{
	json_t *devices = pack("[]");

	if (device)
		push(devices, device);
	return pack("{s:o, s:o, s:s, s:b, s:o, s:{s:s}, s:{s:I, s:o}, s:{s:{s:s, s:o}}}",
		    "PCIeType", gen_text(gen),
		    "Lanes", lanes(width),
		    "SlotType", type,
		    "HotPluggable", !strcmp(type, "U2"),
		    "Location", slot_place(ordinal),
		    "Status", "State", "Enabled",
		    "Links",
		    "PCIeDevice@odata.count", (json_int_t)json_array_size(devices),
		    "PCIeDevice", devices,
		    "Oem", "Dell",
		    "@odata.type", "#DellPCIeSlots.v1_0_0.DellPCIeSlots",
		    "SlotKey", key);
}

json_t *dell_pcie_slots(struct ask *a)
{
	const struct machine *m = a->m;
	json_t *slots = pack("[]");

	for (unsigned i = 0; i < m->n_bays; i++) {
		const struct bay *b = &m->bays[i];

		push(slots, slot(b->slot_gen, b->slot_lanes, "U2", b->number,
				 text("PCIeSSD.BaySlot.%u:1", b->number),
				 b->present ? device_ref(m, b->pci_bus) : NULL));
	}
	push(slots, slot(nic.gen, (unsigned)nic.slot_lanes, nic.slot_type, nic.slot,
			 text("PCIe.Slot.%u", nic.slot), device_ref(m, nic.bus)));
	push(slots, slot(nic.gen, (unsigned)nic.slot_lanes, nic.slot_type, nic.slot + 1,
			 text("PCIe.Slot.%u", nic.slot + 1), NULL));
	return pack("{s:s, s:s, s:s, s:s, s:o}",
		    "@odata.id", a->path,
		    "@odata.type", "#PCIeSlots.v1_6_0.PCIeSlots",
		    "Id", "PCIeSlots",
		    "Name", "PCIe Slots",
		    "Slots", slots);
}
