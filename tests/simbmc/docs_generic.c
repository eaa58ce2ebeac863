/* SPDX-License-Identifier: MIT */
/*
 * A server that keeps to the DMTF's schemas: PCIeInterface on the device of each drive,
 * DriveMetrics with NVMeSMART, EnvironmentMetrics, empty bays as Drives with State
 * Absent. NegotiatedSpeedGbs is the raw sum of all lanes.
 */
#include "tests/simbmc/docs.h"
#include "tests/simbmc/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYS	"/Systems/1"
#define CHASSIS	"/Chassis/1"
#define BMC	"/Managers/bmc"

static json_t *root(struct ask *a)
{
	const struct chassis_desc *d = a->m->desc;

	json_t *doc = pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:{s:o}, "
		    "s:o}",
		    "@odata.id", a->path,
		    "@odata.type", "#ServiceRoot.v1_15_0.ServiceRoot",
		    "Id", "RootService",
		    "Name", "Root Service",
		    "RedfishVersion", d->redfish_version,
		    "Vendor", d->vendor,
		    "Product", d->product,
		    "Systems", ref("/Systems"),
		    "Chassis", ref("/Chassis"),
		    "Managers", ref("/Managers"),
		    "SessionService", ref("/SessionService"),
		    "Links",
		    "Sessions", ref("/SessionService/Sessions"),
		    "ProtocolFeaturesSupported", protocol_features(a->m));

	put_event_service(a->m, doc);
	put_telemetry_service(a->m, doc);
	return doc;
}

static json_t *system_doc(struct ask *a)
{
	const struct machine *m = a->m;

	return pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:o, s:o, "
		    "s:{s:[o], s:[o]}}",
		    "@odata.id", a->path,
		    "@odata.type", "#ComputerSystem.v1_22_0.ComputerSystem",
		    "Id", m->desc->system_id,
		    "Name", "System",
		    "SystemType", "Physical",
		    "Manufacturer", m->desc->vendor,
		    "Model", m->desc->model,
		    "SerialNumber", text("EX%05u", m->instance),
		    "PowerState", "On",
		    "Status", status_of(machine_health(m)),
		    "Storage", ref(SYS "/Storage"),
		    "Links", "Chassis", ref(CHASSIS), "ManagedBy", ref(BMC));
}

static json_t *storage_list(struct ask *a)
{
	return collection(a, "Storage", pack("[o]", ref(SYS "/Storage/1")));
}

static json_t *drive_refs(const struct machine *m)
{
	json_t *list = pack("[]");

	for (unsigned i = 0; i < m->n_bays; i++)
		push(list, ref(SYS "/Storage/1/Drives/%u", m->bays[i].number));
	return list;
}

static json_t *storage(struct ask *a)
{
	if (strcmp(a->seg[3], "1"))
		return NULL;
	return pack("{s:s, s:s, s:s, s:s, s:o, s:I, s:o, s:{s:[o]}}",
		    "@odata.id", a->path,
		    "@odata.type", "#Storage.v1_15_0.Storage",
		    "Id", "1",
		    "Name", "Direct Attached NVMe",
		    "Status", status_of(machine_health(a->m)),
		    "Drives@odata.count", (json_int_t)a->m->n_bays,
		    "Drives", drive_refs(a->m),
		    "Links", "Enclosures", ref(CHASSIS));
}

static json_t *raw_sum(unsigned gen, unsigned width)
{
	return docs_must(gen && width ? json_real(gen_gts(gen) * width) : json_null());
}

static json_t *place(const struct bay *b)
{
	return pack("{s:{s:s, s:i, s:o}}", "PartLocation", "LocationType", "Bay",
		    "LocationOrdinalValue", (int)b->number,
		    "ServiceLabel", text("Bay %u", b->number));
}

static json_t *empty_bay(const struct ask *a, const struct bay *b)
{
	return pack("{s:s, s:s, s:s, s:s, s:o, s:{s:s}}",
		    "@odata.id", a->path,
		    "@odata.type", "#Drive.v1_19_0.Drive",
		    "Id", a->seg[5],
		    "Name", "Empty Bay",
		    "PhysicalLocation", place(b),
		    "Status", "State", "Absent");
}

/* The bay of a path ".../<number>[/...]", or NULL. */
static const struct bay *bay_at(const struct machine *m, const char *digits)
{
	char own[16];

	for (unsigned i = 0; i < m->n_bays; i++) {
		snprintf(own, sizeof own, "%u", m->bays[i].number);
		if (!strcmp(own, digits))
			return &m->bays[i];
	}
	return NULL;
}

static const struct bay *asked_drive(struct ask *a)
{
	const struct bay *b = strcmp(a->seg[3], "1") ? NULL : bay_at(a->m, a->seg[5]);

	if (b && b->answer_status) {
		a->status = b->answer_status;
		return NULL;
	}
	return b;
}

static json_t *life_left(const struct bay *b)
{
	if (b->used_percent < 0)
		return docs_must(json_null());
	return docs_must(json_integer(b->used_percent > 100 ? 0 : 100 - b->used_percent));
}

static json_t *drive(struct ask *a)
{
	const struct bay *b = asked_drive(a);
	json_t *doc;

	if (!b)
		return NULL;
	if (!b->present)
		return empty_bay(a, b);
	doc = pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:I}",
		   "@odata.id", a->path,
		   "@odata.type", "#Drive.v1_19_0.Drive",
		   "Id", a->seg[5],
		   "Name", text("NVMe drive %u", b->number),
		   "Manufacturer", b->maker,
		   "Model", b->model,
		   "SerialNumber", b->serial,
		   "FirmwareVersion", b->firmware,
		   "MediaType", "SSD",
		   "Protocol", "NVMe",
		   "CapacityBytes", (json_int_t)b->capacity_bytes);
	put(doc, "DriveFormFactor", text("U2"));
	put(doc, "BlockSizeBytes", docs_must(json_integer(4096)));
	put(doc, "CapableSpeedGbs", raw_sum(b->drive_gen, b->drive_lanes));
	put(doc, "NegotiatedSpeedGbs", raw_sum(b->now_gen, b->now_lanes));
	put(doc, "FailurePredicted",
	    docs_must(json_boolean(b->health == HEALTH_CRITICAL)));
	put(doc, "PredictedMediaLifeLeftPercent", life_left(b));
	put(doc, "PhysicalLocation", place(b));
	put(doc, "Status", status_of(b->health));
	put(doc, "Metrics", ref(SYS "/Storage/1/Drives/%u/Metrics", b->number));
	put(doc, "EnvironmentMetrics",
	    ref(SYS "/Storage/1/Drives/%u/EnvironmentMetrics", b->number));
	put(doc, "Links",
	    pack("{s:o, s:[o]}", "Chassis", ref(CHASSIS), "PCIeFunctions",
		 ref(CHASSIS "/PCIeDevices/NVMe%u/PCIeFunctions/0", b->number)));
	return doc;
}

static json_t *smart(const struct bay *b)
{
	json_t *warn = pack("{s:b, s:b, s:b, s:b, s:b}",
			    "MediaInReadOnly", 0, "OverallSubsystemDegraded", 0,
			    "PMRUnreliable", 0, "PowerBackupFailed", 0,
			    "SpareCapacityWornOut",
			    b->spare_percent >= 0 && b->spare_percent < 10);

	return pack("{s:o, s:i, s:o, s:i, s:o, s:i, s:i, s:i, s:i, s:I, s:I, s:i, s:i}",
		    "AvailableSparePercent", percent(b->spare_percent),
		    "AvailableSpareThresholdPercent", 10,
		    "PercentageUsed", percent(b->used_percent),
		    "CompositeTemperatureCelsius", b->temp_c,
		    "CriticalWarnings", warn,
		    "MediaAndDataIntegrityErrors", 0,
		    "PowerCycles", 23,
		    "PowerOnHours", 4210 + (int)b->number,
		    "UnsafeShutdowns", 4,
		    "DataUnitsRead", (json_int_t)177000000 + b->number,
		    "DataUnitsWritten", (json_int_t)111000000 + b->number,
		    "ControllerBusyTimeMinutes", 1711,
		    "NumberOfErrorInformationLogEntries", 0);
}

static json_t *metrics(struct ask *a)
{
	const struct bay *b = asked_drive(a);

	if (!b || !b->present)
		return NULL;
	return pack("{s:s, s:s, s:s, s:s, s:i, s:o}",
		    "@odata.id", a->path,
		    "@odata.type", "#DriveMetrics.v1_2_0.DriveMetrics",
		    "Id", "Metrics",
		    "Name", "Drive Metrics",
		    "PowerOnHours", 4210 + (int)b->number,
		    "NVMeSMART", smart(b));
}

static json_t *environment(struct ask *a)
{
	const struct bay *b = asked_drive(a);

	if (!b || !b->present)
		return NULL;
	return pack("{s:s, s:s, s:s, s:s, s:{s:i}}",
		    "@odata.id", a->path,
		    "@odata.type", "#EnvironmentMetrics.v1_3_0.EnvironmentMetrics",
		    "Id", "EnvironmentMetrics",
		    "Name", "Drive Environment Metrics",
		    "TemperatureCelsius", "Reading", b->temp_c);
}

static json_t *chassis(struct ask *a)
{
	const struct machine *m = a->m;

	return pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, "
		    "s:{s:[o], s:[o], s:o}}",
		    "@odata.id", a->path,
		    "@odata.type", "#Chassis.v1_25_0.Chassis",
		    "Id", m->desc->chassis_id,
		    "Name", "Chassis",
		    "ChassisType", "RackMount",
		    "Manufacturer", m->desc->vendor,
		    "Model", m->desc->model,
		    "Status", status_of(machine_health(m)),
		    "PCIeDevices", ref(CHASSIS "/PCIeDevices"),
		    "PCIeSlots", ref(CHASSIS "/PCIeSlots"),
		    "Links",
		    "ComputerSystems", ref(SYS),
		    "ManagedBy", ref(BMC),
		    "Drives", drive_refs(m));
}

static json_t *gen_text(unsigned gen)
{
	return gen ? text("Gen%u", gen) : docs_must(json_null());
}

static json_t *device_ref(const struct bay *b)
{
	return ref(CHASSIS "/PCIeDevices/NVMe%u", b->number);
}

static const struct bay *bay_of_device(const struct ask *a)
{
	const char *id = a->seg[3];
	const struct bay *b = strncmp(id, "NVMe", 4) ? NULL : bay_at(a->m, id + 4);

	return b && b->present ? b : NULL;
}

static json_t *pcie_devices(struct ask *a)
{
	json_t *members = pack("[]");

	for (unsigned i = 0; i < a->m->n_bays; i++) {
		if (a->m->bays[i].present)
			push(members, device_ref(&a->m->bays[i]));
	}
	return collection(a, "PCIeDevice", members);
}

static json_t *slot_of(const struct bay *b)
{
	return pack("{s:o, s:i, s:s, s:b, s:o}",
		    "PCIeType", gen_text(b->slot_gen),
		    "Lanes", (int)b->slot_lanes,
		    "SlotType", "U2",
		    "HotPluggable", 1,
		    "Location", place(b));
}

/* LanesInUse of an unknown link is null, as OpenBMC sends it. */
static json_t *pcie_device(struct ask *a)
{
	const struct bay *b = bay_of_device(a);

	if (!b)
		return NULL;
	return pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, "
		    "s:{s:o, s:o, s:o, s:i}}",
		    "@odata.id", a->path,
		    "@odata.type", "#PCIeDevice.v1_15_0.PCIeDevice",
		    "Id", a->seg[3],
		    "Name", b->model,
		    "Model", b->model,
		    "Manufacturer", b->maker,
		    "SerialNumber", b->serial,
		    "DeviceType", "SingleFunction",
		    "Status", status_of(b->health),
		    "PCIeFunctions",
		    ref(CHASSIS "/PCIeDevices/%s/PCIeFunctions", a->seg[3]),
		    "Slot", slot_of(b),
		    "PCIeInterface",
		    "PCIeType", gen_text(b->now_gen),
		    "MaxPCIeType", gen_text(b->drive_gen),
		    "LanesInUse", docs_must(b->now_lanes ? json_integer(b->now_lanes) :
							   json_null()),
		    "MaxLanes", (int)b->drive_lanes);
}

static json_t *pcie_functions(struct ask *a)
{
	if (!bay_of_device(a))
		return NULL;
	return collection(a, "PCIeFunction",
			  pack("[o]", ref(CHASSIS "/PCIeDevices/%s/PCIeFunctions/0",
					  a->seg[3])));
}

static json_t *pcie_function(struct ask *a)
{
	const struct bay *b = bay_of_device(a);

	if (!b || strcmp(a->seg[5], "0"))
		return NULL;
	return pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:{s:[o], s:o}}",
		    "@odata.id", a->path,
		    "@odata.type", "#PCIeFunction.v1_5_0.PCIeFunction",
		    "Id", "0",
		    "Name", "Function 0",
		    "FunctionId", 0,
		    "FunctionType", "Physical",
		    "DeviceClass", "MassStorageController",
		    "ClassCode", "0x010802",
		    "Links",
		    "Drives", ref(SYS "/Storage/1/Drives/%u", b->number),
		    "PCIeDevice", device_ref(b));
}

static json_t *pcie_slots(struct ask *a)
{
	json_t *slots = pack("[]");

	for (unsigned i = 0; i < a->m->n_bays; i++) {
		const struct bay *b = &a->m->bays[i];
		json_t *slot = slot_of(b);
		json_t *devices = pack("[]");

		if (b->present)
			push(devices, device_ref(b));
		put(slot, "Links", pack("{s:o}", "PCIeDevice", devices));
		put(slot, "Status",
		    pack("{s:s}", "State", b->present ? "Enabled" : "Absent"));
		push(slots, slot);
	}
	return pack("{s:s, s:s, s:s, s:s, s:o}",
		    "@odata.id", a->path,
		    "@odata.type", "#PCIeSlots.v1_6_0.PCIeSlots",
		    "Id", "PCIeSlots",
		    "Name", "PCIe Slots",
		    "Slots", slots);
}

static json_t *manager(struct ask *a)
{
	const struct chassis_desc *d = a->m->desc;

	return pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}",
		    "@odata.id", a->path,
		    "@odata.type", "#Manager.v1_19_0.Manager",
		    "Id", d->manager_id,
		    "Name", d->product,
		    "ManagerType", "BMC",
		    "FirmwareVersion", d->bmc_firmware,
		    "DateTime", date_text(time(NULL)),
		    "Status", status_of(HEALTH_OK),
		    "LogServices", ref(BMC "/LogServices"));
}

static json_t *log_services(struct ask *a)
{
	return collection(a, "LogService", pack("[o]", ref(BMC "/LogServices/EventLog")));
}

static json_t *log_service(struct ask *a)
{
	if (strcmp(a->seg[3], a->m->desc->log_id))
		return NULL;
	return pack("{s:s, s:s, s:s, s:s, s:b, s:s, s:o}",
		    "@odata.id", a->path,
		    "@odata.type", "#LogService.v1_4_0.LogService",
		    "Id", a->seg[3],
		    "Name", "Event Log",
		    "ServiceEnabled", 1,
		    "OverWritePolicy", "WrapsWhenFull",
		    "Entries", ref(BMC "/LogServices/EventLog/Entries"));
}

/* What one record says. */
struct entry {
	const char *severity, *id, *what;
	const struct bay *bay;	/* NULL: none */
	time_t wall_s;
};

static json_t *entry_doc(const struct entry *e, unsigned number)
{
	json_t *links = pack("{}");

	if (e->bay)
		put(links, "OriginOfCondition", ref(SYS "/Storage/1/Drives/%u", e->bay->number));
	return pack("{s:o, s:s, s:o, s:o, s:o, s:s, s:s, s:s, s:o, s:[o], s:o}",
		    "@odata.id", uri(BMC "/LogServices/EventLog/Entries/%u", number),
		    "@odata.type", "#LogEntry.v1_16_0.LogEntry",
		    "Id", text("%u", number),
		    "Name", text("Log Entry %u", number),
		    "Created", date_text(e->wall_s),
		    "EntryType", "Event",
		    "Severity", e->severity,
		    "MessageId", e->id,
		    "Message", e->bay ? text("%s bay %u.", e->what, e->bay->number) : text("%s", e->what),
		    "MessageArgs", e->bay ? text("Bay %u", e->bay->number) : text("root"),
		    "Links", links);
}

static struct entry change_entry(const struct machine_record *r)
{
	struct entry e = {"OK", "StorageDevice.1.1.DriveOK", "Something changed in", r->bay, r->wall_s};

	if (!r->bay)
		return (struct entry){"OK", "SecurityEvent.1.0.UserLogin", "Somebody logged in.", NULL, r->wall_s};
	if (r->kind == FAULT_ABSENT)
		e = (struct entry){"Critical", "StorageDevice.1.1.DriveRemoved", "A drive was taken out of", r->bay, r->wall_s};
	else if (r->kind == FAULT_PRESENT || r->kind == FAULT_SERIAL)
		e = (struct entry){"OK", "StorageDevice.1.1.DriveInserted", "A drive was put into", r->bay, r->wall_s};
	else if (r->kind == FAULT_HEALTH && r->value == HEALTH_CRITICAL)
		e = (struct entry){"Critical", "StorageDevice.1.1.DriveFailure", "A drive failed in", r->bay, r->wall_s};
	return e;
}

/* One record a bay, from the standard StorageDevice registry; oldest first, as bmcweb. Then what happened since. */
static json_t *log_entry_doc(const struct machine *m, unsigned i)
{
	const struct bay *b = i < m->n_bays ? &(m->at_start ? m->at_start : m->bays)[i] : NULL;
	struct entry e;

	if (!b)
		e = change_entry(machine_record(m, i - m->n_bays));
	else if (b->present)
		e = (struct entry){"OK", "StorageDevice.1.1.DriveInserted", "A drive was put into", b, 0};
	else
		e = (struct entry){"Critical", "StorageDevice.1.1.DriveRemoved", "A drive was taken out of", b, 0};
	if (b)
		e.wall_s = m->born_wall_s - (time_t)(m->n_bays - i) * 60;
	return entry_doc(&e, i + 1);
}

json_t *generic_record(const struct machine *m, unsigned i)
{
	return log_entry_doc(m, m->n_bays + i);
}

static json_t *log_entries(struct ask *a)
{
	json_t *members;

	if (strcmp(a->seg[3], a->m->desc->log_id))
		return NULL;
	members = pack("[]");
	for (unsigned i = 0; i < a->m->n_bays + a->m->n_records; i++)
		push(members, log_entry_doc(a->m, i));
	return collection(a, "LogEntry", members);
}

static json_t *log_entry(struct ask *a)
{
	char own[16];

	if (strcmp(a->seg[3], a->m->desc->log_id))
		return NULL;
	for (unsigned i = 0; i < a->m->n_bays + a->m->n_records; i++) {
		snprintf(own, sizeof own, "%u", i + 1);
		if (!strcmp(own, a->seg[5]))
			return log_entry_doc(a->m, i);
	}
	return NULL;
}

const struct route generic_routes[] = {
	{ "", root },
	{ "Systems", doc_systems },
	{ "Systems/@s", system_doc },
	{ "Systems/@s/Storage", storage_list },
	{ "Systems/@s/Storage/@", storage },
	{ "Systems/@s/Storage/@/Drives/@", drive },
	{ "Systems/@s/Storage/@/Drives/@/Metrics", metrics },
	{ "Systems/@s/Storage/@/Drives/@/EnvironmentMetrics", environment },
	{ "Chassis", doc_chassis_list },
	{ "Chassis/@c", chassis },
	{ "Chassis/@c/PCIeDevices", pcie_devices },
	{ "Chassis/@c/PCIeDevices/@", pcie_device },
	{ "Chassis/@c/PCIeDevices/@/PCIeFunctions", pcie_functions },
	{ "Chassis/@c/PCIeDevices/@/PCIeFunctions/@", pcie_function },
	{ "Chassis/@c/PCIeSlots", pcie_slots },
	{ "Managers", doc_managers },
	{ "Managers/@m", manager },
	{ "Managers/@m/LogServices", log_services },
	{ "Managers/@m/LogServices/@", log_service },
	{ "Managers/@m/LogServices/@/Entries", log_entries },
	{ "Managers/@m/LogServices/@/Entries/@", log_entry },
	{ "SessionService", doc_session_service },
	{ "EventService", doc_event_service },
	{ "TelemetryService", doc_telemetry },
	{ "TelemetryService/MetricReports", doc_reports },
	{ "TelemetryService/MetricReports/@", doc_report },
	{ "TelemetryService/MetricReportDefinitions", doc_report_definitions },
	{ "TelemetryService/MetricReportDefinitions/@", doc_report_definition },
	{ NULL, NULL },
};
