/* SPDX-License-Identifier: MIT */
/*
 * bundle: the files of a recording that `capture` writes.  Nothing that is there is overwritten, and
 * no link is followed.
 */
#ifndef AGENT_CLI_BUNDLE_H
#define AGENT_CLI_BUNDLE_H

#include "agent/disguise.h"
#include "base/err.h"

#include <jansson.h>

/* Makes the folder of a new bundle; -1 if there is something of that name. */
int bundle_make(const char *dir, struct err *e);

/* Writes one file, with the folders above it; `rest` is its path in the bundle. */
int bundle_write_text(const char *dir, const char *rest, const char *text, struct err *e);
int bundle_write_json(const char *dir, const char *rest, const json_t *j, struct err *e);

/* A symbolic link, and an empty folder. */
int bundle_write_link(const char *dir, const char *rest, const char *target, struct err *e);
int bundle_write_folder(const char *dir, const char *rest, struct err *e);

/*
 * What the collector of local drives found (collectors/nvme/source.c): {PATH: what}, where a text is
 * the contents of a file and an object a link or a folder.  First learned for all targets of the bundle.
 */
void bundle_learn_local(struct disguise *d, const json_t *found);
int bundle_write_local(const char *dir, const char *target, const json_t *found, const struct disguise *d, struct err *e);

#endif
