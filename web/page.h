/* SPDX-License-Identifier: MIT */
/*
 * page: a reply that is made once and sent often: bytes, the same bytes compressed, type and
 * ETag.  What changes only with a poll is made at the first request after it and then kept;
 * the next requests cost no work.
 */
#ifndef WEB_PAGE_H
#define WEB_PAGE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

struct page {
	char *body;
	size_t len;
	void *zipped; /* by page_zipped() */
	size_t zipped_len;
	bool tried; /* to compress it */
	const char *type; /* a media type, static */
	char etag[24];	  /* weak: the compressed body has the same */
	int refs;
};

/* A page of bytes that are handed over (from malloc); never NULL. */
struct page *page_new(char *body, size_t len, const char *type);

/* The bytes as gzip, made when first asked for; NULL where they would not be smaller. */
void *page_zipped(struct page *p, size_t *len);

/* Another user of a page, and the end of one. */
struct page *page_ref(struct page *p);
void page_unref(struct page *p);

#endif
