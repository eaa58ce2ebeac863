/* SPDX-License-Identifier: MIT */
/* JSON from BMCs: bounded before it is parsed, and unknown wherever a value is not what it should be. */
#include "base/jtext.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define BODY_MAX (4u << 20)

static json_t *parse(const char *text)
{
	struct err e = {""};
	json_t *j = jtext_parse(text, strlen(text), NULL, &e);

	ck_assert_msg(j != NULL, "%s: %s", text, e.text);
	return j;
}

static const char *refusal(const char *text, size_t len)
{
	static struct err e;
	json_t *j;

	e.text[0] = '\0';
	j = jtext_parse(text, len, NULL, &e);
	ck_assert_msg(j == NULL, "taken: %.60s", text);
	ck_assert_msg(e.text[0], "no reason: %.60s", text);
	return e.text;
}

/* ---- limits ---- */

static char *nested(size_t depth, char open, size_t *len)
{
	char *text = malloc(2 * depth + 1);

	ck_assert_ptr_nonnull(text);
	memset(text, open, depth);
	memset(text + depth, open + 2, depth); /* ']' and '}' stand two after their openers */
	*len = 2 * depth;
	return text;
}

START_TEST(nesting_deeper_than_64_is_refused_before_parsing_LW_R4)
{
	static const size_t depths[] = {65, 66, 2048, 2049, 1000000};
	size_t len;
	char *text = nested(64, '[', &len);
	json_t *j = jtext_parse(text, len, NULL, NULL);

	ck_assert_ptr_nonnull(j);
	json_decref(j);
	free(text);
	for (size_t i = 0; i < COUNT(depths); i++) {
		text = nested(depths[i], '[', &len);
		ck_assert_str_eq(refusal(text, len), "JSON nested deeper than 64");
		free(text);
		text = nested(depths[i], '{', &len);
		ck_assert_str_eq(refusal(text, len), "JSON nested deeper than 64");
		free(text);
	}
}
END_TEST

/* "[" unit unit ... "]" with `n` units, the last comma left out */
static char *repeated(const char *unit, size_t n, size_t *len)
{
	size_t each = strlen(unit);
	char *text = malloc(n * each + 2), *at = text;

	ck_assert_ptr_nonnull(text);
	*at++ = '[';
	for (size_t i = 0; i < n; i++, at += each)
		memcpy(at, unit, each);
	at[-1] = ']';
	*len = (size_t)(at - text);
	return text;
}

static size_t heap_bytes(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

START_TEST(a_million_small_elements_take_no_memory_LW_R4)
{
	static const char *const units[] = {"{},", "[],", "1,", "\"\",", "{\"a\":1},", "null,"};

	for (size_t i = 0; i < COUNT(units); i++) {
		size_t len, before;
		char *text = repeated(units[i], BODY_MAX / strlen(units[i]), &len);

		before = heap_bytes();
		ck_assert_str_eq(refusal(text, len), "JSON with more than 100000 elements");
		ck_assert_uint_lt(heap_bytes() - before, 100000);
		free(text);
	}
}
END_TEST

START_TEST(what_is_just_within_the_limits_takes_less_than_64_MiB_LW_R4)
{
	static const struct {
		const char *unit;
		size_t elements; /* of each unit */
	} shapes[] = {{"{},", 2}, {"[],", 2}, {"1,", 1}, {"{\"a\":1},", 2}};

	for (size_t i = 0; i < COUNT(shapes); i++) {
		size_t n = JTEXT_ELEMENTS_MAX / shapes[i].elements, len, elements = 0, before;
		char *text = repeated(shapes[i].unit, n, &len);
		json_t *j;

		before = heap_bytes();
		j = jtext_parse(text, len, &elements, NULL);
		ck_assert_msg(j != NULL, "%s", shapes[i].unit);
		ck_assert_uint_eq(elements, JTEXT_ELEMENTS_MAX);
		ck_assert_uint_eq(json_array_size(j), n);
		ck_assert_uint_lt(heap_bytes() - before, 64u << 20);
		json_decref(j);
		free(text);
		text = repeated(shapes[i].unit, n + 1, &len);
		ck_assert_str_eq(refusal(text, len), "JSON with more than 100000 elements");
		free(text);
	}
}
END_TEST

START_TEST(commas_and_brackets_in_strings_are_no_elements_LW_R4)
{
	size_t len = 2000000, elements = 0;
	char *text = malloc(len);
	json_t *j;

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < len; i++)
		text[i] = ",[{}]:"[i % 6];
	memcpy(text, "[\"\\\"\\\\", 6);
	memcpy(text + len - 2, "\"]", 2);
	j = jtext_parse(text, len, &elements, NULL);
	ck_assert_ptr_nonnull(j);
	ck_assert_uint_eq(elements, 1);
	ck_assert_uint_eq(json_string_length(json_array_get(j, 0)), len - 6);
	json_decref(j);
	/* and a backslash at the very end does not read on */
	ck_assert_ptr_null(jtext_parse("[\"\\", 3, NULL, NULL));
	free(text);
}
END_TEST

/* ---- what is refused ---- */

START_TEST(what_is_no_clean_JSON_is_refused_with_the_reason_LW_R5)
{
	static const struct {
		const char *text;
		size_t len; /* 0: a text */
	} rows[] = {
		{"", 0}, {" ", 0}, {"null", 0}, {"1", 0}, {"\"a\"", 0}, {"true", 0}, {"<html>", 0},
		{"{\"a\":1,\"a\":2}", 0},	/* duplicate keys */
		{"{\"a\":{\"b\":1,\"b\":1}}", 0},
		{"{\"a\":1,\"\\u0061\":2}", 0}, /* also when spelled otherwise */
		{"{} x", 0}, {"{}{}", 0}, {"[]]", 0}, {"{},", 0},
		{"\xef\xbb\xbf{}", 0},		/* byte order mark */
		{"{\"a\":NaN}", 0}, {"{\"a\":Infinity}", 0}, {"{\"a\":-Infinity}", 0}, {"{\"a\":nan}", 0},
		{"{\"a\":\"\xff\"}", 0}, {"{\"a\":\"\xc3(\"}", 0}, {"{\"\xc0\x80\":1}", 0}, {"{\"a\":\"\xed\xa0\x80\"}", 0},
		{"{\"a\":\"\\u0000\"}", 0}, {"{\"\\u0000\":1}", 0},
		{"{\"a\":\"\\ud800\"}", 0}, {"{\"a\":\"\\udc00\\ud800\"}", 0},
		{"{\"a\":\"\0\"}", 9}, {"{}\0", 3},
		{"{\"a\":01}", 0}, {"{\"a\":+1}", 0}, {"{\"a\":.5}", 0}, {"{\"a\":1.}", 0}, {"{\"a\":0x10}", 0},
		{"{\"a\":'b'}", 0}, {"{a:1}", 0}, {"{\"a\":1,}", 0}, {"[1,]", 0}, {"{\"a\"}", 0}, {"{\"a\":}", 0},
		{"{\"a\":\"b", 0}, {"{\"a\":1", 0}, {"[", 0}, {"{\"a\":\"\n\"}", 0}, {"// x\n{}", 0},
		{"{\"a\":99999999999999999999", 0}, {"{\"a\":99999999999999999999,\"a\":1}", 0},
		{"{\"a\":1e5e5}", 0}, {"{\"a\":1-1}", 0}, {"{\"a\":99999999999999999999x}", 0},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		refusal(rows[i].text, rows[i].len ? rows[i].len : strlen(rows[i].text));
	ck_assert_ptr_null(jtext_parse("{", 1, NULL, NULL));
}
END_TEST

START_TEST(a_reason_quotes_no_control_characters_LW_R13)
{
	static const char *const texts[] = {"{\"a\": \x1b]0;evil\x07}", "\x1b[31m", "[\x01\x02]", "{\"\x1b\":1}",
		"{\"a\":\xe2\x80\xaex}"};

	for (size_t i = 0; i < COUNT(texts); i++) {
		const char *why = refusal(texts[i], strlen(texts[i]));
		char clean[512];

		str_clean(clean, sizeof clean, why);
		ck_assert_str_eq(why, clean);
	}
}
END_TEST

/* ---- numbers beyond all bounds ---- */

START_TEST(a_number_beyond_64_bits_is_unknown_and_hides_no_neighbour_LW_R5)
{
	static const char *const huge[] = {"9223372036854775808", "-9223372036854775809", "18446744073709551616",
		"340282366920938463463374607431768211456", "1e309", "-1e309", "1e999999999999", "123.4e400",
		"99999999999999999999999999999999999999999999999999999999999999999999999999999999"};
	char text[512];

	for (size_t i = 0; i < COUNT(huge); i++) {
		json_t *j;
		int64_t v = 0;

		snprintf(text, sizeof text, "{\"s\":\"%s \\\" %s\",\"a\":%s,\"b\":9007199254740993,\"c\":[%s, 7.5,%s],"
					    "\"d\":1e308}", huge[i], huge[i], huge[i], huge[i], huge[i]);
		j = parse(text);
		ck_assert(json_is_null(jtext_at(j, "a", NULL)));
		ck_assert(isnan(jtext_number(jtext_at(j, "a", NULL))));
		ck_assert(jtext_int(jtext_at(j, "b", NULL), 0, INT64_MAX, &v) && v == 9007199254740993);
		ck_assert_uint_eq(json_array_size(jtext_at(j, "c", NULL)), 3);
		ck_assert_double_eq(json_real_value(json_array_get(jtext_at(j, "c", NULL), 1)), 7.5);
		ck_assert_double_eq(jtext_number(jtext_at(j, "d", NULL)), 1e308);
		snprintf(text, sizeof text, "%s \" %s", huge[i], huge[i]);
		ck_assert_str_eq(jtext_string(jtext_at(j, "s", NULL)), text); /* texts stay */
		json_decref(j);
	}
}
END_TEST

START_TEST(the_largest_numbers_that_fit_are_kept)
{
	json_t *j = parse("{\"a\":9223372036854775807,\"b\":-9223372036854775808,\"c\":1.7976931348623157e308,"
			  "\"d\":1e-400,\"e\":-0,\"f\":99999999999999999999}");
	int64_t v = 0;

	ck_assert(jtext_int(jtext_at(j, "a", NULL), INT64_MIN, INT64_MAX, &v) && v == INT64_MAX);
	ck_assert(jtext_int(jtext_at(j, "b", NULL), INT64_MIN, INT64_MAX, &v) && v == INT64_MIN);
	ck_assert_double_eq(jtext_number(jtext_at(j, "c", NULL)), 1.7976931348623157e308);
	ck_assert_double_eq(jtext_number(jtext_at(j, "d", NULL)), 0);
	ck_assert_double_eq(jtext_number(jtext_at(j, "e", NULL)), 0);
	ck_assert(json_is_null(jtext_at(j, "f", NULL)));
	json_decref(j);
}
END_TEST

/* ---- reading ---- */

START_TEST(a_way_that_ends_is_nothing)
{
	json_t *j = parse("{\"a\":{\"b\":{\"c\":5}},\"l\":[{\"x\":1}],\"s\":\"t\",\"n\":null}");

	ck_assert_int_eq(json_integer_value(jtext_at(j, "a", "b", "c", NULL)), 5);
	ck_assert_ptr_eq(jtext_at(j, NULL), j);
	ck_assert_ptr_null(jtext_at(j, "a", "x", "c", NULL));
	ck_assert_ptr_null(jtext_at(j, "l", "x", NULL));
	ck_assert_ptr_null(jtext_at(j, "s", "x", NULL));
	ck_assert_ptr_null(jtext_at(j, "n", "x", NULL));
	ck_assert_ptr_null(jtext_at(NULL, "a", NULL));
	json_decref(j);
}
END_TEST

START_TEST(a_value_of_the_wrong_kind_is_not_known_LW_R6)
{
	enum { NONE = -12345 };
	static const struct {
		const char *json, *text; /* text: NULL none */
		double number;		 /* NAN none */
		int64_t whole;		 /* NONE none; between -100 and 2^53 */
		int boolean;
	} rows[] = {
		{"5", NULL, 5, 5, -1},
		{"-100", NULL, -100, -100, -1},
		{"-101", NULL, -101, NONE, -1},
		{"5.0", NULL, 5, 5, -1},
		{"5.5", NULL, 5.5, NONE, -1},
		{"1e308", NULL, 1e308, NONE, -1},
		{"9007199254740992", NULL, 9007199254740992, 9007199254740992, -1},
		{"9007199254740993", NULL, 9007199254740992, NONE, -1},
		{"9223372036854775807", NULL, 9223372036854775807.0, NONE, -1},
		{"0", NULL, 0, 0, -1},
		{"\"5\"", "5", 5, 5, -1},
		{"\"-7\"", "-7", -7, -7, -1},
		{"\"5.5\"", "5.5", 5.5, NONE, -1},
		{"\"0x10\"", "0x10", NAN, 16, -1},
		{"\"1e309\"", "1e309", NAN, NONE, -1},
		{"\"nan\"", "nan", NAN, NONE, -1},
		{"\"N/A\"", "N/A", NAN, NONE, -1},
		{"\"5 C\"", "5 C", NAN, NONE, -1},
		{"\" 5\"", " 5", NAN, NONE, -1},
		{"\"\"", NULL, NAN, NONE, -1},
		{"\"true\"", "true", NAN, NONE, -1},
		{"null", NULL, NAN, NONE, -1},
		{"true", NULL, NAN, NONE, 1},
		{"false", NULL, NAN, NONE, 0},
		{"[]", NULL, NAN, NONE, -1},
		{"{}", NULL, NAN, NONE, -1},
		{"[5]", NULL, NAN, NONE, -1},
	};
	char text[128];

	for (size_t i = 0; i <= COUNT(rows); i++) {
		bool missing = i == COUNT(rows);
		json_t *j, *v;
		int64_t whole = NONE;

		snprintf(text, sizeof text, "{\"v\":%s}", missing ? "1" : rows[i].json);
		j = parse(text);
		v = jtext_at(j, missing ? "w" : "v", NULL);
		jtext_int(v, -100, 9007199254740992, &whole);
		if (missing) {
			ck_assert(!jtext_string(v) && isnan(jtext_number(v)) && whole == NONE && jtext_bool(v) == -1);
			json_decref(j);
			break;
		}
		ck_assert_msg(str_same(jtext_string(v), rows[i].text), "%s", text);
		ck_assert_msg(jtext_string(v) != NULL || !rows[i].text, "%s", text);
		if (isnan(rows[i].number))
			ck_assert_msg(isnan(jtext_number(v)), "%s", text);
		else
			ck_assert_msg(jtext_number(v) == rows[i].number, "%s", text);
		ck_assert_msg(whole == rows[i].whole, "%s", text);
		ck_assert_msg(jtext_bool(v) == rows[i].boolean, "%s", text);
		json_decref(j);
	}
}
END_TEST

START_TEST(a_copied_text_is_cleaned_and_bounded_LW_R13)
{
	json_t *j = parse("{\"a\":\"  S5XYNG\\u001b\\u202e0R  \",\"b\":\"   \",\"c\":5,\"d\":\"abcdefgh\"}");
	char out[16] = "x", small[4];

	ck_assert(jtext_copy(out, sizeof out, jtext_at(j, "a", NULL)));
	ck_assert_str_eq(out, "S5XYNG??0R");
	ck_assert(!jtext_copy(out, sizeof out, jtext_at(j, "b", NULL)));
	ck_assert_str_eq(out, "");
	ck_assert(!jtext_copy(out, sizeof out, jtext_at(j, "c", NULL)));
	ck_assert(!jtext_copy(out, sizeof out, NULL));
	ck_assert(jtext_copy(small, sizeof small, jtext_at(j, "d", NULL)));
	ck_assert_str_eq(small, "abc");
	json_decref(j);
}
END_TEST

START_TEST(what_is_printed_is_what_was_read_and_nothing_is_no_text)
{
	json_t *j = parse("{\"a\":[1,2.5,null,\"\\u00e9\"]}");
	char *text = jtext_print(j, JSON_COMPACT);

	ck_assert_str_eq(text, "{\"a\":[1,2.5,null,\"\u00e9\"]}");
	free(text);
	ck_assert_ptr_null(jtext_print(NULL, JSON_COMPACT));
	ck_assert_ptr_null(jtext_print(jtext_at(j, "b", NULL), 0));
	json_decref(j);
}
END_TEST

START_TEST(a_compact_text_is_that_of_jansson)
{
	static const char *const texts[] = {"{}", "[]", "[{},[],[[]],{\"a\":{}}]", "{\"\":\"\",\"a\\\"b\":\"\\\\/\"}",
		"[\"\\u0001\\u001f\\u007f\\b\\f\\n\\r\\t\\\"\\\\\\/ \\u00e9\\u20ac\\ud83d\\ude00\"]",
		"[0,-1,1,9,10,-10,9223372036854775807,-9223372036854775808]", "[0.1,-0.0,1e300,1e-300,2.0,33.333333333333336,123456789.125]",
		"[true,false,null,{\"x\":null,\"y\":[1,\"2\"]}]"};
	static const size_t digits[] = {0, JSON_REAL_PRECISION(9), JSON_REAL_PRECISION(15), JSON_REAL_PRECISION(17)};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		for (size_t k = 0; k < sizeof digits / sizeof digits[0]; k++) {
			json_t *j = parse(texts[i]);
			char *got = jtext_print(j, JSON_COMPACT | digits[k]), *want = json_dumps(j, JSON_COMPACT | digits[k]);

			ck_assert_str_eq(got, want);
			free(got);
			free(want);
			json_decref(j);
		}
}
END_TEST

START_TEST(a_text_past_the_ceiling_fails_at_every_length)
{
	json_t *j = parse("{\"a\":[1,2.5,null,true,\"b\\n\"],\"c\":{}}"), *text = json_string("x");
	struct buf out;

	for (size_t max = 0; max < 64; max++) {
		buf_init(&out, max);
		ck_assert_int_eq(jtext_add(&out, j, JSON_COMPACT), max < strlen("{'a':[1,2.5,null,true,'b\\n'],'c':{}}") ? -1 : 0);
		buf_release(&out);
	}
	buf_init(&out, 64);
	ck_assert_int_eq(jtext_add(&out, text, JSON_COMPACT), -1); /* it was not asked for any value */
	ck_assert_int_eq(jtext_add(&out, text, JSON_COMPACT | JSON_ENCODE_ANY), 0);
	ck_assert_str_eq(buf_text(&out), "\"x\"");
	buf_release(&out);
	json_decref(text);
	json_decref(j);
}
END_TEST

UNIT_MAIN("jtext", nesting_deeper_than_64_is_refused_before_parsing_LW_R4,
	a_million_small_elements_take_no_memory_LW_R4,
	what_is_just_within_the_limits_takes_less_than_64_MiB_LW_R4,
	commas_and_brackets_in_strings_are_no_elements_LW_R4,
	what_is_no_clean_JSON_is_refused_with_the_reason_LW_R5, a_reason_quotes_no_control_characters_LW_R13,
	a_number_beyond_64_bits_is_unknown_and_hides_no_neighbour_LW_R5,
	the_largest_numbers_that_fit_are_kept, a_way_that_ends_is_nothing,
	a_value_of_the_wrong_kind_is_not_known_LW_R6, a_copied_text_is_cleaned_and_bounded_LW_R13,
	what_is_printed_is_what_was_read_and_nothing_is_no_text, a_compact_text_is_that_of_jansson,
	a_text_past_the_ceiling_fails_at_every_length)
