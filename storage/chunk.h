/* SPDX-License-Identifier: MIT */
/*
 * chunk: rows of numbers as bytes, column by column: whole numbers as differences with
 * runs of zeros, so that what does not change costs a few bytes, or in as many bits as they
 * need.  docs/STORAGE.md gives the format with a reader of forty lines.  Pure.
 *
 *	version (1 byte, 1), CRC-32 of all that follows (4 bytes, little-endian), rows,
 *	columns, and for each column its length and its bytes; all numbers are varints
 *	(7 bits a byte, low ones first).
 *
 *	A column: a byte of kind (low half), decimal places (high half) and 128 if all rows
 *	have a value, else which ones do, then the values that are there.
 */
#ifndef STORAGE_CHUNK_H
#define STORAGE_CHUNK_H

#include "base/buf.h"
#include "model/metric.h"

#include <stddef.h>
#include <stdint.h>

enum { CHUNK_METRICS_MAX = 64, CHUNK_ROWS_MAX = 4096, CHUNK_NUMBERS_MAX = 8 };

#define CHUNK_ALL (SIZE_MAX - 1) /* every metric of metric_table() */
#define CHUNK_NONE SIZE_MAX	 /* none */

/* Points of a drive: columns 0 and 1 are poll and place, then come the metrics. */
struct chunk_rows {
	size_t n, max;
	int64_t *poll, *place;
	struct metric_value *values[CHUNK_METRICS_MAX]; /* NULL: not wanted; not known */
};

/* Room for `max` rows with one metric (by its number), CHUNK_ALL or CHUNK_NONE. */
void chunk_rows_init(struct chunk_rows *r, size_t max, size_t metric);
void chunk_rows_release(struct chunk_rows *r);

/* Adds a chunk to an initialised buffer; -1 past its ceiling. 1 to CHUNK_ROWS_MAX rows. */
int chunk_encode(const struct chunk_rows *r, struct buf *out);

/*
 * Reads the rows, and of the metrics those that `out` has room for.  -1 if the bytes are
 * no chunk, are damaged, or hold more than out->max.  A chunk from before a metric was
 * added has no values of it.
 */
int chunk_decode(const void *bytes, size_t len, struct chunk_rows *out);

/* How many rows the head of a chunk speaks of, unchecked; 0 if it is none. */
size_t chunk_count(const void *bytes, size_t len);

/* The same for columns of whole numbers that are all known. */
int chunk_encode_numbers(
	const int64_t *const *columns, size_t n_columns, size_t n, struct buf *out);
/* Returns how many rows, -1 if it is no such chunk, is damaged, or holds more. */
ptrdiff_t chunk_decode_numbers(
	const void *bytes, size_t len, int64_t *const *columns, size_t n_columns, size_t max);

#endif
