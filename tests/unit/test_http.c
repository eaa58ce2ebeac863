/* SPDX-License-Identifier: MIT */
/*
 * HTTP as BMCs speak it, well and badly, against a server in the same process.  TLS is in
 * test_http_tls.c.
 */
#include "base/http.h"
#include "tests/unit/http_ask.h"
#include "tests/unit/server.h"
#include "tests/unit/unit.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define OK_HEAD	 "HTTP/1.1 200 OK\r\n"
#define HELLO	 OK_HEAD "Content-Length: 5\r\n\r\nhello"

/* ---- a resolver for the tests: libcurl finds this one first ---- */

/* "stuck.test" hangs for a while, "none.test" does not exist, everything else is loopback. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
	struct addrinfo **res);

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
	struct addrinfo **res)
{
	struct sockaddr_in *a;
	struct addrinfo *ai;

	if (strcmp(node, "stuck.test") == 0)
		sleep(1);
	if (strcmp(node, "none.test") == 0)
		return EAI_NONAME;
	(void)hints;
	ai = calloc(1, sizeof *ai + sizeof *a);
	if (!ai)
		return EAI_MEMORY;
	a = (struct sockaddr_in *)(ai + 1);
	a->sin_family = AF_INET;
	a->sin_port = htons((uint16_t)strtoul(service ? service : "0", NULL, 10));
	a->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*ai = (struct addrinfo){.ai_family = AF_INET, .ai_socktype = SOCK_STREAM,
		.ai_protocol = IPPROTO_TCP, .ai_addrlen = sizeof *a, .ai_addr = (struct sockaddr *)a};
	*res = ai;
	return 0;
}

void freeaddrinfo(struct addrinfo *ai)
{
	free(ai);
}

/* ---- answers ---- */

/* Sends the text that stands in a table; closes if told so. */
struct canned {
	struct server server; /* first: answers cast back */
	const char *text;
	size_t len; /* 0: a text */
	bool keep;
};

static bool send_canned(struct server *s, struct peer *p, const char *request)
{
	struct canned *c = (struct canned *)s;

	(void)request;
	return peer_send(p, c->text, c->len ? c->len : strlen(c->text)) && c->keep;
}

static struct outcome ask_canned(const char *text, size_t len, size_t body_max, const char *header)
{
	struct canned s = {.server.answer = send_canned, .text = text, .len = len};
	struct outcome o;
	struct client c;
	char url[64];

	server_start(&s.server);
	client_init(&c);
	o = ask_for(&c, (struct http_request){.url = server_url(&s.server, "/x", url, sizeof url),
			.body_max = body_max}, header);
	client_release(&c);
	server_stop(&s.server);
	return o;
}

static int64_t mono_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- what is sent ---- */

static bool say_hello(struct server *s, struct peer *p, const char *request)
{
	(void)s, (void)request;
	return peer_text(p, HELLO);
}

START_TEST(a_get_asks_politely_and_tells_nothing)
{
	static const char *const headers[] = {"X-Auth-Token: 5ecre7", "Accept: application/json", NULL};
	struct server s = {.answer = say_hello};
	struct client c;
	struct outcome o;
	char url[64];

	server_start(&s);
	client_init(&c);
	o = ask(&c, (struct http_request){.url = server_url(&s, "/redfish/v1/Chassis/a%20b?$top=5", url, sizeof url),
			.headers = headers});
	ck_assert_int_eq(o.end, HTTP_ANSWERED);
	ck_assert_int_eq(o.status, 200);
	ck_assert_str_eq(o.body, "hello");
	ck_assert(str_starts(s.last, "GET /redfish/v1/Chassis/a%20b?$top=5 HTTP/1.1\r\n"));
	ck_assert_ptr_nonnull(strstr(s.last, "\r\nX-Auth-Token: 5ecre7\r\n"));
	ck_assert_ptr_nonnull(strstr(s.last, "\r\nAccept: application/json\r\n"));
	ck_assert_ptr_nonnull(strstr(s.last, "\r\nUser-Agent: lanewatch/" PACKAGE_VERSION "\r\n"));
	ck_assert_ptr_nonnull(strstr(s.last, "\r\nAccept-Encoding: "));
	ck_assert_ptr_null(strstr(s.last, "Authorization"));
	ck_assert_ptr_null(strstr(s.last, "Cookie"));
	ck_assert_ptr_null(strstr(s.last, "Expect"));
	ck_assert_ptr_null(strstr(s.last, "Referer"));
	client_release(&c);
	server_stop(&s);
	free(o.body);
}
END_TEST

START_TEST(a_path_is_sent_as_it_was_checked)
{
	struct server s = {.answer = say_hello};
	struct client c;
	struct outcome o;
	char url[64];

	server_start(&s);
	client_init(&c);
	o = ask(&c, (struct http_request){.url = server_url(&s, "/a/../b/./c%2e%2e/", url, sizeof url)});
	ck_assert_int_eq(o.end, HTTP_ANSWERED);
	ck_assert(str_starts(s.last, "GET /a/../b/./c%2e%2e/ HTTP/1.1\r\n"));
	client_release(&c);
	server_stop(&s);
	free(o.body);
}
END_TEST

START_TEST(post_and_delete_carry_their_body_and_credentials)
{
	static const char *const headers[] = {"Content-Type: application/json", NULL};
	struct server s = {.answer = say_hello};
	struct client c;
	char url[64];

	server_start(&s);
	client_init(&c);
	free(ask(&c, (struct http_request){.method = "POST", .url = server_url(&s, "/s", url, sizeof url),
			     .headers = headers, .body = "{\"a\":\0}", .body_len = 7}).body);
	ck_assert(str_starts(s.last, "POST /s HTTP/1.1\r\n"));
	ck_assert_ptr_nonnull(strstr(s.last, "\r\nContent-Type: application/json\r\n"));
	ck_assert_ptr_nonnull(strstr(s.last, "\r\nContent-Length: 7\r\n"));
	ck_assert_ptr_null(strstr(s.last, "urlencoded"));
	ck_assert_mem_eq(strstr(s.last, "\r\n\r\n") + 4, "{\"a\":\0}", 7);
	free(ask(&c, (struct http_request){.method = "POST", .url = url, .headers = headers}).body);
	ck_assert_ptr_nonnull(strstr(s.last, "\r\nContent-Length: 0\r\n"));
	free(ask(&c, (struct http_request){.method = "DELETE", .url = url, .username = "root:x",
			     .password = "p:w"}).body);
	ck_assert(str_starts(s.last, "DELETE /s HTTP/1.1\r\n"));
	ck_assert_ptr_nonnull(strstr(s.last, "\r\nAuthorization: Basic cm9vdDp4OnA6dw==\r\n"));
	free(ask(&c, (struct http_request){.url = url, .username = "root"}).body);
	ck_assert_ptr_null(strstr(s.last, "Authorization"));
	client_release(&c);
	server_stop(&s);
}
END_TEST

START_TEST(a_request_that_could_carry_a_second_one_is_not_sent)
{
	static const char *const injected[] = {"X-Auth-Token: a\r\nX-Evil: 1", NULL};
	static const char *const bent[] = {"http://127.0.0.1:1/a b", "http://127.0.0.1:1/a\r\nX: 1",
		"http://127.0.0.1:1/\x7f", "http://", "http:///x", "http://[::1", "http://127.0.0.1:99999/",
		"http://u:p@127.0.0.1:1/"};
	struct server s = {.answer = say_hello};
	struct client c;
	struct outcome o;
	char url[64];

	server_start(&s);
	client_init(&c);
	o = ask(&c, (struct http_request){.url = server_url(&s, "/", url, sizeof url), .headers = injected});
	ck_assert_int_eq(o.end, HTTP_NOT_ALLOWED);
	free(o.body);
	for (size_t i = 0; i < COUNT(bent); i++) {
		o = ask(&c, (struct http_request){.url = bent[i]});
		ck_assert_msg(o.end == HTTP_NOT_ALLOWED, "%s: %d %s", bent[i], (int)o.end, o.why);
		free(o.body);
	}
	ck_assert_int_eq(s.connections, 0);
	client_release(&c);
	server_stop(&s);
}
END_TEST

START_TEST(other_schemes_than_http_are_refused_LW_R10)
{
	static const char *const urls[] = {"file:///etc/passwd", "FILE:///etc/passwd", "ftp://127.0.0.1/",
		"scp://127.0.0.1/", "gopher://127.0.0.1/", "dict://127.0.0.1/", "127.0.0.1", "", "//127.0.0.1/"};
	struct client c;

	client_init(&c);
	for (size_t i = 0; i < COUNT(urls); i++) {
		struct outcome o = ask(&c, (struct http_request){.url = urls[i]});

		ck_assert_msg(o.end == HTTP_NOT_ALLOWED && o.status == 0, "%s: %d", urls[i], (int)o.end);
		ck_assert_str_eq(o.body, "");
		free(o.body);
	}
	client_release(&c);
}
END_TEST

START_TEST(environment_and_netrc_change_nothing_LW_R9_LW_R10)
{
	static const char *const names[] = {"http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY",
		"all_proxy", "ALL_PROXY"};
	char home[] = "/tmp/lanewatch-home-XXXXXX", path[64], url[64], proxy[64];
	struct server s = {.answer = say_hello}, other = {.answer = say_hello};
	struct client c;
	FILE *f;

	ck_assert_ptr_nonnull(mkdtemp(home));
	snprintf(path, sizeof path, "%s/.netrc", home);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs("machine 127.0.0.1 login evil password evil\ndefault login evil password evil\n", f);
	fclose(f);
	chmod(path, 0600);
	server_start(&s);
	server_start(&other);
	setenv("HOME", home, 1);
	for (size_t i = 0; i < COUNT(names); i++)
		setenv(names[i], server_url(&other, "", proxy, sizeof proxy), 1);
	client_init(&c);
	free(ask(&c, (struct http_request){.url = server_url(&s, "/", url, sizeof url)}).body);
	ck_assert_int_eq(s.requests, 1);
	ck_assert_int_eq(other.connections, 0);
	ck_assert_ptr_null(strstr(s.last, "Authorization"));
	client_release(&c);
	server_stop(&s);
	server_stop(&other);
	unlink(path);
	rmdir(home);
}
END_TEST

/* ---- what is not followed ---- */

struct redirecting {
	struct server server;
	int status;
	const char *location;
};

static bool redirect(struct server *s, struct peer *p, const char *request)
{
	struct redirecting *r = (struct redirecting *)s;
	char text[256];

	(void)request;
	snprintf(text, sizeof text, "HTTP/1.1 %d Moved\r\nLocation: %s\r\nSet-Cookie: a=b\r\n"
				    "Content-Length: 0\r\n\r\n", r->status, r->location);
	return peer_text(p, text);
}

START_TEST(no_redirect_is_followed_LW_R1)
{
	static const int statuses[] = {301, 302, 303, 307, 308};
	static const char *const headers[] = {"X-Auth-Token: 5ecre7", NULL};
	struct server other = {.answer = say_hello};
	struct redirecting s = {.server.answer = redirect};
	char url[64], there[64], slashes[64];
	struct client c;

	server_start(&other);
	server_start(&s.server);
	client_init(&c);
	server_url(&other, "/", there, sizeof there);
	snprintf(slashes, sizeof slashes, "//127.0.0.1:%d/", other.port);
	for (size_t i = 0; i < COUNT(statuses); i++) {
		const char *const places[] = {there, slashes, "/other", "file:///etc/passwd"};

		for (size_t k = 0; k < COUNT(places); k++) {
			struct outcome o;

			s.status = statuses[i];
			s.location = places[k];
			o = ask_for(&c, (struct http_request){.url = server_url(&s.server, "/x", url, sizeof url),
					.headers = headers}, "location");
			ck_assert_int_eq(o.end, HTTP_ANSWERED);
			ck_assert_int_eq(o.status, statuses[i]);
			ck_assert_str_eq(o.wanted, places[k]);
			free(o.body);
		}
	}
	ck_assert_int_eq(other.connections, 0);
	ck_assert_int_eq(s.server.requests, 20);
	ck_assert_ptr_null(strstr(s.server.last, "Cookie"));
	client_release(&c);
	server_stop(&other);
	server_stop(&s.server);
}
END_TEST

/* ---- too much ---- */

static bool send_endless_chunks(struct server *s, struct peer *p, const char *request)
{
	static char chunk[8192];
	int head = snprintf(chunk, sizeof chunk, "1000\r\n");

	(void)s, (void)request;
	memset(chunk + head, 'x', 4096);
	memcpy(chunk + head + 4096, "\r\n", 3);
	if (!peer_text(p, OK_HEAD "Transfer-Encoding: chunked\r\n\r\n"))
		return false;
	while (peer_send(p, chunk, (size_t)head + 4098))
		;
	return false;
}

static struct {
	unsigned char data[400 << 10];
	size_t len;
} bomb;

/* 200 MiB of zeros in about 200 KiB of gzip */
static void make_bomb(void)
{
	static unsigned char zeros[1 << 20];
	z_stream z = {.next_out = bomb.data, .avail_out = sizeof bomb.data};

	ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
	for (int i = 0; i < 200; i++) {
		z.next_in = zeros;
		z.avail_in = sizeof zeros;
		ck_assert_int_ge(deflate(&z, i == 199 ? Z_FINISH : Z_NO_FLUSH), Z_OK);
	}
	bomb.len = sizeof bomb.data - z.avail_out;
	ck_assert_uint_gt(z.total_in, 200u << 20 >> 1);
	deflateEnd(&z);
}

static bool send_bomb(struct server *s, struct peer *p, const char *request)
{
	char head[128];

	(void)s, (void)request;
	snprintf(head, sizeof head, OK_HEAD "Content-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n", bomb.len);
	return peer_text(p, head) && peer_send(p, bomb.data, bomb.len);
}

static void expect_too_large(bool (*answer)(struct server *, struct peer *, const char *))
{
	struct server s = {.answer = answer};
	struct client c;
	struct outcome o;
	char url[64];
	int64_t t0;
	long rss;

	server_start(&s);
	client_init(&c);
	rss = rss_kib();
	t0 = mono_ms();
	o = ask(&c, (struct http_request){.url = server_url(&s, "/", url, sizeof url)});
	ck_assert_msg(o.end == HTTP_TOO_LARGE, "%d %s", (int)o.end, o.why);
	ck_assert_int_eq(o.status, 200);
	ck_assert_str_eq(o.body, "");
	ck_assert_str_eq(o.why, "the reply is larger than 4194304 bytes");
	ck_assert_int_lt(mono_ms() - t0, 5000);
	if (!is_instrumented())
		ck_assert_int_lt(rss_kib() - rss, 8 << 10);
	client_release(&c);
	server_stop(&s);
	free(o.body);
}

START_TEST(an_endless_chunked_body_ends_at_the_ceiling_LW_R3)
{
	expect_too_large(send_endless_chunks);
}
END_TEST

START_TEST(a_gzip_bomb_ends_at_the_ceiling_LW_R3)
{
	make_bomb();
	ck_assert_uint_lt(bomb.len, 300 << 10);
	expect_too_large(send_bomb);
}
END_TEST

START_TEST(a_length_that_lies_is_found_out_LW_R3)
{
	static const struct {
		const char *text;
		size_t body_max;
		enum http_end end;
		const char *body;
	} rows[] = {
		{OK_HEAD "Content-Length: 5000000\r\n\r\nhello", 0, HTTP_TOO_LARGE, ""},
		{OK_HEAD "Content-Length: 99999999999999999999999\r\n\r\nhello", 0, HTTP_TOO_LARGE, ""},
		{OK_HEAD "Content-Length: 50\r\n\r\nhello", 0, HTTP_BROKEN, ""},
		{OK_HEAD "Content-Length: 5\r\n\r\nhello and more", 0, HTTP_ANSWERED, "hello"},
		{OK_HEAD "Content-Length: 5\r\n\r\nhello", 5, HTTP_ANSWERED, "hello"},
		{OK_HEAD "Content-Length: 5\r\n\r\nhello", 4, HTTP_TOO_LARGE, ""},
		{OK_HEAD "\r\nhello", 5, HTTP_ANSWERED, "hello"},
		{OK_HEAD "\r\nhello", 4, HTTP_TOO_LARGE, ""},
		{"HTTP/1.0 200 OK\r\n\r\nhello", 5, HTTP_ANSWERED, "hello"},
		{OK_HEAD "Content-Length: 0\r\n\r\n", 5, HTTP_ANSWERED, ""},
		{"HTTP/1.1 204 No Content\r\n\r\n", 5, HTTP_ANSWERED, ""},
		{"HTTP/1.1 304 Not Modified\r\n\r\n", 5, HTTP_ANSWERED, ""},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct outcome o = ask_canned(rows[i].text, 0, rows[i].body_max, "");

		ck_assert_msg(o.end == rows[i].end, "%zu: %d %s", i, (int)o.end, o.why);
		ck_assert_str_eq(o.body, rows[i].body);
		free(o.body);
	}
}
END_TEST

static bool flood_headers(struct server *s, struct peer *p, const char *request)
{
	(void)s, (void)request;
	if (!peer_text(p, OK_HEAD))
		return false;
	while (peer_text(p, "X-Filler: abcdefghijklmnopqrstuvwxyz\r\n"))
		;
	return false;
}

static bool flood_one_header(struct server *s, struct peer *p, const char *request)
{
	(void)s, (void)request;
	if (!peer_text(p, OK_HEAD "X-Filler: "))
		return false;
	while (peer_text(p, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"))
		;
	return false;
}

static bool flood_continues(struct server *s, struct peer *p, const char *request)
{
	(void)s, (void)request;
	while (peer_text(p, "HTTP/1.1 100 Continue\r\nX: y\r\n\r\n"))
		;
	return false;
}

static bool flood_trailers(struct server *s, struct peer *p, const char *request)
{
	(void)s, (void)request;
	if (!peer_text(p, OK_HEAD "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"))
		return false;
	while (peer_text(p, "X-Filler: abcdefghijklmnopqrstuvwxyz\r\n"))
		;
	return false;
}

START_TEST(headers_without_end_are_too_large_LW_R8)
{
	static bool (*const floods[])(struct server *, struct peer *, const char *) = {
		flood_headers, flood_one_header, flood_continues, flood_trailers};

	for (size_t i = 0; i < COUNT(floods); i++) {
		struct server s = {.answer = floods[i]};
		struct client c;
		struct outcome o;
		char url[64];
		long rss;

		server_start(&s);
		client_init(&c);
		rss = rss_kib();
		o = ask(&c, (struct http_request){.url = server_url(&s, "/", url, sizeof url)});
		ck_assert_msg(o.end == HTTP_TOO_LARGE, "%zu: %d %s", i, (int)o.end, o.why);
		ck_assert_str_eq(o.body, "");
		if (!is_instrumented())
			ck_assert_int_lt(rss_kib() - rss, 4 << 10);
		client_release(&c);
		server_stop(&s);
		free(o.body);
	}
}
END_TEST

START_TEST(headers_up_to_64_KiB_are_read)
{
	static char text[70000];
	size_t len = (size_t)snprintf(text, sizeof text, OK_HEAD);
	struct outcome o;

	while (len < 60000)
		len += (size_t)snprintf(text + len, sizeof text - len, "X-Filler: %050zu\r\n", len);
	snprintf(text + len, sizeof text - len, "X-Last: yes\r\nContent-Length: 5\r\n\r\nhello");
	o = ask_canned(text, 0, 0, "x-last");
	ck_assert_int_eq(o.end, HTTP_ANSWERED);
	ck_assert_str_eq(o.wanted, "yes");
	free(o.body);
}
END_TEST

/* ---- too little ---- */

START_TEST(what_is_cut_or_no_http_is_broken_and_keeps_its_status)
{
	static const struct {
		const char *text;
		size_t len;
		int status;
	} rows[] = {
		{"", 0, 0},
		{"HTT", 0, 0},
		{"HTTP/1.1 200 OK\r\nContent-Ty", 0, 200},
		{"HTTP/1.1 100 Continue\r\n\r\n", 0, 0},
		{OK_HEAD "Content-Length: 10\r\n\r\nhel", 0, 200},
		{OK_HEAD "Transfer-Encoding: chunked\r\n\r\n5\r\nhel", 0, 200},
		{OK_HEAD "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", 0, 200},
		{OK_HEAD "Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n", 0, 200},
		{OK_HEAD "Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n", 0, 200},
		{OK_HEAD "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nhello", 0, 200},
		{OK_HEAD "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloXX0\r\n\r\n", 0, 200},
		/* the token has died and the reply with it: the session layer must still see 401 */
		{"HTTP/1.1 401 Unauthorized\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
		 "1f\r\n{\"error\":{\"code\"", 0, 401},
		{"HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\n{", 0, 401},
		{"HTTP/1.1 503 Busy\r\nContent-Length: 100\r\n\r\n{", 0, 503},
		{"SSH-2.0-OpenSSH_9.2p1\r\n", 0, 0},
		{"<html>hello</html>", 0, 0},
		{"\x15\x03\x03\x00\x02\x02\x46", 7, 0},
		{"\0\0\0\0\0\0\0\0", 8, 0},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct outcome o = ask_canned(rows[i].text, rows[i].len, 0, "");

		ck_assert_msg(o.end == HTTP_BROKEN, "%zu: end %d %s", i, (int)o.end, o.why);
		ck_assert_msg(o.status == rows[i].status, "%zu: status %d", i, o.status);
		ck_assert_str_eq(o.body, "");
		free(o.body);
	}
}
END_TEST

START_TEST(nobody_there_is_refused_and_an_unknown_name_is_no_name)
{
	struct client c;
	struct outcome o;

	client_init(&c);
	o = ask(&c, (struct http_request){.url = "http://127.0.0.1:1/"});
	ck_assert_int_eq(o.end, HTTP_REFUSED);
	ck_assert_str_eq(o.why, "connection refused; is the address right, and the port?");
	free(o.body);
	o = ask(&c, (struct http_request){.url = "http://none.test/"});
	ck_assert_int_eq(o.end, HTTP_NO_NAME);
	ck_assert_str_eq(o.why, "the name none.test does not resolve; is it spelled right?");
	free(o.body);
	client_release(&c);
}
END_TEST

/* ---- too slow ---- */

static bool say_nothing(struct server *s, struct peer *p, const char *request)
{
	(void)s, (void)request;
	peer_wait(p);
	return false;
}

static bool stop_in_the_body(struct server *s, struct peer *p, const char *request)
{
	peer_text(p, OK_HEAD "Content-Length: 10\r\n\r\nhel");
	return say_nothing(s, p, request);
}

static bool stop_in_the_headers(struct server *s, struct peer *p, const char *request)
{
	peer_text(p, OK_HEAD "Content-Le");
	return say_nothing(s, p, request);
}

static bool drip(struct server *s, struct peer *p, const char *request)
{
	(void)s, (void)request;
	if (!peer_text(p, OK_HEAD "Content-Length: 100000\r\n\r\n"))
		return false;
	while (peer_text(p, "x"))
		usleep(20000);
	return false;
}

START_TEST(a_server_that_stops_is_left_at_the_deadline_LW_R7)
{
	static const struct {
		bool (*answer)(struct server *, struct peer *, const char *);
		int status;
		const char *why;
	} rows[] = {
		{say_nothing, 0, "connected, but no reply in 0.4 s"},
		{stop_in_the_headers, 200, "the reply was not complete in 0.4 s"},
		{stop_in_the_body, 200, "the reply was not complete in 0.4 s"},
		{drip, 200, "the reply was not complete in 0.4 s"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct server s = {.answer = rows[i].answer};
		struct client c;
		struct outcome o;
		char url[64];
		int64_t t0;

		server_start(&s);
		client_init(&c);
		t0 = mono_ms();
		o = ask(&c, (struct http_request){.url = server_url(&s, "/", url, sizeof url), .total_ms = 400});
		ck_assert_msg(o.end == HTTP_TIMED_OUT, "%zu: %d %s", i, (int)o.end, o.why);
		ck_assert_msg(str_same(o.why, rows[i].why), "%zu: %s", i, o.why);
		ck_assert_int_eq(o.status, rows[i].status);
		ck_assert_int_ge(mono_ms() - t0, 390);
		ck_assert_int_lt(mono_ms() - t0, 2400);
		client_release(&c);
		server_stop(&s);
		free(o.body);
	}
}
END_TEST

START_TEST(a_host_that_does_not_take_the_connection_is_left_at_the_deadline_LW_R7)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0), full[4];
	socklen_t len = sizeof a;
	struct client c;
	struct outcome o;
	char url[64];

	/* a queue of connections that is full: the kernel drops the next one in silence */
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
	ck_assert_int_eq(listen(fd, 0), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	for (size_t i = 0; i < COUNT(full); i++) {
		full[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(full[i], (struct sockaddr *)&a, sizeof a);
	}
	client_init(&c);
	snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(a.sin_port));
	o = ask(&c, (struct http_request){.url = url, .connect_ms = 300});
	ck_assert_int_eq(o.end, HTTP_TIMED_OUT);
	ck_assert_str_eq(o.why, "no connection in 0.3 s; is the address right, and does a firewall let it through?");
	free(o.body);
	client_release(&c);
}
END_TEST

struct pulse {
	uv_timer_t timer;
	int64_t last_ms, worst_ms;
};

static void on_pulse(uv_timer_t *t)
{
	struct pulse *p = t->data;
	int64_t now = mono_ms();

	if (now - p->last_ms > p->worst_ms)
		p->worst_ms = now - p->last_ms;
	p->last_ms = now;
}

START_TEST(a_name_server_that_hangs_does_not_hold_the_loop_up_LW_A3)
{
	struct pulse pulse = {.last_ms = mono_ms()};
	struct outcome cancelled = {0}, o;
	struct http_call *call;
	struct client c;

	client_init(&c);
	uv_timer_init(&c.loop, &pulse.timer);
	pulse.timer.data = &pulse;
	uv_timer_start(&pulse.timer, on_pulse, 5, 5);
	call = http_send(c.http, &(struct http_request){.method = "GET", .url = "http://stuck.test/"},
		outcome_take, &cancelled);
	o = ask(&c, (struct http_request){.url = "http://stuck.test/", .total_ms = 300});
	ck_assert_int_eq(o.end, HTTP_TIMED_OUT);
	ck_assert_str_eq(o.why, "the name stuck.test was not resolved in 0.3 s; does the name server answer?");
	free(o.body);
	http_cancel(call);
	on_pulse(&pulse.timer);
	http_free(c.http);
	on_pulse(&pulse.timer);
	ck_assert_int_lt(pulse.worst_ms, is_instrumented() ? 1000 : 250);
	ck_assert_int_eq(cancelled.calls, 0);
	uv_close((uv_handle_t *)&pulse.timer, NULL);
	uv_run(&c.loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&c.loop), 0);
	sleep(2); /* let the resolver end: it would be reported as a leak */
}
END_TEST

/* ---- connections ---- */

START_TEST(a_connection_is_used_again)
{
	struct server s = {.answer = say_hello};
	struct client c;
	char url[64];

	server_start(&s);
	client_init(&c);
	for (int i = 0; i < 10; i++)
		free(ask(&c, (struct http_request){.url = server_url(&s, "/", url, sizeof url)}).body);
	ck_assert_int_eq(s.requests, 10);
	ck_assert_int_eq(s.connections, 1);
	client_release(&c);
	server_stop(&s);
}
END_TEST

START_TEST(idle_connections_of_many_servers_are_kept)
{
	static struct server s[110]; /* of more than two multi handles */
	struct client c;
	char url[64];

	client_init(&c);
	for (int round = 0; round < 3; round++)
		for (size_t i = 0; i < COUNT(s); i++) {
			s[i].answer = say_hello;
			if (round == 0)
				server_start(&s[i]);
			free(ask(&c, (struct http_request){.url = server_url(&s[i], "/", url, sizeof url)}).body);
		}
	for (size_t i = 0; i < COUNT(s); i++)
		ck_assert_int_eq(s[i].connections, 1);
	client_release(&c);
	for (size_t i = 0; i < COUNT(s); i++)
		server_stop(&s[i]);
}
END_TEST

static bool hello_then_close(struct server *s, struct peer *p, const char *request)
{
	return say_hello(s, p, request) && false;
}

START_TEST(a_connection_that_the_server_closed_is_replaced_unnoticed)
{
	struct server s = {.answer = hello_then_close};
	struct client c;
	char url[64];

	server_start(&s);
	client_init(&c);
	for (int i = 0; i < 5; i++) {
		struct outcome o = ask(&c, (struct http_request){.url = server_url(&s, "/", url, sizeof url)});

		ck_assert_msg(o.end == HTTP_ANSWERED, "%d: %s", i, o.why);
		free(o.body);
		usleep(20000);
	}
	ck_assert_int_eq(s.connections, 5);
	client_release(&c);
	server_stop(&s);
}
END_TEST

START_TEST(many_calls_at_once_all_end)
{
	struct server s = {.answer = say_hello};
	static struct outcome o[100];
	struct client c;
	char url[64];

	server_start(&s);
	client_init(&c);
	server_url(&s, "/", url, sizeof url);
	for (size_t i = 0; i < COUNT(o); i++)
		http_send(c.http, &(struct http_request){.method = "GET", .url = i % 10 ? url : "ftp://x/"},
			outcome_take, &o[i]);
	uv_run(&c.loop, UV_RUN_DEFAULT); /* ends: nothing keeps an idle loop alive */
	for (size_t i = 0; i < COUNT(o); i++) {
		ck_assert_int_eq(o[i].calls, 1);
		ck_assert_int_eq(o[i].end, i % 10 ? HTTP_ANSWERED : HTTP_NOT_ALLOWED);
		free(o[i].body);
	}
	client_release(&c);
	server_stop(&s);
}
END_TEST

/* ---- a ceiling ---- */

struct crowd {
	struct server server; /* first: answers cast back */
	atomic_int now, most;
};

static bool count_crowd(struct server *s, struct peer *p, const char *request)
{
	struct crowd *c = (struct crowd *)s;
	int now = atomic_fetch_add(&c->now, 1) + 1;

	if (now > atomic_load(&c->most))
		atomic_store(&c->most, now);
	usleep(3000);
	atomic_fetch_sub(&c->now, 1);
	return say_hello(s, p, request);
}

START_TEST(no_more_calls_are_under_way_than_may_be_and_all_get_their_turn)
{
	struct crowd s = {.server.answer = count_crowd};
	static struct outcome o[40];
	struct http_call *calls[COUNT(o)];
	struct client c;
	char url[64];

	server_start(&s.server);
	client_init(&c);
	http_limit(c.http, 3);
	server_url(&s.server, "/", url, sizeof url);
	for (size_t i = 0; i < COUNT(o); i++)
		calls[i] = http_send(c.http, &(struct http_request){.method = "GET", .url = i == 7 ? "ftp://x/" : url},
			outcome_take, &o[i]);
	http_cancel(calls[0]); /* one that is under way */
	http_cancel(calls[20]); /* one that waits */
	uv_run(&c.loop, UV_RUN_DEFAULT);
	for (size_t i = 0; i < COUNT(o); i++) {
		ck_assert_int_eq(o[i].calls, i != 0 && i != 20);
		if (o[i].calls)
			ck_assert_int_eq(o[i].end, i == 7 ? HTTP_NOT_ALLOWED : HTTP_ANSWERED);
		free(o[i].body);
	}
	/* the one that was cancelled may still have been answered by the server */
	ck_assert_int_le(atomic_load(&s.most), 4);
	ck_assert_int_ge(atomic_load(&s.most), 2);
	client_release(&c);
	server_stop(&s.server);
}
END_TEST

/* ---- cancelling ---- */

struct group {
	struct http *http;
	struct http_call *calls[20];
	int done;
	bool free_all;
};

static void cancel_the_others(void *arg, const struct http_reply *r)
{
	struct group *g = arg;

	(void)r;
	g->done++;
	if (g->free_all) {
		http_free(g->http);
		return;
	}
	for (size_t i = 1; i < COUNT(g->calls); i++)
		http_cancel(g->calls[i]);
}

static void count_done(void *arg, const struct http_reply *r)
{
	struct group *g = arg;

	(void)r;
	g->done++;
}

/* The first call to end (it has no connection to wait for) takes the others along. */
static void run_group(const char *first, bool free_all)
{
	struct server s = {.answer = say_hello};
	struct client c;
	struct group g = {.free_all = free_all};
	char url[64];

	server_start(&s);
	client_init(&c);
	g.http = c.http;
	server_url(&s, "/", url, sizeof url);
	g.calls[0] = http_send(c.http, &(struct http_request){.method = "GET", .url = first ? first : url},
		cancel_the_others, &g);
	for (size_t i = 1; i < COUNT(g.calls); i++)
		g.calls[i] = http_send(c.http, &(struct http_request){.method = "GET",
				.url = i % 4 == 1 && first ? "file:///" : i % 4 == 2 ? "http://127.0.0.1:1/" : url},
			first ? count_done : cancel_the_others, &g);
	if (!first)
		usleep(50000); /* all of them end in one turn */
	uv_run(&c.loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(g.done, 1);
	if (!free_all)
		http_free(c.http);
	uv_run(&c.loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&c.loop), 0);
	server_stop(&s);
}

START_TEST(done_may_cancel_every_other_call)
{
	run_group("ftp://x/", false);
}
END_TEST

START_TEST(done_may_free_the_whole_client)
{
	run_group("ftp://x/", true);
	run_group(NULL, true);
}
END_TEST

START_TEST(a_client_may_be_freed_with_calls_under_way)
{
	struct server quiet = {.answer = say_nothing}, endless = {.answer = drip};
	static const char *const names[] = {"http://stuck.test/", "file:///", "http://127.0.0.1:1/"};
	struct outcome o = {0};
	struct client c;
	char url[64];

	server_start(&quiet);
	server_start(&endless);
	for (int turns = 0; turns < 6; turns++) {
		client_init(&c);
		for (size_t i = 0; i < COUNT(names); i++)
			http_send(c.http, &(struct http_request){.method = "GET", .url = names[i]}, outcome_take, &o);
		for (int i = 0; i < 3; i++) {
			http_send(c.http, &(struct http_request){.method = "GET",
					.url = server_url(&quiet, "/", url, sizeof url)}, outcome_take, &o);
			http_send(c.http, &(struct http_request){.method = "GET",
					.url = server_url(&endless, "/", url, sizeof url)}, outcome_take, &o);
		}
		for (int i = 0; i < turns; i++)
			uv_run(&c.loop, UV_RUN_NOWAIT);
		client_release(&c);
	}
	server_stop(&quiet);
	server_stop(&endless);
	free(o.body);
	sleep(2);
}
END_TEST

static void send_again(void *arg, const struct http_reply *r)
{
	struct group *g = arg;

	(void)r;
	if (++g->done < 50)
		http_send(g->http, &(struct http_request){.method = "GET",
				.url = g->done % 2 ? "file:///" : "http://127.0.0.1:1/"}, send_again, g);
}

START_TEST(done_may_send_the_next_request)
{
	struct client c;
	struct group g = {0};

	client_init(&c);
	g.http = c.http;
	http_send(c.http, &(struct http_request){.method = "GET", .url = "file:///"}, send_again, &g);
	uv_run(&c.loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(g.done, 50);
	client_release(&c);
}
END_TEST

/* ---- headers ---- */

START_TEST(the_last_header_of_a_name_is_given_trimmed_or_not_at_all)
{
	static const struct {
		const char *headers, *name, *value;
	} rows[] = {
		{"X-Auth-Token: abc\r\n", "X-Auth-Token", "abc"},
		{"x-auth-token:abc\r\n", "X-Auth-Token", "abc"},
		{"X-AUTH-TOKEN: \t abc \t\r\n", "x-auth-token", "abc"},
		{"X-Auth-Token: a\r\nX-Auth-Token: b\r\n", "X-Auth-Token", "b"},
		{"X-Auth-Token:\r\n", "X-Auth-Token", ""},
		{"X-Auth-Token: a b:c\r\n", "X-Auth-Token", "a b:c"},
		{"X-Auth-Token-Extra: a\r\n", "X-Auth-Token", "(none)"},
		{"Y: X-Auth-Token: a\r\n", "X-Auth-Token", "(none)"},
		{"Y: a\r\n", "X-Auth-Token", "(none)"},
		{"X-Auth-Token: a\x01" "b\r\n", "X-Auth-Token", "(none)"},
		{"X-Auth-Token: a\x1b[31m\r\n", "X-Auth-Token", "(none)"},
		{"X-Auth-Token: a\tb\r\n", "X-Auth-Token", "(none)"},
		{"X-Auth-Token: a\x7f\r\n", "X-Auth-Token", "(none)"},
		{"X-Auth-Token: a\r\n b\r\n", "X-Auth-Token", "(none)"},
		{"X-Auth-Token: a\r\nY: a\r\n b\r\n", "X-Auth-Token", "a"},
		{"Location: /redfish/v1/SessionService/Sessions/1\r\n", "location",
			"/redfish/v1/SessionService/Sessions/1"},
	};
	char text[512];

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct outcome o;

		snprintf(text, sizeof text, OK_HEAD "%sContent-Length: 5\r\n\r\nhello", rows[i].headers);
		o = ask_canned(text, 0, 0, rows[i].name);
		ck_assert_msg(o.end == HTTP_ANSWERED, "%zu: %s", i, o.why);
		ck_assert_msg(str_same(o.wanted, rows[i].value), "%zu: %s", i, o.wanted);
		free(o.body);
	}
}
END_TEST

START_TEST(a_header_longer_than_its_place_is_none)
{
	const struct http_reply r = {.header_block = "HTTP/1.1 200 OK\r\nA: 1234567\r\nB: 12345678\r\nC: 1"};
	char out[8] = "x";

	ck_assert(http_reply_header(&r, "a", out, sizeof out));
	ck_assert_str_eq(out, "1234567");
	ck_assert(!http_reply_header(&r, "b", out, sizeof out));
	ck_assert(http_reply_header(&r, "c", out, sizeof out));
	ck_assert_str_eq(out, "1");
	ck_assert(!http_reply_header(&(struct http_reply){.header_block = ""}, "a", out, sizeof out));
	ck_assert(!http_reply_header(&(struct http_reply){.header_block = "a"}, "a", out, sizeof out));
}
END_TEST

START_TEST(a_busy_reply_tells_how_long_to_wait_in_seconds_or_as_a_date_within_bounds)
{
	static const struct {
		int status;
		const char *headers;
		int64_t wait_ms;
	} rows[] = {
		{503, "Retry-After: 7", 7000},
		{429, "retry-after:   120  ", 120000},
		{503, "Retry-After: 0", HTTP_RETRY_MIN_MS},
		{503, "Retry-After: 601", HTTP_RETRY_MAX_MS},
		{503, "Retry-After: 184467440737095516160", HTTP_RETRY_MAX_MS},
		{503, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\nDate: Sun, 06 Nov 1994 08:49:00 GMT", 37000},
		{503, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\nDate: Sun, 06 Nov 1994 09:49:00 GMT", HTTP_RETRY_MIN_MS},
		{503, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\nDate: yesterday", 17000}, /* our clock: ...:20 */
		{503, "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", HTTP_RETRY_MAX_MS},
		{503, "Retry-After: Sunday, 06-Nov-94 08:49:37 GMT\r\nDate: Sun Nov  6 08:49:00 1994", 37000},
		{503, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT and more", 0},
		{503, "Retry-After: soon", 0},
		{503, "Retry-After: ", 0},
		{503, "Retry-After: 1.5", 0},
		{503, "Server: x", 0},
		{200, "Retry-After: 7", 0},
		{500, "Retry-After: 7", 0},
	};
	const int64_t now_ms = INT64_C(784111760) * 1000;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct http_reply r = {.status = rows[i].status, .header_block = rows[i].headers};

		ck_assert_msg(http_reply_retry_after_ms(&r, now_ms) == rows[i].wait_ms, "%s: %lld", rows[i].headers,
			(long long)http_reply_retry_after_ms(&r, now_ms));
	}
}
END_TEST

START_TEST(headers_of_an_earlier_block_and_trailers_are_not_the_replys)
{
	struct outcome o;

	o = ask_canned("HTTP/1.1 100 Continue\r\nX-Who: early\r\n\r\n" HELLO, 0, 0, "x-who");
	ck_assert_int_eq(o.end, HTTP_ANSWERED);
	ck_assert_int_eq(o.status, 200);
	ck_assert_str_eq(o.wanted, "(none)");
	ck_assert_str_eq(o.body, "hello");
	free(o.body);
	o = ask_canned(OK_HEAD "X-Who: reply\r\nTransfer-Encoding: chunked\r\n\r\n"
			       "5\r\nhello\r\n0\r\nX-Who: trailer\r\n\r\n", 0, 0, "x-who");
	ck_assert_int_eq(o.end, HTTP_ANSWERED);
	ck_assert_str_eq(o.wanted, "reply");
	ck_assert_str_eq(o.body, "hello");
	free(o.body);
}
END_TEST

START_TEST(a_nul_in_the_headers_hides_none_of_them)
{
	static const char text[] = OK_HEAD "A: x\0y\r\nX-Who: reply\r\nContent-Length: 5\r\n\r\nhello";
	struct outcome o = ask_canned(text, sizeof text - 1, 0, "a");

	ck_assert(o.end == HTTP_BROKEN || (o.end == HTTP_ANSWERED && str_same(o.wanted, "(none)")));
	free(o.body);
}
END_TEST

/* ---- encodings ---- */

static size_t compress_hello(unsigned char *out, size_t size, int window_bits)
{
	z_stream z = {.next_out = out, .avail_out = (unsigned)size};

	ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (unsigned char *)(uintptr_t)"hello";
	z.avail_in = 5;
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return size - z.avail_out;
}

static struct outcome ask_encoded(const char *encoding, const void *body, size_t len)
{
	char text[1024];
	int head = snprintf(text, sizeof text, OK_HEAD "Content-Encoding: %s\r\nContent-Length: %zu\r\n\r\n",
		encoding, len);

	memcpy(text + head, body, len);
	return ask_canned(text, (size_t)head + len, 0, "");
}

START_TEST(compressed_replies_are_read)
{
	static const struct {
		const char *encoding;
		int window_bits;
	} rows[] = {{"gzip", 31}, {"x-gzip", 31}, {"GZIP", 31}, {"deflate", 15}, {"deflate", -15},
		{"identity", 0}, {"none", 0}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		unsigned char data[100] = "hello";
		size_t len = rows[i].window_bits ? compress_hello(data, sizeof data, rows[i].window_bits) : 5;
		struct outcome o = ask_encoded(rows[i].encoding, data, len);

		ck_assert_msg(o.end == HTTP_ANSWERED, "%s: %s", rows[i].encoding, o.why);
		ck_assert_str_eq(o.body, "hello");
		free(o.body);
	}
}
END_TEST

START_TEST(a_reply_that_cannot_be_decompressed_is_broken)
{
	unsigned char data[100];
	size_t len = compress_hello(data, sizeof data, 31);
	struct outcome o;

	o = ask_encoded("gzip", "this is no gzip at all", 22);
	ck_assert_msg(o.end == HTTP_BROKEN, "%d %s", (int)o.end, o.why);
	ck_assert_int_eq(o.status, 200);
	ck_assert(str_starts(o.why, "the reply cannot be decompressed"));
	free(o.body);
	o = ask_encoded("martian", "hello", 5);
	ck_assert_int_eq(o.end, HTTP_BROKEN);
	free(o.body);
	data[15] ^= 0x55; /* the checksum, or the data before it */
	o = ask_encoded("gzip", data, len);
	ck_assert_int_eq(o.end, HTTP_BROKEN);
	free(o.body);
}
END_TEST

START_TEST(a_stack_of_encodings_ends)
{
	struct outcome o = ask_encoded("gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip", "x", 1);

	ck_assert_int_eq(o.end, HTTP_BROKEN);
	free(o.body);
}
END_TEST

UNIT_MAIN("http", a_get_asks_politely_and_tells_nothing, a_path_is_sent_as_it_was_checked,
	post_and_delete_carry_their_body_and_credentials,
	a_request_that_could_carry_a_second_one_is_not_sent, other_schemes_than_http_are_refused_LW_R10,
	environment_and_netrc_change_nothing_LW_R9_LW_R10, no_redirect_is_followed_LW_R1,
	an_endless_chunked_body_ends_at_the_ceiling_LW_R3, a_gzip_bomb_ends_at_the_ceiling_LW_R3,
	a_length_that_lies_is_found_out_LW_R3, headers_without_end_are_too_large_LW_R8,
	headers_up_to_64_KiB_are_read, what_is_cut_or_no_http_is_broken_and_keeps_its_status,
	nobody_there_is_refused_and_an_unknown_name_is_no_name,
	a_server_that_stops_is_left_at_the_deadline_LW_R7,
	a_host_that_does_not_take_the_connection_is_left_at_the_deadline_LW_R7,
	a_name_server_that_hangs_does_not_hold_the_loop_up_LW_A3, a_connection_is_used_again,
	idle_connections_of_many_servers_are_kept,
	a_connection_that_the_server_closed_is_replaced_unnoticed, many_calls_at_once_all_end,
	no_more_calls_are_under_way_than_may_be_and_all_get_their_turn,
	done_may_cancel_every_other_call, done_may_free_the_whole_client,
	a_client_may_be_freed_with_calls_under_way, done_may_send_the_next_request,
	the_last_header_of_a_name_is_given_trimmed_or_not_at_all,
	a_header_longer_than_its_place_is_none,
	a_busy_reply_tells_how_long_to_wait_in_seconds_or_as_a_date_within_bounds,
	headers_of_an_earlier_block_and_trailers_are_not_the_replys,
	a_nul_in_the_headers_hides_none_of_them, compressed_replies_are_read,
	a_reply_that_cannot_be_decompressed_is_broken, a_stack_of_encodings_ends)
