/* SPDX-License-Identifier: MIT */
/*
 * rollup: points of a drive by the hour or the day: of each metric the least, the
 * greatest, the last value and how many there were.  An entry is a run of polls within
 * one hour (or day) of the wall clock and in one place; a clock that is set back begins a
 * new entry and changes none.  Pure.
 *
 * As bytes: four chunks, each after its length in 4 bytes (little-endian): last, least,
 * greatest, count.  Poll and place of `last` are those of the last point; of `least` the
 * wall time of the first and of the last point, of `greatest` the steady time of the last
 * point and how many points there were.  In `least` and `greatest` a value that is not
 * there is the same as in `last`, in `count` the number of points.
 */
#ifndef STORAGE_ROLLUP_H
#define STORAGE_ROLLUP_H

#include "base/buf.h"
#include "model/metric.h"
#include "storage/chunk.h"

#include <stddef.h>
#include <stdint.h>

#define HOUR_MS INT64_C(3600000)
#define DAY_MS INT64_C(86400000)

struct rolled {
	struct metric_value last, least, greatest;
	uint64_t count;
};

struct rollup_entry {
	int64_t poll, place;
	int64_t from_wall_ms, at_wall_ms, at_steady_ms;
	uint64_t points;
	struct rolled metrics[CHUNK_METRICS_MAX];
};

struct rollup {
	size_t n;
	struct rollup_entry *entries;
};

void rollup_release(struct rollup *r);

/* <0, 0, >0; both are known. */
int rollup_compare(struct metric_value a, struct metric_value b);

/* Adds a value to what was rolled up so far. */
void rolled_add(struct rolled *to, const struct rolled *more);

/* Adds the i-th of some points, made at these times, to the last entry or a new one. */
void rollup_add_point(struct rollup *r, const struct chunk_rows *points, size_t i,
	int64_t at_wall_ms, int64_t at_steady_ms, int64_t period_ms);

/* Adds all entries of another one, which come after ours. */
void rollup_add(struct rollup *r, const struct rollup *more, int64_t period_ms);

int rollup_encode(const struct rollup *r, struct buf *out);

/* Adds the entries to r; -1 if the bytes are damaged. */
int rollup_decode(const void *bytes, size_t len, struct rollup *r);

/* One metric (CHUNK_NONE: none) of all entries; in each only metrics[0] is filled. */
int rollup_decode_one(const void *bytes, size_t len, size_t metric, struct rollup *r);

#endif
