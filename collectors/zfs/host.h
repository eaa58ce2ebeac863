/* SPDX-License-Identifier: MIT */
/* host: the pools of this machine, from zpool(8) and /proc. */
#ifndef COLLECTORS_ZFS_HOST_H
#define COLLECTORS_ZFS_HOST_H

#include "collectors/zfs/child.h"
#include "model/snapshot.h"

enum zfs_form { ZFS_FORM_UNKNOWN = 0, ZFS_JSON, ZFS_TEXT, ZFS_TEXT_OLD };

/* What is remembered from round to round. */
struct zfs_host {
	struct zfs_child child;
	enum zfs_form form; /* what this zpool understands */
};

/*
 * Fills the snapshot; `program` is the absolute path of zpool, NULL: where it usually is, and only
 * if the kernel has ZFS.  Blocks for some seconds at most: in a thread.
 */
void zfs_host_read(struct zfs_host *h, const char *program, struct snapshot *s);

#endif
