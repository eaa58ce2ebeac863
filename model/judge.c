/* SPDX-License-Identifier: MIT */
/*
 * judge: inventory_judge (inventory.h): which policy holds for which joined bay, what its wear
 * means, and its verdict with all that speaks for it.  Pure; notes and hints are remark.c's.
 */
#include "base/str.h"
#include "model/inventory.h"
#include "model/pool_hint.h"
#include "model/remark.h"
#include "model/rule.h"

#include <math.h>
#include <string.h>

/* ---- policies ---- */

static int rank_of(const struct policy *p)
{
	return p ? 1 + (p->targets.n > 0) + 2 * (p->bays.n > 0) : 0;
}

/* A policy may name any of the targets that see the bay; the most specific one wins. */
static const struct policy *policy_for(const struct policy_set *set, const struct bay *b)
{
	const struct policy *won = policy_find(set, b->target, b->bay);

	for (size_t i = 0; i < b->drive.n_sources; i++) {
		const struct policy *p = policy_find(set, b->drive.sources[i], b->bay);

		if (rank_of(p) > rank_of(won) || (rank_of(p) == rank_of(won) && p > won))
			won = p;
	}
	return won;
}

static void put_policy(struct bay *b, const struct policy_set *set)
{
	const struct policy *p = policy_for(set, b);

	b->has_policy = p != NULL;
	b->require_present = p && p->require_present;
	b->expected = b->expected || (p && p->bays.n > 0);
	b->policy_rate = p && p->has_expect ? p->expect : (struct pcie_rate){0};
	str_copy(b->policy, sizeof b->policy, p ? p->name : "");
}

static void put_rating(struct bay *b, const struct policy_set *set)
{
	const struct policy_drive_model *m = b->has_drive ? policy_model_find(set, b->drive.model) : NULL;

	if (m && !isnan(m->rated_tbw))
		b->wear.rated_tbw = m->rated_tbw;
	if (m && !isnan(m->rated_dwpd))
		b->wear.rated_dwpd = m->rated_dwpd;
	b->rated = m ? (struct ceiling){m->rated_read_bps, m->rated_write_bps} : ceiling_unknown();
}

/* ---- verdicts ---- */

static bool host_off(const struct inventory *inv, const char *host)
{
	for (size_t i = 0; i < inv->n_targets; i++)
		if (inv->targets[i].power == TRI_NO && str_same_nocase(inv->targets[i].host, host))
			return true;
	return false;
}

/* The target that speaks for a bay: one of its sources that answered, else its own. */
static const struct target *speaker(const struct inventory *inv, const struct bay *b)
{
	const struct target *own = inventory_target(inv, b->target);

	for (size_t i = 0; i < b->drive.n_sources && (!own || own->verdict != TARGET_OK); i++) {
		const struct target *t = inventory_target(inv, b->drive.sources[i]);

		if (t && t->verdict == TARGET_OK)
			return t;
	}
	return own;
}

static struct verdict_input input_of(const struct inventory *inv, const struct bay *b, bool off)
{
	const struct target *t = speaker(inv, b);
	struct verdict_input in = {
		.reachable = t && (t->verdict == TARGET_OK || !b->stale),
		.host_off = off,
		.was_present = b->stale && b->has_drive,
		.pcie = b->pcie,
		.reason = b->link.doubt,
		.link = b->link,
		.policy = b->policy_rate,
		.busy = b->busy,
		.seen_fast_while_busy = b->seen_fast_while_busy,
	};

	if (!in.reachable)
		in.reason = t ? t->reason : REASON_NONE;
	in.present = b->present == TRI_YES;
	in.presence_unknown = b->present == TRI_UNKNOWN;
	return in;
}

static bool rates_equal(struct pcie_rate a, struct pcie_rate b)
{
	return a.speed_mtps == b.speed_mtps && a.width_lanes == b.width_lanes;
}

/* The bay's link becomes that of another port: its rates, and nothing that told of the first. */
static void take_port(struct bay *b, const struct pcie_ends *port)
{
	struct pcie_link l = pcie_link_of_ends(port);

	if (rates_equal(l.now, b->link.now) && rates_equal(l.max, b->link.max) && rates_equal(l.slot, b->link.slot))
		return;
	l.changes = b->link.changes;
	b->link = l;
}

/* Each port of a dual-port drive is judged, and the worst one is the bay's. */
static struct judgement judge_paths(struct bay *b, const struct verdict_input *in)
{
	struct judgement worst = verdict_reach(in);
	const struct pcie_ends *port = NULL;

	for (size_t i = 0; i < b->drive.n_paths; i++) {
		struct drive_path *p = &b->drive.paths[i];
		struct verdict_input of_path = *in;
		struct judgement j;

		of_path.link = pcie_link_of_ends(&p->link);
		of_path.reason = p->link.doubt;
		j = b->drive.n_paths > 1 ? verdict_reach(&of_path) : worst;
		p->verdict = j.verdict;
		if (b->drive.n_paths > 1 && (!port || verdict_badness(j.verdict) > verdict_badness(worst.verdict))) {
			worst = j;
			port = &p->link;
		}
	}
	if (port)
		take_port(b, port);
	return worst;
}

/* "bmc says 16 GT/s x4, host says 32 GT/s x4" before the sentence of the verdict. */
static void tell_views(struct bay *b)
{
	char text[sizeof b->judged.message];

	if (!(b->notes & NOTE_SOURCES_DISAGREE) || b->stale)
		return;
	remark_views(b, text, sizeof text);
	if (strlen(text) + 2 + strlen(b->judged.message) >= sizeof b->judged.message)
		return;
	str_copy(text + strlen(text), sizeof text - strlen(text), "; ");
	str_copy(text + strlen(text), sizeof text - strlen(text), b->judged.message);
	str_copy(b->judged.message, sizeof b->judged.message, text);
}

/* Bays are sorted: whether their host is off is asked once. */
static void judge_bays(struct inventory *inv)
{
	bool off = false;

	for (size_t i = 0; i < inv->n_bays; i++) {
		struct bay *b = &inv->bays[i];
		struct verdict_input in;

		if (i == 0 || !str_same(b->host, inv->bays[i - 1].host))
			off = host_off(inv, b->host);
		in = input_of(inv, b, off);
		b->judged = judge_paths(b, &in);
		tell_views(b);
	}
}

static void judge_hop(struct hop *h)
{
	struct verdict_input in = {
		.reachable = true,
		.present = true,
		.pcie = true,
		.reason = h->link.doubt,
		.link = h->link,
	};

	h->verdict = verdict_reach(&in).verdict;
	remark_hop(h, h->message, sizeof h->message); /* the verdict's own sentence speaks of a drive */
}

/* ---- all of it ---- */

void inventory_judge(struct inventory *inv, const struct policy_set *policies)
{
	struct policy_set none;

	policy_set_init(&none);
	if (!policies)
		policies = &none;
	for (size_t i = 0; i < inv->n_bays; i++) {
		struct bay *b = &inv->bays[i];

		put_policy(b, policies);
		put_rating(b, policies);
		b->wear_limits = rules_limits(policies->rules, b, policies->wear);
		if (b->has_drive)
			wear_assess(&b->wear, &b->health, &b->wear_limits, b->wear_unread, b->media_errors_rising);
	}
	judge_bays(inv);
	for (size_t i = 0; i < inv->n_hops; i++)
		judge_hop(&inv->hops[i]);
	remark_notes(inv);
	remark_hints(inv, policies);
	pools_finish(inv);
	policy_set_release(&none);
}
