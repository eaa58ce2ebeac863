/* SPDX-License-Identifier: MIT */
/*
 * Verdicts: known situations by table, then every combination of what may be known of now,
 * drive and slot, under policies and evidence, against what must hold whatever the values.
 */
#include "model/verdict.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

static struct verdict_input present_drive(void)
{
	return (struct verdict_input){
		.reachable = true, .present = true, .pcie = true, .link = pcie_link_unknown()};
}

struct row {
	const char *title;
	struct pcie_rate now, max, slot, policy;
	enum verdict verdict;
	enum limited_by by;
	const char *says; /* part of the message */
};

#define G1 2500
#define G2 5000
#define G3 8000
#define G4 16000
#define G5 32000
#define NONE {0, 0}

static const struct row rows[] = {
	{"healthy bay", {G5, 4}, {G5, 4}, {G5, 4}, {G5, 4}, VERDICT_OK, LIMITED_BY_NONE,
		"running at 32 GT/s x4 (15.8 GB/s), all that drive and slot can do"},
	{"half of the lanes", {G5, 2}, {G5, 4}, {G5, 4}, {G5, 4}, VERDICT_DEGRADED_WIDTH, LIMITED_BY_LINK,
		"running at 32 GT/s x2 where drive and slot do 32 GT/s x4: half the bandwidth (7.9 of 15.8 GB/s)"},
	{"Gen1 after hot insert", {G1, 4}, {G5, 4}, {G5, 4}, {G5, 4}, VERDICT_DEGRADED_SPEED, LIMITED_BY_LINK,
		"6 % of the bandwidth (1.0 of 15.8 GB/s)"},
	{"both", {G4, 2}, {G5, 4}, {G5, 4}, {G5, 4}, VERDICT_DEGRADED_BOTH, LIMITED_BY_LINK,
		"a quarter of the bandwidth (3.9 of 15.8 GB/s)"},
	{"slot is the limit", {G2, 1}, {G3, 4}, {G2, 1}, {G5, 4}, VERDICT_BELOW_POLICY, LIMITED_BY_SLOT,
		"the slot can do no more than 5 GT/s x1, the drive does 8 GT/s x4"},
	{"slot is the limit, policy fits", {G2, 1}, {G3, 4}, {G2, 1}, {G2, 1}, VERDICT_OK, LIMITED_BY_NONE, "0.50 GB/s"},
	{"Gen4 drive in Gen5 bay", {G4, 4}, {G4, 4}, {G5, 4}, {G5, 4}, VERDICT_DRIVE_LIMITED, LIMITED_BY_DRIVE,
		"the drive can do no more than 16 GT/s"},
	{"Gen4 drive below itself", {G3, 4}, {G4, 4}, {G5, 4}, {G5, 4}, VERDICT_DEGRADED_SPEED, LIMITED_BY_LINK,
		"half the bandwidth (3.9 of 7.9 GB/s)"},
	{"x2 by design", {G3, 2}, {G3, 2}, {G4, 4}, {G3, 4}, VERDICT_DRIVE_LIMITED, LIMITED_BY_DRIVE,
		"the drive can do no more than x2"},
	{"only the drive known", {G5, 2}, {G5, 4}, NONE, {G5, 4}, VERDICT_DEGRADED_WIDTH, LIMITED_BY_LINK,
		"where the drive does 32 GT/s x4"},
	{"only the slot known", {G4, 4}, NONE, {G5, 4}, NONE, VERDICT_DEGRADED_SPEED, LIMITED_BY_LINK,
		"where the slot does 32 GT/s x4"},
	{"Gen4 slot under a Gen5 drive", {G4, 4}, {G5, 4}, {G4, 4}, {G5, 4}, VERDICT_BELOW_POLICY, LIMITED_BY_SLOT,
		"(7.9 of 15.8 GB/s): the slot can do no more than 16 GT/s, the drive does 32 GT/s"},
	{"x16 slot", {G5, 4}, {G5, 4}, {G5, 16}, {G5, 4}, VERDICT_OK, LIMITED_BY_NONE, ""},
	{"lanes not known", {G5, 0}, {G5, 0}, NONE, {G5, 4}, VERDICT_UNKNOWN, LIMITED_BY_NONE,
		"the lanes of the link are not known: the source does not report it; known is: running at 32 GT/s, the drive does 32 GT/s"},
	{"lanes not known, speed low", {G1, 0}, {G5, 4}, {G5, 4}, NONE, VERDICT_DEGRADED_SPEED, LIMITED_BY_LINK,
		"6 % of the bandwidth of each lane, the lanes are not known"},
	{"speed not known, lanes short", {0, 2}, {G5, 4}, NONE, NONE, VERDICT_DEGRADED_WIDTH, LIMITED_BY_LINK,
		"half the lanes, the speed is not known"},
	{"nothing known", NONE, NONE, NONE, {G5, 4}, VERDICT_UNKNOWN, LIMITED_BY_NONE, "speed and lanes of the link are not known"},
	{"ends not known, below policy", {G4, 4}, NONE, NONE, {G5, 4}, VERDICT_BELOW_POLICY, LIMITED_BY_NONE,
		"what limits it is not known"},
	{"ends not known, no policy", {G4, 4}, NONE, NONE, NONE, VERDICT_OK, LIMITED_BY_NONE,
		"what drive and slot can do is not known"},
	{"one dimension by the drive, the other by the slot", {G4, 2}, {G4, 4}, {G5, 2}, {G5, 4},
		VERDICT_BELOW_POLICY, LIMITED_BY_SLOT, "the slot can do no more than 32 GT/s x2, the drive does 16 GT/s x4"},
	{"and the other way round", {G4, 2}, {G5, 2}, {G4, 4}, {G5, 4},
		VERDICT_BELOW_POLICY, LIMITED_BY_SLOT, "the slot can do no more than 16 GT/s x4, the drive does 32 GT/s x2"},
	{"policy asks for less", {G5, 2}, {G5, 4}, {G5, 4}, {G5, 2}, VERDICT_DEGRADED_WIDTH, LIMITED_BY_LINK, "half"},
	{"policy asks for lanes only", {G4, 4}, {G4, 4}, {G4, 4}, {0, 4}, VERDICT_OK, LIMITED_BY_NONE, ""},
	{"above its own maximum", {G5, 4}, {G4, 4}, {G5, 4}, {G5, 4}, VERDICT_UNKNOWN, LIMITED_BY_NONE, "contradict"},
	{"more lanes than the slot has", {G5, 8}, {G5, 8}, {G5, 4}, {G5, 4}, VERDICT_UNKNOWN, LIMITED_BY_NONE, "contradict"},
	{"width 63", {G5, 63}, {G5, 4}, {G5, 4}, {G5, 4}, VERDICT_UNKNOWN, LIMITED_BY_NONE, "placeholder"},
	{"width 255 as maximum", {G5, 4}, {G5, 255}, NONE, NONE, VERDICT_OK, LIMITED_BY_NONE, "what drive and slot can do is not known"},
	{"no such speed", {12345, 4}, {G5, 4}, {G5, 4}, {G5, 4}, VERDICT_UNKNOWN, LIMITED_BY_NONE, "placeholder"},
};

START_TEST(each_known_situation_has_its_verdict_limit_and_sentence)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct row *r = &rows[i];
		struct verdict_input in = present_drive();
		struct judgement j;

		in.link.now = r->now;
		in.link.max = r->max;
		in.link.slot = r->slot;
		in.policy = r->policy;
		j = verdict_reach(&in);
		ck_assert_msg(j.verdict == r->verdict, "%s: %s", r->title, verdict_word(j.verdict));
		ck_assert_msg(j.limited_by == r->by, "%s: %s", r->title, j.message);
		ck_assert_msg(strstr(j.message, r->says) != NULL, "%s: %s", r->title, j.message);
	}
}
END_TEST

START_TEST(a_place_comes_before_its_link)
{
	struct verdict_input in = present_drive();
	struct judgement j;

	in.link.now = in.link.max = (struct pcie_rate){G5, 4};
	in.pcie = false;
	ck_assert_int_eq(verdict_reach(&in).verdict, VERDICT_NOT_APPLICABLE);
	in.present = false;
	in.was_present = true;
	j = verdict_reach(&in);
	ck_assert_int_eq(j.verdict, VERDICT_ABSENT);
	ck_assert_str_eq(j.message, "no drive in this bay, where one was before");
	in.host_off = true;
	j = verdict_reach(&in);
	ck_assert_int_eq(j.verdict, VERDICT_UNKNOWN);
	ck_assert_int_eq(j.reason, REASON_HOST_OFF);
	in.host_off = false;
	in.presence_unknown = true;
	j = verdict_reach(&in);
	ck_assert_int_eq(j.verdict, VERDICT_UNKNOWN);
	ck_assert_int_eq(j.reason, REASON_NOT_REPORTED);
	in.reachable = false;
	in.reason = REASON_AUTH_FAILED;
	j = verdict_reach(&in);
	ck_assert_int_eq(j.verdict, VERDICT_UNREACHABLE);
	ck_assert_int_eq(j.reason, REASON_AUTH_FAILED);
	ck_assert_str_eq(j.message,
		"the source could not be read: the login was refused; the last known values stay");
}
END_TEST

START_TEST(low_speed_is_power_saving_only_with_evidence_and_all_lanes)
{
	static const struct {
		bool said, seen_fast;
		enum tri busy;
		int lanes;
		enum verdict verdict;
	} cases[] = {
		{true, false, TRI_UNKNOWN, 4, VERDICT_POWER_SAVING},
		{false, true, TRI_NO, 4, VERDICT_POWER_SAVING},
		{false, true, TRI_YES, 4, VERDICT_DEGRADED_SPEED},
		{false, true, TRI_UNKNOWN, 4, VERDICT_DEGRADED_SPEED},
		{false, false, TRI_NO, 4, VERDICT_DEGRADED_SPEED},
		{true, true, TRI_NO, 2, VERDICT_DEGRADED_BOTH},
		{true, true, TRI_NO, 0, VERDICT_DEGRADED_SPEED},
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct verdict_input in = present_drive();

		in.link.now = (struct pcie_rate){G1, cases[i].lanes};
		in.link.max = in.link.slot = in.policy = (struct pcie_rate){G4, 4};
		in.link.power_saving_said = cases[i].said;
		in.seen_fast_while_busy = cases[i].seen_fast;
		in.busy = cases[i].busy;
		ck_assert_msg(verdict_reach(&in).verdict == cases[i].verdict, "row %zu: %s", i,
			verdict_reach(&in).message);
	}
}
END_TEST

/* ---- every combination ---- */

static bool below(int now, int max, int slot)
{
	return now && ((max && now < max) || (slot && now < slot)) &&
	       (!max || !slot || now < (max < slot ? max : slot));
}

static bool above(int now, int limit)
{
	return limit && now > limit;
}

static void check_invariants(const struct verdict_input *in, const char *at)
{
	const struct pcie_link *l = &in->link;
	const struct judgement j = verdict_reach(in);
	bool void_now = above(l->now.speed_mtps, l->max.speed_mtps) || above(l->now.speed_mtps, l->slot.speed_mtps) ||
			above(l->now.width_lanes, l->max.width_lanes) || above(l->now.width_lanes, l->slot.width_lanes);
	bool slow = below(l->now.speed_mtps, l->max.speed_mtps, l->slot.speed_mtps);
	bool narrow = below(l->now.width_lanes, l->max.width_lanes, l->slot.width_lanes);
	bool all_known = l->now.speed_mtps && l->now.width_lanes;
	bool evidence = l->power_saving_said || (in->seen_fast_while_busy && in->busy == TRI_NO);
	bool saving = evidence && slow && !narrow && l->now.width_lanes;
	bool meets = l->now.speed_mtps >= in->policy.speed_mtps && l->now.width_lanes >= in->policy.width_lanes;

	ck_assert_msg(*j.message && strlen(j.message) < sizeof j.message - 1, "%s: %s", at, j.message);
	ck_assert_msg(!strstr(j.message, "x0") && !strstr(j.message, "?") && !strstr(j.message, "  ") &&
			      !strstr(j.message, "nan") && !strstr(j.message, "(null)"), "%s: %s", at, j.message);
	ck_assert_msg((j.verdict == VERDICT_UNKNOWN) == (j.reason != REASON_NONE), "%s: a reason is for what is not known", at);
	ck_assert_msg(verdict_degraded(j.verdict) == (j.limited_by == LIMITED_BY_LINK), "%s: link", at);
	ck_assert_msg((j.verdict == VERDICT_POWER_SAVING) == (j.limited_by == LIMITED_BY_POWER), "%s: power", at);
	ck_assert_msg((j.verdict == VERDICT_DRIVE_LIMITED) == (j.limited_by == LIMITED_BY_DRIVE), "%s: drive", at);
	ck_assert_msg(j.limited_by != LIMITED_BY_SLOT || j.verdict == VERDICT_BELOW_POLICY, "%s: slot", at);

	if (void_now) {
		ck_assert_msg(j.verdict == VERDICT_UNKNOWN && j.reason == REASON_CONTRADICTORY, "%s: contradictory", at);
	} else if (saving) {
		ck_assert_msg(j.verdict == VERDICT_POWER_SAVING, "%s: saves power", at);
	} else if (slow || narrow) {
		ck_assert_msg(j.verdict == (slow && narrow ? VERDICT_DEGRADED_BOTH : slow ? VERDICT_DEGRADED_SPEED : VERDICT_DEGRADED_WIDTH),
			"%s: degraded, got %s", at, verdict_word(j.verdict));
	} else if (!all_known) {
		ck_assert_msg(j.verdict == VERDICT_UNKNOWN, "%s: never ok while unknown", at);
	} else {
		ck_assert_msg((j.verdict == VERDICT_OK) == meets, "%s: ok is what the policy asks", at);
		ck_assert_msg(meets || j.verdict == VERDICT_DRIVE_LIMITED || j.verdict == VERDICT_BELOW_POLICY, "%s: short", at);
	}
	if (j.verdict == VERDICT_DRIVE_LIMITED) {
		ck_assert_msg(l->now.speed_mtps >= in->policy.speed_mtps || l->max.speed_mtps == l->now.speed_mtps, "%s: speed by the drive", at);
		ck_assert_msg(l->now.width_lanes >= in->policy.width_lanes || l->max.width_lanes == l->now.width_lanes, "%s: lanes by the drive", at);
	}
}

/* A policy only ever chooses between ok, drive-limited and below-policy. */
static void check_policy_is_mild(struct verdict_input in, const char *at)
{
	enum verdict with = verdict_reach(&in).verdict, without;

	in.policy = (struct pcie_rate){0};
	without = verdict_reach(&in).verdict;
	if (without == VERDICT_OK)
		ck_assert_msg(!verdict_degraded(with) && with != VERDICT_UNKNOWN, "%s: made worse", at);
	else
		ck_assert_msg(with == without, "%s: policy changes %s", at, verdict_word(without));
}

static const int speeds[] = {0, G1, G4, G5}, widths[] = {0, 1, 2, 4};

static struct pcie_rate nth_rate(int n)
{
	return (struct pcie_rate){speeds[n / 4], widths[n % 4]};
}

static void with_evidence(struct verdict_input *in, int n)
{
	in->link.power_saving_said = n == 1;
	in->seen_fast_while_busy = n == 2 || n == 3;
	in->busy = n == 2 || n == 4 ? TRI_NO : n == 3 ? TRI_YES : TRI_UNKNOWN;
}

START_TEST(every_combination_keeps_the_rules)
{
	static const struct pcie_rate policies[] = {NONE, {G5, 4}, {G4, 2}, {G5, 0}, {0, 4}, {G1, 1}};
	struct verdict_input in = present_drive();
	char at[64];

	for (int n = 0; n < 16 * 16 * 16; n += is_valgrind() ? 41 : 1) {
		in.link.now = nth_rate(n / 256);
		in.link.max = nth_rate(n / 16 % 16);
		in.link.slot = nth_rate(n % 16);
		for (int p = 0; p < 6; p++) {
			in.policy = policies[p];
			for (int e = 0; e < 5; e++) {
				with_evidence(&in, e);
				snprintf(at, sizeof at, "now %d max %d slot %d policy %d evidence %d",
					n / 256, n / 16 % 16, n % 16, p, e);
				check_invariants(&in, at);
				check_policy_is_mild(in, at);
			}
		}
	}
}
END_TEST

START_TEST(the_reason_of_the_source_is_kept)
{
	struct verdict_input in = present_drive();

	in.reason = REASON_TIMEOUT;
	ck_assert_int_eq(verdict_reach(&in).reason, REASON_TIMEOUT);
	in.link.doubt = REASON_PLACEHOLDER; /* of this link, so nearer than that of its source */
	ck_assert_int_eq(verdict_reach(&in).reason, REASON_PLACEHOLDER);
	in.reason = REASON_NONE;
	in.link.doubt = REASON_NONE;
	ck_assert_int_eq(verdict_reach(&in).reason, REASON_NOT_REPORTED);
	in.host_off = true;
	ck_assert_int_eq(verdict_reach(&in).reason, REASON_HOST_OFF);
}
END_TEST

START_TEST(words_go_there_and_back)
{
	for (int v = VERDICT_OK; v <= VERDICT_NOT_APPLICABLE; v++)
		ck_assert_int_eq(verdict_of(verdict_word(v)), v);
	for (int l = LIMITED_BY_LINK; l <= LIMITED_BY_POWER; l++)
		ck_assert_int_eq(limited_by_of(limited_by_word(l)), l);
	for (int r = REASON_HOST_OFF; r <= REASON_NOT_LICENSED; r++) {
		ck_assert_int_eq(reason_of(reason_word(r)), r);
		ck_assert_ptr_nonnull(reason_text(r));
	}
	ck_assert_ptr_null(verdict_word(VERDICT_NONE));
	ck_assert_int_eq(verdict_of("fine"), VERDICT_NONE);
	ck_assert_int_eq(verdict_of(NULL), VERDICT_NONE);
	ck_assert_int_eq(reason_of("because"), REASON_NONE);
}
END_TEST

START_TEST(a_degraded_link_is_the_worst_and_ok_the_best)
{
	for (int v = VERDICT_OK; v <= VERDICT_NOT_APPLICABLE; v++) {
		ck_assert_int_ge(verdict_badness(v), verdict_badness(VERDICT_OK));
		ck_assert_int_le(verdict_badness(v), verdict_badness(VERDICT_DEGRADED_BOTH));
		if (!verdict_degraded(v))
			ck_assert_int_lt(verdict_badness(v), verdict_badness(VERDICT_DEGRADED_SPEED));
	}
	ck_assert_int_lt(verdict_badness(VERDICT_NONE), verdict_badness(VERDICT_OK));
	ck_assert_int_gt(verdict_badness(VERDICT_UNKNOWN), verdict_badness(VERDICT_BELOW_POLICY));
}
END_TEST

UNIT_MAIN("verdict", each_known_situation_has_its_verdict_limit_and_sentence,
	a_place_comes_before_its_link, low_speed_is_power_saving_only_with_evidence_and_all_lanes,
	every_combination_keeps_the_rules, the_reason_of_the_source_is_kept, words_go_there_and_back,
	a_degraded_link_is_the_worst_and_ok_the_best)
