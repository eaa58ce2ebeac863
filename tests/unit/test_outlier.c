/* SPDX-License-Identifier: MIT */
/* Out of line with its neighbours: only among five alike, only by what a person would call a difference. */
#include "model/outlier.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MS INT64_C(86400000)

/* A machine of n equal drives at 35 to 37 degrees. */
static void fill(struct inventory *inv, int n)
{
	inventory_init(inv);
	inv->bays = calloc((size_t)n, sizeof *inv->bays);
	inv->n_bays = (size_t)n;
	inv->collected_wall_ms = INT64_C(1772445600000);
	for (int i = 0; i < n; i++) {
		struct bay *b = &inv->bays[i];
		char name[16];

		snprintf(name, sizeof name, "%d", i);
		*b = bay_unknown("t", "host", name);
		b->present = TRI_YES;
		b->has_drive = true;
		b->temperature_c = 35 + i % 3;
		b->health.media_errors = count_of(0);
		str_copy(b->drive.model, sizeof b->drive.model, "Acme");
	}
}

static unsigned look(struct inventory *inv)
{
	outlier_hints(inv, 0, inv->n_bays);
	outlier_wear_hints(inv);
	return inv->bays[0].outlier;
}

START_TEST(a_drive_far_hotter_than_its_neighbours_is_out_of_line_and_none_of_them_is)
{
	struct inventory inv;

	fill(&inv, 24);
	ck_assert_uint_eq(look(&inv), 0);
	ck_assert_uint_eq(inv.n_hints, 0);
	inv.bays[0].temperature_c = 52;
	ck_assert_uint_eq(look(&inv), OUTLIER_TEMPERATURE);
	ck_assert_uint_eq(inv.n_hints, 1);
	ck_assert_str_eq(inv.hints[0].code, "outlier");
	ck_assert_str_eq(inv.hints[0].bays[0], "0");
	ck_assert_ptr_nonnull(strstr(inv.hints[0].message, "temperature 52 °C where the median of the 24 drives"));
	for (size_t i = 1; i < inv.n_bays; i++)
		ck_assert_uint_eq(inv.bays[i].outlier, 0);
	inventory_release(&inv);
}
END_TEST

START_TEST(what_is_no_difference_to_a_person_is_none_however_equal_the_others_are)
{
	struct inventory inv;

	fill(&inv, 24);
	for (size_t i = 0; i < inv.n_bays; i++)
		inv.bays[i].temperature_c = 35;
	inv.bays[0].temperature_c = 42;
	inv.bays[1].health.media_errors = count_of(5);
	ck_assert_uint_eq(look(&inv), 0);
	ck_assert_uint_eq(inv.bays[1].outlier, 0);
	inventory_release(&inv);
}
END_TEST

START_TEST(a_cooler_drive_is_no_fault_and_an_idle_one_is_a_hint)
{
	struct inventory inv;

	fill(&inv, 8);
	inv.bays[0].temperature_c = 10;
	for (size_t i = 0; i < inv.n_bays; i++)
		inv.bays[i].throughput.busy_ratio = i ? 0.8 : 0;
	ck_assert_uint_eq(look(&inv), OUTLIER_BUSY);
	inventory_release(&inv);
}
END_TEST

START_TEST(among_four_alike_none_is_out_of_line_and_other_models_do_not_count)
{
	struct inventory inv;

	fill(&inv, 8);
	inv.bays[0].temperature_c = 60;
	for (size_t i = 4; i < inv.n_bays; i++)
		str_copy(inv.bays[i].drive.model, sizeof inv.bays[i].drive.model, "Other");
	ck_assert_uint_eq(look(&inv), 0);
	str_copy(inv.bays[4].drive.model, sizeof inv.bays[4].drive.model, "Acme");
	ck_assert_uint_eq(look(&inv), OUTLIER_TEMPERATURE);
	inventory_release(&inv);
}
END_TEST

START_TEST(what_is_not_known_or_stale_is_neither_a_neighbour_nor_out_of_line)
{
	struct inventory inv;

	fill(&inv, 6);
	inv.bays[0].temperature_c = 60;
	inv.bays[1].temperature_c = NAN;
	inv.bays[2].stale = true;
	ck_assert_uint_eq(look(&inv), 0);
	inv.bays[1].temperature_c = 36;
	ck_assert_uint_eq(look(&inv), OUTLIER_TEMPERATURE);
	inv.bays[0].stale = true;
	ck_assert_uint_eq(look(&inv), 0);
	inventory_release(&inv);
}
END_TEST

START_TEST(half_of_the_drives_being_hot_makes_nobody_an_outlier)
{
	struct inventory inv;

	fill(&inv, 8);
	for (size_t i = 0; i < 4; i++)
		inv.bays[i].temperature_c = 60;
	ck_assert_uint_eq(look(&inv), 0);
	inventory_release(&inv);
}
END_TEST

/* A forecast of so much a year, used up in so many days. */
static void foretell(const struct inventory *inv, struct bay *b, double a_year, int days)
{
	b->wear.forecast.known = true;
	b->wear.forecast.percent_per_year = a_year;
	b->wear.forecast.exhausted_on_wall_ms = inv->collected_wall_ms + days * DAY_MS;
}

START_TEST(a_drive_that_wears_far_faster_than_the_others_is_out_of_line)
{
	struct inventory inv;

	fill(&inv, 8);
	for (size_t i = 0; i < inv.n_bays; i++)
		foretell(&inv, &inv.bays[i], i ? 4 + 0.1 * (double)i : 19, 4000);
	ck_assert_uint_eq(look(&inv), OUTLIER_WEAR_RATE);
	inventory_release(&inv);
}
END_TEST

START_TEST(three_drives_of_a_machine_that_run_out_within_a_month_are_a_hint_that_names_them)
{
	struct inventory inv;

	fill(&inv, 4);
	foretell(&inv, &inv.bays[0], 10, 100);
	foretell(&inv, &inv.bays[1], 10, 125);
	foretell(&inv, &inv.bays[2], 10, 140);
	foretell(&inv, &inv.bays[3], 10, 400);
	look(&inv);
	ck_assert_uint_eq(inv.n_hints, 0);
	foretell(&inv, &inv.bays[2], 10, 129);
	look(&inv);
	ck_assert_uint_eq(inv.n_hints, 1);
	ck_assert_str_eq(inv.hints[0].code, "correlated-wear");
	ck_assert_uint_eq(inv.hints[0].n_bays, 3);
	inventory_release(&inv);
}
END_TEST

UNIT_MAIN("outlier", a_drive_far_hotter_than_its_neighbours_is_out_of_line_and_none_of_them_is,
	what_is_no_difference_to_a_person_is_none_however_equal_the_others_are,
	a_cooler_drive_is_no_fault_and_an_idle_one_is_a_hint,
	among_four_alike_none_is_out_of_line_and_other_models_do_not_count,
	what_is_not_known_or_stale_is_neither_a_neighbour_nor_out_of_line,
	half_of_the_drives_being_hot_makes_nobody_an_outlier,
	a_drive_that_wears_far_faster_than_the_others_is_out_of_line,
	three_drives_of_a_machine_that_run_out_within_a_month_are_a_hint_that_names_them)
