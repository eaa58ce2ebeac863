/* SPDX-License-Identifier: MIT */
/*
 * hot: what all drives said in one poll, as bytes: the tail of the store that is not yet
 * in chunks.  A record a drive, in the order of their numbers.  Pure.
 *
 *	version (1 byte, 1), CRC-32 of all that follows, wall and steady time (zigzag), which
 *	are those of the row, and for each drive the length of its record, then drive, place, and a number for each metric of metric_table(): 0 not
 *	known, 1 sixteen bytes follow, else the value (for reals: zigzag(value x 10^places) x 4
 *	+ places, or past three places 2 and eight bytes), more by 3.  Numbers are varints.
 */
#ifndef STORAGE_HOT_H
#define STORAGE_HOT_H

#include "base/buf.h"
#include "model/bay.h"
#include "model/metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hot_drive {
	int64_t drive, place;
	const uint8_t *values, *values_end;
};

/* The metrics of a bay as numbers, as above; -1 past the ceiling. */
int hot_put_values(const struct bay *b, struct buf *out);

/* Drives in ascending order; -1 past the ceiling of an initialised, empty buffer. */
int hot_encode(const struct hot_drive *drives, size_t n, int64_t wall_ms, int64_t steady_ms,
	struct buf *out);

/* Goes through the records; borrows the bytes. */
struct hot_reader {
	const uint8_t *p, *end;
	int64_t drive, place; /* of the record that was read last */
	const uint8_t *values, *values_end;
};

/* -1 if the bytes are none of ours, damaged, or of another time.  No bytes at all are a poll
 * of nothing. */
int hot_open(struct hot_reader *r, const void *bytes, size_t len, int64_t wall_ms,
	int64_t steady_ms);
bool hot_next(struct hot_reader *r); /* false at the end */

/* All metrics of the record, or one by its number in metric_table(). */
void hot_values(const struct hot_reader *r, struct metric_value *values);
/* Those whose bits (1 << number) are in `wanted`. */
void hot_some(const struct hot_reader *r, uint64_t wanted, struct metric_value *values);
/* All, each into this row of its column. */
void hot_columns(const struct hot_reader *r, struct metric_value *const *columns, size_t row);
struct metric_value hot_value(const struct hot_reader *r, size_t metric);

#endif
