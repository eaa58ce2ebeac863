/* SPDX-License-Identifier: MIT */
/* Identity of drives: which serials identify, when two views are one drive; words of a bay. */
#include "model/bay.h"
#include "model/drive.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct drive drive_of(const char *serial, const char *model)
{
	struct drive d = {0};

	str_copy(d.serial, sizeof d.serial, serial);
	str_copy(d.model, sizeof d.model, model);
	return d;
}

START_TEST(fillers_and_words_for_nothing_do_not_identify)
{
	static const char *const none[] = {"", " ", "    ", "0", "00000000", "0000 0000", "0000-0000", "N/A", "n/a", "NA",
		"None", "Unknown", "UNKNOWN  ", "null", "Not Available", "not_available", "To Be Filled By O.E.M.",
		"FFFFFFFFFFFFFFFF", "ffff", "FF", "xxxx", "XX", "....", "--", "?", "????????", "1111", "________"};
	static const char *const some[] = {"S123", "  S123  ", "LWA310000001", "1", "11", "A0", "0001", "FF01", "Unknown1",
		"0000000000000001", "NONE-7"};

	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		ck_assert_msg(!drive_serial_identifies(none[i]), "\"%s\"", none[i]);
	for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
		ck_assert_msg(drive_serial_identifies(some[i]), "\"%s\"", some[i]);
}
END_TEST

START_TEST(models_of_one_drive_may_differ_in_spelling_but_not_contradict)
{
	static const struct {
		const char *a, *b;
		bool same;
	} rows[] = {
		{"Acme Flash G5 3.84TB", "Acme Flash G5 3.84TB", true},
		{"Acme Flash G5 3.84TB", "ACME  flash_G5 3.84TB  ", true},
		{"Acme Flash G5 3.84TB", "", true},
		{"", "", true},
		{"Acme Flash G5 3.84TB", "Flash G5 3.84TB", true},
		{"Acme Flash G5 3.84TB", "Acme Flash G5", true},
		{"ACME FX9000-3T8", "FX9000", true},
		{"ACME FX9000", "FX9000-3T8", true},
		{"Acme Flash G5 3.84TB", "Acme Flash G4 3.84TB", false},
		{"FX9000-3T8", "FX9100-3T8", false},
		{"Acme FX9000", "Bolt FX9000", false},
		{"AFX9000", "FX9000", false}, /* inside a word */
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct drive a = drive_of("S123", rows[i].a), b = drive_of(" s123 ", rows[i].b);

		ck_assert_msg(drive_same(&a, &b) == rows[i].same, "\"%s\" \"%s\"", rows[i].a, rows[i].b);
		ck_assert_msg(drive_same(&b, &a) == rows[i].same, "\"%s\" \"%s\" turned round", rows[i].a, rows[i].b);
	}
}
END_TEST

START_TEST(serials_that_differ_or_identify_nothing_are_never_one_drive)
{
	struct drive a = drive_of("S123", "X"), b = drive_of("S124", "X"), c = drive_of("0000", "X"), d = c;

	ck_assert(!drive_same(&a, &b));
	ck_assert(!drive_same(&c, &d));
	ck_assert(!drive_serial_same(&c, &d));
	b = drive_of(" S123", "Y");
	ck_assert(!drive_same(&a, &b));
	ck_assert(drive_serial_same(&a, &b));
}
END_TEST

START_TEST(the_id_is_the_same_for_every_spelling_and_from_every_source)
{
	struct drive a = drive_of("S123", "Acme X"), b = drive_of("   s123  ", "X"), c = drive_of("S124", "Acme X");

	drive_name(&a, "srv1/1");
	drive_name(&b, "srv2/9");
	drive_name(&c, "srv1/1");
	ck_assert_uint_eq(strlen(a.id), 16);
	ck_assert_uint_eq(strspn(a.id, "0123456789abcdef"), 16);
	ck_assert_str_eq(a.id, b.id);
	ck_assert_str_ne(a.id, c.id);
	/* it is stored: a new way of making it would be a new drive in every history */
	ck_assert_str_eq(a.id, "ba3af9aeaa05c098");
}
END_TEST

START_TEST(a_drive_without_identity_is_named_after_its_place)
{
	struct drive a = drive_of("0000", "X"), b = a, c = drive_of("srv1/1", "X");

	drive_name(&a, "srv1/1");
	drive_name(&b, "srv1/2");
	drive_name(&c, "srv1/7");
	ck_assert_str_ne(a.id, b.id);
	ck_assert_str_ne(a.id, c.id);
	drive_name_place(&c, "srv1/1");
	ck_assert_str_eq(a.id, c.id);
}
END_TEST

START_TEST(sources_are_remembered_once_and_bounded)
{
	struct drive d = {0};
	char name[8];

	drive_add_source(&d, "host");
	drive_add_source(&d, "bmc");
	drive_add_source(&d, "host");
	ck_assert_uint_eq(d.n_sources, 2);
	for (int i = 0; i < 9; i++) {
		snprintf(name, sizeof name, "t%d", i);
		drive_add_source(&d, name);
	}
	ck_assert_uint_eq(d.n_sources, DRIVE_SOURCES_MAX);
	ck_assert_str_eq(d.sources[3], "t1");
}
END_TEST

START_TEST(an_unknown_bay_claims_nothing)
{
	struct bay b = bay_unknown("bmc", "srv1", "7");

	ck_assert_str_eq(b.bay, "7");
	ck_assert_int_eq(b.present, TRI_UNKNOWN);
	ck_assert(!b.has_drive && !pcie_link_known(&b.link));
	ck_assert(isnan(b.temperature_c) && isnan(b.sensors_c[BAY_SENSORS_MAX - 1]));
	ck_assert(isnan(b.wear.percent_used) && isnan(b.wear.forecast.percent_per_year));
	ck_assert_int_eq(b.health.critical_warning, -1);
	ck_assert(!b.health.media_errors.known);
}
END_TEST

START_TEST(words_go_there_and_back)
{
	for (int s = DRIVE_LIVE; s <= DRIVE_RESETTING; s++)
		ck_assert_int_eq(drive_state_of(drive_state_word(s)), s);
	for (int r = ROLE_DATA; r <= ROLE_SPARE; r++)
		ck_assert_int_eq(bay_role_of(bay_role_word(r)), r);
	for (unsigned bit = 1; bit < NOTES_END; bit <<= 1)
		ck_assert_uint_eq(note_of(note_word(bit)), bit);
	ck_assert_uint_eq(note_of(NULL), 0);
	ck_assert_int_eq(bay_role_of("nothing"), ROLE_UNKNOWN);
	ck_assert_int_eq(drive_state_of(""), DRIVE_STATE_UNKNOWN);
}
END_TEST

UNIT_MAIN("drive", fillers_and_words_for_nothing_do_not_identify,
	models_of_one_drive_may_differ_in_spelling_but_not_contradict,
	serials_that_differ_or_identify_nothing_are_never_one_drive,
	the_id_is_the_same_for_every_spelling_and_from_every_source,
	a_drive_without_identity_is_named_after_its_place, sources_are_remembered_once_and_bounded,
	an_unknown_bay_claims_nothing, words_go_there_and_back)
