/* SPDX-License-Identifier: MIT */
/* Ceilings: the stories of people who measured more than their links carry, and the layouts. */
#include "model/ceiling.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

static const struct pcie_rate gen3x4 = {8000, 4}, gen4x4 = {16000, 4}, gen5x4 = {32000, 4}, gen3x1 = {8000, 1};

static struct ceiling of(struct pcie_rate r)
{
	return ceiling_of_link(r, ceiling_unknown());
}

static struct ceiling_sum sum_of(int n, struct pcie_rate r)
{
	struct ceiling_sum s = {0};

	for (int i = 0; i < n; i++)
		ceiling_add(&s, of(r));
	return s;
}

static void near_gb(double bytes, double gb)
{
	ck_assert_msg(fabs(bytes / 1e9 - gb) < 0.006 * gb + 0.001, "%f GB/s, not %f", bytes / 1e9, gb);
}

static struct layout layout_of(const char *name)
{
	struct layout l = {0};

	ck_assert_msg(layout_parse(name, &l), "%s", name);
	return l;
}

START_TEST(eight_gen3_x4_links_carry_31_5_and_not_157)
{
	struct ceiling_sum s = sum_of(8, gen3x4);
	struct claim c;

	near_gb(ceiling_total(&s).read, 31.5);
	c = claim_check(157e9, &s, false);
	ck_assert_int_eq(c.verdict, CLAIM_IMPOSSIBLE);
	ck_assert_ptr_nonnull(strstr(c.message, "31.5 GB/s"));
	ck_assert_int_eq(claim_check(79.8e9, &s, false).verdict, CLAIM_IMPOSSIBLE);
	c = claim_check(22e9, &s, false);
	ck_assert_int_eq(c.verdict, CLAIM_POSSIBLE);
	ck_assert_int_eq((int)lround(c.percent), 70);
	ck_assert_ptr_nonnull(strstr(c.message, "22.0 GB/s is 70 %"));
}
END_TEST

START_TEST(raidz2_of_eight_streams_six_times_its_slowest)
{
	struct layout l = layout_of("raidz2-0");
	struct ceiling_member m[8];

	for (int i = 0; i < 8; i++)
		m[i] = (struct ceiling_member){of(gen3x4), false};
	near_gb(ceiling_of_vdev(&l, m, 8).write, 23.63);
	ck_assert_int_eq((int)lround(22e9 / ceiling_of_vdev(&l, m, 8).read * 100), 93);
	ck_assert_uint_eq(ceiling_slowest(m, 8), 8);
}
END_TEST

START_TEST(twenty_four_gen5_x4_links_carry_378_and_312_is_83_percent)
{
	struct ceiling_sum s = sum_of(24, gen5x4);
	struct claim c = claim_check(312e9, &s, false);

	near_gb(ceiling_total(&s).write, 378.1);
	ck_assert_int_eq(c.verdict, CLAIM_POSSIBLE);
	ck_assert_ptr_nonnull(strstr(c.message, "312.0 GB/s is 83 % of the 378.1 GB/s that 24 links can carry"));
	ck_assert_int_eq(claim_check(360e9, &s, false).verdict, CLAIM_UNLIKELY);
	ck_assert_int_eq(claim_check(379e9, &s, false).verdict, CLAIM_IMPOSSIBLE);
}
END_TEST

START_TEST(three_gen3_drives_cannot_have_read_25_6)
{
	struct ceiling_sum s = sum_of(3, gen3x4);

	ck_assert_double_eq_tol(ceiling_total(&s).read, 11815384615.0, 1.0);
	ck_assert_int_eq(claim_check(25.6e9, &s, false).verdict, CLAIM_IMPOSSIBLE);
	ck_assert_int_eq(claim_check(9.8e9, &s, false).verdict, CLAIM_POSSIBLE);
}
END_TEST

START_TEST(one_slow_link_sets_the_pace_of_a_raidz1_of_five)
{
	struct layout l = layout_of("raidz1-0");
	struct ceiling_member m[5];

	for (int i = 0; i < 5; i++)
		m[i] = (struct ceiling_member){of(i == 3 ? gen3x1 : gen5x4), false};
	near_gb(ceiling_of_vdev(&l, m, 5).write, 3.94);
	ck_assert_uint_eq(ceiling_slowest(m, 5), 3);
	m[3].can = of(gen5x4);
	near_gb(ceiling_of_vdev(&l, m, 5).write, 63.02);
}
END_TEST

START_TEST(a_mixed_pool_is_the_sum_of_its_vdevs)
{
	struct layout z2 = layout_of("raidz2-0"), z1 = layout_of("raidz1-1"), mirror = layout_of("mirror-2");
	struct ceiling_member m[8];
	struct ceiling_sum pool = {0};

	for (int i = 0; i < 8; i++)
		m[i] = (struct ceiling_member){of(gen4x4), false};
	ceiling_add(&pool, ceiling_of_vdev(&z2, m, 8));
	ceiling_add(&pool, ceiling_of_vdev(&z1, m, 3));
	ceiling_add(&pool, ceiling_of_vdev(&mirror, m, 2));
	near_gb(ceiling_total(&pool).write, (6 + 2 + 1) * 7.877);
	near_gb(ceiling_total(&pool).read, (6 + 2 + 2) * 7.877);
}
END_TEST

START_TEST(a_mirror_writes_at_its_slowest_and_reads_at_the_sum)
{
	struct layout l = layout_of("mirror-0");
	struct ceiling_member m[2] = {{of(gen5x4), false}, {of(gen3x4), false}};

	near_gb(ceiling_of_vdev(&l, m, 2).write, 3.938);
	near_gb(ceiling_of_vdev(&l, m, 2).read, 15.754 + 3.938);
	m[1].missing = true;
	near_gb(ceiling_of_vdev(&l, m, 2).write, 15.754);
	near_gb(ceiling_of_vdev(&l, m, 2).read, 15.754);
}
END_TEST

START_TEST(draid_counts_data_columns_over_its_children_without_spares)
{
	struct layout l = layout_of("draid2:4d:11c:1s-0");
	struct ceiling_member m[11];

	for (int i = 0; i < 11; i++)
		m[i] = (struct ceiling_member){of(gen4x4), false};
	near_gb(ceiling_of_vdev(&l, m, 11).write, 10 * 4.0 / 6 * 7.877);
}
END_TEST

START_TEST(unknown_members_make_the_ceiling_unknown_and_never_smaller)
{
	struct layout l = layout_of("raidz1-0"), disk = layout_of("disk");
	struct ceiling_member m[3] = {{of(gen4x4), false}, {ceiling_unknown(), false}, {of(gen4x4), false}};
	struct ceiling_sum s = sum_of(2, gen3x4), none = {0};

	ck_assert(isnan(ceiling_of_vdev(&l, m, 3).write));
	ck_assert(isnan(ceiling_of_vdev(&disk, m + 1, 1).write));
	ck_assert(isnan(ceiling_of_vdev(&l, m, 0).write));
	ck_assert(isnan(ceiling_of_vdev(&l, m, 1).write)); /* fewer members than parity and one */
	m[1].missing = true; /* a dead one carries nothing, which is known */
	near_gb(ceiling_of_vdev(&l, m, 3).write, 2 * 7.877);
	m[0].missing = true;
	ck_assert_double_eq(ceiling_of_vdev(&l, m, 3).write, 0);

	ceiling_add(&s, ceiling_unknown());
	ck_assert(isnan(ceiling_total(&s).read));
	ck_assert_int_eq(claim_check(9e9, &s, false).verdict, CLAIM_UNKNOWN);
	ck_assert_int_eq(claim_check(7.8e9, &s, false).verdict, CLAIM_POSSIBLE);
	ck_assert(isnan(claim_check(9e9, &s, false).percent));
	ck_assert(isnan(ceiling_total(&none).read));
	ck_assert_int_eq(claim_check(9e9, &none, false).verdict, CLAIM_UNKNOWN);
	ck_assert_int_eq(claim_check(NAN, &s, false).verdict, CLAIM_UNKNOWN);
}
END_TEST

START_TEST(an_uplink_and_a_rating_cap_what_is_behind_them)
{
	const struct ceiling rated = {7.0e9, 4.0e9};
	struct ceiling_sum s = sum_of(4, gen4x4);
	struct ceiling behind = ceiling_behind(ceiling_total(&s), of((struct pcie_rate){16000, 8}));

	near_gb(behind.read, 15.754);
	near_gb(ceiling_behind(of(gen4x4), of((struct pcie_rate){16000, 16})).read, 7.877);
	ck_assert(isnan(ceiling_behind(of(gen4x4), ceiling_unknown()).read));
	near_gb(ceiling_of_link(gen4x4, rated).read, 7.0);
	near_gb(ceiling_of_link(gen4x4, rated).write, 4.0);
	near_gb(ceiling_of_link(gen3x4, rated).read, 3.938);
	near_gb(ceiling_of_link(gen3x4, (struct ceiling){NAN, 2e9}).write, 2.0);
	ck_assert(isnan(of((struct pcie_rate){16000, 0}).read));
}
END_TEST

START_TEST(names_of_vdevs_are_read_and_others_refused)
{
	static const char *const bad[] = {"", "raidz4-0", "raidz2-", "raidz2-x", "raidz22", "mirrored", "mirror0", "tank", "draid2",
		"draid2:4d:11c-0", "draid2:0d:11c:1s-0", "draid2:8d:9c:1s-0", "draid2:4d:11c:1s-0-0", "draid2:4d:999999999c:1s", "spare-0"};
	struct layout l;

	ck_assert_int_eq(layout_of("raidz").parity, 1);
	ck_assert_int_eq(layout_of("raidz3").parity, 3);
	ck_assert_int_eq(layout_of("mirror").kind, LAYOUT_MIRROR);
	l = layout_of("draid1:3d:10c:2s-12");
	ck_assert(l.parity == 1 && l.data == 3 && l.children == 10 && l.spares == 2);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_msg(!layout_parse(bad[i], &l), "%s", bad[i]);
}
END_TEST

START_TEST(claims_need_a_unit_and_every_usual_one_is_read)
{
	static const struct {
		const char *text;
		double bytes;
	} good[] = {
		{"157GB/s", 157e9}, {"157 GB/s", 157e9}, {"74.4GiB/s", 74.4 * 1024 * 1024 * 1024}, {"252 Gb/s", 31.5e9},
		{"10Gbit/s", 1.25e9}, {"10 Gbps", 1.25e9}, {"12GBps", 12e9}, {"3500MB/s", 3.5e9}, {"512 KiB/s", 524288},
		{"512kB/s", 512e3}, {"512KB/s", 512e3}, {"1.5 TB/s", 1.5e12}, {"100 B/s", 100}, {"8 bit/s", 1}, {"8b/s", 1},
	};
	static const char *const bad[] = {"", "157", "157 ", "GB/s", "-1GB/s", "0GB/s", "157GB", "157 apples", "157 apples/s", "1.2.3GB/s",
		"157 gb/s", "1e3GB/s", "nan GB/s", "157Gi/s", "157 /s", "157 ps", "157GB/h", "157 GB/s and more",
		"1                                                         GB/s"};
	struct err e;
	double v;

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		ck_assert_msg(claim_parse(good[i].text, &v, &e) == 0, "%s", good[i].text);
		ck_assert_msg(fabs(v - good[i].bytes) <= good[i].bytes * 1e-12, "%s: %f", good[i].text, v);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		ck_assert_msg(claim_parse(bad[i], &v, &e) == -1, "%s", bad[i]);
		ck_assert_msg(*e.text, "%s", bad[i]);
	}
}
END_TEST

UNIT_MAIN("ceiling", eight_gen3_x4_links_carry_31_5_and_not_157,
	raidz2_of_eight_streams_six_times_its_slowest,
	twenty_four_gen5_x4_links_carry_378_and_312_is_83_percent,
	three_gen3_drives_cannot_have_read_25_6, one_slow_link_sets_the_pace_of_a_raidz1_of_five,
	a_mixed_pool_is_the_sum_of_its_vdevs, a_mirror_writes_at_its_slowest_and_reads_at_the_sum,
	draid_counts_data_columns_over_its_children_without_spares,
	unknown_members_make_the_ceiling_unknown_and_never_smaller,
	an_uplink_and_a_rating_cap_what_is_behind_them, names_of_vdevs_are_read_and_others_refused,
	claims_need_a_unit_and_every_usual_one_is_read)
