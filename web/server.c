/* SPDX-License-Identifier: MIT */
/*
 * server: see server.h.
 *
 * libmicrohttpd has no thread here: its epoll descriptor is polled by libuv, and it runs when
 * that is readable or its own timeout is over.  Its connection timeout counts idle time only,
 * so each connection's start is remembered and an overdue descriptor is shut down by a timer.
 *
 * A request that waits for a thread is a suspended connection.  The thread knows only its job;
 * request and job point at each other on the loop, and either may go first.
 */
#include "web/server.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "web/asset.h"
#include "web/crew.h"
#include "web/listen.h"
#include "web/login.h"
#include "web/reply.h"
#include "web/site.h"
#include "web/stream.h"
#include "web/tls.h"

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
	URI_MAX = 4096,
	BODY_MAX = 16 * 1024,
	PASSWORDS_WAITING_MAX = 16, /* of which one is looked at (W8) */
};

struct connection {
	struct connection *next;
	struct server *server;
	int fd;
	int64_t since_mono_ms; /* when its request began, or its reply was queued */
	int64_t limit_ms;
	struct MHD_Connection *suspended; /* by an errand; NULL: it is not */
	bool streaming;	       /* exempt from the deadline, but counted */
	bool odd;	       /* its address is too long, or has a NUL in it */
};

/* What came of one request, until its reply is queued. */
struct request {
	struct buf body;
	bool too_big;
	struct errand *errand; /* a thread works for it: the connection is suspended */
	enum login_answer login;
	char user[LOGIN_USER_MAX]; /* who signed in; "" nobody */
};

/* What a thread does for a request. */
struct errand {
	struct crew_job job; /* first */
	struct server *server;
	struct MHD_Connection *connection;
	struct request *request; /* NULL: it went away meanwhile */
	struct login_try login;
};

struct server {
	struct MHD_Daemon *daemon; /* NULL: it could not start again with another certificate */
	struct api *api;
	struct server_config config;
	struct sockaddr_storage address;
	struct assets *assets;
	struct login *login; /* NULL: whoever can connect */
	struct tls tls;
	int request_ms, reply_ms;
	struct connection *connections;
	struct streams streams;
	struct crew *hashers;
	uv_loop_t *loop;
	uv_poll_t *poll; /* of the daemon's descriptor */
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

static enum MHD_Result reply_with(struct server *s, struct MHD_Connection *mhd, struct page *p, int status, struct reply_more more)
{
	more.signs_in = s->login;
	set_deadline(mhd, s->reply_ms);
	return reply_queue(mhd, p, status, &more);
}

static enum MHD_Result reply(struct server *s, struct MHD_Connection *mhd, struct page *p, int status)
{
	return reply_with(s, mhd, p, status, (struct reply_more){0});
}

static enum MHD_Result refuse(struct server *s, struct MHD_Connection *mhd, int status, const char *title, const char *detail)
{
	return reply(s, mhd, api_problem(status, title, detail), status);
}

static enum MHD_Result open_stream(struct server *s, struct MHD_Connection *mhd)
{
	struct connection *c = connection_of(mhd);

	if (!c || !streams_have_room(&s->streams))
		return refuse(s, mhd, 503, "Too many streams", "close another page, or poll instead");
	c->streaming = true;
	return streams_open(&s->streams, mhd, c->fd, s->login);
}

/* ---- overdue connections, and pages that went away ------------------------------------------- */

static void run(struct server *s);

static void sweep(uv_timer_t *t)
{
	struct server *s = t->data;
	int64_t now = clock_mono_ms();

	for (struct connection *c = s->connections; c; c = c->next)
		if (!c->streaming && c->fd >= 0 && now - c->since_mono_ms > c->limit_ms)
			shutdown(c->fd, SHUT_RDWR);
	if (!s->streams.first)
		return;
	streams_look(&s->streams);
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
	struct api_query q = {.accept = reply_header(mhd, "Accept")};
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
	const char *given = reply_header(mhd, "Content-Length");
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
	const struct site_header h = {.host = reply_header(mhd, "Host"), .content_type = reply_header(mhd, "Content-Type"),
		.origin = reply_header(mhd, "Origin"), .fetch_site = reply_header(mhd, "Sec-Fetch-Site")};
	const char *why = NULL;
	int status = site_refuses(&h, &s->address, s->config.hosts, &why);

	return (struct refusal){status, status == 403 ? "Another site" : "Not JSON", why};
}

/* What is wrong by the header alone, before a body is taken. */
static struct refusal look_at_header(struct server *s, struct MHD_Connection *mhd, const char *method, bool changes)
{
	const struct connection *c = connection_of(mhd);
	struct refusal r;

	if (!listen_host_fits(&s->address, s->config.hosts, reply_header(mhd, "Host")))
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

	if (!r.status)
		return MHD_YES;
	return reply_with(s, mhd, api_problem(r.status, r.title, r.detail), r.status, (struct reply_more){.changes = changes});
}

static enum MHD_Result change(struct server *s, struct MHD_Connection *mhd, const char *path, const char *method, const struct request *rq)
{
	struct page *p;
	int status;

	if (rq->too_big)
		return refuse(s, mhd, 413, "Too much", "a body may have 16 KiB");
	if (rq->login == LOGIN_TOKEN)
		return refuse(s, mhd, 403, "Reading only", "a token may read; sign in with a name and a password to change something");
	p = api_change(s->api, method, path, &rq->body, rq->user[0] ? rq->user : NULL, &status);
	if (status == 200)
		streams_tell(&s->streams); /* run() is under way already */
	return reply(s, mhd, p, status);
}

/* ---- who asks --------------------------------------------------------------------------------------- */

static void run_login(struct crew_job *j, void *own)
{
	(void)own;
	login_try_run(&((struct errand *)j)->login);
}

/* The request goes on where it was: libmicrohttpd calls on_request() for it again. */
static void wake(struct errand *w)
{
	if (!w->request)
		return;
	w->request->errand = NULL;
	connection_of(w->connection)->suspended = NULL;
	MHD_resume_connection(w->connection);
	run(w->server);
}

static void done_login(struct crew_job *j)
{
	struct errand *w = (struct errand *)j;

	if (j->ran && w->server->login)
		login_took(w->server->login, &w->login);
	if (w->request) {
		w->request->login = j->ran && w->login.right ? LOGIN_RIGHT : LOGIN_NONE;
		memcpy(w->request->user, w->login.user, sizeof w->request->user);
	}
	login_try_wipe(&w->login);
	wake(w);
	free(w);
}

/* Suspends the request until a thread has done its errand; false if there are too many. */
static bool send_errand(struct server *s, struct crew *crew, struct MHD_Connection *mhd, struct request *rq, struct errand *w)
{
	struct connection *c = connection_of(mhd);

	w->server = s;
	w->connection = mhd;
	w->request = rq;
	if (!c || !crew_put(crew, &w->job))
		return false;
	rq->errand = w;
	c->suspended = mhd;
	MHD_suspend_connection(mhd);
	return true;
}

static enum MHD_Result look_at_password(struct server *s, struct MHD_Connection *mhd, struct request *rq, const struct login_try *t)
{
	struct errand *w = mem_new(1, sizeof *w);

	*w = (struct errand){.job = {.run = run_login, .done = done_login}, .login = *t};
	if (send_errand(s, s->hashers, mhd, rq, w))
		return MHD_YES;
	login_try_wipe(&w->login);
	free(w);
	return refuse(s, mhd, 503, "Too many at once", "others are signing in; try again in a few seconds");
}

/* Fills rq->login, at once or after a thread looked at a password: then nothing is queued, and it stays LOGIN_TRY. */
static enum MHD_Result sign_in(struct server *s, struct MHD_Connection *mhd, struct request *rq)
{
	const union MHD_ConnectionInfo *i = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	enum MHD_Result rc = MHD_YES;
	struct login_try t;

	rq->login = i ? login_look(s->login, reply_header(mhd, "Authorization"), i->client_addr, &t) : LOGIN_NONE;
	if (rq->login == LOGIN_RIGHT || rq->login == LOGIN_TOKEN)
		memcpy(rq->user, t.user, sizeof rq->user);
	if (rq->login == LOGIN_TRY)
		rc = look_at_password(s, mhd, rq, &t);
	if (i)
		login_try_wipe(&t);
	return rc;
}

/* Two words that say nothing; whatever watches the agent has no password. */
static bool is_open(const char *path)
{
	return strcmp(path, "/healthz") == 0 || strcmp(path, "/readyz") == 0;
}

static enum MHD_Result act(struct server *s, struct MHD_Connection *mhd, const char *path, const char *method, struct request *rq)
{
	return change_has_path(path) ? change(s, mhd, path, method, rq) : answer(s, mhd, path);
}

/* The request is whole: who asks is known, or found out first. */
static enum MHD_Result take(struct server *s, struct MHD_Connection *mhd, const char *path, const char *method, struct request *rq)
{
	enum MHD_Result rc = MHD_YES;

	if (!s->login || is_open(path))
		return act(s, mhd, path, method, rq);
	if (rq->login == LOGIN_UNKNOWN)
		rc = sign_in(s, mhd, rq);
	switch (rq->login) {
	case LOGIN_RIGHT:
	case LOGIN_TOKEN:
		return act(s, mhd, path, method, rq);
	case LOGIN_TRY: /* suspended, or refused */
		return rc;
	case LOGIN_LATER:
		return reply_with(s, mhd, api_problem(429, "Too many wrong passwords", "wait two seconds before the next try"), 429,
			(struct reply_more){.retry_after_s = 2});
	case LOGIN_UNKNOWN:
	case LOGIN_NONE:
		break;
	}
	return refuse(s, mhd, 401, "Sign in", "a name and its password are needed, or a token");
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
	return take(s, mhd, path, method, rq);
}

static void end(struct request *rq)
{
	if (!rq)
		return;
	if (rq->errand)
		rq->errand->request = NULL;
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

	if (!s->daemon)
		return;
	MHD_run(s->daemon);
	if (MHD_get_timeout(s->daemon, &ms) == MHD_YES)
		uv_timer_start(&s->timer, on_timer, ms, 0);
	else
		uv_timer_stop(&s->timer);
}

void server_changed(struct server *s)
{
	streams_tell(&s->streams);
	run(s);
}

/* On the address, or on a socket of the daemon before it. */
static struct MHD_Daemon *start_daemon(struct server *s, MHD_socket listening)
{
	unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
	struct MHD_OptionItem options[5];
	size_t n = 0;

	if (s->address.ss_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	if (s->tls.key) {
		flags |= MHD_USE_TLS;
		options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, s->tls.certificate};
		options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, s->tls.key};
		options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)tls_priorities};
	}
	if (listening != MHD_INVALID_SOCKET)
		options[n++] = (struct MHD_OptionItem){MHD_OPTION_LISTEN_SOCKET, listening, NULL};
	options[n] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
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
		MHD_OPTION_ARRAY, options,
		MHD_OPTION_END);
}

static void watch_daemon(struct server *s)
{
	const union MHD_DaemonInfo *i = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);

	s->poll = mem_new(1, sizeof *s->poll);
	uv_poll_init(s->loop, s->poll, i->epoll_fd);
	s->poll->data = s;
	uv_poll_start(s->poll, UV_READABLE, on_readable);
	run(s);
}

static void free_poll(uv_handle_t *h)
{
	free(h);
}

/* Ends all connections; what waits for a thread is woken, for nothing suspended can be stopped. */
static void stop_daemon(struct server *s)
{
	if (!s->daemon)
		return;
	uv_poll_stop(s->poll);
	uv_close((uv_handle_t *)s->poll, free_poll);
	for (struct connection *c = s->connections; c; c = c->next)
		if (c->suspended)
			MHD_resume_connection(c->suspended);
	streams_end(&s->streams);
	MHD_stop_daemon(s->daemon);
	s->daemon = NULL;
}

static void plug_in(struct server *s)
{
	uv_timer_init(s->loop, &s->timer);
	uv_timer_init(s->loop, &s->sweep);
	s->timer.data = s->sweep.data = s;
	uv_timer_start(&s->sweep, sweep, 1000, 1000);
	s->hashers = crew_new(s->loop, 1, PASSWORDS_WAITING_MAX, NULL);
	s->open_handles = 3;
	watch_daemon(s);
}

/* ---- starting and ending -------------------------------------------------------------------------- */

int server_check(const struct server_config *c, struct err *e)
{
	struct sockaddr_storage address;
	socklen_t len;

	if (listen_parse(c->listen, &address, &len, e))
		return -1;
	if (!c->tls_certificate != !c->tls_key)
		return err_set(e, "tls_certificate and tls_key belong together");
	if (c->tls_key && c->plaintext)
		return err_set(e, "plaintext = true contradicts tls_key");
	if (c->users_file && c->anonymous)
		return err_set(e, "anonymous = true contradicts users_file");
	if (listen_is_loopback(&address))
		return 0;
	if (!c->tls_key && !c->plaintext)
		return err_set(e, "listen = \"%s\": whoever is on the way could read along; give tls_certificate and tls_key, or say plaintext = true", c->listen);
	if (!c->users_file && !c->anonymous)
		return err_set(e, "listen = \"%s\": whoever can connect could read all; give users_file, or say anonymous = true", c->listen);
	return 0;
}

static char *own(const char *text)
{
	return text ? mem_text(text) : NULL;
}

/* A copy that the server keeps: a configuration may go when another is read. */
static void config_copy(struct server_config *to, const struct server_config *c)
{
	size_t n = 0;
	char **hosts;

	while (c->hosts && c->hosts[n])
		n++;
	hosts = mem_new(n + 1, sizeof *hosts);
	for (size_t i = 0; i < n; i++)
		hosts[i] = mem_text(c->hosts[i]);
	*to = *c;
	to->listen = own(c->listen);
	to->hosts = (const char *const *)hosts;
	to->tls_certificate = own(c->tls_certificate);
	to->tls_key = own(c->tls_key);
	to->users_file = own(c->users_file);
	to->web_root = own(c->web_root);
}

static void config_free(struct server_config *c)
{
	for (size_t i = 0; c->hosts && c->hosts[i]; i++)
		free((char *)c->hosts[i]);
	free((void *)c->hosts);
	free((char *)c->listen);
	free((char *)c->tls_certificate);
	free((char *)c->tls_key);
	free((char *)c->users_file);
	free((char *)c->web_root);
}

static int read_files(const struct server_config *c, struct tls *tls, struct err *e)
{
	if (!c->tls_key)
		return 0;
	if (MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
		return err_set(e, "tls_key: libmicrohttpd was built without TLS here");
	return tls_read(tls, c->tls_certificate, c->tls_key, e);
}

static int open_server(struct server *s, struct err *e)
{
	const struct server_config *c = &s->config;
	socklen_t len;

	if (server_check(c, e) || listen_parse(c->listen, &s->address, &len, e) || read_files(c, &s->tls, e))
		return -1;
	if (c->users_file && !(s->login = login_new(c->users_file, e)))
		return -1;
	errno = 0;
	s->daemon = start_daemon(s, MHD_INVALID_SOCKET);
	if (!s->daemon)
		return err_set(e, "listen = \"%s\": %s", c->listen,
			errno == EADDRINUSE ? "the port is in use; is another lanewatch running?" : errno ? strerror(errno) : "the server cannot start");
	return 0;
}

static void release(struct server *s)
{
	assets_free(s->assets);
	login_free(s->login);
	tls_release(&s->tls);
	config_free(&s->config);
	free(s);
}

struct server *server_new(uv_loop_t *loop, const struct server_config *c, struct api *api, struct err *e)
{
	struct server *s = mem_new(1, sizeof *s);

	s->api = api;
	config_copy(&s->config, c);
	s->loop = loop;
	s->assets = assets_new(s->config.web_root);
	s->request_ms = c->request_ms ? c->request_ms : REQUEST_MS;
	s->reply_ms = c->reply_ms ? c->reply_ms : REPLY_MS;
	if (open_server(s, e)) {
		release(s);
		return NULL;
	}
	plug_in(s);
	return s;
}

int server_port(const struct server *s)
{
	const union MHD_DaemonInfo *i = s->daemon ? MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;

	return i ? i->port : 0;
}

/* A new daemon on the same socket; the pages that were open come back by themselves. */
static int change_certificate(struct server *s, struct tls *tls, struct err *e)
{
	MHD_socket listening = MHD_quiesce_daemon(s->daemon);

	stop_daemon(s);
	tls_release(&s->tls);
	s->tls = *tls;
	*tls = (struct tls){0};
	s->daemon = start_daemon(s, listening);
	if (!s->daemon)
		return err_set(e, "the server cannot start again with the new certificate");
	watch_daemon(s);
	return 0;
}

int server_reload(struct server *s, const struct server_config *c, struct err *e)
{
	struct server_config now = *c;
	struct tls tls = {0};
	struct login *login = NULL;
	int rc = 0;

	now.listen = s->config.listen;
	now.web_root = s->config.web_root;
	if (server_check(&now, e) || read_files(c, &tls, e))
		return -1;
	if (c->users_file && !(login = login_new(c->users_file, e))) {
		tls_release(&tls);
		return -1;
	}
	config_copy(&now, &now);
	config_free(&s->config);
	s->config = now;
	login_free(s->login);
	s->login = login;
	if (!tls_same(&tls, &s->tls))
		rc = change_certificate(s, &tls, e);
	tls_release(&tls);
	return rc;
}

static void part_gone(void *arg)
{
	struct server *s = arg;
	void (*closed)(void *) = s->closed;
	void *closed_arg = s->closed_arg;

	if (--s->open_handles)
		return;
	release(s);
	closed(closed_arg);
}

static void handle_gone(uv_handle_t *h)
{
	part_gone(h->data);
}

void server_close(struct server *s, void (*closed)(void *arg), void *arg)
{
	s->closed = closed;
	s->closed_arg = arg;
	crew_close(s->hashers, part_gone, s); /* first: it wakes what waits for it */
	stop_daemon(s);
	uv_close((uv_handle_t *)&s->timer, handle_gone);
	uv_close((uv_handle_t *)&s->sweep, handle_gone);
}
