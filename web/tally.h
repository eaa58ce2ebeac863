/* SPDX-License-Identifier: MIT */
/*
 * tally: what is counted from round to round for /metrics, since this process began: requests
 * and failures of each target, drives that were replaced; and how its last polls went, for its page.
 * On the loop's thread.
 */
#ifndef WEB_TALLY_H
#define WEB_TALLY_H

#include "model/event.h"
#include "model/inventory.h"

#include <stddef.h>
#include <stdint.h>

enum { TALLY_REASONS = 16, TALLY_POLLS = 40 };

enum tally_poll { TALLY_OK, TALLY_PARTIAL, TALLY_FAILED };

struct tally_target {
	char name[64];
	uint64_t requests;
	uint64_t errors[TALLY_REASONS]; /* by enum reason */
	size_t n_polls;			/* since this process began; the last TALLY_POLLS of them are kept */
	int64_t polled_wall_ms[TALLY_POLLS]; /* when it ended, at its number modulo TALLY_POLLS */
	uint8_t polls[TALLY_POLLS];	     /* enum tally_poll, likewise */
};

struct tally_bay {
	char target[64], bay[64];
	uint64_t swaps;
};

/* Zeroed at first. */
struct tally {
	size_t n_targets, n_bays;
	struct tally_target *targets;
	struct tally_bay *bays; /* those in which a drive was replaced */
};

/* Counts a round that has just ended, with its events. */
void tally_round(struct tally *t, const struct inventory *inv, const struct events *ev);
void tally_release(struct tally *t);

/* What was counted of a target, borrowed; NULL: nothing yet. */
const struct tally_target *tally_find(const struct tally *t, const char *name);

#endif
