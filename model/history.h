/* SPDX-License-Identifier: MIT */
/*
 * history: what is remembered of each drive and target from poll to poll, beyond the last
 * reading: where it was, how fast it ran while busy, its counters, how often its link
 * changed.  It gives the evidence that one reading alone cannot give, and it keeps the
 * last known values of what a source cannot tell just now.  Pure; kept by the store.
 *
 * Durations are counted on the steady clock: milliseconds that the agent has lived
 * through, which no step of the wall clock moves.  It goes on over restarts.
 */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include "model/inventory.h"
#include "model/lookup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FLAP_CHANGES = 4,                /* so many changes of a link ... */
	FLAP_WINDOW_MS = 60 * 60 * 1000, /* ... within an hour are flapping */
	FLAP_QUIET_MS = 20 * 60 * 1000,  /* so long without one, and it is over */
	EVIDENCE_MS =
		24 * 60 * 60 * 1000, /* seen fast while busy; media errors that grew */
	MISSED_POLLS_MAX =
		3, /* a source that tells only in part is believed after so many polls */
	LOST_KEPT_MS = 7 * 24 * 60 * 60 * 1000, /* an emptied bay stays listed so long */
};

/* Counters in which a step back is an event. */
enum past_counter {
	PAST_BYTES_WRITTEN = 0,
	PAST_BYTES_READ,
	PAST_POWER_ON_HOURS,
	PAST_POWER_CYCLES,
	PAST_UNSAFE_SHUTDOWNS,
	PAST_MEDIA_ERRORS,
	PAST_COUNTERS,
};

/* Their names as metrics and in documents. */
extern const char *const past_counter_words[PAST_COUNTERS];

struct drive_past {
	char id[24];
	char serial[64], model[96], firmware[32];
	char target[64], host[96], bay[64]; /* where it is, or was last */
	char sources[192]; /* the targets that saw it, with commas: values of others do
			      not compare */
	bool here;
	bool lost; /* it went without appearing elsewhere, or another taking its place */
	bool by_place; /* its serial identifies nothing */
	int missed; /* polls in a row in which its source could tell only in part and did
		       not show it */
	enum drive_state state;
	enum verdict verdict;
	struct pcie_rate link; /* last known, not while saving power */
	int changes;           /* of the link, in this bay */
	bool flapping;
	int64_t changed_at_ms[FLAP_CHANGES]; /* steady, newest first; -1 none */
	struct pcie_rate busy_link; /* how it ran when last seen busy, in this bay */
	int64_t busy_at_ms;         /* steady; -1 never */
	struct count io_done;       /* requests completed, as last read */
	struct io_counters io;      /* as last read; not kept over a restart */
	struct throughput throughput; /* as last said */
	int64_t media_rose_at_ms;   /* steady; -1 never */
	char came_from[64];	    /* the bay of this host where it was before; "" none */
	enum verdict came_verdict;  /* how its link was there */
	int64_t came_at_ms;	    /* steady; -1 it never moved */
	int64_t seen_at_ms;         /* steady */
	int64_t first_seen_wall_ms, seen_wall_ms;
	struct count counters[PAST_COUNTERS];
	int64_t told_at_ms; /* steady: the last round that its host had a part in */
	bool matched; /* within one reconciliation */
	bool stale;   /* not seen in the last one that its host had a part in; not kept over a restart */
};

struct target_past {
	char name[64];
	enum target_verdict verdict; /* TARGET_OK or TARGET_UNREACHABLE; unknown before
					the first answer */
	int64_t since_ms;            /* steady: since when it is so */
};

/* A pool as it was when it was last told; not kept over a restart. */
struct pool_past {
	char target[64], host[96], name[256];
	enum pool_state state;
	bool listed; /* within one reconciliation */
};

struct history {
	bool started;
	int64_t wall_ms;   /* of the last poll */
	int64_t steady_ms; /* of the last poll */
	size_t n_drives, n_targets, n_pools;
	struct drive_past *drives;
	struct target_past *targets;
	struct pool_past *pools;
	struct lookup by_place, by_serial, by_id; /* of the drives: history_index() */
};

void history_init(struct history *h);
void history_release(struct history *h);

/*
 * Moves the steady clock to a new poll: `passed_ms` by a clock that does not jump, -1
 * where there is none to compare with (first poll after a start; then the wall clock
 * counts, if it did not go back).  Returns by how much the wall clock jumped, 0 if it did
 * not.
 */
int64_t history_tick(struct history *h, int64_t wall_ms, int64_t passed_ms);

/*
 * Between inventory_join() and inventory_judge(): says of each bay whether its drive was
 * busy since the last poll, what it moved, and whether it was seen fast while busy within the last day
 * (docs/VERDICTS.md, power saving).
 */
void history_support(struct history *h, struct inventory *now);

/*
 * After inventory_finish(): bays of the round before (`last`) of which no source could
 * tell in this one (its list came only in part, or it has just started and lists nothing
 * yet) stay with their last values, stale; a bay from which a drive was just lost stays
 * as an empty one.
 */
void history_carry(
	struct history *h, const struct bay_pack *last, struct inventory *now);

/* True if a drive went from this bay and nothing came in its place. */
bool history_just_lost(const struct history *h, const char *host, const char *bay);

/*
 * Makes the three ways to find a drive anew; needed when drives were added or moved.  The
 * two that work on rounds (history_support, change_reconcile) begin with it.
 */
void history_index(struct history *h);

struct drive_past *history_find(struct history *h, const char *id);
struct drive_past *history_at(
	struct history *h, const char *host, const char *bay); /* the one that is here */
struct drive_past *history_add_drive(struct history *h);
struct target_past *history_target(
	struct history *h, const char *name); /* made where there is none */

/* A drive in a place counts as being in it. */
bool bay_holds_drive(const struct bay *b);

#endif
