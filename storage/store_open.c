/* SPDX-License-Identifier: MIT */
/* store_open: opening, refusing, migrating and setting aside; see store.h. */
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "storage/catalogue.h"
#include "storage/db.h"
#include "storage/points.h"
#include "storage/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* "LWst" in the header of the file says that it is ours. */
#define APPLICATION_ID 0x4c577374

/* In the order of their numbers; the n-th one leads to version n. */
static const char *const migrations[] = {
#include "storage/migrations.inc"
};

enum { VERSION_TIERS = 6 }; /* moves the points of those before it */
enum { SCHEMA_VERSION = sizeof migrations / sizeof migrations[0], BUSY_MS = 5000, CHECK_STEPS = 10000, CHECKPOINT_PAGES = 1000 };

int64_t store_version(void)
{
	return SCHEMA_VERSION;
}

static int ask_int(struct store *s, const char *sql, int64_t *out, struct err *e)
{
	sqlite3_stmt *stmt = NULL;
	int rc = -1;

	if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
		sqlite3_step(stmt) == SQLITE_ROW) {
		*out = sqlite3_column_int64(stmt, 0);
		rc = 0;
	} else {
		db_error(s, "database", e);
	}
	sqlite3_finalize(stmt);
	return rc;
}

/* ---- whose file is it ---- */

static bool writes(enum store_mode mode)
{
	return mode == STORE_WRITE || mode == STORE_WRITE_UNSEEN;
}

static int check_ours(struct store *s, const char *path, enum store_mode mode,
	int64_t *version, enum store_fault *fault, struct err *e)
{
	int64_t id = 0, tables = 0;

	*fault = STORE_UNUSABLE;
	if (ask_int(s, "PRAGMA application_id", &id, e) ||
		ask_int(s, "PRAGMA user_version", version, e) ||
		ask_int(s, "SELECT count(*) FROM sqlite_master", &tables, e)) {
		if (sqlite3_errcode(s->db) == SQLITE_NOTADB) {
			*fault = STORE_FOREIGN;
			return err_set(e, "%s is no database of lanewatch", path);
		}
		return err_wrap(e, "%s", path);
	}
	*fault = STORE_FOREIGN;
	if (id == 0 && tables == 0 && writes(mode))
		return 0; /* new */
	if (id == 0 && tables == 0) {
		*fault = STORE_MISSING;
		return err_set(e, "%s holds nothing yet", path);
	}
	if (id != APPLICATION_ID)
		return err_set(e, "%s is a database, but not one of lanewatch", path);
	if (*version > SCHEMA_VERSION)
		return err_set(e,
			"%s was written by a newer lanewatch (version %lld of its "
			"tables, this program knows %d); "
			"use that program",
			path, (long long)*version, SCHEMA_VERSION);
	if (mode != STORE_LOOK && !writes(mode) && *version < SCHEMA_VERSION)
		return err_set(e,
			"%s was written by an older lanewatch; start `lanewatch run` "
			"once to bring it up to date",
			path);
	*fault = STORE_FAULT_NONE;
	return 0;
}

/* The file as it was, beside it, for whoever has to go back; one that is there from a try
 * before stays. */
static int copy_before(struct store *s, const char *path, int64_t version, struct err *e)
{
	char name[DB_TEXT_MAX], half[DB_TEXT_MAX + 8];
	sqlite3_stmt *st;
	int fd;

	if (snprintf(name, sizeof name, "%s.version-%d", path, (int)version) >=
		(int)sizeof name)
		return err_set(e, "the name is too long");
	if (access(name, F_OK) == 0)
		return 0;
	snprintf(half, sizeof half, "%s.half", name);
	unlink(half);
	fd = open(half, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (fd < 0)
		return err_set(e, "%s: %s", half, strerror(errno));
	close(fd); /* born with its permissions; an empty file is as good as none */
	st = db_get(s, "VACUUM INTO ?", e);
	if (!st)
		return -1;
	db_text(st, 1, half);
	if (db_run(s, st, e) == 0 && rename(half, name) == 0)
		return 0;
	unlink(half);
	return err_wrap(e, "copying it before it is brought up to date");
}

/* One step, within the transaction of all of them. */
static int migrate_one(struct store *s, int64_t from, struct err *e)
{
	char set[64];

	snprintf(set, sizeof set, "PRAGMA user_version = %d", (int)from + 1);
	if (db_exec(s, migrations[from], e) || db_exec(s, set, e) ||
		(from + 1 == VERSION_TIERS && points_convert(s, e)) ||
		(from == 0 && db_exec(s, "PRAGMA application_id = 1280799604", e)))
		return err_wrap(e, "bringing the database to version %d", (int)from + 1);
	return 0;
}

static int migrate(struct store *s, const char *path, int64_t version, struct err *e)
{
	int rc = 0;

	if (version == SCHEMA_VERSION)
		return 0;
	if ((version && copy_before(s, path, version, e)) || db_exec(s, "BEGIN IMMEDIATE", e))
		return -1;
	for (; version < SCHEMA_VERSION && rc == 0; version++)
		rc = migrate_one(s, version, e);
	if (rc == 0)
		rc = db_exec(s, "COMMIT", e);
	if (rc)
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

/* ---- one writer ---- */

/* A lock of its own, for closing any descriptor of the database would drop SQLite's
 * locks. */
int store_lock(const char *path, enum store_fault *fault, struct err *e)
{
	char name[DB_TEXT_MAX];
	int fd;

	if (snprintf(name, sizeof name, "%s.lock", path) >= (int)sizeof name)
		return err_set(e, "%s: the name is too long", path);
	*fault = STORE_UNUSABLE;
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (fd < 0)
		return err_set(e, "%s: %s", name, strerror(errno));
	*fault = STORE_LOCKED;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	close(fd);
	return err_set(e,
		"%s is in use by another lanewatch; stop that one, or give another --database",
		path);
}

/* ---- damage ---- */

enum file_health { HEALTH_SOUND = 0, HEALTH_DAMAGED, HEALTH_UNREADABLE };

/* A page that could not be read says nothing of the file: the disk may do better next time. */
static bool is_about_reading(const char *said)
{
	static const char words[] = "unable to get the page. error code=";
	const char *code = strstr(said, words);
	int64_t n;

	if (!code || !str_to_int(code + sizeof words - 1, 0, INT32_MAX, &n))
		return false;
	return (n & 0xff) == SQLITE_IOERR || (n & 0xff) == SQLITE_NOMEM ||
	       (n & 0xff) == SQLITE_FULL;
}

static int is_stopped(void *arg)
{
	const struct store *s = arg;

	return s->stop && *s->stop;
}

static enum file_health health_of(struct store *s, bool thorough)
{
	const char *sql = thorough ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)";
	enum file_health health = HEALTH_SOUND;
	sqlite3_stmt *stmt = NULL;
	int rc;

	sqlite3_progress_handler(s->db, CHECK_STEPS, is_stopped, s);
	rc = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (is_stopped(s)) /* then it calls pages unused that it did not come to */
		health = HEALTH_UNREADABLE;
	else if (rc != SQLITE_ROW)
		health = (rc & 0xff) == SQLITE_CORRUPT ? HEALTH_DAMAGED : HEALTH_UNREADABLE;
	else if (is_about_reading(db_borrow_text(stmt, 0)))
		health = HEALTH_UNREADABLE;
	else if (strcmp(db_borrow_text(stmt, 0), "ok") != 0)
		health = HEALTH_DAMAGED;
	sqlite3_finalize(stmt);
	sqlite3_progress_handler(s->db, 0, NULL, NULL);
	return health;
}

int store_set_aside(const char *path, const char *why, char *name, size_t size, struct err *e)
{
	char at[CLOCK_TEXT_MAX];
	static const char *const tails[] = {"", "-wal", "-shm"};

	clock_text(clock_wall_ms(), at);
	for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
		char from[DB_TEXT_MAX], to[DB_TEXT_MAX];

		snprintf(from, sizeof from, "%s%s", path, tails[i]);
		if (snprintf(to, sizeof to, "%s.%s-%s%s", path, why, at, tails[i]) >=
			(int)sizeof to)
			return err_set(e, "%s: the name is too long", path);
		if (rename(from, to) && (errno != ENOENT || i == 0))
			return err_set(e, "%s cannot be set aside: %s", path, strerror(errno));
	}
	snprintf(name, size, "%s.%s-%s", path, why, at);
	return 0;
}

static int set_damaged_aside(const char *path, struct err *e)
{
	char name[DB_TEXT_MAX];

	if (store_set_aside(path, "damaged", name, sizeof name, e))
		return err_wrap(e, "it is damaged");
	log_error("store", "%s is damaged; it was set aside as %s and a new one begins", path,
		name);
	return 0;
}

/* ---- opening ---- */

/*
 * A reader may write, but only what recovering from a kill needs; where the permissions
 * do not let it, a sound file can still be read.
 */
static int open_reader(struct store *s, const char *path)
{
	int rc = sqlite3_open_v2(
		path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

	if (rc == SQLITE_OK && !sqlite3_db_readonly(s->db, "main"))
		return sqlite3_exec(s->db, "PRAGMA query_only = ON", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		return rc;
	sqlite3_close(s->db);
	return sqlite3_open_v2(
		path, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
}

/* Born with its permissions. */
static int open_writer(struct store *s, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);

	if (fd < 0)
		return SQLITE_CANTOPEN;
	close(fd);
	return sqlite3_open_v2(path, &s->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
}

/* Another connection of this process may hold a file of the same name that was set aside: whoever
 * closes last would remove the WAL by its name, which is the new one's. */
static void leave_wal(struct store *s)
{
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

static void remember_file(struct store *s, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return;
	s->device = st.st_dev;
	s->inode = st.st_ino;
}

static int open_file(struct store *s, const char *path, enum store_mode mode,
	enum store_fault *fault, struct err *e)
{
	*fault = STORE_MISSING;
	if (!writes(mode) && access(path, F_OK))
		return err_set(e, "%s: %s", path, strerror(errno));
	*fault = STORE_UNUSABLE;
	errno = 0;
	remember_file(s, path); /* first: another may take its name meanwhile */
	if ((writes(mode) ? open_writer(s, path) : open_reader(s, path)) !=
		SQLITE_OK)
		return errno ? err_set(e, "%s: %s", path, strerror(errno))
			     : err_set(e, "%s cannot be opened", path);
	sqlite3_busy_timeout(s->db, BUSY_MS);
	if (mode == STORE_READ_INSIDE) { /* one of several: small */
		leave_wal(s);
		sqlite3_exec(s->db, "PRAGMA cache_size = -256", NULL, NULL, NULL);
	}
	*fault = STORE_FAULT_NONE;
	return 0;
}

static void close_file(struct store *s)
{
	catalogue_forget(s);
	points_forget(s);
	for (size_t i = 0; i < s->n_statements; i++)
		sqlite3_finalize(s->statements[i].stmt);
	s->n_statements = 0;
	sqlite3_close(s->db);
	s->db = NULL;
}

/* 1 it was damaged and a new one is open, 0 sound, -1 with the reason. */
static int look_again(struct store *s, const char *path, enum store_mode mode, bool thorough,
	enum store_fault *fault, struct err *e)
{
	enum file_health health;

	/* a page that could not be read once looks like damage as well */
	close_file(s);
	if (open_file(s, path, mode, fault, e))
		return -1;
	health = health_of(s, thorough);
	if (health == HEALTH_SOUND)
		return 0;
	if (health == HEALTH_UNREADABLE) {
		*fault = STORE_UNUSABLE;
		return err_set(e, "%s cannot be read: %s", path, sqlite3_errmsg(s->db));
	}
	close_file(s);
	return set_damaged_aside(path, e) || open_file(s, path, mode, fault, e) ? -1 : 1;
}

/* As SQLite does by itself, but for the count. */
static int after_commit(void *arg, sqlite3 *db, const char *name, int pages)
{
	struct store *s = arg;

	s->wal_pages = pages;
	if (pages >= CHECKPOINT_PAGES)
		sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return SQLITE_OK;
}

/* As it has to be for writing. */
static int make_ready(struct store *s, const char *path, int64_t version, struct err *e)
{
	s->wal_pages = 0;
	sqlite3_wal_hook(s->db, after_commit, s);
	return db_exec(s,
		       "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA "
		       "journal_size_limit = 8388608; PRAGMA cache_size = -1024",
		       e) ||
			       migrate(s, path, version, e)
		       ? err_wrap(e, "%s", path)
		       : 0;
}

/* Where even the list of its tables is damaged, the header may still say whose file it is. */
static bool is_ours_and_damaged(struct store *s)
{
	int64_t id = 0;
	struct err e;

	return s->db && (sqlite3_errcode(s->db) & 0xff) == SQLITE_CORRUPT &&
	       ask_int(s, "PRAGMA application_id", &id, &e) == 0 && id == APPLICATION_ID;
}

static int open_sound(struct store *s, const char *path, enum store_mode mode,
	enum store_fault *fault, struct err *e)
{
	int64_t version = 0;
	bool damaged = false;
	int rc = 0;

	if (open_file(s, path, mode, fault, e))
		return -1;
	if (check_ours(s, path, mode, &version, fault, e)) {
		damaged = writes(mode) && is_ours_and_damaged(s);
		if (!damaged)
			return -1;
	}
	if (!writes(mode))
		return 0;
	if (damaged || (version && (mode == STORE_WRITE || version < SCHEMA_VERSION)))
		rc = health_of(s, false) == HEALTH_SOUND ? 0 : look_again(s, path, mode, false, fault, e);
	if (rc < 0)
		return -1;
	*fault = STORE_UNUSABLE;
	if (make_ready(s, path, rc ? 0 : version, e))
		return -1;
	*fault = STORE_FAULT_NONE;
	return 0;
}

int store_look(struct store *s, bool thorough, const _Atomic bool *stop, struct err *e)
{
	enum file_health health;

	s->failed_with = SQLITE_OK;
	if (!s->db) /* store_mend() failed in the middle */
		return 1;
	s->stop = stop;
	health = health_of(s, thorough);
	s->stop = NULL;
	if (health == HEALTH_UNREADABLE)
		return err_set(e, "%s cannot be read: %s", s->path, sqlite3_errmsg(s->db));
	return health == HEALTH_DAMAGED;
}

void store_stop_look(struct store *s)
{
	if (s->db)
		sqlite3_interrupt(s->db);
}

int store_mend(struct store *s, bool thorough, struct err *e)
{
	enum store_fault fault;
	int64_t version = 0;
	int rc = look_again(s, s->path, STORE_WRITE, thorough, &fault, e);

	if (rc < 0 || ask_int(s, "PRAGMA user_version", &version, e) || make_ready(s, s->path, version, e))
		return -1;
	return rc;
}

bool store_is_at(const struct store *s, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == s->device && st.st_ino == s->inode;
}

bool store_met_damage(const struct store *s)
{
	return s->failed_with == SQLITE_CORRUPT || s->failed_with == SQLITE_NOTADB;
}

struct store *store_open(
	const char *path, enum store_mode mode, enum store_fault *fault, struct err *e)
{
	struct store *s = mem_new(1, sizeof *s);
	enum store_fault why = STORE_FAULT_NONE;

	s->lock_fd = -1;
	s->path = mem_text(path);
	s->limits = store_limits_standard();
	s->prune_due = true;
	s->deadline_mono_ms = CLOCK_NEVER;
	if (writes(mode))
		s->lock_fd = store_lock(path, &why, e);
	if ((writes(mode) && s->lock_fd < 0) ||
		open_sound(s, path, mode, &why, e)) {
		store_close(s);
		s = NULL;
	}
	if (fault)
		*fault = why;
	return s;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	close_file(s);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	free(s->path);
	free(s);
}
