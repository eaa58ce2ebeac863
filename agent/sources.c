/* SPDX-License-Identifier: MIT */
/* sources: see sources.h. */
#include "agent/sources.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>

enum { YOUNG_MS = 3000 }; /* one that takes longer keeps no other waiting */

struct source {
	struct sources *all;
	const struct target_config *config;
	const struct collector *collector;
	void *handle; /* NULL: could not be opened, `why` says why */
	bool busy, queued; /* queued: it is its turn as soon as others are done */
	bool leaving;	   /* it has given its last answer, and is closed */
	int64_t begun_mono_ms;
	unsigned round; /* in which it was asked */
	char why[256];
};

struct sources {
	const struct collector_env *env;
	struct source *items;
	size_t n, n_open, at_once;
	unsigned round;
	size_t n_waiting; /* of this round */
	bool none_asked;  /* all are still busy */
	bool last;	  /* no round follows this one */
	int n_timers;	  /* still open, at the end */
	uv_timer_t soon;  /* answers for those that could not be opened, ends a round of
			     none, and closes those that have given the last answer */
	uv_timer_t pump;  /* lets the queued begin beside the slow */
	void (*got)(void *arg, const struct snapshot *s);
	void (*ended)(void *arg);
	void *arg;
	void (*closed)(void *arg);
	void *closed_arg;
};

static void open_source(
	struct sources *all, struct source *s, const struct target_config *c)
{
	struct err e = {"this build cannot read targets of this kind"};

	s->all = all;
	s->config = c;
	s->collector = collector_find(c->kind);
	s->handle = s->collector ? s->collector->open(c, all->env, &e) : NULL;
	if (s->handle)
		all->n_open++;
	else
		str_copy(s->why, sizeof s->why, e.text);
}

struct sources *sources_new(const struct collector_env *env, const struct target_config *targets,
	size_t n, size_t at_once)
{
	struct sources *all = mem_new(1, sizeof *all);

	all->env = env;
	all->n = n;
	all->at_once = at_once;
	all->items = mem_new(n, sizeof *all->items);
	uv_timer_init(env->loop, &all->soon);
	all->soon.data = all;
	uv_timer_init(env->loop, &all->pump);
	all->pump.data = all;
	for (size_t i = 0; i < n; i++)
		open_source(all, &all->items[i], &targets[i]);
	return all;
}

static void on_snapshot(void *arg, const struct snapshot *snapshot);
static void on_soon(uv_timer_t *t);

static size_t young(const struct sources *all)
{
	int64_t now = clock_mono_ms();
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += all->items[i].busy && !all->items[i].queued &&
		     now - all->items[i].begun_mono_ms < YOUNG_MS;
	return n;
}

/* Lets queued sources begin, so many side by side. */
static void begin_queued(struct sources *all)
{
	size_t n = young(all);

	for (size_t i = 0; i < all->n && n < all->at_once; i++) {
		struct source *s = &all->items[i];

		if (!s->queued)
			continue;
		s->queued = false;
		s->begun_mono_ms = clock_mono_ms();
		n++;
		s->collector->poll(s->handle, on_snapshot, s);
	}
}

static void on_pump(uv_timer_t *t)
{
	begin_queued(t->data);
}

static void answered(struct source *s, const struct snapshot *snapshot)
{
	struct sources *all = s->all;

	s->busy = false;
	s->leaving = all->last && s->handle;
	if (s->leaving) /* not from within the source's own call */
		uv_timer_start(&all->soon, on_soon, 0, 0);
	all->got(all->arg, snapshot);
	/* one that was asked in an earlier round is welcome, but nobody waits for it */
	if (s->round == all->round && --all->n_waiting == 0)
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

	snapshot_init(&snapshot, s->config->name, s->config->kind, s->config->host);
	str_copy(snapshot.target.url, sizeof snapshot.target.url, s->config->url);
	snapshot.target.observed_wall_ms = clock_wall_ms();
	target_unreachable(&snapshot.target, REASON_REFUSED, s->why);
	answered(s, &snapshot);
	snapshot_release(&snapshot);
}

static void on_timer_closed(uv_handle_t *h)
{
	struct sources *all = h->data;

	if (--all->n_timers)
		return;
	all->closed(all->closed_arg);
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

	if (--s->all->n_open == 0 && s->all->closed)
		close_timer(s->all);
}

/* Gives the source back; what it still has to do is awaited by sources_close(). */
static void close_source(struct source *s)
{
	void *handle = s->handle;

	s->handle = NULL;
	s->collector->close(handle, on_closed, s);
}

static void on_soon(uv_timer_t *t)
{
	struct sources *all = t->data;

	if (all->none_asked) {
		all->none_asked = false;
		all->ended(all->arg);
	}
	for (size_t i = 0; i < all->n; i++) {
		struct source *s = &all->items[i];

		if (s->leaving && s->handle)
			close_source(s);
		else if (!s->handle && s->busy)
			answer_closed(s);
	}
}

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
	for (size_t i = 0; i < all->n; i++) {
		struct source *s = &all->items[i];

		if (s->busy)
			continue;
		s->busy = true;
		s->round = all->round;
		all->n_waiting++;
		s->queued = s->handle != NULL;
	}
	all->none_asked = all->n_waiting == 0;
	begin_queued(all);
	uv_timer_start(&all->pump, on_pump, YOUNG_MS / 3, YOUNG_MS / 3);
}

void sources_close(struct sources *all, void (*closed)(void *arg), void *arg)
{
	all->closed = closed;
	all->closed_arg = arg;
	uv_timer_stop(&all->soon);
	uv_timer_stop(&all->pump);
	for (size_t i = 0; i < all->n; i++)
		all->items[i].queued = false;
	if (all->n_open == 0)
		close_timer(all);
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].handle)
			close_source(&all->items[i]);
}
