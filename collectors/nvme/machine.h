/* SPDX-License-Identifier: MIT */
/*
 * machine: what a full scan of sysfs found: the machine's bays with their drives, links and uplinks,
 * before any drive is asked and any I/O is counted.  Controllers that lead to one drive become one
 * bay, with the worst of its links.
 */
#ifndef COLLECTORS_NVME_MACHINE_H
#define COLLECTORS_NVME_MACHINE_H

#include "collectors/nvme/scan.h"
#include "collectors/nvme/sysfs.h"
#include "model/snapshot.h"

struct nv_machine {
	struct nv_scan scan;
	struct snapshot base;
	const struct nv_controller **voices; /* those that speak for the drives, in the order of base.bays */
};

/* Reads all below the root of `s`, for the target `t`; NULL if that is no sysfs. */
struct nv_machine *nv_machine_read(const struct nv_sysfs *s, const struct target *t, struct err *e);
void nv_machine_free(struct nv_machine *m);

/* Copies machine, bays and uplinks into an initialised snapshot. */
void nv_machine_put(const struct nv_machine *m, struct snapshot *out);

#endif
