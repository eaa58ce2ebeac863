/* SPDX-License-Identifier: MIT */
/* The views of several targets become one bay for each place, judged and annotated. */
#include "base/clock.h"
#include "base/str.h"
#include "model/inventory.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct pcie_rate gen5x4 = {32000, 4}, gen4x4 = {16000, 4};

static struct snapshot snap(const char *name, enum target_kind kind, const char *host)
{
	struct snapshot s;

	snapshot_init(&s, name, kind, host);
	s.target.verdict = TARGET_OK;
	s.target.power = TRI_YES;
	s.target.observed_wall_ms = 1000;
	return s;
}

static struct bay *drive_in(struct snapshot *s, const char *bay, const char *serial, struct pcie_rate now)
{
	struct bay *b = snapshot_add_bay(s, bay);

	b->present = TRI_YES;
	b->has_drive = true;
	str_copy(b->drive.serial, sizeof b->drive.serial, serial);
	str_copy(b->drive.model, sizeof b->drive.model, "Acme Flash G5 3.84TB");
	str_copy(b->drive.protocol, sizeof b->drive.protocol, "NVMe");
	b->link.now = now;
	b->link.max = b->link.slot = gen5x4;
	return b;
}

static struct bay *empty_bay(struct snapshot *s, const char *bay)
{
	struct bay *b = snapshot_add_bay(s, bay);

	b->present = TRI_NO;
	return b;
}

static void take(struct inventory *inv, struct snapshot *s)
{
	inventory_apply(inv, s);
	snapshot_release(s);
}

static void finish(struct inventory *inv)
{
	inventory_finish(inv, NULL, 2000);
}

static const struct bay *bay(const struct inventory *inv, const char *host, const char *name)
{
	const struct bay *hit = NULL;

	for (size_t i = 0; i < inv->n_bays; i++)
		if (str_same(inv->bays[i].bay, name) && str_same(inv->bays[i].host, host)) {
			ck_assert_msg(!hit, "bay %s stands there twice", name);
			hit = &inv->bays[i];
		}
	ck_assert_msg(hit, "bay %s is missing", name);
	return hit;
}

static const struct remark *note(const struct inventory *inv, const char *code)
{
	for (size_t i = 0; i < inv->n_notes; i++)
		if (str_same(inv->notes[i].code, code))
			return &inv->notes[i];
	return NULL;
}

static void assert_verdict(const struct bay *b, enum verdict v)
{
	ck_assert_msg(b->judged.verdict == v, "bay %s is %s (%s), should be %s", b->bay,
		verdict_word(b->judged.verdict), b->judged.message, verdict_word(v));
}

START_TEST(a_drive_seen_by_bmc_and_kernel_is_one_bay_named_by_the_bmc)
{
	struct inventory inv;
	struct snapshot bmc = snap("bmc", TARGET_REDFISH, "srv1"), host = snap("host", TARGET_NVME, "SRV1");
	struct bay *b = drive_in(&bmc, "0", "S1", gen5x4);
	const struct bay *one;

	inventory_init(&inv);
	str_copy(b->location, sizeof b->location, "Bay 0");
	str_copy(b->bmc_health, sizeof b->bmc_health, "OK");
	b = drive_in(&host, "17", "S1", gen5x4);
	str_copy(b->drive.controller, sizeof b->drive.controller, "nvme3");
	take(&inv, &host);
	take(&inv, &bmc);
	finish(&inv);
	ck_assert_uint_eq(inv.n_bays, 1);
	one = &inv.bays[0];
	ck_assert_str_eq(one->bay, "0");
	ck_assert_str_eq(one->target, "host"); /* its link is read live */
	ck_assert_str_eq(one->location, "Bay 0");
	ck_assert_str_eq(one->bmc_health, "OK");
	ck_assert_str_eq(one->drive.controller, "nvme3");
	ck_assert_uint_eq(one->drive.n_sources, 2);
	ck_assert_uint_eq(one->link.n_views, 2);
	ck_assert_uint_eq(inv.n_notes, 0);
	assert_verdict(one, VERDICT_OK);
	inventory_release(&inv);
}
END_TEST

START_TEST(the_views_stay_so_that_a_target_may_answer_anew)
{
	struct inventory inv;
	struct snapshot s;

	inventory_init(&inv);
	for (int round = 0; round < 3; round++) {
		s = snap("bmc", TARGET_REDFISH, "srv1");
		drive_in(&s, "0", "S1", round == 1 ? gen4x4 : gen5x4);
		take(&inv, &s);
		if (round == 0) {
			s = snap("host", TARGET_NVME, "srv1");
			drive_in(&s, "0", "S1", gen5x4);
			take(&inv, &s);
		}
		finish(&inv);
		finish(&inv);
		ck_assert_uint_eq(inv.n_bays, 1);
		ck_assert_uint_eq(inv.n_targets, 2);
		assert_verdict(&inv.bays[0], round == 1 ? VERDICT_DEGRADED_SPEED : VERDICT_OK);
	}
	inventory_release(&inv);
}
END_TEST

START_TEST(sources_that_disagree_are_both_shown_and_the_worse_link_counts)
{
	struct inventory inv;
	struct snapshot bmc = snap("bmc", TARGET_REDFISH, "srv1"), host = snap("host", TARGET_NVME, "srv1");
	const struct bay *b;

	inventory_init(&inv);
	drive_in(&bmc, "0", "S1", (struct pcie_rate){32000, 2});
	drive_in(&host, "0", "S1", gen5x4);
	take(&inv, &bmc);
	take(&inv, &host);
	finish(&inv);
	b = bay(&inv, "srv1", "0");
	assert_verdict(b, VERDICT_DEGRADED_WIDTH);
	ck_assert_str_eq(b->target, "bmc");
	ck_assert(b->notes & NOTE_SOURCES_DISAGREE);
	ck_assert_uint_eq(b->link.n_views, 2);
	ck_assert_int_eq(b->link.views[0].now.width_lanes, 2);
	ck_assert_int_eq(b->link.views[1].now.width_lanes, 4);
	ck_assert_msg(strstr(b->judged.message, "bmc says 32 GT/s x2, host says 32 GT/s x4"), "%s", b->judged.message);
	ck_assert(note(&inv, "sources-disagree"));
	inventory_release(&inv);
}
END_TEST

START_TEST(a_placeholder_of_one_source_is_filled_from_the_other_without_a_note)
{
	struct inventory inv;
	struct snapshot bmc = snap("bmc", TARGET_REDFISH, "srv1"), host = snap("host", TARGET_NVME, "srv1");
	struct bay *v;
	const struct bay *b;

	inventory_init(&inv);
	drive_in(&bmc, "0", "S1", gen4x4);
	v = drive_in(&host, "0", "S1", (struct pcie_rate){0});
	v->link.doubt = REASON_PLACEHOLDER;
	v->link.slot = (struct pcie_rate){0};
	take(&inv, &bmc);
	take(&inv, &host);
	finish(&inv);
	b = bay(&inv, "srv1", "0");
	ck_assert_str_eq(b->target, "bmc");
	assert_verdict(b, VERDICT_DEGRADED_SPEED);
	ck_assert(!(b->notes & NOTE_SOURCES_DISAGREE));
	inventory_release(&inv);
}
END_TEST

START_TEST(what_only_one_source_sees_is_kept_and_noted)
{
	struct inventory inv;
	struct snapshot bmc = snap("bmc", TARGET_REDFISH, "srv1"), host = snap("host", TARGET_NVME, "srv1");

	inventory_init(&inv);
	drive_in(&bmc, "0", "S1", gen5x4);
	drive_in(&bmc, "1", "S2", gen5x4);
	drive_in(&host, "0", "S1", gen5x4);
	drive_in(&host, "2", "S3", gen5x4);
	take(&inv, &bmc);
	take(&inv, &host);
	finish(&inv);
	ck_assert_uint_eq(inv.n_bays, 3);
	ck_assert_uint_eq(bay(&inv, "srv1", "1")->notes, NOTE_NOT_SEEN_BY_HOST);
	ck_assert_uint_eq(bay(&inv, "srv1", "2")->notes, NOTE_NOT_SEEN_BY_BMC);
	ck_assert_uint_eq(bay(&inv, "srv1", "0")->notes, 0);
	ck_assert_str_eq(note(&inv, "not-seen-by-host")->serial, "S2");
	ck_assert_int_eq(inventory_verify_status(&inv), 0); /* notes change nothing */
	inventory_release(&inv);
}
END_TEST

START_TEST(nothing_is_missed_by_a_source_that_did_not_answer_wholly)
{
	static const struct {
		const char *what;
		bool bmc_down, bmc_partial, host_down, bmc_without_serial;
		unsigned of_bmc_drive, of_host_drive;
	} rows[] = {
		{"both whole", 0, 0, 0, 0, NOTE_NOT_SEEN_BY_HOST, NOTE_NOT_SEEN_BY_BMC},
		{"the BMC partial", 0, 1, 0, 0, NOTE_NOT_SEEN_BY_HOST, 0},
		{"the BMC down", 1, 0, 0, 0, 0, 0},
		{"the host down", 0, 0, 1, 0, 0, 0},
		{"a BMC drive without serial may be the other's", 0, 0, 0, 1, 0, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct inventory inv;
		struct snapshot bmc = snap("bmc", TARGET_REDFISH, "srv1"), host = snap("host", TARGET_NVME, "srv1");

		inventory_init(&inv);
		drive_in(&bmc, "1", rows[i].bmc_without_serial ? "" : "S2", gen5x4);
		drive_in(&host, "0000:41:00.0", "S3", gen5x4);
		bmc.target.partial = rows[i].bmc_partial;
		bmc.target.verdict = rows[i].bmc_down ? TARGET_UNREACHABLE : TARGET_OK;
		host.target.verdict = rows[i].host_down ? TARGET_UNREACHABLE : TARGET_OK;
		take(&inv, &bmc);
		take(&inv, &host);
		finish(&inv);
		ck_assert_msg(bay(&inv, "srv1", "1")->notes == rows[i].of_bmc_drive, "%s", rows[i].what);
		ck_assert_msg(bay(&inv, "srv1", "0000:41:00.0")->notes == rows[i].of_host_drive, "%s", rows[i].what);
		inventory_release(&inv);
	}
}
END_TEST

START_TEST(one_serial_in_two_bays_of_a_target_names_neither)
{
	struct inventory inv;
	struct snapshot s = snap("bmc", TARGET_REDFISH, "srv1");

	inventory_init(&inv);
	drive_in(&s, "4", "TWIN", gen5x4);
	drive_in(&s, "9", "TWIN", gen5x4);
	drive_in(&s, "10", "OTHER", gen5x4);
	take(&inv, &s);
	s = snap("host", TARGET_NVME, "srv1");
	drive_in(&s, "4", "TWIN", gen5x4);
	drive_in(&s, "9", "TWIN", gen5x4);
	drive_in(&s, "10", "OTHER", gen5x4);
	take(&inv, &s);
	finish(&inv);
	ck_assert_uint_eq(inv.n_bays, 3);
	ck_assert(bay(&inv, "srv1", "4")->notes & NOTE_DUPLICATE_SERIAL);
	ck_assert(bay(&inv, "srv1", "9")->notes & NOTE_DUPLICATE_SERIAL);
	ck_assert(!(bay(&inv, "srv1", "10")->notes & NOTE_DUPLICATE_SERIAL));
	ck_assert_str_ne(bay(&inv, "srv1", "4")->drive.id, bay(&inv, "srv1", "9")->drive.id);
	ck_assert_uint_eq(bay(&inv, "srv1", "9")->drive.n_sources, 2);
	ck_assert(strstr(note(&inv, "duplicate-serial")->message, "bay 9"));
	inventory_release(&inv);
}
END_TEST

START_TEST(names_join_only_where_no_drive_shows_that_they_count_differently)
{
	struct inventory inv;
	struct snapshot bmc = snap("bmc", TARGET_REDFISH, "srv1"), host = snap("host", TARGET_NVME, "srv1");
	struct bay *b;

	/* the BMC counts from 0, the slots of the host from 1 */
	inventory_init(&inv);
	drive_in(&bmc, "0", "S1", gen5x4);
	empty_bay(&bmc, "1");
	empty_bay(&bmc, "2");
	drive_in(&host, "1", "S1", gen5x4);
	empty_bay(&host, "2");
	b = drive_in(&host, "2", "S9", gen5x4); /* the BMC shows its bay 1 as empty */
	str_copy(b->drive.pci_address, sizeof b->drive.pci_address, "0000:42:00.0");
	take(&inv, &bmc);
	take(&inv, &host);
	finish(&inv);
	ck_assert_uint_eq(inv.n_bays, 4);
	ck_assert_str_eq(bay(&inv, "srv1", "0")->drive.serial, "S1");
	assert_verdict(bay(&inv, "srv1", "1"), VERDICT_ABSENT);
	assert_verdict(bay(&inv, "srv1", "2"), VERDICT_ABSENT);
	ck_assert_str_eq(bay(&inv, "srv1", "0000:42:00.0")->drive.serial, "S9");
	inventory_release(&inv);
}
END_TEST

START_TEST(a_bay_that_both_show_as_empty_is_one_bay)
{
	struct inventory inv;
	struct snapshot bmc = snap("bmc", TARGET_REDFISH, "srv1"), host = snap("host", TARGET_NVME, "srv1");
	struct bay *b;

	inventory_init(&inv);
	drive_in(&bmc, "0", "S1", gen5x4);
	b = empty_bay(&bmc, "1");
	b->has_drive = true; /* an Absent resource that still bears texts */
	str_copy(b->drive.serial, sizeof b->drive.serial, "GHOST");
	drive_in(&host, "0", "S1", gen5x4);
	empty_bay(&host, "1");
	take(&inv, &bmc);
	take(&inv, &host);
	finish(&inv);
	ck_assert_uint_eq(inv.n_bays, 2);
	assert_verdict(bay(&inv, "srv1", "1"), VERDICT_ABSENT);
	ck_assert(!bay(&inv, "srv1", "1")->has_drive);
	inventory_release(&inv);
}
END_TEST

START_TEST(two_hosts_are_never_joined_and_bays_stand_in_natural_order)
{
	static const char *const order[] = {"srv1/0", "srv1/2", "srv1/10", "srv2/0", "srv10/0"};
	struct inventory inv;
	struct snapshot s = snap("c", TARGET_REDFISH, "srv10");
	char got[128];

	inventory_init(&inv);
	drive_in(&s, "0", "S1", gen5x4);
	take(&inv, &s);
	s = snap("b", TARGET_REDFISH, "srv2");
	drive_in(&s, "0", "S1", gen5x4);
	take(&inv, &s);
	s = snap("a", TARGET_REDFISH, "srv1");
	drive_in(&s, "10", "S3", gen5x4);
	drive_in(&s, "2", "S2", gen5x4);
	drive_in(&s, "0", "S4", gen5x4);
	take(&inv, &s);
	finish(&inv);
	ck_assert_uint_eq(inv.n_bays, 5);
	for (size_t i = 0; i < 5; i++) {
		snprintf(got, sizeof got, "%s/%s", inv.bays[i].host, inv.bays[i].bay);
		ck_assert_str_eq(got, order[i]);
	}
	ck_assert_str_eq(inv.targets[0].name, "a");
	inventory_release(&inv);
}
END_TEST

START_TEST(an_unreachable_target_keeps_what_it_said_last_as_stale)
{
	struct inventory inv;
	struct snapshot s = snap("bmc", TARGET_REDFISH, "srv1");

	inventory_init(&inv);
	drive_in(&s, "0", "S1", gen5x4);
	take(&inv, &s);
	s = snap("bmc", TARGET_REDFISH, "srv1");
	s.target.verdict = TARGET_UNREACHABLE;
	s.target.reason = REASON_TIMEOUT;
	take(&inv, &s);
	finish(&inv);
	ck_assert_uint_eq(inv.n_bays, 1);
	ck_assert(inv.bays[0].stale);
	ck_assert_str_eq(inv.bays[0].drive.serial, "S1");
	ck_assert_int_eq(inv.bays[0].link.now.speed_mtps, 32000);
	assert_verdict(&inv.bays[0], VERDICT_UNREACHABLE);
	ck_assert_int_eq(inv.bays[0].judged.reason, REASON_TIMEOUT);
	ck_assert_int_eq(inventory_verify_status(&inv), 3);
	inventory_release(&inv);
}
END_TEST

START_TEST(an_unreachable_target_invents_no_bays)
{
	struct inventory inv;
	struct policy_set set;
	struct policy *p;
	struct snapshot s = snap("bmc", TARGET_REDFISH, "srv1");

	inventory_init(&inv);
	policy_set_init(&set);
	p = policy_set_add(&set, "all");
	patterns_add_list(&p->bays, "0-23");
	p->require_present = true;
	s.target.verdict = TARGET_UNREACHABLE;
	take(&inv, &s);
	inventory_finish(&inv, &set, 2000);
	ck_assert_uint_eq(inv.n_bays, 0);
	ck_assert_int_eq(inventory_verify_status(&inv), 3);
	policy_set_release(&set);
	inventory_release(&inv);
}
END_TEST

START_TEST(with_the_host_off_drives_that_are_not_listed_were_not_pulled)
{
	struct inventory inv;
	struct snapshot s = snap("bmc", TARGET_REDFISH, "srv1");
	const struct bay *b;

	inventory_init(&inv);
	drive_in(&s, "0", "S1", gen5x4);
	drive_in(&s, "1", "S2", gen5x4);
	take(&inv, &s);
	s = snap("bmc", TARGET_REDFISH, "srv1");
	s.target.power = TRI_NO;
	empty_bay(&s, "1");
	take(&inv, &s);
	finish(&inv);
	ck_assert_uint_eq(inv.n_bays, 2);
	for (size_t i = 0; i < 2; i++) {
		b = &inv.bays[i];
		assert_verdict(b, VERDICT_UNKNOWN);
		ck_assert_int_eq(b->judged.reason, REASON_HOST_OFF);
		ck_assert(b->stale && b->has_drive);
	}
	/* and once it is on again, one of them really is gone */
	s = snap("bmc", TARGET_REDFISH, "srv1");
	drive_in(&s, "0", "S1", gen5x4);
	empty_bay(&s, "1");
	take(&inv, &s);
	finish(&inv);
	assert_verdict(bay(&inv, "srv1", "0"), VERDICT_OK);
	assert_verdict(bay(&inv, "srv1", "1"), VERDICT_ABSENT);
	ck_assert(!bay(&inv, "srv1", "0")->stale);
	inventory_release(&inv);
}
END_TEST

START_TEST(a_bay_recalled_from_the_store_stands_until_its_target_answers)
{
	struct inventory inv;
	struct snapshot s = snap("bmc", TARGET_REDFISH, "srv1");
	struct bay old;

	inventory_init(&inv);
	old = *drive_in(&s, "0", "S1", gen5x4);
	snapshot_release(&s);
	inventory_recall(&inv, &old);
	finish(&inv);
	assert_verdict(bay(&inv, "srv1", "0"), VERDICT_UNREACHABLE);
	s = snap("bmc", TARGET_REDFISH, "srv1");
	drive_in(&s, "0", "S2", gen5x4);
	take(&inv, &s);
	finish(&inv);
	ck_assert_uint_eq(inv.n_bays, 1);
	ck_assert_str_eq(inv.bays[0].drive.serial, "S2");
	ck_assert(!inv.bays[0].stale);
	inventory_release(&inv);
}
END_TEST

START_TEST(a_stale_view_gives_way_to_what_another_source_sees_now)
{
	struct inventory inv;
	struct snapshot s = snap("bmc", TARGET_REDFISH, "srv1");

	inventory_init(&inv);
	drive_in(&s, "0", "OLD", gen4x4);
	take(&inv, &s);
	s = snap("bmc", TARGET_REDFISH, "srv1");
	s.target.verdict = TARGET_UNREACHABLE;
	take(&inv, &s);
	s = snap("host", TARGET_NVME, "srv1");
	drive_in(&s, "0", "NEW", gen5x4);
	take(&inv, &s);
	finish(&inv);
	ck_assert_uint_eq(inv.n_bays, 1);
	ck_assert_str_eq(inv.bays[0].drive.serial, "NEW");
	assert_verdict(&inv.bays[0], VERDICT_OK);
	ck_assert_uint_eq(inv.bays[0].drive.n_sources, 1);
	inventory_release(&inv);
}
END_TEST

START_TEST(expected_bays_that_nobody_lists_are_absent_where_the_policy_means_the_target)
{
	static const struct {
		const char *what, *targets;
		int hosts; /* how many answer; only the first has a bay */
		size_t bays_1, bays_2;
	} rows[] = {
		{"one host, no target named", NULL, 1, 3, 0},
		{"two hosts, only those with bays", NULL, 2, 3, 0},
		{"the second named", "t2", 2, 1, 3},
		{"both named", "t*", 2, 3, 3},
		{"neither named", "x", 2, 1, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct inventory inv;
		struct policy_set set;
		struct policy *p;
		struct snapshot s = snap("t1", TARGET_REDFISH, "srv1");
		size_t n[2] = {0};

		inventory_init(&inv);
		policy_set_init(&set);
		p = policy_set_add(&set, "front");
		patterns_add_list(&p->bays, "3-5");
		if (rows[i].targets)
			patterns_add_list(&p->targets, rows[i].targets);
		p->require_present = true;
		drive_in(&s, "4", "S1", gen5x4);
		take(&inv, &s);
		if (rows[i].hosts == 2) {
			s = snap("t2", TARGET_REDFISH, "srv2");
			take(&inv, &s);
		}
		inventory_finish(&inv, &set, 2000);
		for (size_t k = 0; k < inv.n_bays; k++)
			n[str_same(inv.bays[k].host, "srv2")]++;
		ck_assert_msg(n[0] == rows[i].bays_1 && n[1] == rows[i].bays_2, "%s: %zu, %zu", rows[i].what, n[0], n[1]);
		if (n[0] == 3) {
			const struct bay *b = bay(&inv, "srv1", "5");

			assert_verdict(b, VERDICT_ABSENT);
			ck_assert(b->expected && b->require_present && !b->has_drive);
			ck_assert_str_eq(b->policy, "front");
			ck_assert_int_eq(inventory_verify_status(&inv), 2);
		}
		policy_set_release(&set);
		inventory_release(&inv);
	}
}
END_TEST

START_TEST(an_expected_bay_is_not_known_where_the_bmc_could_not_be_read_wholly)
{
	struct inventory inv;
	struct policy_set set;
	struct policy *p;
	struct snapshot s = snap("bmc", TARGET_REDFISH, "srv1");

	inventory_init(&inv);
	policy_set_init(&set);
	p = policy_set_add(&set, "front");
	patterns_add_list(&p->bays, "0-1");
	p->require_present = true;
	drive_in(&s, "0", "S1", gen5x4);
	target_add_error(&s.target, "/redfish/v1/Chassis/1/Drives/1", "500", "nothing came");
	take(&inv, &s);
	inventory_finish(&inv, &set, 2000);
	assert_verdict(bay(&inv, "srv1", "1"), VERDICT_UNKNOWN);
	ck_assert_int_eq(bay(&inv, "srv1", "1")->present, TRI_UNKNOWN);
	policy_set_release(&set);
	inventory_release(&inv);
}
END_TEST

START_TEST(a_card_of_which_one_drive_is_visible_hints_at_bifurcation)
{
	struct inventory inv;
	struct policy_set set;
	struct policy *p;
	struct policy_card *card;
	struct snapshot s = snap("host", TARGET_NVME, "srv1");
	struct bay *b;
	struct hop *h;

	inventory_init(&inv);
	policy_set_init(&set);
	p = policy_set_add(&set, "card");
	card = policy_set_add_card(&set, "5");
	for (int i = 1; i <= 4; i++) {
		char name[8];

		snprintf(name, sizeof name, "5-%d", i);
		patterns_add(&p->bays, name);
		patterns_add(&card->bays, name);
	}
	p->require_present = true;
	b = drive_in(&s, "5", "S1", gen5x4);
	str_copy(b->drive.pci_address, sizeof b->drive.pci_address, "0000:41:00.0");
	h = snapshot_add_hop(&s, "0000:40:01.1");
	hop_add_shared(h, "5");
	take(&inv, &s);
	inventory_finish(&inv, &set, 2000);
	ck_assert_uint_eq(inv.n_bays, 4);
	assert_verdict(bay(&inv, "srv1", "5-1"), VERDICT_OK);
	assert_verdict(bay(&inv, "srv1", "5-2"), VERDICT_ABSENT);
	ck_assert_uint_eq(inv.n_hints, 1);
	ck_assert_str_eq(inv.hints[0].code, "bifurcation");
	ck_assert_uint_eq(inv.hints[0].n_bays, 4);
	ck_assert_uint_eq(inv.n_hops, 1);
	ck_assert_uint_eq(inv.hops[0].n_shared, 1);
	ck_assert_str_eq(inv.hops[0].shared_by[0], "5-1"); /* the name of the joined bay */
	policy_set_release(&set);
	inventory_release(&inv);
}
END_TEST

START_TEST(drives_of_a_card_take_its_bays_in_the_order_of_their_addresses)
{
	struct inventory inv;
	struct policy_set set;
	struct policy_card *card;
	struct snapshot s = snap("host", TARGET_NVME, "srv1");
	static const char *const address[] = {"0000:44:00.0", "0000:41:00.0", "10000:01:00.0", "0000:42:00.0"};
	static const char *const serial[] = {"C", "A", "D", "B"};

	inventory_init(&inv);
	policy_set_init(&set);
	card = policy_set_add_card(&set, "5");
	patterns_add_list(&card->bays, "5a,5b,5c,5d");
	for (size_t i = 0; i < 4; i++) {
		struct bay *b = drive_in(&s, "5", serial[i], gen5x4);

		str_copy(b->drive.pci_address, sizeof b->drive.pci_address, address[i]);
	}
	take(&inv, &s);
	inventory_finish(&inv, &set, 2000);
	ck_assert_str_eq(bay(&inv, "srv1", "5a")->drive.serial, "A");
	ck_assert_str_eq(bay(&inv, "srv1", "5b")->drive.serial, "B");
	ck_assert_str_eq(bay(&inv, "srv1", "5c")->drive.serial, "C");
	ck_assert_str_eq(bay(&inv, "srv1", "5d")->drive.serial, "D");
	ck_assert_uint_eq(inv.n_hints, 0);
	policy_set_release(&set);
	inventory_release(&inv);
}
END_TEST

/* A machine without slot numbers: two bays by their ports, and a carrier of four M.2 behind a third one. */
START_TEST(a_bay_map_names_places_and_its_names_may_be_a_cards_slot)
{
	static const char *const ways[] = {"0000:40:01.1/0000:41:00.0", "0000:40:01.2/0000:42:00.0",
		"0000:80:01.1/0000:81:00.0/0000:82:01.0/0000:84:00.0", "0000:80:01.1/0000:81:00.0/0000:82:00.0/0000:83:00.0"};
	struct inventory inv;
	struct policy_set set;
	struct bay_map *map;
	struct snapshot s = snap("host", TARGET_NVME, "srv1");
	struct err e;

	inventory_init(&inv);
	policy_set_init(&set);
	map = policy_set_add_map(&set, "srv*");
	ck_assert_int_eq(bay_map_add(map, "front 0 = 0000:40:01.1", &e), 0);
	ck_assert_int_eq(bay_map_add(map, "front 1 = 0000:40:01.2", &e), 0);
	ck_assert_int_eq(bay_map_add(map, "7 = 0000:80:01.1", &e), 0);
	for (size_t i = 0; i < 4; i++) {
		const char *address = strrchr(ways[i], '/') + 1;
		struct bay *b = drive_in(&s, address, (const char *const[]){"A", "B", "D", "C"}[i], gen5x4);

		str_copy(b->drive.pci_address, sizeof b->drive.pci_address, address);
		str_copy(b->drive.pci_path, sizeof b->drive.pci_path, ways[i]);
	}
	take(&inv, &s);
	inventory_finish(&inv, &set, 2000);
	ck_assert_str_eq(bay(&inv, "srv1", "front 0")->drive.serial, "A");
	ck_assert_str_eq(bay(&inv, "srv1", "front 1")->drive.serial, "B");
	ck_assert_str_eq(bay(&inv, "srv1", "7-1")->drive.serial, "C");
	ck_assert_str_eq(bay(&inv, "srv1", "7-2")->drive.serial, "D");

	patterns_add_list(&policy_set_add_card(&set, "7")->bays, "M.2 A,M.2 B,M.2 C,M.2 D");
	policy_set_add(&set, "carrier")->require_present = true;
	patterns_add_list(&set.policies[0].bays, "M.2 *,M.2 A,M.2 B,M.2 C,M.2 D");
	inventory_finish(&inv, &set, 2000);
	ck_assert_str_eq(bay(&inv, "srv1", "M.2 A")->drive.serial, "C");
	ck_assert_str_eq(bay(&inv, "srv1", "M.2 B")->drive.serial, "D");
	ck_assert_uint_eq(inv.n_hints, 1);
	ck_assert_str_eq(inv.hints[0].code, "bifurcation");
	policy_set_release(&set);
	inventory_release(&inv);
}
END_TEST

START_TEST(a_policy_may_name_any_target_that_sees_the_bay)
{
	struct inventory inv;
	struct policy_set set;
	struct policy *p;
	struct snapshot bmc = snap("r7725xd-01", TARGET_REDFISH, "srv1"), host = snap("local", TARGET_NVME, "srv1");

	inventory_init(&inv);
	policy_set_init(&set);
	p = policy_set_add(&set, "front");
	patterns_add(&p->targets, "r7725xd-*");
	patterns_add_list(&p->bays, "0-23");
	policy_expect_parse("gen5 x8", &p->expect);
	p->has_expect = true;
	drive_in(&bmc, "0", "S1", gen5x4);
	drive_in(&host, "7", "S1", gen5x4);
	take(&inv, &bmc);
	take(&inv, &host);
	inventory_finish(&inv, &set, 2000);
	ck_assert_str_eq(inv.bays[0].target, "local");
	ck_assert_str_eq(inv.bays[0].policy, "front");
	assert_verdict(&inv.bays[0], VERDICT_DRIVE_LIMITED);
	policy_set_release(&set);
	inventory_release(&inv);
}
END_TEST

START_TEST(a_dual_port_drive_is_one_bay_with_the_worst_of_its_links)
{
	struct inventory inv;
	struct snapshot s = snap("host", TARGET_NVME, "srv1");
	struct bay *b = drive_in(&s, "1", "S1", (struct pcie_rate){32000, 2});

	inventory_init(&inv);
	b->link.max = b->link.slot = (struct pcie_rate){32000, 2};
	b->drive.n_paths = 2;
	for (int i = 0; i < 2; i++) {
		snprintf(b->drive.paths[i].controller, sizeof b->drive.paths[i].controller, "nvme%d", i);
		b->drive.paths[i].link = pcie_link_ends(&b->link);
	}
	b->drive.paths[1].link.now = (struct pcie_rate){16000, 2};
	take(&inv, &s);
	finish(&inv);
	ck_assert_uint_eq(inv.n_bays, 1);
	assert_verdict(&inv.bays[0], VERDICT_DEGRADED_SPEED);
	ck_assert_int_eq(inv.bays[0].link.now.speed_mtps, 16000);
	ck_assert_int_eq(inv.bays[0].drive.paths[0].verdict, VERDICT_OK);
	ck_assert_int_eq(inv.bays[0].drive.paths[1].verdict, VERDICT_DEGRADED_SPEED);
	inventory_release(&inv);
}
END_TEST

START_TEST(wear_of_both_sources_is_compared_and_the_drives_own_page_counts)
{
	static const struct {
		double bmc, host;
		bool note;
		double shown;
	} rows[] = {
		{12, 12, false, 12},
		{12, 14, false, 14},
		{12, 15, true, 15},
		{95, 12, true, 12},
		{12, NAN, false, 12}, /* what one does not know is no contradiction */
		{NAN, 12, false, 12},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct inventory inv;
		struct snapshot bmc = snap("bmc", TARGET_REDFISH, "srv1"), host = snap("host", TARGET_NVME, "srv1");

		inventory_init(&inv);
		wear_set_used(&drive_in(&bmc, "0", "S1", gen5x4)->wear, rows[i].bmc);
		wear_set_used(&drive_in(&host, "0", "S1", gen5x4)->wear, rows[i].host);
		take(&inv, &bmc);
		take(&inv, &host);
		finish(&inv);
		ck_assert_double_eq(inv.bays[0].wear.percent_used, rows[i].shown);
		ck_assert_msg(!!note(&inv, "wear-sources-disagree") == rows[i].note, "row %zu", i);
		inventory_release(&inv);
	}
}
END_TEST

START_TEST(health_of_the_bmc_is_held_against_the_drives_own_page)
{
	static const struct {
		const char *bmc;
		int warning;
		bool note;
	} rows[] = {
		{"OK", 0, false},
		{"OK", CRITICAL_READ_ONLY, true},
		{"Critical", 0, true},
		{"Critical", CRITICAL_READ_ONLY, false},
		{"Warning", 0, false},
		{"OK", -1, false},
		{"Critical", -1, false},
		{"", CRITICAL_READ_ONLY, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct inventory inv;
		struct snapshot bmc = snap("bmc", TARGET_REDFISH, "srv1"), host = snap("host", TARGET_NVME, "srv1");
		struct bay *b = drive_in(&bmc, "0", "S1", gen5x4);

		inventory_init(&inv);
		str_copy(b->bmc_health, sizeof b->bmc_health, rows[i].bmc);
		b = drive_in(&host, "0", "S1", gen5x4);
		b->health.critical_warning = rows[i].warning;
		wear_set_used(&b->wear, 3);
		take(&inv, &bmc);
		take(&inv, &host);
		finish(&inv);
		ck_assert_msg(!!note(&inv, "bmc-health-contradicts-smart") == rows[i].note, "row %zu", i);
		inventory_release(&inv);
	}
}
END_TEST

START_TEST(the_exit_status_is_the_worst_of_all_bays_and_targets)
{
	static const struct {
		const char *what;
		struct pcie_rate now;
		bool partial, down;
		int status;
	} rows[] = {
		{"all well", {32000, 4}, false, false, 0},
		{"partial", {32000, 4}, true, false, 1},
		{"a second target down", {32000, 4}, false, true, 3},
		{"unknown link", {0, 0}, true, false, 3},
		{"degraded and a target down", {32000, 2}, true, true, 2},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct inventory inv;
		struct snapshot s = snap("a", TARGET_REDFISH, "srv1");

		inventory_init(&inv);
		drive_in(&s, "0", "S1", rows[i].now);
		s.target.partial = rows[i].partial;
		take(&inv, &s);
		s = snap("b", TARGET_REDFISH, "srv2");
		s.target.verdict = rows[i].down ? TARGET_UNREACHABLE : TARGET_OK;
		take(&inv, &s);
		finish(&inv);
		ck_assert_msg(inventory_verify_status(&inv) == rows[i].status, "%s: %d", rows[i].what,
			inventory_verify_status(&inv));
		inventory_release(&inv);
	}
}
END_TEST

START_TEST(the_exit_status_of_wear_goes_by_its_alerts)
{
	static const struct {
		double used;
		bool empty;
		int status;
	} rows[] = {{3, false, 0}, {85, false, 1}, {100, false, 2}, {NAN, false, 3}, {NAN, true, 0}};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct inventory inv;
		struct snapshot s = snap("a", TARGET_NVME, "srv1");

		inventory_init(&inv);
		if (rows[i].empty)
			empty_bay(&s, "0");
		else
			wear_set_used(&drive_in(&s, "0", "S1", gen5x4)->wear, rows[i].used);
		take(&inv, &s);
		finish(&inv);
		ck_assert_int_eq(inventory_wear_status(&inv), rows[i].status);
		inventory_release(&inv);
	}
}
END_TEST

START_TEST(evidence_may_be_added_to_the_joined_bays_before_they_are_judged)
{
	struct inventory inv;
	struct snapshot bmc = snap("bmc", TARGET_REDFISH, "srv1"), host = snap("host", TARGET_NVME, "srv1");
	struct bay *b;

	inventory_init(&inv);
	drive_in(&bmc, "0", "S1", (struct pcie_rate){0});
	b = drive_in(&host, "7", "S1", (struct pcie_rate){2500, 4});
	b->busy = TRI_NO;
	b->io_done = count_of(1000);
	take(&inv, &bmc);
	take(&inv, &host);
	inventory_join(&inv, NULL, 2000);
	ck_assert_uint_eq(inv.n_bays, 1);
	ck_assert_str_eq(inv.bays[0].bay, "0");
	ck_assert_uint_eq(inv.bays[0].io_done.lo, 1000);
	ck_assert(*inv.bays[0].drive.id);
	ck_assert_int_eq(inv.bays[0].judged.verdict, VERDICT_NONE);
	inv.bays[0].seen_fast_while_busy = true;
	inventory_judge(&inv, NULL);
	assert_verdict(&inv.bays[0], VERDICT_POWER_SAVING);
	finish(&inv); /* and without it */
	assert_verdict(&inv.bays[0], VERDICT_DEGRADED_SPEED);
	inventory_release(&inv);
}
END_TEST

START_TEST(a_forgotten_target_takes_its_bays_with_it)
{
	struct inventory inv;
	struct snapshot s;
	static const char *const names[] = {"b", "a", "c"};

	inventory_init(&inv);
	for (size_t i = 0; i < 3; i++) {
		s = snap(names[i], TARGET_REDFISH, names[i]);
		drive_in(&s, "0", names[i], gen5x4);
		hop_add_shared(snapshot_add_hop(&s, "0000:40:01.1"), "0");
		take(&inv, &s);
	}
	inventory_forget(&inv, "b");
	inventory_forget(&inv, "never heard of");
	finish(&inv);
	ck_assert_uint_eq(inv.n_targets, 2);
	ck_assert_uint_eq(inv.n_bays, 2);
	ck_assert_uint_eq(inv.n_hops, 2);
	ck_assert_str_eq(inv.bays[0].host, "a");
	ck_assert_str_eq(inv.bays[1].host, "c");
	inventory_release(&inv);
}
END_TEST

START_TEST(bays_that_rested_are_as_they_were_and_a_round_begins_from_there)
{
	struct inventory inv, later;
	struct snapshot s = snap("bmc", TARGET_REDFISH, "server"), other = snap("other", TARGET_REDFISH, "a");
	struct bay before[2], room;

	inventory_init(&inv);
	inventory_rest(&inv); /* nothing is there */
	ck_assert_uint_eq(inv.n_bays, 0);
	drive_in(&s, "0", "SN0", gen5x4);
	drive_in(&s, "1", "SN1", gen4x4);
	take(&inv, &s);
	finish(&inv);
	memcpy(before, inv.bays, sizeof before);
	ck_assert_ptr_eq(inventory_bay(&inv, 1, &room), &inv.bays[1]);
	for (int i = 0; i < 2; i++) {
		inventory_rest(&inv);
		ck_assert_ptr_null(inv.bays);
		ck_assert_uint_eq(inv.n_bays, 2);
		ck_assert_mem_eq(&before[1], inventory_bay(&inv, 1, &room), sizeof room);
		ck_assert_mem_eq(&before[0], inventory_bay(&inv, 0, &room), sizeof room);
	}
	/* another host tells something: this one rests on */
	drive_in(&other, "7", "SN7", gen5x4);
	take(&inv, &other);
	ck_assert(inventory_rests(&inv, "SERVER"));
	finish(&inv);
	ck_assert_uint_eq(inv.n_bays, 1);
	ck_assert_str_eq(inv.bays[0].bay, "7");
	inventory_rest(&inv);
	ck_assert_uint_eq(inv.n_bays, 3);
	ck_assert_mem_eq(&before[1], inventory_bay(&inv, 2, &room), sizeof room);
	inventory_touch_all(&inv);
	finish(&inv);
	ck_assert_uint_eq(inv.n_bays, 3);
	ck_assert_mem_eq(before, inv.bays + 1, sizeof before);
	inventory_init(&later);
	inventory_restore(&later, &inv);
	ck_assert_int_eq(later.collected_wall_ms, 2000);
	ck_assert_uint_eq(later.n_bays, 3);
	ck_assert_mem_eq(&before[0], inventory_bay(&later, 1, &room), sizeof room);
	ck_assert(!inventory_rests(&later, "server"));
	inventory_release(&later);
	inventory_release(&inv);
}
END_TEST

UNIT_MAIN("inventory", evidence_may_be_added_to_the_joined_bays_before_they_are_judged,
	a_forgotten_target_takes_its_bays_with_it, a_drive_seen_by_bmc_and_kernel_is_one_bay_named_by_the_bmc,
	the_views_stay_so_that_a_target_may_answer_anew,
	sources_that_disagree_are_both_shown_and_the_worse_link_counts,
	a_placeholder_of_one_source_is_filled_from_the_other_without_a_note,
	what_only_one_source_sees_is_kept_and_noted,
	nothing_is_missed_by_a_source_that_did_not_answer_wholly,
	one_serial_in_two_bays_of_a_target_names_neither,
	names_join_only_where_no_drive_shows_that_they_count_differently,
	a_bay_that_both_show_as_empty_is_one_bay,
	two_hosts_are_never_joined_and_bays_stand_in_natural_order,
	an_unreachable_target_keeps_what_it_said_last_as_stale,
	an_unreachable_target_invents_no_bays,
	with_the_host_off_drives_that_are_not_listed_were_not_pulled,
	a_bay_recalled_from_the_store_stands_until_its_target_answers,
	a_stale_view_gives_way_to_what_another_source_sees_now,
	expected_bays_that_nobody_lists_are_absent_where_the_policy_means_the_target,
	an_expected_bay_is_not_known_where_the_bmc_could_not_be_read_wholly,
	a_card_of_which_one_drive_is_visible_hints_at_bifurcation,
	drives_of_a_card_take_its_bays_in_the_order_of_their_addresses,
	a_bay_map_names_places_and_its_names_may_be_a_cards_slot,
	a_policy_may_name_any_target_that_sees_the_bay,
	a_dual_port_drive_is_one_bay_with_the_worst_of_its_links,
	wear_of_both_sources_is_compared_and_the_drives_own_page_counts,
	health_of_the_bmc_is_held_against_the_drives_own_page,
	the_exit_status_is_the_worst_of_all_bays_and_targets,
	the_exit_status_of_wear_goes_by_its_alerts,
	bays_that_rested_are_as_they_were_and_a_round_begins_from_there)
