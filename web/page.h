/* SPDX-License-Identifier: MIT */
/*
 * page: a reply that is made once and sent often: bytes, the same bytes compressed, type and
 * ETag, and what reply.c made of them.  What changes only with a poll is made at the first
 * request after it and then kept; the next requests cost no work.
 *
 * A page has users, and what is being sent of it outlasts them: its bytes go with the last of both.
 */
#ifndef WEB_PAGE_H
#define WEB_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct MHD_Response;

enum { PAGE_FORMS = 6 }; /* ways to send one */

struct page {
	char *body;
	size_t len;
	void *zipped; /* by page_zipped() */
	size_t zipped_len;
	bool tried; /* to compress it */
	const char *type; /* a media type, static */
	char etag[24];	  /* weak: the compressed body has the same */
	int refs;
	int lent; /* responses that hold its bytes */
	struct MHD_Response *ready[PAGE_FORMS]; /* by reply.c: kept until the last user goes */
	int64_t dated_s[PAGE_FORMS];		/* the second that stands in their Date */
	void (*drop)(struct MHD_Response *r);	/* lets one of them go */
};

/* A page of bytes that are handed over (from malloc); never NULL. */
struct page *page_new(char *body, size_t len, const char *type);

/* The bytes as gzip, made when first asked for; NULL where they would not be smaller. */
void *page_zipped(struct page *p, size_t *len);

/* Another user of a page, and the end of one. */
struct page *page_ref(struct page *p);
void page_unref(struct page *p);

/* The same for a response that holds its bytes. */
void page_lend(struct page *p);
void page_give_back(struct page *p);

#endif
