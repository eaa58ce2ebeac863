/* SPDX-License-Identifier: MIT */
/*
 * drives: a sweep: makes a snapshot out of what sysfs and the drives' pages say, the same for this
 * host and for a recording.
 *
 * A sweep of this host scans all of sysfs only where something came, went or changed (kept.h), and
 * every NV_SWEEPS_FULL sweeps: then what stands still in between is read again too (counts of PCIe
 * errors, firmware, sizes).
 */
#ifndef COLLECTORS_NVME_DRIVES_H
#define COLLECTORS_NVME_DRIVES_H

#include "collectors/nvme/ops.h"
#include "collectors/nvme/sysfs.h"
#include "model/snapshot.h"

enum { NV_SWEEPS_FULL = 10 };

/* What is kept of a machine's drives from one sweep to the next. */
struct nv_drives;

struct nv_drives *nv_drives_new(void);
void nv_drives_free(struct nv_drives *d);

/*
 * Reads all drives below the root of `s` and asks them by `ops` (NULL: no pages), within
 * `timeout_ms`; fills an initialised snapshot.  A root that is no sysfs makes the target unreachable.
 *
 * Where nothing is kept (NULL) all is scanned and a drive is asked for all pages.
 */
void nv_drives_read(const struct nv_sysfs *s, const struct nv_ops *ops, void *ops_arg, unsigned timeout_ms,
	struct nv_drives *kept, struct snapshot *out);

#endif
