/* SPDX-License-Identifier: MIT */
/* zpool's output, line by line: what the fixtures of tests/fixtures/zfs do not show. */
#include "collectors/zfs/names.h"
#include "collectors/zfs/zpool.h"
#include "base/clock.h"
#include "base/str.h"
#include "document/bays.h"
#include "tests/unit/schema.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

static struct zpool_pools read_text(const char *text)
{
	struct zpool_pools ps;
	struct err e = {""};

	ck_assert_msg(zpool_read_status(text, strlen(text), &ps, &e) == 0, "%s", e.text);
	return ps;
}

#define HEAD "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n"
#define ROOT "\ttank        ONLINE       0     0     0\n"

START_TEST(numbers_are_powers_of_1024_and_a_dash_is_none)
{
	ck_assert_double_eq(zpool_number("1.50K"), 1536);
	ck_assert_double_eq(zpool_number("2T"), 2199023255552.0);
	ck_assert_double_eq(zpool_number("0B"), 0);
	ck_assert_double_eq(zpool_number("12"), 12);
	ck_assert(isnan(zpool_number("-")));
	ck_assert(isnan(zpool_number("")));
	ck_assert(isnan(zpool_number("K")));
	ck_assert(isnan(zpool_number("1.5X")));
	ck_assert(isnan(zpool_number("-5")));
}
END_TEST

START_TEST(dates_are_read_as_utc_and_other_zones_are_not_known)
{
	char text[CLOCK_TEXT_MAX];

	ck_assert_str_eq(clock_text(zpool_time("Sun Mar  1 01:36:45 2026"), text), "2026-03-01T01:36:45Z");
	ck_assert_str_eq(clock_text(zpool_time("Thu Dec 31 23:59:59 UTC 2026"), text), "2026-12-31T23:59:59Z");
	ck_assert(zpool_time("Thu Dec 31 23:59:59 CET 2026") == CLOCK_NEVER);
	ck_assert(zpool_time("Thu Foo 31 23:59:59 2026") == CLOCK_NEVER);
	ck_assert(zpool_time("-") == CLOCK_NEVER);
	ck_assert(zpool_time("") == CLOCK_NEVER);
}
END_TEST

START_TEST(sentences_of_a_scan_are_read_in_all_their_forms)
{
	static const struct {
		const char *text;
		enum pool_scan_function function;
		enum pool_scan_state state;
		double percent;
		int64_t duration_s, to_go_s, errors;
		const char *amount;
	} cases[] = {
		{"scrub repaired 4K in 3 days 04:05:06 with 2 errors on Sun Mar  1 01:36:45 2026", SCAN_SCRUB, SCAN_FINISHED, NAN,
			273906, -1, 2, "4K"},
		{"scrub repaired 0 in 1h12m with 0 errors on Sun Mar  1 01:36:45 2026", SCAN_SCRUB, SCAN_FINISHED, NAN, 4320, -1, 0,
			"0"},
		{"scrub completed after 0h5m with 0 errors on Sun Mar  1 01:36:45 2026", SCAN_SCRUB, SCAN_FINISHED, NAN, 300, -1, 0,
			""},
		{"resilver in progress since Sun Mar  1 01:36:45 2026 1.31T / 4T scanned at 790M/s, 860G / 4T issued at 507M/s "
		 "212G resilvered, 21.00% done, 01:48:58 to go", SCAN_RESILVER, SCAN_RUNNING, 21, -1, 6538, -1, "212G"},
		{"scrub in progress since Sun Mar  1 01:36:45 2026 0B repaired, 0.10% done, no estimated completion time",
			SCAN_SCRUB, SCAN_RUNNING, 0.1, -1, -1, -1, "0B"},
		{"resilver canceled on Sun Mar  1 01:36:45 2026", SCAN_RESILVER, SCAN_CANCELED, NAN, -1, -1, -1, ""},
		{"scrub paused since Sun Mar  1 01:36:45 2026 scrub started on Sun Mar  1 00:00:00 2026 0B repaired, 60.00% done",
			SCAN_SCRUB, SCAN_PAUSED, 60, -1, -1, -1, "0B"},
		{"resilver of some later kind", SCAN_RESILVER, SCAN_STATE_UNKNOWN, NAN, -1, -1, -1, ""},
	};
	struct pool_scan s;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		ck_assert(zpool_read_scan(cases[i].text, &s));
		ck_assert_msg(s.function == cases[i].function && s.state == cases[i].state, "%s", cases[i].text);
		ck_assert_msg(isnan(cases[i].percent) ? isnan(s.percent) : fabs(s.percent - cases[i].percent) < 1e-9, "%s",
			cases[i].text);
		ck_assert_int_eq(s.duration_s, cases[i].duration_s);
		ck_assert_int_eq(s.to_go_s, cases[i].to_go_s);
		ck_assert_int_eq(s.errors, cases[i].errors);
		ck_assert_str_eq(s.amount, cases[i].amount);
	}
	ck_assert(!zpool_read_scan("none requested", &s));
}
END_TEST

START_TEST(a_pool_may_be_called_cache_and_hold_a_disk_called_spares)
{
	struct zpool_pools ps = read_text("  pool: cache\n state: ONLINE\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n"
					  "\tcache       ONLINE       0     0     0\n\t  spares    ONLINE       0     0     0\n"
					  "\tcache\n\t  x         ONLINE       0     0     0\n");

	ck_assert_uint_eq(ps.n, 1);
	ck_assert_str_eq(ps.pools[0].name, "cache");
	ck_assert_uint_eq(ps.pools[0].n_nodes, 2);
	ck_assert_int_eq(ps.pools[0].nodes[0].part, PART_DATA);
	ck_assert_int_eq(ps.pools[0].nodes[1].part, PART_CACHE);
	zpool_pools_release(&ps);
}
END_TEST

START_TEST(a_state_that_is_no_word_of_ours_is_not_known_and_never_good)
{
	struct zpool_pools ps = read_text(HEAD ROOT "\t  nvme0n1   SLEEPING     0     0     0\n");

	ck_assert_int_eq(ps.pools[0].nodes[0].state, POOL_STATE_UNKNOWN);
	zpool_pools_release(&ps);
}
END_TEST

START_TEST(counters_that_are_none_are_not_known)
{
	struct zpool_pools ps = read_text(HEAD ROOT "\t  nvme0n1   ONLINE       -     x     0\n");

	ck_assert(!ps.pools[0].nodes[0].read_errors.known);
	ck_assert(!ps.pools[0].nodes[0].write_errors.known);
	zpool_pools_release(&ps);
}
END_TEST

START_TEST(rows_before_the_pool_or_without_a_parent_do_no_harm)
{
	struct zpool_pools ps = read_text(HEAD "\t  early     ONLINE       0     0     0\n" ROOT
					       "\t        deep ONLINE       0     0     0\n\t  a         ONLINE       0     0     0\n");

	ck_assert_uint_eq(ps.pools[0].n_nodes, 2);
	ck_assert_str_eq(ps.pools[0].nodes[0].name, "deep");
	ck_assert_int_eq(ps.pools[0].nodes[0].depth, 0); /* nothing is above it */
	ck_assert_str_eq(ps.pools[0].nodes[1].name, "a");
	zpool_pools_release(&ps);
}
END_TEST

START_TEST(text_that_is_no_status_is_refused_in_words)
{
	struct zpool_pools ps;
	struct err e = {""};

	ck_assert_int_eq(zpool_read_status("cannot open 'x': no such pool\n", 30, &ps, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "pool:"));
	ck_assert_int_eq(zpool_read_status("{\"a\": 1}", 8, &ps, &e), -1);
	ck_assert_int_eq(zpool_read_status("{\"a\": ", 6, &ps, &e), -1);
	ck_assert_int_eq(zpool_read_status("", 0, &ps, &e), 0);
	ck_assert_uint_eq(ps.n, 0);
	ck_assert_int_eq(zpool_read_status("no pools available\n", 19, &ps, &e), 0);
	ck_assert_uint_eq(ps.n, 0);
}
END_TEST

START_TEST(json_without_states_says_nothing_good_of_them)
{
	struct zpool_pools ps = read_text("{\"pools\":{\"t\":{\"name\":\"t\",\"vdevs\":{\"t\":{\"vdev_type\":\"root\",\"vdevs\":"
					  "{\"a\":{\"name\":\"a\",\"read_errors\":-1}}}}}}}");

	ck_assert_int_eq(ps.pools[0].state, POOL_STATE_UNKNOWN);
	ck_assert_int_eq(ps.pools[0].nodes[0].state, POOL_STATE_UNKNOWN);
	ck_assert(!ps.pools[0].nodes[0].read_errors.known);
	ck_assert_int_eq(ps.pools[0].data_errors, -1);
	zpool_pools_release(&ps);
}
END_TEST

#define IOSTAT_HEAD                                                                                                   \
	"              capacity     operations     bandwidth \npool        alloc   free   read  write   read  write\n"  \
	"----------  -----  -----  -----  -----  -----  -----\n"
#define IOSTAT_ROWS(w) "tank        1.00T  1.00T      0      0      0      " w "\n  nvme0n1       -      -      0      0   2.0K   " w "\n"

START_TEST(rates_come_from_the_last_sample_and_never_from_the_average_since_import)
{
	struct zpool_pools ps = read_text(HEAD ROOT "\t  nvme0n1   ONLINE       0     0     0\n");
	struct zpool_rows rows;
	const char *one = IOSTAT_HEAD IOSTAT_ROWS("9M"), *two = IOSTAT_HEAD IOSTAT_ROWS("9M") IOSTAT_HEAD IOSTAT_ROWS("4K");

	ck_assert_int_eq(zpool_read_rows(one, strlen(one), &rows, NULL), 0);
	zpool_take_iostat(&ps, &rows);
	ck_assert(isnan(ps.pools[0].nodes[0].write_bps));
	zpool_rows_release(&rows);
	ck_assert_int_eq(zpool_read_rows(two, strlen(two), &rows, NULL), 0);
	zpool_take_iostat(&ps, &rows);
	ck_assert_double_eq(ps.pools[0].nodes[0].write_bps, 4096);
	ck_assert_double_eq(ps.pools[0].nodes[0].read_bps, 2048);
	zpool_rows_release(&rows);
	zpool_pools_release(&ps);
}
END_TEST

START_TEST(a_lone_scripted_sample_is_what_the_agent_asked_for)
{
	struct zpool_pools ps = read_text(HEAD ROOT "\t  nvme0n1p1 ONLINE       0     0     0\n");
	const char *text = "tank\t1\t2\t3\t4\t5\t6\n/dev/nvme0n1p1\t0\t0\t1\t2\t333\t444\n";
	const char *list = "tank\t1000\t400\t600\n";
	struct zpool_rows rows;

	ck_assert_int_eq(zpool_read_rows(text, strlen(text), &rows, NULL), 0);
	zpool_take_iostat(&ps, &rows);
	ck_assert_double_eq(ps.pools[0].nodes[0].read_bps, 333);
	zpool_rows_release(&rows);
	ck_assert_int_eq(zpool_read_rows(list, strlen(list), &rows, NULL), 0);
	zpool_take_list(&ps, &rows);
	ck_assert_double_eq(ps.pools[0].alloc_bytes, 400);
	zpool_rows_release(&rows);
	zpool_pools_release(&ps);
}
END_TEST

START_TEST(names_are_looked_up_with_and_without_folder_and_partition)
{
	static const struct {
		const char *name, *device;
	} cases[] = {
		{"/dev/disk/by-vdev/A0-part1", "nvme6n1"},
		{"A0", "nvme6n1"},
		{"A0-part1", "nvme6n1"},
		{"/dev/disk/by-id/nvme-X_1", "nvme2n1"},
		{"nvme-X_1-part9", "nvme2n1"},
		{"gptid/11-22", "nvme1n1"},
		{"C", "nvme3"},
		{"/srv/A0", ""},
		{"B0", ""},
		{"dm", ""},
	};
	json_t *map = json_pack("{s:s, s:s, s:s, s:s, s:s}", "A0", "../../nvme6n1", "by-id/nvme-X_1", "nvme2n1", "gptid/11-22",
		"nvme1n1p3", "C", "nvme3", "dm", "dm-0");
	struct pool p = pool_unknown("t");

	json_object_set_new(map, "nvme-X_1", json_string("nvme2n1"));
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		pool_add_node(&p, cases[i].name, PART_DATA, 0);
	pool_settle_kinds(&p);
	zfs_names_look_up(&p, map, NULL);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		ck_assert_msg(str_same(p.nodes[i].device, cases[i].device), "%s is %s", cases[i].name, p.nodes[i].device);
	json_decref(map);
	pool_release(&p);
}
END_TEST

START_TEST(a_document_of_pools_fits_its_schema_and_is_read_back_as_it_was)
{
	struct zpool_pools ps = read_text(
		"  pool: tank\n state: DEGRADED\nstatus: One or more devices could not be opened.\n"
		"  scan: resilver in progress since Sun Mar  1 01:36:45 2026\n\t1T scanned at 1G/s, 1G issued at 1G/s, 4T total\n"
		"\t2G resilvered, 21.00% done, 01:48:58 to go\n"
		"config:\n\n\tNAME        STATE     READ WRITE CKSUM\n\ttank        DEGRADED     0     0     0\n"
		"\t  mirror-0  DEGRADED     0     0     0\n\t    nvme0n1 ONLINE       0     0     5  (resilvering)\n"
		"\t    nvme1n1 ONLINE       0     0     0\n\tlogs\t\n\t  12345678  UNAVAIL      0     0     0  was /dev/x\n"
		"\tspares\n\t  sda       AVAIL   \n\nerrors: 5 data errors, use '-v' for a list\n");
	json_t *schema = schema_read("schemas/api/bays.schema.json"), *first, *second;
	struct inventory inv, again;
	struct snapshot s;
	struct err e = {""};
	char why[300];

	snapshot_init(&s, "os", TARGET_NVME, "srv");
	s.target.verdict = TARGET_OK;
	for (int i = 0; i < 2; i++) {
		struct bay *b = snapshot_add_bay(&s, i ? "b1" : "b0");

		b->has_drive = b->pcie = true;
		b->present = TRI_YES;
		b->link.now = b->link.max = (struct pcie_rate){16000, i ? 4 : 2};
		b->drive.n_namespaces = 1;
		str_copy(b->drive.namespaces[0], sizeof b->drive.namespaces[0], i ? "nvme1n1" : "nvme0n1");
		str_copy(b->drive.controller, sizeof b->drive.controller, i ? "nvme1" : "nvme0");
	}
	snapshot_take_pool(&s, &ps.pools[0]);
	inventory_init(&inv);
	inventory_apply(&inv, &s);
	inventory_finish(&inv, NULL, 1772323200000);
	first = document_of_inventory(&inv);
	ck_assert_msg(schema_check(schema, first, why, sizeof why) == 0, "%s", why);
	ck_assert_msg(document_read_inventory(first, &again, &e) == 0, "%s", e.text);
	second = document_of_inventory(&again);
	ck_assert_uint_eq(json_array_size(json_object_get(second, "pools")), 1);
	ck_assert(json_equal(json_object_get(first, "pools"), json_object_get(second, "pools")));
	json_object_set_new(json_array_get(json_object_get(second, "pools"), 0), "health", json_string("WELL"));
	ck_assert_int_eq(schema_check(schema, second, why, sizeof why), -1);
	json_decref(first);
	json_decref(second);
	json_decref(schema);
	inventory_release(&inv);
	inventory_release(&again);
	snapshot_release(&s);
	zpool_pools_release(&ps);
}
END_TEST

UNIT_MAIN("zpool", numbers_are_powers_of_1024_and_a_dash_is_none, dates_are_read_as_utc_and_other_zones_are_not_known,
	sentences_of_a_scan_are_read_in_all_their_forms, a_pool_may_be_called_cache_and_hold_a_disk_called_spares,
	a_state_that_is_no_word_of_ours_is_not_known_and_never_good, counters_that_are_none_are_not_known,
	rows_before_the_pool_or_without_a_parent_do_no_harm, text_that_is_no_status_is_refused_in_words,
	json_without_states_says_nothing_good_of_them,
	rates_come_from_the_last_sample_and_never_from_the_average_since_import,
	a_lone_scripted_sample_is_what_the_agent_asked_for, names_are_looked_up_with_and_without_folder_and_partition,
	a_document_of_pools_fits_its_schema_and_is_read_back_as_it_was)
