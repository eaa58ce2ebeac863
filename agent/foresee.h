/* SPDX-License-Identifier: MIT */
/*
 * foresee: when each drive will be worn out, from its history in the store, worked out
 * anew every hour, with a long history every day.  The model does the arithmetic
 * (model/forecast); this remembers and fetches.
 */
#ifndef AGENT_FORESEE_H
#define AGENT_FORESEE_H

#include "model/history.h"
#include "storage/store.h"

#include <stddef.h>

struct foreseen {
	char drive_id[24];
	int64_t at_ms; /* steady */
	struct forecast forecast;
	double bytes_per_day; /* NAN not known */
};

struct foresight {
	size_t n;
	struct foreseen *items;
	struct lookup by_id;
};

void foresight_release(struct foresight *f);

/* Fills the forecast and used_dwpd of all bays; `store` may be NULL: then from this
 * reading alone. */
void foresee(struct foresight *f, struct store *store, const struct history *h,
	struct inventory *now);

#endif
