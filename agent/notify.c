/* SPDX-License-Identifier: MIT */
/* notify: see notify.h. */
#include "agent/notify.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum {
	TELL_MS = 10000, /* for one request */
	PAUSE_FIRST_MS = 1000,
	PAUSE_MAX_MS = 5 * 60 * 1000,
	WAITING_MAX = 10000, /* for one channel in memory; the rest stays in the store */
	REPLY_MAX = 64 * 1024,
};

struct waiting {
	struct waiting *next;
	int64_t id, alert_id;
	char *body;
};

struct channel {
	struct notify *all;
	const struct notify_config *config;
	struct waiting *first, **end;
	size_t n_waiting;
	struct http_call *call;
	uv_timer_t again;
	uint64_t pause_ms; /* 0: it is up */
};

struct notify {
	struct http *http;
	struct store *store;
	notify_told_fn *told;
	void *told_arg;
	size_t n, n_open;
	struct channel *channels;
	void (*closed)(void *arg);
	void *closed_arg;
};

static void send_first(struct channel *c);

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
static void settle(struct channel *c, bool ok)
{
	struct err e = {""};
	struct waiting *w = c->first;

	if (c->pause_ms)
		log_warn("notify", "%s answers again", c->config->name);
	c->pause_ms = 0;
	if (w->id && c->all->store &&
		store_notice_told(c->all->store, w->id, clock_wall_ms(), &e))
		log_warn("notify", "%s: %s; it may be told again", c->config->name,
			e.text);
	c->all->told(c->all->told_arg, w->alert_id, c->config->name, ok);
	drop_first(c);
	if (c->first)
		send_first(c);
}

static void on_again(uv_timer_t *t)
{
	send_first(t->data);
}

static void try_later(struct channel *c, const char *why)
{
	if (!c->pause_ms)
		log_warn("notify", "%s: %s; trying again until it is taken",
			c->config->name, why);
	c->pause_ms = c->pause_ms ? c->pause_ms * 2 : PAUSE_FIRST_MS;
	if (c->pause_ms > PAUSE_MAX_MS)
		c->pause_ms = PAUSE_MAX_MS;
	uv_timer_start(&c->again, on_again, c->pause_ms, 0);
}

static void on_reply(void *arg, const struct http_reply *r)
{
	struct channel *c = arg;
	char why[64];

	c->call = NULL;
	if (r->end != HTTP_ANSWERED) {
		try_later(c, r->why);
		return;
	}
	snprintf(why, sizeof why, "answered with %d", r->status);
	if (r->status / 100 == 2) {
		settle(c, true);
	} else if (r->status / 100 == 4 && r->status != 408 && r->status != 429) {
		log_warn("notify", "%s: %s: it does not want this notice",
			c->config->name, why);
		settle(c, false);
	} else {
		try_later(c, why);
	}
}

static void send_first(struct channel *c)
{
	static const char *const headers[] = {"Content-Type: application/json", NULL};
	const struct http_request r = {.method = "POST",
		.url = c->config->url,
		.headers = headers,
		.body = c->first->body,
		.body_len = strlen(c->first->body),
		.body_max = REPLY_MAX,
		.total_ms = TELL_MS};

	c->call = http_send(c->all->http, &r, on_reply, c);
}

struct notify *notify_new(uv_loop_t *loop, struct http *http, const struct config *c,
	struct store *store, notify_told_fn *told, void *arg)
{
	struct notify *n = mem_new(1, sizeof *n);

	*n = (struct notify){.http = http, .store = store, .told = told, .told_arg = arg};
	n->channels = mem_new(c->n_notifies, sizeof *n->channels);
	for (size_t i = 0; i < c->n_notifies; i++) {
		struct channel *ch = &n->channels[n->n];

		if (c->notifies[i].type != NOTIFY_WEBHOOK || !c->notifies[i].url) {
			log_warn("notify", "%s: this build tells webhooks only",
				c->notifies[i].name);
			continue;
		}
		*ch = (struct channel){.all = n, .config = &c->notifies[i]};
		ch->end = &ch->first;
		uv_timer_init(loop, &ch->again);
		ch->again.data = ch;
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
	struct waiting *w;

	if (!c || c->n_waiting >= WAITING_MAX)
		return;
	w = mem_new(1, sizeof *w);
	*w = (struct waiting){.id = notice->id,
		.alert_id = notice->alert_id,
		.body = mem_text(notice->body)};
	*c->end = w;
	c->end = &w->next;
	c->n_waiting++;
	if (!c->call && !c->pause_ms)
		send_first(c);
}

static bool resume_one(void *arg, const struct store_notice *notice)
{
	notify_send(arg, notice);
	return true;
}

void notify_resume(struct notify *n)
{
	struct err e = {""};

	if (n->store && store_each_notice(n->store, resume_one, n, &e))
		log_warn("notify", "what is still to be told cannot be read: %s", e.text);
}

bool notify_idle(const struct notify *n)
{
	for (size_t i = 0; i < n->n; i++)
		if (n->channels[i].call)
			return false;
	return true;
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
	free(n->channels);
	free(n);
}

void notify_close(struct notify *n, void (*closed)(void *arg), void *arg)
{
	n->closed = closed;
	n->closed_arg = arg;
	n->n_open = n->n;
	for (size_t i = 0; i < n->n; i++) {
		if (n->channels[i].call)
			http_cancel(n->channels[i].call);
		uv_close((uv_handle_t *)&n->channels[i].again, on_closed);
	}
	if (n->n == 0) {
		closed(arg);
		free(n->channels);
		free(n);
	}
}
