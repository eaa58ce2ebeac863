/* SPDX-License-Identifier: MIT */
/*
 * pipeline: the way of the data, one short function: collect, normalise, reconcile,
 * evaluate, store, notify, serve.  pipeline_round() is the place to begin reading the
 * agent.
 *
 * Snapshots come in as they are collected; a round ends with pipeline_round(), on the
 * loop's thread or in `replay`, which has none.
 */
#ifndef AGENT_PIPELINE_H
#define AGENT_PIPELINE_H

#include "agent/backlog.h"
#include "agent/config.h"
#include "agent/foresee.h"
#include "model/alert.h"
#include "model/inventory.h"
#include "storage/store.h"

#include <stdbool.h>
#include <stdint.h>

enum { PIPELINE_TOLD_LAST = 512 };

struct pipeline {
	const struct config *config; /* policies and channels */
	struct store *store;         /* NULL: nothing is kept */
	struct inventory inventory;
	struct history history;
	struct alerts alerts;
	struct silences silences; /* what people said */
	struct foresight foresight;
	int64_t round_mono_ms;   /* of the last round */
	bool ticked;             /* there was one in this process */
	struct backlog backlog;  /* what the store could not take */
	char store_trouble[256]; /* why it could not; "" it could */
	int64_t document_at_ms;  /* steady: when the last round was kept as a document */
	size_t document_bytes;
	bool document_behind; /* there was a round since */
	bool rehearsal;       /* tell nobody: notices are only shown */
	struct events told; /* by the logs of BMCs, since the last round */
	size_t n_told_last;
	uint64_t told_last[PIPELINE_TOLD_LAST]; /* what they told last: not to be told again after a restart */
	size_t n_asked;
	char (*asked)[64]; /* names of the targets of this round */
};

/* What one round brought. */
struct outcome {
	struct events events;
	struct notices notices;
	size_t n_outbox;             /* each notice for each channel */
	struct store_notice *outbox; /* bodies belong to the outcome */
	bool stored;
	struct err store_error;
};

/* Takes up where the store ended; -1 with the reason if it cannot be read. */
int pipeline_init(
	struct pipeline *p, const struct config *c, struct store *store, struct err *e);

/* Keeps what is kept only now and then, before the store is closed. */
void pipeline_release(struct pipeline *p);

/* This target is asked in the coming round; those that are not are forgotten. */
void pipeline_ask(struct pipeline *p, const char *target);

/* A target answered. */
void pipeline_take(struct pipeline *p, const struct snapshot *s);

/* Silences an alert until then, or no more where that is CLOCK_NEVER; pipeline_keep_said() keeps it. */
void pipeline_silence(struct pipeline *p, struct alert *a, const char *by, const char *note, int64_t until_wall_ms);

/* Keeps who acknowledged and silenced what, at once; -1 with the reason. */
int pipeline_keep_said(struct pipeline *p, struct err *e);

/* Ends a round. A store that cannot write stops nothing: outcome says so. Release the
 * outcome. */
void pipeline_round(struct pipeline *p, struct outcome *o);
void outcome_release(struct outcome *o);

#endif
