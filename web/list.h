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
#include "document/member.h"

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
 * What a list is chosen from.  Its rows are made one by one, some members of each, and go as soon as
 * they were looked at or written: a fleet's list is never a tree in memory.
 */
struct rows {
	const struct list *list;
	size_t n;
	bool each; /* each of them is a row of the list */
	json_t *(*row)(const void *of, size_t i, const struct wanted *w); /* a new one, all of it or what is wanted; NULL: it is none */
	const void *of;
	const struct member *members; /* the table that they are made by; NULL: they are there */
};

/* The rows of a document; borrowed. */
struct rows list_rows(const struct list *l, const json_t *document);

/* What a query chose: numbers of rows, in its order. */
struct chosen {
	const struct rows *rows; /* borrowed */
	size_t *at, n;
	size_t total, next; /* how many fit; where the next page begins, not below total at the end */
	struct wanted *wanted; /* NULL: all members */
};

/*
 * At most LIST_ROWS_MAX (LIST_CSV_ROWS_MAX for a CSV) unless the query chooses nothing but members; -1 with
 * what is wrong with it.
 */
int list_choose(struct chosen *out, const struct rows *r, const struct api_query *q, bool csv, struct err *e);
void chosen_release(struct chosen *c);

/* Adds the rows of a `struct chosen`, compact, commas between them; as buf_add(). */
int list_add_rows(struct buf *out, const void *chosen);

/* Adds a document with these rows in the place of its list. */
int list_add_document(struct buf *out, const json_t *document, const struct chosen *c);

/* Adds "total" and "next" (the offset of the next page, null at the end) to the object that is the text. */
int list_add_end(struct buf *out, const struct chosen *c);

/* The rows as CSV, with the columns of the list. */
void list_add_csv(struct buf *out, const struct chosen *c);

#endif
