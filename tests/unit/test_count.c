/* SPDX-License-Identifier: MIT */
/* Counters of up to 128 bits: no digit is lost, and unknown stays unknown. */
#include "model/count.h"
#include "tests/unit/unit.h"

static const char *text_of(struct count c)
{
	static char out[COUNT_TEXT_MAX];

	return count_text(c, out);
}

START_TEST(data_units_times_512000_keep_every_digit_beyond_64_bits)
{
	struct count units = count_parse("36028797018963968001"); /* > 2^64 */

	ck_assert(units.known);
	ck_assert_str_eq(text_of(count_times(units, 512000)), "18446744073709551616512000");
	ck_assert_str_eq(text_of(count_times(count_of(54371398), 512000)), "27838155776000");
}
END_TEST

START_TEST(a_little_endian_counter_reads_as_written)
{
	const uint8_t b[16] = {1, 0, 0, 0, 0, 0, 0, 0, 2};

	ck_assert_str_eq(text_of(count_of_le128(b)), "36893488147419103233");
}
END_TEST

START_TEST(times_a_factor_beyond_32_bits_is_exact_and_overflow_is_unknown)
{
	struct count a = count_of(UINT64_MAX);

	ck_assert_str_eq(text_of(count_times(a, UINT64_MAX)), "340282366920938463426481119284349108225");
	ck_assert(!count_times(count_times(a, UINT64_MAX), 2).known);
	ck_assert(!count_times((struct count){0}, 2).known);
}
END_TEST

START_TEST(a_difference_needs_both_and_is_never_negative)
{
	ck_assert_str_eq(text_of(count_minus(count_parse("18446744073709551616"), count_of(1))), "18446744073709551615");
	ck_assert(!count_minus(count_of(1), count_of(2)).known);
	ck_assert(!count_minus(count_of(1), (struct count){0}).known);
}
END_TEST

START_TEST(text_that_is_no_number_is_unknown)
{
	static const char *const bad[] = {"", "-1", "1.0", "12x", "340282366920938463463374607431768211456"};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_msg(!count_parse(bad[i]).known, "%s", bad[i]);
	ck_assert(count_parse("340282366920938463463374607431768211455").known);
	ck_assert_str_eq(text_of((struct count){0}), "");
	ck_assert_str_eq(text_of(count_of(0)), "0");
}
END_TEST

UNIT_MAIN("count", data_units_times_512000_keep_every_digit_beyond_64_bits,
	a_little_endian_counter_reads_as_written,
	times_a_factor_beyond_32_bits_is_exact_and_overflow_is_unknown,
	a_difference_needs_both_and_is_never_negative, text_that_is_no_number_is_unknown)
