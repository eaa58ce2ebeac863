/* SPDX-License-Identifier: MIT */
/* series: see series.h. */
#include "web/series.h"
#include "base/clock.h"
#include "base/jtext.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "document/bays.h"
#include "document/events.h"
#include "model/count.h"
#include "web/reader.h"
#include "web/when.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_MAX = 100 * 1000, SENT_MAX = 5000, READ_MS = 2000, BYTES_MAX = 8 << 20 };

/* A store_point in half the bytes: there may be 100 000, and touching new memory is what they cost most. */
struct point {
	int64_t at_wall_ms;
	union {
		uint64_t lo;
		double real;
	};
	uint64_t hi;
	uint32_t place;
	bool known, whole; /* of the value: lo and hi, or real */
};

_Static_assert(sizeof(struct point) == 32, "no room is lost in a point");

/* Where a drive was, or who was in a bay: few, and long ones after one another. */
struct place {
	char bay[64], serial[64];
};

struct reading {
	struct point *points;
	size_t n;
	size_t read; /* before they were thinned */
	struct place *places;
	size_t n_places;
};

/* ---- the query ---- */

struct series {
	char who[256];
	const struct metric *metric; /* NULL: present */
	char metric_name[64];
	struct store_filter filter;
	bool compressed; /* who asks takes it so */
	enum series_end end;
	struct page *page;
};

static int read_time(const char *key, const char *value, int64_t *out, struct err *e)
{
	*out = when_parse(value);
	return *out == CLOCK_NEVER ? err_set(e, "%s is a time as 2026-11-30T12:00:00Z, or how long ago as -24h or -30d", key) : 0;
}

static int read_pair(struct series *w, const char *key, const char *value, struct err *e)
{
	if (strcmp(key, "since") == 0)
		return read_time(key, value, &w->filter.since_wall_ms, e);
	if (strcmp(key, "until") == 0)
		return read_time(key, value, &w->filter.until_wall_ms, e);
	if (strcmp(key, "drive") == 0)
		return str_copy(w->who, sizeof w->who, value) ? 0 : err_set(e, "drive is longer than any name");
	if (strcmp(key, "metric") != 0)
		return err_set(e, "no key \"%.40s\"; there are drive, metric, since and until", key);
	str_copy(w->metric_name, sizeof w->metric_name, value);
	w->metric = metric_find(value);
	return w->metric || strcmp(value, "present") == 0 ? 0 : err_set(e, "no metric \"%.40s\"; docs/API.md lists them", value);
}

static int read_query(struct series *w, const struct api_query *q, struct err *e)
{
	*w = (struct series){.compressed = q->gzip, .filter = {.since_wall_ms = CLOCK_NEVER, .until_wall_ms = CLOCK_NEVER}};
	for (size_t i = 0; i < q->n; i++)
		if (read_pair(w, q->pairs[i].key, q->pairs[i].value, e))
			return -1;
	if (q->overflow)
		return err_set(e, "more than %zu keys", sizeof q->pairs / sizeof q->pairs[0]);
	if (!w->who[0] || !w->metric_name[0])
		return err_set(e, "drive (a serial number, an id, or HOST/BAY) and metric have to be given");
	return 0;
}

struct series *series_new(const struct api_query *q, struct err *e)
{
	struct series *s = mem_new(1, sizeof *s);

	if (read_query(s, q, e) == 0)
		return s;
	free(s);
	return NULL;
}

void series_free(struct series *s)
{
	if (!s)
		return;
	page_unref(s->page);
	free(s);
}

/* ---- fewer points: of each stretch the least and the greatest, so that no peak is lost ---- */

static struct metric_value value_of(const struct point *p)
{
	if (!p->known)
		return (struct metric_value){0};
	if (!p->whole)
		return (struct metric_value){.known = true, .real = p->real};
	return (struct metric_value){.known = true, .whole = true, .count = {.known = true, .hi = p->hi, .lo = p->lo}};
}

static double number_of(const struct point *p)
{
	if (!p->known)
		return NAN;
	return p->whole ? count_to_double((struct count){.known = true, .hi = p->hi, .lo = p->lo}) : p->real;
}

/* The first of the least and of the greatest; both `from` where nothing is known. */
static void extremes(const struct point *p, size_t from, size_t to, size_t *least, size_t *greatest)
{
	double low = INFINITY, high = -INFINITY;

	*least = *greatest = from;
	for (size_t i = from; i < to; i++) {
		double number = number_of(&p[i]);

		if (number < low) {
			low = number;
			*least = i;
		}
		if (number > high) {
			high = number;
			*greatest = i;
		}
	}
}

static void thin(struct reading *r)
{
	size_t stretches = SENT_MAX / 2, kept = 0;

	if (r->n <= SENT_MAX)
		return;
	for (size_t k = 0; k < stretches; k++) {
		size_t from = k * r->n / stretches, to = (k + 1) * r->n / stretches;
		struct point first, second;
		size_t a, b;

		extremes(r->points, from, to, &a, &b);
		first = r->points[a < b ? a : b];
		second = r->points[a < b ? b : a];
		r->points[kept++] = first;
		if (a != b)
			r->points[kept++] = second;
	}
	r->n = kept;
}

static uint32_t place_of(struct reading *r, const struct store_point *p)
{
	struct place *last = r->n_places ? &r->places[r->n_places - 1] : NULL;

	if (last && strcmp(last->bay, p->bay) == 0 && strcmp(last->serial, p->serial) == 0)
		return (uint32_t)(r->n_places - 1);
	r->places = mem_grow(r->places, r->n_places, sizeof *r->places);
	last = &r->places[r->n_places++];
	str_copy(last->bay, sizeof last->bay, p->bay);
	str_copy(last->serial, sizeof last->serial, p->serial);
	return (uint32_t)(r->n_places - 1);
}

/* One point after the other; past a bound those that are there are thinned at once. */
static void take(void *arg, const struct store_point *p)
{
	struct reading *r = arg;
	struct point *mine;

	if (r->n == KEPT_MAX)
		thin(r);
	r->read++;
	r->points = mem_grow(r->points, r->n, sizeof *r->points);
	mine = &r->points[r->n++];
	*mine = (struct point){.at_wall_ms = p->at_wall_ms, .lo = p->value.count.lo, .hi = p->value.count.hi, .place = place_of(r, p),
		.known = p->value.known, .whole = p->value.whole};
	if (!p->value.whole)
		mine->real = p->value.real;
}

/* A text as JSON, null for an empty one. */
static void add_text(struct buf *out, const char *s)
{
	json_t *j = *s ? json_string(s) : NULL;
	char *text = j ? jtext_print(j, JSON_ENCODE_ANY) : NULL;

	json_decref(j);
	buf_add_text(out, text ? text : "null");
	free(text);
}

/* The end of each point of a place. */
static void add_place(struct buf *out, const struct place *at)
{
	buf_add_text(out, ",\"bay\":");
	add_text(out, at->bay);
	buf_add_text(out, ",\"serial\":");
	add_text(out, at->serial);
	buf_add_text(out, "}");
}

/* Thousands of points: as text at once, which takes a third of the time of a tree. */
static void add_points(struct buf *out, const struct series *w, const struct reading *r)
{
	const struct metric_value seen = {.known = true, .whole = true, .count = count_of(1)};
	size_t place = SIZE_MAX;
	char at[CLOCK_TEXT_MAX];
	struct buf where;

	buf_init(&where, 4096);
	for (size_t i = 0; i < r->n; i++) {
		const struct point *p = &r->points[i];

		if (p->place != place) {
			buf_clear(&where);
			add_place(&where, &r->places[p->place]);
			place = p->place;
		}
		buf_add_text(out, i ? ",{\"at\":\"" : "{\"at\":\"");
		buf_add_text(out, clock_text(p->at_wall_ms, at));
		buf_add_text(out, "\",\"value\":");
		document_add_value(out, w->metric, w->metric ? value_of(p) : seen);
		buf_add(out, where.data, where.len);
	}
	buf_release(&where);
}

static struct page *page_of(const struct series *w, const struct reading *r)
{
	struct page *p;
	char who[256];
	struct buf out;
	size_t len;

	str_clean(who, sizeof who, w->who);
	buf_init(&out, BYTES_MAX);
	buf_add_text(&out, "{\"schema\":\"lanewatch/history/v1\",\"drive\":");
	add_text(&out, who);
	buf_printf(&out, ",\"metric\":\"%s\",\"read\":%zu,\"points\":[", w->metric_name, r->read);
	add_points(&out, w, r);
	buf_add_text(&out, "]}");
	len = out.len;
	p = page_new(buf_take(&out), len, "application/json");
	if (w->compressed)
		page_zipped(p, &len); /* here, where it holds up nobody */
	return p;
}

void series_read(struct series *s, void *reader)
{
	struct err e;
	struct store *store = reader_store(reader, READ_MS, &e);
	struct reading r = {0};
	int found = store ? store_each_point(store, s->who, s->metric, &s->filter, take, &r, &e) : -1;

	s->end = found < 0 ? SERIES_FAILED : found ? SERIES_READ : SERIES_NOBODY;
	if (found >= 0) {
		thin(&r);
		s->page = page_of(s, &r);
	} else if (store) {
		log_warn("web", "a series cannot be read: %s", e.text);
	}
	free(r.points);
	free(r.places);
}

/* ---- on the loop again ---- */

const char *series_who(const struct series *s)
{
	return s->who;
}

enum series_end series_take(struct series *s, struct page **page)
{
	*page = s->page;
	s->page = NULL;
	return s->end;
}
