/* SPDX-License-Identifier: MIT */
/* verdict: see verdict.h.  The rules stand in docs/VERDICTS.md and are tried in its order. */
#include "model/verdict.h"

#include "base/str.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What the judgement of a link needs, worked out once. */
struct comparison {
	const struct verdict_input *in;
	struct pcie_link link;	 /* after pcie_link_check() */
	struct pcie_rate could;	 /* min(drive, slot), over what is known */
	bool speed_short, width_short; /* below `could` */
};

static void say(struct judgement *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds to the sentence. */
static void say(struct judgement *j, const char *fmt, ...)
{
	size_t n = strlen(j->message);
	va_list args;

	va_start(args, fmt);
	vsnprintf(j->message + n, sizeof j->message - n, fmt, args);
	va_end(args);
}

static struct judgement judged(enum verdict v, enum limited_by by, enum reason why)
{
	return (struct judgement){.verdict = v, .limited_by = by, .reason = why};
}

/* ---- words for people ---- */

/* "32 GT/s x4", or the half of it that is known. */
static void say_rate(struct judgement *j, struct pcie_rate r)
{
	if (r.speed_mtps)
		say(j, "%s GT/s", pcie_speed_text(r.speed_mtps));
	if (r.speed_mtps && r.width_lanes)
		say(j, " ");
	if (r.width_lanes)
		say(j, "x%d", r.width_lanes);
}

static bool rate_known(struct pcie_rate r)
{
	return r.speed_mtps || r.width_lanes;
}

/* What is known of r, the rest from `other`. */
static struct pcie_rate filled(struct pcie_rate r, struct pcie_rate other)
{
	if (!r.speed_mtps)
		r.speed_mtps = other.speed_mtps;
	if (!r.width_lanes)
		r.width_lanes = other.width_lanes;
	return r;
}

static void say_gigabytes(struct judgement *j, double bytes)
{
	say(j, bytes < 0.995e9 ? "%.2f" : "%.1f", bytes / 1e9);
}

/* "7.9 of 15.8 GB/s", where both are known. */
static void say_bandwidth(struct judgement *j, struct pcie_rate now, struct pcie_rate wanted)
{
	double have = pcie_bandwidth(now), want = pcie_bandwidth(filled(wanted, now));

	if (have == 0 || want <= have)
		return;
	say(j, " (");
	say_gigabytes(j, have);
	say(j, " of ");
	say_gigabytes(j, want);
	say(j, " GB/s)");
}

/* "half", "a quarter of", "6 % of". */
static void say_share(struct judgement *j, double share)
{
	static const struct {
		double share;
		const char *text;
	} words[] = {{1.0 / 2, "half"}, {1.0 / 4, "a quarter of"}, {1.0 / 8, "an eighth of"},
		{1.0 / 16, "a sixteenth of"}};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (fabs(share - words[i].share) < words[i].share / 1000) {
			say(j, "%s", words[i].text);
			return;
		}
	}
	if (share < 0.01)
		say(j, "less than 1 %% of");
	else
		say(j, "%.0f %% of", share * 100);
}

static const char *who_could(const struct comparison *c)
{
	if (rate_known(c->link.max) && rate_known(c->link.slot))
		return "drive and slot do";
	return rate_known(c->link.max) ? "the drive does" : "the slot does";
}

/* How much of what could be is there; the half that is not known is taken out of the sum. */
static void say_loss(struct judgement *j, const struct comparison *c)
{
	struct pcie_rate now = c->link.now, could = filled(c->could, now);

	if (now.speed_mtps && now.width_lanes) {
		say_share(j, pcie_bandwidth(now) / pcie_bandwidth(could));
		say(j, " the bandwidth");
		say_bandwidth(j, now, could);
	} else if (c->speed_short) {
		now.width_lanes = could.width_lanes = 1;
		say_share(j, pcie_bandwidth(now) / pcie_bandwidth(could));
		say(j, " the bandwidth of each lane, the lanes are not known");
	} else {
		say_share(j, (double)now.width_lanes / could.width_lanes);
		say(j, " the lanes, the speed is not known");
	}
}

static void say_degraded(struct judgement *j, const struct comparison *c)
{
	say(j, "running at ");
	say_rate(j, c->link.now);
	say(j, " where %s ", who_could(c));
	say_rate(j, c->could);
	say(j, ": ");
	say_loss(j, c);
	if (c->width_short)
		say(j, "; reseat the drive, then check cable and backplane");
	else
		say(j, "; reseat or reset the drive to train the link again, then check cable and backplane");
}

static void say_power_saving(struct judgement *j, const struct comparison *c)
{
	say(j, "lowered to ");
	say_rate(j, c->link.now);
	say(j, c->in->link.power_saving_said ?
		" to save power, as the device itself says; " :
		" to save power: idle now, and seen at full speed while busy; ");
	say(j, "%s ", who_could(c));
	say_rate(j, c->could);
}

static void say_ok(struct judgement *j, const struct comparison *c)
{
	say(j, "running at ");
	say_rate(j, c->link.now);
	say(j, " (");
	say_gigabytes(j, pcie_bandwidth(c->link.now));
	say(j, " GB/s)");
	if (!rate_known(c->could))
		say(j, "; what drive and slot can do is not known");
	else if (rate_known(c->link.max) && rate_known(c->link.slot))
		say(j, ", all that drive and slot can do");
	else
		say(j, ", all that the %s can do", rate_known(c->link.max) ? "drive" : "slot");
}

/* The part of a rate that is of interest. */
static struct pcie_rate part(struct pcie_rate r, bool speed, bool width)
{
	return (struct pcie_rate){speed ? r.speed_mtps : 0, width ? r.width_lanes : 0};
}

static void say_policy(struct judgement *j, const struct comparison *c)
{
	struct pcie_rate now = c->link.now, policy = c->in->policy;
	bool speed = now.speed_mtps < policy.speed_mtps, width = now.width_lanes < policy.width_lanes;
	struct pcie_rate drive = part(c->link.max, speed, width);

	say(j, "running at ");
	say_rate(j, now);
	say(j, " where the policy asks for ");
	say_rate(j, policy);
	say_bandwidth(j, now, policy);
	if (j->limited_by == LIMITED_BY_DRIVE) {
		say(j, ": the drive can do no more than ");
		say_rate(j, drive);
		return;
	}
	if (j->limited_by == LIMITED_BY_SLOT) {
		say(j, ": the slot can do no more than ");
		say_rate(j, part(c->link.slot, speed, width));
	} else {
		say(j, ": what limits it is not known");
	}
	if (rate_known(drive)) {
		say(j, ", the drive does ");
		say_rate(j, drive);
	}
	say(j, "; use another slot, or lower the policy");
}

/* What is known of a link that cannot be judged. */
static void say_known(struct judgement *j, const struct pcie_link *l)
{
	const struct {
		const char *what;
		struct pcie_rate rate;
	} parts[] = {{"running at", l->now}, {"the drive does", l->max}, {"the slot does", l->slot}};
	const char *before = "; known is: ";

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (!rate_known(parts[i].rate))
			continue;
		say(j, "%s%s ", before, parts[i].what);
		say_rate(j, parts[i].rate);
		before = ", ";
	}
}

/* ---- the rules ---- */

static int lesser(int a, int b)
{
	return !a ? b : !b ? a : a < b ? a : b;
}

static struct comparison compare(const struct verdict_input *in)
{
	struct comparison c = {.in = in, .link = in->link};
	struct pcie_rate now;

	pcie_link_check(&c.link);
	now = c.link.now;
	c.could.speed_mtps = lesser(c.link.max.speed_mtps, c.link.slot.speed_mtps);
	c.could.width_lanes = lesser(c.link.max.width_lanes, c.link.slot.width_lanes);
	c.speed_short = now.speed_mtps && now.speed_mtps < c.could.speed_mtps;
	c.width_short = now.width_lanes && now.width_lanes < c.could.width_lanes;
	return c;
}

/* Rules 1 and 2, and drives without a link of their own: true if there is no link to judge. */
static bool judge_place(const struct verdict_input *in, struct judgement *j)
{
	enum reason why = in->reason;

	if (!in->reachable) {
		*j = judged(VERDICT_UNREACHABLE, LIMITED_BY_NONE, why);
		say(j, "the source could not be read: %s; the last known values stay",
			why ? reason_text(why) : "it did not answer");
	} else if (!in->present && (in->host_off || in->presence_unknown)) {
		if (!why)
			why = in->host_off ? REASON_HOST_OFF : REASON_NOT_REPORTED;
		*j = judged(VERDICT_UNKNOWN, LIMITED_BY_NONE, why);
		say(j, "whether a drive is here is not known: %s", reason_text(why));
	} else if (!in->present) {
		*j = judged(VERDICT_ABSENT, LIMITED_BY_NONE, REASON_NONE);
		say(j, in->was_present ? "no drive in this bay, where one was before" :
					 "no drive in this bay");
	} else if (!in->pcie) {
		*j = judged(VERDICT_NOT_APPLICABLE, LIMITED_BY_NONE, REASON_NONE);
		say(j, "the drive has no PCIe link of its own; listed, not judged");
	} else {
		return false;
	}
	return true;
}

/* Rule 5: lanes complete, and evidence; being idle alone is none. */
static bool saves_power(const struct comparison *c)
{
	const struct verdict_input *in = c->in;

	if (!c->speed_short || c->width_short || !c->link.now.width_lanes)
		return false;
	return in->link.power_saving_said || (in->seen_fast_while_busy && in->busy == TRI_NO);
}

/* Rule 6. */
static struct judgement judge_degraded(const struct comparison *c)
{
	struct judgement j = judged(VERDICT_DEGRADED_BOTH, LIMITED_BY_LINK, REASON_NONE);

	if (!c->width_short)
		j.verdict = VERDICT_DEGRADED_SPEED;
	else if (!c->speed_short)
		j.verdict = VERDICT_DEGRADED_WIDTH;
	say_degraded(&j, c);
	return j;
}

/* Rule 7. */
static struct judgement judge_unknown(const struct comparison *c)
{
	enum reason why = c->link.doubt ? c->link.doubt : c->in->reason;
	struct judgement j;

	if (!why)
		why = c->in->host_off ? REASON_HOST_OFF : REASON_NOT_REPORTED;
	j = judged(VERDICT_UNKNOWN, LIMITED_BY_NONE, why);
	if (rate_known(c->link.now))
		say(&j, "the %s not known: %s",
			c->link.now.speed_mtps ? "lanes of the link are" : "speed of the link is",
			reason_text(why));
	else
		say(&j, "speed and lanes of the link are not known: %s", reason_text(why));
	say_known(&j, &c->link);
	return j;
}

/* What an end of the link can do is known, and no more than what runs now. */
static bool at_limit(int now, int limit)
{
	return limit && limit <= now;
}

/* Rule 8, on a link that runs as fast as it can. */
static struct judgement judge_policy(const struct comparison *c)
{
	const struct pcie_rate now = c->link.now, max = c->link.max, slot = c->link.slot;
	const struct pcie_rate policy = c->in->policy;
	bool speed = now.speed_mtps < policy.speed_mtps, width = now.width_lanes < policy.width_lanes;
	bool speed_drive = at_limit(now.speed_mtps, max.speed_mtps);
	bool width_drive = at_limit(now.width_lanes, max.width_lanes);
	bool speed_slot = speed_drive || at_limit(now.speed_mtps, slot.speed_mtps);
	bool width_slot = width_drive || at_limit(now.width_lanes, slot.width_lanes);
	struct judgement j;

	if (!speed && !width) {
		j = judged(VERDICT_OK, LIMITED_BY_NONE, REASON_NONE);
		say_ok(&j, c);
		return j;
	}
	if ((!speed || speed_drive) && (!width || width_drive))
		j = judged(VERDICT_DRIVE_LIMITED, LIMITED_BY_DRIVE, REASON_NONE);
	else if ((!speed || speed_slot) && (!width || width_slot))
		j = judged(VERDICT_BELOW_POLICY, LIMITED_BY_SLOT, REASON_NONE);
	else
		j = judged(VERDICT_BELOW_POLICY, LIMITED_BY_NONE, REASON_NONE);
	say_policy(&j, c);
	return j;
}

struct judgement verdict_reach(const struct verdict_input *in)
{
	struct comparison c;
	struct judgement j;

	if (judge_place(in, &j))
		return j;
	c = compare(in);
	if (saves_power(&c)) {
		j = judged(VERDICT_POWER_SAVING, LIMITED_BY_POWER, REASON_NONE);
		say_power_saving(&j, &c);
		return j;
	}
	if (c.speed_short || c.width_short)
		return judge_degraded(&c);
	if (!c.link.now.speed_mtps || !c.link.now.width_lanes)
		return judge_unknown(&c);
	return judge_policy(&c);
}

/* ---- code words ---- */

const char *verdict_word(enum verdict v)
{
	switch (v) {
	case VERDICT_NONE:
		return NULL;
	case VERDICT_OK:
		return "ok";
	case VERDICT_DEGRADED_SPEED:
		return "degraded-speed";
	case VERDICT_DEGRADED_WIDTH:
		return "degraded-width";
	case VERDICT_DEGRADED_BOTH:
		return "degraded-both";
	case VERDICT_BELOW_POLICY:
		return "below-policy";
	case VERDICT_DRIVE_LIMITED:
		return "drive-limited";
	case VERDICT_POWER_SAVING:
		return "power-saving";
	case VERDICT_UNKNOWN:
		return "unknown";
	case VERDICT_ABSENT:
		return "absent";
	case VERDICT_UNREACHABLE:
		return "unreachable";
	case VERDICT_NOT_APPLICABLE:
		return "not-applicable";
	}
	return NULL;
}

enum verdict verdict_of(const char *word)
{
	for (int v = VERDICT_NONE + 1; word && v <= VERDICT_NOT_APPLICABLE; v++)
		if (str_same(word, verdict_word(v)))
			return v;
	return VERDICT_NONE;
}

const char *limited_by_word(enum limited_by l)
{
	switch (l) {
	case LIMITED_BY_NONE:
		return NULL;
	case LIMITED_BY_LINK:
		return "link";
	case LIMITED_BY_SLOT:
		return "slot";
	case LIMITED_BY_DRIVE:
		return "drive";
	case LIMITED_BY_POWER:
		return "power";
	}
	return NULL;
}

enum limited_by limited_by_of(const char *word)
{
	for (int l = LIMITED_BY_NONE + 1; word && l <= LIMITED_BY_POWER; l++)
		if (str_same(word, limited_by_word(l)))
			return l;
	return LIMITED_BY_NONE;
}

bool verdict_degraded(enum verdict v)
{
	return v == VERDICT_DEGRADED_SPEED || v == VERDICT_DEGRADED_WIDTH || v == VERDICT_DEGRADED_BOTH;
}

int verdict_badness(enum verdict v)
{
	switch (v) {
	case VERDICT_NONE:
		return -1;
	case VERDICT_OK:
		return 0;
	case VERDICT_NOT_APPLICABLE:
		return 1;
	case VERDICT_ABSENT:
		return 2;
	case VERDICT_POWER_SAVING:
		return 3;
	case VERDICT_DRIVE_LIMITED:
		return 4;
	case VERDICT_BELOW_POLICY:
		return 5;
	case VERDICT_UNKNOWN:
		return 6;
	case VERDICT_UNREACHABLE:
		return 7;
	case VERDICT_DEGRADED_SPEED:
		return 8;
	case VERDICT_DEGRADED_WIDTH:
		return 9;
	case VERDICT_DEGRADED_BOTH:
		return 10;
	}
	return -1;
}
