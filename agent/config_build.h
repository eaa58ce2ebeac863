/* SPDX-License-Identifier: MIT */
/*
 * config_build: what the sections of a configuration and the options of the command line
 * mean.  Checks types, ranges and combinations and fills struct config.
 */
#ifndef AGENT_CONFIG_BUILD_H
#define AGENT_CONFIG_BUILD_H

#include "agent/config_text.h"
#include "base/buf.h"

/* A section or key that was seen, so that another file cannot say it again. */
struct config_seen {
	enum config_place place;
	char name[128];
	char file[192];
	int line;
};

struct config_origins {
	size_t n;
	struct config_seen *items;
};

/*
 * file_read(), for what belongs to the configuration; the bytes are a text also where there are none.
 * Without memory the program ends with 75: 78, as for a file that is wrong, is the end for systemd.
 */
int config_read(const char *path, struct buf *out, struct err *e);

/* Takes in one file, after the files before it. */
void config_build_file(struct config *c, const struct config_text *t, struct config_origins *seen);

/* What has to fit together across files: how the web page may be reached (SECURITY.md, W1). */
void config_build_check(struct config *c, const struct config_origins *seen);

/* Targets of --url, --local and --recording in place of those of the files; c->status is set where one is wrong. */
void config_build_sources(struct config *c, const struct options *o);

/* The targets of the lists that file_sd sections name, after all others. */
void config_build_listed(struct config *c);

/* --expect, --bays and --require-present on top of the policies of the files. */
void config_build_policy(struct config *c, const struct options *o);

/* The targets in the last step of a recording; -1 with the reason if it is none (exit status 65). */
int config_recording_targets(struct config *c, const char *dir, struct err *e);

/* A new target at the end of the list; only its name is set. */
struct target_config *config_add_target(struct config *c, const char *name);

/*
 * Where an option of a target stands, for messages: in a section of a file, or on the command
 * line (section NULL).
 */
struct config_where {
	struct config *c;
	const char *file;
	const struct config_section *section;
};

/*
 * Sets the address of a target that is read over the network, and checks what must be true of
 * it and of how it is reached, wherever it was named.
 */
void config_set_access(const struct config_where *w, struct target_config *t, const char *url);

#endif
