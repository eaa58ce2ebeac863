/* SPDX-License-Identifier: MIT */
/*
 * Daemons, the loop, and a request's life. Everything runs in one thread.
 */
#include "tests/simbmc/server.h"

#include "base/mem.h"
#include "tests/simbmc/cert.h"
#include "tests/simbmc/faults.h"
#include "tests/simbmc/play.h"
#include "tests/simbmc/request.h"
#include "tests/simbmc/rules.h"
#include "tests/simbmc/sse.h"
#include "tests/simbmc/util.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define BODY_MAX	((size_t)64 << 10)
#define EVENTS		64

/* ---- a request's life ---- */

static void *request_begin(void *cls, const char *uri, struct MHD_Connection *conn)
{
	struct instance *in = cls;
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(conn, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct request *r = mem_new(1, sizeof *r);

	r->in = in;
	r->conn = conn;
	r->uri = mem_text(uri);
	r->conn_number = info ? (unsigned)(uintptr_t)info->socket_context : 0;
	buf_init(&r->body, BODY_MAX);
	return r;
}

static void request_over(void *cls, struct MHD_Connection *conn, void **con_cls,
	enum MHD_RequestTerminationCode code)
{
	struct request *r = *con_cls;

	(void)cls;
	(void)conn;
	(void)code;
	if (!r)
		return;
	timer_cancel(&r->in->server->timers, &r->timer);
	play_over(r);
	buf_release(&r->body);
	free(r->method);
	free(r->uri);
	free(r);
	*con_cls = NULL;
}

static void wake(struct timer *t)
{
	struct request *r = (struct request *)t;

	r->in->kick = true;
	MHD_resume_connection(r->conn);
}

void request_wake(struct request *r)
{
	if (!r->timer.armed)
		return;
	timer_cancel(&r->in->server->timers, &r->timer);
	wake(&r->timer);
}

void request_suspend(struct request *r, unsigned ms)
{
	MHD_suspend_connection(r->conn);
	timer_arm(&r->in->server->timers, &r->timer, ms, wake);
}

const char *request_header(const struct request *r, const char *name)
{
	return MHD_lookup_connection_value(r->conn, MHD_HEADER_KIND, name);
}

static enum MHD_Result add_name(void *cls, enum MHD_ValueKind kind, const char *key,
	const char *value)
{
	json_t *names = cls;
	char *lower = mem_text(key);
	size_t at = 0;

	(void)kind;
	(void)value;
	for (char *p = lower; *p; p++)
		*p = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
	while (at < json_array_size(names) &&
		strcmp(json_string_value(json_array_get(names, at)), lower) < 0)
		at++;
	/* One that is not UTF-8 is left out: JSON cannot say it. */
	json_array_insert_new(names, at, json_string(lower));
	free(lower);
	return MHD_YES;
}

void request_log(struct request *r, int status, size_t bytes)
{
	struct instance *in = r->in;
	struct reqlog_line line = {
		.instance = in->number,
		.conn = r->conn_number,
		.sessions = in->auth.live,
		.method = r->method,
		.path = r->uri,
		.status = status,
		.bytes = bytes,
		.token = request_header(r, "X-Auth-Token") != NULL,
		.basic = request_header(r, "Authorization") != NULL,
		.headers = json_array(),
	};

	MHD_get_connection_values(r->conn, MHD_HEADER_KIND, add_name, line.headers);
	reqlog_write(&in->server->log, &line);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *conn, const char *url,
	const char *method, const char *version, const char *data, size_t *size,
	void **con_cls)
{
	struct instance *in = cls;
	struct request *r = *con_cls;

	(void)conn;
	(void)url;
	(void)version;
	if (!r || in->server->stopping)
		return MHD_NO;
	if (!r->method) {
		r->method = mem_text(method);
		return MHD_YES;
	}
	if (*size) {
		if (buf_add(&r->body, data, *size) < 0)
			r->too_big = true;
		*size = 0;
		return MHD_YES;
	}
	if (in->server->o->latency_ms && !r->served_latency) {
		r->served_latency = true;
		request_suspend(r, in->server->o->latency_ms);
		return MHD_YES;
	}
	return request_handle(r);
}

static void on_connection(void *cls, struct MHD_Connection *conn, void **socket_context,
	enum MHD_ConnectionNotificationCode code)
{
	struct instance *in = cls;

	(void)conn;
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		*socket_context = (void *)(uintptr_t)++in->last_conn;
}

/* The URI is used as it was sent, so nothing is decoded in place. */
static size_t leave_escapes(void *cls, struct MHD_Connection *conn, char *s)
{
	(void)cls;
	(void)conn;
	return strlen(s);
}

/* ---- one BMC ---- */

static int start_daemon(struct instance *in, struct err *e)
{
	const struct server *s = in->server;
	const struct options *o = s->o;
	struct sockaddr_in sa = {.sin_family = AF_INET};
	unsigned port = o->port ? o->port + in->number - 1 : 0;
	struct MHD_OptionItem tls[] = {
		{MHD_OPTION_HTTPS_MEM_KEY, 0, s->cert ? s->cert->key_pem : NULL},
		{MHD_OPTION_HTTPS_MEM_CERT, 0, s->cert ? s->cert->cert_pem : NULL},
		{o->tls_priority ? MHD_OPTION_HTTPS_PRIORITIES : MHD_OPTION_END, 0,
			(void *)(uintptr_t)o->tls_priority},
		{MHD_OPTION_END, 0, NULL},
	};
	struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
	const union MHD_DaemonInfo *info;

	sa.sin_port = htons((uint16_t)port);
	inet_pton(AF_INET, o->bind, &sa.sin_addr);
	in->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | (s->cert ? MHD_USE_TLS : 0),
		0, NULL, NULL, on_request, in,
		MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&sa,
		MHD_OPTION_URI_LOG_CALLBACK, request_begin, in,
		MHD_OPTION_NOTIFY_COMPLETED, request_over, in,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, in,
		MHD_OPTION_UNESCAPE_CALLBACK, leave_escapes, in,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, rule_book_memory(s->book),
		MHD_OPTION_ARRAY, s->cert ? tls : none,
		MHD_OPTION_END);
	if (!in->daemon)
		return err_set(e, "cannot listen on %s port %u: %s", o->bind, port,
			errno ? strerror(errno) : "the TLS settings were refused");
	info = MHD_get_daemon_info(in->daemon, MHD_DAEMON_INFO_BIND_PORT);
	in->port = info ? info->port : 0;
	info = MHD_get_daemon_info(in->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	in->epoll_fd = info ? info->epoll_fd : -1;
	return 0;
}

static int make_machine(struct instance *in, struct err *e)
{
	const struct options *o = in->server->o;

	in->machine = mem_new(1, sizeof *in->machine);
	machine_init(in->machine, o->chassis, in->number, o->bays);
	in->machine->licensed = o->licensed;
	in->machine->sse = o->sse;
	if (o->telemetry) {
		in->machine->reported = mem_new(1, sizeof *in->machine->reported);
		in->machine->reported->period_s = o->telemetry_s;
	}
	in->machine->session_timeout_s = o->session_timeout_s;
	return machine_apply(in->machine, o->faults, o->n_faults, e);
}

/* Learns from the root what a client learns from it: sessions and $expand. */
static void read_own_root(struct instance *in)
{
	const struct options *o = in->server->o;
	struct tree_doc doc;
	json_t *root;
	const char *link;
	char *rel = NULL, *path;

	tree_get(&in->tree, "", &doc);
	root = tree_doc_json(&doc);
	link = json_string_value(json_object_get(
		json_object_get(json_object_get(root, "Links"), "Sessions"), "@odata.id"));
	if (link)
		rel = tree_path(link);
	path = format("/redfish/v1/%s", rel && *rel ? rel : "SessionService/Sessions");
	auth_init(&in->auth, o->auth, o->user, o->password, o->max_sessions,
		o->session_timeout_s, path);
	expand_offer_read(root, &in->offer);
	tree_doc_release(&doc);
	free(path);
	free(rel);
}

static int instance_init(struct instance *in, struct server *s, unsigned number,
	struct err *e)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.ptr = in};

	*in = (struct instance){.server = s, .number = number, .epoll_fd = -1};
	if (s->o->chassis && make_machine(in, e) < 0)
		return -1;
	in->tree = (struct tree){
		.machine = in->machine,
		.mockup = s->o->mockup,
		.no_expand = s->o->no_expand,
	};
	read_own_root(in);
	if (s->book)
		in->rules = rule_state_new(s->book);
	if (start_daemon(in, e) < 0)
		return -1;
	if (epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, in->epoll_fd, &ev) < 0)
		return err_set(e, "epoll: %s", strerror(errno));
	return 0;
}

static void instance_release(struct instance *in)
{
	if (in->daemon)
		MHD_stop_daemon(in->daemon);
	rule_state_free(in->rules);
	auth_release(&in->auth);
	if (in->machine)
		machine_release(in->machine);
	free(in->machine);
}

char *instance_url(const struct instance *in)
{
	return format("%s://%s:%u", in->server->o->tls ? "https" : "http", in->server->o->bind,
		in->port);
}

/* ---- all of them ---- */

/* Three descriptors a BMC and one a connection: more than a shell's limit. */
static void raise_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) == 0) {
		lim.rlim_cur = lim.rlim_max;
		setrlimit(RLIMIT_NOFILE, &lim);
	}
}

static int watch_signals(struct server *s, struct err *e)
{
	struct epoll_event ev = {.events = EPOLLIN};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->signal_fd < 0 || epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, s->signal_fd, &ev) < 0)
		return err_set(e, "signalfd: %s", strerror(errno));
	return 0;
}

static int watch_input(struct server *s, struct err *e)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.ptr = s};

	buf_init(&s->input, BODY_MAX);
	if (!s->o->from_stdin)
		return 0;
	if (fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) < 0 ||
		epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, STDIN_FILENO, &ev) < 0)
		return err_set(e, "--stdin: %s; it reads from a pipe", strerror(errno));
	return 0;
}

/* One line of --stdin: a fault that comes now. */
static void take_line(struct server *s, const char *line)
{
	struct fault f;
	struct err e;

	if (!*line)
		return;
	if (fault_parse(line, &f, &e) < 0) {
		warn_line("%s", e.text);
		return;
	}
	for (unsigned i = 0; i < s->n; i++) {
		struct instance *in = &s->instances[i];

		if (!in->machine || (f.instance && f.instance != in->number))
			continue;
		if (machine_change(in->machine, &f, &e) < 0)
			warn_line("%s", e.text);
		sse_wake(in);
	}
}

static void read_input(struct server *s)
{
	char part[1024], *end;
	ssize_t n = read(STDIN_FILENO, part, sizeof part);

	if (n <= 0) {
		if (n == 0 || errno != EAGAIN)
			epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
		return;
	}
	if (buf_add(&s->input, part, (size_t)n) < 0)
		buf_clear(&s->input);
	while (s->input.len && (end = memchr(s->input.data, '\n', s->input.len))) {
		size_t len = (size_t)(end - s->input.data) + 1;

		*end = '\0';
		take_line(s, s->input.data);
		memmove(s->input.data, s->input.data + len, s->input.len - len);
		s->input.len -= len;
	}
}

static int write_text(const char *path, const char *text, struct err *e)
{
	int fd;
	ssize_t n;

	if (!path)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_set(e, "%s: %s", path, strerror(errno));
	n = write(fd, text, strlen(text));
	if (close(fd) < 0 || n != (ssize_t)strlen(text))
		return err_set(e, "%s: not written whole", path);
	return 0;
}

static int make_cert(struct server *s, struct err *e)
{
	const struct options *o = s->o;
	char *names = o->cert_names ? mem_text(o->cert_names) :
		      strcmp(o->bind, "127.0.0.1") ?
				      format("%s,127.0.0.1,localhost", o->bind) :
				      mem_text("127.0.0.1,localhost");
	char *pin_line;
	int rc;

	s->cert = cert_new(names, o->cert_days, e);
	free(names);
	if (!s->cert)
		return -1;
	pin_line = format("%s\n", s->cert->pin);
	rc = write_text(o->cert_out, s->cert->cert_pem, e);
	if (rc == 0)
		rc = write_text(o->pin_out, pin_line, e);
	free(pin_line);
	return rc;
}

int server_init(struct server *s, const struct options *o, const struct rule_book *book,
	struct err *e)
{
	*s = (struct server){
		.o = o,
		.book = book,
		.epoll_fd = -1,
		.signal_fd = -1,
		.log.fd = -1,
	};
	raise_limit();
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll_fd < 0)
		return err_set(e, "epoll: %s", strerror(errno));
	if (watch_signals(s, e) < 0 || watch_input(s, e) < 0 || reqlog_open(&s->log, o->log, e) < 0)
		return -1;
	if (o->tls && make_cert(s, e) < 0)
		return -1;
	s->instances = mem_new(o->instances, sizeof *s->instances);
	for (unsigned i = 0; i < o->instances; i++) {
		s->n++;
		if (instance_init(&s->instances[i], s, i + 1, e) < 0)
			return -1;
	}
	return 0;
}

/* libmicrohttpd works until nothing is left to do at once. */
static void run_kicked(struct server *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct instance *in = &s->instances[i];
		MHD_UNSIGNED_LONG_LONG ms;

		if (!in->kick)
			continue;
		MHD_run(in->daemon);
		in->kick = MHD_get_timeout(in->daemon, &ms) == MHD_YES && ms == 0;
	}
}

static bool any_kicked(const struct server *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->instances[i].kick)
			return true;
	}
	return false;
}

void server_run(struct server *s)
{
	struct epoll_event events[EVENTS];

	while (!s->stopping) {
		int wait_ms = any_kicked(s) ? 0 : timers_wait_ms(&s->timers);
		int n = epoll_wait(s->epoll_fd, events, EVENTS, wait_ms);

		for (int i = 0; i < n; i++) {
			struct instance *in = events[i].data.ptr;

			if (events[i].data.ptr == s)
				read_input(s);
			else if (in)
				in->kick = true;
			else
				s->stopping = true;
		}
		timers_run(&s->timers, false);
		run_kicked(s);
	}
}

void server_release(struct server *s)
{
	s->stopping = true;
	/* libmicrohttpd must not be stopped while a connection is suspended. */
	timers_run(&s->timers, true);
	run_kicked(s);
	for (unsigned i = 0; i < s->n; i++)
		instance_release(&s->instances[i]);
	free(s->instances);
	buf_release(&s->input);
	cert_free(s->cert);
	reqlog_close(&s->log);
	if (s->signal_fd >= 0)
		close(s->signal_fd);
	if (s->epoll_fd >= 0)
		close(s->epoll_fd);
}
