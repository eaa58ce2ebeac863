/* SPDX-License-Identifier: MIT */
/* Whole files and their ceiling; password files and who may read them (SECURITY.md, S1). */
#include "base/file.h"
#include "base/mem.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static char path[] = "/tmp/lanewatch-file.XXXXXX";

static void forget(void)
{
	remove(path); /* also an empty folder */
}

/* A file of this test's process. */
static void make(const char *text, size_t len, mode_t mode)
{
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	atexit(forget);
	ck_assert_int_eq(write(fd, text, len), (ssize_t)len);
	ck_assert_int_eq(fchmod(fd, mode), 0);
	close(fd);
}

static const struct {
	mode_t mode;
	bool taken;
} modes[] = {
	{0600, true}, {0400, true}, {0700, true}, {0640, false}, {0604, false}, {0644, false},
	{0660, false}, {0620, false}, {0602, false}, {0610, false}, {0777, false},
};

START_TEST(a_password_file_that_others_can_reach_is_refused_with_the_remedy_LW_S1)
{
	make("secret\n", 7, 0600);
	for (size_t i = 0; i < COUNT(modes); i++) {
		struct err e = {""};
		char *secret;

		ck_assert_int_eq(chmod(path, modes[i].mode), 0);
		secret = file_secret_take(path, &e);
		ck_assert_msg((secret != NULL) == modes[i].taken, "mode %04o: %s", modes[i].mode, e.text);
		if (!modes[i].taken) {
			ck_assert_ptr_nonnull(strstr(e.text, "chmod 600 /tmp/lanewatch-file"));
			ck_assert_ptr_null(strstr(e.text, "secret"));
		}
		mem_wipe_free(secret);
	}
}
END_TEST

START_TEST(a_password_file_of_another_user_is_refused_LW_S1)
{
	struct err e = {""};

	if (geteuid() != 0)
		return; /* only root can give a file away */
	make("secret\n", 7, 0600);
	ck_assert_int_eq(chown(path, 12345, 12345), 0);
	ck_assert_ptr_null(file_secret_take(path, &e));
	ck_assert_ptr_nonnull(strstr(e.text, "belongs to another user"));
}
END_TEST

static const struct {
	const char *text;
	size_t len;
	const char *secret; /* NULL: refused */
} contents[] = {
	{"secret", 6, "secret"},
	{"secret\n", 7, "secret"},
	{"secret\r\n", 8, "secret"},
	{"first\nsecond\n", 13, "first"},
	{" with blanks ", 13, " with blanks "},
	{"caf\303\251\n", 6, "caf\303\251"},
	{"", 0, NULL},
	{"\n", 1, NULL},
	{"\nsecond", 7, NULL},
};

START_TEST(the_password_is_the_first_line_as_it_is_LW_S1)
{
	make("", 0, 0600);
	for (size_t i = 0; i < COUNT(contents); i++) {
		struct err e = {""};
		char *secret;
		FILE *f = fopen(path, "w");

		ck_assert_ptr_nonnull(f);
		fwrite(contents[i].text, 1, contents[i].len, f);
		fclose(f);
		secret = file_secret_take(path, &e);
		if (contents[i].secret)
			ck_assert_str_eq(secret, contents[i].secret);
		else
			ck_assert(!secret && strstr(e.text, "write the password on its first line"));
		mem_wipe_free(secret);
	}
}
END_TEST

START_TEST(what_is_no_file_gives_no_password_and_does_not_wait_LW_S1)
{
	struct err e = {""};

	ck_assert_ptr_null(file_secret_take("/nonexistent/secret", &e));
	ck_assert_ptr_nonnull(strstr(e.text, "No such file"));
	ck_assert_ptr_null(file_secret_take("/tmp", &e));
	ck_assert_ptr_nonnull(strstr(e.text, "not a regular file"));
	make("", 0, 0600);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_ptr_null(file_secret_take(path, &e));
	ck_assert_ptr_nonnull(strstr(e.text, "not a regular file"));
}
END_TEST

START_TEST(a_password_file_larger_than_any_password_is_refused_LW_S1)
{
	char *big = mem_new(5000, 1);
	struct err e = {""};

	memset(big, 'x', 5000);
	make(big, 5000, 0600);
	ck_assert_ptr_null(file_secret_take(path, &e));
	ck_assert_ptr_nonnull(strstr(e.text, "File too large"));
	free(big);
}
END_TEST

START_TEST(a_file_is_read_whole_up_to_its_ceiling)
{
	struct err e = {""};
	struct buf b;

	make("12345678", 8, 0600);
	buf_init(&b, 8);
	ck_assert_int_eq(file_read(path, &b, &e), 0);
	ck_assert_str_eq(buf_text(&b), "12345678");
	buf_release(&b);
	buf_init(&b, 7);
	ck_assert_int_eq(file_read(path, &b, &e), -1);
	ck_assert_int_eq(errno, EFBIG);
	buf_release(&b);
	buf_init(&b, 8);
	ck_assert_int_eq(file_read("/nonexistent", &b, &e), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_str_eq(e.text, "/nonexistent: No such file or directory");
	buf_release(&b);
}
END_TEST

UNIT_MAIN("file", a_password_file_that_others_can_reach_is_refused_with_the_remedy_LW_S1,
	a_password_file_of_another_user_is_refused_LW_S1, the_password_is_the_first_line_as_it_is_LW_S1,
	what_is_no_file_gives_no_password_and_does_not_wait_LW_S1,
	a_password_file_larger_than_any_password_is_refused_LW_S1, a_file_is_read_whole_up_to_its_ceiling)
