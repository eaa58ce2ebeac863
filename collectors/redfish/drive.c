/* SPDX-License-Identifier: MIT */
/* drive: see drive.h. */
#include "collectors/redfish/drive.h"
#include "base/jtext.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

double rf_percent(const json_t *j)
{
	double v = json_is_number(j) ? json_number_value(j) : NAN;

	return v >= 0 && v <= 100 ? v : NAN;
}

void rf_drive_set_life_left(struct bay *b, double percent)
{
	if (isnan(percent))
		return;
	b->wear.life_left_percent = percent;
	b->wear.percent_used = 100 - percent;
}

/* ---- place ------------------------------------------------------------------ */

/* Redfish: PhysicalLocation.PartLocation, or the older Location[0]. */
static bool ordinal_of(const json_t *location, char *out, size_t size)
{
	const json_t *part = json_object_get(location, "PartLocation");
	int64_t n;

	if (json_is_number(json_object_get(part, "LocationOrdinalValue")) &&
		jtext_int(json_object_get(part, "LocationOrdinalValue"), 0, 9999, &n)) {
		snprintf(out, size, "%d", (int)n);
		return true;
	}
	return jtext_copy(out, size, json_object_get(part, "ServiceLabel"));
}

bool rf_drive_bay_name(const struct rf_drive *d, char *out, size_t size)
{
	const json_t *old = json_array_get(json_object_get(d->doc, "Location"), 0);

	return ordinal_of(json_object_get(d->doc, "PhysicalLocation"), out, size) ||
	       ordinal_of(old, out, size) || jtext_copy(out, size, json_object_get(old, "Info")) ||
	       ordinal_of(jtext_at(d->device, "Slot", "Location", NULL), out, size) ||
	       jtext_copy(out, size, json_object_get(d->simple, "Name"));
}

static void read_location(const struct rf_drive *d, struct bay *b)
{
	const json_t *old = json_array_get(json_object_get(d->doc, "Location"), 0);

	if (!jtext_copy(b->location, sizeof b->location,
		    jtext_at(d->doc, "PhysicalLocation", "PartLocation", "ServiceLabel", NULL)) &&
		!jtext_copy(b->location, sizeof b->location, json_object_get(old, "Info")) &&
		!jtext_copy(b->location, sizeof b->location,
			jtext_at(d->device, "Slot", "Location", "PartLocation", "ServiceLabel", NULL)) &&
		!jtext_copy(b->location, sizeof b->location, json_object_get(d->simple, "Name")))
		jtext_copy(b->location, sizeof b->location, json_object_get(d->doc, "Name"));
}

/* ---- who it is ----------------------------------------------------------------- */

static bool says_nvme(const char *text)
{
	return text && str_has_nocase(text, "nvme");
}

/* NVMe, SATA, SAS ... in one spelling; "PCIe" is how Dell says NVMe. */
static void read_protocol(const struct rf_drive *d, struct drive *out)
{
	const char *class_code = jtext_string(json_object_get(d->function, "ClassCode"));

	jtext_copy(out->protocol, sizeof out->protocol, json_object_get(d->doc, "Protocol"));
	if (str_same_nocase(out->protocol, "PCIe") || str_same_nocase(out->protocol, "NVMe") ||
		(!out->protocol[0] && ((class_code && str_starts(class_code, "0x0108")) || says_nvme(d->path) ||
			says_nvme(jtext_string(json_object_get(d->doc, "Name"))))))
		str_copy(out->protocol, sizeof out->protocol, "NVMe");
	else if (!out->protocol[0] && str_starts(rf_path_last(d->path), "USB_"))
		str_copy(out->protocol, sizeof out->protocol, "USB");
}

/* Sizes that makers write into model numbers, as in MZQL27T6HBLA or KCM6DRUL3T84. */
static const struct {
	const char *code;
	double bytes;
} size_codes[] = {
	{"1T6", 1.6e12}, {"1T9", 1.92e12}, {"3T2", 3.2e12}, {"3T8", 3.84e12},	{"6T4", 6.4e12},
	{"7T6", 7.68e12}, {"12T8", 12.8e12}, {"15T3", 15.36e12}, {"30T7", 30.72e12},
};

/* Bytes that a model's name promises ("3.84TB", "960 GB", "7T6"); 0 if it names no size. */
static double nominal_bytes(const char *text)
{
	for (const char *s = text; (s = strpbrk(s, "0123456789")) != NULL;) {
		size_t n = strspn(s, "0123456789."), blanks = strspn(s + n, " ");
		const char *unit = s + n + blanks;
		bool word = s == text || strchr(" _-/", s[-1]);
		char digits[16];
		double v;

		if (word && n < sizeof digits && (strncasecmp(unit, "TB", 2) == 0 || strncasecmp(unit, "GB", 2) == 0)) {
			memcpy(digits, s, n);
			digits[n] = '\0';
			if (str_to_double(digits, &v))
				return v * ((*unit | 32) == 't' ? 1e12 : 1e9);
		}
		s += n;
	}
	for (size_t i = 0; i < sizeof size_codes / sizeof size_codes[0]; i++)
		if (strstr(text, size_codes[i].code))
			return size_codes[i].bytes;
	return 0;
}

/*
 * CapacityBytes, where it can be bytes: below 1 GB it is another unit, and more than 3 % off the
 * size in the model's name it is doubtful (kept, with a note).
 */
static void read_capacity(const struct rf_drive *d, struct bay *b)
{
	const json_t *own = json_object_get(d->doc, "CapacityBytes");
	const json_t *j = own ? own : json_object_get(d->simple, "CapacityBytes");
	double nominal = nominal_bytes(b->drive.model);
	int64_t n;

	if (!json_is_number(j) || !jtext_int(j, 1, INT64_MAX, &n))
		return;
	if (n < 1000000000 && !str_same(b->drive.protocol, "USB")) {
		b->notes |= NOTE_CAPACITY_SUSPECT;
		return;
	}
	b->drive.capacity_bytes = count_of((uint64_t)n);
	if (nominal > 0 && fabs((double)n - nominal) > nominal * 0.03)
		b->notes |= NOTE_CAPACITY_SUSPECT;
}

/* A text that may say that it says nothing. */
static void copy_text(char *out, size_t size, const json_t *j)
{
	jtext_copy(out, size, j);
	if (str_same_nocase(out, "N/A") || str_same_nocase(out, "None") || str_same_nocase(out, "Unknown") ||
		str_same_nocase(out, "NA"))
		out[0] = '\0';
}

bool rf_drive_same_serial(const json_t *a, const json_t *b)
{
	char x[64], y[64];

	return jtext_copy(x, sizeof x, json_object_get(a, "SerialNumber")) &&
	       jtext_copy(y, sizeof y, json_object_get(b, "SerialNumber")) && strcmp(x, y) == 0;
}

bool rf_drive_is_stub(const json_t *doc)
{
	return !jtext_string(json_object_get(doc, "SerialNumber")) &&
	       !jtext_string(json_object_get(doc, "Model")) && !json_object_get(doc, "Status");
}

/* Who it is: from the Drive, or where that is missing or says nothing from its PCIe device. */
static void read_identity(const struct rf_drive *d, struct bay *b)
{
	const json_t *from = d->doc && !(d->device && rf_drive_is_stub(d->doc)) ? d->doc : d->device;
	struct drive *out = &b->drive;

	copy_text(out->serial, sizeof out->serial, json_object_get(from, "SerialNumber"));
	copy_text(out->model, sizeof out->model, json_object_get(from, "Model"));
	copy_text(out->manufacturer, sizeof out->manufacturer, json_object_get(from, "Manufacturer"));
	copy_text(out->part_number, sizeof out->part_number, json_object_get(from, "PartNumber"));
	copy_text(out->firmware, sizeof out->firmware, json_object_get(from, "Revision"));
	if (!out->firmware[0])
		copy_text(out->firmware, sizeof out->firmware, json_object_get(from, "FirmwareVersion"));
	if (!d->doc && !out->model[0])
		copy_text(out->model, sizeof out->model, json_object_get(from, "Name"));
	if (!out->model[0])
		copy_text(out->model, sizeof out->model, json_object_get(d->simple, "Model"));
	if (!out->manufacturer[0])
		copy_text(out->manufacturer, sizeof out->manufacturer, json_object_get(d->simple, "Manufacturer"));
	jtext_copy(out->media_type, sizeof out->media_type, json_object_get(d->doc, "MediaType"));
	jtext_copy(out->form_factor, sizeof out->form_factor, json_object_get(d->doc, "DriveFormFactor"));
	read_protocol(d, out);
	read_capacity(d, b);
}

/* ---- how it is -------------------------------------------------------------------- */

/* The Drive's own status, else that of what stands for it. */
static const json_t *status_of(const struct rf_drive *d)
{
	const json_t *own = json_object_get(d->doc, "Status");
	const json_t *simple = json_object_get(d->simple, "Status");

	return own ? own : simple ? simple : json_object_get(d->device, "Status");
}

static void read_state(const struct rf_drive *d, struct bay *b)
{
	const json_t *status = status_of(d);
	const char *state = jtext_string(json_object_get(status, "State"));
	bool named = b->drive.serial[0] || b->drive.model[0];
	int predicted = jtext_bool(json_object_get(d->doc, "FailurePredicted"));

	if (str_same(state, "Absent")) {
		b->present = TRI_NO;
		return;
	}
	b->present = state || named ? TRI_YES : TRI_UNKNOWN;
	jtext_copy(b->bmc_health, sizeof b->bmc_health, json_object_get(status, "Health"));
	b->health.failure_predicted = predicted < 0 ? TRI_UNKNOWN : predicted ? TRI_YES : TRI_NO;
	if (str_same(state, "UnavailableOffline") && !named)
		b->drive.state = DRIVE_DEAD;
	if (str_same_nocase(json_string_value(json_object_get(d->doc, "StatusIndicator")), "PredictiveFailureAnalysis"))
		b->health.failure_predicted = TRI_YES;
}

static double celsius(const json_t *j)
{
	double v = jtext_number(j);

	return v > -60 && v < 200 && v != 0 ? v : NAN;
}

static void read_counter(const json_t *object, const char *key, struct count *out)
{
	const json_t *j = json_object_get(object, key);
	int64_t n;

	if (json_is_string(j)) {
		struct count c = count_parse(json_string_value(j));

		if (c.known)
			*out = c;
	} else if (jtext_int(j, 0, INT64_MAX, &n)) {
		*out = count_of((uint64_t)n);
	}
}

/* DriveMetrics.NVMeSMART.CriticalWarnings: one flag each; the bits of log 02h. */
static void read_warnings(const json_t *smart, struct health *h)
{
	static const struct {
		const char *key;
		int bit;
	} flags[] = {
		{"SpareCapacityWornOut", CRITICAL_SPARE},
		{"OverallSubsystemDegraded", CRITICAL_RELIABILITY},
		{"MediaInReadOnly", CRITICAL_READ_ONLY},
		{"PowerBackupFailed", CRITICAL_BACKUP},
		{"PMRUnreliable", CRITICAL_PMR},
	};
	const json_t *w = json_object_get(smart, "CriticalWarnings");

	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
		int v = jtext_bool(json_object_get(w, flags[i].key));

		if (v < 0)
			continue;
		if (h->critical_warning < 0)
			h->critical_warning = 0;
		if (v)
			h->critical_warning |= flags[i].bit;
	}
}

/* NVMeSMART of DriveMetrics or StorageControllerMetrics; data units are thousands of 512 bytes. */
static void read_smart(const json_t *smart, struct bay *b)
{
	double used = jtext_number(json_object_get(smart, "PercentageUsed"));
	double spare = rf_percent(json_object_get(smart, "AvailableSparePercent"));
	double threshold = rf_percent(json_object_get(smart, "AvailableSpareThresholdPercent"));
	double temperature = celsius(json_object_get(smart, "CompositeTemperatureCelsius"));
	struct count units = {0};

	if (used >= 0 && used <= 255) {
		b->wear.percent_used = used;
		b->wear.life_left_percent = used < 100 ? 100 - used : 0;
	}
	if (!isnan(spare))
		b->wear.available_spare_percent = spare;
	if (!isnan(threshold))
		b->wear.spare_threshold_percent = threshold;
	if (!isnan(temperature))
		b->temperature_c = temperature;
	read_counter(smart, "DataUnitsWritten", &units);
	b->wear.bytes_written = units.known ? count_times(units, 512000) : b->wear.bytes_written;
	units.known = false;
	read_counter(smart, "DataUnitsRead", &units);
	b->wear.bytes_read = units.known ? count_times(units, 512000) : b->wear.bytes_read;
	read_counter(smart, "PowerOnHours", &b->health.power_on_hours);
	read_counter(smart, "PowerCycles", &b->health.power_cycles);
	read_counter(smart, "UnsafeShutdowns", &b->health.unsafe_shutdowns);
	read_counter(smart, "MediaAndDataIntegrityErrors", &b->health.media_errors);
	read_counter(smart, "NumberOfErrorInformationLogEntries", &b->health.error_log_entries);
	read_counter(smart, "ControllerBusyTimeMinutes", &b->health.controller_busy_minutes);
	read_warnings(smart, &b->health);
}

static void read_wear(const struct rf_drive *d, struct bay *b)
{
	double reading = celsius(jtext_at(d->environment, "TemperatureCelsius", "Reading", NULL));
	int64_t warnings;

	b->wear.applicable = !str_same_nocase(b->drive.media_type, "HDD");
	if (b->wear.applicable)
		rf_drive_set_life_left(b, rf_percent(json_object_get(d->doc, "PredictedMediaLifeLeftPercent")));
	read_smart(d->report, b);
	if (jtext_int(json_object_get(d->report, "CriticalWarning"), 0, 0x3f, &warnings))
		b->health.critical_warning = (int)warnings;
	read_counter(d->metrics, "PowerOnHours", &b->health.power_on_hours);
	read_smart(json_object_get(d->metrics, "NVMeSMART"), b);
	if (isnan(reading))
		reading = celsius(json_object_get(d->sensor, "Reading"));
	if (!isnan(reading))
		b->temperature_c = reading;
}

void rf_drive_read(const struct rf_survey *s, const struct rf_drive *d, struct bay *b)
{
	(void)s;
	b->has_drive = true;
	read_identity(d, b);
	read_state(d, b);
	read_location(d, b);
	if (b->present == TRI_NO) {
		/* an empty bay that is a resource: its texts and health are leftovers */
		b->has_drive = false;
		b->drive = (struct drive){0};
		b->notes = 0;
		return;
	}
	b->role = ROLE_DATA;
	b->pcie = !(str_same_nocase(b->drive.protocol, "SATA") || str_same_nocase(b->drive.protocol, "SAS") ||
		    str_same_nocase(b->drive.protocol, "USB") || str_same_nocase(b->drive.media_type, "HDD") ||
		    str_same_nocase(b->drive.protocol, "NVMeOverFabrics"));
	read_wear(d, b);
}
