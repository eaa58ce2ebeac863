/* SPDX-License-Identifier: MIT */
/*
 * schedule: when the targets are read: rounds at the poll interval.  A target that is
 * still busy when the next round begins is left out of it and delays nobody.  Targets of
 * kind replay play their recording, a step a round and then the last one again. All on
 * the loop's thread.
 */
#ifndef AGENT_SCHEDULE_H
#define AGENT_SCHEDULE_H

#include "agent/config.h"
#include "collectors/collector.h"

struct schedule;

struct schedule_calls {
	void (*ask)(void *arg, const char *target); /* it is asked in this round */
	void (*got)(void *arg, const struct snapshot *s);
	void (*round)(void *arg);    /* all answered, or the time for them is over */
	void (*finished)(void *arg); /* after the last one of --rounds */
	void *arg;
};

/* Opens the targets; what is given is borrowed and outlives it. `rounds` 0: until closed.
 * NULL with the reason. */
struct schedule *schedule_new(const struct collector_env *env, const struct config *c,
	int rounds, const struct schedule_calls *calls, struct err *e);

/* Begins the first round. */
void schedule_start(struct schedule *s);

/* Logs out everywhere, then calls closed(arg) and is gone. */
void schedule_close(struct schedule *s, void (*closed)(void *arg), void *arg);

#endif
