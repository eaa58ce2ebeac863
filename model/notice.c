/* SPDX-License-Identifier: MIT */
/* notice: see notice.h. */
#include "model/notice.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_words[] = {
	[ALERT_LINK] = "link",
	[ALERT_WEAR] = "wear",
	[ALERT_SPARE] = "spare",
	[ALERT_MEDIA] = "media",
	[ALERT_HEALTH] = "health",
	[ALERT_TEMPERATURE] = "temperature",
	[ALERT_ABSENT] = "absent",
	[ALERT_HOST_UNREACHABLE] = "unreachable",
	[ALERT_FLAPPING] = "flapping",
	[ALERT_DRIVE_DEAD] = "drive-dead",
	[ALERT_DRIVE_NOT_ANSWERING] = "not-answering",
	[ALERT_POOL] = "pool",
	[ALERT_STORE_FULL] = "store-full",
	[ALERT_FORECAST] = "forecast",
	[ALERT_OUTLIER] = "outlier",
	[ALERT_RULE] = "rule",
	[ALERT_HEARTBEAT] = "heartbeat",
	[ALERT_TEST] = "test",
};

static const char *const state_words[] = {
	[ALERT_PENDING] = "pending",
	[ALERT_FIRING] = "firing",
	[ALERT_RESOLVED] = "resolved",
};

static size_t word_index(const char *const *words, size_t n, const char *word)
{
	for (size_t i = 1; i < n && word; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return 0;
}

const char *alert_kind_word(enum alert_kind k)
{
	return (size_t)k < sizeof kind_words / sizeof kind_words[0] ? kind_words[k]
								    : NULL;
}

enum alert_kind alert_kind_of(const char *word)
{
	return (enum alert_kind)word_index(
		kind_words, sizeof kind_words / sizeof kind_words[0], word);
}

const char *alert_state_word(enum alert_state s)
{
	return (size_t)s < sizeof state_words / sizeof state_words[0] ? state_words[s]
								      : NULL;
}

enum alert_state alert_state_of(const char *word)
{
	return (enum alert_state)word_index(
		state_words, sizeof state_words / sizeof state_words[0], word);
}

void notices_release(struct notices *n)
{
	for (size_t i = 0; i < n->n; i++)
		free(n->items[i].members);
	free(n->items);
	*n = (struct notices){0};
}

struct notice *notices_add(struct notices *n)
{
	n->items = mem_grow(n->items, n->n, sizeof *n->items);
	n->items[n->n] = (struct notice){0};
	return &n->items[n->n++];
}

void notices_pick(const struct notices *from, bool (*fits)(const void *arg, const struct notice *n), const void *arg,
	struct notices *out)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct notice *n = &from->items[i];
		struct notice *mine;

		if (!fits(arg, n))
			continue;
		mine = notices_add(out);
		*mine = *n;
		mine->members = NULL;
		if (n->n_members) {
			mine->members = mem_new(n->n_members, sizeof *n->members);
			memcpy(mine->members, n->members, n->n_members * sizeof *n->members);
		}
	}
}

/* ---- grouping ---- */

/* One machine's or group's news of one state; machines that do not answer are one group together. */
static bool belong_together(const struct notice *a, const struct notice *b)
{
	if (a->state != b->state || a->n_members || b->n_members)
		return false;
	if (a->group[0] || b->group[0])
		return str_same(a->group, b->group);
	if (a->kind == ALERT_HOST_UNREACHABLE && b->kind == ALERT_HOST_UNREACHABLE)
		return true;
	return a->host[0] && str_same(a->host, b->host);
}

static void describe_group(struct notice *g, bool one_host, bool one_kind)
{
	const char *kind = alert_kind_word(g->kind), *state = alert_state_word(g->state);
	char first[sizeof g->message];

	memcpy(first, g->message, sizeof first);
	snprintf(g->message, sizeof g->message,
		"%s: %zu %s%salerts %s; the first: %.200s",
		one_host ? g->host : g->group[0] ? g->group : "several machines", g->n_members,
		one_kind ? kind : "", one_kind ? " " : "", state, first);
	g->bay[0] = g->serial[0] = g->rule[0] = '\0';
	g->severity_before = SEVERITY_UNKNOWN;
	if (!one_host)
		g->target[0] = g->host[0] = '\0';
	g->alert_id = 0;
}

/* Takes all that belong to items[at] into one notice; the taken ones are marked by
 * `gone`. */
static void take_members(struct notices *n, size_t at, size_t count, bool *gone)
{
	struct notice *g = &n->items[at];
	struct notice_member *members = mem_new(count, sizeof *members);
	bool one_host = true, one_kind = true;
	size_t k = 0;

	for (size_t i = at; i < n->n; i++) {
		const struct notice *m = &n->items[i];

		if (gone[i] || (i != at && !belong_together(g, m)))
			continue;
		members[k] = (struct notice_member){
			.alert_id = m->alert_id,
			.kind = m->kind,
			.state = m->state,
			.severity = m->severity,
			.severity_before = m->severity_before,
			.since_wall_ms = m->since_wall_ms};
		str_copy(members[k].target, sizeof members[k].target, m->target);
		str_copy(members[k].host, sizeof members[k].host, m->host);
		str_copy(members[k].rule, sizeof members[k].rule, m->rule);
		str_copy(members[k].message, sizeof members[k].message, m->message);
		str_copy(members[k].bay, sizeof members[k].bay, m->bay);
		str_copy(members[k].serial, sizeof members[k].serial, m->serial);
		k++;
		one_host &= str_same(m->host, g->host);
		one_kind &= m->kind == g->kind;
		if (m->severity > g->severity)
			g->severity = m->severity;
		gone[i] = i != at;
	}
	g->members = members;
	g->n_members = k;
	describe_group(g, one_host, one_kind);
}

void notices_group(struct notices *n)
{
	bool *gone = mem_new(n->n, sizeof *gone);
	size_t kept = 0;

	for (size_t i = 0; i < n->n; i++) {
		size_t count = 1;

		for (size_t k = i + 1; k < n->n && !gone[i]; k++)
			count += !gone[k] && belong_together(&n->items[i], &n->items[k]);
		if (!gone[i] && count > NOTICE_ALONE_MAX)
			take_members(n, i, count, gone);
	}
	for (size_t i = 0; i < n->n; i++)
		if (!gone[i])
			n->items[kept++] = n->items[i];
	n->n = kept;
	free(gone);
}
