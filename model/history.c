/* SPDX-License-Identifier: MIT */
/* history: see history.h. */
#include "model/history.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

const char *const past_counter_words[PAST_COUNTERS] = {
	[PAST_BYTES_WRITTEN] = "bytes_written",
	[PAST_BYTES_READ] = "bytes_read",
	[PAST_POWER_ON_HOURS] = "power_on_hours",
	[PAST_POWER_CYCLES] = "power_cycles",
	[PAST_UNSAFE_SHUTDOWNS] = "unsafe_shutdowns",
	[PAST_MEDIA_ERRORS] = "media_errors",
};

/* Smaller steps are the clock being set right, and nobody's concern. */
enum { JUMP_MIN_MS = 30 * 1000 };

void history_init(struct history *h)
{
	*h = (struct history){0};
}

void history_release(struct history *h)
{
	free(h->drives);
	free(h->targets);
	free(h->pools);
	lookup_release(&h->by_place);
	lookup_release(&h->by_serial);
	lookup_release(&h->by_id);
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

void history_index(struct history *h)
{
	lookup_clear(&h->by_place);
	lookup_clear(&h->by_serial);
	lookup_clear(&h->by_id);
	for (size_t i = 0; i < h->n_drives; i++) {
		const struct drive_past *p = &h->drives[i];
		char serial[sizeof p->serial];

		drive_serial_key(p->serial, serial, sizeof serial);
		lookup_add(&h->by_place, p->host, p->bay);
		lookup_add(&h->by_serial, serial, "");
		lookup_add(&h->by_id, p->id, "");
	}
}

struct drive_past *history_find(struct history *h, const char *id)
{
	for (size_t i = lookup_first(&h->by_id, id, ""); i != LOOKUP_END;
		i = lookup_next(&h->by_id, i))
		if (strcmp(h->drives[i].id, id) == 0)
			return &h->drives[i];
	return NULL;
}

static bool in_place(const struct drive_past *p, const char *host, const char *bay)
{
	return str_same(p->bay, bay) && str_same(p->host, host);
}

struct drive_past *history_at(struct history *h, const char *host, const char *bay)
{
	for (size_t i = lookup_first(&h->by_place, host, bay); i != LOOKUP_END;
		i = lookup_next(&h->by_place, i))
		if (h->drives[i].here && in_place(&h->drives[i], host, bay))
			return &h->drives[i];
	return NULL;
}

struct drive_past *history_add_drive(struct history *h)
{
	struct drive_past *p;

	h->drives = mem_grow(h->drives, h->n_drives, sizeof *h->drives);
	p = &h->drives[h->n_drives++];
	*p = (struct drive_past){.busy_at_ms = -1,
		.media_rose_at_ms = -1,
		.came_at_ms = -1,
		.throughput = throughput_unknown()};
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
	for (size_t i = lookup_first(&h->by_place, host, bay); i != LOOKUP_END;
		i = lookup_next(&h->by_place, i)) {
		const struct drive_past *p = &h->drives[i];

		if (p->lost && h->steady_ms - p->seen_at_ms <= LOST_KEPT_MS &&
			in_place(p, host, bay))
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

/* The remembered drive that a bay speaks of: by serial, else by place. */
static const struct drive_past *past_of(const struct history *h, const struct bay *b)
{
	char serial[sizeof b->drive.serial];
	const struct lookup *l;
	size_t i;

	drive_serial_key(b->drive.serial, serial, sizeof serial);
	l = serial[0] ? &h->by_serial : &h->by_place;
	i = serial[0] ? lookup_first(l, serial, "") : lookup_first(l, b->host, b->bay);
	for (; i != LOOKUP_END; i = lookup_next(l, i)) {
		const struct drive_past *p = &h->drives[i];
		bool here = in_place(p, b->host, b->bay);

		if (p->here && (here || !p->by_place) &&
			(serial[0] ? str_same(p->serial, b->drive.serial) : here))
			return p;
	}
	return NULL;
}

/* I/O since the last poll makes it busy, also if nothing is in flight just now. */
static void support_busy(const struct drive_past *p, struct bay *b, bool fresh)
{
	int more;

	if (b->busy == TRI_YES || !p->io_done.known || !b->io_done.known)
		return;
	more = count_compare(b->io_done, p->io_done);
	if (more > 0)
		b->busy = TRI_YES;
	else if (more == 0 && fresh)
		b->busy = TRI_NO;
}

/*
 * What a source has not read anew since it was last asked moved what was said then: sources are
 * polled each in their own time.
 */
static void support_throughput(const struct drive_past *p, struct bay *b)
{
	if (b->stale)
		b->throughput = throughput_unknown();
	else if (p && b->io.known && p->io.known && b->io.at_mono_ms == p->io.at_mono_ms &&
		 b->io.series == p->io.series)
		b->throughput = p->throughput;
	else if (p && b->io.known)
		b->throughput =
			throughput_between(&p->io, &b->io, throughput_link(b));
}

void history_support(struct history *h, struct inventory *now)
{
	history_index(h);
	for (size_t i = 0; i < now->n_bays; i++) {
		struct bay *b = &now->bays[i];
		const struct drive_past *p = b->has_drive ? past_of(h, b) : NULL;
		int achievable_mtps =
			lower_known(b->link.max.speed_mtps, b->link.slot.speed_mtps);

		support_throughput(p, b);
		if (!p)
			continue;
		support_busy(p, b, inventory_fresh(now, b));
		if (achievable_mtps && p->busy_at_ms >= 0 &&
			h->steady_ms - p->busy_at_ms <= EVIDENCE_MS &&
			p->busy_link.speed_mtps >= achievable_mtps &&
			str_same(p->bay, b->bay))
			b->seen_fast_while_busy = true;
	}
}
