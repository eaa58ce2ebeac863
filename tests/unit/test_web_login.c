/* SPDX-License-Identifier: MIT */
/* Who may see the pages (SECURITY.md, W8), and when that may start on an address (W1). */
#include "base/clock.h"
#include "tests/unit/unit.h"
#include "web/login.h"
#include "web/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define TOKEN_DIGEST "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" /* of "abc" */

static char path[] = "/tmp/lanewatch-login.XXXXXX";

static const char *file_of(const char *text)
{
	int fd;

	memcpy(path + sizeof path - 7, "XXXXXX", 6);
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return path;
}

static struct login *login_of(const char *text, struct err *e)
{
	struct login *l = login_new(file_of(text), e);

	unlink(path);
	return l;
}

/* "anna:HASH\n" of a password. */
static void line_of(const char *name, const char *password, char *out, size_t size)
{
	char hash[LOGIN_HASH_MAX];

	ck_assert(login_hash_password(password, hash));
	snprintf(out, size, "%s:%s\n", name, hash);
}

static struct sockaddr *from(struct sockaddr_in *a, const char *address)
{
	*a = (struct sockaddr_in){.sin_family = AF_INET};
	inet_pton(AF_INET, address, &a->sin_addr);
	return (struct sockaddr *)a;
}

static const struct {
	const char *text, *wrong; /* NULL: nothing */
} files[] = {
	{"prometheus:" TOKEN_DIGEST "\n", NULL},
	{"# who may look\n\nprometheus:" TOKEN_DIGEST, NULL},
	{"prometheus:" TOKEN_DIGEST "\r\n", NULL},
	{"", "nobody stands in it"},
	{"# nobody\n", "nobody stands in it"},
	{"anna\n", ":1: not NAME:HASH"},
	{"\n:x\n", ":2: the name is empty"},
	{"anna:\n", ":1: no hash of bcrypt or yescrypt"},
	{"anna:geheim\n", ":1: no hash"},
	{"anna:$1$abc$0123456789012345678901\n", ":1: no hash"},
	{"anna:$6$abc$xyz\n", ":1: no hash"},
	{"anna:rqXexS6ZhobKA\n", ":1: no hash"},
	{"p:sha256:ba78\n", ":1: no hash"},
	{"p:sha256:BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n", ":1: no hash"},
	{"p:" TOKEN_DIGEST "\np:" TOKEN_DIGEST "\n", ":2: the name stands there already"},
	{"a\033b:" TOKEN_DIGEST "\n", ":1: the name contains what cannot be printed"},
	{"0123456789012345678901234567890123456789012345678901234567890123:" TOKEN_DIGEST "\n", ":1: the name is empty or longer"},
};

START_TEST(a_file_of_users_is_right_or_its_line_is_told_LW_W8)
{
	for (size_t i = 0; i < COUNT(files); i++) {
		struct err e = {""};
		struct login *l = login_of(files[i].text, &e);

		ck_assert_msg(!l == !!files[i].wrong, "row %zu: %s", i, e.text);
		if (files[i].wrong)
			ck_assert_msg(strstr(e.text, files[i].wrong) != NULL, "row %zu: %s", i, e.text);
		login_free(l);
	}
}
END_TEST

START_TEST(a_file_that_others_can_read_is_refused)
{
	struct err e = {""};

	file_of("p:" TOKEN_DIGEST "\n");
	chmod(path, 0644);
	ck_assert_ptr_null(login_new(path, &e));
	ck_assert_msg(strstr(e.text, "chmod 600") != NULL, "%s", e.text);
	unlink(path);
}
END_TEST

/* base64 of NAME:PASSWORD */
#define ANNA_ROSE "Basic YW5uYTpyb3Nl"
#define ANNA_LILY "Basic YW5uYTpsaWx5"
#define BOB_ROSE  "Basic Ym9iOnJvc2U="

static const struct {
	const char *header;
	enum login_answer answer;
} headers[] = {
	{NULL, LOGIN_NONE},
	{"", LOGIN_NONE},
	{"Bearer abc", LOGIN_TOKEN},
	{"bearer  abc", LOGIN_TOKEN},
	{"Bearer abd", LOGIN_NONE},
	{"Bearer", LOGIN_NONE},
	{"Bearer ", LOGIN_NONE},
	{"Bearerabc", LOGIN_NONE},
	{"Digest abc", LOGIN_NONE},
	{"Basic", LOGIN_NONE},
	{"Basic !!!", LOGIN_NONE},
	{"Basic YW5uYQ==", LOGIN_NONE},		/* no colon */
	{"Basic OnJvc2U=", LOGIN_NONE},		/* no name */
	{"Basic YW5uYTo=", LOGIN_NONE},		/* no password */
	{"Basic YW5uYQByb3NlOng=", LOGIN_NONE}, /* a NUL */
	{"Basic cDphYmM=", LOGIN_TRY},		/* a token's name is no user's: as if unknown */
	{ANNA_ROSE, LOGIN_TRY},
	{BOB_ROSE, LOGIN_TRY},
};

START_TEST(a_header_is_a_token_a_password_or_nothing_LW_W8)
{
	char text[1024];
	struct err e;

	line_of("anna", "rose", text, 512);
	snprintf(text + strlen(text), 200, "%s", "p:" TOKEN_DIGEST "\n");
	for (size_t i = 0; i < COUNT(headers); i++) {
		struct login *l = login_of(text, &e);
		struct login_try t;
		struct sockaddr_in a;

		ck_assert_ptr_nonnull(l);
		ck_assert_msg(login_look(l, headers[i].header, from(&a, "192.0.2.1"), &t) == headers[i].answer, "row %zu", i);
		login_free(l);
	}
}
END_TEST

START_TEST(an_unknown_user_costs_what_a_known_one_does_LW_W8)
{
	char text[1024];
	struct login_try known, unknown;
	struct sockaddr_in a;
	struct login *l;
	struct err e;

	line_of("anna", "rose", text, sizeof text);
	l = login_of(text, &e);
	ck_assert_int_eq(login_look(l, ANNA_LILY, from(&a, "192.0.2.1"), &known), LOGIN_TRY);
	ck_assert_int_eq(login_look(l, BOB_ROSE, from(&a, "192.0.2.1"), &unknown), LOGIN_TRY);
	ck_assert_str_eq(known.hash, unknown.hash); /* one call of crypt(3) each, with the same settings */
	login_try_run(&known);
	login_try_run(&unknown);
	ck_assert(!known.right);
	ck_assert_msg(!unknown.right, "bob came in with anna's password");
	login_free(l);
}
END_TEST

START_TEST(a_right_password_is_remembered_for_five_minutes_and_for_one_file_LW_W8)
{
	char text[1024], other[1024];
	struct sockaddr_in a;
	struct login_try t;
	struct login *l;
	struct err e;

	line_of("anna", "rose", text, sizeof text);
	line_of("anna", "lily", other, sizeof other);
	clock_set(0, 1000000);
	l = login_of(text, &e);
	ck_assert_int_eq(login_look(l, ANNA_ROSE, from(&a, "192.0.2.1"), &t), LOGIN_TRY);
	login_try_run(&t);
	ck_assert(t.right);
	login_took(l, &t);
	ck_assert_int_eq(login_look(l, ANNA_ROSE, from(&a, "192.0.2.1"), &t), LOGIN_RIGHT);
	ck_assert_str_eq(t.user, "anna");
	ck_assert_int_eq(login_look(l, ANNA_ROSE, from(&a, "192.0.2.2"), &t), LOGIN_TRY); /* or it could be guessed there without a wait */
	ck_assert_int_eq(login_look(l, ANNA_LILY, from(&a, "192.0.2.1"), &t), LOGIN_TRY);
	ck_assert_int_eq(login_look(l, BOB_ROSE, from(&a, "192.0.2.1"), &t), LOGIN_TRY);
	clock_set(0, 1000000 + 5 * 60 * 1000 + 1);
	ck_assert_int_eq(login_look(l, ANNA_ROSE, from(&a, "192.0.2.1"), &t), LOGIN_TRY);
	login_try_run(&t);
	login_free(l);
	l = login_of(other, &e);
	login_took(l, &t); /* of a file that was read anew meanwhile: not remembered */
	ck_assert_int_eq(login_look(l, ANNA_ROSE, from(&a, "192.0.2.1"), &t), LOGIN_TRY);
	login_free(l);
}
END_TEST

START_TEST(after_five_wrong_ones_an_address_has_a_try_each_two_seconds_LW_W8)
{
	char text[1024];
	struct sockaddr_in a;
	struct login_try t;
	struct login *l;
	struct err e;

	line_of("anna", "rose", text, sizeof text);
	clock_set(0, 1000000);
	l = login_of(text, &e);
	for (int i = 0; i < 5; i++) {
		ck_assert_int_eq(login_look(l, ANNA_LILY, from(&a, "192.0.2.1"), &t), LOGIN_TRY);
		login_took(l, &t);
	}
	ck_assert_int_eq(login_look(l, ANNA_ROSE, from(&a, "192.0.2.1"), &t), LOGIN_LATER);
	ck_assert_int_eq(login_look(l, ANNA_LILY, from(&a, "192.0.2.2"), &t), LOGIN_TRY); /* others are not held up */
	clock_set(0, 1000000 + 2000);
	ck_assert_int_eq(login_look(l, ANNA_LILY, from(&a, "192.0.2.1"), &t), LOGIN_TRY);
	ck_assert_int_eq(login_look(l, ANNA_ROSE, from(&a, "192.0.2.1"), &t), LOGIN_LATER);
	clock_set(0, 1000000 + 4000);
	ck_assert_int_eq(login_look(l, ANNA_ROSE, from(&a, "192.0.2.1"), &t), LOGIN_TRY);
	login_try_run(&t);
	login_took(l, &t);
	ck_assert_int_eq(login_look(l, ANNA_ROSE, from(&a, "192.0.2.1"), &t), LOGIN_RIGHT);
	ck_assert_int_eq(login_look(l, ANNA_LILY, from(&a, "192.0.2.1"), &t), LOGIN_TRY); /* counted from none again */
	login_free(l);
}
END_TEST

START_TEST(many_at_once_are_not_one_try_LW_W8)
{
	char text[1024];
	struct sockaddr_in a;
	struct login_try t;
	struct login *l;
	struct err e;
	int tries = 0;

	line_of("anna", "rose", text, sizeof text);
	clock_set(0, 1000000);
	l = login_of(text, &e);
	for (int i = 0; i < 50; i++)
		tries += login_look(l, ANNA_LILY, from(&a, "192.0.2.1"), &t) == LOGIN_TRY;
	ck_assert_int_eq(tries, 5);
	login_free(l);
}
END_TEST

START_TEST(a_token_that_is_made_is_let_in)
{
	char token[LOGIN_TOKEN_MAX], again[LOGIN_TOKEN_MAX], hash[LOGIN_HASH_MAX], text[512], header[100];
	struct sockaddr_in a;
	struct login_try t;
	struct login *l;
	struct err e;

	ck_assert(login_make_token(again, hash));
	ck_assert(login_make_token(token, hash));
	ck_assert_str_ne(token, again);
	snprintf(text, sizeof text, "prometheus:%s\n", hash);
	snprintf(header, sizeof header, "Bearer %s", token);
	l = login_of(text, &e);
	ck_assert_ptr_nonnull(l);
	ck_assert_int_eq(login_look(l, header, from(&a, "192.0.2.1"), &t), LOGIN_TOKEN);
	ck_assert_str_eq(t.user, "prometheus");
	ck_assert_int_eq(login_look(l, ANNA_ROSE, from(&a, "192.0.2.1"), &t), LOGIN_NONE); /* nobody has a password */
	login_free(l);
}
END_TEST

static const struct {
	struct server_config c;
	const char *wrong; /* NULL: it may start */
} starts[] = {
	{{.listen = "127.0.0.1:9288"}, NULL},
	{{.listen = "127.8.9.1:9288"}, NULL},
	{{.listen = "[::1]:9288"}, NULL},
	{{.listen = "127.0.0.1:9288", .users_file = "u"}, NULL},
	{{.listen = "127.0.0.1:9288", .tls_certificate = "c", .tls_key = "k"}, NULL},
	{{.listen = "0.0.0.0:9288", .tls_certificate = "c", .tls_key = "k", .users_file = "u"}, NULL},
	{{.listen = "[::]:9288", .tls_certificate = "c", .tls_key = "k", .users_file = "u"}, NULL},
	{{.listen = "192.0.2.1:9288", .plaintext = true, .users_file = "u"}, NULL},
	{{.listen = "192.0.2.1:9288", .tls_certificate = "c", .tls_key = "k", .anonymous = true}, NULL},
	{{.listen = "192.0.2.1:9288", .plaintext = true, .anonymous = true}, NULL},
	{{.listen = "192.0.2.1:9288"}, "plaintext = true"},
	{{.listen = "0.0.0.0:9288"}, "plaintext = true"},
	{{.listen = "[::]:9288"}, "plaintext = true"},
	{{.listen = "[2001:db8::1]:9288"}, "plaintext = true"},
	{{.listen = "192.0.2.1:9288", .users_file = "u"}, "plaintext = true"},
	{{.listen = "192.0.2.1:9288", .anonymous = true}, "plaintext = true"},
	{{.listen = "192.0.2.1:9288", .plaintext = true}, "anonymous = true"},
	{{.listen = "192.0.2.1:9288", .tls_certificate = "c", .tls_key = "k"}, "anonymous = true"},
	{{.listen = "127.0.0.1:9288", .tls_certificate = "c"}, "belong together"},
	{{.listen = "127.0.0.1:9288", .tls_key = "k"}, "belong together"},
	{{.listen = "127.0.0.1:9288", .tls_certificate = "c", .tls_key = "k", .plaintext = true}, "contradicts"},
	{{.listen = "127.0.0.1:9288", .users_file = "u", .anonymous = true}, "contradicts"},
	{{.listen = "localhost:9288"}, "no address"},
};

START_TEST(another_address_than_loopback_needs_tls_and_a_login_or_a_word_for_each_LW_W1)
{
	for (size_t i = 0; i < COUNT(starts); i++) {
		struct err e = {""};

		ck_assert_msg(server_check(&starts[i].c, &e) == (starts[i].wrong ? -1 : 0), "row %zu: %s", i, e.text);
		if (starts[i].wrong)
			ck_assert_msg(strstr(e.text, starts[i].wrong) != NULL, "row %zu: %s", i, e.text);
	}
}
END_TEST

UNIT_MAIN("web_login", a_file_of_users_is_right_or_its_line_is_told_LW_W8, a_file_that_others_can_read_is_refused,
	a_header_is_a_token_a_password_or_nothing_LW_W8, an_unknown_user_costs_what_a_known_one_does_LW_W8,
	a_right_password_is_remembered_for_five_minutes_and_for_one_file_LW_W8,
	after_five_wrong_ones_an_address_has_a_try_each_two_seconds_LW_W8, many_at_once_are_not_one_try_LW_W8,
	a_token_that_is_made_is_let_in, another_address_than_loopback_needs_tls_and_a_login_or_a_word_for_each_LW_W1)
