/* SPDX-License-Identifier: MIT */
/* serve: see serve.h.  On the loop's thread; the newest events are kept in memory for it. */
#include "agent/serve.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "document/events.h"
#include "storage/store.h"
#include "web/server.h"
#include "web/tally.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENTS_KEPT = 500 };

struct serve {
	struct api *api;
	struct server *server;
	struct tally tally;
	json_t *events; /* of the contract, newest first */
	int64_t started_wall_ms;
	size_t rounds;
	bool storing;
	void (*closed)(void *arg);
	void *closed_arg;
};

static json_t *status_of(const struct serve *s, const struct pipeline *p)
{
	char started[CLOCK_TEXT_MAX];

	return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:b}", "schema", "lanewatch/status/v1", "version",
		PACKAGE_VERSION, "started_at", clock_text(s->started_wall_ms, started), "rounds", (json_int_t)s->rounds,
		"poll_interval_seconds", (json_int_t)(p->config->poll_interval_ms / 1000), "targets", (json_int_t)p->config->n_targets, "storing", s->storing);
}

static void keep_events(struct serve *s, const struct events *ev)
{
	json_t *list = json_object_get(s->events, "events");

	for (size_t i = 0; i < ev->n; i++)
		json_array_insert_new(list, 0, document_of_event(&ev->items[i]));
	while (json_array_size(list) > EVENTS_KEPT)
		json_array_remove(list, json_array_size(list) - 1);
}

/* The file and what is not yet written into it; -1 not known. */
static int64_t store_bytes(const struct pipeline *p)
{
	char wal[PATH_MAX];
	struct stat st, log = {0};

	if (!p->writer || stat(p->config->database, &st))
		return -1;
	if (snprintf(wal, sizeof wal, "%s-wal", p->config->database) < (int)sizeof wal && stat(wal, &log))
		log.st_size = 0;
	return (int64_t)st.st_size + (int64_t)log.st_size;
}

static void publish(struct serve *s, struct pipeline *p)
{
	json_t *alerts = document_of_alerts(&p->alerts), *status = status_of(s, p);

	api_publish(s->api, &(struct api_state){
		.inventory = &p->inventory, .events = s->events, .alerts = alerts, .status = status,
		.tally = &s->tally, .store_bytes = store_bytes(p), .dropped = (int64_t)p->stored.dropped});
	json_decref(alerts);
	json_decref(status);
	server_changed(s->server);
}

/* The newest events of earlier runs. */
static void recall_events(struct serve *s, const struct pipeline *p)
{
	const struct store_filter f = {.since_wall_ms = CLOCK_NEVER, .until_wall_ms = CLOCK_NEVER, .last = EVENTS_KEPT};
	struct events ev = {0};
	struct store *store = p->writer ? writer_reader(p->writer) : NULL;
	struct err e;

	if (!store)
		return;
	if (store_get_events(store, &f, &ev, &e) == 0)
		keep_events(s, &ev);
	events_release(&ev);
}

/* A person who started it by hand wants to know where to look; a service's log needs no such line. */
static void tell_address(const struct config *c, int port)
{
	int host_len = (int)(strrchr(c->listen, ':') - c->listen);

	log_info("web", "listening on port %d", port);
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "lanewatch: http%s://%.*s:%d/ shows what is read; Ctrl-C ends it\n", c->web.tls_key ? "s" : "", host_len, c->listen, port);
}

struct serve *serve_new(uv_loop_t *loop, const struct config *c, struct pipeline *p,
	const struct change_calls *changes, struct err *e)
{
	struct serve *s = mem_new(1, sizeof *s);
	struct server_config web;

	config_server(c, &web);
	s->api = api_new();
	s->server = server_new(loop, &web, s->api, e);
	if (!s->server) {
		api_free(s->api);
		free(s);
		return NULL;
	}
	api_set_changes(s->api, changes);
	s->started_wall_ms = clock_wall_ms();
	s->storing = true;
	s->events = json_pack("{s:s, s:[]}", "schema", "lanewatch/events/v1", "events");
	recall_events(s, p);
	if (p->inventory.n_bays)
		publish(s, p);
	tell_address(c, server_port(s->server));
	return s;
}

void serve_publish(struct serve *s, struct pipeline *p, const struct outcome *o)
{
	s->rounds++;
	s->storing = o->stored;
	tally_round(&s->tally, &p->inventory, &o->events);
	keep_events(s, &o->events);
	publish(s, p);
}

void serve_alerts(struct serve *s, const struct pipeline *p)
{
	json_t *alerts = document_of_alerts(&p->alerts);

	api_publish_alerts(s->api, alerts);
	json_decref(alerts);
}

int serve_reload(struct serve *s, const struct config *c, struct err *e)
{
	struct server_config web;

	config_server(c, &web);
	return server_reload(s->server, &web, e);
}

static void on_closed(void *arg)
{
	struct serve *s = arg;
	void (*closed)(void *) = s->closed;
	void *closed_arg = s->closed_arg;

	api_free(s->api);
	tally_release(&s->tally);
	json_decref(s->events);
	free(s);
	closed(closed_arg);
}

void serve_close(struct serve *s, void (*closed)(void *arg), void *arg)
{
	s->closed = closed;
	s->closed_arg = arg;
	server_close(s->server, on_closed, s);
}
