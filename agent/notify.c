/* SPDX-License-Identifier: MIT */
/* notify: see notify.h.  How a channel of each type tells is a notify_way (notify_way.h). */
#include "agent/notify.h"

#include "agent/notify_way.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "document/events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAUSE_FIRST_MS = 1000,
	PAUSE_MAX_MS = 5 * 60 * 1000,
	PAUSE_POLLS = 10,    /* a channel that is down is tried once in so many polls, at least */
	WAITING_MAX = 10000, /* for one channel in memory; the rest stays in the store */
};

struct waiting {
	struct waiting *next;
	int64_t id, alert_id;
	char *body;
};

/* What is under way. */
enum errand { ERRAND_NONE = 0, ERRAND_NOTICE, ERRAND_STANDING, ERRAND_HEARTBEAT };

struct channel {
	struct notify *all;
	const struct notify_config *config;
	const struct notify_way *way;
	char *password;
	struct waiting *first, **end;
	size_t n_waiting;
	int64_t last_id; /* of those that waited: they come in the order of their ids */
	enum errand errand;
	void *call;
	uv_timer_t again;
	uint64_t pause_ms; /* 0: it is up */
	bool resting;      /* until the pause is over */
	bool overflowed;   /* the store has more that waits than the memory */
	int64_t standing_mono_ms, heartbeat_mono_ms; /* when it was told last; -1 never */
};

struct notify {
	struct notify_env env;
	struct writer *writer;
	const struct alerts *alerts;
	notify_told_fn *told;
	void *told_arg;
	uint64_t pause_max_ms;
	size_t n, n_open;
	struct channel *channels;
	void (*closed)(void *arg);
	void *closed_arg;
};

static void send_next(struct channel *c);

/* Copied; once one did not fit, those behind it have to wait in the store too. */
static void add(struct channel *c, const struct store_notice *notice)
{
	struct waiting *w;

	if (c->overflowed || c->n_waiting >= WAITING_MAX) {
		c->overflowed = true;
		return;
	}
	if (notice->id && notice->id <= c->last_id) /* heard of from the writer and from the store */
		return;
	if (notice->id)
		c->last_id = notice->id;
	w = mem_new(1, sizeof *w);
	*w = (struct waiting){.id = notice->id,
		.alert_id = notice->alert_id,
		.body = mem_text(notice->body)};
	*c->end = w;
	c->end = &w->next;
	c->n_waiting++;
}

static void drop_first(struct channel *c)
{
	struct waiting *w = c->first;

	c->first = w->next;
	if (!c->first)
		c->end = &c->first;
	c->n_waiting--;
	free(w->body);
	free(w);
}

/* It took the notice, or says that it never will. */
static void settle_notice(struct channel *c, bool ok)
{
	struct waiting *w = c->first;
	const struct store_told told = {.id = w->id, .at_wall_ms = clock_wall_ms(), .refused = !ok};

	if (c->all->writer)
		writer_put(c->all->writer, NULL, &(struct store_round){.told = &told, .n_told = 1});
	c->all->told(c->all->told_arg, w->alert_id, c->config->name, ok);
	drop_first(c);
}

static void on_again(uv_timer_t *t)
{
	struct channel *c = t->data;

	c->resting = false;
	send_next(c);
}

static void try_later(struct channel *c, const char *why)
{
	if (!c->pause_ms)
		log_warn("notify", "%s: %s; trying again until it is taken",
			c->config->name, why);
	c->pause_ms = c->pause_ms ? c->pause_ms * 2 : PAUSE_FIRST_MS;
	if (c->pause_ms > c->all->pause_max_ms)
		c->pause_ms = c->all->pause_max_ms;
	c->resting = true;
	uv_timer_start(&c->again, on_again, c->pause_ms, 0);
}

static void on_done(void *arg, enum notify_end end, const char *said)
{
	struct channel *c = arg;
	enum errand errand = c->errand;

	c->call = NULL;
	c->errand = ERRAND_NONE;
	if (end == NOTIFY_LATER || end == NOTIFY_END_UNKNOWN) {
		try_later(c, said);
		return;
	}
	if (end == NOTIFY_REFUSED)
		log_warn("notify", "%s: %s: it does not want this", c->config->name, said);
	if (c->pause_ms)
		log_warn("notify", "%s answers again", c->config->name);
	c->pause_ms = 0;
	if (errand == ERRAND_NOTICE)
		settle_notice(c, end == NOTIFY_TOOK);
	send_next(c);
}

static void begin(struct channel *c, enum errand errand, const json_t *notice)
{
	const struct notify_post p = {.config = c->config,
		.password = c->password,
		.notice = notice,
		.standing = notice ? NULL : c->all->alerts};

	c->errand = errand;
	c->call = c->way->send(&c->all->env, &p, on_done, c);
}

static bool take_one(void *arg, const struct store_notice *notice)
{
	struct channel *c = arg;

	if (str_same(notice->channel, c->config->name) && !writer_was_told(c->all->writer, notice->id))
		add(c, notice);
	return !c->overflowed;
}

/* What did not fit into memory, now that all before it was told. */
static void take_rest(struct channel *c)
{
	struct store *store = c->all->writer ? writer_reader(c->all->writer) : NULL;
	struct err e = {""};

	c->overflowed = false;
	if (store && store_each_notice(store, take_one, c, &e))
		log_warn("notify", "what is still to be told cannot be read: %s", e.text);
}

/* The first that waits; a body that cannot be read is our own fault and stops nothing. */
static void send_next(struct channel *c)
{
	json_t *notice;

	if (!c->call && !c->first && c->overflowed)
		take_rest(c);
	if (c->call || c->resting || !c->first)
		return;
	notice = json_loads(c->first->body, 0, NULL);
	if (!notice)
		notice = json_object();
	begin(c, ERRAND_NOTICE, notice);
	json_decref(notice);
}

static bool due(int64_t *last_mono_ms, int64_t period_ms)
{
	int64_t now = clock_mono_ms();

	if (*last_mono_ms >= 0 && now - *last_mono_ms < period_ms)
		return false;
	*last_mono_ms = now;
	return true;
}

/* As a notice: of no alert, with an id of its own. */
static void send_heartbeat(struct channel *c)
{
	struct notice n = {.kind = ALERT_HEARTBEAT,
		.severity = SEVERITY_INFO,
		.state = ALERT_FIRING,
		.at_wall_ms = clock_wall_ms(),
		.since_wall_ms = clock_wall_ms()};
	json_t *j;

	snprintf(n.id, sizeof n.id, "heartbeat-%" PRId64, n.at_wall_ms);
	snprintf(n.message, sizeof n.message, "lanewatch lives; %zu alerts stand", c->all->alerts ? c->all->alerts->n : 0);
	j = document_of_notice(&n, c->config->name);
	begin(c, ERRAND_HEARTBEAT, j);
	json_decref(j);
}

void notify_round(struct notify *n)
{
	for (size_t i = 0; i < n->n; i++) {
		struct channel *c = &n->channels[i];

		if (c->call || c->resting || c->first)
			continue;
		if (c->way->repeats && n->alerts && due(&c->standing_mono_ms, c->config->repeat_ms))
			begin(c, ERRAND_STANDING, NULL);
		else if (!c->way->repeats && c->config->heartbeat_ms && due(&c->heartbeat_mono_ms, c->config->heartbeat_ms))
			send_heartbeat(c);
	}
}

/* Read once: the loop touches no disk later. */
static void read_password(struct channel *c)
{
	struct err e = {""};

	if (!c->config->password_file)
		return;
	c->password = file_secret_take(c->config->password_file, &e);
	if (!c->password)
		log_error("notify", "%s: %s", c->config->name, e.text);
}

struct notify *notify_new(uv_loop_t *loop, struct http *http, const struct config *c,
	struct writer *writer, const struct alerts *alerts, notify_told_fn *told, void *arg)
{
	struct notify *n = mem_new(1, sizeof *n);
	uint64_t polls_ms = (uint64_t)c->poll_interval_ms * PAUSE_POLLS;

	*n = (struct notify){.env = {loop, http}, .writer = writer, .alerts = alerts, .told = told, .told_arg = arg};
	n->pause_max_ms = polls_ms < PAUSE_MAX_MS ? polls_ms : PAUSE_MAX_MS;
	n->channels = mem_new(c->n_notifies, sizeof *n->channels);
	for (size_t i = 0; i < c->n_notifies; i++) {
		struct channel *ch = &n->channels[i];

		*ch = (struct channel){.all = n,
			.config = &c->notifies[i],
			.way = notify_way_of(c->notifies[i].type),
			.standing_mono_ms = -1,
			.heartbeat_mono_ms = -1};
		ch->end = &ch->first;
		uv_timer_init(loop, &ch->again);
		ch->again.data = ch;
		read_password(ch);
		n->n++;
	}
	return n;
}

static struct channel *find(struct notify *n, const char *name)
{
	for (size_t i = 0; i < n->n; i++)
		if (str_same(n->channels[i].config->name, name))
			return &n->channels[i];
	return NULL;
}

void notify_send(struct notify *n, const struct store_notice *notice)
{
	struct channel *c = find(n, notice->channel);

	if (!c)
		return;
	add(c, notice);
	send_next(c);
}

static bool resume_one(void *arg, const struct store_notice *notice)
{
	struct notify *n = arg;

	if (!writer_was_told(n->writer, notice->id))
		notify_send(n, notice);
	return true;
}

void notify_resume(struct notify *n)
{
	struct store *store = n->writer ? writer_reader(n->writer) : NULL;
	struct err e = {""};

	if (store && store_each_notice(store, resume_one, n, &e))
		log_warn("notify", "what is still to be told cannot be read: %s", e.text);
}

bool notify_idle(const struct notify *n)
{
	for (size_t i = 0; i < n->n; i++)
		if (n->channels[i].call)
			return false;
	return true;
}

static void free_all(struct notify *n)
{
	for (size_t i = 0; i < n->n; i++)
		mem_wipe_free(n->channels[i].password);
	free(n->channels);
	free(n);
}

static void on_closed(uv_handle_t *h)
{
	struct channel *c = h->data;
	struct notify *n = c->all;

	while (c->first)
		drop_first(c);
	if (--n->n_open > 0)
		return;
	n->closed(n->closed_arg);
	free_all(n);
}

void notify_close(struct notify *n, void (*closed)(void *arg), void *arg)
{
	n->closed = closed;
	n->closed_arg = arg;
	n->n_open = n->n;
	for (size_t i = 0; i < n->n; i++) {
		struct channel *c = &n->channels[i];

		if (c->call)
			c->way->cancel(c->call);
		c->call = NULL;
		uv_close((uv_handle_t *)&c->again, on_closed);
	}
	if (n->n == 0) {
		closed(arg);
		free_all(n);
	}
}
