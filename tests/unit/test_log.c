/* SPDX-License-Identifier: MIT */
/* Lines on standard error: one a call, clean, no more than asked for. And memory for set-up code. */
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

static char said[8192];

/* What a function writes to standard error, in said. */
static void listen_to(void (*speak)(void))
{
	FILE *f = tmpfile();
	int kept = dup(STDERR_FILENO);
	size_t n;

	ck_assert(f && kept >= 0);
	fflush(stderr);
	dup2(fileno(f), STDERR_FILENO);
	speak();
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(kept);
	rewind(f);
	n = fread(said, 1, sizeof said - 1, f);
	said[n] = '\0';
	fclose(f);
}

static void say_all(void)
{
	log_error("redfish", "%s: %d", "bmc1", 1);
	log_warn("redfish", "warn");
	log_info("redfish", "info");
	log_debug("redfish", "debug");
}

static void say_evil(void)
{
	log_error("redfish", "model \x1b]0;x\x07\n<4>lanewatch: forged");
}

static void say_much(void)
{
	static char text[5000];

	memset(text, 'a', sizeof text - 1);
	log_error("redfish", "%s", text);
}

START_TEST(only_what_is_important_enough_is_said)
{
	unsetenv("JOURNAL_STREAM");
	listen_to(say_all);
	ck_assert_str_eq(said, "lanewatch: redfish: bmc1: 1\nlanewatch: redfish: warn\n");
	log_set_level(LOG_LEVEL_DEBUG);
	listen_to(say_all);
	ck_assert_str_eq(said, "lanewatch: redfish: bmc1: 1\nlanewatch: redfish: warn\n"
			       "lanewatch: redfish: info\nlanewatch: redfish: debug\n");
	log_set_level(LOG_LEVEL_ERROR);
	listen_to(say_all);
	ck_assert_str_eq(said, "lanewatch: redfish: bmc1: 1\n");
	log_set_level(LOG_LEVEL_WARN);
}
END_TEST

START_TEST(under_journald_a_line_has_its_priority)
{
	setenv("JOURNAL_STREAM", "8:12345", 1);
	log_set_level(LOG_LEVEL_DEBUG);
	listen_to(say_all);
	ck_assert_str_eq(said, "<3>lanewatch: redfish: bmc1: 1\n<4>lanewatch: redfish: warn\n"
			       "<6>lanewatch: redfish: info\n<7>lanewatch: redfish: debug\n");
	log_set_level(LOG_LEVEL_WARN);
	unsetenv("JOURNAL_STREAM");
}
END_TEST

START_TEST(outside_text_makes_no_second_line_and_no_escape_LW_R13)
{
	listen_to(say_evil);
	ck_assert_str_eq(said, "lanewatch: redfish: model ?]0;x?\?<4>lanewatch: forged\n");
	listen_to(say_much);
	ck_assert_uint_lt(strlen(said), 1100);
	ck_assert(str_ends(said, "aaa\n"));
}
END_TEST

START_TEST(new_memory_is_zeroed_and_grows_by_doubling)
{
	int *items = NULL, *one = mem_new(0, 0);
	char *text = mem_text("x");

	free(one);
	ck_assert_str_eq(text, "x");
	mem_wipe_free(text);
	mem_wipe_free(NULL);
	one = mem_new(3, sizeof *one);
	ck_assert(one[0] == 0 && one[1] == 0 && one[2] == 0);
	free(one);
	for (int i = 0; i < 1000; i++) {
		items = mem_grow(items, (size_t)i, sizeof *items);
		items[i] = i;
	}
	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(items[i], i);
	free(items);
}
END_TEST

static void ask_too_much(int how)
{
	pid_t pid = fork();
	int status = 0;

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		fclose(stderr);
		if (how == 0)
			free(mem_new(SIZE_MAX / 2, 3)); /* the product overflows */
		else
			free(mem_grow(NULL, SIZE_MAX / 4 + 1, 8));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), EX_TEMPFAIL);
}

START_TEST(sizes_that_overflow_end_the_program_with_status_75_LW_A4)
{
	ask_too_much(1);
	if (!is_instrumented()) /* their calloc() ends the program itself */
		ask_too_much(0);
}
END_TEST

UNIT_MAIN("log", only_what_is_important_enough_is_said, under_journald_a_line_has_its_priority,
	outside_text_makes_no_second_line_and_no_escape_LW_R13,
	new_memory_is_zeroed_and_grows_by_doubling, sizes_that_overflow_end_the_program_with_status_75_LW_A4)
