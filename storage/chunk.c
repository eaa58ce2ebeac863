/* SPDX-License-Identifier: MIT */
/* chunk: see chunk.h. */
#include "storage/chunk.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_1 = 1, HEAD = 5, PLACES_MAX = 6 };

enum column_kind {
	COLUMN_EMPTY = 0,
	COLUMN_DELTA,  /* differences */
	COLUMN_DELTA2, /* differences of differences */
	COLUMN_REAL,   /* 8 bytes each, IEEE 754, little-endian */
	COLUMN_WIDE,   /* 16 bytes each, little-endian */
};

/* CRC-32 as in zlib and PNG, a bit at a time: a chunk is a few kilobytes. */
static uint32_t crc32_of(const uint8_t *p, size_t len)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < len; i++) {
		crc ^= p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
	}
	return ~crc;
}

/* ---- writing ---- */

static int put_varint(struct buf *b, uint64_t n)
{
	uint8_t bytes[10];
	size_t len = 0;

	do {
		bytes[len++] = (uint8_t)(n & 0x7f) | (n > 0x7f ? 0x80 : 0);
		n >>= 7;
	} while (n);
	return buf_add(b, bytes, len);
}

/* 0, -1, 1, -2, ... as 0, 1, 2, 3, ...; differences may wrap, and come back by wrapping.
 */
static uint64_t zigzag(uint64_t n)
{
	return n << 1 ^ (n >> 63 ? UINT64_MAX : 0);
}

static uint64_t unzigzag(uint64_t n)
{
	return n >> 1 ^ (n & 1 ? UINT64_MAX : 0);
}

/* Numbers, zeros as a zero and how many more follow. */
static int put_runs(struct buf *b, const uint64_t *n, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t more = 0;

		if (put_varint(b, zigzag(n[i])))
			return -1;
		if (n[i])
			continue;
		while (i + more + 1 < count && n[i + more + 1] == 0)
			more++;
		if (put_varint(b, more))
			return -1;
		i += more;
	}
	return 0;
}

/* In place, from the end: each becomes the difference to the one before. */
static void differ(uint64_t *n, size_t count, size_t from)
{
	for (size_t i = count; i-- > from;)
		n[i] -= n[i - 1];
}

/* Which of the points have a value: 0 for all, else lengths of runs, with and without in
 * turn, the first one more by 1. */
static int put_presence(struct buf *b, const bool *known, size_t n)
{
	size_t i = 0;
	bool with = true;

	while (i < n && known[i])
		i++;
	if (i == n)
		return put_varint(b, 0);
	for (size_t from = 0; from < n; with = !with) {
		size_t run = 0;

		while (from + run < n && known[from + run] == with)
			run++;
		if (put_varint(b, run + (from == 0 && with)))
			return -1;
		from += run;
	}
	return 0;
}

/* A column of whole numbers, in the shorter of two ways. */
static int put_whole(struct buf *out, const bool *known, size_t n, uint64_t *values,
	size_t count, unsigned places)
{
	uint8_t kind = COLUMN_DELTA;
	struct buf one, two;
	int rc = -1;

	buf_init(&one, out->max);
	buf_init(&two, out->max);
	differ(values, count, 1);
	if (put_runs(&one, values, count))
		goto out;
	differ(values, count, 2);
	if (put_runs(&two, values, count))
		goto out;
	if (two.len < one.len)
		kind = COLUMN_DELTA2;
	kind |= (uint8_t)(places << 4);
	if (buf_add(out, &kind, 1) || put_presence(out, known, n) ||
		buf_add(out, two.len < one.len ? two.data : one.data,
			two.len < one.len ? two.len : one.len))
		goto out;
	rc = 0;
out:
	buf_release(&one);
	buf_release(&two);
	return rc;
}

static int put_raw(struct buf *out, enum column_kind kind, const bool *known, size_t n,
	const uint64_t *words, size_t n_words)
{
	uint8_t tag = (uint8_t)kind;

	if (buf_add(out, &tag, 1) || put_presence(out, known, n))
		return -1;
	for (size_t i = 0; i < n_words; i++) {
		uint8_t bytes[8];

		for (int k = 0; k < 8; k++)
			bytes[k] = (uint8_t)(words[i] >> (8 * k));
		if (buf_add(out, bytes, sizeof bytes))
			return -1;
	}
	return 0;
}

/* So many decimal places hold it exactly; PLACES_MAX + 1 if none do. */
static unsigned places_of(double d)
{
	double scale = 1;

	for (unsigned places = 0; places <= PLACES_MAX; places++, scale *= 10) {
		double whole = rint(d * scale);

		if (fabs(whole) < 1e15 && whole / scale == d && !(d == 0 && signbit(d)))
			return places;
	}
	return PLACES_MAX + 1;
}

/* One metric of all points, as known values in a row. */
struct column {
	size_t n;     /* points */
	size_t count; /* values */
	bool *known;
	uint64_t *words; /* two a value where wide */
};

static int put_counts(struct buf *out, struct column *c, const struct chunk_point *points,
	size_t metric)
{
	bool wide = false;

	for (size_t i = 0; i < c->n; i++) {
		struct count v = points[i].values[metric].count;

		wide |= c->known[i] && (v.hi || v.lo > INT64_MAX);
	}
	for (size_t i = 0; i < c->n; i++) {
		if (!c->known[i])
			continue;
		c->words[c->count++] = points[i].values[metric].count.lo;
		if (wide)
			c->words[c->count++] = points[i].values[metric].count.hi;
	}
	return wide ? put_raw(out, COLUMN_WIDE, c->known, c->n, c->words, c->count)
		    : put_whole(out, c->known, c->n, c->words, c->count, 0);
}

static int put_reals(struct buf *out, struct column *c, const struct chunk_point *points,
	size_t metric)
{
	unsigned places = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->known[i] && places_of(points[i].values[metric].real) > places)
			places = places_of(points[i].values[metric].real);
	/* with more places for one, another may no longer fit */
	for (size_t i = 0; i < c->n && places <= PLACES_MAX; i++) {
		double d = points[i].values[metric].real, scale = pow(10, places);

		if (c->known[i] &&
			(fabs(rint(d * scale)) >= 1e15 || rint(d * scale) / scale != d))
			places = PLACES_MAX + 1;
	}
	for (size_t i = 0; i < c->n; i++) {
		double d = points[i].values[metric].real;

		if (!c->known[i])
			continue;
		if (places <= PLACES_MAX)
			c->words[c->count++] =
				(uint64_t)(int64_t)rint(d * pow(10, places));
		else
			memcpy(&c->words[c->count++], &d, sizeof d);
	}
	return places <= PLACES_MAX
		       ? put_whole(out, c->known, c->n, c->words, c->count, places)
		       : put_raw(out, COLUMN_REAL, c->known, c->n, c->words, c->count);
}

static int put_metric(struct buf *out, struct column *c, const struct chunk_point *points,
	size_t metric)
{
	const uint8_t empty = COLUMN_EMPTY;
	bool any = false, whole = false;

	c->count = 0;
	for (size_t i = 0; i < c->n; i++) {
		c->known[i] = points[i].values[metric].known;
		any |= c->known[i];
		whole |= c->known[i] && points[i].values[metric].whole;
	}
	if (!any)
		return buf_add(out, &empty, 1);
	return whole ? put_counts(out, c, points, metric)
		     : put_reals(out, c, points, metric);
}

static int put_ids(
	struct buf *out, struct column *c, const struct chunk_point *points, bool place)
{
	for (size_t i = 0; i < c->n; i++) {
		c->known[i] = true;
		c->words[i] = (uint64_t)(place ? points[i].place : points[i].poll);
	}
	return put_whole(out, c->known, c->n, c->words, c->n, 0);
}

static int put_columns(struct buf *out, struct column *c,
	const struct chunk_point *points, size_t n_metrics)
{
	struct buf one;
	int rc = 0;

	buf_init(&one, out->max);
	for (size_t i = 0; i < n_metrics + 2 && rc == 0; i++) {
		buf_clear(&one);
		rc = i < 2 ? put_ids(&one, c, points, i == 1)
			   : put_metric(&one, c, points, i - 2);
		rc = rc || put_varint(out, one.len) || buf_add(out, one.data, one.len)
			     ? -1
			     : 0;
	}
	buf_release(&one);
	return rc;
}

int chunk_encode(const struct chunk_point *points, size_t n, struct buf *out)
{
	struct column c = {.n = n,
		.known = mem_new(n, sizeof(bool)),
		.words = mem_new(n * 2, sizeof(uint64_t))};
	uint8_t head[HEAD] = {VERSION_1};
	size_t start = out->len, n_metrics;
	uint32_t crc;
	int rc = -1;

	metric_table(&n_metrics);
	if (n == 0 || n > CHUNK_POINTS_MAX || buf_add(out, head, sizeof head) ||
		put_varint(out, n) || put_varint(out, n_metrics + 2) ||
		put_columns(out, &c, points, n_metrics))
		goto out;
	crc = crc32_of((uint8_t *)out->data + start + HEAD, out->len - start - HEAD);
	for (int k = 0; k < 4; k++)
		out->data[start + 1 + (size_t)k] = (char)(crc >> (8 * k));
	rc = 0;
out:
	free(c.known);
	free(c.words);
	return rc;
}

/* ---- reading ---- */

struct reader {
	const uint8_t *p, *end;
	bool bad;
};

static uint64_t get_varint(struct reader *r)
{
	uint64_t n = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (r->p == r->end)
			break;
		byte = *r->p++;
		n |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return n;
	}
	r->bad = true;
	return 0;
}

static void get_presence(struct reader *r, bool *known, size_t n)
{
	uint64_t run = get_varint(r);
	bool with = true;

	if (run == 0) {
		for (size_t i = 0; i < n; i++)
			known[i] = true;
		return;
	}
	run--;
	for (size_t i = 0; i < n && !r->bad;) {
		if (run > n - i) {
			r->bad = true;
			return;
		}
		for (; run; run--)
			known[i++] = with;
		with = !with;
		if (i < n)
			run = get_varint(r);
		/* only the first run may be empty */
		if (i < n && run == 0)
			r->bad = true;
	}
}

static void get_runs(struct reader *r, uint64_t *out, size_t count)
{
	for (size_t i = 0; i < count && !r->bad;) {
		uint64_t n = unzigzag(get_varint(r)), more;

		out[i++] = n;
		if (n)
			continue;
		more = get_varint(r);
		if (more > count - i)
			r->bad = true;
		for (; more && !r->bad; more--)
			out[i++] = 0;
	}
}

static void add_up(uint64_t *n, size_t count, size_t from)
{
	for (size_t i = from; i < count; i++)
		n[i] += n[i - 1];
}

static uint64_t get_word(struct reader *r)
{
	uint64_t n = 0;

	if (r->end - r->p < 8) {
		r->bad = true;
		return 0;
	}
	for (int k = 0; k < 8; k++)
		n |= (uint64_t)*r->p++ << (8 * k);
	return n;
}

/* Fills known and words (two a value where wide); the tag, or COLUMN_EMPTY. */
static uint8_t get_column(struct reader *r, struct column *c)
{
	uint8_t tag = r->p < r->end ? *r->p++ : COLUMN_EMPTY;
	size_t values = 0;

	memset(c->known, 0, c->n * sizeof *c->known);
	c->count = 0;
	if ((tag & 0xf) == COLUMN_EMPTY)
		return COLUMN_EMPTY;
	get_presence(r, c->known, c->n);
	for (size_t i = 0; i < c->n; i++)
		values += c->known[i];
	switch (tag & 0xf) {
	case COLUMN_DELTA:
	case COLUMN_DELTA2:
		get_runs(r, c->words, values);
		if ((tag & 0xf) == COLUMN_DELTA2)
			add_up(c->words, values, 2);
		add_up(c->words, values, 1);
		c->count = values;
		break;
	case COLUMN_WIDE:
		values *= 2; /* then as */
		__attribute__((fallthrough));
	case COLUMN_REAL:
		for (size_t i = 0; i < values && !r->bad; i++)
			c->words[i] = get_word(r);
		c->count = values;
		break;
	default:
		r->bad = true;
	}
	if (r->p != r->end)
		r->bad = true;
	return tag;
}

static struct metric_value value_of(
	const struct metric *m, uint8_t tag, const uint64_t *words)
{
	struct metric_value v = {.known = true,
		.whole = m->kind == METRIC_COUNT || m->kind == METRIC_WHOLE};

	if (v.whole) {
		v.count = (struct count){.known = true,
			.lo = words[0],
			.hi = (tag & 0xf) == COLUMN_WIDE ? words[1] : 0};
		return v;
	}
	if ((tag & 0xf) == COLUMN_REAL)
		memcpy(&v.real, words, sizeof v.real);
	else
		v.real = (double)(int64_t)words[0] / pow(10, tag >> 4);
	v.known = isfinite(v.real);
	return v;
}

static void take_metric(
	struct column *c, uint8_t tag, size_t metric, struct chunk_point *points)
{
	size_t n_metrics, step = (tag & 0xf) == COLUMN_WIDE ? 2 : 1, at = 0;
	const struct metric *table = metric_table(&n_metrics);

	for (size_t i = 0; i < c->n; i++) {
		points[i].values[metric] = (struct metric_value){0};
		if (tag == COLUMN_EMPTY || !c->known[i])
			continue;
		points[i].values[metric] = value_of(&table[metric], tag, &c->words[at]);
		at += step;
	}
}

static void take_ids(const struct column *c, bool place, struct chunk_point *points)
{
	for (size_t i = 0; i < c->n; i++)
		*(place ? &points[i].place : &points[i].poll) = (int64_t)c->words[i];
}

/* Columns have lengths, so that a reader goes straight to his own. */
static int get_columns(struct reader *r, struct column *c, uint64_t n_columns,
	size_t metric, struct chunk_point *points)
{
	size_t n_metrics;

	metric_table(&n_metrics);
	if (metric < n_metrics)
		take_metric(c, COLUMN_EMPTY, metric, points);
	for (uint64_t i = 0; i < n_columns; i++) {
		uint64_t len = get_varint(r);
		struct reader one = {r->p, r->p, false};
		uint8_t tag;

		if (r->bad || len > (uint64_t)(r->end - r->p))
			return -1;
		r->p += len;
		one.end = r->p;
		if (i > 1 && i - 2 != metric)
			continue;
		tag = get_column(&one, c);
		if (one.bad || (i < 2 && c->count != c->n))
			return -1;
		if (i < 2)
			take_ids(c, i == 1, points);
		else if (metric < n_metrics)
			take_metric(c, tag, metric, points);
	}
	return r->p == r->end ? 0 : -1;
}

ptrdiff_t chunk_decode(const void *bytes, size_t len, size_t metric,
	struct chunk_point *points, size_t max)
{
	const uint8_t *p = bytes;
	struct reader r = {p + HEAD, p + len, false};
	struct column c = {0};
	uint64_t n, n_columns;
	uint32_t crc = 0;
	int rc;

	if (len < HEAD || p[0] != VERSION_1)
		return -1;
	for (int k = 0; k < 4; k++)
		crc |= (uint32_t)p[1 + k] << (8 * k);
	if (crc != crc32_of(p + HEAD, len - HEAD))
		return -1;
	n = get_varint(&r);
	n_columns = get_varint(&r);
	if (r.bad || n == 0 || n > max || n > CHUNK_POINTS_MAX || n_columns < 2 ||
		n_columns > 2 + CHUNK_METRICS_MAX)
		return -1;
	c = (struct column){.n = n,
		.known = mem_new(n, sizeof(bool)),
		.words = mem_new(n * 2, sizeof(uint64_t))};
	rc = get_columns(&r, &c, n_columns, metric, points);
	free(c.known);
	free(c.words);
	return rc ? -1 : (ptrdiff_t)n;
}
