/* SPDX-License-Identifier: MIT */
/* collect: see collect.h.  A loop of its own, that ends when the last source is closed. */
#include "agent/collect.h"
#include "agent/env.h"
#include "base/clock.h"
#include "base/http.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/collector.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

struct round;

struct reader {
	struct round *round;
	const struct target_config *config;
	const struct collector *collector;
	void *source; /* NULL before it was opened and after it was closed */
	bool done;
};

struct round {
	uv_loop_t loop;
	struct collector_env env;
	struct inventory *inventory;
	struct reader *readers;
	size_t n_readers, n_done;
	uv_signal_t interrupt, terminate;
	bool progress; /* standard error is a terminal */
};

static void show_progress(const struct round *r)
{
	if (!r->progress)
		return;
	if (r->n_done < r->n_readers)
		fprintf(stderr, "\r\033[Kreading %zu of %zu targets ...", r->n_done + 1, r->n_readers);
	else
		fputs("\r\033[K", stderr);
	fflush(stderr);
}

static void closed(void *arg)
{
	struct reader *rd = arg;
	struct round *r = rd->round;

	rd->source = NULL;
	if (++r->n_done == r->n_readers) {
		uv_close((uv_handle_t *)&r->interrupt, NULL);
		uv_close((uv_handle_t *)&r->terminate, NULL);
		http_free(r->env.http);
		r->env.http = NULL;
	}
	show_progress(r);
}

static void close_reader(struct reader *rd)
{
	if (rd->done)
		return;
	rd->done = true;
	rd->collector->close(rd->source, closed, rd);
}

static void got(void *arg, const struct snapshot *s)
{
	struct reader *rd = arg;

	inventory_apply(rd->round->inventory, s);
	close_reader(rd);
}

/* A target that cannot even be tried is part of the answer. */
static void cannot_open(struct reader *rd, const char *why)
{
	struct snapshot s;

	snapshot_init(&s, rd->config->name, rd->config->kind, rd->config->host);
	s.target.verdict = TARGET_UNREACHABLE;
	s.target.reason = REASON_REFUSED;
	s.target.observed_wall_ms = clock_wall_ms();
	snprintf(s.target.message, sizeof s.target.message, "%s", why);
	inventory_apply(rd->round->inventory, &s);
	snapshot_release(&s);
	rd->done = true;
	closed(rd);
}

static void start(struct round *r, struct reader *rd, const struct target_config *c)
{
	struct err e = {"this build cannot read targets of this kind"};

	rd->round = r;
	rd->config = c;
	rd->collector = collector_find(c->kind);
	rd->source = rd->collector ? rd->collector->open(c, &r->env, &e) : NULL;
	if (rd->source)
		rd->collector->poll(rd->source, got, rd);
	else
		cannot_open(rd, e.text);
}

/* Ctrl-C: log out everywhere, then end; what was read is still shown. */
static void interrupted(uv_signal_t *h, int signum)
{
	struct round *r = h->data;

	(void)signum;
	for (size_t i = 0; i < r->n_readers; i++)
		if (r->readers[i].source)
			close_reader(&r->readers[i]);
}

static void watch_signal(struct round *r, uv_signal_t *h, int signum)
{
	uv_signal_init(&r->loop, h);
	h->data = r;
	uv_signal_start(h, interrupted, signum);
	uv_unref((uv_handle_t *)h);
}

static int set_up(struct round *r, struct err *e)
{
	if (uv_loop_init(&r->loop))
		return err_set(e, "the event loop cannot be set up");
	r->env.loop = &r->loop;
	r->env.http = http_new(&r->loop, e);
	if (!r->env.http) {
		uv_loop_close(&r->loop);
		return -1;
	}
	watch_signal(r, &r->interrupt, SIGINT);
	watch_signal(r, &r->terminate, SIGTERM);
	return 0;
}

int collect_once(const struct config *c, const struct options *o, struct inventory *inv, struct err *e)
{
	return collect_and_keep(c, o, NULL, NULL, inv, e);
}

int collect_and_keep(const struct config *c, const struct options *o,
	void (*keep)(void *arg, const char *target, const char *path, const json_t *doc), void *arg,
	struct inventory *inv, struct err *e)
{
	struct round r = {.inventory = inv, .env.ask_password = env_ask_password};
	char dir[512];

	inventory_init(inv);
	if (c->n_targets == 0)
		return err_set(e, "nothing to read: give --url, --local, --recording, or a configuration with targets");
	r.env.state_dir = env_state_dir(dir, sizeof dir);
	r.env.keep = keep;
	r.env.keep_arg = arg;
	r.env.links_only = str_same(o->command, "verify");
	r.progress = isatty(STDERR_FILENO) && o->verbose == 0;
	if (set_up(&r, e))
		return -1;
	r.n_readers = c->n_targets;
	r.readers = mem_new(c->n_targets, sizeof *r.readers);
	show_progress(&r);
	for (size_t i = 0; i < c->n_targets; i++)
		start(&r, &r.readers[i], &c->targets[i]);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	uv_loop_close(&r.loop);
	free(r.readers);
	inventory_finish(inv, &c->policies, clock_wall_ms());
	return 0;
}
