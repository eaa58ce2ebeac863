/* SPDX-License-Identifier: MIT */
/*
 * document: the shapes of lanewatch/bays/v1 (docs/API.md), to and from the model.
 *
 * The command line, the store, the web and recordings of neutral readings all speak this
 * one shape; this is the one place that writes and reads it.  A key is always present;
 * what is not known is null.
 */
#ifndef DOCUMENT_BAYS_H
#define DOCUMENT_BAYS_H

#include "base/buf.h"
#include "base/err.h"
#include "document/member.h"
#include "model/inventory.h"

#include <jansson.h>

/* Flags for jtext_print(): numbers as short as they are exact. */
#define DOCUMENT_DUMP (JSON_REAL_PRECISION(15))

/* Each returns a new tree, the caller's to json_decref(). */
json_t *document_of_inventory(const struct inventory *inv);
json_t *document_of_bay(const struct bay *b);
json_t *document_of_link(const struct pcie_link *l); /* null where nothing is known */

/* The members of a BAY, made of a struct bay. */
extern const struct member document_bay_members[];

/* {"schema", "collected_at", KEY} with one of its lists, or "summary": a new tree. */
json_t *document_of_part(const struct inventory *inv, const char *schema, const char *key);

/*
 * Adds the text of document_of_inventory(), compact, bay after bay: a fleet's document is never
 * a tree in memory, which takes ten times its text.  Where `add_bays` is not NULL it adds the bays,
 * with commas between them, and returns as buf_add() does.  -1 past the ceiling of the buffer.
 */
int document_add_inventory(struct buf *out, const struct inventory *inv, int (*add_bays)(struct buf *out, const void *arg), const void *arg);

/*
 * Reads a BAY, a partial one allowed: what is missing, null or of a wrong type stays unknown.
 * `target` and `host` are used where the object names none.
 */
struct bay document_read_bay(const json_t *j, const char *target, const char *host);

/* Reads a whole document as document_of_inventory() wrote it; -1 if it is none. `inv` is initialised here. */
int document_read_inventory(const json_t *j, struct inventory *inv, struct err *e);

/* The same from its text, item after item of its lists: a tree of a fleet's document takes ten times its text. */
int document_read_text(const char *text, struct inventory *inv, struct err *e);

#endif
