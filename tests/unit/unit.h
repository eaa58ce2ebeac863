/* SPDX-License-Identifier: MIT */
/*
 * unit: what every unit test program needs: Check, and a main that prints TAP.
 *
 *   START_TEST(a_sentence_that_must_hold) { ... } END_TEST
 *   UNIT_MAIN("area", a_sentence_that_must_hold, another_one)
 */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <check.h>
#include <stdlib.h>

static inline int unit_run(const char *area, const TTest *const *tests, size_t n)
{
	Suite *suite = suite_create(area);
	TCase *tc = tcase_create(area);
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, 60);
	for (size_t i = 0; i < n; i++)
		tcase_add_test(tc, tests[i]);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define UNIT_MAIN(area, ...)                                                             \
	int main(void)                                                                   \
	{                                                                                \
		const TTest *const tests[] = {__VA_ARGS__};                              \
                                                                                         \
		return unit_run(area, tests, sizeof tests / sizeof tests[0]);            \
	}

#endif
