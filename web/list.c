/* SPDX-License-Identifier: MIT */
/* list: see list.h.  On the loop's thread; works on the documents and knows nothing of HTTP. */
#include "web/list.h"
#include "base/mem.h"
#include "base/str.h"

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
	const json_t *object, *key; /* key: what it is sorted by */
	size_t place;		    /* in the document: equal ones keep their order */
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

/* Whether one of what people search a drive by holds these words; large and small letters are alike. */
static bool says(const struct choice *c, const json_t *object)
{
	static const char *const names[] = {"host", "location", "serial", "model", "firmware", NULL};
	char number[COLUMN_NUMBER_MAX];

	for (const char *const *n = names; *n; n++) {
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
	return order ? order : (a->place > b->place) - (a->place < b->place);
}

/*
 * Adds the member that a name leads to ("bay", "link.slot.max_width"), below the same keys as in the object.  What is null
 * on the way says so, for what is below it is as little known; what there is none of is left out.
 */
static void add_member(json_t *out, const json_t *object, const char *name, size_t n)
{
	const char *dot = memchr(name, '.', n);
	size_t len = dot ? (size_t)(dot - name) : n;
	json_t *value, *below;
	char key[64];

	if (len >= sizeof key)
		return;
	memcpy(key, name, len);
	key[len] = '\0';
	value = json_object_get(object, key);
	if (value && (!dot || json_is_null(value)))
		json_object_set(out, key, value);
	if (!dot || !json_is_object(value))
		return;
	below = json_object_get(out, key);
	if (below == value) /* it is there whole */
		return;
	if (!below) {
		below = json_object();
		json_object_set_new(out, key, below);
	}
	add_member(below, value, dot + 1, n - len - 1);
}

static json_t *some_members(const json_t *object, const char *fields)
{
	json_t *out = json_object();

	while (*fields) {
		size_t n = strcspn(fields, ",");

		add_member(out, object, fields, n);
		fields += n + (fields[n] == ',');
	}
	return out;
}

/* Only members are chosen: the list is no longer than it is without a query, and each row of it shorter. */
static bool is_whole(const struct choice *c)
{
	return c->fields && c->query->n == 1;
}

json_t *list_choose(const json_t *document, const struct list *l, const struct api_query *q, int64_t rows_max, struct err *e)
{
	struct choice c = {.list = l, .query = q, .limit = rows_max, .rows_max = rows_max};
	const json_t *all = json_object_get(document, l->key);
	json_t *out, *rows, *object;
	struct row *row;
	size_t i, n = 0;

	if (read_query(&c, e))
		return NULL;
	if (is_whole(&c))
		c.limit = INT32_MAX;
	row = mem_new(json_array_size(all) + 1, sizeof *row);
	json_array_foreach((json_t *)all, i, object)
		if (fits(&c, object))
			row[n++] = (struct row){object, c.sort ? column_value(object, c.sort) : NULL, i, c.down};
	if (c.sort)
		qsort(row, n, sizeof *row, compare_rows);
	rows = json_array();
	for (i = (size_t)c.offset; i < n && i < (size_t)(c.offset + c.limit); i++) {
		if (c.fields)
			json_array_append_new(rows, some_members(row[i].object, c.fields));
		else
			json_array_append(rows, (json_t *)row[i].object);
	}
	free(row);
	out = json_copy((json_t *)document);
	json_object_set_new(out, l->key, rows);
	json_object_set_new(out, "total", json_integer((json_int_t)n));
	json_object_set_new(out, "next", i < n ? json_integer((json_int_t)i) : json_null());
	return out;
}

/* ---- CSV ---- */

void list_write_csv(struct buf *out, const json_t *array, const struct list *l)
{
	json_t *object;
	size_t i;

	csv_add_header(out, l->columns);
	json_array_foreach((json_t *)array, i, object)
		csv_add_row(out, l->columns, object);
}
