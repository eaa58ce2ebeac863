/* SPDX-License-Identifier: MIT */
/* asset: see asset.h.  The table is made by web/embed.sh from web/assets/. */
#include "web/asset.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct asset {
	const char *path; /* as asked for: "/", "/style.css" */
	const char *file; /* below web/assets/ */
	const char *type;
	const unsigned char *bytes;
	size_t len;
};

#include "web/assets.inc"

static struct page *from_folder(const struct asset *a, const char *root)
{
	char path[1024];
	struct buf b;
	size_t len;

	buf_init(&b, 4u << 20);
	snprintf(path, sizeof path, "%s/%s", root, a->file);
	if (file_read(path, &b, NULL)) {
		buf_release(&b);
		return NULL;
	}
	len = b.len;
	return page_new(buf_take(&b), len, a->type);
}

struct page *asset_get(const char *path, const char *root)
{
	for (const struct asset *a = assets; a->path; a++) {
		char *copy;

		if (strcmp(a->path, path) != 0)
			continue;
		if (root)
			return from_folder(a, root);
		copy = mem_new(a->len + 1, 1);
		memcpy(copy, a->bytes, a->len);
		return page_new(copy, a->len, a->type);
	}
	return NULL;
}
