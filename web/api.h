/* SPDX-License-Identifier: MIT */
/*
 * api: the resources below /api/v1, /metrics, /healthz and /readyz as pages and documents.
 *
 * The agent publishes what it knows after each cycle; lists are chosen from by query, as JSON
 * or CSV.  The documents are those of the command line (docs/API.md).
 */
#ifndef WEB_API_H
#define WEB_API_H

#include "document/bays.h"
#include "model/inventory.h"
#include "web/change.h"
#include "web/list.h"
#include "web/page.h"
#include "web/series.h"

#include <jansson.h>
#include <stdbool.h>

/* What is known now. The trees are borrowed by api_publish(), which makes pages of them. */
struct api_state {
	const struct inventory *inventory; /* outlives the api; may be looked at until the next publish; its bays may be at rest */
	const json_t *events; /* lanewatch/events/v1, newest first */
	const json_t *alerts; /* lanewatch/alerts/v1 */
	const struct tally *tally; /* outlives the api; may be NULL */
	int64_t store_bytes, dropped; /* -1 not known */
	const json_t *status; /* of the agent itself: uptime, store, dropped samples ... */
};

struct api;

struct api *api_new(void);
void api_free(struct api *a);

/* Takes in a new state; pages in use are kept until they were sent. */
void api_publish(struct api *a, const struct api_state *s);

/* The alerts alone, between two rounds: somebody changed one. */
void api_publish_alerts(struct api *a, const json_t *alerts);

/* Who does what is asked for by POST and DELETE; without it that is refused. Borrowed. */
void api_set_changes(struct api *a, const struct change_calls *calls);

/*
 * A POST or DELETE to a path of change_has_path(), with its body; `user` is who signed in, NULL
 * where nobody has to.  The reply is the alert as it is now, or a problem.  With a
 * ticket other than 0 it holds once api_await_change(), in any thread, has returned 0.
 */
struct page *api_change(struct api *a, const char *method, const char *path, const struct buf *body, const char *user,
	uint64_t *ticket, int *status);
int api_await_change(const struct api *a, uint64_t ticket, struct err *e);

/*
 * The reply for a path: a page (a new reference) with its HTTP status.  Never NULL: an unknown
 * path is a problem with 404, a query that is not understood one with 400.
 */
struct page *api_get(struct api *a, const char *path, const struct api_query *q, int *status);

/*
 * GET /api/v1/series is answered beside the loop: the question, to be read by series_read(), or
 * NULL with the reply at once; and the reply to it.
 */
struct series *api_series(struct api *a, const struct api_query *q, struct page **reply, int *status);
struct page *api_series_end(struct api *a, struct series *s, int *status);

/* The paths of the API one after the other, as openapi.json has them; NULL behind the last. For tests. */
const char *api_route(size_t i);

/* An application/problem+json page (RFC 9457). */
struct page *api_problem(int status, const char *title, const char *detail);

#endif
