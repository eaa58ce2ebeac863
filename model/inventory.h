/* SPDX-License-Identifier: MIT */
/*
 * inventory: all targets and bays as they stand, joined and judged: the document
 * lanewatch/bays/v1 as plain data.
 *
 * Snapshots go in one by one (inventory_apply copies what it keeps), then inventory_finish
 * joins the views of one host, applies the policies, reaches the verdicts and sorts.  The
 * views stay as they came, so both may be called again and again: a target that answers
 * anew replaces its own view alone.
 *
 * Between rounds the joined bays may be put to rest, which takes a fifth of the memory.  A round that
 * begins from there works on the hosts alone of which something was told since: `bays` holds theirs,
 * and those of all others rest on (inventory_rests), with their hops, pools, notes and hints as they
 * were.  Owned by one thread.
 */
#ifndef MODEL_INVENTORY_H
#define MODEL_INVENTORY_H

#include "model/bay.h"
#include "model/bay_pack.h"
#include "model/lookup.h"
#include "model/policy.h"
#include "model/snapshot.h"

#include <stddef.h>
#include <stdint.h>

/* A NOTE or HINT of the contract; texts "" where they do not apply. */
struct remark {
	char code[40];
	char host[96]; /* whose it is; not in the document, nor its place in the list */
	size_t nth;
	char target[64], bay[64], serial[64], pool[64];
	char message[256];
	size_t n_bays;
	char (*bays)[64];
};

/* What one target said last, not yet joined; only the model looks here. */
struct seen {
	char target[64];
	struct bay_pack bays;
	struct hop *hops;
	struct pool *pools;
	size_t n_hops, n_pools;
};

/* The joined bays of a host, at rest; only rest.c looks here. */
struct rested {
	char host[96];
	struct bay_pack bays;
	size_t first; /* the number of its first bay */
	bool touched; /* something was told of it: the round makes its bays anew */
};

struct inventory {
	int64_t collected_wall_ms;
	struct target *targets;
	struct bay *bays; /* NULL while they are at rest */
	struct rested *rested; /* in the natural order of hosts */
	size_t n_rested;
	struct lookup by_host; /* of rested */
	bool at_work; /* between inventory_join() and inventory_rest() */
	struct hop *hops;
	struct pool *pools;
	struct remark *notes, *hints;
	size_t n_targets, n_hops, n_pools, n_notes, n_hints;
	size_t n_bays; /* in bays; of all hosts while they are at rest */
	struct seen *seen; /* by name of target */
	size_t n_seen;
};

void inventory_init(struct inventory *inv);
void inventory_release(struct inventory *inv);

/*
 * Takes in what one source saw; an earlier snapshot of the same target is replaced.  What a
 * target said before stays, marked stale, where it does not answer now; so do the drives that
 * it no longer lists while its host is powered off: those were not pulled.
 */
void inventory_apply(struct inventory *inv, const struct snapshot *s);

/*
 * Targets may answer at different paces: a round is made of what some have just told and of what
 * the others told before.  True if a target that sees this bay told of it since the last
 * inventory_settled(), which ends a round.
 */
bool inventory_fresh(const struct inventory *inv, const struct bay *b);
void inventory_settled(struct inventory *inv);

/* Ends a round: puts the joined bays to rest beside those that rested. */
void inventory_rest(struct inventory *inv);

/* True if the bays of this host are at rest and nothing was told of it since: this round leaves it alone. */
bool inventory_rests(const struct inventory *inv, const char *host);

/* The next round makes the bays of this host anew, of all hosts: something else than its targets' word has changed. */
void inventory_touch(struct inventory *inv, const char *host);
void inventory_touch_all(struct inventory *inv);

/* Adds to `out` the bays of the round before of the hosts that this one works on. */
void inventory_last(const struct inventory *inv, struct bay_pack *out);

/*
 * Bay number i, below n_bays, at hand or at rest: `room` is where one at rest is unpacked.  Borrowed, until the
 * inventory changes or room is used again; room may be left as it is.  Not within a round, in which both
 * kinds are there.
 */
const struct bay *inventory_bay(const struct inventory *inv, size_t i, struct bay *room);

/*
 * Remembers a bay from before this run (the store) as a stale view of its target, until that
 * target answers.
 */
void inventory_recall(struct inventory *inv, const struct bay *b);

/* Takes over the bays of another one as those of the round before, at rest; the next round makes all of them anew. */
void inventory_restore(struct inventory *inv, struct inventory *from);

/* Forgets a target that is no longer asked, and what it said. */
void inventory_forget(struct inventory *inv, const char *target);

/* Joins, judges, sorts (bays in natural order within their host). `policies` may be NULL. */
void inventory_finish(struct inventory *inv, const struct policy_set *policies, int64_t now_wall_ms);

/*
 * The two steps of inventory_finish, for those who know more of the joined bays than this
 * round tells (history: busy, seen fast while busy, media errors rising) and say so between
 * them.  After the first, bays are sorted and drives have their ids; nothing is judged.
 */
void inventory_join(struct inventory *inv, const struct policy_set *policies, int64_t now_wall_ms);
void inventory_judge(struct inventory *inv, const struct policy_set *policies);

/* Exit status of `verify`: 0, 1, 2 or 3 (CONTRACTS section 5). */
int inventory_verify_status(const struct inventory *inv);

/* Exit status of `wear`. */
int inventory_wear_status(const struct inventory *inv);

/* Adds or replaces a target, with a copy of its errors; they stand in the natural order of their names. */
void inventory_put_target(struct inventory *inv, const struct target *t);

/* The target of a name, and what it said; NULL if there is none; borrowed. */
const struct target *inventory_target(const struct inventory *inv, const char *name);
const struct seen *inventory_seen(const struct inventory *inv, const char *name);

/* Valid until the next is added. */
struct remark *inventory_add_note(struct inventory *inv, const char *code, const struct bay *b);
struct remark *inventory_add_hint(struct inventory *inv, const char *code, const char *host, const char *target);
void remark_add_bay(struct remark *r, const char *bay);

/* For inventory_release(). */
void rested_release(struct inventory *inv);

#endif
