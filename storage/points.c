/* SPDX-License-Identifier: MIT */
/* points: see points.h; and reading them (store_each_point, store_get_wear in store.h).
 */
#include "storage/points.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "storage/chunk.h"
#include "storage/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES_MAX = 1 << 20, WHO_MAX = 64 };

static int64_t chunk_id(int64_t bucket, int64_t drive)
{
	return bucket * (INT64_C(1) << CHUNK_DRIVE_BITS) + drive;
}

/* ---- into chunks ---- */

static const char get_first_recent[] = "SELECT min(poll) FROM recent";

/* Metrics in the order of metric_table(), from column 3 on. */
static const char get_bucket[] =
	"SELECT drive, poll, place, percent_used, life_left_percent, "
	"available_spare_percent, spare_threshold_percent, "
	"bytes_written, bytes_read, physical_bytes_written, critical_warning, "
	"media_errors, error_log_entries, "
	"unsafe_shutdowns, power_cycles, power_on_hours, controller_busy_minutes, "
	"temperature_celsius, speed_gts, width, "
	"max_speed_gts, max_width, aer_correctable, aer_nonfatal, aer_fatal, "
	"read_bytes_per_second, write_bytes_per_second, busy_ratio, link_ratio FROM recent "
	"WHERE poll < ? ORDER BY drive, poll";
static const char put_chunk[] = "INSERT OR REPLACE INTO chunk (id, data) VALUES (?, ?)";
static const char drop_bucket[] = "DELETE FROM recent WHERE poll < ?";

static int write_chunk(struct store *s, int64_t id, const struct chunk_point *points,
	size_t n, struct err *e)
{
	sqlite3_stmt *st = db_get(s, put_chunk, e);
	struct buf b;
	int rc = -1;

	if (!st)
		return -1;
	buf_init(&b, CHUNK_BYTES_MAX);
	if (chunk_encode(points, n, &b)) {
		err_set(e, "database: a chunk cannot be made");
	} else {
		db_int(st, 1, id);
		sqlite3_bind_blob64(st, 2, b.data, b.len, SQLITE_STATIC);
		rc = db_run(s, st, e);
	}
	buf_release(&b);
	return rc;
}

static void read_row(sqlite3_stmt *st, struct chunk_point *p)
{
	size_t n;
	const struct metric *table = metric_table(&n);

	p->poll = db_get_int(st, 1, 0);
	p->place = db_get_int(st, 2, 0);
	for (size_t i = 0; i < n; i++)
		p->values[i] = db_get_value(st, (int)i + 3, &table[i]);
}

static int compact_bucket(struct store *s, int64_t bucket, struct err *e)
{
	struct chunk_point *points = mem_new(BUCKET_POLLS, sizeof *points);
	sqlite3_stmt *st = db_get(s, get_bucket, e);
	int64_t drive = -1;
	size_t n = 0;
	int rc = -1;

	if (!st)
		goto out;
	db_int(st, 1, (bucket + 1) * BUCKET_POLLS);
	while ((rc = db_step(s, st, e)) > 0) {
		int64_t next = db_get_int(st, 0, 0);

		if (n && (next != drive || n == BUCKET_POLLS)) {
			if (write_chunk(s, chunk_id(bucket, drive), points, n, e))
				goto out;
			n = 0;
		}
		drive = next;
		read_row(st, &points[n++]);
	}
	if (rc == 0 && n)
		rc = write_chunk(s, chunk_id(bucket, drive), points, n, e);
	if (rc == 0) {
		st = db_get(s, drop_bucket, e);
		rc = st ? 0 : -1;
		if (st) {
			db_int(st, 1, (bucket + 1) * BUCKET_POLLS);
			rc = db_run(s, st, e);
		}
	}
out:
	if (rc && st)
		sqlite3_reset(st);
	free(points);
	return rc ? -1 : 0;
}

int points_compact(struct store *s, int64_t poll, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_first_recent, e);
	int64_t first;

	if (!st || db_step(s, st, e) < 0)
		return -1;
	first = db_get_int(st, 0, poll);
	sqlite3_reset(st);
	return first / BUCKET_POLLS < poll / BUCKET_POLLS
		       ? compact_bucket(s, first / BUCKET_POLLS, e)
		       : 0;
}

/* ---- who is meant ---- */

/* Drives of a serial or id, whole; or those that were in a bay, as long as they were
 * there. */
static const char get_drives[] =
	"SELECT id, key, serial FROM drive WHERE key = ?1 OR serial = ?1 OR id IN "
	"(SELECT drive FROM stay WHERE place IN "
	"(SELECT value FROM json_each(?2))) LIMIT 64";
static const char get_places[] =
	"SELECT id FROM place WHERE bay = ?2 AND (host = ?1 OR host IN (SELECT host FROM "
	"drive WHERE target = ?1 OR "
	"instr(',' || sources || ',', ',' || ?1 || ','))) LIMIT 64";

struct one_drive {
	int64_t id;
	char key[24], serial[64];
	bool whole; /* all its points, not only those in the places */
};

struct who {
	size_t n_drives, n_places;
	struct one_drive drives[WHO_MAX];
	int64_t places[WHO_MAX];
};

static int find_places(struct store *s, const char *name, struct who *w, struct err *e)
{
	const char *slash = strchr(name, '/');
	sqlite3_stmt *st = db_get(s, get_places, e);
	int rc = 0;

	if (!st)
		return -1;
	if (!slash)
		return 0;
	sqlite3_bind_text(st, 1, name, (int)(slash - name), SQLITE_STATIC);
	sqlite3_bind_text(st, 2, slash + 1, -1, SQLITE_STATIC);
	while (w->n_places < WHO_MAX && (rc = db_step(s, st, e)) > 0)
		w->places[w->n_places++] = db_get_int(st, 0, 0);
	sqlite3_reset(st);
	return rc < 0 ? -1 : 0;
}

static void places_text(const struct who *w, char *out, size_t size)
{
	size_t len = (size_t)snprintf(out, size, "[");

	for (size_t i = 0; i < w->n_places; i++)
		len += (size_t)snprintf(out + len, size - len, "%s%lld", i ? "," : "",
			(long long)w->places[i]);
	snprintf(out + len, size - len, "]");
}

static int find_who(struct store *s, const char *name, struct who *w, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_drives, e);
	char places[WHO_MAX * 22];
	int rc = 0;

	*w = (struct who){0};
	if (!st || find_places(s, name, w, e))
		return -1;
	places_text(w, places, sizeof places);
	sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 2, places, -1, SQLITE_STATIC);
	while (w->n_drives < WHO_MAX && (rc = db_step(s, st, e)) > 0) {
		struct one_drive *d = &w->drives[w->n_drives++];

		d->id = db_get_int(st, 0, 0);
		db_get_text(st, 1, d->key, sizeof d->key);
		db_get_text(st, 2, d->serial, sizeof d->serial);
		d->whole = str_same(d->key, name) || str_same(d->serial, name);
	}
	sqlite3_reset(st);
	return rc < 0 ? -1 : 0;
}

static bool is_meant(const struct who *w, const struct one_drive *d, int64_t place)
{
	for (size_t i = 0; i < w->n_places && !d->whole; i++)
		if (w->places[i] == place)
			return true;
	return d->whole;
}

/* ---- reading ---- */

static const char get_range[] = "SELECT min(id), max(id) FROM chunk";
static const char get_chunk[] = "SELECT data FROM chunk WHERE id = ?";
static const char get_times[] =
	"SELECT id, at_wall_ms, at_steady_ms FROM poll WHERE id >= ?1 AND id < ?2";
static const char get_bay[] = "SELECT bay FROM place WHERE id = ?";

/* First and last bucket that has chunks; last < first where there are none. */
static int bucket_range(struct store *s, int64_t *first, int64_t *last, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_range, e);

	if (!st || db_step(s, st, e) < 0)
		return -1;
	*first = db_get_int(st, 0, 0) >> CHUNK_DRIVE_BITS;
	*last = db_get_int(st, 1, -1) >> CHUNK_DRIVE_BITS;
	sqlite3_reset(st);
	return 0;
}

/* Points of a drive in a bucket, with one metric; none where there is no chunk, or a
 * damaged one, which is said. */
static ptrdiff_t read_chunk(struct store *s, int64_t id, size_t metric,
	struct chunk_point *points, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_chunk, e);
	ptrdiff_t n = 0;
	int rc;

	if (!st)
		return -1;
	db_int(st, 1, id);
	rc = db_step(s, st, e);
	if (rc > 0) {
		const void *data = sqlite3_column_blob(st, 0);

		n = chunk_decode(data, (size_t)sqlite3_column_bytes(st, 0), metric,
			points, BUCKET_POLLS);
		if (n < 0)
			log_warn("store",
				"chunk %lld is damaged; its points are left out",
				(long long)id);
		n = n < 0 ? 0 : n;
	}
	sqlite3_reset(st);
	return rc < 0 ? -1 : n;
}

/* A point on its way to the reader. */
struct found {
	const struct one_drive *drive;
	int64_t poll, place;
	struct metric_value value;
};

struct reading {
	struct store *store;
	const struct who *who;
	const struct metric *metric;
	size_t metric_number; /* SIZE_MAX: only that it was seen */
	const struct store_filter *filter;
	void (*fn)(void *arg, const struct store_point *p);
	void *arg;
	int64_t place; /* whose name `bay` is */
	char bay[64];
	int64_t times[BUCKET_POLLS][2]; /* of the polls of the bucket; CLOCK_NEVER where
					   there is none */
};

static const char *bay_name(struct reading *r, int64_t place)
{
	sqlite3_stmt *st;

	if (place == r->place)
		return r->bay;
	st = db_get(r->store, get_bay, NULL);
	r->bay[0] = '\0';
	r->place = place;
	if (!st)
		return r->bay;
	db_int(st, 1, place);
	if (db_step(r->store, st, NULL) > 0)
		db_get_text(st, 0, r->bay, sizeof r->bay);
	sqlite3_reset(st);
	return r->bay;
}

static void deliver(struct reading *r, const struct found *f, int64_t at_wall_ms,
	int64_t at_steady_ms)
{
	const struct store_point p = {.at_wall_ms = at_wall_ms,
		.at_steady_ms = at_steady_ms,
		.bay = bay_name(r, f->place),
		.drive_id = f->drive->key,
		.serial = f->drive->serial,
		.value = r->metric ? f->value
				   : (struct metric_value){.known = true,
					     .whole = true,
					     .count = count_of(1)}};

	if (at_wall_ms == CLOCK_NEVER ||
		(r->filter->since_wall_ms != CLOCK_NEVER &&
			at_wall_ms < r->filter->since_wall_ms) ||
		(r->filter->until_wall_ms != CLOCK_NEVER &&
			at_wall_ms >= r->filter->until_wall_ms))
		return;
	r->fn(r->arg, &p);
}

static int read_times(struct reading *r, int64_t bucket, struct err *e)
{
	sqlite3_stmt *st = db_get(r->store, get_times, e);
	int rc;

	if (!st)
		return -1;
	for (size_t i = 0; i < BUCKET_POLLS; i++)
		r->times[i][0] = CLOCK_NEVER;
	db_int(st, 1, bucket * BUCKET_POLLS);
	db_int(st, 2, (bucket + 1) * BUCKET_POLLS);
	while ((rc = db_step(r->store, st, e)) > 0) {
		int64_t i = db_get_int(st, 0, 0) - bucket * BUCKET_POLLS;

		r->times[i][0] = db_get_int(st, 1, CLOCK_NEVER);
		r->times[i][1] = db_get_int(st, 2, 0);
	}
	return rc;
}

static int by_poll(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return (x->poll > y->poll) - (x->poll < y->poll);
}

/* All drives of a bucket, in the order of the polls. */
static int read_bucket(struct reading *r, int64_t bucket, struct chunk_point *points,
	struct found *found, struct err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < r->who->n_drives; i++) {
		const struct one_drive *d = &r->who->drives[i];
		ptrdiff_t got = read_chunk(
			r->store, chunk_id(bucket, d->id), r->metric_number, points, e);

		if (got < 0)
			return -1;
		for (ptrdiff_t k = 0; k < got; k++)
			if (is_meant(r->who, d, points[k].place) &&
				points[k].poll / BUCKET_POLLS == bucket)
				found[n++] = (struct found){d, points[k].poll,
					points[k].place,
					r->metric ? points[k].values[r->metric_number]
						  : (struct metric_value){0}};
	}
	if (n == 0)
		return 0;
	if (read_times(r, bucket, e))
		return -1;
	qsort(found, n, sizeof *found, by_poll);
	for (size_t i = 0; i < n; i++) {
		const int64_t *t = r->times[found[i].poll - bucket * BUCKET_POLLS];

		deliver(r, &found[i], t[0], t[1]);
	}
	return 0;
}

static int read_chunks(struct reading *r, struct err *e)
{
	struct chunk_point *points = mem_new(BUCKET_POLLS, sizeof *points);
	struct found *found = mem_new(r->who->n_drives * BUCKET_POLLS, sizeof *found);
	int64_t first, last;
	int rc = bucket_range(r->store, &first, &last, e);

	for (int64_t b = first; rc == 0 && b <= last; b++)
		rc = read_bucket(r, b, points, found, e);
	free(points);
	free(found);
	return rc;
}

/* The column's name comes from metric_table(), never from outside. */
static const char get_recent[] =
	"SELECT recent.poll, drive, place, at_wall_ms, at_steady_ms, recent.%s FROM "
	"recent JOIN poll ON poll.id = recent.poll "
	"WHERE drive IN (SELECT value FROM json_each(?)) ORDER BY recent.poll";

static const struct one_drive *drive_of(const struct who *w, int64_t id)
{
	for (size_t i = 0; i < w->n_drives; i++)
		if (w->drives[i].id == id)
			return &w->drives[i];
	return NULL;
}

static int read_recent(struct reading *r, struct err *e)
{
	char sql[sizeof get_recent + 64], ids[WHO_MAX * 22];
	struct who ids_as_places = {.n_places = r->who->n_drives};
	sqlite3_stmt *st = NULL;
	int rc;

	for (size_t i = 0; i < r->who->n_drives; i++)
		ids_as_places.places[i] = r->who->drives[i].id;
	places_text(&ids_as_places, ids, sizeof ids);
	snprintf(sql, sizeof sql, get_recent, r->metric ? r->metric->name : "poll");
	if (sqlite3_prepare_v2(r->store->db, sql, -1, &st, NULL) != SQLITE_OK)
		return db_error(r->store, "database", e);
	sqlite3_bind_text(st, 1, ids, -1, SQLITE_STATIC);
	while ((rc = db_step(r->store, st, e)) > 0) {
		const struct one_drive *d = drive_of(r->who, db_get_int(st, 1, 0));
		struct found f = {d, db_get_int(st, 0, 0), db_get_int(st, 2, 0), {0}};

		if (r->metric)
			f.value = db_get_value(st, 5, r->metric);
		if (d && is_meant(r->who, d, f.place))
			deliver(r, &f, db_get_int(st, 3, 0), db_get_int(st, 4, 0));
	}
	sqlite3_finalize(st);
	return rc;
}

static size_t number_of(const struct metric *m)
{
	size_t n;

	return m ? (size_t)(m - metric_table(&n)) : SIZE_MAX;
}

int store_each_point(struct store *s, const char *who, const struct metric *metric,
	const struct store_filter *f, void (*fn)(void *arg, const struct store_point *p),
	void *arg, struct err *e)
{
	struct who *w = mem_new(1, sizeof *w);
	struct reading *r = mem_new(1, sizeof *r);
	int rc = -1;

	*r = (struct reading){.store = s,
		.who = w,
		.metric = metric,
		.metric_number = number_of(metric),
		.filter = f,
		.fn = fn,
		.arg = arg,
		.place = -1};
	if (find_who(s, who, w, e))
		goto out;
	if (w->n_drives && (read_chunks(r, e) || read_recent(r, e)))
		goto out;
	rc = (int)w->n_places;
	for (size_t i = 0; i < w->n_drives; i++)
		rc += w->drives[i].whole;
out:
	free(r);
	free(w);
	return rc;
}

/* ---- wear, for the forecast ---- */

static const char get_drive_id[] = "SELECT id FROM drive WHERE key = ?";
static const char get_recent_wear[] =
	"SELECT at_steady_ms, percent_used, bytes_written FROM recent JOIN poll ON "
	"poll.id = recent.poll WHERE drive = ? "
	"ORDER BY recent.poll";
static const char count_recent[] = "SELECT count(*) FROM recent WHERE drive = ?";
static const char get_steady[] = "SELECT at_steady_ms FROM poll WHERE id = ?";

struct thinning {
	struct store *store;
	int64_t drive;
	struct forecast_sample *out;
	size_t n, max;
};

static int64_t steady_of(struct store *s, int64_t poll)
{
	sqlite3_stmt *st = db_get(s, get_steady, NULL);
	int64_t at_ms = CLOCK_NEVER;

	if (!st)
		return at_ms;
	db_int(st, 1, poll);
	if (db_step(s, st, NULL) > 0)
		at_ms = db_get_int(st, 0, CLOCK_NEVER);
	sqlite3_reset(st);
	return at_ms;
}

/* Every n-th point of a bucket. */
static int thin_bucket(struct thinning *t, int64_t bucket, size_t nth,
	struct chunk_point *points, struct err *e)
{
	size_t used = number_of(metric_find("percent_used")),
	       written = number_of(metric_find("bytes_written"));
	int64_t id = chunk_id(bucket, t->drive);
	ptrdiff_t n = read_chunk(t->store, id, used, points, e);

	if (n > 0)
		n = read_chunk(t->store, id, written, points, e);
	for (ptrdiff_t i = 0; i < n && t->n < t->max; i += (ptrdiff_t)nth) {
		int64_t at_ms = steady_of(t->store, points[i].poll);

		if (at_ms != CLOCK_NEVER)
			t->out[t->n++] = (struct forecast_sample){at_ms,
				metric_number(points[i].values[used]),
				metric_number(points[i].values[written])};
	}
	return n < 0 ? -1 : 0;
}

/* At most half of the room, evenly: some points of each bucket, or one of some buckets.
 */
static int thin_chunks(struct thinning *t, struct err *e)
{
	struct chunk_point *points = mem_new(BUCKET_POLLS, sizeof *points);
	int64_t first, last, room = (int64_t)t->max / 2, buckets, stride = 1;
	size_t nth = BUCKET_POLLS;
	int rc = bucket_range(t->store, &first, &last, e);

	buckets = last - first + 1;
	if (buckets > room)
		stride = buckets / room + 1;
	else if (buckets > 0)
		nth = (size_t)(BUCKET_POLLS * buckets / room + 1);
	for (int64_t b = first; rc == 0 && b <= last; b += stride)
		rc = thin_bucket(
			t, b, nth > BUCKET_POLLS ? BUCKET_POLLS : nth, points, e);
	free(points);
	return rc;
}

static int64_t rows_of(struct thinning *t)
{
	sqlite3_stmt *st = db_get(t->store, count_recent, NULL);
	int64_t n = 0;

	if (!st)
		return 0;
	db_int(st, 1, t->drive);
	if (db_step(t->store, st, NULL) > 0)
		n = db_get_int(st, 0, 0);
	sqlite3_reset(st);
	return n;
}

static int thin_recent(struct thinning *t, struct err *e)
{
	const struct metric *used = metric_find("percent_used"),
			    *written = metric_find("bytes_written");
	size_t nth = t->n < t->max ? (size_t)rows_of(t) / (t->max - t->n) + 1 : 1;
	sqlite3_stmt *st = db_get(t->store, get_recent_wear, e);
	int rc;

	if (!st)
		return -1;
	db_int(st, 1, t->drive);
	for (size_t i = 0; (rc = db_step(t->store, st, e)) > 0 && t->n < t->max; i++)
		if (i % nth == 0)
			t->out[t->n++] = (struct forecast_sample){db_get_int(st, 0, 0),
				metric_number(db_get_value(st, 1, used)),
				metric_number(db_get_value(st, 2, written))};
	sqlite3_reset(st);
	return rc < 0 ? -1 : 0;
}

ptrdiff_t store_get_wear(struct store *s, const char *drive_id,
	struct forecast_sample *out, size_t max, struct err *e)
{
	struct thinning t = {.store = s, .out = out, .max = max};
	sqlite3_stmt *st = db_get(s, get_drive_id, e);
	int rc;

	if (!st)
		return -1;
	sqlite3_bind_text(st, 1, drive_id, -1, SQLITE_STATIC);
	rc = db_step(s, st, e);
	t.drive = rc > 0 ? db_get_int(st, 0, 0) : 0;
	sqlite3_reset(st);
	if (rc <= 0)
		return rc;
	return thin_chunks(&t, e) || thin_recent(&t, e) ? -1 : (ptrdiff_t)t.n;
}
