/* SPDX-License-Identifier: MIT */
/*
 * Options, their table and their help.
 */
#include "tests/simbmc/options.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/simbmc/mockup.h"
#include "tests/simbmc/util.h"

#include <arpa/inet.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
	OPTION_UNKNOWN = 0,
	OPTION_CHASSIS,
	OPTION_MOCKUP,
	OPTION_BAYS,
	OPTION_FAULT,
	OPTION_LICENSE,
	OPTION_BIND,
	OPTION_PORT,
	OPTION_INSTANCES,
	OPTION_AUTH,
	OPTION_USER,
	OPTION_PASSWORD,
	OPTION_PASSWORD_FILE,
	OPTION_MAX_SESSIONS,
	OPTION_SESSION_TIMEOUT,
	OPTION_TLS,
	OPTION_CERT_OUT,
	OPTION_PIN_OUT,
	OPTION_CERT_NAMES,
	OPTION_CERT_DAYS,
	OPTION_TLS_PRIORITY,
	OPTION_NO_EXPAND,
	OPTION_EXPAND_IGNORED,
	OPTION_EXPAND_TRUNCATED,
	OPTION_PAGE,
	OPTION_LATENCY,
	OPTION_LOG,
	OPTION_RULES,
	OPTION_SSE,
	OPTION_TELEMETRY,
	OPTION_STDIN,
	OPTION_STRICT,
	OPTION_HELP,
	OPTION_VERSION,
};

static const struct option_row {
	const char *name;
	enum option_id id;
	const char *value;	/* NULL: takes none */
	const char *help;
} rows[] = {
	{"chassis", OPTION_CHASSIS, "NAME", "simulate this server (below)"},
	{"bays", OPTION_BAYS, "N", "with so many drive bays instead of its own"},
	{"fault", OPTION_FAULT, "TEXT", "\"bay 7 width 2\" and the like (below); repeatable"},
	{"license", OPTION_LICENSE, NULL, "Dell: answer the SMART resources instead of LIC501"},
	{"mockup", OPTION_MOCKUP, "DIR", "serve a DMTF mockup folder instead of a chassis"},
	{"bind", OPTION_BIND, "ADDRESS", "listen on this address of 127.0.0.0/8 [127.0.0.1]"},
	{"port", OPTION_PORT, "N", "listen on this port; 0 takes a free one [0]"},
	{"instances", OPTION_INSTANCES, "N", "so many independent BMCs, ports P to P+N-1 [1]"},
	{"auth", OPTION_AUTH, "KIND", "none, session, basic or either [either]"},
	{"user", OPTION_USER, "NAME", "the account [root]"},
	{"password-file", OPTION_PASSWORD_FILE, "FILE", "its password: the file's first line"},
	{"password", OPTION_PASSWORD, "TEXT", "its password, for all to see [calvin]"},
	{"max-sessions", OPTION_MAX_SESSIONS, "N", "more logins are answered 503, RAC0218 [8]"},
	{"session-timeout", OPTION_SESSION_TIMEOUT, "S", "of disuse end a session; 0: never [1800]"},
	{"tls", OPTION_TLS, NULL, "https with a certificate made at start"},
	{"cert-out", OPTION_CERT_OUT, "FILE", "write the certificate there, as PEM"},
	{"pin-out", OPTION_PIN_OUT, "FILE", "write the public key's pin there, sha256//..."},
	{"cert-names", OPTION_CERT_NAMES, "A,B", "its names [127.0.0.1,localhost]"},
	{"cert-days", OPTION_CERT_DAYS, "N", "days it is valid; -1: it expired yesterday [30]"},
	{"tls-priority", OPTION_TLS_PRIORITY, "TEXT", "a GnuTLS priority string"},
	{"no-expand", OPTION_NO_EXPAND, NULL, "$expand is neither declared nor known"},
	{"expand-ignored", OPTION_EXPAND_IGNORED, NULL, "$expand is declared and ignored"},
	{"expand-truncated", OPTION_EXPAND_TRUNCATED, NULL,
		"$expand loses the last of each list"},
	{"page", OPTION_PAGE, "N", "collections come in pages of N members"},
	{"latency", OPTION_LATENCY, "MS", "each answer waits so long"},
	{"log", OPTION_LOG, "FILE", "one JSON line for each request"},
	{"rules", OPTION_RULES, "FILE", "play these answers (lanewatch-simbmc(8))"},
	{"sse", OPTION_SSE, NULL, "offer an event stream"},
	{"telemetry", OPTION_TELEMETRY, "S", "offer reports of all drives, made every S seconds"},
	{"stdin", OPTION_STDIN, NULL, "each line on standard input is a fault that comes now"},
	{"strict", OPTION_STRICT, NULL, "end with status 3 if anything tried to write"},
	{"help", OPTION_HELP, NULL, "this text"},
	{"version", OPTION_VERSION, NULL, "the version"},
};

#define N_ROWS (sizeof rows / sizeof *rows)

static void print_help(void)
{
	const struct chassis_desc *d;

	puts("Usage: lanewatch-simbmc --chassis NAME | --mockup DIR [OPTION]...\n"
	     "A simulated BMC that speaks Redfish on the loopback interface.\n"
	     "When it is ready it prints one line, \"ready URL...\"; SIGTERM ends it.\n");
	for (size_t i = 0; i < N_ROWS; i++)
		printf("  --%-16s %-8s %s\n", rows[i].name, rows[i].value ? rows[i].value : "",
			rows[i].help);
	puts("\nServers:");
	for (size_t i = 0; (d = chassis_at(i)); i++)
		printf("  %-10s %s\n", d->name, d->what);
	puts("\nFaults: [instance K] bay N|boot N, then one of\n"
	     "  width LANES, speed GT/s, link unknown, present, drive-width, drive-speed, slot-width,\n"
	     "  slot-speed, absent, wear PERCENT-USED, spare PERCENT, temp C, status HTTP,\n"
	     "  health ok|warning|critical, model TEXT, serial TEXT, firmware TEXT");
}

static unsigned read_unsigned(const char *name, const char *value, int64_t min, int64_t max)
{
	int64_t v;

	if (!str_to_int(value, min, max, &v))
		fail(SIM_EX_USAGE, "--%s: \"%s\" is no number from %lld to %lld", name, value,
			(long long)min, (long long)max);
	return (unsigned)v;
}

static void add_fault(struct options *o, const char *text)
{
	struct err e;
	struct fault f;

	if (fault_parse(text, &f, &e) < 0)
		fail(SIM_EX_USAGE, "--fault %s", e.text);
	o->faults = mem_grow(o->faults, o->n_faults, sizeof *o->faults);
	o->faults[o->n_faults++] = f;
}

static enum auth_mode read_auth(const char *value)
{
	static const struct {
		const char *name;
		enum auth_mode mode;
	} kinds[] = {
		{"none", AUTH_NONE},
		{"session", AUTH_SESSION},
		{"basic", AUTH_BASIC},
		{"either", AUTH_EITHER},
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (!strcmp(kinds[i].name, value))
			return kinds[i].mode;
	}
	fail(SIM_EX_USAGE, "--auth: \"%s\" is none of none, session, basic, either", value);
}

static void read_chassis(struct options *o, const char *name)
{
	o->chassis = chassis_find(name);
	if (!o->chassis)
		fail(SIM_EX_USAGE, "--chassis: there is no \"%s\"; see --help for the servers",
			name);
}

static void read_mockup(struct options *o, const char *dir)
{
	struct err e;

	free(o->mockup);
	o->mockup = mockup_find(dir, &e);
	if (!o->mockup)
		fail(SIM_EX_USAGE, "--mockup %s", e.text);
}

static void set_text(char **text, char *value)
{
	mem_wipe_free(*text);
	*text = value;
}

static void read_password_file(struct options *o, const char *path)
{
	struct err e;
	char *password = file_secret_take(path, &e);

	if (!password)
		fail(SIM_EX_USAGE, "--password-file: %s", e.text);
	set_text(&o->password, password);
}

static void read_bind(struct options *o, const char *value)
{
	struct in_addr a;

	if (inet_pton(AF_INET, value, &a) != 1 || ntohl(a.s_addr) >> 24 != 127)
		fail(SIM_EX_USAGE, "--bind: \"%s\" is no address of 127.0.0.0/8", value);
	o->bind = value;
}

static void read_days(struct options *o, const char *value)
{
	int64_t v;

	if (!str_to_int(value, -3650, 3650, &v))
		fail(SIM_EX_USAGE, "--cert-days: \"%s\" is no number of days", value);
	o->cert_days = (int)v;
}

static void read_row(struct options *o, const struct option_row *row, char *value)
{
	switch (row->id) {
	case OPTION_CHASSIS:
		read_chassis(o, value);
		break;
	case OPTION_MOCKUP:
		read_mockup(o, value);
		break;
	case OPTION_BAYS:
		o->bays = read_unsigned(row->name, value, 1, MACHINE_BAYS_MAX);
		break;
	case OPTION_FAULT:
		add_fault(o, value);
		break;
	case OPTION_LICENSE:
		o->licensed = true;
		break;
	case OPTION_BIND:
		read_bind(o, value);
		break;
	case OPTION_PORT:
		o->port = (uint16_t)read_unsigned(row->name, value, 0, 65535);
		break;
	case OPTION_INSTANCES:
		o->instances = read_unsigned(row->name, value, 1, INSTANCES_MAX);
		break;
	case OPTION_AUTH:
		o->auth = read_auth(value);
		o->auth_given = true;
		break;
	case OPTION_USER:
		set_text(&o->user, mem_text(value));
		break;
	case OPTION_PASSWORD:
		set_text(&o->password, mem_text(value));
		break;
	case OPTION_PASSWORD_FILE:
		read_password_file(o, value);
		break;
	case OPTION_MAX_SESSIONS:
		o->max_sessions = read_unsigned(row->name, value, 0, 100000);
		break;
	case OPTION_SESSION_TIMEOUT:
		o->session_timeout_s = read_unsigned(row->name, value, 0, 1000000);
		break;
	case OPTION_TLS:
		o->tls = true;
		break;
	case OPTION_CERT_OUT:
		o->cert_out = value;
		break;
	case OPTION_PIN_OUT:
		o->pin_out = value;
		break;
	case OPTION_CERT_NAMES:
		o->cert_names = value;
		break;
	case OPTION_CERT_DAYS:
		read_days(o, value);
		break;
	case OPTION_TLS_PRIORITY:
		o->tls_priority = value;
		break;
	case OPTION_NO_EXPAND:
		o->no_expand = true;
		break;
	case OPTION_EXPAND_IGNORED:
		o->expand_ignored = true;
		break;
	case OPTION_EXPAND_TRUNCATED:
		o->expand_truncated = true;
		break;
	case OPTION_PAGE:
		o->page_size = read_unsigned(row->name, value, 1, 1000000);
		break;
	case OPTION_LATENCY:
		o->latency_ms = read_unsigned(row->name, value, 0, 600000);
		break;
	case OPTION_LOG:
		o->log = value;
		break;
	case OPTION_RULES:
		o->rules = value;
		break;
	case OPTION_SSE:
		o->sse = true;
		break;
	case OPTION_TELEMETRY:
		o->telemetry = true;
		o->telemetry_s = read_unsigned(row->name, value, 0, 1000000);
		break;
	case OPTION_STDIN:
		o->from_stdin = true;
		break;
	case OPTION_STRICT:
		o->strict = true;
		break;
	case OPTION_HELP:
		print_help();
		exit(0);
	case OPTION_VERSION:
		puts("lanewatch-simbmc " PACKAGE_VERSION);
		exit(0);
	case OPTION_UNKNOWN:
		break;
	}
}

/* A fault has to fit the chassis, whichever came first on the command line. */
static void check_faults(const struct options *o)
{
	struct machine *m = mem_new(1, sizeof *m);
	struct err e;

	for (size_t i = 0; i < o->n_faults; i++) {
		const struct fault *f = &o->faults[i];

		if (f->instance > o->instances)
			fail(SIM_EX_USAGE, "--fault: there is no instance %u", f->instance);
		machine_init(m, o->chassis, f->instance ? f->instance : 1, o->bays);
		if (machine_apply(m, f, 1, &e) < 0)
			fail(SIM_EX_USAGE, "--fault: %s", e.text);
	}
	free(m);
}

/* What one option cannot see alone. */
static void check_whole(const struct options *o)
{
	if (!o->chassis == !o->mockup)
		fail(SIM_EX_USAGE, "say what to simulate: --chassis NAME or --mockup DIR");
	if (o->mockup && (o->n_faults || o->bays || o->licensed || o->telemetry))
		fail(SIM_EX_USAGE, "--fault, --bays, --license and --telemetry go with --chassis");
	if (o->chassis)
		check_faults(o);
	if (!o->tls && (o->cert_out || o->pin_out))
		fail(SIM_EX_USAGE, "--cert-out and --pin-out go with --tls");
	if (o->port && o->port + o->instances - 1 > 65535)
		fail(SIM_EX_USAGE, "--port: %u ports do not fit above %u", o->instances,
			o->port);
}

void options_read(struct options *o, int argc, char **argv)
{
	struct option longs[N_ROWS + 1] = {0};
	int c;

	*o = (struct options){
		.bind = "127.0.0.1",
		.instances = 1,
		.auth = AUTH_EITHER,
		.user = mem_text("root"),
		.password = mem_text("calvin"),
		.max_sessions = 8,
		.session_timeout_s = 1800,
		.cert_days = 30,
	};
	for (size_t i = 0; i < N_ROWS; i++)
		longs[i] = (struct option){
			.name = rows[i].name,
			.has_arg = rows[i].value ? required_argument : no_argument,
			.val = (int)rows[i].id,
		};
	opterr = 0;
	while ((c = getopt_long(argc, argv, ":", longs, NULL)) != -1) {
		if (c == '?')
			fail(SIM_EX_USAGE, "%s is no option; see --help", argv[optind - 1]);
		if (c == ':')
			fail(SIM_EX_USAGE, "%s wants a value", argv[optind - 1]);
		for (size_t i = 0; i < N_ROWS; i++) {
			if ((int)rows[i].id == c)
				read_row(o, &rows[i], optarg);
		}
	}
	if (optind < argc)
		fail(SIM_EX_USAGE, "\"%s\" is no option; see --help", argv[optind]);
	check_whole(o);
}

void options_release(struct options *o)
{
	free(o->mockup);
	free(o->faults);
	mem_wipe_free(o->user);
	mem_wipe_free(o->password);
	*o = (struct options){0};
}
