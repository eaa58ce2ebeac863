/* SPDX-License-Identifier: MIT */
/* The collectors of recorded hosts and of neutral readings on a loop, and the worker below them. */
#include "collectors/collector.h"
#include "collectors/nvme/alias.h"
#include "collectors/worker.h"
#include "model/inventory.h"
#include "tests/unit/sysfs_tree.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uv_loop_t loop;
static struct collector_env env;
static struct target_config config;
static struct inventory inv;
static struct snapshot got; /* the last one: target alone, and the first bay */
static struct bay first_bay;
static int n_done, n_closed;
static struct tree t;

static void on_snapshot(void *arg, const struct snapshot *s)
{
	(void)arg;
	n_done++;
	got.target = s->target;
	got.target.errors = NULL;
	got.n_bays = s->n_bays;
	if (s->n_bays)
		first_bay = s->bays[0];
	inventory_apply(&inv, s);
}

static void on_closed(void *arg)
{
	(void)arg;
	n_closed++;
}

static void setup(enum target_kind kind)
{
	t = tree_make();
	n_done = n_closed = 0;
	ck_assert_int_eq(uv_loop_init(&loop), 0);
	env = (struct collector_env){.loop = &loop};
	config = (struct target_config){.kind = kind, .name = "host", .host = "srv1"};
	config.recording = strdup(t.dir);
	inventory_init(&inv);
}

static void *open_source(void)
{
	struct err e = {""};
	void *source = collector_find(config.kind)->open(&config, &env, &e);

	ck_assert_msg(source != NULL, "%s", e.text);
	return source;
}

static void poll_once(void *source)
{
	int before = n_done;

	collector_find(config.kind)->poll(source, on_snapshot, NULL);
	ck_assert_int_eq(n_done, before); /* not from within */
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(n_done, before + 1);
}

static void close_source(void *source)
{
	int before = n_closed;

	collector_find(config.kind)->close(source, on_closed, NULL);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(n_closed, before + 1);
}

static void teardown(void)
{
	ck_assert_int_eq(uv_loop_close(&loop), 0); /* no handle is left behind */
	target_config_release(&config);
	inventory_release(&inv);
	tree_remove(&t);
}

static const struct tree_drive first = {.port = "0000:40:01.1", .address = "0000:41:00.0", .name = "nvme0",
	.serial = "SN0001", .slot = "1", .namespace = "nvme0n1", TREE_GOOD};

static const char stat_file[] = "sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/nvme/nvme0/nvme0n1/stat";

START_TEST(a_recorded_host_gives_its_drives)
{
	void *source;

	setup(TARGET_NVME);
	tree_add_drive(&t, &first);
	source = open_source();
	poll_once(source);
	ck_assert_int_eq(got.target.verdict, TARGET_OK);
	ck_assert_str_eq(got.target.host, "srv1");
	ck_assert_uint_eq(got.n_bays, 1);
	ck_assert_str_eq(first_bay.drive.serial, "SN0001");
	close_source(source);
	teardown();
}
END_TEST

START_TEST(io_between_two_polls_is_busy_and_none_is_idle)
{
	void *source;

	setup(TARGET_NVME);
	tree_add_drive(&t, &first);
	tree_file(&t, stat_file, "1000 0 8000 10 500 0 4000 10 0 10 20 0 0 0 0 0 0");
	source = open_source();
	poll_once(source);
	ck_assert_int_eq(first_bay.busy, TRI_UNKNOWN);
	poll_once(source);
	ck_assert_int_eq(first_bay.busy, TRI_NO);
	tree_file(&t, stat_file, "1000 0 8000 10 501 0 4008 10 0 10 20 0 0 0 0 0 0");
	poll_once(source);
	ck_assert_int_eq(first_bay.busy, TRI_YES);
	poll_once(source);
	ck_assert_int_eq(first_bay.busy, TRI_NO);
	close_source(source);
	teardown();
}
END_TEST

START_TEST(a_recording_without_sysfs_or_with_an_error_is_unreachable)
{
	void *source;

	setup(TARGET_NVME);
	tree_file(&t, "target.json", "{\"kind\": \"nvme\", \"error\": \"timeout\"}");
	source = open_source();
	poll_once(source);
	ck_assert_int_eq(got.target.verdict, TARGET_UNREACHABLE);
	ck_assert_int_eq(got.target.reason, REASON_TIMEOUT);
	close_source(source);
	teardown();
	setup(TARGET_NVME);
	free(config.recording);
	config.recording = strdup("/nonexistent/recording");
	source = open_source();
	poll_once(source);
	ck_assert_int_eq(got.target.verdict, TARGET_UNREACHABLE);
	ck_assert_ptr_nonnull(strstr(got.target.message, "/nonexistent"));
	ck_assert_uint_eq(got.n_bays, 0);
	close_source(source);
	teardown();
}
END_TEST

START_TEST(a_source_closed_in_the_middle_of_a_round_ends_without_its_done)
{
	void *source;

	setup(TARGET_NVME);
	tree_add_drive(&t, &first);
	source = open_source();
	collector_find(TARGET_NVME)->poll(source, on_snapshot, NULL);
	close_source(source);
	ck_assert_int_eq(n_done, 0);
	/* libuv closes the loop unseen by ThreadSanitizer: a thread given its descriptor's number looks like a race */
	usleep(500 * 1000);
	teardown();
}
END_TEST

START_TEST(neutral_readings_are_taken_as_they_are)
{
	void *source;

	setup(TARGET_REPLAY);
	tree_file(&t, "observation.json",
		"[{\"bay\": \"4\", \"present\": true, \"drive\": {\"serial\": \"S4\"}, \"link\": {\"speed_gts\": 16,"
		" \"width\": 4, \"max_speed_gts\": 32, \"max_width\": 4}, \"busy\": true}, {\"bay\": \"5\"}]");
	source = open_source();
	poll_once(source);
	ck_assert_int_eq(got.target.verdict, TARGET_OK);
	ck_assert_uint_eq(got.n_bays, 2);
	ck_assert_str_eq(first_bay.bay, "4");
	ck_assert_str_eq(first_bay.target, "host");
	ck_assert_str_eq(first_bay.host, "srv1");
	ck_assert_str_eq(first_bay.drive.serial, "S4");
	ck_assert_int_eq(first_bay.link.now.speed_mtps, 16000);
	ck_assert_int_eq(first_bay.busy, TRI_YES);
	ck_assert(isnan(first_bay.wear.percent_used));
	close_source(source);
	teardown();
}
END_TEST

START_TEST(readings_that_are_none_make_the_target_unreachable_and_say_why)
{
	static const char *const bad[] = {"{}", "[", "", "null"};

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		void *source;

		setup(TARGET_REPLAY);
		tree_file(&t, "observation.json", bad[i]);
		source = open_source();
		poll_once(source);
		ck_assert_msg(got.target.verdict == TARGET_UNREACHABLE && got.target.message[0], "%s", bad[i]);
		close_source(source);
		teardown();
	}
}
END_TEST

START_TEST(a_drive_has_the_lasting_names_of_its_namespaces)
{
	static const char *const want[] = {"nvme-Acme_X_SN0001", "nvme-Acme_X_SN0001_1", "nvme-eui.0025388500000001"};
	const struct drive *d;
	void *source;

	setup(TARGET_NVME);
	tree_add_drive(&t, &first);
	tree_file(&t, "by-id.json", "{\"nvme-eui.0025388500000001\": \"nvme0n1\", \"nvme-Acme_X_SN0001_1\": \"../../nvme0n1\","
		" \"nvme-Acme_X_SN0001\": \"nvme0n1\", \"nvme-Acme_X_SN0001-part1\": \"nvme0n1p1\", \"nvme-other\": \"nvme1n1\","
		" \"wwn-0x1\": \"sda\", \"odd\": 7, \"bad\\u0007\": \"nvme0n1\"}");
	source = open_source();
	poll_once(source);
	d = &first_bay.drive;
	ck_assert_uint_eq(d->n_names, 3);
	for (size_t i = 0; i < d->n_names; i++)
		ck_assert_str_eq(d->names[i], want[i]);
	ck_assert(!got.target.partial);
	close_source(source);
	teardown();
}
END_TEST

START_TEST(lasting_names_are_read_again_when_a_link_comes_goes_or_is_replaced)
{
	struct nv_aliases a = {0};
	char folder[96];

	t = tree_make();
	snprintf(folder, sizeof folder, "%s/by-id", t.dir);
	nv_aliases_refresh(&a, folder);
	ck_assert_uint_eq(a.n, 0);
	tree_link(&t, "by-id/nvme-one", "../../nvme0n1");
	nv_aliases_refresh(&a, folder);
	nv_aliases_refresh(&a, folder);
	ck_assert_uint_eq(a.n, 1);
	ck_assert_str_eq(a.items[0].device, "nvme0n1");
	tree_link(&t, "by-id/new", "../../nvme7n1");
	tree_rename(&t, "by-id/new", "by-id/nvme-one"); /* as udev does */
	nv_aliases_refresh(&a, folder);
	ck_assert_uint_eq(a.n, 1);
	ck_assert_str_eq(a.items[0].device, "nvme7n1");
	tree_remove_path(&t, "by-id/nvme-one");
	nv_aliases_refresh(&a, folder);
	ck_assert_uint_eq(a.n, 0);
	nv_aliases_release(&a);
	tree_remove(&t);
}
END_TEST

START_TEST(drives_of_one_card_take_its_bays_by_their_addresses)
{
	struct tree_drive d = first;
	struct policy_set policies;
	struct policy_card *card;
	void *source;

	setup(TARGET_NVME);
	d.slot = "5-1", d.serial = "B", d.port = "0000:40:01.1", d.address = "0000:42:00.0";
	tree_add_drive(&t, &d);
	d.slot = "5", d.serial = "A", d.port = "0000:40:01.2", d.address = "0000:41:00.0", d.name = "nvme1";
	d.namespace = NULL;
	tree_add_drive(&t, &d);
	policy_set_init(&policies);
	card = policy_set_add_card(&policies, "5");
	for (int i = 0; i < 4; i++)
		patterns_add(&card->bays, (const char *const[]){"top", "left", "right", "low"}[i]);
	source = open_source();
	poll_once(source);
	inventory_finish(&inv, &policies, 0);
	for (size_t i = 0; i < inv.n_bays; i++)
		if (inv.bays[i].has_drive)
			ck_assert_str_eq(inv.bays[i].bay, inv.bays[i].drive.serial[0] == 'A' ? "top" : "left");
	close_source(source);
	policy_set_release(&policies);
	teardown();
}
END_TEST

/* ---- the worker ---- */

struct job {
	int wait_ms;
	volatile int *freed;
};

static void *job_given;

static void work(void *arg)
{
	poll(NULL, 0, ((struct job *)arg)->wait_ms);
}

static void free_job(void *arg)
{
	struct job *j = arg;

	__atomic_add_fetch(j->freed, 1, __ATOMIC_SEQ_CST);
	free(j);
}

static void on_job(void *arg, void *job)
{
	(void)arg;
	n_done++;
	job_given = job;
}

static struct worker *start(int wait_ms, unsigned deadline_ms, volatile int *freed)
{
	struct job *j = calloc(1, sizeof *j);
	const struct worker_job w = {j, work, free_job, on_job, NULL};

	*j = (struct job){wait_ms, freed};
	return worker_start(&loop, &w, deadline_ms, NULL);
}

START_TEST(a_job_in_time_comes_back_and_a_late_one_is_freed_by_its_thread)
{
	volatile int freed = 0;
	struct worker *w;

	n_done = 0;
	ck_assert_int_eq(uv_loop_init(&loop), 0);
	w = start(1, 5000, &freed);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(n_done, 1);
	ck_assert_ptr_nonnull(job_given);
	ck_assert_int_eq(freed, 1);
	ck_assert(!worker_running(w));
	worker_release(w);

	w = start(200, 10, &freed);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(n_done, 2);
	ck_assert_ptr_null(job_given);
	ck_assert(worker_running(w));
	ck_assert_int_eq(freed, 1);
	for (int i = 0; i < 200 && worker_running(w); i++)
		poll(NULL, 0, 20);
	ck_assert(!worker_running(w));
	worker_release(w);
	for (int i = 0; i < 200 && __atomic_load_n(&freed, __ATOMIC_SEQ_CST) < 2; i++)
		poll(NULL, 0, 20);
	ck_assert_int_eq(freed, 2);

	w = start(100, 5000, &freed);
	worker_release(w); /* nobody waits any more */
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(n_done, 2);
	for (int i = 0; i < 200 && __atomic_load_n(&freed, __ATOMIC_SEQ_CST) < 3; i++)
		poll(NULL, 0, 20);
	ck_assert_int_eq(freed, 3);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
}
END_TEST

UNIT_MAIN("nvme_source", a_recorded_host_gives_its_drives, io_between_two_polls_is_busy_and_none_is_idle,
	a_recording_without_sysfs_or_with_an_error_is_unreachable,
	a_source_closed_in_the_middle_of_a_round_ends_without_its_done, neutral_readings_are_taken_as_they_are,
	readings_that_are_none_make_the_target_unreachable_and_say_why,
	a_drive_has_the_lasting_names_of_its_namespaces,
	lasting_names_are_read_again_when_a_link_comes_goes_or_is_replaced, drives_of_one_card_take_its_bays_by_their_addresses,
	a_job_in_time_comes_back_and_a_late_one_is_freed_by_its_thread)
