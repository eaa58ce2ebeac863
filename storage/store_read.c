/* SPDX-License-Identifier: MIT */
/* store_read: what was kept, read again; see store.h. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "storage/db.h"
#include "storage/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- alerts ---- */

/* In the order of write_alert(); the next id follows from all. */
static const char get_alerts[] =
	"SELECT id, kind, key, severity, state, target, host, bay, serial, drive, "
	"message, since_wall_ms, "
	"last_seen_wall_ms, resolved_wall_ms, since_steady_ms, quiet_steady_ms, notices, "
	"acknowledged_by, "
	"silenced_until_wall_ms, rule, told_severity FROM alert WHERE ?1 OR state <> 'resolved' ORDER BY id";
static const char get_last_alert[] = "SELECT max(id) FROM alert";
static const char get_told[] = "SELECT channel, told_wall_ms, refused FROM notice WHERE alert = ? "
			       "AND told_wall_ms IS NOT NULL ORDER BY id DESC LIMIT 4";

static void read_alert(sqlite3_stmt *st, struct alert *a)
{
	int i = 0;

	a->id = db_get_int(st, i++, 0);
	a->kind = alert_kind_of(db_borrow_text(st, i++));
	db_get_text(st, i++, a->key, sizeof a->key);
	a->severity = severity_of(db_borrow_text(st, i++));
	a->state = alert_state_of(db_borrow_text(st, i++));
	db_get_text(st, i++, a->target, sizeof a->target);
	db_get_text(st, i++, a->host, sizeof a->host);
	db_get_text(st, i++, a->bay, sizeof a->bay);
	db_get_text(st, i++, a->serial, sizeof a->serial);
	db_get_text(st, i++, a->drive_id, sizeof a->drive_id);
	db_get_text(st, i++, a->message, sizeof a->message);
	a->since_wall_ms = db_get_int(st, i++, 0);
	a->last_seen_wall_ms = db_get_int(st, i++, 0);
	a->resolved_wall_ms = db_get_int(st, i++, CLOCK_NEVER);
	a->since_ms = db_get_int(st, i++, 0);
	a->quiet_ms = db_get_int(st, i++, -1);
	a->notices = (int)db_get_int(st, i++, 0);
	db_get_text(st, i++, a->acknowledged_by, sizeof a->acknowledged_by);
	a->silenced_until_wall_ms = db_get_int(st, i++, CLOCK_NEVER);
	db_get_text(st, i++, a->rule, sizeof a->rule);
	a->told_severity = severity_of(db_borrow_text(st, i++));
}

static int read_told(struct store *s, struct alert *a, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_told, e);
	int rc = -1;

	if (!st)
		return -1;
	db_int(st, 1, a->id);
	while ((rc = db_step(s, st, e)) > 0) {
		struct alert_told *t = &a->told[a->n_told++];

		db_get_text(st, 0, t->channel, sizeof t->channel);
		t->at_wall_ms = db_get_int(st, 1, CLOCK_NEVER);
		t->ok = !db_get_int(st, 2, 0);
		if (a->n_told == ALERT_TOLD_MAX)
			break;
	}
	sqlite3_reset(st);
	return rc < 0 ? -1 : 0;
}

int store_get_alerts(struct store *s, bool resolved_too, struct alerts *a, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_alerts, e);
	int rc;

	if (!st)
		return -1;
	db_int(st, 1, resolved_too);
	while ((rc = db_step(s, st, e)) > 0)
		read_alert(st, alerts_add(a));
	if (rc < 0)
		return -1;
	for (size_t i = 0; i < a->n; i++)
		if (read_told(s, &a->items[i], e))
			return -1;
	st = db_get(s, get_last_alert, e);
	if (!st || db_step(s, st, e) < 0)
		return -1;
	a->next_id = db_get_int(st, 0, 0) + 1;
	sqlite3_reset(st);
	return 0;
}

/* ---- document ---- */

static const char get_document[] = "SELECT body FROM document";

char *store_take_document(struct store *s, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_document, e);
	char *text = NULL;

	if (!st)
		return NULL;
	if (db_step(s, st, e) > 0)
		text = mem_text(db_borrow_text(st, 0));
	else
		err_set(e, "the database holds no poll yet; has `lanewatch run` been "
			   "started with it?");
	sqlite3_reset(st);
	return text;
}

/* ---- events ---- */

static const char get_events[] =
	"SELECT * FROM (SELECT id, at_wall_ms, type, severity, target, host, bay, "
	"serial, from_value, to_value, message, "
	"source_id FROM event WHERE (?1 IS NULL OR at_wall_ms >= ?1) AND (?2 IS NULL OR "
	"at_wall_ms < ?2) "
	"ORDER BY id DESC LIMIT ?3) ORDER BY id";

static void bind_filter(sqlite3_stmt *st, int first, const struct store_filter *f)
{
	db_time(st, first, f->since_wall_ms);
	db_time(st, first + 1, f->until_wall_ms);
	db_int(st, first + 2, f->last ? (int64_t)f->last : -1);
}

int store_get_events(
	struct store *s, const struct store_filter *f, struct events *ev, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_events, e);
	int rc;

	if (!st)
		return -1;
	bind_filter(st, 1, f);
	while ((rc = db_step(s, st, e)) > 0) {
		struct event *x = events_add(ev, db_get_int(st, 1, 0),
			event_type_of(db_borrow_text(st, 2)),
			severity_of(db_borrow_text(st, 3)));

		x->id = db_get_int(st, 0, 0);
		db_get_text(st, 4, x->target, sizeof x->target);
		db_get_text(st, 5, x->host, sizeof x->host);
		db_get_text(st, 6, x->bay, sizeof x->bay);
		db_get_text(st, 7, x->serial, sizeof x->serial);
		db_get_text(st, 8, x->from, sizeof x->from);
		db_get_text(st, 9, x->to, sizeof x->to);
		db_get_text(st, 10, x->message, sizeof x->message);
		db_get_text(st, 11, x->source_id, sizeof x->source_id);
	}
	return rc;
}

/* ---- ids ---- */

static const char get_sequence[] =
	"SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0), "
	"coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'notice'), 0)";

int store_get_next_ids(struct store *s, int64_t *event, int64_t *notice, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_sequence, e);

	if (!st || db_step(s, st, e) <= 0)
		return -1;
	*event = db_get_int(st, 0, 0) + 1;
	*notice = db_get_int(st, 1, 0) + 1;
	sqlite3_reset(st);
	return 0;
}

/* ---- notices ---- */

static const char get_notices[] = "SELECT id, channel, alert, body FROM notice WHERE "
				  "told_wall_ms IS NULL ORDER BY id";

int store_each_notice(struct store *s,
	bool (*fn)(void *arg, const struct store_notice *n), void *arg, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_notices, e);
	bool more = true;
	int rc = 0;

	if (!st)
		return -1;
	while (more && (rc = db_step(s, st, e)) > 0) {
		const struct store_notice n = {.id = db_get_int(st, 0, 0),
			.channel = db_borrow_text(st, 1),
			.alert_id = db_get_int(st, 2, 0),
			.body = db_borrow_text(st, 3)};

		more = fn(arg, &n);
	}
	sqlite3_reset(st);
	return rc < 0 ? -1 : 0;
}

/* ---- names ---- */

static const char get_names[] = "SELECT serial FROM drive WHERE serial IS NOT NULL UNION "
				"SELECT target || '/' || bay FROM drive "
				"WHERE target IS NOT NULL AND bay IS NOT NULL ORDER BY 1";

int store_each_name(struct store *s, void (*fn)(void *arg, const char *name), void *arg,
	struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_names, e);
	int rc = -1;

	while (st && (rc = db_step(s, st, e)) > 0)
		fn(arg, db_borrow_text(st, 0));
	return rc;
}

/* ---- for an export ---- */

static const char get_each_drive[] = "SELECT key, serial, model FROM drive ORDER BY id";
static const char get_each_place[] =
	"SELECT host, bay, coalesce((SELECT target FROM drive WHERE drive.host = place.host AND "
	"drive.bay = place.bay AND target IS NOT NULL ORDER BY here DESC LIMIT 1), (SELECT target "
	"FROM drive WHERE drive.host = place.host AND target IS NOT NULL ORDER BY here DESC LIMIT "
	"1)) FROM place ORDER BY id";
static const char get_next_time[] =
	"SELECT min(t) FROM (SELECT min(max(from_wall_ms, ?1)) AS t FROM bucket WHERE "
	"until_wall_ms >= ?1 UNION ALL SELECT min(at_wall_ms) FROM poll WHERE at_wall_ms >= ?1)";

int store_each_drive(struct store *s,
	void (*fn)(void *arg, const char *id, const char *serial, const char *model), void *arg,
	struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_each_drive, e);
	int rc = -1;

	while (st && (rc = db_step(s, st, e)) > 0)
		fn(arg, db_borrow_text(st, 0), db_borrow_text(st, 1), db_borrow_text(st, 2));
	return rc;
}

int store_each_place(struct store *s,
	void (*fn)(void *arg, const char *host, const char *bay, const char *target), void *arg,
	struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_each_place, e);
	int rc = -1;

	while (st && (rc = db_step(s, st, e)) > 0)
		fn(arg, db_borrow_text(st, 0), db_borrow_text(st, 1), db_borrow_text(st, 2));
	return rc;
}

int store_next_time(struct store *s, int64_t since_wall_ms, int64_t *next, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_next_time, e);

	if (!st)
		return -1;
	db_int(st, 1, since_wall_ms);
	if (db_step(s, st, e) < 0)
		return -1;
	*next = db_get_int(st, 0, CLOCK_NEVER);
	sqlite3_reset(st);
	return 0;
}
