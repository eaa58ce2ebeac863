/* SPDX-License-Identifier: MIT */
/* What stands and what people are told: one alert for a cause, no flood, nothing raised
 * by what is unknown. */
#include "base/clock.h"
#include "base/str.h"
#include "model/alert.h"
#include "model/outlier.h"
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
	const struct rules *rules;
	const struct silences *silences;
	int64_t group_wait_ms;
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
	const struct alert_round round = {.history = &s->h,
		.limits = &s->limits,
		.inventory = &s->inv,
		.store_trouble = s->store_trouble,
		.rules = s->rules,
		.silences = s->silences,
		.group_wait_ms = s->group_wait_ms};
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
	notices_group(&s->told);
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

START_TEST(a_silenced_alert_stands_but_tells_nobody_until_the_silence_is_over)
{
	struct silence hour = {.bays = "1", .kinds = "wear,spare", .from_wall_ms = CLOCK_NEVER};
	struct silences one = {1, &hour};
	struct scene s;

	scene_init(&s);
	hour.until_wall_ms = s.wall_ms + 3600 * 1000;
	s.silences = &one;
	s.inv.bays[0].wear.percent_used = 90;
	look(&s, 0);
	s.inv.bays[0].wear.percent_used = 120;
	look(&s, 60);
	ck_alert(&s, 0, "wear firing critical");
	ck_assert_uint_eq(s.told.n, 0);
	ck_assert_int_eq(s.alerts.items[0].silenced_until_wall_ms, hour.until_wall_ms);
	look(&s, 3600);
	ck_assert_uint_eq(s.told.n, 1);
	ck_assert_int_eq(s.told.items[0].severity, SEVERITY_CRITICAL);
	ck_assert_int_eq(s.alerts.items[0].silenced_until_wall_ms, CLOCK_NEVER);
	scene_release(&s);
}
END_TEST

START_TEST(what_begins_and_ends_in_silence_is_never_told_and_what_was_told_is_told_to_be_over)
{
	struct silence hour = {.hosts = "host", .from_wall_ms = CLOCK_NEVER};
	struct silences one = {1, &hour};
	struct scene s;

	scene_init(&s);
	s.inv.bays[0].wear.percent_used = 90;
	look(&s, 0);
	ck_assert_uint_eq(s.told.n, 1);
	hour.until_wall_ms = s.wall_ms + 3600 * 1000;
	s.silences = &one;
	s.inv.bays[0].wear.available_spare_percent = 5;
	look(&s, 60);
	ck_assert_uint_eq(s.told.n, 0);
	s.inv.bays[0].wear.available_spare_percent = 100;
	s.inv.bays[0].wear.percent_used = 10;
	look(&s, 60);
	ck_assert_uint_eq(s.told.n, 1);
	ck_assert_int_eq(s.told.items[0].kind, ALERT_WEAR);
	ck_assert_int_eq(s.told.items[0].state, ALERT_RESOLVED);
	look(&s, 3600);
	ck_assert_uint_eq(s.told.n, 0);
	scene_release(&s);
}
END_TEST

START_TEST(a_silence_covers_what_all_of_its_patterns_fit)
{
	static const struct {
		struct silence silence;
		bool covers;
	} table[] = {
		{{.kinds = ""}, true},
		{{.kinds = "wear"}, true},
		{{.kinds = "link,wear"}, true},
		{{.kinds = "link"}, false},
		{{.hosts = "h*", .bays = "1"}, true},
		{{.hosts = "h*", .bays = "2"}, false},
		{{.serials = "SN-A"}, true},
		{{.serials = "SN-B"}, false},
		{{.targets = "t"}, true},
		{{.targets = "u"}, false},
	};
	struct alert a = {.kind = ALERT_WEAR, .target = "t", .host = "host", .bay = "1", .serial = "SN-A"};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		ck_assert_msg(silence_covers(&table[i].silence, &a) == table[i].covers, "row %zu", i);
}
END_TEST

START_TEST(a_weekly_window_runs_on_its_days_over_midnight_and_within_its_dates)
{
	const struct silence sat = {.days = 1u << 5, .begin_ms = 23 * 3600 * 1000, .length_ms = 4 * 3600 * 1000,
		.from_wall_ms = CLOCK_NEVER, .until_wall_ms = CLOCK_NEVER};
	struct silence bounded = sat;
	static const struct {
		const char *at;
		bool runs;
	} table[] = {
		{"2026-11-28T22:59:59Z", false}, /* a Saturday */
		{"2026-11-28T23:00:00Z", true},
		{"2026-11-29T02:59:59Z", true},
		{"2026-11-29T03:00:00Z", false},
		{"2026-11-29T23:30:00Z", false},
		{"2026-11-27T23:30:00Z", false},
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		ck_assert_msg(silence_runs(&sat, clock_parse(table[i].at)) == table[i].runs, "%s", table[i].at);
	ck_assert_int_eq(silence_end(&sat, clock_parse("2026-11-29T01:00:00Z")), clock_parse("2026-11-29T03:00:00Z"));
	bounded.until_wall_ms = clock_parse("2026-11-29T02:00:00Z");
	ck_assert_int_eq(silence_end(&bounded, clock_parse("2026-11-29T01:00:00Z")), bounded.until_wall_ms);
	ck_assert(!silence_runs(&bounded, clock_parse("2026-11-29T02:30:00Z")));
}
END_TEST

/* ---- the operator's rules ---- */

START_TEST(a_condition_is_an_alert_when_it_has_held_for_its_time_and_over_when_it_does_not)
{
	struct rules rules = {0};
	struct rule *hot = rules_add(&rules, "hot");
	struct err e;
	struct scene s;

	ck_assert_int_eq(rule_parse_condition(hot, "temperature_celsius > 70 for 10m", &e), 0);
	patterns_add_list(&hot->scope.bays, "0-3");
	scene_init(&s);
	s.rules = &rules;
	s.inv.bays[0].temperature_c = 74;
	look(&s, 0);
	ck_alert(&s, 0, "rule pending warning");
	look(&s, 540);
	ck_assert_uint_eq(s.told.n, 0);
	look(&s, 60);
	ck_alert(&s, 0, "rule firing warning");
	ck_assert_uint_eq(s.told.n, 1);
	ck_assert_str_eq(s.told.items[0].rule, "hot");
	ck_assert_ptr_nonnull(strstr(s.told.items[0].message, "temperature_celsius is 74, above 70"));
	s.inv.bays[0].temperature_c = NAN; /* not known is not over */
	look(&s, 600);
	ck_alert(&s, 0, "rule firing warning");
	s.inv.bays[0].temperature_c = 70;
	look(&s, 60);
	ck_alert(&s, 0, "rule resolved warning");
	ck_assert_uint_eq(s.told.n, 1);
	rules_release(&rules);
	scene_release(&s);
}
END_TEST

START_TEST(a_condition_that_cannot_be_right_is_refused)
{
	static const struct {
		const char *text, *why;
	} table[] = {
		{"temperature_celsius > 70 for 10m", NULL},
		{"available_spare_percent < spare_threshold_percent", NULL},
		{"media_errors > 0", NULL},
		{"percent_used >= 255", NULL},
		{"", "is empty"},
		{"temperatur_celsius > 70", "did you mean temperature_celsius?"},
		{"temperature_celsius above 70", "> >= < <= == !="},
		{"temperature_celsius >", "the value is missing"},
		{"temperature_celsius > warm", "neither a number nor a metric"},
		{"temperature_celsius > 70 10m", "too much"},
		{"temperature_celsius > 70 for", "a time"},
		{"temperature_celsius > 70 for ever", "a time"},
		{"temperature_celsius > 70 for 10m now", "too much"},
		{"percent_used > 255", "always holds, or never"},
		{"available_spare_percent < 0", "always holds, or never"},
		{"media_errors >= 0", "always holds, or never"},
		{"percent_used > percent_used", "with itself"},
		{"percent_used > nan", "neither a number nor a metric"},
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct rules rules = {0};
		struct err e = {""};
		int rc = rule_parse_condition(rules_add(&rules, "x"), table[i].text, &e);

		ck_assert_msg((rc == 0) == !table[i].why, "'%s': %s", table[i].text, e.text);
		ck_assert_msg(!table[i].why || strstr(e.text, table[i].why), "'%s': %s", table[i].text, e.text);
		rules_release(&rules);
	}
}
END_TEST

START_TEST(a_kind_gets_the_severity_that_the_operator_gave_it_or_is_not_told_at_all)
{
	struct rules rules = {0};
	struct rule *r = rules_add(&rules, "lab");
	struct scene s;

	r->type = RULE_SEVERITY;
	patterns_add(&r->kinds, "spare");
	scene_init(&s);
	s.rules = &rules;
	s.inv.bays[0].wear.available_spare_percent = 5;
	look(&s, 0);
	ck_alert(&s, 0, "spare firing warning");
	r->severity = SEVERITY_UNKNOWN;
	look(&s, 60);
	ck_alert(&s, 0, "spare resolved warning");
	rules_release(&rules);
	scene_release(&s);
}
END_TEST

START_TEST(what_fires_waits_for_others_of_its_group_and_goes_with_them)
{
	struct scene s;

	scene_init(&s);
	s.group_wait_ms = 30000;
	s.inv.bays[0].wear.percent_used = 90;
	add_drive(&s, "2", "SN-B");
	look(&s, 0);
	ck_assert_uint_eq(s.told.n, 0);
	s.inv.bays[1].wear.percent_used = 90;
	look(&s, 20);
	ck_assert_uint_eq(s.told.n, 0);
	look(&s, 10);
	ck_assert_uint_eq(s.told.n, 2);
	scene_release(&s);
}
END_TEST

START_TEST(a_drive_that_will_be_worn_out_soon_is_told_when_that_has_stood_for_a_day)
{
	struct scene s;

	scene_init(&s);
	s.inv.bays[0].wear.percent_used = 70;
	s.inv.bays[0].wear.forecast = (struct forecast){.known = true, .percent_per_year = 200, .days_to_100 = 54,
		.exhausted_on_wall_ms = s.wall_ms, .earliest_wall_ms = s.wall_ms, .latest_wall_ms = CLOCK_NEVER};
	look(&s, 0);
	ck_alert(&s, 0, "forecast pending warning");
	look(&s, 24 * 3600);
	ck_alert(&s, 0, "forecast firing warning");
	ck_assert_uint_eq(s.told.n, 1);
	s.inv.bays[0].wear.forecast.known = false;
	look(&s, 48 * 3600);
	ck_alert(&s, 0, "forecast firing warning");
	s.inv.bays[0].wear.forecast.known = true;
	s.inv.bays[0].wear.forecast.days_to_100 = 300;
	look(&s, 60);
	look(&s, 24 * 3600);
	ck_alert(&s, 0, "forecast resolved warning");
	scene_release(&s);
}
END_TEST

START_TEST(a_switch_that_takes_its_drives_along_is_one_alert_and_over_when_they_are_back)
{
	static char names[3][64] = {"1", "2", "3"};
	struct hop hop = {.target = "t", .host = "host", .at = "0000:40:01.1", .verdict = VERDICT_OK, .n_shared = 3, .shared_by = names};
	struct scene s;

	scene_init(&s);
	add_drive(&s, "2", "SN-B");
	add_drive(&s, "3", "SN-C");
	add_drive(&s, "4", "SN-D");
	s.inv.hops = &hop;
	s.inv.n_hops = 1;
	look(&s, 0);
	s.inv.n_hops = 0; /* nothing is behind it any more */
	for (size_t i = 0; i < 3; i++) {
		s.inv.bays[i].has_drive = false;
		s.inv.bays[i].present = TRI_NO;
		s.inv.bays[i].judged.verdict = VERDICT_ABSENT;
	}
	look(&s, 60);
	look(&s, 300);
	ck_assert_uint_eq(s.alerts.n, 1);
	ck_alert(&s, 0, "link firing critical");
	ck_assert_str_eq(s.alerts.items[0].bay, "0000:40:01.1");
	ck_assert_ptr_nonnull(strstr(s.alerts.items[0].message, "all 3 drives behind it"));
	ck_assert_uint_eq(s.told.n, 1);
	s.inv.n_hops = 1;
	for (size_t i = 0; i < 3; i++) {
		s.inv.bays[i].has_drive = true;
		s.inv.bays[i].present = TRI_YES;
		s.inv.bays[i].judged.verdict = VERDICT_OK;
	}
	look(&s, 60);
	look(&s, 300);
	ck_alert(&s, 0, "link resolved critical");
	ck_assert_uint_eq(s.alerts.n, 1);
	s.inv.hops = NULL;
	s.inv.n_hops = 0;
	scene_release(&s);
}
END_TEST

START_TEST(one_drive_of_a_switch_that_is_pulled_is_that_drive)
{
	static char names[2][64] = {"1", "2"};
	struct hop hop = {.target = "t", .host = "host", .at = "0000:40:01.1", .verdict = VERDICT_OK, .n_shared = 2, .shared_by = names};
	struct scene s;

	scene_init(&s);
	add_drive(&s, "2", "SN-B");
	s.inv.hops = &hop;
	s.inv.n_hops = 1;
	look(&s, 0);
	s.inv.n_hops = 0;
	s.inv.bays[1].has_drive = false;
	s.inv.bays[1].present = TRI_NO;
	s.inv.bays[1].judged.verdict = VERDICT_ABSENT;
	look(&s, 60);
	look(&s, 300);
	ck_assert_uint_eq(s.alerts.n, 1);
	ck_alert(&s, 0, "absent firing warning");
	s.inv.hops = NULL;
	scene_release(&s);
}
END_TEST

START_TEST(a_drive_out_of_line_is_told_when_that_has_lasted_for_hours)
{
	struct scene s;

	scene_init(&s);
	s.inv.bays[0].outlier = OUTLIER_TEMPERATURE | OUTLIER_BUSY;
	look(&s, 0);
	ck_alert(&s, 0, "outlier pending warning");
	look(&s, 6 * 3600);
	ck_alert(&s, 0, "outlier firing warning");
	s.inv.bays[0].outlier = OUTLIER_BUSY;
	look(&s, 60);
	look(&s, 3600);
	ck_alert(&s, 0, "outlier resolved warning");
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
	a_silenced_alert_stands_but_tells_nobody_until_the_silence_is_over,
	what_begins_and_ends_in_silence_is_never_told_and_what_was_told_is_told_to_be_over,
	a_drive_that_will_be_worn_out_soon_is_told_when_that_has_stood_for_a_day,
	a_switch_that_takes_its_drives_along_is_one_alert_and_over_when_they_are_back,
	one_drive_of_a_switch_that_is_pulled_is_that_drive,
	a_drive_out_of_line_is_told_when_that_has_lasted_for_hours,
	a_silence_covers_what_all_of_its_patterns_fit,
	a_weekly_window_runs_on_its_days_over_midnight_and_within_its_dates,
	a_condition_is_an_alert_when_it_has_held_for_its_time_and_over_when_it_does_not,
	a_condition_that_cannot_be_right_is_refused,
	a_kind_gets_the_severity_that_the_operator_gave_it_or_is_not_told_at_all,
	what_fires_waits_for_others_of_its_group_and_goes_with_them,
	a_store_that_cannot_write_is_one_alert_until_it_can,
	the_exit_status_goes_by_what_fires)
