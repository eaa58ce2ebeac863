/* SPDX-License-Identifier: MIT */
/* history: the points of one drive or bay and one metric, from the store. */
#include "agent/cli/command.h"
#include "agent/cli/output_rows.h"
#include "agent/cli/stored.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "document/events.h"

#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

struct point {
	int64_t at_wall_ms;
	struct metric_value value, least, greatest;
	uint64_t count;
	double rate; /* a second; NAN where it means nothing */
	char bay[64];
};

struct series {
	const struct metric *metric; /* NULL: present */
	bool stepped;		     /* a point is all of a step */
	char drive_id[24], serial[64];
	size_t n;
	struct point *points;
	/* the last one that had a value */
	struct metric_value last;
	int64_t last_steady_ms;
	char last_drive[24];
};

/* Against the last point with a value, over time that no clock moves; none after a
 * counter went back. */
static double rate_of(const struct series *s, const struct store_point *p)
{
	double more, passed_s = (double)(p->at_steady_ms - s->last_steady_ms) / 1000;

	if (!s->metric || !s->metric->counter || !p->value.known || !s->last.known ||
		passed_s <= 0 || !str_same(s->last_drive, p->drive_id))
		return NAN;
	more = count_to_double(count_minus(p->value.count, s->last.count));
	return more / passed_s;
}

static void take(void *arg, const struct store_point *p)
{
	struct series *s = arg;
	struct point *mine;

	s->points = mem_grow(s->points, s->n, sizeof *s->points);
	mine = &s->points[s->n++];
	*mine = (struct point){.at_wall_ms = p->at_wall_ms,
		.value = p->value,
		.least = p->least,
		.greatest = p->greatest,
		.count = p->count,
		.rate = rate_of(s, p)};
	str_copy(mine->bay, sizeof mine->bay, p->bay);
	str_copy(s->drive_id, sizeof s->drive_id, p->drive_id);
	str_copy(s->serial, sizeof s->serial, p->serial);
	if (!p->value.known)
		return;
	s->last = p->value;
	s->last_steady_ms = p->at_steady_ms;
	str_copy(s->last_drive, sizeof s->last_drive, p->drive_id);
}

/* ---- what is printed ---- */

static json_t *document(const struct series *s, const char *metric)
{
	json_t *o = json_object(), *list = json_array();

	for (size_t i = 0; i < s->n; i++) {
		const struct point *p = &s->points[i];
		char at[CLOCK_TEXT_MAX];
		json_t *j = json_object();

		json_object_set_new(j, "at", json_string(clock_text(p->at_wall_ms, at)));
		json_object_set_new(j, "value", document_of_value(s->metric, p->value));
		json_object_set_new(j, "bay", json_string(p->bay));
		json_object_set_new(j, "rate_per_second",
			isnan(p->rate) ? json_null() : json_real(p->rate));
		if (s->stepped) {
			json_object_set_new(j, "min", document_of_value(s->metric, p->least));
			json_object_set_new(j, "max", document_of_value(s->metric, p->greatest));
			json_object_set_new(j, "count", json_integer((json_int_t)p->count));
		}
		json_array_append_new(list, j);
	}
	json_object_set_new(o, "schema", json_string("lanewatch/history/v1"));
	json_object_set_new(
		o, "drive", s->drive_id[0] ? json_string(s->drive_id) : json_null());
	json_object_set_new(
		o, "serial", s->serial[0] ? json_string(s->serial) : json_null());
	json_object_set_new(o, "metric", json_string(metric));
	json_object_set_new(o, "points", list);
	return o;
}

static void value_text(struct metric_value v, char *out, size_t size)
{
	char digits[COUNT_TEXT_MAX];

	out[0] = '\0';
	if (v.known && v.whole)
		str_copy(out, size, count_text(v.count, digits));
	else if (v.known)
		snprintf(out, size, "%g", v.real);
}

static void rate_text(double rate, char *out, size_t size)
{
	out[0] = '\0';
	if (!isnan(rate))
		snprintf(out, size, "%.6g", rate);
}

static void print_table(const struct series *s)
{
	static const char *const heads[] = {"AT", "BAY", ">VALUE", ">A SECOND", NULL};
	static const char *const step_heads[] = {
		"AT", "BAY", ">LAST", ">LEAST", ">GREATEST", ">POLLS", ">A SECOND", NULL};
	struct rows *r = rows_new(s->stepped ? step_heads : heads);

	for (size_t i = 0; i < s->n; i++) {
		const struct point *p = &s->points[i];
		char at[CLOCK_TEXT_MAX], value[COUNT_TEXT_MAX], rate[32], least[COUNT_TEXT_MAX],
			greatest[COUNT_TEXT_MAX], count[24];
		const char *const cells[] = {
			clock_text(p->at_wall_ms, at), p->bay, value, rate};
		const char *const step_cells[] = {
			at, p->bay, value, least, greatest, count, rate};

		value_text(p->value, value, sizeof value);
		value_text(p->least, least, sizeof least);
		value_text(p->greatest, greatest, sizeof greatest);
		snprintf(count, sizeof count, "%llu", (unsigned long long)p->count);
		rate_text(p->rate, rate, sizeof rate);
		rows_add(r, s->stepped ? step_cells : cells);
	}
	rows_print(r, stdout);
}

/* ---- a line for the eye, where the terminal can draw it ---- */

enum { SPARKS = 60, SPARK_LEVELS = 8 };

/* What is drawn: rates of counters, values of all else. */
static double drawn(const struct series *s, size_t i)
{
	return s->metric->counter ? s->points[i].rate : metric_number(s->points[i].value);
}

/* The greatest of the points that share a place in the line; NAN where none is known. */
static double spark_value(const struct series *s, size_t spark, size_t sparks)
{
	double best = NAN;

	for (size_t i = spark * s->n / sparks; i < (spark + 1) * s->n / sparks; i++)
		best = fmax(best, drawn(s, i));
	return best;
}

static void print_sparkline(const struct series *s)
{
	static const char *const blocks[SPARK_LEVELS] = {
		"\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
	size_t sparks = s->n < SPARKS ? s->n : SPARKS;
	double low = NAN, high = NAN;

	if (s->n < 2 || !s->metric || !str_same(nl_langinfo(CODESET), "UTF-8"))
		return;
	for (size_t i = 0; i < sparks; i++) {
		low = fmin(low, spark_value(s, i, sparks));
		high = fmax(high, spark_value(s, i, sparks));
	}
	if (isnan(low))
		return;
	putchar('\n');
	for (size_t i = 0; i < sparks; i++) {
		double v = spark_value(s, i, sparks);
		int level = high > low ? (int)((v - low) / (high - low) * (SPARK_LEVELS - 0.001)) : 0;

		fputs(isnan(v) ? " " : blocks[level], stdout);
	}
	printf("  %g to %g%s\n", low, high, s->metric->counter ? " a second" : "");
}

static void print_csv_step(const struct point *p)
{
	char least[COUNT_TEXT_MAX], greatest[COUNT_TEXT_MAX];

	value_text(p->least, least, sizeof least);
	value_text(p->greatest, greatest, sizeof greatest);
	printf(",%s,%s,%llu", least, greatest, (unsigned long long)p->count);
}

static void print_csv(const struct series *s)
{
	puts(s->stepped ? "at,bay,value,rate_per_second,min,max,count"
			: "at,bay,value,rate_per_second");
	for (size_t i = 0; i < s->n; i++) {
		char at[CLOCK_TEXT_MAX], value[COUNT_TEXT_MAX], rate[32];

		value_text(s->points[i].value, value, sizeof value);
		rate_text(s->points[i].rate, rate, sizeof rate);
		/* names of bays come through str_clean(); quotes in them are doubled by
		 * nobody, so they go */
		printf("%s,\"", clock_text(s->points[i].at_wall_ms, at));
		for (const char *p = s->points[i].bay; *p; p++)
			putchar(*p == '"' ? '\'' : *p);
		printf("\",%s,%s", value, rate);
		if (s->stepped)
			print_csv_step(&s->points[i]);
		putchar('\n');
	}
}

/* ---- names that nobody knows ---- */

struct names {
	size_t n;
	char **items;
};

static void take_name(void *arg, const char *name)
{
	struct names *all = arg;

	all->items = mem_grow(all->items, all->n, sizeof *all->items);
	all->items[all->n++] = mem_text(name);
}

static void tell_unknown_drive(struct store *s, const char *who)
{
	struct names all = {0};
	const char *near = NULL;
	char clean[80];

	if (store_each_name(s, take_name, &all, NULL) == 0 && all.n) {
		all.items = mem_grow(all.items, all.n, sizeof *all.items);
		all.items[all.n] = NULL;
		near = str_nearest(who, (const char *const *)all.items);
	}
	str_clean(clean, sizeof clean, who);
	fprintf(stderr, "lanewatch: history: no drive '%s' in the database%s%s%s\n",
		clean, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	for (size_t i = 0; i < all.n; i++)
		free(all.items[i]);
	free(all.items);
}

static int refuse_metric(const char *name)
{
	const char *words[64] = {"present"}, *near;
	const struct metric *table;
	char clean[80];
	size_t n;

	table = metric_table(&n);
	for (size_t i = 0; i < n && i + 2 < sizeof words / sizeof words[0]; i++)
		words[i + 1] = table[i].name;
	near = str_nearest(name, words);
	str_clean(clean, sizeof clean, name);
	fprintf(stderr, "lanewatch: history: no metric '%s'%s%s%s", clean,
		near ? "; did you mean " : "", near ? near : "",
		near ? "?" : "; there are");
	for (size_t i = 0; words[i] && !near; i++)
		fprintf(stderr, "%s %s", i ? "," : "", words[i]);
	fputc('\n', stderr);
	return EX_USAGE;
}

/* ---- all of it ---- */

static void show(const struct options *o, const struct series *s)
{
	if (o->output == OUTPUT_JSON) {
		stored_print(document(s, o->args[1]));
	} else if (o->output == OUTPUT_CSV) {
		print_csv(s);
	} else {
		print_table(s);
		print_sparkline(s);
	}
}

int command_history(const struct options *o, const struct config *c)
{
	struct series series = {0};
	struct store_filter f;
	struct err e = {""};
	struct store *s;
	int rc, n;

	if (o->n_args != 2) {
		fprintf(stderr, "lanewatch: history: which drive and which metric? "
				"lanewatch history SERIAL percent_used\n");
		return EX_USAGE;
	}
	series.metric = metric_find(o->args[1]);
	if (!series.metric && strcmp(o->args[1], "present") != 0)
		return refuse_metric(o->args[1]);
	if (stored_filter(o, &f) || stored_step(o, &f))
		return EX_USAGE;
	series.stepped = f.step_ms > 0;
	s = stored_open(c, &rc);
	if (!s)
		return rc;
	n = store_each_point(s, o->args[0], series.metric, &f, take, &series, &e);
	if (n < 0)
		fprintf(stderr, "lanewatch: %s\n", e.text);
	else if (n == 0)
		tell_unknown_drive(s, o->args[0]);
	show(o, &series);
	free(series.points);
	store_close(s);
	return n > 0 ? EX_OK : 3;
}
