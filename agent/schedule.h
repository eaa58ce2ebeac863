/* SPDX-License-Identifier: MIT */
/*
 * schedule: when the targets are read, and when what they said goes through the pipeline.
 *
 * The service asks each target at its own pace (sources.h), and a round ends when all that
 * were asked and are expected to answer have answered, or HOLD_MS after the first of them; what
 * comes later makes a round of its own.  So a target that does not answer delays nobody.  With
 * --rounds each round is a whole one: all are asked at once and waited for.  Targets of kind
 * replay play their recording, a step an interval and then the last one again.  All on the
 * loop's thread.
 */
#ifndef AGENT_SCHEDULE_H
#define AGENT_SCHEDULE_H

#include "agent/config.h"
#include "agent/sources.h"
#include "collectors/collector.h"

struct schedule;

struct schedule_calls {
	void (*ask)(void *arg, const char *target); /* it belongs to this round, or to the next */
	void (*got)(void *arg, const struct snapshot *s);
	void (*round)(void *arg);    /* what was got so far is a round */
	void (*finished)(void *arg); /* after the last one of --rounds */
	void *arg;
};

/* Opens the targets; env and calls are borrowed and outlive it, the configuration is copied.
 * `rounds` 0: until closed.  NULL with the reason. */
struct schedule *schedule_new(const struct collector_env *env, const struct config *c,
	int rounds, const struct schedule_calls *calls, struct err *e);

/* Begins to ask. */
void schedule_start(struct schedule *s);

/*
 * Takes over the targets and intervals of another configuration; those that say the same go on
 * undisturbed.  A recording that cannot be read is said and left out.
 */
void schedule_change(struct schedule *s, const struct config *c);

/* Reads a target at once: something was heard of it. */
void schedule_hurry(struct schedule *s, const char *target);

/* Tells of each target, but those of recordings. */
void schedule_each(const struct schedule *s, void (*fn)(void *arg, const struct source_status *st), void *arg);

/* When it last looked who is due, by the monotonic clock: it does so at least every interval. */
int64_t schedule_moved_mono_ms(const struct schedule *s);

/* For the test of the watchdog (LW-A3): it looks no more who is due. */
void schedule_stall(struct schedule *s);

/* Logs out everywhere, then calls closed(arg) and is gone. */
void schedule_close(struct schedule *s, void (*closed)(void *arg), void *arg);

#endif
