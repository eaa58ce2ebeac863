/* SPDX-License-Identifier: MIT */
/*
 * http: see http.h.  libcurl's multi interface, driven by libuv: one uv_poll for each socket
 * that libcurl wants watched, one uv_timer for the time-outs of each multi handle.  How a failed
 * transfer is told stands in http_why.c.
 *
 * Each multi handle has some tens of servers, for libcurl looks at all idle connections of a
 * handle for each request: with a thousand on one, that would be most of what the agent does.
 *
 * libcurl is only ever entered from the loop or from http_send(), http_cancel() and
 * http_free(), never from its own callbacks; done() is called when libcurl has returned.
 * On the loop's thread.
 */
#include "base/http.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/http_why.h"
#include "base/mail.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/table.h"

#include <curl/curl.h>
#include <utlist.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CONNECT_MS   5000
#define TOTAL_MS     30000
#define SLOW_BYTES_S 100
#define SLOW_S	     15
#define STREAM_IDLE_S 60
#define BODY_MAX     (4u << 20)
#define HEADERS_MAX  (64u << 10)
#define PART_SERVERS 48
#define IDLE_MAX     (2 * PART_SERVERS) /* connections kept open for the next poll: one a target, a second at times */

/* Some servers, and the connections to them. */
struct part {
	struct http *http;
	CURLM *multi;
	uv_timer_t timer; /* libcurl's own time-outs */
	unsigned n_servers;
};

/* Where the connections to a server are; kept to the end. */
struct server {
	struct part *part;
	UT_hash_handle hh;
	char origin[]; /* "https://bmc:443" */
};

struct http {
	uv_loop_t *loop;
	struct part **parts; /* the last one takes the next server */
	size_t n_parts;
	struct server *servers;
	uv_timer_t soon; /* ends calls that failed before libcurl had them */
	struct http_call *calls; /* oldest first */
	size_t at_once, n_counted; /* how many may be under way (0: any number), and are */
	size_t n_waiting;
	unsigned handles; /* open on the loop; the last one that closes frees this */
	bool closing;
};

/* One socket that libcurl wants watched. */
struct watch {
	uv_poll_t poll;
	struct part *part;
	curl_socket_t fd;
};

struct http_call {
	struct http *http;
	struct part *part; /* NULL: not begun */
	struct http_call *prev, *next;
	CURL *easy;
	bool added; /* libcurl has it */
	bool counted, waiting;
	void (*done)(void *arg, const struct http_reply *reply);
	bool (*chunk)(void *arg, const char *data, size_t len);
	void *arg;

	struct curl_slist *headers;
	void *body; /* libcurl reads it where it lies */
	size_t body_len;
	bool is_mail;
	struct mail mail;

	struct buf header_block, reply_body;
	size_t header_bytes; /* of all header blocks and trailers together */
	bool headers_ended;
	unsigned connect_ms, total_ms;
	struct http_reply failed;    /* once its end is set: how this call ends */
	char text[CURL_ERROR_SIZE]; /* what libcurl says of it */
};

/* ---- the loop ---- */

static void finish_ready(struct part *p);
static void on_soon(uv_timer_t *t);
static bool has_room(const struct http *h);
static void begin(struct http_call *c);

/* Settles how a call will end; it is told from the loop, soon, or by libcurl if that is first. */
__attribute__((format(printf, 3, 4))) static void
fail(struct http_call *c, enum http_end end, const char *fmt, ...)
{
	va_list ap;

	if (c->failed.end)
		return;
	c->failed.end = end;
	va_start(ap, fmt);
	vsnprintf(c->failed.why, sizeof c->failed.why, fmt, ap);
	va_end(ap);
	uv_timer_start(&c->http->soon, on_soon, 0, 0);
}

static void handle_closed(struct http *h)
{
	if (--h->handles)
		return;
	for (size_t i = 0; i < h->n_parts; i++)
		free(h->parts[i]);
	free(h->parts);
	free(h);
}

static void soon_closed(uv_handle_t *handle)
{
	handle_closed(handle->data);
}

static void timer_closed(uv_handle_t *handle)
{
	struct part *p = handle->data;

	handle_closed(p->http);
}

static void watch_closed(uv_handle_t *handle)
{
	struct watch *w = handle->data;

	handle_closed(w->part->http);
	free(w);
}

static void act(struct part *p, curl_socket_t fd, int events)
{
	int running;

	curl_multi_socket_action(p->multi, fd, events, &running);
	finish_ready(p);
}

static void on_socket(uv_poll_t *poll, int status, int events)
{
	struct watch *w = poll->data;
	int bits = 0;

	if (status < 0)
		bits = CURL_CSELECT_ERR;
	if (events & UV_READABLE)
		bits |= CURL_CSELECT_IN;
	if (events & UV_WRITABLE)
		bits |= CURL_CSELECT_OUT;
	act(w->part, w->fd, bits);
}

static void on_curl_timer(uv_timer_t *t)
{
	act(t->data, CURL_SOCKET_TIMEOUT, 0);
}

static int set_curl_timer(CURLM *multi, long timeout_ms, void *arg)
{
	struct part *p = arg;

	(void)multi;
	if (timeout_ms < 0)
		uv_timer_stop(&p->timer);
	else
		uv_timer_start(&p->timer, on_curl_timer, (uint64_t)timeout_ms, 0);
	return 0;
}

static struct watch *watch_new(struct part *p, curl_socket_t fd)
{
	struct watch *w = mem_new(1, sizeof *w);

	if (uv_poll_init_socket(p->http->loop, &w->poll, fd)) {
		free(w);
		return NULL;
	}
	w->poll.data = w;
	w->part = p;
	w->fd = fd;
	p->http->handles++;
	curl_multi_assign(p->multi, fd, w);
	return w;
}

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *socket_arg)
{
	struct part *p = arg;
	struct watch *w = socket_arg;
	struct http_call *c = NULL;
	int events;

	if (what == CURL_POLL_REMOVE) {
		if (w) {
			uv_poll_stop(&w->poll);
			uv_close((uv_handle_t *)&w->poll, watch_closed);
			curl_multi_assign(p->multi, fd, NULL);
		}
		return 0;
	}
	if (!w)
		w = watch_new(p, fd);
	events = what == CURL_POLL_IN ? UV_READABLE : what == CURL_POLL_OUT ? UV_WRITABLE
		: UV_READABLE | UV_WRITABLE;
	if (w && uv_poll_start(&w->poll, events, on_socket) == 0)
		return 0;
	/* Saying so to libcurl would end every call there is; this one alone is lost. */
	if (curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&c) == CURLE_OK && c)
		fail(c, HTTP_BROKEN, "the socket cannot be watched; too many open files?");
	return 0;
}

/* ---- the end of a call ---- */

static void wipe(struct buf *b)
{
	if (b->data)
		explicit_bzero(b->data, b->room);
	buf_release(b);
}

/* Out of libcurl and out of the list; what was received stays.  Who waits may begin then. */
static void call_detach(struct http_call *c)
{
	struct http *h = c->http;

	if (c->added)
		curl_multi_remove_handle(c->part->multi, c->easy);
	curl_easy_cleanup(c->easy);
	DL_DELETE(h->calls, c);
	h->n_counted -= c->counted;
	h->n_waiting -= c->waiting;
	if (h->n_waiting && !h->closing)
		uv_timer_start(&h->soon, on_soon, 0, 0);
}

/* Headers and bodies may hold passwords and tokens. */
static void call_free(struct http_call *c)
{
	for (struct curl_slist *s = c->headers; s; s = s->next)
		explicit_bzero(s->data, strlen(s->data));
	curl_slist_free_all(c->headers);
	mail_release(&c->mail);
	if (c->body)
		explicit_bzero(c->body, c->body_len);
	free(c->body);
	wipe(&c->reply_body);
	wipe(&c->header_block);
	free(c);
}

/* What libcurl does not tell of headers that have no end. */
static void settle_headers(struct http_call *c, CURLcode rc, long status)
{
	if (c->headers_ended)
		return;
	if (rc == CURLE_OK) /* a reply that is cut there is a whole one to libcurl */
		fail(c, HTTP_BROKEN, "the connection was cut in the middle of the headers");
	else if (rc == CURLE_OUT_OF_MEMORY && status) /* one header longer than libcurl's own ceiling */
		fail(c, HTTP_TOO_LARGE, "the reply has more than %u KiB of headers", HEADERS_MAX >> 10);
}

/* Tells how the call ended. Detached before done(), which may cancel others or free the whole. */
static void finish(struct http_call *c, CURLcode rc)
{
	struct http_reply reply = c->failed;
	curl_off_t us = 0;
	long status = 0;

	if (c->easy) {
		curl_easy_getinfo(c->easy, CURLINFO_TOTAL_TIME_T, &us);
		curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
		if (!c->is_mail)
			settle_headers(c, rc, status);
		reply = c->failed;
		if (!reply.end && c->is_mail)
			mail_explain(c->easy, rc, c->text, c->connect_ms, c->total_ms, &reply);
		else if (!reply.end)
			http_explain(c->easy, rc, c->text, c->connect_ms, c->total_ms, &reply);
	}
	reply.duration_ms = us / 1000;
	reply.status = status >= 200 && status <= 999 ? (int)status : 0;
	reply.header_block = buf_text(&c->header_block);
	reply.body = "";
	if (reply.end == HTTP_ANSWERED) {
		reply.body = buf_text(&c->reply_body);
		reply.body_len = c->reply_body.len;
	}
	call_detach(c);
	c->done(c->arg, &reply);
	call_free(c);
}

static void finish_ready(struct part *p)
{
	const struct http *h = p->http; /* stays until its handles are closed */
	struct http_call *c = NULL;
	CURLMsg *msg;
	int left;

	while (!h->closing && (msg = curl_multi_info_read(p->multi, &left))) {
		CURLcode rc = msg->data.result;

		if (curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&c) == CURLE_OK)
			finish(c, rc);
	}
}

/* Those that wait, as many as may. */
static void begin_waiting(struct http *h)
{
	struct http_call *c;

	for (c = h->calls; c && h->n_waiting && has_room(h); c = c->next) {
		if (!c->waiting)
			continue;
		c->waiting = false;
		h->n_waiting--;
		begin(c);
	}
}

/* One call a turn: its done() may cancel the others. */
static void on_soon(uv_timer_t *t)
{
	struct http *h = t->data;
	struct http_call *c;

	begin_waiting(h);
	for (c = h->calls; c && !c->failed.end; c = c->next)
		;
	if (!c)
		return;
	uv_timer_start(&h->soon, on_soon, 0, 0);
	finish(c, CURLE_OK);
}

/* ---- what libcurl hands over ---- */

static size_t take_header(char *line, size_t one, size_t len, void *arg)
{
	struct http_call *c = arg;

	(void)one;
	c->header_bytes += len;
	if (len > 5 && memcmp(line, "HTTP/", 5) == 0) {
		buf_clear(&c->header_block);
		c->headers_ended = false;
	}
	/* Trailers are counted and not kept: they must not replace a header. */
	if (c->header_bytes <= HEADERS_MAX && c->headers_ended)
		return len;
	for (size_t i = 0; i < len; i++)
		if (line[i] == '\0')
			line[i] = '\x01'; /* the block is a text */
	if (c->header_bytes > HEADERS_MAX || buf_add(&c->header_block, line, len)) {
		fail(c, HTTP_TOO_LARGE, "the reply has more than %u KiB of headers", HEADERS_MAX >> 10);
		return 0;
	}
	c->headers_ended = len <= 2 && line[0] != ' ';
	return len;
}

static size_t take_body(char *data, size_t one, size_t len, void *arg)
{
	struct http_call *c = arg;

	long status = 0;

	(void)one;
	if (c->chunk && curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK && status == 200) {
		if (c->chunk(c->arg, data, len))
			return len;
		fail(c, HTTP_TOO_LARGE, "a part of the stream is longer than is read");
		return 0;
	}
	if (buf_add(&c->reply_body, data, len) == 0)
		return len;
	fail(c, HTTP_TOO_LARGE, "the reply is larger than %zu bytes", c->reply_body.max);
	return 0;
}

/* ---- servers, and what connects to them ---- */

static struct part *part_new(struct http *h)
{
	struct part *p;
	CURLM *multi = curl_multi_init();

	if (!multi)
		return NULL;
	p = mem_new(1, sizeof *p);
	p->http = h;
	p->multi = multi;
	uv_timer_init(h->loop, &p->timer);
	p->timer.data = p;
	h->handles++;
	curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
	curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, p);
	curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_curl_timer);
	curl_multi_setopt(multi, CURLMOPT_TIMERDATA, p);
	curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)IDLE_MAX);
	h->parts = mem_grow(h->parts, h->n_parts, sizeof *h->parts);
	h->parts[h->n_parts++] = p;
	return p;
}

/* The part that has the server of this address, or takes it; NULL: out of memory. */
static struct part *part_of(struct http *h, const char *url)
{
	size_t begin = (size_t)(strstr(url, "://") + 3 - url), len = begin + strcspn(url + begin, "/?#");
	struct part *p = h->parts[h->n_parts - 1];
	struct server *s;

	HASH_FIND(hh, h->servers, url, len, s);
	if (s)
		return s->part;
	if (p->n_servers == PART_SERVERS)
		p = part_new(h);
	if (!p)
		return NULL;
	p->n_servers++;
	s = mem_new(1, sizeof *s + len + 1);
	memcpy(s->origin, url, len);
	s->part = p;
	HASH_ADD_KEYPTR(hh, h->servers, s->origin, len, s);
	return p;
}

/* ---- the start of a call ---- */

/* Printable ASCII and bytes above it, so that nothing can add a line to the request. */
static bool is_one_line(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == '\x7f')
			return false;
	return true;
}

static bool is_pin(const char *pin)
{
	static const char base64[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	/* Anything else would be taken for the name of a file. */
	return str_starts(pin, "sha256//") && strspn(pin + 8, base64) == 43 && str_same(pin + 51, "=");
}

/* Sets an option unless an earlier one was refused: then the call is not made. */
#define SET(option, value) (rc = rc ? rc : curl_easy_setopt(c->easy, (option), (value)))

static CURLcode set_limits(struct http_call *c, const struct http_request *r)
{
	CURLcode rc = CURLE_OK;

	SET(CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
	/* Else taking away a call whose name is being resolved waits for the name server. */
	SET(CURLOPT_QUICK_EXIT, 1L);
#endif
	SET(CURLOPT_PROTOCOLS_STR, "http,https");
	SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
	SET(CURLOPT_PATH_AS_IS, 1L);
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_UNRESTRICTED_AUTH, 0L);
	SET(CURLOPT_PROXY, "");
	SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_ACCEPT_ENCODING, "");
	SET(CURLOPT_USERAGENT, "lanewatch/" PACKAGE_VERSION);
	SET(CURLOPT_UPLOAD_BUFFERSIZE, 16384L);
	SET(CURLOPT_CONNECTTIMEOUT_MS, (long)c->connect_ms);
	SET(CURLOPT_TIMEOUT_MS, (long)c->total_ms);
	SET(CURLOPT_LOW_SPEED_LIMIT, (long)SLOW_BYTES_S);
	SET(CURLOPT_LOW_SPEED_TIME, (long)SLOW_S);
	SET(CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)c->reply_body.max);
	SET(CURLOPT_ERRORBUFFER, c->text);
	SET(CURLOPT_PRIVATE, c);
	SET(CURLOPT_WRITEFUNCTION, take_body);
	SET(CURLOPT_WRITEDATA, c);
	SET(CURLOPT_HEADERFUNCTION, take_header);
	SET(CURLOPT_HEADERDATA, c);
	SET(CURLOPT_URL, r->url);
	return rc;
}

/* What comes slowly or not at all is no fault of a stream; a peer that is gone is found out by TCP. */
static CURLcode set_stream(struct http_call *c)
{
	CURLcode rc = CURLE_OK;

	SET(CURLOPT_TIMEOUT_MS, 0L);
	SET(CURLOPT_LOW_SPEED_TIME, 0L);
	SET(CURLOPT_ACCEPT_ENCODING, NULL);
	SET(CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)0);
	SET(CURLOPT_TCP_KEEPALIVE, 1L);
	SET(CURLOPT_TCP_KEEPIDLE, (long)STREAM_IDLE_S);
	SET(CURLOPT_TCP_KEEPINTVL, (long)STREAM_IDLE_S / 3);
	return rc;
}

/*
 * A CA file or a pin replaces the system's authorities.  A pin alone decides alone: the chain
 * and the name are not looked at, for the key that was pinned is the key that answered.  The
 * paths are set to NULL wherever the system's are not needed, because libcurl's GnuTLS flavour
 * reads the whole bundle for each connection even if it is not to verify (28 ms, 4 MB).
 */
static CURLcode set_tls(struct http_call *c, const struct http_tls *t)
{
	bool verify = !t->insecure && (t->ca_file || !t->pin);
	CURLcode rc = CURLE_OK;

	SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(CURLOPT_SSL_VERIFYPEER, verify ? 1L : 0L);
	SET(CURLOPT_SSL_VERIFYHOST, verify ? 2L : 0L);
	SET(CURLOPT_CERTINFO, verify ? 1L : 0L); /* for http_explain() */
	if (!verify || t->ca_file) {
		SET(CURLOPT_CAINFO, verify ? t->ca_file : NULL);
		SET(CURLOPT_CAPATH, NULL);
	}
	if (t->pin)
		SET(CURLOPT_PINNEDPUBLICKEY, t->pin);
	return rc;
}

static void copy_body(struct http_call *c, const struct http_request *r)
{
	c->body = mem_new(1, r->body_len);
	c->body_len = r->body_len;
	if (r->body_len)
		memcpy(c->body, r->body, r->body_len);
}

static CURLcode set_mail(struct http_call *c, const struct http_request *r)
{
	copy_body(c, r);
	return mail_set(c->easy, &c->mail, r, c->body, c->body_len);
}

static CURLcode set_method(struct http_call *c, const struct http_request *r)
{
	CURLcode rc = CURLE_OK;

	if (r->body || str_same(r->method, "POST")) {
		copy_body(c, r);
		SET(CURLOPT_POST, 1L);
		SET(CURLOPT_POSTFIELDS, c->body);
		SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body_len);
	}
	if (!str_same(r->method, "GET") || r->body)
		SET(CURLOPT_CUSTOMREQUEST, r->method);
	if (r->username && r->password) {
		SET(CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
		SET(CURLOPT_USERNAME, r->username);
		SET(CURLOPT_PASSWORD, r->password);
	}
	return rc;
}

static CURLcode add_header(struct http_call *c, const char *line)
{
	struct curl_slist *list = curl_slist_append(c->headers, line);

	if (!list)
		return CURLE_OUT_OF_MEMORY;
	c->headers = list;
	return CURLE_OK;
}

static CURLcode set_headers(struct http_call *c, const struct http_request *r)
{
	/* No waiting for "100 Continue", which BMCs do not send. */
	CURLcode rc = add_header(c, "Expect:");

	for (const char *const *h = r->headers; h && *h && !rc; h++)
		rc = add_header(c, *h);
	SET(CURLOPT_HTTPHEADER, c->headers);
	return rc;
}

/* Refuses what is wrong in the request itself; true if it may be sent. */
static bool may_send(struct http_call *c, const struct http_request *r)
{
	const char *wrong = r->mail ? mail_wrong(r) : NULL;

	if (wrong)
		fail(c, HTTP_NOT_ALLOWED, "%s", wrong);
	else if (!r->mail && strncasecmp(r->url, "http://", 7) != 0 && strncasecmp(r->url, "https://", 8) != 0)
		fail(c, HTTP_NOT_ALLOWED, "only http:// and https:// are spoken");
	else if (strchr("/?#", strchr(r->url, ':')[3])) /* libcurl takes "http:///x" for host x */
		fail(c, HTTP_NOT_ALLOWED, "the address has no host");
	else if (!is_one_line(r->url) || (r->method && !is_one_line(r->method)))
		fail(c, HTTP_NOT_ALLOWED, "the address has control characters");
	else if (r->tls.pin && !is_pin(r->tls.pin))
		fail(c, HTTP_NOT_ALLOWED,
			"tls_pin must be sha256// and the base64 of the public key's SHA-256 (44 characters)");
	for (const char *const *h = r->headers; h && *h; h++)
		if (!is_one_line(*h))
			fail(c, HTTP_NOT_ALLOWED, "a header of the request has control characters");
	return !c->failed.end;
}

static bool has_room(const struct http *h)
{
	return !h->at_once || h->n_counted < h->at_once;
}

/* Hands it to libcurl. */
static void begin(struct http_call *c)
{
	if (!c->part || curl_multi_add_handle(c->part->multi, c->easy)) {
		fail(c, HTTP_BROKEN, "the request cannot be started");
		return;
	}
	c->added = true;
	c->counted = !c->chunk;
	c->http->n_counted += c->counted;
}

static void start(struct http_call *c, const struct http_request *r)
{
	CURLcode rc;

	if (!may_send(c, r))
		return;
	c->easy = curl_easy_init();
	rc = c->easy ? set_limits(c, r) : CURLE_OUT_OF_MEMORY;
	if (r->chunk && !rc)
		rc = set_stream(c);
	rc = rc ? rc : set_tls(c, &r->tls);
	rc = rc ? rc : r->mail ? set_mail(c, r) : set_method(c, r);
	rc = rc || r->mail ? rc : set_headers(c, r);
	if (rc) {
		fail(c, HTTP_NOT_ALLOWED, "the request cannot be made: %s", curl_easy_strerror(rc));
		return;
	}
	c->part = part_of(c->http, r->url);
	c->waiting = !c->chunk && !has_room(c->http);
	c->http->n_waiting += c->waiting;
	if (!c->waiting)
		begin(c);
}

struct http_call *http_send(struct http *h, const struct http_request *r,
	void (*done)(void *arg, const struct http_reply *reply), void *arg)
{
	struct http_call *c = mem_new(1, sizeof *c);

	c->http = h;
	c->done = done;
	c->arg = arg;
	c->is_mail = r->mail != NULL;
	c->chunk = r->chunk;
	c->connect_ms = r->connect_ms ? r->connect_ms : CONNECT_MS;
	c->total_ms = r->total_ms ? r->total_ms : TOTAL_MS;
	buf_init(&c->header_block, HEADERS_MAX);
	buf_init(&c->reply_body, r->body_max ? r->body_max : BODY_MAX);
	DL_APPEND(h->calls, c);
	start(c, r);
	return c;
}

void http_cancel(struct http_call *c)
{
	call_detach(c);
	call_free(c);
}

/* ---- the whole ---- */

struct http *http_new(uv_loop_t *loop, struct err *e)
{
	struct http *h;
	/* a socket whose entry cannot be made is divided by zero later (7.88.1); bodies are kept by us */
	CURLcode rc = curl_global_init_mem(CURL_GLOBAL_DEFAULT, mem_take, free, mem_resize, mem_text, mem_new);

	if (rc) {
		err_set(e, "libcurl cannot be set up: %s", curl_easy_strerror(rc));
		return NULL;
	}
	h = mem_new(1, sizeof *h);
	h->loop = loop;
	if (!part_new(h)) {
		err_set(e, "libcurl cannot be set up: out of memory");
		curl_global_cleanup();
		free(h);
		return NULL;
	}
	uv_timer_init(loop, &h->soon);
	h->soon.data = h;
	h->handles++;
	return h;
}

void http_limit(struct http *h, size_t at_once)
{
	h->at_once = at_once;
	uv_timer_start(&h->soon, on_soon, 0, 0); /* for those that wait */
}

void http_free(struct http *h)
{
	struct server *s, *next;

	if (!h)
		return;
	h->closing = true;
	while (h->calls)
		http_cancel(h->calls);
	for (size_t i = 0; i < h->n_parts; i++) {
		curl_multi_cleanup(h->parts[i]->multi);
		uv_close((uv_handle_t *)&h->parts[i]->timer, timer_closed);
	}
	curl_global_cleanup();
	HASH_ITER(hh, h->servers, s, next) {
		HASH_DEL(h->servers, s);
		free(s);
	}
	uv_close((uv_handle_t *)&h->soon, soon_closed);
}

/* ---- headers of a reply ---- */

/* The text after "name:" in one line of the block, NULL if the line is another header's. */
static const char *value_of(const char *line, const char *name)
{
	size_t n = strlen(name);

	return strncasecmp(line, name, n) == 0 && line[n] == ':' ? line + n + 1 : NULL;
}

/* Trims, refuses control characters and what does not fit. */
static bool copy_value(const char *s, size_t len, char *out, size_t size)
{
	while (len && (s[0] == ' ' || s[0] == '\t'))
		s++, len--;
	while (len && (s[len - 1] == ' ' || s[len - 1] == '\t'))
		len--;
	if (len >= size)
		return false;
	memcpy(out, s, len);
	out[len] = '\0';
	return is_one_line(out);
}

bool http_reply_header(const struct http_reply *r, const char *name, char *out, size_t size)
{
	const char *found = NULL, *end = NULL, *next;
	size_t len = 0;

	for (const char *line = r->header_block; *line; line = next) {
		const char *value = value_of(line, name);

		end = line + strcspn(line, "\n");
		next = end + (*end == '\n');
		if (value) {
			found = value;
			len = (size_t)(end - value);
			len -= len && value[len - 1] == '\r';
		} else if (found && found + len + 2 >= line && (*line == ' ' || *line == '\t')) {
			return false; /* it goes on in this line: what we have is cut */
		}
	}
	return found && copy_value(found, len, out, size);
}

int64_t http_reply_retry_after_ms(const struct http_reply *r, int64_t now_wall_ms)
{
	char text[64], date[64];
	int64_t wait_ms, at, sent;

	if ((r->status != 429 && r->status != 503) || !http_reply_header(r, "Retry-After", text, sizeof text))
		return 0;
	if (text[0] && strspn(text, "0123456789") == strlen(text)) {
		wait_ms = strlen(text) > 6 ? HTTP_RETRY_MAX_MS : strtol(text, NULL, 10) * INT64_C(1000);
	} else {
		at = clock_parse_http(text);
		if (at == CLOCK_NEVER)
			return 0;
		sent = http_reply_header(r, "Date", date, sizeof date) ? clock_parse_http(date) : CLOCK_NEVER;
		wait_ms = at - (sent == CLOCK_NEVER ? now_wall_ms : sent);
	}
	if (wait_ms < HTTP_RETRY_MIN_MS)
		return HTTP_RETRY_MIN_MS;
	return wait_ms > HTTP_RETRY_MAX_MS ? HTTP_RETRY_MAX_MS : wait_ms;
}
