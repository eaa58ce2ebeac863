/* SPDX-License-Identifier: MIT */
/*
 * Telemetry (--telemetry S): the SMART data of all drives in one report, made anew when S seconds are
 * over, so that in between it tells of the drives that were there then.  Dell's in Dell's manner (texts,
 * Kelvin, counters in halves, FQDDs), the generic one by MetricProperty as DSP2046 has it.
 */
#include "tests/simbmc/docs_dell.h"

#include <stdio.h>
#include <string.h>

#define SERVICE		"/TelemetryService"
#define DELL_SMART	"NVMeSMARTData"
#define DELL_SENSOR	"StorageSensor"
#define GENERIC_SMART	"DriveHealth"

static bool is_dell(const struct machine *m)
{
	return !strcmp(m->desc->vendor, "Dell");
}

/* The names of its reports; NULL past the last. */
static const char *report_name(const struct machine *m, size_t i)
{
	static const char *const dell[] = {DELL_SMART, DELL_SENSOR, NULL}, *const generic[] = {GENERIC_SMART, NULL};

	return (is_dell(m) ? dell : generic)[i];
}

static bool is_report(const struct ask *a)
{
	for (size_t i = 0; report_name(a->m, i); i++)
		if (!strcmp(report_name(a->m, i), a->seg[2]))
			return true;
	return false;
}

void put_telemetry_service(const struct machine *m, json_t *root)
{
	if (m->reported)
		put(root, "TelemetryService", ref(SERVICE));
}

json_t *doc_telemetry(struct ask *a)
{
	if (!a->m->reported)
		return NULL;
	return pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:o}",
		    "@odata.id", a->path,
		    "@odata.type", "#TelemetryService.v1_3_1.TelemetryService",
		    "Id", "TelemetryService",
		    "Name", "Telemetry Service",
		    "ServiceEnabled", 1,
		    "Status", status_of(HEALTH_OK),
		    "MetricReports", ref(SERVICE "/MetricReports"),
		    "MetricReportDefinitions", ref(SERVICE "/MetricReportDefinitions"));
}

static json_t *list(struct ask *a, const char *kind, const char *folder)
{
	json_t *members;

	if (!a->m->reported)
		return NULL;
	members = pack("[]");
	for (size_t i = 0; report_name(a->m, i); i++)
		push(members, ref(SERVICE "/%s/%s", folder, report_name(a->m, i)));
	return collection(a, kind, members);
}

json_t *doc_reports(struct ask *a)
{
	return list(a, "MetricReport", "MetricReports");
}

json_t *doc_report_definitions(struct ask *a)
{
	return list(a, "MetricReportDefinition", "MetricReportDefinitions");
}

json_t *doc_report_definition(struct ask *a)
{
	if (!a->m->reported || !is_report(a))
		return NULL;
	return pack("{s:s, s:s, s:s, s:s, s:b, s:[{s:[o]}], s:o}",
		    "@odata.id", a->path,
		    "@odata.type", "#MetricReportDefinition.v1_4_1.MetricReportDefinition",
		    "Id", a->seg[2],
		    "Name", a->seg[2],
		    "MetricReportDefinitionEnabled", 1,
		    "Metrics",
		    "MetricProperties",
		    uri("/Systems/%s/Storage/1/Drives/{Drive}/Metrics#/NVMeSMART/PercentageUsed", a->m->desc->system_id),
		    "MetricReport", ref(SERVICE "/MetricReports/%s", a->seg[2]));
}

/* The drives as they are when a report is made. */
static void make_report(struct machine_report *r, const struct machine *m)
{
	time_t now = time(NULL);

	if (r->made_wall_s && now - r->made_wall_s < (time_t)r->period_s)
		return;
	r->made_wall_s = now;
	memcpy(r->bays, m->bays, sizeof r->bays);
}

/* Adds value after value of one drive; a negative one is left out. */
struct writer {
	const struct ask *a;
	json_t *values;
	const struct bay *bay;
	time_t made_wall_s;
};

static void dell_value(struct writer *w, const char *id, long long v)
{
	char fqdd[DELL_ID_SIZE];

	if (v < 0)
		return;
	dell_drive_id(w->a->m, w->bay, fqdd);
	push(w->values, pack("{s:s, s:o, s:o, s:{s:{s:s, s:s, s:o}}}",
			     "MetricId", id,
			     "MetricValue", text("%lld", v),
			     "Timestamp", date_text(w->made_wall_s),
			     "Oem", "Dell",
			     "ContextID", fqdd,
			     "FQDD", fqdd,
			     "Label", text("%s %s", fqdd, id)));
}

static void dell_counter(struct writer *w, const char *id, long long v)
{
	char half[64];

	snprintf(half, sizeof half, "%sLower", id);
	dell_value(w, half, v);
	snprintf(half, sizeof half, "%sUpper", id);
	dell_value(w, half, 0);
}

/* The same numbers as in docs_dell_drive.c. */
static void dell_smart(struct writer *w)
{
	const struct bay *b = w->bay;

	dell_value(w, "PercentageUsed", b->used_percent);
	dell_value(w, "AvailableSpare", b->spare_percent < 0 ? 255 : b->spare_percent);
	dell_value(w, "AvailableSpareThreshold", 10);
	dell_value(w, "CompositeTemperature", b->temp_c + 273);
	dell_value(w, "CriticalWarning", 0);
	dell_counter(w, "PowerOnHours", 4210 + b->number);
	dell_counter(w, "PowerCycles", 23);
	dell_counter(w, "UnsafeShutdowns", 4);
	dell_counter(w, "MediaDataIntegrityErrors", 0);
	dell_counter(w, "ControllerBusyTime", 1711);
	dell_counter(w, "DataUnitsWritten", 57000000 + b->number);
}

static void generic_value(struct writer *w, const char *property, long long v)
{
	if (v >= 0)
		push(w->values, pack("{s:s, s:o, s:o, s:o}",
				     "MetricId", property,
				     "MetricValue", text("%lld", v),
				     "Timestamp", date_text(w->made_wall_s),
				     "MetricProperty",
				     uri("/Systems/%s/Storage/1/Drives/%u/Metrics#/NVMeSMART/%s",
					 w->a->m->desc->system_id, w->bay->number, property)));
}

static void generic_smart(struct writer *w)
{
	const struct bay *b = w->bay;

	generic_value(w, "PercentageUsed", b->used_percent);
	generic_value(w, "AvailableSparePercent", b->spare_percent);
	generic_value(w, "CompositeTemperatureCelsius", b->temp_c);
	generic_value(w, "PowerOnHours", 4210 + b->number);
}

static void write_drive(struct writer *w)
{
	if (!strcmp(w->a->seg[2], DELL_SMART))
		dell_smart(w);
	else if (!strcmp(w->a->seg[2], DELL_SENSOR))
		dell_value(w, "TemperatureReading", w->bay->temp_c);
	else
		generic_smart(w);
}

json_t *doc_report(struct ask *a)
{
	struct machine_report *r = a->m->reported;
	struct writer w = {.a = a};

	if (!r || !is_report(a))
		return NULL;
	make_report(r, a->m);
	w.values = pack("[]");
	w.made_wall_s = r->made_wall_s;
	for (unsigned i = 0; i < a->m->n_bays; i++) {
		w.bay = &r->bays[i];
		if (w.bay->present)
			write_drive(&w);
	}
	return pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}",
		    "@odata.id", a->path,
		    "@odata.type", "#MetricReport.v1_4_1.MetricReport",
		    "Id", a->seg[2],
		    "Name", a->seg[2],
		    "MetricReportDefinition", ref(SERVICE "/MetricReportDefinitions/%s", a->seg[2]),
		    "Timestamp", date_text(r->made_wall_s),
		    "MetricValues", w.values);
}
