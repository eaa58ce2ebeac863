/* SPDX-License-Identifier: MIT */
/* LW-R2: links out of answers, reduced to paths on the BMC itself or refused. */
#include "collectors/redfish/path.h"
#include "tests/unit/unit.h"

#include <string.h>

static const struct url origin = {.tls = true, .host = "bmc1.example.net", .port = 443};
static const struct url odd_port = {.tls = true, .host = "2001:db8::7", .port = 8443};

static const struct {
	const char *link, *path;
} good[] = {
	{"/redfish/v1", "/redfish/v1"},
	{"/redfish/v1/", "/redfish/v1/"},
	{"/redfish", "/redfish"},
	{"/redfish/v1/Systems/1/Storage/CPU.1/Drives/Disk.Bay.0:Enclosure.Internal.0-1",
		"/redfish/v1/Systems/1/Storage/CPU.1/Drives/Disk.Bay.0:Enclosure.Internal.0-1"},
	{"/redfish/v1/systems/1/bios", "/redfish/v1/systems/1/bios"},
	{"/redfish/v1/Systems/1#/Status", "/redfish/v1/Systems/1"},
	{"/redfish/v1/Systems/1/Storage/1#/StorageControllers/0", "/redfish/v1/Systems/1/Storage/1"},
	{"/redfish/v1/Entries?$skip=50", "/redfish/v1/Entries?$skip=50"},
	{"/redfish/v1/Entries?%24skip=50&$top=10", "/redfish/v1/Entries?%24skip=50&$top=10"},
	{"/redfish/v1/Chassis/Rack 1", "/redfish/v1/Chassis/Rack%201"},
	{"/redfish/v1/SessionService/Sessions/admin%20000", "/redfish/v1/SessionService/Sessions/admin%20000"},
	{"/redfish/v1/A+B/(x)/~y", "/redfish/v1/A+B/(x)/~y"},
	{"/redfish/v1/...", "/redfish/v1/..."},
	{"/redfish/v1/.hidden", "/redfish/v1/.hidden"},
	{"/redfish/v1/a..b", "/redfish/v1/a..b"},
	{"/redfish/v1/..a/x", "/redfish/v1/..a/x"},
	{"/redfish/v1/Chassis/M\xc3\xbcller", "/redfish/v1/Chassis/M\xc3\xbcller"},
	{"https://bmc1.example.net/redfish/v1/Systems", "/redfish/v1/Systems"},
	{"https://bmc1.example.net:443/redfish/v1/Systems", "/redfish/v1/Systems"},
	{"https://BMC1.Example.NET/redfish/v1/Systems", "/redfish/v1/Systems"},
	{"HTTPS://bmc1.example.net/redfish/v1/Systems", "/redfish/v1/Systems"},
	{"/redfish/v1/x?next=https://evil.example/", "/redfish/v1/x?next=https://evil.example/"},
	{"/redfish/v1/x?a=/../", "/redfish/v1/x?a=/../"},
};

static const char *const bad[] = {
	"/", "/admin/reboot", "/redfishing", "https://bmc1.example.net/cgi-bin/x", "/%72edfish/v1",
	"", " ", "redfish/v1", "./redfish/v1", "../redfish/v1", "Systems/1", "?$skip=1", "#/Status", "*",
	"//evil.example/redfish/v1", "///redfish/v1", "/\\evil.example/x", "\\\\evil.example\\x", "\\redfish\\v1",
	"http://bmc1.example.net/redfish/v1", "http://bmc1.example.net:443/redfish/v1",
	"https://bmc1.example.net:444/redfish/v1", "https://bmc1.example.net:8443/redfish/v1",
	"https://evil.example/redfish/v1", "https://127.0.0.1/redfish/v1", "https://localhost/redfish/v1",
	"https://bmc1.example.net.evil.example/redfish/v1", "https://evil.example/bmc1.example.net/redfish/v1",
	"https://bmc1.example.net@evil.example/redfish/v1", "https://evil.example@bmc1.example.net/redfish/v1",
	"https://user:secret@bmc1.example.net/redfish/v1", "https://bmc1.example.net\\@evil.example/x",
	"https://bmc1.example.net#@evil.example/x", "https://bmc1.example.net?@evil.example/x",
	"https://bmc1.example.net", "https://", "https:///redfish/v1", "https:/redfish/v1", "https:redfish/v1",
	"https://[::1]/redfish/v1", "https://[2001:db8::7]/redfish/v1", "https://bmc1/redfish/v1",
	"https://bmc1.example.net:/x y\n", "ftp://bmc1.example.net/redfish/v1", "file:///etc/passwd",
	"file://bmc1.example.net/etc/passwd", "gopher://bmc1.example.net/", "javascript:alert(1)",
	"data:application/json,{}", "ldap://bmc1.example.net/", "ws://bmc1.example.net/redfish/v1",
	"/redfish/v1/../../etc/passwd", "/redfish/v1/..", "/redfish/v1/..#", "/redfish/v1/%2e%2e#/x", "/.#?x", "/..", "/../redfish/v1", "/.", "/./redfish/v1",
	"/redfish/v1/./Systems", "/redfish/v1/Systems/../../../x", "/redfish/v1/%2e%2e/x", "/redfish/v1/%2E%2e/x",
	"/redfish/v1/.%2e/x", "/redfish/v1/%2e./x", "/redfish/v1/%2e", "/redfish%2f..%2f..%2fetc/passwd",
	"/redfish/v1/x%00y", "/redfish/v1/x%0d%0aInjected:%201", "/redfish/v1/x%0ay", "/redfish/v1/x%7f",
	"/redfish/v1/x\r\nInjected: 1", "/redfish/v1/x\ty", "/redfish/v1/x\x7f", "/redfish/v1/x\x01",
	"/redfish/v1/%", "/redfish/v1/%2", "/redfish/v1/%zz", "/redfish/v1/a%5c..%5cb", "/redfish/v1\\..\\x",
};

START_TEST(LW_R2_good_links_become_paths)
{
	char out[RF_PATH_MAX];

	ck_assert_uint_ge(sizeof good / sizeof good[0], 20);
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		ck_assert_msg(rf_path_reduce(&origin, good[i].link, out), "%s is refused", good[i].link);
		ck_assert_str_eq(out, good[i].path);
	}
	ck_assert(rf_path_reduce(&odd_port, "https://[2001:db8::7]:8443/redfish/v1/x", out));
	ck_assert_str_eq(out, "/redfish/v1/x");
}
END_TEST

START_TEST(LW_R2_bad_links_are_refused)
{
	char out[RF_PATH_MAX];

	ck_assert_uint_ge(sizeof bad / sizeof bad[0], 60);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_msg(!rf_path_reduce(&origin, bad[i], out), "\"%s\" is taken as %s", bad[i], out);
	ck_assert(!rf_path_reduce(&origin, NULL, out));
	ck_assert(!rf_path_reduce(&odd_port, "https://[2001:db8::7]/redfish/v1/x", out));
}
END_TEST

START_TEST(LW_R2_a_recording_has_no_authority_of_its_own)
{
	char out[RF_PATH_MAX];

	ck_assert(rf_path_reduce(NULL, "/redfish/v1", out));
	ck_assert(!rf_path_reduce(NULL, "https://bmc1.example.net/redfish/v1", out));
}
END_TEST

START_TEST(LW_R2_a_path_of_1024_bytes_is_too_long_and_1023_are_not)
{
	char link[2 * RF_PATH_MAX], out[RF_PATH_MAX];

	memset(link, 'a', sizeof link);
	memcpy(link, "/redfish/", 9);
	link[RF_PATH_MAX - 1] = '\0';
	ck_assert(rf_path_reduce(&origin, link, out));
	link[RF_PATH_MAX - 1] = 'a';
	link[RF_PATH_MAX] = '\0';
	ck_assert(!rf_path_reduce(&origin, link, out));
	memset(link, ' ', 400); /* grows by encoding */
	memcpy(link, "/redfish/", 9);
	link[400] = '\0';
	ck_assert(!rf_path_reduce(&origin, link, out));
}
END_TEST

START_TEST(a_resource_is_known_by_its_path_without_trailing_slash)
{
	char key[RF_PATH_MAX];

	rf_path_key("/redfish/v1/", key);
	ck_assert_str_eq(key, "/redfish/v1");
	rf_path_key("/redfish/v1/Systems/1#/Status", key);
	ck_assert_str_eq(key, "/redfish/v1/Systems/1");
	rf_path_key("/redfish/v1/Entries?$skip=50", key);
	ck_assert_str_eq(key, "/redfish/v1/Entries?$skip=50");
	rf_path_key("/", key);
	ck_assert_str_eq(key, "/");
}
END_TEST

UNIT_MAIN("redfish path", LW_R2_good_links_become_paths, LW_R2_bad_links_are_refused,
	LW_R2_a_recording_has_no_authority_of_its_own,
	LW_R2_a_path_of_1024_bytes_is_too_long_and_1023_are_not,
	a_resource_is_known_by_its_path_without_trailing_slash)
