/* SPDX-License-Identifier: MIT */
/*
 * reply: a page as an HTTP reply of libmicrohttpd: the headers that stand on every one
 * (SECURITY.md, W4), compression, ETag and 304.
 */
#ifndef WEB_REPLY_H
#define WEB_REPLY_H

#include "base/clock.h"
#include "web/page.h"

#include <microhttpd.h>
#include <stdbool.h>

/* The Date of replies, made once a second. */
struct reply_date {
	int64_t s;
	char text[CLOCK_TEXT_MAX];
};

/* What a status needs beside it, and what was asked for. */
struct reply_more {
	const struct reply_date *date;
	const char *accept_encoding, *if_none_match; /* headers; NULL: there is none */
	bool changes;	  /* a path for POST and DELETE: said with 405 */
	bool signs_in;	  /* who asks has to sign in here: nothing is kept by caches, 401 says how */
	int retry_after_s; /* with 429 and 503; 0: 5 s */
};

/* Queues a page and gives it back; 304 where the client has it. */
enum MHD_Result reply_queue(struct MHD_Connection *mhd, struct page *p, int status, const struct reply_more *more);

/* The headers of every reply. */
void reply_add_headers(struct MHD_Response *r, bool signs_in);

/* Whether an Accept-Encoding names gzip, and not with a weight of zero (RFC 9110, section 12.5.3). */
bool reply_names_gzip(const char *accept_encoding);

/* One header of a request, NULL where there is none. */
const char *reply_header(struct MHD_Connection *mhd, const char *name);

#endif
