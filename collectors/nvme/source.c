/* SPDX-License-Identifier: MIT */
/*
 * source: see source.h.  A round reads sysfs and asks the drives in a worker's thread, because both
 * may block; the loop keeps the deadline.  A round that has not come back is not joined by a second.
 */
#include "collectors/nvme/source.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/nvme/drives.h"
#include "collectors/nvme/reader.h"
#include "collectors/nvme/recording.h"
#include "collectors/replay/recorded.h"
#include "collectors/worker.h"
#include "collectors/zfs/recording.h"

#include <stdio.h>
#include <stdlib.h>

enum { ASK_MS = 5000, ROUND_MS = 20000 };

/* Requests that a drive had completed at the poll before. */
struct seen {
	char serial[64], controller[16];
	struct count io_done;
};

struct source {
	const struct target_config *config;
	const struct collector_env *env;
	struct nv_reader *reader; /* of this host's drives; NULL: sysfs only */
	bool own_reader;
	struct nv_memory *memory; /* of this host's drives */
	struct nv_sysfs *sys;	  /* /sys, kept open */
	char no_reader[192]; /* why there is none */
	struct worker *worker;
	uv_timer_t again; /* reports at once where no thread can be sent */
	size_t n_seen;
	struct seen *seen;
	void (*done)(void *arg, const struct snapshot *s);
	void *done_arg;
	void (*closed)(void *arg);
	void *closed_arg;
};

/* One round, read in a thread; it owns what it points to. */
struct round {
	char *recording; /* NULL: this host */
	/* of the source; one round at a time has them */
	struct nv_reader *reader;
	struct nv_memory *memory;
	struct nv_sysfs *sys;
	int64_t start_mono_ms;
	struct snapshot snapshot;
};

static void unreachable(struct target *t, enum reason reason, const char *message)
{
	t->verdict = TARGET_UNREACHABLE;
	t->reason = reason;
	str_copy(t->message, sizeof t->message, message);
}

static void read_recording(struct round *r)
{
	struct target *t = &r->snapshot.target;
	struct nv_sysfs folder, sys = {.root = -1};
	char path[4096];
	struct err e;

	if (recorded_error(r->recording, t))
		return;
	if (nv_sysfs_open(&folder, r->recording, &e)) {
		unreachable(t, REASON_NOT_REPORTED, e.text);
		return;
	}
	if (snprintf(path, sizeof path, "%s/sys", r->recording) >= (int)sizeof path)
		unreachable(t, REASON_NOT_REPORTED, "path of the recording is too long");
	else if (nv_sysfs_open(&sys, path, &e))
		unreachable(t, REASON_NOT_REPORTED, e.text);
	else
		nv_drives_read(&sys, &nv_recording_ops, &folder, ASK_MS, NULL, &r->snapshot);
	zfs_recording_read(r->recording, &r->snapshot);
	nv_sysfs_close(&sys);
	nv_sysfs_close(&folder);
}

static void read_host(struct round *r)
{
	struct err e;

	if (r->sys->root < 0 && nv_sysfs_open(r->sys, "/sys", &e)) {
		unreachable(&r->snapshot.target, REASON_NOT_REPORTED, e.text);
		return;
	}
	if (!r->sys->kept)
		nv_sysfs_keep(r->sys);
	nv_drives_read(r->sys, r->reader ? &nv_reader_ops : NULL, r->reader, ASK_MS, r->memory, &r->snapshot);
}

static void read_round(void *job)
{
	struct round *r = job;

	if (r->recording)
		read_recording(r);
	else
		read_host(r);
}

static void free_round(void *job)
{
	struct round *r = job;

	snapshot_release(&r->snapshot);
	free(r->recording);
	free(r);
}

static const struct seen *find_seen(const struct source *s, const struct drive *d)
{
	for (size_t i = 0; i < s->n_seen; i++)
		if (str_same(s->seen[i].serial, d->serial) && str_same(s->seen[i].controller, d->controller))
			return &s->seen[i];
	return NULL;
}

/* Nothing in flight at the moment of reading is not yet idle: I/O since the last poll counts. */
static void settle_busy(const struct source *s, struct bay *b)
{
	const struct seen *before = find_seen(s, &b->drive);

	if (b->busy == TRI_YES || !before || !before->io_done.known || !b->io_done.known)
		return;
	b->busy = count_compare(before->io_done, b->io_done) != 0 ? TRI_YES : TRI_NO;
}

static void remember(struct source *s, const struct snapshot *snapshot)
{
	free(s->seen);
	s->seen = mem_new(snapshot->n_bays + 1, sizeof *s->seen);
	s->n_seen = snapshot->n_bays;
	for (size_t i = 0; i < s->n_seen; i++) {
		const struct bay *b = &snapshot->bays[i];

		str_copy(s->seen[i].serial, sizeof s->seen[i].serial, b->drive.serial);
		str_copy(s->seen[i].controller, sizeof s->seen[i].controller, b->drive.controller);
		s->seen[i].io_done = b->io_done;
	}
}

static void say_late(struct source *s)
{
	struct snapshot late;

	snapshot_init(&late, s->config->name, TARGET_NVME, s->config->host);
	late.target.observed_wall_ms = clock_wall_ms();
	unreachable(&late.target, REASON_TIMEOUT, "sysfs or the drives did not answer in time");
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
	r->snapshot.target.duration_ms = clock_mono_ms() - r->start_mono_ms;
	if (s->no_reader[0] && !r->snapshot.target.message[0])
		str_copy(r->snapshot.target.message, sizeof r->snapshot.target.message, s->no_reader);
	for (size_t i = 0; i < r->snapshot.n_bays; i++)
		settle_busy(s, &r->snapshot.bays[i]);
	remember(s, &r->snapshot);
	s->done(s->done_arg, &r->snapshot);
}

static void on_again(uv_timer_t *h)
{
	say_late(h->data);
}

static void *nv_open(const struct target_config *c, const struct collector_env *env, struct err *e)
{
	struct source *s = mem_new(1, sizeof *s);
	struct err why = {""};

	(void)e; /* without a reader links are still read: that is said with each round */
	s->config = c;
	s->env = env;
	if (!c->recording) {
		s->memory = nv_memory_new();
		s->sys = mem_new(1, sizeof *s->sys);
		s->sys->root = -1;
		s->reader = env->reader;
		s->own_reader = !s->reader;
		if (!s->reader)
			s->reader = nv_reader_start(&why);
		str_copy(s->no_reader, sizeof s->no_reader, why.text);
	}
	s->again.data = s;
	uv_timer_init(env->loop, &s->again);
	return s;
}

static void nv_poll(void *source, void (*done)(void *arg, const struct snapshot *s), void *arg)
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
	r->reader = s->reader;
	r->memory = s->memory;
	r->sys = s->sys;
	r->start_mono_ms = clock_mono_ms();
	snapshot_init(&r->snapshot, s->config->name, TARGET_NVME, s->config->host);
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
	free(s->seen);
	free(s);
}

static void nv_close(void *source, void (*closed)(void *arg), void *arg)
{
	struct source *s = source;

	s->closed = closed;
	s->closed_arg = arg;
	/* a round that hangs may still use these: then they stay until the program ends */
	if (!s->worker || !worker_running(s->worker)) {
		if (s->own_reader)
			nv_reader_stop(s->reader);
		nv_memory_free(s->memory);
		if (s->sys)
			nv_sysfs_close(s->sys);
		free(s->sys);
	} else if (s->reader) {
		nv_reader_pin(s->reader);
	}
	worker_release(s->worker);
	s->worker = NULL;
	uv_close((uv_handle_t *)&s->again, on_closed);
}

const struct collector nv_collector = {
	.kind = TARGET_NVME,
	.open = nv_open,
	.poll = nv_poll,
	.close = nv_close,
};
