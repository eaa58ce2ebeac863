/* SPDX-License-Identifier: MIT */
/* When a BMC is walked as a whole again, and what that finds which polls do not. */
#include "base/clock.h"
#include "base/mem.h"
#include "collectors/redfish/topology.h"
#include "tests/unit/sim.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const int64_t hour_ms = 60 * 60 * 1000, minute_ms = 60 * 1000;
static int64_t now_ms;

static void turn(int64_t ms)
{
	now_ms += ms;
	clock_set(1000000000000 + now_ms, 1000 + now_ms);
}

/* A survey that saw drives of these serial numbers; NULL: one that could not be read. */
static void see(struct rf_topology *t, const char *first, const char *second)
{
	struct rf_survey *s = mem_new(1, sizeof *s);
	const char *serials[] = {first, second};

	for (size_t i = 0; i < 2; i++)
		s->drives[i] = (struct rf_drive){
			.path = i ? "/redfish/v1/b" : "/redfish/v1/a",
			.doc = serials[i] ? json_pack("{s:s}", "SerialNumber", serials[i]) : NULL,
		};
	s->n_drives = 2;
	rf_topology_saw(t, s);
	for (size_t i = 0; i < 2; i++)
		json_decref(s->drives[i].doc);
	free(s);
}

START_TEST(the_first_walk_is_followed_by_one_a_day)
{
	struct rf_topology t;
	int64_t last = 0, walks = 0;

	turn(0);
	rf_topology_init(&t, 0);
	ck_assert(!rf_topology_due(&t)); /* it is a whole walk by itself */
	for (int minutes = 1; minutes <= 10 * 24 * 60; minutes++) {
		turn(minute_ms);
		if (!rf_topology_due(&t))
			continue;
		ck_assert_int_ge(now_ms - last, 21 * hour_ms);
		ck_assert_int_le(now_ms - last, 24 * hour_ms + minute_ms);
		last = now_ms;
		walks++;
	}
	ck_assert_int_ge(walks, 9);
}
END_TEST

START_TEST(targets_that_began_together_are_not_walked_together)
{
	struct rf_topology t[50];
	int64_t first = INT64_MAX, last = 0;

	turn(0);
	for (size_t i = 0; i < 50; i++) {
		rf_topology_init(&t[i], 0);
		rf_topology_due(&t[i]);
		first = t[i].due_mono_ms < first ? t[i].due_mono_ms : first;
		last = t[i].due_mono_ms > last ? t[i].due_mono_ms : last;
	}
	ck_assert_int_ge(last - first, hour_ms);
}
END_TEST

static const struct {
	const char *what, *first, *second;
	bool walk;
} changes[] = {
	{"nothing", "A", "B", false},
	{"a drive came in another's place", "A", "C", true},
	{"two drives changed places", "B", "A", true},
	{"a drive could not be read", "A", NULL, true},
};

START_TEST(other_drives_make_a_whole_walk_and_the_same_ones_none)
{
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		struct rf_topology t;

		turn(0);
		rf_topology_init(&t, 0);
		rf_topology_due(&t);
		see(&t, "A", "B");
		turn(hour_ms);
		ck_assert(!rf_topology_due(&t));
		see(&t, changes[i].first, changes[i].second);
		turn(minute_ms);
		ck_assert_msg(rf_topology_due(&t) == changes[i].walk, "%s", changes[i].what);
		see(&t, changes[i].first, changes[i].second);
		turn(minute_ms);
		ck_assert_msg(!rf_topology_due(&t), "%s: again", changes[i].what);
	}
}
END_TEST

START_TEST(LW_R8_drives_that_change_at_each_poll_make_a_walk_every_ten_minutes_at_most)
{
	struct rf_topology t;
	int walks = 0;

	turn(0);
	rf_topology_init(&t, 0);
	rf_topology_due(&t);
	for (int i = 0; i < 60; i++) {
		see(&t, i % 2 ? "A" : "B", "C");
		turn(minute_ms);
		walks += rf_topology_due(&t);
	}
	ck_assert_int_ge(walks, 5);
	ck_assert_int_le(walks, 6);
}
END_TEST

/* Polls every hour for two days and more: 3 requests each, but for the walks. */
START_TEST(a_simulated_BMC_is_walked_again_within_a_day_and_as_cheaply_as_at_first)
{
	struct sim sim = sim_start(ARGS("--chassis", "r7725xd", "--license", "--telemetry", "0", "--strict"));
	struct sim_polls p = sim_poll_every(&sim, 54, 60 * 60 * 1000);
	size_t last = 0;
	int walks = 0;

	for (size_t i = 1; i < p.n; i++) {
		if (p.requests[i] < 10) /* reports, and now and then its clock, which looks wrong: only ours is turned */
			continue;
		ck_assert_int_ge(i - last, 20);
		ck_assert_int_le(i - last, 26);
		ck_assert_int_le(p.requests[i], p.requests[0]);
		last = i;
		walks++;
	}
	ck_assert_int_eq(walks, 2);
	sim_polls_release(&p);
	ck_assert_int_eq(sim_stop(&sim), 0);
}
END_TEST

static void put(struct rf_tree *t, const char *path, const char *doc)
{
	rf_tree_want(t, path, RF_PLAIN);
	for (struct rf_resource *r; (r = rf_tree_next(t)) != NULL;)
		rf_tree_put(t, r, json_loads(doc, 0, NULL), 1);
}

START_TEST(what_was_read_once_and_what_was_not_there_is_wanted_again_by_a_walk)
{
	struct rf_tree t;
	struct rf_resource *absent;

	rf_tree_init(&t, NULL);
	rf_tree_begin(&t);
	put(&t, "/redfish/v1/Systems", "{\"@odata.id\": \"/redfish/v1/Systems\"}");
	rf_tree_want(&t, "/redfish/v1/TelemetryService", RF_OPTIONAL);
	absent = rf_tree_next(&t);
	rf_tree_fail(&t, absent, 404, "", "");
	rf_tree_begin(&t);
	ck_assert_ptr_nonnull(rf_tree_want(&t, "/redfish/v1/Systems", RF_PLAIN));
	ck_assert_ptr_null(rf_tree_want(&t, "/redfish/v1/TelemetryService", RF_OPTIONAL));
	ck_assert_ptr_null(rf_tree_next(&t));
	rf_tree_begin(&t);
	rf_tree_rewalk(&t);
	ck_assert_ptr_null(rf_tree_want(&t, "/redfish/v1/Systems", RF_PLAIN));
	rf_tree_want(&t, "/redfish/v1/TelemetryService", RF_OPTIONAL);
	ck_assert_ptr_nonnull(rf_tree_next(&t));
	ck_assert_ptr_eq(rf_tree_next(&t), absent);
	rf_tree_release(&t);
}
END_TEST

START_TEST(what_is_asked_two_levels_deep_is_read_by_walks_alone_not_at_the_pace_of_metrics)
{
	static const char path[] = "/redfish/v1/Chassis/1";
	const unsigned flags = RF_OPTIONAL | RF_EXPAND | RF_DEEP;
	struct rf_tree t;

	rf_tree_init(&t, NULL);
	t.can_expand = t.can_go_deep = true;
	rf_tree_begin(&t);
	rf_tree_want(&t, path, flags);
	put(&t, path, "{\"@odata.id\": \"/redfish/v1/Chassis/1\", \"Id\": \"1\"}");
	rf_tree_begin(&t);
	t.metrics_due = true;
	ck_assert_ptr_nonnull(rf_tree_want(&t, path, flags));
	rf_tree_begin(&t);
	rf_tree_rewalk(&t);
	ck_assert_ptr_null(rf_tree_want(&t, path, flags));
	rf_tree_release(&t);
}
END_TEST

UNIT_MAIN("redfish topology", the_first_walk_is_followed_by_one_a_day,
	targets_that_began_together_are_not_walked_together,
	other_drives_make_a_whole_walk_and_the_same_ones_none,
	LW_R8_drives_that_change_at_each_poll_make_a_walk_every_ten_minutes_at_most,
	a_simulated_BMC_is_walked_again_within_a_day_and_as_cheaply_as_at_first,
	what_was_read_once_and_what_was_not_there_is_wanted_again_by_a_walk,
	what_is_asked_two_levels_deep_is_read_by_walks_alone_not_at_the_pace_of_metrics)
