/* SPDX-License-Identifier: MIT */
/*
 * series: the points of one drive or bay over time, from the store, thinned to what a chart
 * can show (SECURITY.md, W10: at most 5000 of at most 100 000 that are read).
 */
#ifndef WEB_SERIES_H
#define WEB_SERIES_H

#include "storage/store.h"
#include "web/list.h"

#include <jansson.h>

/*
 * lanewatch/history/v1 for a query of drive (serial, id or HOST/BAY), metric, and since and
 * until (RFC 3339, or as "-24h").  `status` gets the HTTP status that goes with a NULL; 404 is
 * for a name of which nothing is stored and that known() does not know either.
 */
json_t *series_get(struct store *s, const struct api_query *q, bool (*known)(void *arg, const char *who),
	void *arg, int *status, struct err *e);

#endif
