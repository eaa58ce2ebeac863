/* SPDX-License-Identifier: MIT */
/* points: see points.h: how points are written and packed. */
#include "storage/points.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "storage/catalogue.h"
#include "storage/chunk.h"
#include "storage/hot.h"
#include "storage/poll.h"
#include "storage/rollup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* What is done at once: some milliseconds.  A fleet so large that its bucket would
	 * not be packed before the next one is full does more. */
	POLLS_A_ROUND = 8, /* that are read; or more, as long as they are so many bytes */
	BYTES_A_ROUND = 1 << 20,
	DRIVES_A_ROUND = 32,
	ROUNDS_A_BUCKET = 32,
	ROWS_A_ROUND = 48 * BUCKET_POLLS, /* records of polls that are dropped */
	WAL_PAGES_MAX = 2000,
};

/* ---- a poll ---- */

static const char put_poll[] =
	"INSERT INTO poll (id, at_wall_ms, at_steady_ms, data) VALUES (?, ?, ?, ?)";

static int by_drive(const void *a, const void *b)
{
	const struct hot_drive *x = a, *y = b;

	if (x->drive != y->drive)
		return x->drive < y->drive ? -1 : 1;
	return (x->values > y->values) - (x->values < y->values);
}

/* A drive that is in two bays at once counts where it comes last. */
static size_t sort_drives(struct hot_drive *drives, size_t n)
{
	size_t kept = 0;
	bool sorted = true; /* as they mostly are */

	for (size_t i = 1; i < n && sorted; i++)
		sorted = by_drive(&drives[i - 1], &drives[i]) <= 0;
	if (!sorted)
		qsort(drives, n, sizeof *drives, by_drive);
	for (size_t i = 0; i < n; i++) {
		if (kept && drives[kept - 1].drive == drives[i].drive)
			kept--;
		drives[kept++] = drives[i];
	}
	return kept;
}

/* The drives of a poll that were read; -1 with the reason. */
static ptrdiff_t find_drives(
	struct store *s, const struct store_poll *p, struct hot_drive *out, struct err *e)
{
	struct catalogue *c = catalogue_get(s, e);
	struct poll_reader r = {0};
	struct poll_drive seen;
	size_t n = 0;

	while (c && poll_next(p, &r, &seen)) {
		const struct known_drive *d = catalogue_drive(c, seen.key);

		if (!d)
			continue;
		out[n] = (struct hot_drive){d->id, catalogue_place(s, seen.host, seen.bay, e), seen.values, seen.values_end};
		if (out[n++].place < 0)
			return -1;
	}
	return c ? (ptrdiff_t)sort_drives(out, n) : -1;
}

static int write_stays(struct store *s, const struct hot_drive *drives, size_t n,
	int64_t poll, struct err *e)
{
	struct catalogue *c = catalogue_get(s, e);

	for (size_t i = 0; c && i < n; i++) {
		struct known_drive *d = catalogue_by_id(c, drives[i].drive);

		if (catalogue_stay(s, d, drives[i].place, poll, e))
			return -1;
	}
	return 0;
}

static int write_row(struct store *s, int64_t poll, const struct store_poll *p,
	const struct hot_drive *drives, size_t n, struct err *e)
{
	sqlite3_stmt *st = db_get(s, put_poll, e);
	struct buf data;
	int rc = -1;

	if (!st)
		return -1;
	buf_init(&data, CHUNK_BYTES_MAX);
	if (n && hot_encode(drives, n, p->at_wall_ms, p->at_steady_ms, &data)) {
		err_set(e, "database: a poll is too large");
	} else {
		db_int(st, 1, poll);
		db_int(st, 2, p->at_wall_ms);
		db_int(st, 3, p->at_steady_ms);
		if (n)
			sqlite3_bind_blob64(st, 4, data.data, data.len, SQLITE_STATIC);
		rc = db_run(s, st, e);
	}
	buf_release(&data);
	return rc;
}

static int pack_some(struct store *s, int64_t poll, struct err *e);

int points_write(struct store *s, const struct store_poll *p, struct err *e)
{
	struct catalogue *c = catalogue_get(s, e);
	struct hot_drive *drives = mem_new(p->n_drives, sizeof *drives);
	ptrdiff_t n = c ? find_drives(s, p, drives, e) : -1;
	int rc = -1;

	if (n >= 0 && write_row(s, c->next_poll, p, drives, (size_t)n, e) == 0 &&
		write_stays(s, drives, (size_t)n, c->next_poll, e) == 0)
		rc = pack_some(s, c->next_poll++, e);
	free(drives);
	return rc;
}

/* ---- packing: a drive ---- */

static const char put_chunk[] = "INSERT OR REPLACE INTO chunk (id, data) VALUES (?, ?)";

static size_t time_of(const struct point_times *t, int64_t poll, size_t from)
{
	while (from < t->n && t->poll[from] < poll)
		from++;
	return from < t->n && t->poll[from] == poll ? from : SIZE_MAX;
}

int points_roll_up(struct store *s, int64_t bucket, int64_t drive,
	const struct chunk_rows *rows, const struct point_times *times, struct err *e)
{
	struct rollup hours = {0};
	size_t at = 0;
	int rc = 0;

	for (size_t i = 0; i < rows->n; i++) {
		size_t k = time_of(times, rows->poll[i], at);

		if (k == SIZE_MAX)
			continue;
		at = k;
		rollup_add_point(&hours, rows, i, times->wall_ms[k], times->steady_ms[k],
			HOUR_MS);
	}
	for (size_t t = 0; t < TIERS && rc == 0 && hours.n; t++)
		rc = tier_add(s, &point_tiers[t], bucket, drive, &hours, e);
	rollup_release(&hours);
	return rc;
}

/* The points of a drive in a bucket. */
int points_pack_drive(struct store *s, int64_t bucket, int64_t drive,
	const struct chunk_rows *rows, const struct point_times *times, struct err *e)
{
	struct buf b;
	int rc = -1;

	if (rows->n == 0)
		return 0;
	buf_init(&b, CHUNK_BYTES_MAX);
	if (chunk_encode(rows, &b))
		err_set(e, "database: a chunk cannot be made");
	else
		rc = points_put_blob(s, put_chunk, points_id(bucket, drive), &b, e);
	buf_release(&b);
	if (rc == 0)
		rc = points_roll_up(s, bucket, drive, rows, times, e);
	return rc ? -1 : catalogue_keep_stay(s, drive, rows->poll[rows->n - 1], e);
}

/* ---- packing: a bucket ---- */

/* A bucket that is being packed: its polls are read, then its drives packed, some a round. */
struct packing {
	int64_t bucket;
	bool loaded;	 /* all polls are there, and the times are written */
	size_t n_drives; /* of the largest poll */
	struct point_times times;
	struct buf polls[BUCKET_POLLS];
	struct hot_reader readers[BUCKET_POLLS];
	bool more[BUCKET_POLLS]; /* the reader stands at a record */
	struct chunk_rows rows;
	bool packed; /* all drives are; polls remain to be dropped */
};

static const char get_bucket[] =
	"SELECT id, at_wall_ms, at_steady_ms, data FROM poll WHERE id > ? AND id < ? ORDER BY id";
static const char get_packed[] = "SELECT max(id) FROM chunk WHERE id >= ?1 AND id < ?2";

void points_forget(struct store *s)
{
	struct packing *p = s->packing;

	if (!p)
		return;
	for (size_t i = 0; i < BUCKET_POLLS; i++)
		buf_release(&p->polls[i]);
	chunk_rows_release(&p->rows);
	free(p);
	s->packing = NULL;
}

static size_t count_records(struct hot_reader r)
{
	size_t n = 0;

	while (hot_next(&r))
		n++;
	return n;
}

static void take_poll(struct packing *p, sqlite3_stmt *st)
{
	size_t i = p->times.n, n;

	p->times.poll[i] = db_get_int(st, 0, 0);
	p->times.wall_ms[i] = db_get_int(st, 1, 0);
	p->times.steady_ms[i] = db_get_int(st, 2, 0);
	p->times.n++;
	if (sqlite3_column_type(st, 3) == SQLITE_NULL)
		return;
	if (buf_add(&p->polls[i], sqlite3_column_blob(st, 3),
		    (size_t)sqlite3_column_bytes(st, 3)) ||
		hot_open(&p->readers[i], p->polls[i].data, p->polls[i].len,
			p->times.wall_ms[i], p->times.steady_ms[i])) {
		log_warn("store", "poll %lld is damaged; its points are left out",
			(long long)p->times.poll[i]);
		return;
	}
	n = count_records(p->readers[i]);
	p->n_drives = n > p->n_drives ? n : p->n_drives;
	p->more[i] = hot_next(&p->readers[i]);
}

/* Goes past drives up to this one. */
static void skip_drives(struct packing *p, int64_t drive)
{
	for (size_t i = 0; i < p->times.n; i++)
		while (p->more[i] && p->readers[i].drive <= drive)
			p->more[i] = hot_next(&p->readers[i]);
}

static int64_t last_packed(struct store *s, int64_t bucket, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_packed, e);
	int64_t drive = -1;

	if (!st)
		return -1;
	db_int(st, 1, points_id(bucket, 0));
	db_int(st, 2, points_id(bucket + 1, 0));
	if (db_step(s, st, e) >= 0)
		drive = db_get_int(st, 0, 0) & ((1 << CHUNK_DRIVE_BITS) - 1);
	sqlite3_reset(st);
	return drive;
}

static void begin_packing(struct store *s, int64_t bucket)
{
	struct packing *p = mem_new(1, sizeof *p);

	p->bucket = bucket;
	for (size_t i = 0; i < BUCKET_POLLS; i++)
		buf_init(&p->polls[i], CHUNK_BYTES_MAX);
	chunk_rows_init(&p->rows, BUCKET_POLLS, CHUNK_ALL);
	s->packing = p;
}

/* Some polls more; 0 if that were the last ones, 1 if not, -1 on failure. */
static int load_polls(struct store *s, struct packing *p, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_bucket, e);
	size_t bytes = 0, n = 0;
	int rc = 1;

	if (!st)
		return -1;
	db_int(st, 1, p->times.n ? p->times.poll[p->times.n - 1] : -1);
	db_int(st, 2, (p->bucket + 1) * BUCKET_POLLS);
	while ((n < POLLS_A_ROUND || bytes < BYTES_A_ROUND) && p->times.n < BUCKET_POLLS &&
		(rc = db_step(s, st, e)) > 0) {
		take_poll(p, st);
		bytes += p->polls[p->times.n - 1].len;
		n++;
	}
	sqlite3_reset(st);
	return p->times.n == BUCKET_POLLS && rc > 0 ? 0 : rc;
}

static int load_some(struct store *s, struct packing *p, struct err *e)
{
	int rc = load_polls(s, p, e);
	int64_t drive;

	if (rc)
		return rc < 0 ? -1 : 0;
	/* if it was under way before a restart, the bucket is there and stays */
	drive = last_packed(s, p->bucket, e);
	if (drive < 0 || points_put_bucket(s, p->bucket, &p->times, e))
		return -1;
	skip_drives(p, drive);
	p->loaded = true;
	return 0;
}

/* The drive with the lowest number that is not packed yet; -1 none. */
static int64_t next_drive(const struct packing *p)
{
	int64_t drive = -1;

	for (size_t i = 0; i < p->times.n; i++)
		if (p->more[i] && (drive < 0 || p->readers[i].drive < drive))
			drive = p->readers[i].drive;
	return drive;
}

static void take_rows(struct packing *p, int64_t drive)
{
	p->rows.n = 0;
	for (size_t i = 0; i < p->times.n; i++) {
		size_t k = p->rows.n;

		if (!p->more[i] || p->readers[i].drive != drive)
			continue;
		p->rows.poll[k] = p->times.poll[i];
		p->rows.place[k] = p->readers[i].place;
		hot_columns(&p->readers[i], p->rows.values, k);
		p->rows.n++;
		p->more[i] = hot_next(&p->readers[i]);
	}
}

static int pack_drives(struct store *s, struct packing *p, struct err *e)
{
	size_t n = p->n_drives / ROUNDS_A_BUCKET + 1;

	for (size_t i = 0; i < n || i < DRIVES_A_ROUND; i++) {
		int64_t drive = next_drive(p);

		if (drive < 0) {
			p->packed = true;
			return 0;
		}
		take_rows(p, drive);
		if (points_pack_drive(s, p->bucket, drive, &p->rows, &p->times, e))
			return -1;
	}
	return 0;
}

/* ---- times of buckets ---- */

/* A pause counts as so much time lived at most: a clock that jumps makes nothing old. */
#define PAUSE_MAX_MS DAY_MS

static const char get_lived[] = "SELECT lived_ms, times FROM bucket WHERE id < ? AND times "
				"IS NOT NULL ORDER BY id DESC LIMIT 1";
static const char put_bucket[] =
	"INSERT OR IGNORE INTO bucket (id, from_wall_ms, until_wall_ms, lived_ms, times) "
	"VALUES (?, ?, ?, ?, ?)";

static int64_t pause_between(int64_t from_steady_ms, int64_t to_steady_ms)
{
	int64_t pause_ms = to_steady_ms - from_steady_ms;

	return pause_ms < 0 ? 0 : pause_ms > PAUSE_MAX_MS ? PAUSE_MAX_MS : pause_ms;
}

/* Time lived up to the end of a bucket: that of the one before, and what it took. */
static int lived(struct store *s, int64_t bucket, const struct point_times *t,
	int64_t *out, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_lived, e);
	struct point_times before;
	int rc;

	*out = 0;
	if (!st)
		return -1;
	db_int(st, 1, bucket);
	rc = db_step(s, st, e);
	if (rc > 0) {
		*out = db_get_int(st, 0, 0);
		if (points_decode_times(st, 1, &before) == 0 && before.n)
			*out += pause_between(before.steady_ms[before.n - 1], t->steady_ms[0]);
	}
	sqlite3_reset(st);
	for (size_t i = 1; i < t->n; i++)
		*out += pause_between(t->steady_ms[i - 1], t->steady_ms[i]);
	return rc < 0 ? -1 : 0;
}

int points_put_bucket(
	struct store *s, int64_t bucket, const struct point_times *t, struct err *e)
{
	const int64_t *const columns[] = {t->poll, t->wall_ms, t->steady_ms};
	sqlite3_stmt *st;
	int64_t from = INT64_MAX, until = INT64_MIN, lived_ms;
	struct buf b;
	int rc = -1;

	for (size_t i = 0; i < t->n; i++) {
		from = t->wall_ms[i] < from ? t->wall_ms[i] : from;
		until = t->wall_ms[i] > until ? t->wall_ms[i] : until;
	}
	buf_init(&b, CHUNK_BYTES_MAX);
	if (lived(s, bucket, t, &lived_ms, e) || chunk_encode_numbers(columns, 3, t->n, &b))
		goto out;
	st = db_get(s, put_bucket, e);
	if (!st)
		goto out;
	db_int(st, 1, bucket);
	db_int(st, 2, from);
	db_int(st, 3, until);
	db_int(st, 4, lived_ms);
	sqlite3_bind_blob64(st, 5, b.data, b.len, SQLITE_STATIC);
	rc = db_run(s, st, e);
out:
	buf_release(&b);
	return rc;
}

/* ---- what is due in a round ---- */

static const char get_first_poll[] = "SELECT min(id) FROM poll";
static const char drop_polls[] = "DELETE FROM poll WHERE id < ?";

/* Some polls at a time, for a fleet's take many pages. */
static int drop_some(struct store *s, struct packing *p, int64_t first, struct err *e)
{
	int64_t end = (p->bucket + 1) * BUCKET_POLLS,
		upto = first + 3 + ROWS_A_ROUND / (int64_t)(p->n_drives + 1);
	sqlite3_stmt *st = db_get(s, drop_polls, e);

	if (!st)
		return -1;
	db_int(st, 1, upto < end ? upto : end);
	if (db_run(s, st, e))
		return -1;
	if (upto < end)
		return 0;
	s->poll_bytes = 0;
	for (size_t i = 0; i < p->times.n; i++)
		s->poll_bytes += (int64_t)p->polls[i].len;
	points_forget(s);
	s->prune_due = true;
	return 0;
}

bool points_wal_is_long(const struct store *s)
{
	return s->wal_pages > WAL_PAGES_MAX;
}

/* Packs the oldest bucket, if it is complete at this poll: first its polls are read and its
 * times written, then its drives packed, then what was packed goes. */
static int pack_some(struct store *s, int64_t poll, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_first_poll, e);
	struct packing *p;
	int64_t first, bucket;

	if (points_wal_is_long(s))
		return 0;
	if (!st || db_step(s, st, e) < 0)
		return -1;
	first = db_get_int(st, 0, poll);
	sqlite3_reset(st);
	bucket = first / BUCKET_POLLS;
	if (bucket >= poll / BUCKET_POLLS)
		return 0;
	if (!s->packing)
		begin_packing(s, bucket);
	p = s->packing;
	if (!p->loaded && load_some(s, p, e))
		return -1;
	if (!p->loaded)
		return 0;
	if (!p->packed && pack_drives(s, p, e))
		return -1;
	return p->packed ? drop_some(s, p, first, e) : 0;
}
