/* SPDX-License-Identifier: MIT */
/*
 * chunk: the points of one drive over some two hours as bytes: a column for each metric,
 * whole numbers as differences with runs of zeros, so that what does not change costs a
 *few bytes.  docs/STORAGE.md gives the format with a reader of thirty lines.  Pure.
 *
 *	version (1 byte, 1), CRC-32 of all that follows (4 bytes, little-endian), points,
 *columns, and for each column its length and its bytes; all numbers are varints (7 bits a
 *byte, low ones first).  Column 0 is the poll, column 1 the place, then the metrics of
 *metric_table().
 *
 *	A column: a byte of kind (low half) and decimal places (high half), then which
 *points have a value, then the values that are there.
 */
#ifndef STORAGE_CHUNK_H
#define STORAGE_CHUNK_H

#include "base/buf.h"
#include "model/metric.h"

#include <stddef.h>
#include <stdint.h>

enum { CHUNK_METRICS_MAX = 64, CHUNK_POINTS_MAX = 4096 };

struct chunk_point {
	int64_t poll, place;
	struct metric_value values[CHUNK_METRICS_MAX]; /* those of metric_table() */
};

/* Adds the chunk to an initialised buffer; -1 past its ceiling. At most CHUNK_POINTS_MAX
 * points. */
int chunk_encode(const struct chunk_point *points, size_t n, struct buf *out);

/*
 * Reads poll, place and one metric (by its number in metric_table(); SIZE_MAX: none) of
 * each point; `points` holds `max`.  Returns how many there are, -1 if the bytes are no
 * chunk, are damaged, or hold more.  A chunk from before a metric was added has no values
 * of it.
 */
ptrdiff_t chunk_decode(const void *bytes, size_t len, size_t metric,
	struct chunk_point *points, size_t max);

#endif
