/* SPDX-License-Identifier: MIT */
/*
 * drives: makes a snapshot out of what sysfs and the drives' pages say, the same for this host and
 * for a recording.  Controllers that lead to one drive become one bay, with the worst of its links.
 */
#ifndef COLLECTORS_NVME_DRIVES_H
#define COLLECTORS_NVME_DRIVES_H

#include "collectors/nvme/ops.h"
#include "collectors/nvme/sysfs.h"
#include "model/snapshot.h"

/* What is kept of the drives from one round to the next; NULL wherever nothing is. */
struct nv_memory;

struct nv_memory *nv_memory_new(void);
void nv_memory_free(struct nv_memory *m);

/*
 * Reads all drives below the root of `s` and asks them by `ops` (NULL: no pages), within
 * `timeout_ms`; fills an initialised snapshot.  A root that is no sysfs makes the target unreachable.
 *
 * With a memory, pages that change slowly are asked at the first round of a drive and at each tenth,
 * Identify once, and one that the drive refuses never again: each refusal is an entry in its error log.
 */
void nv_drives_read(const struct nv_sysfs *s, const struct nv_ops *ops, void *ops_arg, unsigned timeout_ms,
	struct nv_memory *memory, struct snapshot *out);

#endif
