/* SPDX-License-Identifier: MIT */
/*
 * reload: reads the configuration anew, in a thread, since files may be slow.  What is wrong with
 * it is said, and then nothing is handed over: the running configuration stays.  All functions on
 * the loop's thread.
 */
#ifndef AGENT_RELOAD_H
#define AGENT_RELOAD_H

#include "agent/config.h"
#include "agent/options.h"

#include <uv.h>

struct reload;

/* done(arg, config) gets each good configuration, which is then the caller's. All is borrowed. */
struct reload *reload_new(uv_loop_t *loop, const struct options *o,
	void (*done)(void *arg, struct config *c), void *arg);

/* Begins to read, or reads once more when it has ended. */
void reload_begin(struct reload *r);

/* A reading that is under way ends without its done(). */
void reload_free(struct reload *r);

#endif
