/* SPDX-License-Identifier: MIT */
/*
 * Dell: root, system, storage, chassis, manager, and the table of all paths.
 */
#include "tests/simbmc/docs_dell.h"

#include <stdio.h>
#include <string.h>

bool dell_has_boot(const struct machine *m)
{
	return m->n_boot > 0;
}

void dell_drive_id(const struct machine *m, const struct bay *b, char id[DELL_ID_SIZE])
{
	if (b->is_boot)
		snprintf(id, DELL_ID_SIZE, "Disk.Direct.%u-%u:%s", b->number, b->number,
			 m->desc->boot_controller);
	else
		snprintf(id, DELL_ID_SIZE, "Disk.Bay.%u:" DELL_ENCLOSURE, b->number);
}

const char *dell_storage_of(const struct machine *m, const struct bay *b)
{
	return b->is_boot ? m->desc->boot_controller : DELL_DIRECT;
}

const struct bay *dell_find_drive(const struct machine *m, const char *storage,
				  const char *id)
{
	const struct bay *bays = m->bays;
	unsigned n = m->n_bays;
	char own[DELL_ID_SIZE];

	if (!strcmp(storage, m->desc->boot_controller)) {
		bays = m->boot;
		n = m->n_boot;
	} else if (strcmp(storage, DELL_DIRECT)) {
		return NULL;
	}
	for (unsigned i = 0; i < n; i++) {
		dell_drive_id(m, &bays[i], own);
		if (!strcmp(own, id))
			return &bays[i];
	}
	return NULL;
}

void dell_device_id(const struct machine *m, unsigned bus, char id[DELL_ID_SIZE])
{
	snprintf(id, DELL_ID_SIZE, m->desc->idrac10 ? "0-%u-0" : "%u-0", bus);
}

const char *dell_devices(const struct machine *m)
{
	return m->desc->idrac10 ? DELL_CHASSIS "/PCIeDevices" : DELL_SYS "/PCIeDevices";
}

json_t *dell_oem(const char *type, const char *key, json_t *value)
{
	return pack("{s:{s:s, s:o}}", "Dell", "@odata.type", type, key, value);
}

json_t *dell_drive_ref(const struct machine *m, const struct bay *b)
{
	char id[DELL_ID_SIZE];

	dell_drive_id(m, b, id);
	return ref(DELL_SYS "/Storage/%s/Drives/%s", dell_storage_of(m, b), id);
}

static json_t *root(struct ask *a)
{
	const struct chassis_desc *d = a->m->desc;
	json_t *doc = pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:s}",
			   "@odata.id", a->path,
			   "@odata.context", uri("/$metadata#ServiceRoot.ServiceRoot"),
			   "@odata.type",
			   d->idrac10 ? "#ServiceRoot.v1_17_0.ServiceRoot" :
					"#ServiceRoot.v1_8_0.ServiceRoot",
			   "Id", "RootService",
			   "Name", "Root Service",
			   "Product", d->product,
			   "RedfishVersion", d->redfish_version,
			   "Vendor", d->vendor);

	put(doc, "Systems", ref("/Systems"));
	put(doc, "Chassis", ref("/Chassis"));
	put(doc, "Managers", ref("/Managers"));
	put(doc, "SessionService", ref("/SessionService"));
	put(doc, "Links", pack("{s:o}", "Sessions", ref("/SessionService/Sessions")));
	put(doc, "ProtocolFeaturesSupported", protocol_features(a->m));
	put_event_service(a->m, doc);
	put_telemetry_service(a->m, doc);
	put(doc, "Oem", pack("{s:{s:s, s:i, s:o, s:s}}", "Dell",
			     "@odata.type", "#DellServiceRoot.v1_0_0.DellServiceRoot",
			     "IsBranded", 0,
			     "ManagerMACAddress", text("02:00:5e:10:%02x:%02x",
						       a->m->instance >> 8 & 0xff,
						       a->m->instance & 0xff),
			     "ServiceTag", a->m->service_tag));
	return doc;
}

static json_t *system_oem(const struct machine *m)
{
	const char *rollup = health_text(machine_health(m));
	json_t *sys = pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i}",
			   "@odata.type", "#DellSystem.v1_4_0.DellSystem",
			   "Id", "System.Embedded.1",
			   "SystemGeneration", m->desc->generation,
			   "ChassisServiceTag", m->service_tag,
			   "ManagedSystemSize", "2 U",
			   "StorageRollupStatus", rollup,
			   "MaxPCIeSlots", 8);

	return dell_oem("#DellOem.v1_3_0.DellOemResources", "DellSystem", sys);
}

static json_t *system_doc(struct ask *a)
{
	const struct machine *m = a->m;
	json_t *doc = pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}",
			   "@odata.id", a->path,
			   "@odata.type", "#ComputerSystem.v1_20_0.ComputerSystem",
			   "Id", m->desc->system_id,
			   "Name", "System",
			   "SystemType", "Physical",
			   "Manufacturer", "Dell Inc.",
			   "Model", m->desc->model,
			   "SKU", m->service_tag,
			   "HostName", "",
			   "PowerState", "On");

	put(doc, "SerialNumber", text("LWMB%04u0000", m->instance));
	put(doc, "Status", status_of(machine_health(m)));
	put(doc, "Storage", ref(DELL_SYS "/Storage"));
	put(doc, "PCIeDevices", dell_device_refs(m));
	put(doc, "Links", pack("{s:[o], s:[o]}", "Chassis", ref(DELL_CHASSIS),
			       "ManagedBy", ref(DELL_IDRAC)));
	put(doc, "Oem", system_oem(m));
	return doc;
}

static json_t *storage_list(struct ask *a)
{
	json_t *members = pack("[o]", ref(DELL_SYS "/Storage/" DELL_DIRECT));

	if (dell_has_boot(a->m))
		push(members, ref(DELL_SYS "/Storage/%s", a->m->desc->boot_controller));
	return collection(a, "Storage", members);
}

static json_t *drive_refs(const struct machine *m, bool boot)
{
	const struct bay *bays = boot ? m->boot : m->bays;
	unsigned n = boot ? m->n_boot : m->n_bays;
	json_t *list = pack("[]");

	for (unsigned i = 0; i < n; i++) {
		if (bays[i].present)
			push(list, dell_drive_ref(m, &bays[i]));
	}
	return list;
}

/* The controller inside an old Storage: no resource of its own (iDRAC9 5.x). */
static json_t *inline_controllers(const struct machine *m)
{
	const struct chassis_desc *d = m->desc;

	return pack("[{s:o, s:s, s:s, s:s, s:s, s:i, s:o, s:[s], s:[s], s:[s]}]",
		    "@odata.id", uri(DELL_SYS "/Storage/%s#/StorageControllers/0",
				     d->boot_controller),
		    "MemberId", "0",
		    "Name", d->boot_model,
		    "Model", d->boot_model,
		    "Manufacturer", "DELL",
		    "SpeedGbps", 6,
		    "Status", status_of(HEALTH_OK),
		    "SupportedControllerProtocols", "PCIe",
		    "SupportedDeviceProtocols", "SATA",
		    "SupportedRAIDTypes", "RAID1");
}

static json_t *storage(struct ask *a)
{
	const struct machine *m = a->m;
	bool boot = dell_has_boot(m) && !strcmp(a->seg[3], m->desc->boot_controller);
	json_t *drives, *doc;

	if (!boot && strcmp(a->seg[3], DELL_DIRECT))
		return NULL;
	drives = drive_refs(m, boot);
	doc = pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:o}",
		   "@odata.id", a->path,
		   "@odata.type", "#Storage.v1_15_0.Storage",
		   "Id", a->seg[3],
		   "Name", boot ? m->desc->boot_model : DELL_DIRECT,
		   "Description", a->seg[3],
		   "Drives@odata.count", (json_int_t)json_array_size(drives),
		   "Drives", drives);
	put(doc, "Status", status_of(boot ? HEALTH_OK : machine_health(m)));
	put(doc, "Volumes", ref(DELL_SYS "/Storage/%s/Volumes", a->seg[3]));
	put(doc, "Links",
	    pack("{s:[o]}", "Enclosures",
		 boot ? ref(DELL_CHASSIS) : ref("/Chassis/" DELL_ENCLOSURE)));
	if (boot && m->desc->idrac10)
		put(doc, "Controllers",
		    ref(DELL_SYS "/Storage/%s/Controllers", a->seg[3]));
	else if (boot)
		put(doc, "StorageControllers", inline_controllers(m));
	return doc;
}

static bool is_boot_card(const struct ask *a, const char *id)
{
	return dell_has_boot(a->m) && a->m->desc->idrac10 &&
	       !strcmp(id, a->m->desc->boot_controller);
}

static json_t *controllers(struct ask *a)
{
	if (!is_boot_card(a, a->seg[3]))
		return NULL;
	return collection(a, "StorageController",
			  pack("[o]", ref(DELL_SYS "/Storage/%s/Controllers/%s",
					  a->seg[3], a->seg[3])));
}

/* The card's own link, which is not the link of its drives (FACTS 1, trap 10). */
static json_t *controller(struct ask *a)
{
	if (!is_boot_card(a, a->seg[3]) || strcmp(a->seg[3], a->seg[5]))
		return NULL;
	return pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:[s], s:[s], s:[s], "
		    "s:{s:s, s:s, s:i, s:i}}",
		    "@odata.id", a->path,
		    "@odata.type", "#StorageController.v1_7_0.StorageController",
		    "Id", a->seg[5],
		    "Name", a->m->desc->boot_model,
		    "Model", a->m->desc->boot_model,
		    "Manufacturer", "DELL",
		    "FirmwareVersion", "2.1.13.2034",
		    "Status", status_of(HEALTH_OK),
		    "SupportedControllerProtocols", "PCIe",
		    "SupportedDeviceProtocols", "NVMe",
		    "SupportedRAIDTypes", "RAID1",
		    "PCIeInterface", "PCIeType", "Gen4", "MaxPCIeType", "Gen4",
		    "LanesInUse", 8, "MaxLanes", 8);
}

static json_t *chassis_list(struct ask *a)
{
	return collection(a, "Chassis", pack("[o, o]", ref(DELL_CHASSIS),
					     ref("/Chassis/" DELL_ENCLOSURE)));
}

static json_t *chassis(struct ask *a)
{
	const struct machine *m = a->m;
	json_t *doc = pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}",
			   "@odata.id", a->path,
			   "@odata.type", "#Chassis.v1_24_0.Chassis",
			   "Id", m->desc->chassis_id,
			   "Name", "Computer System Chassis",
			   "ChassisType", "RackMount",
			   "Manufacturer", "Dell Inc.",
			   "Model", m->desc->model,
			   "SKU", m->service_tag,
			   "PowerState", "On");
	json_t *links = pack("{s:[o], s:[o], s:[o]}",
			     "ComputerSystems", ref(DELL_SYS),
			     "ManagedBy", ref(DELL_IDRAC),
			     "Contains", ref("/Chassis/" DELL_ENCLOSURE));

	put(doc, "Status", status_of(machine_health(m)));
	put(doc, "PCIeSlots", ref(DELL_CHASSIS "/PCIeSlots"));
	if (m->desc->idrac10)
		put(doc, "PCIeDevices", ref("%s", dell_devices(m)));
	else
		put(links, "PCIeDevices", dell_device_refs(m));
	put(doc, "Links", links);
	return doc;
}

static json_t *enclosure(struct ask *a)
{
	const struct machine *m = a->m;
	json_t *oem = pack("{s:s, s:s, s:i, s:s}",
			   "@odata.type",
			   "#DellChassisEnclosure.v1_4_0.DellChassisEnclosure",
			   "Id", DELL_ENCLOSURE,
			   "SlotCount", (int)m->n_bays,
			   "Version", "7.10");

	return pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:{s:[o], s:o}, s:o}",
		    "@odata.id", a->path,
		    "@odata.type", "#Chassis.v1_24_0.Chassis",
		    "Id", DELL_ENCLOSURE,
		    "Name", "Backplane 1",
		    "ChassisType", "Enclosure",
		    "Manufacturer", "DELL",
		    "Status", status_of(machine_health(m)),
		    "Links",
		    "ContainedBy", ref(DELL_CHASSIS),
		    "Drives", drive_refs(m, false),
		    "Oem", dell_oem("#DellOem.v1_3_0.DellOemResources",
				    "DellChassisEnclosure", oem));
}

static json_t *manager(struct ask *a)
{
	const struct chassis_desc *d = a->m->desc;

	return pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o}",
		    "@odata.id", a->path,
		    "@odata.type", "#Manager.v1_19_0.Manager",
		    "Id", d->manager_id,
		    "Name", "Manager",
		    "ManagerType", "BMC",
		    "Model", d->generation,
		    "FirmwareVersion", d->bmc_firmware,
		    "DateTime", date_text(time(NULL)),
		    "DateTimeLocalOffset", "+00:00",
		    "Status", status_of(HEALTH_OK),
		    "LogServices", ref(DELL_IDRAC "/LogServices"));
}

const struct route dell_routes[] = {
	{ "", root },
	{ "Systems", doc_systems },
	{ "Systems/@s", system_doc },
	{ "Systems/@s/Storage", storage_list },
	{ "Systems/@s/Storage/@", storage },
	{ "Systems/@s/Storage/@/Controllers", controllers },
	{ "Systems/@s/Storage/@/Controllers/@", controller },
	{ "Systems/@s/Storage/@/Drives/@", dell_drive },
	{ "Systems/@s/Storage/@/Drives/@/Oem/Dell/DellNVMeSMARTAttributes",
	  dell_drive_smart },
	{ "Systems/@s/Storage/@/Volumes", dell_volumes },
	{ "Systems/@s/Storage/@/Volumes/@", dell_volume },
	{ "Systems/@s/PCIeDevices/@", dell_pcie_device },
	{ "Chassis", chassis_list },
	{ "Chassis/@c", chassis },
	{ "Chassis/" DELL_ENCLOSURE, enclosure },
	{ "Chassis/@c/PCIeDevices", dell_pcie_devices },
	{ "Chassis/@c/PCIeDevices/@", dell_pcie_device },
	{ "Chassis/@c/PCIeDevices/@/PCIeFunctions", dell_pcie_functions },
	{ "Chassis/@c/PCIeDevices/@/PCIeFunctions/@", dell_pcie_function },
	{ "Chassis/@c/PCIeSlots", dell_pcie_slots },
	{ "Managers", doc_managers },
	{ "Managers/@m", manager },
	{ "Managers/@m/LogServices", dell_log_services },
	{ "Managers/@m/LogServices/@", dell_log_service },
	{ "Managers/@m/LogServices/@/Entries", dell_log_entries },
	{ "Managers/@m/LogServices/@/Entries/@", dell_log_entry },
	{ "SessionService", doc_session_service },
	{ "EventService", doc_event_service },
	{ "TelemetryService", doc_telemetry },
	{ "TelemetryService/MetricReports", doc_reports },
	{ "TelemetryService/MetricReports/@", doc_report },
	{ "TelemetryService/MetricReportDefinitions", doc_report_definitions },
	{ "TelemetryService/MetricReportDefinitions/@", doc_report_definition },
	{ NULL, NULL },
};
