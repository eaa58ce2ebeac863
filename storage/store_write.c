/* SPDX-License-Identifier: MIT */
/* store_write: one round in one transaction; see store.h. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "storage/catalogue.h"
#include "storage/points.h"
#include "storage/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char put_event[] = "INSERT INTO event (id, at_wall_ms, type, severity, target, "
				"host, bay, serial, from_value, to_value, message, "
				"source_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

static const char put_alert[] = "INSERT OR REPLACE INTO alert (id, kind, key, severity, "
				"state, target, host, bay, serial, drive, message, "
				"since_wall_ms, last_seen_wall_ms, resolved_wall_ms, "
				"since_steady_ms, quiet_steady_ms, notices, "
				"acknowledged_by, silenced_until_wall_ms, rule, told_severity) VALUES (?, ?, "
				"?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

static const char put_notice[] =
	"INSERT INTO notice (id, channel, alert, body, made_wall_ms) VALUES (?, ?, ?, ?, ?)";

static const char notice_told[] =
	"UPDATE notice SET told_wall_ms = ?, refused = ?, attempts = attempts + 1 WHERE id = ?";

static const char put_document[] =
	"INSERT OR REPLACE INTO document (id, at_wall_ms, body) VALUES (1, ?, ?)";

/* ---- events, alerts, notices ---- */

static int write_event(struct store *s, const struct event *ev, struct err *e)
{
	sqlite3_stmt *st = db_get(s, put_event, e);

	if (!st)
		return -1;
	if (ev->id)
		db_int(st, 1, ev->id);
	db_int(st, 2, ev->at_wall_ms);
	db_text(st, 3, event_type_word(ev->type));
	db_text(st, 4, severity_word(ev->severity));
	db_text(st, 5, ev->target);
	db_text(st, 6, ev->host);
	db_text(st, 7, ev->bay);
	db_text(st, 8, ev->serial);
	db_text(st, 9, ev->from);
	db_text(st, 10, ev->to);
	db_text(st, 11, ev->message);
	db_text(st, 12, ev->source_id);
	return db_run(s, st, e);
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
	sqlite3_stmt *st;
	char *ids;
	int rc;

	if (!r->alerts)
		return 0;
	st = db_get(s, drop_pending, e);
	if (!st || db_run(s, st, e))
		return -1;
	st = db_get(s, end_others, e);
	if (!st)
		return -1;
	ids = list_ids(r->alerts);
	db_int(st, 1, r->at_wall_ms);
	db_text(st, 2, ids);
	rc = db_run(s, st, e);
	free(ids);
	for (size_t i = 0; i < r->alerts->n && rc == 0; i++)
		rc = write_alert(s, &r->alerts->items[i], e);
	return rc;
}

static int write_notice(
	struct store *s, const struct store_notice *n, int64_t at_wall_ms, struct err *e)
{
	sqlite3_stmt *st = db_get(s, put_notice, e);

	if (!st)
		return -1;
	if (n->id)
		db_int(st, 1, n->id);
	db_text(st, 2, n->channel);
	if (n->alert_id)
		db_int(st, 3, n->alert_id);
	db_text(st, 4, n->body);
	db_int(st, 5, at_wall_ms);
	return db_run(s, st, e);
}

static int write_told(struct store *s, const struct store_told *t, struct err *e)
{
	sqlite3_stmt *st = db_get(s, notice_told, e);

	if (!st)
		return -1;
	db_int(st, 1, t->at_wall_ms);
	db_int(st, 2, t->refused);
	db_int(st, 3, t->id);
	return db_run(s, st, e);
}

static int write_outbox(struct store *s, const struct store_round *r, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < r->n_notices && rc == 0; i++)
		rc = write_notice(s, &r->notices[i], r->at_wall_ms, e);
	for (size_t i = 0; i < r->n_told && rc == 0; i++)
		rc = write_told(s, &r->told[i], e);
	return rc;
}

static int write_document(struct store *s, const struct store_round *r, struct err *e)
{
	sqlite3_stmt *st;

	if (!r->document || !r->document[0])
		return 0;
	st = db_get(s, put_document, e);
	if (!st)
		return -1;
	db_int(st, 1, r->at_wall_ms);
	sqlite3_bind_text(st, 2, r->document, -1, SQLITE_STATIC);
	return db_run(s, st, e);
}

static int write_all(struct store *s, const struct store_round *r, struct err *e)
{
	if (r->history && catalogue_write(s, r, e))
		return -1;
	for (size_t i = 0; i < r->n_polls; i++)
		if (points_write(s, &r->polls[i], e))
			return -1;
	if (points_prune(s, e))
		return -1;
	for (size_t i = 0; r->events && i < r->events->n; i++)
		if (write_event(s, &r->events->items[i], e))
			return -1;
	return write_alerts(s, r, e) || (r->silences && silences_write(s, r->silences, e)) ||
			       write_outbox(s, r, e) || write_document(s, r, e)
		       ? -1
		       : 0;
}

/* Points may be lost by a power cut unless somebody wants it otherwise; events, alerts and notices
 * may not (docs/STORAGE.md). */
static const char *durability(const struct store *s, const struct store_round *r)
{
	return s->limits.flush_points || (r->events && r->events->n) || (r->alerts && r->alerts->n) || r->n_notices || r->n_told ||
			       r->silences
		       ? "PRAGMA synchronous = FULL"
		       : "PRAGMA synchronous = NORMAL";
}

static int put_round(struct store *s, const struct store_round *r, struct err *e)
{
	if (db_exec(s, durability(s, r), e) || db_exec(s, "BEGIN IMMEDIATE", e))
		return -1;
	if (write_all(s, r, e) == 0 && db_exec(s, "COMMIT", e) == 0)
		return 0;
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	catalogue_forget(s);
	points_forget(s);
	return -1;
}

/* What the WAL holds goes into the file, and its place is free. */
static void empty_wal(struct store *s)
{
	sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}

int store_put_round(struct store *s, const struct store_round *r, struct err *e)
{
	int rc = put_round(s, r, e);

	if (rc && s->failed_with == SQLITE_FULL) {
		empty_wal(s);
		rc = put_round(s, r, e);
	}
	if (rc == 0 && points_disk_is_low(s))
		empty_wal(s);
	return rc;
}
