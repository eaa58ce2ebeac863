/* SPDX-License-Identifier: MIT */
/*
 * Paths, and the two keepers of documents.
 */
#include "tests/simbmc/tree.h"

#include "tests/simbmc/docs.h"
#include "tests/simbmc/mockup.h"
#include "tests/simbmc/util.h"

#include <stdlib.h>
#include <string.h>

void tree_doc_release(struct tree_doc *doc)
{
	json_decref(doc->json);
	free(doc->bytes);
	*doc = (struct tree_doc){0};
}

json_t *tree_doc_json(struct tree_doc *doc)
{
	if (!doc->json && doc->bytes)
		doc->json = json_loadb(doc->bytes, doc->len, 0, NULL);
	return doc->json;
}

/* A service that does not know $expand says so in its root, if it says anything. */
static void withdraw_expand(struct tree_doc *doc)
{
	json_t *root = tree_doc_json(doc);
	json_t *features = json_object_get(root, "ProtocolFeaturesSupported");

	if (json_object_del(features, "ExpandQuery") < 0)
		return;
	free(doc->bytes);
	doc->bytes = NULL;
	doc->len = 0;
}

void tree_get(const struct tree *t, const char *path, struct tree_doc *out)
{
	*out = (struct tree_doc){0};
	if (t->machine)
		out->json = docs_get(t->machine, path, &out->status);
	else
		out->status = mockup_get(t->mockup, path, &out->bytes, &out->len);
	if (*path == '\0' && t->no_expand)
		withdraw_expand(out);
	/*
	 * A file with nothing but an error is what a real BMC answered, status unknown: the
	 * licence that was missing is the usual one.
	 */
	if (t->mockup && out->status == 200 && out->bytes && strstr(out->bytes, "\"error\"")) {
		json_t *doc = tree_doc_json(out);

		if (json_object_size(doc) == 1 && json_object_get(doc, "error"))
			out->status = 403;
	}
}

static bool has_dots(const char *path)
{
	const char *p = path;

	while (*p) {
		size_t n = strcspn(p, "/");

		if ((n == 2 && p[0] == '.' && p[1] == '.') || (n == 1 && *p == '.'))
			return true;
		p += n + (p[n] == '/');
	}
	return false;
}

char *tree_path(const char *uri)
{
	static const char top[] = "/redfish/v1";
	char *path = format("%.*s", (int)strcspn(uri, "?#"), uri);
	char *rest;
	size_t n;

	percent_decode(path);
	n = strlen(path);
	while (n > 0 && path[n - 1] == '/')
		path[--n] = '\0';
	rest = path + strlen(top);
	if (n < strlen(top) || strncmp(path, top, strlen(top)) || (*rest && *rest != '/') ||
	    has_dots(path)) {
		free(path);
		return NULL;
	}
	if (*rest == '/')
		rest++;
	memmove(path, rest, strlen(rest) + 1);
	return path;
}
