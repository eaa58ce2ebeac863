/* SPDX-License-Identifier: MIT */
/* expect: see expect.h.  Runs on the joined bays before they are sorted: host after host. */
#include "model/expect.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

	return order ? order : strcmp((*a)->name, (*b)->name);
}

/* Both the targets and the joined bays stand host after host in one order here. */
void expect_bays(struct inventory *inv, const struct policy_set *set)
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
		if (!inventory_rests(inv, host))
			expect_on_host(&x, x.n_targets == n);
	}
	free(targets);
}
