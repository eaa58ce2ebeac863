/* SPDX-License-Identifier: MIT */
/* mail: see mail.h.  SMTP is RFC 5321, STARTTLS RFC 3207; libcurl does the dots (section 4.5.2). */
#include "base/mail.h"
#include "base/http_why.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

/* An address that can neither end its bracket nor its line. */
static bool address_right(const char *s)
{
	size_t n = 0;

	for (; s[n]; n++)
		if ((unsigned char)s[n] <= ' ' || s[n] == '\x7f' || s[n] == '<' || s[n] == '>')
			return false;
	return n > 0 && n <= 254; /* RFC 5321, 4.5.3.1.3, without the brackets */
}

const char *mail_wrong(const struct http_request *r)
{
	if (!str_starts(r->url, "smtp://") && !str_starts(r->url, "smtps://"))
		return "mail goes to smtp:// or smtps:// only";
	if (!r->body || !r->mail->to || !r->mail->to[0])
		return "a mail needs a text and somebody who gets it";
	if (!address_right(r->mail->from))
		return "the sender is no mail address";
	for (const char *const *to = r->mail->to; *to; to++)
		if (!address_right(*to))
			return "a recipient is no mail address";
	return NULL;
}

static size_t give(char *out, size_t one, size_t size, void *arg)
{
	struct mail *m = arg;
	size_t n = m->len - m->at;

	(void)one;
	if (n > size)
		n = size;
	memcpy(out, m->text + m->at, n);
	m->at += n;
	return n;
}

/* Sets an option unless an earlier one was refused. */
#define SET(option, value) (rc = rc ? rc : curl_easy_setopt(easy, (option), (value)))

CURLcode mail_set(CURL *easy, struct mail *m, const struct http_request *r, const char *text, size_t len)
{
	CURLcode rc = CURLE_OK;

	m->text = text;
	m->len = len;
	for (const char *const *to = r->mail->to; *to; to++) {
		struct curl_slist *more = curl_slist_append(m->to, *to);

		if (!more)
			return CURLE_OUT_OF_MEMORY;
		m->to = more;
	}
	SET(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
	SET(CURLOPT_MAIL_FROM, r->mail->from);
	SET(CURLOPT_MAIL_RCPT, m->to);
	SET(CURLOPT_UPLOAD, 1L);
	SET(CURLOPT_READFUNCTION, give);
	SET(CURLOPT_READDATA, m);
	SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)len);
	/* smtp:// begins in the clear and must go on under TLS, unless that is not wanted */
	SET(CURLOPT_USE_SSL, r->mail->plaintext ? (long)CURLUSESSL_NONE : (long)CURLUSESSL_ALL);
	SET(CURLOPT_FORBID_REUSE, 1L); /* says QUIT at once: mail is rare, and servers count who stays */
	if (r->username && r->password) {
		SET(CURLOPT_USERNAME, r->username);
		SET(CURLOPT_PASSWORD, r->password);
	}
	return rc;
}

void mail_release(struct mail *m)
{
	curl_slist_free_all(m->to);
	m->to = NULL;
}

static void tell(struct http_reply *r, enum http_end end, const char *why)
{
	r->end = end;
	str_copy(r->why, sizeof r->why, why);
}

void mail_explain(CURL *easy, CURLcode rc, const char *text, unsigned connect_ms, unsigned total_ms,
	struct http_reply *r)
{
	long status = 0;

	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
	if (rc == CURLE_OK || (status >= 400 && rc != CURLE_OPERATION_TIMEDOUT && rc != CURLE_USE_SSL_FAILED)) {
		tell(r, HTTP_ANSWERED, "");
		return;
	}
	switch ((int)rc) { /* libcurl's list grows */
	case CURLE_USE_SSL_FAILED:
		tell(r, HTTP_TLS_FAILED, "the server offers no STARTTLS; use smtps:// if it begins with TLS");
		return;
	case CURLE_UNSUPPORTED_PROTOCOL:
		tell(r, HTTP_NOT_ALLOWED, "this libcurl was built without SMTP");
		return;
	case CURLE_LOGIN_DENIED:
		tell(r, HTTP_NOT_ALLOWED, "the server offers no way to log in that libcurl knows");
		return;
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_GOT_NOTHING:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
		tell(r, HTTP_BROKEN, "the connection was cut, or it does not speak SMTP; is it the right port, "
			"and smtps:// where it begins with TLS?");
		return;
	}
	http_explain(easy, rc, text, connect_ms, total_ms, r);
}
