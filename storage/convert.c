/* SPDX-License-Identifier: MIT */
/*
 * convert: a file of before version 6 as migration 0006 leaves it: its last points are rows of
 * `recent`, and nothing is rolled up yet.  Within the transaction of the migration.
 */
#include "storage/catalogue.h"
#include "storage/chunk.h"
#include "storage/points.h"

static const char old_polls[] = "SELECT id, at_wall_ms, at_steady_ms FROM poll ORDER BY id";
static const char old_chunks[] = "SELECT id, data FROM chunk ORDER BY id";

/* Metrics in the order of metric_table(), from column 3 on. */
static const char old_recent[] =
	"SELECT drive, poll, place, percent_used, life_left_percent, "
	"available_spare_percent, spare_threshold_percent, bytes_written, bytes_read, "
	"physical_bytes_written, critical_warning, media_errors, error_log_entries, "
	"unsafe_shutdowns, power_cycles, power_on_hours, controller_busy_minutes, "
	"temperature_celsius, speed_gts, width, max_speed_gts, max_width, "
	"aer_correctable, aer_nonfatal, aer_fatal, read_bytes_per_second, "
	"write_bytes_per_second, busy_ratio, link_ratio FROM recent "
	"ORDER BY poll / 120, drive, poll";

enum { OLD_METRICS = 26 }; /* later ones never had a column */

static int convert_polls(struct store *s, struct err *e)
{
	struct point_times t = {0};
	sqlite3_stmt *st = db_get(s, old_polls, e);
	int rc = -1;

	while (st && (rc = db_step(s, st, e)) > 0) {
		int64_t poll = db_get_int(st, 0, 0);

		if (t.n && (t.n == BUCKET_POLLS ||
				   t.poll[0] / BUCKET_POLLS != poll / BUCKET_POLLS)) {
			if (points_put_bucket(s, t.poll[0] / BUCKET_POLLS, &t, e))
				goto out;
			t.n = 0;
		}
		t.poll[t.n] = poll;
		t.wall_ms[t.n] = db_get_int(st, 1, 0);
		t.steady_ms[t.n++] = db_get_int(st, 2, 0);
	}
	if (rc == 0 && t.n)
		rc = points_put_bucket(s, t.poll[0] / BUCKET_POLLS, &t, e);
	return rc;
out:
	sqlite3_reset(st);
	return -1;
}

static int convert_chunks(struct store *s, struct chunk_rows *rows, struct err *e)
{
	sqlite3_stmt *st = db_get(s, old_chunks, e);
	struct point_times t;
	int rc = -1;

	while (st && (rc = db_step(s, st, e)) > 0) {
		int64_t id = db_get_int(st, 0, 0), bucket = id >> CHUNK_DRIVE_BITS;

		if (chunk_decode(sqlite3_column_blob(st, 1),
			    (size_t)sqlite3_column_bytes(st, 1), rows))
			continue; /* as it is read: its points are left out */
		if (points_times(s, bucket, &t, e) ||
			points_roll_up(s, bucket, id & ((1 << CHUNK_DRIVE_BITS) - 1), rows, &t, e)) {
			sqlite3_reset(st);
			return -1;
		}
	}
	return rc;
}

static int convert_drive(struct store *s, int64_t drive, struct chunk_rows *rows, struct err *e)
{
	int64_t bucket = rows->poll[0] / BUCKET_POLLS;
	struct point_times t;
	int rc = points_times(s, bucket, &t, e) || points_pack_drive(s, bucket, drive, rows, &t, e);

	rows->n = 0;
	return rc ? -1 : 0;
}

static int convert_recent(struct store *s, struct chunk_rows *rows, struct err *e)
{
	sqlite3_stmt *st = db_get(s, old_recent, e);
	size_t n_metrics;
	const struct metric *table = metric_table(&n_metrics);
	int64_t drive = -1;
	int rc = -1;

	rows->n = 0;
	while (st && (rc = db_step(s, st, e)) > 0) {
		int64_t next = db_get_int(st, 0, 0), poll = db_get_int(st, 1, 0);

		if (rows->n && (next != drive || poll / BUCKET_POLLS !=
							 rows->poll[0] / BUCKET_POLLS)) {
			rc = convert_drive(s, drive, rows, e);
			if (rc)
				break;
		}
		drive = next;
		rows->poll[rows->n] = poll;
		rows->place[rows->n] = db_get_int(st, 2, 0);
		for (size_t m = 0; m < n_metrics && m < OLD_METRICS; m++)
			rows->values[m][rows->n] = db_get_value(st, (int)m + 3, &table[m]);
		rows->n++;
	}
	if (rc == 0 && rows->n)
		rc = convert_drive(s, drive, rows, e);
	if (st)
		sqlite3_reset(st);
	return rc ? -1 : 0;
}

/* The last poll stays as the one that history goes on from, in a bucket of its own. */
static const char end_conversion[] =
	"DROP TABLE recent;"
	"DELETE FROM poll WHERE id < (SELECT max(id) FROM poll);"
	"UPDATE poll SET id = (id / 120 + 1) * 120;";

int points_convert(struct store *s, struct err *e)
{
	struct chunk_rows rows;
	int rc;

	chunk_rows_init(&rows, BUCKET_POLLS, CHUNK_ALL);
	rc = convert_polls(s, e) || convert_chunks(s, &rows, e) ||
	     convert_recent(s, &rows, e) || db_exec(s, end_conversion, e);
	chunk_rows_release(&rows);
	catalogue_forget(s);
	return rc ? -1 : 0;
}
