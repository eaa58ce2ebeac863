/* SPDX-License-Identifier: MIT */
/* The server on a loop of the test's own, with deadlines that a test can wait for (SECURITY.md, W7). */
#include "base/clock.h"
#include "tests/unit/unit.h"
#include "web/asset.h"
#include "web/login.h"
#include "web/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LONG_BYTES = 12 * 1000 * 1000, DEADLINE_MS = 300, SWEEP_MS = 1000, ENOUGH_MS = 60 * 1000 };

struct fixture {
	uv_loop_t loop;
	struct inventory inventory;
	struct api *api;
	struct server *server;
	uv_timer_t tick;
	bool closed;
};

/* One bay, and an event that is longer than what the kernel takes for a peer that does not read. */
static void publish(struct fixture *f, bool is_long)
{
	char *text = calloc(1, LONG_BYTES + 1);
	struct snapshot s;
	json_t *events;

	snapshot_init(&s, "t", TARGET_REPLAY, "t");
	snapshot_add_bay(&s, "0")->present = TRI_YES;
	inventory_init(&f->inventory);
	inventory_apply(&f->inventory, &s);
	inventory_finish(&f->inventory, NULL, 0);
	snapshot_release(&s);
	ck_assert_ptr_nonnull(text);
	memset(text, 'x', is_long ? LONG_BYTES : 1);
	events = json_pack("{s:s, s:[{s:s}]}", "schema", "lanewatch/events/v1", "events", "message", text);
	api_publish(f->api, &(struct api_state){.inventory = &f->inventory, .events = events});
	json_decref(events);
	free(text);
}

static void on_tick(uv_timer_t *t)
{
	(void)t;
}

static void start_as(struct fixture *f, bool is_long, const struct server_config *c)
{
	struct err e = {""};

	memset(f, 0, sizeof *f);
	uv_loop_init(&f->loop);
	f->api = api_new();
	publish(f, is_long);
	f->server = server_new(&f->loop, c, f->api, &e);
	ck_assert_msg(f->server != NULL, "%s", e.text);
	uv_timer_init(&f->loop, &f->tick);
	uv_timer_start(&f->tick, on_tick, 5, 5);
}

static void start(struct fixture *f, bool is_long, int request_ms, int reply_ms)
{
	start_as(f, is_long, &(struct server_config){.listen = "127.0.0.1:0", .request_ms = request_ms, .reply_ms = reply_ms});
}

static void on_closed(void *arg)
{
	((struct fixture *)arg)->closed = true;
}

static void stop(struct fixture *f)
{
	server_close(f->server, on_closed, f);
	uv_close((uv_handle_t *)&f->tick, NULL);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	ck_assert(f->closed);
	ck_assert_int_eq(uv_loop_close(&f->loop), 0);
	api_free(f->api);
	inventory_release(&f->inventory);
}

static int ask(const struct fixture *f, const char *text, bool takes_little)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server_port(f->server))};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 65536;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (takes_little)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
	ck_assert_int_eq(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
	return fd;
}

/* Reads what is there; true at the end of the connection. */
static bool drain(int fd, size_t *len)
{
	char block[65536];
	ssize_t n;

	while ((n = recv(fd, block, sizeof block, MSG_DONTWAIT)) > 0)
		*len += (size_t)n;
	return n == 0 || (errno != EAGAIN && errno != EINTR);
}

START_TEST(a_reply_that_nobody_takes_is_ended_after_its_deadline_LW_W7)
{
	static const char request[] = "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	int64_t began = clock_mono_ms();
	const struct api_query q = {0};
	size_t len = 0, whole = 0;
	struct fixture f;
	struct page *p;
	char byte;
	int idle, quick, status;

	start(&f, true, 0, DEADLINE_MS);
	p = api_get(f.api, "/api/v1/events", &q, &status);
	idle = ask(&f, request, true);
	while (recv(idle, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 1) {
		ck_assert_msg(clock_mono_ms() - began < ENOUGH_MS, "nothing comes");
		uv_run(&f.loop, UV_RUN_ONCE);
	}
	began = clock_mono_ms(); /* the reply is there to be taken */
	while (clock_mono_ms() - began < DEADLINE_MS + 2 * SWEEP_MS)
		uv_run(&f.loop, UV_RUN_ONCE);
	quick = ask(&f, request, false); /* another one is answered all the same */
	while (!drain(quick, &whole))
		uv_run(&f.loop, UV_RUN_ONCE);
	while (!drain(idle, &len)) /* what the kernel had taken, and not a byte of the rest */
		uv_run(&f.loop, UV_RUN_ONCE);
	ck_assert_uint_gt(whole, p->len);
	ck_assert_msg(len < p->len, "%zu of %zu bytes came", len, p->len);
	page_unref(p);
	close(idle);
	close(quick);
	stop(&f);
}
END_TEST

START_TEST(a_request_that_never_ends_is_ended_after_its_deadline_LW_W7)
{
	int64_t began = clock_mono_ms(), sent = 0;
	struct fixture f;
	size_t len = 0;
	int fd;

	start(&f, false, DEADLINE_MS, 0);
	fd = ask(&f, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ", false);
	while (!drain(fd, &len)) {
		ck_assert_msg(clock_mono_ms() - began < ENOUGH_MS, "the connection stays");
		if (clock_mono_ms() - sent > 20) /* it is never idle */
			send(fd, "x", 1, MSG_NOSIGNAL);
		sent = clock_mono_ms();
		uv_run(&f.loop, UV_RUN_ONCE);
	}
	ck_assert_int_ge(clock_mono_ms() - began, DEADLINE_MS);
	ck_assert_uint_eq(len, 0);
	close(fd);
	stop(&f);
}
END_TEST

START_TEST(a_server_ends_while_connections_and_streams_are_open)
{
	struct fixture f;
	int stream, kept, half;
	size_t len = 0;

	start(&f, false, 0, 0);
	stream = ask(&f, "GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n", false);
	kept = ask(&f, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", false);
	half = ask(&f, "GET /healthz HTTP/1.1\r\nHo", false);
	while (!len) {
		uv_run(&f.loop, UV_RUN_ONCE);
		drain(stream, &len);
	}
	stop(&f);
	close(stream);
	close(kept);
	close(half);
}
END_TEST

START_TEST(header_and_body_have_one_deadline_LW_W7)
{
	int64_t began = clock_mono_ms(), sent = 0;
	struct fixture f;
	size_t len = 0;
	int fd;

	start(&f, false, DEADLINE_MS, 0);
	fd = ask(&f, "POST /api/v1/alerts/1/ack HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n", false);
	while (!drain(fd, &len)) {
		ck_assert_msg(clock_mono_ms() - began < ENOUGH_MS, "the connection stays");
		if (clock_mono_ms() - sent > 20)
			send(fd, " ", 1, MSG_NOSIGNAL);
		sent = clock_mono_ms();
		uv_run(&f.loop, UV_RUN_ONCE);
	}
	ck_assert_int_ge(clock_mono_ms() - began, DEADLINE_MS);
	ck_assert_uint_eq(len, 0);
	close(fd);
	stop(&f);
}
END_TEST

enum { CROWD = 48, KEPT = 10 };

/* Connections that were answered once and are kept. */
static void keep(const struct fixture *f, int *fds, int n)
{
	for (int i = 0; i < n; i++)
		fds[i] = ask(f, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", false);
}

/* How many of them are open after a while. */
static int still_open(struct fixture *f, const int *fds, int n, int64_t ms)
{
	bool over[CROWD] = {false};
	int64_t began = clock_mono_ms();
	int open = n;

	while (open && clock_mono_ms() - began < ms) {
		uv_run(&f->loop, UV_RUN_ONCE);
		for (int i = 0; i < n; i++) {
			size_t len = 0;

			if (!over[i] && drain(fds[i], &len)) {
				over[i] = true;
				open--;
			}
		}
	}
	return open;
}

START_TEST(who_was_answered_keeps_no_place_for_long_in_a_crowd_LW_W7)
{
	const struct server_config c = {.listen = "127.0.0.1:0", .connections_per_address = 64};
	int64_t began;
	int fds[CROWD];
	struct fixture f;

	start_as(&f, false, &c);
	keep(&f, fds, KEPT);
	ck_assert_int_eq(still_open(&f, fds, KEPT, 4 * SWEEP_MS), KEPT); /* there is room */
	keep(&f, fds + KEPT, CROWD - KEPT);
	began = clock_mono_ms();
	while (still_open(&f, fds, CROWD, SWEEP_MS) == CROWD)
		ck_assert_msg(clock_mono_ms() - began < ENOUGH_MS / 2, "all are kept");
	for (int i = 0; i < CROWD; i++)
		close(fds[i]);
	stop(&f);
}
END_TEST

/* ---- every path that is served, whichever will be added (W4, W11) ---- */

static const char *const companions[] = {
	("\r\nContent-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
	 "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"),
	"\r\nX-Content-Type-Options: nosniff\r\n",
	"\r\nReferrer-Policy: no-referrer\r\n",
	"\r\nCross-Origin-Opener-Policy: same-origin\r\n",
	"\r\nCross-Origin-Resource-Policy: same-origin\r\n",
	"\r\nContent-Type: ",
};

/* What a stranger must not learn. */
static const char *const secrets[] = {PACKAGE_VERSION, "sqlite", "SELECT", ".c:", "/tmp", "/etc", "/var", "/home", "microhttpd", "0x"};

/* The whole reply to one request, a stream's as far as its header. */
static void converse(struct fixture *f, const char *method, const char *path, const char *more, char *out, size_t size)
{
	char text[512];
	size_t len = 0;
	int fd;

	snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n", method, path, more);
	fd = ask(f, text, false);
	for (;;) {
		ssize_t n = recv(fd, out + len, size - 1 - len, MSG_DONTWAIT);

		if (n == 0 || len == size - 1)
			break;
		len += n > 0 ? (size_t)n : 0;
		out[len] = '\0';
		if (strstr(out, "text/event-stream") && strstr(out, "\r\n\r\n"))
			break;
		uv_run(&f->loop, UV_RUN_NOWAIT);
	}
	out[len] = '\0';
	close(fd);
}

static void check_problem(const char *what, int status, const char *reply)
{
	const char *body = strstr(reply, "\r\n\r\n") + 4;
	json_t *j = json_loads(body, 0, NULL);

	ck_assert_msg(strstr(reply, "\r\nContent-Type: application/problem+json\r\n") != NULL, "%s: %s", what, reply);
	ck_assert_msg(json_integer_value(json_object_get(j, "status")) == status, "%s: %s", what, body);
	ck_assert_msg(*json_string_value(json_object_get(j, "title")) && *json_string_value(json_object_get(j, "detail")), "%s: %s", what, body);
	for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++)
		ck_assert_msg(!strstr(body, secrets[i]), "%s tells \"%s\": %s", what, secrets[i], body);
	json_decref(j);
}

/* One reply to each method; gives how many were refused. */
static int check_path(struct fixture *f, const char *path, const char *more, bool signs_in)
{
	static const char *const methods[] = {"GET", "HEAD", "POST", "DELETE", "OPTIONS", "BREW"};
	static char reply[200000];
	char what[256];
	int refused = 0;

	for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
		int status;

		converse(f, methods[m], path, more, reply, sizeof reply);
		snprintf(what, sizeof what, "%s %s (%.20s)", methods[m], path, more);
		status = (int)strtol(reply + strcspn(reply, " "), NULL, 10);
		ck_assert_msg(strncmp(reply, "HTTP/1.1 ", 9) == 0 && strstr(reply, "\r\n\r\n"), "%s: %s", what, reply);
		for (size_t i = 0; i < sizeof companions / sizeof companions[0]; i++)
			ck_assert_msg(strstr(reply, companions[i]) != NULL, "%s has no %s%s", what, companions[i], reply);
		ck_assert_msg(strstr(reply, signs_in ? "\r\nCache-Control: no-store\r\n" : "\r\nCache-Control: no-cache\r\n") != NULL, "%s: %s", what, reply);
		ck_assert_msg(!strstr(reply, "Access-Control-") && !strstr(reply, "\r\nServer:"), "%s: %s", what, reply);
		ck_assert_msg((status == 401) == !!strstr(reply, "\r\nWWW-Authenticate: Basic "), "%s: %s", what, reply);
		refused += status == 401;
		if (status >= 400 && strcmp(methods[m], "HEAD") != 0)
			check_problem(what, status, reply);
	}
	return refused;
}

/* Every route and asset, and some that are none; gives how many replies were 401. */
static int check_paths(struct fixture *f, const char *more, bool signs_in)
{
	static const char *const others[] = {"/nothing", "/api/v1/bays?x=1", "/api/v1/", "/..%2f", "/%00"};
	char path[256];
	int refused = 0, n = 0;

	for (size_t i = 0; api_route(i); i++, n++) {
		snprintf(path, sizeof path, "%.*s%s%s", (int)strcspn(api_route(i), "{"), api_route(i), strchr(api_route(i), '{') ? "1" : "",
			strchr(api_route(i), '}') ? strchr(api_route(i), '}') + 1 : "");
		refused += check_path(f, path, more, signs_in);
	}
	for (size_t i = 0; assets_path(i); i++, n++)
		refused += check_path(f, assets_path(i), more, signs_in);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		refused += check_path(f, others[i], more, signs_in);
	ck_assert_int_gt(n, 40);
	return refused;
}

START_TEST(every_route_and_asset_answers_with_the_policy_and_errors_tell_strangers_nothing_LW_W4_LW_W11)
{
	struct fixture f;

	start(&f, false, 0, 0);
	ck_assert_int_eq(check_paths(&f, "", false), 0);
	ck_assert_int_eq(check_paths(&f, "Content-Type: application/json\r\n", false), 0);
	stop(&f);
}
END_TEST

START_TEST(and_so_it_does_where_one_has_to_sign_in_LW_W4_LW_W11)
{
	char file[] = "/tmp/lanewatch-users.XXXXXX";
	const struct server_config c = {.listen = "127.0.0.1:0", .users_file = file};
	static const char token[] = "p:sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"; /* of "abc" */
	struct fixture f;
	int fd = mkstemp(file);

	ck_assert_int_eq(write(fd, token, sizeof token - 1), (ssize_t)sizeof token - 1);
	close(fd);
	start_as(&f, false, &c);
	unlink(file);
	ck_assert_int_gt(check_paths(&f, "", true), 80); /* GET and HEAD of all but two */
	ck_assert_int_eq(check_paths(&f, "Authorization: Bearer abc\r\n", true), 0);
	stop(&f);
}
END_TEST

UNIT_MAIN("web_server", a_reply_that_nobody_takes_is_ended_after_its_deadline_LW_W7,
	a_request_that_never_ends_is_ended_after_its_deadline_LW_W7, header_and_body_have_one_deadline_LW_W7,
	who_was_answered_keeps_no_place_for_long_in_a_crowd_LW_W7, a_server_ends_while_connections_and_streams_are_open,
	every_route_and_asset_answers_with_the_policy_and_errors_tell_strangers_nothing_LW_W4_LW_W11,
	and_so_it_does_where_one_has_to_sign_in_LW_W4_LW_W11)
