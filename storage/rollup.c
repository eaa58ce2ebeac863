/* SPDX-License-Identifier: MIT */
/* rollup: see rollup.h. */
#include "storage/rollup.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum part { LAST = 0, LEAST, GREATEST, COUNT, PARTS };

void rollup_release(struct rollup *r)
{
	free(r->entries);
	*r = (struct rollup){0};
}

int rollup_compare(struct metric_value a, struct metric_value b)
{
	if (a.whole)
		return count_compare(a.count, b.count);
	return (a.real > b.real) - (a.real < b.real);
}

void rolled_add(struct rolled *to, const struct rolled *more)
{
	if (!more->last.known)
		return;
	to->last = more->last;
	if (to->count == 0 || rollup_compare(more->least, to->least) < 0)
		to->least = more->least;
	if (to->count == 0 || rollup_compare(more->greatest, to->greatest) > 0)
		to->greatest = more->greatest;
	to->count += more->count;
}

/* The same with one value; most are those of before. */
static void add_value(struct rolled *to, const struct metric_value *v)
{
	bool same = to->count && (v->whole ? v->count.lo == to->last.count.lo && v->count.hi == to->last.count.hi
					   : v->real == to->last.real);

	if (!v->known)
		return;
	if (!same && (to->count == 0 || rollup_compare(*v, to->least) < 0))
		to->least = *v;
	if (!same && (to->count == 0 || rollup_compare(*v, to->greatest) > 0))
		to->greatest = *v;
	to->last = *v;
	to->count++;
}

/* ---- adding ---- */

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* The entry that a point of this time and place belongs to. */
static struct rollup_entry *entry_for(
	struct rollup *r, int64_t place, int64_t wall_ms, int64_t period_ms)
{
	struct rollup_entry *e = r->n ? &r->entries[r->n - 1] : NULL;

	if (e && e->place == place &&
		floor_div(e->from_wall_ms, period_ms) == floor_div(wall_ms, period_ms))
		return e;
	r->entries = mem_grow(r->entries, r->n, sizeof *r->entries);
	e = &r->entries[r->n++];
	memset(e, 0, sizeof *e);
	e->place = place;
	e->from_wall_ms = wall_ms;
	return e;
}

void rollup_add_point(struct rollup *r, const struct chunk_rows *points, size_t i,
	int64_t at_wall_ms, int64_t at_steady_ms, int64_t period_ms)
{
	struct rollup_entry *e = entry_for(r, points->place[i], at_wall_ms, period_ms);
	size_t n_metrics;

	metric_table(&n_metrics);
	e->poll = points->poll[i];
	e->at_wall_ms = at_wall_ms;
	e->at_steady_ms = at_steady_ms;
	e->points++;
	for (size_t m = 0; m < n_metrics; m++)
		if (points->values[m])
			add_value(&e->metrics[m], &points->values[m][i]);
}

void rollup_add(struct rollup *r, const struct rollup *more, int64_t period_ms)
{
	size_t n_metrics;

	metric_table(&n_metrics);
	for (size_t i = 0; i < more->n; i++) {
		const struct rollup_entry *x = &more->entries[i];
		struct rollup_entry *e = entry_for(r, x->place, x->from_wall_ms, period_ms);

		e->poll = x->poll;
		e->at_wall_ms = x->at_wall_ms;
		e->at_steady_ms = x->at_steady_ms;
		e->points += x->points;
		for (size_t m = 0; m < n_metrics; m++)
			rolled_add(&e->metrics[m], &x->metrics[m]);
	}
}

/* ---- as bytes ---- */

static bool is_whole(size_t metric)
{
	size_t n;
	const struct metric *m = &metric_table(&n)[metric];

	return m->kind == METRIC_COUNT || m->kind == METRIC_WHOLE;
}

/* The two numbers that a part has beside the metrics. */
static void ids_of(const struct rollup_entry *e, enum part p, int64_t *a, int64_t *b)
{
	switch (p) {
	case LAST:
		*a = e->poll;
		*b = e->place;
		return;
	case LEAST:
		*a = e->from_wall_ms;
		*b = e->at_wall_ms;
		return;
	case GREATEST:
		*a = e->at_steady_ms;
		*b = (int64_t)e->points;
		return;
	case COUNT:
	case PARTS:
		break;
	}
	*a = *b = 0;
}

static void take_ids(struct rollup_entry *e, enum part p, int64_t a, int64_t b)
{
	switch (p) {
	case LAST:
		e->poll = a;
		e->place = b;
		return;
	case LEAST:
		e->from_wall_ms = a;
		e->at_wall_ms = b;
		return;
	case GREATEST:
		e->at_steady_ms = a;
		e->points = (uint64_t)b;
		return;
	case COUNT:
	case PARTS:
		break;
	}
}

static struct metric_value number_value(uint64_t n, bool whole)
{
	return (struct metric_value){.known = true,
		.whole = whole,
		.count = whole ? count_of(n) : (struct count){0},
		.real = whole ? 0 : (double)n};
}

static struct metric_value value_of(const struct rollup_entry *e, size_t m, enum part p)
{
	const struct rolled *x = &e->metrics[m];

	switch (p) {
	case LAST:
		return x->last;
	case LEAST:
		return x->least;
	case GREATEST:
		return x->greatest;
	case COUNT:
	case PARTS:
		break;
	}
	return number_value(x->count, is_whole(m));
}

/* True if the part says nothing of a metric that does not follow from `last` and the
 * number of points. */
static bool is_plain(const struct rollup *r, size_t m, enum part p)
{
	if (p == LAST)
		return false;
	for (size_t i = 0; i < r->n; i++) {
		const struct rolled *x = &r->entries[i].metrics[m];

		if (!x->last.known)
			continue;
		if (p == COUNT ? x->count != r->entries[i].points
			       : rollup_compare(p == LEAST ? x->least : x->greatest, x->last) != 0)
			return false;
	}
	return true;
}

/* The rows of a part in the room of `rows`, from which it borrows. */
static struct chunk_rows fill_part(const struct rollup *r, enum part p, const struct chunk_rows *rows)
{
	struct chunk_rows part = *rows;
	size_t n_metrics;

	metric_table(&n_metrics);
	part.n = r->n;
	for (size_t i = 0; i < r->n; i++)
		ids_of(&r->entries[i], p, &part.poll[i], &part.place[i]);
	for (size_t m = 0; m < n_metrics; m++) {
		if (is_plain(r, m, p)) {
			part.values[m] = NULL;
			continue;
		}
		for (size_t i = 0; i < r->n; i++)
			part.values[m][i] = value_of(&r->entries[i], m, p);
	}
	return part;
}

int rollup_encode(const struct rollup *r, struct buf *out)
{
	struct chunk_rows rows;
	struct buf one;
	int rc = 0;

	if (r->n == 0 || r->n > CHUNK_ROWS_MAX)
		return -1;
	chunk_rows_init(&rows, r->n, CHUNK_ALL);
	buf_init(&one, out->max);
	for (enum part p = LAST; p < PARTS && rc == 0; p++) {
		struct chunk_rows part = fill_part(r, p, &rows);
		uint8_t len[4];

		buf_clear(&one);
		rc = chunk_encode(&part, &one);
		for (int k = 0; k < 4; k++)
			len[k] = (uint8_t)(one.len >> (8 * k));
		rc = rc || buf_add(out, len, sizeof len) || buf_add(out, one.data, one.len)
			     ? -1
			     : 0;
	}
	buf_release(&one);
	chunk_rows_release(&rows);
	return rc;
}

static void take_value(
	struct rollup_entry *e, size_t slot, enum part p, struct metric_value v)
{
	struct rolled *x = &e->metrics[slot];

	switch (p) {
	case LAST:
		x->last = x->least = x->greatest = v;
		return;
	case LEAST:
		x->least = v.known ? v : x->last;
		return;
	case GREATEST:
		x->greatest = v.known ? v : x->last;
		return;
	case COUNT:
		x->count = v.known       ? (uint64_t)metric_number(v)
			   : x->last.known ? e->points
					   : 0;
		return;
	case PARTS:
		break;
	}
}

static void take_part(struct rollup *r, size_t from, enum part p,
	const struct chunk_rows *rows, size_t metric)
{
	size_t n_metrics;

	metric_table(&n_metrics);
	for (size_t i = 0; i < rows->n; i++) {
		struct rollup_entry *e = &r->entries[from + i];

		take_ids(e, p, rows->poll[i], rows->place[i]);
		for (size_t m = 0; m < n_metrics; m++)
			if (rows->values[m])
				take_value(e, metric == CHUNK_ALL ? m : 0, p,
					rows->values[m][i]);
	}
}

static int decode(const void *bytes, size_t len, size_t metric, struct rollup *r)
{
	const uint8_t *p = bytes, *end = p + len;
	struct chunk_rows rows = {0};
	size_t from = r->n, n = 0;
	int rc = -1;

	for (enum part part = LAST; part < PARTS; part++) {
		uint32_t size;

		if (end - p < 4)
			goto out;
		size = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
		p += 4;
		if (size > (size_t)(end - p))
			goto out;
		if (part == LAST) {
			n = chunk_count(p, size);
			if (n == 0)
				goto out;
			chunk_rows_init(&rows, n, metric);
			for (size_t i = 0; i < n; i++) {
				r->entries = mem_grow(r->entries, r->n, sizeof *r->entries);
				memset(&r->entries[r->n++], 0, sizeof *r->entries);
			}
		}
		if (chunk_decode(p, size, &rows) || rows.n != n)
			goto out;
		take_part(r, from, part, &rows, metric);
		p += size;
	}
	rc = p == end ? 0 : -1;
out:
	if (rc)
		r->n = from;
	chunk_rows_release(&rows);
	return rc;
}

int rollup_decode(const void *bytes, size_t len, struct rollup *r)
{
	return decode(bytes, len, CHUNK_ALL, r);
}

int rollup_decode_one(const void *bytes, size_t len, size_t metric, struct rollup *r)
{
	return decode(bytes, len, metric, r);
}
