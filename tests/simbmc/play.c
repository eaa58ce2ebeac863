/* SPDX-License-Identifier: MIT */
/*
 * Hostile and broken answers. Runs in the only thread.
 */
#include "tests/simbmc/play.h"

#include "base/buf.h"
#include "base/mem.h"
#include "tests/simbmc/reply.h"
#include "tests/simbmc/rules.h"
#include "tests/simbmc/stream.h"
#include "tests/simbmc/util.h"

#include <gnutls/gnutls.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#define FILLED_MAX	((size_t)64 << 20)
#define RAW_WAIT_MS	1000

/* {self}, {host}, {port} and {n} in a text; a new one. */
static char *filled(const struct request *r, const char *text)
{
	char *self = instance_url(r->in);
	struct buf out;

	buf_init(&out, FILLED_MAX);
	while (*text) {
		size_t n = strcspn(text, "{");

		buf_add(&out, text, n);
		text += n;
		if (!strncmp(text, "{self}", 6))
			buf_add_text(&out, self), text += 6;
		else if (!strncmp(text, "{host}", 6))
			buf_add_text(&out, r->in->server->o->bind), text += 6;
		else if (!strncmp(text, "{port}", 6))
			buf_printf(&out, "%u", r->in->port), text += 6;
		else if (!strncmp(text, "{n}", 3))
			buf_printf(&out, "%u", r->rule_n), text += 3;
		else if (*text)
			buf_add(&out, text++, 1);
	}
	free(self);
	return buf_take(&out);
}

static ssize_t send_some(const struct request *r, const char *bytes, size_t len)
{
	const union MHD_ConnectionInfo *fd =
		MHD_get_connection_info(r->conn, MHD_CONNECTION_INFO_CONNECTION_FD);
	const union MHD_ConnectionInfo *tls = r->in->server->o->tls ?
		MHD_get_connection_info(r->conn, MHD_CONNECTION_INFO_GNUTLS_SESSION) : NULL;
	struct pollfd pfd = {.fd = fd->connect_fd, .events = POLLOUT};
	ssize_t n;

	if (poll(&pfd, 1, RAW_WAIT_MS) <= 0)
		return -1;
	if (!tls)
		return send(fd->connect_fd, bytes, len, MSG_NOSIGNAL);
	n = gnutls_record_send((gnutls_session_t)tls->tls_session, bytes, len);
	if (n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED) {
		errno = EAGAIN;
		return -1;
	}
	return n;
}

/* Writes past libmicrohttpd, which would not send such a thing. */
static void send_raw(const struct request *r, const char *bytes, size_t len)
{
	size_t at = 0;

	while (at < len) {
		ssize_t n = send_some(r, bytes + at, len - at);

		if (n > 0)
			at += (size_t)n;
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			return;
	}
}

static enum MHD_Result play_raw(struct request *r)
{
	request_log(r, 0, r->rule->raw_len);
	send_raw(r, r->rule->raw, r->rule->raw_len);
	if (!r->rule->hold_ms)
		return MHD_NO;
	r->rule_held = true;
	request_suspend(r, r->rule->hold_ms);
	return MHD_YES;
}

static void add_headers(struct request *r, struct MHD_Response *response)
{
	const struct rule *rule = r->rule;
	bool has_type = false;
	char name[32];

	for (size_t i = 0; i < rule->n_headers; i++) {
		char *value = filled(r, rule->headers[i].value);

		has_type |= !strcasecmp(rule->headers[i].name, "Content-Type");
		MHD_add_response_header(response, rule->headers[i].name, value);
		free(value);
	}
	if (!has_type)
		MHD_add_response_header(response, "Content-Type", "application/json");
	MHD_add_response_header(response, "OData-Version", "4.0");
	for (unsigned i = 0; i < rule->header_flood; i++) {
		snprintf(name, sizeof name, "X-Flood-%u", i);
		MHD_add_response_header(response, name,
			"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	}
}

static bool is_streamed(const struct rule *r)
{
	return r->chunked || r->has_cut || r->drip_bytes || r->has_repeat || r->endless;
}

enum MHD_Result play_body(struct request *r, int status, char *bytes, size_t len)
{
	const struct rule *rule = r->rule;
	struct MHD_Response *response;
	enum MHD_Result rc;

	if (rule->gzip && bytes) {
		unsigned char *packed = gzip_whole(bytes, len, &len);

		free(bytes);
		bytes = (char *)packed;
	}
	if (is_streamed(rule))
		response = stream_response(r, rule, bytes, len);
	else
		response = MHD_create_response_from_buffer(len, bytes, MHD_RESPMEM_MUST_FREE);
	if (!response)
		return MHD_NO;
	add_headers(r, response);
	if (rule->gzip)
		MHD_add_response_header(response, "Content-Encoding", "gzip");
	request_log(r, status, is_streamed(rule) ? 0 : len);
	rc = MHD_queue_response(r->conn, (unsigned)status, response);
	MHD_destroy_response(response);
	return rc;
}

static char *body_copy(struct request *r, size_t *len)
{
	char *copy;

	if (r->rule->fill_in) {
		copy = filled(r, r->rule->body);
		*len = strlen(copy);
		return copy;
	}
	*len = r->rule->body_len;
	copy = mem_new(*len + 1, 1);
	memcpy(copy, r->rule->body, *len);
	return copy;
}

/* The rule's own answer; false where it has none and the resource is to be sent. */
static bool play_now(struct request *r, enum MHD_Result *rc)
{
	const struct rule *rule = r->rule;
	size_t len = 0;

	if (rule->raw) {
		*rc = play_raw(r);
	} else if (rule->has_repeat || rule->endless) {
		*rc = play_body(r, rule->status, NULL, 0);
	} else if (rule->body) {
		char *bytes = body_copy(r, &len);

		*rc = play_body(r, rule->status, bytes, len);
	} else if (rule->status_given && rule->status != 200) {
		*rc = reply_error(r, rule->status);
	} else {
		return false;
	}
	return true;
}

/* What a rule does to the BMC itself, once. */
static void play_effects(struct request *r)
{
	if (r->rule->drop_sessions)
		auth_drop_all(&r->in->auth);
	if (r->rule->then_all.count)
		r->in->rules->pending = r->rule->then_all;
}

static void choose(struct request *r, bool allowed)
{
	size_t at = 0;
	const struct rule *rule;
	unsigned nth;

	while ((rule = rule_match(r->in->rules, r->method, r->uri, &at, &nth))) {
		if (rule->status != 200 || allowed || strcmp(r->method, "GET"))
			break;
	}
	r->rule = rule;
	r->rule_n = rule ? nth : 0;
}

static enum MHD_Result play_pending(struct request *r)
{
	struct rule_then *p = &r->in->rules->pending;
	const struct reply_header none[] = {{NULL, NULL}};

	p->count--;
	return reply_bytes(r, p->status, mem_text(p->text), strlen(p->text), none);
}

bool play_rules(struct request *r, bool allowed, enum MHD_Result *rc)
{
	if (!r->in->rules)
		return false;
	if (r->rule_held) {
		*rc = MHD_NO;
		return true;
	}
	if (!r->rule_chosen) {
		r->rule_chosen = true;
		if (r->in->rules->pending.count) {
			*rc = play_pending(r);
			return true;
		}
		choose(r, allowed);
		if (!r->rule)
			return false;
		play_effects(r);
		if (r->rule->delay_ms) {
			request_suspend(r, r->rule->delay_ms);
			*rc = MHD_YES;
			return true;
		}
	}
	return r->rule && play_now(r, rc);
}

void play_over(struct request *r)
{
	if (r->streamed)
		reqlog_sent(&r->in->server->log, r->in->number, r->uri, r->streamed);
}
