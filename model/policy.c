/* SPDX-License-Identifier: MIT */
/*
 * policy: see policy.h.  Filled once by set-up code from the configuration, read afterwards;
 * the only memory of the model besides snapshot and inventory.
 */
#include "model/policy.h"

#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 4096 };

void policy_set_init(struct policy_set *s)
{
	*s = (struct policy_set){.wear = {80, 100}};
}

void policy_set_release(struct policy_set *s)
{
	for (size_t i = 0; i < s->n_policies; i++) {
		patterns_release(&s->policies[i].targets);
		patterns_release(&s->policies[i].bays);
	}
	for (size_t i = 0; i < s->n_cards; i++)
		patterns_release(&s->cards[i].bays);
	for (size_t i = 0; i < s->n_maps; i++)
		bay_map_release(&s->maps[i]);
	free(s->maps);
	free(s->policies);
	free(s->cards);
	free(s->models);
	*s = (struct policy_set){0};
}

struct policy *policy_set_add(struct policy_set *s, const char *name)
{
	struct policy *p;

	s->policies = mem_grow(s->policies, s->n_policies, sizeof *s->policies);
	p = &s->policies[s->n_policies++];
	*p = (struct policy){0};
	str_copy(p->name, sizeof p->name, name);
	return p;
}

struct policy_card *policy_set_add_card(struct policy_set *s, const char *slot)
{
	struct policy_card *c;

	s->cards = mem_grow(s->cards, s->n_cards, sizeof *s->cards);
	c = &s->cards[s->n_cards++];
	*c = (struct policy_card){0};
	str_copy(c->slot, sizeof c->slot, slot);
	return c;
}

struct policy_drive_model *policy_set_add_model(struct policy_set *s, const char *pattern)
{
	struct policy_drive_model *m;

	s->models = mem_grow(s->models, s->n_models, sizeof *s->models);
	m = &s->models[s->n_models++];
	*m = (struct policy_drive_model){
		.rated_tbw = NAN, .rated_dwpd = NAN, .rated_read_bps = NAN, .rated_write_bps = NAN};
	str_copy(m->pattern, sizeof m->pattern, pattern);
	return m;
}

struct bay_map *policy_set_add_map(struct policy_set *s, const char *host)
{
	struct bay_map *m;

	s->maps = mem_grow(s->maps, s->n_maps, sizeof *s->maps);
	m = &s->maps[s->n_maps++];
	*m = (struct bay_map){0};
	str_copy(m->host, sizeof m->host, host);
	return m;
}

/* ---- which one holds ---- */

static bool fits(const struct patterns *p, const char *name)
{
	return p->n == 0 || patterns_match(p, name);
}

/* True if the patterns leave something out; "*" alone is as good as none. */
static bool restricts(const struct patterns *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->items[i][strspn(p->items[i], "*")] == '\0')
			return false;
	return p->n > 0;
}

/* Target and bay 3, bay 2, target 1, neither 0. */
static int specificity(const struct policy *p)
{
	return 2 * restricts(&p->bays) + restricts(&p->targets);
}

const struct policy *policy_find(const struct policy_set *s, const char *target, const char *bay)
{
	const struct policy *best = NULL;

	for (size_t i = 0; i < s->n_policies; i++) {
		const struct policy *p = &s->policies[i];

		if (fits(&p->targets, target) && fits(&p->bays, bay) &&
			(!best || specificity(p) >= specificity(best)))
			best = p;
	}
	return best;
}

const struct bay_map *policy_map_find(const struct policy_set *s, const char *host)
{
	for (size_t i = s->n_maps; i > 0; i--)
		if (str_match(s->maps[i - 1].host, host))
			return &s->maps[i - 1];
	return NULL;
}

const struct policy_drive_model *policy_model_find(const struct policy_set *s, const char *model)
{
	for (size_t i = s->n_models; i > 0; i--)
		if (str_match(s->models[i - 1].pattern, model))
			return &s->models[i - 1];
	return NULL;
}

/* ---- what is expected ---- */

/* "x4" at the end of a text: cuts it off and gives the lanes; 0 if there is none. */
static int cut_width(char *text)
{
	char *x = strrchr(text, 'x');
	int lanes;

	if (!x || x[1 + strspn(x + 1, "0123456789")] || !(lanes = pcie_width_parse(x)))
		return 0;
	while (x > text && x[-1] == ' ')
		x--;
	*x = '\0';
	return lanes;
}

bool policy_expect_parse(const char *s, struct pcie_rate *out)
{
	struct pcie_rate r = {0};
	char text[48];

	if (strlen(s) >= sizeof text)
		return false;
	str_clean(text, sizeof text, s);
	for (char *p = text; *p; p++)
		if (*p == 'X')
			*p = 'x';
	r.width_lanes = cut_width(text);
	if (*text) {
		r.speed_mtps = pcie_speed_parse(text);
		if (!r.speed_mtps)
			return false;
	}
	if (!r.speed_mtps && !r.width_lanes)
		return false;
	*out = r;
	return true;
}

/* ---- patterns ---- */

void patterns_add(struct patterns *p, const char *one)
{
	p->items = mem_grow(p->items, p->n, sizeof *p->items);
	p->items[p->n++] = mem_text(one);
}

void patterns_add_list(struct patterns *p, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ","), end = n, start = 0;
		char *one;

		while (start < n && list[start] == ' ')
			start++;
		while (end > start && list[end - 1] == ' ')
			end--;
		if (end > start) {
			one = mem_new(end - start + 1, 1);
			memcpy(one, list + start, end - start);
			patterns_add(p, one);
			free(one);
		}
		list += n + (list[n] == ',');
	}
}

void patterns_release(struct patterns *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->items[i]);
	free(p->items);
	*p = (struct patterns){0};
}

/* "24-25", ascending: true with both ends. */
static bool range_parse(const char *pattern, int64_t *first, int64_t *last)
{
	char left[16];
	size_t n = strspn(pattern, "0123456789");

	if (n == 0 || n >= sizeof left || pattern[n] != '-')
		return false;
	memcpy(left, pattern, n);
	left[n] = '\0';
	pattern += n + 1;
	return !pattern[strspn(pattern, "0123456789")] && str_to_int(left, 0, INT32_MAX, first) &&
	       str_to_int(pattern, 0, INT32_MAX, last) && *first < *last;
}

static bool item_match(const char *pattern, const char *name)
{
	int64_t first, last, n;

	if (str_match(pattern, name))
		return true;
	return range_parse(pattern, &first, &last) && !name[strspn(name, "0123456789")] &&
	       str_to_int(name, first, last, &n);
}

bool patterns_match(const struct patterns *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (item_match(p->items[i], name))
			return true;
	return false;
}

void patterns_each_name(const struct patterns *p, void (*fn)(void *arg, const char *name), void *arg)
{
	int64_t first, last;
	size_t given = 0;
	char name[24];

	for (size_t i = 0; i < p->n; i++) {
		const char *item = p->items[i];

		if (!range_parse(item, &first, &last)) {
			if (!strpbrk(item, "*?") && given++ < NAMES_MAX)
				fn(arg, item);
			continue;
		}
		for (int64_t n = first; n <= last && given++ < NAMES_MAX; n++) {
			/* "01-12" counts as it is written */
			snprintf(name, sizeof name, "%0*lld", *item == '0' ? (int)strcspn(item, "-") : 1,
				(long long)n);
			fn(arg, name);
		}
	}
}
