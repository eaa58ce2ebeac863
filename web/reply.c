/* SPDX-License-Identifier: MIT */
/* reply: see reply.h. */
#include "web/reply.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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

/* The weight of a coding: 0 only where it is said, with or without digits behind the point. */
static bool is_refused(const char *q)
{
	if ((q[0] != 'q' && q[0] != 'Q') || q[1] != '=' || q[2] != '0')
		return false;
	q += 3 + (q[3] == '.');
	q += strspn(q, "0");
	return !*q || strchr(" \t,;", *q);
}

bool reply_names_gzip(const char *at)
{
	static const char blank[] = " \t", end[] = " \t;,";

	while (*(at += strspn(at, " \t,"))) {
		size_t n = strcspn(at, end), rest = n + strspn(at + n, blank);
		const char *q = at[rest] == ';' ? at + rest + 1 : "";

		if (n == strlen("gzip") && strncasecmp(at, "gzip", n) == 0)
			return !is_refused(q + strspn(q, blank));
		at += strcspn(at, ",");
	}
	return false;
}

static void give_back(void *arg)
{
	page_give_back(arg);
}

/* A page's bytes, compressed or not, as a response that holds on to them. */
static struct MHD_Response *respond(struct page *p, bool compressed)
{
	size_t len = 0;
	void *zipped = compressed ? page_zipped(p, &len) : NULL;
	struct MHD_Response *r = MHD_create_response_from_buffer_with_free_callback_cls(
		zipped ? len : p->len, zipped ? zipped : p->body, give_back, p);

	if (!r)
		return NULL;
	page_lend(p);
	MHD_add_response_header(r, "Content-Type", p->type);
	if (zipped)
		MHD_add_response_header(r, "Content-Encoding", "gzip");
	return r;
}

/* The client has the page: its tag is among those of If-None-Match, which are compared weakly (RFC 9110, section 13.1.2). */
static bool has_page(const char *has, const struct page *p)
{
	return has && (strcmp(has, "*") == 0 || strstr(has, p->etag + strlen("W/")));
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

enum form { FORM_PLAIN, FORM_ZIPPED, FORM_SAME, FORMS };

_Static_assert(2 * FORMS == PAGE_FORMS, "each form is kept with and without a login");

/* A response with its headers, as each request for the page in that form gets it. */
static struct MHD_Response *make(struct page *p, enum form form, bool signs_in, bool tagged)
{
	struct MHD_Response *r = form == FORM_SAME ? MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT)
						   : respond(p, form == FORM_ZIPPED);

	if (!r)
		return NULL;
	if (tagged)
		MHD_add_response_header(r, "ETag", p->etag);
	reply_add_headers(r, signs_in);
	MHD_add_response_header(r, "Vary", "Accept, Accept-Encoding");
	return r;
}

static void put_date(struct MHD_Response *r, const struct reply_date *date)
{
	const char *at = MHD_get_response_header(r, "Date");
	char old[CLOCK_TEXT_MAX];

	if (at) {
		str_copy(old, sizeof old, at);
		MHD_del_response_header(r, "Date", old);
	}
	MHD_add_response_header(r, "Date", date->text);
}

/* What is asked for again is the same response, whose headers are made once; libmicrohttpd would make a Date for each reply. */
static enum MHD_Result queue_found(struct MHD_Connection *mhd, struct page *p, enum form form, const struct reply_more *more)
{
	size_t at = 2 * form + more->signs_in;
	struct MHD_Response **ready = &p->ready[at];

	if (!*ready)
		*ready = make(p, form, more->signs_in, true);
	if (*ready && p->dated_s[at] != more->date->s) {
		put_date(*ready, more->date);
		p->dated_s[at] = more->date->s;
	}
	p->drop = MHD_destroy_response;
	return *ready ? MHD_queue_response(mhd, form == FORM_SAME ? 304 : 200, *ready) : MHD_NO;
}

static enum MHD_Result queue_once(struct MHD_Connection *mhd, struct page *p, int status, enum form form, const struct reply_more *more)
{
	struct MHD_Response *r = make(p, form, more->signs_in, false);
	enum MHD_Result rc;

	if (!r)
		return MHD_NO;
	add_more(r, status, more);
	rc = MHD_queue_response(mhd, (unsigned)status, r);
	MHD_destroy_response(r);
	return rc;
}

enum MHD_Result reply_queue(struct MHD_Connection *mhd, struct page *p, int status, const struct reply_more *more)
{
	bool zip = more->accept_encoding && reply_names_gzip(more->accept_encoding);
	enum form form = status == 200 && has_page(more->if_none_match, p) ? FORM_SAME : zip ? FORM_ZIPPED : FORM_PLAIN;
	enum MHD_Result rc = status == 200 ? queue_found(mhd, p, form, more) : queue_once(mhd, p, status, form, more);

	page_unref(p);
	return rc;
}
