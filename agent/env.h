/* SPDX-License-Identifier: MIT */
/* env: what the agent finds around itself: a terminal to ask at, a folder for notes of
 * its own. */
#ifndef AGENT_ENV_H
#define AGENT_ENV_H

#include "collectors/collector.h"

#include <stddef.h>

/* Asks a person on the terminal, without echo; NULL where there is none. Freed by
 * mem_wipe_free(). */
char *env_ask_password(const char *target);

/*
 * The folder for notes of our own: the service's state folder, else the user's.  Made if
 * it is missing; NULL (nothing is kept) if that fails.  Returns out.
 */
const char *env_state_dir(char *out, size_t size);

/*
 * Starts the process that asks this host's drives, if a target wants it; NULL if none does or it
 * cannot be had (the targets say so).  Before there are threads.  The caller's to nv_reader_stop().
 */
struct nv_reader *env_reader(const struct target_config *targets, size_t n);

#endif
