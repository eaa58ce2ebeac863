/* SPDX-License-Identifier: MIT */
/* stored: what the commands have in common that read what the agent stored. */
#ifndef AGENT_CLI_STORED_H
#define AGENT_CLI_STORED_H

#include "agent/config.h"
#include "model/inventory.h"
#include "storage/store.h"

#include <jansson.h>

/* Opens the store for reading, with 0 in *rc; or NULL, said on standard error, with the exit status.
 */
struct store *stored_open(const struct config *c, int *rc);

/* The last round (initialised here, release it also on failure); 0, or the exit status,
 * said on standard error. */
int stored_inventory(const struct config *c, struct inventory *inv);

/* --since and --until: a time, a day, or "90m", "24h", "7d" ago; 0, or EX_USAGE, said on
 * standard error. */
int stored_filter(const struct options *o, struct store_filter *f);

/* --step of the options; EX_USAGE after saying what is wrong with it. */
int stored_step(const struct options *o, struct store_filter *f);

/* Prints a tree, which is then gone. */
void stored_print(json_t *j);

#endif
