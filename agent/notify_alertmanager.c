/* SPDX-License-Identifier: MIT */
/*
 * notify_alertmanager: POST /api/v2/alerts.  To Alertmanager an alert is its set of labels and
 * lives until endsAt: what stands is posted again and again, and ends by a post with the end.
 * So one request holds a notice (each member of a grouped one is an alert of its own, for
 * Alertmanager groups by itself), or all that stands.
 */
#include "agent/notify_way.h"

#include "base/clock.h"
#include "base/jtext.h"
#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIVES = 4 }; /* so many times may a repeat be missing */

/* An empty label is none to Alertmanager. */
static void put(json_t *o, const char *key, const char *text)
{
	if (text && text[0])
		json_object_set_new(o, key, json_string(text));
}

/* "LanewatchNotAnswering" of "not-answering". */
static void put_name(json_t *labels, const char *kind)
{
	char name[64] = "Lanewatch";
	size_t n = strlen(name);
	bool upper = true;

	for (; *kind && n + 1 < sizeof name; kind++) {
		if (*kind != '-')
			name[n++] = (char)(upper ? toupper((unsigned char)*kind) : *kind);
		upper = *kind == '-';
	}
	name[n] = '\0';
	put(labels, "alertname", name);
}

static void put_time(json_t *o, const char *key, int64_t wall_ms)
{
	char text[CLOCK_TEXT_MAX];

	put(o, key, clock_text(wall_ms, text));
}

struct piece {
	const char *kind, *severity, *host, *target, *bay, *serial, *rule, *message;
	int64_t since_wall_ms, until_wall_ms;
};

static json_t *alert_of(const struct piece *x)
{
	json_t *o = json_object(), *labels = json_object(), *notes = json_object();

	put_name(labels, x->kind);
	put(labels, "kind", x->kind);
	put(labels, "severity", x->severity);
	put(labels, "instance", x->host);
	put(labels, "bay", x->bay);
	put(labels, "serial", x->serial);
	put(labels, "rule", x->rule);
	put(notes, "summary", x->message);
	put(notes, "target", x->target); /* no label: which of a machine's targets tells may change */
	json_object_set_new(o, "labels", labels);
	json_object_set_new(o, "annotations", notes);
	put_time(o, "startsAt", x->since_wall_ms < x->until_wall_ms ? x->since_wall_ms : x->until_wall_ms);
	put_time(o, "endsAt", x->until_wall_ms);
	return o;
}

static int64_t lives_until(const struct notify_config *c)
{
	return clock_wall_ms() + LIVES * c->repeat_ms;
}

/* ---- a notice ---- */

/* A notice, or a member of one, which has what the whole has not. */
static struct piece piece_of(const struct notify_config *c, const json_t *o, const json_t *whole)
{
	struct piece x = {.kind = notify_text(o, "kind"),
		.severity = notify_text(o, "severity"),
		.host = notify_text(o, "host"),
		.target = notify_text(o, "target"),
		.bay = notify_text(o, "bay"),
		.serial = notify_text(o, "serial"),
		.rule = notify_text(o, "rule"),
		.message = notify_text(o, "message"),
		.since_wall_ms = clock_parse(notify_text(o, "since"))};
	bool over = str_same(notify_text(o, "state"), "resolved");
	int64_t at = clock_parse(notify_text(whole, "at"));

	x.until_wall_ms = over ? at : lives_until(c);
	if (x.since_wall_ms == CLOCK_NEVER)
		x.since_wall_ms = at;
	return x;
}

/* An alert that became worse is another one to Alertmanager: the first one ends with it. */
static void add_piece(json_t *list, const struct notify_config *c, const json_t *o, const json_t *whole)
{
	struct piece x = piece_of(c, o, whole);
	const char *before = notify_text(o, "severity_before");

	json_array_append_new(list, alert_of(&x));
	if (!before[0])
		return;
	x.severity = before;
	x.until_wall_ms = clock_parse(notify_text(whole, "at"));
	json_array_append_new(list, alert_of(&x));
}

static json_t *list_of_notice(const struct notify_config *c, const json_t *notice)
{
	json_t *list = json_array(), *members = json_object_get(notice, "members"), *m;
	size_t i;

	if (!members)
		add_piece(list, c, notice, notice);
	json_array_foreach (members, i, m)
		add_piece(list, c, m, notice);
	return list;
}

/* ---- all that stands ---- */

static json_t *list_of_standing(const struct notify_config *c, const struct alerts *a)
{
	json_t *list = json_array();
	int64_t until = lives_until(c);

	for (size_t i = 0; i < a->n; i++) {
		const struct alert *x = &a->items[i];
		const struct piece p = {alert_kind_word(x->kind), severity_word(x->told_severity), x->host, x->target, x->bay,
			x->serial, x->rule, x->message, x->since_wall_ms, until};

		if (x->state == ALERT_FIRING && x->notices > 0 && x->told_severity >= c->severity_min &&
			(c->kinds.n == 0 || patterns_match(&c->kinds, p.kind)))
			json_array_append_new(list, alert_of(&p));
	}
	if (c->heartbeat_ms) {
		const struct piece beat = {.kind = "heartbeat",
			.severity = "none",
			.message = "lanewatch lives; if this ends, look after it",
			.since_wall_ms = clock_wall_ms(),
			.until_wall_ms = until};

		json_array_append_new(list, alert_of(&beat));
	}
	return list;
}

static void *send_alertmanager(const struct notify_env *env, const struct notify_post *p, notify_done_fn *done, void *arg)
{
	json_t *list = p->notice ? list_of_notice(p->config, p->notice) : list_of_standing(p->config, p->standing);
	char url[512], *body = jtext_print(list, JSON_COMPACT);
	size_t len = strlen(p->config->url);

	while (len && p->config->url[len - 1] == '/')
		len--;
	snprintf(url, sizeof url, "%.*s/api/v2/alerts", (int)len, p->config->url);
	json_decref(list);
	return notify_http_send(env, p, url, body, done, arg);
}

const struct notify_way notify_alertmanager = {send_alertmanager, notify_http_cancel, true};
