/* SPDX-License-Identifier: MIT */
/* source: see source.h.  A round reads sysfs and asks the drives in a thread, because both may block. */
#include "collectors/nvme/source.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/nvme/alias.h"
#include "collectors/nvme/drives.h"
#include "collectors/nvme/reader.h"
#include "collectors/nvme/recording.h"
#include "collectors/nvme/uses.h"
#include "collectors/replay/recorded.h"
#include "collectors/round.h"
#include "collectors/zfs/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASK_MS = 5000, ROUND_MS = 20000, USES_ROUNDS = 10 };

/* Requests that a drive had completed at the poll before. */
struct seen {
	char serial[64], controller[16];
	struct count io_done;
	bool uses_known;
	size_t n_uses;
	struct drive_use uses[DRIVE_USES_MAX];
};

/* What is kept of this host from one round to the next. */
struct host {
	struct nv_reader *reader; /* NULL: sysfs only */
	bool own_reader;
	struct nv_sysfs sys; /* /sys, kept open */
	struct nv_drives *drives;
	struct nv_aliases aliases;
};

struct source {
	struct rounds rounds;
	const struct collector_env *env;
	struct host *host;   /* NULL: a recording */
	char no_reader[192]; /* why it has none */
	size_t n_seen;
	struct seen *seen;
	unsigned rounds_done;
};

/* What one round's thread has. */
struct job {
	char *recording;   /* its own; NULL: this host */
	struct host *host; /* the source's; one round at a time has it */
	json_t *record; /* what was found, by its path in a recording; NULL: nobody wants it */
	bool uses_due;
};

static void read_recorded_uses(const struct nv_sysfs *sys, const char *folder, struct snapshot *out)
{
	char mountinfo[4096], swaps[4096], udev[4096];
	const struct nv_uses_from from = {mountinfo, swaps, udev};

	if (snprintf(mountinfo, sizeof mountinfo, "%s/proc/mountinfo", folder) < (int)sizeof mountinfo &&
		snprintf(swaps, sizeof swaps, "%s/proc/swaps", folder) < (int)sizeof swaps &&
		snprintf(udev, sizeof udev, "%s/udev", folder) < (int)sizeof udev)
		nv_uses_read(sys, &from, out);
}

/* Asks by other ops and notes the answers as a recording has them. */
struct record_ops {
	const struct nv_ops *inner; /* NULL: nobody is asked */
	void *arg;
	json_t *record;
};

static void ask_and_note(void *arg, struct nv_ask *asks, size_t n, unsigned timeout_ms)
{
	const struct record_ops *r = arg;

	r->inner->ask(r->arg, asks, n, timeout_ms);
	for (size_t i = 0; i < n && r->record; i++)
		nv_recording_note(r->record, &asks[i]);
}

static const struct nv_ops note_ops = {.ask = ask_and_note};

static void read_drives(struct nv_sysfs *sys, struct record_ops *ops, const struct job *job, struct snapshot *out)
{
	nv_sysfs_record(sys, job->record);
	nv_drives_read(sys, ops->inner ? &note_ops : NULL, ops, ASK_MS, job->host ? job->host->drives : NULL, out);
	nv_sysfs_record(sys, NULL);
}

static void use_aliases(const struct job *job, const struct nv_aliases *a, struct snapshot *out)
{
	nv_aliases_fill(a, out);
	if (job->record && a->n)
		json_object_set_new(job->record, "by-id.json", nv_aliases_map(a));
}

static void read_recording(const struct job *job, struct snapshot *out)
{
	const char *folder_path = job->recording;
	struct target *t = &out->target;
	struct nv_sysfs folder, sys = {.root = -1};
	struct nv_aliases aliases;
	struct record_ops ops = {&nv_recording_ops, &folder, job->record};
	char path[4096];
	struct err e;

	if (recorded_error(folder_path, t))
		return;
	if (nv_sysfs_open(&folder, folder_path, &e)) {
		target_unreachable(t, REASON_NOT_REPORTED, e.text);
		return;
	}
	if (snprintf(path, sizeof path, "%s/sys", folder_path) >= (int)sizeof path)
		target_unreachable(t, REASON_NOT_REPORTED, "path of the recording is too long");
	else if (nv_sysfs_open(&sys, path, &e))
		target_unreachable(t, REASON_NOT_REPORTED, e.text);
	else
		read_drives(&sys, &ops, job, out);
	if (sys.root >= 0)
		read_recorded_uses(&sys, folder_path, out);
	nv_aliases_of_recording(folder_path, &aliases, t);
	use_aliases(job, &aliases, out);
	nv_aliases_release(&aliases);
	zfs_recording_read(folder_path, out);
	nv_sysfs_close(&sys);
	nv_sysfs_close(&folder);
}

static void read_host(struct job *job, struct snapshot *out)
{
	struct host *h = job->host;
	struct record_ops ops = {h->reader ? &nv_reader_ops : NULL, h->reader, job->record};
	struct err e;

	if (h->sys.root < 0 && nv_sysfs_open(&h->sys, "/sys", &e)) {
		target_unreachable(&out->target, REASON_NOT_REPORTED, e.text);
		return;
	}
	if (!h->sys.kept)
		nv_sysfs_keep(&h->sys);
	read_drives(&h->sys, &ops, job, out);
	if (job->uses_due)
		nv_uses_read(&h->sys, &(struct nv_uses_from){"/proc/self/mountinfo", "/proc/swaps", "/run/udev/data"}, out);
	nv_aliases_refresh(&h->aliases, "/dev/disk/by-id");
	use_aliases(job, &h->aliases, out);
}

static void read_round(void *arg, struct snapshot *out)
{
	struct job *job = arg;

	if (job->recording)
		read_recording(job, out);
	else
		read_host(job, out);
}

static void *prepare(void *source)
{
	const struct source *s = source;
	const char *recording = s->rounds.config->recording;
	struct job *job = mem_new(1, sizeof *job);

	job->recording = recording ? mem_text(recording) : NULL;
	job->host = s->host;
	job->record = s->env->keep ? json_object() : NULL;
	job->uses_due = s->rounds_done % USES_ROUNDS == 0;
	return job;
}

static void free_job(void *arg)
{
	struct job *job = arg;

	json_decref(job->record);
	free(job->recording);
	free(job);
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

/* What lies on a drive changes seldom: it is looked up now and then, and kept between. */
static void keep_uses(const struct source *s, struct drive *d)
{
	const struct seen *before = find_seen(s, d);

	if (d->uses_known || !before || !before->uses_known)
		return;
	d->uses_known = true;
	d->n_uses = before->n_uses;
	memcpy(d->uses, before->uses, sizeof d->uses);
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
		s->seen[i].uses_known = b->drive.uses_known;
		s->seen[i].n_uses = b->drive.n_uses;
		memcpy(s->seen[i].uses, b->drive.uses, sizeof s->seen[i].uses);
	}
}

static void keep(void *source, const void *job, struct snapshot *out)
{
	struct source *s = source;
	const char *path;
	json_t *found;

	json_object_foreach(((const struct job *)job)->record, path, found)
		s->env->keep(s->env->keep_arg, out->target.name, path, found);
	if (s->no_reader[0] && !out->target.message[0])
		str_copy(out->target.message, sizeof out->target.message, s->no_reader);
	for (size_t i = 0; i < out->n_bays; i++) {
		settle_busy(s, &out->bays[i]);
		keep_uses(s, &out->bays[i].drive);
	}
	remember(s, out);
	s->rounds_done++;
}

static void free_source(void *source)
{
	struct source *s = source;

	free(s->seen);
	free(s);
}

static const struct round_ops ops = {
	.kind = TARGET_NVME,
	.deadline_ms = ROUND_MS,
	.late = "sysfs or the drives did not answer in time",
	.prepare = prepare,
	.read = read_round,
	.free_job = free_job,
	.keep = keep,
	.free_source = free_source,
};

static struct host *host_new(const struct collector_env *env, struct err *why)
{
	struct host *h = mem_new(1, sizeof *h);

	h->sys.root = -1;
	h->drives = nv_drives_new();
	h->reader = env->reader;
	h->own_reader = !h->reader;
	if (!h->reader)
		h->reader = nv_reader_start(why);
	return h;
}

static void host_free(struct host *h)
{
	if (h->own_reader)
		nv_reader_stop(h->reader);
	nv_drives_free(h->drives);
	nv_sysfs_close(&h->sys);
	nv_aliases_release(&h->aliases);
	free(h);
}

static void *nv_open(const struct target_config *c, const struct collector_env *env, struct err *e)
{
	struct source *s = mem_new(1, sizeof *s);
	struct err why = {""};

	(void)e; /* without a reader links are still read: that is said with each round */
	rounds_init(&s->rounds, &ops, c, env->loop, s);
	s->env = env;
	if (!c->recording)
		s->host = host_new(env, &why);
	str_copy(s->no_reader, sizeof s->no_reader, why.text);
	return s;
}

static void nv_poll(void *source, void (*done)(void *arg, const struct snapshot *s), void *arg)
{
	rounds_poll(&((struct source *)source)->rounds, done, arg);
}

static void nv_close(void *source, void (*closed)(void *arg), void *arg)
{
	struct source *s = source;

	/* a round that hangs may still use it: then it stays until the program ends */
	if (s->host && !rounds_running(&s->rounds))
		host_free(s->host);
	else if (s->host && s->host->reader)
		nv_reader_pin(s->host->reader);
	rounds_close(&s->rounds, closed, arg);
}

const struct collector nv_collector = {
	.kind = TARGET_NVME,
	.open = nv_open,
	.poll = nv_poll,
	.close = nv_close,
};
