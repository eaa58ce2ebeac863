/* SPDX-License-Identifier: MIT */
/* http_ask: for the tests of base/http: a client on a loop, and what became of one call. */
#ifndef TESTS_UNIT_HTTP_ASK_H
#define TESTS_UNIT_HTTP_ASK_H

#include "base/http.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct client {
	uv_loop_t loop;
	struct http *http;
};

struct outcome {
	int calls; /* of done() */
	enum http_end end;
	int status;
	char *body;
	size_t body_len;
	char why[256];
	char wanted[512]; /* in: a header's name; out: its value, "(none)" without */
};

static inline void client_init(struct client *c)
{
	struct err e;

	ck_assert_int_eq(uv_loop_init(&c->loop), 0);
	c->http = http_new(&c->loop, &e);
	ck_assert_ptr_nonnull(c->http);
}

/* Fails the test where a handle is left on the loop. */
static inline void client_release(struct client *c)
{
	http_free(c->http);
	uv_run(&c->loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&c->loop), 0);
}

static inline void outcome_take(void *arg, const struct http_reply *r)
{
	struct outcome *o = arg;
	char name[512];

	o->calls++;
	o->end = r->end;
	o->status = r->status;
	free(o->body);
	o->body = malloc(r->body_len + 1);
	ck_assert_ptr_nonnull(o->body);
	memcpy(o->body, r->body, r->body_len + 1);
	o->body_len = r->body_len;
	str_copy(o->why, sizeof o->why, r->why);
	ck_assert_msg((r->end == HTTP_ANSWERED) == !r->why[0], "end %d: %s", (int)r->end, r->why);
	str_copy(name, sizeof name, o->wanted);
	if (name[0] && !http_reply_header(r, name, o->wanted, sizeof o->wanted))
		str_copy(o->wanted, sizeof o->wanted, "(none)");
}

static inline void wait_for(struct client *c, struct outcome *o)
{
	while (!o->calls)
		uv_run(&c->loop, UV_RUN_ONCE);
}

static inline struct outcome ask_for(struct client *c, struct http_request r, const char *header)
{
	struct outcome o = {0};

	str_copy(o.wanted, sizeof o.wanted, header);
	if (!r.method)
		r.method = "GET";
	if (!r.total_ms)
		r.total_ms = 20000;
	ck_assert_ptr_nonnull(http_send(c->http, &r, outcome_take, &o));
	ck_assert_int_eq(o.calls, 0); /* never from within http_send() */
	wait_for(c, &o);
	ck_assert_int_eq(o.calls, 1);
	return o;
}

static inline struct outcome ask(struct client *c, struct http_request r)
{
	return ask_for(c, r, "");
}

static inline long rss_kib(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long size = 0, resident = 0;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%ld %ld", &size, &resident), 2);
	fclose(f);
	return resident * 4;
}

#endif
