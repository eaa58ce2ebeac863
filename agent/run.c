/* SPDX-License-Identifier: MIT */
/* run: see run.h. */
#include "agent/run.h"

#include "agent/env.h"
#include "agent/notify.h"
#include "agent/pipeline.h"
#include "agent/reload.h"
#include "agent/schedule.h"
#include "agent/serve.h"
#include "agent/status.h"
#include "agent/supervise.h"
#include "agent/watch.h"
#include "base/clock.h"
#include "base/complain.h"
#include "base/http.h"
#include "base/log.h"
#include "base/str.h"
#include "collectors/nvme/reader.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

enum {
	LAST_WORDS_MS = 10000, /* for notices of the last round of --rounds */
	LOOK_MS = 50,
	GIVE_BACK_MS = 10000,
	LARGE_BYTES = 64 * 1024,
	CHANGE_MS = 3000, /* so long a person waits for the disk */
	STUCK_INTERVALS = 5,
	STUCK_MS = 30000, /* the schedule, the store: the watchdog is left hungry after so long */
};

struct service {
	const struct config *config; /* in force */
	struct config *own;	     /* the same, if it was reloaded; else NULL */
	struct config *last;	     /* the one before, as long as a channel still uses it */
	uv_loop_t loop;
	struct collector_env env;
	struct nv_reader *reader; /* of this host's drives; before the store's threads */
	struct writer *writer;
	struct pipeline pipeline;
	struct schedule *schedule;
	struct notify *notify;
	struct change_calls changes;
	struct serve *serve; /* NULL for --rounds, which may run beside a service */
	struct reload *reload; /* NULL for --rounds */
	struct watch *watch;   /* of lists of targets */
	uv_signal_t interrupt, terminate, hangup, tell;
	uv_timer_t last_words, alive;
	uv_async_t news;     /* of the writer */
	bool round_untold;   /* channels that repeat what stands wait for what the round told */
	int64_t finished_mono_ms, started_mono_ms, given_back_mono_ms;
	struct complaint store_fault;
	size_t n_rounds;
	int rounds; /* of --rounds; 0 for the service */
	bool ending;
};

/* ---- a round ---- */

static void ask(void *arg, const char *target)
{
	struct service *s = arg;

	pipeline_ask(&s->pipeline, target);
}

static void got(void *arg, const struct snapshot *snapshot)
{
	struct service *s = arg;

	pipeline_take(&s->pipeline, snapshot);
}

static void watch_store(struct service *s)
{
	char tail[COMPLAIN_TAIL_MAX];
	struct writer_state st;

	writer_get_state(s->writer, &st);
	if (st.trouble[0] && complain(&s->store_fault, clock_mono_ms(), tail))
		log_error("store", "%s; going on without keeping anything%s", st.trouble, tail);
	if (!st.trouble[0] && complain_over(&s->store_fault, clock_mono_ms(), tail))
		log_warn("store", "keeping again%s", tail);
}

static void tell(void *arg, const struct store_notice *n, bool kept)
{
	struct service *s = arg;

	(void)kept;
	notify_send(s->notify, n);
}

/* While the channels change it stays with the writer. */
static void tell_all(struct service *s)
{
	if (!s->notify)
		return;
	writer_each_notice(s->writer, tell, s);
	if (s->round_untold)
		notify_round(s->notify);
	s->round_untold = false;
}

static void on_news(uv_async_t *a)
{
	struct service *s = a->data;

	watch_store(s);
	tell_all(s);
}

/* In the writer's thread. */
static void send_news(void *arg)
{
	uv_async_send(arg);
}

/* The service says these itself, again and again while they last (sources.c). */
static bool is_said(const struct service *s, const struct event *e)
{
	return !s->rounds && (e->type == EVENT_TARGET_UNREACHABLE || e->type == EVENT_TARGET_RECOVERED);
}

static void log_events(const struct service *s, const struct events *ev)
{
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->items[i];

		if (is_said(s, e))
			continue;
		if (e->severity == SEVERITY_CRITICAL)
			log_error("event", "%s: %s", e->host, e->message);
		else if (e->severity == SEVERITY_WARNING)
			log_warn("event", "%s: %s", e->host, e->message);
		else
			log_info("event", "%s: %s", e->host, e->message);
	}
}

/* Between rounds little is needed: whole pages that are free go back, among blocks that live long too. */
static void give_back(struct service *s)
{
	int64_t now = clock_mono_ms();

	if (s->rounds || now - s->given_back_mono_ms < GIVE_BACK_MS)
		return;
	s->given_back_mono_ms = now;
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

static void on_round(void *arg)
{
	struct service *s = arg;
	struct outcome o;

	s->n_rounds++;
	pipeline_round(&s->pipeline, &o);
	watch_store(s);
	log_events(s, &o.events);
	s->round_untold = true;
	if (s->rounds || !o.n_outbox) /* else when it is on the disk */
		tell_all(s);
	if (s->serve)
		serve_publish(s->serve, &s->pipeline, &o);
	outcome_release(&o);
	give_back(s);
}

static void told(void *arg, int64_t alert_id, const char *channel, bool ok)
{
	struct service *s = arg;

	for (size_t i = 0; i < s->pipeline.alerts.n; i++)
		if (alert_id && s->pipeline.alerts.items[i].id == alert_id)
			alert_note_told(&s->pipeline.alerts.items[i], channel,
				clock_wall_ms(), ok);
}

/* ---- what a person asked for ---- */

static struct alert *standing(struct service *s, int64_t id)
{
	for (size_t i = 0; i < s->pipeline.alerts.n; i++)
		if (s->pipeline.alerts.items[i].id == id)
			return &s->pipeline.alerts.items[i];
	return NULL;
}

/* Does it to the alert that stands. */
static int change_alert(void *arg, const struct change *c, uint64_t *ticket, int *status, struct err *e)
{
	struct service *s = arg;
	struct alert *a = standing(s, c->alert_id);

	if (!a) {
		*status = 404;
		return err_set(e, "no alert with this id stands; /api/v1/alerts lists them");
	}
	switch (c->kind) {
	case CHANGE_UNKNOWN:
		break;
	case CHANGE_ACK:
	case CHANGE_UNACK:
		str_copy(a->acknowledged_by, sizeof a->acknowledged_by, c->kind == CHANGE_ACK ? c->by : "");
		break;
	case CHANGE_SILENCE:
	case CHANGE_UNSILENCE:
		pipeline_silence(&s->pipeline, a, c->by, c->note, c->until_wall_ms);
		break;
	}
	*ticket = pipeline_keep_said(&s->pipeline);
	serve_alerts(s->serve, &s->pipeline);
	return 0;
}

/* In a thread of the server. */
static int change_kept(void *arg, uint64_t ticket, struct err *e)
{
	struct service *s = arg;

	return writer_wait(s->writer, ticket, CHANGE_MS, e);
}

/* ---- the end ---- */

static void on_notify_closed(void *arg)
{
	struct service *s = arg;

	http_free(s->env.http);
	s->env.http = NULL;
}

/* Nothing is read any more: now nobody needs http but what is being told, which stays in
 * the store. */
static void on_schedule_closed(void *arg)
{
	struct service *s = arg;

	struct notify *n = s->notify;

	s->schedule = NULL;
	s->notify = NULL;
	if (n) /* else it is being closed already: on_channels_closed() */
		notify_close(n, on_notify_closed, s);
}

static void on_serve_closed(void *arg)
{
	struct service *s = arg;

	s->serve = NULL;
	schedule_close(s->schedule, on_schedule_closed, s);
}

static void end(struct service *s)
{
	if (s->ending)
		return;
	s->ending = true;
	supervise_stopping();
	uv_close((uv_handle_t *)&s->alive, NULL);
	uv_close((uv_handle_t *)&s->interrupt, NULL);
	uv_close((uv_handle_t *)&s->terminate, NULL);
	uv_close((uv_handle_t *)&s->last_words, NULL);
	uv_close((uv_handle_t *)&s->hangup, NULL);
	uv_close((uv_handle_t *)&s->tell, NULL);
	writer_on_news(s->writer, NULL, NULL);
	uv_close((uv_handle_t *)&s->news, NULL);
	watch_free(s->watch);
	reload_free(s->reload);
	s->reload = NULL;
	s->watch = NULL;
	if (s->serve)
		serve_close(s->serve, on_serve_closed, s);
	else
		on_serve_closed(s);
}

static void on_signal(uv_signal_t *h, int signum)
{
	log_info("agent", "ending on signal %d", signum);
	end(h->data);
}

static void on_last_words(uv_timer_t *t)
{
	struct service *s = t->data;

	if (notify_idle(s->notify) ||
		clock_mono_ms() - s->finished_mono_ms > LAST_WORDS_MS)
		end(s);
}

static void on_finished(void *arg)
{
	struct service *s = arg;

	s->finished_mono_ms = clock_mono_ms();
	uv_timer_start(&s->last_words, on_last_words, 0, LOOK_MS);
}

/* ---- another configuration ---- */

static void free_config(struct config *c)
{
	if (c)
		config_release(c);
	free(c);
}

/* The channels of before are gone; what they did not tell is in the store. */
static void on_channels_closed(void *arg)
{
	struct service *s = arg;

	free_config(s->last);
	s->last = NULL;
	if (s->ending) {
		on_notify_closed(s);
		return;
	}
	s->notify = notify_new(&s->loop, s->env.http, s->config, s->writer, &s->pipeline.alerts, told, s);
	notify_resume(s->notify);
	tell_all(s);
	supervise_ready();
	log_info("config", "reloaded: %zu target%s, %zu channel%s", s->config->n_targets,
		s->config->n_targets == 1 ? "" : "s", s->config->n_notifies, s->config->n_notifies == 1 ? "" : "s");
}

/* What is open stays open: these need a new start. */
static void tell_unchanged(const struct service *s, const struct config *c)
{
	if (!str_same(c->listen, s->config->listen))
		log_warn("config", "listen = \"%s\" holds after a restart; until then it is \"%s\"", c->listen, s->config->listen);
	if (!str_same(c->database, s->config->database))
		log_warn("config", "database = \"%s\" holds after a restart; until then it is \"%s\"", c->database, s->config->database);
}

static void watch_lists(struct service *s);

static void on_reloaded(void *arg, struct config *c)
{
	struct service *s = arg;
	struct notify *before = s->notify;
	struct err e = {""};

	if (!before) { /* the one before is still being put in force: the files are read once more */
		free_config(c);
		reload_begin(s->reload);
		return;
	}
	supervise_reloading();
	tell_unchanged(s, c);
	s->last = s->own;
	s->own = c;
	s->config = c;
	pipeline_change(&s->pipeline, c);
	http_limit(s->env.http, c->requests_at_once);
	writer_limit(s->writer, &c->store, c->commit_every_ms);
	schedule_change(s->schedule, c);
	watch_lists(s);
	if (serve_reload(s->serve, c, &e))
		log_error("web", "%s; the page goes on with what it had", e.text);
	s->notify = NULL; /* first: without a channel it is closed within the call */
	notify_close(before, on_channels_closed, s);
}

static void on_lists_changed(void *arg)
{
	struct service *s = arg;

	reload_begin(s->reload);
}

static void watch_lists(struct service *s)
{
	watch_free(s->watch);
	s->watch = watch_new(&s->loop, s->config, on_lists_changed, s);
}

static void on_hangup(uv_signal_t *h, int signum)
{
	struct service *s = h->data;

	(void)signum;
	reload_begin(s->reload);
}

/* ---- what a person or the manager asks ---- */

static void on_tell(uv_signal_t *h, int signum)
{
	const struct service *s = h->data;
	const struct status st = {.schedule = s->schedule,
		.pipeline = &s->pipeline,
		.n_rounds = s->n_rounds,
		.up_ms = clock_mono_ms() - s->started_mono_ms};

	(void)signum;
	if (s->schedule)
		status_print(&st);
}

/* It looks who is due at least every interval, and every ten seconds. */
static int64_t stuck_ms(const struct service *s)
{
	int64_t ms = STUCK_INTERVALS * s->config->poll_interval_ms;

	return ms < STUCK_MS ? ms : STUCK_MS;
}

/* The loop turns, or this were not called; the schedule must have looked who is due, and no write
 * may take for ever. */
static void on_alive(uv_timer_t *t)
{
	const struct service *s = t->data;
	int64_t stuck = stuck_ms(s);

	if (s->rounds ||
		(clock_mono_ms() - schedule_moved_mono_ms(s->schedule) < stuck && writer_busy_ms(s->writer) < stuck))
		supervise_alive();
}

static void begin_alive(struct service *s)
{
	int64_t period_ms = supervise_period_ms();

	s->started_mono_ms = clock_mono_ms();
	uv_timer_init(&s->loop, &s->alive);
	s->alive.data = s;
	if (period_ms)
		uv_timer_start(&s->alive, on_alive, 0, (uint64_t)period_ms / 3);
	uv_unref((uv_handle_t *)&s->alive);
	supervise_ready();
}

/* ---- setting up ---- */

/*
 * What a round needs for a moment is large and goes back to the system.  Left to itself, glibc learns
 * from the first of it to keep such blocks, among small ones that live long.
 */
static void bound_memory(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	mallopt(M_TRIM_THRESHOLD, LARGE_BYTES);
	mallopt(M_ARENA_MAX, 2);
#endif
}

static void heard(void *arg, const char *target)
{
	struct service *s = arg;

	if (s->schedule)
		schedule_hurry(s->schedule, target);
}

static void watch_signal(struct service *s, uv_signal_t *h, int signum, uv_signal_cb call)
{
	uv_signal_init(&s->loop, h);
	h->data = s;
	if (call)
		uv_signal_start(h, call, signum);
}

static void on_stillborn(void *arg)
{
	(void)arg;
}

static int start(struct service *s, const struct options *o, struct err *e)
{
	const struct schedule_calls calls = {.ask = ask,
		.got = got,
		.round = on_round,
		.finished = on_finished,
		.arg = s};

	if (!o->rounds) {
		s->changes = (struct change_calls){.alert = change_alert, .kept = change_kept, .arg = s};
		s->serve = serve_new(&s->loop, s->config, &s->pipeline, &s->changes, e);
		if (!s->serve) {
			http_free(s->env.http);
			return -1;
		}
	}
	s->schedule = schedule_new(&s->env, s->config, o->rounds, &calls, e);
	if (!s->schedule) {
		if (s->serve)
			serve_close(s->serve, on_stillborn, s);
		http_free(s->env.http);
		return -1;
	}
	s->notify = notify_new(&s->loop, s->env.http, s->config, s->writer, &s->pipeline.alerts, told, s);
	uv_async_init(&s->loop, &s->news, on_news);
	s->news.data = s;
	writer_on_news(s->writer, send_news, &s->news);
	watch_signal(s, &s->interrupt, SIGINT, on_signal);
	watch_signal(s, &s->terminate, SIGTERM, on_signal);
	if (!o->rounds) {
		s->reload = reload_new(&s->loop, o, on_reloaded, s);
		watch_lists(s);
	}
	watch_signal(s, &s->hangup, SIGHUP, o->rounds ? NULL : on_hangup); /* else it ends with its terminal */
	watch_signal(s, &s->tell, SIGUSR1, on_tell);
	uv_timer_init(&s->loop, &s->last_words);
	s->last_words.data = s;
	notify_resume(s->notify);
	schedule_start(s->schedule);
	if (str_same(getenv("LANEWATCH_STALL"), "schedule")) /* LW-A3 */
		schedule_stall(s->schedule);
	if (str_same(getenv("LANEWATCH_STALL"), "store"))
		writer_stall(s->writer);
	begin_alive(s);
	return 0;
}

static int with_loop(struct service *s, const struct options *o, struct err *e)
{
	char dir[512];
	int rc;

	if (uv_loop_init(&s->loop))
		return err_set(e, "the event loop cannot be set up");
	s->env = (struct collector_env){
		.loop = &s->loop, .reader = s->reader, .ask_password = env_ask_password};
	s->env.logs = true;
	s->env.heard = s->rounds ? NULL : heard;
	s->env.heard_arg = s;
	s->env.state_dir = env_state_dir(dir, sizeof dir);
	s->env.http = http_new(&s->loop, e);
	if (s->env.http)
		http_limit(s->env.http, s->config->requests_at_once);
	rc = s->env.http ? start(s, o, e) : -1;
	uv_run(&s->loop, UV_RUN_DEFAULT);
	uv_loop_close(&s->loop);
	return rc;
}

/*
 * Takes up where the store ended.  One that cannot be read may be damaged: then a new one has begun
 * when it was looked through.
 */
static int take_up(struct service *s, const struct config *c, struct err *e)
{
	int rc = pipeline_init(&s->pipeline, c, s->writer, e);

	if (rc && writer_await_look(s->writer)) {
		pipeline_release(&s->pipeline);
		rc = pipeline_init(&s->pipeline, c, s->writer, e);
	}
	s->pipeline.patient = s->rounds;
	return rc;
}

int run_service(const struct options *o, const struct config *c)
{
	struct service s = {.config = c, .rounds = o->rounds};
	enum store_fault fault = STORE_FAULT_NONE;
	struct err e = {""};
	int rc = 3;

	bound_memory();
	if (!o->rounds) { /* until the loop takes them, they must not end it */
		signal(SIGHUP, SIG_IGN);
		signal(SIGUSR1, SIG_IGN);
	}
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a full disk, not the end */
	s.reader = env_reader(c->targets, c->n_targets);
	s.writer = writer_open(c->database, &fault, &e);
	if (fault == STORE_FOREIGN)
		rc = EX_DATAERR;
	if (s.writer && take_up(&s, c, &e) == 0 && with_loop(&s, o, &e) == 0)
		rc = EX_OK;
	if (rc)
		fprintf(stderr, "lanewatch: %s\n", e.text);
	if (s.writer)
		pipeline_release(&s.pipeline);
	writer_close(s.writer);
	free_config(s.own);
	nv_reader_stop(s.reader);
	return rc;
}
