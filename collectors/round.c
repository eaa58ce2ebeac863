/* SPDX-License-Identifier: MIT */
/* round: see round.h. */
#include "collectors/round.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdlib.h>

/* One round, with its thread until it comes back. */
struct round {
	const struct round_ops *ops;
	void *job;
	int64_t start_mono_ms;
	struct snapshot snapshot;
};

void rounds_init(struct rounds *r, const struct round_ops *ops, const struct target_config *c, uv_loop_t *loop, void *source)
{
	*r = (struct rounds){.ops = ops, .config = c, .source = source};
	r->again.data = r;
	uv_timer_init(loop, &r->again);
}

static void read_round(void *job)
{
	struct round *round = job;

	round->ops->read(round->job, &round->snapshot);
}

static void free_round(void *job)
{
	struct round *round = job;

	snapshot_release(&round->snapshot);
	round->ops->free_job(round->job);
	free(round);
}

static void say_unread(struct rounds *r, const char *why)
{
	struct snapshot s;

	snapshot_init(&s, r->config->name, r->ops->kind, r->config->host);
	s.target.observed_wall_ms = clock_wall_ms();
	target_unreachable(&s.target, REASON_TIMEOUT, why);
	r->done(r->done_arg, &s);
	snapshot_release(&s);
}

static void on_again(uv_timer_t *h)
{
	struct rounds *r = h->data;

	say_unread(r, r->no_thread.text[0] ? r->no_thread.text : r->ops->late);
}

static void on_done(void *arg, void *job)
{
	struct rounds *r = arg;
	struct round *round = job;

	if (!round) {
		say_unread(r, r->ops->late);
		return;
	}
	round->snapshot.target.duration_ms = clock_mono_ms() - round->start_mono_ms;
	if (r->ops->keep)
		r->ops->keep(r->source, round->job, &round->snapshot);
	r->done(r->done_arg, &round->snapshot);
}

static struct round *round_new(const struct rounds *r)
{
	struct round *round = mem_new(1, sizeof *round);

	round->ops = r->ops;
	round->job = r->ops->prepare(r->source);
	round->start_mono_ms = clock_mono_ms();
	snapshot_init(&round->snapshot, r->config->name, r->ops->kind, r->config->host);
	round->snapshot.target.observed_wall_ms = clock_wall_ms();
	return round;
}

void rounds_poll(struct rounds *r, void (*done)(void *arg, const struct snapshot *s), void *arg)
{
	struct worker_job job = {.work = read_round, .free_job = free_round, .done = on_done, .arg = r};

	r->done = done;
	r->done_arg = arg;
	r->no_thread.text[0] = '\0';
	if (!rounds_running(r)) {
		worker_release(r->worker);
		job.job = round_new(r);
		r->worker = worker_start(r->again.loop, &job, r->ops->deadline_ms, &r->no_thread);
		if (r->worker)
			return;
	}
	uv_timer_start(&r->again, on_again, 0, 0);
}

bool rounds_running(const struct rounds *r)
{
	return r->worker && worker_running(r->worker);
}

static void on_closed(uv_handle_t *h)
{
	struct rounds *r = h->data;

	r->closed(r->closed_arg);
	r->ops->free_source(r->source);
}

void rounds_close(struct rounds *r, void (*closed)(void *arg), void *arg)
{
	r->closed = closed;
	r->closed_arg = arg;
	worker_release(r->worker);
	r->worker = NULL;
	uv_close((uv_handle_t *)&r->again, on_closed);
}
