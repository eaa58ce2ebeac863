/* SPDX-License-Identifier: MIT */
/*
 * serve: what the agent shows over HTTP: publishes the pipeline's state after each round.
 */
#ifndef AGENT_SERVE_H
#define AGENT_SERVE_H

#include "agent/config.h"
#include "agent/pipeline.h"
#include "base/err.h"
#include "web/change.h"

#include <uv.h>

struct serve;

/*
 * Listens on c->listen; what the store still knows is shown at once. NULL with the reason.
 * `changes` (borrowed) does what people ask for by POST and DELETE.
 */
struct serve *serve_new(uv_loop_t *loop, const struct config *c, struct pipeline *p,
	const struct change_calls *changes, struct err *e);

/* Shows what a round brought. */
void serve_publish(struct serve *s, struct pipeline *p, const struct outcome *o);

/* Shows the alerts as they are now, between two rounds. */
void serve_alerts(struct serve *s, const struct pipeline *p);

/*
 * Takes certificate, key, users and names of another configuration; -1 with the reason, then all stays as it was.  Another address needs a restart.
 */
int serve_reload(struct serve *s, const struct config *c, struct err *e);

/* Ends it; closed(arg) is called when its handles are gone. */
void serve_close(struct serve *s, void (*closed)(void *arg), void *arg);

#endif
