/* SPDX-License-Identifier: MIT */
/* rule: see rule.h. */
#include "model/rule.h"

#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const comparisons[] = {[RULE_ABOVE] = ">",
	[RULE_AT_LEAST] = ">=",
	[RULE_BELOW] = "<",
	[RULE_AT_MOST] = "<=",
	[RULE_EQUAL] = "==",
	[RULE_NOT_EQUAL] = "!="};

static const char *const comparison_words[] = {[RULE_ABOVE] = "above",
	[RULE_AT_LEAST] = "at least",
	[RULE_BELOW] = "below",
	[RULE_AT_MOST] = "at most",
	[RULE_EQUAL] = "equal to",
	[RULE_NOT_EQUAL] = "other than"};

static void release_scope(struct rule_scope *s)
{
	patterns_release(&s->targets);
	patterns_release(&s->bays);
	patterns_release(&s->models);
	patterns_release(&s->roles);
}

void rules_release(struct rules *r)
{
	for (size_t i = 0; i < r->n; i++) {
		release_scope(&r->items[i].scope);
		patterns_release(&r->items[i].kinds);
	}
	free(r->items);
	*r = (struct rules){0};
}

struct rule *rules_add(struct rules *r, const char *name)
{
	struct rule *x;

	r->items = mem_grow(r->items, r->n, sizeof *r->items);
	x = &r->items[r->n++];
	*x = (struct rule){.limits = {NAN, NAN}, .severity = SEVERITY_WARNING};
	str_copy(x->name, sizeof x->name, name);
	return x;
}

/* ---- reading ---- */

/* The next word of *s, cut; false at the end. */
static bool next_word(const char **s, char *out, size_t size)
{
	size_t len;

	*s += strspn(*s, " \t");
	len = strcspn(*s, " \t");
	if (len == 0)
		return false;
	snprintf(out, size, "%.*s", (int)len, *s);
	*s += len;
	return true;
}

static const struct metric *read_metric(const char *word, struct err *e)
{
	const struct metric *m = metric_find(word), *table;
	const char *names[64], *near;
	size_t n;

	if (m)
		return m;
	table = metric_table(&n);
	if (n > 63)
		n = 63;
	for (size_t i = 0; i < n; i++)
		names[i] = table[i].name;
	names[n] = NULL;
	near = str_nearest(word, names);
	err_set(e, "there is no metric '%s'%s%s%s", word, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return NULL;
}

static enum rule_comparison read_comparison(const char *word)
{
	for (size_t i = 1; i < sizeof comparisons / sizeof comparisons[0]; i++)
		if (strcmp(comparisons[i], word) == 0)
			return (enum rule_comparison)i;
	return RULE_COMPARISON_UNKNOWN;
}

/* Whole s, m, h or d. */
static bool read_duration(const char *word, int64_t *ms)
{
	static const struct {
		char unit;
		int64_t ms;
	} units[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}};
	size_t len = strlen(word);
	char digits[16];
	int64_t n;

	if (len < 2 || len >= sizeof digits)
		return false;
	str_copy(digits, len, word);
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (word[len - 1] == units[i].unit && str_to_int(digits, 0, 1000000, &n)) {
			*ms = n * units[i].ms;
			return *ms <= INT64_C(365) * 86400000;
		}
	return false;
}

/* What a metric can be: a condition that always or never holds cannot be meant. */
static void range_of(const struct metric *m, double *min, double *max)
{
	*min = 0;
	*max = INFINITY;
	if (strstr(m->name, "celsius"))
		*min = -273, *max = 1000;
	else if (strcmp(m->name, "percent_used") == 0 || strcmp(m->name, "critical_warning") == 0)
		*max = 255;
	else if (strstr(m->name, "percent"))
		*max = 100;
	else if (strstr(m->name, "speed_gts"))
		*max = 256;
	else if (strstr(m->name, "width"))
		*max = 32;
}

/* Whether what holds for all values, or for none, is asked. */
static bool is_idle(const struct rule *r)
{
	double min, max;

	range_of(r->metric, &min, &max);
	switch (r->comparison) {
	case RULE_ABOVE:
	case RULE_AT_MOST:
		return r->value < min || r->value >= max;
	case RULE_BELOW:
	case RULE_AT_LEAST:
		return r->value <= min || r->value > max;
	case RULE_EQUAL:
	case RULE_NOT_EQUAL:
		return r->value < min || r->value > max;
	case RULE_COMPARISON_UNKNOWN:
		break;
	}
	return false;
}

static int read_value(struct rule *r, const char *word, struct err *e)
{
	double min, max;

	if (!str_to_double(word, &r->value)) {
		r->value = NAN;
		r->value_of = metric_find(word);
		if (!r->value_of)
			return err_set(e, "'%s' is neither a number nor a metric", word);
		return r->value_of == r->metric ? err_set(e, "compares %s with itself", word) : 0;
	}
	if (!is_idle(r))
		return 0;
	range_of(r->metric, &min, &max);
	if (isinf(max))
		return err_set(e, "%s is never below %g: this always holds, or never", r->metric->name, min);
	return err_set(e, "%s is between %g and %g: this always holds, or never", r->metric->name, min, max);
}

int rule_parse_condition(struct rule *r, const char *text, struct err *e)
{
	char word[64];

	r->type = RULE_CONDITION;
	if (!next_word(&text, word, sizeof word))
		return err_set(e, "is empty; write METRIC > VALUE for 10m");
	r->metric = read_metric(word, e);
	if (!r->metric)
		return -1;
	if (!next_word(&text, word, sizeof word) || !(r->comparison = read_comparison(word)))
		return err_set(e, "behind the metric stands one of > >= < <= == !=");
	if (!next_word(&text, word, sizeof word))
		return err_set(e, "the value is missing");
	if (read_value(r, word, e))
		return -1;
	if (!next_word(&text, word, sizeof word))
		return 0;
	if (strcmp(word, "for") != 0)
		return err_set(e, "'%s' is too much; only \"for 10m\" may follow the value", word);
	if (!next_word(&text, word, sizeof word) || !read_duration(word, &r->for_ms))
		return err_set(e, "behind for stands a time, as in 30s, 10m or 2h");
	if (next_word(&text, word, sizeof word))
		return err_set(e, "'%s' is too much; only \"for 10m\" may follow the value", word);
	return 0;
}

/* ---- looking ---- */

/* A policy's way: any of the targets that see the bay. */
static bool target_fits(const struct patterns *p, const struct bay *b)
{
	if (p->n == 0 || patterns_match(p, b->target))
		return true;
	for (size_t i = 0; i < b->drive.n_sources; i++)
		if (patterns_match(p, b->drive.sources[i]))
			return true;
	return false;
}

static bool scope_fits(const struct rule_scope *s, const struct bay *b)
{
	const char *role = bay_role_word(b->role);

	if (!target_fits(&s->targets, b))
		return false;
	if (s->bays.n && !patterns_match(&s->bays, b->bay))
		return false;
	if (s->models.n && !(b->has_drive && patterns_match(&s->models, b->drive.model)))
		return false;
	return s->roles.n == 0 || (role && patterns_match(&s->roles, role));
}

bool rule_fits(const struct rule *r, const struct bay *b)
{
	return scope_fits(&r->scope, b);
}

static double limit_of(const struct rule *r, const struct bay *b)
{
	return r->value_of ? metric_number(metric_of(r->value_of, b)) : r->value;
}

int rule_holds(const struct rule *r, const struct bay *b)
{
	double value = metric_number(metric_of(r->metric, b)), limit = limit_of(r, b);

	if (isnan(value) || isnan(limit))
		return -1;
	switch (r->comparison) {
	case RULE_ABOVE:
		return value > limit;
	case RULE_AT_LEAST:
		return value >= limit;
	case RULE_BELOW:
		return value < limit;
	case RULE_AT_MOST:
		return value <= limit;
	case RULE_EQUAL:
		return value == limit;
	case RULE_NOT_EQUAL:
		return value != limit;
	case RULE_COMPARISON_UNKNOWN:
		break;
	}
	return -1;
}

void rule_describe(const struct rule *r, const struct bay *b, char *out, size_t size)
{
	snprintf(out, size, "%s is %.10g, %s %s%s%.10g%s%s", r->metric->name, metric_number(metric_of(r->metric, b)),
		comparison_words[r->comparison], r->value_of ? r->value_of->name : "", r->value_of ? " of " : "", limit_of(r, b),
		r->message[0] ? "; " : "", r->message);
}

struct wear_limits rules_limits(const struct rules *r, const struct bay *b, struct wear_limits standard)
{
	for (size_t i = 0; r && i < r->n; i++) {
		const struct rule *x = &r->items[i];

		if (x->type != RULE_LIMITS || !rule_fits(x, b))
			continue;
		if (!isnan(x->limits.warning_percent))
			standard.warning_percent = x->limits.warning_percent;
		if (!isnan(x->limits.critical_percent))
			standard.critical_percent = x->limits.critical_percent;
	}
	return standard;
}

const struct rule *rules_severity(const struct rules *r, enum alert_kind kind, const struct bay *b)
{
	for (size_t i = r ? r->n : 0; i-- > 0;) {
		const struct rule *x = &r->items[i];

		if (x->type == RULE_SEVERITY && patterns_match(&x->kinds, alert_kind_word(kind)) && rule_fits(x, b))
			return x;
	}
	return NULL;
}

const struct rule *rules_find(const struct rules *r, const char *name)
{
	for (size_t i = 0; r && i < r->n; i++)
		if (str_same(r->items[i].name, name))
			return &r->items[i];
	return NULL;
}
