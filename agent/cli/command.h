/* SPDX-License-Identifier: MIT */
/*
 * command: the subcommands as a table; each is one function in a file of its own name.
 * What a command is for and which options it takes stands in agent/options.c.
 */
#ifndef AGENT_CLI_COMMAND_H
#define AGENT_CLI_COMMAND_H

#include "agent/config.h"
#include "agent/options.h"

struct command {
	const char *name;
	/* Gets a configuration that is right; returns the exit status. */
	int (*run)(const struct options *o, const struct config *c);
	bool takes_broken_config; /* check-config: runs although the configuration has errors */
};

/* The table, ended by a NULL name. */
extern const struct command commands[];

int command_verify(const struct options *o, const struct config *c);
int command_inventory(const struct options *o, const struct config *c);
int command_wear(const struct options *o, const struct config *c);
int command_ceiling(const struct options *o, const struct config *c);
int command_decode(const struct options *o, const struct config *c);
int command_run(const struct options *o, const struct config *c);
int command_replay(const struct options *o, const struct config *c);
int command_history(const struct options *o, const struct config *c);
int command_events(const struct options *o, const struct config *c);
int command_db(const struct options *o, const struct config *c);
int command_alerts(const struct options *o, const struct config *c);
int command_capture(const struct options *o, const struct config *c);
int command_check_config(const struct options *o, const struct config *c);
int command_hash_password(const struct options *o, const struct config *c);

#endif
