/* SPDX-License-Identifier: MIT */
/* asset: see asset.h.  The table is made by web/embed.sh from web/assets/ and schemas/api/, in the order of the paths. */
#include "web/asset.h"
#include "base/file.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct asset {
	const char *path; /* as asked for: "/", "/style.css" */
	const char *file; /* its name in web/assets/ */
	const char *type;
	const unsigned char *bytes;
	size_t len;
};

#include "web/assets.inc"

enum { N_ASSETS = sizeof table / sizeof table[0], FILE_BYTES_MAX = 4 << 20 };

struct assets {
	const char *root;
	struct page *pages[N_ASSETS]; /* made at the first request */
};

struct assets *assets_new(const char *root)
{
	struct assets *a = mem_new(1, sizeof *a);

	a->root = root;
	return a;
}

void assets_free(struct assets *a)
{
	for (size_t i = 0; a && i < N_ASSETS; i++)
		page_unref(a->pages[i]);
	free(a);
}

static struct page *from_folder(const struct asset *f, const char *root)
{
	char path[1024];
	struct buf b;
	size_t len;

	buf_init(&b, FILE_BYTES_MAX);
	snprintf(path, sizeof path, "%s/%s", root, f->file);
	if (file_read(path, &b, NULL)) {
		buf_release(&b);
		return NULL;
	}
	len = b.len;
	return page_new(buf_take(&b), len, f->type);
}

static struct page *built_in(const struct asset *f)
{
	char *copy = mem_new(f->len + 1, 1);

	memcpy(copy, f->bytes, f->len);
	return page_new(copy, f->len, f->type);
}

const char *assets_path(size_t i)
{
	return i < N_ASSETS ? table[i].path : NULL;
}

static int compare_path(const void *path, const void *asset)
{
	return strcmp(path, ((const struct asset *)asset)->path);
}

struct page *assets_get(struct assets *a, const char *path)
{
	const struct asset *f = bsearch(path, table, N_ASSETS, sizeof *table, compare_path);
	size_t i = f ? (size_t)(f - table) : 0;

	if (!f)
		return NULL;
	if (a->root)
		return from_folder(f, a->root);
	if (!a->pages[i])
		a->pages[i] = built_in(f);
	return page_ref(a->pages[i]);
}
