/* SPDX-License-Identifier: MIT */
/*
 * block: what the kernel counts of one block device: requests, bytes and busy time
 * (Documentation/block/stat.rst), and whether it counts at all.
 */
#ifndef COLLECTORS_NVME_BLOCK_H
#define COLLECTORS_NVME_BLOCK_H

#include "collectors/nvme/sysfs.h"
#include "model/count.h"
#include "model/throughput.h"
#include "model/verdict.h"

struct block_io {
	struct io_counters moved;
	struct count done;  /* requests that were completed, ever */
	enum tri in_flight; /* whether any is pending */
};

/* Reads them below the device's resolved folder; which device it is (`series`) the caller knows. */
struct block_io nv_block_read(const struct nv_sysfs *s, const char *dir);

/*
 * Adds the counters of another device of the same drive; busy time is known of one device alone,
 * because two may have been busy at the same time.
 */
void nv_block_add(struct io_counters *sum, const struct io_counters *io);

#endif
