/* SPDX-License-Identifier: MIT */
/*
 * tally: what is counted from round to round for /metrics, since this process began: requests
 * and failures of each target, drives that were replaced.  On the loop's thread.
 */
#ifndef WEB_TALLY_H
#define WEB_TALLY_H

#include "model/event.h"
#include "model/inventory.h"

#include <stddef.h>
#include <stdint.h>

enum { TALLY_REASONS = 16 };

struct tally_target {
	char name[64];
	uint64_t requests;
	uint64_t errors[TALLY_REASONS]; /* by enum reason */
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

#endif
