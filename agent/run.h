/* SPDX-License-Identifier: MIT */
/*
 * run: the service: a loop that reads the targets in rounds, sends each round through the
 * pipeline, and tells what there is to tell.  SIGTERM and SIGINT end it in order:
 * sessions are deleted, and what was not told yet stays in the store.  SIGHUP reads the
 * configuration anew, SIGUSR1 prints how things stand.
 */
#ifndef AGENT_RUN_H
#define AGENT_RUN_H

#include "agent/config.h"
#include "agent/options.h"

/* Runs until a signal, or for --rounds; the exit status (said on standard error if it is
 * not 0). */
int run_service(const struct options *o, const struct config *c);

#endif
