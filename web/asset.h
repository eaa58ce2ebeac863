/* SPDX-License-Identifier: MIT */
/*
 * asset: the page's files, built into the program and found by exact match (SECURITY.md, W5):
 * no text of a request ever becomes a file name.
 */
#ifndef WEB_ASSET_H
#define WEB_ASSET_H

#include "web/page.h"

struct assets;

/*
 * The files as built in; with `root` (borrowed) those of the same names are read from that
 * folder at each request instead, for whoever draws.
 */
struct assets *assets_new(const char *root);
void assets_free(struct assets *a);

/* The file of a path as a page (a new reference), NULL if there is none. */
struct page *assets_get(struct assets *a, const char *path);

/* The paths of the files one after the other; NULL behind the last. For tests. */
const char *assets_path(size_t i);

#endif
