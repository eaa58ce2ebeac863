/* SPDX-License-Identifier: MIT */
/* alerts: what `lanewatch alerts` does behind its verbs; each returns the exit status. */
#ifndef AGENT_CLI_ALERTS_H
#define AGENT_CLI_ALERTS_H

#include "agent/config.h"
#include "agent/options.h"

/* Sends one through each channel and says what came back; 3 unless all took it. */
int alerts_test(const struct options *o, const struct config *c);

/* ack, unack, silence, unsilence: asks the running agent; 3 if it does not do it. */
int alerts_change(const struct options *o, const struct config *c);

#endif
