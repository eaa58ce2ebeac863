/* SPDX-License-Identifier: MIT */
/*
 * options: see options.h.
 *
 * Two tables are the whole command line: `usages` says what each command is for, `rows`
 * which options there are, what they take, and which commands know them.  A new command is
 * a bit, a usage and that bit in the rows it takes; parser, help and hints follow.
 */
#include "agent/options.h"
#include "base/mem.h"
#include "base/str.h"

#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* ---- commands ---- */

enum {
	VERIFY = 1 << 0,
	INVENTORY = 1 << 1,
	WEAR = 1 << 2,
	CHECK_CONFIG = 1 << 3,
	DECODE = 1 << 4,
	RUN = 1 << 5,
	REPLAY = 1 << 6,
	HISTORY = 1 << 7,
	EVENTS = 1 << 8,
	ALERTS = 1 << 9,
	CAPTURE = 1 << 10,
	CEILING = 1 << 11,
	HASH_PASSWORD = 1 << 12,
	READING = VERIFY | INVENTORY | WEAR | CAPTURE | CEILING, /* those that read targets once and end */
	JUDGING = VERIFY | INVENTORY,	     /* those that show what a policy says of a bay */
	DB = 1 << 13,
	STORED = HISTORY | EVENTS | ALERTS | DB, /* those that read the store */
	STORING = RUN | REPLAY,		     /* those that write it */
	EVERY = READING | CHECK_CONFIG | DECODE | STORED | STORING,
};

enum {
	FORMAT_TABLE = 1 << OUTPUT_TABLE,
	FORMAT_JSON = 1 << OUTPUT_JSON,
	FORMAT_CSV = 1 << OUTPUT_CSV,
	FORMAT_NAGIOS = 1 << OUTPUT_NAGIOS,
	FORMAT_HTML = 1 << OUTPUT_HTML,
	FORMAT_OPENMETRICS = 1 << OUTPUT_OPENMETRICS,
	FORMATS_ALL = FORMAT_TABLE | FORMAT_JSON | FORMAT_CSV | FORMAT_NAGIOS | FORMAT_HTML,
};

struct usage {
	const char *name;
	unsigned bit;
	unsigned formats; /* of -o */
	int n_args_max;	  /* what may stand behind the command */
	const char *args, *summary, *about, *examples;
};

static const struct usage usages[] = {
	{"verify", VERIFY, FORMATS_ALL, 0, "[SOURCE] [POLICY] [-o FORMAT]",
		"judge the PCIe link of every bay",
		"Reads every target once and holds the link of each bay against what drive and slot can do\n"
		"and against the policy. Ends with 0 if all is well, 1 below policy or partly read,\n"
		"2 degraded or missing, 3 if something could not be determined.\n",
		"  lanewatch verify --url https://192.0.2.12 --username monitor --expect \"gen5 x4\"\n"
		"  lanewatch verify --url 192.0.2.12 --username monitor --password-file bmc.pass \\\n"
		"      --ca-file ca.pem --bays 0-23 --expect \"gen5 x4\" --require-present\n"
		"  lanewatch verify --url 192.0.2.12 --username monitor -o html > report.html\n"
		"  lanewatch verify --local -o json\n"
		"  lanewatch verify --config /etc/lanewatch/lanewatch.conf -o nagios\n"},
	{"inventory", INVENTORY, FORMAT_TABLE | FORMAT_JSON | FORMAT_CSV | FORMAT_HTML, 0, "[SOURCE] [POLICY] [-o FORMAT]",
		"list bays and drives",
		"Reads every target once and lists its bays, the drives in them and their links.\n",
		"  lanewatch inventory --url https://192.0.2.12 --username monitor\n"
		"  lanewatch inventory --local --all\n"
		"  lanewatch inventory --recording bundle -o json\n"},
	{"wear", WEAR, FORMAT_TABLE | FORMAT_JSON | FORMAT_CSV | FORMAT_NAGIOS, 0, "[SOURCE] [-o FORMAT]",
		"show endurance, spare and health",
		"Reads every target once and shows how far each drive is worn. Ends with 0 if all is well,\n"
		"1 with a warning, 2 if critical, 3 if a drive's wear could not be determined.\n",
		"  lanewatch wear --url https://192.0.2.12 --username monitor\n"
		"  lanewatch wear --local -o nagios\n"},
	{"run", RUN, 0, 0, "[--config FILE] [--database FILE] [--rounds N]", "watch the targets, for ever or for some rounds",
		"Reads the targets of the configuration every poll_interval, keeps what they say in the\n"
		"database, and tells the channels what people should know. SIGTERM ends it in order.\n"
		"With --rounds it ends by itself with 0, whatever the targets said.\n",
		"  lanewatch run\n"
		"  lanewatch run --rounds 1 --config ./lanewatch.conf --database ./lw.db\n"},
	{"history", HISTORY, FORMAT_TABLE | FORMAT_JSON | FORMAT_CSV, 2, "DRIVE METRIC [--database FILE] [--since TIME] [--step TIME]",
		"points of a drive from the database",
		"DRIVE is a serial number, a drive id or TARGET/BAY; METRIC is named as in -o json: percent_used,\n"
		"bytes_written, temperature_celsius, speed_gts, ..., or present. Ends with 3 if nobody knows the drive.\n",
		"  lanewatch history S4CANA0M123456 bytes_written --since 7d\n"
		"  lanewatch history S4CANA0M123456 temperature_celsius --since 4w --step 1d\n"
		"  lanewatch history r7725xd-01/3 speed_gts -o csv\n"},
	{"events", EVENTS, FORMAT_TABLE | FORMAT_JSON, 0, "[--database FILE] [--since TIME] [-o FORMAT]",
		"what happened, from the database",
		"Lists drives that came, went and moved, links that changed, targets that fell silent, ...\n",
		"  lanewatch events --since 24h\n"
		"  lanewatch events --database ./lw.db -o json\n"},
	{"alerts", ALERTS, FORMAT_TABLE | FORMAT_JSON | FORMAT_NAGIOS, 2, "[ack|unack|silence|unsilence ID] [test] [-o FORMAT]",
		"what stands, from the database; who takes care of it",
		"Ends with 0 if nothing fires, 1 with a warning, 2 if something critical fires.\n"
		"--all lists what is over as well. -o nagios --passive prints a result for each machine, for\n"
		"Nagios' command file or send_nsca. ack says that somebody takes care of an alert, silence that\n"
		"nobody is told of it for a time; both ask the running agent. test sends one notification\n"
		"through each channel and says what came back.\n",
		"  lanewatch alerts\n"
		"  lanewatch alerts --database ./lw.db -o nagios\n"
		"  lanewatch alerts ack 17 --note \"drive is ordered\"\n"
		"  lanewatch alerts silence 17 --until +4h\n"
		"  lanewatch alerts test\n"},
	{"db", DB, FORMAT_TABLE | FORMAT_JSON | FORMAT_CSV | FORMAT_OPENMETRICS, 2,
		"check|backup FILE|restore FILE|stats|export [--database FILE]",
		"check, copy, put back and export the database",
		"check reads all of it and ends with 65 if something is damaged. backup writes a copy to a new\n"
		"file, also while the agent runs. restore puts a copy in its place, with the agent stopped; what\n"
		"was there is kept beside it. stats says how much of what is kept. export writes every point:\n"
		"a line a drive and poll (-o csv, or -o json: an object a line), or -o openmetrics for\n"
		"promtool tsdb create-blocks-from openmetrics.\n",
		"  lanewatch db check\n"
		"  lanewatch db backup /backup/lanewatch.db\n"
		"  lanewatch db export --since 7d > week.csv\n"
		"  lanewatch db export -o openmetrics > all.om\n"},
	{"replay", REPLAY, FORMAT_TABLE | FORMAT_JSON, 1, "DIR --database FILE [--config FILE]", "play a recording through the whole pipeline",
		"Plays all steps of a recording on its own clock, as fast as it can, into a database, and prints\n"
		"one JSON object a step: bays, targets, events, alerts, and what the channels would have been told.\n",
		"  lanewatch replay bundle --database /tmp/replay.db\n"
		"  lanewatch replay bundle --config ./lanewatch.conf --database /tmp/replay.db | jq .events\n"},
	{"capture", CAPTURE, 0, 0, "SOURCE --output DIR", "record what a BMC or this host answers, to be read again",
		"Reads every BMC, and with --local the drives of this machine, once and writes what was answered\n"
		"as a recording that every reading command takes with --recording. Serial numbers, tags, addresses and names are replaced, the same ones\n"
		"by the same ones. DIR must not exist yet.\n",
		"  lanewatch capture --url https://192.0.2.12 --username monitor --output bundle\n"
		"  lanewatch capture --local --output bundle\n"
		"  lanewatch verify --recording bundle\n"},
	{"ceiling", CEILING, FORMAT_TABLE | FORMAT_JSON | FORMAT_HTML, 0, "[SOURCE] [--claim RATE] [--fio FILE] [--measure] [--drives LIST]",
		"what the links can carry, and whether a claim can be true",
		"Reads every target once and shows what each drive, uplink and pool can carry at most.\n"
		"A claim, or the jobs of fio's JSON, are possible or impossible: above the links a figure did\n"
		"not come from the drives, below them nothing is proved. Ends with 64 for a claim without a\n"
		"unit, 65 for a file that is not fio's, 3 if nothing is known of the links.\n"
		"--measure reads each drive alone and then all together, with fio and without writing, and says\n"
		"which is slower than its neighbours and what holds all of them back. -o html is the\n"
		"commissioning report with these figures.\n",
		"  lanewatch ceiling --local\n"
		"  lanewatch ceiling --local --claim 157GB/s\n"
		"  lanewatch ceiling --local --measure --seconds 10\n"
		"  fio --output-format=json job.fio > result.json; lanewatch ceiling --local --fio result.json\n"
		"  lanewatch ceiling --recording bundle --drives nvme0,nvme1 --claim \"25 Gb/s\" -o json\n"},
	{"decode", DECODE, FORMAT_TABLE | FORMAT_JSON, 2, "KIND FILE [-o FORMAT]",
		"put a raw NVMe page into words",
		"Reads a page from a file (- for standard input), raw or as hexadecimal text, and asks no drive.\n"
		"KIND is smart, error, firmware, self-test, endurance-group, ocp-smart or identify.\n"
		"Ends with 65 if the file is no such page.\n",
		"  nvme smart-log /dev/nvme0 -o binary > smart.bin\n"
		"  lanewatch decode smart smart.bin\n"
		"  lanewatch decode identify nvme0/identify.hex -o json\n"},
	{"check-config", CHECK_CONFIG, FORMAT_TABLE | FORMAT_JSON, 0, "[--config FILE] [-o FORMAT]",
		"check the configuration and print what would be done",
		"Parses the configuration and the files that it includes, and reads nothing else.\n"
		"Ends with 0 if all of it is right, else with 78 and every error with file and line.\n",
		"  lanewatch check-config\n"
		"  lanewatch check-config --config ./lanewatch.conf -o json\n"},
	{"hash-password", HASH_PASSWORD, 0, 1, "NAME [--token]",
		"make a line for users_file, from a password or for a program",
		"Asks for a password (or reads a line from standard input) and prints NAME:HASH, a line for\n"
		"the file that users_file names. With --token it makes a token for a program, which may read\n"
		"only: the token goes to standard error, the line to standard output. Neither is kept.\n",
		"  lanewatch hash-password anna >> /etc/lanewatch/users\n"
		"  lanewatch hash-password --token prometheus >> /etc/lanewatch/users\n"},
};

static const struct usage *usage_find(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(usages); i++)
		if (strcmp(usages[i].name, name) == 0)
			return &usages[i];
	return NULL;
}

const char *options_command(size_t i)
{
	return i < COUNT_OF(usages) ? usages[i].name : NULL;
}

bool options_command_reads(const struct options *o)
{
	return o->command && usage_find(o->command)->bit & READING;
}

bool options_command_needs_file(const struct options *o)
{
	return o->command && usage_find(o->command)->bit & CHECK_CONFIG;
}

/* ---- options ---- */

enum group { GROUP_UNKNOWN = 0, GROUP_SOURCE, GROUP_POLICY, GROUP_OUTPUT, GROUP_OTHER, GROUP_HIDDEN };

enum kind { KIND_UNKNOWN = 0, KIND_TEXT, KIND_FLAG, KIND_COUNT, KIND_URL, KIND_FORMAT, KIND_NUMBER, KIND_REFUSED };

struct row {
	const char *name; /* without dashes; NULL: only the letter */
	int letter;	  /* 0: only the name */
	enum kind kind;
	size_t field; /* in struct options */
	unsigned commands;
	enum group group;
	const char *arg;  /* NULL: takes none */
	const char *help; /* KIND_REFUSED: what to do instead */
};

#define FIELD(f) offsetof(struct options, f)

static const struct row rows[] = {
	{"config", 0, KIND_TEXT, FIELD(config), EVERY & ~DECODE, GROUP_SOURCE, "FILE",
		"configuration (default /etc/lanewatch/lanewatch.conf)"},
	{"url", 0, KIND_URL, 0, READING, GROUP_SOURCE, "URL", "a BMC: host, host:port or https://host[:port]; repeatable"},
	{"username", 0, KIND_TEXT, FIELD(username), READING | ALERTS, GROUP_SOURCE, "NAME", "account on the BMC, for every --url"},
	{"password-file", 0, KIND_TEXT, FIELD(password_file), READING | ALERTS, GROUP_SOURCE, "FILE",
		"its password, on the first line; without it you are asked"},
	{"ca-file", 0, KIND_TEXT, FIELD(ca_file), READING | ALERTS, GROUP_SOURCE, "FILE", "certificates (PEM) that may sign the BMC's"},
	{"pin", 0, KIND_TEXT, FIELD(pin), READING | ALERTS, GROUP_SOURCE, "PIN", "sha256//BASE64 of the BMC's public key"},
	{"insecure", 0, KIND_FLAG, FIELD(insecure), READING | ALERTS, GROUP_SOURCE, NULL, "do not check the BMC's certificate"},
	{"allow-plaintext", 0, KIND_FLAG, FIELD(allow_plaintext), READING, GROUP_SOURCE, NULL,
		"send credentials over http to another machine"},
	{"no-expand", 0, KIND_FLAG, FIELD(no_expand), READING, GROUP_SOURCE, NULL, "never ask the BMC for $expand"},
	{"local", 0, KIND_FLAG, FIELD(local), READING, GROUP_SOURCE, NULL, "the NVMe drives of this machine"},
	{"recording", 0, KIND_TEXT, FIELD(recording), READING, GROUP_SOURCE, "DIR", "a recording: its last step"},
	{"database", 0, KIND_TEXT, FIELD(database), READING | STORED | STORING, GROUP_SOURCE, "FILE",
		"what the agent stores, or stored last"},
	{"rounds", 0, KIND_NUMBER, FIELD(rounds), RUN, GROUP_SOURCE, "N", "end after so many rounds"},
	{"since", 0, KIND_TEXT, FIELD(since), HISTORY | EVENTS | DB, GROUP_SOURCE, "TIME", "from then on: a time, a day, or 24h, 7d ago"},
	{"step", 0, KIND_TEXT, FIELD(step), HISTORY | DB, GROUP_SOURCE, "TIME", "one line for each 10m, 1h, 1d: last, least, greatest"},
	{"until", 0, KIND_TEXT, FIELD(until), HISTORY | EVENTS | DB | ALERTS, GROUP_SOURCE, "TIME", "up to then; a silence: +4h, +7d or a time"},
	{"by", 0, KIND_TEXT, FIELD(by), ALERTS, GROUP_SOURCE, "NAME", "who says so (default: you)"},
	{"note", 0, KIND_TEXT, FIELD(note), ALERTS, GROUP_SOURCE, "TEXT", "why"},
	{"passive", 0, KIND_FLAG, FIELD(passive), ALERTS, GROUP_OUTPUT, NULL, "-o nagios: passive results, one for each machine"},

	{"claim", 0, KIND_TEXT, FIELD(claim), CEILING, GROUP_SOURCE, "RATE", "a throughput with its unit: 157GB/s, 74.4GiB/s, 252Gb/s"},
	{"fio", 0, KIND_TEXT, FIELD(fio), CEILING, GROUP_SOURCE, "FILE", "what fio wrote with --output-format=json"},
	{"token", 0, KIND_FLAG, FIELD(token), HASH_PASSWORD, GROUP_SOURCE, NULL, "a token for a program, not a password"},
	{"drives", 0, KIND_TEXT, FIELD(drives), CEILING, GROUP_SOURCE, "LIST", "only these: controllers, serial numbers or bays, with commas"},

	{"measure", 0, KIND_FLAG, FIELD(measure), CEILING, GROUP_SOURCE, NULL, "read the drives of this machine with fio; nothing is written"},
	{"seconds", 0, KIND_NUMBER, FIELD(seconds), CEILING, GROUP_SOURCE, "N", "of each reading of --measure (default 5)"},

	{"expect", 0, KIND_TEXT, FIELD(expect), JUDGING, GROUP_POLICY, "LINK",
		"the link that bays must have: \"gen5 x4\", \"32 GT/s x4\", \"gen5\", \"x4\""},
	{"bays", 0, KIND_TEXT, FIELD(bays), JUDGING, GROUP_POLICY, "LIST",
		"the bays that --expect and --require-present mean: \"0-23,M.2-*\""},
	{"require-present", 0, KIND_FLAG, FIELD(require_present), JUDGING, GROUP_POLICY, NULL, "an empty bay is a fault"},

	{NULL, 'o', KIND_FORMAT, 0, EVERY & ~(RUN | CAPTURE), GROUP_OUTPUT, "FORMAT", NULL},
	{"output", 0, KIND_TEXT, FIELD(output_dir), CAPTURE, GROUP_OUTPUT, "DIR", "where the recording goes; made by the command"},
	{"all", 0, KIND_FLAG, FIELD(all), (READING & ~CAPTURE) | ALERTS, GROUP_OUTPUT, NULL, "every column of the table; alerts: those that are over"},
	{"no-color", 0, KIND_FLAG, FIELD(no_color), READING & ~CAPTURE, GROUP_OUTPUT, NULL, "no colours (nor with NO_COLOR set)"},

	{"verbose", 'v', KIND_COUNT, FIELD(verbose), EVERY | HASH_PASSWORD, GROUP_OTHER, NULL, "say more on standard error; twice: much more"},
	{"debug-core", 0, KIND_FLAG, FIELD(debug_core), EVERY | HASH_PASSWORD, GROUP_OTHER, NULL,
		"allow core files and debuggers (secrets are in memory)"},
	{"help", 'h', KIND_FLAG, FIELD(help), EVERY | HASH_PASSWORD, GROUP_OTHER, NULL, "this text"},
	{"version", 'V', KIND_FLAG, FIELD(version), EVERY | HASH_PASSWORD, GROUP_OTHER, NULL, "the version"},

	/* what people try, and what to do instead */
	{"password", 0, KIND_REFUSED, 0, EVERY | HASH_PASSWORD, GROUP_HIDDEN, "",
		"a password in the command line can be read by every user of this machine; "
		"write it to a file (chmod 600) and give --password-file FILE, or leave it out to be asked"},
	{"format", 0, KIND_REFUSED, 0, EVERY, GROUP_HIDDEN, "", "there is no --format; the format is chosen by -o FORMAT"},
	{"json", 0, KIND_REFUSED, 0, EVERY, GROUP_HIDDEN, NULL, "there is no --json; say -o json"},
	{"csv", 0, KIND_REFUSED, 0, EVERY, GROUP_HIDDEN, NULL, "there is no --csv; say -o csv"},
	{"host", 0, KIND_REFUSED, 0, EVERY, GROUP_HIDDEN, "", "there is no --host; name the BMC by --url URL"},
	{"no-verify", 0, KIND_REFUSED, 0, EVERY, GROUP_HIDDEN, NULL, "there is no --no-verify; say --insecure"},
	{NULL, 'k', KIND_REFUSED, 0, EVERY, GROUP_HIDDEN, NULL, "there is no -k; say --insecure"},
	{NULL, 'p', KIND_REFUSED, 0, EVERY, GROUP_HIDDEN, NULL,
		"there is no -p; write the password to a file (chmod 600) and give --password-file FILE, "
		"or leave it out to be asked"},
};

bool options_command_takes(const struct options *o, const char *option)
{
	for (size_t i = 0; i < COUNT_OF(rows) && o->command; i++)
		if (rows[i].name && strcmp(rows[i].name, option) == 0)
			return rows[i].commands & usage_find(o->command)->bit;
	return false;
}

/* What getopt_long gives for row i. */
enum { CODE_FIRST = 1000, LETTERS_MAX = 2 * COUNT_OF(rows) + 3 };

static const struct row *row_of_code(int code)
{
	if (code >= CODE_FIRST)
		return &rows[code - CODE_FIRST];
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].letter == code)
			return &rows[i];
	return NULL;
}

/* "--name" or "-o", as a person would type it. */
static const char *row_text(const struct row *r, char *out, size_t size)
{
	if (r->name)
		snprintf(out, size, "--%s", r->name);
	else
		snprintf(out, size, "-%c", r->letter);
	return out;
}

static void getopt_tables(struct option *longs, char *letters)
{
	size_t n = 0, k = 0;

	/* "-": in order, whatever POSIXLY_CORRECT says; ":": a missing argument is told apart */
	letters[k++] = '-';
	letters[k++] = ':';
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct row *r = &rows[i];

		if (r->name)
			longs[n++] = (struct option){r->name,
				r->arg ? required_argument : no_argument, NULL,
				CODE_FIRST + (int)i};
		if (r->letter) {
			letters[k++] = (char)r->letter;
			if (r->arg)
				letters[k++] = ':';
		}
	}
	longs[n] = (struct option){NULL, 0, NULL, 0};
	letters[k] = '\0';
}

/* ---- formats ---- */

static const char *const format_words[] = {
	[OUTPUT_DEFAULT] = "",
	[OUTPUT_TABLE] = "table",
	[OUTPUT_JSON] = "json",
	[OUTPUT_CSV] = "csv",
	[OUTPUT_NAGIOS] = "nagios",
	[OUTPUT_HTML] = "html",
	[OUTPUT_OPENMETRICS] = "openmetrics",
};

/* "table, json or csv" */
static void formats_text(unsigned formats, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < COUNT_OF(format_words); i++) {
		unsigned later = formats >> (i + 1);

		if (formats & 1u << i)
			n += (size_t)snprintf(out + n, n < size ? size - n : 0, "%s%s",
				format_words[i],
				!later                ? "" :
				(later & (later - 1)) ? ", " :
							" or ");
	}
}

/* Which format is meant is checked when the command is known. */
static int set_format(struct options *o, const char *word, struct err *e)
{
	char formats[64];

	for (size_t i = OUTPUT_TABLE; i < COUNT_OF(format_words); i++)
		if (strcmp(format_words[i], word) == 0) {
			o->output = (enum output)i;
			return 0;
		}
	formats_text(FORMATS_ALL | FORMAT_OPENMETRICS, formats, sizeof formats);
	return err_set(e, "no format '%s' for -o; there are %s", word, formats);
}

/* ---- parsing ---- */

static void *field(struct options *o, const struct row *r)
{
	return (char *)o + r->field;
}

static void add_url(struct options *o, const char *url)
{
	o->urls = mem_grow(o->urls, o->n_urls, sizeof *o->urls);
	o->urls[o->n_urls++] = url;
}

static int take(struct options *o, const struct row *r, const char *arg, struct err *e)
{
	int64_t number;
	char text[48];

	if (r->arg && r->kind != KIND_REFUSED && !arg[0])
		return err_set(e, "%s needs a %s and got nothing",
			row_text(r, text, sizeof text), r->arg);
	switch (r->kind) {
	case KIND_TEXT:
		*(const char **)field(o, r) = arg;
		return 0;
	case KIND_FLAG:
		*(bool *)field(o, r) = true;
		return 0;
	case KIND_COUNT:
		++*(int *)field(o, r);
		return 0;
	case KIND_URL:
		add_url(o, arg);
		return 0;
	case KIND_FORMAT:
		return set_format(o, arg, e);
	case KIND_NUMBER:
		if (!str_to_int(arg, 1, 1000000, &number))
			return err_set(e, "%s needs a number from 1 to 1000000", row_text(r, text, sizeof text));
		*(int *)field(o, r) = (int)number;
		return 0;
	case KIND_REFUSED:
		return err_set(e, "%s", r->help);
	case KIND_UNKNOWN:
		break;
	}
	return -1;
}

/* The word that is meant: one that begins like this, else the one with the fewest differences. */
static const char *meant(const char *word, const char *const *words)
{
	for (size_t i = 0; words[i]; i++)
		if (word[0] && str_starts(words[i], word))
			return words[i];
	return str_nearest(word, words);
}

/* The text may hold anything that was typed, so only what is printable of it is repeated. */
static int refuse_word(const char *what, const char *word, const char *const *words,
	const char *dashes, struct err *e)
{
	const char *near = meant(word, words);
	char clean[64];

	str_clean(clean, sizeof clean, word);
	if (near)
		return err_set(e, "no %s '%s%s'; did you mean %s%s?", what, dashes, clean,
			dashes, near);
	return err_set(e, "no %s '%s%s'; see lanewatch --help", what, dashes, clean);
}

static int refuse_option(const char *given, struct err *e)
{
	const char *names[COUNT_OF(rows) + 1];
	char name[64];
	size_t n = 0;

	if (optopt && optopt < CODE_FIRST)
		return err_set(e, "no option '-%c'; see lanewatch --help", optopt);
	if (optopt)
		return err_set(e, "--%s takes no value", rows[optopt - CODE_FIRST].name);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].name && rows[i].group != GROUP_HIDDEN)
			names[n++] = rows[i].name;
	names[n] = NULL;
	str_copy(name, sizeof name, given + strspn(given, "-"));
	name[strcspn(name, "=")] = '\0';
	return refuse_word("option", name, names, "--", e);
}

static int refuse_command(const char *given, struct err *e)
{
	const char *names[COUNT_OF(usages) + 1] = {NULL};

	for (size_t i = 0; i < COUNT_OF(usages); i++)
		names[i] = usages[i].name;
	return refuse_word("command", given, names, "", e);
}

/* A word that is no option: the command, then its arguments. */
static int take_word(struct options *o, char *word, struct err *e)
{
	if (!o->command && strcmp(word, "help") == 0) {
		o->help = true;
		return 0;
	}
	if (!o->command) {
		if (!usage_find(word))
			return refuse_command(word, e);
		o->command = word;
		return 0;
	}
	o->args = mem_grow(o->args, o->n_args, sizeof *o->args);
	o->args[o->n_args++] = word;
	return 0;
}

static int parse_words(
	struct options *o, bool *given, int argc, char **argv, struct err *e)
{
	struct option longs[COUNT_OF(rows) + 1];
	char letters[LETTERS_MAX];
	int code;

	getopt_tables(longs, letters);
	opterr = 0;
	optind = 0; /* glibc: start afresh */
	while ((code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		const struct row *r;
		char text[48];

		if (code == 1) {
			if (take_word(o, optarg, e))
				return -1;
			continue;
		}
		if (code == '?')
			return refuse_option(argv[optind - 1], e);
		r = row_of_code(code == ':' ? optopt : code);
		if (code == ':' && r->kind != KIND_REFUSED)
			return err_set(e, "%s needs a %s", row_text(r, text, sizeof text),
				r->arg);
		if (take(o, r, optarg ? optarg : "", e))
			return -1;
		given[r - rows] = true;
	}
	while (optind < argc) /* behind "--" */
		if (take_word(o, argv[optind++], e))
			return -1;
	return 0;
}

/* ---- what fits together ---- */

static int check_command(
	const struct options *o, const bool *given, const struct usage *u, struct err *e)
{
	char text[48], formats[64], clean[64];

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (given[i] && !(rows[i].commands & u->bit))
			return err_set(e, "%s does not take %s; see lanewatch %s --help",
				u->name, row_text(&rows[i], text, sizeof text), u->name);
	if (o->output != OUTPUT_DEFAULT && !(u->formats & 1u << o->output)) {
		formats_text(u->formats, formats, sizeof formats);
		return err_set(e, "%s does not print %s; it prints %s", u->name,
			format_words[o->output], formats);
	}
	if (o->n_args > (size_t)u->n_args_max) {
		str_clean(clean, sizeof clean, o->args[u->n_args_max]);
		return err_set(e, "%s takes no argument '%s'%s%s", u->name, clean,
			u->bit & READING ? "; a BMC is named by --url " : "",
			u->bit & READING ? clean : "");
	}
	return 0;
}

/* The first of the options that say how to speak to a --url, NULL if none was given. */
static const char *access_option(const struct options *o)
{
	return o->username        ? "--username" :
	       o->password_file   ? "--password-file" :
	       o->ca_file         ? "--ca-file" :
	       o->pin             ? "--pin" :
	       o->insecure        ? "--insecure" :
	       o->allow_plaintext ? "--allow-plaintext" :
	       o->no_expand       ? "--no-expand" :
				    NULL;
}

static int check_sources(const struct options *o, struct err *e)
{
	const char *access = access_option(o);
	int n = (o->n_urls || o->local) + !!o->recording + !!o->database;

	if (access && !o->n_urls)
		return err_set(e,
			"%s tells how to reach a --url, and none is given "
			"(in the configuration each target says it for itself)",
			access);
	if (o->password_file && !o->username)
		return err_set(
			e, "--password-file without --username: whose password is it?");
	if (o->insecure && o->ca_file)
		return err_set(e,
			"--ca-file and --insecure: the certificate is either checked or not; leave one out");
	if (n > 1)
		return err_set(e,
			"%s and %s are two sources at once; only --url and --local go together",
			o->recording ? "--recording" : "--database",
			o->n_urls ? "--url" :
			o->local  ? "--local" :
				    "--database");
	if (o->bays && !o->expect && !o->require_present)
		return err_set(e,
			"--bays says which bays are meant; say what of them with --expect LINK or --require-present");
	return 0;
}

int options_parse(struct options *o, int argc, char **argv, struct err *e)
{
	bool given[COUNT_OF(rows)] = {false};

	*o = (struct options){0};
	if (parse_words(o, given, argc, argv, e))
		return -1;
	if (o->help || o->version || !o->command)
		return 0;
	if (check_command(o, given, usage_find(o->command), e))
		return -1;
	return check_sources(o, e);
}

void options_release(struct options *o)
{
	free(o->urls);
	free(o->args);
	*o = (struct options){0};
}

/* ---- help ---- */

static void help_row(const struct row *r, const struct usage *u)
{
	char letter[8] = "    ", left[64], formats[64];
	const char *help = r->help;

	if (r->letter)
		snprintf(letter, sizeof letter, "-%c%s", r->letter, r->name ? ", " : " ");
	snprintf(left, sizeof left, "%s%s%s%s%s", letter, r->name ? "--" : "",
		r->name ? r->name : "", r->name && r->arg ? " " : "", r->arg ? r->arg : "");
	if (r->kind == KIND_FORMAT) {
		formats_text(u->formats, formats, sizeof formats);
		help = formats;
	}
	printf("  %-26s %s\n", left, help);
}

static void help_group(enum group g, const char *title, const struct usage *u)
{
	bool any = false;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (rows[i].group != g || !(rows[i].commands & u->bit))
			continue;
		if (!any)
			printf("\n%s\n", title);
		any = true;
		help_row(&rows[i], u);
	}
}

static void help_program(void)
{
	printf("lanewatch: PCIe links, wear and health of NVMe drives, from BMCs and from this machine\n\n"
	       "usage: lanewatch COMMAND [OPTION...]\n\n");
	for (size_t i = 0; i < COUNT_OF(usages); i++)
		printf("  %-14s %s\n", usages[i].name, usages[i].summary);
	printf("\nExamples:\n"
	       "  lanewatch verify --url https://192.0.2.12 --username monitor --expect \"gen5 x4\"\n"
	       "  lanewatch wear --local\n"
	       "\n`lanewatch COMMAND --help` tells the options of a command, `lanewatch --version` the version.\n"
	       "More: man 8 lanewatch, man 5 lanewatch.conf\n");
}

void options_help(const char *command)
{
	const struct usage *u = command ? usage_find(command) : NULL;

	if (!u) {
		help_program();
		return;
	}
	printf("lanewatch %s: %s\n\nusage: lanewatch %s %s\n\n%s", u->name, u->summary,
		u->name, u->args, u->about);
	help_group(GROUP_SOURCE, "Where from:", u);
	help_group(GROUP_POLICY, "What is expected:", u);
	help_group(GROUP_OUTPUT, "What is printed:", u);
	help_group(GROUP_OTHER, "Other:", u);
	printf("\nExamples:\n%s", u->examples);
}
