/* SPDX-License-Identifier: MIT */
/* store_write: one round in one transaction; see store.h. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "storage/points.h"
#include "storage/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char put_poll[] =
	"INSERT INTO poll (at_wall_ms, at_steady_ms) VALUES (?, ?)";

static const char put_target[] =
	"INSERT INTO target (name, verdict, since_steady_ms) VALUES (?, ?, ?) "
	"ON CONFLICT (name) DO UPDATE SET verdict = excluded.verdict, since_steady_ms = "
	"excluded.since_steady_ms";

static const char put_drive[] =
	"INSERT INTO drive (key, serial, model, firmware, target, host, bay, sources, "
	"here, lost, by_place, missed, "
	"state, verdict, speed_mtps, width_lanes, link_changes, flapping, "
	"changed_steady_ms, busy_speed_mtps, "
	"busy_width_lanes, busy_steady_ms, io_done, media_rose_steady_ms, "
	"first_seen_wall_ms, seen_wall_ms, "
	"seen_steady_ms, bytes_written, bytes_read, power_on_hours, power_cycles, "
	"unsafe_shutdowns, media_errors, came_from, came_verdict, came_steady_ms) "
	"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
	"?, ?, ?, "
	"?, ?, ?, ?, ?, ?, ?, ?, ?) "
	"ON CONFLICT (key) DO UPDATE SET serial = excluded.serial, model = "
	"excluded.model, "
	"firmware = excluded.firmware, target = excluded.target, host = excluded.host, "
	"bay = excluded.bay, "
	"sources = excluded.sources, here = excluded.here, lost = excluded.lost, "
	"by_place = excluded.by_place, "
	"missed = excluded.missed, state = excluded.state, verdict = excluded.verdict, "
	"speed_mtps = excluded.speed_mtps, width_lanes = excluded.width_lanes, "
	"link_changes = excluded.link_changes, flapping = excluded.flapping, "
	"changed_steady_ms = excluded.changed_steady_ms, busy_speed_mtps = "
	"excluded.busy_speed_mtps, "
	"busy_width_lanes = excluded.busy_width_lanes, busy_steady_ms = "
	"excluded.busy_steady_ms, "
	"io_done = excluded.io_done, media_rose_steady_ms = "
	"excluded.media_rose_steady_ms, "
	"seen_wall_ms = excluded.seen_wall_ms, seen_steady_ms = excluded.seen_steady_ms, "
	"bytes_written = excluded.bytes_written, bytes_read = excluded.bytes_read, "
	"power_on_hours = excluded.power_on_hours, power_cycles = excluded.power_cycles, "
	"unsafe_shutdowns = excluded.unsafe_shutdowns, media_errors = "
	"excluded.media_errors, came_from = excluded.came_from, "
	"came_verdict = excluded.came_verdict, came_steady_ms = excluded.came_steady_ms";

static const char put_place[] = "INSERT OR IGNORE INTO place (host, bay) VALUES (?, ?)";

/* Columns in the order of metric_table(). */
static const char put_sample[] =
	"INSERT OR REPLACE INTO recent (drive, poll, place, percent_used, "
	"life_left_percent, "
	"available_spare_percent, spare_threshold_percent, bytes_written, bytes_read, "
	"physical_bytes_written, "
	"critical_warning, media_errors, error_log_entries, unsafe_shutdowns, "
	"power_cycles, power_on_hours, "
	"controller_busy_minutes, temperature_celsius, speed_gts, width, max_speed_gts, "
	"max_width, "
	"aer_correctable, aer_nonfatal, aer_fatal, "
	"read_bytes_per_second, write_bytes_per_second, busy_ratio, link_ratio) "
	"SELECT drive.id, ?1, place.id, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
	"?15, ?16, ?17, ?18, ?19, "
	"?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30 FROM drive, place WHERE drive.key = ?2 AND "
	"place.host = ?3 AND place.bay = ?4";

static const char stay_on[] = "UPDATE stay SET last_poll = ?1 WHERE id = (SELECT max(id) "
			      "FROM stay WHERE drive = (SELECT id FROM drive "
			      "WHERE key = ?2)) AND place = (SELECT id FROM place WHERE "
			      "host = ?3 AND bay = ?4)";

static const char stay_new[] =
	"INSERT INTO stay (drive, place, first_poll, last_poll) SELECT drive.id, "
	"place.id, ?1, ?1 FROM drive, place "
	"WHERE drive.key = ?2 AND place.host = ?3 AND place.bay = ?4";

static const char put_event[] = "INSERT INTO event (at_wall_ms, type, severity, target, "
				"host, bay, serial, from_value, to_value, message, "
				"source_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

static const char put_alert[] = "INSERT OR REPLACE INTO alert (id, kind, key, severity, "
				"state, target, host, bay, serial, drive, message, "
				"since_wall_ms, last_seen_wall_ms, resolved_wall_ms, "
				"since_steady_ms, quiet_steady_ms, notices, "
				"acknowledged_by, silenced_until_wall_ms, rule, told_severity) VALUES (?, ?, "
				"?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

static const char put_notice[] =
	"INSERT INTO notice (channel, alert, body, made_wall_ms) VALUES (?, ?, ?, ?)";

static const char put_document[] =
	"INSERT OR REPLACE INTO document (id, at_wall_ms, body) VALUES (1, ?, ?)";

/* ---- what history remembers ---- */

static int write_targets(struct store *s, const struct history *h, struct err *e)
{
	for (size_t i = 0; i < h->n_targets; i++) {
		const struct target_past *t = &h->targets[i];
		sqlite3_stmt *st = db_get(s, put_target, e);

		if (!st)
			return -1;
		db_text(st, 1, t->name);
		db_text(st, 2, target_verdict_word(t->verdict));
		db_int(st, 3, t->since_ms);
		if (db_run(s, st, e))
			return -1;
	}
	return 0;
}

static void times_text(const int64_t *times, size_t n, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < n && times[i] >= 0 && len < size; i++)
		len += (size_t)snprintf(out + len, size - len, "%s%lld", i ? "," : "",
			(long long)times[i]);
}

static void known_int(sqlite3_stmt *st, int i, int n)
{
	db_time(st, i, n ? n : -1);
}

static int write_drive(struct store *s, const struct drive_past *p, struct err *e)
{
	sqlite3_stmt *st = db_get(s, put_drive, e);
	char changed[FLAP_CHANGES * 24];
	int i = 1;

	if (!st)
		return -1;
	times_text(p->changed_at_ms, FLAP_CHANGES, changed, sizeof changed);
	db_text(st, i++, p->id);
	db_text(st, i++, p->serial);
	db_text(st, i++, p->model);
	db_text(st, i++, p->firmware);
	db_text(st, i++, p->target);
	db_text(st, i++, p->host);
	db_text(st, i++, p->bay);
	db_text(st, i++, p->sources);
	db_int(st, i++, p->here);
	db_int(st, i++, p->lost);
	db_int(st, i++, p->by_place);
	db_int(st, i++, p->missed);
	db_text(st, i++, drive_state_word(p->state));
	db_text(st, i++, verdict_word(p->verdict));
	known_int(st, i++, p->link.speed_mtps);
	known_int(st, i++, p->link.width_lanes);
	db_int(st, i++, p->changes);
	db_int(st, i++, p->flapping);
	db_text(st, i++, changed);
	known_int(st, i++, p->busy_link.speed_mtps);
	known_int(st, i++, p->busy_link.width_lanes);
	db_time(st, i++, p->busy_at_ms);
	db_count(st, i++, p->io_done);
	db_time(st, i++, p->media_rose_at_ms);
	db_int(st, i++, p->first_seen_wall_ms);
	db_int(st, i++, p->seen_wall_ms);
	db_int(st, i++, p->seen_at_ms);
	for (size_t k = 0; k < PAST_COUNTERS; k++)
		db_count(st, i++, p->counters[k]);
	db_text(st, i++, p->came_from);
	db_text(st, i++, verdict_word(p->came_verdict));
	db_time(st, i++, p->came_at_ms);
	return db_run(s, st, e);
}

/* ---- points ---- */

/* Binds drive and place as parameters 2 to 4 of a statement that has the poll as its
 * first. */
static sqlite3_stmt *of_place(struct store *s, const char *sql, int64_t poll,
	const struct bay *b, struct err *e)
{
	sqlite3_stmt *st = db_get(s, sql, e);

	if (!st)
		return NULL;
	db_int(st, 1, poll);
	sqlite3_bind_text(st, 2, b->drive.id, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 3, b->host, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 4, b->bay, -1, SQLITE_STATIC);
	return st;
}

static int write_point(struct store *s, int64_t poll, const struct bay *b, struct err *e)
{
	sqlite3_stmt *st = db_get(s, put_place, e);
	const struct metric *metrics;
	size_t n;

	if (!st)
		return -1;
	sqlite3_bind_text(st, 1, b->host, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 2, b->bay, -1, SQLITE_STATIC);
	if (db_run(s, st, e))
		return -1;
	st = of_place(s, put_sample, poll, b, e);
	if (!st)
		return -1;
	metrics = metric_table(&n);
	for (size_t i = 0; i < n; i++)
		db_value(st, (int)i + 5, metric_of(&metrics[i], b));
	if (db_run(s, st, e))
		return -1;
	st = of_place(s, stay_on, poll, b, e);
	if (!st || db_run(s, st, e))
		return -1;
	if (sqlite3_changes(s->db))
		return 0;
	st = of_place(s, stay_new, poll, b, e);
	return st ? db_run(s, st, e) : -1;
}

static int write_poll(struct store *s, const struct store_poll *p, struct err *e)
{
	sqlite3_stmt *st = db_get(s, put_poll, e);
	int64_t poll;

	if (!st)
		return -1;
	db_int(st, 1, p->at_wall_ms);
	db_int(st, 2, p->at_steady_ms);
	if (db_run(s, st, e))
		return -1;
	poll = sqlite3_last_insert_rowid(s->db);
	for (size_t i = 0; i < p->n_bays; i++)
		if (bay_holds_drive(&p->bays[i]) && !p->bays[i].stale &&
			write_point(s, poll, &p->bays[i], e))
			return -1;
	return points_compact(s, poll, e);
}

/* ---- events, alerts, notices ---- */

static int write_event(
	struct store *s, const struct event *ev, int64_t *id, struct err *e)
{
	sqlite3_stmt *st = db_get(s, put_event, e);

	if (!st)
		return -1;
	db_int(st, 1, ev->at_wall_ms);
	db_text(st, 2, event_type_word(ev->type));
	db_text(st, 3, severity_word(ev->severity));
	db_text(st, 4, ev->target);
	db_text(st, 5, ev->host);
	db_text(st, 6, ev->bay);
	db_text(st, 7, ev->serial);
	db_text(st, 8, ev->from);
	db_text(st, 9, ev->to);
	db_text(st, 10, ev->message);
	db_text(st, 11, ev->source_id);
	if (db_run(s, st, e))
		return -1;
	*id = sqlite3_last_insert_rowid(s->db);
	return 0;
}

static int write_alert(struct store *s, const struct alert *a, struct err *e)
{
	sqlite3_stmt *st = db_get(s, put_alert, e);
	int i = 1;

	if (!st)
		return -1;
	db_int(st, i++, a->id);
	db_text(st, i++, alert_kind_word(a->kind));
	db_text(st, i++, a->key);
	db_text(st, i++, severity_word(a->severity));
	db_text(st, i++, alert_state_word(a->state));
	db_text(st, i++, a->target);
	db_text(st, i++, a->host);
	db_text(st, i++, a->bay);
	db_text(st, i++, a->serial);
	db_text(st, i++, a->drive_id);
	db_text(st, i++, a->message);
	db_int(st, i++, a->since_wall_ms);
	db_int(st, i++, a->last_seen_wall_ms);
	db_time(st, i++, a->resolved_wall_ms);
	db_int(st, i++, a->since_ms);
	db_time(st, i++, a->quiet_ms);
	db_int(st, i++, a->notices);
	db_text(st, i++, a->acknowledged_by);
	db_time(st, i++, a->silenced_until_wall_ms);
	db_text(st, i++, a->rule);
	db_text(st, i++, a->told_severity ? severity_word(a->told_severity) : "");
	return db_run(s, st, e);
}

/* Pending alerts that passed leave no trace; those that ended while nothing could be
 * written end now. */
static const char drop_pending[] = "DELETE FROM alert WHERE state = 'pending'";
static const char end_others[] = "UPDATE alert SET state = 'resolved', resolved_wall_ms "
				 "= ?1 WHERE state = 'firing' AND "
				 "id NOT IN (SELECT value FROM json_each(?2))";

/* The ids as a JSON list, the caller's to free(). */
static char *list_ids(const struct alerts *a)
{
	size_t size = a->n * 24 + 3, len = 0;
	char *out = mem_new(1, size);

	for (size_t i = 0; i < a->n; i++)
		len += (size_t)snprintf(out + len, size - len, "%c%lld", i ? ',' : '[',
			(long long)a->items[i].id);
	snprintf(out + len, size - len, a->n ? "]" : "[]");
	return out;
}

static int write_alerts(struct store *s, const struct store_round *r, struct err *e)
{
	sqlite3_stmt *st = db_get(s, drop_pending, e);
	char *ids;
	int rc;

	if (!st || db_run(s, st, e))
		return -1;
	st = db_get(s, end_others, e);
	if (!st)
		return -1;
	ids = list_ids(r->alerts);
	db_int(st, 1, r->history->wall_ms);
	db_text(st, 2, ids);
	rc = db_run(s, st, e);
	free(ids);
	for (size_t i = 0; i < r->alerts->n && rc == 0; i++)
		rc = write_alert(s, &r->alerts->items[i], e);
	return rc;
}

static int write_notice(
	struct store *s, struct store_notice *n, int64_t at_wall_ms, struct err *e)
{
	sqlite3_stmt *st = db_get(s, put_notice, e);

	if (!st)
		return -1;
	db_text(st, 1, n->channel);
	if (n->alert_id)
		db_int(st, 2, n->alert_id);
	db_text(st, 3, n->body);
	db_int(st, 4, at_wall_ms);
	if (db_run(s, st, e))
		return -1;
	n->id = sqlite3_last_insert_rowid(s->db);
	return 0;
}

int store_put_document(
	struct store *s, const char *document, int64_t at_wall_ms, struct err *e)
{
	sqlite3_stmt *st;

	if (!document || !document[0])
		return 0;
	st = db_get(s, put_document, e);
	if (!st)
		return -1;
	db_int(st, 1, at_wall_ms);
	sqlite3_bind_text(st, 2, document, -1, SQLITE_STATIC);
	return db_run(s, st, e);
}

static int write_all(struct store *s, const struct store_round *r, struct err *e)
{
	int64_t id;

	if (write_targets(s, r->history, e))
		return -1;
	for (size_t i = 0; i < r->history->n_drives; i++)
		if (write_drive(s, &r->history->drives[i], e))
			return -1;
	for (size_t i = 0; i < r->n_polls; i++)
		if (write_poll(s, &r->polls[i], e))
			return -1;
	for (size_t i = 0; r->waiting && i < r->waiting->n; i++)
		if (write_event(s, &r->waiting->items[i], &id, e))
			return -1;
	for (size_t i = 0; i < r->events->n; i++)
		if (write_event(s, &r->events->items[i], &r->events->items[i].id, e))
			return -1;
	if (write_alerts(s, r, e))
		return -1;
	for (size_t i = 0; i < r->n_notices; i++)
		if (write_notice(s, &r->notices[i], r->history->wall_ms, e))
			return -1;
	return store_put_document(s, r->document, r->history->wall_ms, e);
}

/* Samples may be lost by a power cut; events, alerts and notices may not
 * (docs/STORAGE.md). */
static const char *durability(const struct store_round *r)
{
	return r->events->n || r->alerts->n || r->n_notices
		       ? "PRAGMA synchronous = FULL"
		       : "PRAGMA synchronous = NORMAL";
}

int store_put_round(struct store *s, const struct store_round *r, struct err *e)
{
	if (db_exec(s, durability(r), e) || db_exec(s, "BEGIN IMMEDIATE", e))
		return -1;
	if (write_all(s, r, e) || db_exec(s, "COMMIT", e)) {
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
		for (size_t i = 0; i < r->events->n; i++)
			r->events->items[i].id = 0;
		return -1;
	}
	return 0;
}

static const char notice_told[] =
	"UPDATE notice SET told_wall_ms = ?, refused = ?, attempts = attempts + 1 WHERE id = ?";

int store_notice_told(struct store *s, int64_t id, int64_t at_wall_ms, bool refused, struct err *e)
{
	sqlite3_stmt *st = db_get(s, notice_told, e);

	if (!st)
		return -1;
	db_int(st, 1, at_wall_ms);
	db_int(st, 2, refused);
	db_int(st, 3, id);
	return db_run(s, st, e);
}
