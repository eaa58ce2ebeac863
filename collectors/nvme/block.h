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

/* Reads them below the device's resolved folder; `done` gets all requests that were completed, ever. */
void nv_block_read(const struct nv_sysfs *s, const char *dir, struct io_counters *io, struct count *done);

/*
 * Adds the counters of another device of the same drive; busy time is known of one device alone,
 * because two may have been busy at the same time.
 */
void nv_block_add(struct io_counters *sum, const struct io_counters *io);

#endif
