/* SPDX-License-Identifier: MIT */
/*
 * sim: starts lanewatch-simbmc for a test and polls it with the Redfish collector.
 */
#ifndef TESTS_UNIT_SIM_H
#define TESTS_UNIT_SIM_H

#include "model/snapshot.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { SIM_POLLS_MAX = 1000 };

struct sim {
	pid_t pid;
	char url[128];
};

/* Starts it with arguments, NULL at the end ("--chassis", "r7725xd", NULL); fails the test if it does not come up. */
struct sim sim_start(const char *const *args);

/* Ends it by SIGTERM and returns its exit status. */
int sim_stop(struct sim *s);

/* What `n` polls of one source gave. Release with sim_polls_release(). */
struct sim_polls {
	size_t n;
	struct snapshot last; /* bays and errors of the last poll */
	int requests[SIM_POLLS_MAX];
};

/* Opens a source, polls it n times, closes it. `no_expand` as the operator would say it. */
struct sim_polls sim_poll(const struct sim *s, size_t n, bool no_expand, bool links_only);

/* The same, with the clock turned on by step_ms from poll to poll: hours pass in a moment. */
struct sim_polls sim_poll_every(const struct sim *s, size_t n, int64_t step_ms);
void sim_polls_release(struct sim_polls *p);

#endif
