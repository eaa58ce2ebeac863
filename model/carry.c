/* SPDX-License-Identifier: MIT */
/*
 * carry: what no source could tell in a round stays as it was last known, stale; and bays
 * from which a drive was just lost stay as empty ones (history_carry in history.h).
 */
#include "model/history.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* How much a source can tell of its bays in this round. */
enum telling { TELLS_NOTHING = 0, TELLS_HOST_OFF, TELLS_IN_PART, TELLS_ALL };

/* One round of carrying. New bays wait until the end, so that the two lookups stay right.
 */
struct carrying {
	struct history *h;
	struct inventory *now;
	struct lookup by_place, by_serial; /* of the bays of now */
	enum telling *tells;               /* of each target of now */
	size_t n_added;
	struct bay *added;
};

static struct bay *bay_of(const struct carrying *c, const char *host, const char *bay)
{
	for (size_t i = lookup_first(&c->by_place, host, bay); i != LOOKUP_END;
		i = lookup_next(&c->by_place, i))
		if (str_same(c->now->bays[i].bay, bay) &&
			str_same(c->now->bays[i].host, host))
			return &c->now->bays[i];
	return NULL;
}

/* By what is remembered: also of hosts that this round does not touch. */
static bool was_seen_elsewhere(const struct history *h, const char *serial, const struct bay *b)
{
	char key[sizeof b->drive.serial];

	for (size_t i = lookup_first(&h->by_serial, serial, ""); i != LOOKUP_END; i = lookup_next(&h->by_serial, i)) {
		const struct drive_past *p = &h->drives[i];

		drive_serial_key(p->serial, key, sizeof key);
		if (p->here && !p->stale && strcmp(key, serial) == 0 && (!str_same(p->bay, b->bay) || !str_same(p->host, b->host)))
			return true;
	}
	return false;
}

static bool is_elsewhere(const struct carrying *c, const struct bay *b)
{
	char serial[sizeof b->drive.serial];

	drive_serial_key(b->drive.serial, serial, sizeof serial);
	if (!b->has_drive || !serial[0] || b->notes & NOTE_DUPLICATE_SERIAL)
		return false;
	for (size_t i = lookup_first(&c->by_serial, serial, ""); i != LOOKUP_END;
		i = lookup_next(&c->by_serial, i))
		if (bay_holds_drive(&c->now->bays[i]) &&
			drive_same(&c->now->bays[i].drive, &b->drive))
			return true;
	return was_seen_elsewhere(c->h, serial, b);
}

static bool is_source(const struct bay *b, const char *target)
{
	if (str_same(b->target, target))
		return true;
	for (size_t i = 0; i < b->drive.n_sources && b->has_drive; i++)
		if (str_same(b->drive.sources[i], target))
			return true;
	return false;
}

/* ---- what the targets can tell ---- */

/*
 * A service that listed drives and now answers with none at all is most likely still
 * starting. Bays that the operator expects say nothing of what it listed.
 */
static bool lists_something(const struct bay *b)
{
	return !b->stale &&
	       (bay_holds_drive(b) || (b->present == TRI_NO && !b->expected));
}

static void count_told(const struct inventory *now, const struct bay *b, bool *lists)
{
	for (size_t i = 0; i < now->n_targets; i++)
		if (!lists[i] && is_source(b, now->targets[i].name))
			lists[i] = true;
}

static enum telling target_tells(const struct target *t, bool lists)
{
	if (t->verdict != TARGET_OK)
		return TELLS_NOTHING;
	if (t->power == TRI_NO)
		return TELLS_HOST_OFF;
	return t->partial || (t->kind == TARGET_REDFISH && !lists) ? TELLS_IN_PART
								   : TELLS_ALL;
}

/* Only asked for when something is missing: most rounds miss nothing. */
static const enum telling *tells_of(struct carrying *c)
{
	bool *lists;

	if (c->tells)
		return c->tells;
	c->tells = mem_new(c->now->n_targets, sizeof *c->tells);
	lists = mem_new(c->now->n_targets, sizeof *lists);
	for (size_t i = 0; i < c->now->n_bays; i++)
		if (lists_something(&c->now->bays[i]))
			count_told(c->now, &c->now->bays[i], lists);
	for (size_t i = 0; i < c->now->n_targets; i++)
		c->tells[i] = target_tells(&c->now->targets[i], lists[i]);
	free(lists);
	return c->tells;
}

/* The target that can tell most of a bay: of its sources, else of all of its host; NULL
 * if there is none. */
static const struct target *best_target(
	struct carrying *c, const struct bay *b, bool only_sources, enum telling *tells)
{
	const struct target *best = NULL;

	for (size_t i = 0; i < c->now->n_targets; i++) {
		const struct target *t = &c->now->targets[i];

		if (!str_same(t->host, b->host) || t->kind == TARGET_ZFS ||
			(only_sources && !is_source(b, t->name)))
			continue;
		if (!best || tells_of(c)[i] > *tells) {
			best = t;
			*tells = tells_of(c)[i];
		}
	}
	return best;
}

/* ---- bays that are carried ---- */

static void judge_stale(struct bay *b, const struct target *t, enum telling tells)
{
	struct verdict_input in = {.reachable = true,
		.host_off = true,
		.was_present = true,
		.pcie = b->pcie,
		.reason = t->reason,
		.link = b->link,
		.busy = TRI_UNKNOWN};

	b->stale = true;
	b->busy = TRI_UNKNOWN;
	b->throughput = throughput_unknown();
	switch (tells) {
	case TELLS_NOTHING:
		in.reachable = false;
		b->judged = verdict_reach(&in);
		break;
	case TELLS_HOST_OFF:
		if (b->has_drive)
			b->judged = verdict_reach(&in);
		break;
	case TELLS_IN_PART:
	case TELLS_ALL:
		b->judged = (struct judgement){
			.verdict = VERDICT_UNKNOWN, .reason = REASON_NOT_REPORTED};
		str_copy(b->judged.message, sizeof b->judged.message,
			"not in the list this time, which came only in part; shown as "
			"last seen");
		break;
	}
}

/* Over the bay of that name, or to those that are added at the end. */
static void put_bay(struct carrying *c, const struct bay *b)
{
	struct bay *there = bay_of(c, b->host, b->bay);

	if (there) {
		bool expected = there->expected || b->expected;

		*there = *b;
		there->expected = expected;
		return;
	}
	c->added = mem_grow(c->added, c->n_added, sizeof *c->added);
	c->added[c->n_added++] = *b;
}

static void put_empty(
	struct carrying *c, const struct target *t, const char *host, const char *bay)
{
	struct bay b = bay_unknown(t->name, host, bay);
	const struct verdict_input in = {
		.reachable = true, .was_present = true, .pcie = true};

	b.present = TRI_NO;
	b.observed_wall_ms = c->now->collected_wall_ms;
	b.judged = verdict_reach(&in);
	put_bay(c, &b);
}

static bool held_back(struct history *h, const struct bay *b, bool fresh)
{
	struct drive_past *p = history_at(h, b->host, b->bay);

	if (!b->has_drive || !p)
		return false;
	p->missed += fresh; /* what was told before is no other poll */
	return p->missed < MISSED_POLLS_MAX;
}

static void carry_bay(struct carrying *c, const struct bay *b)
{
	const struct bay *there = bay_of(c, b->host, b->bay);
	enum telling tells = TELLS_NOTHING;
	const struct target *t;
	struct bay kept;

	if (is_elsewhere(c, b))
		return;
	t = best_target(c, b, true, &tells);
	if (!t)
		t = best_target(c, b, false, &tells);
	if (!t)
		return;
	if (tells == TELLS_IN_PART && !(there && there->present == TRI_UNKNOWN) && /* it is listed, and not said to be empty */
		((there && there->present == TRI_NO && !there->expected) ||
			!held_back(c->h, b, !t->old)))
		tells = TELLS_ALL;
	if (tells == TELLS_ALL) {
		if (b->has_drive && !there)
			put_empty(c, t, b->host, b->bay);
		return;
	}
	kept = *b;
	judge_stale(&kept, t, tells);
	put_bay(c, &kept);
}

static bool was_added(const struct carrying *c, const char *host, const char *bay)
{
	for (size_t i = 0; i < c->n_added; i++)
		if (str_same(c->added[i].bay, bay) && str_same(c->added[i].host, host))
			return true;
	return false;
}

/* A bay that a drive was lost from in an earlier round. */
static void carry_lost(struct carrying *c, const struct drive_past *p)
{
	const struct bay b = bay_unknown(p->target, p->host, p->bay);
	enum telling tells = TELLS_NOTHING;
	const struct target *t;

	if (bay_of(c, p->host, p->bay) || was_added(c, p->host, p->bay))
		return;
	t = best_target(c, &b, false, &tells);
	if (t && tells == TELLS_ALL)
		put_empty(c, t, p->host, p->bay);
}

/* Puts a bay among those of its host, in natural order. */
static void insert(struct inventory *inv, const struct bay *b)
{
	size_t at = inv->n_bays;
	bool of_host = false;

	for (size_t i = 0; i < inv->n_bays; i++) {
		bool mine = str_same(inv->bays[i].host, b->host);

		if ((of_host && !mine) ||
			(mine && str_natural(b->bay, inv->bays[i].bay) < 0)) {
			at = i;
			break;
		}
		of_host |= mine;
	}
	inv->bays = mem_grow(inv->bays, inv->n_bays, sizeof *inv->bays);
	memmove(&inv->bays[at + 1], &inv->bays[at],
		(inv->n_bays - at) * sizeof *inv->bays);
	inv->bays[at] = *b;
	inv->n_bays++;
}

static void index_bays(struct carrying *c)
{
	for (size_t i = 0; i < c->now->n_bays; i++) {
		const struct bay *b = &c->now->bays[i];
		char serial[sizeof b->drive.serial] = "";

		if (b->has_drive)
			drive_serial_key(b->drive.serial, serial, sizeof serial);
		lookup_add(&c->by_place, b->host, b->bay);
		lookup_add(&c->by_serial, serial, "");
	}
}

void history_carry(
	struct history *h, const struct bay_pack *last, struct inventory *now)
{
	struct carrying c = {.h = h, .now = now};
	struct bay b;

	index_bays(&c);
	for (size_t i = 0; i < last->n; i++) {
		const struct bay *there = bay_of(&c, bay_pack_host(last, i), bay_pack_name(last, i));

		if (there && bay_holds_drive(there))
			continue;
		bay_pack_get(last, i, &b);
		carry_bay(&c, &b);
	}
	for (size_t i = 0; i < h->n_drives; i++)
		if (h->drives[i].lost && h->steady_ms - h->drives[i].seen_at_ms <= LOST_KEPT_MS &&
			!inventory_rests(now, h->drives[i].host))
			carry_lost(&c, &h->drives[i]);
	for (size_t i = 0; i < c.n_added; i++)
		insert(now, &c.added[i]);
	free(c.added);
	free(c.tells);
	lookup_release(&c.by_place);
	lookup_release(&c.by_serial);
}
