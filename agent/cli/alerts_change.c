/* SPDX-License-Identifier: MIT */
/*
 * alerts_change: `lanewatch alerts ack|unack|silence|unsilence ID`: asks the running agent over
 * its own API (docs/API.md, "Changing an alert"), for one process alone writes the store.
 */
#include "agent/cli/alerts.h"
#include "agent/env.h"
#include "base/file.h"
#include "base/http.h"
#include "base/jtext.h"
#include "base/mem.h"
#include "base/str.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

enum { FAILED = 3 };

static const struct verb {
	const char *word, *method, *path;
	bool until;
} verbs[] = {
	{"ack", "POST", "ack", false},
	{"unack", "DELETE", "ack", false},
	{"silence", "POST", "silence", true},
	{"unsilence", "DELETE", "silence", false},
};

static const struct verb *find(const char *word)
{
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
		if (strcmp(verbs[i].word, word) == 0)
			return &verbs[i];
	return NULL;
}

/* The person, also behind sudo. */
static const char *who(const struct options *o)
{
	const char *names[] = {o->by, getenv("SUDO_USER"), getenv("LOGNAME"), getenv("USER")};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (names[i] && names[i][0])
			return names[i];
	return geteuid() == 0 ? "root" : "somebody";
}

static char *body_of(const struct options *o, const struct verb *v)
{
	json_t *j = json_object();
	char *text;

	if (strcmp(v->method, "POST") == 0)
		json_object_set_new(j, "by", json_string(who(o)));
	if (v->until)
		json_object_set_new(j, "until", json_string(o->until));
	if (o->note && strcmp(v->method, "POST") == 0)
		json_object_set_new(j, "note", json_string(o->note));
	text = jtext_print(j, JSON_COMPACT);
	json_decref(j);
	return text;
}

/* Where the agent of this configuration listens; 0.0.0.0 and [::] are asked on loopback. */
static void url_of(const struct config *c, const char *id, const struct verb *v, char *out, size_t size)
{
	const char *port = strrchr(c->listen, ':'), *host = c->listen;
	int host_len = (int)(port - c->listen);

	if (str_starts(c->listen, "0.0.0.0:"))
		host = "127.0.0.1", host_len = 9;
	else if (str_starts(c->listen, "[::]:"))
		host = "[::1]", host_len = 5;
	snprintf(out, size, "%s://%.*s%s/api/v1/alerts/%s/%s", c->web.tls_key ? "https" : "http", host_len, host, port, id, v->path);
}

struct answer {
	bool came;
	int rc;
};

static void on_reply(void *arg, const struct http_reply *r)
{
	struct answer *a = arg;
	struct err e = {""};
	json_t *j;
	const char *detail;

	a->came = true;
	a->rc = FAILED;
	if (r->end == HTTP_REFUSED) {
		fprintf(stderr, "lanewatch: nobody listens there; is lanewatch run running, with this configuration?\n");
		return;
	}
	if (r->end != HTTP_ANSWERED) {
		fprintf(stderr, "lanewatch: %s\n", r->why);
		return;
	}
	if (r->status == 200) {
		a->rc = 0;
		return;
	}
	j = jtext_parse(r->body, r->body_len, NULL, &e);
	detail = j ? jtext_string(json_object_get(j, "detail")) : NULL;
	fprintf(stderr, "lanewatch: %s%s\n", detail ? detail : "the agent does not do it",
		r->status == 401 ? "; give --username and --password-file" : "");
	json_decref(j);
}

static int ask(const struct options *o, const struct config *c, const struct verb *v, char *password)
{
	static const char *const headers[] = {"Content-Type: application/json", NULL};
	char url[512], *body = body_of(o, v);
	struct answer a = {.rc = FAILED};
	struct err e = {""};
	uv_loop_t loop;
	struct http_request r = {.method = v->method,
		.url = url,
		.headers = headers,
		.username = o->username,
		.password = password,
		.tls = {.insecure = o->insecure, .pin = o->pin, .ca_file = o->ca_file ? o->ca_file : c->web.tls_certificate},
		.body = body,
		.body_len = strlen(body)};
	struct http *http;

	url_of(c, o->args[1], v, url, sizeof url);
	if (uv_loop_init(&loop) == 0 && (http = http_new(&loop, &e))) {
		http_send(http, &r, on_reply, &a);
		while (!a.came)
			uv_run(&loop, UV_RUN_ONCE);
		http_free(http);
		uv_run(&loop, UV_RUN_DEFAULT);
		uv_loop_close(&loop);
	} else {
		fprintf(stderr, "lanewatch: %s\n", e.text);
	}
	free(body);
	return a.rc;
}

static int usage(const struct options *o, const char *text)
{
	fprintf(stderr, "lanewatch: alerts %s: %s\n", o->args[0], text);
	return EX_USAGE;
}

int alerts_change(const struct options *o, const struct config *c)
{
	const struct verb *v = find(o->args[0]);
	struct err e = {""};
	char *password = NULL;
	int64_t id;
	int rc;

	if (!v) {
		fprintf(stderr, "lanewatch: alerts: no verb '%.40s'; there are ack, unack, silence, unsilence and test\n", o->args[0]);
		return EX_USAGE;
	}
	if (o->n_args != 2 || !str_to_int(o->args[1], 1, INT64_MAX, &id))
		return usage(o, "which alert? give its number, as lanewatch alerts lists it");
	if (v->until && !o->until)
		return usage(o, "until when? give --until +4h, or a time");
	if (o->username && o->password_file && !(password = file_secret_take(o->password_file, &e))) {
		fprintf(stderr, "lanewatch: %s\n", e.text);
		return FAILED;
	}
	if (o->username && !password)
		password = env_ask_password("the web page");
	rc = ask(o, c, v, password);
	mem_wipe_free(password);
	return rc;
}
