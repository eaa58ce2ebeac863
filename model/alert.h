/* SPDX-License-Identifier: MIT */
/*
 * alert: what stands, as a state for each cause: pending until it has lasted, firing, and
 * resolved.  One alert for each cause: a dead service is one, not one for each of its
 * bays; what cannot be read just now neither raises nor resolves anything.  Pure.
 *
 * Durations run on the steady clock of `history`.
 */
#ifndef MODEL_ALERT_H
#define MODEL_ALERT_H

#include "model/change.h"
#include "model/history.h"
#include "model/notice.h"
#include "model/rule.h"
#include "model/silence.h"
#include "model/uplink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a channel said of an alert. */
struct alert_told {
	char channel[64];
	int64_t at_wall_ms;
	bool ok;
};

enum { ALERT_TOLD_MAX = 4 };

/* ALERT of the contract; texts "" where they do not apply. */
struct alert {
	int64_t id;
	enum alert_kind kind;
	char key[192]; /* the cause: kind and drive, bay or host */
	enum severity severity;
	enum alert_state state;
	char target[64], host[96], bay[64], serial[64], drive_id[24];
	char rule[64]; /* the operator's, by name; "" none */
	char message[320];
	int64_t since_wall_ms, last_seen_wall_ms;
	int64_t resolved_wall_ms; /* CLOCK_NEVER while it stands */
	int64_t since_ms;         /* steady */
	int64_t quiet_ms; /* steady: since when the cause is gone; -1 while it is there */
	int notices;      /* told so many times */
	enum severity told_severity; /* the worst that was told; unknown: none yet */
	int64_t for_ms; /* how long its rule wants it to last; -1: as its kind says */
	char acknowledged_by[64];
	int64_t silenced_until_wall_ms; /* CLOCK_NEVER: not silenced */
	char silenced_by[64];		/* follows from the silences */
	size_t n_told;
	struct alert_told told[ALERT_TOLD_MAX]; /* newest first */
	bool found;                             /* within one evaluation */
};

struct alerts {
	int64_t next_id; /* 1 at first */
	size_t n;
	struct alert
		*items; /* those that stand, and those resolved in the last evaluation */
	struct uplinks uplinks; /* as they were seen last */
};

void alerts_init(struct alerts *a);
void alerts_release(struct alerts *a);

/* Adds one with the next id; valid until the next is added. */
struct alert *alerts_add(struct alerts *a);

/* What is looked at. */
struct alert_round {
	const struct history *history;
	const struct wear_limits *limits;
	const struct inventory *inventory; /* reconciled */
	const char
		*store_trouble; /* why nothing could be kept last time; NULL: it could */
	const struct rules *rules;	 /* of the operator; may be NULL */
	const struct silences *silences, *maintenance; /* may be NULL */
	int64_t group_wait_ms;		 /* what fires waits so long for others of its group */
	/* the group of a target, "" none; NULL: there are no groups */
	const char *(*group_of)(const void *arg, const char *target);
	const void *group_arg;
};

/*
 * Raises, ages and resolves, and adds what people should be told now, one notice an alert:
 * notices_group() puts together what belongs together.  Alerts resolved by the evaluation
 * before leave the list.
 */
void alerts_evaluate(
	struct alerts *a, const struct alert_round *round, struct notices *out);

/* Sets until when it is silent, by what people said and by what the configuration says. */
void alert_look_silent(struct alert *a, const struct silences *said, const struct silences *maintenance, int64_t wall_ms);

/* A channel answered (or did not) for an alert. */
void alert_note_told(struct alert *a, const char *channel, int64_t at_wall_ms, bool ok);

/* Exit status of `alerts`: 2 if a critical one fires, 1 for a warning, else 0. */
int alerts_status(const struct alerts *a);

#endif
