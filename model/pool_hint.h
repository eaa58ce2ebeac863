/* SPDX-License-Identifier: MIT */
/* pool_hint: what follows from the join of a pool and its drives, said once for each vdev. */
#ifndef MODEL_POOL_HINT_H
#define MODEL_POOL_HINT_H

#include "model/inventory.h"

/* Adds the hints of a finished pool to the inventory and their bits to the pool; `bays` are those of its host. */
void pool_hints(struct inventory *inv, struct pool *p, const struct bay *bays, size_t n_bays);

/*
 * Takes the pools that the targets saw into the inventory, joins each to the judged bays of its
 * host and adds what follows.  The last step of inventory_judge().
 */
void pools_finish(struct inventory *inv);

#endif
