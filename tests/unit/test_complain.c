/* SPDX-License-Identifier: MIT */
/* When a lasting fault is said (LW-A7). */
#include "base/complain.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define MINUTE INT64_C(60000)
#define HOUR   (60 * MINUTE)

START_TEST(a_lasting_fault_is_said_once_then_hourly_with_a_count_and_when_it_is_over_LW_A7)
{
	struct complaint c = {0};
	char tail[COMPLAIN_TAIL_MAX];

	ck_assert(!complain_over(&c, 0, tail));
	ck_assert(complain(&c, 5 * MINUTE, tail));
	ck_assert_str_eq(tail, "");
	for (int64_t t = 6 * MINUTE; t < HOUR + 5 * MINUTE; t += MINUTE)
		ck_assert(!complain(&c, t, tail));
	ck_assert(complain(&c, HOUR + 5 * MINUTE, tail));
	ck_assert_str_eq(tail, "; for 60 min now, 61 times");
	ck_assert(!complain(&c, HOUR + 6 * MINUTE, tail));
	ck_assert(complain_over(&c, 2 * HOUR + 5 * MINUTE, tail));
	ck_assert_str_eq(tail, " after 2 h, 62 times");
	ck_assert(!complain_over(&c, 2 * HOUR + 6 * MINUTE, tail));
	ck_assert(complain(&c, 3 * HOUR, tail));
	ck_assert_str_eq(tail, "");
}
END_TEST

START_TEST(fifty_dead_targets_say_less_than_a_mebibyte_in_a_day_LW_A7)
{
	struct complaint dead[50] = {{0}};
	size_t bytes = 0, lines = 0;
	char tail[COMPLAIN_TAIL_MAX], line[256];

	for (int64_t t = 0; t < 24 * HOUR; t += MINUTE)
		for (size_t i = 0; i < 50; i++)
			if (complain(&dead[i], t, tail)) {
				lines++;
				bytes += (size_t)snprintf(line, sizeof line,
					"<4>lanewatch: target: bmc-%02zu does not answer: no answer from https://192.0.2.%zu within 30 s%s\n",
					i, i, tail);
			}
	ck_assert_uint_eq(lines, 50 * 24);
	ck_assert_uint_lt(bytes, 1 << 20);
}
END_TEST

START_TEST(a_duration_is_told_in_the_unit_that_suits_it)
{
	char out[24];

	complain_duration(45 * 1000, out, sizeof out);
	ck_assert_str_eq(out, "45 s");
	complain_duration(12 * MINUTE, out, sizeof out);
	ck_assert_str_eq(out, "12 min");
	complain_duration(50 * HOUR, out, sizeof out);
	ck_assert_str_eq(out, "2 d");
}
END_TEST

UNIT_MAIN("complain", a_lasting_fault_is_said_once_then_hourly_with_a_count_and_when_it_is_over_LW_A7,
	fifty_dead_targets_say_less_than_a_mebibyte_in_a_day_LW_A7, a_duration_is_told_in_the_unit_that_suits_it)
