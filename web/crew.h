/* SPDX-License-Identifier: MIT */
/*
 * crew: a few threads that do what would hold up the loop: hash a password, read the store.
 * They are started with their first job.
 *
 * A job owns all that it works on; a thread sees nothing else.  All functions here run on the
 * loop's thread.
 */
#ifndef WEB_CREW_H
#define WEB_CREW_H

#include <stdbool.h>
#include <uv.h>

/* The first member of a job. */
struct crew_job {
	struct crew_job *next;
	void (*run)(struct crew_job *j, void *own); /* in a thread; `own` is what that thread was given */
	void (*done)(struct crew_job *j);	    /* on the loop, once: frees it. It was not run if the crew ended before */
	bool ran;
};

/* What each thread has of its own, made and freed in it; both may be NULL. */
struct crew_own {
	void *(*make)(void *arg);
	void (*drop)(void *own);
	void *arg;
};

struct crew;

/* At most `jobs_max` jobs wait or run at a time. */
struct crew *crew_new(uv_loop_t *loop, unsigned threads, unsigned jobs_max, const struct crew_own *own);

/* Takes a job; false (and it stays the caller's) if there are too many, no thread can be made, or it ends. */
bool crew_put(struct crew *c, struct crew_job *j);

/*
 * Waits for what runs, calls done() of all jobs, and frees itself once its handle is closed:
 * then closed(arg).
 */
void crew_close(struct crew *c, void (*closed)(void *arg), void *arg);

#endif
