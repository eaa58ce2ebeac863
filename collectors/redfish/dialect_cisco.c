/* SPDX-License-Identifier: MIT */
/*
 * dialect_cisco: CIMC.  CapacityBytes of the S3260 holds MiB; the model is Cisco's own product
 * number, the maker's stands in Name; hours and wear are in Oem.Cisco.SmartData.  No query options.
 */
#include "base/jtext.h"
#include "base/str.h"
#include "collectors/redfish/dialect.h"
#include "collectors/redfish/drive.h"

#include <math.h>
#include <string.h>

static bool speaks(const struct rf_survey *s)
{
	const char *vendor = jtext_string(json_object_get(s->root, "Vendor"));
	const char *maker = jtext_string(json_object_get(s->system, "Manufacturer"));

	return (vendor && str_has_nocase(vendor, "Cisco")) || (maker && str_has_nocase(maker, "Cisco")) ||
	       jtext_at(s->root, "Oem", "Cisco", NULL) || jtext_at(s->system, "Oem", "Cisco", NULL);
}

static bool refuses_expand(const struct rf_survey *s)
{
	(void)s;
	return true;
}

/* A value between 1 GB and 1 PB when read as MiB, and below 1 GB as bytes, is MiB. */
static void read_capacity(const struct rf_drive *d, struct bay *b)
{
	int64_t n;

	if (b->drive.capacity_bytes.known || !jtext_int(json_object_get(d->doc, "CapacityBytes"), 1000, 999999999, &n))
		return;
	b->drive.capacity_bytes = count_of((uint64_t)n << 20);
	b->notes &= ~(unsigned)NOTE_CAPACITY_SUSPECT;
}

static void read_bay(const struct rf_survey *s, const struct rf_drive *d, struct bay *b)
{
	const json_t *smart = jtext_at(d->doc, "Oem", "Cisco", "SmartData", NULL);
	int64_t n;

	(void)s;
	read_capacity(d, b);
	if (isnan(b->wear.percent_used) && b->wear.applicable)
		rf_drive_set_life_left(b, rf_percent(json_object_get(smart, "PercentLifeLeft")));
	if (jtext_int(json_object_get(smart, "PowerOnHours"), 0, INT32_MAX, &n))
		b->health.power_on_hours = count_of((uint64_t)n);
	if (jtext_int(json_object_get(smart, "PowerCycleCount"), 0, INT32_MAX, &n))
		b->health.power_cycles = count_of((uint64_t)n);
	if (jtext_int(jtext_at(d->doc, "Oem", "Cisco", "MediaErrorCount", NULL), 0, INT32_MAX, &n))
		b->health.media_errors = count_of((uint64_t)n);
}

const struct rf_dialect rf_dialect_cisco = {
	.name = "cisco",
	.speaks = speaks,
	.refuses_expand = refuses_expand,
	.bay = read_bay,
};
