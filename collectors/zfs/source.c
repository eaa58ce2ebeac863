/* SPDX-License-Identifier: MIT */
/*
 * source: see source.h.  A round runs in a worker's thread, for zpool may take seconds, or never
 * come back; while one has not come back, no second is started.
 */
#include "collectors/zfs/source.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/replay/recorded.h"
#include "collectors/worker.h"
#include "collectors/zfs/host.h"
#include "collectors/zfs/recording.h"

#include <stdlib.h>

enum { ROUND_MS = 20000 }; /* three commands with a deadline of five seconds each */

struct source {
	const struct target_config *config;
	const struct collector_env *env;
	struct worker *worker;
	struct zfs_host host;
	uv_timer_t again; /* reports at once where no thread can be sent */
	void (*done)(void *arg, const struct snapshot *s);
	void *done_arg;
	void (*closed)(void *arg);
	void *closed_arg;
};

/* One round, read in a thread; it owns what it points to. */
struct round {
	char *recording, *program;
	struct zfs_host host;
	int64_t start_mono_ms;
	struct snapshot snapshot;
};

static void unreachable(struct target *t, enum reason reason, const char *message)
{
	t->verdict = TARGET_UNREACHABLE;
	t->reason = reason;
	str_copy(t->message, sizeof t->message, message);
}

static void read_round(void *job)
{
	struct round *r = job;
	struct target *t = &r->snapshot.target;

	if (!r->recording) {
		zfs_host_read(&r->host, r->program, &r->snapshot);
		return;
	}
	if (recorded_error(r->recording, t))
		return;
	t->verdict = TARGET_OK;
	if (!zfs_recording_read(r->recording, &r->snapshot))
		unreachable(t, REASON_NOT_REPORTED, "there is no zpool/status.txt or .json in the recording");
	else if (t->n_errors && r->snapshot.n_pools == 0)
		unreachable(t, REASON_NOT_REPORTED, t->errors[0].message);
}

static void free_round(void *job)
{
	struct round *r = job;

	snapshot_release(&r->snapshot);
	free(r->recording);
	free(r->program);
	free(r);
}

static void say_late(struct source *s)
{
	struct snapshot late;

	snapshot_init(&late, s->config->name, TARGET_ZFS, s->config->host);
	late.target.observed_wall_ms = clock_wall_ms();
	unreachable(&late.target, REASON_TIMEOUT, "zpool does not answer");
	s->done(s->done_arg, &late);
	snapshot_release(&late);
}

static void on_done(void *arg, void *job)
{
	struct source *s = arg;
	struct round *r = job;

	if (!r) {
		say_late(s);
		return;
	}
	s->host = r->host;
	r->snapshot.target.duration_ms = clock_mono_ms() - r->start_mono_ms;
	s->done(s->done_arg, &r->snapshot);
}

static void on_again(uv_timer_t *h)
{
	say_late(h->data);
}

static void *zfs_open(const struct target_config *c, const struct collector_env *env, struct err *e)
{
	struct source *s;

	if (c->path && c->path[0] != '/') {
		err_set(e, "%s: the path of zpool must be absolute", c->name);
		return NULL;
	}
	s = mem_new(1, sizeof *s);
	s->config = c;
	s->env = env;
	s->again.data = s;
	uv_timer_init(env->loop, &s->again);
	return s;
}

static void zfs_poll(void *source, void (*done)(void *arg, const struct snapshot *s), void *arg)
{
	struct source *s = source;
	struct worker_job job = {.work = read_round, .free_job = free_round, .done = on_done, .arg = s};
	struct round *r;

	s->done = done;
	s->done_arg = arg;
	if (s->worker && worker_running(s->worker)) {
		uv_timer_start(&s->again, on_again, 0, 0);
		return;
	}
	worker_release(s->worker);
	r = mem_new(1, sizeof *r);
	r->recording = s->config->recording ? mem_text(s->config->recording) : NULL;
	r->program = s->config->path ? mem_text(s->config->path) : NULL;
	r->host = s->host;
	r->start_mono_ms = clock_mono_ms();
	snapshot_init(&r->snapshot, s->config->name, TARGET_ZFS, s->config->host);
	r->snapshot.target.observed_wall_ms = clock_wall_ms();
	job.job = r;
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

static void zfs_close(void *source, void (*closed)(void *arg), void *arg)
{
	struct source *s = source;

	s->closed = closed;
	s->closed_arg = arg;
	worker_release(s->worker);
	s->worker = NULL;
	uv_close((uv_handle_t *)&s->again, on_closed);
}

const struct collector zfs_collector = {
	.kind = TARGET_ZFS,
	.open = zfs_open,
	.poll = zfs_poll,
	.close = zfs_close,
};
