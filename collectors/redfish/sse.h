/* SPDX-License-Identifier: MIT */
/*
 * sse: the event stream of a BMC, held open, so that what happens to a drive is known within two
 * seconds and not at the next poll.  What comes over it only says that it is time to look: the poll
 * that follows tells what is, and the log what happened.  Where it fails, polling goes on as ever,
 * and it is tried again, later with each time.  On the loop's thread.
 */
#ifndef REDFISH_SSE_H
#define REDFISH_SSE_H

#include "collectors/redfish/session.h"

#include <stdbool.h>

struct rf_sse;

/* heard(arg) is called from the loop, some time after something about drives came. The session is borrowed. */
struct rf_sse *rf_sse_new(struct rf_session *session, void (*heard)(void *arg), void *arg);

/*
 * Opens the stream if there is none: `service` is the EventService (borrowed for the call, NULL if
 * there is none).  Called at the end of each poll; does nothing while it is open or not yet due.
 */
void rf_sse_open(struct rf_sse *s, const json_t *service);

/* True while the request for it is out: it counts as one. */
bool rf_sse_is_open(const struct rf_sse *s);

/* Closes the stream, then calls closed(arg) from the loop and is gone. */
void rf_sse_close(struct rf_sse *s, void (*closed)(void *arg), void *arg);

/* True if the text of an event is about drives. Pure. */
bool rf_sse_is_of_drives(const char *text, size_t len);

#endif
