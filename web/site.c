/* SPDX-License-Identifier: MIT */
/* site: see site.h. */
#include "web/site.h"
#include "base/str.h"
#include "web/listen.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* application/json with or without parameters. A form of another site can send three types, none of them this. */
static bool is_json(const char *type)
{
	static const char json[] = "application/json";
	size_t n = sizeof json - 1;

	if (!type || strncasecmp(type, json, n) != 0)
		return false;
	type += n + strspn(type + n, " \t");
	return *type == '\0' || *type == ';';
}

/* "HOST[:PORT]" of an origin, NULL for "null" and what is no web page's. */
static const char *authority(const char *origin)
{
	if (str_starts(origin, "http://"))
		return origin + strlen("http://");
	if (str_starts(origin, "https://"))
		return origin + strlen("https://");
	return NULL;
}

/*
 * A browser names where a request came from in up to two ways; a program in neither.  Where
 * Sec-Fetch-Site vouches for it, a port may differ that a proxy left out of Host.
 */
static bool is_ours(const struct site_header *h, const struct sockaddr_storage *listening, const char *const *hosts)
{
	bool vouched = h->fetch_site && strcmp(h->fetch_site, "same-origin") == 0;
	const char *from;

	if (h->fetch_site && !vouched && strcmp(h->fetch_site, "none") != 0)
		return false;
	if (!h->origin)
		return true;
	from = authority(h->origin);
	return from && listen_host_fits(listening, hosts, from) && (vouched || str_same_nocase(from, h->host));
}

int site_refuses(const struct site_header *h, const struct sockaddr_storage *listening, const char *const *hosts, const char **why)
{
	if (!is_ours(h, listening, hosts)) {
		*why = "a page of another site may change nothing here";
		return 403;
	}
	if (!is_json(h->content_type)) {
		*why = "what changes something is sent as Content-Type: application/json";
		return 415;
	}
	return 0;
}
