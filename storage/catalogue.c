/* SPDX-License-Identifier: MIT */
/* catalogue: see catalogue.h; and store_get_history() of store.h. */
#include "storage/catalogue.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/metric.h"
#include "storage/chunk.h"
#include "storage/hot.h"
#include "storage/points.h"
#include "storage/poll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows of drives ---- */

static const char put_drive[] =
	"INSERT INTO drive (key, serial, model, firmware, target, host, bay, sources, "
	"here, lost, by_place, missed, "
	"state, verdict, speed_mtps, width_lanes, link_changes, flapping, "
	"changed_steady_ms, busy_speed_mtps, "
	"busy_width_lanes, busy_steady_ms, io_done, media_rose_steady_ms, "
	"first_seen_wall_ms, seen_wall_ms, "
	"seen_steady_ms, bytes_written, bytes_read, power_on_hours, power_cycles, "
	"unsafe_shutdowns, media_errors, came_from, came_verdict, came_steady_ms, at_poll) "
	"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
	"?, ?, ?, "
	"?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
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
	"came_verdict = excluded.came_verdict, came_steady_ms = excluded.came_steady_ms, at_poll = "
	"excluded.at_poll";

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

static int write_row(
	struct store *s, const struct drive_past *p, int64_t at_poll, struct err *e)
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
	db_int(st, i++, at_poll);
	return db_run(s, st, e);
}

/* In the order of write_row(). */
static const char get_drives[] =
	"SELECT key, serial, model, firmware, target, host, bay, sources, here, lost, "
	"by_place, missed, state, verdict, "
	"speed_mtps, width_lanes, link_changes, flapping, changed_steady_ms, "
	"busy_speed_mtps, busy_width_lanes, "
	"busy_steady_ms, io_done, media_rose_steady_ms, first_seen_wall_ms, "
	"seen_wall_ms, seen_steady_ms, "
	"bytes_written, bytes_read, power_on_hours, power_cycles, unsafe_shutdowns, "
	"media_errors, came_from, "
	"came_verdict, came_steady_ms, at_poll, id FROM drive ORDER BY id";

static void read_times(const char *text, int64_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *end;

		out[i] = -1;
		if (!*text)
			continue;
		out[i] = strtoll(text, &end, 10);
		text = *end == ',' ? end + 1 : "";
	}
}

static void read_row(sqlite3_stmt *st, struct drive_past *p)
{
	int i = 0;

	db_get_text(st, i++, p->id, sizeof p->id);
	db_get_text(st, i++, p->serial, sizeof p->serial);
	db_get_text(st, i++, p->model, sizeof p->model);
	db_get_text(st, i++, p->firmware, sizeof p->firmware);
	db_get_text(st, i++, p->target, sizeof p->target);
	db_get_text(st, i++, p->host, sizeof p->host);
	db_get_text(st, i++, p->bay, sizeof p->bay);
	db_get_text(st, i++, p->sources, sizeof p->sources);
	p->here = db_get_int(st, i++, 0);
	p->lost = db_get_int(st, i++, 0);
	p->by_place = db_get_int(st, i++, 0);
	p->missed = (int)db_get_int(st, i++, 0);
	p->state = drive_state_of(db_borrow_text(st, i++));
	p->verdict = verdict_of(db_borrow_text(st, i++));
	p->link.speed_mtps = (int)db_get_int(st, i++, 0);
	p->link.width_lanes = (int)db_get_int(st, i++, 0);
	p->changes = (int)db_get_int(st, i++, 0);
	p->flapping = db_get_int(st, i++, 0);
	read_times(db_borrow_text(st, i++), p->changed_at_ms, FLAP_CHANGES);
	p->busy_link.speed_mtps = (int)db_get_int(st, i++, 0);
	p->busy_link.width_lanes = (int)db_get_int(st, i++, 0);
	p->busy_at_ms = db_get_int(st, i++, -1);
	p->io_done = db_get_count(st, i++);
	p->media_rose_at_ms = db_get_int(st, i++, -1);
	p->first_seen_wall_ms = db_get_int(st, i++, 0);
	p->seen_wall_ms = db_get_int(st, i++, 0);
	p->seen_at_ms = db_get_int(st, i++, 0);
	for (size_t k = 0; k < PAST_COUNTERS; k++)
		p->counters[k] = db_get_count(st, i++);
	db_get_text(st, i++, p->came_from, sizeof p->came_from);
	p->came_verdict = verdict_of(db_borrow_text(st, i++));
	p->came_at_ms = db_get_int(st, i++, -1);
}

enum { COLUMN_AT_POLL = 36, COLUMN_ID };

static struct counters_at find_counters(void)
{
	size_t n;
	const struct metric *table = metric_table(&n);
	struct counters_at at = {.bits = 0};

	for (size_t k = 0; k < PAST_COUNTERS; k++) {
		at.metric[k] = (size_t)(metric_find(past_counter_words[k]) - table);
		at.bits |= UINT64_C(1) << at.metric[k];
	}
	return at;
}

/* The counters that a later point tells go before those of the row. */
static void go_on(struct count of_row[PAST_COUNTERS], const struct hot_reader *point, const struct counters_at *at)
{
	struct metric_value values[CHUNK_METRICS_MAX];

	hot_some(point, at->bits, values);
	for (size_t k = 0; k < PAST_COUNTERS; k++)
		if (values[at->metric[k]].known)
			of_row[k] = values[at->metric[k]].count;
}

static bool same_count(struct count a, struct count b)
{
	return a.known == b.known && (!a.known || count_compare(a, b) == 0);
}

static uint64_t sum_number(uint64_t h, int64_t n)
{
	h = (h ^ (uint64_t)n) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static uint64_t sum_numbers(uint64_t h, const int64_t *n, size_t count)
{
	for (size_t i = 0; i < count; i++)
		h = sum_number(h, n[i]);
	return h;
}

/*
 * FNV-1a of texts; numbers are mixed in whole, for each round does this for each drive.  Of 10^9 rows that
 * changed, one in ten billion would be taken for the row before.
 */
static uint64_t sum_of(const struct drive_past *p)
{
	const char *const texts[] = {
		p->serial, p->model, p->firmware, p->target, p->host, p->bay, p->sources, p->came_from};
	const int64_t numbers[] = {p->here, p->lost, p->by_place, p->flapping, p->state, p->verdict,
		p->came_verdict, p->missed, p->changes, p->link.speed_mtps, p->link.width_lanes,
		p->busy_link.speed_mtps, p->busy_link.width_lanes, p->busy_at_ms, p->came_at_ms,
		p->media_rose_at_ms, p->first_seen_wall_ms, p->io_done.known,
		p->io_done.known ? (int64_t)p->io_done.hi : 0, p->io_done.known ? (int64_t)p->io_done.lo : 0};
	uint64_t h = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		for (const char *s = texts[i]; *s; s++)
			h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
		h = (h ^ 0xff) * UINT64_C(1099511628211);
	}
	h = sum_numbers(h, numbers, sizeof numbers / sizeof numbers[0]);
	return sum_numbers(h, p->changed_at_ms, FLAP_CHANGES);
}

static struct known_row row_of(const struct drive_past *p)
{
	struct known_row row = {.sum = sum_of(p), .seen_wall_ms = p->seen_wall_ms, .seen_at_ms = p->seen_at_ms};

	str_copy(row.key, sizeof row.key, p->id);
	memcpy(row.counters, p->counters, sizeof row.counters);
	return row;
}

static bool same_row(const struct known_row *a, const struct known_row *b)
{
	bool same = str_same(a->key, b->key) && a->sum == b->sum && a->seen_wall_ms == b->seen_wall_ms &&
		    a->seen_at_ms == b->seen_at_ms;

	for (size_t k = 0; k < PAST_COUNTERS; k++)
		same &= same_count(a->counters[k], b->counters[k]);
	return same;
}

/* ---- what is in the file ---- */

static const char get_targets[] =
	"SELECT name, verdict, since_steady_ms FROM target ORDER BY id";
static const char get_places[] = "SELECT id, host, bay FROM place ORDER BY id";
static const char get_stays[] =
	"SELECT drive, id, place, last_poll FROM stay WHERE id IN (SELECT max(id) FROM stay "
	"GROUP BY drive) ORDER BY drive";
static const char get_next[] = "SELECT max(coalesce((SELECT max(id) FROM poll), 0), "
			       "coalesce((SELECT max(id) FROM bucket), -1) * 120 + 119) + 1";
static const char get_hot[] = "SELECT id, at_wall_ms, at_steady_ms, data FROM poll ORDER BY id";

static struct known_drive *add_drive(struct catalogue *c, int64_t id, int64_t at_poll,
	const struct drive_past *p)
{
	struct known_drive *d;

	c->drives = mem_grow(c->drives, c->n_drives, sizeof *c->drives);
	d = &c->drives[c->n_drives++];
	*d = (struct known_drive){.id = id, .at_poll = at_poll, .row = row_of(p)};
	lookup_add(&c->by_key, d->row.key, "");
	return d;
}

static void add_place(struct catalogue *c, int64_t id, const char *host, const char *bay)
{
	struct known_place *p;

	c->places = mem_grow(c->places, c->n_places, sizeof *c->places);
	p = &c->places[c->n_places++];
	p->id = id;
	str_copy(p->host, sizeof p->host, host);
	str_copy(p->bay, sizeof p->bay, bay);
	lookup_add(&c->by_place, p->host, p->bay);
}

struct known_drive *catalogue_by_id(struct catalogue *c, int64_t id)
{
	size_t low = 0, high = c->n_drives;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->drives[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->n_drives && c->drives[low].id == id ? &c->drives[low] : NULL;
}

static int load_drives(struct store *s, struct catalogue *c, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_drives, e);
	int rc = -1;

	while (st && (rc = db_step(s, st, e)) > 0) {
		struct drive_past p = {0};

		read_row(st, &p);
		add_drive(c, db_get_int(st, COLUMN_ID, 0),
			db_get_int(st, COLUMN_AT_POLL, -1), &p);
	}
	return rc;
}

static int load_places(struct store *s, struct catalogue *c, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_places, e);
	int rc = -1;

	while (st && (rc = db_step(s, st, e)) > 0)
		add_place(c, db_get_int(st, 0, 0), db_borrow_text(st, 1),
			db_borrow_text(st, 2));
	return rc;
}

static int load_stays(struct store *s, struct catalogue *c, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_stays, e);
	int rc = -1;

	while (st && (rc = db_step(s, st, e)) > 0) {
		struct known_drive *d = catalogue_by_id(c, db_get_int(st, 0, 0));

		if (!d)
			continue;
		d->stay = db_get_int(st, 1, 0);
		d->place = db_get_int(st, 2, 0);
		d->last_poll = db_get_int(st, 3, 0);
	}
	return rc;
}

/* Stays go on in polls that are not yet packed. */
static int prolong_stays(struct store *s, struct catalogue *c, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_hot, e);
	int rc = -1;

	while (st && (rc = db_step(s, st, e)) > 0) {
		struct hot_reader r;

		if (points_open_poll(st, &r))
			continue;
		while (hot_next(&r)) {
			struct known_drive *d = catalogue_by_id(c, r.drive);

			if (d && d->place == r.place)
				d->last_poll = db_get_int(st, 0, 0);
		}
	}
	return rc;
}

static int load_targets(struct store *s, struct catalogue *c, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_targets, e);
	int rc = -1;

	while (st && (rc = db_step(s, st, e)) > 0) {
		struct target_past *t;

		c->targets = mem_grow(c->targets, c->n_targets, sizeof *c->targets);
		t = &c->targets[c->n_targets++];
		*t = (struct target_past){0};
		db_get_text(st, 0, t->name, sizeof t->name);
		t->verdict = target_verdict_of(db_borrow_text(st, 1));
		t->since_ms = db_get_int(st, 2, 0);
	}
	return rc;
}

static int load_next(struct store *s, struct catalogue *c, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_next, e);

	if (!st || db_step(s, st, e) <= 0)
		return -1;
	c->next_poll = db_get_int(st, 0, 1);
	sqlite3_reset(st);
	return 0;
}

struct catalogue *catalogue_get(struct store *s, struct err *e)
{
	if (s->known)
		return s->known;
	s->known = mem_new(1, sizeof *s->known);
	s->known->counters = find_counters();
	if (load_drives(s, s->known, e) || load_places(s, s->known, e) ||
		load_stays(s, s->known, e) || prolong_stays(s, s->known, e) ||
		load_targets(s, s->known, e) || load_next(s, s->known, e))
		catalogue_forget(s);
	return s->known;
}

void catalogue_forget(struct store *s)
{
	if (!s->known)
		return;
	free(s->known->drives);
	free(s->known->places);
	free(s->known->targets);
	lookup_release(&s->known->by_key);
	lookup_release(&s->known->by_place);
	free(s->known);
	s->known = NULL;
}

struct known_drive *catalogue_drive(struct catalogue *c, const char *key)
{
	for (size_t i = lookup_first(&c->by_key, key, ""); i != LOOKUP_END;
		i = lookup_next(&c->by_key, i))
		if (str_same(c->drives[i].row.key, key))
			return &c->drives[i];
	return NULL;
}

/* ---- what changed ---- */

static const char put_target[] =
	"INSERT INTO target (name, verdict, since_steady_ms) VALUES (?, ?, ?) "
	"ON CONFLICT (name) DO UPDATE SET verdict = excluded.verdict, since_steady_ms = "
	"excluded.since_steady_ms";


static const char get_drive_id[] = "SELECT id FROM drive WHERE key = ?";

static int write_target(struct store *s, const struct target_past *t, struct err *e)
{
	sqlite3_stmt *st = db_get(s, put_target, e);

	if (!st)
		return -1;
	db_text(st, 1, t->name);
	db_text(st, 2, target_verdict_word(t->verdict));
	db_int(st, 3, t->since_ms);
	return db_run(s, st, e);
}

static bool same_target(const struct target_past *a, const struct target_past *b)
{
	return a->verdict == b->verdict && a->since_ms == b->since_ms && str_same(a->name, b->name);
}

/* Both lists grow at their ends only, so they mostly agree place by place. */
static int write_targets(
	struct store *s, struct catalogue *c, const struct history *h, struct err *e)
{
	for (size_t i = 0; i < h->n_targets; i++) {
		if (i < c->n_targets && same_target(&c->targets[i], &h->targets[i]))
			continue;
		if (write_target(s, &h->targets[i], e))
			return -1;
		if (i >= c->n_targets) {
			c->targets = mem_grow(c->targets, c->n_targets, sizeof *c->targets);
			c->n_targets++;
		}
		c->targets[i] = h->targets[i];
	}
	return 0;
}

static int64_t id_of(struct store *s, const char *key, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_drive_id, e);
	int64_t id = -1;

	if (!st)
		return -1;
	db_text(st, 1, key);
	if (db_step(s, st, e) > 0)
		id = db_get_int(st, 0, -1);
	sqlite3_reset(st);
	return id;
}

static int write_drive(struct store *s, struct catalogue *c, const struct drive_past *p,
	int64_t at_poll, struct err *e)
{
	struct known_drive *d = catalogue_drive(c, p->id);
	int64_t id;

	if (write_row(s, p, at_poll, e))
		return -1;
	if (d) {
		d->row = row_of(p);
		d->at_poll = at_poll;
		return 0;
	}
	id = id_of(s, p->id, e);
	if (id < 0)
		return -1;
	add_drive(c, id, at_poll, p);
	return 0;
}

/* True if whoever reads the row and the point of the last poll knows all of it. */
static bool is_told(const struct catalogue *c, const struct known_drive *d,
	const struct drive_past *now, const struct store_poll *last)
{
	const struct hot_reader point = {.values = d->values, .values_end = d->values_end};
	struct known_row told = d->row, row = row_of(now);

	if (d->values) {
		told.seen_wall_ms = last->at_wall_ms;
		told.seen_at_ms = last->at_steady_ms;
		go_on(told.counters, &point, &c->counters);
	}
	return same_row(&told, &row);
}

static void mark_seen(struct catalogue *c, const struct store_poll *poll)
{
	struct poll_reader r = {0};
	struct poll_drive seen;

	for (size_t i = 0; i < c->n_drives; i++)
		c->drives[i].values = NULL;
	while (poll && poll_next(poll, &r, &seen)) {
		struct known_drive *d = catalogue_drive(c, seen.key);

		if (!d)
			continue;
		d->values = seen.values;
		d->values_end = seen.values_end;
	}
}

int catalogue_write(struct store *s, const struct store_round *r, struct err *e)
{
	struct catalogue *c = catalogue_get(s, e);
	const struct store_poll *last = r->n_polls ? &r->polls[r->n_polls - 1] : NULL;

	if (!c || write_targets(s, c, r->history, e))
		return -1;
	mark_seen(c, last);
	for (size_t i = 0; i < r->history->n_drives; i++) {
		const struct drive_past *p = &r->history->drives[i];
		const struct known_drive *d = catalogue_drive(c, p->id);

		if (d && is_told(c, d, p, last))
			continue;
		if (write_drive(s, c, p, c->next_poll + (int64_t)r->n_polls - 1, e))
			return -1;
	}
	return 0;
}

/* ---- places and stays ---- */

static const char put_place[] = "INSERT INTO place (host, bay) VALUES (?, ?)";
static const char stay_until[] =
	"UPDATE stay SET last_poll = ?1 WHERE id = ?2 AND last_poll < ?1";
static const char stay_new[] =
	"INSERT INTO stay (drive, place, first_poll, last_poll) VALUES (?, ?, ?3, ?3)";

int64_t catalogue_place(struct store *s, const char *host, const char *bay, struct err *e)
{
	struct catalogue *c = catalogue_get(s, e);
	sqlite3_stmt *st;

	if (!c)
		return -1;
	for (size_t i = lookup_first(&c->by_place, host, bay); i != LOOKUP_END;
		i = lookup_next(&c->by_place, i))
		if (str_same(c->places[i].host, host) && str_same(c->places[i].bay, bay))
			return c->places[i].id;
	st = db_get(s, put_place, e);
	if (!st)
		return -1;
	/* "" is a name here, not NULL */
	sqlite3_bind_text(st, 1, host, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 2, bay, -1, SQLITE_STATIC);
	if (db_run(s, st, e))
		return -1;
	add_place(c, sqlite3_last_insert_rowid(s->db), host, bay);
	return c->places[c->n_places - 1].id;
}

static int keep_stay(struct store *s, int64_t stay, int64_t last_poll, struct err *e)
{
	sqlite3_stmt *st = db_get(s, stay_until, e);

	if (!st)
		return -1;
	db_int(st, 1, last_poll);
	db_int(st, 2, stay);
	return db_run(s, st, e);
}

int catalogue_stay(
	struct store *s, struct known_drive *d, int64_t place, int64_t poll, struct err *e)
{
	sqlite3_stmt *st;

	if (d->stay && d->place == place) {
		d->last_poll = poll;
		return 0;
	}
	if (d->stay && keep_stay(s, d->stay, d->last_poll, e))
		return -1;
	st = db_get(s, stay_new, e);
	if (!st)
		return -1;
	db_int(st, 1, d->id);
	db_int(st, 2, place);
	db_int(st, 3, poll);
	if (db_run(s, st, e))
		return -1;
	d->stay = sqlite3_last_insert_rowid(s->db);
	d->place = place;
	d->last_poll = poll;
	return 0;
}

int catalogue_keep_stay(struct store *s, int64_t drive, int64_t last_poll, struct err *e)
{
	struct catalogue *c = catalogue_get(s, e);
	struct known_drive *d = c ? catalogue_by_id(c, drive) : NULL;

	if (!c)
		return -1;
	return d && d->stay && d->last_poll >= last_poll ? keep_stay(s, d->stay, last_poll, e) : 0;
}

/* ---- history ---- */

static const char get_last_poll[] =
	"SELECT id, at_wall_ms, at_steady_ms, data FROM poll ORDER BY id DESC LIMIT 1";

static int read_targets(struct store *s, struct history *h, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_targets, e);
	int rc = -1;

	while (st && (rc = db_step(s, st, e)) > 0) {
		struct target_past *t = history_target(h, db_borrow_text(st, 0));

		t->verdict = target_verdict_of(db_borrow_text(st, 1));
		t->since_ms = db_get_int(st, 2, 0);
	}
	return rc;
}

/* Numbers and polls of the rows that became h->drives, in the same order. */
struct rows_read {
	size_t n;
	struct {
		int64_t id, at_poll;
	} *items;
};

static int read_drives(
	struct store *s, struct history *h, struct rows_read *rows, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_drives, e);
	int rc = -1;

	while (st && (rc = db_step(s, st, e)) > 0) {
		read_row(st, history_add_drive(h));
		rows->items = mem_grow(rows->items, rows->n, sizeof *rows->items);
		rows->items[rows->n].id = db_get_int(st, COLUMN_ID, 0);
		rows->items[rows->n++].at_poll = db_get_int(st, COLUMN_AT_POLL, -1);
	}
	return rc;
}

/* Drives come in the order of their numbers, in the rows and in the poll. */
static void go_on_all(struct history *h, size_t first, const struct rows_read *rows,
	struct hot_reader *r, int64_t poll)
{
	const struct counters_at at = find_counters();
	size_t i = 0;

	while (hot_next(r)) {
		while (i < rows->n && rows->items[i].id < r->drive)
			i++;
		if (i == rows->n || rows->items[i].id != r->drive ||
			rows->items[i].at_poll >= poll)
			continue;
		h->drives[first + i].seen_wall_ms = h->wall_ms;
		h->drives[first + i].seen_at_ms = h->steady_ms;
		go_on(h->drives[first + i].counters, r, &at);
	}
}

int store_get_history(struct store *s, struct history *h, struct err *e)
{
	struct rows_read rows = {0};
	size_t first = h->n_drives;
	sqlite3_stmt *st;
	int rc = -1;

	if (read_targets(s, h, e) || read_drives(s, h, &rows, e))
		goto out;
	st = db_get(s, get_last_poll, e);
	if (!st || (rc = db_step(s, st, e)) < 0)
		goto out;
	if (rc > 0) {
		struct hot_reader r;

		h->started = true;
		h->wall_ms = db_get_int(st, 1, 0);
		h->steady_ms = db_get_int(st, 2, 0);
		if (points_open_poll(st, &r))
			log_warn("store", "the last poll is damaged; drives are as they were before it");
		else
			go_on_all(h, first, &rows, &r, db_get_int(st, 0, 0));
	}
	sqlite3_reset(st);
	rc = 0;
out:
	free(rows.items);
	return rc;
}
