/* SPDX-License-Identifier: MIT */
/*
 * What one connection to a BMC costs this side: CPU of a handshake and a small request, and
 * heap while 20 are open, by the kind of trust.  The server is a child process, so that only
 * the client is measured.  Prints one line each; nothing here can fail for being slow.
 */
#include "base/http.h"
#include "tests/unit/server.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define HELD 20

static bool answer_and_close(struct server *s, struct peer *p, const char *request)
{
	(void)s, (void)request;
	return peer_text(p, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}") && false;
}

static bool answer_late(struct server *s, struct peer *p, const char *request)
{
	(void)s, (void)request;
	usleep(300000);
	return peer_text(p, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
}

static void count(void *arg, const struct http_reply *r)
{
	int *done = arg;

	if (r->end != HTTP_ANSWERED) {
		fprintf(stderr, "http_connection: %s\n", r->why);
		exit(EXIT_FAILURE);
	}
	++*done;
}

static void send_one(struct http *h, const struct server *s, const struct http_tls *tls, int *done)
{
	char url[64];

	http_send(h, &(struct http_request){.method = "GET", .tls = *tls,
			.url = server_url(s, "/", url, sizeof url)}, count, done);
}

static double cpu_ms(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

/* CPU of one request over a new connection, the first left out. */
static double measure_cpu(struct http *h, uv_loop_t *loop, const struct server *s,
	const struct http_tls *tls, int n)
{
	double start = 0;
	int done = 0;

	for (int i = -1; i < n; i++) {
		if (i == 0)
			start = cpu_ms();
		send_one(h, s, tls, &done);
		uv_run(loop, UV_RUN_DEFAULT);
	}
	return (cpu_ms() - start) / n;
}

/* The most heap while HELD requests wait for their replies, for each, in kB. */
static double measure_heap(struct http *h, uv_loop_t *loop, const struct server *s, const struct http_tls *tls)
{
	size_t before, most = 0;
	int done = 0;

	send_one(h, s, tls, &done);
	uv_run(loop, UV_RUN_DEFAULT);
	before = mallinfo2().uordblks;
	for (int i = 0; i < HELD; i++)
		send_one(h, s, tls, &done);
	while (done < HELD + 1) {
		uv_run(loop, UV_RUN_ONCE);
		if (mallinfo2().uordblks > most)
			most = mallinfo2().uordblks;
	}
	return (double)(most - before) / HELD / 1000;
}

static void measure(const char *name, struct server *quick, struct server *late, struct http_tls tls, int n)
{
	struct err e;
	uv_loop_t loop;
	struct http *h;
	double cpu, heap;

	uv_loop_init(&loop);
	h = http_new(&loop, &e);
	if (!h) {
		fprintf(stderr, "http_connection: %s\n", e.text);
		exit(EXIT_FAILURE);
	}
	cpu = measure_cpu(h, &loop, quick, &tls, n);
	heap = measure_heap(h, &loop, late, &tls);
	printf("http connection, %-28s %6.2f ms CPU (mean of %d)  %6.0f kB heap (most of %d)\n", name, cpu, n,
		heap, HELD);
	http_free(h);
	uv_run(&loop, UV_RUN_DEFAULT);
	uv_loop_close(&loop);
}

int main(void)
{
	struct server plain = {.answer = answer_and_close}, plain_late = {.answer = answer_late};
	struct server tls = {.answer = answer_and_close}, tls_late = {.answer = answer_late};
	char ca[] = "/tmp/lanewatch-ca-XXXXXX";
	struct identity id;

	identity_make(&id, (struct identity_wish){.ip = "127.0.0.1"});
	identity_save(&id, ca);
	tls.credentials = tls_late.credentials = identity_credentials(&id);
	server_fork(&plain);
	server_fork(&plain_late);
	server_fork(&tls);
	server_fork(&tls_late);
	measure("plain", &plain, &plain_late, (struct http_tls){0}, 200);
	measure("TLS, not verified", &tls, &tls_late, (struct http_tls){.insecure = true}, 200);
	measure("TLS, pinned key", &tls, &tls_late, (struct http_tls){.pin = id.pin}, 200);
	measure("TLS, CA file", &tls, &tls_late, (struct http_tls){.ca_file = ca}, 200);
	server_stop(&plain);
	server_stop(&plain_late);
	server_stop(&tls);
	server_stop(&tls_late);
	unlink(ca);
	gnutls_certificate_free_credentials(tls.credentials);
	identity_release(&id);
	return EXIT_SUCCESS;
}
