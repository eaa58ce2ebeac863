/* SPDX-License-Identifier: MIT */
/* config_alert: what is told to whom: sections notify, alert and maintenance; see config_section.h. */
#include "agent/config_build.h"
#include "agent/config_section.h"
#include "agent/notify_template.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/url.h"
#include "model/notice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEMPLATE_BYTES_MAX = 64 * 1024, DAY_MINUTES = 24 * 60 };

/* ---- notify ---- */

/* Keys that mean something for a type of channel; bits by enum notify_type. */
enum {
	WEBHOOK = 1 << NOTIFY_WEBHOOK,
	ALERTMANAGER = 1 << NOTIFY_ALERTMANAGER,
	MAIL = 1 << NOTIFY_MAIL,
	SYSLOG = 1 << NOTIFY_SYSLOG,
	EXEC = 1 << NOTIFY_EXEC,
	HTTP_WAYS = WEBHOOK | ALERTMANAGER,
	TLS_WAYS = HTTP_WAYS | MAIL,
	EVERY_WAY = TLS_WAYS | SYSLOG | EXEC
};

static const struct {
	const char *key;
	unsigned ways, needed;
} notify_keys[] = {
	{"type", EVERY_WAY, 0},
	{"kinds", EVERY_WAY, 0},
	{"severity", EVERY_WAY, 0},
	{"heartbeat", EVERY_WAY, 0},
	{"url", TLS_WAYS | SYSLOG, TLS_WAYS},
	{"username", TLS_WAYS, 0},
	{"password_file", TLS_WAYS, 0},
	{"ca_file", TLS_WAYS, 0},
	{"tls_pin", TLS_WAYS, 0},
	{"tls_verify", TLS_WAYS, 0},
	{"allow_plaintext", TLS_WAYS, 0},
	{"template", WEBHOOK, 0},
	{"repeat", ALERTMANAGER, 0},
	{"from", MAIL, MAIL},
	{"to", MAIL, MAIL},
	{"socket", SYSLOG, 0},
	{"command", EXEC, EXEC},
	{"deadline", EXEC, 0},
};

static void check_keys(const struct build *b, enum notify_type type)
{
	for (size_t i = 0; i < sizeof notify_keys / sizeof notify_keys[0]; i++) {
		const char *key = notify_keys[i].key;

		if (section_has(b, key) && !(notify_keys[i].ways & (1 << type)))
			section_complain(b, key, "means nothing with type = %s", notify_type_word(type));
		if (!section_has(b, key) && notify_keys[i].needed & (1 << type))
			section_complain(b, NULL, "the %s is missing; type = %s needs it", key, notify_type_word(type));
	}
}

/* The address of a notification may have a path; url_parse() reads what stands before it. */
static void check_site(const struct build *b, const char *url, size_t scheme_len, struct url *out)
{
	struct err e = {""};
	char site[256];

	snprintf(site, sizeof site, "http://%.*s", (int)strcspn(url + scheme_len, "/?#"), url + scheme_len);
	if (url_parse(site, out, &e))
		section_complain(b, "url", "%s", e.text);
	else if (strpbrk(url, " \t"))
		section_complain(b, "url", "contains blanks");
}

/* The schemes of a type, and whether it begins with TLS. */
static const struct scheme {
	enum notify_type type;
	const char *text;
	bool tls;
} schemes[] = {
	{NOTIFY_WEBHOOK, "http://", false},
	{NOTIFY_WEBHOOK, "https://", true},
	{NOTIFY_ALERTMANAGER, "http://", false},
	{NOTIFY_ALERTMANAGER, "https://", true},
	{NOTIFY_MAIL, "smtp://", true}, /* STARTTLS is demanded */
	{NOTIFY_MAIL, "smtps://", true},
	{NOTIFY_SYSLOG, "udp://", false},
};

static void check_url(const struct build *b, const struct notify_config *n)
{
	const struct scheme *found = NULL;
	const char *wanted[2] = {"", ""};
	struct url u = {0};
	size_t k = 0;

	for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
		if (schemes[i].type != n->type)
			continue;
		wanted[k++] = schemes[i].text;
		if (str_starts(n->url, schemes[i].text))
			found = &schemes[i];
	}
	if (!found) {
		section_complain(b, "url", "does not begin with %s%s%s", wanted[0], wanted[1][0] ? " or " : "", wanted[1]);
		return;
	}
	check_site(b, n->url, strlen(found->text), &u);
	if (n->username && !n->allow_plaintext && !found->tls && !url_is_loopback(&u))
		section_complain(b, "username",
			"the password would cross the network unencrypted; use https, or allow_plaintext = true if that is meant");
	if (n->username && n->type == NOTIFY_MAIL && n->allow_plaintext && !url_is_loopback(&u))
		section_complain(b, "allow_plaintext", "a password goes to %s under TLS only", u.host);
}

/* A template that cannot be right is told with the line of its own file. */
static void read_template(const struct build *b, struct notify_config *n)
{
	char *path = section_take_path(b, "template");
	struct err e = {""};
	struct buf text;
	int line = 0;

	if (!path)
		return;
	buf_init(&text, TEMPLATE_BYTES_MAX);
	if (config_read(path, &text, &e))
		section_complain(b, "template", "%s", e.text);
	else if (template_check_json(buf_text(&text), &line, &e))
		config_error_add(b->c, path, line, "template of notify \"%s\": %s", b->s->title, e.text);
	else
		n->template_text = mem_text(buf_text(&text));
	buf_release(&text);
	free(path);
}

static void check_command(const struct build *b, const struct notify_config *n)
{
	struct err e = {""};

	if (!n->command)
		return;
	if (n->command[0][0] != '/')
		section_complain(b, "command", "'%s' is no absolute path; there is no shell that would look for it",
			n->command[0]);
	for (size_t i = 1; n->command[i]; i++)
		if (template_check_text(n->command[i], &e))
			section_complain(b, "command", "%s", e.text);
}

static bool mail_address(const char *text)
{
	const char *at = strchr(text, '@');

	return at && at > text && at[1] && !strpbrk(text, " \t<>,;");
}

static void check_mail(const struct build *b, const struct notify_config *n)
{
	if (n->from && !mail_address(n->from))
		section_complain(b, "from", "'%s' is no mail address", n->from);
	for (size_t i = 0; n->to && n->to[i]; i++)
		if (!mail_address(n->to[i]))
			section_complain(b, "to", "'%s' is no mail address; a list is written {\"one\", \"two\"}", n->to[i]);
}

/* Words that no kind has would silence a channel for ever. */
static void check_kinds(const struct build *b, const char *key, const struct patterns *kinds)
{
	for (size_t i = 0; i < kinds->n; i++) {
		bool fits = false;

		for (int k = ALERT_LINK; !fits && alert_kind_word((enum alert_kind)k); k++) {
			const struct patterns one = {1, &kinds->items[i]};

			fits = patterns_match(&one, alert_kind_word((enum alert_kind)k));
		}
		if (!fits)
			section_complain(b, key, "no kind of alert is called '%s'; see docs/ALERTS.md", kinds->items[i]);
	}
}

void config_build_notify(const struct build *b)
{
	const char *type = section_text(b, "type"), *severity = section_text(b, "severity");
	struct notify_config *n;

	b->c->notifies = mem_grow(b->c->notifies, b->c->n_notifies, sizeof *b->c->notifies);
	n = &b->c->notifies[b->c->n_notifies++];
	*n = (struct notify_config){.url = section_take_text(b, "url"),
		.type = type ? notify_type_of(type) : NOTIFY_UNKNOWN,
		.username = section_take_text(b, "username"),
		.password_file = section_take_path(b, "password_file"),
		.ca_file = section_take_path(b, "ca_file"),
		.pin = section_take_text(b, "tls_pin"),
		.tls_insecure = !section_bool(b, "tls_verify", true),
		.allow_plaintext = section_bool(b, "allow_plaintext", false),
		.from = section_take_text(b, "from"),
		.to = section_take_list(b, "to"),
		.command = section_take_list(b, "command"),
		.socket = section_take_path(b, "socket"),
		.deadline_ms = section_duration_ms(b, "deadline", 10000),
		.repeat_ms = section_duration_ms(b, "repeat", 60000),
		.heartbeat_ms = section_duration_ms(b, "heartbeat", 0),
		.severity_min = severity ? severity_of(severity) : SEVERITY_UNKNOWN};
	str_copy(n->name, sizeof n->name, b->s->title);
	section_patterns(b, "kinds", &n->kinds);
	check_kinds(b, "kinds", &n->kinds);
	if (!section_has(b, "type"))
		section_complain(b, NULL, "the type is missing: write type = webhook, alertmanager, mail, syslog or exec");
	if (!n->type)
		return;
	check_keys(b, n->type);
	if (n->url)
		check_url(b, n);
	if (section_has(b, "username") != section_has(b, "password_file"))
		section_complain(b, NULL, "username and password_file belong together");
	if (n->type == NOTIFY_SYSLOG && !n->url && !n->socket)
		n->socket = mem_text("/dev/log");
	read_template(b, n);
	check_command(b, n);
	check_mail(b, n);
}

/* ---- alert ---- */

static void take_scope(const struct build *b, struct rule_scope *s)
{
	section_patterns(b, "targets", &s->targets);
	section_patterns(b, "bays", &s->bays);
	section_patterns(b, "models", &s->models);
	section_patterns(b, "roles", &s->roles);
	for (size_t i = 0; i < s->roles.n; i++)
		if (!strpbrk(s->roles.items[i], "*?") && !bay_role_of(s->roles.items[i]))
			section_complain(b, "roles", "'%s' is none of data, boot, log, cache, special or spare", s->roles.items[i]);
}

static bool has_scope(const struct build *b)
{
	return section_has(b, "targets") || section_has(b, "bays") || section_has(b, "models") || section_has(b, "roles");
}

static void check_limits(const struct build *b, double warning, double critical)
{
	if (critical < warning)
		section_complain(b, section_has(b, "critical") ? "critical" : "warning", "critical (%g) is below warning (%g)",
			critical, warning);
}

/* Without a scope they are everybody's. */
static void build_limits(const struct build *b)
{
	struct wear_limits *all = &b->c->policies.wear;
	double warning = section_number(b, "warning", NAN), critical = section_number(b, "critical", NAN);
	struct rule *r;

	if (!has_scope(b)) {
		all->warning_percent = section_number(b, "warning", all->warning_percent);
		all->critical_percent = section_number(b, "critical", all->critical_percent);
		check_limits(b, all->warning_percent, all->critical_percent);
		return;
	}
	r = rules_add(&b->c->rules, b->s->title);
	r->type = RULE_LIMITS;
	r->limits = (struct wear_limits){warning, critical};
	take_scope(b, &r->scope);
	check_limits(b, isnan(warning) ? 0 : warning, isnan(critical) ? 255 : critical);
}

static void build_condition(const struct build *b)
{
	const char *when = section_text(b, "when"), *message = section_text(b, "message"),
		   *severity = section_text(b, "severity");
	struct rule *r = rules_add(&b->c->rules, b->s->title);
	struct err e = {""};

	if (strlen(b->s->title) >= sizeof r->name)
		section_complain(b, NULL, "the name is longer than %zu bytes", sizeof r->name - 1);
	r->type = RULE_CONDITION;
	if (!when || rule_parse_condition(r, when, &e)) {
		if (when)
			section_complain(b, "when", "%s", e.text);
		r->type = RULE_TYPE_UNKNOWN;
	}
	if (severity && str_same(severity, "none"))
		section_complain(b, "severity", "a condition that is never told is none; leave the section out");
	if (severity)
		r->severity = severity_of(severity);
	if (message && !str_copy(r->message, sizeof r->message, message))
		section_complain(b, "message", "is longer than %zu bytes", sizeof r->message - 1);
	take_scope(b, &r->scope);
}

static void build_severity(const struct build *b)
{
	const char *severity = section_text(b, "severity");
	struct rule *r = rules_add(&b->c->rules, b->s->title);

	r->type = RULE_SEVERITY;
	section_patterns(b, "kinds", &r->kinds);
	check_kinds(b, "kinds", &r->kinds);
	r->severity = severity ? severity_of(severity) : SEVERITY_UNKNOWN;
	take_scope(b, &r->scope);
	if (!section_has(b, "severity"))
		section_complain(b, NULL, "how severe are these kinds? write severity = warning, critical or none");
}

void config_build_alert(const struct build *b)
{
	bool limits = section_has(b, "warning") || section_has(b, "critical"), condition = section_has(b, "when"),
	     kinds = section_has(b, "kinds");

	if (limits + condition + kinds > 1)
		section_complain(b, NULL, "says several things: give either warning and critical (percent used), or when, or kinds");
	else if (limits && (section_has(b, "severity") || section_has(b, "message")))
		section_complain(b, NULL, "severity and message belong to a condition (when = \"...\")");
	else if (kinds && section_has(b, "message"))
		section_complain(b, "message", "belongs to a condition (when = \"...\")");
	else if (limits)
		build_limits(b);
	else if (condition)
		build_condition(b);
	else if (kinds)
		build_severity(b);
	else if (!str_same(b->s->title, "wear") || b->s->n > 0)
		section_complain(b, NULL,
			"says nothing: give warning and critical (percent used), or when = \"METRIC > VALUE for 10m\", or kinds and severity");
}

/* ---- maintenance ---- */

/* "mon,sat" in bits, Monday first. */
static unsigned read_days(const struct build *b)
{
	static const char *const words[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun", NULL};
	struct patterns p = {0};
	unsigned days = 0;

	section_patterns(b, "days", &p);
	for (size_t i = 0; i < p.n; i++) {
		size_t d = 0;

		while (words[d] && strcmp(words[d], p.items[i]) != 0)
			d++;
		if (words[d])
			days |= 1u << d;
		else
			section_complain(b, "days", "'%s' is none of mon, tue, wed, thu, fri, sat or sun", p.items[i]);
	}
	patterns_release(&p);
	return days;
}

/* "02:30" in milliseconds; -1 if it is none. */
static int64_t time_of_day(const char *text)
{
	char hour[3];
	int64_t h, m;

	if (strlen(text) != 5 || text[2] != ':')
		return -1;
	snprintf(hour, sizeof hour, "%.2s", text);
	if (!str_to_int(hour, 0, 23, &h) || !str_to_int(text + 3, 0, 59, &m))
		return -1;
	return (h * 60 + m) * 60000;
}

static void build_weekly(const struct build *b, struct silence *s)
{
	const char *at = section_text(b, "at");

	s->days = section_has(b, "days") ? read_days(b) : 0x7f;
	s->begin_ms = at ? time_of_day(at) : 0;
	s->length_ms = section_duration_ms(b, "duration", 0);
	if (!at)
		section_complain(b, NULL, "when does it begin? write at = \"02:00\" (UTC)");
	else if (s->begin_ms < 0)
		section_complain(b, "at", "'%s' is no time of day; write 02:00 (UTC)", at);
	if (!section_has(b, "duration"))
		section_complain(b, NULL, "how long does it last? write duration = 2h");
}

static int64_t read_time(const struct build *b, const char *key)
{
	const char *text = section_text(b, key);
	int64_t at = text ? clock_parse(text) : CLOCK_NEVER;

	if (text && at == CLOCK_NEVER)
		section_complain(b, key, "'%s' is no time; write 2026-11-30T02:00:00Z", text);
	return at;
}

static void join_patterns(const struct build *b, const char *key, char *out, size_t size)
{
	struct patterns p = {0};
	size_t n = 0;

	out[0] = '\0';
	section_patterns(b, key, &p);
	for (size_t i = 0; i < p.n && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", i ? "," : "", p.items[i]);
	if (n >= size)
		section_complain(b, key, "is too long (%zu bytes at most)", size - 1);
	patterns_release(&p);
}

void config_build_maintenance(const struct build *b)
{
	struct silence *s = silences_add(&b->c->maintenance);
	bool once = section_has(b, "from") || section_has(b, "until"),
	     weekly = section_has(b, "days") || section_has(b, "at") || section_has(b, "duration");

	str_copy(s->comment, sizeof s->comment, b->s->title);
	str_copy(s->by, sizeof s->by, "configuration");
	join_patterns(b, "targets", s->targets, sizeof s->targets);
	join_patterns(b, "hosts", s->hosts, sizeof s->hosts);
	join_patterns(b, "bays", s->bays, sizeof s->bays);
	join_patterns(b, "kinds", s->kinds, sizeof s->kinds);
	if (weekly)
		build_weekly(b, s);
	s->from_wall_ms = read_time(b, "from");
	s->until_wall_ms = read_time(b, "until");
	if (!weekly && !(section_has(b, "from") && section_has(b, "until")))
		section_complain(b, NULL, once ? "needs both from and until" :
			"when is it? write from and until, or at and duration (and days)");
	if (s->from_wall_ms != CLOCK_NEVER && s->until_wall_ms != CLOCK_NEVER && s->until_wall_ms <= s->from_wall_ms)
		section_complain(b, "until", "is not after from");
}
