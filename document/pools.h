/* SPDX-License-Identifier: MIT */
/* pools: the POOL objects of lanewatch/bays/v1 (docs/API.md, docs/POOLS.md), to and from the model. */
#ifndef DOCUMENT_POOLS_H
#define DOCUMENT_POOLS_H

#include "model/pool.h"

#include <jansson.h>
#include <stdbool.h>

/* A new tree, the caller's to json_decref(). */
json_t *document_of_pool(const struct pool *p);

/* Reads a POOL as document_of_pool() wrote it, the caller's to pool_release(); false if it is none. */
bool document_read_pool(const json_t *j, struct pool *out);

#endif
