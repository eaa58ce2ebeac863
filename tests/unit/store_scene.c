/* SPDX-License-Identifier: MIT */
/* store_scene: see store_scene.h. */
#include "tests/unit/store_scene.h"

#include "base/clock.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

char scene_dir[64];
char scene_path[128];

void in_new_folder(void)
{
	/* in memory where there is such a folder: a disk's fsync is what these tests wait for */
	str_copy(scene_dir, sizeof scene_dir,
		access("/dev/shm", W_OK) == 0 ? "/dev/shm/lanewatch-store-XXXXXX"
					      : "/tmp/lanewatch-store-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(scene_dir));
	snprintf(scene_path, sizeof scene_path, "%s/lw.db", scene_dir);
}

void remove_folder(void)
{
	static const char *const tails[] = {"", "-journal", "-wal", "-shm", ".lock"};
	char name[160];

	for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
		snprintf(name, sizeof name, "%s%s", scene_path, tails[i]);
		unlink(name);
	}
	ck_assert_int_eq(rmdir(scene_dir), 0);
}

void sql(const char *text)
{
	sqlite3 *db = NULL;

	ck_assert_int_eq(sqlite3_open(scene_path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

int64_t ask_sql(const char *text)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	int64_t n;

	ck_assert_int_eq(sqlite3_open(scene_path, &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(db, text, -1, &st, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(st), SQLITE_ROW);
	n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

void scene_init(struct scene *s, int64_t wall_ms)
{
	struct drive_past *p;

	*s = (struct scene){.inv.n_bays = 1, .bay = bay_unknown("bmc", "srv1", "3")};
	history_init(&s->h);
	alerts_init(&s->alerts);
	history_tick(&s->h, wall_ms, -1);
	s->inv.bays = &s->bay;
	s->bay.has_drive = true;
	s->bay.present = TRI_YES;
	str_copy(s->bay.drive.serial, sizeof s->bay.drive.serial, "SN-A");
	str_copy(s->bay.drive.id, sizeof s->bay.drive.id, "00000000000000aa");
	p = history_add_drive(&s->h);
	str_copy(p->id, sizeof p->id, s->bay.drive.id);
	str_copy(p->serial, sizeof p->serial, "SN-A");
	str_copy(p->target, sizeof p->target, "bmc");
	str_copy(p->host, sizeof p->host, "srv1");
	str_copy(p->bay, sizeof p->bay, "3");
	p->here = true;
}

void scene_release(struct scene *s)
{
	history_release(&s->h);
	alerts_release(&s->alerts);
	events_release(&s->events);
}

struct store_poll scene_poll(const struct scene *s)
{
	struct store_poll p = {.at_wall_ms = s->h.wall_ms, .at_steady_ms = s->h.steady_ms};

	for (size_t i = 0; i < s->inv.n_bays; i++)
		store_poll_add(&p, &s->inv.bays[i]);
	return p;
}

struct store *must_open(enum store_mode mode)
{
	struct err e = {""};
	struct store *s = store_open(scene_path, mode, NULL, &e);

	ck_assert_msg(s != NULL, "%s", e.text);
	return s;
}

void put(struct store *st, struct scene *s, const struct store_notice *notices, size_t n)
{
	struct store_poll poll = scene_poll(s);
	const struct store_round r = {.at_wall_ms = s->h.wall_ms,
		.n_polls = 1,
		.polls = &poll,
		.history = &s->h,
		.alerts = &s->alerts,
		.document = "{\"schema\":\"x\"}",
		.events = &s->events,
		.notices = notices,
		.n_notices = n};
	struct err e = {""};

	ck_assert_msg(store_put_round(st, &r, &e) == 0, "%s", e.text);
	store_poll_release(&poll);
}

int kills_wanted(void)
{
	const char *given = getenv("LANEWATCH_KILLS");
	int64_t kills = 20;

	if (given)
		ck_assert(str_to_int(given, 1, 1000000, &kills));
	return (int)kills;
}

uint32_t kill_after(void (*child)(int fd, uint32_t before), unsigned us, bool after_first, uint32_t before)
{
	uint32_t done = before, n;
	int pipes[2], status;
	pid_t pid;

	ck_assert_int_eq(pipe(pipes), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		close(pipes[0]);
		child(pipes[1], before);
		_exit(1);
	}
	close(pipes[1]);
	if (after_first && read(pipes[0], &n, sizeof n) == sizeof n)
		done = n;
	usleep(us);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	while (read(pipes[0], &n, sizeof n) == sizeof n)
		done = n;
	close(pipes[0]);
	return done;
}

static void take_point(void *arg, const struct store_point *p)
{
	struct points *all = arg;

	ck_assert_uint_lt(all->n, 16);
	all->items[all->n].at_wall_ms = p->at_wall_ms;
	all->items[all->n].at_steady_ms = p->at_steady_ms;
	str_copy(all->items[all->n].bay, sizeof all->items[0].bay, p->bay);
	count_text(p->value.count, all->items[all->n].value);
	all->items[all->n].number = metric_number(p->value);
	all->n++;
}

int points_of(
	struct store *st, const char *who, const char *metric, struct points *out)
{
	const struct store_filter f = {CLOCK_NEVER, CLOCK_NEVER, 0, 0};
	struct err e = {""};
	int n;

	*out = (struct points){0};
	n = store_each_point(
		st, who, metric ? metric_find(metric) : NULL, &f, take_point, out, &e);
	ck_assert_msg(n >= 0, "%s", e.text);
	return n;
}
