/* SPDX-License-Identifier: MIT */
/*
 * metrics: an inventory as Prometheus text (0.0.4) or OpenMetrics (1.0), with the names of
 * docs/API.md.  Base units, `_total` on counters; a value that is not known is no series,
 * never a zero.
 */
#ifndef WEB_METRICS_H
#define WEB_METRICS_H

#include "base/buf.h"
#include "model/inventory.h"
#include "web/tally.h"

#include <jansson.h>

enum metrics_format { METRICS_TEXT = 0, METRICS_OPENMETRICS, METRICS_FORMATS };

/* Its media type. */
const char *metrics_type(enum metrics_format f);

/* What is told beside the inventory; all may be missing. */
struct metrics_more {
	const struct tally *tally;
	const json_t *alerts; /* an array of ALERT */
	int64_t store_bytes;  /* -1 not known */
	int64_t dropped;      /* polls that could not be kept, ever; -1 not known */
};

/* Adds the whole exposition. */
void metrics_write(struct buf *out, const struct inventory *inv, const struct metrics_more *more, enum metrics_format f);

#endif
