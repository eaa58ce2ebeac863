/* SPDX-License-Identifier: MIT */
/* db: see db.h. */
#include "storage/db.h"

#include "base/clock.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int db_error(struct store *s, const char *what, struct err *e)
{
	int code = sqlite3_errcode(s->db);

	s->failed_with = code;
	if (code == SQLITE_FULL)
		return err_set(e, "%s: the disk is full", what);
	if (code == SQLITE_INTERRUPT)
		return err_set(e, "%s: took too long", what);
	if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
		return err_set(e, "%s: the database is locked by another program", what);
	return err_set(e, "%s: %s", what, sqlite3_errmsg(s->db));
}

sqlite3_stmt *db_get(struct store *s, const char *sql, struct err *e)
{
	struct db_statement *st = NULL;

	for (size_t i = 0; i < s->n_statements && !st; i++)
		if (s->statements[i].sql == sql)
			st = &s->statements[i];
	if (st) {
		sqlite3_reset(st->stmt);
		sqlite3_clear_bindings(st->stmt);
		return st->stmt;
	}
	if (s->n_statements == DB_STATEMENTS_MAX) {
		err_set(e, "database: too many statements");
		return NULL;
	}
	st = &s->statements[s->n_statements];
	if (sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &st->stmt,
		    NULL) != SQLITE_OK) {
		db_error(s, "database", e);
		return NULL;
	}
	st->sql = sql;
	s->n_statements++;
	return st->stmt;
}

int db_exec(struct store *s, const char *sql, struct err *e)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? 0
		       : db_error(s, "database", e);
}

int db_step(struct store *s, sqlite3_stmt *stmt, struct err *e)
{
	int rc = sqlite3_step(stmt);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	db_error(s, "database", e);
	sqlite3_reset(stmt);
	return -1;
}

int db_run(struct store *s, sqlite3_stmt *stmt, struct err *e)
{
	int rc;

	while ((rc = db_step(s, stmt, e)) > 0)
		;
	sqlite3_reset(stmt);
	return rc;
}

void db_text(sqlite3_stmt *stmt, int i, const char *text)
{
	if (text && text[0])
		sqlite3_bind_text(stmt, i, text, -1, SQLITE_STATIC);
	else
		sqlite3_bind_null(stmt, i);
}

void db_int(sqlite3_stmt *stmt, int i, int64_t n)
{
	sqlite3_bind_int64(stmt, i, n);
}

void db_time(sqlite3_stmt *stmt, int i, int64_t ms)
{
	if (ms < 0)
		sqlite3_bind_null(stmt, i);
	else
		sqlite3_bind_int64(stmt, i, ms);
}

void db_count(sqlite3_stmt *stmt, int i, struct count c)
{
	char text[COUNT_TEXT_MAX];
	uint64_t n;

	if (!c.known)
		sqlite3_bind_null(stmt, i);
	else if (count_to_u64(c, &n) && n <= INT64_MAX)
		sqlite3_bind_int64(stmt, i, (int64_t)n);
	else
		sqlite3_bind_text(stmt, i, count_text(c, text), -1, SQLITE_TRANSIENT);
}

void db_value(sqlite3_stmt *stmt, int i, struct metric_value v)
{
	if (!v.known)
		sqlite3_bind_null(stmt, i);
	else if (v.whole)
		db_count(stmt, i, v.count);
	else if (v.real == floor(v.real) &&
		 fabs(v.real) < 1e15) /* as a whole number it takes a byte or two */
		sqlite3_bind_int64(stmt, i, (int64_t)v.real);
	else
		sqlite3_bind_double(stmt, i, v.real);
}

const char *db_borrow_text(sqlite3_stmt *stmt, int i)
{
	const unsigned char *text = sqlite3_column_text(stmt, i);

	return text ? (const char *)text : "";
}

void db_get_text(sqlite3_stmt *stmt, int i, char *out, size_t size)
{
	str_copy(out, size, db_borrow_text(stmt, i));
}

int64_t db_get_int(sqlite3_stmt *stmt, int i, int64_t if_null)
{
	return sqlite3_column_type(stmt, i) == SQLITE_NULL
		       ? if_null
		       : sqlite3_column_int64(stmt, i);
}

struct count db_get_count(sqlite3_stmt *stmt, int i)
{
	return count_parse(db_borrow_text(stmt, i));
}

struct metric_value db_get_value(sqlite3_stmt *stmt, int i, const struct metric *m)
{
	struct metric_value v = {
		.whole = m->kind == METRIC_COUNT || m->kind == METRIC_WHOLE};

	if (sqlite3_column_type(stmt, i) == SQLITE_NULL)
		return v;
	if (v.whole) {
		v.count = db_get_count(stmt, i);
		v.known = v.count.known;
	} else {
		v.real = sqlite3_column_double(stmt, i);
		v.known = isfinite(v.real);
	}
	return v;
}
