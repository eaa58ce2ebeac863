/* SPDX-License-Identifier: MIT */
/*
 * recorded: what all kinds of recorded targets have in common: target.json says whether the target
 * could be reached when it was recorded.
 */
#ifndef COLLECTORS_REPLAY_RECORDED_H
#define COLLECTORS_REPLAY_RECORDED_H

#include "base/err.h"
#include "model/snapshot.h"

#include <jansson.h>
#include <stdbool.h>

/* A JSON file of a recording, bounded; NULL with the reason. The caller's to json_decref(). */
json_t *recorded_json(const char *dir, const char *name, struct err *e);

/* True, and the target is unreachable with the words of the recording, if it was so then. */
bool recorded_error(const char *dir, struct target *t);

#endif
