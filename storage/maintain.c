/* SPDX-License-Identifier: MIT */
/* maintain: see maintain.h. */
#include "storage/maintain.h"

#include "base/clock.h"
#include "base/str.h"
#include "storage/chunk.h"
#include "storage/hot.h"
#include "storage/points.h"
#include "storage/rollup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FAULTS_MAX = 100, PAGES_A_STEP = 512 };

static void progress(const struct store_work *w, double part)
{
	if (w && w->progress)
		w->progress(w->arg, part);
}

/* ---- check ---- */

struct checking {
	struct store *store;
	const struct store_work *work;
	int n_faults;
	int64_t n_rows, done;
	struct chunk_rows rows;
};

static void fault_found(struct checking *c, const char *what)
{
	c->n_faults++;
	if (c->work && c->work->say)
		c->work->say(c->work->arg, what);
}

static bool right_chunk(struct checking *c, sqlite3_stmt *st)
{
	return chunk_decode(sqlite3_column_blob(st, 1), (size_t)sqlite3_column_bytes(st, 1),
		       &c->rows) == 0;
}

static bool right_rollup(struct checking *c, sqlite3_stmt *st)
{
	struct rollup r = {0};
	bool right = rollup_decode(sqlite3_column_blob(st, 1),
			     (size_t)sqlite3_column_bytes(st, 1), &r) == 0;

	(void)c;
	rollup_release(&r);
	return right;
}

static bool right_poll(struct checking *c, sqlite3_stmt *st)
{
	struct hot_reader r;

	(void)c;
	return points_open_poll(st, &r) == 0;
}

static bool right_times(struct checking *c, sqlite3_stmt *st)
{
	struct point_times t;

	(void)c;
	return points_decode_times(st, 1, &t) == 0;
}

static const struct packed {
	const char *name, *count, *get;
	bool (*right)(struct checking *c, sqlite3_stmt *st);
} packed[] = {
	{"chunk", "SELECT count(*) FROM chunk", "SELECT id, data FROM chunk", right_chunk},
	{"hour", "SELECT count(*) FROM hour", "SELECT id, data FROM hour", right_rollup},
	{"day", "SELECT count(*) FROM day", "SELECT id, data FROM day", right_rollup},
	{"poll", "SELECT count(*) FROM poll",
		"SELECT id, at_wall_ms, at_steady_ms, data FROM poll WHERE data IS NOT NULL", right_poll},
	{"bucket", "SELECT count(*) FROM bucket",
		"SELECT id, times FROM bucket WHERE times IS NOT NULL", right_times},
};

enum { PACKED = sizeof packed / sizeof packed[0] };

static int ask(struct store *s, const char *sql, int64_t if_null, int64_t *out, struct err *e)
{
	sqlite3_stmt *st = db_get(s, sql, e);

	if (!st || db_step(s, st, e) < 0)
		return -1;
	*out = db_get_int(st, 0, if_null);
	sqlite3_reset(st);
	return 0;
}

static int check_rows(struct checking *c, const struct packed *p, struct err *e)
{
	sqlite3_stmt *st = db_get(c->store, p->get, e);
	int rc = -1;

	while (st && c->n_faults < FAULTS_MAX && (rc = db_step(c->store, st, e)) > 0) {
		char what[96];

		if (++c->done % 256 == 0)
			progress(c->work, 0.5 + 0.5 * (double)c->done / (double)c->n_rows);
		if (p->right(c, st))
			continue;
		snprintf(what, sizeof what, "row %lld of table %s is damaged",
			(long long)db_get_int(st, 0, 0), p->name);
		fault_found(c, what);
	}
	if (st)
		sqlite3_reset(st);
	return rc < 0 ? -1 : 0;
}

static int check_packed(struct checking *c, struct err *e)
{
	int rc = 0;

	c->n_rows = 1;
	for (size_t i = 0; i < PACKED; i++) {
		int64_t n = 0;

		if (ask(c->store, packed[i].count, 0, &n, e))
			return -1;
		c->n_rows += n;
	}
	chunk_rows_init(&c->rows, BUCKET_POLLS, CHUNK_ALL);
	for (size_t i = 0; i < PACKED && rc == 0; i++)
		rc = check_rows(c, &packed[i], e);
	chunk_rows_release(&c->rows);
	return rc;
}

static int check_pages(struct checking *c, struct err *e)
{
	static const char sql[] = "PRAGMA integrity_check(100)";
	sqlite3_stmt *st = db_get(c->store, sql, e);
	int rc = -1;

	while (st && (rc = db_step(c->store, st, e)) > 0)
		if (!str_same(db_borrow_text(st, 0), "ok"))
			fault_found(c, db_borrow_text(st, 0));
	return rc;
}

static bool is_damage(const struct store *s)
{
	int code = sqlite3_errcode(s->db) & 0xff;

	return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

int store_check(const char *path, const struct store_work *w, enum store_fault *fault,
	struct err *e)
{
	struct checking c = {.store = store_open(path, STORE_LOOK, fault, e), .work = w};
	int64_t version = 0;
	int rc;

	if (!c.store)
		return -1;
	progress(w, 0);
	rc = check_pages(&c, e);
	progress(w, 0.5);
	/* what older files have packed differs: they are checked once they are up to date */
	if (rc == 0 && ask(c.store, "PRAGMA user_version", 0, &version, e) == 0 &&
		version == store_version())
		rc = check_packed(&c, e);
	if (rc < 0 && is_damage(c.store)) {
		fault_found(&c, e->text);
		rc = 0;
	}
	progress(w, 1);
	store_close(c.store);
	if (rc < 0)
		*fault = STORE_UNUSABLE;
	return rc < 0 ? -1 : c.n_faults;
}

/* ---- copies ---- */

/* All pages of what `from` sees now. */
static int copy_pages(struct store *from, sqlite3 *to, const struct store_work *w, struct err *e)
{
	sqlite3_backup *b;
	int rc;

	/* one moment: what others write meanwhile is not seen, and begins nothing anew */
	if (db_exec(from, "BEGIN; SELECT count(*) FROM sqlite_master", e))
		return -1;
	b = sqlite3_backup_init(to, "main", from->db, "main");
	if (!b)
		return err_set(e, "%s", sqlite3_errmsg(to));
	progress(w, 0);
	do {
		rc = sqlite3_backup_step(b, PAGES_A_STEP);
		progress(w, 1 - (double)sqlite3_backup_remaining(b) /
					(double)(sqlite3_backup_pagecount(b) + 1));
	} while (rc == SQLITE_OK);
	sqlite3_backup_finish(b);
	sqlite3_exec(from->db, "COMMIT", NULL, NULL, NULL);
	if (rc == SQLITE_DONE)
		return 0;
	return rc == SQLITE_FULL ? err_set(e, "the disk is full")
				 : err_set(e, "%s", sqlite3_errstr(rc));
}

/* A folder's entry is on the disk when the folder is. */
static int sync_folder(const char *path)
{
	char folder[DB_TEXT_MAX];
	const char *slash = strrchr(path, '/');
	int fd, rc;

	str_copy(folder, sizeof folder, slash ? path : ".");
	if (slash)
		folder[slash == path ? 1 : slash - path] = '\0';
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = fsync(fd);
	close(fd);
	return rc;
}

/* Copies to a file that did not exist, without a WAL beside it. */
static int copy_to(struct store *from, const char *name, const struct store_work *w, struct err *e)
{
	sqlite3 *to = NULL;
	int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640), rc = -1;

	if (fd < 0)
		return err_set(e, "%s: %s", name, strerror(errno));
	close(fd);
	if (sqlite3_open_v2(name, &to, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
		err_set(e, "%s: %s", name, sqlite3_errmsg(to));
	else if (copy_pages(from, to, w, e))
		err_wrap(e, "%s", name);
	else if (sqlite3_exec(to, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL) != SQLITE_OK)
		err_set(e, "%s: %s", name, sqlite3_errmsg(to));
	else
		rc = 0;
	sqlite3_close(to);
	if (rc)
		unlink(name);
	return rc;
}

/* "NAME.half", while it is not whole. */
static int half_name(const char *name, char *out, size_t size, struct err *e)
{
	return snprintf(out, size, "%s.half", name) < (int)size
		       ? 0
		       : err_set(e, "%s: the name is too long", name);
}

int store_backup(const char *path, const char *copy, const struct store_work *w,
	enum store_fault *fault, struct err *e)
{
	char half[DB_TEXT_MAX];
	struct store *s = store_open(path, STORE_LOOK, fault, e);
	int rc = -1;

	if (!s)
		return -1;
	*fault = STORE_UNUSABLE;
	if (half_name(copy, half, sizeof half, e))
		goto out;
	if (access(copy, F_OK) == 0) {
		err_set(e, "%s exists; give another name", copy);
		goto out;
	}
	unlink(half); /* of a backup that was broken off */
	if (copy_to(s, half, w, e))
		goto out;
	if (rename(half, copy) || sync_folder(copy)) {
		err_set(e, "%s: %s", copy, strerror(errno));
		unlink(half);
		goto out;
	}
	*fault = STORE_FAULT_NONE;
	rc = 0;
out:
	store_close(s);
	return rc;
}

int store_restore(const char *path, const char *copy, char *aside, size_t aside_size,
	const struct store_work *w, enum store_fault *fault, struct err *e)
{
	char half[DB_TEXT_MAX];
	struct store *s;
	int lock = -1, n, rc = -1;

	aside[0] = '\0';
	n = store_check(copy, NULL, fault, e);
	if (n > 0)
		*fault = STORE_FOREIGN;
	if (n)
		return n < 0 ? -1 : err_set(e, "%s is damaged; `lanewatch db check` tells more", copy);
	s = store_open(copy, STORE_LOOK, fault, e);
	if (!s)
		return -1;
	lock = store_lock(path, fault, e);
	if (lock < 0)
		goto out;
	*fault = STORE_UNUSABLE;
	if (half_name(path, half, sizeof half, e))
		goto out;
	unlink(half);
	if (copy_to(s, half, w, e))
		goto out;
	if (access(path, F_OK) == 0 &&
		store_set_aside(path, "before-restore", aside, aside_size, e)) {
		unlink(half);
		goto out;
	}
	if (rename(half, path) || sync_folder(path)) {
		err_set(e, "%s: %s", path, strerror(errno));
		goto out;
	}
	*fault = STORE_FAULT_NONE;
	rc = 0;
out:
	if (lock >= 0)
		close(lock);
	store_close(s);
	return rc;
}

/* ---- what is in it ---- */

static int64_t size_of(const char *path, const char *tail)
{
	char name[DB_TEXT_MAX];
	struct stat st;

	snprintf(name, sizeof name, "%s%s", path, tail);
	return stat(name, &st) == 0 ? (int64_t)st.st_size : 0;
}

static int read_span(struct store *s, const char *sql, struct store_span *out, struct err *e)
{
	sqlite3_stmt *st = db_get(s, sql, e);

	if (!st || db_step(s, st, e) <= 0)
		return -1;
	out->rows = db_get_int(st, 0, 0);
	out->bytes = db_get_int(st, 1, 0);
	out->from_wall_ms = db_get_int(st, 2, CLOCK_NEVER);
	out->until_wall_ms = db_get_int(st, 3, CLOCK_NEVER);
	sqlite3_reset(st);
	return 0;
}

#define SPAN(table, buckets)                                                              \
	"SELECT count(*), sum(length(data)), (SELECT min(from_wall_ms) FROM bucket WHERE id " \
	">= (SELECT min(id) >> 20 FROM " table ") * " buckets "), (SELECT max(until_wall_ms) " \
	"FROM bucket WHERE EXISTS (SELECT 1 FROM " table ")) FROM " table

static const char polls_span[] =
	"SELECT count(*), sum(length(data)), min(at_wall_ms), max(at_wall_ms) FROM poll";
static const char raw_span[] = SPAN("chunk", "1");
static const char hours_span[] = SPAN("hour", "12");
static const char days_span[] = SPAN("day", "360");

int store_get_stats(struct store *s, struct store_stats *out, struct err *e)
{
	const char *path = sqlite3_db_filename(s->db, "main");
	const struct {
		const char *sql;
		int64_t *to;
	} counts[] = {
		{"PRAGMA user_version", &out->version},
		{"SELECT count(*) FROM drive", &out->drives},
		{"SELECT count(*) FROM place", &out->places},
		{"SELECT count(*) FROM stay", &out->stays},
		{"SELECT count(*) FROM event", &out->events},
		{"SELECT count(*) FROM alert WHERE state = 'firing'", &out->alerts_firing},
		{"SELECT count(*) FROM notice WHERE told_wall_ms IS NULL", &out->notices_open},
		{"SELECT sum(length(body)) FROM document", &out->document_bytes},
		{"SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size",
			&out->free_bytes},
	};

	*out = (struct store_stats){
		.file_bytes = size_of(path, ""), .wal_bytes = size_of(path, "-wal")};
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		if (ask(s, counts[i].sql, 0, counts[i].to, e))
			return -1;
	return read_span(s, polls_span, &out->polls, e) ||
			       read_span(s, raw_span, &out->raw, e) ||
			       read_span(s, hours_span, &out->hours, e) ||
			       read_span(s, days_span, &out->days, e)
		       ? -1
		       : 0;
}
