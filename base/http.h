/* SPDX-License-Identifier: MIT */
/*
 * http: requests over libcurl's multi interface on a libuv loop.  The one place that knows
 * libcurl; BMCs and notifications both ask through it.
 *
 * libcurl itself follows no redirect, reads no netrc, uses no proxy, keeps no cookies, and
 * speaks http and https only (SECURITY.md, R1, R9, R10).  Bodies are counted after
 * decompression, in the write callback, against body_max (R3); headers against 64 KiB (R8).
 * Deadlines are R7's: connect, whole request, and less than 100 B/s for 15 s.
 * Connections are kept and used again.  All on the loop's thread.
 */
#ifndef BASE_HTTP_H
#define BASE_HTTP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

struct http;
struct http_call;

enum http_end {
	HTTP_END_UNKNOWN = 0,
	HTTP_ANSWERED,	   /* a whole reply came, whatever its status */
	HTTP_NO_NAME,	   /* the host name does not resolve */
	HTTP_REFUSED,	   /* nobody listens there, or no route */
	HTTP_TIMED_OUT,
	HTTP_TLS_FAILED,   /* certificate, pin or protocol; `why` says which */
	HTTP_BROKEN,	   /* cut in the middle, nonsense in the framing or encoding */
	HTTP_TOO_LARGE,	   /* past body_max or the ceiling of the headers */
	HTTP_NOT_ALLOWED,  /* scheme or address that is not to be spoken to */
};

/*
 * With nothing set, chain and name are checked against the system's authorities.  With a
 * ca_file against that alone, and a pin must fit as well.  A pin without ca_file decides
 * alone: neither chain, dates nor name are looked at (SECURITY.md, R9).
 */
struct http_tls {
	bool insecure;	     /* neither chain nor name is checked; a pin still is */
	const char *ca_file; /* PEM; NULL: the system's */
	const char *pin;     /* "sha256//base64" of the public key; NULL none */
};

/* A mail (base/mail.h): STARTTLS is demanded of smtp:// unless `plaintext`. */
struct http_mail {
	const char *from;
	const char *const *to; /* NULL at the end */
	bool plaintext;
};

struct http_request {
	const char *method; /* "GET", "POST", "DELETE" */
	const char *url;
	const struct http_mail *mail; /* then url is smtp:// or smtps://, the body a whole message */
	const char *const *headers; /* "Name: value", NULL at the end; may be NULL */
	const void *body;
	size_t body_len;
	const char *username, *password; /* Basic where both are given */
	struct http_tls tls;
	size_t body_max;	       /* of the reply, decompressed; 0: 4 MiB */
	unsigned connect_ms, total_ms; /* 0: 5 s and 30 s */
	/*
	 * A body without end: each part of a reply with status 200 goes here as it comes, and no deadline
	 * holds but that of the connection.  Called from within libcurl: it must not send or cancel
	 * anything; false ends the call.  NULL: the body is kept until it is whole.
	 */
	bool (*chunk)(void *arg, const char *data, size_t len);
};

struct http_reply {
	enum http_end end;
	int status;		  /* also of a reply that was cut later; 0 if none came */
	const char *body;	  /* NUL-terminated, borrowed for the call; "" unless answered */
	size_t body_len;
	const char *header_block; /* use http_reply_header() */
	int64_t duration_ms;
	char why[256]; /* for people, "" when answered */
};

/* NULL with the reason if libcurl cannot be set up. The loop must outlive it. */
struct http *http_new(uv_loop_t *loop, struct err *e);

/*
 * At most so many calls are under way at a time, streams not counted; the others wait for their turn,
 * and their time runs from then.  0 (as it begins): no limit.
 */
void http_limit(struct http *h, size_t at_once);

/* Cancels what is under way and closes its handles on the loop; run the loop once more afterwards. */
void http_free(struct http *h);

/*
 * Sends; everything in the request is copied.  done() is called once from the loop, never
 * from within http_send().  The call is gone after done() or http_cancel().
 */
struct http_call *http_send(struct http *h, const struct http_request *r,
	void (*done)(void *arg, const struct http_reply *reply), void *arg);

/* Ends a call without calling its done(). From the loop's thread, also within another call's done(). */
void http_cancel(struct http_call *c);

/*
 * The value of the last header of a name (any case), trimmed, copied to out; false if there is
 * none or it is longer than out.  Control characters make it none.
 */
bool http_reply_header(const struct http_reply *r, const char *name, char *out, size_t size);

enum { HTTP_RETRY_MIN_MS = 1000, HTTP_RETRY_MAX_MS = 10 * 60 * 1000 };

/*
 * How long a reply of 429 or 503 asks to be left alone: its Retry-After (RFC 9110, 10.2.3), seconds or
 * a date, kept between HTTP_RETRY_MIN_MS and HTTP_RETRY_MAX_MS; 0 if it does not ask.  A date counts
 * from the reply's own Date, since the other's clock may be anywhere, else from now_wall_ms.
 */
int64_t http_reply_retry_after_ms(const struct http_reply *r, int64_t now_wall_ms);

#endif
