/* SPDX-License-Identifier: MIT */
/*
 * Chunks: whatever goes in comes out, bit for bit, and no damaged byte is taken for a
 * value.  Random series print their seed; LANEWATCH_SEED takes it back.
 */
#include "base/clock.h"
#include "storage/chunk.h"
#include "storage/crc32.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 20, POINTS = 120 };

static struct chunk_rows in, out;

static void rows_init(void)
{
	chunk_rows_init(&in, CHUNK_ROWS_MAX, CHUNK_ALL);
	chunk_rows_init(&out, CHUNK_ROWS_MAX, CHUNK_ALL);
}

static void rows_release(void)
{
	chunk_rows_release(&in);
	chunk_rows_release(&out);
}

static int encode(size_t n, struct buf *b)
{
	in.n = n;
	return chunk_encode(&in, b);
}

/* How many rows, or -1. */
static int decode(const void *bytes, size_t len, size_t max)
{
	out.max = max;
	return chunk_decode(bytes, len, &out) ? -1 : (int)out.n;
}

static bool same(struct metric_value a, struct metric_value b)
{
	if (a.known != b.known || !a.known)
		return a.known == b.known;
	if (a.whole != b.whole)
		return false;
	return a.whole ? a.count.hi == b.count.hi && a.count.lo == b.count.lo
		       : memcmp(&a.real, &b.real, sizeof a.real) == 0;
}

static void comes_back(size_t n)
{
	struct buf b;
	size_t n_metrics;

	metric_table(&n_metrics);
	buf_init(&b, BYTES_MAX);
	ck_assert_int_eq(encode(n, &b), 0);
	ck_assert_int_eq(decode(b.data, b.len, CHUNK_ROWS_MAX), (int)n);
	for (size_t m = 0; m < n_metrics; m++) {
		for (size_t i = 0; i < n; i++) {
			ck_assert_int_eq(out.poll[i], in.poll[i]);
			ck_assert_int_eq(out.place[i], in.place[i]);
			ck_assert_msg(same(in.values[m][i], out.values[m][i]),
				"metric %zu, point %zu", m, i);
		}
	}
	buf_release(&b);
}

static bool is_whole(size_t m)
{
	size_t n;
	const struct metric *table = metric_table(&n);

	return table[m].kind == METRIC_COUNT || table[m].kind == METRIC_WHOLE;
}

/* ---- random series of all kinds ---- */

static uint64_t state;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* The n-th value of a series of some character. */
static struct metric_value value(size_t m, unsigned character, size_t i, uint64_t *last)
{
	static const double odd[] = {
		-20, 0, 0.1, 1e-9, 2.5, 1.0 / 3, 1e300, -1e15, 123456.789, 4e-320, -0.0};
	struct metric_value v = {
		.known = character != 0 && !(character & 8 && next() % 4 == 0),
		.whole = is_whole(m)};

	switch (character & 7) {
	case 0: /* constant */
		break;
	case 1: /* steady */
		*last += 7000000;
		break;
	case 2: /* creeping */
		*last += next() % 8 == 0;
		break;
	case 3: /* noise */
		*last = next();
		break;
	case 4: /* growing, and starting again */
		*last = next() % 50 ? *last + next() % 100000 : next() % 10;
		break;
	case 5: /* a wobble */
		*last = 38 + next() % 2;
		break;
	case 6: /* large steps either way */
		*last = i % 2 ? UINT64_MAX - next() % 3 : next() % 3;
		break;
	case 7: /* past 64 bits */
		*last += UINT64_MAX / 7;
		break;
	}
	if (v.whole)
		v.count = (struct count){.known = true,
			.lo = *last,
			.hi = (character & 7) == 7 ? *last % 5 : 0};
	else
		v.real = (character & 7) == 6 ? odd[next() % (sizeof odd / sizeof odd[0])]
					      : (double)(int64_t)(*last % 100000) / 10;
	return v;
}

START_TEST(any_series_comes_back_bit_for_bit)
{
	const char *given = getenv("LANEWATCH_SEED");
	size_t n_metrics;

	state = given ? strtoull(given, NULL, 10) : (uint64_t)clock_wall_ms();
	state |= 1;
	printf("# LANEWATCH_SEED=%llu\n", (unsigned long long)state);
	rows_init();
	metric_table(&n_metrics);
	for (int round = 0; round < 300; round++) {
		size_t n = round < 4 ? (size_t)round + 1
				     : 1 + next() % (round % 50 ? 200 : CHUNK_ROWS_MAX);

		for (size_t m = 0; m < n_metrics; m++) {
			unsigned character = (unsigned)(next() % 16);
			uint64_t last = next() % 1000;

			for (size_t i = 0; i < n; i++)
				in.values[m][i] = value(m, character, i, &last);
		}
		for (size_t i = 0; i < n; i++) {
			in.poll[i] =
				(int64_t)(i ? in.poll[i - 1] + 1 +
							  (next() % 10 == 0
									  ? (int64_t)(next() %
										      1000)
									  : 0)
					    : 1000);
			in.place[i] =
				(int64_t)(i && next() % 20 ? in.place[i - 1]
							   : (int64_t)(next() % 30));
		}
		comes_back(n);
	}
	rows_release();
}
END_TEST

START_TEST(unknown_is_never_the_value_before)
{
	rows_init();
	for (size_t i = 0; i < 3; i++)
		in.poll[i] = (int64_t)i;
	in.values[0][0] = in.values[0][2] =
		(struct metric_value){.known = true, .real = 5};
	comes_back(3);
	rows_release();
}
END_TEST

/* Numbers that need any width of bits, as they are and as differences, with and without a unit. */
START_TEST(any_width_comes_back)
{
	static const uint64_t units[] = {1, 512000};
	size_t m = (size_t)(metric_find("bytes_written") - metric_table(&(size_t){0}));

	rows_init();
	state = 88172645463325252;
	for (unsigned width = 0; width < 128; width++) {
		uint64_t last = 0, unit = units[width % 2];

		for (size_t i = 0; i < POINTS; i++) {
			uint64_t n = next() >> (63 - width / 2);

			last = width % 4 < 2 ? n : last + n;
			in.poll[i] = (int64_t)i;
			in.values[m][i] = (struct metric_value){
				.known = true, .whole = true, .count = count_of(last * unit)};
		}
		comes_back(POINTS);
	}
	rows_release();
}
END_TEST

/* ---- damage ---- */

static void typical(struct buf *b)
{
	size_t n_metrics;

	rows_init();
	metric_table(&n_metrics);
	state = 88172645463325252;
	for (size_t m = 0; m < n_metrics; m++) {
		uint64_t last = 5;

		for (size_t i = 0; i < POINTS; i++)
			in.values[m][i] = value(m, m % 3 ? 0x10 : 4, i, &last);
	}
	for (size_t i = 0; i < POINTS; i++)
		in.poll[i] = 7 + (int64_t)i;
	buf_init(b, BYTES_MAX);
	ck_assert_int_eq(encode(POINTS, b), 0);
}

START_TEST(every_flipped_bit_and_every_cut_is_noticed)
{
	struct buf b;

	typical(&b);
	for (size_t i = 0; i < b.len; i++) {
		for (int bit = 0; bit < 8; bit++) {
			b.data[i] ^= (char)(1 << bit);
			ck_assert_int_eq(
				decode(b.data, b.len, CHUNK_ROWS_MAX),
				-1);
			b.data[i] ^= (char)(1 << bit);
		}
		ck_assert_int_eq(decode(b.data, i, CHUNK_ROWS_MAX), -1);
	}
	ck_assert_int_eq(decode(b.data, b.len, POINTS - 1), -1);
	ck_assert_int_eq(decode(b.data, b.len, POINTS), POINTS);
	buf_release(&b);
	rows_release();
}
END_TEST

static uint32_t crc_of(const uint8_t *p, size_t len)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < len; i++) {
		crc ^= p[i];
		for (int k = 0; k < 8; k++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
	}
	return ~crc;
}

START_TEST(the_sum_is_the_one_that_everybody_knows)
{
	uint8_t bytes[256];

	ck_assert_uint_eq(crc32_of("123456789", 9), 0xcbf43926u);
	state = 4711;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)next();
	for (size_t len = 0; len < 200; len++)
		ck_assert_uint_eq(crc32_of(bytes + len % 9, len), crc_of(bytes + len % 9, len));
}
END_TEST

/* With a CRC that is right, so that the reader itself has to be careful. */
START_TEST(bytes_that_are_no_chunk_are_refused_or_read_within_bounds)
{
	struct buf b;

	typical(&b);
	for (int round = 0; round < 20000; round++) {
		uint8_t copy[8192];
		size_t len = b.len - next() % 4;
		uint32_t crc;

		ck_assert_uint_le(b.len, sizeof copy);
		memcpy(copy, b.data, len);
		for (uint64_t k = next() % 4; k < 4; k++)
			copy[5 + next() % (len - 5)] = (uint8_t)next();
		crc = crc_of(copy + 5, len - 5);
		for (int k = 0; k < 4; k++)
			copy[1 + k] = (uint8_t)(crc >> (8 * k));
		(void)decode(copy, len, CHUNK_ROWS_MAX);
	}
	buf_release(&b);
	rows_release();
}
END_TEST

START_TEST(what_does_not_change_costs_a_few_bytes)
{
	struct buf b;
	size_t n_metrics;

	rows_init();
	metric_table(&n_metrics);
	for (size_t m = 0; m < n_metrics; m++)
		for (size_t i = 0; i < POINTS; i++)
			in.values[m][i] = (struct metric_value){.known = true,
				.whole = is_whole(m),
				.count = count_of(32000),
				.real = 32};
	for (size_t i = 0; i < POINTS; i++)
		in.poll[i] = 1000000 + (int64_t)i;
	buf_init(&b, BYTES_MAX);
	ck_assert_int_eq(encode(POINTS, &b), 0);
	ck_assert_uint_le(b.len, n_metrics * 8 + 30);
	buf_release(&b);
	rows_release();
}
END_TEST

START_TEST(what_wobbles_costs_its_bits)
{
	struct buf without, with;

	rows_init();
	state = 88172645463325252;
	buf_init(&without, BYTES_MAX);
	buf_init(&with, BYTES_MAX);
	ck_assert_int_eq(encode(POINTS, &without), 0);
	for (size_t i = 0; i < POINTS; i++) /* 37 to 39: two bits each */
		in.values[0][i] = (struct metric_value){.known = true, .real = 37 + (double)(next() % 3)};
	ck_assert_int_eq(encode(POINTS, &with), 0);
	ck_assert_uint_le(with.len, without.len + POINTS * 2 / 8 + 2);
	buf_release(&without);
	buf_release(&with);
	rows_release();
}
END_TEST

UNIT_MAIN("chunk", any_series_comes_back_bit_for_bit, any_width_comes_back, unknown_is_never_the_value_before,
	every_flipped_bit_and_every_cut_is_noticed,
	bytes_that_are_no_chunk_are_refused_or_read_within_bounds,
	the_sum_is_the_one_that_everybody_knows, what_does_not_change_costs_a_few_bytes,
	what_wobbles_costs_its_bits)
