/* SPDX-License-Identifier: MIT */
/* The child that reads: what it is told, what it may do, and how it ends.  A script stands for fio. */
#include "agent/fio_run.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64], program[96], stop_path[96];
static struct fio_task tasks[2] = {{"nvme0n1", "/dev/nvme0n1"}, {"nvme1n1", "/dev/nvme1n1"}};
static struct fio_result result;
static struct err e;

#define DOCUMENT "{\n\"fio version\":\"fio-3.33\",\"jobs\":[{\"jobname\":\"nvme0n1\",\"error\":0,\"read\":{\"bw_bytes\":5000}}," \
		 "{\"jobname\":\"nvme1n1\",\"error\":5,\"read\":{\"bw_bytes\":0}}]\n}\n"

static struct fio_runner runner_of(const char *script)
{
	FILE *f;

	snprintf(dir, sizeof dir, "/tmp/lanewatch-fio-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(program, sizeof program, "%s/fio", dir);
	f = fopen(program, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f, "#!/bin/sh\n%s\n", script);
	fclose(f);
	ck_assert_int_eq(chmod(program, 0700), 0);
	e = (struct err){""};
	return (struct fio_runner){.program = program, .stop_fd = -1};
}

/* Readable as soon as the script writes to the file "stop" beside it: not before it is ready to be stopped. */
static int stop_of_script(void)
{
	int fd;

	snprintf(stop_path, sizeof stop_path, "%s/stop", dir);
	ck_assert_int_eq(mkfifo(stop_path, 0600), 0);
	fd = open(stop_path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static void clean(void)
{
	fio_release(&result);
	unlink(stop_path);
	unlink(program);
	rmdir(dir);
}

START_TEST(LW_S9_it_is_told_to_read_only_and_gets_nothing_of_our_environment)
{
	static const char script[] =
		"case \"$*\" in\n"
		"\"--output-format=json --readonly \"*--rw=read*--direct=1*--invalidate=0*--allow_file_create=0*--time_based*--runtime=7\\ "
		"--name=nvme0n1\\ --filename=/dev/nvme0n1\\ --name=nvme1n1\\ --filename=/dev/nvme1n1) ;;\n"
		"*) echo told \"$*\" >&2; exit 1 ;;\n"
		"esac\n"
		"[ -z \"$LANEWATCH_TEST_SECRET\" ] || { echo our environment >&2; exit 1; }\n"
		"[ \"$LC_ALL\" = C ] && [ \"$(pwd)\" = / ] || { echo where >&2; exit 1; }\n"
		"[ ! -e /proc/self/fd/9 ] || { echo our descriptors >&2; exit 1; }\n"
		"cat <<'EOF'\n" DOCUMENT "EOF";
	struct fio_runner r;

	setenv("LANEWATCH_TEST_SECRET", "x", 1);
	ck_assert_int_ge(dup2(1, 9), 0);
	r = runner_of(script);
	ck_assert_msg(fio_run(&r, tasks, 2, 7, &result, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(result.n_jobs, 2);
	ck_assert_double_eq(result.jobs[0].read_bps, 5000);
	ck_assert_int_eq(result.jobs[1].error, 5);
	ck_assert_str_eq(r.engine, "libaio");
	clean();
}
END_TEST

START_TEST(LW_S9_it_cannot_write_a_file)
{
	struct fio_runner r = runner_of("echo x 2>/dev/null >\"$0.told\" ; [ -s \"$0.told\" ] && exit 9\ncat <<'EOF'\n" DOCUMENT "EOF");
	char left[128];

	ck_assert_msg(fio_run(&r, tasks, 2, 1, &result, &e) == 0 || strstr(e.text, "signal 25"), "%s", e.text);
	snprintf(left, sizeof left, "%s.told", program);
	unlink(left);
	clean();
}
END_TEST

START_TEST(one_that_says_nothing_of_use_is_an_error_with_its_own_words)
{
	static const struct {
		const char *script, *why;
	} rows[] = {
		{"echo 'fio: failed to open device' >&2; exit 1", "failed to open device"},
		{"exit 0", "gave no result"},
		{"echo '{\"x\": 1}'", "gave no result"},
		{"kill -9 $$", "signal 9"},
		{"printf '{\\n'", "gave no result"},
		{"dd if=/dev/zero bs=1M count=20 2>/dev/null", "more than"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct fio_runner r = runner_of(rows[i].script);

		ck_assert_msg(fio_run(&r, tasks, 1, 1, &result, &e) == -1, "%s", rows[i].script);
		ck_assert_msg(strstr(e.text, rows[i].why) != NULL, "%s: %s", rows[i].script, e.text);
		clean();
	}
}
END_TEST

START_TEST(an_engine_that_is_not_there_gives_way_to_another)
{
	struct fio_runner r = runner_of("case \"$*\" in *=libaio*) echo 'fio: engine libaio not loadable'; exit 1 ;; esac\ncat <<'EOF'\n" DOCUMENT "EOF");

	ck_assert_msg(fio_run(&r, tasks, 2, 1, &result, &e) == 0, "%s", e.text);
	ck_assert_str_eq(r.engine, "io_uring");
	clean();
}
END_TEST

START_TEST(it_stops_in_order_when_told_and_what_it_read_is_there)
{
	struct fio_runner r = runner_of("trap 'cat <<EOF\n" DOCUMENT "EOF\nexit 0' INT\necho now >\"${0%/*}/stop\"\nwhile :; do sleep 0.1; done");

	r.stop_fd = stop_of_script();
	ck_assert_msg(fio_run(&r, tasks, 2, 30, &result, &e) == 0, "%s", e.text);
	ck_assert(r.stopped);
	ck_assert_uint_eq(result.n_jobs, 2);
	ck_assert_int_eq(r.stuck, 0);
	close(r.stop_fd);
	clean();
}
END_TEST

START_TEST(LW_S9_one_that_does_not_stop_is_killed)
{
	struct fio_runner r = runner_of("trap '' INT TERM\necho now >\"${0%/*}/stop\"\nwhile :; do sleep 1; done");

	r.stop_fd = stop_of_script();
	ck_assert_int_eq(fio_run(&r, tasks, 1, 30, &result, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "does not stop"));
	ck_assert_int_eq(r.stuck, 0);
	close(r.stop_fd);
	clean();
}
END_TEST

START_TEST(seconds_and_devices_are_bounded)
{
	struct fio_runner r = {.program = "/nonexistent", .stop_fd = -1};

	ck_assert_int_eq(fio_run(&r, tasks, 1, 0, &result, &e), -1);
	ck_assert_int_eq(fio_run(&r, tasks, 1, FIO_SECONDS_MAX + 1, &result, &e), -1);
	ck_assert_int_eq(fio_run(&r, tasks, 0, 1, &result, &e), -1);
	ck_assert_int_eq(fio_run(&r, tasks, 1, 1, &result, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "cannot be run"));
}
END_TEST

/* The real one, on a file; where its file system takes no O_DIRECT it says so. */
START_TEST(the_real_fio_reads_a_file_and_leaves_it_as_it_was)
{
	struct fio_runner r = {.program = fio_program(), .stop_fd = -1};
	struct fio_task t = {.name = "file"};
	struct stat before, after;
	FILE *f;

	if (!r.program)
		return;
	snprintf(t.path, sizeof t.path, "/tmp/lanewatch-fio-%d", (int)getpid());
	f = fopen(t.path, "w");
	ck_assert_ptr_nonnull(f);
	for (int i = 0; i < 4 << 20; i++)
		fputc(i * 31, f);
	fclose(f);
	ck_assert_int_eq(stat(t.path, &before), 0);
	if (fio_run(&r, &t, 1, 1, &result, &e) == 0) {
		ck_assert_uint_eq(result.n_jobs, 1);
		ck_assert(result.jobs[0].error == EINVAL || result.jobs[0].read_bps > 0);
		fio_release(&result);
	}
	ck_assert_int_eq(stat(t.path, &after), 0);
	ck_assert_int_eq(after.st_size, before.st_size);
	ck_assert(after.st_mtim.tv_sec == before.st_mtim.tv_sec && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
	unlink(t.path);
}
END_TEST

UNIT_MAIN("fio_run", LW_S9_it_is_told_to_read_only_and_gets_nothing_of_our_environment, LW_S9_it_cannot_write_a_file,
	one_that_says_nothing_of_use_is_an_error_with_its_own_words, an_engine_that_is_not_there_gives_way_to_another,
	it_stops_in_order_when_told_and_what_it_read_is_there, LW_S9_one_that_does_not_stop_is_killed, seconds_and_devices_are_bounded,
	the_real_fio_reads_a_file_and_leaves_it_as_it_was)
