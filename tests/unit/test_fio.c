/* SPDX-License-Identifier: MIT */
/* fio's JSON: units of its versions, what stands around it, and what is refused. */
#include "agent/fio.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct fio_result result;

static const struct fio_job *read_one(const char *text)
{
	struct err e = {""};

	ck_assert_msg(fio_read(text, strlen(text), &result, &e) == 0, "%s", e.text);
	ck_assert_uint_ge(result.n_jobs, 1);
	return &result.jobs[0];
}

#define JOB(body) "{\"fio version\":\"fio-3.36\",\"jobs\":[{\"jobname\":\"j\"," body "}]}"

START_TEST(rates_are_bytes_since_3_2_and_kib_before)
{
	ck_assert_double_eq(read_one(JOB("\"read\":{\"bw_bytes\":5000,\"bw\":4,\"io_bytes\":10,\"io_kbytes\":1}"))->read_bps, 5000);
	ck_assert_double_eq(result.jobs[0].io_bytes, 10);
	fio_release(&result);
	ck_assert_double_eq(read_one(JOB("\"write\":{\"bw\":4,\"io_bytes\":10}"))->write_bps, 4096);
	ck_assert_double_eq(result.jobs[0].io_bytes, 10240);
	ck_assert(isnan(result.jobs[0].read_bps));
	fio_release(&result);
	ck_assert_double_eq(fio_rate(read_one(JOB("\"mixed\":{\"bw_bytes\":7}"))), 7);
	fio_release(&result);
}
END_TEST

START_TEST(a_job_that_moved_nothing_has_no_rate)
{
	const struct fio_job *j = read_one(JOB("\"error\":2,\"read\":{\"bw_bytes\":0},\"write\":{\"bw_bytes\":0}"));

	ck_assert(isnan(fio_rate(j)));
	ck_assert_int_eq(j->error, 2);
	fio_release(&result);
}
END_TEST

START_TEST(options_of_the_job_win_over_global_ones)
{
	const struct fio_job *j = read_one("{\"fio version\":\"fio-3\",\"global options\":{\"direct\":\"1\",\"numjobs\":\"2\",\"size\":\"1g\"},"
					   "\"jobs\":[{\"jobname\":\"j\",\"job options\":{\"numjobs\":\"9\"}}]}");

	ck_assert_int_eq(j->numjobs, 9);
	ck_assert_int_eq(j->direct, TRI_YES);
	ck_assert_double_eq(j->size_bytes, 1073741824);
	fio_release(&result);
}
END_TEST

START_TEST(sizes_that_are_none_are_not_known)
{
	static const struct {
		const char *text;
		double bytes;
	} cases[] = {{"100G", 107374182400.0}, {"512k", 524288}, {"1.5m", 1572864}, {"2GiB", 2147483648.0}, {"4096", 4096},
		{"10%", NAN}, {"G", NAN}, {"-1", NAN}, {"b", NAN}};
	char text[256];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double got;

		snprintf(text, sizeof text, JOB("\"job options\":{\"size\":\"%s\"}"), cases[i].text);
		got = read_one(text)->size_bytes;
		ck_assert_msg(isnan(cases[i].bytes) ? isnan(got) : got == cases[i].bytes, "%s is %f", cases[i].text, got);
		fio_release(&result);
	}
}
END_TEST

START_TEST(a_list_of_files_is_taken_apart_and_escaped_colons_are_kept)
{
	const struct fio_job *j =
		read_one(JOB("\"job options\":{\"filename\":\"/dev/nvme0n1:/dev/disk/by-path/pci-0000\\\\:41\\\\:00.0-nvme-1:\"}"));

	ck_assert_uint_eq(j->n_files, 2);
	ck_assert_str_eq(j->files[0], "/dev/nvme0n1");
	ck_assert_str_eq(j->files[1], "/dev/disk/by-path/pci-0000:41:00.0-nvme-1");
	fio_release(&result);
}
END_TEST

START_TEST(the_last_whole_document_of_several_counts)
{
	const struct fio_job *j = read_one("fio: some words\n{\n\"fio version\":\"a\",\"jobs\":[{\"jobname\":\"one\"}]\n}\n"
					   "{\n\"fio version\":\"b\",\"jobs\":[{\"jobname\":\"two\"}]\n}\n{\n\"fio version\":\"c\",\n");

	ck_assert_str_eq(j->name, "two");
	ck_assert_int_eq(result.n_documents, 2);
	fio_release(&result);
}
END_TEST

START_TEST(what_is_not_fios_is_refused_with_the_remedy)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"", "no JSON"},
		{"hello\n", "no JSON"},
		{"{\n\"fio version\": \"x\",\n", "ends in the middle"},
		{"{\n\"fio version\": \"x\",,\n}\n", "not fio's"},
		{"{\"jobs\": []}", "fio version"},
		{"{\"fio version\": \"x\"}", "jobs"},
		{"3;fio-3.33;x;0;0\n", "terse"},
		{"   READ: bw=74.4GiB/s (79.8GB/s)\n", "--output-format=json"},
	};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct err e = {""};

		ck_assert_int_eq(fio_read(bad[i].text, strlen(bad[i].text), &result, &e), -1);
		ck_assert_msg(strstr(e.text, bad[i].says) != NULL, "%s: %s", bad[i].text, e.text);
	}
}
END_TEST

START_TEST(causes_are_named_only_where_the_options_show_them)
{
	char text[256];
	const struct fio_job *j = read_one(JOB("\"job options\":{\"filename\":\"/t/f\",\"size\":\"1G\",\"numjobs\":\"28\",\"direct\":\"1\"},"
					       "\"read\":{\"io_bytes\":30064771072,\"io_kbytes\":29360128,\"bw_bytes\":1,\"runtime\":20000}"));

	fio_causes(j, text, sizeof text);
	ck_assert_str_eq(text, "28 jobs read one file; the file's 1 GiB were moved 28 times");
	fio_release(&result);
	j = read_one(JOB("\"job options\":{\"directory\":\"/t\",\"numjobs\":\"28\",\"direct\":\"1\"},\"read\":{\"bw_bytes\":1,\"runtime\":60000}"));
	fio_causes(j, text, sizeof text);
	ck_assert_str_eq(text, ""); /* with a directory each job has a file of its own */
	fio_release(&result);
	j = read_one(JOB("\"job options\":{\"zero_buffers\":\"1\",\"direct\":\"0\"},\"read\":{\"bw_bytes\":1,\"runtime\":50}"));
	fio_causes(j, text, sizeof text);
	ck_assert_ptr_nonnull(strstr(text, "zeros"));
	ck_assert_ptr_nonnull(strstr(text, "page cache"));
	ck_assert_ptr_nonnull(strstr(text, "too short to judge"));
	fio_release(&result);
}
END_TEST

UNIT_MAIN("fio", rates_are_bytes_since_3_2_and_kib_before, a_job_that_moved_nothing_has_no_rate,
	options_of_the_job_win_over_global_ones, sizes_that_are_none_are_not_known,
	a_list_of_files_is_taken_apart_and_escaped_colons_are_kept, the_last_whole_document_of_several_counts,
	what_is_not_fios_is_refused_with_the_remedy, causes_are_named_only_where_the_options_show_them)
