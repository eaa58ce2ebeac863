/* SPDX-License-Identifier: MIT */
/* Small text helpers, and the one door for text from outside (LW-R13). */
#include "base/str.h"
#include "tests/unit/unit.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

START_TEST(a_copy_fits_or_is_cut_between_characters)
{
	static const struct {
		const char *from;
		size_t size;
		const char *to;
		bool whole;
	} rows[] = {
		{"", 1, "", true}, {"a", 1, "", false}, {"abc", 4, "abc", true}, {"abc", 3, "ab", false},
		{"\xc3\xa4", 3, "\xc3\xa4", true}, {"\xc3\xa4", 2, "", false},
		{"a\xe2\x82\xac" "b", 4, "a", false}, {"a\xe2\x82\xac" "b", 5, "a\xe2\x82\xac", false},
		{"\xf0\x9f\x98\x80", 4, "", false}, {"\xf0\x9f\x98\x80", 5, "\xf0\x9f\x98\x80", true},
	};
	char out[8];

	for (size_t i = 0; i < COUNT(rows); i++) {
		memset(out, 'z', sizeof out);
		ck_assert_msg(str_copy(out, rows[i].size, rows[i].from) == rows[i].whole, "%zu", i);
		ck_assert_msg(strcmp(out, rows[i].to) == 0, "%zu: %s", i, out);
	}
}
END_TEST

/* ---- cleaning ---- */

static const struct {
	const char *from;
	size_t len; /* 0: a text */
	const char *to;
} dirty[] = {
	/* blanks */
	{"S5XYNG0R", 0, "S5XYNG0R"},
	{"  S5XYNG0R  ", 0, "S5XYNG0R"},
	{"\t\r\n S5XYNG0R\n\r\t ", 0, "S5XYNG0R"},
	{"Acme  G5", 0, "Acme  G5"},
	{"   ", 0, ""},
	{"", 0, ""},
	{"ABC\0\0\0\0\0", 8, "ABC"},
	{"ABC \0 \0", 7, "ABC"},
	{"\0\0ABC", 5, "ABC"},
	{"A\0B", 3, "A?B"},
	/* C0, DEL, C1 */
	{"a\tb", 0, "a?b"},
	{"a\nb\rc", 0, "a?b?c"},
	{"\x1b]0;title\x07", 0, "?]0;title?"},
	{"\x1b[31mred", 0, "?[31mred"},
	{"a\x01\x1f\x7f" "b", 0, "a???b"},
	{"a\xc2\x80\xc2\x9b\xc2\x9f" "b", 0, "a???b"},
	{"a\xc2\xa0" "b", 0, "a\xc2\xa0" "b"},
	/* bidirectional and line controls */
	{"a\xe2\x80\xae" "b", 0, "a?b"},
	{"\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f\xe2\x80\xaa\xe2\x80\xab\xe2\x80\xac\xe2\x80\xad", 0, "???????"},
	{"\xe2\x81\xa6\xe2\x81\xa7\xe2\x81\xa8\xe2\x81\xa9", 0, "????"},
	{"\xe2\x80\xa8\xe2\x80\xa9", 0, "??"},
	{"\xef\xbb\xbf" "BOM", 0, "?BOM"},
	{"\xe2\x80\x90\xe2\x80\x93", 0, "\xe2\x80\x90\xe2\x80\x93"}, /* hyphen, dash */
	/* well-formed UTF-8 */
	{"\xc2\xa9 \xd0\x96 \xe2\x82\xac \xe4\xb8\xad \xf0\x9f\x98\x80", 0,
		"\xc2\xa9 \xd0\x96 \xe2\x82\xac \xe4\xb8\xad \xf0\x9f\x98\x80"},
	{"\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 0,
		"\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
	{"\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", 0, "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d"}, /* right to left is no control */
	/* what is no UTF-8: one ? for each byte */
	{"\x80", 0, "?"},
	{"\xbf\xbf", 0, "??"},
	{"a\xc3", 0, "a?"},
	{"a\xc3(", 0, "a?("},
	{"a\xe2\x82", 0, "a??"},
	{"a\xe2\x82" "b", 0, "a??b"},
	{"a\xf0\x9f\x98", 0, "a???"},
	{"\xc0\x80", 0, "??"},		/* overlong NUL */
	{"\xc1\xbf", 0, "??"},		/* overlong DEL */
	{"\xc0\xaf", 0, "??"},		/* overlong slash */
	{"\xe0\x80\xaf", 0, "???"},	/* the same in three */
	{"\xe0\x9f\xbf", 0, "???"},
	{"\xf0\x80\x80\xaf", 0, "????"}, /* and four */
	{"\xf0\x8f\xbf\xbf", 0, "????"},
	{"\xed\xa0\x80", 0, "???"},	/* surrogates */
	{"\xed\xbf\xbf", 0, "???"},
	{"\xed\xa0\xbd\xed\xb8\x80", 0, "??????"}, /* CESU-8 */
	{"\xf4\x90\x80\x80", 0, "????"}, /* beyond U+10FFFF */
	{"\xf5\x80\x80\x80", 0, "????"},
	{"\xf8\x88\x80\x80\x80", 0, "?????"},
	{"\xfc\x84\x80\x80\x80\x80", 0, "??????"},
	{"\xfe\xff", 0, "??"},
	{"\xff", 0, "?"},
	{"caf\xe9", 0, "caf?"}, /* Latin-1 */
	/* harmless here, encoded at each exit */
	{"<img src=x onerror=alert(1)>", 0, "<img src=x onerror=alert(1)>"},
	{"=HYPERLINK(\"x\")", 0, "=HYPERLINK(\"x\")"},
	{"\"\n# EVIL 1", 0, "\"?# EVIL 1"},
};

START_TEST(outside_text_is_cleaned_LW_R13)
{
	char out[128];

	for (size_t i = 0; i < COUNT(dirty); i++) {
		str_clean_bytes(out, sizeof out, dirty[i].from, dirty[i].len ? dirty[i].len : strlen(dirty[i].from));
		ck_assert_msg(strcmp(out, dirty[i].to) == 0, "%zu: %s", i, out);
		if (dirty[i].len)
			continue;
		str_clean(out, sizeof out, dirty[i].from);
		ck_assert_msg(strcmp(out, dirty[i].to) == 0, "%zu: %s", i, out);
	}
	str_clean(out, sizeof out, NULL);
	ck_assert_str_eq(out, "");
}
END_TEST

/* As an independent judge: jansson takes no text that is not UTF-8. */
static bool is_clean(const char *s)
{
	json_t *j = json_string(s);

	json_decref(j);
	for (; j && *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			return false;
	return j != NULL;
}

START_TEST(whatever_comes_in_clean_text_comes_out_at_every_length_LW_R13)
{
	unsigned state = 12345;
	unsigned char in[24];
	char out[24];

	for (int i = 0; i < (is_instrumented() ? 20000 : 200000); i++) {
		size_t len, size;

		for (size_t k = 0; k < sizeof in; k++) {
			state = state * 1103515245 + 12345;
			/* mostly bytes that begin or continue something */
			in[k] = (unsigned char)(state >> 16 & 3 ? 0x80 | state >> 24 : state >> 24);
		}
		len = state >> 8 & 15;
		size = 1 + (state >> 4) % 23;
		memset(out, 'z', sizeof out);
		str_clean_bytes(out, size, in, len);
		if (strnlen(out, sizeof out) >= size || !is_clean(out))
			ck_abort_msg("run %d", i);
		for (size_t k = size; k < sizeof out; k++)
			if (out[k] != 'z')
				ck_abort_msg("run %d: written past the end", i);
	}
}
END_TEST

START_TEST(what_is_too_long_is_cut_between_characters_without_blanks_at_the_end)
{
	char out[8];

	str_clean(out, 4, "a\xe2\x82\xac" "b");
	ck_assert_str_eq(out, "a");
	str_clean(out, 5, "a\xe2\x82\xac" "b");
	ck_assert_str_eq(out, "a\xe2\x82\xac");
	str_clean(out, 6, "ab    cd");
	ck_assert_str_eq(out, "ab");
	str_clean(out, 1, "abc");
	ck_assert_str_eq(out, "");
}
END_TEST

/* ---- numbers ---- */

START_TEST(whole_numbers_are_read_within_their_range_or_not_at_all)
{
	static const struct {
		const char *text;
		int64_t min, max;
		bool ok;
		int64_t value;
	} rows[] = {
		{"0", INT64_MIN, INT64_MAX, true, 0},
		{"-0", INT64_MIN, INT64_MAX, true, 0},
		{"007", INT64_MIN, INT64_MAX, true, 7},
		{"9223372036854775807", INT64_MIN, INT64_MAX, true, INT64_MAX},
		{"-9223372036854775808", INT64_MIN, INT64_MAX, true, INT64_MIN},
		{"9223372036854775808", INT64_MIN, INT64_MAX, false, 0},
		{"-9223372036854775809", INT64_MIN, INT64_MAX, false, 0},
		{"99999999999999999999999999", INT64_MIN, INT64_MAX, false, 0},
		{"0x10", 0, 100, true, 16},
		{"0XfF", 0, 255, true, 255},
		{"0x7fffffffffffffff", 0, INT64_MAX, true, INT64_MAX},
		{"0x8000000000000000", INT64_MIN, INT64_MAX, false, 0},
		{"65535", 1, 65535, true, 65535},
		{"65536", 1, 65535, false, 0},
		{"0", 1, 65535, false, 0},
		{"-1", 0, 10, false, 0},
		{"-5", -5, -5, true, -5},
		{"", INT64_MIN, INT64_MAX, false, 0},
		{"-", INT64_MIN, INT64_MAX, false, 0},
		{"+5", INT64_MIN, INT64_MAX, false, 0},
		{" 5", INT64_MIN, INT64_MAX, false, 0},
		{"5 ", INT64_MIN, INT64_MAX, false, 0},
		{"- 5", INT64_MIN, INT64_MAX, false, 0},
		{"--5", INT64_MIN, INT64_MAX, false, 0},
		{"5x", INT64_MIN, INT64_MAX, false, 0},
		{"5.0", INT64_MIN, INT64_MAX, false, 0},
		{"1e3", INT64_MIN, INT64_MAX, false, 0},
		{"0x", INT64_MIN, INT64_MAX, false, 0},
		{"0xg", INT64_MIN, INT64_MAX, false, 0},
		{"0x-5", INT64_MIN, INT64_MAX, false, 0},
		{"-0x5", INT64_MIN, INT64_MAX, false, 0},
		{"x10", INT64_MIN, INT64_MAX, false, 0},
		{"N/A", INT64_MIN, INT64_MAX, false, 0},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t v = 4711;

		ck_assert_msg(str_to_int(rows[i].text, rows[i].min, rows[i].max, &v) == rows[i].ok, "%s", rows[i].text);
		ck_assert_int_eq(v, rows[i].ok ? rows[i].value : 4711);
	}
}
END_TEST

START_TEST(decimal_numbers_are_read_if_finite)
{
	static const struct {
		const char *text;
		double value; /* NAN: none */
	} rows[] = {
		{"0", 0}, {"7.877", 7.877}, {"-40", -40}, {"+3", 3}, {"1e3", 1000}, {"2.5E-1", 0.25}, {"5.", 5},
		{"1e308", 1e308}, {"1e309", NAN}, {"-1e309", NAN}, {"nan", NAN}, {"inf", NAN}, {"-inf", NAN},
		{"infinity", NAN}, {"0x10", NAN}, {"0x1p4", NAN}, {"", NAN}, {".5", NAN}, {"-", NAN}, {" 1", NAN},
		{"1 ", NAN}, {"1,5", NAN}, {"1e", NAN}, {"32 GT/s", NAN}, {"--1", NAN}, {"+-1", NAN}, {"1e5x", NAN},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		double v = 4711;

		ck_assert_msg(str_to_double(rows[i].text, &v) == !isnan(rows[i].value), "%s", rows[i].text);
		ck_assert_double_eq(v, isnan(rows[i].value) ? 4711 : rows[i].value);
	}
}
END_TEST

/* ---- comparing ---- */

START_TEST(texts_are_compared_as_told)
{
	ck_assert(str_same("a", "a") && !str_same("a", "A") && !str_same("a", "ab"));
	ck_assert(str_same(NULL, "") && str_same(NULL, NULL) && !str_same(NULL, "a") && !str_same("a", NULL));
	ck_assert(str_same_nocase("GET", "get") && !str_same_nocase("get", "gets"));
	ck_assert(str_same_nocase(NULL, "") && !str_same_nocase(NULL, "a"));
	ck_assert(str_starts("redfish", "red") && str_starts("red", "") && !str_starts("re", "red"));
	ck_assert(str_ends("drive.json", ".json") && str_ends("x", "") && !str_ends("on", "json"));
	ck_assert(!str_ends("drive.JSON", ".json"));
	ck_assert(str_has_nocase("Dell Inc.", "DELL") && !str_has_nocase("HPE", "dell") && str_has_nocase("x", ""));
}
END_TEST

START_TEST(patterns_fit_the_whole_text)
{
	static const struct {
		const char *pattern, *text;
		bool fits;
	} rows[] = {
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "anything", true}, {"**", "a", true},
		{"?", "", false}, {"?", "a", true}, {"?", "ab", false}, {"a*", "a", true}, {"a*", "abc", true},
		{"a*", "ba", false}, {"*a", "ba", true}, {"*a", "ab", false}, {"*a*", "xay", true},
		{"a*b*c", "aXbYc", true}, {"a*b*c", "aXcYb", false}, {"M.2-*", "M.2-1", true}, {"M.2-*", "M12-1", false},
		{"Bay ?", "Bay 7", true}, {"Bay ?", "Bay 17", false}, {"*-*-*", "a-b-c", true}, {"*-*-*", "a-b", false},
		{"a", "A", false}, {"ab*ab", "abab", true}, {"ab*ab", "aba", false}, {"*abab", "ababab", true},
		{"[a]", "a", false}, {"[a]", "[a]", true}, {"a?*", "a", false}, {"a*?", "ab", true},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		ck_assert_msg(str_match(rows[i].pattern, rows[i].text) == rows[i].fits, "%s %s", rows[i].pattern,
			rows[i].text);
}
END_TEST

START_TEST(a_hostile_pattern_ends_soon)
{
	char text[2001], pattern[201];

	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	for (size_t i = 0; i + 1 < sizeof pattern; i += 2)
		memcpy(pattern + i, "a*", 2);
	pattern[sizeof pattern - 2] = 'b';
	pattern[sizeof pattern - 1] = '\0';
	ck_assert(!str_match(pattern, text)); /* the test's time limit is the check */
}
END_TEST

START_TEST(names_are_ordered_for_people)
{
	static const char *const order[] = {"", "1", "01", "2", "10", "10a", "100", "Bay", "Bay 1", "Bay 2",
		"Bay 02x", "Bay 10", "Bay 10-1", "Bay 10-2", "Bay 10-10", "Bay 99999999999999999999",
		"Bay 100000000000000000000", "M.2-1", "a", "a0", "a00", "a1", "b"};

	for (size_t i = 0; i < COUNT(order); i++)
		for (size_t k = 0; k < COUNT(order); k++) {
			int d = str_natural(order[i], order[k]);
			int want = i < k ? -1 : i > k;

			/* equal numbers with other zeros: any order, but a fixed one */
			if (want && strspn(order[i], "01") && strspn(order[k], "01") && i + k == 3) {
				ck_assert_int_ne(d, 0);
				continue;
			}
			ck_assert_msg((d > 0) - (d < 0) == want, "%s %s: %d", order[i], order[k], d);
		}
}
END_TEST

START_TEST(the_order_is_the_same_from_both_sides)
{
	static const char *const words[] = {"", "0", "00", "a0b", "a00b", "a0c", "a00a", "1", "01", "001", "1a", "01a"};

	for (size_t i = 0; i < COUNT(words); i++)
		for (size_t k = 0; k < COUNT(words); k++) {
			int d = str_natural(words[i], words[k]), back = str_natural(words[k], words[i]);

			ck_assert_int_eq((d > 0) - (d < 0), (back < 0) - (back > 0));
			ck_assert_int_eq(d == 0, i == k);
			for (size_t m = 0; m < COUNT(words); m++)
				if (d < 0 && str_natural(words[k], words[m]) < 0)
					ck_assert_msg(str_natural(words[i], words[m]) < 0, "%s %s %s", words[i],
						words[k], words[m]);
		}
}
END_TEST

START_TEST(the_nearest_word_is_near_or_none)
{
	static const char *const words[] = {"verify", "inventory", "wear", "check-config", NULL};
	static const struct {
		const char *said, *meant;
	} rows[] = {
		{"verfy", "verify"}, {"verify", "verify"}, {"VERIFY", "verify"}, {"inventroy", "inventory"},
		{"weer", "wear"}, {"chek-config", "check-config"}, {"checkconfig", "check-config"},
		{"something", NULL}, {"zzzzzz", NULL},
	};
	char longer[300];

	for (size_t i = 0; i < COUNT(rows); i++)
		ck_assert_msg(str_same(str_nearest(rows[i].said, words), rows[i].meant), "%s", rows[i].said);
	memset(longer, 'q', sizeof longer - 1);
	for (size_t n = 20; n < sizeof longer; n++) {
		longer[n] = '\0';
		ck_assert_ptr_null(str_nearest(longer, words));
		longer[n] = 'q';
	}
	ck_assert_ptr_null(str_nearest("x", (const char *const[]){NULL}));
}
END_TEST

UNIT_MAIN("str", a_copy_fits_or_is_cut_between_characters, outside_text_is_cleaned_LW_R13,
	whatever_comes_in_clean_text_comes_out_at_every_length_LW_R13,
	what_is_too_long_is_cut_between_characters_without_blanks_at_the_end,
	whole_numbers_are_read_within_their_range_or_not_at_all, decimal_numbers_are_read_if_finite,
	texts_are_compared_as_told, patterns_fit_the_whole_text, a_hostile_pattern_ends_soon,
	names_are_ordered_for_people, the_order_is_the_same_from_both_sides,
	the_nearest_word_is_near_or_none)
