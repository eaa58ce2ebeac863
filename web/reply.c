/* SPDX-License-Identifier: MIT */
/* reply: see reply.h. */
#include "web/reply.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *value;
} always[] = {
	{"Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
		"font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	{"X-Content-Type-Options", "nosniff"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
};

void reply_add_headers(struct MHD_Response *r, bool signs_in)
{
	for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
		MHD_add_response_header(r, always[i].name, always[i].value);
	MHD_add_response_header(r, "Cache-Control", signs_in ? "no-store" : "no-cache");
}

const char *reply_header(struct MHD_Connection *mhd, const char *name)
{
	return MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, name);
}

static void free_page(void *arg)
{
	page_unref(arg);
}

/* A page's bytes, compressed or not, as a response that holds a reference to it. */
static struct MHD_Response *respond(struct page *p, bool compressed)
{
	size_t len = 0;
	void *zipped = compressed ? page_zipped(p, &len) : NULL;
	struct MHD_Response *r = MHD_create_response_from_buffer_with_free_callback_cls(
		zipped ? len : p->len, zipped ? zipped : p->body, free_page, page_ref(p));

	if (!r) {
		page_unref(p);
		return NULL;
	}
	MHD_add_response_header(r, "Content-Type", p->type);
	if (zipped)
		MHD_add_response_header(r, "Content-Encoding", "gzip");
	return r;
}

/* gzip is named, and not with a weight of zero (RFC 9110, section 12.5.3). */
static bool takes_gzip(struct MHD_Connection *mhd)
{
	const char *at = reply_header(mhd, "Accept-Encoding");

	while (at && *at) {
		size_t n = strcspn(at, ",");
		char part[64];

		snprintf(part, sizeof part, "%.*s", (int)(n < sizeof part ? n : sizeof part - 1), at);
		if (str_has_nocase(part, "gzip")) {
			const char *q = strstr(part, "q=");
			double weight = 1;

			return !q || !str_to_double(q + 2, &weight) || weight > 0;
		}
		at += n + (at[n] == ',');
	}
	return false;
}

static void add_more(struct MHD_Response *r, int status, const struct reply_more *more)
{
	char seconds[16];

	snprintf(seconds, sizeof seconds, "%d", more->retry_after_s ? more->retry_after_s : 5);
	if (status == 429 || status == 503)
		MHD_add_response_header(r, "Retry-After", seconds);
	if (status == 405)
		MHD_add_response_header(r, "Allow", more->changes ? "POST, DELETE" : "GET, HEAD");
	if (status == 401)
		MHD_add_response_header(r, "WWW-Authenticate", "Basic realm=\"lanewatch\", charset=\"UTF-8\"");
}

enum MHD_Result reply_queue(struct MHD_Connection *mhd, struct page *p, int status, const struct reply_more *more)
{
	static const struct reply_more nothing = {0};
	const char *has = reply_header(mhd, "If-None-Match");
	bool same = status == 200 && has && strstr(has, p->etag);
	struct MHD_Response *r = same ? MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT) : respond(p, takes_gzip(mhd));
	enum MHD_Result rc;

	if (!more)
		more = &nothing;
	if (r && status == 200)
		MHD_add_response_header(r, "ETag", p->etag);
	page_unref(p);
	if (!r)
		return MHD_NO;
	reply_add_headers(r, more->signs_in);
	MHD_add_response_header(r, "Vary", "Accept, Accept-Encoding");
	add_more(r, status, more);
	rc = MHD_queue_response(mhd, same ? 304 : (unsigned)status, r);
	MHD_destroy_response(r);
	return rc;
}
