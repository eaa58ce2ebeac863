/* SPDX-License-Identifier: MIT */
/*
 * recording: the steps of a recording and the targets in each (docs/RECORDINGS.md).
 * Reads recording.json and target.json; what is in a target is its
 * collector's affair.
 */
#ifndef AGENT_RECORDING_H
#define AGENT_RECORDING_H

#include "agent/config.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct recording_step {
	char at[40];        /* as written */
	int64_t at_wall_ms; /* CLOCK_NEVER if it is no time */
	int64_t mono_ms;    /* on a clock that does not jump; -1 where not given */
	char path[4300];    /* of its folder */
};

struct recording {
	size_t n;
	struct recording_step *steps;
};

/* -1 with the reason if the folder is no recording (exit status 65); release it either
 * way. */
int recording_load(const char *dir, struct recording *r, struct err *e);
void recording_release(struct recording *r);

/* Adds the targets of a step to a configuration, in the order of their names; -1 with the
 * reason. */
int recording_targets(const struct recording_step *step, struct config *c, struct err *e);

#endif
