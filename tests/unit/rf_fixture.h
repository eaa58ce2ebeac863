/* SPDX-License-Identifier: MIT */
/*
 * rf_fixture: a Redfish tree in memory that takes a BMC's place: one JSON file
 * {"/redfish/v1/...": {...}, ...}, or a DMTF mockup folder.
 */
#ifndef TESTS_UNIT_RF_FIXTURE_H
#define TESTS_UNIT_RF_FIXTURE_H

#include "model/snapshot.h"

#include <jansson.h>
#include <stdbool.h>

/* A tree {path: document}; NULL if there is none. The caller's to json_decref(). */
json_t *rf_fixture_load_file(const char *path);
json_t *rf_fixture_load_folder(const char *path);

/*
 * Walks the tree as a BMC that offers no $expand and reports.  `path` and `doc` replace one
 * resource (NULL: none).  The snapshot is initialised here; release it.
 */
void rf_fixture_walk(const json_t *tree, const char *path, json_t *doc, struct snapshot *out);

/* Walks the tree and gives what was asked for, {path: true}. The caller's to json_decref(). */
json_t *rf_fixture_asks(const json_t *tree);

#endif
