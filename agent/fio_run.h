/* SPDX-License-Identifier: MIT */
/*
 * fio_run: runs fio(1) as a child that only reads: --readonly, O_DIRECT, whole devices, for some
 * seconds.  By absolute path, with an argument vector and no shell, in a clean environment, its
 * output bounded, with a deadline; it ends with us (SECURITY.md, S9).  Blocks its caller.
 */
#ifndef AGENT_FIO_RUN_H
#define AGENT_FIO_RUN_H

#include "agent/fio.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FIO_SECONDS_MAX = 60, FIO_TASKS_MAX = 256 };

/* A device to be read, and the name of its job in the result. */
struct fio_task {
	char name[24], path[64];
};

struct fio_runner {
	const char *program;		   /* absolute */
	int stop_fd;			   /* readable: end now; -1: nothing stops it */
	void (*tick)(void *arg, double elapsed_s); /* some times a second; NULL: nobody looks */
	void *tick_arg;
	/* after a run */
	const char *engine; /* that this fio and kernel have; found at the first run */
	bool stopped;	    /* by stop_fd: the result has what was read until then */
	pid_t stuck;	    /* one that no signal ended; 0 none */
};

/* Where distributions put it; NULL if it is not there. */
const char *fio_program(void);

/*
 * Reads all tasks at the same time.  0 with one entry of *out for each that fio reported (also one
 * that failed: its error), -1 with the reason.
 */
int fio_run(struct fio_runner *r, const struct fio_task *tasks, size_t n, unsigned seconds, struct fio_result *out, struct err *e);

#endif
