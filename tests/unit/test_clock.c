/* SPDX-License-Identifier: MIT */
/* Stamps in RFC 3339, from year 1 to 9999, and clocks that a test turns by hand. */
#include "base/clock.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Both ways, for stamps of whole seconds. */
static const struct {
	const char *text;
	int64_t ms;
} stamps[] = {
	{"1970-01-01T00:00:00Z", 0},
	{"1969-12-31T23:59:59Z", -1000},
	{"1970-01-01T00:00:01Z", 1000},
	{"2000-02-29T12:00:00Z", 951825600000},
	{"1999-12-31T23:59:59Z", 946684799000},
	{"2000-01-01T00:00:00Z", 946684800000},
	{"1900-03-01T00:00:00Z", -2203891200000},
	{"2024-02-29T00:00:00Z", 1709164800000},
	{"2026-11-30T12:00:00Z", 1796040000000},
	{"2038-01-19T03:14:07Z", 2147483647000},
	{"2038-01-19T03:14:08Z", 2147483648000},
	{"2100-02-28T23:59:59Z", 4107542399000},
	{"2100-03-01T00:00:00Z", 4107542400000},
	{"2106-02-07T06:28:16Z", 4294967296000},
	{"9999-12-31T23:59:59Z", 253402300799000},
	{"0001-01-01T00:00:00Z", -62135596800000},
	{"0400-02-29T00:00:00Z", -49539340800000},
};

START_TEST(stamps_are_written_and_read_as_the_same)
{
	char out[CLOCK_TEXT_MAX];

	for (size_t i = 0; i < COUNT(stamps); i++) {
		ck_assert_msg(clock_parse(stamps[i].text) == stamps[i].ms, "%s: %lld", stamps[i].text,
			(long long)clock_parse(stamps[i].text));
		ck_assert_str_eq(clock_text(stamps[i].ms, out), stamps[i].text);
	}
}
END_TEST

START_TEST(every_day_of_four_centuries_goes_both_ways)
{
	const int64_t day = 86400000, first = clock_parse("1900-01-01T00:00:00Z");
	char out[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX] = "";

	for (int64_t t = first; t < first + 146097 * day; t += day) {
		clock_text(t + day - 1000, out);
		if (strcmp(out, last) <= 0 || clock_parse(out) != t + day - 1000)
			ck_abort_msg("%s after %s", out, last); /* later sorts later */
		memcpy(last, out, sizeof last);
	}
}
END_TEST

START_TEST(milliseconds_are_cut_towards_the_past)
{
	char out[CLOCK_TEXT_MAX];

	ck_assert_str_eq(clock_text(999, out), "1970-01-01T00:00:00Z");
	ck_assert_str_eq(clock_text(-1, out), "1969-12-31T23:59:59Z");
	ck_assert_str_eq(clock_text(-1000, out), "1969-12-31T23:59:59Z");
	ck_assert_str_eq(clock_text(-1001, out), "1969-12-31T23:59:58Z");
}
END_TEST

START_TEST(a_time_that_is_not_known_or_not_writable_is_empty)
{
	char out[CLOCK_TEXT_MAX] = "x";

	ck_assert_str_eq(clock_text(CLOCK_NEVER, out), "");
	ck_assert_str_eq(clock_text(CLOCK_NEVER + 1, out), "");
	ck_assert_str_eq(clock_text(INT64_MAX, out), "");
	ck_assert_str_eq(clock_text(253402300800000, out), ""); /* year 10000 */
	ck_assert_str_eq(clock_text(-62135596800001, out), ""); /* year 0 */
}
END_TEST

START_TEST(fractions_offsets_and_the_spellings_of_bmcs_are_read)
{
	static const struct {
		const char *text;
		int64_t ms;
	} rows[] = {
		{"1970-01-01T00:00:00.5Z", 500},
		{"1970-01-01T00:00:00.123Z", 123},
		{"1970-01-01T00:00:00.1239999999999Z", 123},
		{"1970-01-01T00:00:00.007Z", 7},
		{"1970-01-01T00:00:00.0009Z", 0},
		{"1970-01-01T02:00:00+02:00", 0},
		{"1969-12-31T19:00:00-05:00", 0},
		{"1970-01-01T05:30:00+05:30", 0},
		{"1970-01-01T05:45:00+0545", 0},
		{"1970-01-01T00:00:00+00:00", 0},
		{"1970-01-01T00:00:00-00:00", 0},
		{"1970-01-01T23:59:00+23:59", 0},
		{"1970-01-01t00:00:00z", 0},
		{"1970-01-01 00:00:00Z", 0},
		{"2026-11-30T06:00:00.250-06:00", 1796040000250},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		ck_assert_msg(clock_parse(rows[i].text) == rows[i].ms, "%s: %lld", rows[i].text,
			(long long)clock_parse(rows[i].text));
}
END_TEST

START_TEST(LW_D8_a_leap_second_in_a_text_is_the_second_after_it)
{
	static const char *const rows[] = {"2016-12-31T23:59:60Z", "2017-01-01T05:29:60+05:30", "2017-01-01T00:00:00Z"};

	for (size_t i = 0; i < COUNT(rows); i++)
		ck_assert_msg(clock_parse(rows[i]) == INT64_C(1483228800000), "%s", rows[i]);
	ck_assert(clock_parse("2016-12-31T23:59:61Z") == CLOCK_NEVER);
}
END_TEST

START_TEST(what_is_no_stamp_is_never)
{
	static const char *const rows[] = {"", "now", "1970", "1970-01-01", "1970-01-01T00:00:00",
		"1970-01-01T00:00Z", "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00ZZ", "1970-01-01T00:00:00Z ",
		" 1970-01-01T00:00:00Z", "1970-1-01T00:00:00Z", "70-01-01T00:00:00Z", "1970-00-01T00:00:00Z",
		"1970-13-01T00:00:00Z", "1970-01-00T00:00:00Z", "1970-01-32T00:00:00Z", "1970-02-29T00:00:00Z",
		"1970-04-31T00:00:00Z", "2100-02-29T00:00:00Z", "2023-02-29T00:00:00Z", "1970-01-01T24:00:00Z",
		"1970-01-01T00:60:00Z", "1970-01-01T00:00:61Z", "1970-01-01T00:00:00+24:00",
		"1970-01-01T00:00:00+00:60", "1970-01-01T00:00:00+1", "1970-01-01T00:00:00+1:00",
		"1970-01-01T00:00:00 +01:00", "0000-01-01T00:00:00Z", "-001-01-01T00:00:00Z",
		"12026-01-01T00:00:00Z", "1970/01/01T00:00:00Z", "1970-01-01T00.00.00Z", "1970-01-01T-1:00:00Z",
		"1970-01-01T00:00:00UTC", "Thu, 01 Jan 1970 00:00:00 GMT", "\xff\xff\xff\xff-01-01T00:00:00Z"};

	for (size_t i = 0; i < COUNT(rows); i++)
		ck_assert_msg(clock_parse(rows[i]) == CLOCK_NEVER, "%s", rows[i]);
	ck_assert(clock_parse(NULL) == CLOCK_NEVER);
}
END_TEST

START_TEST(every_cut_of_a_stamp_is_never)
{
	static const char whole[] = "2026-11-30T12:00:00.250+01:00";
	char cut[sizeof whole];

	for (size_t n = 0; n < sizeof whole - 1; n++) {
		snprintf(cut, n + 1, "%s", whole);
		ck_assert_msg(clock_parse(cut) == CLOCK_NEVER, "%s", cut);
	}
	ck_assert(clock_parse(whole) != CLOCK_NEVER);
}
END_TEST

START_TEST(clocks_can_be_turned_by_hand_and_given_back)
{
	int64_t wall = clock_wall_ms(), mono = clock_mono_ms();

	ck_assert_int_gt(wall, clock_parse("2020-01-01T00:00:00Z"));
	clock_set(-5, 77);
	ck_assert_int_eq(clock_wall_ms(), -5);
	ck_assert_int_eq(clock_mono_ms(), 77);
	clock_set(0, 0);
	ck_assert_int_eq(clock_wall_ms(), 0);
	ck_assert_int_eq(clock_mono_ms(), 0);
	clock_set(CLOCK_NEVER, 0);
	ck_assert_int_ge(clock_wall_ms(), wall);
	ck_assert_int_ge(clock_mono_ms(), mono);
}
END_TEST

START_TEST(a_date_of_http_is_written_as_it_is_read)
{
	static const struct {
		int64_t wall_ms;
		const char *wanted;
	} cases[] = {{784111777000, "Sun, 06 Nov 1994 08:49:37 GMT"}, {0, "Thu, 01 Jan 1970 00:00:00 GMT"}, {-1, "Wed, 31 Dec 1969 23:59:59 GMT"},
		{1709251199999, "Thu, 29 Feb 2024 23:59:59 GMT"}, {CLOCK_NEVER, ""}};
	char out[CLOCK_TEXT_MAX];

	for (size_t i = 0; i < COUNT(cases); i++)
		ck_assert_str_eq(clock_text_http(cases[i].wall_ms, out), cases[i].wanted);
}
END_TEST

UNIT_MAIN("clock", a_date_of_http_is_written_as_it_is_read, stamps_are_written_and_read_as_the_same, every_day_of_four_centuries_goes_both_ways,
	milliseconds_are_cut_towards_the_past, a_time_that_is_not_known_or_not_writable_is_empty,
	fractions_offsets_and_the_spellings_of_bmcs_are_read, LW_D8_a_leap_second_in_a_text_is_the_second_after_it, what_is_no_stamp_is_never,
	every_cut_of_a_stamp_is_never, clocks_can_be_turned_by_hand_and_given_back)
