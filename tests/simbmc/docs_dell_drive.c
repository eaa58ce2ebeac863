/* SPDX-License-Identifier: MIT */
/*
 * Dell: the Drive, its licensed SMART resource, and the volumes.
 *
 * The traps of a real iDRAC are kept: speed of one lane after coding, width as a text in
 * the OEM part, no DellPCIeSSD behind a controller, life *left* and not used, spare 255
 * where it is not known, and a SMART resource that asks for a licence.
 */
#include "tests/simbmc/docs_dell.h"

#include <stdio.h>
#include <string.h>

static json_t *lane_speed(unsigned gen)
{
	return docs_must(gen ? json_real(gen_lane_gbs(gen)) : json_null());
}

static json_t *width_text(const struct bay *b, unsigned lanes)
{
	if (b->drive_gen == 0)
		return text("None");
	if (lanes == 0)
		return docs_must(json_null());
	return text("x%u", lanes);
}

static json_t *spare(const struct bay *b)
{
	if (b->drive_gen == 0)
		return docs_must(json_null());
	return docs_must(json_integer(b->spare_percent < 0 ? 255 : b->spare_percent));
}

static json_t *life_left(const struct bay *b)
{
	if (b->used_percent < 0)
		return docs_must(json_null());
	return docs_must(json_integer(b->used_percent > 100 ? 0 : 100 - b->used_percent));
}

static const char *form_factor(const struct bay *b)
{
	return b->is_boot ? "M.2" : "2.5Inch";
}

/* What DellPCIeSSD and DellPhysicalDisk repeat of each other. */
static json_t *oem_common(const struct machine *m, const struct bay *b, const char *type)
{
	char id[DELL_ID_SIZE];
	bool nvme = b->drive_gen > 0;

	dell_drive_id(m, b, id);
	return pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:s?, s:s?, s:i, s:s, s:n}",
		    "@odata.type", type,
		    "Id", id,
		    "DriveFormFactor", form_factor(b),
		    "AvailableSparePercent", spare(b),
		    "PCIeCapableLinkWidth", width_text(b, b->drive_lanes),
		    "PCIeNegotiatedLinkWidth", width_text(b, b->now_lanes),
		    "DeviceProtocol", nvme ? "NVMe 2.0" : NULL,
		    "DeviceSidebandProtocol", nvme ? "NVMe-MI1.2" : NULL,
		    "Slot", (int)b->number,
		    "SystemEraseCapability", "CryptographicErasePD",
		    "FreeSizeInBytes");
}

static json_t *oem_pcie_ssd(const struct machine *m, const struct bay *b)
{
	json_t *ssd = oem_common(m, b, "#DellPCIeSSD.v1_7_0.DellPCIeSSD");

	put(ssd, "Name", text("DellPCIeSSD"));
	put(ssd, "BusProtocol", text("PCIE"));
	/* The bus is hexadecimal here and decimal in the id of the device (trap 13). */
	put(ssd, "Bus", text("%X", b->pci_bus));
	put(ssd, "Device", text("0"));
	put(ssd, "Function", text("0"));
	put(ssd, "MediaType", text("SolidStateDrive"));
	put(ssd, "DriveState", text(b->health == HEALTH_CRITICAL ? "Failed" : "Ready"));
	put(ssd, "ErrorDescription", docs_must(json_null()));
	put(ssd, "ErrorRecoverable", text("NotApplicable"));
	put(ssd, "RaidStatus", docs_must(json_null()));
	return ssd;
}

static json_t *oem_physical_disk(const struct machine *m, const struct bay *b)
{
	json_t *disk = oem_common(m, b, "#DellPhysicalDisk.v1_6_0.DellPhysicalDisk");

	put(disk, "Name", text("DellPhysicalDisk"));
	put(disk, "RaidStatus", b->is_boot ? text("Online") : docs_must(json_null()));
	put(disk, "PredictiveFailureState",
	    b->is_boot ? text("SmartAlertAbsent") : docs_must(json_null()));
	put(disk, "PowerStatus", b->is_boot ? text("On") : docs_must(json_null()));
	put(disk, "PPID", docs_must(json_null()));
	put(disk, "WWN", docs_must(json_null()));
	return disk;
}

static json_t *oem(const struct machine *m, const struct bay *b, const char *path)
{
	json_t *dell = pack("{s:s, s:n}",
			    "@odata.type", "#DellOem.v1_3_0.DellOemResources",
			    "DellDriveSMARTAttributes");

	put(dell, "DellPhysicalDisk", oem_physical_disk(m, b));
	if (!b->is_boot) {
		put(dell, "DellPCIeSSD", oem_pcie_ssd(m, b));
		put(dell, "DellNVMeSMARTAttributes",
		    pack("{s:o}", "@odata.id",
			 text("%s/Oem/Dell/DellNVMeSMARTAttributes", path)));
	}
	return pack("{s:o}", "Dell", dell);
}

static json_t *links(const struct machine *m, const struct bay *b)
{
	json_t *functions = pack("[]");
	char id[DELL_ID_SIZE], device[DELL_ID_SIZE];

	dell_drive_id(m, b, id);
	dell_device_id(m, b->pci_bus, device);
	if (m->desc->idrac10 && !b->is_boot)
		push(functions, ref("%s/%s/PCIeFunctions/%s-0", dell_devices(m), device,
				    device));
	return pack("{s:o, s:I, s:o, s:[o], s:i}",
		    "Chassis",
		    b->is_boot ? ref(DELL_CHASSIS) : ref("/Chassis/" DELL_ENCLOSURE),
		    "PCIeFunctions@odata.count", (json_int_t)json_array_size(functions),
		    "PCIeFunctions", functions,
		    "Volumes", b->is_boot ?
		    ref(DELL_SYS "/Storage/%s/Volumes/Disk.Virtual.0:%s",
			m->desc->boot_controller, m->desc->boot_controller) :
		    ref(DELL_SYS "/Storage/" DELL_DIRECT "/Volumes/%s", id),
		    "Volumes@odata.count", 1);
}

static json_t *drive_name(const struct bay *b)
{
	if (!b->is_boot)
		return text("PCIe SSD in Slot %u in Bay 1", b->number);
	return text(b->drive_gen ? "NVMe Disk %u on BOSS" : "SSD %u", b->number);
}

static void put_speeds(json_t *doc, const struct bay *b)
{
	if (b->drive_gen == 0) {	/* SATA */
		put(doc, "CapableSpeedGbs", docs_must(json_integer(6)));
		put(doc, "NegotiatedSpeedGbs", docs_must(json_integer(6)));
		return;
	}
	put(doc, "CapableSpeedGbs", lane_speed(b->drive_gen));
	put(doc, "NegotiatedSpeedGbs", lane_speed(b->now_gen));
}

/* The bay a drive path names, or NULL with the status the answer has. */
static const struct bay *asked_drive(struct ask *a)
{
	const struct bay *b = dell_find_drive(a->m, a->seg[3], a->seg[5]);

	if (!b || !b->present)
		return NULL;
	if (b->answer_status) {
		a->status = b->answer_status;
		return NULL;
	}
	return b;
}

json_t *dell_drive(struct ask *a)
{
	const struct bay *b = asked_drive(a);
	json_t *doc;

	if (!b)
		return NULL;
	doc = pack("{s:s, s:o, s:s, s:s, s:o, s:o, s:s, s:s, s:s, s:s, s:o, s:s, s:s, "
		   "s:I}",
		   "@odata.id", a->path,
		   "@odata.context", uri("/$metadata#Drive.Drive"),
		   "@odata.type", "#Drive.v1_18_0.Drive",
		   "Id", a->seg[5],
		   "Name", drive_name(b),
		   "Description", drive_name(b),
		   "Manufacturer", b->maker,
		   "Model", b->model,
		   "SerialNumber", b->serial,
		   "Revision", b->firmware,
		   "PartNumber", text("PH-0LW%02u-LW000-%03u-%04u-A00", b->number,
				      a->m->instance % 1000, b->number),
		   "MediaType", "SSD",
		   "Protocol", b->drive_gen ? "PCIe" : "SATA",
		   "CapacityBytes", (json_int_t)b->capacity_bytes);
	put_speeds(doc, b);
	put(doc, "BlockSizeBytes", docs_must(json_integer(b->drive_gen ? 0 : 512)));
	put(doc, "FailurePredicted",
	    docs_must(json_boolean(b->health == HEALTH_CRITICAL)));
	put(doc, "PredictedMediaLifeLeftPercent", life_left(b));
	put(doc, "HotspareType", text("None"));
	put(doc, "EncryptionAbility", text("None"));
	put(doc, "RotationSpeedRPM", docs_must(json_null()));
	put(doc, "Location", pack("[]"));
	put(doc, "Identifiers", pack("[{s:n, s:n}]", "DurableName", "DurableNameFormat"));
	put(doc, "PhysicalLocation", pack("{s:{s:i, s:s}}", "PartLocation",
					  "LocationOrdinalValue", (int)b->number,
					  "LocationType", "Slot"));
	put(doc, "Status", status_of(b->health));
	put(doc, "Links", links(a->m, b));
	put(doc, "Oem", oem(a->m, b, a->path));
	return doc;
}

json_t *dell_drive_smart(struct ask *a)
{
	const struct bay *b = asked_drive(a);
	char id[64];

	if (!b || b->is_boot)
		return NULL;
	if (!a->m->licensed) {
		a->status = 403;
		snprintf(id, sizeof id, "%s.LIC501", a->m->desc->registry);
		return error_body(id, "A licence that this resource needs is not there.");
	}
	return pack("{s:s, s:s, s:s, s:s, s:o, s:i, s:i, s:i, s:i, s:o, s:i, s:i, s:I, "
		    "s:I, s:i, s:i}",
		    "@odata.id", a->path,
		    "@odata.type",
		    "#DellNVMeSMARTAttributes.v1_0_0.DellNVMeSMARTAttributes",
		    "Id", a->seg[5],
		    "Name", "DellNVMeSMARTAttributes",
		    "AvailableSparePercent", spare(b),
		    "AvailableSpareThresholdPercent", 10,
		    "CompositeTemperatureKelvin", b->temp_c + 273,
		    "ControllerBusyTimeMinutes", 1711,
		    "CriticalWarningsCount", 0,
		    "LifeUsedPercent", percent(b->used_percent),
		    "PowerCycleCount", 23,
		    "PowerOnHours", 4210 + (int)b->number,
		    "DataUnitsReadMB", (json_int_t)91000000 + b->number,
		    "DataUnitsWrittenMB", (json_int_t)57000000 + b->number,
		    "MediaDataIntegrityErrorsCount", 0,
		    "UnsafeShutdownsCount", 4);
}

static bool known_storage(const struct ask *a)
{
	return !strcmp(a->seg[3], DELL_DIRECT) ||
	       (dell_has_boot(a->m) && !strcmp(a->seg[3], a->m->desc->boot_controller));
}

json_t *dell_volumes(struct ask *a)
{
	json_t *members = pack("[]");
	char id[DELL_ID_SIZE];

	if (!known_storage(a)) {
		json_decref(members);
		return NULL;
	}
	if (strcmp(a->seg[3], DELL_DIRECT)) {
		push(members, ref(DELL_SYS "/Storage/%s/Volumes/Disk.Virtual.0:%s",
				  a->seg[3], a->seg[3]));
		return collection(a, "Volume", members);
	}
	for (unsigned i = 0; i < a->m->n_bays; i++) {
		dell_drive_id(a->m, &a->m->bays[i], id);
		if (!a->m->bays[i].present)
			continue;
		push(members, ref(DELL_SYS "/Storage/" DELL_DIRECT "/Volumes/%s", id));
	}
	return collection(a, "Volume", members);
}

static json_t *volume_doc(const struct ask *a, const struct bay *b, const char *raid,
			  json_t *drives)
{
	return pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:o, s:{s:o}}",
		    "@odata.id", a->path,
		    "@odata.type", "#Volume.v1_9_0.Volume",
		    "Id", a->seg[5],
		    "Name", a->seg[5],
		    "RAIDType", raid,
		    "CapacityBytes", (json_int_t)b->capacity_bytes,
		    "Status", status_of(b->health),
		    "Links",
		    "Drives", drives);
}

json_t *dell_volume(struct ask *a)
{
	const struct machine *m = a->m;
	const struct bay *b;
	char id[DELL_ID_SIZE];
	json_t *drives;

	if (!known_storage(a))
		return NULL;
	if (!strcmp(a->seg[3], DELL_DIRECT)) {
		b = dell_find_drive(m, a->seg[3], a->seg[5]);
		if (!b || !b->present)
			return NULL;
		return volume_doc(a, b, "None", pack("[o]", dell_drive_ref(m, b)));
	}
	snprintf(id, sizeof id, "Disk.Virtual.0:%s", a->seg[3]);
	if (strcmp(id, a->seg[5]))
		return NULL;
	drives = pack("[]");
	for (unsigned i = 0; i < m->n_boot; i++)
		push(drives, dell_drive_ref(m, &m->boot[i]));
	return volume_doc(a, &m->boot[0], "RAID1", drives);
}
