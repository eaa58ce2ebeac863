/* SPDX-License-Identifier: MIT */
/*
 * uplink: which bays share a link above them, remembered over rounds: a switch that fails takes
 * its drives along and is no longer listed itself, and then all of them are one cause.  Pure; kept
 * in memory alone.
 */
#ifndef MODEL_UPLINK_H
#define MODEL_UPLINK_H

#include "model/inventory.h"

#include <stdbool.h>
#include <stddef.h>

struct uplink {
	char target[64], host[96], at[24];
	size_t n;
	char (*bays)[64];
	bool failed; /* all that is behind it is gone or dead */
};

struct uplinks {
	size_t n, n_failed;
	struct uplink *items;
};

void uplinks_release(struct uplinks *u);

/* Takes in those that are seen now; the others stay as they were. */
void uplinks_remember(struct uplinks *u, const struct inventory *now);

/* Asks of each bay, but of hosts that rest, whether its drive was lost; sets which uplinks failed. */
void uplinks_judge(struct uplinks *u, const struct inventory *now,
	bool (*lost)(const void *arg, const char *host, const char *bay), const void *arg);

/* The failed uplink above a bay, of several the one with most bays; NULL none. */
const struct uplink *uplinks_above(const struct uplinks *u, const char *host, const char *bay);

#endif
