/* SPDX-License-Identifier: MIT */
/* config_build: sections of files; see config_build.h.  The command line: config_sources.c. */
#include "agent/config_build.h"
#include "agent/file_sd.h"
#include "agent/config_section.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/url.h"
#include "model/ceiling.h"
#include "web/server.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

static int line_of(const struct config_section *s, const char *key)
{
	const struct config_value *v = key ? config_value_get(s, key) : NULL;

	return v ? v->line : s->line;
}

static void complain(const struct build *b, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* `key` may be NULL: then it is about the section. */
__attribute__((format(printf, 3, 0))) static void complain_list(
	const struct build *b, const char *key, const char *fmt, va_list ap)
{
	char where[192] = "", text[400];

	vsnprintf(text, sizeof text, fmt, ap);
	if (b->s->place != PLACE_TOP)
		snprintf(where, sizeof where,
			"%s \"%s\": ", config_place_name(b->s->place), b->s->title);
	config_error_add(b->c, b->text->file, line_of(b->s, key), "%s%s%s%s", where,
		key ? key : "", key ? ": " : "", text);
}

static void complain(const struct build *b, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain_list(b, key, fmt, ap);
	va_end(ap);
}

/* ---- one value ---- */

/* "60s" in milliseconds; false if it is no duration. */
static bool parse_duration(const char *s, double *ms)
{
	static const struct {
		const char *unit;
		double ms;
	} units[] = {{"ms", 1}, {"s", 1000}, {"m", 60e3}, {"h", 3600e3}, {"d", 86400e3}};
	char number[24];
	int64_t n;
	size_t digits = strspn(s, "0123456789");

	if (digits == 0 || digits >= sizeof number)
		return false;
	memcpy(number, s, digits);
	number[digits] = '\0';
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(s + digits, units[i].unit) == 0 &&
			str_to_int(number, 0, 1000000000, &n)) {
			*ms = (double)n * units[i].ms;
			return true;
		}
	return false;
}

static bool parse_bool(const char *s, bool *out)
{
	*out = strcmp(s, "true") == 0;
	return *out || strcmp(s, "false") == 0;
}

/* "redfish, nvme, zfs or replay" */
static void words_text(const char *const *words, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; words[i] && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", words[i],
			!words[i + 1] ? "" :
			words[i + 2]  ? ", " :
					" or ");
}

static void complain_word(
	const struct build *b, const struct config_key *k, const char *text)
{
	const char *near = str_nearest(text, k->words);
	char all[96];

	words_text(k->words, all, sizeof all);
	if (near)
		complain(b, k->name, "no '%s'; did you mean %s?", text, near);
	else
		complain(b, k->name, "'%s' is none of %s", text, all);
}

static bool word_known(const struct config_key *k, const char *text)
{
	for (size_t i = 0; k->words[i]; i++)
		if (strcmp(k->words[i], text) == 0)
			return true;
	return false;
}

static bool printable(const char *text)
{
	char clean[256];

	str_clean(clean, sizeof clean, text);
	return strcmp(clean, text) == 0;
}

/* Whether a text is of the type of its key; says what was expected if not. */
static bool check_text(
	const struct build *b, const struct config_key *k, const char *text)
{
	double number = 0;
	bool flag;

	if (!text[0])
		complain(b, k->name, "is empty");
	else if (!printable(text))
		complain(b, k->name,
			"begins or ends with blanks, or contains what cannot be printed");
	else if (k->type == TYPE_WORD && !word_known(k, text))
		complain_word(b, k, text);
	else if (k->type == TYPE_BOOL && !parse_bool(text, &flag))
		complain(b, k->name, "'%s' is neither true nor false", text);
	else if (k->type == TYPE_NUMBER && !str_to_double(text, &number))
		complain(b, k->name, "'%s' is no number", text);
	else if (k->type == TYPE_NUMBER && (number < k->min || number > k->max))
		complain(b, k->name, "%s is not between %g and %g", text, k->min, k->max);
	else if (k->type == TYPE_DURATION && !parse_duration(text, &number))
		complain(b, k->name,
			"'%s' is no time; write a whole number and s, m or h, as in 60s",
			text);
	else if (k->type == TYPE_DURATION && (number < k->min || number > k->max))
		complain(b, k->name, "%s is not between %gs and %gh", text, k->min / 1000,
			k->max / 3600e3);
	else
		return true;
	return false;
}

/* Values that are wrong are as if not given afterwards, but for the question whether they are. */
static void check_values(const struct build *b)
{
	for (size_t i = 0; i < b->s->n; i++) {
		struct config_value *v = &b->s->values[i];

		if (v->n == 0 && !v->wrong) {
			complain(b, v->key->name, "the list is empty");
			v->wrong = true;
		}
		for (size_t k = 0; k < v->n; k++)
			v->wrong |= !check_text(b, v->key, v->texts[k]);
	}
}

static const char *text_get(const struct config_section *s, const char *key)
{
	const struct config_value *v = config_value_get(s, key);

	return v && !v->wrong ? v->texts[0] : NULL;
}

/* Milliseconds; 0 where it is not given. */
static int64_t duration_get(const struct config_section *s, const char *key)
{
	const char *text = text_get(s, key);
	double ms;

	return text && parse_duration(text, &ms) ? (int64_t)ms : 0;
}

static char *text_take(const struct config_section *s, const char *key)
{
	const char *text = text_get(s, key);

	return text ? mem_text(text) : NULL;
}

static bool bool_get(const struct config_section *s, const char *key, bool standard)
{
	const char *text = text_get(s, key);
	bool value;

	return text && parse_bool(text, &value) ? value : standard;
}

static double number_get(const struct config_section *s, const char *key, double standard)
{
	const char *text = text_get(s, key);
	double value;

	return text && str_to_double(text, &value) ? value : standard;
}

/* A path counts from the folder of the file that names it. */
static char *path_take(const struct build *b, const char *key)
{
	const char *path = text_get(b->s, key), *slash = strrchr(b->text->file, '/');
	size_t folder = slash ? (size_t)(slash - b->text->file) + 1 : 0, size;
	char *out;

	if (!path)
		return NULL;
	if (path[0] == '/')
		folder = 0;
	size = folder + strlen(path) + 1;
	out = mem_new(size, 1);
	snprintf(out, size, "%.*s%s", (int)folder, b->text->file, path);
	return out;
}

static void patterns_take(
	const struct config_section *s, const char *key, struct patterns *out)
{
	const struct config_value *v = config_value_get(s, key);

	for (size_t i = 0; v && !v->wrong && i < v->n; i++)
		if (v->list)
			patterns_add(out, v->texts[i]);
		else
			patterns_add_list(out, v->texts[i]);
}

/* ---- for the builders elsewhere (config_section.h) ---- */

void section_complain(const struct build *b, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain_list(b, key, fmt, ap);
	va_end(ap);
}

const char *section_text(const struct build *b, const char *key)
{
	return text_get(b->s, key);
}

char *section_take_text(const struct build *b, const char *key)
{
	return text_take(b->s, key);
}

char *section_take_path(const struct build *b, const char *key)
{
	return path_take(b, key);
}

char **section_take_list(const struct build *b, const char *key)
{
	const struct config_value *v = config_value_get(b->s, key);
	char **out;

	if (!v || v->wrong)
		return NULL;
	out = mem_new(v->n + 1, sizeof *out);
	for (size_t i = 0; i < v->n; i++)
		out[i] = mem_text(v->texts[i]);
	return out;
}

bool section_bool(const struct build *b, const char *key, bool standard)
{
	return bool_get(b->s, key, standard);
}

double section_number(const struct build *b, const char *key, double standard)
{
	return number_get(b->s, key, standard);
}

int64_t section_duration_ms(const struct build *b, const char *key, int64_t standard)
{
	const char *text = text_get(b->s, key);
	double ms;

	return text && parse_duration(text, &ms) ? (int64_t)ms : standard;
}

void section_patterns(const struct build *b, const char *key, struct patterns *out)
{
	patterns_take(b->s, key, out);
}

bool section_has(const struct build *b, const char *key)
{
	return config_value_get(b->s, key) != NULL;
}

/* ---- sections ---- */

static bool listen_right(const char *text)
{
	const char *colon = strrchr(text, ':');
	int64_t port;

	if (!colon || colon == text || !str_to_int(colon + 1, 0, 65535, &port))
		return false;
	if (text[0] == '[')
		return colon[-1] == ']';
	return memchr(text, ':', (size_t)(colon - text)) == NULL;
}

/* Names by which the page may be asked for; without port, as they stand in Host. */
static void take_hostnames(const struct build *b)
{
	struct patterns p = {0};
	char **names;

	patterns_take(b->s, "hostnames", &p);
	names = mem_new(p.n + 1, sizeof *names);
	for (size_t i = 0; i < p.n; i++) {
		names[i] = mem_text(p.items[i]);
		if (strpbrk(names[i], "*?/: "))
			complain(b, "hostnames", "'%s' is no name of a host", names[i]);
	}
	patterns_release(&p);
	b->c->web.hostnames = names;
}

static void build_web(const struct build *b)
{
	struct web_config *w = &b->c->web;

	if (config_value_get(b->s, "hostnames"))
		take_hostnames(b);
	if (config_value_get(b->s, "tls_certificate"))
		w->tls_certificate = path_take(b, "tls_certificate");
	if (config_value_get(b->s, "tls_key"))
		w->tls_key = path_take(b, "tls_key");
	if (config_value_get(b->s, "users_file"))
		w->users_file = path_take(b, "users_file");
	w->connections_per_address = (unsigned)number_get(b->s, "connections_per_address", w->connections_per_address);
	w->plaintext |= bool_get(b->s, "plaintext", false);
	w->anonymous |= bool_get(b->s, "anonymous", false);
}

static void build_top(const struct build *b)
{
	const char *shard = text_get(b->s, "shard"), *listen = text_get(b->s, "listen");
	char *database = path_take(b, "database");
	int64_t interval_ms = duration_get(b->s, "poll_interval");

	if (database) {
		free(b->c->database);
		b->c->database = database;
	}
	if (interval_ms)
		b->c->poll_interval_ms = interval_ms;
	if (config_value_get(b->s, "logs_interval"))
		b->c->logs_interval_ms = duration_get(b->s, "logs_interval");
	if (config_value_get(b->s, "metrics_interval"))
		b->c->metrics_interval_ms = duration_get(b->s, "metrics_interval");
	b->c->topology_interval_ms = duration_get(b->s, "topology_interval");
	if (shard && !shard_parse(shard, &b->c->shard, &b->c->shards))
		complain(b, "shard", "'%s' is no part; write \"2/5\" for the second of five", shard);
	b->c->targets_at_once = (size_t)number_get(b->s, "targets_at_once", (double)b->c->targets_at_once);
	b->c->requests_at_once = (size_t)number_get(b->s, "requests_at_once", (double)b->c->requests_at_once);
	b->c->commit_every_ms = section_duration_ms(b, "commit_every", b->c->commit_every_ms);
	b->c->group_wait_ms = section_duration_ms(b, "group_wait", b->c->group_wait_ms);
	if (listen && !listen_right(listen))
		complain(b, "listen",
			"'%s' is not ADDRESS:PORT, as in 127.0.0.1:9288 or [::1]:9288",
			listen);
	if (listen) {
		free(b->c->listen);
		b->c->listen = mem_text(listen);
	}
	config_build_store(b);
	build_web(b);
}

void config_build_check(struct config *c, const struct config_origins *seen)
{
	static const char *const keys[] = {"listen", "tls_certificate", "tls_key", "users_file", "plaintext", "anonymous", "hostnames", NULL};
	struct server_config web;
	struct err e = {""};

	config_server(c, &web);
	if (c->n_errors || server_check(&web, &e) == 0)
		return;
	for (size_t k = 0; keys[k]; k++)
		for (size_t i = 0; i < seen->n; i++)
			if (seen->items[i].place == PLACE_TOP && strcmp(seen->items[i].name, keys[k]) == 0) {
				config_error_add(c, seen->items[i].file, seen->items[i].line, "%s", e.text);
				return;
			}
}

/* Keys that mean something for a kind of target. */
static bool key_fits(enum target_kind kind, const char *key)
{
	if (strcmp(key, "type") == 0 || strcmp(key, "host") == 0 || strcmp(key, "group") == 0)
		return true;
	if (strcmp(key, "poll_interval") == 0)
		return kind != TARGET_REPLAY;
	switch (kind) {
	case TARGET_REDFISH:
		return strcmp(key, "path") != 0;
	case TARGET_REPLAY:
	case TARGET_ZFS: /* of zpool */
		return strcmp(key, "path") == 0;
	case TARGET_NVME:
		return false;
	case TARGET_KIND_UNKNOWN:
		break;
	}
	return true;
}

static void check_target_keys(
	const struct build *b, const struct target_config *t, const char *type)
{
	const char *needed = t->kind == TARGET_REDFISH ? "url" :
			     t->kind == TARGET_REPLAY  ? "path" :
							 NULL;

	for (size_t i = 0; i < b->s->n; i++)
		if (!key_fits(t->kind, b->s->values[i].key->name))
			complain(b, b->s->values[i].key->name,
				"means nothing with type = %s", type);
	if (needed && !config_value_get(b->s, needed))
		complain(b, NULL, "type = %s needs %s = \"...\"", type, needed);
}

static void check_target_name(const struct build *b)
{
	const char *name = b->s->title;

	if (strlen(name) >= sizeof b->c->targets->name)
		complain(b, NULL, "the name is longer than %zu bytes",
			sizeof b->c->targets->name - 1);
	if (strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		complain(b, NULL,
			"the name has a / or is nothing but dots; it names folders of recordings");
}

/* One BMC read as two targets would be asked twice and its bays shown twice. */
static void check_same_url(const struct build *b, const struct target_config *t)
{
	for (const struct target_config *k = b->c->targets; k < t; k++)
		if (t->url[0] && strcmp(k->url, t->url) == 0)
			complain(b, "url", "target \"%s\" reads %s already", k->name,
				k->url);
}

/* What a target and a list of targets have in common. */
static void take_access(const struct build *b, struct target_config *t)
{
	t->username = text_take(b->s, "username");
	t->password_file = path_take(b, "password_file");
	t->ca_file = path_take(b, "ca_file");
	t->pin = text_take(b->s, "tls_pin");
	t->tls_insecure = !bool_get(b->s, "tls_verify", true);
	t->allow_plaintext = bool_get(b->s, "allow_plaintext", false);
	t->no_expand = !bool_get(b->s, "expand", true);
	t->no_events = !bool_get(b->s, "events", true);
	t->requests_at_once = (unsigned)number_get(b->s, "requests_at_once", 0);
	t->poll_interval_ms = duration_get(b->s, "poll_interval");
	t->logs_interval_ms = duration_get(b->s, "logs_interval");
	t->metrics_interval_ms = duration_get(b->s, "metrics_interval");
	t->topology_interval_ms = duration_get(b->s, "topology_interval");
}

static void build_target(const struct build *b)
{
	const char *type = text_get(b->s, "type"), *host = text_get(b->s, "host"),
		   *url = text_get(b->s, "url"), *group = text_get(b->s, "group");
	const struct config_where where = {b->c, b->text->file, b->s};
	struct target_config *t = config_add_target(b->c, b->s->title);

	check_target_name(b);
	t->kind = type ? target_kind_of(type) : TARGET_KIND_UNKNOWN;
	if (!config_value_get(b->s, "type"))
		complain(b, NULL,
			"the type is missing: write type = redfish, nvme, zfs or replay");
	else if (t->kind)
		check_target_keys(b, t, type);
	if (!str_copy(t->host, sizeof t->host, host ? host : b->s->title) && host)
		complain(b, "host", "is longer than %zu bytes", sizeof t->host - 1);
	if (group && !str_copy(t->group, sizeof t->group, group))
		complain(b, "group", "is longer than %zu bytes", sizeof t->group - 1);
	take_access(b, t);
	t->path = path_take(b, "path");
	if (t->kind == TARGET_REDFISH && url)
		config_set_access(&where, t, url);
	check_same_url(b, t);
}

static void build_file_sd(const struct build *b)
{
	const struct config_value *v = config_value_get(b->s, "files");
	const char *slash = strrchr(b->text->file, '/'), *group = text_get(b->s, "group");
	struct listed_config *l;

	b->c->listed = mem_grow(b->c->listed, b->c->n_listed, sizeof *b->c->listed);
	l = &b->c->listed[b->c->n_listed++];
	*l = (struct listed_config){.line = b->s->line, .like.kind = TARGET_REDFISH};
	str_copy(l->file, sizeof l->file, b->text->file);
	take_access(b, &l->like);
	if (group)
		str_copy(l->like.group, sizeof l->like.group, group);
	if (!v)
		complain(b, NULL, "where are the lists? write files = \"targets/*.json\"");
	for (size_t i = 0; v && !v->wrong && i < v->n; i++) {
		const char *path = v->texts[i];
		size_t size = strlen(b->text->file) + strlen(path) + 3;

		l->files = mem_grow(l->files, l->n_files, sizeof *l->files);
		l->files[l->n_files] = mem_new(size, 1);
		snprintf(l->files[l->n_files++], size, "%.*s%s", path[0] == '/' ? 0 : slash ? (int)(slash - b->text->file) + 1 : 2,
			slash ? b->text->file : "./", path);
	}
}

static void build_policy(const struct build *b)
{
	struct policy *p = policy_set_add(&b->c->policies, b->s->title);
	const char *expect = text_get(b->s, "expect");

	patterns_take(b->s, "targets", &p->targets);
	patterns_take(b->s, "bays", &p->bays);
	p->require_present = bool_get(b->s, "require_present", false);
	p->has_expect = expect && policy_expect_parse(expect, &p->expect);
	if (expect && !p->has_expect)
		complain(b, "expect",
			"'%s' is no link; write \"gen5 x4\", \"32 GT/s x4\", \"gen5\" or \"x4\"",
			expect);
}

static void build_card(const struct build *b)
{
	struct policy_card *card = policy_set_add_card(&b->c->policies, b->s->title);

	patterns_take(b->s, "bays", &card->bays);
	if (!config_value_get(b->s, "bays"))
		complain(b, NULL,
			"which bays does it carry? write bays = {\"...\", \"...\"}");
}

/* One entry that is wrong does not hide the next. */
static void build_map(const struct build *b)
{
	struct bay_map *m = policy_set_add_map(&b->c->policies, b->s->title);
	struct patterns entries = {0};
	struct err e = {""};

	if (strlen(b->s->title) >= sizeof m->host)
		complain(b, NULL, "the name is longer than %zu bytes", sizeof m->host - 1);
	patterns_take(b->s, "bays", &entries);
	for (size_t i = 0; i < entries.n; i++)
		if (bay_map_add(m, entries.items[i], &e))
			complain(b, "bays", "%s", e.text);
	patterns_release(&entries);
	if (!config_value_get(b->s, "bays"))
		complain(b, NULL,
			"which bay is where? write bays = {\"0 = 0000:40:01.1\", \"1 = slot 12\"}");
}

/* "7.1 GB/s": a throughput as a claim is written. */
static void build_speed(const struct build *b, const char *key, double *bps)
{
	const char *text = text_get(b->s, key);
	struct err e = {""};

	if (text && claim_parse(text, bps, &e)) {
		*bps = NAN;
		complain(b, key, "%s", e.text);
	}
}

static void build_drive_model(const struct build *b)
{
	struct policy_drive_model *m = policy_set_add_model(&b->c->policies, b->s->title);

	m->rated_tbw = number_get(b->s, "rated_tbw", m->rated_tbw);
	m->rated_dwpd = number_get(b->s, "rated_dwpd", m->rated_dwpd);
	build_speed(b, "rated_read", &m->rated_read_bps);
	build_speed(b, "rated_write", &m->rated_write_bps);
	if (b->s->n == 0)
		complain(b, NULL,
			"what is known of it? write rated_tbw = NUMBER, rated_dwpd = NUMBER or rated_read = \"7 GB/s\"");
}

static void build_section(const struct build *b)
{
	switch (b->s->place) {
	case PLACE_TOP:
		build_top(b);
		break;
	case PLACE_TARGET:
		build_target(b);
		break;
	case PLACE_FILE_SD:
		build_file_sd(b);
		break;
	case PLACE_POLICY:
		build_policy(b);
		break;
	case PLACE_CARD:
		build_card(b);
		break;
	case PLACE_BAY_MAP:
		build_map(b);
		break;
	case PLACE_DRIVE_MODEL:
		build_drive_model(b);
		break;
	case PLACE_NOTIFY:
		config_build_notify(b);
		break;
	case PLACE_ALERT:
		config_build_alert(b);
		break;
	case PLACE_MAINTENANCE:
		config_build_maintenance(b);
		break;
	case PLACE_UNKNOWN:
	case PLACES_END:
		break;
	}
}

/* ---- files ---- */

/* Remembers a section or key; false if another file has it, which is said. */
static bool first_time(
	const struct build *b, struct config_origins *seen, const char *name, int line)
{
	enum config_place place = b->s->place;
	struct config_seen *one;

	for (size_t i = 0; i < seen->n; i++) {
		one = &seen->items[i];
		if (one->place != place || strcmp(one->name, name) != 0)
			continue;
		config_error_add(b->c, b->text->file, line,
			"%s%s\"%s\" is already set in %s, line %d",
			config_place_name(place), place == PLACE_TOP ? "" : " ", name,
			one->file, one->line);
		return false;
	}
	seen->items = mem_grow(seen->items, seen->n, sizeof *seen->items);
	one = &seen->items[seen->n++];
	*one = (struct config_seen){.place = place, .line = line};
	str_copy(one->name, sizeof one->name, name);
	str_copy(one->file, sizeof one->file, b->text->file);
	return true;
}

static bool new_section(const struct build *b, struct config_origins *seen)
{
	bool all_new = true;

	if (b->s->place != PLACE_TOP)
		return first_time(b, seen, b->s->title, b->s->line);
	for (size_t i = 0; i < b->s->n; i++)
		all_new &= first_time(
			b, seen, b->s->values[i].key->name, b->s->values[i].line);
	return all_new;
}

void config_build_file(
	struct config *c, const struct config_text *t, struct config_origins *seen)
{
	for (size_t i = 0; i < t->n_sections; i++) {
		const struct build b = {c, t, &t->sections[i]};

		if (!new_section(&b, seen))
			continue;
		check_values(&b);
		build_section(&b);
	}
}
