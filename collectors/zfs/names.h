/* SPDX-License-Identifier: MIT */
/*
 * names: what the names of pool members lead to: links below /dev/disk (or by-id.json of a
 * recording), wwid and device mapper of sysfs.  Links are read, nothing is opened.
 */
#ifndef COLLECTORS_ZFS_NAMES_H
#define COLLECTORS_ZFS_NAMES_H

#include "collectors/nvme/sysfs.h"
#include "model/pool.h"

#include <jansson.h>

/*
 * Adds what sysfs tells to a map of names to kernel names, where the map does not say it
 * already: wwids, names of device mapper.
 */
void zfs_names_add_sysfs(json_t *map, const struct nv_sysfs *s);

/* The links below dev ("/dev"), in the order in which zpool itself looks; the caller's to json_decref(). */
json_t *zfs_names_of_host(const char *dev);

/*
 * Fills `device` of every leaf that the map knows, with the whole disk; through device mapper
 * and md where they lie on one disk alone (s may be NULL: not).
 */
void zfs_names_look_up(struct pool *p, const json_t *map, const struct nv_sysfs *s);

#endif
