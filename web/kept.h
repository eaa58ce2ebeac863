/* SPDX-License-Identifier: MIT */
/*
 * kept: the replies that were made since the last round, by what was asked: a reply is made once
 * however often a page, its copies and a scraper ask for it.  Bounded in number and bytes; the
 * oldest go first.  On the loop's thread.
 */
#ifndef WEB_KEPT_H
#define WEB_KEPT_H

#include "web/page.h"

enum { KEPT_KEY_MAX = 1024, KEPT_PAGES_MAX = 64, KEPT_BYTES_MAX = 16 << 20 };

/* Zeroed at first. */
struct kept {
	struct kept_page *first; /* a hash table, oldest first */
	size_t n, bytes;
};

/* A new reference, or NULL. */
struct page *kept_find(const struct kept *k, const char *key);

/* Keeps a page, the last one however large; the key is not there yet. */
void kept_add(struct kept *k, const char *key, struct page *p);

void kept_clear(struct kept *k);

#endif
