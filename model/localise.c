/* SPDX-License-Identifier: MIT */
/* localise: see localise.h. */
#include "model/localise.h"

#include "base/str.h"

#include <stdio.h>

#define KEPT_MS (LOCALISE_DAYS * INT64_C(24) * 60 * 60 * 1000)

/* The verdict is of this round, for what is remembered may be of one before. */
static enum verdict verdict_now(const struct inventory *now, const struct drive_past *p)
{
	for (size_t i = 0; i < now->n_bays; i++) {
		const struct bay *b = &now->bays[i];

		if (str_same(b->bay, p->bay) && str_same(b->host, p->host))
			return b->stale || !bay_holds_drive(b) ? VERDICT_UNKNOWN
							       : b->judged.verdict;
	}
	return VERDICT_UNKNOWN;
}

static bool is_well(enum verdict v)
{
	return v == VERDICT_OK || v == VERDICT_DRIVE_LIMITED || v == VERDICT_POWER_SAVING;
}

static struct remark *add_hint(
	struct inventory *now, const char *code, const struct drive_past *p)
{
	struct remark *r = inventory_add_hint(now, code, p->host, p->target);

	str_copy(r->bay, sizeof r->bay, p->came_from);
	str_copy(r->serial, sizeof r->serial, p->serial);
	remark_add_bay(r, p->came_from);
	return r;
}

static void judge_move(
	struct history *h, struct inventory *now, const struct drive_past *p)
{
	const struct drive_past *other = history_at(h, p->host, p->came_from);
	enum verdict here = verdict_now(now, p),
		     there = other ? verdict_now(now, other) : VERDICT_NONE;
	struct remark *r;

	if (verdict_degraded(here) && !verdict_degraded(there)) {
		r = add_hint(now, "follows-drive", p);
		remark_add_bay(r, p->bay);
		snprintf(r->message, sizeof r->message,
			"drive %.40s was %s in bay %.40s and is %s in bay %.40s%s: the "
			"fault follows the drive",
			p->serial, verdict_word(p->came_verdict), p->came_from,
			verdict_word(here), p->bay,
			is_well(there) ? ", while the old bay is well with another" : "");
	} else if (is_well(here) && verdict_degraded(there)) {
		r = add_hint(now, "stays-with-bay", p);
		snprintf(r->message, sizeof r->message,
			"drive %.40s was %s in bay %.40s and is well in bay %.40s, drive "
			"%.40s is now %s in bay %.40s: "
			"the fault stays with the bay",
			p->serial, verdict_word(p->came_verdict), p->came_from, p->bay,
			other->serial, verdict_word(there), p->came_from);
	}
}

void localise_faults(struct history *h, struct inventory *now)
{
	for (size_t i = 0; i < h->n_drives; i++) {
		const struct drive_past *p = &h->drives[i];

		if (p->here && p->came_at_ms >= 0 && !inventory_rests(now, p->host) &&
			h->steady_ms - p->came_at_ms <= KEPT_MS &&
			verdict_degraded(p->came_verdict))
			judge_move(h, now, p);
	}
}
