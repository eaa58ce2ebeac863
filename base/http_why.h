/* SPDX-License-Identifier: MIT */
/*
 * http_why: how the end of a transfer is told to people.  For http.c alone.
 */
#ifndef BASE_HTTP_WHY_H
#define BASE_HTTP_WHY_H

#include "base/http.h"

#include <curl/curl.h>

/*
 * Fills end and why of a reply after libcurl's result and its own words (`text`), which say
 * more than the result does.  The deadlines are those of the call.
 */
void http_explain(CURL *easy, CURLcode rc, const char *text, unsigned connect_ms,
	unsigned total_ms, struct http_reply *r);

#endif
