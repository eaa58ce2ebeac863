/* SPDX-License-Identifier: MIT */
/* db: the database as a file: checked, copied, put back, told of. */
#include "agent/cli/db.h"
#include "agent/cli/command.h"
#include "agent/cli/output_rows.h"
#include "agent/cli/stored.h"
#include "base/clock.h"
#include "base/str.h"
#include "storage/maintain.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 4096, FAILED = 3 };

void db_progress(const char *what, double part)
{
	static const char clear_line[] = "\r\033[K";

	if (!isatty(STDERR_FILENO))
		return;
	if (part >= 1)
		fputs(clear_line, stderr);
	else
		fprintf(stderr, "%s%s: %d %%", clear_line, what, (int)(part * 100));
}

static void on_progress(void *arg, double part)
{
	db_progress(arg, part);
}

static void on_fault(void *arg, const char *what)
{
	char clean[256];

	(void)arg;
	db_progress("", 1);
	str_clean(clean, sizeof clean, what);
	puts(clean);
}

static struct store_work work_of(const char *what)
{
	return (struct store_work){on_progress, on_fault, (void *)what};
}

/* Says why not; the exit status. */
static int refused(enum store_fault fault, const struct err *e)
{
	db_progress("", 1);
	fprintf(stderr, "lanewatch: %s\n", e->text);
	return fault == STORE_FOREIGN ? EX_DATAERR : FAILED;
}

/* ---- verbs ---- */

static int check(const struct options *o, const struct config *c)
{
	const struct store_work w = work_of("checking");
	enum store_fault fault = STORE_FAULT_NONE;
	struct err e = {""};
	int n = store_check(c->database, &w, &fault, &e);

	(void)o;
	if (n < 0)
		return refused(fault, &e);
	if (n == 0) {
		printf("%s is sound\n", c->database);
		return EX_OK;
	}
	printf("%s is damaged: %d fault%s\n", c->database, n, n == 1 ? "" : "s");
	puts("What can be got out of it: sqlite3 FILE .recover; or a backup: lanewatch db restore FILE");
	return EX_DATAERR;
}

static int backup(const struct options *o, const struct config *c)
{
	const struct store_work w = work_of("copying");
	enum store_fault fault = STORE_FAULT_NONE;
	struct err e = {""};

	if (o->n_args < 2) {
		fprintf(stderr, "lanewatch: db backup: where to? lanewatch db backup FILE\n");
		return EX_USAGE;
	}
	if (store_backup(c->database, o->args[1], &w, &fault, &e))
		return refused(fault, &e);
	printf("%s: a copy of %s\n", o->args[1], c->database);
	return EX_OK;
}

static int restore(const struct options *o, const struct config *c)
{
	const struct store_work w = work_of("copying");
	enum store_fault fault = STORE_FAULT_NONE;
	char aside[NAME_MAX_BYTES];
	struct err e = {""};

	if (o->n_args < 2) {
		fprintf(stderr, "lanewatch: db restore: from what? lanewatch db restore FILE\n");
		return EX_USAGE;
	}
	if (store_restore(c->database, o->args[1], aside, sizeof aside, &w, &fault, &e))
		return refused(fault, &e);
	printf("%s is now what %s was\n", c->database, o->args[1]);
	if (aside[0])
		printf("what was there is kept as %s\n", aside);
	return EX_OK;
}

/* ---- stats ---- */

static json_t *span_document(const struct store_span *s)
{
	char from[CLOCK_TEXT_MAX], until[CLOCK_TEXT_MAX];

	return json_pack("{s:I, s:I, s:s?, s:s?}", "rows", (json_int_t)s->rows, "bytes",
		(json_int_t)s->bytes, "since",
		s->from_wall_ms == CLOCK_NEVER ? NULL : clock_text(s->from_wall_ms, from),
		"until",
		s->until_wall_ms == CLOCK_NEVER ? NULL : clock_text(s->until_wall_ms, until));
}

static json_t *stats_document(const struct config *c, const struct store_stats *s)
{
	return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, "
			 "s:o, s:o, s:o}",
		"schema", "lanewatch/database/v1", "file", c->database, "version",
		(json_int_t)s->version, "file_bytes", (json_int_t)s->file_bytes, "wal_bytes",
		(json_int_t)s->wal_bytes, "free_bytes", (json_int_t)s->free_bytes, "drives",
		(json_int_t)s->drives, "places", (json_int_t)s->places, "stays",
		(json_int_t)s->stays, "events", (json_int_t)s->events, "alerts_firing",
		(json_int_t)s->alerts_firing, "notices_open", (json_int_t)s->notices_open,
		"document_bytes", (json_int_t)s->document_bytes, "polls", span_document(&s->polls),
		"raw", span_document(&s->raw), "hours", span_document(&s->hours), "days",
		span_document(&s->days));
}

static void size_text(int64_t bytes, char *out, size_t size)
{
	if (bytes < 10 << 10)
		snprintf(out, size, "%lld B", (long long)bytes);
	else if (bytes < 10 << 20)
		snprintf(out, size, "%lld KiB", (long long)(bytes >> 10));
	else
		snprintf(out, size, "%lld MiB", (long long)(bytes >> 20));
}

static void add_span(struct rows *r, const char *what, const struct store_span *s)
{
	char rows[24], bytes[24], from[CLOCK_TEXT_MAX], until[CLOCK_TEXT_MAX];
	const char *const cells[] = {what, rows, bytes, clock_text(s->from_wall_ms, from),
		clock_text(s->until_wall_ms, until)};

	snprintf(rows, sizeof rows, "%lld", (long long)s->rows);
	size_text(s->bytes, bytes, sizeof bytes);
	rows_add(r, cells);
}

static void add_count(struct rows *r, const char *what, int64_t n)
{
	char text[24];
	const char *const cells[] = {what, text, "", "", ""};

	snprintf(text, sizeof text, "%lld", (long long)n);
	rows_add(r, cells);
}

static void print_stats(const struct config *c, const struct store_stats *s)
{
	static const char *const heads[] = {"WHAT", ">ROWS", ">SIZE", "SINCE", "UNTIL", NULL};
	struct rows *r = rows_new(heads);
	char file[24], wal[24], unused[24];

	size_text(s->file_bytes, file, sizeof file);
	size_text(s->wal_bytes, wal, sizeof wal);
	size_text(s->free_bytes, unused, sizeof unused);
	printf("%s: %s, %s of it unused, and %s of WAL; version %lld of its tables\n\n", c->database,
		file, unused, wal, (long long)s->version);
	add_span(r, "last polls", &s->polls);
	add_span(r, "raw points", &s->raw);
	add_span(r, "hours", &s->hours);
	add_span(r, "days", &s->days);
	add_count(r, "drives", s->drives);
	add_count(r, "bays", s->places);
	add_count(r, "stays in bays", s->stays);
	add_count(r, "events", s->events);
	add_count(r, "alerts firing", s->alerts_firing);
	add_count(r, "notices to tell", s->notices_open);
	rows_print(r, stdout);
}

static int stats(const struct options *o, const struct config *c)
{
	struct store_stats s;
	struct err e = {""};
	struct store *st;
	int rc;

	st = stored_open(c, &rc);
	if (!st)
		return rc;
	rc = store_get_stats(st, &s, &e);
	store_close(st);
	if (rc)
		return refused(STORE_UNUSABLE, &e);
	if (o->output == OUTPUT_JSON)
		stored_print(stats_document(c, &s));
	else
		print_stats(c, &s);
	return EX_OK;
}

/* ---- which verb ---- */

static const struct {
	const char *name;
	int (*run)(const struct options *o, const struct config *c);
	size_t n_args;
	bool exports; /* takes --since, --until, --step and its own formats */
} verbs[] = {
	{"check", check, 1, false},
	{"backup", backup, 2, false},
	{"restore", restore, 2, false},
	{"stats", stats, 1, false},
	{"export", db_export, 1, true},
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

static int refuse_verb(const char *given)
{
	const char *names[VERBS + 1] = {NULL}, *near;
	char clean[64];

	for (size_t i = 0; i < VERBS; i++)
		names[i] = verbs[i].name;
	near = given ? str_nearest(given, names) : NULL;
	str_clean(clean, sizeof clean, given);
	if (!given)
		fprintf(stderr, "lanewatch: db: check, backup, restore, stats or export?\n");
	else
		fprintf(stderr, "lanewatch: db: no verb '%s'; %s%s\n",
			clean,
			near ? "did you mean " : "there are check, backup, restore, stats and export",
			near ? near : "");
	return EX_USAGE;
}

int command_db(const struct options *o, const struct config *c)
{
	const char *verb = o->n_args ? o->args[0] : NULL;
	size_t i = 0;

	while (verb && i < VERBS && !str_same(verbs[i].name, verb))
		i++;
	if (!verb || i == VERBS)
		return refuse_verb(verb);
	if (o->n_args > verbs[i].n_args) {
		fprintf(stderr, "lanewatch: db %s takes no file; the database is named by --database\n", verb);
		return EX_USAGE;
	}
	if (!verbs[i].exports && (o->since || o->until || o->step || o->output == OUTPUT_CSV ||
					 o->output == OUTPUT_OPENMETRICS)) {
		fprintf(stderr, "lanewatch: --since, --until, --step, -o csv and -o openmetrics are for db export\n");
		return EX_USAGE;
	}
	return verbs[i].run(o, c);
}
