/* SPDX-License-Identifier: MIT */
/* Wear and health: the table of docs/VERDICTS.md with its boundaries. */
#include "model/wear.h"
#include "tests/unit/unit.h"

#include <math.h>

#define U NAN

struct row {
	const char *title;
	double used, spare, threshold;
	int warning;
	enum tri failing;
	enum reason unread;
	bool media_rising;
	enum alert_level alert;
	unsigned reasons;
	enum alert_level health;
};

static const struct row rows[] = {
	{"new", 0, 100, 10, 0, TRI_UNKNOWN, 0, false, ALERT_NONE, 0, ALERT_NONE},
	{"just below the first limit", 79.9, 100, 10, 0, TRI_UNKNOWN, 0, false, ALERT_NONE, 0, ALERT_NONE},
	{"at the first limit", 80, 100, 10, 0, TRI_UNKNOWN, 0, false, ALERT_WARNING, WEAR_ENDURANCE_USED, ALERT_NONE},
	{"just below the second", 99, 100, 10, 0, TRI_UNKNOWN, 0, false, ALERT_WARNING, WEAR_ENDURANCE_USED, ALERT_NONE},
	{"at the second", 100, 100, 10, 0, TRI_UNKNOWN, 0, false, ALERT_CRITICAL, WEAR_ENDURANCE_USED, ALERT_NONE},
	{"200 %", 200, 97, 10, 0, TRI_UNKNOWN, 0, false, ALERT_CRITICAL, WEAR_ENDURANCE_USED, ALERT_NONE},
	{"as far as it counts", 255, 100, 10, 0, TRI_UNKNOWN, 0, false, ALERT_CRITICAL, WEAR_ENDURANCE_USED, ALERT_NONE},
	{"past what it can count", 256, 100, 10, 0, TRI_UNKNOWN, 0, false, ALERT_UNKNOWN, WEAR_SUSPECT, ALERT_UNKNOWN},
	{"negative", -1, 100, 10, 0, TRI_UNKNOWN, 0, false, ALERT_UNKNOWN, WEAR_SUSPECT, ALERT_UNKNOWN},
	{"spare 0, threshold 0", 2, 0, 0, 0, TRI_UNKNOWN, 0, false, ALERT_NONE, 0, ALERT_NONE},
	{"spare below", 41, 9, 10, 0, TRI_UNKNOWN, 0, false, ALERT_CRITICAL, WEAR_SPARE_BELOW_THRESHOLD, ALERT_CRITICAL},
	{"spare at", 41, 10, 10, 0, TRI_UNKNOWN, 0, false, ALERT_NONE, 0, ALERT_NONE},
	{"spare 0 of 1", 41, 0, 1, 0, TRI_UNKNOWN, 0, false, ALERT_CRITICAL, WEAR_SPARE_BELOW_THRESHOLD, ALERT_CRITICAL},
	{"threshold 99", 1, 100, 99, 0, TRI_UNKNOWN, 0, false, ALERT_NONE, 0, ALERT_NONE},
	{"threshold 100, spare 99", 1, 99, 100, 0, TRI_UNKNOWN, 0, false, ALERT_CRITICAL, WEAR_SPARE_BELOW_THRESHOLD, ALERT_CRITICAL},
	{"threshold 101", 1, 50, 101, 0, TRI_UNKNOWN, 0, false, ALERT_UNKNOWN, WEAR_SUSPECT, ALERT_UNKNOWN},
	{"threshold 255 and worn", 103, 255, 255, 4, TRI_UNKNOWN, 0, false, ALERT_UNKNOWN, WEAR_SUSPECT, ALERT_UNKNOWN},
	{"threshold 0, spare 50", 1, 50, 0, 0, TRI_UNKNOWN, 0, false, ALERT_NONE, 0, ALERT_NONE},
	{"bit 0 against the numbers", 1, 100, 10, 1, TRI_UNKNOWN, 0, false, ALERT_NONE, 0, ALERT_WARNING},
	{"bit 0 without numbers", 1, U, U, 1, TRI_UNKNOWN, 0, false, ALERT_CRITICAL, WEAR_SPARE_BELOW_THRESHOLD, ALERT_CRITICAL},
	{"bit 0 without a threshold", 1, 50, 0, 1, TRI_UNKNOWN, 0, false, ALERT_CRITICAL, WEAR_SPARE_BELOW_THRESHOLD, ALERT_CRITICAL},
	{"bit 1", 7, 100, 10, 2, TRI_UNKNOWN, 0, false, ALERT_WARNING, WEAR_TEMPERATURE, ALERT_WARNING},
	{"bit 2, little used", 0, 100, 10, 4, TRI_UNKNOWN, 0, false, ALERT_CRITICAL, WEAR_RELIABILITY_DEGRADED, ALERT_CRITICAL},
	{"bit 2 at 99", 99, 100, 10, 4, TRI_UNKNOWN, 0, false, ALERT_CRITICAL, WEAR_RELIABILITY_DEGRADED | WEAR_ENDURANCE_USED, ALERT_CRITICAL},
	{"bit 2 at 100", 100, 100, 10, 4, TRI_UNKNOWN, 0, false, ALERT_CRITICAL, WEAR_ENDURANCE_USED, ALERT_NONE},
	{"bit 2, wear not known", U, 100, 10, 4, TRI_UNKNOWN, 0, false, ALERT_CRITICAL, WEAR_RELIABILITY_DEGRADED, ALERT_CRITICAL},
	{"bit 3", 5, 100, 10, 8, TRI_UNKNOWN, 0, false, ALERT_CRITICAL, WEAR_READ_ONLY, ALERT_CRITICAL},
	{"bit 3 at 103", 103, 100, 10, 12, TRI_UNKNOWN, 0, false, ALERT_CRITICAL, WEAR_READ_ONLY | WEAR_ENDURANCE_USED, ALERT_CRITICAL},
	{"bit 4", 5, 100, 10, 16, TRI_UNKNOWN, 0, false, ALERT_NONE, 0, ALERT_CRITICAL},
	{"bit 5", 5, 100, 10, 32, TRI_UNKNOWN, 0, false, ALERT_NONE, 0, ALERT_WARNING},
	{"media errors rise", 4, 100, 10, 0, TRI_UNKNOWN, 0, true, ALERT_WARNING, WEAR_MEDIA_ERRORS_RISING, ALERT_WARNING},
	{"failure predicted", 4, U, U, -1, TRI_YES, 0, false, ALERT_CRITICAL, WEAR_FAILURE_PREDICTED, ALERT_CRITICAL},
	{"failure predicted, wear not known", U, U, U, -1, TRI_YES, 0, false, ALERT_CRITICAL, WEAR_FAILURE_PREDICTED, ALERT_CRITICAL},
	{"no failure predicted", 7, U, U, -1, TRI_NO, 0, false, ALERT_NONE, 0, ALERT_NONE},
	{"life only", 7, U, U, -1, TRI_UNKNOWN, 0, false, ALERT_NONE, 0, ALERT_UNKNOWN},
	{"spare only", U, 96, U, -1, TRI_UNKNOWN, 0, false, ALERT_UNKNOWN, WEAR_NOT_REPORTED, ALERT_UNKNOWN},
	{"nothing", U, U, U, -1, TRI_UNKNOWN, 0, false, ALERT_UNKNOWN, WEAR_NOT_REPORTED, ALERT_UNKNOWN},
	{"refused", U, U, U, -1, TRI_UNKNOWN, REASON_PERMISSION_DENIED, false, ALERT_UNKNOWN, WEAR_PERMISSION_DENIED, ALERT_UNKNOWN},
	{"late", U, U, U, -1, TRI_UNKNOWN, REASON_TIMEOUT, false, ALERT_UNKNOWN, WEAR_TIMEOUT, ALERT_UNKNOWN},
	{"not licensed", U, U, U, -1, TRI_UNKNOWN, REASON_NOT_LICENSED, false, ALERT_UNKNOWN, WEAR_NOT_REPORTED, ALERT_UNKNOWN},
	{"read, so the reason does not matter", 11, 100, 10, 0, TRI_UNKNOWN, REASON_TIMEOUT, false, ALERT_NONE, 0, ALERT_NONE},
};

static struct wear wear_of_row(const struct row *r)
{
	struct wear w = wear_unknown();

	w.percent_used = r->used;
	w.available_spare_percent = r->spare;
	w.spare_threshold_percent = r->threshold;
	return w;
}

START_TEST(each_row_of_the_table_gives_its_alert_reasons_and_health)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct row *r = &rows[i];
		struct wear w = wear_of_row(r);
		struct health h = health_unknown();

		h.critical_warning = r->warning;
		h.failure_predicted = r->failing;
		/* twice: assessing again changes nothing */
		wear_assess(&w, &h, NULL, r->unread, r->media_rising);
		wear_assess(&w, &h, NULL, r->unread, r->media_rising);
		ck_assert_msg(w.alert == r->alert, "%s: %s", r->title, alert_level_word(w.alert));
		ck_assert_msg(w.reasons == r->reasons, "%s: reasons %#x", r->title, w.reasons);
		ck_assert_msg(h.status == r->health, "%s: health %s", r->title, health_word(h.status));
		ck_assert_msg(!(w.alert == ALERT_NONE) || w.reasons == 0, "%s: none has no reason", r->title);
		ck_assert_msg(w.alert == ALERT_NONE || w.reasons, "%s: no alarm without its reason", r->title);
	}
}
END_TEST

START_TEST(impossible_values_become_unknown_and_the_page_suspect)
{
	struct wear w = wear_unknown();
	struct health h = health_unknown();

	w.percent_used = 300;
	w.available_spare_percent = 255;
	w.spare_threshold_percent = 255;
	wear_assess(&w, &h, NULL, REASON_NONE, false);
	ck_assert(isnan(w.percent_used) && isnan(w.life_left_percent));
	ck_assert(isnan(w.available_spare_percent) && isnan(w.spare_threshold_percent));
	ck_assert_int_eq(w.quality, WEAR_QUALITY_SUSPECT);

	w = wear_unknown();
	w.percent_used = INFINITY;
	wear_assess(&w, &h, NULL, REASON_NONE, false);
	ck_assert(isnan(w.percent_used));
	ck_assert_int_eq(w.alert, ALERT_UNKNOWN);
}
END_TEST

START_TEST(spare_zero_against_threshold_zero_is_not_known)
{
	struct wear w = wear_unknown();
	struct health h = health_unknown();

	w.percent_used = 2;
	w.available_spare_percent = w.spare_threshold_percent = 0;
	wear_assess(&w, &h, NULL, REASON_NONE, false);
	ck_assert(isnan(w.available_spare_percent) && isnan(w.spare_threshold_percent));
	ck_assert_int_eq(w.quality, WEAR_GOOD);
}
END_TEST

START_TEST(used_and_left_follow_from_each_other)
{
	struct wear w = wear_unknown();
	struct health h = health_unknown();

	wear_set_life_left(&w, 93);
	ck_assert_double_eq(w.percent_used, 7);
	wear_set_used(&w, 103);
	ck_assert_double_eq(w.percent_used, 103);
	ck_assert_double_eq(w.life_left_percent, 0);
	wear_set_life_left(&w, NAN);
	ck_assert(isnan(w.percent_used) && isnan(w.life_left_percent));
	ck_assert_int_eq(w.quality, WEAR_QUALITY_UNKNOWN);
	wear_set_life_left(&w, -229);
	ck_assert(isnan(w.percent_used));
	ck_assert_int_eq(w.quality, WEAR_QUALITY_SUSPECT);
	w = wear_unknown();
	wear_set_life_left(&w, 255);
	ck_assert_int_eq(w.quality, WEAR_QUALITY_SUSPECT);

	w = wear_unknown();
	w.life_left_percent = 12;
	wear_assess(&w, &h, NULL, REASON_NONE, false);
	ck_assert_double_eq(w.percent_used, 88);
	ck_assert_int_eq(w.alert, ALERT_WARNING);
}
END_TEST

START_TEST(what_does_not_wear_has_no_wear_but_may_fail)
{
	struct wear w = wear_unknown();
	struct health h = health_unknown();

	w.applicable = false;
	w.percent_used = 100; /* disks report 0 % life left on some BMCs */
	wear_assess(&w, &h, NULL, REASON_NONE, false);
	ck_assert(isnan(w.percent_used));
	ck_assert_int_eq(w.alert, ALERT_NONE);
	ck_assert_uint_eq(w.reasons, 0);
	ck_assert_int_eq(h.status, ALERT_UNKNOWN);
	h.failure_predicted = TRI_YES;
	wear_assess(&w, &h, NULL, REASON_NONE, false);
	ck_assert_int_eq(w.alert, ALERT_CRITICAL);
	ck_assert_uint_eq(w.reasons, WEAR_FAILURE_PREDICTED);
}
END_TEST

START_TEST(configured_limits_hold_and_nonsense_falls_back)
{
	const struct wear_limits own = {50, 70}, none = {0, NAN};
	struct wear w = wear_unknown();
	struct health h = health_unknown();

	w.percent_used = 60;
	wear_assess(&w, &h, &own, REASON_NONE, false);
	ck_assert_int_eq(w.alert, ALERT_WARNING);
	w.percent_used = 70;
	wear_assess(&w, &h, &own, REASON_NONE, false);
	ck_assert_int_eq(w.alert, ALERT_CRITICAL);
	wear_assess(&w, &h, &none, REASON_NONE, false);
	ck_assert_int_eq(w.alert, ALERT_NONE);
}
END_TEST

START_TEST(words_go_there_and_back)
{
	for (unsigned bit = 1; bit < WEAR_REASONS_END; bit <<= 1)
		ck_assert_uint_eq(wear_reason_of(wear_reason_word(bit)), bit);
	for (int a = ALERT_UNKNOWN; a <= ALERT_CRITICAL; a++) {
		ck_assert_int_eq(alert_level_of(alert_level_word(a)), a);
		ck_assert_int_eq(alert_level_of(health_word(a)), a);
	}
	for (int s = SELF_TEST_NONE; s <= SELF_TEST_RUNNING; s++)
		ck_assert_int_eq(self_test_of(self_test_word(s)), s);
	for (unsigned bit = 1; bit <= CRITICAL_PMR; bit <<= 1)
		ck_assert_ptr_nonnull(critical_warning_word(bit));
	ck_assert_uint_eq(wear_reason_of("tired"), 0);
	ck_assert_uint_eq(wear_reason_of(NULL), 0);
}
END_TEST

UNIT_MAIN("wear", each_row_of_the_table_gives_its_alert_reasons_and_health,
	impossible_values_become_unknown_and_the_page_suspect, spare_zero_against_threshold_zero_is_not_known,
	used_and_left_follow_from_each_other, what_does_not_wear_has_no_wear_but_may_fail,
	configured_limits_hold_and_nonsense_falls_back, words_go_there_and_back)
