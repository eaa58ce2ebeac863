/* SPDX-License-Identifier: MIT */
/*
 * What a disk can do to the store: power that goes in the middle of a write, calls that fail, a
 * disk that is full, bytes that changed, a program that is killed.  What was acknowledged is
 * there, what is damaged is noticed, and it goes on by itself.
 *
 * LANEWATCH_SEED takes the seed of a run back, LANEWATCH_FAULTS=N makes N times as many.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "storage/maintain.h"
#include "tests/unit/fault_vfs.h"
#include "tests/unit/store_scene.h"
#include "tests/unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_MS INT64_C(1772445600000)
#define MINUTE_MS INT64_C(60000)

static uint64_t seed;

static uint64_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int times(void)
{
	const char *given = getenv("LANEWATCH_FAULTS");
	int64_t n;

	return given && str_to_int(given, 1, 1000, &n) ? (int)n : 1;
}

/* So many of something; a twentieth where time is stretched. */
static int many(int n)
{
	return (is_instrumented() ? n / 20 : n) * times();
}

static void begin_random(void)
{
	const char *given = getenv("LANEWATCH_SEED");

	seed = (given ? strtoull(given, NULL, 10) : (uint64_t)clock_wall_ms()) | 1;
	printf("# LANEWATCH_SEED=%llu\n", (unsigned long long)seed);
	fflush(stdout);
}

/* The i-th minute: a poll whose values follow from i, an event that says i, a notice. */
static int round_of(struct store *st, struct scene *s, int i, struct err *e)
{
	struct store_notice notice = {.channel = "hook", .body = "{}"};
	struct store_poll poll;
	struct store_round r = {.at_wall_ms = START_MS + i * MINUTE_MS,
		.n_polls = 1,
		.polls = &poll,
		.history = &s->h,
		.alerts = &s->alerts,
		.events = &s->events,
		.notices = &notice,
		.n_notices = 1};
	struct event *ev;
	int rc;

	s->h.wall_ms = r.at_wall_ms;
	s->h.steady_ms = i * MINUTE_MS;
	s->h.started = true;
	s->bay.wear.bytes_written = count_of((uint64_t)i * 512000);
	s->bay.wear.percent_used = i % 50;
	poll = scene_poll(s);
	ev = events_add(&s->events, r.at_wall_ms, EVENT_DRIVE_ADDED, SEVERITY_INFO);
	snprintf(ev->to, sizeof ev->to, "%d", i);
	rc = store_put_round(st, &r, e);
	store_poll_release(&poll);
	events_release(&s->events);
	return rc;
}

struct told {
	int n;
	bool wrong;
};

/* Every point that comes is one that was put. */
static void check_point(void *arg, const struct store_point *p)
{
	struct told *seen = arg;
	int64_t i = (p->at_wall_ms - START_MS) / MINUTE_MS;

	seen->n++;
	if (p->count == 1 && p->value.known &&
		count_to_double(p->value.count) != (double)i * 512000)
		seen->wrong = true;
}

static struct told points_in(struct store *st)
{
	const struct store_filter f = {CLOCK_NEVER, CLOCK_NEVER, 0, 0};
	struct told seen = {0};
	struct err e = {""};

	if (store_each_point(st, "SN-A", metric_find("bytes_written"), &f, check_point, &seen,
		    &e) < 0)
		seen.n = -1;
	return seen;
}

/* Events that say 0, 1, 2, ...; how many, -1 if they do not. */
static int events_in(struct store *st)
{
	const struct store_filter f = {CLOCK_NEVER, CLOCK_NEVER, 0, 0};
	struct events ev = {0};
	struct err e = {""};
	int n = 0;

	if (store_get_events(st, &f, &ev, &e))
		n = -1;
	for (size_t i = 0; i < ev.n && n >= 0; i++) {
		char want[16];

		snprintf(want, sizeof want, "%d", (int)i);
		n = str_same(ev.items[i].to, want) ? n + 1 : -1;
	}
	events_release(&ev);
	return n;
}

static void remove_beside(const char *path)
{
	static const char *const tails[] = {"", "-wal", "-shm", "-journal", ".lock"};
	char name[192];

	for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
		snprintf(name, sizeof name, "%s%s", path, tails[i]);
		unlink(name);
	}
}

/* ---- power ---- */

struct cuts {
	char to[160];
	int acknowledged, n, wanted;
	uint64_t every, calls;
};

/* What the disk may hold at this moment is opened, and holds what was acknowledged. */
static void cut(void *arg)
{
	struct cuts *c = arg;
	int acknowledged = c->acknowledged, n;
	struct err e = {""};
	struct store *st;

	if (c->n >= c->wanted || c->calls++ % c->every)
		return;
	c->n++;
	fault_vfs_watch(NULL, NULL);
	fault_vfs_cut(scene_path, c->to, &seed);
	st = store_open(c->to, STORE_WRITE, NULL, &e);
	ck_assert_msg(st != NULL, "after cut %d: %s", c->n, e.text);
	n = events_in(st);
	ck_assert_msg(n == acknowledged || n == acknowledged + 1,
		"after cut %d: %d events, %d acknowledged", c->n, n, acknowledged);
	ck_assert(!points_in(st).wrong);
	store_close(st);
	remove_beside(c->to);
	fault_vfs_watch(cut, c);
}

START_TEST(LW_D3_power_cuts_lose_no_event_that_was_committed_and_no_file)
{
	struct cuts c = {.every = 1, .wanted = many(1000)};
	struct scene s;
	struct store *st = NULL;
	struct err e = {""};

	in_new_folder();
	begin_random();
	snprintf(c.to, sizeof c.to, "%s/cut.db", scene_dir);
	scene_init(&s, START_MS);
	fault_vfs_begin();
	st = must_open(STORE_WRITE);
	fault_vfs_watch(cut, &c);
	for (int i = 0; c.n < c.wanted; i++) {
		/* now and then it is closed, with a checkpoint; from the second bucket on, fewer */
		if (i % 97 == 96) {
			store_close(st);
			st = must_open(STORE_WRITE);
		}
		c.every = i % 120 < 6 ? 1 : 5;
		ck_assert_msg(round_of(st, &s, i, &e) == 0, "%s", e.text);
		c.acknowledged = i + 1;
	}
	fault_vfs_watch(NULL, NULL);
	store_close(st);
	fault_vfs_end();
	ck_assert_int_eq(c.n, c.wanted);
	scene_release(&s);
	remove_folder();
}
END_TEST

/* How many rounds of nothing but a point a power cut costs that comes after one of them, of 100 cuts the worst. */
static int points_lost(bool flush)
{
	struct store_limits limits = store_limits_standard();
	char to[160];
	struct scene s;
	struct store *st;
	struct err e = {""};
	int lost = 0;

	in_new_folder();
	snprintf(to, sizeof to, "%s/cut.db", scene_dir);
	scene_init(&s, START_MS);
	fault_vfs_begin();
	st = must_open(STORE_WRITE);
	limits.flush_points = flush;
	store_limit(st, &limits);
	ck_assert_int_eq(round_of(st, &s, 0, &e), 0); /* the drive itself */
	for (int i = 1; i <= 100; i++) {
		struct store_poll poll;
		struct store_round r = {.n_polls = 1, .polls = &poll, .history = &s.h};
		struct store *cut_off;

		r.at_wall_ms = s.h.wall_ms = START_MS + i * MINUTE_MS;
		s.h.steady_ms = i * MINUTE_MS;
		s.bay.wear.bytes_written = count_of((uint64_t)i * 512000);
		poll = scene_poll(&s);
		ck_assert_int_eq(store_put_round(st, &r, &e), 0);
		store_poll_release(&poll);
		fault_vfs_cut(scene_path, to, &seed);
		cut_off = store_open(to, STORE_WRITE, NULL, &e);
		ck_assert_msg(cut_off != NULL, "%s", e.text);
		ck_assert(!points_in(cut_off).wrong);
		if (i + 1 - points_in(cut_off).n > lost)
			lost = i + 1 - points_in(cut_off).n;
		store_close(cut_off);
		remove_beside(to);
	}
	store_close(st);
	fault_vfs_end();
	scene_release(&s);
	remove_folder();
	return lost;
}

START_TEST(LW_D1_a_power_cut_costs_points_unless_they_are_flushed_and_then_none)
{
	begin_random();
	ck_assert_int_gt(points_lost(false), 0);
	ck_assert_int_eq(points_lost(true), 0);
}
END_TEST

/* ---- calls that fail ---- */

static void copy_file(const char *from, const char *to)
{
	struct buf b;
	struct err e = {""};
	FILE *f;

	buf_init(&b, 64 << 20);
	ck_assert_msg(file_read(from, &b, &e) == 0, "%s", e.text);
	f = fopen(to, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(b.data, 1, b.len, f), b.len);
	ck_assert_int_eq(fclose(f), 0);
	buf_release(&b);
}

enum { BEFORE = 117, ROUNDS = 6 }; /* a bucket is packed on the way */

/* One run over a copy; false once the fault no longer comes. */
static bool run_with_fault(const char *start, enum fault f, int n, int more)
{
	struct scene s;
	struct err e = {""};
	struct store *st;
	int put = BEFORE;
	bool hit;

	copy_file(start, scene_path);
	scene_init(&s, START_MS);
	fault_vfs_fail(f, n, more);
	st = store_open(scene_path, STORE_WRITE, NULL, &e);
	for (int tries = 0; put < BEFORE + ROUNDS && tries < 40; tries++) {
		if (!st)
			st = store_open(scene_path, STORE_WRITE, NULL, &e);
		if (st && round_of(st, &s, put, &e) == 0)
			put++;
	}
	hit = fault_vfs_hit();
	fault_vfs_fail(FAULT_NONE, 0, 0);
	ck_assert_msg(put == BEFORE + ROUNDS, "fault %d at %d: %s", f, n, e.text);
	store_close(st);
	st = must_open(STORE_WRITE);
	ck_assert_msg(events_in(st) == put, "fault %d at %d: %d events", f, n, events_in(st));
	ck_assert_int_eq(points_in(st).n, put);
	ck_assert(!points_in(st).wrong);
	store_close(st);
	remove_beside(scene_path);
	scene_release(&s);
	return hit;
}

static void make_start(char *start, size_t size)
{
	struct err e = {""};
	struct scene s;
	struct store *st;

	snprintf(start, size, "%s/start.db", scene_dir);
	scene_init(&s, START_MS);
	st = must_open(STORE_WRITE);
	for (int i = 0; i < BEFORE; i++)
		ck_assert_int_eq(round_of(st, &s, i, &e), 0);
	store_close(st);
	copy_file(scene_path, start);
	remove_beside(scene_path);
	scene_release(&s);
}

START_TEST(LW_D4_every_call_that_can_fail_may_and_it_recovers_when_the_fault_goes)
{
	char start[160];
	int runs = 0;

	in_new_folder();
	make_start(start, sizeof start);
	fault_vfs_begin();
	for (enum fault f = FAULT_FULL; f < FAULTS_END; f++)
		/* a disk that goes on failing to read is damaged: that is no passing fault */
		for (int n = 1; run_with_fault(start, f, n, f == FAULT_EIO || n % 3 ? 0 : 7);
			n += is_valgrind() ? 61 : is_instrumented() ? 13 : 1)
			runs++;
	fault_vfs_end();
	ck_assert_int_gt(runs, is_instrumented() ? 4 : 100);
	unlink(start);
	remove_folder();
}
END_TEST

/* ---- a full disk ---- */

/* A file system of so many bytes for this process alone; false where that is not allowed. */
static bool small_disk(const char *folder, const char *options)
{
	if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return false;
	return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("tmpfs", folder, "tmpfs", 0, options) == 0;
}

static void fill(const char *name, long left)
{
	static char zeros[4096];
	int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);

	ck_assert_int_ge(fd, 0);
	while (write(fd, zeros, sizeof zeros) > 0)
		;
	ck_assert_int_eq(ftruncate(fd, lseek(fd, 0, SEEK_END) - left), 0);
	close(fd);
}

START_TEST(LW_D5_a_full_disk_stops_the_writing_alone_and_it_goes_on_by_itself)
{
	char ballast[160];
	struct scene s;
	struct store *st;
	struct err e = {""};
	int put = 0, failed = 0;

	in_new_folder();
	/* without a process of its own the tests that follow would be in that world, too; and
	 * the search for leaks does not work in it */
	if (getenv("CK_FORK") || is_instrumented() || !small_disk(scene_dir, "size=4m")) {
		printf("# no tmpfs of our own here: %s\n", strerror(errno));
		remove_folder();
		return;
	}
	snprintf(ballast, sizeof ballast, "%s/ballast", scene_dir);
	scene_init(&s, START_MS);
	st = must_open(STORE_WRITE);
	/* 4 MiB are enough for any time: the oldest points go before the disk is full */
	for (; put < 6000; put++) {
		s.bay.wear.bytes_read = count_of(next());
		s.bay.health.error_log_entries = count_of(next());
		ck_assert_msg(round_of(st, &s, put, &e) == 0, "minute %d: %s", put, e.text);
	}
	/* somebody else takes the rest */
	fill(ballast, 0);
	for (int i = 0; i < 3000 && !failed; i++)
		failed += round_of(st, &s, put, &e) != 0 ? 1 : (put++, 0);
	ck_assert_int_eq(failed, 1);
	ck_assert_msg(strstr(e.text, "full") != NULL, "%s", e.text);
	ck_assert_int_ne(round_of(st, &s, put, &e), 0);
	ck_assert_int_eq(events_in(st), put); /* reading goes on */
	unlink(ballast);
	ck_assert_msg(round_of(st, &s, put, &e) == 0, "%s", e.text);
	put++;
	ck_assert_int_eq(events_in(st), put);
	store_close(st);
	st = must_open(STORE_WRITE);
	ck_assert_int_eq(events_in(st), put);
	ck_assert(!points_in(st).wrong);
	store_close(st);
	scene_release(&s);
}
END_TEST

static int64_t wal_bytes(void)
{
	char name[192];
	struct stat st;

	snprintf(name, sizeof name, "%s-wal", scene_path);
	return stat(name, &st) == 0 ? (int64_t)st.st_size : 0;
}

/* A round of that many drives, all of whose counters moved. */
static void put_fleet(struct store *st, struct history *h, struct bay *bays, size_t n)
{
	struct store_poll poll = {0};
	struct store_round r = {.n_polls = 1, .polls = &poll, .history = h};
	struct err e = {""};

	history_tick(h, h->wall_ms + MINUTE_MS, h->started ? MINUTE_MS : -1);
	r.at_wall_ms = poll.at_wall_ms = h->wall_ms;
	poll.at_steady_ms = h->steady_ms;
	for (size_t i = 0; i < n; i++) {
		struct bay *b = &bays[i];

		b->wear.bytes_written = b->wear.bytes_read = count_of(UINT64_C(1) << 50 | next() % (UINT64_C(1) << 40));
		b->health.power_on_hours = b->health.power_cycles = b->health.unsafe_shutdowns = b->health.media_errors =
			count_of(next() % 100000);
		b->temperature_c = (double)(next() % 60);
		store_poll_add(&poll, b);
		h->drives[i].seen_wall_ms = h->wall_ms;
		h->drives[i].seen_at_ms = h->steady_ms;
		h->drives[i].counters[PAST_BYTES_WRITTEN] = b->wear.bytes_written;
		h->drives[i].counters[PAST_BYTES_READ] = b->wear.bytes_read;
		h->drives[i].counters[PAST_POWER_ON_HOURS] = b->health.power_on_hours;
		h->drives[i].counters[PAST_POWER_CYCLES] = b->health.power_cycles;
		h->drives[i].counters[PAST_UNSAFE_SHUTDOWNS] = b->health.unsafe_shutdowns;
		h->drives[i].counters[PAST_MEDIA_ERRORS] = b->health.media_errors;
	}
	ck_assert_msg(store_put_round(st, &r, &e) == 0, "%s", e.text);
	store_poll_release(&poll);
}

static struct bay *begin_fleet(struct history *h, size_t n)
{
	struct bay *bays = mem_new(n, sizeof *bays);

	history_init(h);
	h->wall_ms = START_MS;
	for (size_t i = 0; i < n; i++) {
		struct drive_past *p = history_add_drive(h);
		char host[16], bay[16];

		snprintf(host, sizeof host, "srv%zu", i / 24);
		snprintf(bay, sizeof bay, "%zu", i % 24);
		bays[i] = bay_unknown(host, host, bay);
		bays[i].has_drive = true;
		bays[i].present = TRI_YES;
		snprintf(bays[i].drive.serial, sizeof bays[i].drive.serial, "SN%zu", i);
		snprintf(bays[i].drive.id, sizeof bays[i].drive.id, "%016zx", i + 1);
		str_copy(p->id, sizeof p->id, bays[i].drive.id);
		str_copy(p->serial, sizeof p->serial, bays[i].drive.serial);
		str_copy(p->host, sizeof p->host, host);
		str_copy(p->bay, sizeof p->bay, bay);
		p->here = true;
	}
	return bays;
}

/* An hour of polls while somebody else reads and never ends; then they do. */
static void hour_with_a_reader(size_t drives, int64_t wal_max)
{
	struct history h;
	struct bay *bays = begin_fleet(&h, drives);
	sqlite3 *reader = NULL;
	struct store *st;

	in_new_folder();
	st = must_open(STORE_WRITE);
	for (int i = 0; i < 120; i++) /* so that a bucket is packed meanwhile */
		put_fleet(st, &h, bays, drives);
	ck_assert_int_le(wal_bytes(), wal_max);
	ck_assert_int_eq(sqlite3_open(scene_path, &reader), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM poll", NULL, NULL, NULL), SQLITE_OK);
	for (int i = 0; i < 60; i++)
		put_fleet(st, &h, bays, drives);
	printf("# WAL of %zu drives after an hour with a reader: %lld bytes\n", drives, (long long)wal_bytes());
	ck_assert_int_le(wal_bytes(), wal_max);
	ck_assert_int_eq(sqlite3_close(reader), SQLITE_OK);
	for (int i = 0; i < 3; i++)
		put_fleet(st, &h, bays, drives);
	ck_assert_int_le(wal_bytes(), 9 << 20);
	store_close(st);
	history_release(&h);
	free(bays);
	remove_folder();
}

START_TEST(LW_D5_the_wal_stays_small_also_under_a_reader_that_never_ends)
{
	begin_random();
	hour_with_a_reader(24, 16 << 20);
	if (!is_instrumented())
		hour_with_a_reader(2400, 25000000);
}
END_TEST

/* ---- bytes that changed ---- */

/* All that can be asked of it: no crash, no hang, and no point that was never put. */
static void ask_everything(void)
{
	enum store_fault fault;
	struct err e = {""};
	struct history h;
	struct alerts a;
	struct store *st;

	alarm(is_instrumented() ? 120 : 20);
	st = store_open(scene_path, STORE_READ, NULL, &e);
	if (st) {
		struct store_stats stats;
		char *document;

		if (points_in(st).wrong)
			_exit(3);
		(void)events_in(st);
		history_init(&h);
		alerts_init(&a);
		(void)store_get_history(st, &h, &e);
		(void)store_get_alerts(st, true, &a, &e);
		(void)store_get_stats(st, &stats, &e);
		document = store_take_document(st, &e);
		free(document);
		history_release(&h);
		alerts_release(&a);
		store_close(st);
	}
	(void)store_check(scene_path, NULL, &fault, &e);
	st = store_open(scene_path, STORE_WRITE, NULL, &e);
	if (st) {
		struct scene s;

		scene_init(&s, START_MS);
		(void)round_of(st, &s, 5000, &e);
		if (points_in(st).wrong)
			_exit(3);
		store_close(st);
		scene_release(&s);
	}
	_exit(0);
}

static void damage(void)
{
	int fd = open(scene_path, O_RDWR);
	off_t size = lseek(fd, 0, SEEK_END);

	ck_assert_int_ge(fd, 0);
	if (next() % 8 == 0) {
		ck_assert_int_eq(ftruncate(fd, (off_t)(next() % (uint64_t)size)), 0);
	} else {
		for (uint64_t n = 1 + next() % 64; n > 0; n--) {
			uint8_t byte = (uint8_t)next();

			ck_assert_int_eq(
				pwrite(fd, &byte, 1, (off_t)(next() % (uint64_t)size)), 1);
		}
	}
	close(fd);
}

/* Damaged files were set aside under dated names. */
static void remove_everything(void)
{
	DIR *d = opendir(scene_dir);
	const struct dirent *entry;
	char name[512];

	while (d && (entry = readdir(d))) {
		snprintf(name, sizeof name, "%s/%s", scene_dir, entry->d_name);
		unlink(name);
	}
	if (d)
		closedir(d);
	ck_assert_int_eq(rmdir(scene_dir), 0);
}

START_TEST(LW_D6_damaged_files_crash_and_hang_nothing_and_give_no_wrong_point)
{
	char start[160];
	struct scene s;
	struct store *st;
	struct err e = {""};

	in_new_folder();
	begin_random();
	snprintf(start, sizeof start, "%s/start.db", scene_dir);
	scene_init(&s, START_MS);
	st = must_open(STORE_WRITE);
	for (int i = 0; i < 700; i++)
		ck_assert_int_eq(round_of(st, &s, i, &e), 0);
	store_close(st);
	copy_file(scene_path, start);
	for (int i = 0; i < many(200); i++) {
		int status;
		pid_t child;

		remove_beside(scene_path);
		copy_file(start, scene_path);
		damage();
		fflush(stdout);
		child = fork();
		if (child == 0)
			ask_everything();
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
			"file %d: status %x", i, (unsigned)status);
	}
	scene_release(&s);
	remove_everything();
}
END_TEST

/* ---- copies and migrations ---- */

static void write_for_ever(void)
{
	struct scene s;
	struct err e = {""};
	struct store *st = must_open(STORE_WRITE);

	scene_init(&s, START_MS);
	for (int i = 0;; i++)
		if (round_of(st, &s, i, &e))
			_exit(1);
}

START_TEST(LW_D7_a_copy_made_while_it_is_written_is_one_moment_of_it)
{
	char copy[160];
	enum store_fault fault;
	struct err e = {""};
	pid_t child;
	int last = 0, status;

	in_new_folder();
	store_close(must_open(STORE_WRITE));
	snprintf(copy, sizeof copy, "%s/copy.db", scene_dir);
	child = fork();
	if (child == 0)
		write_for_ever();
	for (int i = 0; i < many(20) || last == 0; i++) {
		struct store *st;
		int n;

		ck_assert_msg(store_backup(scene_path, copy, NULL, &fault, &e) == 0, "%s", e.text);
		ck_assert_int_eq(store_check(copy, NULL, &fault, &e), 0);
		st = store_open(copy, STORE_READ, NULL, &e);
		ck_assert_msg(st != NULL, "%s", e.text);
		n = events_in(st);
		ck_assert_int_ge(n, last);
		ck_assert_int_eq(points_in(st).n, n);
		last = n;
		store_close(st);
		remove_beside(copy);
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	ck_assert_int_gt(last, 0);
	remove_folder();
}
END_TEST

static void run_file(int version)
{
	static const char *const names[] = {"0001_first.sql", "0002_came_from.sql",
		"0003_chunks.sql", "0004_throughput.sql", "0005_silences.sql"};
	const char *srcdir = getenv("srcdir");
	char file[512];
	struct buf text;
	struct err e;

	buf_init(&text, 1 << 20);
	snprintf(file, sizeof file, "%s/schemas/sql/%s", srcdir ? srcdir : "..", names[version - 1]);
	ck_assert_int_eq(file_read(file, &text, &e), 0);
	sql(buf_text(&text));
	buf_release(&text);
}

/* A file as that version left it, with two hundred polls of one drive. */
static void make_old(int version)
{
	char set[64];

	for (int v = 1; v <= version; v++)
		run_file(v);
	snprintf(set, sizeof set, "PRAGMA application_id = 1280799604; PRAGMA user_version = %d", version);
	sql(set);
	sql("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199) INSERT INTO poll"
	    " SELECT i + 1, 1772445600000 + i * 60000, i * 60000 FROM n;"
	    "INSERT INTO place VALUES (1, 'srv1', '3');"
	    "INSERT INTO drive (id, key, serial, target, host, bay, here, lost, by_place, missed, link_changes,"
	    " flapping) VALUES (1, '00000000000000aa', 'SN-A', 'bmc', 'srv1', '3', 1, 0, 0, 0, 0, 0);");
	sql(version < 3 ? "INSERT INTO sample (drive, poll, place, bytes_written) SELECT 1, id, 1, (id - 1) * 512000 FROM poll"
			: "INSERT INTO recent (drive, poll, place, bytes_written) SELECT 1, id, 1, (id - 1) * 512000 FROM poll");
}

START_TEST(LW_D7_a_migration_that_is_killed_in_the_middle_begins_anew)
{
	in_new_folder();
	begin_random();
	for (int version = 1; version <= 5; version++)
		for (int i = 0; i < (is_instrumented() ? 1 : 8 * times()); i++) {
			char copy[192];
			struct store *st;
			int status;
			pid_t child;

			make_old(version);
			fflush(stdout);
			child = fork();
			if (child == 0) {
				store_close(must_open(STORE_WRITE));
				_exit(0);
			}
			usleep((useconds_t)(next() % 25000));
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
			st = must_open(STORE_WRITE);
			ck_assert_int_eq(points_in(st).n, 200);
			ck_assert(!points_in(st).wrong);
			store_close(st);
			remove_beside(scene_path);
			snprintf(copy, sizeof copy, "%s.version-%d", scene_path, version);
			unlink(copy);
			snprintf(copy, sizeof copy, "%s.version-%d.half", scene_path, version);
			unlink(copy);
			snprintf(copy, sizeof copy, "%s.version-%d.half-journal", scene_path, version);
			unlink(copy);
		}
	remove_folder();
}
END_TEST

UNIT_MAIN("store faults", LW_D3_power_cuts_lose_no_event_that_was_committed_and_no_file,
	LW_D1_a_power_cut_costs_points_unless_they_are_flushed_and_then_none,
	LW_D4_every_call_that_can_fail_may_and_it_recovers_when_the_fault_goes,
	LW_D5_a_full_disk_stops_the_writing_alone_and_it_goes_on_by_itself,
	LW_D5_the_wal_stays_small_also_under_a_reader_that_never_ends,
	LW_D6_damaged_files_crash_and_hang_nothing_and_give_no_wrong_point,
	LW_D7_a_copy_made_while_it_is_written_is_one_moment_of_it,
	LW_D7_a_migration_that_is_killed_in_the_middle_begins_anew)
