/* SPDX-License-Identifier: MIT */
/*
 * mail: what libcurl is told for a message over SMTP, and how its end is told to people.
 * For http.c alone, which runs the transfer; others send mail with http_send().
 */
#ifndef BASE_MAIL_H
#define BASE_MAIL_H

#include "base/http.h"

#include <curl/curl.h>

/* The message on its way out, and the list of recipients; lives as long as the transfer. */
struct mail {
	const char *text;
	size_t len, at;
	struct curl_slist *to;
};

/* True if `r` is a mail that may be sent; else what is wrong with it. */
const char *mail_wrong(const struct http_request *r);

/* Sets a handle up to send text[len], which is borrowed. */
CURLcode mail_set(CURL *easy, struct mail *m, const struct http_request *r, const char *text, size_t len);
void mail_release(struct mail *m);

/*
 * Fills end, status and why.  What the server decided is an answer: its last reply (250, 451,
 * 550, ...) is the status.  `text` is what libcurl says.
 */
void mail_explain(CURL *easy, CURLcode rc, const char *text, unsigned connect_ms, unsigned total_ms,
	struct http_reply *r);

#endif
