/* SPDX-License-Identifier: MIT */
/*
 * series: the points of one drive or bay over time, from the store, thinned to what a chart
 * can show (SECURITY.md, W10: at most 5000 of at most 100 000 that are read, within 2 s).
 *
 * The question is read on the loop, answered in a thread, and given as a page on the loop.
 */
#ifndef WEB_SERIES_H
#define WEB_SERIES_H

#include "base/err.h"
#include "web/list.h"
#include "web/page.h"

struct series;

/*
 * A query of drive (serial, id or HOST/BAY), metric, and since and until (RFC 3339, or as
 * "-24h"); NULL with what is wrong with it.
 */
struct series *series_new(const struct api_query *q, struct err *e);
void series_free(struct series *s);

/* In a thread with a reader (web/reader.h): reads the points and makes the reply. */
void series_read(struct series *s, void *reader);

/* Whose they are, for a look whether it is known at all. */
const char *series_who(const struct series *s);

enum series_end {
	SERIES_UNKNOWN = 0, /* it was not read */
	SERIES_READ,	    /* lanewatch/history/v1 */
	SERIES_NOBODY,	    /* nothing is stored under that name; an empty one */
	SERIES_FAILED,
};

/* How it ended, and the page, handed over; NULL for FAILED and UNKNOWN. */
enum series_end series_take(struct series *s, struct page **page);

#endif
