/* SPDX-License-Identifier: MIT */
/* source: see source.h.  Read in a thread, for zpool may take seconds, or never come back. */
#include "collectors/zfs/source.h"
#include "base/mem.h"
#include "collectors/replay/recorded.h"
#include "collectors/round.h"
#include "collectors/zfs/host.h"
#include "collectors/zfs/recording.h"

#include <stdlib.h>

enum { ROUND_MS = 20000 }; /* three commands with a deadline of five seconds each */

struct source {
	struct rounds rounds;
	struct zfs_host host;
};

/* What one round's thread has; it owns what it points to. */
struct job {
	char *recording, *program;
	struct zfs_host host;
};

static void read_pools(void *arg, struct snapshot *out)
{
	struct job *job = arg;
	struct target *t = &out->target;

	if (!job->recording) {
		zfs_host_read(&job->host, job->program, out);
		return;
	}
	if (recorded_error(job->recording, t))
		return;
	t->verdict = TARGET_OK;
	if (!zfs_recording_read(job->recording, out))
		target_unreachable(t, REASON_NOT_REPORTED, "there is no zpool/status.txt or .json in the recording");
	else if (t->n_errors && out->n_pools == 0)
		target_unreachable(t, REASON_NOT_REPORTED, t->errors[0].message);
}

static void *prepare(void *source)
{
	const struct source *s = source;
	const struct target_config *c = s->rounds.config;
	struct job *job = mem_new(1, sizeof *job);

	job->recording = c->recording ? mem_text(c->recording) : NULL;
	job->program = c->path ? mem_text(c->path) : NULL;
	job->host = s->host;
	return job;
}

static void free_job(void *arg)
{
	struct job *job = arg;

	free(job->recording);
	free(job->program);
	free(job);
}

static void keep(void *source, const void *job, struct snapshot *out)
{
	(void)out;
	((struct source *)source)->host = ((const struct job *)job)->host;
}

static const struct round_ops ops = {
	.kind = TARGET_ZFS,
	.deadline_ms = ROUND_MS,
	.late = "zpool does not answer",
	.prepare = prepare,
	.read = read_pools,
	.free_job = free_job,
	.keep = keep,
	.free_source = free,
};

static void *zfs_open(const struct target_config *c, const struct collector_env *env, struct err *e)
{
	struct source *s;

	if (c->path && c->path[0] != '/') {
		err_set(e, "%s: the path of zpool must be absolute", c->name);
		return NULL;
	}
	s = mem_new(1, sizeof *s);
	rounds_init(&s->rounds, &ops, c, env->loop, s);
	return s;
}

static void zfs_poll(void *source, void (*done)(void *arg, const struct snapshot *s), void *arg)
{
	rounds_poll(&((struct source *)source)->rounds, done, arg);
}

static void zfs_close(void *source, void (*closed)(void *arg), void *arg)
{
	rounds_close(&((struct source *)source)->rounds, closed, arg);
}

const struct collector zfs_collector = {
	.kind = TARGET_ZFS,
	.open = zfs_open,
	.poll = zfs_poll,
	.close = zfs_close,
};
