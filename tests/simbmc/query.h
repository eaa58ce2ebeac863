/* SPDX-License-Identifier: MIT */
/*
 * The query options of Redfish on a finished document: $top and $skip with nextLink, and
 * $expand. What a service offers is read from its own root, as a client reads it.
 */
#ifndef SIMBMC_QUERY_H
#define SIMBMC_QUERY_H

#include "base/err.h"

#include <jansson.h>

#include <stdbool.h>

enum expand_scope {
	EXPAND_NOTHING = 0,
	EXPAND_MEMBERS,		/* the members of a collection only (iLO) */
	EXPAND_NO_LINKS,	/* all but what stands below Links: "." */
	EXPAND_LINKS,		/* only below Links: "~" */
	EXPAND_ALL,		/* "*" */
};

struct query {
	enum expand_scope expand;
	unsigned levels;
	bool has_top, has_skip;
	unsigned top, skip;
};

/* What the service offers of $expand. */
struct expand_offer {
	bool members_only;
	bool all, no_links, links;
	unsigned max_levels;	/* 0: no $expand at all */
};

/* How an answer departs from what was asked. */
struct expand_manner {
	bool ignore;		/* declared, and ignored */
	bool drop_last;		/* the last of each expanded list is missing */
};

/*
 * Reads the raw query text of a URI ("" without one); options that are not known are
 * ignored. -1: a value that a service refuses with 400.
 */
int query_parse(const char *text, struct query *q, struct err *e);

/* What the service root declares, and iLO's habits where the vendor is HPE. */
void expand_offer_read(const json_t *root, struct expand_offer *offer);

/*
 * Cuts Members to [skip, skip+top) and at most page_size (0: no limit), and adds nextLink
 * to path where more follow. False: skip lies beyond the end.
 */
bool query_page(json_t *doc, const char *path, const struct query *q, unsigned page_size);

/* Gives a new document for an @odata.id, or NULL where it cannot be had. */
struct expander {
	json_t *(*get)(void *arg, const char *odata_id);
	void *arg;
};

/*
 * Replaces references in doc by what they refer to, as far as the offer allows; one that
 * cannot be had stays a reference, so that a client meets its error when it asks.
 */
void query_expand(json_t *doc, const struct query *q, const struct expand_offer *offer,
		  const struct expand_manner *manner, const struct expander *by);

#endif
