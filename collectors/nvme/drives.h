/* SPDX-License-Identifier: MIT */
/*
 * drives: makes a snapshot out of what sysfs and the drives' pages say, the same for this host and
 * for a recording.  Controllers that lead to one drive become one bay, with the worst of its links.
 */
#ifndef COLLECTORS_NVME_DRIVES_H
#define COLLECTORS_NVME_DRIVES_H

#include "collectors/nvme/memory.h"
#include "collectors/nvme/ops.h"
#include "collectors/nvme/sysfs.h"
#include "model/snapshot.h"

/*
 * Reads all drives below the root of `s` and asks them by `ops` (NULL: no pages), within
 * `timeout_ms`; fills an initialised snapshot.  A root that is no sysfs makes the target unreachable.
 *
 * Without a memory (NULL) a drive is asked for all pages.
 */
void nv_drives_read(const struct nv_sysfs *s, const struct nv_ops *ops, void *ops_arg, unsigned timeout_ms,
	struct nv_memory *memory, struct snapshot *out);

#endif
