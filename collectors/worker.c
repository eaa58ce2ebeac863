/* SPDX-License-Identifier: MIT */
/* worker: see worker.h. */
#include "collectors/worker.h"
#include "base/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A fleet of recordings has a thread each: with the usual 8 MiB, 500 of them fill a 32-bit address space. */
enum { STACK_BYTES = 512 * 1024 };

struct worker {
	struct worker_job job;
	uv_thread_t thread;
	uv_async_t async;
	uv_timer_t deadline;
	uv_mutex_t lock;
	/* under the lock */
	bool returned;	/* the thread is done with the job */
	bool abandoned; /* nobody waits for the thread: it frees the job, and wakes nobody */
	int holders;	/* owner, thread, each open handle */
	/* on the loop */
	bool reported, handles_closed;
};

/* Gives one hold back; the last one frees. */
static void let_go(struct worker *w)
{
	bool last;

	uv_mutex_lock(&w->lock);
	last = --w->holders == 0;
	uv_mutex_unlock(&w->lock);
	if (!last)
		return;
	uv_mutex_destroy(&w->lock);
	free(w);
}

static void thread_main(void *arg)
{
	struct worker *w = arg;
	bool abandoned;

	w->job.work(w->job.job);
	uv_mutex_lock(&w->lock);
	w->returned = true;
	abandoned = w->abandoned;
	if (!abandoned)
		uv_async_send(&w->async); /* under the lock: the handle is open as long as nobody abandons */
	uv_mutex_unlock(&w->lock);
	if (abandoned)
		w->job.free_job(w->job.job);
	let_go(w);
}

static void on_closed(uv_handle_t *h)
{
	let_go(h->data);
}

static void close_handles(struct worker *w)
{
	if (w->handles_closed)
		return;
	w->handles_closed = true;
	uv_close((uv_handle_t *)&w->async, on_closed);
	uv_close((uv_handle_t *)&w->deadline, on_closed);
}

/* Ends the waiting; true if the thread had come back, and the job is here. */
static bool stop_waiting(struct worker *w)
{
	bool returned;

	uv_mutex_lock(&w->lock);
	returned = w->returned;
	if (!returned)
		w->abandoned = true;
	uv_mutex_unlock(&w->lock);
	close_handles(w);
	if (returned)
		uv_thread_join(&w->thread);
	else
		pthread_detach(w->thread);
	return returned;
}

static void report(struct worker *w)
{
	bool returned;

	if (w->reported)
		return;
	w->reported = true;
	returned = stop_waiting(w);
	w->job.done(w->job.arg, returned ? w->job.job : NULL);
	if (returned)
		w->job.free_job(w->job.job);
}

static void on_async(uv_async_t *h)
{
	struct worker *w = h->data;

	report(w);
}

static void on_deadline(uv_timer_t *h)
{
	struct worker *w = h->data;

	report(w);
}

struct worker *worker_start(uv_loop_t *loop, const struct worker_job *job, unsigned deadline_ms, struct err *e)
{
	const uv_thread_options_t small = {.flags = UV_THREAD_HAS_STACK_SIZE, .stack_size = STACK_BYTES};
	struct worker *w = mem_new(1, sizeof *w);
	int rc;

	w->job = *job;
	w->holders = 4;
	w->async.data = w->deadline.data = w;
	uv_mutex_init(&w->lock);
	rc = uv_async_init(loop, &w->async, on_async);
	if (rc) {
		err_set(e, "%s", uv_strerror(rc));
		job->free_job(job->job);
		uv_mutex_destroy(&w->lock);
		free(w);
		return NULL;
	}
	uv_timer_init(loop, &w->deadline);
	uv_timer_start(&w->deadline, on_deadline, deadline_ms, 0);
	rc = uv_thread_create_ex(&w->thread, &small, thread_main, w);
	if (rc == 0)
		return w;
	err_set(e, "cannot start a thread: %s", uv_strerror(rc));
	job->free_job(job->job);
	let_go(w); /* the owner's and the thread's */
	let_go(w);
	close_handles(w);
	return NULL;
}

bool worker_running(struct worker *w)
{
	bool returned;

	uv_mutex_lock(&w->lock);
	returned = w->returned;
	uv_mutex_unlock(&w->lock);
	return !returned;
}

void worker_release(struct worker *w)
{
	if (!w)
		return;
	if (!w->reported) {
		w->reported = true;
		if (stop_waiting(w))
			w->job.free_job(w->job.job);
	}
	let_go(w);
}
