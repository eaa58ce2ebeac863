/* SPDX-License-Identifier: MIT */
/* Where the server listens, and by which names it may be asked (LW-W1, LW-W2). */
#include "tests/unit/unit.h"
#include "web/listen.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *text;
	bool right, loopback;
} listens[] = {
	{"127.0.0.1:9288", true, true},
	{"127.9.9.9:0", true, true},
	{"[::1]:9288", true, true},
	{"0.0.0.0:80", true, false},
	{"[::]:80", true, false},
	{"192.0.2.1:65535", true, false},
	{"192.0.2.1:65536", false, false},
	{"localhost:80", false, false},
	{"127.0.0.1", false, false},
	{":80", false, false},
	{"[::1:80", false, false},
	{"", false, false},
	{"1234567890123456789012345678901234567890123456789012345678901234567890:1", false, false},
};

START_TEST(an_address_is_a_literal_with_a_port_LW_W1)
{
	for (size_t i = 0; i < COUNT(listens); i++) {
		struct sockaddr_storage a;
		socklen_t len = 0;
		struct err e;
		int rc = listen_parse(listens[i].text, &a, &len, &e);

		ck_assert_int_eq(rc, listens[i].right ? 0 : -1);
		if (rc == 0)
			ck_assert_int_eq(listen_is_loopback(&a), listens[i].loopback);
	}
}
END_TEST

static const char *const more[] = {"rack.example", NULL};

static const struct {
	const char *listen, *host;
	bool fits;
} hosts[] = {
	{"127.0.0.1:1", "127.0.0.1", true},
	{"127.0.0.1:1", "127.0.0.1:9", true},
	{"127.0.0.1:1", "LocalHost:9", true},
	{"127.0.0.1:1", "[::1]:9", true},
	{"127.0.0.1:1", "Rack.Example", true},
	{"127.0.0.1:1", "rack.example:80", true},
	{"127.0.0.2:1", "127.0.0.2", true},
	{"127.0.0.1:1", "127.0.0.2", false},
	{"127.0.0.1:1", "rack.example.evil.example", false},
	{"127.0.0.1:1", "xrack.example", false},
	{"127.0.0.1:1", "evil.example", false},
	{"127.0.0.1:1", "localhost.", false},
	{"127.0.0.1:1", "0x7f000001", false},
	{"127.0.0.1:1", "2130706433", false},
	{"127.0.0.1:1", "[::1", false},
	{"127.0.0.1:1", "[::1]x", false},
	{"127.0.0.1:1", "[]", false},
	{"127.0.0.1:1", ":80", false},
	{"127.0.0.1:1", "", false},
	{"127.0.0.1:1", NULL, false},
	{"0.0.0.0:1", "192.0.2.1", true},
	{"0.0.0.0:1", "evil.example", false},
	{"[::1]:1", "[::1]", true},
	{"[::]:1", "[2001:db8::1]:80", true},
	{"[::]:1", "evil.example", false},
};

START_TEST(only_our_own_names_fit_a_host_header_LW_W2)
{
	for (size_t i = 0; i < COUNT(hosts); i++) {
		struct sockaddr_storage a;
		socklen_t len;

		ck_assert_int_eq(listen_parse(hosts[i].listen, &a, &len, NULL), 0);
		ck_assert_msg(listen_host_fits(&a, more, hosts[i].host) == hosts[i].fits, "%s asked as %s", hosts[i].listen,
			hosts[i].host ? hosts[i].host : "(none)");
	}
}
END_TEST

UNIT_MAIN("web_listen", an_address_is_a_literal_with_a_port_LW_W1,
	only_our_own_names_fit_a_host_header_LW_W2)
