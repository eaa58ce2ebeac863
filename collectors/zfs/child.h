/* SPDX-License-Identifier: MIT */
/*
 * child: one program run to its end, or to a deadline (SECURITY.md, S9): by absolute path, with an
 * argument vector and no shell, a clean environment, bounded output.
 *
 * zpool may never come back: with a suspended pool it sits in the kernel where no signal reaches
 * it.  So the deadline is ours, the child is not waited for past it, and as long as it is there
 * no other is started.  One thread at a time.
 */
#ifndef COLLECTORS_ZFS_CHILD_H
#define COLLECTORS_ZFS_CHILD_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct zfs_child {
	pid_t stuck; /* one that did not end at its deadline and was killed; 0 none */
};

/*
 * Runs argv (argv[0] is the absolute path) and takes its standard output and error, each up to
 * what the buffer may hold.  The exit status; -1 with the reason if it could not be started, did
 * not end in time, was killed, or said too much.
 */
int zfs_child_run(struct zfs_child *c, const char *const *argv, unsigned deadline_ms, struct buf *out, struct buf *err,
	struct err *e);

#endif
