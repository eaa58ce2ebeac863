/* SPDX-License-Identifier: MIT */
/* The command line: what is taken, and the one line that says what is wrong with the rest. */
#include "agent/cli/command.h"
#include "agent/options.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { WORDS_MAX = 40 };

/* Splits at blanks (a ~ stands for a blank, "" for an empty word) and parses. */
static int parse(struct options *o, char *line, char **argv, struct err *e)
{
	int argc = 0;

	argv[argc++] = (char *)"lanewatch";
	for (char *word = line; word && *word && argc < WORDS_MAX;) {
		char *next = strchr(word, ' ');

		if (next)
			*next++ = '\0';
		for (char *p = word; *p; p++)
			if (*p == '~')
				*p = ' ';
		argv[argc++] = strcmp(word, "\"\"") == 0 ? (char *)"" : word;
		word = next;
	}
	argv[argc] = NULL;
	return options_parse(o, argc, argv, e);
}

static const struct {
	const char *line, *says;
} bad[] = {
	{"verfy", "no command 'verfy'; did you mean verify?"},
	{"check", "no command 'check'; did you mean check-config?"},
	{"help verfy", "no command 'verfy'; did you mean verify?"},
	{"--exepct x4 verify", "no option '--exepct'; did you mean --expect?"},
	{"verify --recordng=x", "no option '--recordng'; did you mean --recording?"},
	{"verify --zzzzzzzz", "no option '--zzzzzzzz'; see lanewatch --help"},
	{"verify --\033[31mred", "no option '--?[31mred'; see lanewatch --help"},
	{"verify --pass x", "no option '--pass'; did you mean --password-file?"},
	{"verify -x", "no option '-x'; see lanewatch --help"},
	{"verify --url", "--url needs a URL"},
	{"verify --url \"\"", "--url needs a URL and got nothing"},
	{"verify -o", "-o needs a FORMAT"},
	{"verify --insecure=yes", "--insecure takes no value"},
	{"verify -o jsn", "no format 'jsn' for -o; there are table, json, csv, nagios, html or openmetrics"},
	{"verify -o postscript", "no format 'postscript' for -o; there are table, json, csv, nagios, html or openmetrics"},
	{"inventory -o nagios", "inventory does not print nagios; it prints table, json, csv or html"},
	{"check-config -o csv", "check-config does not print csv; it prints table or json"},
	{"verify --json", "there is no --json; say -o json"},
	{"verify --output json", "verify does not take --output; see lanewatch verify --help"},
	{"verify -k", "there is no -k; say --insecure"},
	{"check-config --url bmc1", "check-config does not take --url; see lanewatch check-config --help"},
	{"verify bmc1", "verify takes no argument 'bmc1'; a BMC is named by --url bmc1"},
	{"verify -- --local", "verify takes no argument '--local'; a BMC is named by --url --local"},
	{"check-config lanewatch.conf", "check-config takes no argument 'lanewatch.conf'"},
	{"verify --username u", "--username tells how to reach a --url, and none is given "
				"(in the configuration each target says it for itself)"},
	{"verify --local --insecure", "--insecure tells how to reach a --url, and none is given "
				      "(in the configuration each target says it for itself)"},
	{"verify --url b --password-file f", "--password-file without --username: whose password is it?"},
	{"verify --url b --insecure --ca-file f",
		"--ca-file and --insecure: the certificate is either checked or not; leave one out"},
	{"verify --url b --recording d", "--recording and --url are two sources at once; only --url and --local go together"},
	{"verify --local --database d", "--database and --local are two sources at once; only --url and --local go together"},
	{"verify --recording d --database f",
		"--recording and --database are two sources at once; only --url and --local go together"},
	{"verify --local --bays 0-3",
		"--bays says which bays are meant; say what of them with --expect LINK or --require-present"},
};

START_TEST(what_is_wrong_is_said_with_the_nearest_word)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		char line[160], *argv[WORDS_MAX + 1];
		struct err e = {""};
		struct options o;
		int rc;

		str_copy(line, sizeof line, bad[i].line);
		rc = parse(&o, line, argv, &e);
		ck_assert_msg(rc == -1, "'%s' is taken", bad[i].line);
		ck_assert_str_eq(e.text, bad[i].says);
		options_release(&o);
	}
}
END_TEST

START_TEST(a_password_in_the_command_line_is_refused_and_not_repeated_LW_S1)
{
	static const char *const lines[] = {"verify --url b --username u --password hunter2",
		"verify --password=hunter2", "verify --url b -p hunter2"};

	for (size_t i = 0; i < COUNT(lines); i++) {
		char line[160], *argv[WORDS_MAX + 1];
		struct err e = {""};
		struct options o;

		str_copy(line, sizeof line, lines[i]);
		ck_assert_int_eq(parse(&o, line, argv, &e), -1);
		ck_assert_ptr_nonnull(strstr(e.text, "--password-file FILE"));
		ck_assert_ptr_null(strstr(e.text, "hunter2"));
		options_release(&o);
	}
}
END_TEST

START_TEST(every_option_reaches_its_field)
{
	char line[400] = "--config c verify --url u1 --url=u2 --username n --password-file p --ca-file a --pin k "
			 "--allow-plaintext --no-expand --local --expect gen5~x4 --bays 0-23 --require-present "
			 "-o json --all --no-color";
	char *argv[WORDS_MAX + 1];
	struct err e = {""};
	struct options o;

	ck_assert_msg(parse(&o, line, argv, &e) == 0, "%s", e.text);
	ck_assert_str_eq(o.command, "verify");
	ck_assert_str_eq(o.config, "c");
	ck_assert_uint_eq(o.n_urls, 2);
	ck_assert_str_eq(o.urls[0], "u1");
	ck_assert_str_eq(o.urls[1], "u2");
	ck_assert_str_eq(o.username, "n");
	ck_assert_str_eq(o.password_file, "p");
	ck_assert_str_eq(o.ca_file, "a");
	ck_assert_str_eq(o.pin, "k");
	ck_assert(o.allow_plaintext && o.no_expand && o.local && o.require_present && o.all && o.no_color);
	ck_assert(!o.insecure && !o.debug_core && !o.help);
	ck_assert_str_eq(o.expect, "gen5 x4");
	ck_assert_str_eq(o.bays, "0-23");
	ck_assert_int_eq(o.output, OUTPUT_JSON);
	options_release(&o);
}
END_TEST

START_TEST(words_may_stand_in_any_order_and_letters_together)
{
	static const char *const lines[] = {"-vvo csv wear --local", "wear --local -vv -o csv", "wear -v --loc -ocsv --verbose"};

	for (size_t i = 0; i < COUNT(lines); i++) {
		char line[160], *argv[WORDS_MAX + 1];
		struct err e = {""};
		struct options o;

		str_copy(line, sizeof line, lines[i]);
		ck_assert_msg(parse(&o, line, argv, &e) == 0, "%s", e.text);
		ck_assert_str_eq(o.command, "wear");
		ck_assert_int_eq(o.verbose, 2);
		ck_assert_int_eq(o.output, OUTPUT_CSV);
		ck_assert(o.local);
		options_release(&o);
	}
}
END_TEST

START_TEST(help_is_given_whatever_else_is_wrong_with_the_combination)
{
	static const struct {
		const char *line, *command;
	} rows[] = {{"--help", NULL}, {"help", NULL}, {"help wear", "wear"}, {"verify -h", "verify"},
		{"verify --username u --help", "verify"}, {"check-config --url x --help", "check-config"}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char line[160], *argv[WORDS_MAX + 1];
		struct err e = {""};
		struct options o;

		str_copy(line, sizeof line, rows[i].line);
		ck_assert_msg(parse(&o, line, argv, &e) == 0, "%s", e.text);
		ck_assert(o.help);
		ck_assert(str_same(o.command, rows[i].command));
		options_release(&o);
	}
}
END_TEST

START_TEST(a_second_parse_starts_afresh)
{
	for (int i = 0; i < 2; i++) {
		char line[] = "inventory --url a", *argv[WORDS_MAX + 1];
		struct err e = {""};
		struct options o;

		ck_assert_int_eq(parse(&o, line, argv, &e), 0);
		ck_assert_uint_eq(o.n_urls, 1);
		ck_assert(options_command_reads(&o) && !options_command_needs_file(&o));
		options_release(&o);
	}
}
END_TEST

START_TEST(every_command_that_has_help_can_be_run_and_the_other_way_round)
{
	size_t n = 0;

	for (; options_command(n); n++)
		ck_assert_str_eq(options_command(n), commands[n].name);
	ck_assert_uint_ge(n, 4);
	ck_assert_ptr_null(commands[n].name);
}
END_TEST

UNIT_MAIN("options", what_is_wrong_is_said_with_the_nearest_word,
	a_password_in_the_command_line_is_refused_and_not_repeated_LW_S1, every_option_reaches_its_field,
	words_may_stand_in_any_order_and_letters_together, help_is_given_whatever_else_is_wrong_with_the_combination,
	a_second_parse_starts_afresh, every_command_that_has_help_can_be_run_and_the_other_way_round)
