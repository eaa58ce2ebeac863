/* SPDX-License-Identifier: MIT */
/* What may change something over HTTP, and what is read out of it (SECURITY.md, W3). */
#include "base/clock.h"
#include "tests/unit/unit.h"
#include "web/change.h"
#include "web/listen.h"
#include "web/site.h"

#include <string.h>

#define COUNT(a) (sizeof (a) / sizeof (a)[0])
#define JSON "application/json"

static const struct {
	const char *host, *type, *origin, *site;
	int status;
} sites[] = {
	{"127.0.0.1:9288", JSON, NULL, NULL, 0},
	{"127.0.0.1:9288", "Application/JSON; charset=utf-8", NULL, NULL, 0},
	{"127.0.0.1:9288", JSON, "http://127.0.0.1:9288", "same-origin", 0},
	{"127.0.0.1:9288", JSON, "http://127.0.0.1:9288", NULL, 0},
	{"LOCALHOST:9288", JSON, "http://localhost:9288", NULL, 0},
	{"racks.example", JSON, "https://racks.example", "same-origin", 0},
	{"racks.example", JSON, "https://racks.example:8443", "same-origin", 0}, /* a proxy left the port out */
	{"127.0.0.1:9288", JSON, NULL, "none", 0},
	{"127.0.0.1:9288", NULL, NULL, NULL, 415},
	{"127.0.0.1:9288", "", NULL, NULL, 415},
	{"127.0.0.1:9288", "text/plain", NULL, NULL, 415},
	{"127.0.0.1:9288", "application/jsonp", NULL, NULL, 415},
	{"127.0.0.1:9288", "application/x-www-form-urlencoded", NULL, NULL, 415},
	{"127.0.0.1:9288", "multipart/form-data; boundary=application/json", NULL, NULL, 415},
	{"127.0.0.1:9288", JSON, "http://evil.example", NULL, 403},
	{"127.0.0.1:9288", JSON, "http://evil.example", "same-origin", 403},
	{"127.0.0.1:9288", JSON, "http://127.0.0.1:8000", NULL, 403},
	{"127.0.0.1:9288", JSON, "http://localhost:9288", NULL, 403},
	{"127.0.0.1:9288", JSON, "null", NULL, 403},
	{"127.0.0.1:9288", JSON, "", NULL, 403},
	{"127.0.0.1:9288", JSON, "file://", NULL, 403},
	{"127.0.0.1:9288", JSON, "http://127.0.0.1:9288.evil.example", NULL, 403},
	{"127.0.0.1:9288", JSON, "http://127.0.0.1:9288@evil.example", NULL, 403},
	{"127.0.0.1:9288", JSON, NULL, "cross-site", 403},
	{"127.0.0.1:9288", JSON, NULL, "same-site", 403},
	{"127.0.0.1:9288", JSON, "http://127.0.0.1:9288", "same-site", 403},
	{"127.0.0.1:9288", JSON, NULL, "", 403},
	{"127.0.0.1:9288", "text/plain", "http://evil.example", "cross-site", 403},
};

START_TEST(a_change_comes_as_json_and_from_no_other_site_LW_W3)
{
	static const char *const hosts[] = {"racks.example", NULL};
	struct sockaddr_storage a;
	socklen_t len;
	struct err e;

	ck_assert_int_eq(listen_parse("127.0.0.1:9288", &a, &len, &e), 0);
	for (size_t i = 0; i < COUNT(sites); i++) {
		const struct site_header h = {sites[i].host, sites[i].type, sites[i].origin, sites[i].site};
		const char *why = NULL;

		ck_assert_msg(site_refuses(&h, &a, hosts, &why) == sites[i].status, "row %zu", i);
		ck_assert_msg(!why == !sites[i].status, "row %zu", i);
	}
}
END_TEST

static const struct {
	const char *path;
	bool takes;
} paths[] = {
	{"/api/v1/alerts/1/ack", true},
	{"/api/v1/alerts/9223372036854775807/silence", true},
	{"/api/v1/alerts/9223372036854775808/silence", false},
	{"/api/v1/alerts/0/ack", false},
	{"/api/v1/alerts/-1/ack", false},
	{"/api/v1/alerts/0x1/ack", false},
	{"/api/v1/alerts/1 /ack", false},
	{"/api/v1/alerts//ack", false},
	{"/api/v1/alerts/1/ack/", false},
	{"/api/v1/alerts/1/acknowledge", false},
	{"/api/v1/alerts/1", false},
	{"/api/v1/alerts", false},
	{"/api/v1/events/1/ack", false},
	{"/api/v1/alerts/111111111111111111111111111111111/ack", false},
};

START_TEST(only_an_alert_can_be_acknowledged_or_silenced)
{
	for (size_t i = 0; i < COUNT(paths); i++)
		ck_assert_msg(change_has_path(paths[i].path) == paths[i].takes, "%s", paths[i].path);
}
END_TEST

static const struct {
	const char *body, *wrong; /* NULL: nothing; else a part of what is said */
} silences[] = {
	{"{\"by\":\"anna\",\"until\":\"2026-11-30T13:00:00Z\"}", NULL},
	{"{\"by\":\"anna\",\"until\":\"+1h\",\"note\":\"fan\"}", NULL},
	{"{\"by\":\"anna\",\"until\":\"2026-11-30T12:00:00Z\"}", "past"},
	{"{\"by\":\"anna\",\"until\":\"-1h\"}", "past"},
	{"{\"by\":\"anna\",\"until\":\"+367d\"}", "year"},
	{"{\"by\":\"anna\",\"until\":\"soon\"}", "until has to be given"},
	{"{\"by\":\"anna\",\"until\":3600}", "until is a text"},
	{"{\"by\":\"anna\",\"until\":null}", "until is a text"},
	{"{\"by\":\"anna\"}", "until has to be given"},
	{"{\"until\":\"+1h\"}", "by has to be given"},
	{"{\"by\":\" \",\"until\":\"+1h\"}", "by has to be given"},
	{"{\"by\":\"anna\",\"until\":\"+1h\",\"untill\":\"+2h\"}", "no key \"untill\""},
	{"{\"by\":\"anna\",\"by\":\"bob\",\"until\":\"+1h\"}", "JSON"},
	{"[\"by\"]", "no JSON object"},
	{"", "JSON"},
	{"{", "JSON"},
	{"null", "JSON"},
};

START_TEST(a_silence_needs_somebody_and_an_end_that_is_near)
{
	clock_set(clock_parse("2026-11-30T12:00:00Z"), 0);
	for (size_t i = 0; i < COUNT(silences); i++) {
		struct change c;
		struct err e = {""};
		int rc = change_read(&c, "POST", "/api/v1/alerts/7/silence", silences[i].body, strlen(silences[i].body), NULL, &e);

		ck_assert_msg(rc == (silences[i].wrong ? -1 : 0), "row %zu: %s", i, e.text);
		if (silences[i].wrong) {
			ck_assert_msg(strstr(e.text, silences[i].wrong) != NULL, "row %zu: %s", i, e.text);
			continue;
		}
		ck_assert_int_eq(c.kind, CHANGE_SILENCE);
		ck_assert_int_eq(c.alert_id, 7);
		ck_assert_str_eq(c.by, "anna");
		ck_assert_int_eq(c.until_wall_ms, clock_parse("2026-11-30T13:00:00Z"));
	}
}
END_TEST

START_TEST(who_signed_in_speaks_in_no_other_name_LW_W3)
{
	static const char body[] = "{\"by\":\"somebody else\",\"note\":\"a\\u0007b\"}";
	struct change c;
	struct err e;

	ck_assert_int_eq(change_read(&c, "POST", "/api/v1/alerts/7/ack", body, strlen(body), "anna", &e), 0);
	ck_assert_str_eq(c.by, "anna");
	ck_assert_str_eq(c.note, "a?b");
	ck_assert_int_eq(c.kind, CHANGE_ACK);
	ck_assert_int_eq(c.until_wall_ms, CLOCK_NEVER);
	ck_assert_int_eq(change_read(&c, "DELETE", "/api/v1/alerts/7/ack", "", 0, NULL, &e), 0);
	ck_assert_int_eq(c.kind, CHANGE_UNACK);
	ck_assert_int_eq(change_read(&c, "DELETE", "/api/v1/alerts/8/silence", "", 0, "anna", &e), 0);
	ck_assert_int_eq(c.kind, CHANGE_UNSILENCE);
	ck_assert_int_eq(c.until_wall_ms, CLOCK_NEVER);
}
END_TEST

UNIT_MAIN("web_change", a_change_comes_as_json_and_from_no_other_site_LW_W3, only_an_alert_can_be_acknowledged_or_silenced,
	a_silence_needs_somebody_and_an_end_that_is_near, who_signed_in_speaks_in_no_other_name_LW_W3)
