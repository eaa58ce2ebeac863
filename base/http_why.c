/* SPDX-License-Identifier: MIT */
/*
 * http_why: see http_why.h.  libcurl's results are few and its words differ between the TLS
 * libraries, so both are looked at, and the certificate where there is one.  Each sentence
 * says what a person can do about it.
 */
#include "base/http_why.h"
#include "base/clock.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The host that was asked, for a sentence. */
static void host_of(CURL *easy, char *out, size_t size)
{
	char *address = NULL, *host = NULL;
	CURLU *u = curl_url();

	out[0] = '\0';
	curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &address);
	if (u && address && curl_url_set(u, CURLUPART_URL, address, 0) == CURLUE_OK &&
		curl_url_get(u, CURLUPART_HOST, &host, 0) == CURLUE_OK)
		str_clean(out, size, host);
	curl_free(host);
	curl_url_cleanup(u);
}

static bool reached(CURL *easy, CURLINFO milestone)
{
	curl_off_t us = 0;

	return curl_easy_getinfo(easy, milestone, &us) == CURLE_OK && us > 0;
}

static bool is_https(CURL *easy)
{
	char *scheme = NULL;

	return curl_easy_getinfo(easy, CURLINFO_SCHEME, &scheme) == CURLE_OK && scheme &&
	       str_same_nocase(scheme, "https");
}

/* ---- certificates ---- */

/* The value of one field of the server's own certificate ("Expire date"), NULL if not told. */
static const char *cert_field(CURL *easy, const char *name)
{
	struct curl_certinfo *info = NULL;
	size_t n = strlen(name);

	if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &info) || !info || info->num_of_certs < 1)
		return NULL;
	for (struct curl_slist *s = info->certinfo[0]; s; s = s->next)
		if (strncasecmp(s->data, name, n) == 0 && s->data[n] == ':')
			return s->data + n + 1;
	return NULL;
}

/* "2026-11-30 12:00:00 GMT", as libcurl writes a certificate's dates; CLOCK_NEVER if it is not. */
static int64_t cert_time(CURL *easy, const char *name)
{
	const char *s = cert_field(easy, name);
	char text[24];

	if (!s || strlen(s) < 19)
		return CLOCK_NEVER;
	snprintf(text, sizeof text, "%.19sZ", s);
	return clock_parse(text);
}

static const char *why_not_trusted(CURL *easy, const char *text)
{
	const char *subject = cert_field(easy, "Subject"), *issuer = cert_field(easy, "Issuer");
	int64_t from = cert_time(easy, "Start date"), until = cert_time(easy, "Expire date");
	int64_t now = clock_wall_ms();

	if (str_has_nocase(text, "target host name"))
		return "the certificate is for another host name; use the name that stands in it, "
		       "or pin its key with tls_pin";
	if (str_has_nocase(text, "expired") || str_has_nocase(text, "expiration date") ||
		(until != CLOCK_NEVER && until < now))
		return "the certificate has expired; renew it, or pin its key with tls_pin";
	if (str_has_nocase(text, "not yet valid") || str_has_nocase(text, "not activated") ||
		(from != CLOCK_NEVER && from > now))
		return "the certificate is not valid yet; is the clock of this machine right?";
	if (str_has_nocase(text, "self-signed") || str_has_nocase(text, "self signed") ||
		(subject && str_same(subject, issuer)))
		return "the certificate is signed by itself; give it as ca_file, or pin its key with tls_pin";
	return "the certificate is not signed by a known authority; give its CA with ca_file, "
	       "or pin its key with tls_pin";
}

static const char *why_no_handshake(const char *text)
{
	/* GnuTLS, OpenSSL */
	if (str_has_nocase(text, "unexpected TLS packet") || str_has_nocase(text, "wrong version number"))
		return "it does not speak TLS on this port, or not TLS 1.2; is it the right port, "
		       "or plain http?";
	return "the TLS handshake failed; is it an https port, with TLS 1.2 or later?";
}

/* ---- deadlines ---- */

static double seconds(unsigned ms)
{
	return ms / 1000.0;
}

/* How long it took, to a tenth of a second. */
static double waited_s(CURL *easy)
{
	curl_off_t us = 0;

	curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME_T, &us);
	return (double)(us / 100000) / 10;
}

static void tell_timeout(CURL *easy, const char *text, unsigned connect_ms, unsigned total_ms,
	struct http_reply *r)
{
	double connect_s = seconds(connect_ms < total_ms ? connect_ms : total_ms);
	/*
	 * libcurl 7.88 sets the time of the connection after the handshake only, and none for a
	 * connection that is used again; "Connection timed out" is what it calls the other case
	 */
	bool connected = reached(easy, CURLINFO_CONNECT_TIME_T) || str_has_nocase(text, "SSL connection") ||
			 str_starts(text, "Operation ");
	char host[128];

	host_of(easy, host, sizeof host);
	if (!reached(easy, CURLINFO_NAMELOOKUP_TIME_T))
		snprintf(r->why, sizeof r->why, "the name %s was not resolved in %g s; does the name server answer?",
			host, connect_s);
	else if (!connected)
		snprintf(r->why, sizeof r->why,
			"no connection in %g s; is the address right, and does a firewall let it through?",
			connect_s);
	else if (is_https(easy) && !reached(easy, CURLINFO_APPCONNECT_TIME_T))
		snprintf(r->why, sizeof r->why, "connected, but no TLS handshake in %g s", connect_s);
	else if (!reached(easy, CURLINFO_STARTTRANSFER_TIME_T))
		snprintf(r->why, sizeof r->why, "connected, but no reply in %g s", waited_s(easy));
	else if (str_has_nocase(text, "too slow"))
		snprintf(r->why, sizeof r->why, "the reply came too slowly or stopped");
	else
		snprintf(r->why, sizeof r->why, "the reply was not complete in %g s", seconds(total_ms));
}

/* ---- the rest ---- */

static const char *why_refused(CURL *easy)
{
	long number = 0;

	curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number);
	if (number == ENETUNREACH || number == EHOSTUNREACH)
		return "no route to this address";
	if (number == EMFILE || number == ENFILE)
		return "too many open files";
	return "connection refused; is the address right, and the port?";
}

static void tell(struct http_reply *r, enum http_end end, const char *why)
{
	r->end = end;
	snprintf(r->why, sizeof r->why, "%s", why);
}

/* The same with libcurl's words in brackets: for what is rare, and for bug reports. */
static void tell_with(struct http_reply *r, enum http_end end, const char *why, const char *text)
{
	char clean[160];

	str_clean(clean, sizeof clean, text);
	r->end = end;
	if (clean[0])
		snprintf(r->why, sizeof r->why, "%s (%s)", why, clean);
	else
		tell(r, end, why);
}

void http_explain(CURL *easy, CURLcode rc, const char *text, unsigned connect_ms,
	unsigned total_ms, struct http_reply *r)
{
	char host[128];

	switch ((int)rc) { /* libcurl's list grows: the rest is below */
	case CURLE_OK:
		tell(r, HTTP_ANSWERED, "");
		return;
	case CURLE_COULDNT_RESOLVE_HOST:
		host_of(easy, host, sizeof host);
		r->end = HTTP_NO_NAME;
		snprintf(r->why, sizeof r->why, "the name %s does not resolve; is it spelled right?", host);
		return;
	case CURLE_COULDNT_CONNECT:
		tell(r, HTTP_REFUSED, why_refused(easy));
		return;
	case CURLE_OPERATION_TIMEDOUT:
		r->end = HTTP_TIMED_OUT;
		tell_timeout(easy, text, connect_ms, total_ms, r);
		return;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_INVALIDCERTSTATUS:
		tell(r, HTTP_TLS_FAILED, why_not_trusted(easy, text));
		return;
	case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
		tell(r, HTTP_TLS_FAILED, "the server's key is not the one of tls_pin: either its certificate "
			"was renewed, or somebody else answers");
		return;
	case CURLE_SSL_CACERT_BADFILE:
		tell_with(r, HTTP_TLS_FAILED, "the CA file cannot be used", text);
		return;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_CERTPROBLEM:
		tell_with(r, HTTP_TLS_FAILED, why_no_handshake(text), text);
		return;
	case CURLE_FILESIZE_EXCEEDED:
		tell(r, HTTP_TOO_LARGE, "the reply says that it is larger than what is read of one");
		return;
	case CURLE_URL_MALFORMAT:
	case CURLE_LOGIN_DENIED:
		tell_with(r, HTTP_NOT_ALLOWED, "the address cannot be used", text);
		return;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
		tell_with(r, HTTP_BROKEN, "it does not answer in HTTP; is it the right port?", text);
		return;
	case CURLE_GOT_NOTHING:
		tell(r, HTTP_BROKEN, is_https(easy) ? "the connection was closed without a reply" :
			"the connection was closed without a reply; is it an https port?");
		return;
	case CURLE_PARTIAL_FILE:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
		if (is_https(easy) || reached(easy, CURLINFO_STARTTRANSFER_TIME_T))
			tell_with(r, HTTP_BROKEN, "the connection was cut in the middle", text);
		else
			tell_with(r, HTTP_BROKEN, "the connection was cut before any reply; is it an https port?", text);
		return;
	case CURLE_BAD_CONTENT_ENCODING:
	case CURLE_WRITE_ERROR: /* not ours: http.c settles those itself */
		tell_with(r, HTTP_BROKEN, "the reply cannot be decompressed", text);
		return;
	}
	/* GnuTLS, OpenSSL: libcurl's own ceilings on headers */
	if (str_has_nocase(text, "response headers") || str_has_nocase(text, "header"))
		tell_with(r, HTTP_TOO_LARGE, "the reply has too many headers", text);
	else
		tell_with(r, HTTP_BROKEN, curl_easy_strerror(rc), text);
}
