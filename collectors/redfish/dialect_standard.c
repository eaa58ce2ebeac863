/* SPDX-License-Identifier: MIT */
/*
 * dialect_standard: services that keep to the standard, and those that differ only in where Oem
 * has life left, temperature and hours: Inspur and H3C (Public), Huawei and xFusion, Google.  The
 * key is proof enough; nothing else is known of them.
 */
#include "base/jtext.h"
#include "collectors/redfish/dialect.h"
#include "collectors/redfish/drive.h"

#include <math.h>

static const char *const makers[] = {"Public", "Huawei", "xFusion"};

static bool is_temperature(double celsius)
{
	return celsius > -60 && celsius < 200 && celsius != 0;
}

/* Drive.Oem.<maker>: what the standard properties did not tell. */
static void read_drive(const json_t *oem, struct bay *b)
{
	double temperature = jtext_number(json_object_get(oem, "TemperatureCelsius"));
	int64_t hours;

	if (b->wear.applicable && isnan(b->wear.percent_used))
		rf_drive_set_life_left(b, rf_percent(json_object_get(oem, "TimeLeft")));
	if (isnan(b->temperature_c) && is_temperature(temperature))
		b->temperature_c = temperature;
	if (!b->health.power_on_hours.known &&
		jtext_int(json_object_get(oem, "HoursOfPoweredUp"), 0, INT32_MAX, &hours))
		b->health.power_on_hours = count_of((uint64_t)hours);
}

/* NVMeControllerProperties.Oem.Google.SMARTAttributes of the controller that is the drive. */
static void read_google(const json_t *smart, struct bay *b)
{
	double used = jtext_number(json_object_get(smart, "PercentageUsed"));
	double kelvin = jtext_number(json_object_get(smart, "CompositeTemperatureKelvins"));
	double spare = rf_percent(json_object_get(smart, "AvailableSparePercent"));
	double threshold = rf_percent(json_object_get(smart, "AvailableSparePercentThreshold"));
	int64_t warning;

	if (used >= 0 && used <= 255) {
		b->wear.percent_used = used;
		b->wear.life_left_percent = used < 100 ? 100 - used : 0;
	}
	if (kelvin > 213 && kelvin < 473)
		b->temperature_c = kelvin - 273;
	if (!isnan(spare))
		b->wear.available_spare_percent = spare;
	if (!isnan(threshold))
		b->wear.spare_threshold_percent = threshold;
	if (jtext_int(json_object_get(smart, "CriticalWarning"), 0, 0x3f, &warning))
		b->health.critical_warning = (int)warning;
}

static void read_bay(const struct rf_survey *s, const struct rf_drive *d, struct bay *b)
{
	(void)s;
	for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
		read_drive(jtext_at(d->doc, "Oem", makers[i], NULL), b);
	if (rf_drive_same_serial(d->controller, d->doc))
		read_google(jtext_at(d->controller, "NVMeControllerProperties", "Oem", "Google", "SMARTAttributes", NULL), b);
}

const struct rf_dialect rf_dialect_standard = {
	.name = "standard",
	.bay = read_bay,
};
