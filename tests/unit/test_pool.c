/* SPDX-License-Identifier: MIT */
/* Pools: which drive a leaf is, what a vdev can carry, and what follows for the people. */
#include "model/inventory.h"
#include "model/machine.h"
#include "model/pool.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct snapshot snapshot;
static struct inventory inventory;

static void set_up(void)
{
	snapshot_init(&snapshot, "os", TARGET_NVME, "srv");
	snapshot.target.verdict = TARGET_OK;
	inventory_init(&inventory);
}

static void tear_down(void)
{
	inventory_release(&inventory);
	snapshot_release(&snapshot);
}

/* A drive in bay "b<i>" with a link of so many lanes of 8 GT/s, of four that it could have. */
static struct bay *add_drive(int i, int lanes)
{
	char name[16];
	struct bay *b;

	snprintf(name, sizeof name, "b%d", i);
	b = snapshot_add_bay(&snapshot, name);
	b->has_drive = b->pcie = true;
	b->present = TRI_YES;
	b->link.now = (struct pcie_rate){8000, lanes};
	b->link.max = (struct pcie_rate){8000, 4};
	snprintf(b->drive.controller, sizeof b->drive.controller, "nvme%d", i);
	snprintf(b->drive.serial, sizeof b->drive.serial, "LWP%03d", i);
	snprintf(b->drive.namespaces[0], sizeof b->drive.namespaces[0], "nvme%dn1", i);
	snprintf(b->drive.pci_address, sizeof b->drive.pci_address, "0000:4%d:00.0", i);
	b->drive.n_namespaces = 1;
	return b;
}

static void add_drives(int n)
{
	for (int i = 0; i < n; i++)
		add_drive(i, 4);
}

static struct pool_node *add(struct pool *p, const char *name, enum pool_part part, int depth, enum pool_state state)
{
	struct pool_node *n = pool_add_node(p, name, part, depth);

	n->state = state;
	return n;
}

/* A vdev with so many members that are there, by their kernel names from `first` on. */
static void add_vdev(struct pool *p, const char *name, enum pool_part part, int first, int n)
{
	char member[32];

	add(p, name, part, 0, POOL_ONLINE);
	for (int i = first; i < first + n; i++) {
		snprintf(member, sizeof member, "nvme%dn1p1", i);
		add(p, member, part, 1, POOL_ONLINE);
	}
}

static const struct pool *finish(struct pool *p)
{
	pool_settle_kinds(p);
	p->state = POOL_ONLINE;
	snapshot_take_pool(&snapshot, p);
	inventory_apply(&inventory, &snapshot);
	inventory_finish(&inventory, NULL, 0);
	ck_assert_uint_eq(inventory.n_pools, 1);
	return &inventory.pools[0];
}

static const struct remark *hint(const char *code)
{
	for (size_t i = 0; i < inventory.n_hints; i++)
		if (str_same(inventory.hints[i].code, code))
			return &inventory.hints[i];
	return NULL;
}

static const struct bay *bay(const char *name)
{
	for (size_t i = 0; i < inventory.n_bays; i++)
		if (str_same(inventory.bays[i].bay, name))
			return &inventory.bays[i];
	return NULL;
}

static void near_gb(double bytes, double gb)
{
	ck_assert_msg(fabs(bytes / 1e9 - gb) < 0.01, "%f GB/s, not %f", bytes / 1e9, gb);
}

START_TEST(the_whole_disk_is_in_kernel_names_and_in_no_others)
{
	static const struct {
		const char *name, *device;
	} cases[] = {
		{"nvme0n1", "nvme0n1"},
		{"/dev/nvme12n3p15", "nvme12n3"},
		{"sda", "sda"},
		{"/dev/sdab3", "sdab"},
		{"xvdb1", "xvdb"},
		{"nvme0", NULL},
		{"nvme0n1p", NULL},
		{"nvme0n1x", NULL},
		{"nvme0c1n1", NULL},
		{"nda0", NULL},
		{"sda1b", NULL},
		{"/srv/sda", NULL},
		{"disk/by-id/nvme0n1", NULL},
		{"", NULL},
	};
	char out[32];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		bool is = pool_device_of(cases[i].name, out, sizeof out);

		ck_assert_msg(is == (cases[i].device != NULL), "%s", cases[i].name);
		if (is)
			ck_assert_str_eq(out, cases[i].device);
	}
}
END_TEST

START_TEST(partitions_are_cut_off_where_they_are_partitions)
{
	static const char *const cases[][2] = {
		{"nvme-ACME_1T_S3-part1", "nvme-ACME_1T_S3"},
		{"/dev/disk/by-vdev/A0-part1", "/dev/disk/by-vdev/A0"},
		{"nvme0n1p9", "nvme0n1"},
		{"sdb12", "sdb"},
		{"A0", "A0"},
		{"nvme-ACME_p1", "nvme-ACME_p1"},
		{"nvme0n1", "nvme0n1"},
		{"", ""},
		{"-part1", "-part1"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char name[64];

		str_copy(name, sizeof name, cases[i][0]);
		pool_cut_partition(name);
		ck_assert_str_eq(name, cases[i][1]);
	}
}
END_TEST

START_TEST(leaves_are_joined_by_device_address_and_serial_and_by_nothing_else)
{
	static const struct {
		const char *name, *bay;
	} cases[] = {
		{"nvme1n1", "b1"},
		{"/dev/nvme1n1p1", "b1"},
		{"pci-0000:42:00.0-nvme-1", "b2"},
		{"/dev/disk/by-path/pci-0000:42:00.0-nvme-1-part1", "b2"},
		{"nvme-ACME_LWP003", "b3"},
		{"nvme-ACME_LWP003_1", "b3"},
		{"diskid/DISK-LWP003p1", "b3"},
		{"diskid/DISK-LWP003", "b3"},
		{"nvme1n1p1.eli", "b1"},
		{"nvme-ACMELWP003", NULL},
		{"nvme-ACME_LWP00", NULL},
		{"nvme9n1", NULL},
		{"old", NULL},
		{"nvme1n1/old", NULL},
		{"1234567890123", NULL},
		{"/srv/nvme1n1", NULL},
		{"gpt/nvme1", NULL},
		{"ada1", NULL},
	};

	add_drives(4);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct pool_node n = {.kind = NODE_LEAF};
		const struct bay *b;

		str_copy(n.name, sizeof n.name, cases[i].name);
		b = pool_find_bay(&n, snapshot.bays, snapshot.n_bays);
		ck_assert_msg(str_same(b ? b->bay : NULL, cases[i].bay), "%s is %s", cases[i].name, b ? b->bay : "none");
	}
}
END_TEST

START_TEST(two_ways_to_different_drives_lead_to_none)
{
	struct pool_node n = {.kind = NODE_LEAF, .name = "alias", .path = "/dev/nvme1n1p1", .devid = "nvme-ACME_LWP001-part1"};

	add_drives(4);
	ck_assert_str_eq(pool_find_bay(&n, snapshot.bays, snapshot.n_bays)->bay, "b1");
	str_copy(n.phys_path, sizeof n.phys_path, "pci-0000:42:00.0-nvme-1");
	ck_assert_ptr_null(pool_find_bay(&n, snapshot.bays, snapshot.n_bays));
}
END_TEST

START_TEST(an_alias_that_was_looked_up_is_not_the_controller_it_looks_like)
{
	struct pool p = pool_unknown("tank");
	const struct pool *done;

	add_drives(2);
	add(&p, "mirror-0", PART_DATA, 0, POOL_ONLINE);
	str_copy(add(&p, "nvme0", PART_DATA, 1, POOL_ONLINE)->device, 32, "nvme1n1");
	str_copy(add(&p, "nvme1", PART_DATA, 1, POOL_ONLINE)->device, 32, "nvme0n1");
	done = finish(&p);
	ck_assert_str_eq(done->nodes[1].bay, "b1");
	ck_assert_str_eq(done->nodes[2].bay, "b0");
}
END_TEST

START_TEST(one_alias_that_is_no_controller_spoils_the_guess_for_all)
{
	struct pool p = pool_unknown("tank");
	const struct pool *done;

	add_drives(2);
	add(&p, "mirror-0", PART_DATA, 0, POOL_ONLINE);
	add(&p, "nvme0", PART_DATA, 1, POOL_ONLINE);
	add(&p, "nvme7", PART_DATA, 1, POOL_ONLINE);
	done = finish(&p);
	ck_assert_str_eq(done->nodes[1].bay, "");
	ck_assert(isnan(done->vdevs[0].ceiling_bps));
}
END_TEST

START_TEST(one_slow_link_sets_the_pace_of_raidz_and_is_named)
{
	struct pool p = pool_unknown("tank");
	const struct pool *done;
	const struct remark *h;

	add_drives(4);
	add_drive(4, 1);
	add_vdev(&p, "raidz1-0", PART_DATA, 0, 5);
	done = finish(&p);
	ck_assert_str_eq(done->vdevs[0].slowest, "nvme4");
	near_gb(done->vdevs[0].ceiling_bps, 4 * 0.985);
	near_gb(done->vdevs[0].if_healthy_bps, 4 * 3.938);
	h = hint("slow-member");
	ck_assert_ptr_nonnull(h);
	ck_assert_str_eq(h->bays[0], "b4");
	ck_assert_str_eq(h->pool, "tank");
	ck_assert_ptr_nonnull(strstr(h->message, "3.9 instead of 15.8 GB/s"));
	ck_assert(done->hints & POOL_HINT_SLOW_MEMBER);
}
END_TEST

START_TEST(a_mirror_writes_at_its_slowest_and_reads_at_the_sum)
{
	struct pool p = pool_unknown("m");
	const struct pool *done;

	add_drive(0, 4);
	add_drive(1, 2);
	add_vdev(&p, "mirror-0", PART_DATA, 0, 2);
	done = finish(&p);
	near_gb(done->can.write, 1.969);
	near_gb(done->can.read, 5.908);
}
END_TEST

START_TEST(a_member_whose_link_is_not_known_leaves_the_ceiling_unknown)
{
	struct pool p = pool_unknown("m");
	const struct pool *done;

	add_drives(2);
	add_vdev(&p, "raidz1-0", PART_DATA, 0, 3); /* nvme2 is not here */
	done = finish(&p);
	ck_assert(isnan(done->vdevs[0].ceiling_bps));
	ck_assert(isnan(done->can.read) && isnan(done->can.write));
	near_gb(done->vdevs[0].if_healthy_bps, 2 * 3.938);
}
END_TEST

START_TEST(a_disk_without_a_pcie_link_has_no_ceiling)
{
	struct pool p = pool_unknown("m");
	const struct pool *done;

	add_drives(2);
	snapshot.bays[1].pcie = false;
	add_vdev(&p, "mirror-0", PART_DATA, 0, 2);
	done = finish(&p);
	ck_assert_str_eq(done->nodes[2].controller, "nvme1");
	ck_assert(isnan(done->can.write));
}
END_TEST

START_TEST(a_spare_in_place_is_one_column_and_counts_only_when_it_is_complete)
{
	struct pool p = pool_unknown("v");
	const struct pool *done;
	struct pool_node *n;

	add_drives(4);
	add(&p, "raidz1-0", PART_DATA, 0, POOL_DEGRADED);
	add(&p, "nvme0n1", PART_DATA, 1, POOL_ONLINE);
	add(&p, "nvme1n1", PART_DATA, 1, POOL_ONLINE);
	add(&p, "spare-2", PART_DATA, 1, POOL_DEGRADED);
	add(&p, "nvme2n1", PART_DATA, 2, POOL_FAULTED);
	n = add(&p, "nvme3n1", PART_DATA, 2, POOL_ONLINE);
	n->resilvering = true;
	add(&p, "nvme3n1", PART_SPARE, 0, POOL_INUSE);
	done = finish(&p);
	near_gb(done->vdevs[0].ceiling_bps, 2 * 3.938);
	ck_assert_ptr_nonnull(hint("no-redundancy"));
	ck_assert_ptr_nonnull(strstr(hint("no-redundancy")->message, "1 of 3 members"));
	ck_assert_int_eq(bay("b3")->role, ROLE_DATA); /* it carries data now */
}
END_TEST

START_TEST(a_group_that_lost_its_last_redundancy_names_its_most_worn_drive)
{
	struct pool p = pool_unknown("t");

	add_drives(4);
	snapshot.bays[2].wear.percent_used = 71;
	snapshot.bays[1].wear.percent_used = 12;
	add_vdev(&p, "raidz1-0", PART_DATA, 0, 4);
	p.nodes[1].state = POOL_REMOVED;
	finish(&p);
	ck_assert_ptr_nonnull(hint("no-redundancy"));
	ck_assert_str_eq(hint("no-redundancy")->bays[0], "b2");
	ck_assert_ptr_nonnull(strstr(hint("no-redundancy")->message, "most worn is bay b2 at 71 %"));
}
END_TEST

START_TEST(raidz2_with_one_member_gone_still_has_redundancy)
{
	struct pool p = pool_unknown("t");

	add_drives(5);
	add_vdev(&p, "raidz2-0", PART_DATA, 0, 5);
	p.nodes[1].state = POOL_REMOVED;
	finish(&p);
	ck_assert_ptr_null(hint("no-redundancy"));
}
END_TEST

START_TEST(members_that_wear_out_together_are_a_hint_from_half_of_their_endurance_on)
{
	static const struct {
		double used[3];
		bool hint;
	} cases[] = {
		{{81, 84, 20}, true},
		{{81, 84, 83}, true},
		{{81, 70, 20}, false},  /* apart in time */
		{{41, 42, 43}, false},  /* far from it */
		{{NAN, 84, NAN}, false}, /* one alone is what parity is for */
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct pool p = pool_unknown("t");

		tear_down();
		set_up();
		add_drives(3);
		for (int k = 0; k < 3; k++)
			snapshot.bays[k].wear.percent_used = cases[i].used[k];
		add_vdev(&p, "raidz1-0", PART_DATA, 0, 3);
		finish(&p);
		ck_assert_msg((hint("correlated-wear") != NULL) == cases[i].hint, "case %zu", i);
		if (cases[i].hint)
			ck_assert_uint_eq(hint("correlated-wear")->n_bays, i == 0 ? 2 : 3);
	}
}
END_TEST

START_TEST(a_mirror_that_wears_far_faster_than_its_neighbours_is_a_hint_early)
{
	struct pool p = pool_unknown("t");

	add_drives(4);
	for (int i = 0; i < 4; i++)
		snapshot.bays[i].wear.percent_used = i < 2 ? 8 : 31 + i;
	add_vdev(&p, "mirror-0", PART_DATA, 0, 2);
	add_vdev(&p, "mirror-1", PART_DATA, 2, 2);
	finish(&p);
	ck_assert_ptr_nonnull(hint("correlated-wear"));
	ck_assert_str_eq(hint("correlated-wear")->bays[0], "b2");
	ck_assert_uint_eq(hint("correlated-wear")->n_bays, 2);
}
END_TEST

START_TEST(a_log_slower_than_the_pool_is_a_hint_and_an_unknown_one_is_none)
{
	struct pool p = pool_unknown("t"), q = pool_unknown("t");

	add_drives(3);
	add_drive(3, 1);
	add_vdev(&p, "mirror-0", PART_DATA, 0, 2);
	add(&p, "nvme3n1", PART_LOG, 0, POOL_ONLINE);
	finish(&p);
	ck_assert_ptr_nonnull(hint("log-slower-than-pool"));
	ck_assert_str_eq(hint("log-slower-than-pool")->bays[0], "b3");
	ck_assert_int_eq(bay("b3")->role, ROLE_LOG);
	tear_down();
	set_up();
	add_drives(2);
	add_vdev(&q, "mirror-0", PART_DATA, 0, 2);
	add(&q, "gpt/slog", PART_LOG, 0, POOL_ONLINE);
	finish(&q);
	ck_assert_ptr_null(hint("log-slower-than-pool"));
	ck_assert(inventory.pools[0].log.there);
	ck_assert(isnan(inventory.pools[0].log.ceiling_bps));
}
END_TEST

START_TEST(a_log_that_wears_fastest_of_all_is_said)
{
	struct pool p = pool_unknown("t");

	add_drives(3);
	snapshot.bays[0].wear.percent_used = 20;
	snapshot.bays[1].wear.percent_used = 22;
	snapshot.bays[2].wear.percent_used = 77;
	add_vdev(&p, "mirror-0", PART_DATA, 0, 2);
	add(&p, "nvme2n1", PART_LOG, 0, POOL_ONLINE);
	finish(&p);
	ck_assert_ptr_nonnull(hint("log-slower-than-pool"));
	ck_assert_ptr_nonnull(strstr(hint("log-slower-than-pool")->message, "wears fastest of all: 77 %"));
}
END_TEST

START_TEST(what_happens_when_a_drive_is_pulled_is_said_before)
{
	struct pool p = pool_unknown("t");
	const struct pool *done;
	char text[256];

	add_drives(6);
	add_vdev(&p, "raidz2-0", PART_DATA, 0, 4);
	add(&p, "nvme4n1", PART_LOG, 0, POOL_ONLINE);
	add(&p, "nvme5n1", PART_CACHE, 0, POOL_ONLINE);
	done = finish(&p);
	pool_if_pulled(done, 1, text, sizeof text);
	ck_assert_str_eq(text, "pool t goes on: raidz2-0 can lose 1 more after it");
	pool_if_pulled(done, 5, text, sizeof text);
	ck_assert_ptr_nonnull(strstr(text, "last synchronous writes"));
	pool_if_pulled(done, 6, text, sizeof text);
	ck_assert_ptr_nonnull(strstr(text, "read from its drives again"));
	pool_if_pulled(done, 0, text, sizeof text);
	ck_assert_str_eq(text, "");
	inventory.pools[0].nodes[2].state = POOL_REMOVED;
	pool_if_pulled(done, 1, text, sizeof text);
	ck_assert_str_eq(text, "pool t goes on without any redundancy in raidz2-0");
	inventory.pools[0].nodes[3].state = POOL_REMOVED;
	pool_if_pulled(done, 1, text, sizeof text);
	ck_assert_str_eq(text, "pool t fails: raidz2-0 has no redundancy left");
	pool_if_pulled(done, 2, text, sizeof text);
	ck_assert_ptr_nonnull(strstr(text, "nothing changes"));
}
END_TEST

START_TEST(pools_of_another_host_are_joined_to_its_own_drives_alone)
{
	struct pool p = pool_unknown("t");
	struct snapshot other;

	add_drives(2);
	inventory_apply(&inventory, &snapshot);
	snapshot_init(&other, "elsewhere", TARGET_ZFS, "other");
	other.target.verdict = TARGET_OK;
	add_vdev(&p, "mirror-0", PART_DATA, 0, 2);
	pool_settle_kinds(&p);
	snapshot_take_pool(&other, &p);
	inventory_apply(&inventory, &other);
	inventory_finish(&inventory, NULL, 0);
	ck_assert_str_eq(inventory.pools[0].nodes[1].bay, "");
	ck_assert_int_eq(bay("b0")->role, ROLE_UNKNOWN);
	snapshot_release(&other);
}
END_TEST

START_TEST(a_target_that_falls_silent_keeps_its_pools_as_stale)
{
	struct pool p = pool_unknown("t");
	struct snapshot silent;

	add_drives(2);
	add_vdev(&p, "mirror-0", PART_DATA, 0, 2);
	finish(&p);
	snapshot_init(&silent, "os", TARGET_NVME, "srv");
	silent.target.verdict = TARGET_UNREACHABLE;
	inventory_apply(&inventory, &silent);
	inventory_finish(&inventory, NULL, 0);
	ck_assert_uint_eq(inventory.n_pools, 1);
	ck_assert(inventory.pools[0].stale);
	inventory_forget(&inventory, "os");
	inventory_finish(&inventory, NULL, 0);
	ck_assert_uint_eq(inventory.n_pools, 0);
	snapshot_release(&silent);
}
END_TEST

START_TEST(an_uplink_that_carries_less_than_its_drives_limits_the_machine)
{
	struct machine m;
	struct hop *h;

	add_drives(4);
	h = snapshot_add_hop(&snapshot, "0000:40:01.0");
	h->link.now = (struct pcie_rate){8000, 4};
	hop_add_shared(h, "b0");
	hop_add_shared(h, "b1");
	inventory_apply(&inventory, &snapshot);
	inventory_finish(&inventory, NULL, 0);
	machine_read(&m, &inventory, NULL, NULL);
	near_gb(m.sum.known.read, 3 * 3.938);
	ck_assert_uint_eq(m.sum.n, 4);
	ck_assert(m.uplinks_limit);
	near_gb(m.uplinks[0].members.read, 2 * 3.938);
	near_gb(m.uplinks[0].can.read, 3.938);
	machine_release(&m);
}
END_TEST

START_TEST(uplinks_below_one_another_are_counted_once)
{
	static const int lanes[] = {16, 4}; /* the root's comes first here, the switch's second */
	struct machine m;

	add_drives(4);
	for (int k = 0; k < 2; k++) {
		struct hop *h = snapshot_add_hop(&snapshot, k ? "0000:41:00.0" : "0000:40:00.0");

		h->link.now = (struct pcie_rate){8000, lanes[k]};
		for (int i = 0; i < (k ? 2 : 4); i++)
			hop_add_shared(h, snapshot.bays[i].bay);
	}
	inventory_apply(&inventory, &snapshot);
	inventory_finish(&inventory, NULL, 0);
	machine_read(&m, &inventory, NULL, NULL);
	near_gb(m.sum.known.read, 3 * 3.938); /* 2 behind x4, 2 beside, all behind x16 */
	machine_release(&m);
}
END_TEST

START_TEST(an_uplink_of_unknown_width_takes_nothing_away)
{
	struct machine m;
	struct hop *h;

	add_drives(2);
	h = snapshot_add_hop(&snapshot, "0000:40:01.0");
	hop_add_shared(h, "b0");
	hop_add_shared(h, "b1");
	inventory_apply(&inventory, &snapshot);
	inventory_finish(&inventory, NULL, 0);
	machine_read(&m, &inventory, NULL, NULL);
	near_gb(ceiling_total(&m.sum).read, 2 * 3.938);
	ck_assert(!m.uplinks_limit);
	machine_release(&m);
}
END_TEST

START_TEST(a_dual_port_drive_carries_what_both_ports_do)
{
	struct machine m;
	struct bay *b = add_drive(0, 2);

	b->drive.n_paths = 2;
	for (int i = 0; i < 2; i++) {
		b->drive.paths[i].link.now = (struct pcie_rate){8000, 2};
		snprintf(b->drive.paths[i].controller, sizeof b->drive.paths[i].controller, "nvme%d", i);
	}
	inventory_apply(&inventory, &snapshot);
	inventory_finish(&inventory, NULL, 0);
	machine_read(&m, &inventory, NULL, NULL);
	near_gb(m.sum.known.read, 3.938);
	machine_release(&m);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		the_whole_disk_is_in_kernel_names_and_in_no_others,
		partitions_are_cut_off_where_they_are_partitions,
		leaves_are_joined_by_device_address_and_serial_and_by_nothing_else,
		two_ways_to_different_drives_lead_to_none,
		an_alias_that_was_looked_up_is_not_the_controller_it_looks_like,
		one_alias_that_is_no_controller_spoils_the_guess_for_all,
		one_slow_link_sets_the_pace_of_raidz_and_is_named,
		a_mirror_writes_at_its_slowest_and_reads_at_the_sum,
		a_member_whose_link_is_not_known_leaves_the_ceiling_unknown,
		a_disk_without_a_pcie_link_has_no_ceiling,
		a_spare_in_place_is_one_column_and_counts_only_when_it_is_complete,
		a_group_that_lost_its_last_redundancy_names_its_most_worn_drive,
		raidz2_with_one_member_gone_still_has_redundancy,
		members_that_wear_out_together_are_a_hint_from_half_of_their_endurance_on,
		a_mirror_that_wears_far_faster_than_its_neighbours_is_a_hint_early,
		a_log_slower_than_the_pool_is_a_hint_and_an_unknown_one_is_none,
		a_log_that_wears_fastest_of_all_is_said,
		what_happens_when_a_drive_is_pulled_is_said_before,
		pools_of_another_host_are_joined_to_its_own_drives_alone,
		a_target_that_falls_silent_keeps_its_pools_as_stale,
		an_uplink_that_carries_less_than_its_drives_limits_the_machine,
		uplinks_below_one_another_are_counted_once,
		an_uplink_of_unknown_width_takes_nothing_away,
		a_dual_port_drive_carries_what_both_ports_do,
	};
	Suite *suite = suite_create("pool");
	TCase *tc = tcase_create("pool");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tc, set_up, tear_down);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(tc, tests[i]);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
