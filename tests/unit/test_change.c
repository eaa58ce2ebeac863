/* SPDX-License-Identifier: MIT */
/*
 * What happened between polls.  A poll is written as a line: "1=A 2=B@16 3=_" says that
 * bay 1 holds the drive with serial SN-A at 32 GT/s, bay 2 drive B at 16 GT/s, and that
 * bay 3 was listed empty.  A "-" is a serial that could not be read, "none" an empty
 * list; #N are bytes written, %F is a firmware, *N are media errors.  The words "down",
 * "off" and "part" say that the source did not answer, that its host is off, and that its
 * list came in part.  Polls are five minutes apart.
 */
#include "base/str.h"
#include "model/change.h"
#include "model/localise.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

struct play {
	struct history h;
	struct inventory last;
	struct events ev;
	int64_t wall_ms;
	enum target_kind kind;
};

static void play_init(struct play *p)
{
	*p = (struct play){.wall_ms = INT64_C(1772445600000), .kind = TARGET_REDFISH};
	history_init(&p->h);
}

static void play_release(struct play *p)
{
	history_release(&p->h);
	events_release(&p->ev);
	free(p->last.targets);
	free(p->last.bays);
}

static struct bay *add_bay(struct inventory *inv, const char *name)
{
	inv->bays = realloc(inv->bays, (inv->n_bays + 1) * sizeof *inv->bays);
	inv->bays[inv->n_bays] = bay_unknown("t", "host", name);
	return &inv->bays[inv->n_bays++];
}

static void read_option(struct bay *b, char which, const char *text)
{
	switch (which) {
	case '@':
		b->link.now.speed_mtps = (int)strtol(text, NULL, 10) * 1000;
		b->judged.verdict = b->link.now.speed_mtps == 32000
					    ? VERDICT_OK
					    : VERDICT_DEGRADED_SPEED;
		break;
	case '#':
		b->wear.bytes_written = count_parse(text);
		break;
	case '%':
		str_copy(b->drive.firmware, sizeof b->drive.firmware, text);
		break;
	case '*':
		b->health.media_errors = count_parse(text);
		break;
	default:
		ck_abort_msg("option %c", which);
	}
}

/* "1=A@16#100" */
static void read_bay(struct inventory *inv, char *word)
{
	char *value = strchr(word, '='), *next;
	struct bay *b;
	size_t len;

	ck_assert_ptr_nonnull(value);
	*value++ = '\0';
	b = add_bay(inv, word);
	b->present = *value == '_' ? TRI_NO : TRI_YES;
	b->judged.verdict = *value == '_' ? VERDICT_ABSENT : VERDICT_OK;
	if (*value == '_')
		return;
	b->has_drive = true;
	b->link.now = b->link.max = (struct pcie_rate){32000, 4};
	str_copy(b->drive.model, sizeof b->drive.model, "Acme");
	drive_add_source(&b->drive, "t");
	len = strcspn(value, "@#%*");
	if (*value != '-')
		snprintf(b->drive.serial, sizeof b->drive.serial, "%s%.*s",
			*value == '0' ? "" : "SN-", (int)len, value);
	for (value += len; *value; value = next) {
		char which = *value++, text[32];

		len = strcspn(value, "@#%*");
		snprintf(text, sizeof text, "%.*s", (int)len, value);
		next = value + len;
		read_option(b, which, text);
	}
}

static void mark_duplicates(struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_bays; i++)
		for (size_t k = 0; k < inv->n_bays; k++)
			if (i != k && drive_serial_same(
					      &inv->bays[i].drive, &inv->bays[k].drive))
				inv->bays[i].notes |= NOTE_DUPLICATE_SERIAL;
}

static struct inventory read_poll(const struct play *p, const char *line)
{
	struct inventory inv = {.collected_wall_ms = p->wall_ms, .n_targets = 1};
	char text[512], *save = NULL;

	inv.targets = calloc(1, sizeof *inv.targets);
	inv.targets[0] = (struct target){.name = "t",
		.host = "host",
		.kind = p->kind,
		.verdict = TARGET_OK,
		.power = TRI_YES};
	str_copy(text, sizeof text, line);
	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		if (strcmp(w, "down") == 0)
			inv.targets[0].verdict = TARGET_UNREACHABLE;
		else if (strcmp(w, "off") == 0)
			inv.targets[0].power = TRI_NO;
		else if (strcmp(w, "part") == 0)
			inv.targets[0].partial = true;
		else if (strcmp(w, "none") != 0)
			read_bay(&inv, w);
	}
	mark_duplicates(&inv);
	return inv;
}

/* One poll, `passed_s` after the one before; the events of earlier polls are forgotten.
 */
static void poll_after(struct play *p, const char *line, int passed_s)
{
	struct bay_pack last = {0};
	struct inventory now;

	for (size_t i = 0; i < p->last.n_bays; i++)
		bay_pack_add(&last, &p->last.bays[i]);
	p->wall_ms += passed_s * INT64_C(1000);
	history_tick(&p->h, p->wall_ms, passed_s * INT64_C(1000));
	now = read_poll(p, line);
	events_release(&p->ev);
	history_carry(&p->h, &last, &now);
	bay_pack_release(&last);
	change_reconcile(&p->h, NULL, &now, &p->ev);
	free(p->last.targets);
	free(p->last.bays);
	p->last = now;
}

/* "drive-moved SN-A 3>5; ..." */
static const char *told(const struct play *p, char *out, size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < p->ev.n; i++) {
		const struct event *e = &p->ev.items[i];

		len += (size_t)snprintf(out + len, size - len, "%s%s%s%s", i ? "; " : "",
			event_type_word(e->type), e->serial[0] ? " " : "", e->serial);
		if (e->from[0] || e->to[0])
			len += (size_t)snprintf(
				out + len, size - len, " %s>%s", e->from, e->to);
	}
	return out;
}

static void expect(const char *polls, const char *events)
{
	char text[1024], got[2048], *save = NULL;
	struct play p;

	play_init(&p);
	str_copy(text, sizeof text, polls);
	for (char *line = strtok_r(text, "/", &save); line;
		line = strtok_r(NULL, "/", &save))
		poll_after(&p, line, 300);
	ck_assert_msg(strcmp(told(&p, got, sizeof got), events) == 0,
		"%s\n  gave     %s\n  expected %s", polls, got, events);
	play_release(&p);
}

START_TEST(drives_that_come_go_move_and_swap_are_told_once_each)
{
	expect("1=A", "drive-added SN-A >1");
	expect("1=A/1=A", "");
	expect("1=A/1=A 2=B", "drive-added SN-B >2");
	expect("1=A 2=B/1=_ 2=B", "drive-removed SN-A 1>");
	expect("3=A 7=C/5=A 7=C 3=_", "drive-moved SN-A 3>5");
	expect("3=A 7=C/5=A 7=C", "drive-moved SN-A 3>5");
	expect("1=A 2=B/1=B 2=A", "drive-moved SN-B 2>1; drive-moved SN-A 1>2");
	expect("1=A/1=B", "drive-replaced SN-B SN-A>SN-B");
	expect("1=A 2=B/1=C 2=A",
		"drive-added SN-C >1; drive-moved SN-A 1>2; drive-removed SN-B 2>");
}
END_TEST

START_TEST(a_drive_that_was_away_is_added_to_its_bay_or_moved_to_another)
{
	expect("1=A 2=B/1=_ 2=B/1=A 2=B", "drive-added SN-A >1");
	expect("1=A 2=B/1=_ 2=B/3=A 2=B", "drive-moved SN-A 1>3");
}
END_TEST

START_TEST(a_serial_that_fails_to_read_for_a_poll_is_still_that_drive)
{
	expect("1=A 2=B/1=- 2=B", "");
	expect("1=A 2=B/1=- 2=B/1=A 2=B", "");
	expect("1=A/1=0000", "");
	expect("1=-/1=A", "");
	expect("1=A 2=B/1=A 2=A", "drive-replaced SN-A SN-B>SN-A");
	expect("1=A 2=A/1=A 2=A", "");
	expect("1=A 2=A/1=A 2=_", "drive-removed SN-A 2>");
}
END_TEST

START_TEST(a_source_that_cannot_tell_removes_nothing)
{
	expect("1=A 2=B/down", "target-unreachable ok>unreachable");
	expect("1=A 2=B/down/1=A 2=B", "target-recovered unreachable>ok");
	expect("1=A 2=B/off", "");
	expect("1=A 2=B/off/1=A 2=B", "");
	expect("1=A 2=B/off 1=_ 2=_", "");
	expect("1=A 2=B/part 1=A", "");
	expect("1=A 2=B/part 1=A 2=_", "drive-removed SN-B 2>");
}
END_TEST

START_TEST(a_list_in_part_is_believed_after_three_polls)
{
	expect("1=A 2=B/part 1=A/part 1=A/part 1=A", "drive-removed SN-B 2>");
	expect("1=A 2=B/part 1=A/part 1=A/1=A 2=B", "");
}
END_TEST

START_TEST(a_service_that_lists_nothing_at_all_is_not_believed_at_once)
{
	expect("1=A 2=B/none", "");
	expect("1=A 2=B/none/none", "");
	expect("1=A 2=B/none/none/none", "drive-removed SN-A 1>; drive-removed SN-B 2>");
	expect("1=A 2=B/1=_ 2=_", "drive-removed SN-A 1>; drive-removed SN-B 2>");
}
END_TEST

START_TEST(what_a_source_cannot_tell_stays_with_its_last_values_and_is_stale)
{
	static const struct {
		const char *poll;
		enum verdict verdict;
		enum reason reason;
	} rows[] = {
		{"down", VERDICT_UNREACHABLE, REASON_NONE},
		{"off", VERDICT_UNKNOWN, REASON_HOST_OFF},
		{"off 1=_", VERDICT_UNKNOWN, REASON_HOST_OFF},
		{"part", VERDICT_UNKNOWN, REASON_NOT_REPORTED},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct play p;

		play_init(&p);
		poll_after(&p, "1=A", 0);
		poll_after(&p, rows[i].poll, 300);
		ck_assert_msg(p.last.n_bays == 1, "%s", rows[i].poll);
		ck_assert(p.last.bays[0].stale && p.last.bays[0].has_drive);
		ck_assert_str_eq(p.last.bays[0].drive.serial, "SN-A");
		ck_assert_msg(p.last.bays[0].judged.verdict == rows[i].verdict, "%s: %s",
			rows[i].poll, verdict_word(p.last.bays[0].judged.verdict));
		ck_assert_int_eq(p.last.bays[0].judged.reason, rows[i].reason);
		play_release(&p);
	}
}
END_TEST

START_TEST(no_bay_is_invented_for_a_source_that_never_answered)
{
	struct play p;

	play_init(&p);
	poll_after(&p, "down", 0);
	poll_after(&p, "down", 300);
	ck_assert_uint_eq(p.last.n_bays, 0);
	ck_assert_uint_eq(p.ev.n, 0);
	play_release(&p);
}
END_TEST

START_TEST(an_emptied_bay_stays_in_the_list_as_absent_for_a_week)
{
	struct play p;

	play_init(&p);
	p.kind = TARGET_NVME;
	poll_after(&p, "1=A 2=B", 0);
	poll_after(&p, "2=B", 300);
	ck_assert_uint_eq(p.last.n_bays, 2);
	ck_assert_int_eq(p.last.bays[0].judged.verdict, VERDICT_ABSENT);
	ck_assert(!p.last.bays[0].has_drive && history_just_lost(&p.h, "host", "1"));
	poll_after(&p, "2=B", 300);
	ck_assert_uint_eq(p.last.n_bays, 2);
	poll_after(&p, "2=B", 8 * 24 * 3600);
	ck_assert_uint_eq(p.last.n_bays, 1);
	play_release(&p);
}
END_TEST

START_TEST(firmware_counters_and_links_are_compared_with_what_was_read_last)
{
	expect("1=A%1.0/1=A%1.1", "firmware-changed SN-A 1.0>1.1");
	expect("1=A%1.0/1=A/1=A%1.0", "");
	expect("1=A#100/1=A#200", "");
	expect("1=A#200/1=A#100", "counter-reset SN-A 200>100");
	expect("1=A#200/1=A/1=A#100", "counter-reset SN-A 200>100");
	expect("1=A/1=A@16", "link-changed SN-A 32 GT/s x4>16 GT/s x4; verdict-changed "
			     "SN-A ok>degraded-speed");
	expect("1=A@16/1=A", "link-changed SN-A 16 GT/s x4>32 GT/s x4; verdict-changed "
			     "SN-A degraded-speed>ok");
	expect("1=A/1=A@0", "verdict-changed SN-A ok>degraded-speed");
}
END_TEST

START_TEST(a_moved_drive_is_not_told_to_have_changed_its_link)
{
	expect("1=A/2=A@16 1=_", "drive-moved SN-A 1>2");
}
END_TEST

START_TEST(the_fourth_change_within_an_hour_is_flapping_and_silences_the_rest)
{
	expect("1=A/1=A@16/1=A/1=A@16/1=A",
		"link-changed SN-A 16 GT/s x4>32 GT/s x4; link-flapping SN-A");
	expect("1=A/1=A@16/1=A/1=A@16/1=A/1=A@16", "");
}
END_TEST

START_TEST(flapping_is_over_after_twenty_quiet_minutes)
{
	struct play p;

	play_init(&p);
	for (int i = 0; i < 5; i++)
		poll_after(&p, i % 2 ? "1=A@16" : "1=A", 300);
	ck_assert(p.h.drives[0].flapping);
	ck_assert_int_eq(p.last.bays[0].link.changes, 4);
	for (int i = 0; i < 3; i++)
		poll_after(&p, "1=A", 300);
	ck_assert(p.h.drives[0].flapping);
	poll_after(&p, "1=A", 300);
	ck_assert(!p.h.drives[0].flapping);
	play_release(&p);
}
END_TEST

START_TEST(media_errors_rise_for_a_day_after_they_grew)
{
	struct play p;

	play_init(&p);
	poll_after(&p, "1=A*300", 0);
	ck_assert(!p.last.bays[0].media_errors_rising);
	poll_after(&p, "1=A*300", 3600);
	ck_assert(!p.last.bays[0].media_errors_rising);
	poll_after(&p, "1=A*301", 3600);
	ck_assert(p.last.bays[0].media_errors_rising);
	ck_assert(p.last.bays[0].wear.reasons & WEAR_MEDIA_ERRORS_RISING);
	poll_after(&p, "1=A*301", 23 * 3600);
	ck_assert(p.last.bays[0].media_errors_rising);
	poll_after(&p, "1=A*301", 3600);
	ck_assert(!p.last.bays[0].media_errors_rising);
	play_release(&p);
}
END_TEST

/* The hints of the last poll: "follows-drive SN-A 1,2". */
static void expect_hints(const char *polls, const char *hints)
{
	char text[1024], got[512] = "", *save = NULL;
	size_t len = 0;
	struct play p;

	play_init(&p);
	str_copy(text, sizeof text, polls);
	for (char *line = strtok_r(text, "/", &save); line;
		line = strtok_r(NULL, "/", &save))
		poll_after(&p, line, 300);
	localise_faults(&p.h, &p.last);
	for (size_t i = 0; i < p.last.n_hints; i++) {
		struct remark *r = &p.last.hints[i];

		len += (size_t)snprintf(got + len, sizeof got - len, "%s%s %s %s%s%s",
			i ? "; " : "", r->code, r->serial, r->bays[0],
			r->n_bays > 1 ? "," : "", r->n_bays > 1 ? r->bays[1] : "");
		free(r->bays);
	}
	free(p.last.hints);
	ck_assert_msg(strcmp(got, hints) == 0, "%s\n  gave     %s\n  expected %s", polls,
		got, hints);
	play_release(&p);
}

START_TEST(a_swap_tells_whether_the_fault_follows_the_drive_or_stays_with_the_bay)
{
	expect_hints("1=A@16 2=B/1=B 2=A@16", "follows-drive SN-A 1,2");
	expect_hints("1=A@16 2=B/1=B@16 2=A", "stays-with-bay SN-A 1");
	expect_hints("1=A@16 2=_/1=_ 2=A@16", "follows-drive SN-A 1,2");
	expect_hints("1=A@16 2=_/1=_ 2=A", "");
	expect_hints("1=A@16 2=B/1=B@16 2=A@16", "");
	expect_hints("1=A 2=B/1=B@16 2=A", "");
	expect_hints("1=A@16 2=B/1=B 2=A@16/1=B 2=A", "");
	expect_hints("1=A@16 2=B/down", "");
}
END_TEST

/* The evidence for power saving: seen at full speed while busy, in this bay, within a
 * day. */
START_TEST(seen_fast_while_busy_holds_for_this_drive_in_this_bay_for_a_day)
{
	static const struct {
		const char *title;
		enum tri busy;
		int speed_mtps, later_s;
		const char *bay, *serial;
		bool evidence;
	} rows[] = {
		{"busy at full speed", TRI_YES, 32000, 300, "1", "SN-A", true},
		{"almost a day ago", TRI_YES, 32000, 24 * 3600, "1", "SN-A", true},
		{"more than a day ago", TRI_YES, 32000, 24 * 3600 + 1, "1", "SN-A",
			false},
		{"idle at full speed", TRI_NO, 32000, 300, "1", "SN-A", false},
		{"not known whether busy", TRI_UNKNOWN, 32000, 300, "1", "SN-A", false},
		{"busy, but slow", TRI_YES, 16000, 300, "1", "SN-A", false},
		{"another drive", TRI_YES, 32000, 300, "1", "SN-B", false},
		{"another bay", TRI_YES, 32000, 300, "2", "SN-A", false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct play p;
		struct inventory now;
		struct bay *b;

		play_init(&p);
		poll_after(&p, "1=A", 0);
		now = read_poll(&p, "1=A");
		now.bays[0].busy = rows[i].busy;
		now.bays[0].link.now.speed_mtps = rows[i].speed_mtps;
		change_reconcile(&p.h, NULL, &now, &p.ev);
		free(now.bays);
		free(now.targets);
		history_tick(&p.h, p.wall_ms + rows[i].later_s * INT64_C(1000),
			rows[i].later_s * INT64_C(1000));
		now = read_poll(&p, "");
		b = add_bay(&now, rows[i].bay);
		b->has_drive = true;
		b->link.max = (struct pcie_rate){32000, 4};
		str_copy(b->drive.serial, sizeof b->drive.serial, rows[i].serial);
		history_support(&p.h, &now);
		ck_assert_msg(now.bays[0].seen_fast_while_busy == rows[i].evidence, "%s",
			rows[i].title);
		free(now.bays);
		free(now.targets);
		play_release(&p);
	}
}
END_TEST

START_TEST(requests_completed_since_the_last_poll_make_a_drive_busy)
{
	struct play p;
	struct inventory now;

	play_init(&p);
	poll_after(&p, "1=A", 0);
	p.h.drives[0].io_done = count_of(1000);
	now = read_poll(&p, "1=A");
	now.bays[0].io_done = count_of(1000);
	history_support(&p.h, &now);
	ck_assert_int_eq(now.bays[0].busy, TRI_NO);
	now.bays[0].io_done = count_of(1001);
	history_support(&p.h, &now);
	ck_assert_int_eq(now.bays[0].busy, TRI_YES);
	now.bays[0].busy = TRI_UNKNOWN;
	now.bays[0].io_done = count_of(5); /* started anew */
	history_support(&p.h, &now);
	ck_assert_int_eq(now.bays[0].busy, TRI_UNKNOWN);
	free(now.bays);
	free(now.targets);
	play_release(&p);
}
END_TEST

START_TEST(a_step_of_the_wall_clock_moves_no_duration)
{
	struct history h;

	history_init(&h);
	ck_assert_int_eq(history_tick(&h, 1000000, -1), 0);
	ck_assert_int_eq(history_tick(&h, 1060000, 60000), 0);
	ck_assert_int_eq(h.steady_ms, 60000);
	ck_assert_int_eq(history_tick(&h, 1120000 - 3600000, 60000), -3600000);
	ck_assert_int_eq(h.steady_ms, 120000);
	ck_assert_int_eq(history_tick(&h, 1180000, 60000), 3600000);
	ck_assert_int_eq(h.steady_ms, 180000);
	/* after a start there is only the wall clock */
	ck_assert_int_eq(history_tick(&h, 1240000, -1), 0);
	ck_assert_int_eq(h.steady_ms, 240000);
	ck_assert_int_eq(history_tick(&h, 240000, -1), -1000000);
	ck_assert_int_eq(h.steady_ms, 240000);
	history_release(&h);
}
END_TEST

UNIT_MAIN("change", drives_that_come_go_move_and_swap_are_told_once_each,
	a_drive_that_was_away_is_added_to_its_bay_or_moved_to_another,
	a_serial_that_fails_to_read_for_a_poll_is_still_that_drive,
	a_source_that_cannot_tell_removes_nothing,
	a_list_in_part_is_believed_after_three_polls,
	a_service_that_lists_nothing_at_all_is_not_believed_at_once,
	what_a_source_cannot_tell_stays_with_its_last_values_and_is_stale,
	no_bay_is_invented_for_a_source_that_never_answered,
	an_emptied_bay_stays_in_the_list_as_absent_for_a_week,
	firmware_counters_and_links_are_compared_with_what_was_read_last,
	a_moved_drive_is_not_told_to_have_changed_its_link,
	the_fourth_change_within_an_hour_is_flapping_and_silences_the_rest,
	flapping_is_over_after_twenty_quiet_minutes,
	a_swap_tells_whether_the_fault_follows_the_drive_or_stays_with_the_bay,
	media_errors_rise_for_a_day_after_they_grew,
	seen_fast_while_busy_holds_for_this_drive_in_this_bay_for_a_day,
	requests_completed_since_the_last_poll_make_a_drive_busy,
	a_step_of_the_wall_clock_moves_no_duration)
