/* SPDX-License-Identifier: MIT */
/* crew: see crew.h.  Between threads: the two lists and `ending`, under the lock. */
#include "web/crew.h"
#include "base/mem.h"

#include <stddef.h>
#include <stdlib.h>

enum { THREADS_MAX = 4 };

struct list {
	struct crew_job *first, **end;
};

struct crew {
	uv_mutex_t lock;
	uv_cond_t more;
	struct list waiting, finished;
	bool ending;

	uv_async_t wake;
	struct crew_own own;
	uv_thread_t threads[THREADS_MAX];
	unsigned threads_wanted, n_threads, jobs_max, jobs;
	void (*closed)(void *arg);
	void *closed_arg;
};

static void list_clear(struct list *l)
{
	l->first = NULL;
	l->end = &l->first;
}

static void list_add(struct list *l, struct crew_job *j)
{
	j->next = NULL;
	*l->end = j;
	l->end = &j->next;
}

static struct crew_job *list_take(struct list *l)
{
	struct crew_job *j = l->first;

	if (!j)
		return NULL;
	l->first = j->next;
	if (!l->first)
		l->end = &l->first;
	return j;
}

/* ---- in a thread ---- */

static struct crew_job *next_job(struct crew *c)
{
	struct crew_job *j;

	uv_mutex_lock(&c->lock);
	while (!c->ending && !c->waiting.first)
		uv_cond_wait(&c->more, &c->lock);
	j = c->ending ? NULL : list_take(&c->waiting);
	uv_mutex_unlock(&c->lock);
	return j;
}

static void work(void *arg)
{
	struct crew *c = arg;
	void *own = c->own.make ? c->own.make(c->own.arg) : NULL;
	struct crew_job *j;

	while ((j = next_job(c))) {
		j->run(j, own);
		j->ran = true;
		uv_mutex_lock(&c->lock);
		list_add(&c->finished, j);
		uv_mutex_unlock(&c->lock);
		uv_async_send(&c->wake);
	}
	if (c->own.drop)
		c->own.drop(own);
}

/* ---- on the loop ---- */

static void finish(struct crew *c)
{
	struct crew_job *j;

	for (;;) {
		uv_mutex_lock(&c->lock);
		j = list_take(&c->finished);
		uv_mutex_unlock(&c->lock);
		if (!j)
			return;
		c->jobs--;
		j->done(j);
	}
}

static void on_wake(uv_async_t *a)
{
	finish(a->data);
}

struct crew *crew_new(uv_loop_t *loop, unsigned threads, unsigned jobs_max, const struct crew_own *own)
{
	struct crew *c = mem_new(1, sizeof *c);

	c->threads_wanted = threads < THREADS_MAX ? threads : THREADS_MAX;
	c->jobs_max = jobs_max;
	if (own)
		c->own = *own;
	list_clear(&c->waiting);
	list_clear(&c->finished);
	uv_mutex_init(&c->lock);
	uv_cond_init(&c->more);
	uv_async_init(loop, &c->wake, on_wake);
	c->wake.data = c;
	uv_unref((uv_handle_t *)&c->wake);
	return c;
}

bool crew_put(struct crew *c, struct crew_job *j)
{
	if (c->ending || c->jobs >= c->jobs_max)
		return false;
	while (c->n_threads < c->threads_wanted && uv_thread_create(&c->threads[c->n_threads], work, c) == 0)
		c->n_threads++;
	if (!c->n_threads)
		return false;
	c->jobs++;
	j->ran = false;
	uv_mutex_lock(&c->lock);
	list_add(&c->waiting, j);
	uv_cond_signal(&c->more);
	uv_mutex_unlock(&c->lock);
	return true;
}

static void on_closed(uv_handle_t *h)
{
	struct crew *c = h->data;
	void (*closed)(void *) = c->closed;
	void *arg = c->closed_arg;

	free(c);
	closed(arg);
}

void crew_close(struct crew *c, void (*closed)(void *arg), void *arg)
{
	struct crew_job *j;

	c->closed = closed;
	c->closed_arg = arg;
	uv_mutex_lock(&c->lock);
	c->ending = true;
	uv_cond_broadcast(&c->more);
	uv_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < c->n_threads; i++)
		uv_thread_join(&c->threads[i]);
	finish(c);
	while ((j = list_take(&c->waiting))) {
		c->jobs--;
		j->done(j);
	}
	uv_cond_destroy(&c->more);
	uv_mutex_destroy(&c->lock);
	uv_close((uv_handle_t *)&c->wake, on_closed);
}
