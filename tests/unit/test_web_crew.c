/* SPDX-License-Identifier: MIT */
/* Threads that work for the loop: every job is done once, whatever ends first. */
#include "tests/unit/unit.h"
#include "web/crew.h"

#include <stdlib.h>

enum { JOBS = 200 };

struct count {
	int ran, done, closed, made, dropped; /* made and dropped in threads, one after the other here */
	uv_mutex_t lock;
};

struct task {
	struct crew_job job;
	struct count *count;
};

static void *make_own(void *arg)
{
	struct count *n = arg;

	uv_mutex_lock(&n->lock);
	n->made++;
	uv_mutex_unlock(&n->lock);
	return n;
}

static void drop_own(void *own)
{
	struct count *n = own;

	uv_mutex_lock(&n->lock);
	n->dropped++;
	uv_mutex_unlock(&n->lock);
}

static void run_task(struct crew_job *j, void *own)
{
	struct task *t = (struct task *)j;

	ck_assert_ptr_eq(own, t->count);
	uv_mutex_lock(&t->count->lock);
	t->count->ran++;
	uv_mutex_unlock(&t->count->lock);
}

static void done_task(struct crew_job *j)
{
	struct task *t = (struct task *)j;

	t->count->done++;
	free(t);
}

static void on_closed(void *arg)
{
	((struct count *)arg)->closed++;
}

static void on_tick(uv_timer_t *t)
{
	(void)t;
}

static struct task *task(struct count *n)
{
	struct task *t = calloc(1, sizeof *t);

	ck_assert_ptr_nonnull(t);
	*t = (struct task){.job = {.run = run_task, .done = done_task}, .count = n};
	return t;
}

START_TEST(every_job_is_done_once_also_when_the_crew_ends_before_it_ran)
{
	struct count n = {0};
	const struct crew_own own = {make_own, drop_own, &n};
	uv_timer_t tick; /* a crew alone keeps no loop running */
	struct crew *c;
	uv_loop_t loop;
	int taken = 0;

	uv_loop_init(&loop);
	uv_timer_init(&loop, &tick);
	uv_timer_start(&tick, on_tick, 10, 10);
	uv_mutex_init(&n.lock);
	c = crew_new(&loop, 2, JOBS, &own);
	for (int i = 0; i < JOBS + 10; i++) {
		struct task *t = task(&n);

		if (crew_put(c, &t->job))
			taken++;
		else
			free(t);
	}
	ck_assert_int_eq(taken, JOBS);
	while (!n.done)
		uv_run(&loop, UV_RUN_ONCE);
	crew_close(c, on_closed, &n);
	ck_assert_int_eq(n.done, JOBS);
	ck_assert_int_ge(n.ran, 1);
	ck_assert_int_eq(n.made, 2);
	ck_assert_int_eq(n.dropped, 2);
	uv_close((uv_handle_t *)&tick, NULL);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(n.closed, 1);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
	uv_mutex_destroy(&n.lock);
}
END_TEST

START_TEST(a_crew_that_had_nothing_to_do_starts_no_thread)
{
	struct count n = {0};
	const struct crew_own own = {make_own, drop_own, &n};
	uv_loop_t loop;

	uv_loop_init(&loop);
	uv_mutex_init(&n.lock);
	crew_close(crew_new(&loop, 2, 8, &own), on_closed, &n);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(n.closed, 1);
	ck_assert_int_eq(n.made, 0);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
	uv_mutex_destroy(&n.lock);
}
END_TEST

UNIT_MAIN("web_crew", every_job_is_done_once_also_when_the_crew_ends_before_it_ran,
	a_crew_that_had_nothing_to_do_starts_no_thread)
