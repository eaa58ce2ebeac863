/* SPDX-License-Identifier: MIT */
/*
 * site: whether a request that changes something may be one of ours (SECURITY.md, W3), by its
 * header alone.  A page of another site can make a browser send much, but not this.
 */
#ifndef WEB_SITE_H
#define WEB_SITE_H

#include <stddef.h>
#include <sys/socket.h>

/* Of the header, NULL where there is none. Host was looked at already. */
struct site_header {
	const char *host, *content_type, *origin, *fetch_site;
};

/*
 * 0 if it may; else the HTTP status that refuses it: 415 for a body that is not JSON, 403 for
 * another site, with *why in words.  `listening` and `hosts` as for listen_host_fits().
 */
int site_refuses(const struct site_header *h, const struct sockaddr_storage *listening, const char *const *hosts, const char **why);

#endif
