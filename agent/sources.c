/* SPDX-License-Identifier: MIT */
/* sources: see sources.h. */
#include "agent/sources.h"

#include "base/clock.h"
#include "base/complain.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <sys/random.h>

enum {
	YOUNG_MS = 3000,	       /* one that takes longer keeps no other waiting */
	LATE_MS = 10 * 1000,	       /* one that takes longer is waited for no more */
	BACKOFF_MAX_MS = 5 * 60 * 1000, /* or its interval, if that is longer */
	BACKOFF_STEPS_MAX = 6,
	HURRY_MS = 200, /* between two polls, however much is heard */
	JITTER_PARTS = 20, /* an interval is moved by a twentieth at the most ... */
	JITTER_MAX_MS = 2000, /* ... and by no more than this */
};

struct source {
	struct sources *all;
	struct target_config config;
	struct target_config *next; /* opened in its place, once it is closed; NULL none */
	const struct collector *collector;
	void *handle; /* NULL: could not be opened, `why` says why */
	enum source_state state;
	int64_t state_mono_ms; /* since when */
	bool busy, queued;     /* queued: it is its turn as soon as others are done */
	bool leaving;	       /* it has given its last answer, and is closed */
	bool closing, gone;    /* closing: its collector ends it; gone: it is freed soon */
	int64_t begun_mono_ms, due_mono_ms, late_ms;
	bool hurried; /* something was heard while it was asked */
	unsigned failures; /* in a row */
	size_t polls, misses;
	unsigned round; /* in which it was asked */
	size_t place;	/* how many were there before it */
	struct complaint silence;
	char why[256];
};

struct sources {
	const struct collector_env *env;
	struct source **items; /* each stays where it is */
	size_t n, n_open, at_once;
	size_t turn; /* whose turn it is to begin */
	unsigned round;
	size_t n_waiting; /* of this round */
	int64_t interval_ms; /* 0: rounds, no pace */
	unsigned random;
	bool none_asked;  /* all are still busy */
	bool last;	  /* no round follows this one */
	int n_timers;	  /* still open, at the end */
	uv_timer_t soon;  /* answers for those that could not be opened, ends a round of
			     none, closes those that have given the last answer, frees the gone */
	uv_timer_t pump;  /* lets the queued begin beside the slow */
	void (*got)(void *arg, const struct snapshot *s);
	void (*ended)(void *arg);
	void *arg;
	void (*closed)(void *arg);
	void *closed_arg;
};

static void on_soon(uv_timer_t *t);
static void on_closed(void *arg);

/* ---- states ---- */

enum happening { HAPPENING_UNKNOWN = 0, ASKED, ANSWERED, FAILED, LATE, ENDED };

const char *source_state_word(enum source_state state)
{
	switch (state) {
	case SOURCE_IDLE:
		return "idle";
	case SOURCE_POLLING:
		return "polling";
	case SOURCE_BACKOFF:
		return "backing off";
	case SOURCE_UNRESPONSIVE:
		return "unresponsive";
	case SOURCE_DISABLED:
		return "disabled";
	case SOURCE_UNKNOWN:
		break;
	}
	return "unknown";
}

/* The whole machine: what becomes of a state where something happens. */
static enum source_state state_after(enum source_state state, enum happening what)
{
	switch (state) {
	case SOURCE_IDLE:
	case SOURCE_BACKOFF:
		return what == ASKED ? SOURCE_POLLING : what == ENDED ? SOURCE_DISABLED : state;
	case SOURCE_POLLING:
		if (what == LATE)
			return SOURCE_UNRESPONSIVE;
		/* fall through */
	case SOURCE_UNRESPONSIVE:
		return what == ANSWERED ? SOURCE_IDLE : what == FAILED ? SOURCE_BACKOFF
						      : what == ENDED  ? SOURCE_DISABLED
								       : state;
	case SOURCE_DISABLED:
	case SOURCE_UNKNOWN:
		break;
	}
	return SOURCE_DISABLED;
}

static void happened(struct source *s, enum happening what)
{
	enum source_state before = s->state;
	int64_t now = clock_mono_ms();
	char held[24];

	s->state = state_after(before, what);
	if (s->state == before)
		return;
	complain_duration(now - s->state_mono_ms, held, sizeof held);
	log_debug("target", "%s: %s, was %s for %s", s->config.name, source_state_word(s->state),
		source_state_word(before), held);
	s->state_mono_ms = now;
}

/* ---- when ---- */

static int64_t interval_of(const struct source *s)
{
	return s->config.poll_interval_ms ? s->config.poll_interval_ms : s->all->interval_ms;
}

/* A little number, another one each time; xorshift is random enough to part targets. */
static int64_t jitter(struct sources *all, int64_t interval_ms)
{
	int64_t most = interval_ms / JITTER_PARTS < JITTER_MAX_MS ? interval_ms / JITTER_PARTS : JITTER_MAX_MS;
	unsigned x = all->random;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	all->random = x;
	return most > 0 ? (int64_t)(x % (unsigned)(2 * most + 1)) - most : 0;
}

/* After answers that were none: twice the time with each, up to five minutes. */
static int64_t pause_of(const struct source *s)
{
	int64_t interval = interval_of(s), most = interval > BACKOFF_MAX_MS ? interval : BACKOFF_MAX_MS, pause;
	unsigned steps = s->failures > 1 ? s->failures - 1 : 0;

	pause = interval << (steps < BACKOFF_STEPS_MAX ? steps : BACKOFF_STEPS_MAX);
	return pause < most ? pause : most;
}

/*
 * All are due at the start.  Where they are more than are asked side by side, each then has a moment
 * of its own in the interval, by the golden ratio evenly over it, so that none waits for the others.
 */
static void spread(struct source *s, int64_t now)
{
	int64_t interval = interval_of(s);
	uint32_t part = (uint32_t)s->place * UINT32_C(2654435769);

	s->due_mono_ms += (int64_t)((uint64_t)interval * part >> 32);
	while (s->due_mono_ms < now + interval / 4)
		s->due_mono_ms += interval;
}

/* Counted from when it was due, so that the period keeps; after a long poll from now. */
static void plan(struct source *s, int64_t retry_after_ms)
{
	int64_t now = clock_mono_ms(), pause = pause_of(s);

	if (!s->all->interval_ms)
		return;
	if (s->polls == 1 && s->failures == 0 && s->all->n > s->all->at_once)
		spread(s, now);
	else
		s->due_mono_ms += pause + jitter(s->all, pause);
	if (s->due_mono_ms < now + retry_after_ms) /* it asked to be left alone for so long */
		s->due_mono_ms = now + retry_after_ms;
	if (s->hurried)
		s->due_mono_ms = now + HURRY_MS;
	s->hurried = false;
}

/* ---- opening ---- */

/* The source takes its configuration over. */
static void open_source(struct source *s, const struct target_config *c)
{
	struct err e = {"this build cannot read targets of this kind"};

	s->config = *c;
	s->why[0] = '\0';
	s->collector = collector_find(c->kind);
	s->handle = s->collector ? s->collector->open(&s->config, s->all->env, &e) : NULL;
	s->state = s->handle ? SOURCE_IDLE : SOURCE_DISABLED;
	s->state_mono_ms = s->due_mono_ms = clock_mono_ms();
	s->failures = 0;
	if (s->handle)
		s->all->n_open++;
	else
		str_copy(s->why, sizeof s->why, e.text);
}

static void add_source(struct sources *all, const struct target_config *c)
{
	struct target_config own = target_config_copy(c);
	struct source *s = mem_new(1, sizeof *s);

	all->items = mem_grow(all->items, all->n, sizeof *all->items);
	s->place = all->n;
	all->items[all->n++] = s;
	s->all = all;
	open_source(s, &own);
}

struct sources *sources_new(const struct collector_env *env, const struct target_config *targets,
	size_t n, size_t at_once)
{
	struct sources *all = mem_new(1, sizeof *all);

	all->env = env;
	all->at_once = at_once;
	if (getrandom(&all->random, sizeof all->random, GRND_NONBLOCK) != sizeof all->random || !all->random)
		all->random = 1 + (unsigned)clock_wall_ms();
	uv_timer_init(env->loop, &all->soon);
	all->soon.data = all;
	uv_timer_init(env->loop, &all->pump);
	all->pump.data = all;
	for (size_t i = 0; i < n; i++)
		add_source(all, &targets[i]);
	return all;
}

/* ---- asking ---- */

static void on_snapshot(void *arg, const struct snapshot *snapshot);

static size_t young(const struct sources *all)
{
	int64_t now = clock_mono_ms();
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += all->items[i]->busy && !all->items[i]->queued &&
		     now - all->items[i]->begun_mono_ms < YOUNG_MS;
	return n;
}

/* Lets queued sources begin, so many side by side, each in its turn. */
static void begin_queued(struct sources *all)
{
	size_t n = young(all);

	for (size_t i = 0; i < all->n && n < all->at_once; i++) {
		struct source *s = all->items[all->turn++ % all->n];

		if (!s->queued)
			continue;
		s->queued = false;
		s->begun_mono_ms = clock_mono_ms();
		s->late_ms = s->begun_mono_ms - s->due_mono_ms;
		s->polls++;
		n++;
		s->collector->poll(s->handle, on_snapshot, s);
	}
}

static void note_late(struct sources *all)
{
	int64_t now = clock_mono_ms();

	for (size_t i = 0; i < all->n; i++)
		if (all->items[i]->state == SOURCE_POLLING && !all->items[i]->queued &&
			now - all->items[i]->begun_mono_ms >= LATE_MS)
			happened(all->items[i], LATE);
}

static void on_pump(uv_timer_t *t)
{
	note_late(t->data);
	begin_queued(t->data);
}

/* Makes a source wait for its turn; where it is not open, on_soon() answers for it. */
static void enqueue(struct source *s)
{
	struct sources *all = s->all;

	s->busy = true;
	s->round = all->round;
	s->queued = s->handle != NULL;
	s->begun_mono_ms = clock_mono_ms();
	if (!s->handle)
		uv_timer_start(&all->soon, on_soon, 0, 0);
	happened(s, ASKED);
	all->n_waiting++;
}

/* ---- answers ---- */

static void note_answer(struct source *s, const struct snapshot *snapshot)
{
	bool failed = snapshot->target.verdict == TARGET_UNREACHABLE;
	char tail[COMPLAIN_TAIL_MAX];

	happened(s, failed ? FAILED : ANSWERED);
	s->failures = failed ? s->failures + 1 : 0;
	s->misses += failed;
	if (s->handle)
		str_copy(s->why, sizeof s->why, failed ? snapshot->target.message : "");
	plan(s, snapshot->target.retry_after_ms);
	if (!s->all->interval_ms) /* who reads once tells it himself */
		return;
	if (failed && complain(&s->silence, clock_mono_ms(), tail))
		log_warn("target", "%s: %s%s", s->config.name, snapshot->target.message, tail);
	if (!failed && complain_over(&s->silence, clock_mono_ms(), tail))
		log_warn("target", "%s: answers again%s", s->config.name, tail);
}

static void answered(struct source *s, const struct snapshot *snapshot)
{
	struct sources *all = s->all;

	s->busy = false;
	s->leaving = all->last && s->handle;
	if (s->leaving) /* not from within the source's own call */
		uv_timer_start(&all->soon, on_soon, 0, 0);
	note_answer(s, snapshot);
	all->got(all->arg, snapshot);
	/* one that was asked in an earlier round is welcome, but nobody waits for it */
	if (s->round == all->round && --all->n_waiting == 0 && all->ended)
		all->ended(all->arg);
	else
		begin_queued(all);
}

static void on_snapshot(void *arg, const struct snapshot *snapshot)
{
	answered(arg, snapshot);
}

static void answer_closed(struct source *s)
{
	struct snapshot snapshot;

	snapshot_init(&snapshot, s->config.name, s->config.kind, s->config.host);
	str_copy(snapshot.target.url, sizeof snapshot.target.url, s->config.url);
	snapshot.target.observed_wall_ms = clock_wall_ms();
	target_unreachable(&snapshot.target, REASON_REFUSED, s->why);
	answered(s, &snapshot);
	snapshot_release(&snapshot);
}

/* ---- rounds ---- */

void sources_leave(struct sources *all)
{
	all->last = true;
}

void sources_poll(struct sources *all, void (*got)(void *arg, const struct snapshot *s),
	void (*ended)(void *arg), void *arg)
{
	all->got = got;
	all->ended = ended;
	all->arg = arg;
	all->round++;
	all->n_waiting = 0;
	uv_timer_start(&all->soon, on_soon, 0, 0);
	for (size_t i = 0; i < all->n; i++)
		if (!all->items[i]->busy)
			enqueue(all->items[i]);
	all->none_asked = all->n_waiting == 0;
	begin_queued(all);
	uv_timer_start(&all->pump, on_pump, YOUNG_MS / 3, YOUNG_MS / 3);
}

/* ---- each at its own pace ---- */

void sources_pace(struct sources *all, int64_t interval_ms, size_t at_once,
	void (*got)(void *arg, const struct snapshot *s), void *arg)
{
	int64_t now = clock_mono_ms();

	all->got = got;
	all->arg = arg;
	all->interval_ms = interval_ms;
	all->at_once = at_once;
	for (size_t i = 0; i < all->n; i++) /* a shorter interval holds at once */
		if (all->items[i]->due_mono_ms > now + interval_of(all->items[i]) && !all->items[i]->failures)
			all->items[i]->due_mono_ms = now + interval_of(all->items[i]);
	uv_timer_start(&all->pump, on_pump, YOUNG_MS / 3, YOUNG_MS / 3);
}

static bool can_be_asked(const struct source *s)
{
	return !s->busy && !s->closing && !s->gone;
}

void sources_poll_due(struct sources *all)
{
	int64_t now = clock_mono_ms();

	for (size_t i = 0; i < all->n; i++)
		if (can_be_asked(all->items[i]) && all->items[i]->due_mono_ms <= now)
			enqueue(all->items[i]);
	begin_queued(all);
}

int64_t sources_next_ms(const struct sources *all)
{
	int64_t now = clock_mono_ms(), least = -1;

	for (size_t i = 0; i < all->n; i++) {
		int64_t wait = all->items[i]->due_mono_ms > now ? all->items[i]->due_mono_ms - now : 0;

		if (can_be_asked(all->items[i]) && (least < 0 || wait < least))
			least = wait;
	}
	return least;
}

size_t sources_awaited(const struct sources *all, int64_t soon_ms)
{
	int64_t now = clock_mono_ms();
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct source *s = all->items[i];

		if (!s->failures && s->handle)
			n += s->busy ? s->state == SOURCE_POLLING
				     : can_be_asked(s) && s->due_mono_ms < now + soon_ms;
	}
	return n;
}

static struct source *find(const struct sources *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (!all->items[i]->gone && str_same(all->items[i]->config.name, name))
			return all->items[i];
	return NULL;
}

void sources_hurry(struct sources *all, const char *target)
{
	struct source *s = find(all, target);

	if (s && s->busy)
		s->hurried = true;
	else if (s)
		s->due_mono_ms = clock_mono_ms();
}

/* True for one that is to be asked as long as nothing changes. */
static bool is_wanted(const struct source *s)
{
	return !s->gone && (!s->closing || s->next);
}

void sources_each(const struct sources *all, void (*fn)(void *arg, const struct source_status *st), void *arg)
{
	int64_t now = clock_mono_ms();

	for (size_t i = 0; i < all->n; i++) {
		const struct source *s = all->items[i];
		const struct source_status st = {.name = s->config.name,
			.state = s->state,
			.held_ms = now - s->state_mono_ms,
			.due_ms = s->due_mono_ms > now ? s->due_mono_ms - now : 0,
			.late_ms = s->late_ms,
			.polls = s->polls,
			.misses = s->misses,
			.why = s->why};

		if (is_wanted(s))
			fn(arg, &st);
	}
}

/* ---- another list of targets ---- */

static void forget_next(struct source *s)
{
	if (s->next)
		target_config_release(s->next);
	free(s->next);
	s->next = NULL;
}

/* Gives the source back; what it still has to do is awaited by sources_close(). */
static void close_source(struct source *s)
{
	void *handle = s->handle;

	s->closing = true;
	s->handle = NULL;
	if (s->busy && s->round == s->all->round)
		s->all->n_waiting--;
	s->busy = s->queued = false;
	happened(s, ENDED);
	s->collector->close(handle, on_closed, s);
}

/* Closed, or never open: what comes in its place is opened, else it goes. */
static void replace(struct source *s)
{
	struct target_config next;

	s->closing = false;
	if (!s->next) {
		s->gone = true;
		uv_timer_start(&s->all->soon, on_soon, 0, 0);
		return;
	}
	next = *s->next;
	free(s->next);
	s->next = NULL;
	target_config_release(&s->config);
	s->busy = false;
	open_source(s, &next);
}

static void end_source(struct source *s, const struct target_config *next)
{
	forget_next(s);
	if (next) {
		s->next = mem_new(1, sizeof *s->next);
		*s->next = target_config_copy(next);
	}
	if (s->handle)
		close_source(s);
	else if (!s->closing)
		replace(s);
}

static const struct target_config *named(const struct target_config *targets, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_same(targets[i].name, name))
			return &targets[i];
	return NULL;
}

void sources_change(struct sources *all, const struct target_config *targets, size_t n)
{
	size_t n_old = all->n;

	for (size_t i = 0; i < n_old; i++) {
		struct source *s = all->items[i];
		const struct target_config *c = named(targets, n, s->config.name);

		if (s->gone)
			continue;
		/* one that could not be opened may be possible now, though it says the same */
		if (!c || s->closing || !s->handle || !target_config_same(c, &s->config))
			end_source(s, c);
	}
	for (size_t i = 0; i < n; i++)
		if (!find(all, targets[i].name))
			add_source(all, &targets[i]);
}

/* ---- the end ---- */

static void free_source(struct source *s)
{
	forget_next(s);
	target_config_release(&s->config);
	free(s);
}

static void free_gone(struct sources *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (all->items[i]->gone)
			free_source(all->items[i]);
		else
			all->items[n++] = all->items[i];
	all->n = n;
}

static void on_timer_closed(uv_handle_t *h)
{
	struct sources *all = h->data;

	if (--all->n_timers)
		return;
	all->closed(all->closed_arg);
	for (size_t i = 0; i < all->n; i++)
		free_source(all->items[i]);
	free(all->items);
	free(all);
}

static void close_timer(struct sources *all)
{
	all->n_timers = 2;
	uv_close((uv_handle_t *)&all->soon, on_timer_closed);
	uv_close((uv_handle_t *)&all->pump, on_timer_closed);
}

static void on_closed(void *arg)
{
	struct source *s = arg;
	struct sources *all = s->all;

	all->n_open--;
	if (all->closed) {
		s->closing = false;
		if (all->n_open == 0)
			close_timer(all);
	} else if (s->leaving) {
		s->closing = false;
	} else {
		replace(s);
	}
}

static void on_soon(uv_timer_t *t)
{
	struct sources *all = t->data;

	if (all->none_asked) {
		all->none_asked = false;
		if (all->ended)
			all->ended(all->arg);
	}
	for (size_t i = 0; i < all->n; i++) {
		struct source *s = all->items[i];

		if (s->leaving && s->handle)
			close_source(s);
		else if (!s->handle && s->busy && !s->closing)
			answer_closed(s);
	}
	free_gone(all);
}

void sources_close(struct sources *all, void (*closed)(void *arg), void *arg)
{
	all->closed = closed;
	all->closed_arg = arg;
	uv_timer_stop(&all->soon);
	uv_timer_stop(&all->pump);
	for (size_t i = 0; i < all->n; i++)
		all->items[i]->queued = false;
	if (all->n_open == 0)
		close_timer(all);
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i]->handle)
			close_source(all->items[i]);
}
