/* SPDX-License-Identifier: MIT */
/* telemetry: see telemetry.h. */
#include "collectors/redfish/telemetry.h"
#include "base/clock.h"
#include "base/jtext.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/table.h"
#include "collectors/redfish/dialect.h"
#include "collectors/redfish/drive.h"
#include "model/count.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORTH_DRIVES = 4,   /* service, list and report are three requests */
	REPORTS_MAX = 4,
	DEFINITIONS_MAX = 64,
	METRICS_MAX = 256,  /* looked at of one definition */
	VALUES_MAX = 32768, /* of one report */
	AGE_MAX_MS = 3 * 60 * 60 * 1000, /* BMCs make them hourly: two were missed */
	AHEAD_MAX_MS = 5 * 60 * 1000,
	LEFT_OFF_MAX = 3,   /* percent between a report and its Drive: rounding, and an hour */
};

/* ---- the metrics ---------------------------------------------------------------- */

enum form { FORM_NUMBER = 1, FORM_LEFT, FORM_KELVIN, FORM_BITS, FORM_COUNT, FORM_LOWER, FORM_UPPER };

/*
 * Names in reports, as a MetricId or as the end of a MetricProperty, and what NVMeSMART calls the same.
 * Dell cuts 128-bit counters in halves: the upper one is the row below.  PowerOnHours of
 * StorageDiskSMARTData is left out: it may be minutes or seconds.
 */
static const struct metric {
	const char *name, *smart;
	enum form form;
} metrics[] = {
	{"PercentageUsed", "PercentageUsed", FORM_NUMBER},
	{"PercentDriveLifeRemaining", "PercentageUsed", FORM_LEFT},
	{"PredictedMediaLifeLeftPercent", "PercentageUsed", FORM_LEFT},
	{"AvailableSpare", "AvailableSparePercent", FORM_NUMBER},
	{"AvailableSparePercent", "AvailableSparePercent", FORM_NUMBER},
	{"AvailableSpareThreshold", "AvailableSpareThresholdPercent", FORM_NUMBER},
	{"AvailableSpareThresholdPercent", "AvailableSpareThresholdPercent", FORM_NUMBER},
	{"CompositeTemperatureCelsius", "CompositeTemperatureCelsius", FORM_NUMBER},
	{"CompositeTemperature", "CompositeTemperatureCelsius", FORM_KELVIN},
	{"CompositeTemparature", "CompositeTemperatureCelsius", FORM_KELVIN}, /* so spelt by some */
	{"DriveTemperature", "CompositeTemperatureCelsius", FORM_NUMBER},
	{"TemperatureReading", "CompositeTemperatureCelsius", FORM_NUMBER},
	{"CriticalWarning", "CriticalWarning", FORM_BITS},
	{"DataUnitsWritten", "DataUnitsWritten", FORM_COUNT},
	{"DataUnitsWrittenLower", "DataUnitsWritten", FORM_LOWER},
	{"DataUnitsWrittenUpper", "DataUnitsWritten", FORM_UPPER},
	{"DataUnitsRead", "DataUnitsRead", FORM_COUNT},
	{"DataUnitsReadLower", "DataUnitsRead", FORM_LOWER},
	{"DataUnitsReadUpper", "DataUnitsRead", FORM_UPPER},
	{"NVMeSMART/PowerOnHours", "PowerOnHours", FORM_COUNT},
	{"PowerOnHoursLower", "PowerOnHours", FORM_LOWER},
	{"PowerOnHoursUpper", "PowerOnHours", FORM_UPPER},
	{"PowerCycles", "PowerCycles", FORM_COUNT},
	{"PowerCyclesLower", "PowerCycles", FORM_LOWER},
	{"PowerCyclesUpper", "PowerCycles", FORM_UPPER},
	{"PowerCycleCount", "PowerCycles", FORM_COUNT},
	{"UnsafeShutdowns", "UnsafeShutdowns", FORM_COUNT},
	{"UnsafeShutdownsLower", "UnsafeShutdowns", FORM_LOWER},
	{"UnsafeShutdownsUpper", "UnsafeShutdowns", FORM_UPPER},
	{"MediaAndDataIntegrityErrors", "MediaAndDataIntegrityErrors", FORM_COUNT},
	{"MediaDataIntegrityErrorsLower", "MediaAndDataIntegrityErrors", FORM_LOWER},
	{"MediaDataIntegrityErrorsUpper", "MediaAndDataIntegrityErrors", FORM_UPPER},
	{"NumberOfErrorInformationLogEntries", "NumberOfErrorInformationLogEntries", FORM_COUNT},
	{"NumOfErrorInfoLogEntriesLower", "NumberOfErrorInformationLogEntries", FORM_LOWER},
	{"NumOfErrorInfoLogEntriesUpper", "NumberOfErrorInformationLogEntries", FORM_UPPER},
	{"ControllerBusyTimeMinutes", "ControllerBusyTimeMinutes", FORM_COUNT},
	{"ControllerBusyTimeLower", "ControllerBusyTimeMinutes", FORM_LOWER},
	{"ControllerBusyTimeUpper", "ControllerBusyTimeMinutes", FORM_UPPER},
};
enum { N_METRICS = sizeof metrics / sizeof metrics[0] };

/* The row whose name ends a text; -1 if none does. */
static int metric_of(const char *text)
{
	size_t len = text ? strlen(text) : 0;

	for (int i = 0; i < N_METRICS && len; i++) {
		size_t n = strlen(metrics[i].name);

		if (n <= len && strcmp(text + len - n, metrics[i].name) == 0 &&
			(n == len || strchr("/#", text[len - n - 1])))
			return i;
	}
	return -1;
}

/* One value of one drive, as its row reads it. */
struct cell {
	int64_t at_wall_ms; /* by the BMC's clock; 0: there is none */
	double number;
	struct count count;
};

static bool is_count(enum form f)
{
	return f == FORM_COUNT || f == FORM_LOWER || f == FORM_UPPER;
}

static bool read_cell(const json_t *value, enum form form, struct cell *c)
{
	const char *text = jtext_string(value);
	int64_t n;

	c->number = jtext_number(value);
	c->count = text ? count_parse(text) : jtext_int(value, 0, INT64_MAX, &n) ? count_of((uint64_t)n) : (struct count){0};
	return is_count(form) ? c->count.known : !isnan(c->number);
}

/* ---- which drive was where -------------------------------------------------------- */

struct place {
	char *path; /* the Drive's key */
	char serial[64];
	int64_t since_wall_ms; /* by the BMC's clock: what was measured before is another drive's; 0: any */
	int64_t at_wall_ms;    /* the newest value in `smart` */
	json_t *smart;	       /* NULL: nothing that counts */
	UT_hash_handle hh;
};

struct rf_telemetry {
	struct place *places; /* uthash */
	bool begun;	      /* drives were seen before */
	unsigned round_read, round_clock;
	int64_t bmc_wall_ms, bmc_mono_ms; /* its clock, and ours when it was read */
	int64_t now_wall_ms;		  /* by the BMC's clock, in this survey */
};

struct rf_telemetry *rf_telemetry_new(void)
{
	struct rf_telemetry *t = mem_new(1, sizeof *t);

	t->bmc_wall_ms = CLOCK_NEVER;
	return t;
}

static void drop_place(struct rf_telemetry *t, struct place *p)
{
	HASH_DEL(t->places, p);
	json_decref(p->smart);
	free(p->path);
	free(p);
}

void rf_telemetry_free(struct rf_telemetry *t)
{
	struct place *p, *next;

	if (!t)
		return;
	HASH_ITER(hh, t->places, p, next)
		drop_place(t, p);
	free(t);
}

static struct place *find_place(const struct rf_telemetry *t, const char *path)
{
	struct place *p;

	HASH_FIND_STR(t->places, path, p);
	return p;
}

/* Takes note of who is where.  A drive that was not there before has no past in the reports. */
static void note_drive(struct rf_telemetry *t, const struct rf_drive *d)
{
	struct place *p = find_place(t, d->path);
	char serial[sizeof p->serial];

	if (!jtext_copy(serial, sizeof serial, json_object_get(d->doc, "SerialNumber")))
		return;
	if (p && strcmp(p->serial, serial) == 0)
		return;
	if (!p) {
		p = mem_new(1, sizeof *p);
		p->path = mem_text(d->path);
		HASH_ADD_KEYPTR(hh, t->places, p->path, strlen(p->path), p);
	}
	str_copy(p->serial, sizeof p->serial, serial);
	p->since_wall_ms = t->begun ? t->now_wall_ms : 0;
	json_decref(p->smart);
	p->smart = NULL;
}

static void note_drives(struct rf_telemetry *t, const struct rf_survey *s)
{
	struct place *p, *next;

	if (HASH_COUNT(t->places) > RF_DRIVES_MAX) /* its paths change */
		HASH_ITER(hh, t->places, p, next)
			drop_place(t, p);
	for (size_t i = 0; i < s->n_drives; i++)
		note_drive(t, &s->drives[i]);
	t->begun = true;
}

/* ---- the BMC's clock ---------------------------------------------------------------- */

static struct rf_resource *manager_of(const struct rf_survey *s)
{
	const json_t *first = json_array_get(jtext_at(s->system, "Links", "ManagedBy", NULL), 0);
	const char *link = jtext_string(json_object_get(first, "@odata.id"));

	return link ? rf_tree_find(s->tree, link) : NULL;
}

static bool is_coming(const struct rf_resource *r)
{
	return r && (r->state == RF_WANTED || r->state == RF_ASKED);
}

/* Ours, where it does not tell its own. */
static void read_clock(struct rf_telemetry *t, const struct rf_survey *s)
{
	const struct rf_resource *r = manager_of(s);

	if (r && s->manager && r->round != t->round_clock) {
		t->round_clock = r->round;
		t->bmc_wall_ms = clock_parse(jtext_string(json_object_get(s->manager, "DateTime")));
		t->bmc_mono_ms = clock_mono_ms();
	}
	t->now_wall_ms = t->bmc_wall_ms == CLOCK_NEVER ? clock_wall_ms()
						       : t->bmc_wall_ms + (clock_mono_ms() - t->bmc_mono_ms);
}

static bool is_young(const struct rf_telemetry *t, int64_t at_wall_ms)
{
	return at_wall_ms > t->now_wall_ms - AGE_MAX_MS && at_wall_ms < t->now_wall_ms + AHEAD_MAX_MS;
}

/* A clock that was put right makes all reports look wrong: it is read once more. True while it is. */
static bool reread_clock(const struct rf_survey *s)
{
	struct rf_resource *r = manager_of(s);

	if (r && r->state == RF_READ && r->round != s->tree->round)
		r->state = RF_WANTED;
	return is_coming(r);
}

/* ---- which reports -------------------------------------------------------------------- */

static bool has_smart_link(const struct rf_drive *d)
{
	return json_object_get(d->doc, "Metrics") || json_object_get(d->controller, "Metrics") ||
	       jtext_at(d->doc, "Oem", "Dell", "DellNVMeSMARTAttributes", "@odata.id", NULL);
}

static bool is_worth_it(const struct rf_survey *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_drives; i++)
		n += has_smart_link(&s->drives[i]);
	return n >= WORTH_DRIVES;
}

static bool is_under_way(const struct rf_survey *s, const json_t *ref)
{
	const char *link = jtext_string(json_object_get(ref, "@odata.id"));

	return link && is_coming(rf_tree_find(s->tree, link));
}

static bool is_of_drives(const char *report)
{
	return str_same(report, "NVMeSMARTData") || str_same(report, "StorageDiskSMARTData") || str_same(report, "StorageSensor");
}

/* True if a definition's metrics are such of drives (DSP2046: MetricReportDefinition.Metrics, MetricProperties). */
static bool defines_smart(const json_t *definition)
{
	const json_t *list = json_object_get(definition, "Metrics"), *names = json_object_get(definition, "MetricProperties");

	for (size_t i = 0; i < METRICS_MAX && i < json_array_size(list); i++) {
		const json_t *metric = json_array_get(list, i);

		if (metric_of(jtext_string(json_object_get(metric, "MetricId"))) >= 0 ||
			metric_of(jtext_string(json_array_get(json_object_get(metric, "MetricProperties"), 0))) >= 0)
			return true;
	}
	for (size_t i = 0; i < METRICS_MAX && i < json_array_size(names); i++)
		if (metric_of(jtext_string(json_array_get(names, i))) >= 0)
			return true;
	return false;
}

struct reports {
	size_t n;
	json_t *docs[REPORTS_MAX];
	bool under_way;
};

static void want_report(struct rf_survey *s, const json_t *ref, struct reports *r)
{
	json_t *doc;

	if (r->n == REPORTS_MAX)
		return;
	doc = rf_tree_want_ref(s->tree, ref, RF_OPTIONAL | RF_LIVE | RF_REPORT);
	if (doc)
		r->docs[r->n++] = doc;
	else
		r->under_way |= is_under_way(s, ref);
}

/* Reports are not listed as being of drives: their definitions tell, read with all else of a walk. */
static void want_defined(struct rf_survey *s, const json_t *service, struct reports *r)
{
	const json_t *ref = json_object_get(service, "MetricReportDefinitions");
	json_t *list = rf_tree_want_ref(s->tree, ref, RF_OPTIONAL | RF_EXPAND);
	struct rf_members it = {0};

	r->under_way |= is_under_way(s, ref);
	for (size_t n = 0; n < DEFINITIONS_MAX && (ref = rf_tree_member(s->tree, &it, list, "Members", RF_OPTIONAL)); n++) {
		json_t *definition = rf_tree_want_ref(s->tree, ref, RF_OPTIONAL);

		r->under_way |= is_under_way(s, ref);
		if (defines_smart(definition))
			want_report(s, json_object_get(definition, "MetricReport"), r);
	}
}

static void want_reports(struct rf_survey *s, struct reports *r)
{
	const json_t *ref = json_object_get(s->root, "TelemetryService");
	json_t *service = rf_tree_want_ref(s->tree, ref, RF_OPTIONAL), *list;
	struct rf_members it = {0};

	*r = (struct reports){.under_way = is_under_way(s, ref)};
	if (!service || json_is_false(json_object_get(service, "ServiceEnabled")))
		return;
	ref = json_object_get(service, "MetricReports");
	list = rf_tree_want_ref(s->tree, ref, RF_OPTIONAL);
	r->under_way |= is_under_way(s, ref);
	if (!json_array_size(json_object_get(list, "Members")))
		return;
	if (s->dialect != &rf_dialect_dell) {
		want_defined(s, service, r);
		return;
	}
	while ((ref = rf_tree_member(s->tree, &it, list, "Members", RF_OPTIONAL))) {
		char path[RF_PATH_MAX];

		if (rf_tree_path_of(s->tree, ref, path) && is_of_drives(rf_path_last(path)))
			want_report(s, ref, r);
	}
}

/* ---- reading them ------------------------------------------------------------------------ */

/*
 * Ways to name a drive: its path, those of its metrics, and the last segment of its path (Dell's FQDD),
 * where no other has the same.  Values are indices of drives; -1: several.
 */
static void name_drive(json_t *names, const char *name, size_t i)
{
	const json_t *other = json_object_get(names, name);

	if (other && json_integer_value(other) != (json_int_t)i)
		json_object_set_new(names, name, json_integer(-1));
	else if (!other)
		json_object_set_new(names, name, json_integer((json_int_t)i));
}

static void name_by_link(json_t *names, struct rf_survey *s, const json_t *ref, size_t i)
{
	char path[RF_PATH_MAX], key[RF_PATH_MAX];

	if (!jtext_string(json_object_get(ref, "@odata.id")) || !rf_tree_path_of(s->tree, ref, path))
		return;
	rf_path_key(path, key);
	name_drive(names, key, i);
}

static json_t *names_of_drives(struct rf_survey *s)
{
	json_t *names = json_object();

	for (size_t i = 0; i < s->n_drives; i++) {
		const struct rf_drive *d = &s->drives[i];

		name_drive(names, d->path, i);
		name_drive(names, rf_path_last(d->path), i);
		name_by_link(names, s, json_object_get(d->doc, "Metrics"), i);
		name_by_link(names, s, json_object_get(d->doc, "EnvironmentMetrics"), i);
		if (rf_drive_same_serial(d->controller, d->doc))
			name_by_link(names, s, json_object_get(d->controller, "Metrics"), i);
	}
	return names;
}

static int index_of(const json_t *names, const char *name)
{
	const json_t *j = json_object_get(names, name);

	return j ? (int)json_integer_value(j) : -1;
}

/* "SMARTData:Disk.Bay.6:Enclosure.Internal.0-1" is said of the drive, too. */
static int drive_of_fqdd(const json_t *names, const json_t *oem, const char *key)
{
	const char *text = jtext_string(json_object_get(oem, key));

	if (text && str_starts(text, "SMARTData:"))
		text += strlen("SMARTData:");
	return text ? index_of(names, text) : -1;
}

/* A property's resource is a drive, or one below it: "…/Drives/3/Metrics#/NVMeSMART/PercentageUsed". */
static int drive_of_property(const struct rf_survey *s, const json_t *names, const char *property)
{
	char path[RF_PATH_MAX];
	char *slash;

	if (!property || !rf_path_reduce(s->tree->origin, property, path))
		return -1;
	while ((slash = strrchr(path, '/')) && slash != path) {
		int i = index_of(names, path);

		if (i >= 0)
			return i;
		*slash = '\0';
	}
	return -1;
}

static int drive_of_value(const struct rf_survey *s, const json_t *names, const json_t *value)
{
	const json_t *oem = jtext_at(value, "Oem", "Dell", NULL);
	int i = drive_of_fqdd(names, oem, "FQDD");

	if (i < 0)
		i = drive_of_fqdd(names, oem, "ContextID");
	return i >= 0 ? i : drive_of_property(s, names, jtext_string(json_object_get(value, "MetricProperty")));
}

/* A property tells more than an id, which is free text. */
static int metric_of_value(const json_t *value)
{
	int m = metric_of(jtext_string(json_object_get(value, "MetricProperty")));

	return m >= 0 ? m : metric_of(jtext_string(json_object_get(value, "MetricId")));
}

/* Puts the values of a report into their cells: of several the newest. True if one is of no time near. */
static bool read_report(const struct rf_telemetry *t, const struct rf_survey *s, const json_t *names, const json_t *report,
	struct cell *cells)
{
	int64_t of_report = clock_parse(jtext_string(json_object_get(report, "Timestamp")));
	const json_t *list = json_object_get(report, "MetricValues");
	bool astray = false;

	for (size_t i = 0; i < VALUES_MAX && i < json_array_size(list); i++) {
		const json_t *value = json_array_get(list, i);
		const char *text = jtext_string(json_object_get(value, "Timestamp"));
		int64_t at = text ? clock_parse(text) : of_report;
		int drive = drive_of_value(s, names, value), m = metric_of_value(value);
		struct cell c = {.at_wall_ms = at}, *old;

		if (drive < 0 || m < 0 || at == CLOCK_NEVER)
			continue;
		astray |= !is_young(t, at);
		old = &cells[(size_t)drive * N_METRICS + (size_t)m];
		if (is_young(t, at) && at >= old->at_wall_ms && read_cell(json_object_get(value, "MetricValue"), metrics[m].form, &c))
			*old = c;
	}
	return astray;
}

/* True if another row tells the same of the drive, and later. */
static bool is_outdone(const struct cell *cells, int m)
{
	for (int i = 0; i < N_METRICS; i++)
		if (i != m && metrics[i].form != FORM_UPPER && strcmp(metrics[i].smart, metrics[m].smart) == 0 &&
			(cells[i].at_wall_ms > cells[m].at_wall_ms || (cells[i].at_wall_ms == cells[m].at_wall_ms && i < m)))
			return true;
	return false;
}

/* The value of a row in NVMeSMART's terms; NULL where it is none. */
static json_t *smart_value(const struct cell *cells, int m)
{
	struct count c = cells[m].count;
	char text[COUNT_TEXT_MAX];
	double v = cells[m].number;

	switch (metrics[m].form) {
	case FORM_NUMBER:
		return json_real(v);
	case FORM_LEFT:
		return v >= 0 && v <= 100 ? json_real(100 - v) : NULL;
	case FORM_KELVIN:
		return v > 213 && v < 473 ? json_real(v - 273) : NULL;
	case FORM_BITS:
		return v >= 0 && v <= 0x3f ? json_integer((json_int_t)v) : NULL;
	case FORM_COUNT:
		return json_string(count_text(c, text));
	case FORM_LOWER: /* half a number is none */
		if (cells[m + 1].at_wall_ms != cells[m].at_wall_ms || c.hi || cells[m + 1].count.hi)
			return NULL;
		c.hi = cells[m + 1].count.lo;
		return json_string(count_text(c, text));
	case FORM_UPPER:
		break;
	}
	return NULL;
}

/* True if a report's wear is not that of the Drive: it is of another drive, or of another time. */
static bool is_contradicted(const json_t *smart, const struct rf_drive *d)
{
	double left = rf_percent(json_object_get(d->doc, "PredictedMediaLifeLeftPercent"));
	double used = jtext_number(json_object_get(smart, "PercentageUsed"));

	return !isnan(left) && !isnan(used) && fabs(100 - fmin(used, 100) - left) > LEFT_OFF_MAX;
}

static void fill_place(struct place *p, const struct rf_drive *d, const struct cell *cells)
{
	json_t *smart = json_object();

	json_decref(p->smart);
	p->smart = NULL;
	p->at_wall_ms = 0;
	for (int m = 0; m < N_METRICS; m++) {
		json_t *value;

		if (!cells[m].at_wall_ms || cells[m].at_wall_ms <= p->since_wall_ms || is_outdone(cells, m))
			continue;
		value = smart_value(cells, m);
		if (!value)
			continue;
		json_object_set_new(smart, metrics[m].smart, value);
		if (cells[m].at_wall_ms > p->at_wall_ms)
			p->at_wall_ms = cells[m].at_wall_ms;
	}
	if (json_object_size(smart) && !is_contradicted(smart, d))
		p->smart = json_incref(smart);
	json_decref(smart);
}

/* True if values are of another time than now. */
static bool read_reports(struct rf_telemetry *t, struct rf_survey *s, const struct reports *r)
{
	struct cell *cells = mem_new(s->n_drives * N_METRICS + 1, sizeof *cells);
	json_t *names = names_of_drives(s);
	bool astray = false;

	for (size_t i = 0; i < r->n; i++)
		astray |= read_report(t, s, names, r->docs[i], cells);
	for (size_t i = 0; i < s->n_drives; i++) {
		struct place *p = find_place(t, s->drives[i].path);

		if (p)
			fill_place(p, &s->drives[i], &cells[i * N_METRICS]);
	}
	json_decref(names);
	free(cells);
	return astray;
}

bool rf_telemetry_survey(struct rf_telemetry *t, struct rf_survey *s)
{
	struct reports r;

	read_clock(t, s);
	note_drives(t, s);
	if (!s->tree->metrics_due || t->round_read == s->tree->round || !is_worth_it(s))
		return false;
	want_reports(s, &r);
	if (r.under_way)
		return true;
	if (read_reports(t, s, &r) && reread_clock(s))
		return true;
	t->round_read = s->tree->round;
	return false;
}

json_t *rf_telemetry_of(const struct rf_telemetry *t, const struct rf_drive *d)
{
	const struct place *p = find_place(t, d->path);
	const char *serial = jtext_string(json_object_get(d->doc, "SerialNumber"));

	return p && p->smart && serial && is_young(t, p->at_wall_ms) ? p->smart : NULL;
}

bool rf_telemetry_covers(const struct rf_drive *d)
{
	return !isnan(jtext_number(json_object_get(d->report, "PercentageUsed")));
}
