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

#include "agent/config.h"
#include "agent/foresee.h"
#include "model/alert.h"
#include "model/inventory.h"
#include "storage/writer.h"

#include <stdbool.h>
#include <stdint.h>

enum { PIPELINE_TOLD_LAST = 512 };

struct pipeline {
	const struct config *config; /* policies and channels */
	struct writer *writer;       /* NULL: nothing is kept */
	struct inventory inventory;
	struct history history;
	struct alerts alerts;
	struct silences silences; /* what people said */
	struct foresight foresight;
	int64_t round_mono_ms;   /* of the last round */
	bool ticked;             /* there was one in this process */
	int64_t next_event, next_notice; /* ids */
	struct writer_state stored; /* as it was when the last round ended */
	int64_t document_at_ms;  /* steady: when the last round was kept as a document */
	size_t document_bytes;
	bool document_behind; /* there was a round since */
	bool patient;	      /* a round ends when it is kept, or could not be */
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
	bool stored; /* of a patient pipeline: it is on the disk; else: what was tried last was */
	struct err store_error;
};

/* Takes up where the store ended; -1 with the reason if it cannot be read. */
int pipeline_init(
	struct pipeline *p, const struct config *c, struct writer *writer, struct err *e);

/* Another configuration holds from the next round on; it outlives the pipeline, or the next change. */
void pipeline_change(struct pipeline *p, const struct config *c);

/* Hands over what is kept only now and then, before the writer is closed. */
void pipeline_release(struct pipeline *p);

/* This target is asked in the coming round; those that are not are forgotten. */
void pipeline_ask(struct pipeline *p, const char *target);

/* A target answered. */
void pipeline_take(struct pipeline *p, const struct snapshot *s);

/* Silences an alert until then, or no more where that is CLOCK_NEVER; pipeline_keep_said() keeps it. */
void pipeline_silence(struct pipeline *p, struct alert *a, const char *by, const char *note, int64_t until_wall_ms);

/* Hands over who acknowledged and silenced what; the writer's ticket of it, 0 where nothing is kept. */
uint64_t pipeline_keep_said(struct pipeline *p);

/* Ends a round. A store that cannot write stops nothing: outcome says so. What is to be told
 * comes from the writer, which has it from here. Release the outcome. */
void pipeline_round(struct pipeline *p, struct outcome *o);
void outcome_release(struct outcome *o);

#endif
