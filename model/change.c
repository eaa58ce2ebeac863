/* SPDX-License-Identifier: MIT */
/* change: see change.h. */
#include "model/change.h"

#include "base/mem.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making events ---- */

/* The serial goes by what is remembered: a glitch of one poll does not hide which drive
 * it is. */
static struct event *of_drive(struct events *ev, const struct history *h,
	const struct drive_past *p, enum event_type type, enum severity severity)
{
	struct event *e = events_add(ev, h->wall_ms, type, severity);

	str_copy(e->target, sizeof e->target, p->target);
	str_copy(e->host, sizeof e->host, p->host);
	str_copy(e->bay, sizeof e->bay, p->bay);
	str_copy(e->serial, sizeof e->serial, p->serial);
	return e;
}

static void from_to(struct event *e, const char *from, const char *to)
{
	str_copy(e->from, sizeof e->from, from ? from : "");
	str_copy(e->to, sizeof e->to, to ? to : "");
}

__attribute__((format(printf, 2, 3))) static void say(
	struct event *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->message, sizeof e->message, fmt, ap);
	va_end(ap);
}

static const char *name_of(const struct drive_past *p)
{
	return p->serial[0] ? p->serial : "without a usable serial number";
}

void change_clock_jumped(const struct history *h, int64_t jump_ms, struct events *ev)
{
	struct event *e = events_add(ev, h->wall_ms, EVENT_CLOCK_JUMP, SEVERITY_WARNING);

	say(e,
		"the wall clock jumped %s by %" PRId64
		" s; durations and rates are counted without it",
		jump_ms < 0 ? "back" : "ahead",
		(jump_ms < 0 ? -jump_ms : jump_ms) / 1000);
}

/* ---- targets ---- */

static void reconcile_target(struct history *h, const struct target *t, struct events *ev)
{
	struct target_past *p = history_target(h, t->name);
	enum target_verdict before = p->verdict;
	struct event *e;

	if (t->verdict == TARGET_UNKNOWN || t->verdict == before)
		return;
	p->verdict = t->verdict;
	p->since_ms = h->steady_ms;
	if (t->verdict == TARGET_OK && before == TARGET_UNKNOWN)
		return;
	e = t->verdict == TARGET_OK
		    ? events_add(ev, h->wall_ms, EVENT_TARGET_RECOVERED, SEVERITY_INFO)
		    : events_add(
			      ev, h->wall_ms, EVENT_TARGET_UNREACHABLE, SEVERITY_WARNING);
	str_copy(e->target, sizeof e->target, t->name);
	str_copy(e->host, sizeof e->host, t->host);
	from_to(e, target_verdict_word(before), target_verdict_word(t->verdict));
	if (t->verdict == TARGET_OK)
		say(e, "%s answers again", t->name);
	else
		say(e, "%s does not answer: %s", t->name,
			t->message[0] ? t->message
			: t->reason   ? reason_word(t->reason)
				      : "reason not known");
}

/* ---- which drive is which ---- */

static bool duplicate(const struct bay *b)
{
	return b->notes & NOTE_DUPLICATE_SERIAL;
}

static bool identifies(const struct bay *b)
{
	return drive_serial_identifies(b->drive.serial) && !duplicate(b);
}

/* Could it be that model, as far as the models tell? */
static bool models_agree(const struct drive_past *p, const struct bay *b)
{
	struct drive was = {.serial = "SAME1"}, now = {.serial = "SAME1"};

	str_copy(was.model, sizeof was.model, p->model);
	str_copy(now.model, sizeof now.model, b->drive.model);
	return drive_same(&was, &now);
}

static bool same_drive(const struct drive_past *p, const struct bay *b)
{
	struct drive was = {0};

	str_copy(was.serial, sizeof was.serial, p->serial);
	str_copy(was.model, sizeof was.model, p->model);
	return drive_same(&was, &b->drive);
}

/* A drive that stayed: the same serial in the same place, or one of the two serials could
 * not be read. */
static struct drive_past *match_in_place(struct history *h, const struct bay *b)
{
	struct drive_past *lost = NULL;

	for (size_t i = lookup_first(&h->by_place, b->host, b->bay); i != LOOKUP_END;
		i = lookup_next(&h->by_place, i)) {
		struct drive_past *p = &h->drives[i];
		bool readable = drive_serial_identifies(p->serial) &&
				drive_serial_identifies(b->drive.serial);

		if (p->matched || !str_same(p->bay, b->bay) ||
			!str_same(p->host, b->host))
			continue;
		if (readable ? !same_drive(p, b) : !models_agree(p, b))
			continue;
		if (p->here)
			return p;
		if (readable || (!drive_serial_identifies(p->serial) && p->lost))
			lost = p;
	}
	return lost;
}

static struct drive_past *match_anywhere(struct history *h, const struct bay *b)
{
	char serial[sizeof b->drive.serial];
	struct drive_past *gone = NULL;

	if (!identifies(b))
		return NULL;
	drive_serial_key(b->drive.serial, serial, sizeof serial);
	for (size_t i = lookup_first(&h->by_serial, serial, ""); i != LOOKUP_END;
		i = lookup_next(&h->by_serial, i)) {
		struct drive_past *p = &h->drives[i];

		if (p->matched || p->by_place || !same_drive(p, b))
			continue;
		if (p->here)
			return p;
		gone = p;
	}
	return gone;
}

static void name_new(struct history *h, struct drive_past *p, const struct bay *b)
{
	char place[sizeof b->host + sizeof b->bay + 16];
	struct drive d = b->drive;

	snprintf(place, sizeof place, "%s/%s", b->host, b->bay);
	p->by_place = !identifies(b);
	if (p->by_place)
		drive_name_place(&d, place);
	else
		drive_name(&d, place);
	/* the name may be that of another one that was here, or has the same serial */
	for (int again = 2; history_find(h, d.id); again++) {
		snprintf(place, sizeof place, "%s/%s/%d", b->host, b->bay, again);
		drive_name_place(&d, place);
	}
	str_copy(p->id, sizeof p->id, d.id);
	p->first_seen_wall_ms = h->wall_ms;
}

/* ---- one drive, then and now ---- */

static void forget_link(struct drive_past *p)
{
	p->link = (struct pcie_rate){0};
	p->changes = 0;
	p->flapping = false;
	p->verdict = VERDICT_NONE;
	p->busy_at_ms = -1;
	for (size_t i = 0; i < FLAP_CHANGES; i++)
		p->changed_at_ms[i] = -1;
}

static void link_moved(struct history *h, struct drive_past *p, struct events *ev)
{
	const int64_t *t = p->changed_at_ms;

	p->changes++;
	memmove(&p->changed_at_ms[1], &p->changed_at_ms[0],
		(FLAP_CHANGES - 1) * sizeof p->changed_at_ms[0]);
	p->changed_at_ms[0] = h->steady_ms;
	if (p->flapping || t[FLAP_CHANGES - 1] < 0 ||
		h->steady_ms - t[FLAP_CHANGES - 1] > FLAP_WINDOW_MS)
		return;
	p->flapping = true;
	say(of_drive(ev, h, p, EVENT_LINK_FLAPPING, SEVERITY_WARNING),
		"the link of bay %s is flapping: %d changes within %d minutes; more are "
		"counted, not told one by one",
		p->bay, FLAP_CHANGES,
		(int)((h->steady_ms - t[FLAP_CHANGES - 1]) / 60000));
}

/* Do they differ where both are known? */
static bool link_differs(struct pcie_rate a, struct pcie_rate b)
{
	return (a.speed_mtps && b.speed_mtps && a.speed_mtps != b.speed_mtps) ||
	       (a.width_lanes && b.width_lanes && a.width_lanes != b.width_lanes);
}

static bool link_worse(struct pcie_rate now, struct pcie_rate was)
{
	return (now.speed_mtps && now.speed_mtps < was.speed_mtps) ||
	       (now.width_lanes && now.width_lanes < was.width_lanes);
}

static void rate_text(struct pcie_rate r, char *out, size_t size)
{
	if (r.width_lanes)
		snprintf(out, size, "%s GT/s x%d", pcie_speed_text(r.speed_mtps),
			r.width_lanes);
	else
		snprintf(out, size, "%s GT/s", pcie_speed_text(r.speed_mtps));
}

static void compare_link(
	struct history *h, struct drive_past *p, const struct bay *b, struct events *ev)
{
	struct pcie_rate now = b->link.now, was = p->link;
	struct event *e;

	/* lower speed to save power is no change of the link */
	if (b->judged.verdict == VERDICT_POWER_SAVING)
		return;
	if (now.speed_mtps)
		p->link.speed_mtps = now.speed_mtps;
	if (now.width_lanes)
		p->link.width_lanes = now.width_lanes;
	if (!link_differs(now, was))
		return;
	if (!p->flapping) {
		e = of_drive(ev, h, p, EVENT_LINK_CHANGED,
			link_worse(now, was) ? SEVERITY_WARNING : SEVERITY_INFO);
		rate_text(was, e->from, sizeof e->from);
		rate_text(p->link, e->to, sizeof e->to);
		say(e, "the link of bay %s went from %s to %s", p->bay, e->from, e->to);
	}
	link_moved(h, p, ev);
}

static bool saving_power(enum verdict a, enum verdict b)
{
	return (a == VERDICT_POWER_SAVING && b == VERDICT_OK) ||
	       (a == VERDICT_OK && b == VERDICT_POWER_SAVING);
}

static enum severity verdict_severity(enum verdict v)
{
	if (verdict_degraded(v))
		return SEVERITY_CRITICAL;
	return v == VERDICT_BELOW_POLICY || v == VERDICT_ABSENT ? SEVERITY_WARNING
								: SEVERITY_INFO;
}

static void compare_verdict(
	struct history *h, struct drive_past *p, const struct bay *b, struct events *ev)
{
	enum verdict was = p->verdict, now = b->judged.verdict;
	struct event *e;

	p->verdict = now;
	if (was == VERDICT_NONE || was == now || saving_power(was, now) || p->flapping)
		return;
	e = of_drive(ev, h, p, EVENT_VERDICT_CHANGED, verdict_severity(now));
	from_to(e, verdict_word(was), verdict_word(now));
	say(e, "bay %s: %s, was %s%s%.150s", p->bay, e->to, e->from,
		b->judged.message[0] ? "; " : "", b->judged.message);
}

static void compare_state(
	struct history *h, struct drive_past *p, const struct bay *b, struct events *ev)
{
	enum drive_state was = p->state;

	if (b->drive.state == DRIVE_STATE_UNKNOWN || b->drive.state == was)
		return;
	p->state = b->drive.state;
	if (p->state == DRIVE_DEAD)
		say(of_drive(ev, h, p, EVENT_DRIVE_DEAD, SEVERITY_CRITICAL),
			"drive %s in bay %s is dead", name_of(p), p->bay);
	if (p->state == DRIVE_NOT_ANSWERING)
		say(of_drive(ev, h, p, EVENT_DRIVE_NOT_ANSWERING, SEVERITY_CRITICAL),
			"drive %s in bay %s does not answer", name_of(p), p->bay);
}

static void read_counters(const struct bay *b, struct count c[PAST_COUNTERS])
{
	c[PAST_BYTES_WRITTEN] = b->wear.bytes_written;
	c[PAST_BYTES_READ] = b->wear.bytes_read;
	c[PAST_POWER_ON_HOURS] = b->health.power_on_hours;
	c[PAST_POWER_CYCLES] = b->health.power_cycles;
	c[PAST_UNSAFE_SHUTDOWNS] = b->health.unsafe_shutdowns;
	c[PAST_MEDIA_ERRORS] = b->health.media_errors;
}

static void tell_reset(struct history *h, const struct drive_past *p, size_t counter,
	struct count was, struct count now, struct events *ev)
{
	struct event *e = of_drive(ev, h, p, EVENT_COUNTER_RESET, SEVERITY_INFO);
	char a[COUNT_TEXT_MAX], z[COUNT_TEXT_MAX];

	from_to(e, count_text(was, a), count_text(now, z));
	say(e, "%s of drive %s went back from %s to %s", past_counter_words[counter],
		name_of(p), a, z);
}

/* One event a poll, however many counters went back. `comparable`: the same sources saw
 * it before. */
static void compare_counters(struct history *h, struct drive_past *p, const struct bay *b,
	bool comparable, struct events *ev)
{
	struct count now[PAST_COUNTERS];
	bool told = !comparable;

	read_counters(b, now);
	for (size_t i = 0; i < PAST_COUNTERS; i++) {
		struct count was = p->counters[i];

		if (!now[i].known)
			continue;
		p->counters[i] = now[i];
		if (!was.known)
			continue;
		if (i == PAST_MEDIA_ERRORS && comparable &&
			count_compare(now[i], was) > 0)
			p->media_rose_at_ms = h->steady_ms;
		if (!told && count_compare(now[i], was) < 0) {
			tell_reset(h, p, i, was, now[i], ev);
			told = true;
		}
	}
}

static void compare_firmware(struct history *h, struct drive_past *p, const struct bay *b,
	bool comparable, struct events *ev)
{
	struct event *e;

	if (!b->drive.firmware[0])
		return;
	if (comparable && p->firmware[0] && !str_same(p->firmware, b->drive.firmware)) {
		e = of_drive(ev, h, p, EVENT_FIRMWARE_CHANGED, SEVERITY_INFO);
		from_to(e, p->firmware, b->drive.firmware);
		say(e, "drive %s in bay %s now runs firmware %s, was %s", name_of(p),
			p->bay, e->to, e->from);
	}
	str_copy(p->firmware, sizeof p->firmware, b->drive.firmware);
}

static void sources_text(const struct bay *b, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < b->drive.n_sources && len < size; i++)
		len += (size_t)snprintf(
			out + len, size - len, "%s%s", i ? "," : "", b->drive.sources[i]);
}

/* What is remembered of it whatever happened. */
static void remember(struct history *h, struct drive_past *p, struct bay *b)
{
	if (identifies(b))
		p->by_place = false;
	if (identifies(b) || !p->serial[0])
		str_copy(p->serial, sizeof p->serial, b->drive.serial);
	if (b->drive.model[0])
		str_copy(p->model, sizeof p->model, b->drive.model);
	sources_text(b, p->sources, sizeof p->sources);
	str_copy(p->target, sizeof p->target, b->target);
	p->seen_at_ms = h->steady_ms;
	p->seen_wall_ms = h->wall_ms;
	p->missed = 0;
	p->here = true;
	p->lost = false;
	p->io_done = b->io_done;
	if (b->io.known) {
		p->io = b->io;
		p->throughput = b->throughput;
	}
	if (b->busy == TRI_YES && b->link.now.speed_mtps) {
		p->busy_link = b->link.now;
		p->busy_at_ms = h->steady_ms;
	}
}

/* Compares what both times tell, and gives the bay what only the past knows. */
static void compare(struct history *h, const struct wear_limits *limits,
	struct drive_past *p, struct bay *b, struct events *ev)
{
	char sources[sizeof p->sources];
	bool comparable;

	sources_text(b, sources, sizeof sources);
	comparable = str_same(sources, p->sources);
	if (p->flapping && h->steady_ms - p->changed_at_ms[0] >= FLAP_QUIET_MS)
		p->flapping = false;
	compare_firmware(h, p, b, comparable, ev);
	compare_counters(h, p, b, comparable, ev);
	compare_state(h, p, b, ev);
	compare_link(h, p, b, ev);
	compare_verdict(h, p, b, ev);
	remember(h, p, b);
	str_copy(b->drive.id, sizeof b->drive.id, p->id);
	b->link.changes = p->changes;
	b->media_errors_rising = p->media_rose_at_ms >= 0 &&
				 h->steady_ms - p->media_rose_at_ms < EVIDENCE_MS;
	if (b->media_errors_rising)
		wear_assess(&b->wear, &b->health, b->wear_limits.critical_percent > 0 ? &b->wear_limits : limits,
			b->wear_unread, true);
}

/* ---- places ---- */

static void settle(struct history *h, struct drive_past *p, const struct bay *b)
{
	/* the bay is filled again: nobody is missed there */
	for (size_t i = lookup_first(&h->by_place, b->host, b->bay); i != LOOKUP_END;
		i = lookup_next(&h->by_place, i))
		if (str_same(h->drives[i].bay, b->bay) &&
			str_same(h->drives[i].host, b->host))
			h->drives[i].lost = false;

	str_copy(p->bay, sizeof p->bay, b->bay);
	str_copy(p->host, sizeof p->host, b->host);
	str_copy(p->target, sizeof p->target, b->target);
}

static void arrived(
	struct history *h, struct drive_past *p, const struct bay *b, struct events *ev)
{
	struct event *e;

	settle(h, p, b);
	e = of_drive(ev, h, p, EVENT_DRIVE_ADDED, SEVERITY_INFO);
	from_to(e, NULL, p->bay);
	say(e, "drive %s (%s) is in bay %s", name_of(p),
		p->model[0] ? p->model : "model not known", p->bay);
}

static void moved(
	struct history *h, struct drive_past *p, const struct bay *b, struct events *ev)
{
	bool other_host = !str_same(p->host, b->host);
	char from[sizeof p->host + sizeof p->bay + 2];
	struct event *e;

	snprintf(from, sizeof from, "%s%s%s", other_host ? p->host : "",
		other_host ? "/" : "", p->bay);
	str_copy(p->came_from, sizeof p->came_from, other_host ? "" : p->bay);
	p->came_verdict = p->verdict;
	p->came_at_ms = other_host ? -1 : h->steady_ms;
	forget_link(p);
	settle(h, p, b);
	e = of_drive(ev, h, p, EVENT_DRIVE_MOVED, SEVERITY_INFO);
	from_to(e, from, p->bay);
	say(e, "drive %s moved from bay %s to bay %s", name_of(p), from, p->bay);
}

static void replaced(struct history *h, struct drive_past *old, struct drive_past *p,
	const struct bay *b, struct events *ev)
{
	struct event *e;

	old->here = false;
	settle(h, p, b);
	e = of_drive(ev, h, p, EVENT_DRIVE_REPLACED, SEVERITY_INFO);
	from_to(e, old->serial, p->serial);
	say(e, "bay %s: drive %s replaced by %s", p->bay, name_of(old), name_of(p));
}

/* A drive that was away: back in its bay it is added, in another one it moved. */
static void back(
	struct history *h, struct drive_past *p, const struct bay *b, struct events *ev)
{
	arrived(h, p, b, ev);
	p->verdict = VERDICT_NONE;
	link_moved(h, p, ev); /* falling off the bus and coming back, again and again, is
				 flapping too */
}

static ptrdiff_t new_drive(struct history *h, const struct bay *b)
{
	struct drive_past *p = history_add_drive(h);
	char key[sizeof p->serial];

	name_new(h, p, b);
	str_copy(p->serial, sizeof p->serial, b->drive.serial);
	str_copy(p->model, sizeof p->model, b->drive.model);
	p->matched = true;
	drive_serial_key(p->serial, key, sizeof key);
	lookup_add(&h->by_place, b->host, b->bay);
	lookup_add(&h->by_serial, key, "");
	lookup_add(&h->by_id, p->id, "");
	return p - h->drives;
}

enum { NO_MATCH = -1, MATCH_PASSES = 3 };

static struct drive_past *match_bay(struct history *h, const struct bay *b, int pass)
{
	struct drive_past *p;

	if (b->stale != (pass == 2))
		return NULL;
	if (pass < 2)
		return pass == 0 ? match_in_place(h, b) : match_anywhere(h, b);
	p = history_at(h, b->host, b->bay);
	return p && !p->matched ? p : NULL;
}

/* Which drive of the past each bay holds, as an index, for adding drives moves them;
 * NO_MATCH where none does. */
static ptrdiff_t *match(struct history *h, const struct inventory *now)
{
	ptrdiff_t *of = mem_new(now->n_bays, sizeof *of);

	/* where nothing was told, drives are where they were seen */
	for (size_t i = 0; i < h->n_drives; i++) {
		bool rests = inventory_rests(now, h->drives[i].host);

		h->drives[i].stale |= !rests; /* until it is seen */
		if (!rests)
			h->drives[i].told_at_ms = h->steady_ms;
		h->drives[i].matched = h->drives[i].here && rests && !h->drives[i].stale;
	}
	for (size_t i = 0; i < now->n_bays; i++)
		of[i] = NO_MATCH;
	/* those that stayed come first: a serial number that two drives share moves nobody; last
	 * those that are not seen now */
	for (int pass = 0; pass < MATCH_PASSES; pass++)
		for (size_t i = 0; i < now->n_bays; i++) {
			struct drive_past *p;

			if (of[i] != NO_MATCH || !bay_holds_drive(&now->bays[i]))
				continue;
			p = match_bay(h, &now->bays[i], pass);
			if (!p)
				continue;
			p->matched = true;
			of[i] = p - h->drives;
		}
	return of;
}

static bool is_asked(const struct inventory *now, const char *host)
{
	for (size_t i = 0; i < now->n_targets; i++)
		if (str_same(now->targets[i].host, host))
			return true;
	return false;
}

/* Drives that are nowhere now although their host was asked; those of a host that is
 * asked no more are only forgotten. */
static void gone(struct history *h, const struct inventory *now, struct events *ev)
{
	history_index(h); /* drives have moved */
	for (size_t i = 0; i < h->n_drives; i++) {
		struct drive_past *p = &h->drives[i];
		struct event *e;

		if (!p->here || p->matched || !is_asked(now, p->host) || inventory_rests(now, p->host))
			continue;
		p->here = false;
		p->lost = !history_at(h, p->host, p->bay);
		p->state = DRIVE_STATE_UNKNOWN;
		e = of_drive(ev, h, p, EVENT_DRIVE_REMOVED, SEVERITY_WARNING);
		from_to(e, p->bay, NULL);
		say(e, "drive %s is no longer in bay %s", name_of(p), p->bay);
	}
}

static void reconcile_bay(struct history *h, struct drive_past *p, bool is_new,
	struct bay *b, struct events *ev)
{
	struct drive_past *old = history_at(h, b->host, b->bay);

	if (is_new && old && !old->matched)
		replaced(h, old, p, b, ev);
	else if (is_new)
		arrived(h, p, b, ev);
	else if (!str_same(p->bay, b->bay) || !str_same(p->host, b->host))
		moved(h, p, b, ev);
	else if (!p->here)
		back(h, p, b, ev);
}

/* ---- pools ---- */

static struct pool_past *pool_past(struct history *h, const struct pool *p)
{
	struct pool_past *past;

	for (size_t i = 0; i < h->n_pools; i++)
		if (str_same(h->pools[i].name, p->name) && str_same(h->pools[i].host, p->host))
			return &h->pools[i];
	h->pools = mem_grow(h->pools, h->n_pools, sizeof *h->pools);
	past = &h->pools[h->n_pools++];
	*past = (struct pool_past){0};
	str_copy(past->host, sizeof past->host, p->host);
	str_copy(past->name, sizeof past->name, p->name);
	return past;
}

static struct event *pool_event(struct history *h, struct events *ev,
	enum severity severity, const struct pool_past *past, enum pool_state now)
{
	struct event *e = events_add(ev, h->wall_ms, EVENT_POOL_CHANGED, severity);

	str_copy(e->target, sizeof e->target, past->target);
	str_copy(e->host, sizeof e->host, past->host);
	from_to(e, pool_state_word(past->state), pool_state_word(now));
	return e;
}

static void reconcile_pool(struct history *h, const struct pool *p, struct events *ev)
{
	struct pool_past *past = pool_past(h, p);
	char text[192];

	past->listed = true;
	str_copy(past->target, sizeof past->target, p->target);
	if (p->stale || !p->state || p->state == past->state)
		return;
	if (past->state) {
		pool_trouble(p, text, sizeof text);
		say(pool_event(h, ev, pool_severity(p), past, p->state), "%s", text);
	}
	past->state = p->state;
}

/* A pool that its target no longer lists: exported, or destroyed. */
static void forget_pools(struct history *h, const struct inventory *now, struct events *ev)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->n_pools; i++) {
		struct pool_past *past = &h->pools[i];
		const struct target *t = inventory_target(now, past->target);

		if (!past->listed && t && t->verdict == TARGET_OK && !t->partial) {
			say(pool_event(h, ev, SEVERITY_WARNING, past, POOL_STATE_UNKNOWN),
				"pool %.64s is no longer listed", past->name);
			continue;
		}
		past->listed = false;
		h->pools[kept++] = *past;
	}
	h->n_pools = kept;
}

void change_reconcile(struct history *h, const struct wear_limits *limits,
	struct inventory *now, struct events *ev)
{
	ptrdiff_t n_before = (ptrdiff_t)h->n_drives, *of;

	history_index(h);
	of = match(h, now);
	for (size_t i = 0; i < now->n_targets; i++)
		reconcile_target(h, &now->targets[i], ev);
	for (size_t i = 0; i < now->n_bays; i++)
		if (of[i] == NO_MATCH && bay_holds_drive(&now->bays[i]) &&
			!now->bays[i].stale)
			of[i] = new_drive(h, &now->bays[i]);
	for (size_t i = 0; i < now->n_bays; i++) {
		struct bay *b = &now->bays[i];

		if (of[i] == NO_MATCH)
			continue;
		h->drives[of[i]].stale = b->stale;
		h->drives[of[i]].told_at_ms = h->steady_ms;
		if (b->stale)
			continue;
		reconcile_bay(h, &h->drives[of[i]], of[i] >= n_before, b, ev);
		compare(h, limits, &h->drives[of[i]], b, ev);
	}
	gone(h, now, ev);
	for (size_t i = 0; i < now->n_pools; i++)
		reconcile_pool(h, &now->pools[i], ev);
	forget_pools(h, now, ev);
	free(of);
}
