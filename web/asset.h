/* SPDX-License-Identifier: MIT */
/*
 * asset: the page's files, built into the program and found by exact match (SECURITY.md, W5):
 * no text of a request ever becomes a file name.
 */
#ifndef WEB_ASSET_H
#define WEB_ASSET_H

#include "web/page.h"

/*
 * The file of a path as a new page, NULL if there is none.  With `root`, the file of the same
 * name is read from that folder instead, for whoever draws.
 */
struct page *asset_get(const char *path, const char *root);

#endif
