/* SPDX-License-Identifier: MIT */
/* poll: the drives of a store_poll, one after the other; for the files of this folder. */
#ifndef STORAGE_POLL_H
#define STORAGE_POLL_H

#include "model/metric.h"
#include "storage/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One drive; borrowed from the poll. */
struct poll_drive {
	const char *key, *host, *bay;
	const uint8_t *values, *values_end; /* hot.h */
};

/* All zeros is the beginning. */
struct poll_reader {
	size_t at;
};

/* The next drive; false at the end. */
bool poll_next(const struct store_poll *p, struct poll_reader *r, struct poll_drive *out);

#endif
