/* SPDX-License-Identifier: MIT */
/* notify_http: what webhook, Alertmanager and mail have in common; see notify_way.h. */
#include "agent/notify_way.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TELL_MS = 10000, REPLY_MAX = 64 * 1024 };

struct asked {
	struct http_call *call;
	bool mail;
	notify_done_fn *done;
	void *arg;
};

/* 4xx of HTTP is about this request, but for "too slow" and "too many"; 5xx of SMTP about this mail. */
static enum notify_end end_of(const struct asked *a, int status)
{
	if (status / 100 == 2)
		return NOTIFY_TOOK;
	if (a->mail)
		return status / 100 == 5 ? NOTIFY_REFUSED : NOTIFY_LATER;
	return status / 100 == 4 && status != 408 && status != 429 ? NOTIFY_REFUSED : NOTIFY_LATER;
}

/* The last line of a server that speaks SMTP which has this status: "550 5.1.1 no such user"; it goes on after it. */
static void line_with(const char *block, int status, char *out, size_t size)
{
	char code[16];

	snprintf(code, sizeof code, "%d", status);
	for (const char *line = block; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (str_starts(line, code))
			str_clean_bytes(out, size, line + strlen(code), strcspn(line + strlen(code), "\r\n"));
}

static void describe(const struct asked *a, const struct http_reply *r, char *out, size_t size)
{
	char text[160] = "";

	if (a->mail)
		line_with(r->header_block, r->status, text, sizeof text);
	else if (r->status / 100 != 2)
		str_clean_bytes(text, sizeof text, r->body, strnlen(r->body, sizeof text));
	snprintf(out, size, "answered with %d%s%s", r->status, text[0] ? ": " : "", text);
}

static void on_reply(void *arg, const struct http_reply *r)
{
	struct asked a = *(struct asked *)arg;
	char said[256];

	free(arg);
	if (r->end != HTTP_ANSWERED) {
		a.done(a.arg, NOTIFY_LATER, r->why);
		return;
	}
	describe(&a, r, said, sizeof said);
	a.done(a.arg, end_of(&a, r->status), said);
}

static void *ask(const struct notify_env *env, struct http_request *r, const struct notify_post *p, notify_done_fn *done,
	void *arg)
{
	const struct notify_config *c = p->config;
	struct asked *a = mem_new(1, sizeof *a);

	*a = (struct asked){.mail = r->mail != NULL, .done = done, .arg = arg};
	r->username = c->username;
	r->password = p->password;
	r->tls = (struct http_tls){.insecure = c->tls_insecure, .ca_file = c->ca_file, .pin = c->pin};
	r->body_max = REPLY_MAX;
	r->total_ms = TELL_MS;
	a->call = http_send(env->http, r, on_reply, a);
	return a;
}

void *notify_http_send(const struct notify_env *env, const struct notify_post *p, const char *url, char *body,
	notify_done_fn *done, void *arg)
{
	static const char *const headers[] = {"Content-Type: application/json", NULL};
	struct http_request r = {.method = "POST",
		.url = url,
		.headers = headers,
		.body = body ? body : "",
		.body_len = body ? strlen(body) : 0};
	void *call = ask(env, &r, p, done, arg);

	free(body);
	return call;
}

void *notify_http_mail(const struct notify_env *env, const struct notify_post *p, const char *message,
	notify_done_fn *done, void *arg)
{
	const struct notify_config *c = p->config;
	const struct http_mail mail = {
		.from = c->from, .to = (const char *const *)(void *)c->to, .plaintext = c->allow_plaintext};
	struct http_request r = {.url = c->url, .mail = &mail, .body = message, .body_len = strlen(message)};

	return ask(env, &r, p, done, arg);
}

void notify_http_cancel(void *call)
{
	struct asked *a = call;

	http_cancel(a->call);
	free(a);
}
