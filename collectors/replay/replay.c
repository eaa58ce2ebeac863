/* SPDX-License-Identifier: MIT */
/*
 * replay: see replay.h.  observation.json is a list of BAY objects, partial ones allowed
 * (docs/API.md); what one does not say stays unknown.  The file is read in a worker's thread.
 */
#include "collectors/replay/replay.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/replay/recorded.h"
#include "collectors/worker.h"
#include "document/bays.h"

#include <stdlib.h>

enum { ROUND_MS = 20000, BAYS_MAX = 4096 };

struct source {
	const struct target_config *config;
	const struct collector_env *env;
	struct worker *worker;
	uv_timer_t again; /* reports where no thread can be sent */
	void (*done)(void *arg, const struct snapshot *s);
	void *done_arg;
	void (*closed)(void *arg);
	void *closed_arg;
};

/* One round, read in a thread. */
struct round {
	char *dir;
	int64_t at_wall_ms;
	struct snapshot snapshot;
};

static void unreachable(struct target *t, enum reason reason, const char *message)
{
	t->verdict = TARGET_UNREACHABLE;
	t->reason = reason;
	str_copy(t->message, sizeof t->message, message);
}

static void take_bay(struct snapshot *s, const json_t *j, int64_t at_wall_ms)
{
	struct bay b = document_read_bay(j, s->target.name, s->target.host);
	struct bay *mine = snapshot_add_bay(s, b.bay);

	*mine = b;
	if (mine->observed_wall_ms == CLOCK_NEVER)
		mine->observed_wall_ms = at_wall_ms;
}

static void read_round(void *job)
{
	struct round *r = job;
	struct target *t = &r->snapshot.target;
	struct err e;
	json_t *j;

	if (recorded_error(r->dir, t))
		return;
	j = recorded_json(r->dir, "observation.json", &e);
	if (!json_is_array(j) || json_array_size(j) > BAYS_MAX) {
		unreachable(t, REASON_NOT_REPORTED, j ? "observation.json is no list of bays" : e.text);
		json_decref(j);
		return;
	}
	t->verdict = TARGET_OK;
	for (size_t i = 0; i < json_array_size(j); i++)
		take_bay(&r->snapshot, json_array_get(j, i), r->at_wall_ms);
	json_decref(j);
}

static void free_round(void *job)
{
	struct round *r = job;

	snapshot_release(&r->snapshot);
	free(r->dir);
	free(r);
}

static void on_done(void *arg, void *job)
{
	struct source *s = arg;
	struct round *r = job;
	struct snapshot late;

	if (r) {
		s->done(s->done_arg, &r->snapshot);
		return;
	}
	snapshot_init(&late, s->config->name, TARGET_REPLAY, s->config->host);
	late.target.observed_wall_ms = clock_wall_ms();
	unreachable(&late.target, REASON_TIMEOUT, "the recording could not be read in time");
	s->done(s->done_arg, &late);
	snapshot_release(&late);
}

static void on_again(uv_timer_t *h)
{
	on_done(h->data, NULL);
}

static void *replay_open(const struct target_config *c, const struct collector_env *env, struct err *e)
{
	struct source *s;

	if (!c->recording) {
		err_set(e, "%s: a target of type replay needs a recording", c->name);
		return NULL;
	}
	s = mem_new(1, sizeof *s);
	s->config = c;
	s->env = env;
	s->again.data = s;
	uv_timer_init(env->loop, &s->again);
	return s;
}

static void replay_poll(void *source, void (*done)(void *arg, const struct snapshot *s), void *arg)
{
	struct source *s = source;
	struct round *r = mem_new(1, sizeof *r);
	const struct worker_job job = {r, read_round, free_round, on_done, s};

	s->done = done;
	s->done_arg = arg;
	r->dir = mem_text(s->config->recording);
	r->at_wall_ms = clock_wall_ms();
	snapshot_init(&r->snapshot, s->config->name, TARGET_REPLAY, s->config->host);
	r->snapshot.target.observed_wall_ms = r->at_wall_ms;
	worker_release(s->worker);
	s->worker = worker_start(s->env->loop, &job, ROUND_MS, NULL);
	if (!s->worker)
		uv_timer_start(&s->again, on_again, 0, 0);
}

static void on_closed(uv_handle_t *h)
{
	struct source *s = h->data;

	s->closed(s->closed_arg);
	free(s);
}

static void replay_close(void *source, void (*closed)(void *arg), void *arg)
{
	struct source *s = source;

	s->closed = closed;
	s->closed_arg = arg;
	worker_release(s->worker);
	s->worker = NULL;
	uv_close((uv_handle_t *)&s->again, on_closed);
}

const struct collector replay_collector = {
	.kind = TARGET_REPLAY,
	.open = replay_open,
	.poll = replay_poll,
	.close = replay_close,
};
