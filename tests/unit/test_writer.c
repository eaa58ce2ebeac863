/* SPDX-License-Identifier: MIT */
/* The thread that writes the store: what is handed over, and what becomes of it. */
#include "storage/writer.h"

#include "base/clock.h"
#include "base/str.h"
#include "tests/unit/fault_vfs.h"
#include "tests/unit/store_scene.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { WAIT_MS = 60000, LOOKS = 3000, LOOK_US = 20000, MANY_PAGES = 500, SLOW_US = 10000 };

#define WEEK_MS INT64_C(604800000)

static const struct store_filter everything = {CLOCK_NEVER, CLOCK_NEVER, 0, 0};

static struct writer *begin(int64_t commit_every_ms)
{
	struct store_limits limits = store_limits_standard();
	struct err e = {""};
	struct writer *w = writer_open(scene_path, NULL, &e);

	ck_assert_msg(w != NULL, "%s", e.text);
	writer_limit(w, &limits, commit_every_ms);
	return w;
}

/* The next minute; its event has this id, 0: it has none. */
static uint64_t hand_over(struct writer *w, struct scene *s, int64_t event)
{
	struct store_poll poll;
	struct events ev = {0};
	struct store_round r = {.at_wall_ms = s->h.wall_ms, .history = &s->h, .all_drives = true, .alerts = &s->alerts, .events = &ev};
	uint64_t ticket;

	history_tick(&s->h, s->h.wall_ms + 60000, 60000);
	poll = scene_poll(s);
	if (event)
		events_add(&ev, s->h.wall_ms, EVENT_DRIVE_ADDED, SEVERITY_INFO)->id = event;
	ticket = writer_put(w, &poll, &r);
	events_release(&ev);
	return ticket;
}

static int64_t count_polls(void)
{
	return ask_sql("SELECT count(*) FROM poll");
}

static int64_t count_events(void)
{
	return ask_sql("SELECT count(*) FROM event");
}

/* Files may not grow: that is a full disk. */
static void may_grow(bool it_may)
{
	struct rlimit r;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &r);
	r.rlim_cur = it_may ? r.rlim_max : 4096;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &r), 0);
}

/* ---- what goes in ---- */

START_TEST(what_was_handed_over_is_in_the_file_when_the_writer_is_closed)
{
	struct scene s;
	struct writer *w;

	in_new_folder();
	scene_init(&s, 1000000);
	w = begin(0);
	for (int64_t i = 1; i <= 300; i++)
		hand_over(w, &s, i);
	writer_close(w);
	ck_assert_int_eq(count_events(), 300);
	ck_assert_int_eq(ask_sql("SELECT count(*) FROM event WHERE id BETWEEN 1 AND 300"), 300);
	ck_assert_int_eq(ask_sql("SELECT max(id) FROM poll"), 300);
	scene_release(&s);
	remove_folder();
}
END_TEST

/* Drive i of the history has become of firmware `fw` in this round. */
static void became(struct writer *w, struct scene *s, size_t i, const char *fw)
{
	const struct store_round r = {.at_wall_ms = s->h.wall_ms + 60000, .history = &s->h, .alerts = &s->alerts};
	struct store_poll poll;

	history_tick(&s->h, s->h.wall_ms + 60000, 60000);
	poll = scene_poll(s);
	str_copy(s->h.drives[i].firmware, sizeof s->h.drives[i].firmware, fw);
	s->h.drives[i].told_at_ms = s->h.steady_ms;
	writer_put(w, &poll, &r);
}

START_TEST(of_a_round_the_drives_are_taken_of_which_something_was_told_and_none_that_waits_is_lost)
{
	struct scene s;
	struct writer *w;
	struct err e;

	in_new_folder();
	scene_init(&s, 1000000);
	for (int i = 0; i < 2; i++) {
		struct drive_past *p = history_add_drive(&s.h);

		snprintf(p->id, sizeof p->id, "drive-%d", i);
		snprintf(p->serial, sizeof p->serial, "SERIAL%d", i);
		str_copy(p->bay, sizeof p->bay, i ? "1" : "0");
		str_copy(p->host, sizeof p->host, "host");
	}
	w = begin(3600 * 1000);
	ck_assert_int_eq(writer_wait(w, hand_over(w, &s, 1), WAIT_MS, &e), 0);
	became(w, &s, s.h.n_drives - 2, "OLD");
	became(w, &s, s.h.n_drives - 1, "TWO");
	became(w, &s, s.h.n_drives - 2, "ONE");
	writer_close(w);
	ck_assert_int_eq(ask_sql("SELECT count(*) FROM drive WHERE serial = 'SERIAL0' AND firmware = 'ONE'"), 1);
	ck_assert_int_eq(ask_sql("SELECT count(*) FROM drive WHERE serial = 'SERIAL1' AND firmware = 'TWO'"), 1);
	scene_release(&s);
	remove_folder();
}
END_TEST

START_TEST(polls_wait_for_the_interval_and_events_do_not)
{
	struct scene s;
	struct writer *w;
	struct err e;

	in_new_folder();
	scene_init(&s, 1000000);
	w = begin(3600 * 1000);
	ck_assert_int_eq(writer_wait(w, hand_over(w, &s, 0), WAIT_MS, &e), 0);
	for (int i = 0; i < 5; i++)
		hand_over(w, &s, 0);
	usleep(100 * 1000);
	ck_assert_int_eq(count_polls(), 1);
	hand_over(w, &s, 1);
	for (int i = 0; i < LOOKS && count_events() == 0; i++)
		usleep(LOOK_US);
	ck_assert_int_eq(count_events(), 1);
	ck_assert_int_eq(count_polls(), 7);
	hand_over(w, &s, 0);
	writer_close(w); /* what waits is written at the end */
	ck_assert_int_eq(count_polls(), 8);
	scene_release(&s);
	remove_folder();
}
END_TEST

START_TEST(an_alert_that_changed_waits_for_nothing_and_its_end_is_not_lost_among_later_rounds)
{
	struct scene s;
	struct writer *w;
	struct alert *a;
	struct err e;

	in_new_folder();
	scene_init(&s, 1000000);
	w = begin(3600 * 1000);
	writer_wait(w, hand_over(w, &s, 0), WAIT_MS, &e);
	a = alerts_add(&s.alerts);
	a->kind = ALERT_LINK;
	str_copy(a->key, sizeof a->key, "link srv1/3");
	a->state = ALERT_FIRING;
	a->severity = SEVERITY_CRITICAL;
	a->resolved_wall_ms = CLOCK_NEVER;
	hand_over(w, &s, 0);
	for (int i = 0; i < LOOKS && ask_sql("SELECT count(*) FROM alert WHERE state = 'firing'") == 0; i++)
		usleep(LOOK_US);
	ck_assert_int_eq(ask_sql("SELECT count(*) FROM alert WHERE state = 'firing'"), 1);
	may_grow(false);
	a->state = ALERT_RESOLVED;
	a->resolved_wall_ms = 1234567;
	hand_over(w, &s, 0);
	s.alerts.n = 0; /* resolved alerts leave the list */
	ck_assert_int_eq(writer_wait(w, hand_over(w, &s, 0), WAIT_MS, &e), -1);
	may_grow(true);
	writer_close(w);
	ck_assert_int_eq(ask_sql("SELECT resolved_wall_ms FROM alert WHERE state = 'resolved'"), 1234567);
	scene_release(&s);
	remove_folder();
}
END_TEST

/* ---- what cannot be written ---- */

/* Notices as they were released. */
struct heard {
	size_t n, n_kept;
	int64_t last;
};

static void hear(void *arg, const struct store_notice *n, bool kept)
{
	struct heard *h = arg;

	ck_assert_str_eq(n->channel, "hook");
	ck_assert_int_gt(n->id, h->last);
	h->last = n->id;
	h->n++;
	h->n_kept += kept;
}

static uint64_t hand_over_notice(struct writer *w, int64_t id)
{
	const struct store_notice n = {.id = id, .channel = "hook", .body = "{}"};

	return writer_put(w, NULL, &(struct store_round){.at_wall_ms = 1000000, .notices = &n, .n_notices = 1});
}

START_TEST(LW_D1_a_notice_may_be_told_once_it_is_on_the_disk_or_could_not_be_brought_there)
{
	const struct store_told told = {.id = 2, .at_wall_ms = 5};
	struct heard heard = {0};
	struct writer_state st;
	struct writer *w;
	uint64_t ticket;
	struct err e;

	in_new_folder();
	w = begin(0);
	writer_stall(w);
	hand_over_notice(w, 1);
	usleep(50 * 1000);
	writer_each_notice(w, hear, &heard);
	ck_assert_uint_eq(heard.n, 0);
	writer_close(w); /* which ends the stall */
	ck_assert_int_eq(ask_sql("SELECT count(*) FROM notice WHERE id = 1"), 1);

	w = begin(0);
	writer_await_look(w);
	may_grow(false);
	ck_assert_int_eq(writer_wait(w, hand_over_notice(w, 2), WAIT_MS, &e), -1);
	writer_each_notice(w, hear, &heard);
	ck_assert_uint_eq(heard.n, 1);
	ck_assert_uint_eq(heard.n_kept, 0);
	writer_put(w, NULL, &(struct store_round){.told = &told, .n_told = 1});
	ck_assert(writer_was_told(w, 2));
	ck_assert_ptr_nonnull(writer_reader(w));
	ck_assert_msg(writer_was_told(w, 2), "the disk knows it not yet");
	writer_get_state(w, &st);
	ck_assert_str_ne(st.trouble, "");
	may_grow(true);
	ticket = hand_over_notice(w, 3);
	while (writer_wait(w, ticket, WAIT_MS, &e)) /* a try may be under way, or was before */
		usleep(LOOK_US);
	writer_each_notice(w, hear, &heard);
	ck_assert_uint_eq(heard.n, 2);
	ck_assert_uint_eq(heard.n_kept, 1);
	ck_assert_ptr_nonnull(writer_reader(w));
	ck_assert(!writer_was_told(w, 2));
	writer_get_state(w, &st);
	ck_assert_str_eq(st.trouble, "");
	writer_close(w);
	ck_assert_int_eq(ask_sql("SELECT count(*) FROM notice WHERE id = 2 AND told_wall_ms = 5"), 1);
	ck_assert_int_eq(ask_sql("SELECT count(*) FROM notice WHERE told_wall_ms IS NULL"), 2);
	remove_folder();
}
END_TEST

START_TEST(LW_D5_what_cannot_be_written_waits_and_of_the_polls_the_oldest_are_dropped_and_counted)
{
	enum { DRIVES = 4000, ROUNDS = 80 };
	struct bay *bays = calloc(DRIVES, sizeof *bays);
	struct writer_state st;
	struct scene s;
	struct writer *w;
	struct err e;

	in_new_folder();
	scene_init(&s, 1000000);
	w = begin(0);
	writer_wait(w, hand_over(w, &s, 1), WAIT_MS, &e);
	may_grow(false);
	for (size_t i = 0; i < DRIVES; i++)
		bays[i] = s.bay;
	s.inv.bays = bays;
	s.inv.n_bays = DRIVES;
	for (int64_t i = 2; i <= ROUNDS; i++)
		hand_over(w, &s, i);
	ck_assert_int_eq(writer_wait(w, hand_over(w, &s, ROUNDS + 1), WAIT_MS, &e), -1);
	writer_get_state(w, &st);
	ck_assert_str_ne(st.trouble, "");
	ck_assert_uint_gt(st.dropped, 0);
	ck_assert_uint_lt(st.dropped, ROUNDS);
	may_grow(true);
	for (int i = 0; i < LOOKS && count_events() == 1; i++)
		usleep(LOOK_US); /* by itself, though nothing new comes */
	ck_assert_int_eq(count_events(), ROUNDS + 1);
	writer_close(w);
	ck_assert_int_eq(count_polls(), ROUNDS + 1 - (int64_t)st.dropped);
	ck_assert_int_eq(ask_sql("SELECT max(at_wall_ms) FROM poll"), s.h.wall_ms);
	s.inv.bays = &s.bay;
	free(bays);
	scene_release(&s);
	remove_folder();
}
END_TEST

START_TEST(handing_over_waits_for_no_write_that_does_not_end)
{
	struct writer_state st;
	struct scene s;
	struct writer *w;
	struct err e;

	in_new_folder();
	scene_init(&s, 1000000);
	w = begin(0);
	writer_stall(w);
	for (int64_t i = 1; i <= 1000; i++)
		hand_over(w, &s, i); /* it would end no more */
	ck_assert_int_eq(writer_wait(w, 1000, 10, &e), -1);
	ck_assert_int_ge(writer_busy_ms(w), 0);
	writer_get_state(w, &st);
	ck_assert_str_eq(st.trouble, "");
	writer_close(w);
	ck_assert_int_eq(count_events(), 1000);
	scene_release(&s);
	remove_folder();
}
END_TEST

/* ---- damage ---- */

static void damage(void)
{
	int fd = open(scene_path, O_RDWR);

	for (off_t off = 4096 * 4; off < 4096 * 8; off += 512)
		ck_assert_int_eq(pwrite(fd, "damage damage damage damage", 27, off), 27);
	close(fd);
}

START_TEST(LW_D6_a_damaged_file_is_set_aside_while_its_readers_go_on_and_a_new_one_begins)
{
	char aside[192], name[256], at[CLOCK_TEXT_MAX];
	static const char *const tails[] = {"", "-wal", "-shm"};
	struct events ev = {0};
	struct writer_state st;
	struct store *old;
	struct scene s;
	struct writer *w;
	struct err e;

	in_new_folder();
	scene_init(&s, 1000000);
	w = begin(0);
	for (int64_t i = 1; i <= 400; i++)
		hand_over(w, &s, i);
	writer_close(w);
	damage();
	clock_set(INT64_C(1772445600000), 0);
	old = store_open(scene_path, STORE_READ_INSIDE, NULL, &e); /* as a page that is being asked for */
	ck_assert_ptr_nonnull(old);
	ck_assert_int_eq(store_get_next_ids(old, &(int64_t){0}, &(int64_t){0}, &e), 0);
	w = begin(0);
	for (int64_t i = 401; i <= 420; i++)
		hand_over(w, &s, i);
	ck_assert_int_eq(writer_wait(w, hand_over(w, &s, 421), WAIT_MS, &e), 0);
	writer_get_state(w, &st);
	ck_assert_uint_eq(st.files_begun, 1);
	ck_assert(!store_is_at(old, scene_path));
	store_close(old); /* takes nothing along that is the new one's */
	ck_assert_int_eq(store_get_events(writer_reader(w), &everything, &ev, &e), 0);
	ck_assert_uint_eq(ev.n, 21);
	hand_over(w, &s, 422);
	writer_close(w);
	ck_assert_int_eq(count_events(), 22);
	snprintf(aside, sizeof aside, "%s.damaged-%s", scene_path, clock_text(clock_wall_ms(), at));
	ck_assert_int_eq(access(aside, F_OK), 0);
	for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
		snprintf(name, sizeof name, "%s%s", aside, tails[i]);
		unlink(name);
	}
	events_release(&ev);
	scene_release(&s);
	remove_folder();
}
END_TEST

static void fill(int64_t rounds)
{
	struct scene s;
	struct writer *w = begin(0);

	scene_init(&s, 1000000);
	for (int64_t i = 1; i <= rounds; i++)
		hand_over(w, &s, i);
	writer_close(w);
	scene_release(&s);
}

/* How many files were set aside, which are gone then. */
static int remove_aside(void)
{
	glob_t found = {0};
	char pattern[192];
	int n = 0;

	snprintf(pattern, sizeof pattern, "%s.damaged-*Z", scene_path);
	if (glob(pattern, 0, NULL, &found) == 0)
		for (; n < (int)found.gl_pathc; n++)
			unlink(found.gl_pathv[n]);
	globfree(&found);
	return n;
}

START_TEST(LW_D6_once_a_week_what_a_quick_look_does_not_see_is_looked_for_as_well)
{
	struct writer_state st;
	struct scene s;
	struct writer *w;
	struct err e;

	in_new_folder();
	fill(5);
	/* an index of something else than it says */
	sql("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = "
	    "'CREATE INDEX stay_place ON stay (first_poll)' WHERE name = 'stay_place'; UPDATE stay SET first_poll = 2");
	ck_assert_int_eq(ask_sql("SELECT quick_check = 'ok' FROM pragma_quick_check"), 1);
	ck_assert_int_eq(ask_sql("SELECT integrity_check = 'ok' FROM pragma_integrity_check"), 0);
	clock_set(INT64_C(1772445600000), 1000);
	w = begin(0);
	scene_init(&s, 1000000);
	ck_assert_int_eq(writer_wait(w, hand_over(w, &s, 6), WAIT_MS, &e), 0);
	writer_get_state(w, &st);
	ck_assert_uint_eq(st.files_begun, 0);
	for (int64_t i = 0; i < LOOKS && st.files_begun == 0; i++) {
		int64_t later_ms = WEEK_MS + i * 3600000; /* it gives way to an event for an hour */

		clock_set(INT64_C(1772445600000) + later_ms, 1000 + later_ms);
		ck_assert_int_eq(writer_wait(w, hand_over(w, &s, 7 + i), WAIT_MS, &e), 0);
		usleep(LOOK_US);
		writer_get_state(w, &st);
	}
	ck_assert_uint_eq(st.files_begun, 1);
	ck_assert_int_eq(writer_wait(w, hand_over(w, &s, 7 + LOOKS), WAIT_MS, &e), 0);
	writer_close(w);
	ck_assert_int_ge(count_events(), 1);
	ck_assert_int_eq(remove_aside(), 1);
	scene_release(&s);
	remove_folder();
}
END_TEST

/* SQLite 3.40 asks no progress handler while it reads pages. */
START_TEST(LW_D6_a_look_through_a_slow_file_ends_with_the_agent)
{
	struct writer *w;

	in_new_folder();
	fill(1);
	sql("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO event "
	    "(id, at_wall_ms, type, severity, message) SELECT i, i, 'drive-added', 'info', printf('%100d', i) FROM n");
	ck_assert_int_ge(ask_sql("SELECT page_count FROM pragma_page_count"), MANY_PAGES);
	fault_vfs_begin();
	fault_vfs_slow(SLOW_US);
	w = begin(0);
	for (int i = 0; i < LOOKS && fault_vfs_reads() < MANY_PAGES / 10; i++)
		usleep(LOOK_US);
	ck_assert_int_ge(fault_vfs_reads(), MANY_PAGES / 10);
	writer_close(w);
	ck_assert_int_lt(fault_vfs_reads(), MANY_PAGES);
	fault_vfs_end();
	ck_assert_int_eq(remove_aside(), 0); /* what it did not come to is no damage */
	ck_assert_int_eq(count_events(), 20000);
	remove_folder();
}
END_TEST

/* ---- kill ---- */

/* Hands over rounds, each with one event, and says through the pipe which is on the disk. */
static void write_until_killed(int fd, uint32_t done)
{
	struct scene s;
	struct writer *w = begin(0);
	struct err e;

	scene_init(&s, 1000000 + (int64_t)done * 60000);
	for (;;) {
		hand_over(w, &s, ++done); /* some are under way at a time */
		if (done % 3 == 0 && writer_wait(w, hand_over(w, &s, ++done), WAIT_MS, &e) == 0 &&
			write(fd, &done, sizeof done) != sizeof done)
			_exit(1);
	}
}

START_TEST(LW_D2_what_the_writer_acknowledged_survives_a_kill_and_leaves_no_gap)
{
	unsigned seed = (unsigned)clock_wall_ms();
	int kills = kills_wanted();
	int64_t last = 0;

	for (int i = 0; i < kills; i++) {
		uint32_t acknowledged;

		if (i % KILLS_A_FILE == 0) {
			in_new_folder();
			last = 0;
		}
		acknowledged = kill_after(write_until_killed, (unsigned)rand_r(&seed) % 20000, true, (uint32_t)last);
		last = ask_sql("SELECT max(id) FROM event");
		ck_assert_int_ge(last, acknowledged);
		ck_assert_int_eq(count_events(), last);
		ck_assert_int_eq(ask_sql("SELECT quick_check = 'ok' FROM pragma_quick_check"), 1);
		if (i % KILLS_A_FILE == KILLS_A_FILE - 1 || i == kills - 1) {
			ck_assert_int_gt(last, i % KILLS_A_FILE);
			remove_folder();
		}
	}
}
END_TEST

UNIT_MAIN("writer", what_was_handed_over_is_in_the_file_when_the_writer_is_closed,
	polls_wait_for_the_interval_and_events_do_not,
	of_a_round_the_drives_are_taken_of_which_something_was_told_and_none_that_waits_is_lost,
	an_alert_that_changed_waits_for_nothing_and_its_end_is_not_lost_among_later_rounds,
	LW_D1_a_notice_may_be_told_once_it_is_on_the_disk_or_could_not_be_brought_there,
	LW_D5_what_cannot_be_written_waits_and_of_the_polls_the_oldest_are_dropped_and_counted,
	handing_over_waits_for_no_write_that_does_not_end,
	LW_D6_a_damaged_file_is_set_aside_while_its_readers_go_on_and_a_new_one_begins,
	LW_D6_once_a_week_what_a_quick_look_does_not_see_is_looked_for_as_well,
	LW_D6_a_look_through_a_slow_file_ends_with_the_agent,
	LW_D2_what_the_writer_acknowledged_survives_a_kill_and_leaves_no_gap)
