/* SPDX-License-Identifier: MIT */
/*
 * server: see server.h.
 *
 * libmicrohttpd has no thread here: its epoll descriptor is polled by libuv, and it runs when
 * that is readable or its own timeout is over.  Its connection timeout counts idle time only,
 * so each connection's start is remembered and an overdue descriptor is shut down by a timer.
 */
#include "web/server.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "web/asset.h"
#include "web/listen.h"
#include "web/site.h"

#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	CONNECTIONS_MAX = 64,
	CONNECTIONS_OF_ONE_ADDRESS_MAX = 16,
	CONNECTION_BYTES = 32 * 1024,
	IDLE_S = 60,
	REQUEST_MS = 10 * 1000,
	REPLY_MS = 30 * 1000,
	STREAMS_MAX = 8,
	URI_MAX = 4096,
	BODY_MAX = 16 * 1024,
};

struct connection {
	struct connection *next;
	struct server *server;
	int fd;
	int64_t since_mono_ms; /* when its request began, or its reply was queued */
	int64_t limit_ms;
	bool streaming;	       /* exempt from the deadline, but counted */
	bool odd;	       /* its address is too long, or has a NUL in it */
};

/* What came of one request, until its reply is queued. */
struct request {
	struct buf body;
	bool too_big;
};

/* A page that is open as a stream of events. */
struct stream {
	struct stream *next;
	struct server *server;
	struct MHD_Connection *connection;
	unsigned seen; /* the change that was told last */
	bool asleep;
	bool gone; /* its page was closed */
};

struct server {
	struct MHD_Daemon *daemon;
	struct api *api;
	struct sockaddr_storage address;
	const char *const *hosts;
	struct assets *assets;
	int request_ms, reply_ms;
	struct connection *connections;
	struct stream *streams;
	unsigned change; /* counts server_changed() */
	uv_poll_t poll;
	uv_timer_t timer; /* libmicrohttpd's own timeouts */
	uv_timer_t sweep; /* overdue connections */
	int open_handles;
	void (*closed)(void *arg);
	void *closed_arg;
};

/* ---- connections and their deadlines (W7) ------------------------------------------- */

static void connection_began(struct server *s, struct MHD_Connection *mhd, void **context)
{
	const union MHD_ConnectionInfo *i = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct connection *c = mem_new(1, sizeof *c);

	*c = (struct connection){.next = s->connections, .server = s, .fd = i ? i->connect_fd : -1,
		.since_mono_ms = clock_mono_ms(), .limit_ms = s->request_ms};
	s->connections = c;
	*context = c;
}

static void connection_ended(struct server *s, void **context)
{
	struct connection **at = &s->connections, *c = *context;

	while (*at && *at != c)
		at = &(*at)->next;
	if (*at)
		*at = c->next;
	free(c);
	*context = NULL;
}

static void on_connection(void *arg, struct MHD_Connection *mhd, void **context, enum MHD_ConnectionNotificationCode code)
{
	switch (code) {
	case MHD_CONNECTION_NOTIFY_STARTED:
		connection_began(arg, mhd, context);
		break;
	case MHD_CONNECTION_NOTIFY_CLOSED:
		connection_ended(arg, context);
		break;
	}
}

static struct connection *connection_of(struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *i = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return i ? i->socket_context : NULL;
}

static void set_deadline(struct MHD_Connection *mhd, int64_t limit_ms)
{
	struct connection *c = connection_of(mhd);

	if (!c)
		return;
	c->since_mono_ms = clock_mono_ms();
	c->limit_ms = limit_ms;
}

/* ---- replies ------------------------------------------------------------------------------- */

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
	{"Cache-Control", "no-cache"},
};

static void add_headers(struct MHD_Response *r)
{
	for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
		MHD_add_response_header(r, always[i].name, always[i].value);
}

static const char *header(struct MHD_Connection *mhd, const char *name)
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
	const char *at = header(mhd, "Accept-Encoding");

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

/* Queues a page and gives it back; 304 where the client has it. `changes`: a path for POST and DELETE. */
static enum MHD_Result reply_at(struct server *s, struct MHD_Connection *mhd, struct page *p, int status, bool changes)
{
	const char *has = header(mhd, "If-None-Match");
	bool same = status == 200 && has && strstr(has, p->etag);
	struct MHD_Response *r;
	enum MHD_Result rc;

	if (same) {
		r = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
	} else {
		r = respond(p, takes_gzip(mhd));
	}
	if (r && status == 200)
		MHD_add_response_header(r, "ETag", p->etag);
	page_unref(p);
	if (!r)
		return MHD_NO;
	add_headers(r);
	MHD_add_response_header(r, "Vary", "Accept, Accept-Encoding");
	if (status == 503)
		MHD_add_response_header(r, "Retry-After", "5");
	if (status == 405)
		MHD_add_response_header(r, "Allow", changes ? "POST, DELETE" : "GET, HEAD");
	set_deadline(mhd, s->reply_ms);
	rc = MHD_queue_response(mhd, same ? 304 : (unsigned)status, r);
	MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result reply(struct server *s, struct MHD_Connection *mhd, struct page *p, int status)
{
	return reply_at(s, mhd, p, status, false);
}

static enum MHD_Result refuse(struct server *s, struct MHD_Connection *mhd, int status, const char *title, const char *detail)
{
	return reply(s, mhd, api_problem(status, title, detail), status);
}

/* ---- server-sent events: "something changed, ask again" -------------------------------------- */

static ssize_t stream_more(void *arg, uint64_t pos, char *out, size_t max)
{
	struct stream *st = arg;
	int n;

	if (st->gone)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (st->seen == st->server->change && pos) {
		st->asleep = true;
		MHD_suspend_connection(st->connection);
		return 0;
	}
	st->seen = st->server->change;
	n = snprintf(out, max, "%sid: %u\nevent: changed\ndata: {}\n\n", pos ? "" : "retry: 2000\n", st->seen);
	return n > 0 && (size_t)n < max ? n : 0;
}

static void stream_free(void *arg)
{
	struct stream *st = arg, **at = &st->server->streams;

	while (*at && *at != st)
		at = &(*at)->next;
	if (*at)
		*at = st->next;
	free(st);
}

static enum MHD_Result open_stream(struct server *s, struct MHD_Connection *mhd)
{
	struct connection *c = connection_of(mhd);
	struct MHD_Response *r;
	struct stream *st;
	enum MHD_Result rc;
	int n = 0;

	for (st = s->streams; st; st = st->next)
		n++;
	if (n >= STREAMS_MAX)
		return refuse(s, mhd, 503, "Too many streams", "close another page, or poll instead");
	st = mem_new(1, sizeof *st);
	*st = (struct stream){.next = s->streams, .server = s, .connection = mhd};
	s->streams = st;
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1024, stream_more, st, stream_free);
	if (!r) {
		stream_free(st);
		return MHD_NO;
	}
	if (c)
		c->streaming = true;
	add_headers(r);
	MHD_add_response_header(r, "Content-Type", "text/event-stream");
	rc = MHD_queue_response(mhd, 200, r);
	MHD_destroy_response(r);
	return rc;
}

static void wake_streams(struct server *s)
{
	for (struct stream *st = s->streams; st; st = st->next)
		if (st->asleep) {
			st->asleep = false;
			MHD_resume_connection(st->connection);
		}
}

/* ---- overdue connections, and pages that went away ------------------------------------------- */

/* A page that was closed: libmicrohttpd does not look at a suspended connection. */
static bool peer_gone(const struct connection *c)
{
	char byte;
	ssize_t n = c ? recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) : 0;

	return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

static void let_go(struct server *s)
{
	for (struct stream *st = s->streams; st; st = st->next)
		if (st->asleep && peer_gone(connection_of(st->connection))) {
			st->asleep = false;
			st->gone = true;
			MHD_resume_connection(st->connection);
		}
}

static void run(struct server *s);

static void sweep(uv_timer_t *t)
{
	struct server *s = t->data;
	int64_t now = clock_mono_ms();

	for (struct connection *c = s->connections; c; c = c->next)
		if (!c->streaming && c->fd >= 0 && now - c->since_mono_ms > c->limit_ms)
			shutdown(c->fd, SHUT_RDWR);
	if (!s->streams)
		return;
	let_go(s);
	run(s);
}

/* ---- requests ----------------------------------------------------------------------------------- */

static enum MHD_Result add_pair(void *arg, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct api_query *q = arg;

	(void)kind;
	q->overflow = q->n == sizeof q->pairs / sizeof q->pairs[0];
	if (q->overflow)
		return MHD_NO;
	q->pairs[q->n].key = key;
	q->pairs[q->n++].value = value ? value : "";
	return MHD_YES;
}

static enum MHD_Result answer(struct server *s, struct MHD_Connection *mhd, const char *path)
{
	struct api_query q = {.accept = header(mhd, "Accept")};
	struct page *p;
	int status;

	if (strcmp(path, "/api/v1/stream") == 0)
		return open_stream(s, mhd);
	p = assets_get(s->assets, path);
	if (p)
		return reply(s, mhd, p, 200);
	MHD_get_connection_values(mhd, MHD_GET_ARGUMENT_KIND, add_pair, &q);
	p = api_get(s->api, path, &q, &status);
	return reply(s, mhd, p, status);
}

/* How long a body will be by its header; of a chunked one that is not said, 0. */
static int64_t body_bytes(struct MHD_Connection *mhd)
{
	const char *given = header(mhd, "Content-Length");
	int64_t n = 0;

	return given && !str_to_int(given, 0, INT64_MAX, &n) ? INT64_MAX : n;
}

/* Why a request is not answered; status 0: nothing is wrong with it. */
struct refusal {
	int status;
	const char *title, *detail;
};

/* GET and HEAD read; POST and DELETE change, each at paths of its own. */
static struct refusal look_at_method(const char *method, bool changes)
{
	bool fits = changes ? strcmp(method, "POST") == 0 || strcmp(method, "DELETE") == 0
			    : strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;

	return fits ? (struct refusal){0}
		    : (struct refusal){405, "Method not allowed",
			changes ? "here something is changed, by POST or DELETE" : "only GET and HEAD are answered here"};
}

static struct refusal look_at_site(struct server *s, struct MHD_Connection *mhd)
{
	const struct site_header h = {.host = header(mhd, "Host"), .content_type = header(mhd, "Content-Type"),
		.origin = header(mhd, "Origin"), .fetch_site = header(mhd, "Sec-Fetch-Site")};
	const char *why = NULL;
	int status = site_refuses(&h, &s->address, s->hosts, &why);

	return (struct refusal){status, status == 403 ? "Another site" : "Not JSON", why};
}

/* What is wrong by the header alone, before a body is taken. */
static struct refusal look_at_header(struct server *s, struct MHD_Connection *mhd, const char *method, bool changes)
{
	const struct connection *c = connection_of(mhd);
	struct refusal r;

	if (!listen_host_fits(&s->address, s->hosts, header(mhd, "Host")))
		return (struct refusal){421, "Wrong host", "this server is not known by that name; ask for it by its address"};
	r = look_at_method(method, changes);
	if (r.status)
		return r;
	if (!c || c->odd)
		return (struct refusal){400, "Bad address", "the address is longer than 4096 bytes, or has a zero byte in it"};
	if (body_bytes(mhd) > BODY_MAX)
		return (struct refusal){413, "Too much", changes ? "a body may have 16 KiB" : "no request here has a body"};
	return changes ? look_at_site(s, mhd) : (struct refusal){0};
}

static enum MHD_Result early(struct server *s, struct MHD_Connection *mhd, const char *method, bool changes)
{
	struct refusal r = look_at_header(s, mhd, method, changes);

	return r.status ? reply_at(s, mhd, api_problem(r.status, r.title, r.detail), r.status, changes) : MHD_YES;
}

static enum MHD_Result change(struct server *s, struct MHD_Connection *mhd, const char *path, const char *method, const struct request *rq)
{
	struct page *p;
	int status;

	if (rq->too_big)
		return refuse(s, mhd, 413, "Too much", "a body may have 16 KiB");
	p = api_change(s->api, method, path, &rq->body, NULL, &status);
	if (status == 200) { /* other pages see it at once; run() is under way already */
		s->change++;
		wake_streams(s);
	}
	return reply(s, mhd, p, status);
}

static struct request *begin(void)
{
	struct request *rq = mem_new(1, sizeof *rq);

	buf_init(&rq->body, BODY_MAX);
	return rq;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *mhd, const char *path, const char *method,
	const char *version, const char *upload, size_t *upload_size, void **context)
{
	struct server *s = arg;
	struct request *rq = *context;
	bool changes = change_has_path(path);

	(void)version;
	if (!rq) { /* the header is there; the body is not yet */
		*context = begin();
		set_deadline(mhd, s->request_ms);
		return early(s, mhd, method, changes);
	}
	if (*upload_size) { /* past the limit, or where nothing takes it, it is read and dropped until the deadline */
		rq->too_big |= changes && buf_add(&rq->body, upload, *upload_size) != 0;
		*upload_size = 0;
		return MHD_YES;
	}
	return changes ? change(s, mhd, path, method, rq) : answer(s, mhd, path);
}

static void end(struct request *rq)
{
	if (!rq)
		return;
	buf_release(&rq->body);
	free(rq);
}

/* The next request of a kept connection has a deadline of its own, which begins with it. */
static void on_completed(void *arg, struct MHD_Connection *mhd, void **context, enum MHD_RequestTerminationCode code)
{
	struct connection *c = connection_of(mhd);

	(void)arg;
	(void)code;
	end(*context);
	*context = NULL;
	if (!c)
		return;
	c->streaming = false;
	c->since_mono_ms = clock_mono_ms();
	c->limit_ms = IDLE_S * 1000;
}

/* libmicrohttpd would end the decoded path at %00: so the address is looked at as it came. */
static void *on_uri(void *arg, const char *uri, struct MHD_Connection *mhd)
{
	struct connection *c = connection_of(mhd);

	set_deadline(mhd, ((struct server *)arg)->request_ms);
	if (c)
		c->odd = strlen(uri) > URI_MAX || strstr(uri, "%00");
	return NULL;
}

/* ---- on the loop -------------------------------------------------------------------------------- */

static void on_timer(uv_timer_t *t)
{
	run(t->data);
}

static void on_readable(uv_poll_t *p, int status, int events)
{
	(void)status;
	(void)events;
	run(p->data);
}

static void run(struct server *s)
{
	MHD_UNSIGNED_LONG_LONG ms;

	MHD_run(s->daemon);
	if (MHD_get_timeout(s->daemon, &ms) == MHD_YES)
		uv_timer_start(&s->timer, on_timer, ms, 0);
	else
		uv_timer_stop(&s->timer);
}

void server_changed(struct server *s)
{
	s->change++;
	wake_streams(s);
	run(s);
}

static struct MHD_Daemon *start_daemon(struct server *s)
{
	unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;

	if (s->address.ss_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	return MHD_start_daemon(flags, 0, NULL, NULL, on_request, s,
		MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&s->address,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT, (unsigned)CONNECTIONS_OF_ONE_ADDRESS_MAX,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
		MHD_OPTION_STRICT_FOR_CLIENT, 1,
		MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
		MHD_OPTION_URI_LOG_CALLBACK, on_uri, s,
		MHD_OPTION_END);
}

static void plug_in(struct server *s, uv_loop_t *loop)
{
	const union MHD_DaemonInfo *i = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);

	uv_poll_init(loop, &s->poll, i->epoll_fd);
	uv_timer_init(loop, &s->timer);
	uv_timer_init(loop, &s->sweep);
	s->poll.data = s->timer.data = s->sweep.data = s;
	s->open_handles = 3;
	uv_poll_start(&s->poll, UV_READABLE, on_readable);
	uv_timer_start(&s->sweep, sweep, 1000, 1000);
	run(s);
}

struct server *server_new(uv_loop_t *loop, const struct server_config *c, struct api *api, struct err *e)
{
	struct server *s = mem_new(1, sizeof *s);
	socklen_t len;

	s->api = api;
	s->hosts = c->hosts;
	s->assets = assets_new(c->web_root);
	s->request_ms = c->request_ms ? c->request_ms : REQUEST_MS;
	s->reply_ms = c->reply_ms ? c->reply_ms : REPLY_MS;
	if (listen_parse(c->listen, &s->address, &len, e))
		goto fail;
	if (!listen_is_loopback(&s->address)) {
		err_set(e, "listen = \"%s\": only loopback addresses are served without TLS and a password; put a reverse proxy in front", c->listen);
		goto fail;
	}
	errno = 0;
	s->daemon = start_daemon(s);
	if (!s->daemon) {
		err_set(e, "listen = \"%s\": %s", c->listen,
			errno == EADDRINUSE ? "the port is in use; is another lanewatch running?" : errno ? strerror(errno) : "the server cannot start");
		goto fail;
	}
	plug_in(s, loop);
	return s;
fail:
	assets_free(s->assets);
	free(s);
	return NULL;
}

int server_port(const struct server *s)
{
	const union MHD_DaemonInfo *i = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);

	return i ? i->port : 0;
}

static void handle_gone(uv_handle_t *h)
{
	struct server *s = h->data;
	void (*closed)(void *) = s->closed;
	void *arg = s->closed_arg;

	if (--s->open_handles)
		return;
	assets_free(s->assets);
	free(s);
	closed(arg);
}

void server_close(struct server *s, void (*closed)(void *arg), void *arg)
{
	s->closed = closed;
	s->closed_arg = arg;
	uv_poll_stop(&s->poll);
	wake_streams(s); /* a suspended connection cannot be stopped */
	MHD_stop_daemon(s->daemon);
	uv_close((uv_handle_t *)&s->poll, handle_gone);
	uv_close((uv_handle_t *)&s->timer, handle_gone);
	uv_close((uv_handle_t *)&s->sweep, handle_gone);
}
