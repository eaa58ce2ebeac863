/* SPDX-License-Identifier: MIT */
/*
 * Hours and days, what is forgotten and when, and clocks that jump: what is rolled up says the
 * same as the points it was made of, and no point is lost, given twice or overwritten.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include "tests/unit/store_scene.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MINUTE_MS INT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)
#define START_MS INT64_C(1772445600000) /* 2026-03-02T10:00:00Z */

enum { POINTS_MAX = 20000 };

static struct point {
	int64_t at_wall_ms, step;
	double last, least, greatest;
	uint64_t count;
} got[POINTS_MAX], want[POINTS_MAX];
static size_t n_got, n_want;

static void take(void *arg, const struct store_point *p)
{
	(void)arg;
	ck_assert_uint_lt(n_got, POINTS_MAX);
	got[n_got++] = (struct point){p->at_wall_ms, 0, metric_number(p->value),
		metric_number(p->least), metric_number(p->greatest), p->count};
}

static void read_points(struct store *st, const char *metric, int64_t step_ms)
{
	const struct store_filter f = {CLOCK_NEVER, CLOCK_NEVER, 0, step_ms};
	struct err e = {""};

	n_got = 0;
	ck_assert_int_eq(store_each_point(st, "SN-A", metric ? metric_find(metric) : NULL,
				 &f, take, NULL, &e),
		1);
}

/* What the points in `got` come to by steps. */
static void add_up(int64_t step_ms)
{
	n_want = 0;
	for (size_t i = 0; i < n_got; i++) {
		int64_t step = got[i].at_wall_ms / step_ms;
		struct point *w = n_want ? &want[n_want - 1] : NULL;

		if (!w || w->step != step) {
			w = &want[n_want++];
			*w = (struct point){0, step, NAN, NAN, NAN, 0};
		}
		w->at_wall_ms = got[i].at_wall_ms;
		if (got[i].count == 0)
			continue;
		w->last = got[i].last;
		w->least = fmin(w->least, got[i].last);
		w->greatest = fmax(w->greatest, got[i].last);
		w->count++;
	}
}

static bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b;
}

static void check_step(struct store *st, const char *metric, int64_t step_ms)
{
	read_points(st, metric, 0);
	add_up(step_ms);
	read_points(st, metric, step_ms);
	ck_assert_uint_eq(n_got, n_want);
	for (size_t i = 0; i < n_got; i++)
		ck_assert_msg(got[i].at_wall_ms == want[i].at_wall_ms &&
				      same(got[i].last, want[i].last) &&
				      same(got[i].least, want[i].least) &&
				      same(got[i].greatest, want[i].greatest) &&
				      got[i].count == want[i].count,
			"%s, step %lld, point %zu: %g %g %g %d, expected %g %g %g %d", metric,
			(long long)step_ms, i, got[i].least, got[i].greatest, got[i].last,
			(int)got[i].count, want[i].least, want[i].greatest, want[i].last,
			(int)want[i].count);
}

static uint64_t state = 88172645463325252;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* A minute goes by; the temperature is unknown now and then, and for four hours. */
static void minute(struct store *st, struct scene *s, int i, int64_t wall_ms)
{
	bool hole = i % 17 == 3 || (i > 700 && i < 940);

	history_tick(&s->h, wall_ms, i ? MINUTE_MS : 0);
	s->bay.temperature_c = hole ? NAN : 30 + (double)(next() % 100) / 10;
	s->bay.wear.bytes_written = count_of((uint64_t)i * 512000);
	s->bay.wear.percent_used = 3;
	put(st, s, NULL, 0);
}

START_TEST(hours_and_days_say_the_same_as_the_points_they_are_made_of)
{
	static const int64_t steps[] = {10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS, DAY_MS, 7 * DAY_MS};
	static const char *const metrics[] = {
		"temperature_celsius", "bytes_written", "percent_used", "media_errors"};
	struct scene s;
	struct store *st;

	in_new_folder();
	scene_init(&s, START_MS);
	st = must_open(STORE_WRITE);
	for (int i = 0; i < 4000; i++)
		if (i < 2000 || i > 2400) /* it was out for some hours */
			minute(st, &s, i, START_MS + i * MINUTE_MS);
	for (size_t m = 0; m < 4; m++)
		for (size_t k = 0; k < 5; k++)
			check_step(st, metrics[m], steps[k]);
	read_points(st, NULL, DAY_MS);
	ck_assert_uint_eq(n_got, 4); /* from ten in the morning of one day to the fourth */
	store_close(st);
	ck_assert_int_gt(ask_sql("SELECT count(*) FROM hour"), 1);
	scene_release(&s);
	remove_folder();
}
END_TEST

START_TEST(a_step_without_polls_is_no_point_and_one_without_values_is_unknown)
{
	struct scene s;
	struct store *st;
	size_t unknown = 0;

	in_new_folder();
	scene_init(&s, START_MS);
	st = must_open(STORE_WRITE);
	for (int i = 0; i < 1500; i++)
		if (i < 120 || i >= 420) /* five hours without a poll */
			minute(st, &s, i, START_MS + i * MINUTE_MS);
	read_points(st, "temperature_celsius", HOUR_MS);
	ck_assert_uint_eq(n_got, 20);
	for (size_t i = 0; i < n_got; i++)
		unknown += got[i].count == 0 && isnan(got[i].last) && isnan(got[i].least);
	ck_assert_uint_eq(unknown, 3); /* whole hours between minutes 700 and 940 */
	store_close(st);
	scene_release(&s);
	remove_folder();
}
END_TEST

static uint64_t total(struct store *st, const char *metric, int64_t step_ms)
{
	uint64_t n = 0;

	read_points(st, metric, step_ms);
	for (size_t i = 0; i < n_got; i++)
		n += got[i].count;
	return n;
}

START_TEST(LW_D8_clocks_that_jump_lose_overwrite_and_age_nothing)
{
	/* at the minute: the wall clock goes on from there */
	static const struct {
		int minute;
		int64_t wall_ms;
	} jumps[] = {
		{0, START_MS},
		{500, START_MS - DAY_MS},	      /* a day back */
		{1000, START_MS + 3650 * DAY_MS},     /* ten years on */
		{1500, 0},			      /* 1970: no battery */
		{2000, INT64_C(2147483647000) - 120 * MINUTE_MS}, /* past 2038 */
		{2500, START_MS + 5 * DAY_MS},
	};
	struct scene s;
	struct store *st;
	size_t k = 0;
	struct stat before;

	in_new_folder();
	scene_init(&s, START_MS);
	st = must_open(STORE_WRITE);
	for (int i = 0; i < 3000; i++) {
		while (k + 1 < 6 && jumps[k + 1].minute <= i)
			k++;
		minute(st, &s, i, jumps[k].wall_ms + (i - jumps[k].minute) * MINUTE_MS);
	}
	ck_assert_uint_eq(total(st, "bytes_written", 0), 3000);
	for (size_t i = 0; i < n_got; i++)
		ck_assert_double_eq(got[i].last, (double)i * 512000);
	ck_assert_uint_eq(total(st, "bytes_written", HOUR_MS), 3000);
	ck_assert_uint_eq(total(st, "bytes_written", DAY_MS), 3000);
	store_close(st);
	/* after a start, the clock a hundred years ahead: that is a day at most */
	ck_assert_int_eq(stat(scene_path, &before), 0);
	st = must_open(STORE_WRITE);
	history_tick(&s.h, START_MS + 36500 * DAY_MS, -1);
	for (int i = 0; i < 300; i++)
		minute(st, &s, i + 1, s.h.wall_ms + MINUTE_MS);
	ck_assert_uint_eq(total(st, "bytes_written", 0), 3300);
	ck_assert_uint_eq(n_got, 3300);
	store_close(st);
	scene_release(&s);
	remove_folder();
}
END_TEST

START_TEST(LW_D9_times_past_2038_are_times_like_any_other)
{
	struct scene s;
	struct store *st;
	int64_t start = INT64_C(2147483647000) - 200 * MINUTE_MS;

	in_new_folder();
	scene_init(&s, start);
	st = must_open(STORE_WRITE);
	for (int i = 0; i < 400; i++)
		minute(st, &s, i, start + i * MINUTE_MS);
	read_points(st, "bytes_written", 0);
	ck_assert_uint_eq(n_got, 400);
	for (size_t i = 0; i < n_got; i++)
		ck_assert_int_eq(got[i].at_wall_ms, start + (int64_t)i * MINUTE_MS);
	check_step(st, "temperature_celsius", HOUR_MS);
	store_close(st);
	scene_release(&s);
	remove_folder();
}
END_TEST

/* ---- what is forgotten ---- */

START_TEST(raw_points_go_first_then_hours_and_days_stay)
{
	const struct store_limits limits = {
		.raw_ms = DAY_MS, .hourly_ms = 4 * DAY_MS, .daily_ms = 0};
	struct scene s;
	struct store *st;
	size_t days = 0, hours = 0, minutes = 0;

	if (is_valgrind()) /* weeks of rounds take too long there */
		return;
	in_new_folder();
	scene_init(&s, START_MS);
	st = must_open(STORE_WRITE);
	store_limit(st, &limits);
	for (int i = 0; i < 10 * 1440; i++)
		minute(st, &s, i, START_MS + i * MINUTE_MS);
	/* each day, hour or minute once, whatever is left of it */
	ck_assert_uint_eq(total(st, "bytes_written", 0), 10 * 1440);
	for (size_t i = 0; i < n_got; i++) {
		if (i)
			ck_assert_double_gt(got[i].last, got[i - 1].last);
		days += got[i].count > 60;
		hours += got[i].count > 1 && got[i].count <= 60;
		minutes += got[i].count == 1;
	}
	ck_assert_msg(days >= 4 && hours >= 48 && minutes >= 1440, "%zu days, %zu hours, %zu minutes",
		days, hours, minutes);
	ck_assert_uint_lt(minutes, 1440 + 5 * 120);
	ck_assert_uint_lt(hours, 100 + 24);
	ck_assert_uint_eq(total(st, "bytes_written", DAY_MS), 10 * 1440);
	store_close(st);
	ck_assert_int_eq(ask_sql("SELECT count(*) FROM bucket WHERE times IS NULL AND id > 0 "
				 "AND id >= (SELECT min(id) >> 20 FROM chunk)"),
		0);
	scene_release(&s);
	remove_folder();
}
END_TEST

START_TEST(what_a_channel_was_told_goes_with_the_raw_points_and_what_it_was_not_stays)
{
	const struct store_limits limits = {.raw_ms = DAY_MS};
	const struct store_notice early[] = {{.id = 1, .channel = "hook", .body = "{}"}, {.id = 2, .channel = "hook", .body = "{}"}},
				  late = {.id = 3, .channel = "hook", .body = "{}"};
	const struct store_told told[] = {{.id = 1, .at_wall_ms = START_MS}, {.id = 3, .at_wall_ms = START_MS}};
	const struct store_round first = {.at_wall_ms = START_MS, .notices = early, .n_notices = 2, .told = told, .n_told = 1},
				 last = {.at_wall_ms = START_MS + 2 * DAY_MS, .notices = &late, .n_notices = 1, .told = &told[1], .n_told = 1};
	struct scene s;
	struct store *st;
	struct err e;

	if (is_valgrind())
		return;
	in_new_folder();
	scene_init(&s, START_MS);
	st = must_open(STORE_WRITE);
	store_limit(st, &limits);
	ck_assert_int_eq(store_put_round(st, &first, &e), 0);
	for (int i = 0; i < 2 * 1440; i++) {
		minute(st, &s, i, START_MS + i * MINUTE_MS);
		if (i == 1000) /* within the day it is there */
			ck_assert_int_eq(ask_sql("SELECT count(*) FROM notice"), 2);
	}
	ck_assert_int_eq(store_put_round(st, &last, &e), 0);
	for (int i = 2 * 1440; i < 2 * 1440 + 600; i++)
		minute(st, &s, i, START_MS + i * MINUTE_MS);
	store_close(st);
	ck_assert_int_eq(ask_sql("SELECT count(*) FROM notice"), 2);
	ck_assert_int_eq(ask_sql("SELECT count(*) FROM notice WHERE id = 1"), 0);
	scene_release(&s);
	remove_folder();
}
END_TEST

START_TEST(a_file_that_may_not_grow_forgets_its_oldest_points_and_keeps_its_events)
{
	const struct store_limits limits = {.bytes_max = 320 * 1024};
	struct scene s;
	struct store *st;

	if (is_valgrind()) /* weeks of rounds take too long there */
		return;
	in_new_folder();
	scene_init(&s, START_MS);
	events_add(&s.events, START_MS, EVENT_DRIVE_ADDED, SEVERITY_INFO);
	st = must_open(STORE_WRITE);
	store_limit(st, &limits);
	for (int i = 0; i < 20000; i++) {
		s.bay.wear.bytes_read = count_of(next());
		s.bay.health.error_log_entries = count_of(next());
		minute(st, &s, i, START_MS + i * MINUTE_MS);
		events_release(&s.events);
	}
	ck_assert_uint_eq(total(st, "bytes_written", DAY_MS), 20000);
	store_close(st);
	ck_assert_int_le(ask_sql("SELECT (page_count - freelist_count) * page_size FROM "
				 "pragma_page_count, pragma_freelist_count, pragma_page_size"),
		340 * 1024);
	ck_assert_int_eq(ask_sql("SELECT count(*) FROM event"), 1);
	ck_assert_int_gt(ask_sql("SELECT count(*) FROM chunk"), 10);
	scene_release(&s);
	remove_folder();
}
END_TEST

START_TEST(pages_that_nothing_needs_go_back_to_the_file_system)
{
	const struct store_limits none = {0}, day = {.raw_ms = DAY_MS};
	struct scene s;
	struct store *st;
	struct stat large, small;

	if (is_valgrind()) /* weeks of rounds take too long there */
		return;
	in_new_folder();
	scene_init(&s, START_MS);
	st = must_open(STORE_WRITE);
	store_limit(st, &none);
	for (int i = 0; i < 14000; i++) {
		s.bay.wear.bytes_read = count_of(next());
		s.bay.wear.physical_bytes_written = count_of(next());
		s.bay.health.error_log_entries = count_of(next());
		s.bay.health.power_cycles = count_of(next());
		minute(st, &s, i, START_MS + i * MINUTE_MS);
	}
	store_close(st);
	ck_assert_int_eq(ask_sql("PRAGMA auto_vacuum"), 2);
	ck_assert_int_eq(stat(scene_path, &large), 0);
	st = must_open(STORE_WRITE);
	store_limit(st, &day);
	for (int i = 0; i < 200; i++)
		minute(st, &s, i + 1, s.h.wall_ms + MINUTE_MS);
	store_close(st);
	ck_assert_int_eq(ask_sql("PRAGMA wal_checkpoint(TRUNCATE)"), 0);
	ck_assert_int_eq(stat(scene_path, &small), 0);
	ck_assert_msg(small.st_size < large.st_size / 2, "%lld bytes of %lld",
		(long long)small.st_size, (long long)large.st_size);
	scene_release(&s);
	remove_folder();
}
END_TEST

/* ---- older files ---- */

static void run_file(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char file[512];
	struct buf text;
	struct err e;

	buf_init(&text, 1 << 20);
	snprintf(file, sizeof file, "%s/schemas/sql/%s", srcdir ? srcdir : "..", name);
	ck_assert_int_eq(file_read(file, &text, &e), 0);
	sql(buf_text(&text));
	buf_release(&text);
}

START_TEST(LW_D7_a_file_of_the_third_version_keeps_its_points_and_is_rolled_up)
{
	char copy[160];
	struct scene s;
	struct store *st;

	in_new_folder();
	run_file("0001_first.sql");
	run_file("0002_came_from.sql");
	run_file("0003_chunks.sql");
	sql("PRAGMA application_id = 1280799604; PRAGMA user_version = 3;"
	    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
	    " INSERT INTO poll SELECT i, 1772445600000 + i * 60000, i * 60000 FROM n;"
	    "INSERT INTO place VALUES (1, 'srv1', '3');"
	    "INSERT INTO drive (id, key, serial, target, host, bay, here, lost, by_place, missed,"
	    " link_changes, flapping) VALUES (1, '00000000000000aa', 'SN-A', 'bmc', 'srv1', '3',"
	    " 1, 0, 0, 0, 0, 0);"
	    "INSERT INTO stay VALUES (1, 1, 1, 1, 300);"
	    "INSERT INTO recent (poll, drive, place, percent_used, bytes_written)"
	    " SELECT id, 1, 1, CASE WHEN id % 10 THEN id / 10 END, id * 512000 FROM poll");
	st = must_open(STORE_WRITE);
	read_points(st, "bytes_written", 0);
	ck_assert_uint_eq(n_got, 300);
	for (size_t i = 0; i < n_got; i++)
		ck_assert_double_eq(got[i].last, (double)(i + 1) * 512000);
	check_step(st, "percent_used", HOUR_MS);
	check_step(st, "percent_used", DAY_MS);
	/* and goes on */
	scene_init(&s, START_MS + 301 * MINUTE_MS);
	history_release(&s.h);
	history_init(&s.h);
	ck_assert_int_eq(store_get_history(st, &s.h, &(struct err){""}), 0);
	ck_assert_int_eq(s.h.steady_ms, 300 * MINUTE_MS);
	for (int i = 301; i < 700; i++)
		minute(st, &s, i, START_MS + i * MINUTE_MS);
	read_points(st, "bytes_written", 0);
	ck_assert_uint_eq(n_got, 699);
	for (size_t i = 0; i < n_got; i++)
		ck_assert_double_eq(got[i].last, (double)(i + 1) * 512000);
	store_close(st);
	ck_assert_int_eq(ask_sql("SELECT count(*) FROM sqlite_master WHERE name = 'recent'"), 0);
	ck_assert_int_eq(ask_sql("SELECT count(*) FROM stay"), 1);
	snprintf(copy, sizeof copy, "%s.version-3", scene_path);
	ck_assert_int_eq(unlink(copy), 0);
	scene_release(&s);
	remove_folder();
}
END_TEST

UNIT_MAIN("store tiers", hours_and_days_say_the_same_as_the_points_they_are_made_of,
	a_step_without_polls_is_no_point_and_one_without_values_is_unknown,
	LW_D8_clocks_that_jump_lose_overwrite_and_age_nothing,
	LW_D9_times_past_2038_are_times_like_any_other,
	raw_points_go_first_then_hours_and_days_stay,
	what_a_channel_was_told_goes_with_the_raw_points_and_what_it_was_not_stays,
	a_file_that_may_not_grow_forgets_its_oldest_points_and_keeps_its_events,
	pages_that_nothing_needs_go_back_to_the_file_system,
	LW_D7_a_file_of_the_third_version_keeps_its_points_and_is_rolled_up)
