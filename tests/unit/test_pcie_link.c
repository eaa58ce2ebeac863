/* SPDX-License-Identifier: MIT */
/* PCIe links: every spelling of speeds and widths, figures of bandwidth, values that void themselves. */
#include "model/pcie_link.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

START_TEST(every_spelling_of_a_speed_is_read)
{
	static const struct {
		const char *text;
		int mtps;
	} rows[] = {
		{"2.5 GT/s PCIe", 2500}, {"2.5 GT/s", 2500}, {"5.0 GT/s PCIe", 5000}, {"5 GT/s", 5000},
		{"8.0 GT/s PCIe\n", 8000}, {"8 GT/s\n", 8000}, {"16.0 GT/s PCIe", 16000}, {"16.0 GT/s", 16000},
		{"32.0 GT/s PCIe", 32000}, {"32GT/s", 32000}, {"32 gt/s", 32000}, {"64.0 GT/s PCIe", 64000},
		{"Gen1", 2500}, {"Gen2", 5000}, {"Gen3", 8000}, {"Gen4", 16000}, {"gen5", 32000}, {"GEN6", 64000},
		{"Gen 4", 16000}, {"PCIe Gen4", 16000}, {"  Gen5  ", 32000},
		{"", 0}, {"Unknown", 0}, {"Unknown speed", 0}, {"Unknown\n", 0}, {"N/A", 0}, {"None", 0},
		{"null", 0}, {"16", 0}, {"16.0", 0}, {"0", 0}, {"0 GT/s", 0}, {"3 GT/s", 0}, {"12.0 GT/s", 0},
		{"6.0 Gb/s", 0}, {"31.5 Gbps", 0}, {"Gen0", 0}, {"Gen7", 0}, {"Gen", 0}, {"Gen0x4", 0}, {"Gen4x4", 0},
		{"255", 0}, {"-8 GT/s", 0}, {"8.0 GT/s SATA", 0}, {"GT/s", 0}, {"1e1 GT/s", 0}, {"..8 GT/s", 0},
		{"88888888888888888888888888 GT/s", 0},
		{"8 GT/s                                                                        ?", 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		ck_assert_msg(pcie_speed_parse(rows[i].text) == rows[i].mtps, "\"%s\": %d",
			rows[i].text, pcie_speed_parse(rows[i].text));
}
END_TEST

START_TEST(every_spelling_of_a_width_is_read_and_placeholders_are_none)
{
	static const struct {
		const char *text;
		int lanes;
	} rows[] = {
		{"4", 4}, {"4\n", 4}, {"x4", 4}, {"X4", 4}, {" x16 ", 16}, {"1", 1}, {"2", 2}, {"8", 8}, {"12", 12}, {"32", 32},
		{"0", 0}, {"x0", 0}, {"255", 0}, {"63", 0}, {"3", 0}, {"64", 0}, {"-4", 0}, {"None", 0}, {"N/A", 0}, {"", 0},
		{"x", 0}, {"Unknown", 0}, {"0x4", 0}, {"4.0", 0}, {"xx4", 0}, {"18446744073709551615", 0}, {"4294967300", 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		ck_assert_msg(pcie_width_parse(rows[i].text) == rows[i].lanes, "\"%s\"", rows[i].text);
	ck_assert_int_eq(pcie_width_from_int(INT64_MAX), 0);
	ck_assert_int_eq(pcie_width_from_int(-1), 0);
	ck_assert_int_eq(pcie_width_from_int(4), 4);
}
END_TEST

START_TEST(numbers_become_speeds_within_one_percent)
{
	ck_assert_int_eq(pcie_speed_from_gts(32), 32000);
	ck_assert_int_eq(pcie_speed_from_gts(2.5), 2500);
	ck_assert_int_eq(pcie_speed_from_gts(31.6), 0);
	ck_assert_int_eq(pcie_speed_from_gts(0), 0);
	ck_assert_int_eq(pcie_speed_from_gts(NAN), 0);
	ck_assert_int_eq(pcie_speed_from_gts(-8), 0);
	ck_assert_int_eq(pcie_speed_from_coded_gbps(7.876923076923077), 8000);
	ck_assert_int_eq(pcie_speed_from_coded_gbps(15.7538), 16000);
	ck_assert_int_eq(pcie_speed_from_coded_gbps(15.75), 16000);
	ck_assert_int_eq(pcie_speed_from_coded_gbps(31.507692307692307), 32000);
	ck_assert_int_eq(pcie_speed_from_coded_gbps(2), 2500);
	ck_assert_int_eq(pcie_speed_from_coded_gbps(4), 5000);
	ck_assert_int_eq(pcie_speed_from_coded_gbps(60.5), 64000);
	ck_assert_int_eq(pcie_speed_from_coded_gbps(16), 0);
	ck_assert_int_eq(pcie_speed_from_coded_gbps(0), 0);
	ck_assert_int_eq(pcie_speed_from_coded_gbps(NAN), 0);
}
END_TEST

START_TEST(bandwidth_is_rate_times_lanes_after_line_coding)
{
	static const struct {
		struct pcie_rate rate;
		double gb;
	} rows[] = {
		{{2500, 1}, 0.25}, {{2500, 16}, 4.0}, {{5000, 4}, 2.0}, {{8000, 1}, 0.98}, {{8000, 4}, 3.94},
		{{8000, 16}, 15.75}, {{16000, 2}, 3.94}, {{16000, 8}, 15.75}, {{32000, 2}, 7.88}, {{32000, 4}, 15.75},
		{{32000, 16}, 63.02}, {{64000, 1}, 7.56}, {{64000, 4}, 30.25},
		{{0, 4}, 0}, {{32000, 0}, 0}, {{12345, 4}, 0}, {{32000, -1}, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		ck_assert_msg(fabs(pcie_bandwidth(rows[i].rate) / 1e9 - rows[i].gb) < 0.006, "row %zu: %f", i,
			pcie_bandwidth(rows[i].rate) / 1e9);
}
END_TEST

START_TEST(generations_and_texts_belong_to_real_speeds_only)
{
	static const int speeds[] = {2500, 5000, 8000, 16000, 32000, 64000};
	static const char *const texts[] = {"2.5", "5", "8", "16", "32", "64"};

	for (int i = 0; i < 6; i++) {
		ck_assert_int_eq(pcie_generation(speeds[i]), i + 1);
		ck_assert_str_eq(pcie_speed_text(speeds[i]), texts[i]);
	}
	ck_assert_int_eq(pcie_generation(0), 0);
	ck_assert_str_eq(pcie_speed_text(0), "?");
	ck_assert_str_eq(pcie_speed_text(6000), "?");
}
END_TEST

START_TEST(a_reading_above_what_an_end_can_do_voids_itself)
{
	struct pcie_link l = pcie_link_unknown();

	l.now = (struct pcie_rate){32000, 4};
	l.max = (struct pcie_rate){16000, 4};
	pcie_link_check(&l);
	ck_assert_int_eq(l.now.speed_mtps, 0);
	ck_assert_int_eq(l.now.width_lanes, 0);
	ck_assert_int_eq(l.max.speed_mtps, 16000);
	ck_assert_int_eq(l.doubt, REASON_CONTRADICTORY);

	l = pcie_link_unknown();
	l.now = (struct pcie_rate){16000, 8};
	l.slot = (struct pcie_rate){0, 4};
	pcie_link_check(&l);
	ck_assert_int_eq(l.now.speed_mtps, 0);
	ck_assert_int_eq(l.doubt, REASON_CONTRADICTORY);
}
END_TEST

START_TEST(figures_that_no_link_can_have_void_their_pair)
{
	struct pcie_link l = pcie_link_unknown();

	l.now = (struct pcie_rate){2500, 63};
	l.max = (struct pcie_rate){32000, 255};
	l.slot = (struct pcie_rate){32000, 4};
	pcie_link_check(&l);
	ck_assert_int_eq(l.now.speed_mtps, 0);
	ck_assert_int_eq(l.max.speed_mtps, 0);
	ck_assert_int_eq(l.slot.width_lanes, 4);
	ck_assert_int_eq(l.doubt, REASON_PLACEHOLDER);
}
END_TEST

START_TEST(a_sound_link_passes_unchanged)
{
	struct pcie_link l = pcie_link_unknown();

	l.now = (struct pcie_rate){16000, 2};
	l.max = (struct pcie_rate){16000, 4};
	pcie_link_check(&l);
	ck_assert_int_eq(l.now.speed_mtps, 16000);
	ck_assert_int_eq(l.now.width_lanes, 2);
	ck_assert_int_eq(l.doubt, REASON_NONE);
	ck_assert(pcie_link_known(&l));
}
END_TEST

START_TEST(raw_properties_are_kept_as_given_and_bounded)
{
	struct pcie_link l = pcie_link_unknown();

	ck_assert(!pcie_link_known(&l));
	ck_assert_int_eq(l.changes, -1);
	for (int i = 0; i < PCIE_RAW_MAX + 3; i++)
		pcie_link_add_raw(&l, "NegotiatedSpeedGbs", "31.5 with a value that is much longer than its place");
	ck_assert_uint_eq(l.n_raw, PCIE_RAW_MAX);
	ck_assert_str_eq(l.raw[0].property, "NegotiatedSpeedGbs");
	ck_assert_str_eq(l.raw[0].value, "31.5 with a value that is much"); /* no blank where it was cut */
}
END_TEST

UNIT_MAIN("pcie_link", every_spelling_of_a_speed_is_read,
	every_spelling_of_a_width_is_read_and_placeholders_are_none,
	numbers_become_speeds_within_one_percent, bandwidth_is_rate_times_lanes_after_line_coding,
	generations_and_texts_belong_to_real_speeds_only, a_reading_above_what_an_end_can_do_voids_itself,
	figures_that_no_link_can_have_void_their_pair, a_sound_link_passes_unchanged,
	raw_properties_are_kept_as_given_and_bounded)
