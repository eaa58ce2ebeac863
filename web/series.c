/* SPDX-License-Identifier: MIT */
/* series: see series.h.  Runs on the loop's thread for now: so what is read is bounded. */
#include "web/series.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "document/events.h"
#include "web/when.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SENT_MAX = 5000 };

struct point {
	int64_t at_wall_ms;
	struct metric_value value;
	double number; /* of the value; NAN where it is not known */
	char bay[64], serial[64];
};

struct reading {
	struct point *points;
	size_t n;
};

static void take(void *arg, const struct store_point *p)
{
	struct reading *r = arg;
	struct point *mine;

	r->points = mem_grow(r->points, r->n, sizeof *r->points);
	mine = &r->points[r->n++];
	*mine = (struct point){.at_wall_ms = p->at_wall_ms, .value = p->value, .number = metric_number(p->value)};
	str_copy(mine->bay, sizeof mine->bay, p->bay);
	str_copy(mine->serial, sizeof mine->serial, p->serial);
}

/* ---- the query ---- */

struct wish {
	const char *who;
	const struct metric *metric; /* NULL: present */
	const char *metric_name;
	struct store_filter filter;
};

static int read_time(const char *key, const char *value, int64_t *out, struct err *e)
{
	*out = when_parse(value);
	return *out == CLOCK_NEVER ? err_set(e, "%s is a time as 2026-11-30T12:00:00Z, or how long ago as -24h or -30d", key) : 0;
}

static int read_pair(struct wish *w, const char *key, const char *value, struct err *e)
{
	if (strcmp(key, "since") == 0)
		return read_time(key, value, &w->filter.since_wall_ms, e);
	if (strcmp(key, "until") == 0)
		return read_time(key, value, &w->filter.until_wall_ms, e);
	if (strcmp(key, "drive") == 0) {
		w->who = value;
		return 0;
	}
	if (strcmp(key, "metric") != 0)
		return err_set(e, "no key \"%.40s\"; there are drive, metric, since and until", key);
	w->metric_name = value;
	w->metric = metric_find(value);
	return w->metric || strcmp(value, "present") == 0 ? 0 : err_set(e, "no metric \"%.40s\"; docs/API.md lists them", value);
}

static int read_wish(struct wish *w, const struct api_query *q, struct err *e)
{
	*w = (struct wish){.filter = {.since_wall_ms = CLOCK_NEVER, .until_wall_ms = CLOCK_NEVER}};
	for (size_t i = 0; i < q->n; i++)
		if (read_pair(w, q->pairs[i].key, q->pairs[i].value, e))
			return -1;
	if (!w->who || !*w->who || !w->metric_name)
		return err_set(e, "drive (a serial number, an id, or HOST/BAY) and metric have to be given");
	return 0;
}

/* ---- fewer points: of each stretch the least and the greatest, so that no peak is lost ---- */

static size_t least_of(const struct point *p, size_t from, size_t to, int sign)
{
	size_t best = from;

	for (size_t i = from; i < to; i++)
		if (!isnan(p[i].number) && !(sign * p[i].number >= sign * p[best].number))
			best = i;
	return best;
}

static void thin(struct reading *r)
{
	size_t stretches = SENT_MAX / 2, kept = 0;

	if (r->n <= SENT_MAX)
		return;
	for (size_t k = 0; k < stretches; k++) {
		size_t from = k * r->n / stretches, to = (k + 1) * r->n / stretches;
		size_t a = least_of(r->points, from, to, 1), b = least_of(r->points, from, to, -1);
		struct point first = r->points[a < b ? a : b], second = r->points[a < b ? b : a];

		r->points[kept++] = first;
		if (a != b)
			r->points[kept++] = second;
	}
	r->n = kept;
}

static json_t *text_or_null(const char *s)
{
	return *s ? json_string(s) : json_null();
}

static json_t *document(const struct wish *w, const struct reading *r, size_t read)
{
	json_t *list = json_array();
	char who[256];

	str_clean(who, sizeof who, w->who);
	for (size_t i = 0; i < r->n; i++) {
		const struct point *p = &r->points[i];
		char at[CLOCK_TEXT_MAX];

		json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o}", "at", clock_text(p->at_wall_ms, at), "value",
			w->metric ? document_of_value(w->metric, p->value) : json_integer(1), "bay", text_or_null(p->bay),
			"serial", text_or_null(p->serial)));
	}
	return json_pack("{s:s, s:s, s:s, s:I, s:o}", "schema", "lanewatch/history/v1", "drive", who, "metric",
		w->metric_name, "read", (json_int_t)read, "points", list);
}

json_t *series_get(struct store *s, const struct api_query *q, bool (*known)(void *arg, const char *who),
	void *arg, int *status, struct err *e)
{
	struct reading r = {0};
	struct wish w;
	json_t *out = NULL;
	size_t read;
	int found;

	*status = 400;
	if (read_wish(&w, q, e))
		return NULL;
	*status = 503;
	if (!s) {
		err_set(e, "nothing is stored: see store in /api/v1/status");
		return NULL;
	}
	found = store_each_point(s, w.who, w.metric, &w.filter, take, &r, e);
	if (found < 0)
		goto out;
	if (found == 0 && !known(arg, w.who)) {
		*status = 404;
		err_set(e, "nothing is stored under that name; ask /api/v1/drives for serial numbers");
		goto out;
	}
	*status = 200;
	read = r.n;
	thin(&r);
	out = document(&w, &r, read);
out:
	free(r.points);
	return out;
}
