/* SPDX-License-Identifier: MIT */
/*
 * topology: when the tree of a BMC is walked as a whole again, in place of only what changes: once a
 * day, since new chassis, controllers and reports are nowhere announced, and after its drives became
 * others or one could not be read, or its system is not where it was.  Not more often than every ten minutes: lists that change at each
 * poll must not make each a whole walk.
 */
#ifndef REDFISH_TOPOLOGY_H
#define REDFISH_TOPOLOGY_H

#include "collectors/redfish/survey.h"

#include <stdbool.h>
#include <stdint.h>

enum { RF_TOPOLOGY_MS = 24 * 60 * 60 * 1000, RF_TOPOLOGY_LEAST_MS = 10 * 60 * 1000 };

struct rf_topology {
	int64_t interval_ms;
	int64_t walked_mono_ms, due_mono_ms; /* 0: never yet */
	uint64_t drives;		     /* what the list of them came to; 0: not known */
	bool walking;			     /* the poll under way is a whole walk */
	unsigned random;
};

/* `interval_ms` 0: once a day.  Early by up to an eighth, so that targets that began together part. */
void rf_topology_init(struct rf_topology *t, int64_t interval_ms);

/* Asked as a poll begins: true if everything is to be read anew.  The first walk is one anyway. */
bool rf_topology_due(struct rf_topology *t);

/* Told as a poll that reached its drives ends. */
void rf_topology_saw(struct rf_topology *t, const struct rf_survey *s);

/* Told as a poll ends that reached the BMC and found no system: the lists that are kept may be those of before an update. */
void rf_topology_lost(struct rf_topology *t);

#endif
