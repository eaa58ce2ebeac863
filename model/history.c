/* SPDX-License-Identifier: MIT */
/* history: see history.h. */
#include "model/history.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* Smaller steps are the clock being set right, and nobody's concern. */
enum { JUMP_MIN_MS = 30 * 1000 };

/* How much a bay's sources can tell of it in this round. */
enum telling { TELLS_NOTHING = 0, TELLS_HOST_OFF, TELLS_IN_PART, TELLS_ALL };

void history_init(struct history *h)
{
	*h = (struct history){0};
}

void history_release(struct history *h)
{
	free(h->drives);
	free(h->targets);
	history_init(h);
}

int64_t history_tick(struct history *h, int64_t wall_ms, int64_t passed_ms)
{
	int64_t by_wall_ms = h->started ? wall_ms - h->wall_ms : 0, jump_ms;

	if (passed_ms < 0 || !h->started)
		passed_ms = by_wall_ms > 0 ? by_wall_ms : 0;
	h->steady_ms += passed_ms;
	jump_ms = by_wall_ms - passed_ms;
	h->wall_ms = wall_ms;
	h->started = true;
	return jump_ms > JUMP_MIN_MS || jump_ms < -JUMP_MIN_MS ? jump_ms : 0;
}

struct drive_past *history_find(struct history *h, const char *id)
{
	for (size_t i = 0; i < h->n_drives; i++)
		if (strcmp(h->drives[i].id, id) == 0)
			return &h->drives[i];
	return NULL;
}

struct drive_past *history_at(struct history *h, const char *host, const char *bay)
{
	for (size_t i = 0; i < h->n_drives; i++) {
		struct drive_past *p = &h->drives[i];

		if (p->here && str_same(p->bay, bay) && str_same(p->host, host))
			return p;
	}
	return NULL;
}

struct drive_past *history_add_drive(struct history *h)
{
	struct drive_past *p;

	h->drives = mem_grow(h->drives, h->n_drives, sizeof *h->drives);
	p = &h->drives[h->n_drives++];
	*p = (struct drive_past){.busy_at_ms = -1, .media_rose_at_ms = -1};
	for (size_t i = 0; i < FLAP_CHANGES; i++)
		p->changed_at_ms[i] = -1;
	return p;
}

struct target_past *history_target(struct history *h, const char *name)
{
	struct target_past *t;

	for (size_t i = 0; i < h->n_targets; i++)
		if (strcmp(h->targets[i].name, name) == 0)
			return &h->targets[i];
	h->targets = mem_grow(h->targets, h->n_targets, sizeof *h->targets);
	t = &h->targets[h->n_targets++];
	*t = (struct target_past){.since_ms = h->steady_ms};
	str_copy(t->name, sizeof t->name, name);
	return t;
}

bool bay_holds_drive(const struct bay *b)
{
	return b->has_drive && b->present != TRI_NO;
}

bool history_just_lost(const struct history *h, const char *host, const char *bay)
{
	for (size_t i = 0; i < h->n_drives; i++) {
		const struct drive_past *p = &h->drives[i];

		if (p->lost && h->steady_ms - p->seen_at_ms <= LOST_KEPT_MS &&
			str_same(p->bay, bay) && str_same(p->host, host))
			return true;
	}
	return false;
}

/* ---- evidence ---- */

static int lower_known(int a, int b)
{
	if (!a || !b)
		return a ? a : b;
	return a < b ? a : b;
}

/* The remembered drive that a bay's raw reading speaks of: by serial, else by place. */
static const struct drive_past *past_of(const struct history *h, const struct bay *b)
{
	bool readable = drive_serial_identifies(b->drive.serial);

	for (size_t i = 0; i < h->n_drives; i++) {
		const struct drive_past *p = &h->drives[i];
		bool in_place = str_same(p->bay, b->bay) && str_same(p->host, b->host);

		if (p->here && (in_place || !p->by_place) &&
			(readable ? str_same(p->serial, b->drive.serial) : in_place))
			return p;
	}
	return NULL;
}

/* I/O since the last poll makes it busy, also if nothing is in flight just now. */
static void support_busy(const struct drive_past *p, struct bay *b)
{
	int more;

	if (b->busy == TRI_YES || !p->io_done.known || !b->io_done.known)
		return;
	more = count_compare(b->io_done, p->io_done);
	if (more > 0)
		b->busy = TRI_YES;
	else if (more == 0)
		b->busy = TRI_NO;
}

void history_support(const struct history *h, struct inventory *now)
{
	for (size_t i = 0; i < now->n_bays; i++) {
		struct bay *b = &now->bays[i];
		const struct drive_past *p = b->has_drive ? past_of(h, b) : NULL;
		int achievable_mtps =
			lower_known(b->link.max.speed_mtps, b->link.slot.speed_mtps);

		if (!p)
			continue;
		support_busy(p, b);
		if (achievable_mtps && p->busy_at_ms >= 0 &&
			h->steady_ms - p->busy_at_ms <= EVIDENCE_MS &&
			p->busy_link.speed_mtps >= achievable_mtps &&
			str_same(p->bay, b->bay))
			b->seen_fast_while_busy = true;
	}
}

/* ---- what no source could tell in this round ---- */

static struct bay *bay_of(struct inventory *inv, const char *host, const char *bay)
{
	for (size_t i = 0; i < inv->n_bays; i++)
		if (str_same(inv->bays[i].bay, bay) && str_same(inv->bays[i].host, host))
			return &inv->bays[i];
	return NULL;
}

static bool is_elsewhere(const struct inventory *now, const struct bay *b)
{
	for (size_t i = 0; i < now->n_bays; i++) {
		const struct bay *o = &now->bays[i];

		if (bay_holds_drive(o) && !(b->notes & NOTE_DUPLICATE_SERIAL) &&
			drive_same(&o->drive, &b->drive))
			return true;
	}
	return false;
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

/* A service that listed drives and now answers with none at all is most likely still
 * starting. */
static bool list_vanished(const struct inventory *now, const struct target *t)
{
	if (t->kind != TARGET_REDFISH)
		return false;
	for (size_t i = 0; i < now->n_bays; i++) {
		const struct bay *b = &now->bays[i];

		if (!b->stale && is_source(b, t->name) &&
			(bay_holds_drive(b) || (b->present == TRI_NO && !b->expected)))
			return false;
	}
	return true;
}

static enum telling target_tells(const struct inventory *now, const struct target *t)
{
	if (t->verdict != TARGET_OK)
		return TELLS_NOTHING;
	if (t->power == TRI_NO)
		return TELLS_HOST_OFF;
	return t->partial || list_vanished(now, t) ? TELLS_IN_PART : TELLS_ALL;
}

/* The target that can tell most of a bay: of its sources, else of all of its host; NULL
 * if there is none. */
static const struct target *best_target(const struct inventory *now, const struct bay *b,
	bool only_sources, enum telling *tells)
{
	const struct target *best = NULL;

	for (size_t i = 0; i < now->n_targets; i++) {
		const struct target *t = &now->targets[i];
		enum telling how = target_tells(now, t);

		if (!str_same(t->host, b->host) || t->kind == TARGET_ZFS ||
			(only_sources && !is_source(b, t->name)))
			continue;
		if (!best || how > *tells) {
			best = t;
			*tells = how;
		}
	}
	return best;
}

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

/* Puts a bay among those of its host in natural order, over the one of that name if there
 * is one. */
static void put_bay(struct inventory *inv, const struct bay *b)
{
	struct bay *there = bay_of(inv, b->host, b->bay);
	size_t at = inv->n_bays;
	bool of_host = false;

	if (there) {
		bool expected = there->expected;

		*there = *b;
		there->expected = expected || b->expected;
		return;
	}
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

static void put_empty(
	struct inventory *inv, const struct target *t, const char *host, const char *bay)
{
	struct bay b = bay_unknown(t->name, host, bay);
	const struct verdict_input in = {
		.reachable = true, .was_present = true, .pcie = true};

	b.present = TRI_NO;
	b.observed_wall_ms = inv->collected_wall_ms;
	b.judged = verdict_reach(&in);
	put_bay(inv, &b);
}

static bool held_back(struct history *h, const struct bay *b)
{
	struct drive_past *p = history_at(h, b->host, b->bay);

	return b->has_drive && p && ++p->missed < MISSED_POLLS_MAX;
}

static void carry_bay(struct history *h, const struct bay *b, struct inventory *now)
{
	enum telling tells = TELLS_NOTHING;
	const struct target *t = best_target(now, b, true, &tells);
	const struct bay *there = bay_of(now, b->host, b->bay);
	struct bay kept = *b;

	if (!t)
		t = best_target(now, b, false, &tells);
	if (!t || (there && bay_holds_drive(there)) ||
		(b->has_drive && is_elsewhere(now, b)))
		return;
	if (tells == TELLS_IN_PART &&
		((there && there->present == TRI_NO && !there->expected) ||
			!held_back(h, b)))
		tells = TELLS_ALL;
	if (tells == TELLS_ALL) {
		if (b->has_drive && !there)
			put_empty(now, t, b->host, b->bay);
		return;
	}
	judge_stale(&kept, t, tells);
	put_bay(now, &kept);
}

void history_carry(
	struct history *h, const struct bay *last, size_t n_last, struct inventory *now)
{
	for (size_t i = 0; i < n_last; i++)
		carry_bay(h, &last[i], now);
	for (size_t i = 0; i < h->n_drives; i++) {
		const struct drive_past *p = &h->drives[i];
		const struct bay b = bay_unknown(p->target, p->host, p->bay);
		enum telling tells = TELLS_NOTHING;
		const struct target *t;

		if (!p->lost || h->steady_ms - p->seen_at_ms > LOST_KEPT_MS ||
			bay_of(now, p->host, p->bay))
			continue;
		t = best_target(now, &b, false, &tells);
		if (t && tells == TELLS_ALL)
			put_empty(now, t, p->host, p->bay);
	}
}
