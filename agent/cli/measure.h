/* SPDX-License-Identifier: MIT */
/* measure: `ceiling --measure`: reads the drives of this machine and says how fast that was. */
#ifndef AGENT_CLI_MEASURE_H
#define AGENT_CLI_MEASURE_H

#include "agent/config.h"
#include "agent/options.h"
#include "model/measure.h"

#include <jansson.h>

/*
 * 0 if what was asked for can be measured here; else the exit status, said on standard error.
 * Asks nothing of a drive.
 */
int measure_check(const struct options *o, const struct config *c);

/*
 * Reads the drives of `machine` with fio, each alone, then all together, and judges the figures.
 * Progress goes to a terminal on standard error; SIGINT and SIGTERM end it with what was read until
 * then.  0, or the exit status, said on standard error.  *m borrows from the inventory; release it
 * in any case.
 */
int measure_drives(const struct options *o, const struct machine *machine, struct measurement *m);

/* 0, or 3 where a drive could not be measured. */
int measure_status(const struct measurement *m);

void measure_print(const struct measurement *m);

#endif
