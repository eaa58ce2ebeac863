/* SPDX-License-Identifier: MIT */
/*
 * notify: brings notices to their channels, in order, one request at a time for each,
 * again and again with a growing pause while a channel is down.  What a channel took is
 * handed to the writer of the store, so that a restart tells nothing twice on purpose and loses nothing.
 * All on the loop's thread.
 */
#ifndef AGENT_NOTIFY_H
#define AGENT_NOTIFY_H

#include "agent/config.h"
#include "base/http.h"
#include "model/alert.h"
#include "storage/writer.h"

#include <stdbool.h>
#include <uv.h>

struct notify;

/* What a channel said, for the alert; alert_id 0: of a group. */
typedef void notify_told_fn(void *arg, int64_t alert_id, const char *channel, bool ok);

/* All arguments are borrowed and outlive it; `writer` and `alerts` may be NULL. */
struct notify *notify_new(uv_loop_t *loop, struct http *http, const struct config *c,
	struct writer *writer, const struct alerts *alerts, notify_told_fn *told, void *arg);

/* A round has ended: repeats what stands where a channel wants that, and sends heartbeats. */
void notify_round(struct notify *n);

/* Takes up what the store still has to tell. */
void notify_resume(struct notify *n);

/* Copied. Channels that are not configured (any more) are passed over. */
void notify_send(struct notify *n, const struct store_notice *notice);

/* True if nothing is left to tell, or nothing will be told before the next try. */
bool notify_idle(const struct notify *n);

/* Stops at once, then calls closed(arg) and is gone; what was not told stays in the
 * store. */
void notify_close(struct notify *n, void (*closed)(void *arg), void *arg);

#endif
