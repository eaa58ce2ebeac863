/* SPDX-License-Identifier: MIT */
/* schedule: see schedule.h. */
#include "agent/schedule.h"

#include "agent/recording.h"
#include "agent/sources.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

/* Targets that are opened and closed together: those of the configuration, or the step of
 * a recording. */
struct group {
	struct schedule *all;
	const struct target_config
		*played; /* the target of kind replay; NULL: not a recording */
	struct recording recording;
	size_t step;           /* that is open */
	struct config targets; /* only its targets are used */
	struct sources *sources;
	bool changing; /* its sources are being closed for the next step */
	bool waited;   /* the round waits for it */
};

struct schedule {
	const struct collector_env *env;
	struct schedule_calls calls;
	uint64_t interval_ms;
	int rounds, n_rounds; /* wanted (0: no end), and done */
	bool in_round, overdue, closing;
	uv_timer_t next;
	size_t n, n_waited, n_open;
	struct group *groups;
	void (*closed)(void *arg);
	void *closed_arg;
};

static void begin_round(struct schedule *s);

/* ---- the steps of a recording ---- */

static void release_targets(struct group *g)
{
	/* those that are not of a recording belong to the configuration */
	for (size_t i = 0; i < g->targets.n_targets && g->played; i++)
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
		char name[sizeof g->played->name + sizeof t->name + 2];

		if (g->targets.n_targets == 1 || str_same(g->played->name, t->name))
			snprintf(name, sizeof name, "%s", g->played->name);
		else
			snprintf(name, sizeof name, "%s/%s", g->played->name, t->name);
		str_copy(t->name, sizeof t->name, name);
	}
}

/* A step that cannot be read has no targets, and is said once. */
static void open_step(struct group *g, size_t step)
{
	struct err e = {""};

	g->step = step;
	if (recording_targets(&g->recording.steps[step], &g->targets, &e)) {
		log_warn("replay", "%s: %s", g->played->name, e.text);
		release_targets(g);
	}
	rename_targets(g);
	g->sources = sources_new(g->all->env, g->targets.targets, g->targets.n_targets, SOURCES_AT_ONCE);
}

/* ---- rounds ---- */

static void on_next(uv_timer_t *t)
{
	struct schedule *s = t->data;

	if (s->in_round && s->rounds) {
		s->overdue = true; /* each of a given number of rounds is a whole one */
		return;
	}
	if (s->in_round) {
		s->in_round = false;
		s->calls.round(s->calls.arg);
	}
	if (!s->closing)
		begin_round(s);
}

static void end_round(struct schedule *s)
{
	s->in_round = false;
	s->n_rounds++;
	s->calls.round(s->calls.arg);
	if (s->rounds && s->n_rounds >= s->rounds)
		s->calls.finished(s->calls.arg);
	else if (s->overdue && !s->closing)
		uv_timer_start(&s->next, on_next, 0, 0);
}

static void group_got(void *arg, const struct snapshot *snapshot)
{
	struct group *g = arg;

	g->all->calls.got(g->all->calls.arg, snapshot);
}

static void group_ended(void *arg)
{
	struct group *g = arg;
	struct schedule *s = g->all;

	if (!g->waited)
		return;
	g->waited = false;
	if (--s->n_waited == 0 && s->in_round)
		end_round(s);
}

static void poll_group(struct group *g)
{
	const struct schedule *s = g->all;

	for (size_t i = 0; i < g->targets.n_targets; i++)
		g->all->calls.ask(g->all->calls.arg, g->targets.targets[i].name);
	if (s->rounds && s->n_rounds + 1 == s->rounds)
		sources_leave(g->sources);
	sources_poll(g->sources, group_got, group_ended, g);
}

static void one_closed(struct schedule *s);

static void step_closed(void *arg)
{
	struct group *g = arg;

	g->changing = false;
	g->sources = NULL;
	release_targets(g);
	if (g->all->closing) {
		one_closed(g->all);
		return;
	}
	open_step(g, g->step + 1);
	poll_group(g);
}

static void begin_group(struct group *g)
{
	if (g->changing)
		return;
	if (g->played && g->all->n_rounds > 0 && g->step + 1 < g->recording.n) {
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
	uv_timer_start(&s->next, on_next, s->interval_ms, 0);
	for (size_t i = 0; i < s->n; i++)
		s->groups[i].waited = true;
	for (size_t i = 0; i < s->n; i++)
		begin_group(&s->groups[i]);
}

/* ---- beginning and end ---- */

static bool is_played(const struct target_config *t)
{
	return t->kind == TARGET_REPLAY && t->path;
}

static void add_ordinary(struct schedule *s, const struct config *c)
{
	struct group *g = &s->groups[s->n];

	for (size_t i = 0; i < c->n_targets; i++)
		if (!is_played(&c->targets[i])) {
			g->targets.targets = mem_grow(g->targets.targets,
				g->targets.n_targets, sizeof *c->targets);
			g->targets.targets[g->targets.n_targets++] = c->targets[i];
		}
	if (g->targets.n_targets == 0)
		return;
	g->all = s;
	g->sources = sources_new(s->env, g->targets.targets, g->targets.n_targets, SOURCES_AT_ONCE);
	s->n++;
}

static int add_played(struct schedule *s, const struct target_config *t, struct err *e)
{
	struct group *g = &s->groups[s->n];

	if (recording_load(t->path, &g->recording, e)) {
		recording_release(&g->recording);
		return err_wrap(e, "target \"%s\"", t->name);
	}
	g->all = s;
	g->played = t;
	open_step(g, 0);
	s->n++;
	return 0;
}

static void nobody(void *arg)
{
	(void)arg;
}

struct schedule *schedule_new(const struct collector_env *env, const struct config *c,
	int rounds, const struct schedule_calls *calls, struct err *e)
{
	struct schedule *s = mem_new(1, sizeof *s);

	*s = (struct schedule){.env = env,
		.calls = *calls,
		.rounds = rounds,
		.interval_ms = (uint64_t)c->poll_interval_ms};
	s->groups = mem_new(c->n_targets + 1, sizeof *s->groups);
	uv_timer_init(env->loop, &s->next);
	s->next.data = s;
	add_ordinary(s, c);
	for (size_t i = 0; i < c->n_targets; i++)
		if (is_played(&c->targets[i]) && add_played(s, &c->targets[i], e)) {
			schedule_close(s, nobody, NULL);
			return NULL;
		}
	return s;
}

void schedule_start(struct schedule *s)
{
	uv_timer_start(&s->next, on_next, 0, 0);
}

static void free_schedule(struct schedule *s)
{
	for (size_t i = 0; i < s->n; i++) {
		release_targets(&s->groups[i]);
		recording_release(&s->groups[i].recording);
	}
	free(s->groups);
	free(s);
}

static void one_closed(struct schedule *s)
{
	if (--s->n_open > 0)
		return;
	s->closed(s->closed_arg);
	free_schedule(s);
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
	s->n_open = s->n + 1;
	uv_close((uv_handle_t *)&s->next, timer_closed);
	for (size_t i = 0; i < s->n; i++)
		if (!s->groups[i].changing)
			sources_close(s->groups[i].sources, group_closed, &s->groups[i]);
}
