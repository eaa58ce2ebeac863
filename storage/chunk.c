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
	COLUMN_BITS,   /* numbers, less the least of them, in so many bits each */
	COLUMN_DELTA_BITS, /* the first, then differences as COLUMN_BITS */
	COLUMN_UNITS_BITS,
	COLUMN_UNITS_DELTA_BITS,
};

enum { WIDTH_MAX = 56, ALL_KNOWN = 0x80 };

static unsigned places_in(uint8_t tag)
{
	return tag >> 4 & 7;
}

/* ---- writing ---- */

/* One metric of all rows, as known values in a row. */
struct column {
	size_t n;     /* rows */
	size_t count; /* words of values */
	bool *known;
	uint64_t *words; /* two a value where wide */
	uint8_t *bytes;	 /* of a writer: room for the words in each of WAYS ways */
	size_t room;	 /* bytes of a way */
};

enum way { WAY_DELTA = 0, WAY_DELTA2, WAY_BITS, WAY_DELTA_BITS, WAYS };

/* Numbers, zeros as a zero and how many more follow; where the next bytes go. */
static uint8_t *runs_to(uint8_t *p, const uint64_t *n, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t more = 0;

		p = varint_to(p, zigzag(n[i]));
		if (n[i])
			continue;
		while (i + more + 1 < count && n[i + more + 1] == 0)
			more++;
		p = varint_to(p, more);
		i += more;
	}
	return p;
}

/* The least number, how many bits what is above it takes at most, and that of each, low bits
 * first; NULL if it is too wide. */
static uint8_t *bits_to(uint8_t *p, const uint64_t *n, size_t count)
{
	uint64_t least = count ? n[0] : 0, most = least, rest = 0;
	unsigned width = 0, left = 0;

	for (size_t i = 1; i < count; i++) {
		least = (int64_t)n[i] < (int64_t)least ? n[i] : least;
		most = (int64_t)n[i] > (int64_t)most ? n[i] : most;
	}
	while (width <= WIDTH_MAX && (most - least) >> width)
		width++;
	if (width > WIDTH_MAX)
		return NULL;
	p = varint_to(p, zigzag(least));
	*p++ = (uint8_t)width;
	for (size_t i = 0; i < count; i++) {
		rest |= (n[i] - least) << left;
		for (left += width; left >= 8; left -= 8) {
			*p++ = (uint8_t)rest;
			rest >>= 8;
		}
	}
	if (left)
		*p++ = (uint8_t)rest;
	return p;
}

/* In place, from the end: each becomes the difference to the one before. */
static void differ(uint64_t *n, size_t count, size_t from)
{
	for (size_t i = count; i-- > from;)
		n[i] -= n[i - 1];
}

/* Lengths of runs, of points with a value and without in turn, the first one more by 1. */
static int put_presence(struct buf *b, const bool *known, size_t n)
{
	bool with = true;

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

/* What stands before the values: kind and places, a unit that is not 1, and which rows have one. */
static int put_head(struct buf *b, const struct column *c, unsigned tag, uint64_t unit)
{
	bool all = true;
	uint8_t byte;

	for (size_t i = 0; i < c->n; i++)
		all &= c->known[i];
	byte = (uint8_t)(tag | (all ? ALL_KNOWN : 0));
	if (buf_add(b, &byte, 1) || (unit > 1 && put_varint(b, unit)))
		return -1;
	return all ? 0 : put_presence(b, c->known, c->n);
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

/* As most columns are: the value and no bits are the shortest way then. */
static bool is_constant(const struct column *c)
{
	for (size_t i = 1; i < c->count; i++)
		if (c->words[i] != c->words[0])
			return false;
	return c->count > 1;
}

/* The words in each way, and which is the shortest; they are differences of differences then. */
static enum way shortest(struct column *c, bool constant, size_t *len)
{
	uint8_t *start[WAYS], *end[WAYS];
	enum way best = WAY_DELTA;

	for (enum way w = WAY_DELTA; w < WAYS; w++)
		start[w] = c->bytes + w * c->room;
	end[WAY_BITS] = bits_to(start[WAY_BITS], c->words, c->count);
	if (constant) {
		*len = (size_t)(end[WAY_BITS] - start[WAY_BITS]);
		return WAY_BITS;
	}
	differ(c->words, c->count, 1);
	end[WAY_DELTA] = runs_to(start[WAY_DELTA], c->words, c->count);
	end[WAY_DELTA_BITS] = bits_to(varint_to(start[WAY_DELTA_BITS], zigzag(c->words[0])),
		c->words + 1, c->count - 1);
	differ(c->words, c->count, 2);
	end[WAY_DELTA2] = runs_to(start[WAY_DELTA2], c->words, c->count);
	for (enum way w = WAY_DELTA; w < WAYS; w++)
		if (end[w] && end[w] - start[w] < end[best] - start[best])
			best = w;
	*len = (size_t)(end[best] - start[best]);
	return best;
}

/* A column of whole numbers, in the shortest way. */
static int put_whole(struct buf *out, struct column *c, unsigned places)
{
	static const uint8_t kinds[WAYS][2] = {[WAY_DELTA] = {COLUMN_DELTA, COLUMN_UNITS},
		[WAY_DELTA2] = {COLUMN_DELTA2, COLUMN_UNITS2},
		[WAY_BITS] = {COLUMN_BITS, COLUMN_UNITS_BITS},
		[WAY_DELTA_BITS] = {COLUMN_DELTA_BITS, COLUMN_UNITS_DELTA_BITS}};
	bool constant = is_constant(c);
	uint64_t unit = places || constant ? 1 : unit_of(c->words, c->count);
	enum way best;
	size_t len;

	for (size_t i = 0; i < c->count && unit > 1; i++)
		c->words[i] /= unit;
	best = shortest(c, constant, &len);
	if (put_head(out, c, kinds[best][unit > 1] | places << 4, unit))
		return -1;
	return buf_add(out, c->bytes + best * c->room, len);
}

/* Numbers of 128 bits, as they are. */
static int put_wide(struct buf *out, const struct column *c)
{
	if (put_head(out, c, COLUMN_WIDE, 1))
		return -1;
	for (size_t i = 0; i < c->count; i++)
		if (put_word(out, c->words[i]))
			return -1;
	return 0;
}

static int put_xor(struct buf *out, const struct column *c)
{
	if (put_head(out, c, COLUMN_XOR, 1))
		return -1;
	for (size_t i = 0; i < c->count; i++)
		if (put_varint(out, c->words[i] ^ (i ? c->words[i - 1] : 0)))
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

/* So many decimal places hold all known ones exactly; PLACES_MAX + 1 if none do. */
static unsigned places_of(const struct column *c, const struct metric_value *values)
{
	unsigned places = 0, before = PLACES_MAX + 1;
	const double *last = NULL;

	/* with more places for one, another may no longer fit: until all did */
	while (places != before && places <= PLACES_MAX) {
		before = places;
		for (size_t i = 0; i < c->n; i++) {
			const double *d = &values[i].real;

			if (!c->known[i] || (last && memcmp(d, last, sizeof *d) == 0))
				continue;
			while (places <= PLACES_MAX && !fits(*d, places))
				places++;
			last = d;
		}
	}
	return places;
}

static int column_init(struct column *c, size_t n)
{
	*c = (struct column){.n = n,
		.known = calloc(n, sizeof *c->known),
		.words = calloc(n, 2 * sizeof *c->words)};
	return c->known && c->words ? 0 : -1;
}

static int writer_init(struct column *c, size_t n)
{
	int rc = column_init(c, n);

	c->room = (n + 3) * VARINT_MAX;
	c->bytes = malloc(WAYS * c->room);
	return rc || !c->bytes ? -1 : 0;
}

static void column_release(struct column *c)
{
	free(c->known);
	free(c->words);
	free(c->bytes);
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
	return wide ? put_wide(out, c) : put_whole(out, c, 0);
}

static int put_reals(struct buf *out, struct column *c, const struct metric_value *values)
{
	unsigned places = places_of(c, values);

	for (size_t i = 0; i < c->n; i++) {
		double d = values[i].real;

		if (!c->known[i])
			continue;
		if (places <= PLACES_MAX)
			c->words[c->count++] = (uint64_t)(int64_t)rint(d * scales[places]);
		else
			memcpy(&c->words[c->count++], &d, sizeof d);
	}
	return places <= PLACES_MAX ? put_whole(out, c, places) : put_xor(out, c);
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
	c->count = c->n;
	return put_whole(out, c, 0);
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
	if (writer_init(&c, n) || buf_add(out, head, sizeof head) || put_varint(out, n) ||
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

static void get_bits(struct reader *r, uint64_t *out, size_t count)
{
	uint64_t least = unzigzag(get_varint(r)), rest = 0;
	unsigned width = r->p < r->end ? *r->p++ : WIDTH_MAX + 1, left = 0;

	if (r->bad || width > WIDTH_MAX || (size_t)(r->end - r->p) < (count * width + 7) / 8) {
		r->bad = true;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		for (; left < width; left += 8)
			rest |= (uint64_t)*r->p++ << left;
		out[i] = least + (rest & ((UINT64_C(1) << width) - 1));
		rest >>= width;
		left -= width;
	}
}

static void get_whole(struct reader *r, struct column *c, enum column_kind kind, uint64_t unit)
{
	bool bits = kind == COLUMN_BITS || kind == COLUMN_UNITS_BITS,
	     delta_bits = kind == COLUMN_DELTA_BITS || kind == COLUMN_UNITS_DELTA_BITS;

	if (delta_bits && c->count)
		c->words[0] = unzigzag(get_varint(r));
	if (delta_bits && c->count)
		get_bits(r, c->words + 1, c->count - 1);
	else if (bits)
		get_bits(r, c->words, c->count);
	else
		get_runs(r, c->words, c->count);
	if (kind == COLUMN_DELTA2 || kind == COLUMN_UNITS2)
		add_up(c->words, c->count, 2);
	if (!bits)
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
	if (kind == COLUMN_UNITS || kind == COLUMN_UNITS2 || kind == COLUMN_UNITS_BITS ||
		kind == COLUMN_UNITS_DELTA_BITS)
		unit = get_varint(r);
	if (tag & ALL_KNOWN)
		memset(c->known, true, c->n * sizeof *c->known);
	else
		get_presence(r, c->known, c->n);
	for (size_t i = 0; i < c->n; i++)
		c->count += c->known[i];
	switch (kind) {
	case COLUMN_DELTA:
	case COLUMN_DELTA2:
	case COLUMN_UNITS:
	case COLUMN_UNITS2:
	case COLUMN_BITS:
	case COLUMN_DELTA_BITS:
	case COLUMN_UNITS_BITS:
	case COLUMN_UNITS_DELTA_BITS:
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
	if (r->p != r->end || places_in(tag) > PLACES_MAX)
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
		v.real = (double)(int64_t)words[0] / scales[places_in(tag)];
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
