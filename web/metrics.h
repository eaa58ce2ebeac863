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

enum metrics_format { METRICS_TEXT = 0, METRICS_OPENMETRICS, METRICS_FORMATS };

/* Its media type. */
const char *metrics_type(enum metrics_format f);

/* Adds the whole exposition. */
void metrics_write(struct buf *out, const struct inventory *inv, enum metrics_format f);

#endif
