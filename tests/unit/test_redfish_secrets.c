/* SPDX-License-Identifier: MIT */
/* What a BMC tells of our password and token, and what is left of it (LW-S2). */
#include "collectors/redfish/secrets.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

/* A document after its secrets were taken out, as text with sorted keys. The caller's to free(). */
static char *hidden(const char *secret, const char *user, const char *body)
{
	struct rf_secrets s = {0};
	json_t *doc = json_loads(body, 0, NULL);
	char *out;

	ck_assert_msg(doc != NULL, "%s", body);
	rf_secrets_add(&s, secret, user);
	rf_secrets_hide(&s, body, doc);
	out = json_dumps(doc, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(doc);
	rf_secrets_release(&s);
	ck_assert_uint_eq(s.n, 0);
	return out;
}

static void check(const char *secret, const char *body, const char *wanted)
{
	char *got = hidden(secret, "root", body);

	ck_assert_str_eq(got, wanted);
	free(got);
}

START_TEST(LW_S2_a_secret_is_taken_out_of_texts_in_every_form)
{
	static const char *const texts[][2] = {
		{"Correct/horse", "***"},
		{"bad password Correct/horse for root, Correct/horse!", "bad password *** for root, ***!"},
		{"x=Correct%2fhorse&y=Correct%2Fhorse", "x=***&y=***"},
		{"436f72726563742f686f727365", "***"},
		{"436F72726563742F686F727365", "***"},
		{"esroh/tcerroC", "***"},
		{"Q29ycmVjdC9ob3JzZQ==", "***"},	      /* base64 of it */
		{"Basic cm9vdDpDb3JyZWN0L2hvcnNl", "Basic ***"}, /* and of root: and it */
		{"Correct horse", "Correct horse"},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		json_t *doc = json_pack("{s:s, s:[s, {s:s}]}", "a", texts[i][0], "b", texts[i][0], "c", texts[i][0]);
		json_t *left = json_pack("{s:s, s:[s, {s:s}]}", "a", texts[i][1], "b", texts[i][1], "c", texts[i][1]);
		char *body = json_dumps(doc, JSON_COMPACT), *wanted = json_dumps(left, JSON_COMPACT | JSON_SORT_KEYS);

		check("Correct/horse", body, wanted);
		free(body);
		free(wanted);
		json_decref(doc);
		json_decref(left);
	}
}
END_TEST

START_TEST(LW_S2_escapes_hide_no_secret)
{
	check("Correct/horse", "{\"a\":\"\\u0043orrect\\u002fhorse\"}", "{\"a\":\"***\"}");
	check("Correct/horse", "{\"a\":\"Correct\\/horse\"}", "{\"a\":\"***\"}");
	check("tab\tand\"quote", "{\"a\":\"tab\\tand\\\"quote\"}", "{\"a\":\"***\"}");
}
END_TEST

START_TEST(LW_S2_a_member_named_by_a_secret_is_gone_and_its_neighbours_stay)
{
	check("Correct/horse", "{\"Correct/horse\":1,\"a\":{\"my Correct/horse\":{\"b\":2},\"c\":3}}", "{\"a\":{\"c\":3}}");
}
END_TEST

START_TEST(LW_S2_a_short_password_is_taken_out_of_errors_and_left_in_serial_numbers)
{
	check("1234", "{\"SerialNumber\":\"S123456\"}", "{\"SerialNumber\":\"S123456\"}");
	check("1234", "{\"error\":{\"message\":\"1234 is wrong\"}}", "{\"error\":{\"message\":\"*** is wrong\"}}");
}
END_TEST

START_TEST(LW_S2_a_text_of_nothing_but_secrets_ends)
{
	size_t n = 20000;
	char *body = calloc(n * 8 + 16, 1), *got;

	memcpy(body, "[\"", 2);
	for (size_t i = 0; i < n; i++)
		memcpy(body + 2 + 8 * i, "aaaaaaaa", 8);
	memcpy(body + 2 + 8 * n, "\"]", 2);
	got = hidden("aaaaaaaa", NULL, body);
	ck_assert_ptr_null(strstr(got, "aaaaaaaa"));
	free(got);
	free(body);
}
END_TEST

UNIT_MAIN("redfish secrets", LW_S2_a_secret_is_taken_out_of_texts_in_every_form, LW_S2_escapes_hide_no_secret,
	LW_S2_a_member_named_by_a_secret_is_gone_and_its_neighbours_stay,
	LW_S2_a_short_password_is_taken_out_of_errors_and_left_in_serial_numbers,
	LW_S2_a_text_of_nothing_but_secrets_ends)
