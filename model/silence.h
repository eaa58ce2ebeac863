/* SPDX-License-Identifier: MIT */
/*
 * silence: that an alert is not told for a time: because somebody said so (with who and until
 * when), or in a maintenance window of the configuration, once or every week.  It stands and is
 * shown all the same; what still stands when the time is over is told then.  Pure.
 */
#ifndef MODEL_SILENCE_H
#define MODEL_SILENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alert;

/* Patterns; "" is everything. Those that are given must all fit. */
struct silence {
	int64_t id; /* 0: of the configuration */
	char key[192]; /* of one alert, exactly; "" any */
	char kinds[64], targets[128], hosts[128], bays[64], serials[64];
	char by[64], comment[128]; /* of the configuration: the window's name */
	int64_t from_wall_ms, until_wall_ms; /* CLOCK_NEVER: no such end */
	/* every week: bit 0 is Monday; 0: from - until alone */
	unsigned days;
	int64_t begin_ms, length_ms; /* after midnight, UTC */
};

struct silences {
	size_t n;
	struct silence *items;
};

void silences_release(struct silences *s);
struct silence *silences_add(struct silences *s);

/* True while the time is within it. */
bool silence_runs(const struct silence *s, int64_t wall_ms);

/* When the silence that runs now ends. */
int64_t silence_end(const struct silence *s, int64_t wall_ms);

bool silence_covers(const struct silence *s, const struct alert *a);

/* A copy of those that run now; `from` may be NULL. */
void silences_pick_running(const struct silences *from, int64_t wall_ms, struct silences *out);

/* The one by which an alert is silent longest, NULL if it is not. */
const struct silence *silences_find(const struct silences *s, const struct alert *a, int64_t wall_ms);

#endif
