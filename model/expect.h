/* SPDX-License-Identifier: MIT */
/*
 * expect: bays that a policy demands (require_present) and no source lists.  A host that did
 * not answer gets none; where a BMC could be read only in part, the bay is not known, not empty.
 */
#ifndef MODEL_EXPECT_H
#define MODEL_EXPECT_H

#include "model/inventory.h"

/*
 * Adds them to the bays that join_views() made.  A policy that names no targets means the only
 * host, or every host that has bays at all.
 */
void expect_bays(struct inventory *inv, const struct policy_set *set);

#endif
