/* SPDX-License-Identifier: MIT */
/*
 * documents: the resources of the API as JSON, of the last round.  What follows from the inventory is made when
 * it is asked for, the bays one by one; only replies are kept (kept.h).  On the loop's thread.
 */
#ifndef WEB_DOCUMENTS_H
#define WEB_DOCUMENTS_H

#include "model/inventory.h"
#include "web/list.h"
#include "web/tally.h"

#include <jansson.h>

enum document_kind {
	DOCUMENT_BAYS,
	DOCUMENT_TARGETS,
	DOCUMENT_DRIVES,
	DOCUMENT_EVENTS,
	DOCUMENT_ALERTS,
	DOCUMENT_SUMMARY,
	DOCUMENT_STATUS,
	DOCUMENT_POOLS,
	DOCUMENT_CEILING,
	DOCUMENTS
};

/* Zeroed at first. */
struct documents {
	const struct inventory *inventory; /* borrowed; its bays may be at rest */
	const struct tally *tally;	   /* borrowed; NULL: nothing is known of polls */
	json_t *given[DOCUMENTS];	   /* those that do not follow from it */
};

void documents_clear(struct documents *d);

/* One that does not follow from the inventory; NULL for an empty one. A reference is taken. */
void documents_set(struct documents *d, enum document_kind kind, const json_t *j);

/* A new reference; of drives without any, of bays NULL: they are told by documents_rows(). */
json_t *documents_get(const struct documents *d, enum document_kind kind);

/* The rows of its list; borrowed from both. */
struct rows documents_rows(const struct documents *d, enum document_kind kind, const struct list *l, const json_t *document);

/* What the links of a host can carry, NULL: of all that is watched; and whether a rate can be (NAN: none is claimed). The caller's. */
json_t *documents_ceiling(const struct inventory *inv, const char *host, double claim_bps);

#endif
