/* SPDX-License-Identifier: MIT */
/*
 * A folder in the layout of the DMTF's mockups: the resource /redfish/v1/A lies in
 * redfish/v1/A/index.json. Files are read each time, so one can be changed under way.
 */
#ifndef SIMBMC_MOCKUP_H
#define SIMBMC_MOCKUP_H

#include "base/err.h"

#include <stddef.h>

/* The folder that holds redfish/v1/index.json: dir, or below it; a new text, or NULL. */
char *mockup_find(const char *dir, struct err *e);

/*
 * Reads the file of a path (as tree_get() takes it): 200 with the bytes (NUL-terminated,
 * the caller frees), else the status to answer with.
 */
int mockup_get(const char *folder, const char *path, char **bytes, size_t *len);

#endif
