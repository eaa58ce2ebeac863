/* SPDX-License-Identifier: MIT */
/*
 * uses: what lies on a drive: what the kernel shows above its block devices (md, LVM, dm-crypt, by
 * sysfs holders), where that is mounted or swapped to, and signatures that udev read of what is not
 * active.  ZFS, btrfs and file systems have no holders: those are told by their mounts, and ZFS by
 * the collector for pools.
 */
#ifndef COLLECTORS_NVME_USES_H
#define COLLECTORS_NVME_USES_H

#include "collectors/nvme/sysfs.h"
#include "model/snapshot.h"

/* Where else to look; NULL: nowhere. */
struct nv_uses_from {
	const char *mountinfo; /* /proc/self/mountinfo */
	const char *swaps;     /* /proc/swaps */
	const char *udev;      /* /run/udev/data */
};

/* Fills the uses of each drive of the snapshot that has namespaces below the root of `s`. */
void nv_uses_read(const struct nv_sysfs *s, const struct nv_uses_from *from, struct snapshot *out);

#endif
