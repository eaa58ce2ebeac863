/* SPDX-License-Identifier: MIT */
/*
 * localise: after a drive with a degraded link was moved to another bay, whether the
 * fault went with the drive or stayed with the bay.  Pure.
 */
#ifndef MODEL_LOCALISE_H
#define MODEL_LOCALISE_H

#include "model/history.h"

/* Moves count as evidence so long. */
enum { LOCALISE_DAYS = 30 };

/*
 * Adds the hints follows-drive and stays-with-bay to a reconciled inventory.  The first
 * needs the drive degraded in both bays and no other degraded drive in the old one; the
 * second needs it well in the new bay, and another drive degraded in the old one.
 */
void localise_faults(struct history *h, struct inventory *now);

#endif
