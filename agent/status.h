/* SPDX-License-Identifier: MIT */
/*
 * status: how the service stands, in words on standard error, for the person who sent SIGUSR1.
 * On the loop's thread.
 */
#ifndef AGENT_STATUS_H
#define AGENT_STATUS_H

#include "agent/pipeline.h"
#include "agent/schedule.h"

#include <stddef.h>
#include <stdint.h>

struct status {
	const struct schedule *schedule;
	const struct pipeline *pipeline;
	size_t n_rounds;
	int64_t up_ms;
};

void status_print(const struct status *s);

#endif
