/* SPDX-License-Identifier: MIT */
/* hot: see hot.h. */
#include "storage/hot.h"

#include "storage/crc32.h"
#include "storage/varint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VERSION_1 = 1, HEAD = 5 };
enum { NOT_KNOWN = 0, WIDE = 1, BITS = 2, FIRST = 3 };

/* ---- writing ---- */

static int put_count(struct buf *out, struct count c)
{
	if (c.hi || c.lo > UINT64_MAX - FIRST)
		return put_varint(out, WIDE) || put_word(out, c.lo) || put_word(out, c.hi)
			       ? -1
			       : 0;
	return put_varint(out, c.lo + FIRST);
}

static int put_real(struct buf *out, double d)
{
	double scale = 1;
	uint64_t bits;

	for (unsigned places = 0; places < 4; places++, scale *= 10) {
		double whole = rint(d * scale);

		if (fabs(whole) < 1e15 && whole / scale == d && !(d == 0 && signbit(d)))
			return put_varint(out,
				zigzag((uint64_t)(int64_t)whole) * 4 + places + FIRST);
	}
	memcpy(&bits, &d, sizeof bits);
	return put_varint(out, BITS) || put_word(out, bits) ? -1 : 0;
}

int hot_put_values(const struct bay *b, struct buf *out)
{
	size_t n;
	const struct metric *metrics = metric_table(&n);
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		struct metric_value v = metric_of(&metrics[i], b);

		rc = !v.known  ? put_varint(out, NOT_KNOWN)
		     : v.whole ? put_count(out, v.count)
			       : put_real(out, v.real);
	}
	return rc ? -1 : 0;
}

static int put_drive(struct buf *out, const struct hot_drive *d)
{
	return put_varint(out, (uint64_t)d->drive) || put_varint(out, (uint64_t)d->place) ||
	       buf_add(out, d->values, (size_t)(d->values_end - d->values));
}

int hot_encode(const struct hot_drive *drives, size_t n, int64_t wall_ms, int64_t steady_ms,
	struct buf *out)
{
	const uint8_t head[HEAD] = {VERSION_1};
	struct buf one;
	uint32_t crc;
	int rc = buf_add(out, head, sizeof head) ||
		 put_varint(out, zigzag((uint64_t)wall_ms)) ||
		 put_varint(out, zigzag((uint64_t)steady_ms));

	buf_init(&one, out->max);
	for (size_t i = 0; i < n && rc == 0; i++) {
		buf_clear(&one);
		rc = put_drive(&one, &drives[i]) || put_varint(out, one.len) ||
		     buf_add(out, one.data, one.len);
	}
	buf_release(&one);
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

static struct metric_value get_value(struct reader *r, bool whole)
{
	struct metric_value v = {.whole = whole};
	uint64_t n = r->p < r->end ? get_varint(r) : NOT_KNOWN, bits;

	if (n == NOT_KNOWN || r->bad)
		return v;
	v.known = true;
	if (n == WIDE) {
		v.count = (struct count){.known = true, .lo = get_word(r)};
		v.count.hi = get_word(r);
	} else if (n == BITS) {
		bits = get_word(r);
		memcpy(&v.real, &bits, sizeof v.real);
	} else if (whole) {
		v.count = count_of(n - FIRST);
	} else {
		static const double scales[4] = {1, 10, 100, 1000};

		v.real = (double)(int64_t)unzigzag((n - FIRST) / 4) / scales[(n - FIRST) % 4];
	}
	if (r->bad || (!whole && !isfinite(v.real)))
		return (struct metric_value){0};
	return v;
}

static bool is_whole(const struct metric *m)
{
	return m->kind == METRIC_COUNT || m->kind == METRIC_WHOLE;
}

void hot_values(const struct hot_reader *r, struct metric_value *values)
{
	struct reader one = {r->values, r->values_end, false};
	size_t n;
	const struct metric *metrics = metric_table(&n);

	for (size_t i = 0; i < n; i++)
		values[i] = get_value(&one, is_whole(&metrics[i]));
}

struct metric_value hot_value(const struct hot_reader *r, size_t metric)
{
	struct reader one = {r->values, r->values_end, false};
	struct metric_value v = {0};
	size_t n;
	const struct metric *metrics = metric_table(&n);

	for (size_t i = 0; i <= metric && i < n; i++)
		v = get_value(&one, is_whole(&metrics[i]));
	return v;
}
