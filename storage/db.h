/* SPDX-License-Identifier: MIT */
/*
 * db: the connection of a store and its statements, for the files of this folder:
 * prepared once, values bound and never printed in.
 */
#ifndef STORAGE_DB_H
#define STORAGE_DB_H

#include "base/err.h"
#include "model/count.h"
#include "model/metric.h"
#include "storage/store.h"

#include <sqlite3.h>

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { DB_STATEMENTS_MAX = 96, DB_TEXT_MAX = 4096 };

struct db_statement {
	const char *sql; /* the text's address is the name of the statement */
	sqlite3_stmt *stmt;
};

struct catalogue;
struct packing;

struct store {
	sqlite3 *db;
	char *path;
	struct catalogue *known; /* of the writer: catalogue.h; NULL until it is needed */
	struct packing *packing; /* of the writer: points.c; NULL if nothing is under way */
	int wal_pages;           /* in the WAL after the last commit */
	int failed_with;         /* SQLite's code of the last failure */
	bool prune_due;          /* something may be too old, or too much */
	int64_t poll_bytes;      /* what the polls of the last bucket took, and those of the next one will */
	struct store_limits limits;
	int64_t deadline_mono_ms; /* of what is being read; CLOCK_NEVER none */
	int lock_fd; /* of the one writer; -1 */
	dev_t device; /* of the file, as it was opened */
	ino_t inode;
	const _Atomic bool *stop; /* looking through ends early; NULL: it does not */
	size_t n_statements;
	struct db_statement statements[DB_STATEMENTS_MAX];
};

/* A statement, reset and with nothing bound; `sql` is a constant text. NULL with the
 * reason. */
sqlite3_stmt *db_get(struct store *s, const char *sql, struct err *e);

/* Within a transaction (store_silence.c). */
int silences_write(struct store *s, const struct silences *list, struct err *e);

/* ---- store_open.c, for maintain.c ---- */

/* The version of the tables that this program writes. */
int64_t store_version(void);

/* The lock of the one writer, a descriptor to be closed; -1 with the reason. */
int store_lock(const char *path, enum store_fault *fault, struct err *e);

/* The file and what belongs to it get a dated name, "PATH.WHY-TIME", which goes to `name`. */
int store_set_aside(const char *path, const char *why, char *name, size_t size, struct err *e);

/* Runs statements without values, or one that was bound, to its end. */
int db_exec(struct store *s, const char *sql, struct err *e);
int db_run(struct store *s, sqlite3_stmt *stmt, struct err *e);

/* 1 a row, 0 the end, -1 with the reason. */
int db_step(struct store *s, sqlite3_stmt *stmt, struct err *e);

/* The reason of the last failure, in words. */
int db_error(struct store *s, const char *what, struct err *e);

/* Binding: what is not known is NULL. Parameters are counted from 1. */
void db_text(sqlite3_stmt *stmt, int i,
	const char *text); /* "" is NULL; borrowed until it ran */
void db_int(sqlite3_stmt *stmt, int i, int64_t n);
void db_time(sqlite3_stmt *stmt, int i, int64_t ms); /* CLOCK_NEVER, or below 0: NULL */
void db_count(sqlite3_stmt *stmt, int i, struct count c);
void db_value(sqlite3_stmt *stmt, int i, struct metric_value v);

/* Columns, counted from 0. */
void db_get_text(sqlite3_stmt *stmt, int i, char *out, size_t size);
const char *db_borrow_text(sqlite3_stmt *stmt, int i); /* "" for NULL */
int64_t db_get_int(sqlite3_stmt *stmt, int i, int64_t if_null);
struct count db_get_count(sqlite3_stmt *stmt, int i);
struct metric_value db_get_value(sqlite3_stmt *stmt, int i, const struct metric *m);

#endif
