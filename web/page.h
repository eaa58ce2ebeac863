/* SPDX-License-Identifier: MIT */
/*
 * page: a reply that is made once and sent often: bytes, the same bytes compressed, type and
 * ETag.  What changes only with a poll is published as a page; a request costs no work then.
 */
#ifndef WEB_PAGE_H
#define WEB_PAGE_H

#include "base/buf.h"

#include <stddef.h>

struct page {
	char *body;
	size_t len;
	void *zipped; /* gzip; NULL where it would not be smaller */
	size_t zipped_len;
	const char *type; /* a media type, static */
	char etag[24];	  /* quoted */
	int refs;
};

/* A page of bytes that are handed over (from malloc); never NULL. */
struct page *page_new(char *body, size_t len, const char *type);

/* Another user of a page, and the end of one. */
struct page *page_ref(struct page *p);
void page_unref(struct page *p);

#endif
