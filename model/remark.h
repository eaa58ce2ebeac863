/* SPDX-License-Identifier: MIT */
/*
 * remark: the notes and hints that the finished inventory itself tells, with a sentence for
 * each.  A note changes no verdict and no exit status.
 */
#ifndef MODEL_REMARK_H
#define MODEL_REMARK_H

#include "model/inventory.h"

/* Sets the last notes of the bays (seen by one source only, health that contradicts) and lists all. */
void remark_notes(struct inventory *inv);

/* A card of which half or less is visible: bifurcation. */
void remark_hints(struct inventory *inv, const struct policy_set *policies);

/* "bmc says 16 GT/s x4, host says 32 GT/s x4"; returns out. */
const char *remark_views(const struct bay *b, char *out, size_t size);

/* "running at 16 GT/s x8 where both ends can do 16 GT/s x16 (15.8 of 31.5 GB/s)"; returns out. */
const char *remark_hop(const struct hop *h, char *out, size_t size);

#endif
