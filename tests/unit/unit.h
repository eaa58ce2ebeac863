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
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifndef __has_feature
#define __has_feature(x) 0 /* clang's */
#endif

/* True under valgrind, where time is stretched thirtyfold. */
static inline bool is_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload");
}

/* True under a sanitizer or valgrind, where memory and time mean little. */
static inline bool is_instrumented(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) ||  \
	__has_feature(thread_sanitizer)
	return true;
#else
	return is_valgrind();
#endif
}

static inline int unit_run(const char *area, const TTest *const *tests, size_t n)
{
	Suite *suite = suite_create(area);
	TCase *tc = tcase_create(area);
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, is_instrumented() ? 600 : 120);
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
