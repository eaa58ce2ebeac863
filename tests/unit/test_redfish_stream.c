/* SPDX-License-Identifier: MIT */
/* The event stream of a BMC: what is an event, and where it ends (LW-R12). */
#include "collectors/redfish/sse.h"
#include "collectors/redfish/stream.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

static char seen[4096];
static size_t n_seen;

static void take(void *arg, const char *data, size_t len)
{
	(void)arg;
	n_seen++;
	if (strlen(seen) + len + 2 < sizeof seen)
		snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "[%.*s]", (int)len, data);
}

static const struct row {
	const char *bytes, *events, *last_id;
	int64_t retry_ms;
} rows[] = {
	{"data: a\n\n", "[a]", "", 0},
	{"data:a\n\n", "[a]", "", 0},
	{"data:  a\n\n", "[ a]", "", 0},
	{"data: a\r\ndata: b\r\n\r\n", "[a\nb]", "", 0},
	{"data: a\rdata: b\r\rdata: c\r\r", "[a\nb][c]", "", 0},
	{": only a comment\n\n\n\n", "", "", 0},
	{"event: x\nid: 7\ndata: a\n\ndata: b\n\n", "[a][b]", "7", 0},
	{"id: 7\n\n", "", "7", 0},
	{"id: 7\ndata: a\n\nid: 8\ndata: not whole\n", "[a]", "7", 0}, /* an event counts when it is whole */
	{"id: \x01\ndata: a\n\n", "[a]", "", 0},
	{"retry: 5000\n\n", "", "", 5000},
	{"retry: 0\n\n", "", "", 1000},
	{"retry: 999999999\n\n", "", "", 600000},
	{"retry: -1\nretry: x\nretry:\nretry: 0x10\n\n", "", "", 0},
	{"data\n\ndata:\n\n", "", "", 0},
	{"datax: a\nxdata: b\nfoo\n\n", "", "", 0},
};

START_TEST(lines_and_fields_are_read_as_the_standard_says_however_they_are_cut)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (size_t piece = 1; piece < 9; piece++) {
			size_t len = strlen(rows[i].bytes);
			struct rf_stream s;

			rf_stream_init(&s);
			seen[0] = '\0';
			for (size_t at = 0; at < len; at += piece)
				ck_assert(rf_stream_feed(&s, rows[i].bytes + at, len - at < piece ? len - at : piece, take, NULL));
			ck_assert_msg(strcmp(seen, rows[i].events) == 0, "row %zu: %s", i, seen);
			ck_assert_str_eq(s.last_id, rows[i].last_id);
			ck_assert_int_eq(s.retry_ms, rows[i].retry_ms);
			rf_stream_release(&s);
		}
}
END_TEST

/* Feeds a text again and again; how many times until it is refused, or `most`. */
static size_t feed_until_refused(const char *first, const char *text, size_t most, size_t *room)
{
	struct rf_stream s;
	size_t n = 0;

	rf_stream_init(&s);
	rf_stream_feed(&s, first, strlen(first), take, NULL);
	while (n < most && rf_stream_feed(&s, text, strlen(text), take, NULL))
		n++;
	*room = s.line.room + s.data.room;
	rf_stream_release(&s);
	return n;
}

START_TEST(a_line_has_64_KiB_and_an_event_a_MiB_and_no_more_LW_R12)
{
	char line[1026];
	size_t room;

	memset(line, 'x', sizeof line);
	line[1024] = '\0';
	ck_assert_uint_le(feed_until_refused("data: ", line, 1000, &room), 64);
	ck_assert_uint_le(room, 256 * 1024);
	memcpy(line, "data: ", 6);
	line[1024] = '\n';
	line[1025] = '\0';
	ck_assert_uint_le(feed_until_refused("", line, 10000, &room), 1040);
	ck_assert_uint_le(room, 3 * 1024 * 1024);
}
END_TEST

START_TEST(a_million_empty_events_cost_nothing_LW_R12)
{
	size_t room;

	n_seen = 0;
	ck_assert_uint_eq(feed_until_refused("", "\n\n\n\n\n\n\n\n\n\n", 100000, &room), 100000);
	ck_assert_uint_eq(feed_until_refused("", "data:\n\n", 100000, &room), 100000);
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_le(room, 4096);
}
END_TEST

START_TEST(only_what_is_about_drives_is_worth_a_look)
{
	static const struct {
		const char *text;
		bool of_drives;
	} texts[] = {
		{"{\"Events\":[{\"MessageId\":\"IDRAC.2.7.PDR5\",\"Message\":\"x\"}]}", true},
		{"{\"Events\":[{\"MessageId\":\"IDRAC.2.7.USR0030\",\"Message\":\"x\"},{\"MessageId\":\"StorageDevice.1.1.DriveInserted\"}]}", true},
		{"{\"Events\":[{\"MessageId\":\"IDRAC.2.7.USR0030\",\"Message\":\"x\"}]}", false},
		{"{\"MetricValues\":[]}", false},
		{"{\"Events\":7}", false},
		{"not JSON", false},
		{"", false},
	};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		ck_assert_int_eq(rf_sse_is_of_drives(texts[i].text, strlen(texts[i].text)), texts[i].of_drives);
}
END_TEST

UNIT_MAIN("redfish_stream", lines_and_fields_are_read_as_the_standard_says_however_they_are_cut,
	a_line_has_64_KiB_and_an_event_a_MiB_and_no_more_LW_R12, a_million_empty_events_cost_nothing_LW_R12,
	only_what_is_about_drives_is_worth_a_look)
