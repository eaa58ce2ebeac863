/* SPDX-License-Identifier: MIT */
/* ceiling: lanewatch/ceiling/v1 (docs/API.md, docs/POOLS.md) from the model. */
#ifndef DOCUMENT_CEILING_H
#define DOCUMENT_CEILING_H

#include "model/machine.h"

#include <jansson.h>

/* A new tree, the caller's to json_decref(); `jobs` is empty and `claim` null. */
json_t *document_of_ceiling(const struct machine *m, const struct inventory *inv);

/* The answer to one claim: verdict, plausible, percent_of_ceiling, hint, message. */
void document_put_claim(json_t *o, const struct claim *c);

#endif
