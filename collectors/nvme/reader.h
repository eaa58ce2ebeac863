/* SPDX-License-Identifier: MIT */
/*
 * reader: the small process that asks the drives (SECURITY.md, S6).  It keeps CAP_SYS_ADMIN and
 * nothing else, has no network, opens /dev/nvmeN and sends pages of a fixed list; the process that
 * parses JSON and serves HTTP needs no privilege.
 *
 * A drive that never answers costs the reader one thread; its deadline is kept here, by the asker,
 * and it is not asked again before the old answer has come.  A reader that dies is started again
 * (reader_keep.c): what it was asked for has failed, and that is said; the next round finds a new one.
 */
#ifndef COLLECTORS_NVME_READER_H
#define COLLECTORS_NVME_READER_H

#include "base/err.h"
#include "collectors/nvme/ops.h"

#include <stdbool.h>
#include <sys/types.h>

struct nv_reader;

/*
 * Starts the process, and takes CAP_SYS_ADMIN from the caller, who needs it no more.  Call it before
 * there are threads, and once: a second reader would have no privilege.  NULL with the reason, also in a build without libnvme.  `LANEWATCH_READER_UNCONFINED=1` in the
 * environment leaves the system call filter off, for tests that preload a library: said on stderr.
 */
struct nv_reader *nv_reader_start(struct err *e);

/* Ends it; answers that are under way are lost. NULL is fine. */
void nv_reader_stop(struct nv_reader *r);

/* A thread that hangs may still ask it: nv_reader_stop() then leaves it to the end of the program. */
void nv_reader_pin(struct nv_reader *r);

/* Its process, as of the last round; and the one that started it. */
pid_t nv_reader_pid(const struct nv_reader *r);
pid_t nv_reader_keeper_pid(const struct nv_reader *r);

/* Asks through a reader; arg is the struct nv_reader. Any thread, one call at a time. */
extern const struct nv_ops nv_reader_ops;

/* The same with another way to read than nv_kernel_read(), and no confinement; for tests. */
struct nv_reader *nv_reader_start_with(
	void (*read_page)(int *fd, const struct nv_question *q, struct nv_answer *out), struct err *e);

/* Tests: the descriptor of the requests, to write nonsense into. */
int nv_reader_socket(const struct nv_reader *r);

#endif
