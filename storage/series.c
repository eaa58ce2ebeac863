/* SPDX-License-Identifier: MIT */
/*
 * series: points of one metric read again, from wherever they are: days, hours, chunks and
 * the last polls (points.h), each only where nothing finer is kept or wanted.  No point is
 * given twice: each drive remembers up to which poll it was read.
 */
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "storage/chunk.h"
#include "storage/hot.h"
#include "storage/points.h"
#include "storage/rollup.h"
#include "storage/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHO_MAX = 64 };

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
	bool whole;   /* all its points, not only those in the places */
	int64_t done; /* the last poll that was read of it */
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
		d->done = -1;
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


/* ---- on the way to the reader ---- */

/* A point, or what was rolled up of several. */
struct found {
	struct one_drive *drive;
	int64_t poll, place, from_wall_ms, at_wall_ms, at_steady_ms;
	uint64_t points;
	struct rolled value;
};

struct reading {
	struct store *store;
	struct who *who;
	const struct metric *metric;
	size_t metric_number; /* CHUNK_NONE: only that it was seen */
	const struct store_filter *filter;
	void (*fn)(void *arg, const struct store_point *p);
	void *arg;
	int64_t first, last; /* buckets that may hold what the filter lets through */
	struct chunk_rows rows;
	struct rollup rollup;
	size_t n;
	struct found *batch; /* of one bucket or window, of all drives */
	bool has_step;       /* something is being put together */
	struct found step;
	int64_t place; /* whose name `bay` is */
	char bay[64];
};

static const char get_bay[] = "SELECT bay FROM place WHERE id = ?";

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


static void hand_over(struct reading *r, const struct found *f)
{
	static const struct metric_value seen = {
		.known = true, .whole = true, .count = {.known = true, .lo = 1}};
	const struct store_point p = {.at_wall_ms = f->at_wall_ms,
		.at_steady_ms = f->at_steady_ms,
		.bay = bay_name(r, f->place),
		.drive_id = f->drive->key,
		.serial = f->drive->serial,
		.value = r->metric ? f->value.last : seen,
		.least = r->metric ? f->value.least : seen,
		.greatest = r->metric ? f->value.greatest : seen,
		.count = r->metric ? f->value.count : f->points};

	r->fn(r->arg, &p);
}

static void end_step(struct reading *r)
{
	if (r->has_step)
		hand_over(r, &r->step);
	r->has_step = false;
}

static int64_t step_of(int64_t wall_ms, int64_t step_ms)
{
	return wall_ms / step_ms - (wall_ms % step_ms < 0);
}

static void deliver(struct reading *r, const struct found *f)
{
	const struct store_filter *want = r->filter;
	struct found *s = &r->step;

	if ((want->since_wall_ms != CLOCK_NEVER && f->at_wall_ms < want->since_wall_ms) ||
		(want->until_wall_ms != CLOCK_NEVER && f->from_wall_ms >= want->until_wall_ms))
		return;
	if (want->step_ms <= 0) {
		hand_over(r, f);
		return;
	}
	if (!r->has_step || s->drive != f->drive || s->place != f->place ||
		step_of(s->at_wall_ms, want->step_ms) !=
			step_of(f->at_wall_ms, want->step_ms)) {
		end_step(r);
		r->step = *f;
		r->has_step = true;
		return;
	}
	s->poll = f->poll;
	s->at_wall_ms = f->at_wall_ms;
	s->at_steady_ms = f->at_steady_ms;
	s->points += f->points;
	rolled_add(&s->value, &f->value);
}

static int by_poll(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	return (x->poll > y->poll) - (x->poll < y->poll);
}

/* All of a bucket or window, in the order of the polls. */
static void deliver_batch(struct reading *r)
{
	if (r->n)
		qsort(r->batch, r->n, sizeof *r->batch, by_poll);
	for (size_t i = 0; i < r->n; i++)
		deliver(r, &r->batch[i]);
	r->n = 0;
}

static void add_found(struct reading *r, const struct found *f)
{
	f->drive->done = f->poll;
	if (!is_meant(r->who, f->drive, f->place))
		return;
	if (r->who->n_drives == 1) { /* in order as it comes */
		deliver(r, f);
		return;
	}
	r->batch = mem_grow(r->batch, r->n, sizeof *r->batch);
	r->batch[r->n++] = *f;
}

/* A reader that takes too long is ended, so that it holds up nobody. */
static int in_time(const struct store *s, struct err *e)
{
	if (s->deadline_mono_ms == CLOCK_NEVER || clock_mono_ms() < s->deadline_mono_ms)
		return 0;
	return err_set(e, "reading takes too long; ask for less time, or for a step of an hour or a day");
}

/* ---- raw points ---- */

static const char get_chunk[] = "SELECT data FROM chunk WHERE id = ?";
static const char get_buckets[] = "SELECT id, times FROM bucket WHERE id >= ? AND id <= ? AND "
				  "times IS NOT NULL ORDER BY id";

static int read_chunk(struct reading *r, struct one_drive *d, int64_t bucket,
	const struct point_times *t, struct err *e)
{
	sqlite3_stmt *st = db_get(r->store, get_chunk, e);
	const struct metric_value *values;
	struct found f = {.drive = d, .points = 1};
	size_t at = 0;
	int rc;

	if (!st)
		return -1;
	db_int(st, 1, points_id(bucket, d->id));
	rc = db_step(r->store, st, e);
	r->rows.n = 0;
	if (rc > 0 && chunk_decode(sqlite3_column_blob(st, 0),
			      (size_t)sqlite3_column_bytes(st, 0), &r->rows))
		log_warn("store", "chunk %lld is damaged; its points are left out",
			(long long)points_id(bucket, d->id));
	sqlite3_reset(st);
	values = r->metric ? r->rows.values[r->metric_number] : NULL;
	for (size_t i = 0; i < r->rows.n; i++) {
		f.poll = r->rows.poll[i];
		f.place = r->rows.place[i];
		while (at < t->n && t->poll[at] < f.poll)
			at++;
		if (at == t->n || t->poll[at] != f.poll || f.poll <= d->done)
			continue;
		f.from_wall_ms = f.at_wall_ms = t->wall_ms[at];
		f.at_steady_ms = t->steady_ms[at];
		if (values)
			f.value = (struct rolled){
				values[i], values[i], values[i], values[i].known};
		add_found(r, &f);
	}
	return rc < 0 ? -1 : 0;
}

static int read_chunks(struct reading *r, struct err *e)
{
	sqlite3_stmt *st = db_get(r->store, get_buckets, e);
	struct point_times t;
	int rc;

	if (!st)
		return -1;
	db_int(st, 1, r->first);
	db_int(st, 2, r->last);
	chunk_rows_init(&r->rows, BUCKET_POLLS, r->metric_number);
	while ((rc = db_step(r->store, st, e)) > 0) {
		int64_t bucket = db_get_int(st, 0, 0);

		if (points_decode_times(st, 1, &t))
			log_warn("store", "the times of bucket %lld are damaged; its points are left out",
				(long long)bucket);
		rc = in_time(r->store, e);
		for (size_t i = 0; i < r->who->n_drives && rc == 0; i++)
			rc = read_chunk(r, &r->who->drives[i], bucket, &t, e);
		if (rc)
			break;
		deliver_batch(r);
	}
	sqlite3_reset(st);
	chunk_rows_release(&r->rows);
	return rc ? -1 : 0;
}

/* ---- hours and days ---- */

/* Entries that begin before a poll; what is finer goes on after the last of them. */
static int read_window(struct reading *r, const struct tier *t, int64_t window,
	int64_t before_poll, struct err *e)
{
	for (size_t i = 0; i < r->who->n_drives; i++) {
		struct one_drive *d = &r->who->drives[i];
		int64_t begin = window * t->buckets * BUCKET_POLLS;

		if (tier_row(r->store, t, window, d->id, r->metric_number, &r->rollup, e))
			return -1;
		for (size_t k = 0; k < r->rollup.n; k++) {
			const struct rollup_entry *x = &r->rollup.entries[k];
			const struct found f = {d, x->poll, x->place, x->from_wall_ms,
				x->at_wall_ms, x->at_steady_ms, x->points, x->metrics[0]};

			if (begin < before_poll && begin > d->done)
				add_found(r, &f);
			begin = x->poll + 1;
		}
	}
	deliver_batch(r);
	return 0;
}

static int read_tier(
	struct reading *r, const struct tier *t, int64_t before_poll, struct err *e)
{
	int64_t first, last;

	if (tier_range(r->store, t, &first, &last, e))
		return -1;
	if (first < r->first / t->buckets)
		first = r->first / t->buckets;
	if (last > r->last / t->buckets)
		last = r->last / t->buckets;
	for (int64_t w = first; w <= last; w++) {
		w = tier_next(r->store, t, w, e);
		if (w < 0)
			return -1;
		if (w > last || w * t->buckets * BUCKET_POLLS >= before_poll)
			break;
		if (in_time(r->store, e) || read_window(r, t, w, before_poll, e))
			return -1;
	}
	return 0;
}

/* ---- the last polls ---- */

static const char get_hot[] =
	"SELECT id, at_wall_ms, at_steady_ms, data FROM poll ORDER BY id";

static struct one_drive *drive_of(struct who *w, int64_t id)
{
	for (size_t i = 0; i < w->n_drives; i++)
		if (w->drives[i].id == id)
			return &w->drives[i];
	return NULL;
}

static void take_poll(struct reading *r, sqlite3_stmt *st)
{
	struct found f = {.poll = db_get_int(st, 0, 0),
		.from_wall_ms = db_get_int(st, 1, 0),
		.at_wall_ms = db_get_int(st, 1, 0),
		.at_steady_ms = db_get_int(st, 2, 0),
		.points = 1};
	struct hot_reader hot;

	if (points_open_poll(st, &hot)) {
		log_warn("store", "poll %lld is damaged; its points are left out",
			(long long)f.poll);
		return;
	}
	while (hot_next(&hot)) {
		f.drive = drive_of(r->who, hot.drive);
		if (!f.drive || f.poll <= f.drive->done)
			continue;
		f.place = hot.place;
		f.value = (struct rolled){0};
		if (r->metric) {
			f.value.last = hot_value(&hot, r->metric_number);
			f.value.least = f.value.greatest = f.value.last;
			f.value.count = f.value.last.known;
		}
		add_found(r, &f);
	}
	deliver_batch(r);
}

static int read_hot(struct reading *r, struct err *e)
{
	sqlite3_stmt *st = db_get(r->store, get_hot, e);
	int rc = -1;

	while (st && (rc = db_step(r->store, st, e)) > 0)
		take_poll(r, st);
	return rc;
}

/* ---- all of it ---- */

static const char get_time_range[] =
	"SELECT min(id), max(id) FROM bucket WHERE (?1 IS NULL OR until_wall_ms >= ?1) AND "
	"(?2 IS NULL OR from_wall_ms < ?2)";
static const char get_chunk_range[] = "SELECT min(id) FROM chunk";

static int find_range(struct reading *r, struct err *e)
{
	sqlite3_stmt *st = db_get(r->store, get_time_range, e);

	if (!st)
		return -1;
	if (r->filter->since_wall_ms != CLOCK_NEVER)
		db_int(st, 1, r->filter->since_wall_ms);
	if (r->filter->until_wall_ms != CLOCK_NEVER)
		db_int(st, 2, r->filter->until_wall_ms);
	if (db_step(r->store, st, e) < 0)
		return -1;
	r->first = db_get_int(st, 0, 0);
	r->last = db_get_int(st, 1, -1);
	sqlite3_reset(st);
	return 0;
}

/* The first poll of which raw points are kept, or hours. */
static int first_kept(struct store *s, const char *sql, int64_t buckets, int64_t *poll,
	struct err *e)
{
	sqlite3_stmt *st = db_get(s, sql, e);

	if (!st || db_step(s, st, e) < 0)
		return -1;
	*poll = sqlite3_column_type(st, 0) == SQLITE_NULL
			? INT64_MAX
			: (db_get_int(st, 0, 0) >> CHUNK_DRIVE_BITS) * buckets * BUCKET_POLLS;
	sqlite3_reset(st);
	return 0;
}

/* Days where there are no hours, hours where there is nothing finer; a wide step is
 * content with either. */
static int read_all(struct reading *r, struct err *e)
{
	const struct tier *hour = &point_tiers[TIER_HOUR], *day = &point_tiers[TIER_DAY];
	int64_t step_ms = r->filter->step_ms, hours_from, raw_from;

	if (find_range(r, e) ||
		first_kept(r->store, hour->range, hour->buckets, &hours_from, e) ||
		first_kept(r->store, get_chunk_range, 1, &raw_from, e))
		return -1;
	if (read_tier(r, day, step_ms >= day->period_ms ? INT64_MAX : hours_from, e))
		return -1;
	if (step_ms < day->period_ms &&
		read_tier(r, hour, step_ms >= hour->period_ms ? INT64_MAX : raw_from, e))
		return -1;
	if (step_ms < hour->period_ms && read_chunks(r, e))
		return -1;
	if (read_hot(r, e))
		return -1;
	end_step(r);
	return 0;
}

static size_t number_of(const struct metric *m)
{
	size_t n;

	return m ? (size_t)(m - metric_table(&n)) : CHUNK_NONE;
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
	if (w->n_drives && read_all(r, e))
		goto out;
	rc = (int)w->n_places;
	for (size_t i = 0; i < w->n_drives; i++)
		rc += w->drives[i].whole;
out:
	rollup_release(&r->rollup);
	free(r->batch);
	free(r);
	free(w);
	return rc;
}

/* ---- the latest of everything ---- */

static const char get_latest[] =
	"SELECT id, at_wall_ms, at_steady_ms, data FROM poll ORDER BY id DESC LIMIT 1";

int store_each_latest(struct store *s,
	void (*fn)(void *arg, const struct store_latest *l), void *arg, struct err *e)
{
	struct metric_value values[CHUNK_METRICS_MAX];
	sqlite3_stmt *st = db_get(s, get_latest, e);
	struct store_latest l = {.values = values};
	struct hot_reader hot;
	int rc;

	if (!st || (rc = db_step(s, st, e)) < 0)
		return -1;
	if (rc > 0 && points_open_poll(st, &hot) == 0) {
		l.at_wall_ms = db_get_int(st, 1, 0);
		l.at_steady_ms = db_get_int(st, 2, 0);
		while (hot_next(&hot)) {
			l.drive = hot.drive;
			l.place = hot.place;
			hot_values(&hot, values);
			fn(arg, &l);
		}
	}
	sqlite3_reset(st);
	return 0;
}

/* ---- deadlines ---- */

static int past_deadline(void *arg)
{
	const struct store *s = arg;

	return s->deadline_mono_ms != CLOCK_NEVER && clock_mono_ms() >= s->deadline_mono_ms;
}

void store_deadline(struct store *s, int64_t within_ms)
{
	enum { STEPS = 1000 };

	s->deadline_mono_ms = within_ms > 0 ? clock_mono_ms() + within_ms : CLOCK_NEVER;
	sqlite3_progress_handler(s->db, STEPS, within_ms > 0 ? past_deadline : NULL, s);
}
