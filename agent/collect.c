/* SPDX-License-Identifier: MIT */
/* collect: see collect.h.  A loop of its own, that ends when the sources are closed. */
#include "agent/collect.h"
#include "agent/env.h"
#include "agent/sources.h"
#include "base/clock.h"
#include "base/http.h"
#include "base/str.h"
#include "collectors/collector.h"
#include "collectors/nvme/reader.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <uv.h>

/* A person waits: 256 walks at once are a quarter of a gigabyte. */
enum { AT_ONCE = 256 };

struct round {
	uv_loop_t loop;
	struct collector_env env;
	struct sources *sources; /* NULL once they are being closed */
	struct inventory *inventory;
	size_t n_targets, n_read;
	uv_signal_t interrupt, terminate;
	int stopped_by; /* a signal; 0: nobody stopped it */
	bool progress;	/* standard error is a terminal */
};

static void show_progress(const struct round *r)
{
	if (!r->progress)
		return;
	if (r->sources && r->n_read < r->n_targets)
		fprintf(stderr, "\r\033[Kreading %zu of %zu targets ...", r->n_read + 1, r->n_targets);
	else
		fputs("\r\033[K", stderr);
	fflush(stderr);
}

static void closed(void *arg)
{
	struct round *r = arg;

	uv_close((uv_handle_t *)&r->interrupt, NULL);
	uv_close((uv_handle_t *)&r->terminate, NULL);
	http_free(r->env.http);
}

/* Logs out everywhere; what is still being read is given up. */
static void close_sources(struct round *r)
{
	struct sources *all = r->sources;

	r->sources = NULL;
	show_progress(r);
	if (all)
		sources_close(all, closed, r);
}

static void got(void *arg, const struct snapshot *s)
{
	struct round *r = arg;

	inventory_apply(r->inventory, s);
	r->n_read++;
	show_progress(r);
}

static void ended(void *arg)
{
	close_sources(arg);
}

static void interrupted(uv_signal_t *h, int signum)
{
	struct round *r = h->data;

	r->stopped_by = signum;
	close_sources(r);
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
	r.env.reader = env_reader(c->targets, c->n_targets);
	r.progress = isatty(STDERR_FILENO) && o->verbose == 0;
	if (set_up(&r, e)) {
		nv_reader_stop(r.env.reader);
		return -1;
	}
	r.n_targets = c->n_targets;
	r.sources = sources_new(&r.env, c->targets, c->n_targets, AT_ONCE);
	show_progress(&r);
	sources_poll(r.sources, got, ended, &r);
	uv_run(&r.loop, UV_RUN_DEFAULT);
	uv_loop_close(&r.loop);
	nv_reader_stop(r.env.reader);
	if (r.stopped_by) {
		/* half an answer is none; and a shell that asks one host after the other stops, too */
		signal(r.stopped_by, SIG_DFL);
		raise(r.stopped_by);
	}
	inventory_finish(inv, &c->policies, clock_wall_ms());
	return 0;
}
