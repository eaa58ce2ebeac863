/* SPDX-License-Identifier: MIT */
/* The store: what goes in comes out, foreign files are left alone, a kill loses nothing
 * acknowledged. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include "storage/store.h"
#include "tests/unit/store_scene.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- points ---- */

START_TEST(points_come_back_as_they_went_in_and_unknown_stays_unknown)
{
	struct scene s;
	struct store *st;
	struct points p;

	in_new_folder();
	scene_init(&s, 1000000);
	st = must_open(STORE_WRITE);
	s.bay.wear.percent_used = 7;
	s.bay.wear.bytes_written = count_parse("18446744073709551616512000"); /* > 2^64 */
	s.bay.temperature_c = -20;
	s.bay.link.now.speed_mtps = 2500;
	put(st, &s, NULL, 0);
	history_tick(&s.h, 1060000, 60000);
	s.bay.wear.percent_used = NAN;
	s.bay.wear.bytes_written = (struct count){0};
	str_copy(s.bay.bay, sizeof s.bay.bay, "5");
	put(st, &s, NULL, 0);
	ck_assert_int_eq(points_of(st, "SN-A", "bytes_written", &p), 1);
	ck_assert_uint_eq(p.n, 2);
	ck_assert_str_eq(p.items[0].value, "18446744073709551616512000");
	ck_assert_str_eq(p.items[1].value, "");
	ck_assert_int_eq(p.items[1].at_steady_ms, 60000);
	points_of(st, "SN-A", "percent_used", &p);
	ck_assert_double_eq(p.items[0].number, 7);
	ck_assert(isnan(p.items[1].number));
	points_of(st, "SN-A", "temperature_celsius", &p);
	ck_assert_double_eq(p.items[0].number, -20);
	points_of(st, "SN-A", "speed_gts", &p);
	ck_assert_double_eq(p.items[0].number, 2.5);
	points_of(st, "00000000000000aa", NULL, &p);
	ck_assert_uint_eq(p.n, 2);
	ck_assert_str_eq(p.items[0].bay, "3");
	ck_assert_str_eq(p.items[1].bay, "5");
	ck_assert_int_eq(points_of(st, "bmc/3", NULL, &p), 1);
	ck_assert_uint_eq(p.n, 1);
	ck_assert_int_eq(points_of(st, "srv1/5", NULL, &p), 1);
	ck_assert_uint_eq(p.n, 1);
	ck_assert_int_eq(points_of(st, "nobody", NULL, &p), 0);
	store_close(st);
	scene_release(&s);
	remove_folder();
}
END_TEST

START_TEST(what_is_stale_or_empty_makes_no_point)
{
	struct scene s;
	struct store *st;
	struct points p;

	in_new_folder();
	scene_init(&s, 1000000);
	st = must_open(STORE_WRITE);
	s.bay.stale = true;
	put(st, &s, NULL, 0);
	s.bay.stale = false;
	s.bay.present = TRI_NO;
	put(st, &s, NULL, 0);
	points_of(st, "SN-A", NULL, &p);
	ck_assert_uint_eq(p.n, 0);
	store_close(st);
	scene_release(&s);
	remove_folder();
}
END_TEST

START_TEST(points_stand_in_the_order_of_the_polls_also_when_the_clock_steps_back)
{
	static const int64_t walls[] = {1000000, 1060000, 500000, 560000};
	struct scene s;
	struct store *st;
	struct points p;

	in_new_folder();
	scene_init(&s, walls[0]);
	st = must_open(STORE_WRITE);
	for (size_t i = 0; i < 4; i++) {
		history_tick(&s.h, walls[i], i ? 60000 : 0);
		put(st, &s, NULL, 0);
	}
	points_of(st, "SN-A", NULL, &p);
	ck_assert_uint_eq(p.n, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_int_eq(p.items[i].at_wall_ms, walls[i]);
		ck_assert_int_eq(p.items[i].at_steady_ms, (int64_t)i * 60000);
	}
	store_close(st);
	scene_release(&s);
	remove_folder();
}
END_TEST

/* Points that went into chunks, and whether each is what it should be. */
struct long_history {
	size_t n, unknown;
};

static void check_long(void *arg, const struct store_point *p)
{
	struct long_history *l = arg;

	ck_assert_int_eq(p->at_wall_ms, 1000000 + (int64_t)l->n * 60000);
	ck_assert_int_eq(p->at_steady_ms, (int64_t)l->n * 60000);
	ck_assert_str_eq(p->bay, l->n < 200 ? "3" : "5");
	ck_assert_int_eq(p->value.known, l->n % 7 != 0);
	if (p->value.known)
		ck_assert_double_eq(count_to_double(p->value.count), (double)l->n * 1e6);
	l->unknown += !p->value.known;
	l->n++;
}

static void count_point(void *arg, const struct store_point *p)
{
	ck_assert_ptr_nonnull(p->bay);
	++*(size_t *)arg;
}

START_TEST(a_long_history_goes_into_chunks_and_reads_as_if_it_had_not)
{
	const struct store_filter all = {CLOCK_NEVER, CLOCK_NEVER, 0, 0};
	const struct store_filter part = {
		1000000 + 100 * 60000, 1000000 + 300 * 60000, 0, 0};
	struct forecast_sample thin[64];
	struct long_history l = {0};
	size_t n = 0, in_5 = 0;
	struct scene s;
	struct store *st;
	struct err e;
	ptrdiff_t got;

	in_new_folder();
	scene_init(&s, 1000000);
	st = must_open(STORE_WRITE);
	for (int i = 0; i < 500; i++) {
		history_tick(&s.h, 1000000 + i * INT64_C(60000), i ? 60000 : 0);
		if (i == 200)
			str_copy(s.bay.bay, sizeof s.bay.bay, "5");
		s.bay.wear.percent_used = i;
		s.bay.wear.bytes_written =
			i % 7 ? count_of((uint64_t)i * 1000000) : (struct count){0};
		put(st, &s, NULL, 0);
	}
	ck_assert_int_eq(store_each_point(st, "SN-A", metric_find("bytes_written"), &all,
				 check_long, &l, &e),
		1);
	ck_assert_uint_eq(l.n, 500);
	ck_assert_uint_eq(l.unknown, 72);
	store_each_point(st, "SN-A", NULL, &part, count_point, &n, &e);
	ck_assert_uint_eq(n, 200);
	ck_assert_int_ge(
		store_each_point(st, "srv1/5", NULL, &all, count_point, &in_5, &e), 1);
	ck_assert_uint_eq(in_5, 300);
	got = store_get_wear(st, "00000000000000aa", thin, 64, &e);
	ck_assert_int_ge(got, 32);
	for (ptrdiff_t i = 0; i < got; i++)
		ck_assert_double_eq(
			thin[i].percent_used, (double)(thin[i].at_ms / 60000));
	ck_assert_int_eq(thin[0].at_ms, 0);
	ck_assert_int_ge(thin[got - 1].at_ms, 470 * 60000); /* the agent adds what it just read */
	store_close(st);
	ck_assert_int_le(ask_sql("SELECT count(*) FROM poll"), 120);
	ck_assert_int_ge(ask_sql("SELECT count(*) FROM chunk"), 4);
	scene_release(&s);
	remove_folder();
}
END_TEST

START_TEST(LW_D6_a_damaged_chunk_costs_its_own_points_and_no_others)
{
	struct scene s;
	struct store *st;
	size_t n = 0;
	const struct store_filter all = {CLOCK_NEVER, CLOCK_NEVER, 0, 0};
	struct err e;

	in_new_folder();
	scene_init(&s, 1000000);
	st = must_open(STORE_WRITE);
	for (int i = 0; i < 300; i++)
		put(st, &s, NULL, 0);
	store_close(st);
	sql("UPDATE chunk SET data = substr(data, 1, 20) || x'ffee' || substr(data, 23) "
	    "WHERE id = (SELECT max(id) FROM chunk)");
	st = must_open(STORE_READ);
	store_each_point(st, "SN-A", NULL, &all, count_point, &n, &e);
	ck_assert_uint_eq(n, 180);
	store_close(st);
	scene_release(&s);
	remove_folder();
}
END_TEST

START_TEST(wear_of_a_drive_that_nobody_knows_is_nothing)
{
	struct forecast_sample got[8];
	struct store *st;
	struct err e;

	in_new_folder();
	st = must_open(STORE_WRITE);
	ck_assert_int_eq(store_get_wear(st, "no such drive", got, 8, &e), 0);
	store_close(st);
	remove_folder();
}
END_TEST

/* ---- what is remembered ---- */

START_TEST(history_goes_on_after_a_restart)
{
	struct history got;
	struct drive_past *p;
	struct scene s;
	struct store *st;
	struct err e;

	in_new_folder();
	scene_init(&s, 1772445600000);
	p = &s.h.drives[0];
	p->link = (struct pcie_rate){32000, 4};
	p->busy_link = (struct pcie_rate){16000, 2};
	p->busy_at_ms = 77;
	p->changed_at_ms[0] = 12;
	p->changed_at_ms[1] = 5;
	p->changes = 2;
	p->verdict = VERDICT_DEGRADED_WIDTH;
	p->state = DRIVE_NOT_ANSWERING;
	p->flapping = p->lost = true;
	str_copy(p->came_from, sizeof p->came_from, "7");
	p->came_verdict = VERDICT_DEGRADED_BOTH;
	p->came_at_ms = 99;
	p->counters[PAST_BYTES_WRITTEN] =
		count_parse("340282366920938463463374607431768211455");
	str_copy(p->sources, sizeof p->sources, "bmc,host");
	history_target(&s.h, "bmc")->verdict = TARGET_UNREACHABLE;
	st = must_open(STORE_WRITE);
	put(st, &s, NULL, 0);
	store_close(st);
	st = must_open(STORE_WRITE);
	history_init(&got);
	ck_assert_int_eq(store_get_history(st, &got, &e), 0);
	ck_assert(got.started);
	ck_assert_int_eq(got.wall_ms, 1772445600000);
	ck_assert_uint_eq(got.n_drives, 1);
	p = &got.drives[0];
	ck_assert_str_eq(p->serial, "SN-A");
	ck_assert_str_eq(p->sources, "bmc,host");
	ck_assert_int_eq(p->link.speed_mtps, 32000);
	ck_assert_int_eq(p->busy_link.width_lanes, 2);
	ck_assert_int_eq(p->busy_at_ms, 77);
	ck_assert_int_eq(p->changed_at_ms[0], 12);
	ck_assert_int_eq(p->changed_at_ms[1], 5);
	ck_assert_int_eq(p->changed_at_ms[2], -1);
	ck_assert_int_eq(p->verdict, VERDICT_DEGRADED_WIDTH);
	ck_assert_int_eq(p->state, DRIVE_NOT_ANSWERING);
	ck_assert(p->here && p->flapping && p->lost && !p->by_place);
	ck_assert_int_eq(p->media_rose_at_ms, -1);
	ck_assert_str_eq(p->came_from, "7");
	ck_assert_int_eq(p->came_verdict, VERDICT_DEGRADED_BOTH);
	ck_assert_int_eq(p->came_at_ms, 99);
	ck_assert_int_eq(count_compare(p->counters[PAST_BYTES_WRITTEN],
				 s.h.drives[0].counters[PAST_BYTES_WRITTEN]),
		0);
	ck_assert_uint_eq(got.n_targets, 1);
	ck_assert_int_eq(got.targets[0].verdict, TARGET_UNREACHABLE);
	history_release(&got);
	store_close(st);
	scene_release(&s);
	remove_folder();
}
END_TEST

static bool count_notice(void *arg, const struct store_notice *n)
{
	size_t *count = arg;

	ck_assert_str_eq(n->channel, "hook");
	(*count)++;
	return true;
}

START_TEST(events_alerts_and_open_notices_survive_a_restart)
{
	const struct store_notice notices[2] = {
		{.id = 7, .channel = "hook", .body = "{\"n\":1}", .alert_id = 1},
		{.channel = "hook", .body = "{\"n\":2}"}};
	const struct store_told told = {.id = 7, .at_wall_ms = 1000500};
	const struct store_round later = {.told = &told, .n_told = 1};
	const struct store_filter f = {CLOCK_NEVER, CLOCK_NEVER, 0, 0};
	struct alerts alerts;
	struct events events = {0};
	struct scene s;
	struct alert *a;
	struct store *st;
	struct err e;
	int64_t next_event, next_notice;
	size_t open = 0;

	in_new_folder();
	scene_init(&s, 1000000);
	str_copy(events_add(&s.events, 1000000, EVENT_DRIVE_MOVED, SEVERITY_INFO)->to, 96,
		"5");
	a = alerts_add(&s.alerts);
	a->kind = ALERT_LINK;
	a->state = ALERT_FIRING;
	a->severity = SEVERITY_CRITICAL;
	str_copy(a->key, sizeof a->key, "link srv1/3");
	st = must_open(STORE_WRITE);
	put(st, &s, notices, 2);
	ck_assert_int_eq(store_get_next_ids(st, &next_event, &next_notice, &e), 0);
	ck_assert_int_eq(next_event, 2);
	ck_assert_int_eq(next_notice, 9);
	ck_assert_int_eq(store_put_round(st, &later, &e), 0);
	store_close(st);

	st = must_open(STORE_READ);
	ck_assert_int_eq(store_get_events(st, &f, &events, &e), 0);
	ck_assert_uint_eq(events.n, 1);
	ck_assert_int_eq(events.items[0].type, EVENT_DRIVE_MOVED);
	ck_assert_str_eq(events.items[0].to, "5");
	ck_assert_str_eq(events.items[0].from, "");
	alerts_init(&alerts);
	ck_assert_int_eq(store_get_alerts(st, false, &alerts, &e), 0);
	ck_assert_uint_eq(alerts.n, 1);
	ck_assert_str_eq(alerts.items[0].key, "link srv1/3");
	ck_assert_int_eq(alerts.items[0].resolved_wall_ms, CLOCK_NEVER);
	ck_assert_uint_eq(alerts.items[0].n_told, 1);
	ck_assert_str_eq(alerts.items[0].told[0].channel, "hook");
	ck_assert_int_eq(alerts.next_id, 2);
	ck_assert_int_eq(store_each_notice(st, count_notice, &open, &e), 0);
	ck_assert_uint_eq(open, 1);
	events_release(&events);
	alerts_release(&alerts);
	store_close(st);
	scene_release(&s);
	remove_folder();
}
END_TEST

/* ---- whose file ---- */

static void write_file(const char *text)
{
	FILE *f = fopen(scene_path, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void refused(enum store_mode mode, enum store_fault fault, const char *words)
{
	enum store_fault got = STORE_FAULT_NONE;
	struct err e = {""};

	ck_assert_ptr_null(store_open(scene_path, mode, &got, &e));
	ck_assert_int_eq(got, fault);
	ck_assert_msg(strstr(e.text, words) != NULL, "%s", e.text);
}

START_TEST(LW_D7_foreign_and_newer_files_are_refused_in_words_and_left_alone)
{
	struct stat before, after;

	in_new_folder();
	refused(STORE_READ, STORE_MISSING, "No such file");
	write_file("This is a letter, and no database; it is long enough to have a "
		   "header of one hundred bytes, I hope.\n");
	ck_assert_int_eq(stat(scene_path, &before), 0);
	refused(STORE_WRITE, STORE_FOREIGN, "no database of lanewatch");
	refused(STORE_READ, STORE_FOREIGN, "no database of lanewatch");
	ck_assert_int_eq(stat(scene_path, &after), 0);
	ck_assert_int_eq(before.st_size, after.st_size);
	unlink(scene_path);
	sql("CREATE TABLE mine (a)");
	refused(STORE_WRITE, STORE_FOREIGN, "not one of lanewatch");
	unlink(scene_path);
	store_close(must_open(STORE_WRITE));
	sql("PRAGMA user_version = 9999");
	refused(STORE_WRITE, STORE_FOREIGN, "newer lanewatch");
	refused(STORE_READ, STORE_FOREIGN, "newer lanewatch");
	remove_folder();
}
END_TEST

START_TEST(LW_D7_a_file_of_the_first_version_is_brought_up_to_date_after_a_copy)
{
	const char *srcdir = getenv("srcdir");
	char name[512], copy[160];
	struct history h;
	struct store *st;
	struct points p;
	struct buf text;
	struct err e;

	in_new_folder();
	buf_init(&text, 1 << 20);
	snprintf(name, sizeof name, "%s/schemas/sql/0001_first.sql",
		srcdir ? srcdir : "..");
	ck_assert_int_eq(file_read(name, &text, &e), 0);
	sql(buf_text(&text));
	sql("PRAGMA application_id = 1280799604; PRAGMA user_version = 1;"
	    "INSERT INTO poll VALUES (1, 1000000, 0), (2, 1060000, 60000);"
	    "INSERT INTO place VALUES (1, 'srv1', '3');"
	    "INSERT INTO drive (id, key, serial, target, host, bay, here, lost, "
	    "by_place, missed, link_changes, flapping)"
	    " VALUES (1, '00000000000000aa', 'SN-A', 'bmc', 'srv1', '3', 1, 0, 0, 0, 0, "
	    "0);"
	    "INSERT INTO sample (drive, poll, place, percent_used) VALUES (1, 1, 1, 7), "
	    "(1, 2, 1, NULL)");
	refused(STORE_READ, STORE_FOREIGN, "older lanewatch");
	st = must_open(STORE_WRITE);
	ck_assert_int_eq(points_of(st, "SN-A", "percent_used", &p), 1);
	ck_assert_uint_eq(p.n, 2);
	ck_assert_double_eq(p.items[0].number, 7);
	ck_assert(isnan(p.items[1].number));
	history_init(&h);
	ck_assert_int_eq(store_get_history(st, &h, &e), 0);
	ck_assert_int_eq(h.drives[0].came_at_ms, -1);
	history_release(&h);
	store_close(st);
	snprintf(copy, sizeof copy, "%s.version-1", scene_path);
	ck_assert_int_eq(unlink(copy), 0);
	buf_release(&text);
	remove_folder();
}
END_TEST

START_TEST(LW_S4_the_file_is_born_readable_by_its_group_only)
{
	struct stat st;

	in_new_folder();
	umask(0);
	store_close(must_open(STORE_WRITE));
	ck_assert_int_eq(stat(scene_path, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0640);
	remove_folder();
}
END_TEST

START_TEST(a_second_writer_is_told_so_and_readers_are_let_in)
{
	struct store *first;

	in_new_folder();
	first = must_open(STORE_WRITE);
	refused(STORE_WRITE, STORE_LOCKED, "in use by another lanewatch");
	store_close(must_open(STORE_READ));
	store_close(first);
	store_close(must_open(STORE_WRITE));
	remove_folder();
}
END_TEST

START_TEST(LW_D6_a_damaged_file_is_set_aside_and_a_new_one_begins)
{
	char name[192], at[CLOCK_TEXT_MAX];
	struct scene s;
	struct store *st;
	int fd;

	in_new_folder();
	scene_init(&s, 1000000);
	st = must_open(STORE_WRITE);
	for (int i = 0; i < 400; i++)
		put(st, &s, NULL, 0);
	store_close(st);
	fd = open(scene_path, O_RDWR);
	for (off_t off = 4096 * 4; off < 4096 * 8; off += 512)
		ck_assert_int_eq(pwrite(fd, "damage damage damage damage", 27, off), 27);
	close(fd);
	clock_set(INT64_C(1772445600000), 0);
	clock_text(clock_wall_ms(), at);
	store_close(must_open(STORE_WRITE));
	snprintf(name, sizeof name, "%s.damaged-%s", scene_path, at);
	ck_assert_int_eq(unlink(name), 0);
	scene_release(&s);
	remove_folder();
}
END_TEST

START_TEST(LW_D6_a_file_whose_list_of_tables_is_damaged_is_set_aside_as_well)
{
	char name[192], at[CLOCK_TEXT_MAX];
	struct scene s;
	struct store *st;
	int fd;

	in_new_folder();
	scene_init(&s, 1000000);
	st = must_open(STORE_WRITE);
	put(st, &s, NULL, 0);
	store_close(st);
	fd = open(scene_path, O_RDWR);
	ck_assert_int_eq(pwrite(fd, "damage damage damage damage", 27, 100), 27); /* behind the header of the file */
	close(fd);
	clock_set(INT64_C(1772445600000), 0);
	store_close(must_open(STORE_WRITE_UNSEEN));
	snprintf(name, sizeof name, "%s.damaged-%s", scene_path, clock_text(clock_wall_ms(), at));
	ck_assert_int_eq(unlink(name), 0);
	scene_release(&s);
	remove_folder();
}
END_TEST

/* ---- kill ---- */

/* Writes rounds, each with one event, and says through the pipe how many are
 * acknowledged. */
static void write_until_killed(int fd, uint32_t done)
{
	struct scene s;
	struct store *st = must_open(STORE_WRITE);

	scene_init(&s, 1000000);
	for (;;) {
		events_release(&s.events);
		events_add(&s.events, 1000000, EVENT_DRIVE_ADDED, SEVERITY_INFO);
		put(st, &s, NULL, 0);
		done++;
		if (write(fd, &done, sizeof done) != sizeof done)
			_exit(1);
	}
}

START_TEST(LW_D2_a_killed_writer_loses_nothing_that_was_acknowledged)
{
	unsigned seed = (unsigned)clock_wall_ms();
	uint32_t acknowledged = 0;
	int kills = kills_wanted();

	for (int i = 0; i < kills; i++) {
		int64_t kept;

		if (i % KILLS_A_FILE == 0) {
			in_new_folder();
			acknowledged = 0;
		}
		acknowledged = kill_after(write_until_killed, 2000 + (unsigned)rand_r(&seed) % 40000, i % 2, acknowledged);
		store_close(must_open(STORE_WRITE)); /* which looks it through */
		kept = ask_sql("SELECT count(*) FROM event");
		/* one more may be in it: committed, and killed before it said so */
		ck_assert_msg(kept == acknowledged || kept == (int64_t)acknowledged + 1, "%lld events, %u acknowledged",
			(long long)kept, acknowledged);
		acknowledged = (uint32_t)kept;
		if (i % KILLS_A_FILE == KILLS_A_FILE - 1 || i == kills - 1) {
			ck_assert_uint_gt(acknowledged, 0);
			remove_folder();
		}
	}
}
END_TEST

UNIT_MAIN("store", points_come_back_as_they_went_in_and_unknown_stays_unknown,
	what_is_stale_or_empty_makes_no_point,
	points_stand_in_the_order_of_the_polls_also_when_the_clock_steps_back,
	history_goes_on_after_a_restart,
	a_long_history_goes_into_chunks_and_reads_as_if_it_had_not,
	LW_D6_a_damaged_chunk_costs_its_own_points_and_no_others,
	wear_of_a_drive_that_nobody_knows_is_nothing,
	events_alerts_and_open_notices_survive_a_restart,
	LW_D7_foreign_and_newer_files_are_refused_in_words_and_left_alone,
	LW_D7_a_file_of_the_first_version_is_brought_up_to_date_after_a_copy,
	LW_S4_the_file_is_born_readable_by_its_group_only,
	a_second_writer_is_told_so_and_readers_are_let_in,
	LW_D6_a_damaged_file_is_set_aside_and_a_new_one_begins,
	LW_D6_a_file_whose_list_of_tables_is_damaged_is_set_aside_as_well,
	LW_D2_a_killed_writer_loses_nothing_that_was_acknowledged)
