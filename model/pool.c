/* SPDX-License-Identifier: MIT */
/* pool: see pool.h.  The tree and its words; the join is pool_join.c's, ceilings pool_column.c's. */
#include "model/pool.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pool pool_unknown(const char *name)
{
	struct pool p = {
		.data_errors = -1,
		.size_bytes = NAN,
		.alloc_bytes = NAN,
		.free_bytes = NAN,
		.observed_wall_ms = CLOCK_NEVER,
		.can = ceiling_unknown(),
	};

	p.log.ceiling_bps = p.cache.ceiling_bps = p.special.ceiling_bps = NAN;
	str_clean(p.name, sizeof p.name, name);
	return p;
}

void pool_release(struct pool *p)
{
	free(p->nodes);
	free(p->vdevs);
	*p = (struct pool){0};
}

static void *copy_of(const void *items, size_t n, size_t size)
{
	void *copy = n ? mem_new(n, size) : NULL;

	if (n)
		memcpy(copy, items, n * size);
	return copy;
}

struct pool pool_copy(const struct pool *p)
{
	struct pool copy = *p;

	copy.nodes = copy_of(p->nodes, p->n_nodes, sizeof *p->nodes);
	copy.vdevs = copy_of(p->vdevs, p->n_vdevs, sizeof *p->vdevs);
	return copy;
}

struct pool_node *pool_add_node(struct pool *p, const char *name, enum pool_part part, int depth)
{
	struct pool_node *n;

	p->nodes = mem_grow(p->nodes, p->n_nodes, sizeof *p->nodes);
	n = &p->nodes[p->n_nodes++];
	*n = (struct pool_node){.part = part, .depth = depth, .read_bps = NAN, .write_bps = NAN};
	str_clean(n->name, sizeof n->name, name);
	return n;
}

size_t pool_node_end(const struct pool *p, size_t i)
{
	size_t end = i + 1;

	while (end < p->n_nodes && p->nodes[end].part == p->nodes[i].part &&
		p->nodes[end].depth > p->nodes[i].depth)
		end++;
	return end;
}

/* "draid2-0-0": parity, vdev, number of the spare. */
static bool is_distributed(const char *name)
{
	const char *s = name + strlen("draid");

	if (!str_starts(name, "draid") || *s < '1' || *s > '3' || s[1] != '-')
		return false;
	s += 2;
	s += strspn(s, "0123456789");
	return *s == '-' && s[1] && s[1 + strspn(s + 1, "0123456789")] == '\0';
}

/* "spare-1", and "spare" of old versions. */
static bool is_word_with_id(const char *name, const char *word)
{
	size_t n = strlen(word);

	return strncmp(name, word, n) == 0 &&
	       (name[n] == '\0' || (name[n] == '-' && strspn(name + n + 1, "0123456789") == strlen(name + n + 1)));
}

static enum pool_node_kind group_kind(const char *name)
{
	struct layout l;

	if (is_word_with_id(name, "replacing"))
		return NODE_REPLACING;
	if (is_word_with_id(name, "spare"))
		return NODE_SPARE;
	if (!layout_parse(name, &l))
		return NODE_UNKNOWN;
	switch (l.kind) {
	case LAYOUT_MIRROR:
		return NODE_MIRROR;
	case LAYOUT_RAIDZ:
		return NODE_RAIDZ;
	case LAYOUT_DRAID:
		return NODE_DRAID;
	case LAYOUT_DISK:
	case LAYOUT_UNKNOWN:
		break;
	}
	return NODE_UNKNOWN;
}

void pool_settle_kinds(struct pool *p)
{
	for (size_t i = 0; i < p->n_nodes; i++) {
		struct pool_node *n = &p->nodes[i];

		if (pool_node_end(p, i) > i + 1)
			n->kind = group_kind(n->name);
		else
			n->kind = is_distributed(n->name) ? NODE_DISTRIBUTED : NODE_LEAF;
	}
}

bool pool_node_is_leaf(const struct pool_node *n)
{
	return n->kind == NODE_LEAF || n->kind == NODE_DISTRIBUTED;
}

bool pool_node_missing(const struct pool_node *n)
{
	return n->state == POOL_UNAVAIL || n->state == POOL_REMOVED;
}

const char *pool_node_label(const struct pool_node *n)
{
	return n->controller[0] ? n->controller : n->name;
}

const char *pool_kind_text(const struct pool_node *n, char *out, size_t size)
{
	struct layout l = {0};

	if (n->kind == NODE_MIRROR || n->kind == NODE_RAIDZ || n->kind == NODE_DRAID)
		layout_parse(n->name, &l);
	switch (l.kind) {
	case LAYOUT_MIRROR:
		str_copy(out, size, "mirror");
		return out;
	case LAYOUT_RAIDZ:
		snprintf(out, size, "raidz%d", l.parity);
		return out;
	case LAYOUT_DRAID:
		snprintf(out, size, "draid%d", l.parity);
		return out;
	case LAYOUT_DISK:
	case LAYOUT_UNKNOWN:
		break;
	}
	str_copy(out, size, "disk");
	return out;
}

/* ---- how it is ---- */

enum severity pool_severity(const struct pool *p)
{
	if (p->data_errors > 0 || p->hints & POOL_HINT_NO_REDUNDANCY)
		return p->state == POOL_ONLINE && p->data_errors <= 0 ? SEVERITY_INFO : SEVERITY_CRITICAL;
	switch (p->state) {
	case POOL_ONLINE:
	case POOL_STATE_UNKNOWN:
	case POOL_AVAIL:
	case POOL_INUSE:
		return SEVERITY_INFO;
	case POOL_DEGRADED:
	case POOL_OFFLINE:
		return SEVERITY_WARNING;
	case POOL_FAULTED:
	case POOL_UNAVAIL:
	case POOL_REMOVED:
	case POOL_SUSPENDED:
	case POOL_SPLIT:
		break;
	}
	return SEVERITY_CRITICAL;
}

void pool_trouble(const struct pool *p, char *out, size_t size)
{
	const char *before = "; missing: ";
	size_t n;

	n = (size_t)snprintf(out, size, "pool %.64s is %s", p->name, p->state ? pool_state_word(p->state) : "in no known state");
	for (size_t i = 0; i < p->n_nodes && n < size; i++) {
		if (!pool_node_is_leaf(&p->nodes[i]) || !pool_node_missing(&p->nodes[i]))
			continue;
		n += (size_t)snprintf(out + n, size - n, "%s%.64s", before, p->nodes[i].name);
		before = ", ";
	}
	if (p->data_errors > 0 && n < size)
		n += (size_t)snprintf(out + n, size - n, "; %lld data errors", (long long)p->data_errors);
	if (p->status[0] && n < size)
		snprintf(out + n, size - n, "; %s", p->status);
}

/* ---- words ---- */

static const char *const state_words[] = {
	[POOL_ONLINE] = "ONLINE",
	[POOL_DEGRADED] = "DEGRADED",
	[POOL_FAULTED] = "FAULTED",
	[POOL_OFFLINE] = "OFFLINE",
	[POOL_UNAVAIL] = "UNAVAIL",
	[POOL_REMOVED] = "REMOVED",
	[POOL_SUSPENDED] = "SUSPENDED",
	[POOL_SPLIT] = "SPLIT",
	[POOL_AVAIL] = "AVAIL",
	[POOL_INUSE] = "INUSE",
};

static const char *const part_words[] = {
	[PART_DATA] = "data",
	[PART_DEDUP] = "dedup",
	[PART_SPECIAL] = "special",
	[PART_LOG] = "log",
	[PART_CACHE] = "cache",
	[PART_SPARE] = "spare",
};

static const char *const kind_words[] = {
	[NODE_LEAF] = "leaf",
	[NODE_DISTRIBUTED] = "distributed",
	[NODE_MIRROR] = "mirror",
	[NODE_RAIDZ] = "raidz",
	[NODE_DRAID] = "draid",
	[NODE_REPLACING] = "replacing",
	[NODE_SPARE] = "spare",
};

static const char *const function_words[] = {[SCAN_SCRUB] = "scrub", [SCAN_RESILVER] = "resilver"};

static const char *const scan_state_words[] = {
	[SCAN_RUNNING] = "running",
	[SCAN_PAUSED] = "paused",
	[SCAN_FINISHED] = "finished",
	[SCAN_CANCELED] = "canceled",
};

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* The index of a word, 0 (not known) if it is none. */
static int index_of(const char *const *words, size_t n, const char *word)
{
	for (size_t i = 1; word && i < n; i++)
		if (str_same(words[i], word))
			return (int)i;
	return 0;
}

const char *pool_state_word(enum pool_state s)
{
	return state_words[s];
}

enum pool_state pool_state_of(const char *word)
{
	return (enum pool_state)index_of(state_words, COUNT_OF(state_words), word);
}

const char *pool_part_word(enum pool_part p)
{
	return part_words[p];
}

enum pool_part pool_part_of(const char *word)
{
	return (enum pool_part)index_of(part_words, COUNT_OF(part_words), word);
}

const char *pool_node_kind_word(enum pool_node_kind k)
{
	return kind_words[k];
}

enum pool_node_kind pool_node_kind_of(const char *word)
{
	return (enum pool_node_kind)index_of(kind_words, COUNT_OF(kind_words), word);
}

const char *pool_scan_function_word(enum pool_scan_function f)
{
	return function_words[f];
}

enum pool_scan_function pool_scan_function_of(const char *word)
{
	return (enum pool_scan_function)index_of(function_words, COUNT_OF(function_words), word);
}

const char *pool_scan_state_word(enum pool_scan_state s)
{
	return scan_state_words[s];
}

enum pool_scan_state pool_scan_state_of(const char *word)
{
	return (enum pool_scan_state)index_of(scan_state_words, COUNT_OF(scan_state_words), word);
}

const char *pool_hint_word(enum pool_hint h)
{
	switch (h) {
	case POOL_HINT_SLOW_MEMBER:
		return "slow-member";
	case POOL_HINT_LOG_SLOWER:
		return "log-slower-than-pool";
	case POOL_HINT_NO_REDUNDANCY:
		return "no-redundancy";
	case POOL_HINT_CORRELATED_WEAR:
		return "correlated-wear";
	case POOL_HINTS_END:
		break;
	}
	return NULL;
}

unsigned pool_hint_of(const char *word)
{
	for (unsigned bit = 1; bit < POOL_HINTS_END; bit <<= 1)
		if (str_same(pool_hint_word((enum pool_hint)bit), word))
			return bit;
	return 0;
}
