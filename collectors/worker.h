/* SPDX-License-Identifier: MIT */
/*
 * worker: one job in a thread of its own, with a deadline that the loop keeps.  For what may block
 * without end: sysfs of a dying device, a disk, a drive.
 *
 * A job that misses its deadline stays with its thread; its late result is freed there.  All
 * functions run on the loop's thread.
 */
#ifndef COLLECTORS_WORKER_H
#define COLLECTORS_WORKER_H

#include "base/err.h"

#include <stdbool.h>
#include <uv.h>

struct worker;

/* What is to be done; the job belongs to the worker from worker_start() on. */
struct worker_job {
	void *job;
	void (*work)(void *job);      /* in the thread */
	void (*free_job)(void *job);  /* in either */
	/* On the loop, once: the job when it is done, borrowed for the call; NULL past the deadline. */
	void (*done)(void *arg, void *job);
	void *arg;
};

/* NULL, and the job freed, if no thread can be made. Never calls done() itself. */
struct worker *worker_start(uv_loop_t *loop, const struct worker_job *job, unsigned deadline_ms, struct err *e);

/* True while the thread has not come back; no second one should be sent the same way. */
bool worker_running(struct worker *w);

/* Lets go of a worker, done or not; its done() is not called any more. NULL is fine. */
void worker_release(struct worker *w);

#endif
