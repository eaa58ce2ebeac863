/* SPDX-License-Identifier: MIT */
/* One sentence for people, wrapped on the way up. */
#include "base/err.h"
#include "tests/unit/unit.h"

#include <string.h>

START_TEST(a_sentence_is_set_and_wrapped_from_the_outside)
{
	struct err e;

	ck_assert_int_eq(err_set(&e, "line %d is odd", 7), -1);
	ck_assert_str_eq(e.text, "line 7 is odd");
	ck_assert_int_eq(err_wrap(&e, "%s", "bmc1"), -1);
	ck_assert_int_eq(err_wrap(&e, "target"), -1);
	ck_assert_str_eq(e.text, "target: bmc1: line 7 is odd");
	ck_assert_int_eq(err_set(&e, "%s", ""), -1);
	ck_assert_str_eq(e.text, "");
}
END_TEST

START_TEST(nobody_need_want_to_know)
{
	ck_assert_int_eq(err_set(NULL, "x"), -1);
	ck_assert_int_eq(err_wrap(NULL, "x"), -1);
}
END_TEST

START_TEST(a_sentence_that_is_too_long_is_cut_and_stays_a_text)
{
	struct err e;
	char prefix[600];

	for (size_t n = 0; n < sizeof prefix; n++) {
		size_t want = n + 2 + 500;

		memset(prefix, 'p', n);
		prefix[n] = '\0';
		err_set(&e, "%0500d", 1);
		err_wrap(&e, "%s", prefix);
		ck_assert_uint_le(strlen(e.text), sizeof e.text - 1);
		if (want < sizeof e.text)
			ck_assert_uint_eq(strlen(e.text), want);
		ck_assert_int_eq(strncmp(e.text, prefix, n < 511 ? n : 511), 0);
	}
}
END_TEST

START_TEST(a_cut_sentence_ends_with_a_whole_character)
{
	struct err e;
	char prefix[600];

	for (size_t n = 480; n < 511; n++) {
		memset(prefix, 'p', n);
		prefix[n] = '\0';
		err_set(&e, "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac");
		err_wrap(&e, "%s", prefix);
		if (n + 2 < 511)
			ck_assert_int_eq((int)(strlen(e.text) - n - 2) % 3, 0);
	}
}
END_TEST

UNIT_MAIN("err", a_sentence_is_set_and_wrapped_from_the_outside, nobody_need_want_to_know,
	a_sentence_that_is_too_long_is_cut_and_stays_a_text, a_cut_sentence_ends_with_a_whole_character)
