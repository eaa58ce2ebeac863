/* SPDX-License-Identifier: MIT */
/*
 * inventory: see inventory.h.  Keeps what each target said last, and puts the joined bays in
 * order.  How they rest is rest.c's, which views are one bay join.c's, bays that nobody lists are expect.c's, and the
 * verdicts are judge.c's.
 */
#include "model/inventory.h"

#include "base/mem.h"
#include "base/str.h"
#include "model/expect.h"
#include "model/join.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void release_pools(struct pool *pools, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pool_release(&pools[i]);
	free(pools);
}

static void release_remarks(struct remark *remarks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(remarks[i].bays);
	free(remarks);
}

static size_t keep_rested_remarks(const struct inventory *inv, struct remark *list, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (inventory_rests(inv, list[i].host))
			list[kept++] = list[i];
		else
			free(list[i].bays);
	return kept;
}

static size_t keep_rested_hops(const struct inventory *inv)
{
	size_t kept = 0;

	for (size_t i = 0; i < inv->n_hops; i++)
		if (inventory_rests(inv, inv->hops[i].host))
			inv->hops[kept++] = inv->hops[i];
		else
			free(inv->hops[i].shared_by);
	return kept;
}

/* Forgets what inventory_finish made, but for the hosts that rest. */
static void clear_result(struct inventory *inv)
{
	free(inv->bays);
	inv->bays = NULL;
	inv->n_bays = 0;
	inv->n_hops = keep_rested_hops(inv);
	inv->n_notes = keep_rested_remarks(inv, inv->notes, inv->n_notes);
	inv->n_hints = keep_rested_remarks(inv, inv->hints, inv->n_hints);
}

static void release_seen(struct seen *s)
{
	bay_pack_release(&s->bays);
	release_hops(s->hops, s->n_hops);
	release_pools(s->pools, s->n_pools);
}

void inventory_release(struct inventory *inv)
{
	free(inv->bays);
	release_hops(inv->hops, inv->n_hops);
	release_pools(inv->pools, inv->n_pools);
	release_remarks(inv->notes, inv->n_notes);
	release_remarks(inv->hints, inv->n_hints);
	rested_release(inv);
	for (size_t i = 0; i < inv->n_targets; i++)
		free(inv->targets[i].errors);
	free(inv->targets);
	for (size_t i = 0; i < inv->n_seen; i++)
		release_seen(&inv->seen[i]);
	free(inv->seen);
	*inv = (struct inventory){0};
}

/* ---- names: targets, and what they said, stand in natural order ---- */

/* Never equal for two names. */
static int name_compare(const char *a, const char *b)
{
	int order = str_natural(a, b);

	return order ? order : strcmp(a, b);
}

/* Where a name is, or has to go; each item begins with its name. */
static size_t index_of(const void *items, size_t n, size_t size, const char *name)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (name_compare((const char *)items + middle * size, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Makes room for one more at index i. */
static void *insert(void *items, size_t n, size_t size, size_t i)
{
	char *p = mem_grow(items, n, size);

	memmove(p + (i + 1) * size, p + i * size, (n - i) * size);
	return p;
}

/* Closes the gap where one was. */
static void delete(void *items, size_t n, size_t size, size_t i)
{
	char *p = items;

	memmove(p + i * size, p + (i + 1) * size, (n - i - 1) * size);
}

const struct target *inventory_target(const struct inventory *inv, const char *name)
{
	size_t i = index_of(inv->targets, inv->n_targets, sizeof *inv->targets, name);

	return i < inv->n_targets && str_same(inv->targets[i].name, name) ? &inv->targets[i] : NULL;
}

const struct seen *inventory_seen(const struct inventory *inv, const char *name)
{
	size_t i = index_of(inv->seen, inv->n_seen, sizeof *inv->seen, name);

	return i < inv->n_seen && str_same(inv->seen[i].target, name) ? &inv->seen[i] : NULL;
}

static struct seen *seen_of(struct inventory *inv, const char *name)
{
	size_t i = index_of(inv->seen, inv->n_seen, sizeof *inv->seen, name);

	if (!inventory_seen(inv, name)) {
		inv->seen = insert(inv->seen, inv->n_seen, sizeof *inv->seen, i);
		inv->n_seen++;
		inv->seen[i] = (struct seen){0};
		str_copy(inv->seen[i].target, sizeof inv->seen[i].target, name);
	}
	return &inv->seen[i];
}

void inventory_put_target(struct inventory *inv, const struct target *t)
{
	size_t i = index_of(inv->targets, inv->n_targets, sizeof *inv->targets, t->name);

	if (inventory_target(inv, t->name)) {
		free(inv->targets[i].errors);
	} else {
		inv->targets = insert(inv->targets, inv->n_targets, sizeof *inv->targets, i);
		inv->n_targets++;
	}
	inv->targets[i] = *t;
	inv->targets[i].errors = NULL;
	if (t->n_errors) {
		inv->targets[i].errors = mem_new(t->n_errors, sizeof *t->errors);
		memcpy(inv->targets[i].errors, t->errors, t->n_errors * sizeof *t->errors);
	}
}

/* ---- taking in ---- */

static const struct bay *listed(const struct bay *bays, size_t n, const char *bay)
{
	for (size_t i = 0; i < n; i++)
		if (str_same(bays[i].bay, bay))
			return &bays[i];
	return NULL;
}

/* Whether one of the first n has that name. */
static bool packed(const struct bay_pack *p, size_t n, const char *bay)
{
	for (size_t i = 0; i < n; i++)
		if (str_same(bay_pack_name(p, i), bay))
			return true;
	return false;
}

static bool lists_drive(const struct snapshot *s, const struct drive *d)
{
	for (size_t i = 0; i < s->n_bays; i++)
		if (s->bays[i].has_drive && s->bays[i].present != TRI_NO && drive_same(&s->bays[i].drive, d))
			return true;
	return false;
}

static bool silent(const struct snapshot *s)
{
	return s->target.verdict != TARGET_OK && s->n_bays == 0;
}

/* True if an earlier view of the target still stands beside the new snapshot. */
static bool outlives(const struct bay *b, const struct snapshot *s)
{
	const struct bay *now;

	if (silent(s))
		return true;
	if (s->target.power != TRI_NO || !b->has_drive)
		return false;
	now = listed(s->bays, s->n_bays, b->bay);
	return (!now || !now->has_drive || now->present == TRI_NO) && !lists_drive(s, &b->drive);
}

/* What outlives the snapshot, as stale, and then the snapshot's own bays. */
static void put_bays(struct seen *seen, const struct snapshot *s)
{
	struct bay_pack kept = {0};
	size_t n_old;
	struct bay b;

	for (size_t i = 0; i < seen->bays.n; i++) {
		bay_pack_get(&seen->bays, i, &b);
		if (!outlives(&b, s))
			continue;
		b.stale = true;
		if (s->target.power == TRI_NO)
			b.present = TRI_UNKNOWN;
		bay_pack_add(&kept, &b);
	}
	n_old = kept.n;
	for (size_t i = 0; i < s->n_bays; i++) {
		if (packed(&kept, n_old, s->bays[i].bay))
			continue;
		b = s->bays[i];
		str_copy(b.target, sizeof b.target, s->target.name);
		if (!*b.host)
			str_copy(b.host, sizeof b.host, s->target.host);
		bay_pack_add(&kept, &b);
	}
	bay_pack_fit(&kept);
	bay_pack_release(&seen->bays);
	seen->bays = kept;
}

static void put_hops(struct seen *seen, const struct snapshot *s)
{
	release_hops(seen->hops, seen->n_hops);
	seen->hops = mem_new(s->n_hops + 1, sizeof *seen->hops);
	seen->n_hops = s->n_hops;
	for (size_t i = 0; i < s->n_hops; i++) {
		struct hop *h = &seen->hops[i];

		*h = s->hops[i];
		str_copy(h->target, sizeof h->target, s->target.name);
		if (!*h->host)
			str_copy(h->host, sizeof h->host, s->target.host);
		h->shared_by = NULL;
		h->n_shared = 0;
		for (size_t k = 0; k < s->hops[i].n_shared; k++)
			hop_add_shared(h, s->hops[i].shared_by[k]);
	}
}

/* A target that does not answer keeps its pools, as stale ones. */
static void put_pools(struct seen *seen, const struct snapshot *s)
{
	if (s->target.verdict != TARGET_OK && s->n_pools == 0) {
		for (size_t i = 0; i < seen->n_pools; i++)
			seen->pools[i].stale = true;
		return;
	}
	release_pools(seen->pools, seen->n_pools);
	seen->pools = mem_new(s->n_pools + 1, sizeof *seen->pools);
	seen->n_pools = s->n_pools;
	for (size_t i = 0; i < s->n_pools; i++)
		seen->pools[i] = pool_copy(&s->pools[i]);
}

/* The next round makes anew the bays of all hosts that the target speaks of. */
static void touch(struct inventory *inv, const char *target)
{
	const struct target *t = inventory_target(inv, target);
	const struct seen *s = inventory_seen(inv, target);

	if (t)
		inventory_touch(inv, t->host);
	for (size_t i = 0; s && i < s->bays.n; i++)
		if (i == 0 || !str_same(bay_pack_host(&s->bays, i), bay_pack_host(&s->bays, i - 1)))
			inventory_touch(inv, bay_pack_host(&s->bays, i));
	for (size_t i = 0; s && i < s->n_hops; i++)
		inventory_touch(inv, s->hops[i].host);
	for (size_t i = 0; s && i < s->n_pools; i++)
		inventory_touch(inv, s->pools[i].host);
}

void inventory_apply(struct inventory *inv, const struct snapshot *s)
{
	struct seen *seen = seen_of(inv, s->target.name);

	touch(inv, s->target.name); /* what it spoke of before, it may not any more */
	inventory_put_target(inv, &s->target);
	put_bays(seen, s);
	if (!silent(s))
		put_hops(seen, s);
	put_pools(seen, s);
	touch(inv, s->target.name);
}

bool inventory_fresh(const struct inventory *inv, const struct bay *b)
{
	const struct target *t = inventory_target(inv, b->target);

	if (t && !t->old)
		return true;
	for (size_t i = 0; i < b->drive.n_sources && b->has_drive; i++) {
		t = inventory_target(inv, b->drive.sources[i]);
		if (t && !t->old)
			return true;
	}
	return false;
}

void inventory_settled(struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_targets; i++) {
		inv->targets[i].in_round = !inv->targets[i].old;
		inv->targets[i].old = true;
	}
}

void inventory_recall(struct inventory *inv, const struct bay *b)
{
	struct seen *seen = seen_of(inv, b->target);
	struct bay old = *b;

	old.stale = true;
	old.judged = (struct judgement){0};
	old.notes = 0;
	old.link.n_views = 0;
	bay_pack_add(&seen->bays, &old);
}

void inventory_forget(struct inventory *inv, const char *target)
{
	size_t i = index_of(inv->seen, inv->n_seen, sizeof *inv->seen, target);

	touch(inv, target);
	if (inventory_seen(inv, target)) {
		release_seen(&inv->seen[i]);
		delete(inv->seen, inv->n_seen--, sizeof *inv->seen, i);
	}
	i = index_of(inv->targets, inv->n_targets, sizeof *inv->targets, target);
	if (inventory_target(inv, target)) {
		free(inv->targets[i].errors);
		delete(inv->targets, inv->n_targets--, sizeof *inv->targets, i);
	}
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

void inventory_join(struct inventory *inv, const struct policy_set *policies, int64_t now_wall_ms)
{
	clear_result(inv);
	inv->at_work = true;
	inv->collected_wall_ms = now_wall_ms;
	join_views(inv, policies);
	if (policies)
		expect_bays(inv, policies);
	sort(inv->bays, inv->n_bays, sizeof *inv->bays, bay_compare);
	sort(inv->hops, inv->n_hops, sizeof *inv->hops, hop_compare);
	for (size_t i = 0; i < inv->n_bays; i++)
		if (inv->bays[i].has_drive)
			name_drive(&inv->bays[i]);
}

void inventory_finish(struct inventory *inv, const struct policy_set *policies, int64_t now_wall_ms)
{
	inventory_join(inv, policies, now_wall_ms);
	inventory_judge(inv, policies);
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
	struct bay room;

	for (size_t i = 0; i < inv->n_bays; i++)
		status = worse(status, verdict_status(inventory_bay(inv, i, &room)));
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
