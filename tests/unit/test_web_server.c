/* SPDX-License-Identifier: MIT */
/* The server on a loop of the test's own, with deadlines that a test can wait for (SECURITY.md, W7). */
#include "base/clock.h"
#include "tests/unit/unit.h"
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

static void start(struct fixture *f, bool is_long, int request_ms, int reply_ms)
{
	const struct server_config c = {.listen = "127.0.0.1:0", .request_ms = request_ms, .reply_ms = reply_ms};
	struct err e = {""};

	memset(f, 0, sizeof *f);
	uv_loop_init(&f->loop);
	f->api = api_new();
	publish(f, is_long);
	f->server = server_new(&f->loop, &c, f->api, &e);
	ck_assert_msg(f->server != NULL, "%s", e.text);
	uv_timer_init(&f->loop, &f->tick);
	uv_timer_start(&f->tick, on_tick, 5, 5);
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

UNIT_MAIN("web_server", a_reply_that_nobody_takes_is_ended_after_its_deadline_LW_W7,
	a_request_that_never_ends_is_ended_after_its_deadline_LW_W7, a_server_ends_while_connections_and_streams_are_open)
