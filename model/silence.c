/* SPDX-License-Identifier: MIT */
/* silence: see silence.h. */
#include "model/silence.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/alert.h"
#include "model/policy.h"

#include <stdlib.h>

#define DAY_MS (INT64_C(24) * 3600 * 1000)

void silences_release(struct silences *s)
{
	free(s->items);
	*s = (struct silences){0};
}

struct silence *silences_add(struct silences *s)
{
	s->items = mem_grow(s->items, s->n, sizeof *s->items);
	s->items[s->n] = (struct silence){.from_wall_ms = CLOCK_NEVER, .until_wall_ms = CLOCK_NEVER};
	return &s->items[s->n++];
}

/* The day of the week at that midnight, 0 Monday: 1970 began on a Thursday. */
static unsigned weekday(int64_t midnight_ms)
{
	int64_t day = midnight_ms / DAY_MS + 3;

	return (unsigned)((day % 7 + 7) % 7);
}

/* The end of the weekly window that covers this time, CLOCK_NEVER if none does. */
static int64_t weekly_end(const struct silence *s, int64_t wall_ms)
{
	int64_t midnight = wall_ms - ((wall_ms % DAY_MS) + DAY_MS) % DAY_MS, end = CLOCK_NEVER;

	/* it may have begun days ago */
	for (int64_t back = 0; back * DAY_MS <= s->length_ms + DAY_MS; back++) {
		int64_t begin = midnight - back * DAY_MS + s->begin_ms;

		if (s->days & 1u << weekday(midnight - back * DAY_MS) && begin <= wall_ms && wall_ms < begin + s->length_ms &&
			begin + s->length_ms > end)
			end = begin + s->length_ms;
	}
	return end;
}

bool silence_runs(const struct silence *s, int64_t wall_ms)
{
	if (s->from_wall_ms != CLOCK_NEVER && wall_ms < s->from_wall_ms)
		return false;
	if (s->until_wall_ms != CLOCK_NEVER && wall_ms >= s->until_wall_ms)
		return false;
	return !s->days || weekly_end(s, wall_ms) != CLOCK_NEVER;
}

int64_t silence_end(const struct silence *s, int64_t wall_ms)
{
	int64_t end = s->days ? weekly_end(s, wall_ms) : s->until_wall_ms;

	if (s->until_wall_ms != CLOCK_NEVER && end > s->until_wall_ms)
		end = s->until_wall_ms;
	return end;
}

/* A list of patterns with commas, as in the configuration. */
static bool fits(const char *patterns, const char *name)
{
	struct patterns p = {0};
	bool yes;

	if (!patterns[0])
		return true;
	patterns_add_list(&p, patterns);
	yes = patterns_match(&p, name);
	patterns_release(&p);
	return yes;
}

bool silence_covers(const struct silence *s, const struct alert *a)
{
	if (s->key[0] && !str_same(s->key, a->key))
		return false;
	return fits(s->kinds, alert_kind_word(a->kind)) && fits(s->targets, a->target) && fits(s->hosts, a->host) &&
	       fits(s->bays, a->bay) && fits(s->serials, a->serial);
}

void silences_pick_running(const struct silences *from, int64_t wall_ms, struct silences *out)
{
	for (size_t i = 0; from && i < from->n; i++)
		if (silence_runs(&from->items[i], wall_ms))
			*silences_add(out) = from->items[i];
}

const struct silence *silences_find(const struct silences *s, const struct alert *a, int64_t wall_ms)
{
	const struct silence *found = NULL;

	for (size_t i = 0; s && i < s->n; i++) {
		const struct silence *x = &s->items[i];

		if (silence_runs(x, wall_ms) && silence_covers(x, a) &&
			(!found || silence_end(x, wall_ms) > silence_end(found, wall_ms)))
			found = x;
	}
	return found;
}
