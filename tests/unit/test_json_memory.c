/* SPDX-License-Identifier: MIT */
/* Where jansson's values live: nothing is laid over anything else, and what is freed comes back. */
#include "base/json_memory.h"
#include "tests/unit/unit.h"

#include <jansson.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 3000, LONGEST = 40000 };

static uint32_t dice = 1;

static size_t up_to(size_t n)
{
	dice = dice * 1664525 + 1013904223;
	return (size_t)(((uint64_t)dice * n) >> 32);
}

/* A text that tells its length: mostly short ones, some that have a block for themselves. */
static json_t *text_new(size_t len)
{
	char *s = malloc(len + 1);
	json_t *j;

	memset(s, 'a' + (int)(len % 26), len);
	s[len] = '\0';
	j = json_stringn_nocheck(s, len);
	free(s);
	if (!j || (uintptr_t)j % _Alignof(max_align_t))
		ck_abort_msg("a value at %p", (void *)j);
	return j;
}

static void text_check(const json_t *j)
{
	size_t len = json_string_length(j);
	const char *s = json_string_value(j);

	size_t same = 0;

	while (same < len && s[same] == 'a' + (int)(len % 26))
		same++;
	if (same != len || s[len]) /* Check writes a word for each assertion */
		ck_abort_msg("a text of %zu bytes changed", len);
}

static size_t in_use(void)
{
	return mallinfo2().uordblks + mallinfo2().hblkhd;
}

START_TEST(values_come_and_go_in_any_order_and_keep_what_they_hold)
{
	static json_t *kept[KEPT];

	json_memory_use();
	for (int i = 0; i < 100000; i++) {
		json_t **at = &kept[up_to(KEPT)];

		if (*at)
			text_check(*at);
		json_decref(*at);
		*at = text_new(up_to(50) ? up_to(100) : up_to(LONGEST));
	}
	for (size_t i = 0; i < KEPT; i++) {
		if (kept[i])
			text_check(kept[i]);
		json_decref(kept[i]);
	}
}
END_TEST

START_TEST(memory_of_documents_that_are_gone_is_used_again)
{
	size_t before = 0;

	json_memory_use();
	for (int round = 0; round < 50; round++) {
		json_t *a = json_array();

		for (int i = 0; i < 20000; i++)
			json_array_append_new(a, text_new(up_to(60)));
		json_decref(a);
		if (round == 2)
			before = in_use();
	}
	ck_assert_uint_le(in_use(), before + 64 * 1024);
}
END_TEST

static void *free_all(void *arg)
{
	json_t **values = arg;

	for (size_t i = 0; i < KEPT; i++) {
		text_check(values[i]);
		json_decref(values[i]);
	}
	return NULL;
}

START_TEST(another_thread_may_free_what_this_one_goes_on_beside)
{
	static json_t *handed[KEPT], *own[KEPT];
	size_t before = 0;

	json_memory_use();
	for (int round = 0; round < 30; round++) {
		pthread_t thread;

		for (size_t i = 0; i < KEPT; i++) {
			handed[i] = text_new(up_to(300));
			own[i] = text_new(up_to(300));
		}
		ck_assert_int_eq(pthread_create(&thread, NULL, free_all, handed), 0);
		for (int again = 0; again < 3; again++)
			for (size_t i = 0; i < KEPT; i++) {
				text_check(own[i]);
				json_decref(own[i]);
				own[i] = text_new(up_to(300));
			}
		pthread_join(thread, NULL);
		for (size_t i = 0; i < KEPT; i++)
			json_decref(own[i]);
		if (round == 2)
			before = in_use();
	}
	ck_assert_uint_le(in_use(), before + 256 * 1024);
}
END_TEST

START_TEST(nothing_is_freed_where_there_is_nothing)
{
	json_free_t give;

	json_memory_use();
	json_get_alloc_funcs(NULL, &give);
	give(NULL);
}
END_TEST

UNIT_MAIN("json_memory", values_come_and_go_in_any_order_and_keep_what_they_hold, memory_of_documents_that_are_gone_is_used_again,
	another_thread_may_free_what_this_one_goes_on_beside, nothing_is_freed_where_there_is_nothing)
