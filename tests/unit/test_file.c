/* SPDX-License-Identifier: MIT */
/* Whole files with a ceiling, and secrets that others must not be able to read (LW-S1). */
#include "base/file.h"
#include "base/mem.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static char dir[64], path[128];

static void setup(void)
{
	snprintf(dir, sizeof dir, "/tmp/lanewatch-file-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/secret", dir);
}

static void teardown(void)
{
	unlink(path);
	rmdir(dir);
}

static void write_file(const void *bytes, size_t len, mode_t mode)
{
	FILE *f;

	unlink(path);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(bytes, 1, len, f), len);
	fclose(f);
	ck_assert_int_eq(chmod(path, mode), 0);
}

START_TEST(a_file_is_read_whole_or_not_at_all)
{
	static char big[100001];
	struct err e = {""};
	struct buf b;

	setup();
	memset(big, 'x', sizeof big);
	write_file(big, 100000, 0644);
	buf_init(&b, 100000);
	ck_assert_int_eq(file_read(path, &b, &e), 0);
	ck_assert_uint_eq(b.len, 100000);
	buf_clear(&b);
	write_file(big, 100001, 0644);
	ck_assert_int_eq(file_read(path, &b, &e), -1);
	ck_assert_int_eq(errno, EFBIG);
	ck_assert_ptr_nonnull(strstr(e.text, path));
	buf_clear(&b);
	write_file("", 0, 0644);
	ck_assert_int_eq(file_read(path, &b, &e), 0);
	ck_assert_str_eq(buf_text(&b), "");
	buf_release(&b);
	teardown();
}
END_TEST

START_TEST(a_file_that_cannot_be_read_says_why)
{
	struct err e = {""};
	struct buf b;

	setup();
	buf_init(&b, 100);
	ck_assert_int_eq(file_read(path, &b, &e), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_ptr_nonnull(strstr(e.text, "No such file"));
	ck_assert_int_eq(file_read(dir, &b, &e), -1);
	ck_assert_int_eq(errno, EISDIR);
	ck_assert_int_eq(file_read(path, &b, NULL), -1);
	buf_release(&b);
	teardown();
}
END_TEST

START_TEST(a_file_is_added_to_what_is_there)
{
	struct buf b;

	setup();
	write_file("world", 5, 0600);
	buf_init(&b, 100);
	buf_add_text(&b, "hello ");
	ck_assert_int_eq(file_read(path, &b, NULL), 0);
	ck_assert_str_eq(buf_text(&b), "hello world");
	buf_release(&b);
	teardown();
}
END_TEST

START_TEST(the_secret_is_the_first_line_of_its_file)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *secret;
	} rows[] = {
		{"calvin", 6, "calvin"},
		{"calvin\n", 7, "calvin"},
		{"calvin\r\n", 8, "calvin"},
		{"calvin\nsecond line\n", 19, "calvin"},
		{" with blanks \n", 14, " with blanks "},
		{"p\xc3\xa4ss\n", 6, "p\xc3\xa4ss"},
		{"a\n\0", 3, "a"},
		{"x", 1, "x"},
	};

	setup();
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct err e = {""};
		char *secret;

		write_file(rows[i].bytes, rows[i].len, i % 2 ? 0600 : 0400);
		secret = file_secret_take(path, &e);
		ck_assert_msg(secret != NULL, "%zu: %s", i, e.text);
		ck_assert_str_eq(secret, rows[i].secret);
		mem_wipe_free(secret);
	}
	teardown();
}
END_TEST

START_TEST(a_secret_that_others_can_read_is_refused_with_the_remedy_LW_S1)
{
	static const mode_t modes[] = {0644, 0640, 0604, 0660, 0666, 0610, 0601, 0620, 0602, 0444, 0777};

	setup();
	for (size_t i = 0; i < COUNT(modes); i++) {
		struct err e = {""};

		write_file("calvin\n", 7, modes[i]);
		ck_assert_msg(!file_secret_take(path, &e), "%o", modes[i]);
		ck_assert_ptr_nonnull(strstr(e.text, "chmod 600"));
		ck_assert_ptr_null(strstr(e.text, "calvin"));
	}
	teardown();
}
END_TEST

START_TEST(a_secret_of_another_user_is_refused_LW_S1)
{
	struct err e = {""};

	if (geteuid() != 0) {
		puts("# not root: cannot give a file away");
		return;
	}
	setup();
	write_file("calvin\n", 7, 0600);
	ck_assert_int_eq(chown(path, 12345, 12345), 0);
	ck_assert_ptr_null(file_secret_take(path, &e));
	ck_assert_ptr_nonnull(strstr(e.text, "another user"));
	teardown();
}
END_TEST

START_TEST(what_is_no_secret_is_refused_with_the_reason)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *reason;
	} rows[] = {
		{"", 0, "empty"}, {"\n", 1, "empty"}, {"\r\n", 2, "empty"}, {"\ncalvin\n", 8, "empty"},
		{"cal\0vin\n", 8, "NUL"}, {"\0", 1, "NUL"},
	};
	static char big[5000];
	struct err e = {""};

	setup();
	for (size_t i = 0; i < COUNT(rows); i++) {
		write_file(rows[i].bytes, rows[i].len, 0600);
		ck_assert_ptr_null(file_secret_take(path, &e));
		ck_assert_msg(strstr(e.text, rows[i].reason), "%zu: %s", i, e.text);
	}
	memset(big, 'x', sizeof big);
	write_file(big, 4096, 0600);
	mem_wipe_free(file_secret_take(path, &e));
	write_file(big, 4097, 0600);
	ck_assert_ptr_null(file_secret_take(path, &e));
	ck_assert_ptr_nonnull(strstr(e.text, "larger"));
	unlink(path);
	ck_assert_ptr_null(file_secret_take(path, &e));
	ck_assert_ptr_nonnull(strstr(e.text, "No such file"));
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_ptr_null(file_secret_take(path, &e)); /* and does not wait for a writer */
	ck_assert_ptr_nonnull(strstr(e.text, "regular"));
	ck_assert_ptr_null(file_secret_take(dir, &e));
	ck_assert_ptr_nonnull(strstr(e.text, "regular"));
	ck_assert_ptr_null(file_secret_take(path, NULL));
	teardown();
}
END_TEST

UNIT_MAIN("file", a_file_is_read_whole_or_not_at_all, a_file_that_cannot_be_read_says_why,
	a_file_is_added_to_what_is_there, the_secret_is_the_first_line_of_its_file,
	a_secret_that_others_can_read_is_refused_with_the_remedy_LW_S1,
	a_secret_of_another_user_is_refused_LW_S1, what_is_no_secret_is_refused_with_the_reason)
