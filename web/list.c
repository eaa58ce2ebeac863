/* SPDX-License-Identifier: MIT */
/* list: see list.h.  On the loop's thread; works on the documents and knows nothing of HTTP. */
#include "web/list.h"
#include "base/jtext.h"
#include "base/mem.h"
#include "base/str.h"
#include "document/bays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 64 };

static const struct column bay_columns[] = {
	{"target", {"target"}},
	{"host", {"host"}},
	{"bay", {"bay"}},
	{"location", {"location"}},
	{"present", {"present"}},
	{"role", {"role"}},
	{"verdict", {"verdict"}},
	{"limited_by", {"limited_by"}},
	{"reason", {"reason"}},
	{"speed_gts", {"link", "speed_gts"}},
	{"width", {"link", "width"}},
	{"max_speed_gts", {"link", "max_speed_gts"}},
	{"max_width", {"link", "max_width"}},
	{"slot_max_speed_gts", {"link", "slot", "max_speed_gts"}},
	{"slot_max_width", {"link", "slot", "max_width"}},
	{"bandwidth_bytes_per_second", {"link", "bandwidth_bytes_per_second"}},
	{"policy", {"policy", "name"}},
	{"id", {"drive", "id"}},
	{"serial", {"drive", "serial"}},
	{"model", {"drive", "model"}},
	{"manufacturer", {"drive", "manufacturer"}},
	{"part_number", {"drive", "part_number"}},
	{"firmware", {"drive", "firmware"}},
	{"capacity_bytes", {"drive", "capacity_bytes"}},
	{"protocol", {"drive", "protocol"}},
	{"media_type", {"drive", "media_type"}},
	{"form_factor", {"drive", "form_factor"}},
	{"pci_address", {"drive", "pci_address"}},
	{"percent_used", {"wear", "percent_used"}},
	{"available_spare_percent", {"wear", "available_spare_percent"}},
	{"bytes_written", {"wear", "bytes_written"}},
	{"bytes_read", {"wear", "bytes_read"}},
	{"temperature_celsius", {"temperature_celsius"}},
	{"health", {"health", "status"}},
	{"bmc_health", {"bmc_health"}},
	{"media_errors", {"health", "media_errors"}},
	{"power_on_hours", {"health", "power_on_hours"}},
	{"stale", {"stale"}},
	{"observed_at", {"observed_at"}},
	{"message", {"message"}},
	{NULL, {NULL}},
};

static const struct column target_columns[] = {
	{"name", {"name"}},
	{"kind", {"kind"}},
	{"host", {"host"}},
	{"url", {"url"}},
	{"vendor", {"vendor"}},
	{"product", {"product"}},
	{"firmware", {"firmware"}},
	{"power", {"power"}},
	{"verdict", {"verdict"}},
	{"partial", {"partial"}},
	{"reason", {"reason"}},
	{"requests", {"requests"}},
	{"duration_ms", {"duration_ms"}},
	{"observed_at", {"observed_at"}},
	{"message", {"message"}},
	{NULL, {NULL}},
};

static const struct column event_columns[] = {
	{"id", {"id"}},
	{"at", {"at"}},
	{"target", {"target"}},
	{"host", {"host"}},
	{"type", {"type"}},
	{"severity", {"severity"}},
	{"bay", {"bay"}},
	{"serial", {"serial"}},
	{"from", {"from"}},
	{"to", {"to"}},
	{"message", {"message"}},
	{NULL, {NULL}},
};

static const struct column alert_columns[] = {
	{"id", {"id"}},
	{"kind", {"kind"}},
	{"severity", {"severity"}},
	{"state", {"state"}},
	{"target", {"target"}},
	{"host", {"host"}},
	{"bay", {"bay"}},
	{"serial", {"serial"}},
	{"since", {"since"}},
	{"last_seen", {"last_seen"}},
	{"resolved_at", {"resolved_at"}},
	{"message", {"message"}},
	{NULL, {NULL}},
};

const struct list list_bays = {"bays", bay_columns};
const struct list list_drives = {"drives", bay_columns}; /* a drive is listed as the bay it is in */
const struct list list_targets = {"targets", target_columns};
const struct list list_events = {"events", event_columns};
const struct list list_alerts = {"alerts", alert_columns};

static const struct column *column_of(const struct list *l, const char *name)
{
	for (const struct column *c = l->columns; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

/* ---- what a query asks for ---- */

struct row {
	json_t *key; /* what it is sorted by */
	size_t at;   /* in the document: equal ones keep their order */
	bool down;
};

struct choice {
	const struct list *list;
	const struct api_query *query;
	const struct column *sort; /* NULL: as it stands */
	bool down;
	int64_t offset, limit, rows_max;
	const char *fields; /* NULL: all */
	const char *words;  /* NULL: all; see says() */
};

static bool is_control(const char *key)
{
	static const char *const words[] = {"limit", "offset", "sort", "fields", "q", NULL};

	for (const char *const *w = words; *w; w++)
		if (strcmp(*w, key) == 0)
			return true;
	return false;
}

static int read_control(struct choice *c, const char *key, const char *value, struct err *e)
{
	int n;

	if (strcmp(key, "limit") == 0)
		return str_to_int(value, 1, c->rows_max, &c->limit)
			       ? 0
			       : err_set(e, "limit is a whole number from 1 to %lld", (long long)c->rows_max);
	if (strcmp(key, "offset") == 0)
		return str_to_int(value, 0, INT32_MAX, &c->offset) ? 0 : err_set(e, "offset is a whole number from 0");
	if (strcmp(key, "fields") == 0) {
		c->fields = value;
		for (n = 1; *value && n <= FIELDS_MAX; value++)
			n += *value == ',';
		return value != c->fields && n <= FIELDS_MAX ? 0 : err_set(e, "fields names members, with commas between them, at most %d", FIELDS_MAX);
	}
	if (strcmp(key, "q") == 0) {
		c->words = value;
		return 0;
	}
	c->down = *value == '-';
	c->sort = column_of(c->list, value + c->down);
	return c->sort ? 0 : err_set(e, "sort: no column \"%.40s\"; a minus before the name sorts downwards", value);
}

static int read_query(struct choice *c, struct err *e)
{
	if (c->query->overflow)
		return err_set(e, "more than %zu keys", sizeof c->query->pairs / sizeof c->query->pairs[0]);
	for (size_t i = 0; i < c->query->n; i++) {
		const char *key = c->query->pairs[i].key;

		if (is_control(key)) {
			if (read_control(c, key, c->query->pairs[i].value, e))
				return -1;
		} else if (!column_of(c->list, key)) {
			return err_set(e, "no column \"%.40s\" to choose by; docs/API.md lists them", key);
		}
	}
	return 0;
}

/* What people search a drive by. */
static const char *const searched[] = {"host", "location", "serial", "model", "firmware", NULL};

/* Whether one of these holds the words; large and small letters are alike. */
static bool says(const struct choice *c, const json_t *object)
{
	char number[COLUMN_NUMBER_MAX];

	for (const char *const *n = searched; *n; n++) {
		const struct column *column = column_of(c->list, *n);

		if (column && strcasestr(column_text(column_value(object, column), number), c->words))
			return true;
	}
	return false;
}

static bool fits(const struct choice *c, const json_t *object)
{
	char number[COLUMN_NUMBER_MAX];

	for (size_t i = 0; i < c->query->n; i++) {
		const char *key = c->query->pairs[i].key;

		if (is_control(key))
			continue;
		if (!str_match(c->query->pairs[i].value, column_text(column_value(object, column_of(c->list, key)), number)))
			return false;
	}
	return !c->words || says(c, object);
}

/* ---- in an order: numbers before texts, what is not known last either way ---- */

static int rank(const json_t *v)
{
	return json_is_number(v) ? 0 : !v || json_is_null(v) ? 2 : 1;
}

static int compare_values(const json_t *a, const json_t *b)
{
	char na[COLUMN_NUMBER_MAX], nb[COLUMN_NUMBER_MAX];

	if (json_is_number(a)) {
		double x = json_number_value(a), y = json_number_value(b);

		return (x > y) - (x < y);
	}
	return str_natural(column_text(a, na), column_text(b, nb));
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	int order = rank(a->key) - rank(b->key);

	if (!order && rank(a->key) != 2)
		order = compare_values(a->key, b->key) * (a->down ? -1 : 1);
	return order ? order : (a->at > b->at) - (a->at < b->at);
}

/* ---- rows ---- */

static json_t *row_of_tree(const void *of, size_t i, const struct wanted *w)
{
	const json_t *object = json_array_get(of, i);

	return w ? wanted_of(w, object) : json_incref((json_t *)object);
}

struct rows list_rows(const struct list *l, const json_t *document)
{
	const json_t *all = json_object_get(document, l->key);

	return (struct rows){.list = l, .n = json_array_size(all), .each = true, .row = row_of_tree, .of = all};
}

static void add_path(struct buf *names, const struct column *c)
{
	for (size_t i = 0; i < sizeof c->path / sizeof c->path[0] && c->path[i]; i++)
		buf_printf(names, "%s%s", i ? "." : "", c->path[i]);
	buf_add_text(names, ",");
}

/* The members that a row is chosen and sorted by; NULL: none. */
static struct wanted *looked_at(const struct choice *c, const struct rows *r)
{
	struct wanted *w = NULL;
	struct buf names;

	buf_init(&names, 64 * 1024);
	for (size_t i = 0; i < c->query->n; i++)
		if (!is_control(c->query->pairs[i].key))
			add_path(&names, column_of(c->list, c->query->pairs[i].key));
	for (const char *const *name = searched; c->words && *name; name++)
		if (column_of(c->list, *name))
			add_path(&names, column_of(c->list, *name));
	if (c->sort)
		add_path(&names, c->sort);
	if (names.len || !r->each)
		w = wanted_read(buf_text(&names), r->members);
	buf_release(&names);
	return w;
}

/* The members of all columns. */
static struct wanted *shown_in_csv(const struct rows *r)
{
	struct wanted *w;
	struct buf names;

	buf_init(&names, 64 * 1024);
	for (const struct column *c = r->list->columns; c->name; c++)
		add_path(&names, c);
	w = wanted_read(buf_text(&names), r->members);
	buf_release(&names);
	return w;
}

/* Those that fit, in their order: only what that takes is made of each, and what is kept of it is its key. */
static size_t find_rows(const struct choice *c, const struct rows *r, struct row *row)
{
	struct wanted *w = looked_at(c, r);
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		json_t *object = w ? r->row(r->of, i, w) : NULL;

		if (w && (!object || !fits(c, object))) {
			json_decref(object);
			continue;
		}
		row[n++] = (struct row){c->sort ? json_incref((json_t *)column_value(object, c->sort)) : NULL, i, c->down};
		json_decref(object);
	}
	wanted_free(w);
	if (c->sort)
		qsort(row, n, sizeof *row, compare_rows);
	return n;
}

/* Nothing is chosen but members: the list is no longer than it is without a query, and each row of it shorter. */
static bool is_whole(const struct choice *c, bool csv)
{
	return c->fields ? c->query->n == 1 : !csv && !c->query->n;
}

int list_choose(struct chosen *out, const struct rows *r, const struct api_query *q, bool csv, struct err *e)
{
	struct choice c = {.list = r->list, .query = q, .rows_max = csv ? LIST_CSV_ROWS_MAX : LIST_ROWS_MAX};
	struct row *row;

	*out = (struct chosen){.rows = r};
	c.limit = c.rows_max;
	if (read_query(&c, e))
		return -1;
	if (is_whole(&c, csv))
		c.limit = INT32_MAX;
	row = mem_new(r->n + 1, sizeof *row);
	out->total = find_rows(&c, r, row);
	out->at = mem_new(out->total + 1, sizeof *out->at);
	out->next = (size_t)c.offset;
	for (; out->next < out->total && out->n < (size_t)c.limit; out->next++)
		out->at[out->n++] = row[out->next].at;
	for (size_t i = 0; i < out->total; i++)
		json_decref(row[i].key);
	free(row);
	if (c.fields)
		out->wanted = wanted_read(c.fields, r->members);
	else if (csv)
		out->wanted = shown_in_csv(r);
	return 0;
}

void chosen_release(struct chosen *c)
{
	wanted_free(c->wanted);
	free(c->at);
	*c = (struct chosen){0};
}

/* ---- as JSON ---- */

int list_add_rows(struct buf *out, const void *chosen)
{
	const struct chosen *c = chosen;
	int rc = 0;

	for (size_t i = 0; i < c->n && rc == 0; i++) {
		json_t *row = c->rows->row(c->rows->of, c->at[i], c->wanted);

		rc = i ? buf_add_text(out, ",") : 0;
		if (rc == 0)
			rc = jtext_add(out, row, DOCUMENT_DUMP | JSON_COMPACT);
		json_decref(row);
	}
	return rc;
}

int list_add_document(struct buf *out, const json_t *document, const struct chosen *c)
{
	int rc = 0;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)document, key, value)
	{
		bool rows = strcmp(key, c->rows->list->key) == 0;

		rc = rc ? rc : buf_printf(out, "%s\"%s\":%s", out->len ? "," : "{", key, rows ? "[" : "");
		if (rc == 0)
			rc = rows ? list_add_rows(out, c) : jtext_add(out, value, DOCUMENT_DUMP | JSON_COMPACT | JSON_ENCODE_ANY);
		if (rc == 0 && rows)
			rc = buf_add_text(out, "]");
	}
	return rc ? rc : buf_add_text(out, "}");
}

int list_add_end(struct buf *out, const struct chosen *c)
{
	out->data[--out->len] = '\0'; /* the closing brace: the object goes on */
	if (c->next < c->total)
		return buf_printf(out, ",\"total\":%zu,\"next\":%zu}", c->total, c->next);
	return buf_printf(out, ",\"total\":%zu,\"next\":null}", c->total);
}

/* ---- as CSV ---- */

void list_add_csv(struct buf *out, const struct chosen *c)
{
	csv_add_header(out, c->rows->list->columns);
	for (size_t i = 0; i < c->n; i++) {
		json_t *row = c->rows->row(c->rows->of, c->at[i], c->wanted);

		csv_add_row(out, c->rows->list->columns, row);
		json_decref(row);
	}
}
