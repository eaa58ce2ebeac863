/* SPDX-License-Identifier: MIT */
/*
 * When each source is asked: against a scripted collector, on a clock that is turned by hand.
 * collector_find() below takes the place of the registry's.
 */
#include "agent/sources.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>
#include <uv.h>

enum { MANY = 50 };

/* What the scripted target does when it is asked. */
struct script {
	bool dead, silent;
	int asked, opened, closed;
};

static struct script scripts[MANY];
static int64_t now_ms = 1000000;

struct handle {
	const struct target_config *config;
	struct script *script;
	uv_timer_t timer;
	void (*done)(void *arg, const struct snapshot *s);
	void *arg;
	void (*closed)(void *arg);
	void *closed_arg;
};

static struct script *script_of(const char *name)
{
	return &scripts[strtoul(name + 1, NULL, 10) % MANY];
}

static void *fake_open(const struct target_config *c, const struct collector_env *env, struct err *e)
{
	struct handle *h = mem_new(1, sizeof *h);

	(void)e;
	h->config = c;
	h->script = script_of(c->name);
	h->script->opened++;
	uv_timer_init(env->loop, &h->timer);
	h->timer.data = h;
	return h;
}

static void answer(uv_timer_t *t)
{
	struct handle *h = t->data;
	struct snapshot s;

	snapshot_init(&s, h->config->name, TARGET_REDFISH, h->config->host);
	s.target.verdict = TARGET_OK;
	if (h->script->dead)
		target_unreachable(&s.target, REASON_REFUSED, "nobody listens");
	h->done(h->arg, &s);
	snapshot_release(&s);
}

static void fake_poll(void *source, void (*done)(void *arg, const struct snapshot *s), void *arg)
{
	struct handle *h = source;

	h->script->asked++;
	h->done = done;
	h->arg = arg;
	if (!h->script->silent)
		uv_timer_start(&h->timer, answer, 0, 0);
}

static void fake_gone(uv_handle_t *t)
{
	struct handle *h = t->data;

	h->script->closed++;
	h->closed(h->closed_arg);
	free(h);
}

static void fake_close(void *source, void (*closed)(void *arg), void *arg)
{
	struct handle *h = source;

	h->closed = closed;
	h->closed_arg = arg;
	uv_close((uv_handle_t *)&h->timer, fake_gone);
}

static const struct collector fake = {TARGET_REDFISH, fake_open, fake_poll, fake_close};

const struct collector *collector_find(enum target_kind kind)
{
	return kind == TARGET_REDFISH ? &fake : NULL;
}

/* ---- the stage ---- */

struct stage {
	uv_loop_t loop;
	struct collector_env env;
	struct sources *sources;
	struct target_config targets[MANY];
	int got;
};

static void got(void *arg, const struct snapshot *s)
{
	struct stage *st = arg;

	(void)s;
	st->got++;
}

static void turn(struct stage *st, int64_t ms)
{
	now_ms += ms;
	clock_set(1700000000000 + now_ms, now_ms);
	sources_poll_due(st->sources);
	for (int i = 0; i < 4; i++)
		uv_run(&st->loop, UV_RUN_NOWAIT);
}

static void set_up(struct stage *st, size_t n)
{
	*st = (struct stage){0};
	memset(scripts, 0, sizeof scripts); /* tests may share one process */
	clock_set(1700000000000 + now_ms, now_ms);
	log_set_level(LOG_LEVEL_ERROR);
	uv_loop_init(&st->loop);
	st->env.loop = &st->loop;
	for (size_t i = 0; i < n; i++) {
		st->targets[i].kind = TARGET_REDFISH;
		snprintf(st->targets[i].name, sizeof st->targets[i].name, "t%zu", i);
	}
	st->sources = sources_new(&st->env, st->targets, n, MANY);
	sources_pace(st->sources, 60000, MANY, got, st);
}

static void gone(void *arg)
{
	struct stage *st = arg;

	st->sources = NULL;
}

static void tear_down(struct stage *st)
{
	sources_close(st->sources, gone, st);
	uv_run(&st->loop, UV_RUN_DEFAULT);
	ck_assert_ptr_null(st->sources);
	ck_assert_int_eq(uv_loop_close(&st->loop), 0);
}

START_TEST(a_target_that_answers_is_asked_at_its_interval)
{
	struct stage st;

	set_up(&st, 1);
	for (int64_t s = 0; s < 3600; s++)
		turn(&st, 1000);
	ck_assert_int_ge(scripts[0].asked, 58);
	ck_assert_int_le(scripts[0].asked, 62);
	ck_assert_int_eq(scripts[0].opened, 1);
	ck_assert_int_eq(st.got, scripts[0].asked);
	tear_down(&st);
	ck_assert_int_eq(scripts[0].closed, 1);
}
END_TEST

START_TEST(one_that_does_not_answer_is_asked_less_and_less_often_and_at_once_in_time_when_it_does)
{
	struct stage st;
	int before;

	set_up(&st, 1);
	scripts[0].dead = true;
	for (int64_t s = 0; s < 3600; s++)
		turn(&st, 1000);
	ck_assert_int_ge(scripts[0].asked, 11); /* after 1, 2, 4 minutes, then every five */
	ck_assert_int_le(scripts[0].asked, 16);
	scripts[0].dead = false;
	before = scripts[0].asked;
	for (int64_t s = 0; s < 3600; s++)
		turn(&st, 1000);
	ck_assert_int_ge(scripts[0].asked - before, 54);
	tear_down(&st);
}
END_TEST

static void count_state(void *arg, const struct source_status *s)
{
	int *n = arg;

	n[s->state]++;
}

START_TEST(one_stuck_of_fifty_delays_no_other_and_is_not_asked_twice_LW_R7)
{
	struct stage st;
	int n[SOURCE_DISABLED + 1] = {0};

	set_up(&st, MANY);
	scripts[7].silent = true;
	for (int64_t s = 0; s < 600; s++)
		turn(&st, 1000);
	for (int i = 0; i < MANY; i++)
		if (i != 7)
			ck_assert_int_ge(scripts[i].asked, 9);
	ck_assert_int_eq(scripts[7].asked, 1);
	ck_assert_uint_eq(sources_awaited(st.sources, 0), 1); /* not yet seen to be late: the pump is a real timer */
	sources_each(st.sources, count_state, n);
	ck_assert_int_eq(n[SOURCE_IDLE], MANY - 1);
	tear_down(&st);
	for (int i = 0; i < MANY; i++)
		ck_assert_int_eq(scripts[i].closed, 1);
}
END_TEST

START_TEST(another_list_closes_what_is_gone_and_leaves_alone_what_says_the_same_LW_A6)
{
	struct stage st;

	set_up(&st, 3);
	turn(&st, 1);
	st.targets[1].no_expand = true;			 /* another one now */
	snprintf(st.targets[2].name, sizeof st.targets[2].name, "t3"); /* t2 goes, t3 comes */
	sources_change(st.sources, st.targets, 3);
	for (int i = 0; i < 5; i++)
		turn(&st, 1);
	ck_assert_int_eq(scripts[0].opened, 1);
	ck_assert_int_eq(scripts[0].closed, 0);
	ck_assert_int_eq(scripts[1].opened, 2);
	ck_assert_int_eq(scripts[1].closed, 1);
	ck_assert_int_eq(scripts[2].closed, 1);
	ck_assert_int_eq(scripts[3].opened, 1);
	ck_assert_int_eq(scripts[3].asked, 1);
	for (int i = 0; i < 50; i++) { /* again and again, also while they are being closed */
		st.targets[1].no_expand = i % 2;
		sources_change(st.sources, st.targets, i % 3 ? 3 : 1);
		if (i % 4 == 0)
			turn(&st, 10);
	}
	tear_down(&st);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(scripts[i].opened, scripts[i].closed);
}
END_TEST

START_TEST(more_than_are_asked_side_by_side_are_spread_over_their_interval)
{
	int before[MANY], most = 0;
	struct stage st;

	set_up(&st, MANY);
	sources_pace(st.sources, 60000, 4, got, &st);
	for (int i = 0; i < 20; i++)
		turn(&st, 100);
	for (int i = 0; i < MANY; i++)
		ck_assert_int_eq(scripts[i].asked, 1);
	turn(&st, 58000); /* the second interval: each finds its moment */
	for (int i = 0; i < 60; i++)
		turn(&st, 1000);
	for (int i = 0; i < MANY; i++)
		before[i] = scripts[i].asked;
	for (int i = 0; i < 12; i++) {
		int n = st.got;

		for (int k = 0; k < 5; k++)
			turn(&st, 1000);
		most = st.got - n > most ? st.got - n : most;
	}
	ck_assert_int_le(most, 10); /* of 50 in 5 of 60 seconds: 4, and what the jitter adds */
	for (int i = 0; i < MANY; i++) {
		ck_assert_int_ge(scripts[i].asked, before[i]);
		ck_assert_int_le(scripts[i].asked, before[i] + 2);
	}
	tear_down(&st);
}
END_TEST

START_TEST(one_that_was_heard_of_is_asked_at_once)
{
	struct stage st;

	set_up(&st, 2);
	turn(&st, 1);
	sources_hurry(st.sources, "t1");
	sources_hurry(st.sources, "nobody");
	ck_assert_int_eq(sources_next_ms(st.sources), 0);
	turn(&st, 1);
	ck_assert_int_eq(scripts[0].asked, 1);
	ck_assert_int_eq(scripts[1].asked, 2);
	tear_down(&st);
}
END_TEST

UNIT_MAIN("sources", a_target_that_answers_is_asked_at_its_interval,
	one_that_does_not_answer_is_asked_less_and_less_often_and_at_once_in_time_when_it_does,
	one_stuck_of_fifty_delays_no_other_and_is_not_asked_twice_LW_R7,
	another_list_closes_what_is_gone_and_leaves_alone_what_says_the_same_LW_A6, one_that_was_heard_of_is_asked_at_once,
	more_than_are_asked_side_by_side_are_spread_over_their_interval)
