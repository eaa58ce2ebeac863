/* SPDX-License-Identifier: MIT */
/*
 * metrics: an inventory as OpenMetrics text, with the names of docs/API.md.  Base units,
 * `_total` on counters; a value that is not known is no series, never a zero.
 */
#ifndef WEB_METRICS_H
#define WEB_METRICS_H

#include "base/buf.h"
#include "model/inventory.h"

extern const char metrics_type[];

/* Adds the whole exposition, "# EOF" at its end. */
void metrics_write(struct buf *out, const struct inventory *inv);

#endif
