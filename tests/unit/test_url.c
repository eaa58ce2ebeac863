/* SPDX-License-Identifier: MIT */
/* Addresses of targets: every usual spelling becomes one, the rest is refused with its reason. */
#include "base/url.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <string.h>

#define A63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *text, *becomes;
} good[] = {
	/* names */
	{"bmc1", "https://bmc1"},
	{"BMC1", "https://bmc1"},
	{"bmc1.", "https://bmc1"},
	{"localhost", "https://localhost"},
	{"bmc1.example.net", "https://bmc1.example.net"},
	{"Bmc1.Example.NET.", "https://bmc1.example.net"},
	{"bmc1.example.net:443", "https://bmc1.example.net"},
	{"bmc1.example.net:8443", "https://bmc1.example.net:8443"},
	{"bmc1.example.net.:8443", "https://bmc1.example.net:8443"},
	{"bmc_1.example.net", "https://bmc_1.example.net"},
	{"_bmc", "https://_bmc"},
	{"idrac-7xk2p93", "https://idrac-7xk2p93"},
	{"7xk2p93", "https://7xk2p93"},
	{"1a", "https://1a"},
	{"10.example", "https://10.example"},
	{"192-0-2-10", "https://192-0-2-10"},
	{"192-0-2-10.example", "https://192-0-2-10.example"},
	{"0x7f.example", "https://0x7f.example"},
	{"dead.beef", "https://dead.beef"},
	{"a--b.example", "https://a--b.example"},
	{"xn--bcher-kva.example", "https://xn--bcher-kva.example"},
	{"https", "https://https"},
	{"http", "https://http"},
	{"redfish", "https://redfish"},
	{A63 ".example", "https://" A63 ".example"},
	{A63 "." A63, "https://" A63 "." A63},
	/* IPv4 */
	{"192.0.2.10", "https://192.0.2.10"},
	{"192.0.2.10.", "https://192.0.2.10"},
	{"192.0.2.10:8443", "https://192.0.2.10:8443"},
	{"192.0.2.10:443", "https://192.0.2.10"},
	{"192.0.2.10:80", "https://192.0.2.10:80"},
	{"127.0.0.1:1", "https://127.0.0.1:1"},
	{"127.0.0.1:65535", "https://127.0.0.1:65535"},
	{"1.0.0.0", "https://1.0.0.0"},
	{"223.255.255.255", "https://223.255.255.255"},
	{"192.0.2.10:0443", "https://192.0.2.10"},
	/* IPv6 */
	{"2001:db8::7", "https://[2001:db8::7]"},
	{"[2001:db8::7]", "https://[2001:db8::7]"},
	{"[2001:db8::7]:8443", "https://[2001:db8::7]:8443"},
	{"[2001:db8::7]:443", "https://[2001:db8::7]"},
	{"2001:DB8:0:0:0:0:0:7", "https://[2001:db8::7]"},
	{"[2001:0db8:0000:0000:0000:0000:0000:0007]", "https://[2001:db8::7]"},
	{"::1", "https://[::1]"},
	{"[::1]:8443", "https://[::1]:8443"},
	{"fe80::1", "https://[fe80::1]"},
	{"fd00::8443", "https://[fd00::8443]"},
	{"1:2:3:4:5:6:7:8", "https://[1:2:3:4:5:6:7:8]"},
	{"::ffff:192.0.2.10", "https://192.0.2.10"},
	{"[::ffff:192.0.2.10]:8443", "https://192.0.2.10:8443"},
	{"64:ff9b::192.0.2.10", "https://[64:ff9b::c000:20a]"},
	/* with a scheme */
	{"https://192.0.2.10", "https://192.0.2.10"},
	{"https://bmc1", "https://bmc1"},
	{"HTTPS://BMC1", "https://bmc1"},
	{"hTTps://bmc1:443", "https://bmc1"},
	{"https://bmc1:8443", "https://bmc1:8443"},
	{"https://bmc1:80", "https://bmc1:80"},
	{"https://[2001:db8::7]", "https://[2001:db8::7]"},
	{"https://[2001:db8::7]:8443", "https://[2001:db8::7]:8443"},
	{"https://2001:db8::7", "https://[2001:db8::7]"},
	{"http://192.0.2.10", "http://192.0.2.10"},
	{"http://192.0.2.10:80", "http://192.0.2.10"},
	{"http://192.0.2.10:443", "http://192.0.2.10:443"},
	{"http://127.0.0.1:8000/redfish/v1", "http://127.0.0.1:8000"},
	{"HTTP://[::1]:8000", "http://[::1]:8000"},
	/* with Redfish's path */
	{"https://bmc1/", "https://bmc1"},
	{"https://bmc1/redfish", "https://bmc1"},
	{"https://bmc1/redfish/", "https://bmc1"},
	{"https://bmc1/redfish/v1", "https://bmc1"},
	{"https://bmc1/redfish/v1/", "https://bmc1"},
	{"https://bmc1:8443/redfish/v1/", "https://bmc1:8443"},
	{"https://[2001:db8::7]:8443/redfish/v1", "https://[2001:db8::7]:8443"},
	{"https://[2001:db8::7]/", "https://[2001:db8::7]"},
	{"https://2001:db8::7/redfish/v1", "https://[2001:db8::7]"},
	{"192.0.2.10/redfish/v1", "https://192.0.2.10"},
	{"192.0.2.10:8443/", "https://192.0.2.10:8443"},
	{"[::1]/redfish/v1/", "https://[::1]"},
	{"https://bmc1./redfish/v1", "https://bmc1"},
};

static const struct {
	const char *text, *reason;
} bad[] = {
	{"", "empty"},
	/* S1: no secrets in an address */
	{"https://root:calvin@192.0.2.10", "user name"},
	{"https://root@192.0.2.10", "user name"},
	{"root:calvin@192.0.2.10", "user name"},
	{"root@bmc1", "user name"},
	{"https://root:cal/vin@192.0.2.10", "user name"},
	{"https://root:cal vin@192.0.2.10", "user name"},
	{"https://@192.0.2.10", "user name"},
	{"https://:@192.0.2.10", "user name"},
	{"https://192.0.2.10/@", "user name"},
	{"https://192.0.2.10#@bmc2", "user name"},
	{"https://192.0.2.10?@bmc2", "user name"},
	/* characters */
	{" 192.0.2.10", "blank"},
	{"192.0.2.10 ", "blank"},
	{"192.0.2.10\t", "blank"},
	{"192.0.2 .10", "blank"},
	{"https:// bmc1", "blank"},
	{"https://bmc1/ redfish", "blank"},
	{"bmc1\n", "control"},
	{"bmc1\r\nX-Evil: 1", "control"},
	{"bmc1\x01", "control"},
	{"bmc1\x7f", "control"},
	{"\x1b[31mbmc1", "control"},
	{"https:\\\\bmc1", "backslash"},
	{"bmc1\\redfish", "backslash"},
	{"b\xc3\xbc" "cher.example", "ASCII"},
	{"192\xe3\x80\x82" "0.2.10", "ASCII"},
	{"\xff", "ASCII"},
	{"bmc%31", "no %"},
	{"bmc%2f", "no %"},
	{"bmc1*", "no *"},
	{"\"bmc1\"", "no \""},
	{"<bmc1>", "no <"},
	{"$BMC", "no $"},
	{"${BMC}", "no $"},
	{"bmc1,bmc2", "one address"},
	{"192.0.2.10;192.0.2.11", "one address"},
	{"192.0.2.10-20", "no IPv4"},
	{"10.0-3.1.x", "no IPv4"},
	/* schemes */
	{"ftp://bmc1", "ftp:// is not spoken"},
	{"file:///etc/passwd", "file:// is not spoken"},
	{"scp://bmc1", "scp:// is not spoken"},
	{"httpx://bmc1", "httpx:// is not spoken"},
	{"ssh://bmc1:22", "ssh:// is not spoken"},
	{"redfish://bmc1", "redfish:// is not spoken"},
	{"://bmc1", "is not spoken"},
	{"javascript:alert(1)", "no port"},
	{"https:bmc1", "//"},
	{"https:/bmc1", "//"},
	{"http:", "//"},
	{"https:443", "//"},
	{"https//bmc1", "path"},
	{"https://https://bmc1", "port"},
	/* no host */
	{"https://", "no host"},
	{"https:///", "no host"},
	{"https:///redfish/v1", "no host"},
	{"https://:443", "no host"},
	{":443", "no host"},
	{"/redfish/v1", "no host"},
	{"//bmc1", "no host"},
	{"/", "no host"},
	{"?", "no host"},
	{".", "no host"},
	{"https://.", "no host"},
	/* names */
	{"..", "empty part"},
	{"bmc1..example", "empty part"},
	{".bmc1", "empty part"},
	{"bmc1..", "empty part"},
	{"-bmc1", "begins or ends with -"},
	{"bmc1-", "begins or ends with -"},
	{"bmc1.-example", "begins or ends with -"},
	{A63 "a", "longer than 63"},
	{"bmc." A63 "a.example", "longer than 63"},
	{A63 "." A63 ".a", "longer than 127"},
	/* what curl would read as an address */
	{"1", "no IPv4"},
	{"127.1", "no IPv4"},
	{"2130706433", "no IPv4"},
	{"0x7f.1", "no IPv4"},
	{"0x7f000001", "no IPv4"},
	{"0X7F000001", "no IPv4"},
	{"0x", "no IPv4"},
	{"0x7f.0x0.0x0.0x1", "no IPv4"},
	{"017700000001", "no IPv4"},
	{"0177.0.0.1", "no IPv4"},
	{"192.0.02.10", "no IPv4"},
	{"192.0.2", "no IPv4"},
	{"192.0.2.256", "no IPv4"},
	{"192.0.2.10.11", "no IPv4"},
	{"999.999.999.999", "no IPv4"},
	{"192.0.2.1000", "no IPv4"},
	{"bmc.0x7f", "no IPv4"},
	{"bmc1.example.10", "no IPv4"},
	{"https://3232235777/", "no IPv4"},
	/* addresses that are no host's */
	{"0.0.0.0", "no host"},
	{"0.1.2.3", "no host"},
	{"[::]", "no host"},
	{"::", "no host"},
	{"::ffff:0.0.0.0", "no host"},
	{"224.0.0.1", "many hosts"},
	{"255.255.255.255", "many hosts"},
	{"ff02::1", "many hosts"},
	/* IPv6 */
	{"[2001:db8::7", "without its ]"},
	{"2001:db8::7]", "no IPv6"},
	{"[2001:db8::7]8443", "after ]"},
	{"[2001:db8::7]x", "after ]"},
	{"[2001:db8::7]]", "after ]"},
	{"[]", "no IPv6"},
	{"[]:443", "no IPv6"},
	{"[192.0.2.10]", "no IPv6"},
	{"[bmc1]", "no IPv6"},
	{"[v1.x]", "no IPv6"},
	{"[2001:db8::7:::]", "no IPv6"},
	{"2001:db8:::7", "no IPv6"},
	{"2001:db8::g", "no IPv6"},
	{"1:2:3:4:5:6:7:8:443", "no IPv6"},
	{"1:2:3:4:5:6:7", "no IPv6"},
	{"bmc1:80:80", "no IPv6"},
	{"https://192.0.2.10:443:443", "no IPv6"},
	{"[fe80::1%eth0]", "zone"},
	{"[fe80::1%25eth0]", "zone"},
	{"fe80::1%eth0", "zone"},
	{"https://[fe80::1%25eth0]:443/redfish/v1", "zone"},
	/* ports */
	{"bmc1:", "port"},
	{"https://bmc1:/redfish/v1", "port"},
	{"[::1]:", "port"},
	{"bmc1:0", "1 to 65535"},
	{"bmc1:65536", "1 to 65535"},
	{"bmc1:99999999999999999999999", "1 to 65535"},
	{"bmc1:abc", "abc is no port"},
	{"bmc1:443x", "443x is no port"},
	{"bmc1:+443", "+443 is no port"},
	{"bmc1:-1", "-1 is no port"},
	{"bmc1:0x1bb", "0x1bb is no port"},
	{"bmc1:44.3", "44.3 is no port"},
	{"bmc1:https", "https is no port"},
	{"[::1]:0", "1 to 65535"},
	{"[::1]:65536", "1 to 65535"},
	/* paths */
	{"https://bmc1/redfish/v2", "not Redfish's"},
	{"https://bmc1/redfish/v1/Systems", "not Redfish's"},
	{"https://bmc1/Redfish/v1", "not Redfish's"},
	{"https://bmc1//", "not Redfish's"},
	{"https://bmc1//redfish/v1", "not Redfish's"},
	{"https://bmc1/redfish/v1//", "not Redfish's"},
	{"https://bmc1/redfish/v1/..", "not Redfish's"},
	{"https://bmc1/./redfish/v1", "not Redfish's"},
	{"https://bmc1/%72edfish/v1", "not Redfish's"},
	{"https://bmc1/restgui/start.html", "not Redfish's"},
	{"https://bmc1/redfish/v1;x", "not Redfish's"},
	{"192.0.2.0/24", "not Redfish's"},
	{"https://bmc1?x", "query"},
	{"https://bmc1/?x", "query"},
	{"https://bmc1/redfish/v1?$expand=*", "query"},
	{"https://bmc1#x", "fragment"},
	{"https://bmc1/redfish/v1#", "fragment"},
	{"https://bmc1/redfish/v1/#/Systems", "fragment"},
};

START_TEST(every_usual_spelling_becomes_one)
{
	for (size_t i = 0; i < COUNT(good); i++) {
		struct err e = {""};
		struct url u;
		char out[200];

		ck_assert_msg(url_parse(good[i].text, &u, &e) == 0, "%s: %s", good[i].text, e.text);
		url_text(&u, out, sizeof out);
		ck_assert_msg(strcmp(out, good[i].becomes) == 0, "%s: %s", good[i].text, out);
	}
}
END_TEST

START_TEST(what_is_written_out_reads_back_as_the_same)
{
	for (size_t i = 0; i < COUNT(good); i++) {
		struct url u, again;
		char out[200];

		ck_assert_int_eq(url_parse(good[i].text, &u, NULL), 0);
		ck_assert_int_eq(url_parse(url_text(&u, out, sizeof out), &again, NULL), 0);
		ck_assert_str_eq(u.host, again.host);
		ck_assert_int_eq(u.port, again.port);
		ck_assert(u.tls == again.tls);
	}
}
END_TEST

START_TEST(what_is_no_address_is_refused_with_its_reason)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct err e = {""};
		struct url u;

		ck_assert_msg(url_parse(bad[i].text, &u, &e) == -1, "%s is taken as %s", bad[i].text, u.host);
		ck_assert_msg(strstr(e.text, bad[i].reason), "%s: %s", bad[i].text, e.text);
	}
}
END_TEST

START_TEST(a_reason_never_repeats_a_password_LW_S1)
{
	static const char *const texts[] = {"https://root:hunter2@192.0.2.10", "root:hunter2@bmc1",
		"ftp://root:hunter2@bmc1", "https://root:hunter2\\@bmc1", "hunter2://x@y",
		"https://root:hunter2/@bmc1", "https://root:hunter2?@bmc1"};

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct err e = {""};
		struct url u;

		ck_assert_int_eq(url_parse(texts[i], &u, &e), -1);
		ck_assert_msg(!strstr(e.text, "hunter2"), "%s", e.text);
	}
}
END_TEST

START_TEST(a_very_long_text_is_refused)
{
	char text[100000];
	struct err e = {""};
	struct url u;

	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	ck_assert_int_eq(url_parse(text, &u, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "longer"));
	memset(text, '[', sizeof text - 1);
	text[500] = '\0';
	ck_assert_int_eq(url_parse(text, &u, NULL), -1);
}
END_TEST

START_TEST(loopback_is_known_in_each_of_its_spellings)
{
	static const struct {
		const char *text;
		bool loopback;
	} rows[] = {
		{"127.0.0.1", true}, {"127.255.255.254:8443", true}, {"http://127.8.9.10", true},
		{"[::1]", true}, {"::1", true}, {"0:0:0:0:0:0:0:1", true}, {"localhost", true},
		{"LOCALHOST.", true}, {"::ffff:127.0.0.1", true}, {"128.0.0.1", false},
		{"126.255.255.255", false}, {"::2", false}, {"localhost.example.net", false},
		{"notlocalhost", false}, {"127.example", false}, {"::ffff:192.0.2.1", false},
		{"[7f00::1]", false},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct url u;

		ck_assert_int_eq(url_parse(rows[i].text, &u, NULL), 0);
		ck_assert_msg(url_is_loopback(&u) == rows[i].loopback, "%s", rows[i].text);
	}
}
END_TEST

START_TEST(a_text_cut_to_its_buffer_stays_a_text)
{
	struct url u;
	char out[10];

	ck_assert_int_eq(url_parse("bmc1.example.net:8443", &u, NULL), 0);
	ck_assert_str_eq(url_text(&u, out, sizeof out), "https://b");
}
END_TEST

UNIT_MAIN("url", every_usual_spelling_becomes_one, what_is_written_out_reads_back_as_the_same,
	what_is_no_address_is_refused_with_its_reason, a_reason_never_repeats_a_password_LW_S1,
	a_very_long_text_is_refused, loopback_is_known_in_each_of_its_spellings,
	a_text_cut_to_its_buffer_stays_a_text)
