/* SPDX-License-Identifier: MIT */
/* config_store: how long and how surely points are kept, and how large the database may be. */
#include "agent/config.h"
#include "agent/config_section.h"
#include "base/str.h"

#include <string.h>

#define DAY_MS INT64_C(86400000)

struct unit {
	const char *name;
	int64_t size;
};

/* "60d" and the like: a whole number from 1 on and one of the units; 0 if it is none. */
static int64_t measure(const char *text, const struct unit *units, size_t n)
{
	size_t digits = strspn(text, "0123456789");
	char number[16];
	int64_t count;

	if (digits == 0 || digits >= sizeof number)
		return 0;
	memcpy(number, text, digits);
	number[digits] = '\0';
	for (size_t i = 0; i < n; i++)
		if (str_same(text + digits, units[i].name) && str_to_int(number, 1, 1000000, &count))
			return count * units[i].size;
	return 0;
}

/* How long a tier is kept; 0 for ever. What is wrong is said and changes nothing. */
static void take_time(const struct build *b, const char *key, int64_t *out)
{
	static const struct unit units[] = {
		{"d", DAY_MS}, {"w", 7 * DAY_MS}, {"y", 365 * DAY_MS}};
	const char *text = section_text(b, key);
	int64_t ms = text ? measure(text, units, 3) : 0;

	if (!text)
		return;
	if (str_same(text, "forever"))
		*out = 0;
	else if (ms)
		*out = ms;
	else
		section_complain(b, key, "'%s' is no time; write a whole number and d, w or y, as in 60d, or forever", text);
}

static void take_size(const struct build *b, const char *key, int64_t *out)
{
	static const struct unit units[] = {{"MiB", 1 << 20}, {"GiB", 1 << 30}};
	const char *text = section_text(b, key);
	int64_t bytes = text ? measure(text, units, 2) : 0;

	if (!text)
		return;
	if (str_same(text, "none"))
		*out = 0;
	else if (bytes)
		*out = bytes;
	else
		section_complain(b, key, "'%s' is no size; write a whole number and MiB or GiB, as in 500MiB, or none", text);
}

/* True if the finer tier is kept longer than the coarser one that takes its place. */
static bool outlives(int64_t finer_ms, int64_t coarser_ms)
{
	return coarser_ms && (!finer_ms || finer_ms > coarser_ms);
}

void config_build_store(const struct build *b)
{
	struct store_limits *l = &b->c->store;
	const char *last = section_has(b, "keep_hours") ? "keep_hours" : "keep_raw";

	take_time(b, "keep_raw", &l->raw_ms);
	take_time(b, "keep_hours", &l->hourly_ms);
	take_time(b, "keep_days", &l->daily_ms);
	take_size(b, "database_max_size", &l->bytes_max);
	l->flush_points = section_has(b, "durability") && str_same(section_text(b, "durability"), "full");
	if (outlives(l->raw_ms, l->hourly_ms) && section_has(b, last))
		section_complain(b, last, "keep_hours is shorter than keep_raw: hours take the place of points that are gone");
	if (outlives(l->hourly_ms, l->daily_ms) && (section_has(b, "keep_days") || section_has(b, "keep_hours")))
		section_complain(b, section_has(b, "keep_days") ? "keep_days" : "keep_hours",
			"keep_days is shorter than keep_hours: days take the place of hours that are gone");
}
