/* SPDX-License-Identifier: MIT */
/* tiers: see points.h: hours and days, and the times of buckets. */
#include "base/log.h"
#include "storage/chunk.h"
#include "storage/hot.h"
#include "storage/points.h"
#include "storage/rollup.h"

const struct tier point_tiers[TIERS] = {
	[TIER_HOUR] = {HOUR_MS, 12, "SELECT data FROM hour WHERE id = ?",
		"INSERT OR REPLACE INTO hour (id, data) VALUES (?, ?)",
		"SELECT (SELECT min(id) FROM hour), (SELECT max(id) FROM hour)",
		"SELECT min(id) FROM hour WHERE id >= ?", "DELETE FROM hour WHERE id < ?"},
	[TIER_DAY] = {DAY_MS, 360, "SELECT data FROM day WHERE id = ?",
		"INSERT OR REPLACE INTO day (id, data) VALUES (?, ?)",
		"SELECT (SELECT min(id) FROM day), (SELECT max(id) FROM day)",
		"SELECT min(id) FROM day WHERE id >= ?", "DELETE FROM day WHERE id < ?"},
};

int64_t points_id(int64_t window, int64_t drive)
{
	/* numbers of buckets come from a file, which may hold any */
	return (int64_t)((uint64_t)window << CHUNK_DRIVE_BITS) + drive;
}

/* ---- rows of tiers ---- */

int points_put_blob(
	struct store *s, const char *sql, int64_t id, const struct buf *b, struct err *e)
{
	sqlite3_stmt *st = db_get(s, sql, e);

	if (!st)
		return -1;
	db_int(st, 1, id);
	sqlite3_bind_blob64(st, 2, b->data, b->len, SQLITE_STATIC);
	return db_run(s, st, e);
}

/* What a row of a tier holds so far; a damaged one begins anew. */
static int read_tier(
	struct store *s, const struct tier *t, int64_t id, struct rollup *r, struct err *e)
{
	sqlite3_stmt *st = db_get(s, t->get, e);
	int rc;

	if (!st)
		return -1;
	db_int(st, 1, id);
	rc = db_step(s, st, e);
	if (rc > 0 && rollup_decode(sqlite3_column_blob(st, 0),
			      (size_t)sqlite3_column_bytes(st, 0), r))
		log_warn("store", "a roll-up of drive %lld is damaged; it begins anew",
			(long long)id % (1 << CHUNK_DRIVE_BITS));
	sqlite3_reset(st);
	return rc < 0 ? -1 : 0;
}

int tier_add(struct store *s, const struct tier *t, int64_t bucket,
	int64_t drive, const struct rollup *more, struct err *e)
{
	int64_t id = points_id(bucket / t->buckets, drive);
	struct rollup r = {0};
	struct buf b;
	int rc = -1;

	buf_init(&b, CHUNK_BYTES_MAX);
	if (read_tier(s, t, id, &r, e) == 0) {
		rollup_add(&r, more, t->period_ms);
		rc = rollup_encode(&r, &b) ? err_set(e, "database: a roll-up cannot be made")
					   : points_put_blob(s, t->put, id, &b, e);
	}
	buf_release(&b);
	rollup_release(&r);
	return rc;
}

int tier_range(struct store *s, const struct tier *t, int64_t *first, int64_t *last,
	struct err *e)
{
	sqlite3_stmt *st = db_get(s, t->range, e);

	if (!st || db_step(s, st, e) < 0)
		return -1;
	*first = db_get_int(st, 0, 0) >> CHUNK_DRIVE_BITS;
	*last = db_get_int(st, 1, -1) >> CHUNK_DRIVE_BITS;
	sqlite3_reset(st);
	return 0;
}

int64_t tier_next(struct store *s, const struct tier *t, int64_t window, struct err *e)
{
	sqlite3_stmt *st = db_get(s, t->next, e);
	int64_t id;

	if (!st)
		return -1;
	db_int(st, 1, points_id(window, 0));
	if (db_step(s, st, e) < 0)
		return -1;
	id = db_get_int(st, 0, -1);
	sqlite3_reset(st);
	return id < 0 ? INT64_MAX : id >> CHUNK_DRIVE_BITS;
}

int tier_row(struct store *s, const struct tier *t, int64_t window, int64_t drive,
	size_t metric, struct rollup *out, struct err *e)
{
	sqlite3_stmt *st = db_get(s, t->get, e);
	int rc;

	out->n = 0;
	if (!st)
		return -1;
	db_int(st, 1, points_id(window, drive));
	rc = db_step(s, st, e);
	if (rc > 0 && rollup_decode_one(sqlite3_column_blob(st, 0),
			      (size_t)sqlite3_column_bytes(st, 0), metric, out))
		log_warn("store", "a roll-up of drive %lld is damaged; it is left out",
			(long long)drive);
	sqlite3_reset(st);
	return rc < 0 ? -1 : 0;
}

/* ---- times of buckets ---- */

static const char get_bucket_times[] = "SELECT times FROM bucket WHERE id = ?";

int points_decode_times(sqlite3_stmt *st, int column, struct point_times *t)
{
	int64_t *const columns[] = {t->poll, t->wall_ms, t->steady_ms};
	ptrdiff_t n;

	t->n = 0;
	if (sqlite3_column_type(st, column) == SQLITE_NULL)
		return 0;
	n = chunk_decode_numbers(sqlite3_column_blob(st, column),
		(size_t)sqlite3_column_bytes(st, column), columns, 3, BUCKET_POLLS);
	t->n = n < 0 ? 0 : (size_t)n;
	return n < 0 ? -1 : 0;
}

int points_times(struct store *s, int64_t bucket, struct point_times *t, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_bucket_times, e);
	int rc;

	t->n = 0;
	if (!st)
		return -1;
	db_int(st, 1, bucket);
	rc = db_step(s, st, e);
	if (rc > 0 && points_decode_times(st, 0, t))
		log_warn("store", "the times of bucket %lld are damaged; its points are left out",
			(long long)bucket);
	sqlite3_reset(st);
	return rc < 0 ? -1 : 0;
}


int points_open_poll(sqlite3_stmt *st, struct hot_reader *r)
{
	return hot_open(r, sqlite3_column_blob(st, 3), (size_t)sqlite3_column_bytes(st, 3),
		db_get_int(st, 1, 0), db_get_int(st, 2, 0));
}
