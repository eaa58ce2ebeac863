/* SPDX-License-Identifier: MIT */
/* run: see run.h. */
#include "agent/run.h"

#include "agent/env.h"
#include "agent/notify.h"
#include "agent/pipeline.h"
#include "agent/schedule.h"
#include "agent/serve.h"
#include "agent/supervise.h"
#include "base/clock.h"
#include "base/http.h"
#include "base/log.h"
#include "base/str.h"
#include "collectors/nvme/reader.h"

#include <signal.h>
#include <stdio.h>
#include <sysexits.h>

enum {
	LAST_WORDS_MS = 10000, /* for notices of the last round of --rounds */
	LOOK_MS = 50,
	ROUNDS_MISSED_MAX = 3, /* before the watchdog is left hungry */
	SWEEP_MS = 180000,     /* what one round may take at the most */
};

struct service {
	const struct config *config;
	uv_loop_t loop;
	struct collector_env env;
	struct nv_reader *reader; /* of this host's drives; before the store's threads */
	struct store *store;
	struct pipeline pipeline;
	struct schedule *schedule;
	struct notify *notify;
	struct change_calls changes;
	struct serve *serve; /* NULL for --rounds, which may run beside a service */
	uv_signal_t interrupt, terminate;
	uv_timer_t last_words, alive;
	int64_t finished_mono_ms, round_mono_ms;
	bool store_failed, ending;
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

/* A lasting fault is said when it begins and when it is over. */
static void watch_store(struct service *s, const struct outcome *o)
{
	if (!o->stored && !s->store_failed)
		log_error("store", "%s; going on without keeping anything",
			o->store_error.text);
	if (o->stored && s->store_failed)
		log_warn("store", "keeping again");
	s->store_failed = !o->stored;
}

static void log_events(const struct events *ev)
{
	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->items[i];

		if (e->severity == SEVERITY_CRITICAL)
			log_error("event", "%s: %s", e->host, e->message);
		else if (e->severity == SEVERITY_WARNING)
			log_warn("event", "%s: %s", e->host, e->message);
		else
			log_info("event", "%s: %s", e->host, e->message);
	}
}

static void on_round(void *arg)
{
	struct service *s = arg;
	struct outcome o;

	s->round_mono_ms = clock_mono_ms();
	pipeline_round(&s->pipeline, &o);
	watch_store(s, &o);
	log_events(&o.events);
	for (size_t i = 0; i < o.n_outbox; i++)
		notify_send(s->notify, &o.outbox[i]);
	if (s->serve)
		serve_publish(s->serve, &s->pipeline, &o);
	outcome_release(&o);
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

/* Does it to the alert that stands; the store has it with the next round. */
static int change_alert(void *arg, const struct change *c, int *status, struct err *e)
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
		a->silenced_until_wall_ms = c->until_wall_ms;
		break;
	}
	serve_alerts(s->serve, &s->pipeline);
	return 0;
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

	s->schedule = NULL;
	notify_close(s->notify, on_notify_closed, s);
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

/* ---- alive ---- */

/* The loop turns, or this were not called; rounds must have ended as well. */
static void on_alive(uv_timer_t *t)
{
	struct service *s = t->data;
	int64_t longest = ROUNDS_MISSED_MAX * s->config->poll_interval_ms + SWEEP_MS;

	if (clock_mono_ms() - s->round_mono_ms < longest)
		supervise_alive();
}

static void begin_alive(struct service *s)
{
	int64_t period_ms = supervise_period_ms();

	s->round_mono_ms = clock_mono_ms();
	uv_timer_init(&s->loop, &s->alive);
	s->alive.data = s;
	if (period_ms)
		uv_timer_start(&s->alive, on_alive, 0, (uint64_t)period_ms / 3);
	uv_unref((uv_handle_t *)&s->alive);
	supervise_ready();
}

/* ---- setting up ---- */

static void watch_signal(struct service *s, uv_signal_t *h, int signum)
{
	uv_signal_init(&s->loop, h);
	h->data = s;
	uv_signal_start(h, on_signal, signum);
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
		s->changes = (struct change_calls){.alert = change_alert, .arg = s};
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
	s->notify = notify_new(&s->loop, s->env.http, s->config, s->store, told, s);
	watch_signal(s, &s->interrupt, SIGINT);
	watch_signal(s, &s->terminate, SIGTERM);
	uv_timer_init(&s->loop, &s->last_words);
	s->last_words.data = s;
	notify_resume(s->notify);
	schedule_start(s->schedule);
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
	s->env.state_dir = env_state_dir(dir, sizeof dir);
	s->env.http = http_new(&s->loop, e);
	rc = s->env.http ? start(s, o, e) : -1;
	uv_run(&s->loop, UV_RUN_DEFAULT);
	uv_loop_close(&s->loop);
	return rc;
}

int run_service(const struct options *o, const struct config *c)
{
	struct service s = {.config = c};
	enum store_fault fault = STORE_FAULT_NONE;
	struct err e = {""};
	int rc = 3;

	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is a full disk, not the end */
	s.reader = env_reader(c->targets, c->n_targets);
	s.store = store_open(c->database, STORE_WRITE, &fault, &e);
	if (fault == STORE_FOREIGN)
		rc = EX_DATAERR;
	if (s.store && pipeline_init(&s.pipeline, c, s.store, &e) == 0 &&
		with_loop(&s, o, &e) == 0)
		rc = EX_OK;
	if (rc)
		fprintf(stderr, "lanewatch: %s\n", e.text);
	if (s.store)
		pipeline_release(&s.pipeline);
	store_close(s.store);
	nv_reader_stop(s.reader);
	return rc;
}
