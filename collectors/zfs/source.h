/* SPDX-License-Identifier: MIT */
/* source: the collector of ZFS pools, of this host or of a recording (docs/POOLS.md). */
#ifndef COLLECTORS_ZFS_SOURCE_H
#define COLLECTORS_ZFS_SOURCE_H

#include "collectors/collector.h"

extern const struct collector zfs_collector;

#endif
