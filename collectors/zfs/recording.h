/* SPDX-License-Identifier: MIT */
/*
 * recording: pools from the folder of a recorded target (docs/RECORDINGS.md):
 * zpool/status.txt or .json, list, iostat, and by-id.json.
 */
#ifndef COLLECTORS_ZFS_RECORDING_H
#define COLLECTORS_ZFS_RECORDING_H

#include "model/snapshot.h"

#include <stdbool.h>

/*
 * Adds the pools to the snapshot; what cannot be read is an error of its target.  False if the
 * folder holds nothing of zpool.
 */
bool zfs_recording_read(const char *dir, struct snapshot *s);

#endif
