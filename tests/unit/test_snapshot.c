/* SPDX-License-Identifier: MIT */
/* What a collector hands over: nothing is known in it until it is said. */
#include "base/clock.h"
#include "base/str.h"
#include "model/snapshot.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>

START_TEST(a_new_snapshot_knows_its_name_and_nothing_else)
{
	struct snapshot s;

	snapshot_init(&s, "bmc", TARGET_REDFISH, "srv1");
	ck_assert_str_eq(s.target.name, "bmc");
	ck_assert_str_eq(s.target.host, "srv1");
	ck_assert_int_eq(s.target.verdict, TARGET_UNKNOWN);
	ck_assert_int_eq(s.target.power, TRI_UNKNOWN);
	ck_assert_int_eq(s.target.observed_wall_ms, CLOCK_NEVER);
	ck_assert_uint_eq(s.n_bays + s.n_hops + s.target.n_errors, 0);
	snapshot_release(&s);
}
END_TEST

START_TEST(a_target_without_a_host_is_its_own)
{
	struct snapshot s;

	snapshot_init(&s, "bmc", TARGET_REDFISH, "");
	ck_assert_str_eq(s.target.host, "bmc");
	snapshot_release(&s);
	snapshot_init(&s, "bmc", TARGET_REDFISH, NULL);
	ck_assert_str_eq(s.target.host, "bmc");
	snapshot_release(&s);
}
END_TEST

START_TEST(a_new_bay_bears_its_targets_names_and_no_value)
{
	struct snapshot s;
	struct bay *b;

	snapshot_init(&s, "bmc", TARGET_REDFISH, "srv1");
	b = snapshot_add_bay(&s, "7");
	ck_assert_str_eq(b->target, "bmc");
	ck_assert_str_eq(b->host, "srv1");
	ck_assert_str_eq(b->bay, "7");
	ck_assert_int_eq(b->present, TRI_UNKNOWN);
	ck_assert(!b->has_drive);
	ck_assert(isnan(b->temperature_c) && isnan(b->wear.percent_used));
	ck_assert(!pcie_link_known(&b->link));
	for (int i = 0; i < 100; i++)
		snapshot_add_bay(&s, "x");
	ck_assert_str_eq(s.bays[0].bay, "7");
	snapshot_release(&s);
}
END_TEST

START_TEST(a_hop_names_each_bay_once)
{
	struct snapshot s;
	struct hop *h;

	snapshot_init(&s, "host", TARGET_NVME, "srv1");
	h = snapshot_add_hop(&s, "0000:40:01.1");
	hop_add_shared(h, "1");
	hop_add_shared(h, "2");
	hop_add_shared(h, "1");
	ck_assert_uint_eq(h->n_shared, 2);
	ck_assert_str_eq(h->shared_by[1], "2");
	snapshot_release(&s);
}
END_TEST

START_TEST(errors_make_a_target_partial_and_are_bounded_and_cleaned_LW_R8_LW_R13)
{
	struct snapshot s;

	snapshot_init(&s, "bmc", TARGET_REDFISH, "srv1");
	target_add_error(&s.target, "/redfish/v1/\033[31mX", "404", NULL);
	ck_assert(s.target.partial);
	ck_assert_str_eq(s.target.errors[0].resource, "/redfish/v1/?[31mX");
	ck_assert_str_eq(s.target.errors[0].message, "");
	for (int i = 0; i < 1000; i++)
		target_add_error(&s.target, "/x", "500", "nothing came");
	ck_assert_uint_eq(s.target.n_errors, 64);
	snapshot_release(&s);
}
END_TEST

START_TEST(words_of_kinds_and_verdicts_read_back)
{
	static const enum target_kind kinds[] = {TARGET_REDFISH, TARGET_NVME, TARGET_ZFS, TARGET_REPLAY};
	static const enum target_verdict verdicts[] = {TARGET_OK, TARGET_UNREACHABLE, TARGET_UNKNOWN};

	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(target_kind_of(target_kind_word(kinds[i])), kinds[i]);
	for (size_t i = 0; i < 3; i++)
		ck_assert_int_eq(target_verdict_of(target_verdict_word(verdicts[i])), verdicts[i]);
	ck_assert_ptr_null(target_kind_word(TARGET_KIND_UNKNOWN));
	ck_assert_int_eq(target_kind_of("ipmi"), TARGET_KIND_UNKNOWN);
	ck_assert_int_eq(target_kind_of(NULL), TARGET_KIND_UNKNOWN);
	ck_assert_int_eq(target_verdict_of(NULL), TARGET_UNKNOWN);
}
END_TEST

UNIT_MAIN("snapshot", a_new_snapshot_knows_its_name_and_nothing_else, a_target_without_a_host_is_its_own,
	a_new_bay_bears_its_targets_names_and_no_value, a_hop_names_each_bay_once,
	errors_make_a_target_partial_and_are_bounded_and_cleaned_LW_R8_LW_R13,
	words_of_kinds_and_verdicts_read_back)
