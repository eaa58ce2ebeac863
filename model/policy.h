/* SPDX-License-Identifier: MIT */
/*
 * policy: what the operator expects of which bays.  The most specific policy wins: target
 * and bay over bay over target over default; later over earlier where equally specific.
 */
#ifndef MODEL_POLICY_H
#define MODEL_POLICY_H

#include "model/bay_map.h"
#include "model/pcie_link.h"
#include "model/wear.h"

#include <stdbool.h>
#include <stddef.h>

/* Patterns for names: texts with * and ?, and ascending ranges "24-25"; commas between them. */
struct patterns {
	size_t n;
	char **items; /* one pattern each */
};

struct rules;

struct policy {
	char name[64];
	struct patterns targets, bays; /* n 0: not restricted */
	struct pcie_rate expect;
	bool has_expect, require_present;
};

/* An add-in card that carries several drives (bifurcation). */
struct policy_card {
	char slot[64];
	struct patterns bays;
};

/* What the operator knows of a drive model. */
struct policy_drive_model {
	char pattern[96];
	double rated_tbw, rated_dwpd; /* NAN not given */
	double rated_read_bps, rated_write_bps; /* bytes per second; NAN not given */
};

struct policy_set {
	struct policy *policies;
	struct policy_card *cards;
	struct policy_drive_model *models;
	struct bay_map *maps;
	size_t n_policies, n_cards, n_models, n_maps;
	struct wear_limits wear;
	const struct rules *rules; /* limits for some drives alone; borrowed, NULL none */
};

void policy_set_init(struct policy_set *s); /* nothing expected, wear limits 80 and 100 */
void policy_set_release(struct policy_set *s);
struct policy *policy_set_add(struct policy_set *s, const char *name);
struct policy_card *policy_set_add_card(struct policy_set *s, const char *slot);
struct policy_drive_model *policy_set_add_model(struct policy_set *s, const char *pattern);
struct bay_map *policy_set_add_map(struct policy_set *s, const char *host);

/* The policy for a bay, NULL if none fits. */
const struct policy *policy_find(const struct policy_set *s, const char *target, const char *bay);

/* The last map for a host, NULL if there is none. */
const struct bay_map *policy_map_find(const struct policy_set *s, const char *host);

/* The last model entry whose pattern fits, NULL if none. */
const struct policy_drive_model *policy_model_find(const struct policy_set *s, const char *model);

/* "32 GT/s x4", "gen5 x4", "gen5", "x4", any case and blanks; false if it is none of these. */
bool policy_expect_parse(const char *s, struct pcie_rate *out);

/*
 * Adds the patterns of a list with commas; a name that is itself an element of a configured
 * list goes in whole with patterns_add().  A range must ascend: "5-1" is a name.
 */
void patterns_add_list(struct patterns *p, const char *list);
void patterns_add(struct patterns *p, const char *one);
void patterns_release(struct patterns *p);
bool patterns_match(const struct patterns *p, const char *name);

/*
 * Bays that the patterns name one by one (ranges counted out, plain names): calls fn for each.
 * Patterns with * or ? name nothing.  At most 4096.
 */
void patterns_each_name(const struct patterns *p, void (*fn)(void *arg, const char *name), void *arg);

#endif
