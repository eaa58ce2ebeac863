/* SPDX-License-Identifier: MIT */
/*
 * documents: the resources of the API as JSON, of the last round.  Each is made when it is first
 * asked for: most rounds nobody looks.  On the loop's thread.
 */
#ifndef WEB_DOCUMENTS_H
#define WEB_DOCUMENTS_H

#include "model/inventory.h"

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
	json_t *made[DOCUMENTS];
	struct inventory *inventory; /* borrowed; its bays may be at rest */
	bool woken;
};

void documents_clear(struct documents *d);

/* One that does not follow from the inventory; NULL for an empty one. A reference is taken. */
void documents_set(struct documents *d, enum document_kind kind, const json_t *j);

/* Borrowed, until the next clear or set. */
json_t *documents_get(struct documents *d, enum document_kind kind);

/* The inventory with its bays awake, and back to rest if they were so, once a reply is made. */
const struct inventory *documents_inventory(struct documents *d);
void documents_rest(struct documents *d);

/* What the links of a host can carry, NULL: of all that is watched; and whether a rate can be (NAN: none is claimed). The caller's. */
json_t *documents_ceiling(const struct inventory *inv, const char *host, double claim_bps);

#endif
