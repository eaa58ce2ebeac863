/* SPDX-License-Identifier: MIT */
/*
 * list: the lists of the API: which columns each has, and what a query chooses of one: by
 * value, in an order, a page of it, some members only; as JSON or as CSV.
 *
 * A column is a name and where its value lies in an object; filter, order and CSV all speak
 * of columns, so that what can be seen can be chosen by.
 */
#ifndef WEB_LIST_H
#define WEB_LIST_H

#include "base/buf.h"
#include "base/err.h"
#include "document/csv.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of one reply to a query (SECURITY.md, W10); a CSV has no next page. */
enum { LIST_ROWS_MAX = 1000, LIST_CSV_ROWS_MAX = 100 * 1000 };

struct list {
	const char *key; /* of the array in its document */
	const struct column *columns; /* name NULL ends it */
};

extern const struct list list_bays, list_drives, list_targets, list_events, list_alerts;

/* A query as pairs; the texts are borrowed. */
struct api_query {
	const char *accept; /* the header; may be NULL */
	bool gzip;	    /* who asks takes a compressed reply */
	bool overflow;	    /* there were more pairs than fit */
	size_t n;
	struct {
		const char *key, *value;
	} pairs[16];
};

/*
 * The document with its list cut down to what the query chooses, "total" (how many fit) and
 * "next" (the offset of the next page, null at the end), at most rows_max unless it chooses
 * nothing but members; NULL with what is wrong with the query.
 */
json_t *list_choose(const json_t *document, const struct list *l, const struct api_query *q, int64_t rows_max, struct err *e);

/* An array's objects as CSV, with the columns of the list. */
void list_write_csv(struct buf *out, const json_t *array, const struct list *l);

#endif
