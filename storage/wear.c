/* SPDX-License-Identifier: MIT */
/* wear: what the forecast is made from (store_get_wear in store.h). */
#include "base/mem.h"
#include "storage/chunk.h"
#include "storage/hot.h"
#include "storage/points.h"
#include "storage/rollup.h"
#include "storage/store.h"

#include <stdlib.h>

static size_t number_of(const char *name)
{
	size_t n;

	return (size_t)(metric_find(name) - metric_table(&n));
}

static const char get_drive_id[] = "SELECT id FROM drive WHERE key = ?";
static const char get_chunk[] = "SELECT data FROM chunk WHERE id = ?";
static const char get_hot[] =
	"SELECT id, at_wall_ms, at_steady_ms, data FROM poll WHERE at_steady_ms >= ? ORDER BY id LIMIT 1";
static const char get_last_bucket[] = "SELECT max(id) FROM bucket";

struct wear_series {
	size_t n;
	struct forecast_sample *samples;
};

static void add_sample(struct wear_series *w, int64_t at_ms, struct metric_value used,
	struct metric_value written)
{
	w->samples = mem_grow(w->samples, w->n, sizeof *w->samples);
	w->samples[w->n++] = (struct forecast_sample){
		at_ms, metric_number(used), metric_number(written)};
}

static int wear_of_tier(struct store *s, const struct tier *t, int64_t drive,
	struct wear_series *out, struct err *e)
{
	size_t used = number_of("percent_used"),
	       written = number_of("bytes_written");
	struct rollup a = {0}, b = {0};
	int64_t first, last;
	int rc = tier_range(s, t, &first, &last, e);

	for (int64_t w = first; w <= last && rc == 0; w++) {
		w = tier_next(s, t, w, e);
		if (w < 0 || w > last)
			break;
		rc = tier_row(s, t, w, drive, used, &a, e) ||
		     tier_row(s, t, w, drive, written, &b, e);
		for (size_t i = 0; rc == 0 && i < a.n && i < b.n; i++)
			add_sample(out, a.entries[i].at_steady_ms, a.entries[i].metrics[0].last,
				b.entries[i].metrics[0].last);
	}
	rollup_release(&a);
	rollup_release(&b);
	return rc ? -1 : 0;
}

static int wear_of_bucket(struct store *s, int64_t drive, int64_t bucket,
	struct chunk_rows *rows, struct wear_series *out, struct err *e)
{
	size_t used = number_of("percent_used"),
	       written = number_of("bytes_written"), at = 0;
	sqlite3_stmt *st = db_get(s, get_chunk, e);
	struct point_times t;
	int rc;

	if (!st || points_times(s, bucket, &t, e))
		return -1;
	db_int(st, 1, points_id(bucket, drive));
	rc = db_step(s, st, e);
	rows->n = 0;
	if (rc > 0)
		(void)chunk_decode(sqlite3_column_blob(st, 0),
			(size_t)sqlite3_column_bytes(st, 0), rows);
	sqlite3_reset(st);
	for (size_t i = 0; i < rows->n; i++) {
		while (at < t.n && t.poll[at] < rows->poll[i])
			at++;
		if (at < t.n && t.poll[at] == rows->poll[i])
			add_sample(out, t.steady_ms[at], rows->values[used][i],
				rows->values[written][i]);
	}
	return rc < 0 ? -1 : 0;
}

/* A history so short that there are few hours: bucket by bucket. */
static int wear_of_chunks(struct store *s, int64_t drive, struct wear_series *out, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_last_bucket, e);
	struct chunk_rows rows;
	int64_t last, first;
	int rc = 0;

	if (!st || db_step(s, st, e) < 0)
		return -1;
	last = db_get_int(st, 0, -1);
	sqlite3_reset(st);
	first = last > 64 ? last - 64 : 0;
	chunk_rows_init(&rows, BUCKET_POLLS, CHUNK_ALL);
	for (int64_t b = first; b <= last && rc == 0; b++)
		rc = wear_of_bucket(s, drive, b, &rows, out, e);
	chunk_rows_release(&rows);
	return rc;
}

/*
 * Of the polls that are not in chunks yet one in half an hour: each holds all drives of a fleet, and wear
 * is a matter of days.
 */
static int wear_of_hot(struct store *s, int64_t drive, struct wear_series *out, struct err *e)
{
	const int64_t apart_ms = 30 * 60 * 1000;
	size_t used = number_of("percent_used"),
	       written = number_of("bytes_written");
	int64_t next_ms = out->n ? out->samples[out->n - 1].at_ms + apart_ms : INT64_MIN;
	sqlite3_stmt *st = db_get(s, get_hot, e);
	int rc = -1;

	while (st) {
		struct hot_reader hot;
		int64_t at_ms;

		db_int(st, 1, next_ms);
		rc = db_step(s, st, e);
		if (rc <= 0)
			break;
		at_ms = db_get_int(st, 2, 0);
		next_ms = at_ms + apart_ms;
		if (points_open_poll(st, &hot) == 0)
			while (hot_next(&hot))
				if (hot.drive == drive)
					add_sample(out, at_ms, hot_value(&hot, used), hot_value(&hot, written));
		sqlite3_reset(st);
	}
	if (st)
		sqlite3_reset(st);
	return rc;
}

/* Evenly, with the first and the last. */
static size_t thin(const struct wear_series *w, struct forecast_sample *out, size_t max)
{
	size_t n = w->n < max ? w->n : max;

	for (size_t i = 0; i < n; i++)
		out[i] = w->samples[n == w->n ? i : i * (w->n - 1) / (n - 1)];
	return n;
}

static int64_t drive_id(struct store *s, const char *key, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_drive_id, e);
	int64_t id = 0;
	int rc;

	if (!st)
		return -1;
	sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
	rc = db_step(s, st, e);
	if (rc > 0)
		id = db_get_int(st, 0, 0);
	sqlite3_reset(st);
	return rc < 0 ? -1 : id;
}

ptrdiff_t store_get_wear(struct store *s, const char *id, struct forecast_sample *out,
	size_t max, struct err *e)
{
	struct wear_series w = {0};
	int64_t drive = drive_id(s, id, e);
	ptrdiff_t n = -1;
	int rc;

	if (drive <= 0)
		return drive;
	rc = wear_of_tier(s, &point_tiers[TIER_DAY], drive, &w, e);
	if (rc == 0 && w.n < max / 4) {
		w.n = 0;
		rc = wear_of_tier(s, &point_tiers[TIER_HOUR], drive, &w, e);
	}
	if (rc == 0 && w.n < max / 4) {
		w.n = 0;
		rc = wear_of_chunks(s, drive, &w, e);
	}
	if (rc == 0 && wear_of_hot(s, drive, &w, e) == 0)
		n = (ptrdiff_t)thin(&w, out, max);
	free(w.samples);
	return n;
}

