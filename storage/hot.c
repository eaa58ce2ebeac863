/* SPDX-License-Identifier: MIT */
/* hot: see hot.h. */
#include "storage/hot.h"

#include "storage/chunk.h"
#include "storage/crc32.h"
#include "storage/varint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERSION_1 = 1, HEAD = 5, VALUE_MAX = 1 + 16 };
enum { NOT_KNOWN = 0, WIDE = 1, BITS = 2, FIRST = 3 };

/* ---- writing ---- */

static uint8_t *count_to(uint8_t *p, struct count c)
{
	if (c.hi || c.lo > UINT64_MAX - FIRST)
		return word_to(word_to(varint_to(p, WIDE), c.lo), c.hi);
	return varint_to(p, c.lo + FIRST);
}

static uint8_t *real_to(uint8_t *p, double d)
{
	double scale = 1;
	uint64_t bits;

	for (unsigned places = 0; places < 4; places++, scale *= 10) {
		double whole = rint(d * scale);

		if (fabs(whole) < 1e15 && whole / scale == d && !(d == 0 && signbit(d)))
			return varint_to(p, zigzag((uint64_t)(int64_t)whole) * 4 + places + FIRST);
	}
	memcpy(&bits, &d, sizeof bits);
	return word_to(varint_to(p, BITS), bits);
}

int hot_put_values(const struct bay *b, struct buf *out)
{
	uint8_t bytes[CHUNK_METRICS_MAX * VALUE_MAX], *p = bytes;
	size_t n;
	const struct metric *metrics = metric_table(&n);

	for (size_t i = 0; i < n; i++) {
		struct metric_value v = metric_of(&metrics[i], b);

		p = !v.known  ? varint_to(p, NOT_KNOWN)
		    : v.whole ? count_to(p, v.count)
			      : real_to(p, v.real);
	}
	return buf_add(out, bytes, (size_t)(p - bytes));
}

static int put_drive(struct buf *out, const struct hot_drive *d)
{
	size_t len = (size_t)(d->values_end - d->values), ids;
	uint8_t head[2 * VARINT_MAX];

	ids = (size_t)(varint_to(varint_to(head, (uint64_t)d->drive), (uint64_t)d->place) - head);
	return put_varint(out, ids + len) || buf_add(out, head, ids) || buf_add(out, d->values, len);
}

int hot_encode(const struct hot_drive *drives, size_t n, int64_t wall_ms, int64_t steady_ms,
	struct buf *out)
{
	const uint8_t head[HEAD] = {VERSION_1};
	uint32_t crc;
	int rc = buf_add(out, head, sizeof head) ||
		 put_varint(out, zigzag((uint64_t)wall_ms)) ||
		 put_varint(out, zigzag((uint64_t)steady_ms));

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = put_drive(out, &drives[i]);
	if (rc)
		return -1;
	crc = crc32_of(out->data + HEAD, out->len - HEAD);
	for (int k = 0; k < 4; k++)
		out->data[1 + k] = (char)(crc >> (8 * k));
	return 0;
}

/* ---- reading ---- */

int hot_open(struct hot_reader *r, const void *bytes, size_t len, int64_t wall_ms,
	int64_t steady_ms)
{
	const uint8_t *p = bytes;
	struct reader head;
	uint32_t crc = 0;

	*r = (struct hot_reader){0};
	if (len == 0)
		return 0;
	if (len < HEAD || p[0] != VERSION_1)
		return -1;
	for (int k = 0; k < 4; k++)
		crc |= (uint32_t)p[1 + k] << (8 * k);
	if (crc != crc32_of(p + HEAD, len - HEAD))
		return -1;
	head = (struct reader){p + HEAD, p + len, false};
	if ((int64_t)unzigzag(get_varint(&head)) != wall_ms ||
		(int64_t)unzigzag(get_varint(&head)) != steady_ms || head.bad)
		return -1;
	r->p = head.p;
	r->end = head.end;
	return 0;
}

bool hot_next(struct hot_reader *r)
{
	struct reader one = {r->p, r->end, false};
	uint64_t len;

	if (r->p == r->end)
		return false;
	len = get_varint(&one);
	if (one.bad || len > (uint64_t)(one.end - one.p)) {
		r->p = r->end;
		return false;
	}
	one.end = one.p + len;
	r->p = one.end;
	r->drive = (int64_t)get_varint(&one);
	r->place = (int64_t)get_varint(&one);
	r->values = one.p;
	r->values_end = one.end;
	return !one.bad;
}

/* 0, or -1 where it is cut off or of the other kind. */
static int get_whole(struct reader *r, uint64_t n, struct metric_value *v)
{
	v->whole = true;
	v->count = count_of(n - FIRST);
	if (n == WIDE) {
		v->count.lo = get_word(r);
		v->count.hi = get_word(r);
	} else if (n == BITS) {
		get_word(r);
		return -1;
	}
	return r->bad ? -1 : 0;
}

static int get_real(struct reader *r, uint64_t n, struct metric_value *v)
{
	static const double scales[4] = {1, 10, 100, 1000};
	uint64_t bits;

	if (n == WIDE) {
		get_word(r);
		get_word(r);
		return -1;
	}
	if (n == BITS) {
		bits = get_word(r);
		memcpy(&v->real, &bits, sizeof v->real);
	} else {
		v->real = (double)(int64_t)unzigzag((n - FIRST) / 4) / scales[(n - FIRST) % 4];
	}
	return r->bad || !isfinite(v->real) ? -1 : 0;
}

static void get_value(struct reader *r, bool whole, struct metric_value *v)
{
	uint64_t n = r->p < r->end ? get_varint(r) : NOT_KNOWN;

	*v = (struct metric_value){.whole = whole};
	if (n == NOT_KNOWN || r->bad)
		return;
	if (whole ? get_whole(r, n, v) : get_real(r, n, v))
		*v = (struct metric_value){0};
	else
		v->known = true;
}

static bool is_whole(const struct metric *m)
{
	return m->kind == METRIC_COUNT || m->kind == METRIC_WHOLE;
}

void hot_columns(const struct hot_reader *r, struct metric_value *const *columns, size_t row)
{
	struct reader one = {r->values, r->values_end, false};
	size_t n;
	const struct metric *metrics = metric_table(&n);

	for (size_t i = 0; i < n; i++)
		get_value(&one, is_whole(&metrics[i]), &columns[i][row]);
}

/* Past one that is not wanted. */
static void skip_value(struct reader *r)
{
	uint64_t n = r->p < r->end ? get_varint(r) : NOT_KNOWN;
	int words = n == WIDE ? 2 : n == BITS ? 1 : 0;

	while (words-- > 0)
		get_word(r);
}

void hot_some(const struct hot_reader *r, uint64_t wanted, struct metric_value *values)
{
	struct reader one = {r->values, r->values_end, false};
	size_t n;
	const struct metric *metrics = metric_table(&n);

	for (size_t i = 0; i < n && wanted; i++, wanted >>= 1)
		if (wanted & 1)
			get_value(&one, is_whole(&metrics[i]), &values[i]);
		else
			skip_value(&one);
}

void hot_values(const struct hot_reader *r, struct metric_value *values)
{
	hot_some(r, UINT64_MAX, values);
}

struct metric_value hot_value(const struct hot_reader *r, size_t metric)
{
	struct reader one = {r->values, r->values_end, false};
	struct metric_value v = {0};
	size_t n;
	const struct metric *metrics = metric_table(&n);

	if (metric >= n)
		return v;
	for (size_t i = 0; i < metric; i++)
		skip_value(&one);
	get_value(&one, is_whole(&metrics[metric]), &v);
	return v;
}
