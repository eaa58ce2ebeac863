/* SPDX-License-Identifier: MIT */
/* reload: see reload.h. */
#include "agent/reload.h"

#include "base/log.h"
#include "base/mem.h"
#include "collectors/worker.h"

#include <stdlib.h>

enum { READ_MS = 20 * 1000 };

/* What the thread works on; the options are only read there. */
struct reading {
	const struct options *options;
	struct config *config; /* NULL once it is handed over */
	int rc;
};

struct reload {
	uv_loop_t *loop;
	const struct options *options;
	struct worker *worker;
	bool again; /* asked for while it was under way: files may have changed since */
	void (*done)(void *arg, struct config *c);
	void *arg;
};

static void work(void *job)
{
	struct reading *r = job;

	r->rc = config_load(r->config, r->options);
}

static void free_reading(void *job)
{
	struct reading *r = job;

	if (r->config)
		config_release(r->config);
	free(r->config);
	free(r);
}

static void tell_errors(const struct config *c)
{
	for (size_t i = 0; i < c->n_errors; i++) {
		const struct config_error *e = &c->errors[i];

		if (e->line)
			log_error("config", "%s:%d: %s", e->file, e->line, e->message);
		else
			log_error("config", "%s%s%s", e->file, e->file[0] ? ": " : "", e->message);
	}
	log_error("config", "not reloaded: the configuration that was read before stays in force");
}

static void done(void *arg, void *job)
{
	struct reload *r = arg;
	struct reading *reading = job;
	struct config *c;

	if (!reading) {
		log_error("config", "not reloaded: the files could not be read within %d s", READ_MS / 1000);
	} else if (reading->rc) {
		tell_errors(reading->config);
	} else if (reading->config->n_targets == 0 && reading->config->n_listed == 0) { /* as at the start; perhaps half a file */
		log_error("config", "not reloaded: there is no target in it; what was read before stays in force");
	} else {
		c = reading->config;
		reading->config = NULL;
		r->done(r->arg, c);
	}
	if (r->again)
		reload_begin(r);
}

struct reload *reload_new(uv_loop_t *loop, const struct options *o,
	void (*call)(void *arg, struct config *c), void *arg)
{
	struct reload *r = mem_new(1, sizeof *r);

	*r = (struct reload){.loop = loop, .options = o, .done = call, .arg = arg};
	return r;
}

void reload_begin(struct reload *r)
{
	struct worker_job job = {.work = work, .free_job = free_reading, .done = done, .arg = r};
	struct reading *reading;
	struct err e = {""};

	r->again = r->worker && worker_running(r->worker);
	if (r->again)
		return;
	worker_release(r->worker);
	reading = mem_new(1, sizeof *reading);
	reading->options = r->options;
	reading->config = mem_new(1, sizeof *reading->config);
	job.job = reading;
	r->worker = worker_start(r->loop, &job, READ_MS, &e);
	if (!r->worker)
		log_error("config", "not reloaded: %s", e.text);
}

void reload_free(struct reload *r)
{
	if (!r)
		return;
	worker_release(r->worker);
	free(r);
}
