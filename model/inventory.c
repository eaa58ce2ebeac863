/* SPDX-License-Identifier: MIT */
/*
 * inventory: see inventory.h.  Keeps what each target said last, and reaches the verdicts
 * over the joined bays.  Which views are one bay is join.c's, notes and hints are remark.c's.
 */
#include "model/inventory.h"

#include "base/mem.h"
#include "base/str.h"
#include "model/join.h"
#include "model/remark.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void inventory_init(struct inventory *inv)
{
	*inv = (struct inventory){0};
}

static void release_hops(struct hop *hops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(hops[i].shared_by);
	free(hops);
}

static void release_remarks(struct remark *remarks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(remarks[i].bays);
	free(remarks);
}

/* Forgets what inventory_finish made. */
static void clear_result(struct inventory *inv)
{
	free(inv->bays);
	release_hops(inv->hops, inv->n_hops);
	release_remarks(inv->notes, inv->n_notes);
	release_remarks(inv->hints, inv->n_hints);
	inv->bays = NULL;
	inv->hops = NULL;
	inv->notes = inv->hints = NULL;
	inv->n_bays = inv->n_hops = inv->n_notes = inv->n_hints = 0;
}

void inventory_release(struct inventory *inv)
{
	clear_result(inv);
	for (size_t i = 0; i < inv->n_targets; i++)
		free(inv->targets[i].errors);
	free(inv->targets);
	free(inv->views);
	release_hops(inv->view_hops, inv->n_view_hops);
	*inv = (struct inventory){0};
}

/* Natural order, and never equal for two names. */
static int name_compare(const char *a, const char *b)
{
	int order = str_natural(a, b);

	return order ? order : strcmp(a, b);
}

/* Targets stand in the order of their names: where this one is, or has to go. */
static size_t target_index(const struct inventory *inv, const char *name)
{
	size_t low = 0, high = inv->n_targets;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (name_compare(inv->targets[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct target *inventory_target(const struct inventory *inv, const char *name)
{
	size_t i = target_index(inv, name);

	return i < inv->n_targets && str_same(inv->targets[i].name, name) ? &inv->targets[i] : NULL;
}

/* ---- taking in ---- */

void inventory_put_target(struct inventory *inv, const struct target *t)
{
	size_t i = target_index(inv, t->name);

	if (inventory_target(inv, t->name)) {
		free(inv->targets[i].errors);
	} else {
		inv->targets = mem_grow(inv->targets, inv->n_targets, sizeof *inv->targets);
		memmove(&inv->targets[i + 1], &inv->targets[i], (inv->n_targets - i) * sizeof *inv->targets);
		inv->n_targets++;
	}
	inv->targets[i] = *t;
	inv->targets[i].errors = NULL;
	if (t->n_errors) {
		inv->targets[i].errors = mem_new(t->n_errors, sizeof *t->errors);
		memcpy(inv->targets[i].errors, t->errors, t->n_errors * sizeof *t->errors);
	}
}

static void add_view(struct inventory *inv, const struct bay *b)
{
	inv->views = mem_grow(inv->views, inv->n_views, sizeof *inv->views);
	inv->views[inv->n_views++] = *b;
}

static const struct bay *listed(const struct snapshot *s, const char *bay)
{
	for (size_t i = 0; i < s->n_bays; i++)
		if (str_same(s->bays[i].bay, bay))
			return &s->bays[i];
	return NULL;
}

static bool lists_drive(const struct snapshot *s, const struct drive *d)
{
	for (size_t i = 0; i < s->n_bays; i++)
		if (s->bays[i].has_drive && s->bays[i].present != TRI_NO && drive_same(&s->bays[i].drive, d))
			return true;
	return false;
}

/* True if an earlier view of the target still stands beside the new snapshot. */
static bool outlives(const struct bay *b, const struct snapshot *s)
{
	const struct bay *now;

	if (s->target.verdict != TARGET_OK && s->n_bays == 0)
		return true;
	if (s->target.power != TRI_NO || !b->has_drive)
		return false;
	now = listed(s, b->bay);
	return (!now || !now->has_drive || now->present == TRI_NO) && !lists_drive(s, &b->drive);
}

/* Keeps the views that outlive the snapshot, as stale ones, and drops the rest. */
static void age_views(struct inventory *inv, const struct snapshot *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < inv->n_views; i++) {
		struct bay *b = &inv->views[i];

		if (str_same(b->target, s->target.name)) {
			if (!outlives(b, s))
				continue;
			b->stale = true;
			if (s->target.power == TRI_NO)
				b->present = TRI_UNKNOWN;
		}
		if (kept != i)
			inv->views[kept] = *b;
		kept++;
	}
	inv->n_views = kept;
}

static bool kept_as_stale(const struct inventory *inv, size_t n_old, const struct bay *b)
{
	for (size_t i = 0; i < n_old; i++)
		if (str_same(inv->views[i].target, b->target) && str_same(inv->views[i].bay, b->bay))
			return true;
	return false;
}

static void put_bays(struct inventory *inv, const struct snapshot *s)
{
	size_t n_old = inv->n_views;

	for (size_t i = 0; i < s->n_bays; i++) {
		struct bay b = s->bays[i];

		str_copy(b.target, sizeof b.target, s->target.name);
		if (!*b.host)
			str_copy(b.host, sizeof b.host, s->target.host);
		if (!kept_as_stale(inv, n_old, &b))
			add_view(inv, &b);
	}
}

static void put_hops(struct inventory *inv, const struct snapshot *s)
{
	size_t kept = 0;

	if (s->target.verdict != TARGET_OK && s->n_hops == 0)
		return;
	for (size_t i = 0; i < inv->n_view_hops; i++)
		if (str_same(inv->view_hops[i].target, s->target.name))
			free(inv->view_hops[i].shared_by);
		else
			inv->view_hops[kept++] = inv->view_hops[i];
	inv->n_view_hops = kept;
	for (size_t i = 0; i < s->n_hops; i++) {
		struct hop h = s->hops[i];

		str_copy(h.target, sizeof h.target, s->target.name);
		if (!*h.host)
			str_copy(h.host, sizeof h.host, s->target.host);
		h.shared_by = NULL;
		h.n_shared = 0;
		for (size_t k = 0; k < s->hops[i].n_shared; k++)
			hop_add_shared(&h, s->hops[i].shared_by[k]);
		inv->view_hops = mem_grow(inv->view_hops, inv->n_view_hops, sizeof h);
		inv->view_hops[inv->n_view_hops++] = h;
	}
}

void inventory_apply(struct inventory *inv, const struct snapshot *s)
{
	inventory_put_target(inv, &s->target);
	age_views(inv, s);
	put_bays(inv, s);
	put_hops(inv, s);
}

void inventory_recall(struct inventory *inv, const struct bay *b)
{
	struct bay old = *b;

	old.stale = true;
	old.judged = (struct judgement){0};
	old.notes = 0;
	old.link.n_views = 0;
	add_view(inv, &old);
}

void inventory_forget(struct inventory *inv, const char *target)
{
	size_t i = target_index(inv, target), kept = 0;

	for (size_t k = 0; k < inv->n_views; k++)
		if (!str_same(inv->views[k].target, target))
			inv->views[kept++] = inv->views[k];
	inv->n_views = kept;
	kept = 0;
	for (size_t k = 0; k < inv->n_view_hops; k++)
		if (str_same(inv->view_hops[k].target, target))
			free(inv->view_hops[k].shared_by);
		else
			inv->view_hops[kept++] = inv->view_hops[k];
	inv->n_view_hops = kept;
	if (!inventory_target(inv, target))
		return;
	free(inv->targets[i].errors);
	memmove(&inv->targets[i], &inv->targets[i + 1], (inv->n_targets - i - 1) * sizeof *inv->targets);
	inv->n_targets--;
}

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
}

/* ---- bays that the operator expects and nobody lists ---- */

static bool lists_bays(const struct target *t)
{
	switch (t->kind) {
	case TARGET_REDFISH:
	case TARGET_NVME:
	case TARGET_REPLAY:
		return t->verdict == TARGET_OK;
	case TARGET_ZFS:
	case TARGET_KIND_UNKNOWN:
		return false;
	}
	return false;
}

/* One host that answered: its targets, and where its bays are in the inventory. */
struct expecting {
	struct inventory *inv;
	const struct policy_set *set;
	const struct policy *policy; /* the one whose bays are looked for */
	const struct target *target; /* the one that it means */
	const struct target **targets;
	size_t n_targets;
	size_t first, n;  /* bays that are listed */
	size_t added;	  /* from here on those that were added for it */
	bool partial;
};

static bool has_bay(const struct expecting *x, const char *name)
{
	for (size_t i = x->first; i < x->first + x->n; i++)
		if (str_same(x->inv->bays[i].bay, name))
			return true;
	for (size_t i = x->added; i < x->inv->n_bays; i++)
		if (str_same(x->inv->bays[i].bay, name))
			return true;
	return false;
}

/* Where something of a BMC could not be read, the bay may be among that: not known, not empty. */
static void add_missing(void *arg, const char *name)
{
	struct expecting *x = arg;
	struct bay b = bay_unknown(x->target->name, x->target->host, name);

	if (policy_find(x->set, b.target, b.bay) != x->policy || has_bay(x, b.bay))
		return;
	b.present = x->partial ? TRI_UNKNOWN : TRI_NO;
	b.link.doubt = x->partial ? REASON_NOT_REPORTED : REASON_NONE;
	b.expected = true;
	b.observed_wall_ms = x->target->observed_wall_ms;
	x->inv->bays = mem_grow(x->inv->bays, x->inv->n_bays, sizeof b);
	x->inv->bays[x->inv->n_bays++] = b;
}

/* The target of the host that the policy means, NULL if it means none. */
static const struct target *target_meant(const struct expecting *x, const struct policy *p)
{
	for (size_t i = 0; i < x->n_targets; i++)
		if (!p->targets.n || patterns_match(&p->targets, x->targets[i]->name))
			return x->targets[i];
	return NULL;
}

/* A policy without targets means the only host, or every one that has bays at all. */
static void expect_on_host(struct expecting *x, bool only_host)
{
	for (size_t i = 0; i < x->n_targets; i++) /* sysfs lists the drives also where logs are refused */
		x->partial |= x->targets[i]->partial && x->targets[i]->kind != TARGET_NVME;
	for (size_t i = 0; i < x->set->n_policies; i++) {
		x->policy = &x->set->policies[i];
		if (!x->policy->require_present || (!x->policy->targets.n && !only_host && !x->n))
			continue;
		x->target = target_meant(x, x->policy);
		if (x->target)
			patterns_each_name(&x->policy->bays, add_missing, x);
	}
}

static int target_host_compare(const void *x, const void *y)
{
	const struct target *const *a = x, *const *b = y;
	int order = strcasecmp((*a)->host, (*b)->host);

	return order ? order : name_compare((*a)->name, (*b)->name);
}

/* Both the targets and the joined bays stand host after host in one order here. */
static void add_expected(struct inventory *inv, const struct policy_set *set)
{
	const struct target **targets = mem_new(inv->n_targets + 1, sizeof *targets);
	size_t n = 0, bay = 0, n_joined = inv->n_bays;

	for (size_t i = 0; i < inv->n_targets; i++)
		if (lists_bays(&inv->targets[i]))
			targets[n++] = &inv->targets[i];
	qsort(targets, n, sizeof *targets, target_host_compare);
	for (size_t first = 0, end; first < n; first = end) {
		const char *host = targets[first]->host;
		struct expecting x = {.inv = inv, .set = set, .targets = targets + first, .added = inv->n_bays};

		for (end = first; end < n && str_same_nocase(targets[end]->host, host); end++)
			x.n_targets++;
		while (bay < n_joined && strcasecmp(inv->bays[bay].host, host) < 0)
			bay++;
		x.first = bay;
		while (bay < n_joined && str_same_nocase(inv->bays[bay].host, host))
			bay++;
		x.n = bay - x.first;
		expect_on_host(&x, x.n_targets == n);
	}
	free(targets);
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
	/* where the source could not tell, a drive may be there: its link is what is not known */
	in.present = b->present == TRI_YES || (b->present == TRI_UNKNOWN && !in.host_off);
	return in;
}

/* Each port of a dual-port drive is judged, and the worst one is the bay's. */
static struct judgement judge_paths(struct bay *b, const struct verdict_input *in)
{
	struct judgement worst = verdict_reach(in);

	for (size_t i = 0; i < b->drive.n_paths; i++) {
		struct drive_path *p = &b->drive.paths[i];
		struct verdict_input of_path = *in;
		struct judgement j;

		of_path.link = p->link;
		of_path.reason = p->link.doubt;
		j = b->drive.n_paths > 1 ? verdict_reach(&of_path) : worst;
		p->verdict = j.verdict;
		if (b->drive.n_paths > 1 && (i == 0 || verdict_badness(j.verdict) > verdict_badness(worst.verdict))) {
			worst = j;
			b->link = p->link;
		}
	}
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

static void name_drive(struct bay *b)
{
	char place[sizeof b->host + sizeof b->bay + 1];

	snprintf(place, sizeof place, "%s/%s", b->host, b->bay);
	if (b->notes & NOTE_DUPLICATE_SERIAL)
		drive_name_place(&b->drive, place);
	else
		drive_name(&b->drive, place);
}

/* ---- all of it ---- */

static int bay_compare(const void *x, const void *y)
{
	const struct bay *a = x, *b = y;
	int order = name_compare(a->host, b->host);

	if (order == 0)
		order = name_compare(a->bay, b->bay);
	return order ? order : name_compare(a->target, b->target);
}

static int hop_compare(const void *x, const void *y)
{
	const struct hop *a = x, *b = y;
	int order = name_compare(a->host, b->host);

	return order ? order : strcmp(a->at, b->at);
}

/* qsort() must not get NULL, not even for nothing. */
static void sort(void *items, size_t n, size_t size, int (*compare)(const void *x, const void *y))
{
	if (n > 1)
		qsort(items, n, size, compare);
}

void inventory_finish(struct inventory *inv, const struct policy_set *policies, int64_t now_wall_ms)
{
	struct policy_set none;

	policy_set_init(&none);
	if (!policies)
		policies = &none;
	clear_result(inv);
	inv->collected_wall_ms = now_wall_ms;
	join_views(inv, policies);
	add_expected(inv, policies);
	sort(inv->bays, inv->n_bays, sizeof *inv->bays, bay_compare);
	sort(inv->hops, inv->n_hops, sizeof *inv->hops, hop_compare);
	for (size_t i = 0; i < inv->n_bays; i++) {
		struct bay *b = &inv->bays[i];

		put_policy(b, policies);
		put_rating(b, policies);
		if (b->has_drive) {
			name_drive(b);
			wear_assess(&b->wear, &b->health, &policies->wear, b->wear_unread, b->media_errors_rising);
		}
	}
	judge_bays(inv);
	for (size_t i = 0; i < inv->n_hops; i++)
		judge_hop(&inv->hops[i]);
	remark_notes(inv);
	remark_hints(inv, policies);
	policy_set_release(&none);
}

/* ---- exit status ---- */

static int worse(int a, int b)
{
	static const int badness[] = {[0] = 0, [1] = 1, [3] = 2, [2] = 3};

	return badness[a] > badness[b] ? a : b;
}

static int targets_status(const struct inventory *inv)
{
	int status = 0;

	for (size_t i = 0; i < inv->n_targets; i++) {
		if (inv->targets[i].verdict != TARGET_OK)
			status = worse(status, 3);
		else if (inv->targets[i].partial)
			status = worse(status, 1);
	}
	return status;
}

static int verdict_status(const struct bay *b)
{
	switch (b->judged.verdict) {
	case VERDICT_OK:
	case VERDICT_DRIVE_LIMITED:
	case VERDICT_POWER_SAVING:
	case VERDICT_NOT_APPLICABLE:
		return 0;
	case VERDICT_BELOW_POLICY:
		return 1;
	case VERDICT_DEGRADED_SPEED:
	case VERDICT_DEGRADED_WIDTH:
	case VERDICT_DEGRADED_BOTH:
		return 2;
	case VERDICT_ABSENT:
		return b->require_present ? 2 : 0;
	case VERDICT_NONE:
	case VERDICT_UNKNOWN:
	case VERDICT_UNREACHABLE:
		return 3;
	}
	return 3;
}

int inventory_verify_status(const struct inventory *inv)
{
	int status = targets_status(inv);

	for (size_t i = 0; i < inv->n_bays; i++)
		status = worse(status, verdict_status(&inv->bays[i]));
	return status;
}

static int wear_status(const struct bay *b)
{
	if (!b->has_drive)
		return 0;
	switch (b->wear.alert) {
	case ALERT_NONE:
		return 0;
	case ALERT_WARNING:
		return 1;
	case ALERT_CRITICAL:
		return 2;
	case ALERT_UNKNOWN:
		return 3;
	}
	return 3;
}

int inventory_wear_status(const struct inventory *inv)
{
	int status = targets_status(inv);

	for (size_t i = 0; i < inv->n_bays; i++)
		status = worse(status, wear_status(&inv->bays[i]));
	return status;
}
