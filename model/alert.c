/* SPDX-License-Identifier: MIT */
/* alert: see alert.h. */
#include "model/alert.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/outlier.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MINUTE_MS = 60 * 1000, FORECAST_DAYS = 60 };

/* How long a cause must last before it is told, and be gone before it is over. */
struct patience {
	int64_t pending_ms, quiet_ms;
};

static struct patience patience_of(enum alert_kind k)
{
	switch (k) {
	case ALERT_LINK: /* a training link and a swap take their time */
	case ALERT_DRIVE_NOT_ANSWERING:
		return (struct patience){2 * MINUTE_MS, 2 * MINUTE_MS};
	case ALERT_ABSENT:
		return (struct patience){2 * MINUTE_MS, 0};
	case ALERT_HOST_UNREACHABLE: /* a restart of the BMC is no news */
		return (struct patience){5 * MINUTE_MS, 0};
	case ALERT_TEMPERATURE:
		return (struct patience){2 * MINUTE_MS, 5 * MINUTE_MS};
	case ALERT_FORECAST: /* the likely date moves with each day's writing */
		return (struct patience){24 * 60 * MINUTE_MS, 24 * 60 * MINUTE_MS};
	case ALERT_OUTLIER: /* a load that passes is no fault */
		return (struct patience){6 * 60 * MINUTE_MS, 60 * MINUTE_MS};
	case ALERT_KIND_UNKNOWN:
	case ALERT_WEAR:
	case ALERT_SPARE:
	case ALERT_MEDIA: /* history has the hysteresis of these two */
	case ALERT_FLAPPING:
	case ALERT_HEALTH:
	case ALERT_DRIVE_DEAD:
	case ALERT_POOL:
	case ALERT_STORE_FULL:
	case ALERT_RULE:
	case ALERT_HEARTBEAT:
	case ALERT_TEST:
		break;
	}
	return (struct patience){0, 0};
}

static int64_t pending_ms(const struct alert *a)
{
	return a->for_ms >= 0 ? a->for_ms : patience_of(a->kind).pending_ms;
}

/* What one evaluation carries around. */
struct round {
	struct alerts *alerts;
	const struct history *h;
	const struct wear_limits *limits;
	const struct inventory *now;
	const struct rules *rules;
	const struct alert_round *given;
	struct notices *out;
	struct lookup by_key;             /* of the alerts */
	struct lookup by_drive, by_place; /* of the bays */
};

void alerts_init(struct alerts *a)
{
	*a = (struct alerts){.next_id = 1};
}

void alerts_release(struct alerts *a)
{
	free(a->items);
	uplinks_release(&a->uplinks);
	alerts_init(a);
}

struct alert *alerts_add(struct alerts *a)
{
	struct alert *x;

	a->items = mem_grow(a->items, a->n, sizeof *a->items);
	x = &a->items[a->n++];
	*x = (struct alert){.id = a->next_id++,
		.resolved_wall_ms = CLOCK_NEVER,
		.silenced_until_wall_ms = CLOCK_NEVER,
		.quiet_ms = -1,
		.for_ms = -1};
	return x;
}

void alert_note_told(struct alert *a, const char *channel, int64_t at_wall_ms, bool ok)
{
	size_t keep = a->n_told < ALERT_TOLD_MAX ? a->n_told : ALERT_TOLD_MAX - 1;

	memmove(&a->told[1], &a->told[0], keep * sizeof a->told[0]);
	a->told[0] = (struct alert_told){.at_wall_ms = at_wall_ms, .ok = ok};
	str_copy(a->told[0].channel, sizeof a->told[0].channel, channel);
	a->n_told = keep + 1;
}

void alert_look_silent(struct alert *a, const struct silences *said, const struct silences *maintenance, int64_t wall_ms)
{
	const struct silence *one = silences_find(said, a, wall_ms), *other = silences_find(maintenance, a, wall_ms);

	if (!one || (other && silence_end(other, wall_ms) > silence_end(one, wall_ms)))
		one = other;
	a->silenced_until_wall_ms = one ? silence_end(one, wall_ms) : CLOCK_NEVER;
	str_copy(a->silenced_by, sizeof a->silenced_by, one ? one->by : "");
}

int alerts_status(const struct alerts *a)
{
	int worst = 0;

	for (size_t i = 0; i < a->n; i++) {
		int s = a->items[i].severity == SEVERITY_CRITICAL ? 2 : 1;

		if (a->items[i].state == ALERT_FIRING && s > worst)
			worst = s;
	}
	return worst;
}

/* ---- telling ---- */

/* FNV-1a over what makes a piece of news this one. */
static uint64_t news_hash(const struct alert *a)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (const char *s = a->key; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
	for (uint64_t t = (uint64_t)a->since_wall_ms; t; t >>= 8)
		h = (h ^ (t & 0xff)) * UINT64_C(1099511628211);
	return h;
}

static void duration_text(int64_t ms, char *out, size_t size)
{
	int64_t minutes = ms / MINUTE_MS;

	if (minutes < 120)
		snprintf(out, size, "%" PRId64 " min", minutes);
	else if (minutes < 48 * 60)
		snprintf(out, size, "%" PRId64 " h %" PRId64 " min", minutes / 60,
			minutes % 60);
	else
		snprintf(out, size, "%" PRId64 " days", minutes / (24 * 60));
}

static const char *group_of(const struct round *r, const struct alert *a)
{
	const char *group = r->given->group_of ? r->given->group_of(r->given->group_arg, a->target) : NULL;

	return group ? group : "";
}

static void tell(struct round *r, struct alert *a)
{
	struct notice *n = notices_add(r->out);

	if (a->state == ALERT_FIRING && a->notices > 0)
		n->severity_before = a->told_severity;
	if (a->state == ALERT_FIRING)
		a->told_severity = a->severity;
	n->alert_id = a->id;
	n->at_wall_ms = r->h->wall_ms;
	n->since_wall_ms = a->since_wall_ms;
	n->kind = a->kind;
	n->severity = a->told_severity; /* a receiver ends what it was told */
	n->state = a->state;
	str_copy(n->target, sizeof n->target, a->target);
	str_copy(n->host, sizeof n->host, a->host);
	str_copy(n->bay, sizeof n->bay, a->bay);
	str_copy(n->serial, sizeof n->serial, a->serial);
	str_copy(n->rule, sizeof n->rule, a->rule);
	str_copy(n->group, sizeof n->group, group_of(r, a));
	str_copy(n->message, sizeof n->message, a->message);
	snprintf(n->id, sizeof n->id, "%016" PRIx64 "-%d", news_hash(a), ++a->notices);
}

/* What fires and was not told, or not as severe as it is; nothing while it is silent. */
static bool is_owed(const struct alert *a)
{
	return a->state == ALERT_FIRING && a->silenced_until_wall_ms == CLOCK_NEVER &&
	       (a->notices == 0 || a->severity > a->told_severity);
}

/* All machines that do not answer are one group where the operator made none (notices_group). */
static const char *waits_with(const struct round *r, const struct alert *a)
{
	const char *group = group_of(r, a);

	return group[0] ? group : a->kind == ALERT_HOST_UNREACHABLE ? "" : a->host;
}

static bool waited(const struct round *r, const struct alert *a)
{
	return r->h->steady_ms - a->since_ms - pending_ms(a) >= r->given->group_wait_ms || a->notices > 0;
}

static bool listed(const struct lookup *l, const char *const *names, const char *name)
{
	for (size_t i = lookup_first(l, name, ""); i != LOOKUP_END; i = lookup_next(l, i))
		if (str_same(names[i], name))
			return true;
	return false;
}

/* Whoever of a group waited long enough takes the others along. */
static void tell_owed(struct round *r)
{
	struct lookup ready = {0};
	size_t n = r->alerts->n, n_ready = 0;
	bool *owed = mem_new(n, sizeof *owed);
	const char **names = mem_new(n, sizeof *names);

	for (size_t i = 0; i < n; i++) {
		const struct alert *a = &r->alerts->items[i];

		owed[i] = is_owed(a);
		if (!owed[i] || !waited(r, a) || listed(&ready, names, waits_with(r, a)))
			continue;
		names[n_ready++] = waits_with(r, a);
		lookup_add(&ready, waits_with(r, a), "");
	}
	for (size_t i = 0; i < n; i++)
		if (owed[i] && listed(&ready, names, waits_with(r, &r->alerts->items[i])))
			tell(r, &r->alerts->items[i]);
	lookup_release(&ready);
	free(names);
	free(owed);
}

/* ---- raising ---- */

/* Where an alert belongs; what is NULL does not apply. */
struct place {
	const char *target, *host, *bay, *pool;
	const struct drive *drive;
	const struct bay *seen; /* for the operator's severities */
	const struct rule *rule;
};

static struct alert *find(const struct round *r, const char *key)
{
	for (size_t i = lookup_first(&r->by_key, key, ""); i != LOOKUP_END;
		i = lookup_next(&r->by_key, i)) {
		struct alert *a = &r->alerts->items[i];

		if (a->state != ALERT_RESOLVED && strcmp(a->key, key) == 0)
			return a;
	}
	return NULL;
}

static struct alert *raise(
	struct round *r, enum alert_kind kind, const char *key, const struct place *at)
{
	struct alert *a = alerts_add(r->alerts);

	a->kind = kind;
	a->state = ALERT_PENDING;
	a->since_wall_ms = r->h->wall_ms;
	a->since_ms = r->h->steady_ms;
	str_copy(a->key, sizeof a->key, key);
	str_copy(a->host, sizeof a->host, at->host);
	lookup_add(&r->by_key, key, "");
	return a;
}

/* The cause is there in this round. Drives are told apart by id, bays by host and name.
 */
__attribute__((format(printf, 5, 6))) static void found(struct round *r,
	enum alert_kind kind, enum severity severity, const struct place *at,
	const char *fmt, ...)
{
	char key[sizeof((struct alert *)0)->key];
	const struct rule *other = at->seen ? rules_severity(r->rules, kind, at->seen) : NULL;
	struct alert *a;
	va_list ap;

	if (other && !other->severity)
		return;
	snprintf(key, sizeof key, "%s%s%s %s%s%s%s%s", alert_kind_word(kind), at->rule ? " " : "",
		at->rule ? at->rule->name : "", at->host,
		at->bay || at->pool ? "/" : "", at->bay ? at->bay : at->pool ? at->pool : "",
		at->drive ? " " : "",
		at->drive ? at->drive->id : "");
	a = find(r, key);
	if (!a)
		a = raise(r, kind, key, at);
	a->found = true;
	a->quiet_ms = -1;
	a->severity = other ? other->severity : severity;
	a->for_ms = at->rule ? at->rule->for_ms : -1;
	str_copy(a->rule, sizeof a->rule, at->rule ? at->rule->name : "");
	a->last_seen_wall_ms = r->h->wall_ms;
	str_copy(a->target, sizeof a->target, at->target);
	str_copy(a->bay, sizeof a->bay, at->bay ? at->bay : "");
	if (at->drive) {
		str_copy(a->drive_id, sizeof a->drive_id, at->drive->id);
		if (at->drive->serial[0] || !a->serial[0])
			str_copy(a->serial, sizeof a->serial, at->drive->serial);
	}
	va_start(ap, fmt);
	vsnprintf(a->message, sizeof a->message, fmt, ap);
	va_end(ap);
	if (a->state == ALERT_PENDING && r->h->steady_ms - a->since_ms >= pending_ms(a))
		a->state = ALERT_FIRING;
}

/* ---- causes ---- */

/* A degraded link is critical, unless the policy asks for no more than it has. */
static enum severity link_severity(const struct bay *b)
{
	if (!verdict_degraded(b->judged.verdict))
		return SEVERITY_WARNING;
	if (b->has_policy && b->link.now.speed_mtps && b->link.now.width_lanes &&
		(b->policy_rate.speed_mtps || b->policy_rate.width_lanes) &&
		b->link.now.speed_mtps >= b->policy_rate.speed_mtps &&
		b->link.now.width_lanes >= b->policy_rate.width_lanes)
		return SEVERITY_WARNING;
	return SEVERITY_CRITICAL;
}

static const struct drive_past *past_of(const struct history *h, const struct bay *b)
{
	const struct lookup *l = &h->by_id;

	for (size_t i = lookup_first(l, b->drive.id, ""); i != LOOKUP_END;
		i = lookup_next(l, i))
		if (h->drives[i].here && strcmp(h->drives[i].id, b->drive.id) == 0)
			return &h->drives[i];
	return NULL;
}

static void look_at_link(struct round *r, const struct bay *b, const struct place *at)
{
	const struct drive_past *p = past_of(r->h, b);

	/* while it flaps, that is the news, not each of its states */
	if (p && p->flapping) {
		found(r, ALERT_FLAPPING, SEVERITY_WARNING, at,
			"bay %s: the link is flapping (unstable): %d changes so far, "
			"last seen at %s GT/s x%d; "
			"reseat the drive, check cable, backplane and drive firmware",
			b->bay, p->changes, pcie_speed_text(b->link.now.speed_mtps),
			b->link.now.width_lanes);
		return;
	}
	if (verdict_degraded(b->judged.verdict) ||
		b->judged.verdict == VERDICT_BELOW_POLICY)
		found(r, ALERT_LINK, link_severity(b), at, "bay %s: %s: %s", b->bay,
			verdict_word(b->judged.verdict), b->judged.message);
}

static void look_at_wear(struct round *r, const struct bay *b, const struct place *at)
{
	const struct wear *w = &b->wear;
	const struct wear_limits *limits = b->wear_limits.critical_percent > 0 ? &b->wear_limits : r->limits;
	char errors[COUNT_TEXT_MAX];

	if (w->reasons & WEAR_ENDURANCE_USED)
		found(r, ALERT_WEAR,
			w->percent_used >= limits->critical_percent ? SEVERITY_CRITICAL
								    : SEVERITY_WARNING,
			at,
			"bay %s: %.0f %% of the rated endurance is used (limits %.0f and "
			"%.0f %%); plan the replacement of the drive",
			b->bay, w->percent_used, limits->warning_percent,
			limits->critical_percent);
	if (w->reasons & WEAR_SPARE_BELOW_THRESHOLD)
		found(r, ALERT_SPARE, SEVERITY_CRITICAL, at,
			"bay %s: available spare %.0f %% is below its threshold of %.0f "
			"%%; replace the drive",
			b->bay, w->available_spare_percent, w->spare_threshold_percent);
	if (w->reasons & WEAR_MEDIA_ERRORS_RISING)
		found(r, ALERT_MEDIA, SEVERITY_WARNING, at,
			"bay %s: media errors have grown to %s within the last day; "
			"check the data, watch the drive",
			b->bay, count_text(b->health.media_errors, errors));
	if (w->reasons & WEAR_TEMPERATURE)
		found(r, ALERT_TEMPERATURE, SEVERITY_WARNING, at,
			"bay %s: the drive reports a temperature past its own limit%s; "
			"check fans and air flow",
			b->bay,
			isnan(b->temperature_c) ? "" : " (see temperature_celsius)");
}

static void look_at_health(struct round *r, const struct bay *b, const struct place *at)
{
	unsigned reasons = b->wear.reasons & (WEAR_RELIABILITY_DEGRADED | WEAR_READ_ONLY |
						     WEAR_FAILURE_PREDICTED);

	if (reasons)
		found(r, ALERT_HEALTH, SEVERITY_CRITICAL, at,
			"bay %s: the drive reports%s%s%s; save the data and replace it",
			b->bay,
			reasons & WEAR_RELIABILITY_DEGRADED ? " degraded reliability"
							    : "",
			reasons & WEAR_READ_ONLY ? " that it is read-only" : "",
			reasons & WEAR_FAILURE_PREDICTED ? " that it is about to fail"
							 : "");
	if (b->drive.state == DRIVE_DEAD)
		found(r, ALERT_DRIVE_DEAD, SEVERITY_CRITICAL, at,
			"bay %s: the drive is dead to the kernel; reseat or replace it",
			b->bay);
	if (b->drive.state == DRIVE_NOT_ANSWERING)
		found(r, ALERT_DRIVE_NOT_ANSWERING, SEVERITY_CRITICAL, at,
			"bay %s: the drive does not answer admin commands; reset or "
			"replace it",
			b->bay);
}

/* Before the endurance is used up, which is an alert of its own. */
static void look_at_future(struct round *r, const struct bay *b, const struct place *at)
{
	const struct forecast *f = &b->wear.forecast;
	char likely[CLOCK_TEXT_MAX], earliest[CLOCK_TEXT_MAX], words[128];

	if (f->known && f->days_to_100 <= FORECAST_DAYS && b->wear.percent_used < 100)
		found(r, ALERT_FORECAST, SEVERITY_WARNING, at,
			"bay %s: at %.1f %% a year the rated endurance is used up about %.10s (%.10s at the earliest), %.0f %% are used; "
			"order a drive",
			b->bay, f->percent_per_year, clock_text(f->exhausted_on_wall_ms, likely),
			clock_text(f->earliest_wall_ms, earliest), b->wear.percent_used);
	/* busy is a hint: it may be what the drive is there for */
	if (b->outlier & ~(unsigned)OUTLIER_BUSY)
		found(r, ALERT_OUTLIER, SEVERITY_WARNING, at,
			"bay %s: out of line with the drives of its model in this machine for hours: %s; compare it with its neighbours",
			b->bay, outlier_words(b->outlier & ~(unsigned)OUTLIER_BUSY, words, sizeof words));
}

static void look_at_rules(struct round *r, const struct bay *b, const struct place *at)
{
	for (size_t i = 0; r->rules && i < r->rules->n; i++) {
		const struct rule *rule = &r->rules->items[i];
		struct place of_rule = *at;
		char text[256];

		if (rule->type != RULE_CONDITION || rule_holds(rule, b) != 1 || !rule_fits(rule, b))
			continue;
		rule_describe(rule, b, text, sizeof text);
		of_rule.rule = rule;
		found(r, ALERT_RULE, rule->severity, &of_rule, "bay %s: %.60s: %s", b->bay, rule->name, text);
	}
}

static const struct bay *bay_at(const struct round *r, const char *host, const char *name)
{
	for (size_t i = lookup_first(&r->by_place, host, name); i != LOOKUP_END; i = lookup_next(&r->by_place, i))
		if (str_same(r->now->bays[i].bay, name) && str_same(r->now->bays[i].host, host))
			return &r->now->bays[i];
	return NULL;
}

/* Whether the drive of a bay was lost or is dead: of a bay that cannot be told about it is not. */
static bool drive_lost(const void *arg, const char *host, const char *name)
{
	const struct round *r = arg;
	const struct bay *b = bay_at(r, host, name);

	if (!b || b->stale)
		return false;
	if (bay_holds_drive(b))
		return b->drive.state == DRIVE_DEAD || b->drive.state == DRIVE_NOT_ANSWERING;
	return b->present == TRI_NO && history_just_lost(r->h, host, name);
}

/* One alert for all that is behind it; true if that is what became of the bay's drive. */
static bool uplink_failed(struct round *r, const struct bay *b)
{
	const struct uplink *u = uplinks_above(&r->alerts->uplinks, b->host, b->bay);
	const struct place at = {.target = u ? u->target : "", .host = b->host, .bay = u ? u->at : ""};

	if (u && str_same(u->bays[0], b->bay))
		found(r, ALERT_LINK, SEVERITY_CRITICAL, &at,
			"uplink %s failed: all %zu drives behind it are gone or dead, bay %s first; check the switch, its cable and power",
			u->at, u->n, b->bay);
	return u != NULL;
}

static void look_at_empty(struct round *r, const struct bay *b)
{
	const struct place at = {.target = b->target, .host = b->host, .bay = b->bay, .seen = b};

	if (b->require_present)
		found(r, ALERT_ABSENT, SEVERITY_CRITICAL, &at,
			"bay %s: no drive is there, where the policy \"%s\" requires one",
			b->bay, b->policy);
	else if (history_just_lost(r->h, b->host, b->bay))
		found(r, ALERT_ABSENT, SEVERITY_WARNING, &at,
			"bay %s: the drive that was there is gone; put it back, or leave "
			"the bay empty and this ends in a week",
			b->bay);
}

static void look_at_bay(struct round *r, const struct bay *b)
{
	const struct place at = {
		.target = b->target, .host = b->host, .bay = b->bay, .drive = &b->drive, .seen = b};

	if (b->stale || uplink_failed(r, b))
		return;
	if (!bay_holds_drive(b)) {
		if (b->present == TRI_NO && b->judged.verdict == VERDICT_ABSENT)
			look_at_empty(r, b);
		return;
	}
	look_at_link(r, b, &at);
	look_at_wear(r, b, &at);
	look_at_health(r, b, &at);
	look_at_future(r, b, &at);
	look_at_rules(r, b, &at);
}

static void look_at_hop(struct round *r, const struct hop *hop)
{
	struct place at = {.target = hop->target, .host = hop->host, .bay = hop->at};

	if (verdict_degraded(hop->verdict))
		found(r, ALERT_LINK, SEVERITY_CRITICAL, &at,
			"uplink %s above %zu bays: %s: %s GT/s x%d of %s GT/s x%d",
			hop->at, hop->n_shared, verdict_word(hop->verdict),
			pcie_speed_text(hop->link.now.speed_mtps),
			hop->link.now.width_lanes,
			pcie_speed_text(hop->link.max.speed_mtps),
			hop->link.max.width_lanes);
}

/* One alert for each machine, whichever of its targets do not answer. */
static void look_at_target(struct round *r, const struct target *t)
{
	const struct place at = {.target = t->name, .host = t->host};

	if (t->verdict != TARGET_OK)
		found(r, ALERT_HOST_UNREACHABLE, SEVERITY_WARNING, &at,
			"%s (%s) does not answer: %s%s%s", t->name, t->host,
			t->reason ? reason_word(t->reason) : "reason not known",
			t->message[0] ? ": " : "", t->message);
}

static void look_at_pool(struct round *r, const struct pool *p)
{
	const struct place at = {.target = p->target, .host = p->host, .pool = p->name};
	char text[256];

	if (p->stale || !p->state || (p->state == POOL_ONLINE && p->data_errors <= 0))
		return;
	pool_trouble(p, text, sizeof text);
	found(r, ALERT_POOL, pool_severity(p), &at, "%s", text);
}

/* ---- causes that are gone, or cannot be seen ---- */

/* A pool is not seen while its target does not answer, or does not tell its state. */
static bool pool_cannot_be_seen(const struct round *r, const struct alert *a)
{
	const struct target *t = inventory_target(r->now, a->target);

	for (size_t i = 0; i < r->now->n_pools; i++) {
		const struct pool *p = &r->now->pools[i];
		char key[sizeof a->key];

		snprintf(key, sizeof key, "%s %s/%s", alert_kind_word(ALERT_POOL), p->host, p->name);
		if (str_same(key, a->key))
			return p->stale || !p->state;
	}
	return t && t->verdict != TARGET_OK;
}

/* The bay in which the alert's drive is now; for alerts of a place, that place. */
static const struct bay *bay_now(const struct round *r, const struct alert *a)
{
	const struct lookup *l = a->drive_id[0] ? &r->by_drive : &r->by_place;
	size_t i = a->drive_id[0] ? lookup_first(l, a->drive_id, "")
				  : lookup_first(l, a->host, a->bay);

	for (; i != LOOKUP_END; i = lookup_next(l, i)) {
		const struct bay *b = &r->now->bays[i];

		if (a->drive_id[0]
				? b->has_drive && strcmp(b->drive.id, a->drive_id) == 0
				: str_same(b->bay, a->bay) && str_same(b->host, a->host))
			return b;
	}
	return NULL;
}

static bool host_tells(const struct round *r, const char *host)
{
	bool listed = false;

	for (size_t i = 0; i < r->now->n_targets; i++) {
		const struct target *t = &r->now->targets[i];

		if (!str_same(t->host, host))
			continue;
		listed = true;
		if (t->verdict == TARGET_OK)
			return true;
	}
	return !listed; /* no longer watched: nothing to wait for */
}

/* What is not known in this round is neither there nor gone. */
static bool cannot_be_seen(const struct round *r, const struct alert *a)
{
	const struct bay *b = bay_now(r, a);
	const struct drive_past *p;
	const struct rule *rule;

	if (a->kind == ALERT_HOST_UNREACHABLE)
		return false;
	if (a->kind == ALERT_POOL)
		return pool_cannot_be_seen(r, a);
	if (!b)
		return inventory_rests(r->now, a->host) || !host_tells(r, a->host);
	if (b->stale || uplinks_above(&r->alerts->uplinks, b->host, b->bay))
		return true;
	p = past_of(r->h, b);
	switch (a->kind) {
	case ALERT_LINK:
		return (p && p->flapping) ||
		       (bay_holds_drive(b) && b->judged.verdict == VERDICT_UNKNOWN);
	case ALERT_WEAR:
		return isnan(b->wear.percent_used);
	case ALERT_FORECAST: /* the forecast alone may be out of reach for a while, after a start */
		return isnan(b->wear.percent_used) || !b->wear.forecast.known;
	case ALERT_SPARE:
		return isnan(b->wear.available_spare_percent);
	case ALERT_MEDIA:
		return !b->health.media_errors.known;
	case ALERT_HEALTH:
		return b->health.critical_warning < 0 &&
		       b->health.failure_predicted == TRI_UNKNOWN;
	case ALERT_TEMPERATURE:
		return b->health.critical_warning < 0;
	case ALERT_DRIVE_DEAD:
	case ALERT_DRIVE_NOT_ANSWERING:
		return bay_holds_drive(b) && b->drive.state == DRIVE_STATE_UNKNOWN;
	case ALERT_KIND_UNKNOWN:
	case ALERT_ABSENT:
	case ALERT_HOST_UNREACHABLE:
	case ALERT_FLAPPING:
	case ALERT_POOL:
	case ALERT_STORE_FULL:
	case ALERT_OUTLIER:
	case ALERT_HEARTBEAT:
	case ALERT_TEST:
		break;
	case ALERT_RULE:
		rule = rules_find(r->rules, a->rule);
		return rule && rule->type == RULE_CONDITION && bay_holds_drive(b) && rule_fits(rule, b) &&
		       rule_holds(rule, b) < 0;
	}
	return false;
}

static void resolve(struct round *r, struct alert *a)
{
	char was[sizeof a->message], lasted[32];

	memcpy(was, a->message, sizeof was);
	duration_text(r->h->steady_ms - a->since_ms, lasted, sizeof lasted);
	snprintf(a->message, sizeof a->message, "over after %s: %.280s", lasted, was);
	a->state = ALERT_RESOLVED;
	a->resolved_wall_ms = r->h->wall_ms;
	if (a->notices > 0) /* also in silence: who was told that it fires is told that it is over */
		tell(r, a);
}

/* Ages what was not found; true if the alert leaves the list without a word. */
static bool age(struct round *r, struct alert *a)
{
	if (a->found || cannot_be_seen(r, a))
		return false;
	if (a->state == ALERT_PENDING)
		return true;
	if (a->quiet_ms < 0)
		a->quiet_ms = r->h->steady_ms;
	if (r->h->steady_ms - a->quiet_ms >= patience_of(a->kind).quiet_ms + r->given->group_wait_ms)
		resolve(r, a);
	return false;
}

static void drop(struct alerts *a, size_t i)
{
	memmove(&a->items[i], &a->items[i + 1], (a->n - i - 1) * sizeof *a->items);
	a->n--;
}

static void look_at_store(struct round *r, const char *trouble)
{
	const struct place at = {.target = "", .host = ""};

	if (trouble)
		found(r, ALERT_STORE_FULL, SEVERITY_CRITICAL, &at,
			"nothing can be kept: %s; what is read waits in memory, oldest "
			"points are lost first; make room",
			trouble);
}

/* Most windows do not run now: that is asked once, not of each alert. */
static void look_silent(struct alerts *a, const struct alert_round *round)
{
	struct silences said = {0}, maintenance = {0};

	silences_pick_running(round->silences, round->history->wall_ms, &said);
	silences_pick_running(round->maintenance, round->history->wall_ms, &maintenance);
	for (size_t i = 0; i < a->n; i++)
		alert_look_silent(&a->items[i], &said, &maintenance, round->history->wall_ms);
	silences_release(&said);
	silences_release(&maintenance);
}

static void index_round(struct round *r)
{
	for (size_t i = 0; i < r->alerts->n; i++)
		lookup_add(&r->by_key, r->alerts->items[i].key, "");
	for (size_t i = 0; i < r->now->n_bays; i++) {
		lookup_add(&r->by_drive, r->now->bays[i].drive.id, "");
		lookup_add(&r->by_place, r->now->bays[i].host, r->now->bays[i].bay);
	}
}

void alerts_evaluate(
	struct alerts *a, const struct alert_round *round, struct notices *out)
{
	const struct inventory *now = round->inventory;
	struct round r = {.alerts = a,
		.given = round,
		.rules = round->rules,
		.h = round->history,
		.limits = round->limits,
		.now = now,
		.out = out};

	for (size_t i = a->n; i-- > 0;) {
		a->items[i].found = false;
		if (a->items[i].state == ALERT_RESOLVED)
			drop(a, i);
	}
	index_round(&r);
	uplinks_judge(&a->uplinks, now, drive_lost, &r);
	look_at_store(&r, round->store_trouble);
	for (size_t i = 0; i < now->n_targets; i++)
		look_at_target(&r, &now->targets[i]);
	for (size_t i = 0; i < now->n_bays; i++)
		look_at_bay(&r, &now->bays[i]);
	for (size_t i = 0; i < now->n_hops; i++)
		look_at_hop(&r, &now->hops[i]);
	for (size_t i = 0; i < now->n_pools; i++)
		look_at_pool(&r, &now->pools[i]);
	for (size_t i = 0; i < a->n;)
		if (age(&r, &a->items[i]))
			drop(a, i);
		else
			i++;
	uplinks_remember(&a->uplinks, now);
	look_silent(a, round);
	tell_owed(&r);
	lookup_release(&r.by_key);
	lookup_release(&r.by_drive);
	lookup_release(&r.by_place);
}
