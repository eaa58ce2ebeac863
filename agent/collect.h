/* SPDX-License-Identifier: MIT */
/*
 * collect: one round over all targets at once, for the commands that read and end.
 */
#ifndef AGENT_COLLECT_H
#define AGENT_COLLECT_H

#include "agent/config.h"
#include "model/inventory.h"

#include <jansson.h>

/*
 * Reads every target of the configuration once, side by side, and gives the joined and judged
 * inventory (initialised here; release it also on failure).  A target that does not answer is
 * part of the answer, not a failure.  -1 only if nothing could be set up.  SIGINT and SIGTERM log
 * out everywhere and then end the program.
 */
int collect_once(const struct config *c, const struct options *o, struct inventory *inv, struct err *e);

/* The same, and keep(arg, ...) gets each document that was read. */
int collect_and_keep(const struct config *c, const struct options *o,
	void (*keep)(void *arg, const char *target, const char *path, const json_t *doc), void *arg,
	struct inventory *inv, struct err *e);

#endif
