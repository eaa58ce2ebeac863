/* SPDX-License-Identifier: MIT */
/*
 * change: what a person may change over HTTP, read out of a request; the agent does it.
 *
 *	POST   /api/v1/alerts/ID/ack      {"by": "anna", "note": "drive ordered"}
 *	DELETE /api/v1/alerts/ID/ack
 *	POST   /api/v1/alerts/ID/silence  {"by": "anna", "until": "2026-12-01T08:00:00Z" or "+4h", "note": "..."}
 *	DELETE /api/v1/alerts/ID/silence
 *
 * Whether the request may change anything at all was decided before (web/site.h).
 */
#ifndef WEB_CHANGE_H
#define WEB_CHANGE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum change_kind { CHANGE_UNKNOWN = 0, CHANGE_ACK, CHANGE_UNACK, CHANGE_SILENCE, CHANGE_UNSILENCE };

struct change {
	enum change_kind kind;
	int64_t alert_id;
	char by[64];	       /* who; never empty for ACK and SILENCE */
	char note[256];	       /* "" none */
	int64_t until_wall_ms; /* of SILENCE, in the future; else CLOCK_NEVER */
};

/* Who does it. Called on the loop's thread. */
struct change_calls {
	/*
	 * Does it, gives a ticket for kept() (0: that is done), and publishes the alerts as they are then (api_publish_alerts).  -1 with the
	 * reason in words, and in *status 404 (no such alert) or 409 (not as it is now).
	 */
	int (*alert)(void *arg, const struct change *c, uint64_t *ticket, int *status, struct err *e);
	/* Waits until it is on the disk, in any thread; -1 with the reason why it is not (yet). */
	int (*kept)(void *arg, uint64_t ticket, struct err *e);
	void *arg;
};

/* True for a path below which things are changed: there POST and DELETE are answered, and no GET. */
bool change_has_path(const char *path);

/*
 * Reads a request (method POST or DELETE, a path of change_has_path(), its body); `user` is who
 * signed in, NULL where nobody has to.  -1 with what is wrong with it.
 */
int change_read(struct change *c, const char *method, const char *path, const char *body, size_t len, const char *user, struct err *e);

#endif
