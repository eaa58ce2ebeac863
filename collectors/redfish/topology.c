/* SPDX-License-Identifier: MIT */
/* topology: see topology.h. */
#include "collectors/redfish/topology.h"
#include "base/clock.h"
#include "base/jtext.h"

#include <stdint.h>

void rf_topology_init(struct rf_topology *t, int64_t interval_ms)
{
	*t = (struct rf_topology){
		.interval_ms = interval_ms ? interval_ms : RF_TOPOLOGY_MS,
		.random = (unsigned)clock_wall_ms() ^ (unsigned)(uintptr_t)t,
	};
}

static void plan(struct rf_topology *t, int64_t now)
{
	t->random = t->random * 1664525u + 1013904223u;
	t->walked_mono_ms = now;
	t->due_mono_ms = now + t->interval_ms - (int64_t)(t->random >> 8) % (t->interval_ms / 8 + 1);
}

bool rf_topology_due(struct rf_topology *t)
{
	int64_t now = clock_mono_ms();
	bool first = t->due_mono_ms == 0;

	t->walking = first || now >= t->due_mono_ms;
	if (!t->walking)
		return false;
	plan(t, now);
	return !first;
}

/* FNV-1a. */
static uint64_t add_text(uint64_t h, const char *text)
{
	for (; text && *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u;
	return (h ^ 0xff) * 1099511628211u;
}

/* The same for the same drives in the same places, in whichever order. */
static uint64_t sum_of_drives(const struct rf_survey *s)
{
	uint64_t sum = 1;

	for (size_t i = 0; i < s->n_drives; i++) {
		const struct rf_drive *d = &s->drives[i];
		uint64_t h = add_text(14695981039346656037u, d->path);

		h = add_text(h, jtext_string(json_object_get(d->doc, "SerialNumber")));
		sum += add_text(h, jtext_string(jtext_at(d->doc, "Status", "State", NULL)));
	}
	return sum ? sum : 1;
}

void rf_topology_lost(struct rf_topology *t)
{
	int64_t soon = t->walked_mono_ms + RF_TOPOLOGY_LEAST_MS;

	if (soon < t->due_mono_ms)
		t->due_mono_ms = soon;
}

void rf_topology_saw(struct rf_topology *t, const struct rf_survey *s)
{
	uint64_t drives = sum_of_drives(s);

	if (t->drives && t->drives != drives && !t->walking) /* else all that is new was read already */
		rf_topology_lost(t);
	t->drives = drives;
}
