/* SPDX-License-Identifier: MIT */
/*
 * prune: what is too old, or too much, is forgotten a little at a time, within the
 * transaction of a round: the oldest raw points first, then hours, then days, and what channels
 * were told.  Events, alerts and drives stay.
 */
#include "base/clock.h"
#include "base/log.h"
#include "storage/points.h"

#include <sys/statvfs.h>

enum {
	CHUNKS_A_ROUND = 4096,
	PAGES_A_ROUND = 256, /* given back to the file system */
	PAGES_SPARE = 64,    /* free pages that stay for what comes, beside the next polls */
	RESERVE_BYTES = 32 << 20,
	RESERVE_SHARE = 20, /* ... or a 20th of the file system, whichever is less */
};

#define DAYS(n) ((n)*INT64_C(86400000))

struct store_limits store_limits_standard(void)
{
	return (struct store_limits){.raw_ms = DAYS(60), .hourly_ms = DAYS(730)};
}

void store_limit(struct store *s, const struct store_limits *limits)
{
	s->limits = *limits;
	s->prune_due = true;
}

static int ask(struct store *s, const char *sql, int64_t bound, int64_t if_null,
	int64_t *out, struct err *e)
{
	sqlite3_stmt *st = db_get(s, sql, e);

	if (!st)
		return -1;
	if (sqlite3_bind_parameter_count(st))
		db_int(st, 1, bound);
	*out = if_null;
	if (db_step(s, st, e) < 0)
		return -1;
	if (sqlite3_data_count(st))
		*out = db_get_int(st, 0, if_null);
	sqlite3_reset(st);
	return 0;
}

static int run(struct store *s, const char *sql, int64_t bound, struct err *e)
{
	sqlite3_stmt *st = db_get(s, sql, e);

	if (!st)
		return -1;
	db_int(st, 1, bound);
	return db_run(s, st, e);
}

/* ---- too old ---- */

static const char get_lived[] = "SELECT max(lived_ms) FROM bucket";
static const char get_keep[] = "SELECT min(id) FROM bucket WHERE lived_ms > ?";
static const char get_first_chunk[] = "SELECT min(id) FROM chunk";
static const char count_chunks[] =
	"SELECT count(*) FROM chunk WHERE id >= ?1 << 20 AND id < (?1 + 1) << 20";
static const char drop_chunks[] = "DELETE FROM chunk WHERE id < ? << 20";
static const char drop_times[] =
	"UPDATE bucket SET times = NULL WHERE id < ? AND times IS NOT NULL";

/* Raw points of buckets before this one; at most so many that a round may wait for it. */
static int drop_raw(struct store *s, int64_t keep, bool *more, struct err *e)
{
	int64_t first, chunks;

	if (ask(s, get_first_chunk, 0, INT64_MAX, &first, e))
		return -1;
	first >>= CHUNK_DRIVE_BITS;
	if (first >= keep)
		return 0;
	if (ask(s, count_chunks, first, 0, &chunks, e))
		return -1;
	first += 1 + CHUNKS_A_ROUND / (chunks + 1);
	*more |= first < keep;
	if (first > keep)
		first = keep;
	return run(s, drop_chunks, first, e) || run(s, drop_times, first, e) ? -1 : 0;
}

static int keep_from(
	struct store *s, int64_t lived_ms, int64_t keep_ms, int64_t *bucket, struct err *e)
{
	*bucket = 0;
	return keep_ms ? ask(s, get_keep, lived_ms - keep_ms, 0, bucket, e) : 0;
}

/* By the wall clock, but of a bucket that is so old in time that was lived through. */
static const char drop_notices[] =
	"DELETE FROM notice WHERE id IN (SELECT id FROM notice WHERE told_wall_ms IS NOT NULL AND "
	"made_wall_ms < (SELECT from_wall_ms FROM bucket WHERE id = ?) LIMIT 1000)";

/* What was told is kept as long as raw points are; what was not, until it is. */
static int drop_told(struct store *s, int64_t keep, bool *more, struct err *e)
{
	if (run(s, drop_notices, keep, e))
		return -1;
	*more |= sqlite3_changes(s->db) == 1000;
	return 0;
}

static int drop_old(struct store *s, bool *more, struct err *e)
{
	const int64_t keeps_ms[TIERS] = {
		[TIER_HOUR] = s->limits.hourly_ms, [TIER_DAY] = s->limits.daily_ms};
	int64_t lived_ms, keep;

	if (ask(s, get_lived, 0, 0, &lived_ms, e) ||
		keep_from(s, lived_ms, s->limits.raw_ms, &keep, e) ||
		drop_raw(s, keep, more, e) || drop_told(s, keep, more, e))
		return -1;
	for (size_t i = 0; i < TIERS; i++) {
		const struct tier *t = &point_tiers[i];

		if (keep_from(s, lived_ms, keeps_ms[i], &keep, e) ||
			run(s, t->prune, points_id(keep / t->buckets, 0), e))
			return -1;
	}
	return 0;
}

/* ---- too much ---- */

static const char get_pages[] = "PRAGMA page_count";
static const char get_free[] = "PRAGMA freelist_count";
static const char get_page_size[] = "PRAGMA page_size";

bool points_disk_is_low(const struct store *s)
{
	const char *path = sqlite3_db_filename(s->db, "main");
	struct statvfs fs;
	uint64_t reserve;

	if (!path || !path[0] || statvfs(path, &fs))
		return false;
	reserve = (uint64_t)fs.f_blocks * fs.f_frsize / RESERVE_SHARE;
	if (reserve > RESERVE_BYTES)
		reserve = RESERVE_BYTES;
	return (uint64_t)fs.f_bavail * fs.f_frsize < reserve;
}

/* The oldest window of a tier. */
static int drop_window(struct store *s, const struct tier *t, bool *dropped, struct err *e)
{
	int64_t first;

	if (ask(s, t->range, 0, -1, &first, e))
		return -1;
	*dropped = first >= 0;
	return first < 0 ? 0
			 : run(s, t->prune,
				   points_id((first >> CHUNK_DRIVE_BITS) + 1, 0), e);
}

static int drop_oldest(struct store *s, bool *dropped, struct err *e)
{
	bool more = false;
	int64_t first;

	if (ask(s, get_first_chunk, 0, -1, &first, e))
		return -1;
	if (first >= 0) {
		*dropped = true;
		return drop_raw(s, (first >> CHUNK_DRIVE_BITS) + 1, &more, e);
	}
	for (size_t i = 0; i < TIERS && !*dropped; i++)
		if (drop_window(s, &point_tiers[i], dropped, e))
			return -1;
	return 0;
}

static int drop_excess(struct store *s, bool *more, struct err *e)
{
	int64_t pages, unused, size;
	bool dropped = false;

	if (ask(s, get_pages, 0, 0, &pages, e) || ask(s, get_free, 0, 0, &unused, e) ||
		ask(s, get_page_size, 0, 0, &size, e))
		return -1;
	if ((s->limits.bytes_max && (pages - unused) * size > s->limits.bytes_max) ||
		(unused < PAGES_SPARE / 2 && points_disk_is_low(s))) {
		if (drop_oldest(s, &dropped, e))
			return -1;
		*more |= dropped;
	}
	return 0;
}

/* Pages that nothing will need soon go back to the file system. */
static int give_back(struct store *s, bool *more, struct err *e)
{
	static const char vacuum[] = "PRAGMA incremental_vacuum(256)";
	int64_t unused, pages, size;

	if (ask(s, get_free, 0, 0, &unused, e) || ask(s, get_pages, 0, 0, &pages, e) ||
		ask(s, get_page_size, 0, 4096, &size, e))
		return -1;
	unused -= s->poll_bytes / size;
	if (unused <= PAGES_SPARE || unused < pages / 16)
		return 0;
	*more |= unused > PAGES_A_ROUND;
	return db_exec(s, vacuum, e);
}

int points_prune(struct store *s, struct err *e)
{
	bool more = false;

	if ((!s->prune_due || points_wal_is_long(s)) && !points_disk_is_low(s))
		return 0;
	if (drop_old(s, &more, e) || drop_excess(s, &more, e) || give_back(s, &more, e))
		return -1;
	s->prune_due = more;
	return 0;
}
