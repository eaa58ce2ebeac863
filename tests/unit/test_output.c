/* SPDX-License-Identifier: MIT */
/* What people and monitoring see of an inventory: tables, CSV, plugin lines, sentences. */
#include "agent/cli/output.h"
#include "agent/cli/output_text.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { TEXT_MAX = 1 << 17 };

static const struct pcie_rate gen5x4 = {32000, 4};

static struct bay *drive_in(struct snapshot *s, const char *bay, const char *serial, struct pcie_rate now)
{
	struct bay *b = snapshot_add_bay(s, bay);

	b->present = TRI_YES;
	b->has_drive = true;
	str_copy(b->drive.serial, sizeof b->drive.serial, serial);
	str_copy(b->drive.model, sizeof b->drive.model, "Acme Flash G5 15.36TB");
	str_copy(b->drive.protocol, sizeof b->drive.protocol, "NVMe");
	str_copy(b->drive.firmware, sizeof b->drive.firmware, "2.1.4");
	b->drive.capacity_bytes = count_of(15362991415296);
	b->link.now = now;
	b->link.max = b->link.slot = gen5x4;
	b->temperature_c = 38;
	return b;
}

static void wears(struct bay *b, double used, uint64_t units_written)
{
	wear_set_used(&b->wear, used);
	b->wear.available_spare_percent = 100;
	b->wear.spare_threshold_percent = 10;
	b->wear.bytes_written = count_times(count_of(units_written), 512000);
	b->health.critical_warning = 0;
	b->health.media_errors = count_of(0);
}

static struct snapshot snap(const char *name, const char *host)
{
	struct snapshot s;

	snapshot_init(&s, name, TARGET_REDFISH, host);
	s.target.verdict = TARGET_OK;
	s.target.observed_wall_ms = clock_parse("2026-11-30T12:00:00Z");
	return s;
}

static void take(struct inventory *inv, struct snapshot *s)
{
	inventory_apply(inv, s);
	snapshot_release(s);
}

static void finish(struct inventory *inv)
{
	struct policy_set set;
	struct policy *p;

	policy_set_init(&set);
	p = policy_set_add(&set, "front");
	patterns_add_list(&p->bays, "0-3");
	patterns_add(&p->targets, "bmc*");
	p->require_present = true;
	p->has_expect = policy_expect_parse("gen5 x4", &p->expect);
	inventory_finish(inv, &set, clock_parse("2026-11-30T12:00:01Z"));
	policy_set_release(&set);
}

/* Bay 0 well, 1 with half its lanes, 2 with a placeholder, 3 missing, 10 SATA. */
static void mixed(struct inventory *inv)
{
	struct snapshot s = snap("bmc", "srv1");
	struct bay *b;

	inventory_init(inv);
	wears(drive_in(&s, "0", "LWX0000001", gen5x4), 2, 54371398);
	wears(drive_in(&s, "1", "LWX0000002", (struct pcie_rate){32000, 2}), 104, 1000);
	b = drive_in(&s, "2", "LWX0000003", (struct pcie_rate){0});
	b->link.doubt = REASON_PLACEHOLDER;
	b->wear_unread = REASON_PERMISSION_DENIED;
	b->temperature_c = NAN;
	b = drive_in(&s, "10", "SATA01", (struct pcie_rate){0});
	b->pcie = false;
	b->link = pcie_link_unknown();
	b->drive.capacity_bytes = count_of(480103981056);
	str_copy(b->drive.protocol, sizeof b->drive.protocol, "SATA");
	take(inv, &s);
	finish(inv);
}

static char *written(void (*write)(FILE *f, void *arg), void *arg)
{
	char *text = calloc(1, TEXT_MAX);
	FILE *f = tmpfile();
	size_t n;

	ck_assert(text && f);
	write(f, arg);
	rewind(f);
	n = fread(text, 1, TEXT_MAX - 1, f);
	ck_assert_uint_lt(n, TEXT_MAX - 1);
	fclose(f);
	return text;
}

struct request {
	struct options o;
	enum view view;
	const struct inventory *inv;
};

static void write_table(FILE *f, void *arg)
{
	struct request *r = arg;

	output_table(f, &r->o, r->view, r->inv);
}

static void write_csv(FILE *f, void *arg)
{
	struct request *r = arg;

	output_csv(f, r->view, r->inv);
}

static void write_nagios(FILE *f, void *arg)
{
	struct request *r = arg;

	output_nagios(f, r->view, r->inv);
}

/* The table as a terminal of that many columns gets it; a pty's line ends are undone. */
static char *on_terminal(struct request *r, unsigned short width)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	struct winsize size = {.ws_row = 24, .ws_col = width};
	struct termios t;
	char *text = calloc(1, TEXT_MAX);
	size_t n = 0;
	ssize_t got;
	FILE *f;

	ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	ck_assert(slave >= 0 && ioctl(slave, TIOCSWINSZ, &size) == 0 && tcgetattr(slave, &t) == 0);
	cfmakeraw(&t);
	tcsetattr(slave, TCSANOW, &t);
	f = fdopen(slave, "w");
	setvbuf(f, NULL, _IOFBF, TEXT_MAX);
	output_table(f, &r->o, r->view, r->inv);
	/* the pty holds 4 KiB; the texts here are shorter */
	fflush(f);
	fcntl(master, F_SETFL, O_NONBLOCK);
	while ((got = read(master, text + n, TEXT_MAX - 1 - n)) > 0)
		n += (size_t)got;
	fclose(f);
	close(master);
	ck_assert_uint_gt(n, 0);
	ck_assert_uint_lt(n, 4000);
	return text;
}

static bool has(const char *text, const char *part)
{
	return strstr(text, part) != NULL;
}

/* Cells of the longest line, escape sequences and trailing bytes of characters not counted. */
static size_t longest_line(const char *text)
{
	size_t longest = 0, n = 0;

	for (const char *p = text; *p; p++) {
		if (*p == '\033') {
			p += strcspn(p, "m");
			continue;
		}
		n = *p == '\n' ? 0 : n + (((unsigned char)*p & 0xc0) != 0x80);
		if (n > longest)
			longest = n;
	}
	return longest;
}

START_TEST(a_table_in_a_file_has_every_column_and_no_colour)
{
	struct inventory inv;
	struct request r = {.view = VIEW_VERIFY, .inv = &inv};
	char *text;

	mixed(&inv);
	text = written(write_table, &r);
	ck_assert_msg(has(text, "BAY VERDICT"), "%s", text);
	ck_assert(has(text, "LINK") && has(text, "DRIVE CAN") && has(text, "SLOT CAN") && has(text, "EXPECTED"));
	ck_assert(has(text, "0   + ok") && has(text, "1   ! degraded-width") && has(text, "3   o absent"));
	ck_assert(has(text, "Gen5 x2") && has(text, "Gen5 x4") && has(text, "? placeholder"));
	ck_assert(has(text, "Acme Flash G5 15.36TB") && has(text, "LWX0000003") && has(text, "(missing)"));
	ck_assert(has(text, "- not-applicable"));
	ck_assert(!strchr(text, '\033') && !strchr(text, '\t'));
	free(text);
	inventory_release(&inv);
}
END_TEST

START_TEST(under_the_table_stands_a_sentence_for_each_trouble_and_one_for_all)
{
	struct inventory inv;
	struct request r = {.view = VIEW_VERIFY, .inv = &inv};
	char *text;

	mixed(&inv);
	text = written(write_table, &r);
	ck_assert_msg(has(text, "\nbay 1: degraded-width: running at 32 GT/s x2"), "%s", text);
	ck_assert(has(text, "\nbay 2: unknown: "));
	ck_assert(has(text, "\nbay 3: absent: "));
	ck_assert(!has(text, "\nbay 0:") && !has(text, "\nbay 10:"));
	ck_assert_msg(has(text, "\n1 of 4 bays as expected; 1 degraded-width (bay 1); 1 absent (bay 3); 1 unknown (bay 2); 1 not-applicable (bay 10)\n"), "%s", text);
	free(text);
	inventory_release(&inv);
}
END_TEST

START_TEST(bays_with_one_trouble_share_a_sentence)
{
	struct inventory inv;
	struct request r = {.view = VIEW_VERIFY, .inv = &inv};
	struct snapshot s = snap("x", "srv1");
	char name[8], *text;

	inventory_init(&inv);
	for (int i = 0; i < 24; i++) {
		snprintf(name, sizeof name, "%d", i);
		drive_in(&s, name, name, (struct pcie_rate){32000, 2});
	}
	take(&inv, &s);
	finish(&inv);
	text = written(write_table, &r);
	ck_assert_msg(has(text, "\nbays 0, 1, 2, 3, 4, 5, 6, 7 and 16 more: degraded-width: "), "%s", text);
	ck_assert(has(text, "\n0 of 24 bays as expected; 24 degraded-width (bays 0, 1, 2, 3 and 20 more)\n"));
	free(text);
	inventory_release(&inv);
}
END_TEST

START_TEST(columns_give_way_to_a_narrow_terminal_and_no_line_is_too_long)
{
	static const struct {
		unsigned short width;
		const char *shown, *gone;
	} rows[] = {
		{200, "FIRMWARE", "ADDRESS"}, /* no bay has an address */
		{104, "SLOT CAN", "FIRMWARE"},
		{90, "MODEL", "SLOT CAN"},
		{79, "MODEL", "DRIVE CAN"},
		{60, "EXPECTED", "MODEL"},
		{40, "LINK", "SERIAL"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct inventory inv;
		struct request r = {.view = VIEW_VERIFY, .inv = &inv, .o.no_color = true};
		char *text;

		mixed(&inv);
		text = on_terminal(&r, rows[i].width);
		ck_assert_msg(has(text, rows[i].shown) && !has(text, rows[i].gone), "%d:\n%s", rows[i].width, text);
		ck_assert_msg(longest_line(text) <= rows[i].width, "%d: %zu\n%s", rows[i].width, longest_line(text), text);
		ck_assert(has(text, "VERDICT") && has(text, "degraded-width"));
		free(text);
		inventory_release(&inv);
	}
}
END_TEST

START_TEST(all_columns_are_shown_where_they_are_asked_for)
{
	struct inventory inv;
	struct request r = {.view = VIEW_VERIFY, .inv = &inv, .o.all = true};
	char *text;

	mixed(&inv);
	text = written(write_table, &r);
	ck_assert(has(text, "FIRMWARE") && has(text, "USED") && has(text, "TEMP") && has(text, "104 %"));
	free(text);
	inventory_release(&inv);
}
END_TEST

START_TEST(colour_is_for_terminals_that_want_it)
{
	static const struct {
		const char *no_color, *term;
		bool option, colour;
	} rows[] = {
		{NULL, "xterm", false, true},
		{"", "xterm", false, true}, /* an empty NO_COLOR says nothing */
		{"1", "xterm", false, false},
		{NULL, "dumb", false, false},
		{NULL, "xterm", true, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct inventory inv;
		struct request r = {.view = VIEW_VERIFY, .inv = &inv, .o.no_color = rows[i].option};
		char *text;

		unsetenv("NO_COLOR");
		if (rows[i].no_color)
			setenv("NO_COLOR", rows[i].no_color, 1);
		setenv("TERM", rows[i].term, 1);
		mixed(&inv);
		text = on_terminal(&r, 120);
		ck_assert_msg(!!strchr(text, '\033') == rows[i].colour, "row %zu", i);
		ck_assert_uint_le(longest_line(text), 120);
		free(text);
		inventory_release(&inv);
	}
}
END_TEST

START_TEST(signs_are_unicode_only_where_the_locale_is)
{
	struct inventory inv;
	struct request r = {.view = VIEW_VERIFY, .inv = &inv};
	char *text;

	if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8"))
		return; /* this machine has no such locale */
	mixed(&inv);
	text = written(write_table, &r);
	ck_assert(has(text, "✗ degraded-width"));
	free(text);
	setlocale(LC_CTYPE, "C");
	text = written(write_table, &r);
	ck_assert(!has(text, "✗") && has(text, "! degraded-width"));
	for (const char *p = text; *p; p++)
		ck_assert(!((unsigned char)*p & 0x80));
	free(text);
	inventory_release(&inv);
}
END_TEST

START_TEST(hosts_have_headings_only_where_there_are_several)
{
	struct inventory inv;
	struct request r = {.view = VIEW_VERIFY, .inv = &inv};
	struct snapshot s;
	char *text;

	mixed(&inv);
	text = written(write_table, &r);
	ck_assert(!has(text, "seen by"));
	free(text);
	s = snap("bmc2", "srv2");
	str_copy(s.target.vendor, sizeof s.target.vendor, "Acme");
	str_copy(s.target.product, sizeof s.target.product, "R100");
	drive_in(&s, "0", "OTHER", (struct pcie_rate){16000, 4});
	take(&inv, &s);
	finish(&inv);
	text = written(write_table, &r);
	ck_assert_msg(has(text, "srv1; seen by bmc\n") && has(text, "srv2: Acme R100; seen by bmc2\n"), "%s", text);
	ck_assert_msg(has(text, "\nsrv2, bay 0: degraded-speed: "), "%s", text);
	ck_assert(has(text, "1 degraded-speed (bay srv2/0)"));
	free(text);
	inventory_release(&inv);
}
END_TEST

START_TEST(wear_shows_terabytes_and_a_dash_for_what_is_not_known)
{
	struct inventory inv;
	struct request r = {.view = VIEW_WEAR, .inv = &inv};
	char *text, *line;

	mixed(&inv);
	text = written(write_table, &r);
	ck_assert_msg(has(text, "27.8 TB"), "%s", text);
	ck_assert(has(text, "2 %") && has(text, "98 %") && has(text, "100 % (10 %)"));
	ck_assert(has(text, "critical: endurance-used") && has(text, "104 %"));
	line = strstr(text, "LWX0000003");
	ck_assert_ptr_nonnull(line);
	*strchr(line, '\n') = '\0';
	ck_assert_msg(has(line, "unknown: permission-denied"), "%s", line);
	ck_assert_msg(!strchr(line + strlen("LWX0000003"), '0'), "%s", line); /* never 0 */
	ck_assert(has(line + strlen(line) + 1, "most used 104 % (bay 1)"));
	free(text);
	inventory_release(&inv);
}
END_TEST

START_TEST(an_inventory_shows_capacity_as_on_the_label)
{
	struct inventory inv;
	struct request r = {.view = VIEW_INVENTORY, .inv = &inv};
	char *text;

	mixed(&inv);
	text = written(write_table, &r);
	ck_assert_msg(has(text, "15.36 TB") && has(text, "480 GB"), "%s", text);
	ck_assert(has(text, "NVMe") && has(text, "SATA") && has(text, "38 C") && has(text, "(missing)"));
	ck_assert(has(text, "\n4 drives in 5 bays, 46.57 TB\n"));
	free(text);
	inventory_release(&inv);
}
END_TEST

START_TEST(targets_in_trouble_are_told_in_words)
{
	struct inventory inv;
	struct request r = {.view = VIEW_INVENTORY, .inv = &inv};
	struct snapshot s = snap("bmc1", "srv1");
	char *text;

	inventory_init(&inv);
	s.target.verdict = TARGET_UNREACHABLE;
	s.target.reason = REASON_TIMEOUT;
	str_copy(s.target.message, sizeof s.target.message, "no answer within 5 s");
	take(&inv, &s);
	s = snap("bmc2", "srv2");
	for (int i = 0; i < 7; i++)
		target_add_error(&s.target, "/redfish/v1/Systems/1", "500", "internal error");
	take(&inv, &s);
	finish(&inv);
	text = written(write_table, &r);
	ck_assert_msg(has(text, "target bmc1: unreachable: no answer within 5 s\n"), "%s", text);
	ck_assert(has(text, "target bmc2: read in part: "));
	ck_assert(has(text, "target bmc2: /redfish/v1/Systems/1: 500: internal error\n"));
	ck_assert(has(text, "target bmc2: and 2 more"));
	ck_assert(has(text, "1 target not read (bmc1); 1 target read in part (bmc2)\n"));
	free(text);
	inventory_release(&inv);
}
END_TEST

START_TEST(csv_is_rfc_4180_with_a_header_and_empty_for_unknown)
{
	struct inventory inv;
	struct request r = {.view = VIEW_WEAR, .inv = &inv};
	char *text, *line;

	mixed(&inv);
	text = written(write_csv, &r);
	ck_assert(str_starts(text, "target,host,bay,model,serial,alert,reasons,percent_used,"));
	ck_assert(has(text, "\r\nbmc,srv1,0,Acme Flash G5 15.36TB,LWX0000001,none,,2,98,100,10,27838155776000,,,,true,ok,,0,"));
	line = strstr(text, "\r\nbmc,srv1,2,");
	ck_assert_ptr_nonnull(line);
	ck_assert_msg(str_starts(line + 2, "bmc,srv1,2,Acme Flash G5 15.36TB,LWX0000003,unknown,permission-denied,,,,,,,,,true,unknown,,,,,,"),
		"%.200s", line);
	for (const char *p = text; (p = strchr(p, '\n')); p++)
		ck_assert(p[-1] == '\r');
	free(text);
	inventory_release(&inv);
}
END_TEST

/* Whatever a drive calls itself. */
static void hostile(struct inventory *inv, const char *model)
{
	struct snapshot s = snap("x", "srv1");
	struct bay *b;

	inventory_init(inv);
	b = drive_in(&s, "0", "S1", (struct pcie_rate){32000, 2});
	str_copy(b->drive.model, sizeof b->drive.model, model); /* past the cleaning on entry */
	str_copy(b->bay, sizeof b->bay, model);
	wears(b, 90, 1);
	take(inv, &s);
	finish(inv);
}

START_TEST(texts_of_drives_are_encoded_again_at_each_exit_LW_R13)
{
	static const char *const models[] = {"\033]0;owned\007", "\033[2J\n# EVIL 1", "a|b\nc", "=HYPERLINK(\"x\")", "+1", "-1+1", "@x",
		"a,b", "a\"b", "it's=x", "\xc3", "\xe2\x80\xaeright"};
	void (*const writers[])(FILE *, void *) = {write_table, write_csv, write_nagios};

	for (size_t m = 0; m < sizeof models / sizeof models[0]; m++)
		for (size_t w = 0; w < 3; w++)
			for (int v = VIEW_VERIFY; v <= VIEW_WEAR; v++) {
				struct inventory inv;
				struct request r = {.view = (enum view)v, .inv = &inv};
				char *text;

				hostile(&inv, models[m]);
				text = written(writers[w], &r);
				ck_assert_msg(!strchr(text, '\033') && !strchr(text, '\007'), "%s: %s", models[m], text);
				ck_assert_msg(!has(text, "\n# EVIL"), "%s", text);
				free(text);
				inventory_release(&inv);
			}
}
END_TEST

START_TEST(no_text_is_a_formula_in_a_spreadsheet_LW_R13)
{
	static const struct {
		const char *model, *cell;
	} rows[] = {
		{"=HYPERLINK(\"x\")", ",\"'=HYPERLINK(\"\"x\"\")\","},
		{"+1", ",'+1,"},
		{"-1+1", ",'-1+1,"},
		{"@x", ",'@x,"},
		{"a,b", ",\"a,b\","},
		{"a\"b", ",\"a\"\"b\","},
		{"a=b", ",a=b,"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct inventory inv;
		struct request r = {.view = VIEW_INVENTORY, .inv = &inv};
		char *text;

		hostile(&inv, rows[i].model);
		text = written(write_csv, &r);
		ck_assert_msg(has(text, rows[i].cell), "%s: %s", rows[i].model, text);
		free(text);
		inventory_release(&inv);
	}
}
END_TEST

START_TEST(a_plugin_line_says_status_summary_and_performance_data)
{
	struct inventory inv;
	struct request r = {.view = VIEW_VERIFY, .inv = &inv};
	char *text;

	mixed(&inv);
	text = written(write_nagios, &r);
	ck_assert_msg(str_starts(text, "LANEWATCH CRITICAL - 1 of 4 bays as expected; 1 degraded-width (bay 1);"), "%s", text);
	ck_assert(has(text, " | 'bays'=5 'ok'=1 "));
	ck_assert(has(text, " 'degraded-width'=1 ") && has(text, " 'below-policy'=0 "));
	ck_assert(has(text, "\nbay 1: degraded-width: "));
	free(text);
	r.view = VIEW_WEAR;
	text = written(write_nagios, &r);
	ck_assert_msg(has(text, " | 'drives'=4 '0 used'=2% '1 used'=104%\n"), "%s", text); /* bay 2 is not known: no value */
	free(text);
	inventory_release(&inv);
}
END_TEST

START_TEST(the_word_of_a_plugin_line_is_that_of_the_exit_status)
{
	static const struct {
		struct pcie_rate now;
		bool partial;
		const char *word;
		int status;
	} rows[] = {
		{{32000, 4}, false, "LANEWATCH OK - ", 0},
		{{32000, 4}, true, "LANEWATCH WARNING - ", 1},
		{{32000, 2}, false, "LANEWATCH CRITICAL - ", 2},
		{{0, 0}, false, "LANEWATCH UNKNOWN - ", 3},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct inventory inv;
		struct request r = {.view = VIEW_VERIFY, .inv = &inv};
		struct snapshot s = snap("x", "srv1");
		char *text;

		inventory_init(&inv);
		drive_in(&s, "0", "S1", rows[i].now);
		s.target.partial = rows[i].partial;
		take(&inv, &s);
		finish(&inv);
		text = written(write_nagios, &r);
		ck_assert_msg(str_starts(text, rows[i].word), "%s", text);
		ck_assert_int_eq(inventory_verify_status(&inv), rows[i].status);
		free(text);
		inventory_release(&inv);
	}
}
END_TEST

START_TEST(a_plugin_line_has_one_bar_in_its_first_line_LW_R13)
{
	struct inventory inv;
	struct request r = {.view = VIEW_WEAR, .inv = &inv};
	char *text, *bar;

	hostile(&inv, "a|b'=\nc");
	text = written(write_nagios, &r);
	bar = strchr(text, '|');
	ck_assert_ptr_nonnull(bar);
	ck_assert_msg(!strchr(bar + 1, '|'), "%s", text);
	ck_assert_msg(has(bar, "'a_b___c used'=90%"), "%s", text);
	free(text);
	inventory_release(&inv);
}
END_TEST

START_TEST(nothing_at_all_is_said_in_words_too)
{
	for (int v = VIEW_VERIFY; v <= VIEW_WEAR; v++) {
		struct inventory inv;
		struct request r = {.view = (enum view)v, .inv = &inv};
		char *text;

		inventory_init(&inv);
		finish(&inv);
		text = written(write_table, &r);
		ck_assert_msg(has(text, "no bays") || has(text, "no drives") || has(text, "0 drives in 0 bays"), "%s", text);
		free(text);
		inventory_release(&inv);
	}
}
END_TEST

UNIT_MAIN("output", a_table_in_a_file_has_every_column_and_no_colour,
	under_the_table_stands_a_sentence_for_each_trouble_and_one_for_all, bays_with_one_trouble_share_a_sentence,
	columns_give_way_to_a_narrow_terminal_and_no_line_is_too_long, all_columns_are_shown_where_they_are_asked_for,
	colour_is_for_terminals_that_want_it, signs_are_unicode_only_where_the_locale_is,
	hosts_have_headings_only_where_there_are_several, wear_shows_terabytes_and_a_dash_for_what_is_not_known,
	an_inventory_shows_capacity_as_on_the_label, targets_in_trouble_are_told_in_words,
	csv_is_rfc_4180_with_a_header_and_empty_for_unknown, texts_of_drives_are_encoded_again_at_each_exit_LW_R13,
	no_text_is_a_formula_in_a_spreadsheet_LW_R13, a_plugin_line_says_status_summary_and_performance_data,
	the_word_of_a_plugin_line_is_that_of_the_exit_status, a_plugin_line_has_one_bar_in_its_first_line_LW_R13,
	nothing_at_all_is_said_in_words_too)
