/* SPDX-License-Identifier: MIT */
/*
 * options: the command line, parsed.  One table of options serves the parser, `--help` of
 * each subcommand and the nearest-word hint.  Does not open files.
 */
#ifndef AGENT_OPTIONS_H
#define AGENT_OPTIONS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum output { OUTPUT_DEFAULT = 0, OUTPUT_TABLE, OUTPUT_JSON, OUTPUT_CSV, OUTPUT_NAGIOS, OUTPUT_HTML, OUTPUT_OPENMETRICS };

/* Texts point into argv; NULL where not given. */
struct options {
	const char *command;
	size_t n_args;
	char **args; /* what stands behind the command and is no option */

	/* where from */
	const char *config;
	size_t n_urls;
	const char **urls;
	const char *username, *password_file, *ca_file, *pin;
	bool insecure, allow_plaintext, no_expand;
	bool local;
	const char *recording;
	const char *database;

	/* policy */
	const char *expect, *bays;
	bool require_present;

	/* what is said */
	enum output output;
	const char *output_dir;	/* capture --output */
	bool all;		/* every column */
	bool no_color;
	int verbose;
	bool debug_core;
	bool help, version;

	/* of single commands */
	int rounds; /* run --rounds; 0 not given */
	const char *since, *until, *step, *claim, *fio, *drives;
	const char *by, *note; /* alerts ack, silence */
	bool passive;	       /* alerts -o nagios */
	bool measure;
	bool token; /* hash-password --token */
	int seconds; /* ceiling --seconds; 0 not given */
};

/* 0, or -1 with one line that says what is wrong and the nearest word (exit 64). */
int options_parse(struct options *o, int argc, char **argv, struct err *e);
void options_release(struct options *o);

/* Writes the help of a command to standard output, or of the program where command is NULL. */
void options_help(const char *command);

/* True if the command reads targets or what the agent stored of them, once, and ends. */
bool options_command_reads(const struct options *o);

/* True if the command is about the configuration file itself: without one there is nothing to do. */
bool options_command_needs_file(const struct options *o);

/* True if the command knows the option of this name. */
bool options_command_takes(const struct options *o, const char *option);

/* The names of all commands, in the order of the help; NULL past the last. */
const char *options_command(size_t i);

#endif
