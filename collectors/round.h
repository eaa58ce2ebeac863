/* SPDX-License-Identifier: MIT */
/*
 * round: the rounds of a source that is read in a thread, because what it reads may block: local
 * drives, pools, recordings.  The loop keeps the deadline; while a round has not come back, no
 * second one is started, and the target is said to be late.  All on the loop's thread but `read`.
 */
#ifndef COLLECTORS_ROUND_H
#define COLLECTORS_ROUND_H

#include "collectors/collector.h"
#include "collectors/worker.h"

/* What one kind of source does in a round. */
struct round_ops {
	enum target_kind kind;
	unsigned deadline_ms;
	const char *late; /* message of a target whose round did not come back in time */
	/* All that the thread will touch; the round owns it. */
	void *(*prepare)(void *source);
	/* In the thread; says in the target whether it could be read. */
	void (*read)(void *job, struct snapshot *out);
	/* In either thread. */
	void (*free_job)(void *job);
	/* What the source keeps of a round, before it is reported; NULL: nothing. */
	void (*keep)(void *source, const void *job, struct snapshot *s);
	/* Frees the source, after its rounds are closed. */
	void (*free_source)(void *source);
};

/* A member of the source. */
struct rounds {
	const struct round_ops *ops;
	const struct target_config *config;
	void *source;
	struct worker *worker;
	uv_timer_t again;     /* says from the loop that no thread could be sent: the last one is not back, or */
	struct err no_thread; /* none could be started */
	void (*done)(void *arg, const struct snapshot *s);
	void *done_arg;
	void (*closed)(void *arg);
	void *closed_arg;
};

/* All is borrowed and outlives the rounds. */
void rounds_init(struct rounds *r, const struct round_ops *ops, const struct target_config *c, uv_loop_t *loop, void *source);

/* As poll and close of a collector (collector.h). */
void rounds_poll(struct rounds *r, void (*done)(void *arg, const struct snapshot *s), void *arg);
void rounds_close(struct rounds *r, void (*closed)(void *arg), void *arg);

/* True while a thread may still use what its job points to. */
bool rounds_running(const struct rounds *r);

#endif
