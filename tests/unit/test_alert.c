/* SPDX-License-Identifier: MIT */
/* What stands and what people are told: one alert for a cause, no flood, nothing raised
 * by what is unknown. */
#include "base/clock.h"
#include "base/str.h"
#include "model/alert.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One machine with some bays, looked at every `step`. */
struct scene {
	struct history h;
	struct alerts alerts;
	struct notices told;
	struct inventory inv;
	struct wear_limits limits;
	const char *store_trouble;
	int64_t wall_ms;
};

static struct bay *add_drive(struct scene *s, const char *bay, const char *serial)
{
	struct bay *b;

	s->inv.bays = realloc(s->inv.bays, (s->inv.n_bays + 1) * sizeof *s->inv.bays);
	b = &s->inv.bays[s->inv.n_bays++];
	*b = bay_unknown("t", "host", bay);
	b->present = TRI_YES;
	b->has_drive = true;
	b->link.now = b->link.max = (struct pcie_rate){32000, 4};
	b->judged.verdict = VERDICT_OK;
	b->wear.percent_used = 1;
	b->wear.available_spare_percent = 100;
	b->wear.spare_threshold_percent = 10;
	b->health.critical_warning = 0;
	b->health.media_errors = count_of(0);
	str_copy(b->drive.serial, sizeof b->drive.serial, serial);
	return b;
}

static void scene_init(struct scene *s)
{
	*s = (struct scene){.limits = {80, 100}, .wall_ms = INT64_C(1772445600000)};
	history_init(&s->h);
	alerts_init(&s->alerts);
	s->inv.targets = calloc(1, sizeof *s->inv.targets);
	s->inv.n_targets = 1;
	s->inv.targets[0] = (struct target){.name = "t",
		.host = "host",
		.kind = TARGET_NVME,
		.verdict = TARGET_OK,
		.power = TRI_YES};
	add_drive(s, "1", "SN-A");
}

static void scene_release(struct scene *s)
{
	history_release(&s->h);
	alerts_release(&s->alerts);
	notices_release(&s->told);
	free(s->inv.targets);
	free(s->inv.bays);
}

static void look(struct scene *s, int passed_s)
{
	const struct alert_round round = {&s->h, &s->limits, &s->inv, s->store_trouble};
	struct events ev = {0};

	s->wall_ms += passed_s * INT64_C(1000);
	history_tick(&s->h, s->wall_ms, passed_s * INT64_C(1000));
	change_reconcile(&s->h, &s->limits, &s->inv, &ev);
	events_release(&ev);
	notices_release(&s->told);
	for (size_t i = 0; i < s->inv.n_bays; i++)
		if (!s->inv.bays[i].stale)
			wear_assess(&s->inv.bays[i].wear, &s->inv.bays[i].health,
				&s->limits, REASON_NONE,
				s->inv.bays[i].media_errors_rising);
	alerts_evaluate(&s->alerts, &round, &s->told);
}

/* "kind state severity", of the n-th alert; "" where there is none. */
static const char *nth(const struct scene *s, size_t n, char *out, size_t size)
{
	const struct alert *a = &s->alerts.items[n];

	out[0] = '\0';
	if (n < s->alerts.n)
		snprintf(out, size, "%s %s %s", alert_kind_word(a->kind),
			alert_state_word(a->state), severity_word(a->severity));
	return out;
}

#define ck_alert(s, n, text)                                                             \
	do {                                                                             \
		char got[80];                                                            \
		ck_assert_str_eq(nth(s, n, got, sizeof got), text);                      \
	} while (0)

/* What is wrong with the drive of bay 1, and which alert that is at once. */
static void wear_80(struct bay *b)
{
	b->wear.percent_used = 80;
}
static void wear_79(struct bay *b)
{
	b->wear.percent_used = 79;
}
static void wear_130(struct bay *b)
{
	b->wear.percent_used = 130;
}
static void wear_103_bit_2(struct bay *b)
{
	b->wear.percent_used = 103, b->health.critical_warning = CRITICAL_RELIABILITY;
}
static void bit_2(struct bay *b)
{
	b->health.critical_warning = CRITICAL_RELIABILITY;
}
static void read_only(struct bay *b)
{
	b->health.critical_warning = CRITICAL_READ_ONLY;
}
static void spare_9(struct bay *b)
{
	b->wear.available_spare_percent = 9;
}
static void spare_10(struct bay *b)
{
	b->wear.available_spare_percent = 10;
}
static void spare_0_of_0(struct bay *b)
{
	b->wear.available_spare_percent = b->wear.spare_threshold_percent = 0;
}
static void unread(struct bay *b)
{
	b->wear = wear_unknown(), b->health = health_unknown();
}
static void predicted(struct bay *b)
{
	b->health.failure_predicted = TRI_YES;
}
static void dead(struct bay *b)
{
	b->drive.state = DRIVE_DEAD;
}
static void power_saving(struct bay *b)
{
	b->judged.verdict = VERDICT_POWER_SAVING;
}
static void drive_limited(struct bay *b)
{
	b->judged.verdict = VERDICT_DRIVE_LIMITED;
}
static void not_known(struct bay *b)
{
	b->judged.verdict = VERDICT_UNKNOWN;
}

START_TEST(what_a_drive_says_of_itself_is_told_at_once)
{
	static const struct {
		const char *title;
		void (*wrong)(struct bay *b);
		const char *alert;
	} rows[] = {
		{"79 % used", wear_79, ""},
		{"80 % used", wear_80, "wear firing warning"},
		{"130 % used", wear_130, "wear firing critical"},
		{"103 % used, bit 2 adds nothing", wear_103_bit_2,
			"wear firing critical"},
		{"bit 2 alone", bit_2, "health firing critical"},
		{"read-only", read_only, "health firing critical"},
		{"failure predicted", predicted, "health firing critical"},
		{"spare below threshold", spare_9, "spare firing critical"},
		{"spare at threshold", spare_10, ""},
		{"spare not reported", spare_0_of_0, ""},
		{"nothing could be read", unread, ""},
		{"dead", dead, "drive-dead firing critical"},
		{"saving power", power_saving, ""},
		{"drive-limited", drive_limited, ""},
		{"link not known", not_known, ""},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct scene s;
		char got[80];

		scene_init(&s);
		look(&s, 0);
		rows[i].wrong(&s.inv.bays[0]);
		look(&s, 60);
		nth(&s, 0, got, sizeof got);
		ck_assert_msg(
			strcmp(got, rows[i].alert) == 0, "%s: %s", rows[i].title, got);
		ck_assert_uint_le(s.alerts.n, 1);
		ck_assert_uint_eq(s.told.n, s.alerts.n);
		look(&s, 60);
		ck_assert_msg(s.told.n == 0, "%s: told twice", rows[i].title);
		scene_release(&s);
	}
}
END_TEST

START_TEST(a_degraded_link_is_told_when_it_has_lasted_and_again_when_it_is_over)
{
	struct scene s;

	scene_init(&s);
	look(&s, 0);
	s.inv.bays[0].judged.verdict = VERDICT_DEGRADED_WIDTH;
	look(&s, 60);
	ck_alert(&s, 0, "link pending critical");
	ck_assert_uint_eq(s.told.n, 0);
	look(&s, 60);
	ck_alert(&s, 0, "link pending critical");
	look(&s, 60);
	ck_alert(&s, 0, "link firing critical");
	ck_assert_uint_eq(s.told.n, 1);
	ck_assert_str_eq(s.told.items[0].serial, "SN-A");
	s.inv.bays[0].judged.verdict = VERDICT_OK;
	look(&s, 60);
	ck_alert(&s, 0, "link firing critical");
	look(&s, 120);
	ck_alert(&s, 0, "link resolved critical");
	ck_assert_uint_eq(s.told.n, 1);
	ck_assert_int_eq(s.told.items[0].state, ALERT_RESOLVED);
	look(&s, 60);
	ck_assert_uint_eq(s.alerts.n, 0);
	scene_release(&s);
}
END_TEST

START_TEST(what_passes_before_it_was_told_leaves_without_a_word)
{
	struct scene s;

	scene_init(&s);
	look(&s, 0);
	s.inv.bays[0].judged.verdict = VERDICT_DEGRADED_SPEED;
	look(&s, 60);
	s.inv.bays[0].judged.verdict = VERDICT_OK;
	look(&s, 60);
	ck_assert_uint_eq(s.alerts.n, 0);
	ck_assert_uint_eq(s.told.n, 0);
	scene_release(&s);
}
END_TEST

START_TEST(what_cannot_be_read_neither_raises_nor_resolves)
{
	struct scene s;

	scene_init(&s);
	s.inv.bays[0].wear.percent_used = 85;
	look(&s, 0);
	ck_alert(&s, 0, "wear firing warning");
	unread(&s.inv.bays[0]);
	look(&s, 3600);
	ck_alert(&s, 0, "wear firing warning");
	s.inv.targets[0].verdict = TARGET_UNREACHABLE;
	s.inv.bays[0].stale = true;
	look(&s, 3600);
	ck_alert(&s, 0, "wear firing warning");
	s.inv.targets[0].verdict = TARGET_OK;
	s.inv.bays[0].stale = false;
	s.inv.bays[0].wear.percent_used = 1;
	look(&s, 60);
	ck_alert(&s, 0, "wear resolved warning");
	scene_release(&s);
}
END_TEST

START_TEST(a_warning_that_becomes_critical_is_told_again)
{
	struct scene s;

	scene_init(&s);
	s.inv.bays[0].wear.percent_used = 99;
	look(&s, 0);
	s.inv.bays[0].wear.percent_used = 100;
	look(&s, 60);
	ck_alert(&s, 0, "wear firing critical");
	ck_assert_uint_eq(s.told.n, 1);
	ck_assert_uint_eq(s.alerts.n, 1);
	scene_release(&s);
}
END_TEST

START_TEST(a_machine_that_does_not_answer_is_one_alert_after_five_minutes)
{
	struct scene s;

	scene_init(&s);
	for (int i = 2; i < 26; i++) {
		char bay[8], serial[16];

		snprintf(bay, sizeof bay, "%d", i);
		snprintf(serial, sizeof serial, "SN-%d", i);
		add_drive(&s, bay, serial);
	}
	look(&s, 0);
	s.inv.targets[0].verdict = TARGET_UNREACHABLE;
	for (size_t i = 0; i < s.inv.n_bays; i++) {
		s.inv.bays[i].stale = true;
		s.inv.bays[i].judged.verdict = VERDICT_UNREACHABLE;
	}
	look(&s, 60);
	ck_alert(&s, 0, "unreachable pending warning");
	look(&s, 240);
	ck_alert(&s, 0, "unreachable pending warning");
	look(&s, 60);
	ck_alert(&s, 0, "unreachable firing warning");
	ck_assert_uint_eq(s.alerts.n, 1);
	ck_assert_uint_eq(s.told.n, 1);
	ck_assert_str_eq(s.told.items[0].bay, "");
	s.inv.targets[0].verdict = TARGET_OK;
	for (size_t i = 0; i < s.inv.n_bays; i++) {
		s.inv.bays[i].stale = false;
		s.inv.bays[i].judged.verdict = VERDICT_OK;
	}
	look(&s, 60);
	ck_alert(&s, 0, "unreachable resolved warning");
	scene_release(&s);
}
END_TEST

START_TEST(a_bay_that_must_be_filled_or_just_was_is_missed)
{
	struct scene s;

	scene_init(&s);
	add_drive(&s, "2", "SN-B");
	look(&s, 0);
	for (int i = 0; i < 2; i++) {
		s.inv.bays[i] = bay_unknown("t", "host", i ? "2" : "1");
		s.inv.bays[i].present = TRI_NO;
		s.inv.bays[i].judged.verdict = VERDICT_ABSENT;
	}
	s.inv.bays[1].require_present = true;
	add_drive(&s, "3", "SN-C");
	s.inv.bays[2].has_drive = false;
	s.inv.bays[2].present = TRI_NO; /* always was empty */
	s.inv.bays[2].judged.verdict = VERDICT_ABSENT;
	look(&s, 60);
	look(&s, 120);
	ck_assert_uint_eq(s.alerts.n, 2);
	ck_alert(&s, 0, "absent firing warning");
	ck_alert(&s, 1, "absent firing critical");
	scene_release(&s);
}
END_TEST

START_TEST(a_link_that_flaps_is_told_once_and_once_when_it_is_quiet)
{
	struct scene s;
	size_t told = 0;

	scene_init(&s);
	for (int i = 0; i < 20; i++) {
		bool slow = i > 2 && i < 13 && i % 2;

		s.inv.bays[0].link.now.speed_mtps = slow ? 16000 : 32000;
		s.inv.bays[0].judged.verdict = slow ? VERDICT_DEGRADED_SPEED : VERDICT_OK;
		look(&s, 300);
		told += s.told.n;
		if (told == 1 && s.told.n)
			ck_assert(str_has_nocase(s.told.items[0].message, "flapping"));
	}
	ck_assert_uint_eq(told, 2);
	ck_assert_uint_eq(s.alerts.n, 0);
	scene_release(&s);
}
END_TEST

START_TEST(many_of_one_machine_at_once_are_told_as_one)
{
	struct scene s;

	scene_init(&s);
	for (int i = 2; i < 25; i++) {
		char bay[8], serial[16];

		snprintf(bay, sizeof bay, "%d", i);
		snprintf(serial, sizeof serial, "SN-%d", i);
		add_drive(&s, bay, serial);
	}
	for (size_t i = 0; i < s.inv.n_bays; i++)
		s.inv.bays[i].wear.percent_used = 101;
	look(&s, 0);
	ck_assert_uint_eq(s.alerts.n, 24);
	ck_assert_uint_eq(s.told.n, 1);
	ck_assert_uint_eq(s.told.items[0].n_members, 24);
	ck_assert_str_eq(s.told.items[0].bay, "");
	ck_assert_str_eq(s.told.items[0].members[23].serial, "SN-24");
	scene_release(&s);
}
END_TEST

START_TEST(up_to_three_are_told_one_by_one)
{
	struct scene s;

	scene_init(&s);
	add_drive(&s, "2", "SN-B")->wear.percent_used = 101;
	add_drive(&s, "3", "SN-C")->wear.percent_used = 101;
	look(&s, 0);
	ck_assert_uint_eq(s.told.n, 2);
	ck_assert_str_ne(s.told.items[0].id, s.told.items[1].id);
	scene_release(&s);
}
END_TEST

START_TEST(a_silenced_alert_stands_but_tells_nobody)
{
	struct scene s;

	scene_init(&s);
	s.inv.bays[0].wear.percent_used = 90;
	look(&s, 0);
	s.alerts.items[0].silenced_until_wall_ms = s.wall_ms + 3600 * 1000;
	s.inv.bays[0].wear.percent_used = 120;
	look(&s, 60);
	ck_alert(&s, 0, "wear firing critical");
	ck_assert_uint_eq(s.told.n, 0);
	scene_release(&s);
}
END_TEST

START_TEST(a_store_that_cannot_write_is_one_alert_until_it_can)
{
	struct scene s;

	scene_init(&s);
	look(&s, 0);
	s.store_trouble = "the disk is full";
	look(&s, 60);
	ck_alert(&s, 0, "store-full firing critical");
	ck_assert_uint_eq(s.told.n, 1);
	look(&s, 60);
	ck_assert_uint_eq(s.told.n, 0);
	s.store_trouble = NULL;
	look(&s, 60);
	ck_alert(&s, 0, "store-full resolved critical");
	ck_assert_uint_eq(s.told.n, 1);
	scene_release(&s);
}
END_TEST

START_TEST(the_exit_status_goes_by_what_fires)
{
	struct alerts a;

	alerts_init(&a);
	ck_assert_int_eq(alerts_status(&a), 0);
	alerts_add(&a)->state = ALERT_PENDING;
	a.items[0].severity = SEVERITY_CRITICAL;
	ck_assert_int_eq(alerts_status(&a), 0);
	alerts_add(&a)->state = ALERT_FIRING;
	a.items[1].severity = SEVERITY_WARNING;
	ck_assert_int_eq(alerts_status(&a), 1);
	a.items[0].state = ALERT_FIRING;
	ck_assert_int_eq(alerts_status(&a), 2);
	alerts_release(&a);
}
END_TEST

UNIT_MAIN("alert", what_a_drive_says_of_itself_is_told_at_once,
	a_degraded_link_is_told_when_it_has_lasted_and_again_when_it_is_over,
	what_passes_before_it_was_told_leaves_without_a_word,
	what_cannot_be_read_neither_raises_nor_resolves,
	a_warning_that_becomes_critical_is_told_again,
	a_machine_that_does_not_answer_is_one_alert_after_five_minutes,
	a_bay_that_must_be_filled_or_just_was_is_missed,
	a_link_that_flaps_is_told_once_and_once_when_it_is_quiet,
	many_of_one_machine_at_once_are_told_as_one, up_to_three_are_told_one_by_one,
	a_silenced_alert_stands_but_tells_nobody,
	a_store_that_cannot_write_is_one_alert_until_it_can,
	the_exit_status_goes_by_what_fires)
