/* SPDX-License-Identifier: MIT */
/*
 * join: the views that the targets of one host have of its places become one bay for each
 * place.  Not judged yet, not sorted.
 */
#ifndef MODEL_JOIN_H
#define MODEL_JOIN_H

#include "model/inventory.h"

/*
 * Fills inv->bays and inv->hops from the views.  Two views are one place if they hold one
 * drive (drive_same), or bear one name where the names of both targets agree and the drives do
 * not contradict each other.  Both lists must be empty.
 */
void join_views(struct inventory *inv, const struct policy_set *policies);

#endif
