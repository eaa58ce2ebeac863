/* SPDX-License-Identifier: MIT */
/*
 * TLS as BMCs have it: certificates signed by themselves, by a house authority, expired, for
 * another name; and what one connection costs.  Keys are made at run time.
 */
#define _GNU_SOURCE 1
#include "base/http.h"
#include "tests/unit/http_ask.h"
#include "tests/unit/server.h"
#include "tests/unit/unit.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define DAY_S	 86400L
#define CA_PATH	 "/tmp/lanewatch-ca-XXXXXX"

/* ---- which files of authorities libcurl reads, where it is of the GnuTLS flavour ---- */

static int authorities_read;
static char authorities_from[256];

int gnutls_certificate_set_x509_trust_file(gnutls_certificate_credentials_t c, const char *file,
	gnutls_x509_crt_fmt_t type)
{
	int (*real)(gnutls_certificate_credentials_t, const char *, gnutls_x509_crt_fmt_t);

	*(void **)&real = dlsym(RTLD_NEXT, "gnutls_certificate_set_x509_trust_file");
	authorities_read++;
	str_copy(authorities_from, sizeof authorities_from, file);
	return real(c, file, type);
}

int gnutls_certificate_set_x509_trust_dir(gnutls_certificate_credentials_t c, const char *dir,
	gnutls_x509_crt_fmt_t type)
{
	(void)c, (void)type;
	authorities_read++;
	str_copy(authorities_from, sizeof authorities_from, dir);
	return 0;
}

/* ---- a house with an authority and some servers ---- */

enum who { HOUSE, GOOD, NAME, EXPIRED, EARLY, SELF, N_WHO };

struct house {
	struct identity ids[N_WHO];
	struct identity stranger; /* another authority */
	char ca[64], other_ca[64], self_ca[64];
};

static void house_init(struct house *h)
{
	const struct identity *ca = &h->ids[HOUSE];

	identity_make(&h->ids[HOUSE], (struct identity_wish){.authority = true});
	identity_make(&h->stranger, (struct identity_wish){.authority = true});
	identity_make(&h->ids[GOOD], (struct identity_wish){.ip = "127.0.0.1", .dns = "localhost", .issuer = ca});
	identity_make(&h->ids[NAME], (struct identity_wish){.dns = "bmc9.example.net", .issuer = ca});
	identity_make(&h->ids[EXPIRED], (struct identity_wish){.ip = "127.0.0.1", .issuer = ca,
		.from_s = -2 * DAY_S, .until_s = -DAY_S});
	identity_make(&h->ids[EARLY], (struct identity_wish){.ip = "127.0.0.1", .issuer = ca,
		.from_s = DAY_S, .until_s = 2 * DAY_S});
	identity_make(&h->ids[SELF], (struct identity_wish){.ip = "127.0.0.1"});
	str_copy(h->ca, sizeof h->ca, CA_PATH);
	str_copy(h->other_ca, sizeof h->other_ca, CA_PATH);
	str_copy(h->self_ca, sizeof h->self_ca, CA_PATH);
	identity_save(&h->ids[HOUSE], h->ca);
	identity_save(&h->stranger, h->other_ca);
	identity_save(&h->ids[SELF], h->self_ca);
}

static void house_release(struct house *h)
{
	for (size_t i = 0; i < N_WHO; i++)
		identity_release(&h->ids[i]);
	identity_release(&h->stranger);
	unlink(h->ca);
	unlink(h->other_ca);
	unlink(h->self_ca);
}

static bool say_hello(struct server *s, struct peer *p, const char *request)
{
	(void)s, (void)request;
	return peer_text(p, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
}

/* One request to a server of its own with this identity. */
static struct outcome ask_as(const struct identity *id, const char *priority, struct http_tls tls)
{
	struct server s = {.answer = say_hello, .priority = priority};
	struct outcome o;
	struct client c;
	char url[64];

	s.credentials = identity_credentials(id);
	server_start(&s);
	client_init(&c);
	o = ask(&c, (struct http_request){.url = server_url(&s, "/", url, sizeof url), .tls = tls});
	client_release(&c);
	server_stop(&s);
	gnutls_certificate_free_credentials(s.credentials);
	return o;
}

START_TEST(a_certificate_is_taken_or_refused_with_the_reason_LW_R9)
{
	enum ca { NONE, OURS, OTHER, ITSELF, MISSING };
	static const char self[] = "the certificate is signed by itself; give it as ca_file, or pin its key with tls_pin";
	static const char unknown[] = "the certificate is not signed by a known authority; give its CA with ca_file, "
				      "or pin its key with tls_pin";
	static const char name[] = "the certificate is for another host name; use the name that stands in it, "
				   "or pin its key with tls_pin";
	static const char expired[] = "the certificate has expired; renew it, or pin its key with tls_pin";
	static const char early[] = "the certificate is not valid yet; is the clock of this machine right?";
	static const char key[] = "the server's key is not the one of tls_pin: either its certificate was renewed, "
				  "or somebody else answers";
	static const struct {
		enum who server;
		enum ca ca;
		int pin; /* -1 none, else whose */
		bool insecure;
		const char *why; /* "" answered */
	} rows[] = {
		{SELF, NONE, -1, false, self},
		{GOOD, NONE, -1, false, unknown},
		{NAME, NONE, -1, false, unknown},
		{EXPIRED, NONE, -1, false, expired},
		{GOOD, OURS, -1, false, ""},
		{GOOD, OTHER, -1, false, unknown},
		{SELF, OURS, -1, false, self},
		{SELF, ITSELF, -1, false, ""},
		{NAME, OURS, -1, false, name},
		{EXPIRED, OURS, -1, false, expired},
		{EARLY, OURS, -1, false, early},
		{GOOD, MISSING, -1, false, "the CA file cannot be used"},
		/* a pin alone decides alone */
		{SELF, NONE, SELF, false, ""},
		{NAME, NONE, NAME, false, ""},
		{EXPIRED, NONE, EXPIRED, false, ""},
		{SELF, NONE, GOOD, false, key},
		{GOOD, NONE, HOUSE, false, key},
		/* with a CA file both must be right */
		{GOOD, OURS, GOOD, false, ""},
		{GOOD, OURS, SELF, false, key},
		{GOOD, OTHER, GOOD, false, unknown},
		{NAME, OURS, NAME, false, name},
		{EXPIRED, OURS, EXPIRED, false, expired},
		/* no verification: the pin is still held to, a CA file is not read */
		{SELF, NONE, -1, true, ""},
		{NAME, NONE, -1, true, ""},
		{EXPIRED, OTHER, -1, true, ""},
		{GOOD, MISSING, -1, true, ""},
		{SELF, NONE, SELF, true, ""},
		{SELF, NONE, GOOD, true, key},
	};
	struct house h;
	const char *files[] = {NULL, h.ca, h.other_ca, h.self_ca, "/nonexistent/ca.pem"};

	house_init(&h);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct http_tls tls = {.insecure = rows[i].insecure, .ca_file = files[rows[i].ca],
			.pin = rows[i].pin < 0 ? NULL : h.ids[rows[i].pin].pin};
		struct outcome o = ask_as(&h.ids[rows[i].server], NULL, tls);

		ck_assert_msg(o.end == (rows[i].why[0] ? HTTP_TLS_FAILED : HTTP_ANSWERED),
			"%zu: end %d %s", i, (int)o.end, o.why);
		if (rows[i].ca == MISSING)
			o.why[strlen(rows[i].why)] = '\0'; /* libcurl's words follow */
		ck_assert_msg(str_same(o.why, rows[i].why), "%zu: %s", i, o.why);
		free(o.body);
	}
	house_release(&h);
}
END_TEST

START_TEST(the_systems_authorities_are_read_only_where_they_decide)
{
	struct identity id;
	char ca[] = CA_PATH;
	struct http_tls quiet[] = {{.insecure = true}, {.pin = id.pin}, {.insecure = true, .ca_file = ca}};

	identity_make(&id, (struct identity_wish){.ip = "127.0.0.1"});
	identity_save(&id, ca);
	authorities_read = 0;
	for (size_t i = 0; i < COUNT(quiet); i++) {
		free(ask_as(&id, NULL, quiet[i]).body);
		ck_assert_msg(authorities_read == 0, "%zu: %s", i, authorities_from);
	}
	free(ask_as(&id, NULL, (struct http_tls){.ca_file = ca}).body);
	ck_assert_int_le(authorities_read, 1);
	ck_assert(authorities_read == 0 || str_same(authorities_from, ca));
	authorities_read = 0;
	free(ask_as(&id, NULL, (struct http_tls){0}).body);
	if (!authorities_read)
		puts("# libcurl is not of the GnuTLS flavour: nothing was counted");
	unlink(ca);
	identity_release(&id);
}
END_TEST

START_TEST(the_environment_names_no_authorities_LW_R9)
{
	struct identity id;
	char ca[] = CA_PATH;
	struct outcome o;

	identity_make(&id, (struct identity_wish){.ip = "127.0.0.1"});
	identity_save(&id, ca);
	setenv("SSL_CERT_FILE", ca, 1);
	setenv("CURL_CA_BUNDLE", ca, 1);
	o = ask_as(&id, NULL, (struct http_tls){0});
	ck_assert_int_eq(o.end, HTTP_TLS_FAILED);
	free(o.body);
	unlink(ca);
	identity_release(&id);
}
END_TEST

START_TEST(tls_before_1_2_is_refused_also_without_verification_LW_R9)
{
	static const struct {
		const char *priority;
		enum http_end end;
	} rows[] = {
		{"NORMAL:-VERS-ALL:+VERS-TLS1.0", HTTP_TLS_FAILED},
		{"NORMAL:-VERS-ALL:+VERS-TLS1.1", HTTP_TLS_FAILED},
		{"NORMAL:-VERS-ALL:+VERS-TLS1.2", HTTP_ANSWERED},
		{"NORMAL:-VERS-ALL:+VERS-TLS1.3", HTTP_ANSWERED},
	};
	struct identity id;

	identity_make(&id, (struct identity_wish){.ip = "127.0.0.1"});
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct outcome o = ask_as(&id, rows[i].priority, (struct http_tls){.insecure = true});

		ck_assert_msg(o.end == rows[i].end, "%s: %d %s", rows[i].priority, (int)o.end, o.why);
		if (o.end == HTTP_TLS_FAILED)
			ck_assert_msg(strstr(o.why, "TLS 1.2"), "%s", o.why);
		free(o.body);
	}
	identity_release(&id);
}
END_TEST

START_TEST(tls_to_a_plain_port_and_plain_to_a_tls_port_are_told)
{
	struct server plain = {.answer = say_hello}, tls = {.answer = say_hello};
	struct identity id;
	struct client c;
	struct outcome o;
	char url[64];

	identity_make(&id, (struct identity_wish){.ip = "127.0.0.1"});
	tls.credentials = identity_credentials(&id);
	server_start(&plain);
	server_start(&tls);
	client_init(&c);
	snprintf(url, sizeof url, "https://127.0.0.1:%d/", plain.port);
	o = ask(&c, (struct http_request){.url = url, .total_ms = 2000});
	ck_assert_msg(o.end == HTTP_TLS_FAILED || o.end == HTTP_TIMED_OUT, "%d %s", (int)o.end, o.why);
	free(o.body);
	snprintf(url, sizeof url, "http://127.0.0.1:%d/", tls.port);
	o = ask(&c, (struct http_request){.url = url, .total_ms = 2000});
	ck_assert_msg(o.end == HTTP_BROKEN, "%d %s", (int)o.end, o.why);
	free(o.body);
	client_release(&c);
	server_stop(&plain);
	server_stop(&tls);
	gnutls_certificate_free_credentials(tls.credentials);
	identity_release(&id);
}
END_TEST

START_TEST(a_handshake_that_never_comes_ends_at_the_connect_deadline_LW_R7)
{
	struct server s = {.answer = say_hello, .silent_tls = true};
	struct client c;
	struct outcome o;
	char url[64];

	server_start(&s);
	client_init(&c);
	o = ask(&c, (struct http_request){.url = server_url(&s, "/", url, sizeof url), .connect_ms = 300});
	ck_assert_int_eq(o.end, HTTP_TIMED_OUT);
	ck_assert_str_eq(o.why, "connected, but no TLS handshake in 0.3 s");
	free(o.body);
	client_release(&c);
	server_stop(&s);
}
END_TEST

START_TEST(a_pin_is_sha256_in_base64_and_never_a_file)
{
	static const char *const pins[] = {"/etc/passwd", "sha256//", "sha256//abc", "sha1//AAAA", "",
		"sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=;sha256//B",
		"sha256//AAAAAAAAAAAAAAAAAAAAA AAAAAAAAAAAAAAAAAAAAA="};
	struct client c;

	client_init(&c);
	for (size_t i = 0; i < COUNT(pins); i++) {
		struct outcome o = ask(&c, (struct http_request){.url = "https://127.0.0.1:1/", .tls.pin = pins[i]});

		ck_assert_msg(o.end == HTTP_NOT_ALLOWED, "%s: %d", pins[i], (int)o.end);
		ck_assert_ptr_nonnull(strstr(o.why, "tls_pin"));
		free(o.body);
	}
	client_release(&c);
}
END_TEST

START_TEST(a_connection_is_not_shared_by_requests_of_different_trust)
{
	struct server s = {.answer = say_hello};
	struct identity id, other;
	struct client c;
	struct outcome o;
	char url[64];

	identity_make(&id, (struct identity_wish){.ip = "127.0.0.1"});
	identity_make(&other, (struct identity_wish){.ip = "127.0.0.1"});
	s.credentials = identity_credentials(&id);
	server_start(&s);
	client_init(&c);
	server_url(&s, "/", url, sizeof url);
	for (int i = 0; i < 3; i++)
		free(ask(&c, (struct http_request){.url = url, .tls.pin = id.pin}).body);
	ck_assert_int_eq(s.connections, 1);
	free(ask(&c, (struct http_request){.url = url, .tls.insecure = true}).body);
	o = ask(&c, (struct http_request){.url = url});
	ck_assert_int_eq(o.end, HTTP_TLS_FAILED);
	free(o.body);
	o = ask(&c, (struct http_request){.url = url, .tls.pin = other.pin});
	ck_assert_int_eq(o.end, HTTP_TLS_FAILED);
	free(o.body);
	o = ask(&c, (struct http_request){.url = url, .tls = {.insecure = true, .pin = other.pin}});
	ck_assert_int_eq(o.end, HTTP_TLS_FAILED);
	free(o.body);
	client_release(&c);
	server_stop(&s);
	gnutls_certificate_free_credentials(s.credentials);
	identity_release(&id);
	identity_release(&other);
}
END_TEST

static bool close_after(struct server *s, struct peer *p, const char *request)
{
	return say_hello(s, p, request) && false;
}

START_TEST(a_certificate_that_changes_between_polls_is_noticed_LW_R9)
{
	struct server s = {.answer = close_after};
	gnutls_certificate_credentials_t first;
	struct identity id, renewed;
	struct client c;
	struct outcome o;
	char url[64];

	identity_make(&id, (struct identity_wish){.ip = "127.0.0.1"});
	identity_make(&renewed, (struct identity_wish){.ip = "127.0.0.1"});
	s.credentials = first = identity_credentials(&id);
	server_start(&s);
	client_init(&c);
	server_url(&s, "/", url, sizeof url);
	o = ask(&c, (struct http_request){.url = url, .tls.pin = id.pin});
	ck_assert_int_eq(o.end, HTTP_ANSWERED);
	free(o.body);
	s.credentials = identity_credentials(&renewed);
	o = ask(&c, (struct http_request){.url = url, .tls.pin = id.pin});
	ck_assert_int_eq(o.end, HTTP_TLS_FAILED);
	ck_assert_ptr_nonnull(strstr(o.why, "tls_pin"));
	free(o.body);
	client_release(&c);
	server_stop(&s);
	gnutls_certificate_free_credentials(first);
	gnutls_certificate_free_credentials(s.credentials);
	identity_release(&id);
	identity_release(&renewed);
}
END_TEST

/* ---- what a connection costs ---- */

static void count_answer(void *arg, const struct http_reply *r)
{
	int *answered = arg;

	ck_assert_msg(r->end == HTTP_ANSWERED, "%s", r->why);
	++*answered;
}

static size_t heap_bytes(void)
{
	return mallinfo2().uordblks;
}

/* Heap of one idle connection and the most while 20 are busy, each by the trust given. */
static void expect_small(const struct server *s, struct http_tls tls)
{
	enum { N = 20 };
	struct client c;
	size_t before, busy = 0, idle;
	int answered = 0;
	char url[64];

	client_init(&c);
	free(ask(&c, (struct http_request){.url = server_url(s, "/", url, sizeof url), .tls = tls}).body);
	before = heap_bytes();
	for (int i = 0; i < N; i++)
		http_send(c.http, &(struct http_request){.method = "GET", .url = url, .tls = tls},
			count_answer, &answered);
	while (answered < N) {
		uv_run(&c.loop, UV_RUN_ONCE);
		if (heap_bytes() > busy)
			busy = heap_bytes();
	}
	idle = heap_bytes();
	if (!is_instrumented()) {
		ck_assert_uint_gt(busy, before + (size_t)(N - 1) * 10000); /* it does measure something */
		ck_assert_msg(busy < before + (size_t)N * 150000, "%zu bytes each", (busy - before) / N);
		ck_assert_msg(idle < before + (size_t)N * 150000, "%zu bytes each", (idle - before) / N);
	}
	client_release(&c);
}

static bool say_hello_later(struct server *s, struct peer *p, const char *request)
{
	usleep(500000);
	return say_hello(s, p, request);
}

START_TEST(twenty_connections_take_less_than_150_kB_of_heap_each)
{
	struct server s = {.answer = say_hello_later};
	struct identity id;
	char ca[] = CA_PATH;

	identity_make(&id, (struct identity_wish){.ip = "127.0.0.1"});
	identity_save(&id, ca);
	s.credentials = identity_credentials(&id);
	server_fork(&s);
	expect_small(&s, (struct http_tls){.insecure = true});
	expect_small(&s, (struct http_tls){.pin = id.pin});
	expect_small(&s, (struct http_tls){.ca_file = ca});
	expect_small(&s, (struct http_tls){.ca_file = ca, .pin = id.pin});
	server_stop(&s);
	gnutls_certificate_free_credentials(s.credentials);
	unlink(ca);
	identity_release(&id);
}
END_TEST

UNIT_MAIN("http_tls", a_certificate_is_taken_or_refused_with_the_reason_LW_R9,
	the_systems_authorities_are_read_only_where_they_decide,
	the_environment_names_no_authorities_LW_R9,
	tls_before_1_2_is_refused_also_without_verification_LW_R9,
	tls_to_a_plain_port_and_plain_to_a_tls_port_are_told,
	a_handshake_that_never_comes_ends_at_the_connect_deadline_LW_R7,
	a_pin_is_sha256_in_base64_and_never_a_file,
	a_connection_is_not_shared_by_requests_of_different_trust,
	a_certificate_that_changes_between_polls_is_noticed_LW_R9,
	twenty_connections_take_less_than_150_kB_of_heap_each)
