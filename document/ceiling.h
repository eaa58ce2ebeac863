/* SPDX-License-Identifier: MIT */
/* ceiling: lanewatch/ceiling/v1 (docs/API.md, docs/POOLS.md) from the model. */
#ifndef DOCUMENT_CEILING_H
#define DOCUMENT_CEILING_H

#include "model/machine.h"
#include "model/measure.h"

#include <jansson.h>

/* A new tree, the caller's to json_decref(); `jobs` is empty, `claim` and `measured` null. */
json_t *document_of_ceiling(const struct machine *m, const struct inventory *inv);

/*
 * Puts `claim` into such a tree: whether a rate (bytes per second) can be true of the links of the
 * machine, and what that would be of each of its pools.
 */
void document_put_judged(json_t *ceiling, double bytes_per_second, const struct machine *m, const struct inventory *inv);

/* Puts `measured` into such a tree: what --measure read, and what is remarkable of it. */
void document_put_measurement(json_t *ceiling, const struct measurement *m);

/* The answer to one claim: verdict, plausible, percent_of_ceiling, hint, message. */
void document_put_claim(json_t *o, const struct claim *c);

#endif
