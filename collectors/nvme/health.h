/* SPDX-License-Identifier: MIT */
/*
 * health: puts what a drive's pages say into its bay, and says of each page that could not be read
 * why, and what to do about it.
 */
#ifndef COLLECTORS_NVME_HEALTH_H
#define COLLECTORS_NVME_HEALTH_H

#include "collectors/nvme/memory.h"
#include "collectors/nvme/scan.h"
#include "model/snapshot.h"

/* `m` has the answers of this round. */
void nv_health_fill(const struct nv_sysfs *s, const struct nv_controller *c, const struct nv_memory *m,
	struct bay *b, struct target *t);

#endif
