/* SPDX-License-Identifier: MIT */
/* db: what the verbs of `lanewatch db` share. */
#ifndef AGENT_CLI_DB_H
#define AGENT_CLI_DB_H

#include "agent/config.h"
#include "agent/options.h"

/* On a terminal's standard error, how far it is; nothing elsewhere. Part 1 wipes it out. */
void db_progress(const char *what, double part);

/* `db export`: the exit status. */
int db_export(const struct options *o, const struct config *c);

#endif
