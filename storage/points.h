/* SPDX-License-Identifier: MIT */
/*
 * points: where the points of drives are.  The last ones are in `poll`, a row a poll;
 * older ones in chunks of BUCKET_POLLS polls, and rolled up by the hour and the day.  They
 * are written and packed by points.c, pruned by prune.c, read by series.c and wear.c.  For the files of this folder.
 */
#ifndef STORAGE_POINTS_H
#define STORAGE_POINTS_H

#include "storage/db.h"
#include "storage/store.h"

#include <stdbool.h>
#include <stdint.h>

enum { BUCKET_POLLS = 120, CHUNK_DRIVE_BITS = 20, CHUNK_BYTES_MAX = 16 << 20 };

/* The roll-ups: rows of `table` hold the entries of so many buckets. */
struct tier {
	int64_t period_ms, buckets;
	const char *get, *put, *range, *next, *prune; /* statements */
};

enum { TIER_HOUR = 0, TIER_DAY, TIERS };

extern const struct tier point_tiers[TIERS];

/* Rows of chunks and tiers are numbered so. */
int64_t points_id(int64_t window, int64_t drive);

struct rollup;
struct hot_reader;
struct chunk_rows;
struct buf;

/* When the polls of a bucket were. */
struct point_times {
	size_t n;
	int64_t poll[BUCKET_POLLS], wall_ms[BUCKET_POLLS], steady_ms[BUCKET_POLLS];
};

/* ---- reading ---- */

/* A poll of a statement whose columns are id, at_wall_ms, at_steady_ms, data; -1 damaged. */
int points_open_poll(sqlite3_stmt *st, struct hot_reader *r);

/* The times of a bucket of chunks; n is 0 where they are not kept. */
int points_times(struct store *s, int64_t bucket, struct point_times *t, struct err *e);
int points_decode_times(sqlite3_stmt *st, int column, struct point_times *t);

/* The first and the last window of a tier; last < first where it is empty. */
int tier_range(struct store *s, const struct tier *t, int64_t *first, int64_t *last,
	struct err *e);

/* The first window from this one on that holds anything; INT64_MAX none, -1 failure. */
int64_t tier_next(struct store *s, const struct tier *t, int64_t window, struct err *e);

/* One metric of a drive in a window; no entry where there is none, or a damaged one. */
int tier_row(struct store *s, const struct tier *t, int64_t window, int64_t drive,
	size_t metric, struct rollup *out, struct err *e);

/* ---- writing: all within a transaction ---- */

/* A poll; and some of the packing that is due. */
int points_write(struct store *s, const struct store_poll *p, struct err *e);

/* A failed write undid what was under way. */
void points_forget(struct store *s);

/* Forgets some of what is older than the limits allow, or too much (prune.c). */
int points_prune(struct store *s, struct err *e);

/* True if the WAL cannot be taken back into the file, for somebody reads for long: what can wait
 * does then. */
bool points_wal_is_long(const struct store *s);

/* True if so little is left of the file system that the file had better not grow. */
bool points_disk_is_low(const struct store *s);

/* Packs what a file of before version 6 has in `recent` (convert.c). */
int points_convert(struct store *s, struct err *e);

/* The times of a bucket, unless they are there; the points of a drive in it, as a chunk
 * and rolled up; or only rolled up. */
int points_put_bucket(
	struct store *s, int64_t bucket, const struct point_times *t, struct err *e);
int points_pack_drive(struct store *s, int64_t bucket, int64_t drive,
	const struct chunk_rows *rows, const struct point_times *times, struct err *e);
int points_roll_up(struct store *s, int64_t bucket, int64_t drive,
	const struct chunk_rows *rows, const struct point_times *times, struct err *e);

int points_put_blob(
	struct store *s, const char *sql, int64_t id, const struct buf *b, struct err *e);
int tier_add(struct store *s, const struct tier *t, int64_t bucket, int64_t drive,
	const struct rollup *more, struct err *e);

#endif
