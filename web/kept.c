/* SPDX-License-Identifier: MIT */
/* kept: see kept.h. */
#include "web/kept.h"
#include "base/mem.h"
#include "base/table.h"

#include <stdlib.h>
#include <string.h>

struct kept_page {
	UT_hash_handle hh;
	struct page *page;
	size_t bytes;
	char key[];
};

struct page *kept_find(const struct kept *k, const char *key)
{
	struct kept_page *one;

	HASH_FIND_STR(k->first, key, one);
	return one ? page_ref(one->page) : NULL;
}

static void drop(struct kept *k, struct kept_page *one)
{
	HASH_DEL(k->first, one);
	k->n--;
	k->bytes -= one->bytes;
	page_unref(one->page);
	free(one);
}

void kept_add(struct kept *k, const char *key, struct page *p)
{
	size_t len = strlen(key), bytes = p->len + len;
	struct kept_page *one;

	while (k->first && (k->n == KEPT_PAGES_MAX || k->bytes + bytes > KEPT_BYTES_MAX))
		drop(k, k->first);
	one = mem_new(1, sizeof *one + len + 1);
	one->page = page_ref(p);
	one->bytes = bytes;
	memcpy(one->key, key, len + 1);
	HASH_ADD_STR(k->first, key, one);
	k->n++;
	k->bytes += bytes;
}

void kept_clear(struct kept *k)
{
	while (k->first)
		drop(k, k->first);
}
