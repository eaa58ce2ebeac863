/* SPDX-License-Identifier: MIT */
/*
 * Configurations: the files in tests/fixtures/config, the example that is installed, and
 * short ones written here.  A bad file says at its end what must be said of it: "#! LINE: MESSAGE".
 */
#include "agent/config.h"
#include "agent/config_keys.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { PATH_SIZE = 512, TEXT_SIZE = 8192 };

/* ---- helpers ---- */

static const char *source(const char *name, char *out)
{
	const char *srcdir = getenv("srcdir");

	snprintf(out, PATH_SIZE, "%s/%s", srcdir ? srcdir : "..", name);
	return out;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)st;
	(void)flag;
	(void)at;
	return remove(path);
}

static void remove_folder(void);

/* A folder of this test alone (each runs in a process of its own); gone when it ends. */
static const char *folder(void)
{
	static char path[PATH_SIZE];

	if (!path[0]) {
		snprintf(path, sizeof path, "%s/lanewatch-config.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
		ck_assert_ptr_nonnull(mkdtemp(path));
		atexit(remove_folder);
	}
	return path;
}

static void remove_folder(void)
{
	nftw(folder(), remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void write_file(const char *name, const char *text)
{
	char path[PATH_SIZE * 2];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder(), name);
	for (char *slash = strchr(path + strlen(folder()) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	fclose(f);
}

static int load_file(struct config *c, const char *path, const char *command)
{
	const struct options o = {.command = command, .config = path};

	return config_load(c, &o);
}

static int load_text(struct config *c, const char *text)
{
	char path[PATH_SIZE * 2];

	write_file("lanewatch.conf", text);
	snprintf(path, sizeof path, "%s/lanewatch.conf", folder());
	return load_file(c, path, "check-config");
}

/* All errors, as "LINE: MESSAGE" each in a line of its own. */
static const char *errors_text(const struct config *c, char *out)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < c->n_errors && n < TEXT_SIZE; i++)
		n += (size_t)snprintf(out + n, TEXT_SIZE - n, "%d: %s\n", c->errors[i].line, c->errors[i].message);
	return out;
}

static void must_load(struct config *c, const char *text)
{
	char errors[TEXT_SIZE];

	if (load_text(c, text))
		ck_abort_msg("%s\n%s", text, errors_text(c, errors));
}

static const struct target_config *target(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->n_targets; i++)
		if (strcmp(c->targets[i].name, name) == 0)
			return &c->targets[i];
	ck_abort_msg("no target %s", name);
	return NULL;
}

/* ---- files ---- */

/* What a bad file says of itself. */
static void expected_text(const char *path, char *out)
{
	char line[1024];
	FILE *f = fopen(path, "r");
	size_t n = 0;

	ck_assert_ptr_nonnull(f);
	out[0] = '\0';
	while (fgets(line, sizeof line, f) && n < TEXT_SIZE)
		if (str_starts(line, "#! "))
			n += (size_t)snprintf(out + n, TEXT_SIZE - n, "%s", line + 3);
	fclose(f);
	ck_assert_msg(n > 0, "%s expects nothing", path);
}

START_TEST(everything_wrong_in_a_file_is_said_with_its_line)
{
	char dir[PATH_SIZE], path[PATH_SIZE * 2], expected[TEXT_SIZE], got[TEXT_SIZE];
	struct dirent *entry;
	int n = 0;
	DIR *d = opendir(source("tests/fixtures/config/bad", dir));

	ck_assert_ptr_nonnull(d);
	while ((entry = readdir(d))) {
		struct config c;

		if (!str_ends(entry->d_name, ".conf"))
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, entry->d_name);
		expected_text(path, expected);
		ck_assert_int_eq(load_file(&c, path, "check-config"), -1);
		ck_assert_str_eq(errors_text(&c, got), expected);
		ck_assert_str_eq(c.errors[0].file, path);
		ck_assert_int_eq(c.status, EX_CONFIG);
		config_release(&c);
		n++;
	}
	closedir(d);
	ck_assert_int_ge(n, 4);
}
END_TEST

START_TEST(the_example_that_is_installed_is_right)
{
	char path[PATH_SIZE], got[TEXT_SIZE];
	struct config c;

	if (load_file(&c, source("schemas/config/lanewatch.conf.example", path), "verify"))
		ck_abort_msg("%s", errors_text(&c, got));
	ck_assert_uint_ge(c.n_targets, 1);
	config_release(&c);
}
END_TEST

START_TEST(every_value_reaches_its_field)
{
	char path[PATH_SIZE], want[PATH_SIZE * 2], got[TEXT_SIZE];
	const struct target_config *t;
	struct config c;

	if (load_file(&c, source("tests/fixtures/config/good/fleet.conf", path), "verify"))
		ck_abort_msg("%s", errors_text(&c, got));
	ck_assert_str_eq(c.database, "/srv/lanewatch/store.db");
	ck_assert_str_eq(c.listen, "[::1]:9300");
	ck_assert_int_eq(c.poll_interval_ms, 300000);
	ck_assert_uint_eq(c.n_files, 3);
	ck_assert_uint_eq(c.n_targets, 9);

	t = target(&c, "r7725xd-01");
	ck_assert_int_eq(t->kind, TARGET_REDFISH);
	ck_assert_str_eq(t->url, "https://192.0.2.12");
	ck_assert_str_eq(t->host, "srv1.example.net");
	ck_assert_str_eq(t->username, "monitor");
	snprintf(want, sizeof want, "%.*s/r7725xd-01.pass", (int)(strlen(path) - strlen("/fleet.conf")), path);
	ck_assert_str_eq(t->password_file, want);
	ck_assert_str_eq(t->ca_file, "/etc/lanewatch/ca.pem");
	ck_assert_uint_eq(c.requests_at_once, 64);
	ck_assert_uint_eq(t->requests_at_once, 1);
	ck_assert(t->no_expand && !t->tls_insecure && !t->allow_plaintext && !t->pin);

	t = target(&c, "pinned");
	ck_assert_str_eq(t->url, "https://bmc2.example.net:8443");
	ck_assert_str_eq(t->host, "pinned");
	ck_assert_ptr_nonnull(t->pin);
	ck_assert(!t->no_expand && !t->username);

	ck_assert_int_eq(target(&c, "local")->kind, TARGET_NVME);
	ck_assert_int_eq(target(&c, "pools")->kind, TARGET_ZFS);
	ck_assert_str_eq(target(&c, "pools")->host, "local");
	ck_assert_int_eq(target(&c, "past")->kind, TARGET_REPLAY);
	ck_assert(str_ends(target(&c, "past")->path, "/good/recordings/0131"));
	ck_assert_str_eq(target(&c, "lab")->username, "a b\"c");
	ck_assert(target(&c, "lab")->allow_plaintext);
	ck_assert(str_ends(target(&c, "one")->password_file, "/good/targets.d/one.pass"));

	ck_assert_double_eq(c.policies.wear.warning_percent, 70.5);
	ck_assert_double_eq(c.policies.wear.critical_percent, 100);
	ck_assert_uint_eq(c.n_notifies, 2);
	ck_assert_int_eq(c.notifies[0].type, NOTIFY_ALERTMANAGER);
	ck_assert_int_eq(c.notifies[1].type, NOTIFY_WEBHOOK);
	ck_assert_str_eq(c.notifies[1].url, "https://hooks.example.net/lanewatch?team=storage");
	ck_assert_uint_eq(c.policies.n_cards, 1);
	ck_assert_uint_eq(c.policies.cards[0].bays.n, 4);
	ck_assert_double_eq(policy_model_find(&c.policies, "Acme 15T")->rated_tbw, 7000);
	ck_assert_double_eq(policy_model_find(&c.policies, "Acme 15T")->rated_dwpd, 0.8);
	config_release(&c);
}
END_TEST

START_TEST(a_string_is_a_list_with_commas_and_an_element_of_a_list_is_one_name)
{
	char path[PATH_SIZE];
	struct config c;

	ck_assert_int_eq(load_file(&c, source("tests/fixtures/config/good/fleet.conf", path), "verify"), 0);
	ck_assert_str_eq(policy_find(&c.policies, "r7725xd-07", "23")->name, "front bays");
	ck_assert_str_eq(policy_find(&c.policies, "pinned", "0")->name, "front bays");
	ck_assert_str_eq(policy_find(&c.policies, "pinned", "24")->name, "default");
	ck_assert_str_eq(policy_find(&c.policies, "lab", "5-1,5-2")->name, "odd");
	ck_assert_str_eq(policy_find(&c.policies, "lab", "5-1")->name, "default");
	ck_assert_str_eq(policy_find(&c.policies, "lab", "M.2-7")->name, "odd");
	ck_assert_str_eq(policy_find(&c.policies, "two", "1")->name, "two");
	ck_assert(!policy_find(&c.policies, "lab", "BOSS-1")->has_expect);
	ck_assert_str_eq(c.policies.cards[0].bays.items[3], "5-4");
	config_release(&c);
}
END_TEST

START_TEST(an_empty_file_gives_what_the_manual_calls_defaults)
{
	static const char *const names[] = {"empty.conf", "comment.conf"};

	for (size_t i = 0; i < COUNT(names); i++) {
		char path[PATH_SIZE], name[PATH_SIZE];
		struct config c;

		snprintf(name, sizeof name, "tests/fixtures/config/good/%s", names[i]);
		ck_assert_int_eq(load_file(&c, source(name, path), "check-config"), 0);
		ck_assert_str_eq(c.database, "/var/lib/lanewatch/lanewatch.db");
		ck_assert_str_eq(c.listen, "127.0.0.1:9288");
		ck_assert_int_eq(c.poll_interval_ms, 60000);
		ck_assert_double_eq(c.policies.wear.warning_percent, 80);
		ck_assert_uint_eq(c.n_targets, 0);
		config_release(&c);
	}
}
END_TEST

/* ---- short texts ---- */

static const struct {
	const char *text, *says; /* all that is said, lines ended by newlines */
} short_bad[] = {
	{"listen = \"9\"\n/* no end", "1: listen: '9' is not ADDRESS:PORT, as in 127.0.0.1:9288 or [::1]:9288\n"
				      "2: the comment that begins here does not end; */ is missing\n"},
	{"target \"x", "1: the string does not end on its line; the closing quote is missing\n"},
	{"listen = \"a\\", "1: the string does not end on its line; the closing quote is missing\n"},
	{"target \"x\" { type = nvme", "1: the } of target \"x\", which begins in line 1, is missing\n"},
	{"poll_interval = 0s", "1: poll_interval: 0s is not between 1s and 24h\n"},
	{"poll_interval = 999ms", "1: poll_interval: 999ms is not between 1s and 24h\n"},
	{"poll_interval = 25h", "1: poll_interval: 25h is not between 1s and 24h\n"},
	{"poll_interval = 99999999999999999999s",
		"1: poll_interval: '99999999999999999999s' is no time; write a whole number and s, m or h, as in 60s\n"},
	{"poll_interval = 1.5m", "1: poll_interval: '1.5m' is no time; write a whole number and s, m or h, as in 60s\n"},
	{"listen = \"::1:9288\"", "1: listen: '::1:9288' is not ADDRESS:PORT, as in 127.0.0.1:9288 or [::1]:9288\n"},
	{"listen = \"h:65536\"", "1: listen: 'h:65536' is not ADDRESS:PORT, as in 127.0.0.1:9288 or [::1]:9288\n"},
	{"card \"x\" { bays = a+b }", "1: a + means nothing here; quote what it belongs to\n"},
	{"bay_map \"srv1\" {\n bays = {\"0 = 0000:40:01.1\", \"1 = 40:01.2\", \"0 = slot 3\"}\n}",
		"2: bay_map \"srv1\": bays: '40:01.2' is neither a PCI path, as in 0000:40:01.1 or 0000:40:01.1/00.0, nor \"slot NAME\"\n"
		"2: bay_map \"srv1\": bays: bay '0' is there twice\n"},
	{"bay_map \"srv1\" { }",
		"1: bay_map \"srv1\": which bay is where? write bays = {\"0 = 0000:40:01.1\", \"1 = slot 12\"}\n"},
	{"alert \"wear\" { warning = 1e999 }", "1: alert \"wear\": warning: '1e999' is no number\n"},
	{"alert \"wear\" { warning = nan }", "1: alert \"wear\": warning: 'nan' is no number\n"},
	{"alert \"wear\" { critical = 70 }", "1: alert \"wear\": critical: critical (70) is below warning (80)\n"},
	{"include(\"nothing.conf\")", NULL},
	{"target \"x\" { type = redfish\n url = \"file:///etc/passwd\" }", NULL},
	{"a\001b", "1: a control character (0x01); this is no text file\n"},
	{"policy \"\" { }", "1: a policy has a name: write policy \"NAME\" { ... }\n"},
	{"policy \"p\\n\" { }", "1: a backslash stands only before \\ ' \" and $; write \\\\ for a backslash\n"},
};

START_TEST(a_mistake_is_said_and_nothing_beside_it)
{
	for (size_t i = 0; i < COUNT(short_bad); i++) {
		char got[TEXT_SIZE];
		struct config c;

		ck_assert_msg(load_text(&c, short_bad[i].text) == -1, "%s", short_bad[i].text);
		if (short_bad[i].says)
			ck_assert_str_eq(errors_text(&c, got), short_bad[i].says);
		else
			ck_assert_uint_eq(c.n_errors, 1);
		config_release(&c);
	}
}
END_TEST

START_TEST(a_file_that_ends_within_a_string_does_not_spoil_the_next)
{
	struct config c;

	ck_assert_int_eq(load_text(&c, "listen = \"127.0.0.1:1"), -1);
	config_release(&c);
	must_load(&c, "listen = \"127.0.0.1:2\"\n");
	ck_assert_str_eq(c.listen, "127.0.0.1:2");
	config_release(&c);
}
END_TEST

START_TEST(sections_may_come_in_any_order)
{
	struct config c;

	must_load(&c, "policy \"a\" { targets = \"late\" expect = x4 }\npoll_interval = 2s\n"
		      "target \"late\" { url = \"192.0.2.1\" type = redfish }\n");
	ck_assert_str_eq(policy_find(&c.policies, "late", "1")->name, "a");
	ck_assert_int_eq(c.poll_interval_ms, 2000);
	config_release(&c);
}
END_TEST

/* The environment is neither read nor shown, however it is asked for. */
START_TEST(variables_of_the_environment_are_refused_in_words_LW_S1)
{
	static const char *const values[] = {"\"${LANEWATCH_CANARY}\"", "${LANEWATCH_CANARY}", "\"x${LANEWATCH_CANARY:-y}\"",
		"\"\\\\${LANEWATCH_CANARY}\"", "x${LANEWATCH_CANARY}"};

	setenv("LANEWATCH_CANARY", "canary-7f3a", 1);
	for (size_t i = 0; i < COUNT(values); i++) {
		char text[PATH_SIZE], got[TEXT_SIZE];
		struct config c;

		snprintf(text, sizeof text, "target \"x\" {\n type = redfish\n url = \"192.0.2.1\"\n username = %s\n}\n", values[i]);
		ck_assert_msg(load_text(&c, text) == -1, "%s", text);
		ck_assert_uint_eq(c.n_errors, 1);
		ck_assert_int_eq(c.errors[0].line, 4);
		ck_assert_ptr_nonnull(strstr(errors_text(&c, got), "variables are not expanded"));
		ck_assert_ptr_null(strstr(got, "canary"));
		config_release(&c);
	}
}
END_TEST

START_TEST(a_dollar_that_is_meant_stays_one)
{
	struct config c;

	setenv("LANEWATCH_CANARY", "canary-7f3a", 1);
	must_load(&c, "target \"x\" { type = redfish url = h username = \"\\${LANEWATCH_CANARY}\" }\n"
		      "target \"y\" { type = redfish url = i username = '${LANEWATCH_CANARY}' }\n"
		      "target \"z\" { type = redfish url = j username = \"a$b$\" }\n");
	ck_assert_str_eq(target(&c, "x")->username, "${LANEWATCH_CANARY}");
	ck_assert_str_eq(target(&c, "y")->username, "${LANEWATCH_CANARY}");
	ck_assert_str_eq(target(&c, "z")->username, "a$b$");
	config_release(&c);
}
END_TEST

START_TEST(a_password_in_the_file_or_in_the_address_is_refused_and_not_repeated_LW_S1)
{
	static const char *const texts[] = {
		"target \"x\" {\n type = redfish\n url = \"https://root:hunter2@192.0.2.1\" }",
		"target \"x\" {\n type = redfish url = h\n password = \"hunter2\" }",
		"notify \"x\" {\n type = webhook\n url = \"https://u:hunter2@h/\" }",
		"notify \"x\" {\n type = webhook\n url = \"hunter2@h\" }",
	};

	for (size_t i = 0; i < COUNT(texts); i++) {
		char got[TEXT_SIZE];
		struct config c;

		ck_assert_msg(load_text(&c, texts[i]) == -1, "%s", texts[i]);
		ck_assert_uint_eq(c.n_errors, 1);
		ck_assert_int_eq(c.errors[0].line, 3);
		ck_assert_ptr_null(strstr(errors_text(&c, got), "hunter2"));
		config_release(&c);
	}
}
END_TEST

START_TEST(a_credential_of_the_service_manager_is_used_where_no_file_is_given_LW_S1)
{
	char dir[PATH_SIZE * 2];
	struct config c;

	write_file("credentials/with", "p\n");
	write_file("credentials/own", "p\n");
	snprintf(dir, sizeof dir, "%s/credentials", folder());
	setenv("CREDENTIALS_DIRECTORY", dir, 1);
	must_load(&c, "target \"with\" { type = redfish url = a username = u }\n"
		      "target \"own\" { type = redfish url = b username = u password_file = \"/p\" }\n"
		      "target \"without\" { type = redfish url = c username = u }\n"
		      "target \"nobody\" { type = redfish url = d }\n");
	ck_assert(str_ends(target(&c, "with")->password_file, "/credentials/with"));
	ck_assert_str_eq(target(&c, "own")->password_file, "/p");
	ck_assert_ptr_null(target(&c, "without")->password_file);
	ck_assert_ptr_null(target(&c, "nobody")->password_file);
	config_release(&c);
}
END_TEST

static const struct {
	const char *url, *more;
	bool right;
} plain_rows[] = {
	{"https://192.0.2.1", "username = u", true},
	{"http://192.0.2.1", "", true},
	{"http://192.0.2.1", "username = u", false},
	{"http://192.0.2.1", "username = u allow_plaintext = false", false},
	{"http://192.0.2.1", "username = u allow_plaintext = true", true},
	{"http://127.0.0.1:8000", "username = u", true},
	{"http://127.9.9.9", "username = u", true},
	{"http://[::1]:8000", "username = u", true},
	{"http://localhost", "username = u", true},
	{"http://localhost.example.net", "username = u", false},
	{"http://[2001:db8::1]", "username = u", false},
	{"ftp://192.0.2.1", "", false},
	{"scp://192.0.2.1", "", false},
	{"file:///etc/passwd", "", false},
};

START_TEST(credentials_over_http_need_a_loopback_or_a_word_LW_R10)
{
	for (size_t i = 0; i < COUNT(plain_rows); i++) {
		char text[PATH_SIZE], got[TEXT_SIZE];
		struct config c;
		int rc;

		snprintf(text, sizeof text, "target \"x\" { type = redfish url = \"%s\" %s }", plain_rows[i].url, plain_rows[i].more);
		rc = load_text(&c, text);
		ck_assert_msg((rc == 0) == plain_rows[i].right, "%s: %s", text, errors_text(&c, got));
		config_release(&c);
	}
}
END_TEST

START_TEST(credentials_over_http_need_a_word_on_the_command_line_too_LW_R10)
{
	const char *url = "http://192.0.2.1";
	struct options o = {.command = "verify", .n_urls = 1, .urls = &url, .username = "u"};
	struct config c;

	ck_assert_int_eq(config_load(&c, &o), -1);
	ck_assert_int_eq(c.status, EX_USAGE);
	ck_assert_ptr_nonnull(strstr(c.errors[0].message, "--allow-plaintext"));
	config_release(&c);
	o.allow_plaintext = true;
	ck_assert_int_eq(config_load(&c, &o), 0);
	config_release(&c);
}
END_TEST

/* ---- includes ---- */

START_TEST(included_files_follow_in_the_order_of_their_names)
{
	struct config c;

	write_file("d/b.conf", "policy \"b\" { expect = x2 }");
	write_file("d/a.conf", "policy \"a\" { expect = x1 }\ninclude(\"deeper/*.conf\")");
	write_file("d/deeper/c.conf", "policy \"c\" { expect = x8 }");
	write_file("d/d.txt", "not for us");
	must_load(&c, "include(\"d/*.conf\")\npolicy \"first\" { expect = x4 }\n");
	ck_assert_uint_eq(c.n_files, 4);
	ck_assert_str_eq(c.policies.policies[0].name, "first");
	ck_assert_str_eq(c.policies.policies[1].name, "a");
	ck_assert_str_eq(c.policies.policies[2].name, "b");
	ck_assert_str_eq(c.policies.policies[3].name, "c");
	config_release(&c);
}
END_TEST

START_TEST(what_two_files_say_twice_is_refused_with_both_places)
{
	char got[TEXT_SIZE];
	struct config c;

	write_file("e/one.conf", "\ntarget \"x\" { type = nvme }\npoll_interval = 5s\n");
	ck_assert_int_eq(load_text(&c, "include(\"e/*.conf\")\ntarget \"x\" { type = zfs }\npoll_interval = 1s\n"), -1);
	ck_assert_uint_eq(c.n_errors, 2);
	ck_assert(str_ends(c.errors[0].file, "/e/one.conf"));
	ck_assert_int_eq(c.errors[0].line, 2);
	ck_assert(str_ends(errors_text(&c, got), "lanewatch.conf, line 3\n"));
	config_release(&c);
}
END_TEST

START_TEST(a_circle_of_includes_ends_with_an_error)
{
	struct config c;

	write_file("x.conf", "include(\"y.conf\")");
	write_file("y.conf", "include(\"x.conf\")");
	ck_assert_int_eq(load_text(&c, "include(\"x.conf\")"), -1);
	ck_assert_uint_eq(c.n_errors, 1);
	ck_assert(str_ends(c.errors[0].file, "/y.conf"));
	ck_assert(str_ends(c.errors[0].message, "/x.conf was read already"));
	config_release(&c);
	ck_assert_int_eq(load_text(&c, "include(\"*.conf\")"), -1);
	config_release(&c);
}
END_TEST

START_TEST(includes_are_not_followed_without_end)
{
	struct config c;

	for (int i = 0; i < 12; i++) {
		char name[32], text[64];

		snprintf(name, sizeof name, "deep/%d.conf", i);
		snprintf(text, sizeof text, "include(\"%d.conf\")", i + 1);
		write_file(name, text);
	}
	write_file("deep/12.conf", "");
	ck_assert_int_eq(load_text(&c, "include(\"deep/0.conf\")"), -1);
	ck_assert_uint_eq(c.n_errors, 1);
	ck_assert_str_eq(c.errors[0].message, "include: nested deeper than 8 files");
	config_release(&c);
}
END_TEST

START_TEST(an_error_in_one_file_does_not_hide_those_of_the_next)
{
	struct config c;

	write_file("f/one.conf", "target \"x { type = nvme }\n");
	write_file("f/two.conf", "colour = red\n");
	ck_assert_int_eq(load_text(&c, "include(\"f/*.conf\")\nlisten = \"9\"\n"), -1);
	ck_assert_uint_eq(c.n_errors, 3);
	ck_assert(str_ends(c.errors[0].file, "/lanewatch.conf"));
	ck_assert(str_ends(c.errors[1].file, "/f/one.conf"));
	ck_assert(str_ends(c.errors[2].file, "/f/two.conf"));
	config_release(&c);
}
END_TEST

/* ---- the command line ---- */

START_TEST(sources_of_the_command_line_replace_the_targets_and_keep_the_policies)
{
	const char *urls[] = {"BMC1.example.net", "https://bmc1.example.net:8443", "192.0.2.9/redfish/v1"};
	struct options o = {.command = "verify", .n_urls = 3, .urls = urls, .local = true, .username = "u", .insecure = true};
	char path[PATH_SIZE * 2];
	struct config c;

	write_file("lanewatch.conf", "target \"t\" { type = nvme }\npolicy \"p\" { expect = x4 }\n");
	snprintf(path, sizeof path, "%s/lanewatch.conf", folder());
	o.config = path;
	ck_assert_int_eq(config_load(&c, &o), 0);
	ck_assert_uint_eq(c.n_targets, 4);
	ck_assert_str_eq(c.targets[0].name, "bmc1.example.net");
	ck_assert_str_eq(c.targets[0].host, "bmc1.example.net");
	ck_assert_str_eq(c.targets[1].name, "bmc1.example.net:8443");
	ck_assert_str_eq(c.targets[1].host, "bmc1.example.net:8443");
	ck_assert_str_eq(c.targets[2].url, "https://192.0.2.9");
	ck_assert_str_eq(c.targets[2].username, "u");
	ck_assert(c.targets[2].tls_insecure);
	ck_assert_int_eq(c.targets[3].kind, TARGET_NVME);
	ck_assert_str_eq(c.targets[3].name, "local");
	ck_assert_uint_eq(c.policies.n_policies, 1);
	config_release(&c);
}
END_TEST

static const struct {
	struct options o;
	const char *url;
	int status;
	const char *says;
} command_rows[] = {
	{{.command = "verify", .n_urls = 1}, "bmc1:0", EX_USAGE, "--url: "},
	{{.command = "verify", .n_urls = 1, .pin = "x"}, "bmc1", EX_USAGE, "--pin: is written sha256//BASE64"},
	{{.command = "verify", .local = true, .expect = "fast"}, NULL, EX_USAGE, "--expect: 'fast' is no link"},
	{{.command = "verify", .recording = "/nonexistent"}, NULL, EX_DATAERR,
		"/nonexistent is no recording: it has no recording.json"},
	{{.command = "verify", .config = "/nonexistent.conf"}, NULL, EX_CONFIG, "/nonexistent.conf: No such file"},
	{{.command = "verify", .config = "/", .local = true}, NULL, EX_CONFIG, "/: Is a directory"},
};

START_TEST(a_wrong_source_ends_with_the_status_of_the_contract)
{
	for (size_t i = 0; i < COUNT(command_rows); i++) {
		struct options o = command_rows[i].o;
		struct config c;

		o.urls = (const char **)&command_rows[i].url;
		ck_assert_int_eq(config_load(&c, &o), -1);
		ck_assert_int_eq(c.status, command_rows[i].status);
		ck_assert_msg(str_starts(c.errors[0].message, command_rows[i].says), "%s", c.errors[0].message);
		config_release(&c);
	}
}
END_TEST

START_TEST(a_reading_command_without_targets_says_what_to_give)
{
	char path[PATH_SIZE * 2];
	struct options o = {.command = "verify"};
	struct config c;

	write_file("lanewatch.conf", "policy \"p\" { expect = x4 }\n");
	snprintf(path, sizeof path, "%s/lanewatch.conf", folder());
	o.config = path;
	ck_assert_int_eq(config_load(&c, &o), -1);
	ck_assert_int_eq(c.status, EX_CONFIG);
	ck_assert(str_starts(c.errors[0].message, "no target in it; add one, or give --url URL"));
	config_release(&c);
	o.database = "/srv/store.db";
	ck_assert_int_eq(config_load(&c, &o), 0);
	ck_assert_uint_eq(c.n_targets, 0);
	ck_assert_str_eq(c.database, "/srv/store.db");
	config_release(&c);
}
END_TEST

START_TEST(an_expectation_of_the_command_line_goes_over_all_policies_and_keeps_what_else_they_say)
{
	char path[PATH_SIZE * 2];
	struct options o = {.command = "verify", .local = true, .expect = "gen4 x2"};
	const struct policy *p;
	struct config c;

	write_file("lanewatch.conf", "policy \"bays\" { targets = \"local\" bays = \"1-4\" expect = \"gen5 x4\" require_present = true }\n");
	snprintf(path, sizeof path, "%s/lanewatch.conf", folder());
	o.config = path;
	ck_assert_int_eq(config_load(&c, &o), 0);
	p = policy_find(&c.policies, "local", "2");
	ck_assert_int_eq(p->expect.speed_mtps, 16000);
	ck_assert_int_eq(p->expect.width_lanes, 2);
	ck_assert(p->require_present);
	p = policy_find(&c.policies, "local", "9");
	ck_assert_str_eq(p->name, "command line");
	ck_assert(p->has_expect && !p->require_present);
	config_release(&c);

	o.bays = "2,3";
	o.require_present = true;
	ck_assert_int_eq(config_load(&c, &o), 0);
	ck_assert_str_eq(policy_find(&c.policies, "local", "2")->name, "command line");
	ck_assert_str_eq(policy_find(&c.policies, "local", "1")->name, "bays");
	ck_assert_ptr_null(policy_find(&c.policies, "local", "9"));
	config_release(&c);
}
END_TEST

/* ---- recordings ---- */

static int load_recording(struct config *c)
{
	static char path[PATH_SIZE * 2];
	struct options o = {.command = "inventory", .recording = path};

	snprintf(path, sizeof path, "%s/rec", folder());
	return config_load(c, &o);
}

#define RECORDING(steps) "{\"schema\": \"lanewatch/recording/v1\", \"steps\": [" steps "]}"

START_TEST(the_targets_of_a_recording_are_the_folders_of_its_last_step)
{
	struct config c;

	write_file("rec/recording.json", RECORDING("{\"at\": \"2026-01-01T00:00:00Z\", \"path\": \"0000\"}, {\"path\": \"0001\"}"));
	write_file("rec/0000/old/target.json", "{\"kind\": \"zfs\", \"host\": \"h\", \"url\": null, \"error\": null}");
	write_file("rec/0001/host/target.json", "{\"kind\": \"nvme\", \"host\": \"srv1\", \"url\": null, \"error\": null}");
	write_file("rec/0001/bmc/target.json", "{\"kind\": \"redfish\", \"host\": null, \"url\": \"https://192.0.2.1\"}");
	write_file("rec/0001/notes/readme.txt", "no target");
	ck_assert_int_eq(load_recording(&c), 0);
	ck_assert_uint_eq(c.n_targets, 2);
	ck_assert_str_eq(c.targets[0].name, "bmc");
	ck_assert_int_eq(c.targets[0].kind, TARGET_REDFISH);
	ck_assert_str_eq(c.targets[0].host, "bmc");
	ck_assert_str_eq(c.targets[0].url, "https://192.0.2.1");
	ck_assert(str_ends(c.targets[0].recording, "/rec/0001/bmc"));
	ck_assert_str_eq(c.targets[1].name, "host");
	ck_assert_str_eq(c.targets[1].host, "srv1");
	config_release(&c);
}
END_TEST

static const struct {
	const char *recording, *target, *says;
} recording_rows[] = {
	{"not json", "{}", "not JSON"},
	{"[]", "{}", "the schema is not lanewatch/recording/v1"},
	{"{\"schema\": \"lanewatch/recording/v2\", \"steps\": [{\"path\": \"0\"}]}", "{}", "the schema is not lanewatch/recording/v1"},
	{RECORDING(""), "{}", "there are no steps in it"},
	{"{\"schema\": \"lanewatch/recording/v1\", \"steps\": 3}", "{}", "there are no steps in it"},
	{RECORDING("{\"path\": \"../rec/0\"}"), "{\"kind\": \"nvme\"}", "not a folder below the recording"},
	{RECORDING("{\"path\": \"0/../../rec/0\"}"), "{\"kind\": \"nvme\"}", "not a folder below the recording"},
	{RECORDING("{\"path\": \"/etc\"}"), "{}", "not a folder below the recording"},
	{RECORDING("{\"path\": 7}"), "{}", "not a folder below the recording"},
	{RECORDING("{\"path\": \"none\"}"), "{}", "No such file"},
	{RECORDING("{\"path\": \"0\"}"), "{\"kind\": \"nvme\"", "not JSON"},
	{RECORDING("{\"path\": \"0\"}"), "{\"kind\": \"snmp\"}", "the kind is none of redfish, nvme, zfs and replay"},
	{RECORDING("{\"path\": \"0\"}"), "{}", "the kind is none of redfish, nvme, zfs and replay"},
	{RECORDING("{\"path\": \"empty\"}"), "{}", "no target in it"},
};

START_TEST(what_is_no_recording_is_refused_with_status_65)
{
	for (size_t i = 0; i < COUNT(recording_rows); i++) {
		struct config c;

		write_file("rec/recording.json", recording_rows[i].recording);
		write_file("rec/0/t/target.json", recording_rows[i].target);
		write_file("rec/empty/readme.txt", "");
		ck_assert_int_eq(load_recording(&c), -1);
		ck_assert_int_eq(c.status, EX_DATAERR);
		ck_assert_uint_eq(c.n_errors, 1);
		ck_assert_msg(strstr(c.errors[0].message, recording_rows[i].says), "%s", c.errors[0].message);
		config_release(&c);
	}
}
END_TEST

/* ---- limits ---- */

START_TEST(a_large_fleet_in_one_file_loads_and_too_large_a_file_does_not)
{
	char *text = malloc(2 << 20);
	size_t n = 0;
	struct config c;

	ck_assert_ptr_nonnull(text);
	for (int i = 0; i < 2000; i++)
		n += (size_t)snprintf(text + n, 200, "target \"bmc%d\" { type = redfish  url = \"bmc%d.example.net\" }\n", i, i);
	must_load(&c, text);
	ck_assert_uint_eq(c.n_targets, 2000);
	config_release(&c);
	memset(text, '#', (2 << 20) - 1);
	text[(2 << 20) - 1] = '\0';
	ck_assert_int_eq(load_text(&c, text), -1);
	ck_assert_ptr_nonnull(strstr(c.errors[0].message, "File too large"));
	config_release(&c);
	free(text);
}
END_TEST

START_TEST(a_hundred_errors_are_enough)
{
	char text[TEXT_SIZE] = "";
	struct config c;

	for (size_t n = 0; n + 8 < sizeof text; n += 6)
		snprintf(text + n, sizeof text - n, "x = 1\n");
	ck_assert_int_eq(load_text(&c, text), -1);
	ck_assert_uint_eq(c.n_errors, 100);
	config_release(&c);
}
END_TEST

/* ---- the manual ---- */

START_TEST(the_manual_tells_of_every_section_and_key)
{
	char path[PATH_SIZE], item[64];
	struct err e = {""};
	struct buf b;

	buf_init(&b, 1 << 20);
	ck_assert_msg(file_read(source("docs/man/lanewatch.conf.5", path), &b, &e) == 0, "%s", e.text);
	for (const struct config_key *k = config_keys; k->name; k++) {
		snprintf(item, sizeof item, ".It Ic %s ", k->name);
		ck_assert_msg(strstr(buf_text(&b), item), "%s is not in the manual", k->name);
	}
	for (size_t p = PLACE_TOP + 1; p < PLACES_END; p++) {
		snprintf(item, sizeof item, ".Ss %s \\(dq", config_place_name((enum config_place)p));
		ck_assert_msg(strstr(buf_text(&b), item), "section %s is not in the manual", config_place_name((enum config_place)p));
	}
	buf_release(&b);
}
END_TEST

UNIT_MAIN("config", everything_wrong_in_a_file_is_said_with_its_line, the_example_that_is_installed_is_right,
	every_value_reaches_its_field, a_string_is_a_list_with_commas_and_an_element_of_a_list_is_one_name,
	an_empty_file_gives_what_the_manual_calls_defaults, a_mistake_is_said_and_nothing_beside_it,
	a_file_that_ends_within_a_string_does_not_spoil_the_next, sections_may_come_in_any_order,
	variables_of_the_environment_are_refused_in_words_LW_S1, a_dollar_that_is_meant_stays_one,
	a_password_in_the_file_or_in_the_address_is_refused_and_not_repeated_LW_S1,
	a_credential_of_the_service_manager_is_used_where_no_file_is_given_LW_S1,
	credentials_over_http_need_a_loopback_or_a_word_LW_R10,
	credentials_over_http_need_a_word_on_the_command_line_too_LW_R10,
	included_files_follow_in_the_order_of_their_names, what_two_files_say_twice_is_refused_with_both_places,
	a_circle_of_includes_ends_with_an_error, includes_are_not_followed_without_end,
	an_error_in_one_file_does_not_hide_those_of_the_next,
	sources_of_the_command_line_replace_the_targets_and_keep_the_policies,
	a_wrong_source_ends_with_the_status_of_the_contract, a_reading_command_without_targets_says_what_to_give,
	an_expectation_of_the_command_line_goes_over_all_policies_and_keeps_what_else_they_say,
	the_targets_of_a_recording_are_the_folders_of_its_last_step, what_is_no_recording_is_refused_with_status_65,
	a_large_fleet_in_one_file_loads_and_too_large_a_file_does_not, a_hundred_errors_are_enough,
	the_manual_tells_of_every_section_and_key)
