/* SPDX-License-Identifier: MIT */
/*
 * Chunks: whatever goes in comes out, bit for bit, and no damaged byte is taken for a
 * value.  Random series print their seed; LANEWATCH_SEED takes it back.
 */
#include "base/clock.h"
#include "storage/chunk.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 20, POINTS = 120 };

static struct chunk_point in[CHUNK_POINTS_MAX], out[CHUNK_POINTS_MAX];

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
	ck_assert_int_eq(chunk_encode(in, n, &b), 0);
	for (size_t m = 0; m < n_metrics; m++) {
		ck_assert_int_eq(chunk_decode(b.data, b.len, m, out, CHUNK_POINTS_MAX),
			(ptrdiff_t)n);
		for (size_t i = 0; i < n; i++) {
			ck_assert_int_eq(out[i].poll, in[i].poll);
			ck_assert_int_eq(out[i].place, in[i].place);
			ck_assert_msg(same(in[i].values[m], out[i].values[m]),
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
	metric_table(&n_metrics);
	for (int round = 0; round < 300; round++) {
		size_t n = round < 4 ? (size_t)round + 1
				     : 1 + next() % (round % 50 ? 200 : CHUNK_POINTS_MAX);

		for (size_t m = 0; m < n_metrics; m++) {
			unsigned character = (unsigned)(next() % 16);
			uint64_t last = next() % 1000;

			for (size_t i = 0; i < n; i++)
				in[i].values[m] = value(m, character, i, &last);
		}
		for (size_t i = 0; i < n; i++) {
			in[i].poll =
				(int64_t)(i ? in[i - 1].poll + 1 +
							  (next() % 10 == 0
									  ? (int64_t)(next() %
										      1000)
									  : 0)
					    : 1000);
			in[i].place =
				(int64_t)(i && next() % 20 ? in[i - 1].place
							   : (int64_t)(next() % 30));
		}
		comes_back(n);
	}
}
END_TEST

START_TEST(unknown_is_never_the_value_before)
{
	memset(in, 0, sizeof in[0] * 3);
	for (size_t i = 0; i < 3; i++)
		in[i].poll = (int64_t)i;
	in[0].values[0] = in[2].values[0] =
		(struct metric_value){.known = true, .real = 5};
	comes_back(3);
}
END_TEST

/* ---- damage ---- */

static void typical(struct buf *b)
{
	size_t n_metrics;

	metric_table(&n_metrics);
	memset(in, 0, sizeof in);
	state = 88172645463325252;
	for (size_t m = 0; m < n_metrics; m++) {
		uint64_t last = 5;

		for (size_t i = 0; i < POINTS; i++)
			in[i].values[m] = value(m, m % 3 ? 0x10 : 4, i, &last);
	}
	for (size_t i = 0; i < POINTS; i++)
		in[i].poll = 7 + (int64_t)i;
	buf_init(b, BYTES_MAX);
	ck_assert_int_eq(chunk_encode(in, POINTS, b), 0);
}

START_TEST(every_flipped_bit_and_every_cut_is_noticed)
{
	struct buf b;

	typical(&b);
	for (size_t i = 0; i < b.len; i++) {
		for (int bit = 0; bit < 8; bit++) {
			b.data[i] ^= (char)(1 << bit);
			ck_assert_int_eq(
				chunk_decode(b.data, b.len, 4, out, CHUNK_POINTS_MAX),
				-1);
			b.data[i] ^= (char)(1 << bit);
		}
		ck_assert_int_eq(chunk_decode(b.data, i, 4, out, CHUNK_POINTS_MAX), -1);
	}
	ck_assert_int_eq(chunk_decode(b.data, b.len, 4, out, POINTS - 1), -1);
	ck_assert_int_eq(chunk_decode(b.data, b.len, 4, out, POINTS), POINTS);
	buf_release(&b);
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
		(void)chunk_decode(copy, len, next() % 24, out, CHUNK_POINTS_MAX);
	}
	buf_release(&b);
}
END_TEST

START_TEST(what_does_not_change_costs_a_few_bytes)
{
	struct buf b;
	size_t n_metrics;

	metric_table(&n_metrics);
	memset(in, 0, sizeof in);
	for (size_t m = 0; m < n_metrics; m++)
		for (size_t i = 0; i < POINTS; i++)
			in[i].values[m] = (struct metric_value){.known = true,
				.whole = is_whole(m),
				.count = count_of(32000),
				.real = 32};
	for (size_t i = 0; i < POINTS; i++)
		in[i].poll = 1000000 + (int64_t)i;
	buf_init(&b, BYTES_MAX);
	ck_assert_int_eq(chunk_encode(in, POINTS, &b), 0);
	ck_assert_uint_le(b.len, n_metrics * 8 + 30);
	buf_release(&b);
}
END_TEST

UNIT_MAIN("chunk", any_series_comes_back_bit_for_bit, unknown_is_never_the_value_before,
	every_flipped_bit_and_every_cut_is_noticed,
	bytes_that_are_no_chunk_are_refused_or_read_within_bounds,
	what_does_not_change_costs_a_few_bytes)
