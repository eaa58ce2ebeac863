/* SPDX-License-Identifier: MIT */
/* chunk: see chunk.h. */
#include "storage/chunk.h"

#include "base/mem.h"
#include "storage/crc32.h"
#include "storage/varint.h"

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
	COLUMN_UNITS,  /* a number of which all values are multiples, then as COLUMN_DELTA */
	COLUMN_UNITS2, /* ... as COLUMN_DELTA2 */
	COLUMN_XOR,    /* bits of a double, each with those of the one before taken out */
};

/* ---- writing ---- */

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

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The largest number of which all are multiples: bytes written are thousands of sectors.
 * 1 where dividing by it gains nothing. */
static uint64_t unit_of(const uint64_t *values, size_t count)
{
	uint64_t unit = 0;

	for (size_t i = 0; i < count && unit != 1; i++)
		unit = gcd(values[i], unit);
	return unit > 1 && count > 2 && unit <= INT64_MAX ? unit : 1;
}

/* A column of whole numbers, in the shorter of two ways. */
static int put_whole(struct buf *out, const bool *known, size_t n, uint64_t *values,
	size_t count, unsigned places)
{
	uint64_t unit = places ? 1 : unit_of(values, count);
	bool second;
	uint8_t tag;
	struct buf one, two;
	int rc = -1;

	buf_init(&one, out->max);
	buf_init(&two, out->max);
	for (size_t i = 0; i < count && unit > 1; i++)
		values[i] /= unit;
	differ(values, count, 1);
	if (put_runs(&one, values, count))
		goto out;
	differ(values, count, 2);
	if (put_runs(&two, values, count))
		goto out;
	second = two.len < one.len;
	tag = (uint8_t)(unit > 1 ? second ? COLUMN_UNITS2 : COLUMN_UNITS
				 : second ? COLUMN_DELTA2 : COLUMN_DELTA);
	tag |= (uint8_t)(places << 4);
	if (buf_add(out, &tag, 1) || (unit > 1 && put_varint(out, unit)) ||
		put_presence(out, known, n) ||
		buf_add(out, second ? two.data : one.data, second ? two.len : one.len))
		goto out;
	rc = 0;
out:
	buf_release(&one);
	buf_release(&two);
	return rc;
}

/* Numbers of 128 bits, as they are. */
static int put_wide(
	struct buf *out, const bool *known, size_t n, const uint64_t *words, size_t n_words)
{
	uint8_t tag = COLUMN_WIDE;

	if (buf_add(out, &tag, 1) || put_presence(out, known, n))
		return -1;
	for (size_t i = 0; i < n_words; i++)
		if (put_word(out, words[i]))
			return -1;
	return 0;
}

static int put_bits(
	struct buf *out, const bool *known, size_t n, const uint64_t *words, size_t count)
{
	uint8_t tag = COLUMN_XOR;

	if (buf_add(out, &tag, 1) || put_presence(out, known, n))
		return -1;
	for (size_t i = 0; i < count; i++)
		if (put_varint(out, words[i] ^ (i ? words[i - 1] : 0)))
			return -1;
	return 0;
}

static const double scales[PLACES_MAX + 1] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

static bool fits(double d, unsigned places)
{
	double whole = rint(d * scales[places]);

	return fabs(whole) < 1e15 && whole / scales[places] == d &&
	       !(d == 0 && signbit(d));
}

/* So many decimal places hold it exactly; PLACES_MAX + 1 if none do. */
static unsigned places_of(double d, unsigned from)
{
	while (from <= PLACES_MAX && !fits(d, from))
		from++;
	return from;
}

/* One metric of all rows, as known values in a row. */
struct column {
	size_t n;     /* rows */
	size_t count; /* words of values */
	bool *known;
	uint64_t *words; /* two a value where wide */
};

static int column_init(struct column *c, size_t n)
{
	*c = (struct column){.n = n,
		.known = calloc(n, sizeof *c->known),
		.words = calloc(n, 2 * sizeof *c->words)};
	return c->known && c->words ? 0 : -1;
}

static void column_release(struct column *c)
{
	free(c->known);
	free(c->words);
}

static int put_counts(struct buf *out, struct column *c, const struct metric_value *values)
{
	bool wide = false;

	for (size_t i = 0; i < c->n; i++)
		wide |= c->known[i] && (values[i].count.hi || values[i].count.lo > INT64_MAX);
	for (size_t i = 0; i < c->n; i++) {
		if (!c->known[i])
			continue;
		c->words[c->count++] = values[i].count.lo;
		if (wide)
			c->words[c->count++] = values[i].count.hi;
	}
	return wide ? put_wide(out, c->known, c->n, c->words, c->count)
		    : put_whole(out, c->known, c->n, c->words, c->count, 0);
}

static int put_reals(struct buf *out, struct column *c, const struct metric_value *values)
{
	unsigned places = 0;

	for (size_t i = 0; i < c->n && places <= PLACES_MAX; i++)
		if (c->known[i])
			places = places_of(values[i].real, places);
	/* with more places for one, another may no longer fit */
	for (size_t i = 0; i < c->n && places <= PLACES_MAX; i++)
		if (c->known[i] && !fits(values[i].real, places))
			places = PLACES_MAX + 1;
	for (size_t i = 0; i < c->n; i++) {
		double d = values[i].real;

		if (!c->known[i])
			continue;
		if (places <= PLACES_MAX)
			c->words[c->count++] = (uint64_t)(int64_t)rint(d * scales[places]);
		else
			memcpy(&c->words[c->count++], &d, sizeof d);
	}
	return places <= PLACES_MAX
		       ? put_whole(out, c->known, c->n, c->words, c->count, places)
		       : put_bits(out, c->known, c->n, c->words, c->count);
}

static int put_metric(struct buf *out, struct column *c, const struct metric_value *values)
{
	const uint8_t empty = COLUMN_EMPTY;
	bool any = false, whole = false;

	c->count = 0;
	for (size_t i = 0; i < c->n && values; i++) {
		c->known[i] = values[i].known;
		any |= c->known[i];
		whole |= c->known[i] && values[i].whole;
	}
	if (!any)
		return buf_add(out, &empty, 1);
	return whole ? put_counts(out, c, values) : put_reals(out, c, values);
}

static int put_numbers(struct buf *out, struct column *c, const int64_t *numbers)
{
	for (size_t i = 0; i < c->n; i++) {
		c->known[i] = true;
		c->words[i] = (uint64_t)numbers[i];
	}
	return put_whole(out, c->known, c->n, c->words, c->n, 0);
}

static int put_sized(struct buf *out, const struct buf *column)
{
	return put_varint(out, column->len) || buf_add(out, column->data, column->len) ? -1 : 0;
}

static int put_columns(struct buf *out, struct column *c, const int64_t *const *numbers,
	size_t n_numbers, struct metric_value *const *values, size_t n_values)
{
	struct buf one;
	int rc = 0;

	buf_init(&one, out->max);
	for (size_t i = 0; i < n_numbers && rc == 0; i++) {
		buf_clear(&one);
		rc = put_numbers(&one, c, numbers[i]) || put_sized(out, &one) ? -1 : 0;
	}
	for (size_t i = 0; i < n_values && rc == 0; i++) {
		buf_clear(&one);
		rc = put_metric(&one, c, values[i]) || put_sized(out, &one) ? -1 : 0;
	}
	buf_release(&one);
	return rc;
}

static int encode(struct buf *out, size_t n, const int64_t *const *numbers,
	size_t n_numbers, struct metric_value *const *values, size_t n_values)
{
	struct column c;
	uint8_t head[HEAD] = {VERSION_1};
	size_t start = out->len;
	uint32_t crc;
	int rc = -1;

	if (n == 0 || n > CHUNK_ROWS_MAX)
		return -1;
	if (column_init(&c, n) || buf_add(out, head, sizeof head) || put_varint(out, n) ||
		put_varint(out, n_numbers + n_values) ||
		put_columns(out, &c, numbers, n_numbers, values, n_values))
		goto out;
	crc = crc32_of(out->data + start + HEAD, out->len - start - HEAD);
	for (int k = 0; k < 4; k++)
		out->data[start + 1 + (size_t)k] = (char)(crc >> (8 * k));
	rc = 0;
out:
	column_release(&c);
	return rc;
}

int chunk_encode(const struct chunk_rows *r, struct buf *out)
{
	const int64_t *const ids[2] = {r->poll, r->place};
	size_t n_metrics;

	metric_table(&n_metrics);
	return encode(out, r->n, ids, 2, r->values, n_metrics);
}

int chunk_encode_numbers(
	const int64_t *const *columns, size_t n_columns, size_t n, struct buf *out)
{
	return encode(out, n, columns, n_columns, NULL, 0);
}

/* ---- reading ---- */

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

static void get_whole(struct reader *r, struct column *c, enum column_kind kind, uint64_t unit)
{
	get_runs(r, c->words, c->count);
	if (kind == COLUMN_DELTA2 || kind == COLUMN_UNITS2)
		add_up(c->words, c->count, 2);
	add_up(c->words, c->count, 1);
	for (size_t i = 0; i < c->count && unit != 1; i++)
		c->words[i] *= unit;
}

/* Fills known and words (two a value where wide); the tag, or COLUMN_EMPTY. */
static uint8_t get_column(struct reader *r, struct column *c)
{
	uint8_t tag = r->p < r->end ? *r->p++ : COLUMN_EMPTY;
	enum column_kind kind = tag & 0xf;
	uint64_t unit = 1;

	c->count = 0;
	if (kind == COLUMN_EMPTY)
		return COLUMN_EMPTY;
	if (kind == COLUMN_UNITS || kind == COLUMN_UNITS2)
		unit = get_varint(r);
	memset(c->known, 0, c->n * sizeof *c->known);
	get_presence(r, c->known, c->n);
	for (size_t i = 0; i < c->n; i++)
		c->count += c->known[i];
	switch (kind) {
	case COLUMN_DELTA:
	case COLUMN_DELTA2:
	case COLUMN_UNITS:
	case COLUMN_UNITS2:
		get_whole(r, c, kind, unit);
		break;
	case COLUMN_WIDE:
		c->count *= 2;
		__attribute__((fallthrough));
	case COLUMN_REAL:
		for (size_t i = 0; i < c->count && !r->bad; i++)
			c->words[i] = get_word(r);
		break;
	case COLUMN_XOR:
		for (size_t i = 0; i < c->count && !r->bad; i++)
			c->words[i] = get_varint(r) ^ (i ? c->words[i - 1] : 0);
		break;
	case COLUMN_EMPTY:
	default: /* four bits from outside */
		r->bad = true;
	}
	if (r->p != r->end || (tag >> 4) > PLACES_MAX)
		r->bad = true;
	return tag;
}

static struct metric_value value_of(bool whole, uint8_t tag, const uint64_t *words)
{
	enum column_kind kind = tag & 0xf;
	struct metric_value v = {.known = true, .whole = whole};

	if (whole) {
		v.count = (struct count){.known = true,
			.lo = words[0],
			.hi = kind == COLUMN_WIDE ? words[1] : 0};
		return v;
	}
	if (kind == COLUMN_REAL || kind == COLUMN_XOR)
		memcpy(&v.real, words, sizeof v.real);
	else
		v.real = (double)(int64_t)words[0] / scales[tag >> 4];
	v.known = isfinite(v.real);
	return v;
}

static void take_metric(
	const struct column *c, uint8_t tag, size_t metric, struct metric_value *out)
{
	size_t n_metrics, step = (tag & 0xf) == COLUMN_WIDE ? 2 : 1, at = 0;
	const struct metric *m = &metric_table(&n_metrics)[metric];
	bool whole = m->kind == METRIC_COUNT || m->kind == METRIC_WHOLE;

	for (size_t i = 0; i < c->n; i++) {
		if (tag == COLUMN_EMPTY || !c->known[i]) {
			out[i] = (struct metric_value){0};
			continue;
		}
		out[i] = value_of(whole, tag, &c->words[at]);
		at += step;
	}
}

/* Columns have lengths, so that a reader goes straight to his own. */
static int get_columns(struct reader *r, struct column *c, uint64_t n_columns,
	int64_t *const *numbers, size_t n_numbers, struct metric_value *const *values)
{
	size_t n_metrics;

	metric_table(&n_metrics);
	for (uint64_t i = 0; i < n_columns; i++) {
		uint64_t len = get_varint(r);
		struct reader one = {r->p, r->p, false};
		struct metric_value *out = NULL;
		uint8_t tag;

		if (r->bad || len > (uint64_t)(r->end - r->p))
			return -1;
		r->p += len;
		one.end = r->p;
		if (i >= n_numbers && values && i - n_numbers < n_metrics)
			out = values[i - n_numbers];
		if (i >= n_numbers && !out)
			continue;
		tag = get_column(&one, c);
		if (one.bad || (i < n_numbers && c->count != c->n))
			return -1;
		if (i < n_numbers)
			memcpy(numbers[i], c->words, c->n * sizeof *c->words);
		else
			take_metric(c, tag, i - n_numbers, out);
	}
	return r->p == r->end ? 0 : -1;
}

/* Metrics that the chunk has no column of stay so. */
static void clear_values(struct metric_value *const *values, size_t n)
{
	for (size_t m = 0; values && m < CHUNK_METRICS_MAX; m++)
		if (values[m])
			memset(values[m], 0, n * sizeof *values[m]);
}

/* -1, or how many rows. */
static ptrdiff_t decode(const void *bytes, size_t len, size_t max, int64_t *const *numbers,
	size_t n_numbers, struct metric_value *const *values)
{
	const uint8_t *p = bytes;
	struct reader r = {p + HEAD, p + len, false};
	struct column c;
	uint64_t n, n_columns;
	uint32_t crc = 0;
	int rc = -1;

	if (len < HEAD || p[0] != VERSION_1)
		return -1;
	for (int k = 0; k < 4; k++)
		crc |= (uint32_t)p[1 + k] << (8 * k);
	if (crc != crc32_of(p + HEAD, len - HEAD))
		return -1;
	n = get_varint(&r);
	n_columns = get_varint(&r);
	if (r.bad || n == 0 || n > max || n > CHUNK_ROWS_MAX || n_columns < n_numbers ||
		n_columns > n_numbers + CHUNK_METRICS_MAX)
		return -1;
	clear_values(values, n);
	if (column_init(&c, n) == 0)
		rc = get_columns(&r, &c, n_columns, numbers, n_numbers, values);
	column_release(&c);
	return rc ? -1 : (ptrdiff_t)n;
}

int chunk_decode(const void *bytes, size_t len, struct chunk_rows *out)
{
	int64_t *const ids[2] = {out->poll, out->place};
	ptrdiff_t n;

	n = decode(bytes, len, out->max, ids, 2, out->values);
	out->n = n < 0 ? 0 : (size_t)n;
	return n < 0 ? -1 : 0;
}

ptrdiff_t chunk_decode_numbers(
	const void *bytes, size_t len, int64_t *const *columns, size_t n_columns, size_t max)
{
	return decode(bytes, len, max, columns, n_columns, NULL);
}

size_t chunk_count(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	struct reader r = {p + HEAD, p + len, false};
	uint64_t n;

	if (len < HEAD || p[0] != VERSION_1)
		return 0;
	n = get_varint(&r);
	return r.bad || n > CHUNK_ROWS_MAX ? 0 : (size_t)n;
}

/* ---- rows ---- */

void chunk_rows_init(struct chunk_rows *r, size_t max, size_t metric)
{
	size_t n_metrics;

	metric_table(&n_metrics);
	*r = (struct chunk_rows){.max = max,
		.poll = mem_new(max, sizeof *r->poll),
		.place = mem_new(max, sizeof *r->place)};
	for (size_t m = 0; m < n_metrics; m++)
		if (metric == CHUNK_ALL || metric == m)
			r->values[m] = mem_new(max, sizeof *r->values[m]);
}

void chunk_rows_release(struct chunk_rows *r)
{
	free(r->poll);
	free(r->place);
	for (size_t m = 0; m < CHUNK_METRICS_MAX; m++)
		free(r->values[m]);
	*r = (struct chunk_rows){0};
}
