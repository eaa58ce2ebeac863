/* SPDX-License-Identifier: MIT */
/*
 * rule: what the operator says about alerts: a condition over a metric that is an alert of its
 * own, limits of wear for some drives, another severity of a kind for some bays.  Pure.
 */
#ifndef MODEL_RULE_H
#define MODEL_RULE_H

#include "base/err.h"
#include "model/bay.h"
#include "model/event.h"
#include "model/metric.h"
#include "model/notice.h"
#include "model/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which bays it is for; patterns without items fit everything. */
struct rule_scope {
	struct patterns targets, bays, models, roles;
};

enum rule_comparison { RULE_COMPARISON_UNKNOWN = 0, RULE_ABOVE, RULE_AT_LEAST, RULE_BELOW, RULE_AT_MOST, RULE_EQUAL, RULE_NOT_EQUAL };

enum rule_type { RULE_TYPE_UNKNOWN = 0, RULE_CONDITION, RULE_LIMITS, RULE_SEVERITY };

struct rule {
	char name[64];
	enum rule_type type;
	struct rule_scope scope;
	/* RULE_CONDITION: "temperature_celsius > 70 for 10m" */
	const struct metric *metric;
	enum rule_comparison comparison;
	double value;
	const struct metric *value_of; /* in place of value */
	int64_t for_ms;
	char message[160]; /* what to do; "" */
	/* RULE_LIMITS */
	struct wear_limits limits; /* NAN where not given */
	/* RULE_SEVERITY, and of a condition; unknown: this kind is not told at all */
	struct patterns kinds;
	enum severity severity;
};

struct rules {
	size_t n;
	struct rule *items;
};

void rules_release(struct rules *r);
struct rule *rules_add(struct rules *r, const char *name);

/* Reads "METRIC COMPARISON VALUE|METRIC [for DURATION]"; -1 with what cannot be right about it. */
int rule_parse_condition(struct rule *r, const char *text, struct err *e);

bool rule_fits(const struct rule *r, const struct bay *b);

/* 1 it holds, 0 it does not, -1 what it needs is not known. */
int rule_holds(const struct rule *r, const struct bay *b);

/* "temperature_celsius is 74, above 70" */
void rule_describe(const struct rule *r, const struct bay *b, char *out, size_t size);

/* The limits of a bay's drive: the last that fits, over the given ones. */
struct wear_limits rules_limits(const struct rules *r, const struct bay *b, struct wear_limits standard);

/* The last RULE_SEVERITY that fits; NULL: none. */
const struct rule *rules_severity(const struct rules *r, enum alert_kind kind, const struct bay *b);

const struct rule *rules_find(const struct rules *r, const char *name);

#endif
