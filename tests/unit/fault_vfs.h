/* SPDX-License-Identifier: MIT */
/*
 * fault_vfs: a VFS of SQLite between the store and the disk, for tests.  It can fail the n-th
 * call, and it remembers what was written since the last xSync, so that it can say what a disk
 * might hold after a power cut at this very moment: of what was not synced, some writes are
 * missing, some are torn (512-byte sectors), some came before others.
 */
#ifndef TESTS_FAULT_VFS_H
#define TESTS_FAULT_VFS_H

#include <stdbool.h>
#include <stdint.h>

enum fault {
	FAULT_NONE = 0,
	FAULT_FULL,  /* no space: writing and growing */
	FAULT_EIO,   /* any call */
	FAULT_SHORT, /* half of it is written */
	FAULT_SYNC,  /* fsync fails */
	FAULTS_END,
};

/* Becomes the VFS of every connection that is opened from now on. */
void fault_vfs_begin(void);
void fault_vfs_end(void);

/* The n-th call from now on (1: the next) that this fault can hit fails, and `more` after it. */
void fault_vfs_fail(enum fault f, int n, int more);
bool fault_vfs_hit(void); /* it has */

/* Called at each write, sync and truncation, before it is done; NULL: no longer. */
void fault_vfs_watch(void (*fn)(void *arg), void *arg);

/* Each read takes so long from now on; 0: it does not.  How many there were since. */
void fault_vfs_slow(unsigned us_a_read);
int fault_vfs_reads(void);

/* Writes what the disk may hold now of the database `path` and its WAL to `to` and `to`-wal. */
void fault_vfs_cut(const char *path, const char *to, uint64_t *random);

#endif
