/* SPDX-License-Identifier: MIT */
/*
 * notify_way: the ways to tell somebody: what a channel of each type does with one notice.
 * Each is a small file behind one table; queues, pauses and the store are notify.c's.
 *
 * All on the loop's thread; nothing here waits.
 */
#ifndef AGENT_NOTIFY_WAY_H
#define AGENT_NOTIFY_WAY_H

#include "agent/notify_config.h"
#include "base/http.h"
#include "model/alert.h"

#include <jansson.h>
#include <uv.h>

struct notify_env {
	uv_loop_t *loop;
	struct http *http;
};

/* What is told: a notice, or (Alertmanager alone) all that stands. */
struct notify_post {
	const struct notify_config *config;
	const char *password;	       /* NULL: none */
	const json_t *notice;	       /* the object of the contract */
	const struct alerts *standing; /* where notice is NULL */
};

enum notify_end {
	NOTIFY_END_UNKNOWN = 0,
	NOTIFY_TOOK,	/* it has it */
	NOTIFY_REFUSED, /* and would refuse it again */
	NOTIFY_LATER,	/* not now */
};

/* `said` is what came back, in words; borrowed for the call. */
typedef void notify_done_fn(void *arg, enum notify_end end, const char *said);

struct notify_way {
	/* Begins; done() is called once, later, from the loop. The call is gone after done() or cancel(). */
	void *(*send)(const struct notify_env *env, const struct notify_post *p, notify_done_fn *done, void *arg);
	void (*cancel)(void *call);
	bool repeats; /* it wants to hear again and again of what stands */
};

/* NULL for unknown. */
const struct notify_way *notify_way_of(enum notify_type t);

extern const struct notify_way notify_webhook, notify_alertmanager, notify_mail, notify_syslog, notify_exec;

/* ---- for those that ask by http.c ---- */

/* Sends a request in which the rest is set; access (account, TLS) is the section's. `body` is freed. */
void *notify_http_send(const struct notify_env *env, const struct notify_post *p, const char *url, char *body,
	notify_done_fn *done, void *arg);
void *notify_http_mail(const struct notify_env *env, const struct notify_post *p, const char *message,
	notify_done_fn *done, void *arg);
void notify_http_cancel(void *call);

/* A text of a notice, "" where it has none. */
const char *notify_text(const json_t *notice, const char *key);

#endif
