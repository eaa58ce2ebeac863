/* SPDX-License-Identifier: MIT */
/* schedule: see schedule.h. */
#include "agent/schedule.h"

#include "agent/recording.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	HOLD_MS = 10 * 1000,	/* a round waits no longer than this, counted from its first answer */
	SOON_MS = 1500,		/* targets that are due so soon belong to the same round, or within a quarter of the interval */
	LOOK_MAX_MS = 10 * 1000, /* it looks who is due at least so often */
	POLL_MS = 2000,		 /* what a poll may take for all to have their turn in an interval ... */
	FLEET_INTERVAL_MS = 10 * 1000, /* ... of so much at least */
};

/* Targets that are opened and closed together: those of the configuration, or the step of
 * a recording. */
struct group {
	struct schedule *all;
	struct target_config
		played; /* the target of kind replay; name "": not a recording */
	struct recording recording;
	size_t step;	       /* that is open */
	struct config targets; /* of a step: only its targets are used */
	struct sources *sources;
	int64_t due_mono_ms; /* of a recording, in the service */
	bool begun;	     /* its step was read once: the next one follows */
	bool changing;	     /* its sources are being closed for the next step, or for good */
	bool leaving;	     /* it is no longer in the configuration */
	bool waited;	     /* the round waits for it */
};

struct schedule {
	const struct collector_env *env;
	struct schedule_calls calls;
	int64_t interval_ms, moved_mono_ms;
	int rounds, n_rounds; /* wanted (0: no end), and done */
	bool in_round, overdue, closing, stalled;
	bool fresh;	   /* something came that is in no round yet */
	uv_timer_t next;   /* the next round, or who is due next */
	uv_timer_t settle; /* ends a round of the service */
	size_t n, n_waited, n_open, at_once;
	struct group **groups; /* the first holds what is no recording */
	void (*closed)(void *arg);
	void *closed_arg;
};

static void begin_round(struct schedule *s);
static void on_settle(uv_timer_t *t);
static void one_closed(struct schedule *s);

static bool is_recording(const struct group *g)
{
	return g->played.name[0] != '\0';
}

/* ---- the steps of a recording ---- */

static void release_targets(struct group *g)
{
	for (size_t i = 0; i < g->targets.n_targets; i++)
		target_config_release(&g->targets.targets[i]);
	free(g->targets.targets);
	g->targets.targets = NULL;
	g->targets.n_targets = 0;
}

/* The only target in a step goes by the name in the configuration; of several, each by
 * both names. */
static void rename_targets(struct group *g)
{
	for (size_t i = 0; i < g->targets.n_targets; i++) {
		struct target_config *t = &g->targets.targets[i];
		char name[sizeof g->played.name + sizeof t->name + 2];

		if (g->targets.n_targets == 1 || str_same(g->played.name, t->name))
			snprintf(name, sizeof name, "%s", g->played.name);
		else
			snprintf(name, sizeof name, "%s/%s", g->played.name, t->name);
		str_copy(t->name, sizeof t->name, name);
	}
}

/* A step that cannot be read has no targets, and is said once. */
static void open_step(struct group *g, size_t step)
{
	struct err e = {""};

	g->step = step;
	if (recording_targets(&g->recording.steps[step], &g->targets, &e)) {
		log_warn("replay", "%s: %s", g->played.name, e.text);
		release_targets(g);
	}
	rename_targets(g);
	g->sources = sources_new(g->all->env, g->targets.targets, g->targets.n_targets, SOURCES_AT_ONCE);
}

/* ---- what belongs to a round ---- */

static void ask_one(void *arg, const struct source_status *st)
{
	struct schedule *s = arg;

	s->calls.ask(s->calls.arg, st->name);
}

static void ask_all(struct schedule *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->groups[i]->sources && !s->groups[i]->leaving)
			sources_each(s->groups[i]->sources, ask_one, s);
}

static void end_round(struct schedule *s)
{
	s->fresh = false;
	ask_all(s);
	s->calls.round(s->calls.arg);
}

/* ---- rounds of the service ---- */

static bool awaits(const struct schedule *s)
{
	int64_t soon_ms = s->interval_ms / 4 < SOON_MS ? s->interval_ms / 4 : SOON_MS;

	for (size_t i = 0; i < s->n; i++) {
		const struct group *g = s->groups[i];

		if (g->waited || (!is_recording(g) && sources_awaited(g->sources, soon_ms)))
			return true;
	}
	return false;
}

/* Ends the round now if nobody is awaited, else when the time for it is over. */
static void settle(struct schedule *s)
{
	if (!awaits(s))
		uv_timer_start(&s->settle, on_settle, 0, 0);
	else if (!uv_is_active((uv_handle_t *)&s->settle))
		uv_timer_start(&s->settle, on_settle, s->interval_ms < HOLD_MS ? (uint64_t)s->interval_ms : HOLD_MS, 0);
}

static void on_settle(uv_timer_t *t)
{
	struct schedule *s = t->data;

	if (s->fresh)
		end_round(s);
}

/* ---- whole rounds ---- */

static void on_next(uv_timer_t *t)
{
	struct schedule *s = t->data;

	s->moved_mono_ms = clock_mono_ms();
	if (s->in_round)
		s->overdue = true; /* each of a given number of rounds is a whole one */
	else if (!s->closing)
		begin_round(s);
}

static void end_whole_round(struct schedule *s)
{
	s->in_round = false;
	s->n_rounds++;
	end_round(s);
	if (s->n_rounds >= s->rounds)
		s->calls.finished(s->calls.arg);
	else if (s->overdue && !s->closing)
		uv_timer_start(&s->next, on_next, 0, 0);
}

static void group_got(void *arg, const struct snapshot *snapshot)
{
	struct group *g = arg;
	struct schedule *s = g->all;

	s->calls.got(s->calls.arg, snapshot);
	s->fresh = true;
	if (!s->rounds)
		settle(s);
}

static void group_ended(void *arg)
{
	struct group *g = arg;
	struct schedule *s = g->all;

	if (!g->waited)
		return;
	g->waited = false;
	if (!s->rounds)
		settle(s);
	else if (--s->n_waited == 0 && s->in_round)
		end_whole_round(s);
}

static void poll_group(struct group *g)
{
	const struct schedule *s = g->all;

	g->begun = true;
	if (s->rounds && s->n_rounds + 1 == s->rounds)
		sources_leave(g->sources);
	sources_poll(g->sources, group_got, group_ended, g);
}

static void free_group(struct schedule *s, struct group *g);

static void step_closed(void *arg)
{
	struct group *g = arg;
	struct schedule *s = g->all;

	g->changing = false;
	g->sources = NULL;
	release_targets(g);
	if (s->closing) {
		one_closed(s);
		return;
	}
	if (g->leaving) {
		free_group(s, g);
		return;
	}
	open_step(g, g->step + 1);
	poll_group(g);
}

static void begin_group(struct group *g)
{
	if (g->changing)
		return;
	if (is_recording(g) && g->begun && g->step + 1 < g->recording.n) {
		g->changing = true;
		sources_close(g->sources, step_closed, g);
	} else {
		poll_group(g);
	}
}

static void begin_round(struct schedule *s)
{
	s->in_round = true;
	s->overdue = false;
	s->n_waited = s->n;
	uv_timer_start(&s->next, on_next, (uint64_t)s->interval_ms, 0);
	for (size_t i = 0; i < s->n; i++)
		s->groups[i]->waited = true;
	for (size_t i = 0; i < s->n; i++)
		begin_group(s->groups[i]);
}

/* ---- who is due ---- */

/* A step each interval; one that is still being read is waited for no more. */
static void play_due(struct schedule *s, struct group *g, int64_t now)
{
	if (g->due_mono_ms > now || g->leaving)
		return;
	g->due_mono_ms += s->interval_ms;
	if (g->due_mono_ms <= now)
		g->due_mono_ms = now + s->interval_ms;
	if (g->waited) {
		g->waited = false;
		if (s->fresh)
			settle(s);
		return;
	}
	g->waited = true;
	begin_group(g);
}

static int64_t next_ms(const struct schedule *s, int64_t now)
{
	int64_t least = s->interval_ms < LOOK_MAX_MS ? s->interval_ms : LOOK_MAX_MS;

	for (size_t i = 0; i < s->n; i++) {
		const struct group *g = s->groups[i];
		int64_t wait = is_recording(g) ? g->due_mono_ms - now : sources_next_ms(g->sources);

		if (wait >= 0 && wait < least && !g->leaving)
			least = wait;
	}
	return least;
}

static void on_due(uv_timer_t *t)
{
	struct schedule *s = t->data;
	int64_t now = clock_mono_ms();
	size_t n = s->n;

	s->moved_mono_ms = now;
	for (size_t i = 0; i < n; i++)
		if (is_recording(s->groups[i]))
			play_due(s, s->groups[i], now);
		else
			sources_poll_due(s->groups[i]->sources);
	uv_timer_start(&s->next, on_due, (uint64_t)next_ms(s, now), 0);
}

/* Something else may be due first now. */
static void look_again(struct schedule *s)
{
	if (!s->closing && !s->rounds && !s->stalled)
		uv_timer_start(&s->next, on_due, 0, 0);
}

static void paced_got(void *arg, const struct snapshot *snapshot)
{
	struct group *g = arg;

	group_got(g, snapshot);
	look_again(g->all);
}

static void set_pace(struct group *g)
{
	sources_pace(g->sources, g->all->interval_ms, g->all->at_once, paced_got, g);
}

/* ---- beginning ---- */

static bool is_played(const struct target_config *t)
{
	return t->kind == TARGET_REPLAY && t->path;
}

static struct group *add_group(struct schedule *s)
{
	struct group *g = mem_new(1, sizeof *g);

	s->groups = mem_grow(s->groups, s->n, sizeof *s->groups);
	s->groups[s->n++] = g;
	g->all = s;
	g->due_mono_ms = clock_mono_ms();
	return g;
}

static void free_group(struct schedule *s, struct group *g)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->groups[i] != g)
			s->groups[n++] = s->groups[i];
	s->n = n;
	release_targets(g);
	recording_release(&g->recording);
	target_config_release(&g->played);
	free(g);
}

/* Those that are no recordings; the list borrows its texts. */
static size_t ordinary(const struct config *c, struct target_config **out)
{
	size_t n = 0;

	*out = mem_new(c->n_targets + 1, sizeof **out);
	for (size_t i = 0; i < c->n_targets; i++)
		if (!is_played(&c->targets[i]))
			(*out)[n++] = c->targets[i];
	return n;
}

static int add_played(struct schedule *s, const struct target_config *t, struct err *e)
{
	struct recording r = {0};
	struct group *g;

	if (recording_load(t->path, &r, e)) {
		recording_release(&r);
		return err_wrap(e, "target \"%s\"", t->name);
	}
	g = add_group(s);
	g->recording = r;
	g->played = target_config_copy(t);
	open_step(g, 0);
	return 0;
}

static size_t at_once(const struct config *c)
{
	int64_t interval_ms = c->poll_interval_ms < FLEET_INTERVAL_MS ? FLEET_INTERVAL_MS : c->poll_interval_ms;
	size_t n = (size_t)((int64_t)c->n_targets * POLL_MS / interval_ms);

	if (c->targets_at_once)
		return c->targets_at_once;
	return n > SOURCES_AT_ONCE ? n : SOURCES_AT_ONCE;
}

static void take_intervals(struct schedule *s, const struct config *c)
{
	s->interval_ms = c->poll_interval_ms;
	s->at_once = at_once(c);
}

static void nobody(void *arg)
{
	(void)arg;
}

struct schedule *schedule_new(const struct collector_env *env, const struct config *c,
	int rounds, const struct schedule_calls *calls, struct err *e)
{
	struct schedule *s = mem_new(1, sizeof *s);
	struct target_config *list;
	size_t n = ordinary(c, &list);

	*s = (struct schedule){.env = env, .calls = *calls, .rounds = rounds, .moved_mono_ms = clock_mono_ms()};
	take_intervals(s, c);
	uv_timer_init(env->loop, &s->next);
	uv_timer_init(env->loop, &s->settle);
	s->next.data = s->settle.data = s;
	add_group(s)->sources = sources_new(env, list, n, s->at_once);
	free(list);
	for (size_t i = 0; i < c->n_targets; i++)
		if (is_played(&c->targets[i]) && add_played(s, &c->targets[i], e)) {
			schedule_close(s, nobody, NULL);
			return NULL;
		}
	return s;
}

void schedule_start(struct schedule *s)
{
	if (!s->rounds)
		set_pace(s->groups[0]);
	if (!s->rounds && s->n == 1 && !awaits(s)) { /* a list, or this agent's part of it, may be empty: that is told too */
		s->fresh = true;
		settle(s);
	}
	uv_timer_start(&s->next, s->rounds ? on_next : on_due, 0, 0);
}

/* ---- another configuration ---- */

static const struct target_config *find_played(const struct config *c, const struct group *g)
{
	for (size_t i = 0; i < c->n_targets; i++)
		if (is_played(&c->targets[i]) && target_config_same(&c->targets[i], &g->played))
			return &c->targets[i];
	return NULL;
}

static bool plays(const struct schedule *s, const struct target_config *t)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->groups[i]->leaving && target_config_same(&s->groups[i]->played, t))
			return true;
	return false;
}

static void change_played(struct schedule *s, const struct config *c)
{
	struct err e = {""};

	for (size_t i = s->n; i-- > 1;) {
		struct group *g = s->groups[i];

		if (g->leaving || find_played(c, g))
			continue;
		g->leaving = true;
		g->waited = false;
		if (g->changing)
			continue;
		g->changing = true;
		sources_close(g->sources, step_closed, g);
	}
	for (size_t i = 0; i < c->n_targets; i++)
		if (is_played(&c->targets[i]) && !plays(s, &c->targets[i]) && add_played(s, &c->targets[i], &e))
			log_error("config", "%s; it is left out", e.text);
}

void schedule_change(struct schedule *s, const struct config *c)
{
	struct target_config *list;
	size_t n = ordinary(c, &list);

	take_intervals(s, c);
	sources_change(s->groups[0]->sources, list, n);
	free(list);
	change_played(s, c);
	set_pace(s->groups[0]);
	s->fresh = true; /* what is no longer asked is forgotten in the next round */
	settle(s);
	look_again(s);
}

void schedule_hurry(struct schedule *s, const char *target)
{
	if (s->closing || s->rounds)
		return;
	sources_hurry(s->groups[0]->sources, target);
	look_again(s);
}

void schedule_each(const struct schedule *s, void (*fn)(void *arg, const struct source_status *st), void *arg)
{
	sources_each(s->groups[0]->sources, fn, arg);
}

void schedule_stall(struct schedule *s)
{
	s->stalled = true;
	uv_timer_stop(&s->next);
}

int64_t schedule_moved_mono_ms(const struct schedule *s)
{
	return s->moved_mono_ms;
}

/* ---- the end ---- */

static void one_closed(struct schedule *s)
{
	if (--s->n_open > 0)
		return;
	s->closed(s->closed_arg);
	while (s->n)
		free_group(s, s->groups[s->n - 1]);
	free(s->groups);
	free(s);
}

static void group_closed(void *arg)
{
	struct group *g = arg;

	g->sources = NULL;
	one_closed(g->all);
}

static void timer_closed(uv_handle_t *h)
{
	one_closed(h->data);
}

void schedule_close(struct schedule *s, void (*closed)(void *arg), void *arg)
{
	s->closing = true;
	s->in_round = false;
	s->closed = closed;
	s->closed_arg = arg;
	s->n_open = s->n + 2;
	uv_close((uv_handle_t *)&s->next, timer_closed);
	uv_close((uv_handle_t *)&s->settle, timer_closed);
	for (size_t i = 0; i < s->n; i++)
		if (!s->groups[i]->changing)
			sources_close(s->groups[i]->sources, group_closed, s->groups[i]);
}
