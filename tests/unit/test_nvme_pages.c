/* SPDX-License-Identifier: MIT */
/* The other pages from raw bytes, pages in files, and what errors of a drive mean. */
#include "collectors/nvme/logpages.h"
#include "collectors/nvme/page_check.h"
#include "collectors/nvme/recording.h"
#include "collectors/nvme/smart.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static uint8_t page[NV_PAGE_MAX];

static void put(size_t at, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		page[at + i] = (uint8_t)(v >> 8 * i);
}

static void clear(void)
{
	memset(page, 0, sizeof page);
}

static void make_smart(void)
{
	clear();
	put(1, 310, 2);
	page[3] = 100;
	page[4] = 10;
	page[5] = 1;
}

static void make_firmware(void)
{
	clear();
	page[0] = 0x21; /* slot 1 now, slot 2 after the next reset */
	memcpy(page + 8, "1.0.0   ", 8);
	memcpy(page + 16, "1.1.0\0\0\0", 8);
}

static void make_ocp(void)
{
	clear();
	put(0, UINT64_C(55680000000), 8);
	put(8, 1, 1);
	put(32, UINT64_C(0x010203040506), 6);
	put(38, 99, 2);
	page[80] = 4;
	put(81, UINT64_C(0x07060504030201), 7);
	put(104, 17, 8);
	put(112, 2, 4);
	page[120] = 93;
	put(128, 100, 2);
	put(192, 5, 8);
	put(494, 5, 2);
	memcpy(page + 496, "\xc5\xaf\x10\x28\xea\xbf\xf2\xa4\x9c\x4f\x6f\x7c\xc9\x14\xd5\xaf", 16);
}

static void make_identify(void)
{
	clear();
	put(0, 0x1aaa, 2);
	memcpy(page + 4, "  SN0001            ", 20);
	memcpy(page + 24, "Acme X 3.84TB                           ", 40);
	memcpy(page + 64, "1.0.0\0\0\0", 8);
	page[73] = 0x54, page[74] = 0x52;
	put(80, 0x00020001, 4);
	put(256, 1 << 4, 2);
	page[260] = 3 << 1;
	page[262] = 63;
	page[263] = 1;
	put(266, 343, 2);
	put(268, 358, 2);
	put(280, UINT64_C(3840755982336), 8);
	put(316, 30, 2);
	put(340, 1, 2);
	put(516, 32, 4);
	memcpy(page + 768, "nqn.2026-01.example:x", 21);
	put(2048, 2500, 2);
	put(2080, 500, 2);
	page[2083] = 3; /* units of 0.1 mW, not operational */
	put(2084, 2000, 4);
	put(2088, 30000, 4);
}

START_TEST(an_error_entry_reads_as_written_and_an_unused_one_is_none)
{
	struct nv_error x;

	clear();
	put(0, 1234, 8);
	put(8, 3, 2);
	put(10, 0x1005, 2);
	put(12, 0x4004 | 1, 2); /* with its phase tag */
	put(14, 0x0528, 2);
	put(16, 0x123456789a, 8);
	put(24, 1, 4);
	ck_assert(nv_error_decode(page, 128, 0, &x));
	ck_assert_uint_eq(x.count, 1234);
	ck_assert_uint_eq(x.queue, 3);
	ck_assert_uint_eq(x.command, 0x1005);
	ck_assert_uint_eq(x.status, 0x2002);
	ck_assert(x.location_known);
	ck_assert_uint_eq(x.location_byte, 0x28);
	ck_assert_uint_eq(x.location_bit, 5);
	ck_assert_uint_eq(x.lba, 0x123456789a);
	ck_assert_uint_eq(x.namespace_id, 1);
	ck_assert(!nv_error_decode(page, 128, 1, &x));
	ck_assert(!nv_error_decode(page, 128, 2, &x));
	ck_assert(!nv_error_decode(page, 63, 0, &x));
}
END_TEST

START_TEST(firmware_slots_are_trimmed_and_empty_ones_are_empty)
{
	struct nv_firmware f;

	make_firmware();
	ck_assert(nv_firmware_decode(page, 512, &f));
	ck_assert_int_eq(f.active_slot, 1);
	ck_assert_int_eq(f.next_slot, 2);
	ck_assert_str_eq(f.revisions[0], "1.0.0");
	ck_assert_str_eq(f.revisions[1], "1.1.0");
	ck_assert_str_eq(f.revisions[2], "");
	ck_assert(!nv_firmware_decode(page, 511, &f));
}
END_TEST

START_TEST(the_newest_self_test_comes_first_and_zeros_are_no_tests)
{
	static const enum self_test results[16] = {SELF_TEST_PASSED, SELF_TEST_ABORTED, SELF_TEST_ABORTED,
		SELF_TEST_ABORTED, SELF_TEST_ABORTED, SELF_TEST_FAILED, SELF_TEST_FAILED, SELF_TEST_FAILED,
		SELF_TEST_ABORTED, SELF_TEST_ABORTED};
	struct nv_self_tests s;

	clear();
	ck_assert(!nv_self_tests_decode(page, 564, &s));
	for (int i = 0; i < 20; i++)
		page[4 + 28 * i] = 0x0f;
	ck_assert(nv_self_tests_decode(page, 564, &s));
	ck_assert_uint_eq(s.n, 0);
	ck_assert_int_eq(s.running_kind, 0);
	for (int i = 0; i < 15; i++) {
		page[4 + 28 * i] = (uint8_t)(0x20 | i);
		put(8 + 28 * i, 1000 - i, 8);
	}
	page[0] = 1;
	page[1] = 42;
	ck_assert(nv_self_tests_decode(page, 564, &s));
	ck_assert_int_eq(s.running_kind, 1);
	ck_assert_int_eq(s.completion_percent, 42);
	ck_assert_uint_eq(s.n, 15);
	for (int i = 0; i < 15; i++) {
		ck_assert_int_eq(s.tests[i].result, results[i]);
		ck_assert_int_eq(s.tests[i].result_code, i);
		ck_assert_int_eq(s.tests[i].kind, 2);
		ck_assert_uint_eq(s.tests[i].power_on_hours, 1000 - i);
	}
	ck_assert(!nv_self_tests_decode(page, 563, &s));
}
END_TEST

START_TEST(an_endurance_group_counts_in_billions_and_zero_is_not_reported)
{
	struct nv_endurance_group g;
	char text[COUNT_TEXT_MAX];

	clear();
	ck_assert(!nv_endurance_group_decode(page, 512, &g));
	page[0] = 4;
	page[3] = 90;
	page[4] = 10;
	page[5] = 120;
	put(32, 7000, 8);
	put(64, 12, 8);
	put(72, 1, 1); /* 2^64 as well */
	put(160, UINT64_C(3840755982336), 8);
	ck_assert(nv_endurance_group_decode(page, 512, &g));
	ck_assert_uint_eq(g.critical_warning, 4);
	ck_assert(g.spare_percent == 90 && g.spare_threshold_percent == 10 && g.used_percent == 120);
	ck_assert_str_eq(count_text(g.endurance_bytes, text), "7000000000000");
	ck_assert_str_eq(count_text(g.bytes_written, text), "18446744073709551628000000000");
	ck_assert(!g.bytes_read.known);
	ck_assert_str_eq(count_text(g.capacity_bytes, text), "3840755982336");
	page[3] = 200;
	ck_assert(nv_endurance_group_decode(page, 512, &g));
	ck_assert(isnan(g.spare_percent));
}
END_TEST

START_TEST(an_ocp_page_is_known_by_its_guid)
{
	struct nv_ocp_smart o;
	char text[COUNT_TEXT_MAX];

	make_ocp();
	ck_assert(nv_ocp_smart_decode(page, 512, &o));
	ck_assert_str_eq(count_text(o.media_bytes_written, text), "18446744129389551616");
	ck_assert_uint_eq(o.bad_user_blocks, UINT64_C(0x010203040506));
	ck_assert_uint_eq(o.bad_user_blocks_normalized, 99);
	ck_assert_uint_eq(o.system_data_used_percent, 4);
	ck_assert_uint_eq(o.refreshes, UINT64_C(0x07060504030201));
	ck_assert_uint_eq(o.pcie_correctable_errors, 17);
	ck_assert_uint_eq(o.incomplete_shutdowns, 2);
	ck_assert_uint_eq(o.free_blocks_percent, 93);
	ck_assert_uint_eq(o.capacitor_health_percent, 100);
	ck_assert(o.has_link_retrainings);
	ck_assert_uint_eq(o.link_retrainings, 5);
	page[511] ^= 1;
	ck_assert(!nv_ocp_smart_decode(page, 512, &o));
	page[511] ^= 1;
	ck_assert(!nv_ocp_smart_decode(page, 511, &o));
}
END_TEST

START_TEST(identify_gives_trimmed_names_thresholds_and_power_states)
{
	struct nv_identify id;
	char text[COUNT_TEXT_MAX];

	make_identify();
	ck_assert(nv_identify_decode(page, 4096, &id));
	ck_assert_str_eq(id.serial, "SN0001");
	ck_assert_str_eq(id.model, "Acme X 3.84TB");
	ck_assert_str_eq(id.firmware, "1.0.0");
	ck_assert_str_eq(id.nqn, "nqn.2026-01.example:x");
	ck_assert_int_eq(id.version_major, 2);
	ck_assert_int_eq(id.version_minor, 0);
	ck_assert_int_eq(id.version_tertiary, 1);
	ck_assert(id.warning_temperature_c == 70 && id.critical_temperature_c == 85);
	ck_assert_str_eq(count_text(id.capacity_bytes, text), "3840755982336");
	ck_assert_int_eq(id.firmware_slots, 3);
	ck_assert_int_eq(id.error_log_entries, 64);
	ck_assert(id.has_self_test);
	ck_assert_uint_eq(id.extended_self_test_minutes, 30);
	ck_assert_uint_eq(id.endurance_groups, 1);
	ck_assert_uint_eq(id.namespaces, 32);
	ck_assert_uint_eq(id.n_power_states, 2);
	ck_assert_double_eq_tol(id.power_states[0].max_watts, 25, 1e-9);
	ck_assert(id.power_states[0].operational);
	ck_assert_double_eq_tol(id.power_states[1].max_watts, 0.05, 1e-9);
	ck_assert(!id.power_states[1].operational);
	ck_assert_uint_eq(id.power_states[1].entry_us, 2000);
	page[263] = 255; /* a drive that lies about its power states */
	ck_assert(nv_identify_decode(page, 4096, &id));
	ck_assert_uint_eq(id.n_power_states, NV_POWER_STATES);
	ck_assert(!nv_identify_decode(page, 4095, &id));
}
END_TEST

START_TEST(a_file_is_refused_that_is_short_long_blank_or_another_page)
{
	struct err e;

	make_smart();
	ck_assert_int_eq(nv_page_check(NV_PAGE_SMART, page, 512, &e), 0);
	ck_assert_int_eq(nv_page_check(NV_PAGE_SMART, page, 511, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "too short"));
	ck_assert_int_eq(nv_page_check(NV_PAGE_SMART, page, 513, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "too long"));
	ck_assert_int_eq(nv_page_check(NV_PAGE_SMART, page, 0, &e), -1);
	ck_assert_int_eq(nv_page_check(NV_PAGE_FIRMWARE, page, 512, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "smart"));
	ck_assert_int_eq(nv_page_check(NV_PAGE_ENDURANCE_GROUP, page, 512, &e), -1);
	ck_assert_int_eq(nv_page_check(NV_PAGE_OCP_SMART, page, 512, &e), -1);
	ck_assert_int_eq(nv_page_check(NV_PAGE_UNKNOWN, page, 0, &e), -1);
	ck_assert_int_eq(nv_page_check(NV_PAGES, page, 512, &e), -1);
	ck_assert_int_eq(nv_page_check(NV_PAGE_ERROR, page, 0, &e), -1);
	make_firmware();
	ck_assert_int_eq(nv_page_check(NV_PAGE_FIRMWARE, page, 512, &e), 0);
	ck_assert_int_eq(nv_page_check(NV_PAGE_SMART, page, 512, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "firmware"));
	make_ocp();
	ck_assert_int_eq(nv_page_check(NV_PAGE_OCP_SMART, page, 512, &e), 0);
	ck_assert_int_eq(nv_page_check(NV_PAGE_SMART, page, 512, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "ocp-smart"));
	make_identify();
	ck_assert_int_eq(nv_page_check(NV_PAGE_IDENTIFY, page, 4096, &e), 0);
	ck_assert_int_eq(nv_page_check(NV_PAGE_ERROR, page, 4096, &e), -1);
	ck_assert_int_eq(nv_page_check(NV_PAGE_SMART, page, 4096, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "identify"));
	clear();
	for (int k = NV_PAGE_UNKNOWN + 1; k < NV_PAGES; k++)
		ck_assert_int_eq(nv_page_check(k, page, nv_page_size(k), &e), k == NV_PAGE_ERROR ? 0 : -1);
	memset(page, 0xff, sizeof page);
	for (int k = NV_PAGE_UNKNOWN + 1; k < NV_PAGES; k++)
		ck_assert_int_eq(nv_page_check(k, page, nv_page_size(k), &e), -1);
}
END_TEST

START_TEST(hexadecimal_text_is_read_in_every_usual_form)
{
	static const struct {
		const char *text;
		long n;
	} rows[] = {
		{"04 37 01 64\n0a", 5},
		{"0437\r\n0164", 4},
		{"0x04, 0x37", -1},
		{"0x04 0x37", 2},
		{"0000: 04 37 \"..\"\n0010: 01 64 \".d\"\n", 4},
		{"00000000  04 37 |..|\n", 6},
		{"       0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f\n0000: 04 37 01 64\n", 4},
		{"0", -1},
		{"04 3", -1},
		{"04 zz", -1},
		{"", 0},
		{"\n\n", 0},
	};
	uint8_t out[64];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		ck_assert_msg(nv_hex_parse(rows[i].text, strlen(rows[i].text), out, sizeof out) == rows[i].n, "%s",
			rows[i].text);
	ck_assert_int_eq(nv_hex_parse("010203", 6, out, 2), -1);
	ck_assert_int_eq(nv_hex_parse("0102", 4, out, 2), 2);
	ck_assert_uint_eq(out[1], 2);
}
END_TEST

START_TEST(an_errno_or_status_says_why_a_page_is_missing)
{
	static const struct {
		int error, status;
		enum nv_end end;
		enum reason reason;
		const char *code;
	} rows[] = {
		{EACCES, 0, NV_DENIED, REASON_PERMISSION_DENIED, "EACCES"},
		{EPERM, 0, NV_DENIED, REASON_PERMISSION_DENIED, "EPERM"},
		{ETIMEDOUT, 0, NV_TIMED_OUT, REASON_TIMEOUT, "ETIMEDOUT"},
		{EINTR, 0, NV_TIMED_OUT, REASON_TIMEOUT, "EINTR"},
		{EAGAIN, 0, NV_TIMED_OUT, REASON_TIMEOUT, "EAGAIN"},
		{ENODEV, 0, NV_FAILED, REASON_NOT_REPORTED, "ENODEV"},
		{EIO, 0, NV_FAILED, REASON_NOT_REPORTED, "EIO"},
		{4095, 0, NV_FAILED, REASON_NOT_REPORTED, "errno 4095"},
		{0, 0x2002, NV_NOT_OFFERED, REASON_NOT_REPORTED, "0x2002"},
		{0, 0x4001, NV_NOT_OFFERED, REASON_NOT_REPORTED, "0x4001"},
		{0, 0x0109, NV_NOT_OFFERED, REASON_NOT_REPORTED, "0x109"},
		{0, 0x0013, NV_REFUSED, REASON_NOT_REPORTED, "0x13"},
		{0, 0x0006, NV_REFUSED, REASON_NOT_REPORTED, "0x6"},
	};
	char code[32];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct nv_answer a = {0};

		if (rows[i].status)
			nv_answer_status(&a, rows[i].status);
		else
			nv_answer_errno(&a, rows[i].error);
		nv_answer_code(&a, code, sizeof code);
		ck_assert_str_eq(code, rows[i].code);
		ck_assert_msg(a.end == rows[i].end && nv_answer_reason(&a) == rows[i].reason, "%s", code);
	}
	ck_assert_int_eq(nv_errno_of("EACCES"), EACCES);
	ck_assert_int_eq(nv_errno_of("EWHATEVER"), 0);
	ck_assert_int_eq(nv_errno_of("hang"), 0);
}
END_TEST

START_TEST(every_page_has_a_word_and_a_size_and_reads_back)
{
	for (int k = NV_PAGE_UNKNOWN + 1; k < NV_PAGES; k++) {
		ck_assert_int_eq(nv_page_of(nv_page_word(k)), k);
		ck_assert(nv_page_size(k) > 0 && nv_page_size(k) <= NV_PAGE_MAX);
	}
	ck_assert_int_eq(nv_page_of("smarts"), NV_PAGE_UNKNOWN);
	ck_assert_int_eq(nv_page_of(""), NV_PAGE_UNKNOWN);
}
END_TEST

UNIT_MAIN("nvme_pages", an_error_entry_reads_as_written_and_an_unused_one_is_none,
	firmware_slots_are_trimmed_and_empty_ones_are_empty, the_newest_self_test_comes_first_and_zeros_are_no_tests,
	an_endurance_group_counts_in_billions_and_zero_is_not_reported, an_ocp_page_is_known_by_its_guid,
	identify_gives_trimmed_names_thresholds_and_power_states,
	a_file_is_refused_that_is_short_long_blank_or_another_page,
	hexadecimal_text_is_read_in_every_usual_form, an_errno_or_status_says_why_a_page_is_missing,
	every_page_has_a_word_and_a_size_and_reads_back)
