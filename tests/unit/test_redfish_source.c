/* SPDX-License-Identifier: MIT */
/*
 * The Redfish source against lanewatch-simbmc over real HTTP: how many requests it takes,
 * what it makes of services that do not keep their word, and that it leaves no session.
 */
#include "model/snapshot.h"
#include "tests/unit/sim.h"
#include "tests/unit/unit.h"

#include <string.h>

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static size_t drives_in(const struct snapshot *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_bays; i++)
		n += s->bays[i].has_drive && s->bays[i].drive.serial[0];
	return n;
}

static const struct bay *bay_named(const struct snapshot *s, const char *name)
{
	for (size_t i = 0; i < s->n_bays; i++)
		if (strcmp(s->bays[i].bay, name) == 0)
			return &s->bays[i];
	ck_abort_msg("there is no bay %s", name);
	return NULL;
}

/* login and logout apart */
static int walk_requests(const struct sim_polls *p)
{
	return p->requests[0] - 1;
}

START_TEST(with_expand_the_first_walk_takes_15_requests_at_most_and_later_polls_3)
{
	struct sim sim = sim_start(ARGS("--chassis", "r7725xd", "--strict"));
	struct sim_polls p = sim_poll(&sim, 4, false, false);

	ck_assert_uint_eq(drives_in(&p.last), 26);
	ck_assert_int_le(walk_requests(&p), 15);
	for (size_t i = 1; i < p.n; i++)
		ck_assert_int_le(p.requests[i], 3);
	sim_polls_release(&p);
	ck_assert_int_eq(sim_stop(&sim), 0);
}
END_TEST

/* A second session would be refused: the simulator holds one. */
START_TEST(LW_R11_a_thousand_polls_need_one_session)
{
	struct sim sim = sim_start(ARGS("--chassis", "generic", "--max-sessions", "1", "--strict"));
	struct sim_polls p = sim_poll(&sim, is_instrumented() ? 100 : 1000, false, true);

	ck_assert_uint_eq(drives_in(&p.last), 8);
	ck_assert_int_eq(p.last.target.verdict, TARGET_OK);
	for (size_t i = 1; i < p.n; i++)
		ck_assert_int_le(p.requests[i], 3);
	sim_polls_release(&p);
	p = sim_poll(&sim, 1, false, true); /* there is room again: the session was deleted */
	ck_assert_uint_eq(drives_in(&p.last), 8);
	sim_polls_release(&p);
	ck_assert_int_eq(sim_stop(&sim), 0);
}
END_TEST

/* Ten minutes of polls every 10 s, and an hour: an account locks after a few tries in a short time. */
START_TEST(LW_R11_a_refused_login_is_tried_three_times_in_ten_minutes_at_most)
{
	struct sim sim = sim_start(ARGS("--chassis", "generic", "--password", "not this", "--strict"));
	struct sim_polls p = sim_poll_every(&sim, 360, 10 * 1000);
	int tries = 0;

	for (size_t i = 0; i < p.n; i++) {
		tries += p.requests[i] > (i == 0); /* the service root is read once, and needs no login */
		if (i >= 60)
			tries -= p.requests[i - 60] > (i == 60);
		ck_assert_int_le(tries, 3);
	}
	ck_assert_int_ge(tries, 1); /* and it is tried again */
	ck_assert_int_eq(p.last.target.reason, REASON_AUTH_FAILED);
	sim_polls_release(&p);
	ck_assert_int_eq(sim_stop(&sim), 0);
}
END_TEST

START_TEST(what_is_not_licensed_is_asked_for_again_after_a_day_and_not_before)
{
	struct sim sim = sim_start(ARGS("--chassis", "r7725xd", "--strict"));
	struct sim_polls p = sim_poll_every(&sim, 30, 60 * 60 * 1000);
	enum { POLL = 3, WALK = 8 /* more, once within a day, perhaps in the same poll */ };
	int again = 0, walks = 0;

	for (size_t i = 1; i < p.n; i++) {
		bool walk = p.requests[i] >= POLL + WALK;
		int tries = p.requests[i] - POLL - (walk ? WALK : 0);

		walks += walk;
		if (tries == 0)
			continue;
		ck_assert_int_eq(tries, 1);
		ck_assert_int_eq(again, 0);
		again = (int)i;
	}
	ck_assert_int_eq(walks, 1);
	ck_assert_int_ge(again, 24);
	ck_assert_int_le(again, 25);
	sim_polls_release(&p);
	ck_assert_int_eq(sim_stop(&sim), 0);
}
END_TEST

START_TEST(without_expand_a_later_poll_takes_drives_plus_5_requests_at_most)
{
	struct sim sim = sim_start(ARGS("--chassis", "r7725xd", "--no-expand", "--strict"));
	struct sim_polls p = sim_poll(&sim, 3, false, false);

	ck_assert_uint_eq(drives_in(&p.last), 26);
	for (size_t i = 1; i < p.n; i++)
		ck_assert_int_le(p.requests[i], 24 + 5);
	sim_polls_release(&p);
	ck_assert_int_eq(sim_stop(&sim), 0);
}
END_TEST

START_TEST(a_service_that_ignores_expand_is_read_member_by_member)
{
	struct sim sim = sim_start(ARGS("--chassis", "r7725xd", "--expand-ignored"));
	struct sim_polls p = sim_poll(&sim, 2, false, true);

	ck_assert_uint_eq(drives_in(&p.last), 26);
	ck_assert_int_le(p.requests[1], 26 + 5);
	sim_polls_release(&p);
	sim_stop(&sim);
}
END_TEST

START_TEST(a_service_whose_expanded_lists_lose_a_member_loses_no_drive)
{
	struct sim sim = sim_start(ARGS("--chassis", "r7725xd", "--expand-truncated"));
	struct sim_polls p = sim_poll(&sim, 2, false, true);

	ck_assert_uint_eq(drives_in(&p.last), 26);
	sim_polls_release(&p);
	sim_stop(&sim);
}
END_TEST

START_TEST(collections_in_pages_are_read_to_their_end)
{
	struct sim sim = sim_start(ARGS("--chassis", "r7725xd", "--page", "3"));
	struct sim_polls p = sim_poll(&sim, 1, false, true);

	ck_assert_uint_eq(drives_in(&p.last), 26);
	sim_polls_release(&p);
	sim_stop(&sim);
}
END_TEST

START_TEST(the_standard_dialect_reads_links_wear_and_temperature)
{
	struct sim sim = sim_start(ARGS("--chassis", "generic", "--fault", "bay 2 width 2", "--fault", "bay 4 wear 85"));
	struct sim_polls p = sim_poll(&sim, 2, false, false);
	const struct bay *narrow = bay_named(&p.last, "2"), *worn = bay_named(&p.last, "4");

	ck_assert_uint_eq(drives_in(&p.last), 8);
	ck_assert_int_eq(narrow->link.now.speed_mtps, 32000);
	ck_assert_int_eq(narrow->link.now.width_lanes, 2);
	ck_assert_int_eq(narrow->link.max.width_lanes, 4);
	ck_assert(worn->wear.percent_used == 85);
	ck_assert(worn->temperature_c > 0);
	sim_polls_release(&p);
	sim_stop(&sim);
}
END_TEST

START_TEST(a_drive_that_answers_500_leaves_its_neighbours_and_is_named)
{
	struct sim sim = sim_start(ARGS("--chassis", "r7725xd", "--fault", "bay 9 status 500"));
	struct sim_polls p = sim_poll(&sim, 1, false, true);

	ck_assert(p.last.target.partial);
	ck_assert_uint_eq(p.last.target.n_errors, 1);
	ck_assert(strstr(p.last.target.errors[0].resource, "Disk.Bay.9:") != NULL);
	ck_assert_uint_eq(drives_in(&p.last), 25);
	ck_assert_str_eq(bay_named(&p.last, "9")->drive.serial, "");
	sim_polls_release(&p);
	sim_stop(&sim);
}
END_TEST

START_TEST(LW_R11_a_full_session_table_is_told_as_such)
{
	struct sim sim = sim_start(ARGS("--chassis", "r7725xd", "--max-sessions", "0", "--auth", "session"));
	struct sim_polls p = sim_poll(&sim, 2, false, true);

	ck_assert_int_eq(p.last.target.verdict, TARGET_UNREACHABLE);
	ck_assert_int_eq(p.last.target.reason, REASON_SESSION_LIMIT);
	ck_assert_uint_eq(p.last.n_bays, 0);
	ck_assert_int_eq(p.requests[1], 0); /* not tried again at once, and the root is known */
	sim_polls_release(&p);
	sim_stop(&sim);
}
END_TEST

START_TEST(LW_R11_a_wrong_password_is_tried_once_in_two_polls)
{
	struct sim sim = sim_start(ARGS("--chassis", "r7725xd", "--password", "another"));
	struct sim_polls p = sim_poll(&sim, 2, false, true);

	ck_assert_int_eq(p.last.target.verdict, TARGET_UNREACHABLE);
	ck_assert_int_eq(p.last.target.reason, REASON_AUTH_FAILED);
	ck_assert_int_eq(p.requests[0], 2);
	ck_assert_int_eq(p.requests[1], 0);
	sim_polls_release(&p);
	sim_stop(&sim);
}
END_TEST

START_TEST(basic_is_used_where_sessions_are_not_offered)
{
	struct sim sim = sim_start(ARGS("--chassis", "r7725xd", "--auth", "basic"));
	struct sim_polls p = sim_poll(&sim, 1, false, true);

	ck_assert_int_eq(p.last.target.verdict, TARGET_OK);
	ck_assert_uint_eq(drives_in(&p.last), 26);
	sim_polls_release(&p);
	sim_stop(&sim);
}
END_TEST

UNIT_MAIN("redfish source", LW_R11_a_refused_login_is_tried_three_times_in_ten_minutes_at_most,
	LW_R11_a_thousand_polls_need_one_session,
	with_expand_the_first_walk_takes_15_requests_at_most_and_later_polls_3,
	what_is_not_licensed_is_asked_for_again_after_a_day_and_not_before,
	without_expand_a_later_poll_takes_drives_plus_5_requests_at_most,
	a_service_that_ignores_expand_is_read_member_by_member,
	a_service_whose_expanded_lists_lose_a_member_loses_no_drive,
	collections_in_pages_are_read_to_their_end,
	the_standard_dialect_reads_links_wear_and_temperature,
	a_drive_that_answers_500_leaves_its_neighbours_and_is_named,
	LW_R11_a_full_session_table_is_told_as_such, LW_R11_a_wrong_password_is_tried_once_in_two_polls,
	basic_is_used_where_sessions_are_not_offered)
