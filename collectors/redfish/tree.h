/* SPDX-License-Identifier: MIT */
/*
 * tree: the resources of one BMC that are known, wanted or failed, by path.
 *
 * The walk is a fixpoint: survey() runs over the tree and wants what it lacks; the source
 * fetches what is wanted, from the BMC or from a recording, and puts it here; and again,
 * until nothing more is wanted.  So the rules of the walk are plain code without callbacks,
 * and a recording, a test or a fuzzer can take the BMC's place.
 *
 * Between polls, resources that change (`RF_LIVE`) are wanted anew and the others stay.
 * The ceilings of SECURITY.md, R8, are kept here.
 */
#ifndef REDFISH_TREE_H
#define REDFISH_TREE_H

#include "base/table.h"
#include "base/url.h"
#include "collectors/redfish/path.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { RF_RESOURCES_MAX = 2000, RF_PAGES_MAX = 200, RF_ELEMENTS_MAX = 400000 };

enum rf_state { RF_STATE_UNKNOWN = 0, RF_WANTED, RF_ASKED, RF_READ, RF_FAILED };

enum rf_want {
	RF_PLAIN = 0,
	RF_LIVE = 1 << 0,     /* changes: read it anew at every poll */
	RF_OPTIONAL = 1 << 1, /* its absence says nothing */
	RF_EXPAND = 1 << 2,   /* ask for its members in the same answer */
	RF_METRICS = 1 << 3,  /* wear and temperature: has a pace of its own, may need a licence; once refused, the kind is not asked again */
	RF_REPORT = 1 << 5,   /* measured of many: has the pace of metrics, and a licence of its own */
	RF_SHORTCUT = 1 << 4, /* wanted only for what it brings along: of no use to who has that already */
	RF_DEEP = 1 << 6,     /* with RF_EXPAND: the members of its lists as well, where the service does two levels */
};

/* Why a resource could not be read. */
struct rf_failure {
	char *message; /* behind the code */
	char code[];   /* MessageId or status */
};

/* The name of a drive's bay where its number alone was not enough to tell it from others'. */
struct rf_bay_name {
	char plain[64]; /* as the drive tells it */
	char told[64];  /* as it is called instead */
};

/* A BMC has hundreds: what is rarely there is behind a pointer. */
struct rf_resource {
	char *path; /* as asked for; its key is `key`, which may be the same text */
	char *key;
	enum rf_state state;
	unsigned flags;	    /* of enum rf_want */
	unsigned round;	    /* the round in which it was last read */
	bool expand;	    /* ask with $expand */
	bool deep;	    /* ... of two levels, when it was last asked */
	bool expanded;	    /* was asked so, and the answer can be trusted */
	bool plain_only;    /* was asked so in vain */
	bool named;	    /* wanted for itself, not only as a shortcut */
	int64_t not_before_mono_ms; /* it asked to be left alone so long */
	unsigned wanted;    /* the round in which it was last wanted by name; 0: only brought along */
	size_t n_elements;  /* of its own answer; 0 if it came with another's */
	json_t *doc;	    /* RF_READ; the last good one also while it is wanted anew */
	char *packed;	    /* the document as text, from the end of the poll that read it on */
	int status;	    /* HTTP status of a failure, 0 if no reply */
	struct rf_bay_name *bay; /* NULL: as the drive tells it, or no drive */
	struct rf_failure *failure; /* never NULL in RF_FAILED; NULL once it was read */
	UT_hash_handle hh;
};

/* Something that is wrong with the service as a whole, said once. */
struct rf_trouble {
	char resource[192];
	char code[32];
	char message[192];
};

enum { RF_TROUBLES_MAX = 8 };

struct rf_tree {
	const struct url *origin;      /* NULL for a recording */
	struct rf_resource *resources; /* uthash, in the order in which they were wanted */
	unsigned round;		       /* counts polls, from 1 */
	unsigned walk_round;	       /* what was read before is not believed any more; but for metrics */
	size_t n_pages;	   /* turned to in this round */
	size_t n_elements; /* of all documents that are kept */
	const char *expand_query; /* "$expand=*($levels=1)" or what the service offers */
	bool metrics_due;	/* RF_METRICS resources are read anew in this round */
	bool can_expand;	/* the service declares $expand and was not seen to ignore it */
	bool can_go_deep;	/* ... and two levels at once, without those below Links */
	bool can_expand_drives; /* ... and brings the drives of a Storage with it */
	bool metrics_refused;	/* not licensed */
	bool metrics_tried;	/* one was answered; the first goes alone, it may tell that none is licensed */
	size_t n_troubles;
	struct rf_trouble *troubles; /* of this round */
};

void rf_tree_init(struct rf_tree *t, const struct url *origin);
void rf_tree_release(struct rf_tree *t);

/*
 * Starts a poll: live resources are wanted anew as soon as the survey comes by; failures are tried
 * again.  Where the ceilings are near, what the last poll had no use for is forgotten.
 */
void rf_tree_begin(struct rf_tree *t);

/* The poll that began is a whole walk: all is read anew, also what was not there before. */
void rf_tree_rewalk(struct rf_tree *t);

/*
 * Makes the tree small until the next poll: documents that are read anew, and resources that were
 * brought along and nobody wanted, are freed; the others packed as text, a tenth of the size, and
 * unpacked when they are wanted.
 */
void rf_tree_pack(struct rf_tree *t);

/*
 * Wants a resource by link.  Returns its document if it is there (of this round, for live ones),
 * NULL while it is wanted, refused or failed.  Borrowed.
 */
json_t *rf_tree_want(struct rf_tree *t, const char *link, unsigned flags);

/* The same for a reference object {"@odata.id": ...} (or a plain string, as some send). */
json_t *rf_tree_want_ref(struct rf_tree *t, const json_t *ref, unsigned flags);

/* What is known without wanting it; NULL if never wanted. */
struct rf_resource *rf_tree_find(const struct rf_tree *t, const char *link);

/* Wants a resource once more with its members in the same answer, unless it was asked so already. */
void rf_tree_want_expanded(struct rf_tree *t, struct rf_resource *r);

/* The document of a resource was written in: its text is made anew. */
void rf_tree_changed(struct rf_resource *r);

/* What was last read of a resource, in whichever round; NULL if nothing was. Borrowed. */
json_t *rf_tree_document(struct rf_resource *r);

/* Says once that a list at `path` is longer than is read. */
void rf_tree_too_many(struct rf_tree *t, const char *path);

/*
 * Takes note that an answer to a request with $expand was none.  True if the resource is asked once
 * more as it is; where the service `refuses` the query, nothing is expanded any more.
 */
bool rf_tree_unexpand(struct rf_tree *t, struct rf_resource *r, bool refuses);

/* Wants a resource that is being asked for again, but not before. */
void rf_tree_defer(struct rf_resource *r, int64_t not_before_mono_ms);

/* When the first of what is wanted and deferred may be asked for; 0 if nothing is. */
int64_t rf_tree_deferred(const struct rf_tree *t);

/* The query that a resource is asked for with; NULL if with none. */
const char *rf_tree_query(const struct rf_tree *t, const struct rf_resource *r);

/* The next resource to fetch, NULL if there is none now; it becomes RF_ASKED. */
struct rf_resource *rf_tree_next(struct rf_tree *t);

/*
 * Takes in an answer; the document is handed over.  Members that came expanded become resources
 * of their own, and links in it.  An answer that is an error object is a failure, whatever its status.
 */
void rf_tree_put(struct rf_tree *t, struct rf_resource *r, json_t *doc, size_t n_elements);
void rf_tree_fail(struct rf_tree *t, struct rf_resource *r, int status, const char *code, const char *message);

/* Takes code and message out of a Redfish error body: the first @Message.ExtendedInfo, else error.code. */
void rf_error_read(const json_t *doc, char *code, size_t code_size, char *message, size_t message_size);

/* True for "…LIC501" and its like: the feature is not licensed. */
bool rf_error_not_licensed(const char *code, const char *message);

/* True if that is why a resource could not be read. */
bool rf_tree_not_licensed(const struct rf_resource *r);

/* The path of a reference object or string, reduced; false if it is none or refused (counted). */
bool rf_tree_path_of(struct rf_tree *t, const json_t *ref, char out[RF_PATH_MAX]);

/*
 * Iterates the members of a collection over all its pages, wanting each page.  Start with *it
 * zeroed; returns the next reference (borrowed), NULL at the end of what is there by now.
 */
struct rf_members {
	json_t *page;
	json_t *list; /* where the members are: "Members", or another key */
	size_t i;
	unsigned pages;
};
const json_t *rf_tree_member(struct rf_tree *t, struct rf_members *it, json_t *collection, const char *key, unsigned flags);

#endif
