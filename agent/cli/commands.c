/* SPDX-License-Identifier: MIT */
/* commands: the table of subcommands.  Their help and options: agent/options.c. */
#include "agent/cli/command.h"

const struct command commands[] = {
	{"verify", command_verify, false},
	{"inventory", command_inventory, false},
	{"wear", command_wear, false},
	{"run", command_run, false},
	{"history", command_history, false},
	{"events", command_events, false},
	{"alerts", command_alerts, false},
	{"db", command_db, false},
	{"replay", command_replay, false},
	{"capture", command_capture, false},
	{"ceiling", command_ceiling, false},
	{"decode", command_decode, true},
	{"check-config", command_check_config, true},
	{"hash-password", command_hash_password, true},
	{NULL, NULL, false},
};
