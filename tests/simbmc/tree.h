/* SPDX-License-Identifier: MIT */
/*
 * From a path to a document, whoever keeps it: a simulated machine (docs*.c writes it) or a
 * mockup folder (its file).
 */
#ifndef SIMBMC_TREE_H
#define SIMBMC_TREE_H

#include "tests/simbmc/machine.h"

#include <jansson.h>

/* An answer: JSON, or the bytes of a file as they are; neither with a status only. */
struct tree_doc {
	int status;
	json_t *json;
	char *bytes;
	size_t len;
};

struct tree {
	struct machine *machine;	/* borrowed; or NULL with a folder */
	const char *mockup;		/* borrowed: the folder that holds redfish/ */
	bool no_expand;			/* take $expand out of the root's promises */
};

/*
 * path: "" for /redfish/v1, else what follows its slash, percent-decoded, without a slash
 * at the end. Fills *out, which tree_doc_release() empties.
 */
void tree_get(const struct tree *t, const char *path, struct tree_doc *out);
void tree_doc_release(struct tree_doc *doc);

/* The document as JSON, parsed if need be; borrowed, NULL where it is none. */
json_t *tree_doc_json(struct tree_doc *doc);

/*
 * The path of a URI "/redfish/v1/A/B/?x" as tree_get() takes it, on the heap; NULL outside
 * the tree or with "..". "" is the root.
 */
char *tree_path(const char *uri);

#endif
