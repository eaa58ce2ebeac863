/* SPDX-License-Identifier: MIT */
/*
 * server: see server.h.
 *
 * libmicrohttpd has no thread here: its epoll descriptor is polled by libuv, and it runs when
 * that is readable or its own timeout is over.  Its connection timeout counts idle time only,
 * so each connection's start is remembered and an overdue descriptor is shut down by a timer.
 */
#include "web/inside.h"
#include "base/clock.h"
#include "base/mem.h"
#include "web/listen.h"
#include "web/reader.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

enum {
	CONNECTIONS_MAX = 64,
	CONNECTIONS_PER_ADDRESS = 16,
	CONNECTION_BYTES = 24 * 1024,
	IDLE_S = 60,
	CROWD = CONNECTIONS_MAX * 3 / 4,
	IDLE_CROWDED_MS = 2000,
	REQUEST_MS = 10 * 1000,
	REPLY_MS = 30 * 1000,
	PASSWORDS_WAITING_MAX = 16, /* of which one is looked at (W8) */
	HISTORIES_MAX = 8,	    /* at once (W10) */
	HISTORY_THREADS = 2,
};

/* ---- connections and their deadlines (W7) ------------------------------------------- */

static void connection_began(struct server *s, struct MHD_Connection *mhd, void **context)
{
	const union MHD_ConnectionInfo *i = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct connection *c = mem_new(1, sizeof *c);

	*c = (struct connection){.next = s->connections, .server = s, .fd = i ? i->connect_fd : -1,
		.since_mono_ms = s->now_mono_ms, .limit_ms = s->request_ms};
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

struct connection *connection_of(struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *i = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return i ? i->socket_context : NULL;
}

void connection_limit(struct connection *c, int64_t limit_ms)
{
	if (!c)
		return;
	c->since_mono_ms = c->server->now_mono_ms;
	c->limit_ms = limit_ms;
}

/* ---- overdue connections, and pages that went away ------------------------------------------- */

/* Where places get scarce, none is kept for long for a request that may come; none at all where no request can come any more. */
static bool is_overdue(const struct connection *c, int64_t now, bool crowded)
{
	int64_t limit_ms = crowded && c->idle ? IDLE_CROWDED_MS : c->limit_ms;

	return !c->streaming && c->fd >= 0 && (now - c->since_mono_ms > limit_ms || (c->idle && stream_peer_gone(c->fd)));
}

static void sweep(uv_timer_t *t)
{
	struct server *s = t->data;
	int64_t now = clock_mono_ms();
	int n = 0;

	for (const struct connection *c = s->connections; c; c = c->next)
		n++;
	for (struct connection *c = s->connections; c; c = c->next)
		if (is_overdue(c, now, n >= CROWD))
			shutdown(c->fd, SHUT_RDWR);
	if (!s->streams.first)
		return;
	streams_look(&s->streams);
	server_run(s);
}

/* ---- on the loop -------------------------------------------------------------------------------- */

static void on_timer(uv_timer_t *t)
{
	server_run(t->data);
}

static void on_readable(uv_poll_t *p, int status, int events)
{
	(void)status;
	(void)events;
	server_run(p->data);
}

/* Once for all that is ready, not for each request of it. */
static void look_at_clock(struct server *s)
{
	int64_t wall_ms = clock_wall_ms();

	s->now_mono_ms = clock_mono_ms();
	if (s->date.text[0] && s->date.s == wall_ms / 1000)
		return;
	s->date.s = wall_ms / 1000;
	clock_text_http(wall_ms, s->date.text);
}

void server_run(struct server *s)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (!s->daemon)
		return;
	look_at_clock(s);
	MHD_run(s->daemon);
	if (MHD_get_timeout(s->daemon, &ms) == MHD_YES)
		uv_timer_start(&s->timer, on_timer, ms, 0);
	else
		uv_timer_stop(&s->timer);
}

void server_changed(struct server *s)
{
	streams_tell(&s->streams);
	server_run(s);
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
	return MHD_start_daemon(flags, 0, NULL, NULL, request_take, s,
		MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&s->address,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT, s->config.connections_per_address ? s->config.connections_per_address : (unsigned)CONNECTIONS_PER_ADDRESS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
		MHD_OPTION_STRICT_FOR_CLIENT, 1,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
		MHD_OPTION_NOTIFY_COMPLETED, request_completed, s,
		MHD_OPTION_URI_LOG_CALLBACK, request_uri, s,
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
	server_run(s);
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
	const struct crew_own store = {reader_make, reader_drop, s->database};

	uv_timer_init(s->loop, &s->timer);
	uv_timer_init(s->loop, &s->sweep);
	s->timer.data = s->sweep.data = s;
	uv_timer_start(&s->sweep, sweep, 1000, 1000);
	s->hashers = crew_new(s->loop, 1, PASSWORDS_WAITING_MAX, NULL);
	s->readers = crew_new(s->loop, HISTORY_THREADS, HISTORIES_MAX, &store);
	s->open_handles = 4;
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
	to->database = NULL; /* s->database, which threads look at */
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
	free(s->database);
	free(s);
}

struct server *server_new(uv_loop_t *loop, const struct server_config *c, struct api *api, struct err *e)
{
	struct server *s = mem_new(1, sizeof *s);

	s->api = api;
	config_copy(&s->config, c);
	s->database = own(c->database);
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
	crew_close(s->hashers, part_gone, s); /* first: they wake what waits for them */
	crew_close(s->readers, part_gone, s);
	stop_daemon(s);
	uv_close((uv_handle_t *)&s->timer, handle_gone);
	uv_close((uv_handle_t *)&s->sweep, handle_gone);
}
