/* SPDX-License-Identifier: MIT */
/*
 * db_export: all points of the database for other programs: a line a drive and poll (CSV, or
 * JSON lines), or series by bay (OpenMetrics, for `promtool tsdb create-blocks-from
 * openmetrics`).
 */
#include "agent/cli/command.h"
#include "agent/cli/db.h"
#include "agent/cli/stored.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "document/events.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* Lines are put together from so much time at once: that bounds the memory. */
#define SLICE_MS (10 * INT64_C(86400000))

enum { FAILED = 3 };

struct drive_name {
	char id[24], serial[64], model[96];
};

struct place_name {
	char host[96], bay[64], target[64];
};

struct export {
	const struct options *options;
	struct store *store;
	struct store_filter filter;
	size_t n_drives, n_places;
	struct drive_name *drives;
	struct place_name *places;
	uint64_t left_out; /* points that lie before an earlier one */
};

static void add_drive(void *arg, const char *id, const char *serial, const char *model)
{
	struct export *x = arg;
	struct drive_name *d;

	x->drives = mem_grow(x->drives, x->n_drives, sizeof *x->drives);
	d = &x->drives[x->n_drives++];
	str_copy(d->id, sizeof d->id, id);
	str_copy(d->serial, sizeof d->serial, serial);
	str_copy(d->model, sizeof d->model, model);
}

static void add_place(void *arg, const char *host, const char *bay, const char *target)
{
	struct export *x = arg;
	struct place_name *p;

	x->places = mem_grow(x->places, x->n_places, sizeof *x->places);
	p = &x->places[x->n_places++];
	str_copy(p->host, sizeof p->host, host);
	str_copy(p->bay, sizeof p->bay, bay);
	str_copy(p->target, sizeof p->target, target[0] ? target : host);
}

/* ---- lines ---- */

struct line {
	int64_t at_wall_ms;
	char bay[64];
	uint64_t polls;
	struct metric_value *values; /* of all metrics */
};

/* The points of a drive in a slice of time: the same ones for each metric. */
struct lines {
	size_t n, n_metrics, metric, next;
	struct line *items;
};

static void take_seen(void *arg, const struct store_point *p)
{
	struct lines *l = arg;
	struct line *mine;

	l->items = mem_grow(l->items, l->n, sizeof *l->items);
	mine = &l->items[l->n++];
	*mine = (struct line){.at_wall_ms = p->at_wall_ms,
		.polls = p->count,
		.values = mem_new(l->n_metrics, sizeof *mine->values)};
	str_copy(mine->bay, sizeof mine->bay, p->bay);
}

static void take_value(void *arg, const struct store_point *p)
{
	struct lines *l = arg;

	/* while the agent writes, a poll may have come since */
	if (l->next < l->n && l->items[l->next].at_wall_ms == p->at_wall_ms)
		l->items[l->next++].values[l->metric] = p->value;
}

static void lines_clear(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i].values);
	free(l->items);
	l->items = NULL;
	l->n = 0;
}

/* Quoted where it has to be; what a spreadsheet takes for a formula gets an apostrophe. */
static void print_csv_text(const char *text)
{
	bool quote = text[strcspn(text, ",\"\r\n")] != '\0';

	if (quote)
		putchar('"');
	if (text[0] && strchr("=+-@", text[0]))
		putchar('\'');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	if (quote)
		putchar('"');
}

static void print_csv_line(const struct drive_name *d, const struct line *l, size_t n_metrics)
{
	char at[CLOCK_TEXT_MAX], digits[COUNT_TEXT_MAX];

	printf("%s,", clock_text(l->at_wall_ms, at));
	print_csv_text(l->bay);
	putchar(',');
	print_csv_text(d->serial);
	putchar(',');
	print_csv_text(d->model);
	printf(",%" PRIu64, l->polls);
	for (size_t m = 0; m < n_metrics; m++) {
		const struct metric_value v = l->values[m];

		putchar(',');
		if (v.known && v.whole)
			fputs(count_text(v.count, digits), stdout);
		else if (v.known)
			printf("%.15g", v.real);
	}
	putchar('\n');
}

static void print_json_line(const struct drive_name *d, const struct line *l, size_t n_metrics)
{
	const struct metric *table = metric_table(&n_metrics);
	char at[CLOCK_TEXT_MAX];
	json_t *j = json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:I}", "at", clock_text(l->at_wall_ms, at),
		"bay", l->bay, "drive", d->id, "serial",
		d->serial[0] ? d->serial : NULL, "model", d->model[0] ? d->model : NULL, "polls",
		(json_int_t)l->polls);

	for (size_t m = 0; m < n_metrics; m++)
		json_object_set_new(
			j, table[m].name, document_of_value(&table[m], l->values[m]));
	json_dumpf(j, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
	json_decref(j);
	putchar('\n');
}

static int read_lines(struct export *x, const struct drive_name *d,
	const struct store_filter *f, struct lines *l, struct err *e)
{
	const struct metric *table = metric_table(&l->n_metrics);

	if (store_each_point(x->store, d->id, NULL, f, take_seen, l, e) < 0)
		return -1;
	for (l->metric = 0; l->metric < l->n_metrics && l->n; l->metric++) {
		l->next = 0;
		if (store_each_point(
			    x->store, d->id, &table[l->metric], f, take_value, l, e) < 0)
			return -1;
	}
	return 0;
}

static int export_slice(struct export *x, const struct store_filter *f, struct err *e)
{
	for (size_t i = 0; i < x->n_drives && !ferror(stdout); i++) {
		struct lines l = {0};
		int rc = read_lines(x, &x->drives[i], f, &l, e);

		for (size_t k = 0; k < l.n; k++)
			if (x->options->output == OUTPUT_JSON)
				print_json_line(&x->drives[i], &l.items[k], l.n_metrics);
			else
				print_csv_line(&x->drives[i], &l.items[k], l.n_metrics);
		lines_clear(&l);
		if (rc)
			return rc;
	}
	return 0;
}

/* Slices are whole days, which no hour or day that was rolled up reaches over. */
static int export_lines(struct export *x, struct err *e)
{
	struct store_filter f = x->filter;
	int64_t at = f.since_wall_ms == CLOCK_NEVER ? INT64_C(-62135596800000) : f.since_wall_ms,
		first = 0, now_ms = clock_wall_ms();
	bool any = false;

	while (!ferror(stdout)) {
		int64_t end;

		if (store_next_time(x->store, at, &at, e))
			return -1;
		if (at == CLOCK_NEVER ||
			(x->filter.until_wall_ms != CLOCK_NEVER && at >= x->filter.until_wall_ms))
			return 0;
		first = any ? first : at;
		any = true;
		end = (at / SLICE_MS + (at >= 0)) * SLICE_MS;
		f.since_wall_ms = at;
		f.until_wall_ms = x->filter.until_wall_ms != CLOCK_NEVER && x->filter.until_wall_ms < end
					  ? x->filter.until_wall_ms
					  : end;
		if (export_slice(x, &f, e))
			return -1;
		if (now_ms > first)
			db_progress("exporting", fmin(0.99, (double)(end - first) / (double)(now_ms - first)));
		at = end;
	}
	return 0;
}

static void print_csv_head(void)
{
	size_t n;
	const struct metric *table = metric_table(&n);

	fputs("at,bay,serial,model,polls", stdout);
	for (size_t m = 0; m < n; m++)
		printf(",%s", table[m].name);
	putchar('\n');
}

/* ---- OpenMetrics ---- */

/* Families named as on /metrics (docs/API.md), in base units. */
static const struct family {
	const char *metric, *name, *type, *help, *label;
	double unit;
} families[] = {
	{"percent_used", "lanewatch_drive_percentage_used_ratio", "gauge",
		"Endurance used; 1 is the rating.", NULL, 0.01},
	{"available_spare_percent", "lanewatch_drive_available_spare_ratio", "gauge",
		"Spare left.", NULL, 0.01},
	{"spare_threshold_percent", "lanewatch_drive_available_spare_threshold_ratio", "gauge",
		"Spare below which the drive warns.", NULL, 0.01},
	{"bytes_written", "lanewatch_drive_written_bytes", "counter",
		"Bytes written by the host.", NULL, 1},
	{"bytes_read", "lanewatch_drive_read_bytes", "counter", "Bytes read by the host.", NULL, 1},
	{"media_errors", "lanewatch_drive_media_errors", "counter",
		"Media and data integrity errors.", NULL, 1},
	{"unsafe_shutdowns", "lanewatch_drive_unsafe_shutdowns", "counter", "Unsafe shutdowns.",
		NULL, 1},
	{"power_on_hours", "lanewatch_drive_power_on_seconds", "counter", "Time powered on.",
		NULL, 3600},
	{"temperature_celsius", "lanewatch_drive_temperature_celsius", "gauge", "Temperature.",
		NULL, 1},
	{"speed_gts", "lanewatch_drive_link_transfers_per_second", "gauge",
		"Negotiated rate of a lane.", NULL, 1e9},
	{"max_speed_gts", "lanewatch_drive_link_max_transfers_per_second", "gauge",
		"Rate of a lane that the drive can do.", NULL, 1e9},
	{"width", "lanewatch_drive_link_width", "gauge", "Negotiated lanes.", NULL, 1},
	{"max_width", "lanewatch_drive_link_max_width", "gauge", "Lanes that the drive can do.",
		NULL, 1},
	{"aer_correctable", "lanewatch_drive_pcie_errors", "counter", "PCIe errors (AER).",
		"severity=\"correctable\"", 1},
	{"aer_nonfatal", "lanewatch_drive_pcie_errors", "counter", NULL,
		"severity=\"nonfatal\"", 1},
	{"aer_fatal", "lanewatch_drive_pcie_errors", "counter", NULL, "severity=\"fatal\"", 1},
	{"read_bytes_per_second", "lanewatch_drive_throughput_bytes_per_second", "gauge",
		"What the drive moved from one poll to the next.", "direction=\"read\"", 1},
	{"write_bytes_per_second", "lanewatch_drive_throughput_bytes_per_second", "gauge", NULL,
		"direction=\"write\"", 1},
	{"busy_ratio", "lanewatch_drive_busy_ratio", "gauge",
		"Share of that time in which requests were pending.", NULL, 1},
};

enum { FAMILIES = sizeof families / sizeof families[0] };

struct metrics_series {
	struct export *export;
	const struct family *family;
	char labels[512];
	int64_t last_wall_ms;
};

static size_t add_label(char *out, size_t size, size_t len, const char *key, const char *value)
{
	len += (size_t)snprintf(out + len, size - len, "%s%s=\"", len > 1 ? "," : "", key);
	for (; *value && len + 4 < size; value++) {
		if (*value == '\\' || *value == '"')
			out[len++] = '\\';
		out[len++] = *value;
	}
	out[len++] = '"';
	out[len] = '\0';
	return len;
}

static void labels_of(struct metrics_series *s, const struct place_name *p)
{
	size_t len = 1;

	str_copy(s->labels, sizeof s->labels, "{");
	len = add_label(s->labels, sizeof s->labels - 64, len, "target", p->target);
	len = add_label(s->labels, sizeof s->labels - 64, len, "bay", p->bay);
	snprintf(s->labels + len, sizeof s->labels - len, "%s%s}", s->family->label ? "," : "",
		s->family->label ? s->family->label : "");
}

/* Times only grow in a series: Prometheus takes no others. */
static void print_sample(void *arg, const struct store_point *p)
{
	struct metrics_series *s = arg;
	double v = metric_number(p->value) * s->family->unit;

	if (isnan(v))
		return;
	if (s->last_wall_ms != CLOCK_NEVER && p->at_wall_ms <= s->last_wall_ms) {
		s->export->left_out++;
		return;
	}
	s->last_wall_ms = p->at_wall_ms;
	printf("%s%s%s %.15g %" PRId64 ".%03d\n", s->family->name,
		s->family->type[0] == 'c' ? "_total" : "", s->labels, v, p->at_wall_ms / 1000,
		(int)(p->at_wall_ms % 1000));
}

static int export_family(struct export *x, size_t i, struct err *e)
{
	struct metrics_series s = {.export = x, .family = &families[i]};

	if (s.family->help)
		printf("# TYPE %s %s\n# HELP %s %s\n", s.family->name, s.family->type,
			s.family->name, s.family->help);
	for (size_t k = 0; k < x->n_places && !ferror(stdout); k++) {
		const struct place_name *p = &x->places[k];
		char who[sizeof p->host + sizeof p->bay + 1];

		db_progress("exporting",
			(double)(i * x->n_places + k) / (double)(FAMILIES * x->n_places));
		snprintf(who, sizeof who, "%s/%s", p->host, p->bay);
		labels_of(&s, p);
		s.last_wall_ms = CLOCK_NEVER;
		if (store_each_point(x->store, who, metric_find(s.family->metric), &x->filter,
			    print_sample, &s, e) < 0)
			return -1;
	}
	return 0;
}

static int export_metrics(struct export *x, struct err *e)
{
	for (size_t i = 0; i < FAMILIES; i++)
		if (export_family(x, i, e))
			return -1;
	puts("# EOF");
	return 0;
}

/* ---- all of it ---- */

static int export_all(struct export *x, struct err *e)
{
	if (store_each_drive(x->store, add_drive, x, e) ||
		store_each_place(x->store, add_place, x, e))
		return -1;
	if (x->options->output == OUTPUT_OPENMETRICS)
		return export_metrics(x, e);
	if (x->options->output != OUTPUT_JSON)
		print_csv_head();
	return export_lines(x, e);
}

int db_export(const struct options *o, const struct config *c)
{
	struct export x = {.options = o};
	struct err e = {""};
	int rc;

	if (stored_filter(o, &x.filter) || stored_step(o, &x.filter))
		return EX_USAGE;
	x.store = stored_open(c, &rc);
	if (!x.store)
		return rc;
	rc = export_all(&x, &e);
	db_progress("", 1);
	if (rc)
		fprintf(stderr, "lanewatch: %s\n", e.text);
	else if (x.left_out)
		fprintf(stderr,
			"lanewatch: %" PRIu64 " points are left out: the clock was set back, and "
			"times have to grow\n",
			x.left_out);
	store_close(x.store);
	free(x.drives);
	free(x.places);
	return rc ? FAILED : EX_OK;
}
