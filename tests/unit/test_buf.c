/* SPDX-License-Identifier: MIT */
/* Buffers keep their ceiling, in bytes and in memory, and stay whole when adding fails. */
#include "base/buf.h"
#include "tests/unit/unit.h"

#include <stdint.h>
#include <string.h>

START_TEST(an_empty_buffer_reads_as_an_empty_text)
{
	struct buf b;

	buf_init(&b, 10);
	ck_assert_str_eq(buf_text(&b), "");
	ck_assert_uint_eq(b.len, 0);
	buf_release(&b);
}
END_TEST

START_TEST(bytes_are_followed_by_a_nul_that_is_not_counted)
{
	struct buf b;

	buf_init(&b, 10);
	ck_assert_int_eq(buf_add(&b, "a\0b", 3), 0);
	ck_assert_uint_eq(b.len, 3);
	ck_assert_mem_eq(b.data, "a\0b\0", 4);
	ck_assert_int_eq(buf_add(&b, NULL, 0), 0);
	ck_assert_uint_eq(b.len, 3);
	buf_release(&b);
}
END_TEST

START_TEST(a_buffer_takes_exactly_its_ceiling)
{
	struct buf b;

	for (size_t max = 0; max < 600; max++) {
		buf_init(&b, max);
		for (size_t i = 0; i < max; i++)
			if (buf_add(&b, "x", 1))
				ck_abort_msg("%zu of %zu", i, max);
		ck_assert_int_eq(buf_add(&b, "x", 1), -1);
		ck_assert_int_eq(buf_add_text(&b, "y"), -1);
		ck_assert_int_eq(buf_printf(&b, "%d", 1), -1);
		ck_assert_uint_eq(b.len, max);
		ck_assert_uint_le(b.room, max + 1); /* the memory too */
		ck_assert_uint_eq(strlen(buf_text(&b)), max);
		buf_release(&b);
	}
}
END_TEST

START_TEST(what_does_not_fit_is_not_added_in_part)
{
	struct buf b;

	buf_init(&b, 10);
	ck_assert_int_eq(buf_add_text(&b, "12345678"), 0);
	ck_assert_int_eq(buf_add_text(&b, "abc"), -1);
	ck_assert_int_eq(buf_printf(&b, "%s", "abc"), -1);
	ck_assert_int_eq(buf_add(&b, "x", SIZE_MAX), -1);
	ck_assert_int_eq(buf_add(&b, "x", SIZE_MAX - 8), -1);
	ck_assert_str_eq(buf_text(&b), "12345678");
	ck_assert_int_eq(buf_printf(&b, "%c%c", 'a', 'b'), 0);
	ck_assert_str_eq(buf_text(&b), "12345678ab");
	buf_release(&b);
}
END_TEST

START_TEST(a_cleared_buffer_keeps_its_memory_and_ceiling)
{
	struct buf b;
	char *data;

	buf_init(&b, 5);
	buf_clear(&b);
	ck_assert_str_eq(buf_text(&b), "");
	buf_add_text(&b, "hello");
	data = b.data;
	buf_clear(&b);
	ck_assert_str_eq(buf_text(&b), "");
	ck_assert_int_eq(buf_add_text(&b, "world"), 0);
	ck_assert_ptr_eq(b.data, data);
	ck_assert_int_eq(buf_add_text(&b, "!"), -1);
	buf_release(&b);
	ck_assert_int_eq(buf_add_text(&b, "again"), 0); /* a released one is an empty one */
	ck_assert_int_eq(buf_add_text(&b, "!"), -1);
	buf_release(&b);
}
END_TEST

START_TEST(taken_bytes_leave_an_empty_buffer)
{
	struct buf b;
	char *text;

	buf_init(&b, 100);
	text = buf_take(&b);
	ck_assert_str_eq(text, "");
	free(text);
	buf_printf(&b, "%d-%s", 42, "x");
	text = buf_take(&b);
	ck_assert_str_eq(text, "42-x");
	ck_assert_str_eq(buf_text(&b), "");
	ck_assert_ptr_null(b.data);
	free(text);
}
END_TEST

START_TEST(a_long_text_is_printed_whole)
{
	static char a[5000];
	struct buf b;

	memset(a, 'a', sizeof a - 1);
	buf_init(&b, 20000);
	ck_assert_int_eq(buf_printf(&b, "<%s|%s>", a, a), 0);
	ck_assert_uint_eq(b.len, 2 * 4999 + 3);
	ck_assert_int_eq(b.data[b.len - 1], '>');
	ck_assert_int_eq(b.data[b.len], '\0');
	buf_release(&b);
}
END_TEST

UNIT_MAIN("buf", an_empty_buffer_reads_as_an_empty_text,
	bytes_are_followed_by_a_nul_that_is_not_counted, a_buffer_takes_exactly_its_ceiling,
	what_does_not_fit_is_not_added_in_part, a_cleared_buffer_keeps_its_memory_and_ceiling,
	taken_bytes_leave_an_empty_buffer, a_long_text_is_printed_whole)
