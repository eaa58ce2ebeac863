/* SPDX-License-Identifier: MIT */
/* json_memory: see json_memory.h. */
#include "base/json_memory.h"
#include "base/mem.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef __has_feature
#define __has_feature(x) 0
#endif

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)

void json_memory_use(void)
{
	json_set_alloc_funcs(mem_take, free);
}

#else

enum {
	BLOCK_BYTES = 32 * 1024, /* and its alignment: a value's address tells its block */
	SHARED_MAX = BLOCK_BYTES / 8, /* what is larger has a block for itself */
	ALIGN = _Alignof(max_align_t),
	SPARE_MAX = 16,
};

struct block {
	size_t used;  /* bytes, with this header; 0: one large value */
	size_t taken; /* values that its thread took and did not free itself, while it is the current one */
	atomic_ptrdiff_t live; /* those of a full block; less what other threads freed before that */
	_Alignas(max_align_t) char values[];
};

/* The block that this thread takes from; a thread that ends leaves it behind. */
static _Thread_local struct block *current;

/* Empty ones: as many as a large reply takes. */
static struct block *spare[SPARE_MAX];
static size_t n_spare;
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;

static struct block *spare_take(void)
{
	struct block *b;

	pthread_mutex_lock(&spare_lock);
	b = n_spare ? spare[--n_spare] : NULL;
	pthread_mutex_unlock(&spare_lock);
	return b;
}

static bool spare_keep(struct block *b)
{
	bool room;

	pthread_mutex_lock(&spare_lock);
	room = n_spare < SPARE_MAX;
	if (room)
		spare[n_spare++] = b;
	pthread_mutex_unlock(&spare_lock);
	return room;
}

static struct block *block_new(size_t bytes)
{
	void *p;

	if (posix_memalign(&p, BLOCK_BYTES, bytes))
		mem_exhausted();
	return p;
}

static void block_begin(struct block *b)
{
	b->used = offsetof(struct block, values);
	b->taken = 0;
	atomic_init(&b->live, 0);
}

/* n values more, or fewer, are alive in a block that no thread takes from. */
static void count(struct block *b, ptrdiff_t n)
{
	if (atomic_fetch_add(&b->live, n) + n)
		return;
	if (!b->used || !spare_keep(b))
		free(b);
}

static struct block *block_next(void)
{
	struct block *full = current;

	current = spare_take();
	if (!current)
		current = block_new(BLOCK_BYTES);
	block_begin(current);
	if (full)
		count(full, (ptrdiff_t)full->taken);
	return current;
}

/* For one large value; it is never a thread's current one. */
static void *take_alone(size_t bytes)
{
	struct block *b = block_new(offsetof(struct block, values) + bytes);

	b->used = 0;
	atomic_init(&b->live, 1);
	return b->values;
}

static void *take(size_t bytes)
{
	struct block *b = current;
	void *p;

	if (bytes > PTRDIFF_MAX / 2)
		mem_exhausted();
	if (bytes > SHARED_MAX)
		return take_alone(bytes);
	bytes = bytes ? (bytes + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
	if (!b || b->used + bytes > BLOCK_BYTES)
		b = block_next();
	p = (char *)b + b->used;
	b->used += bytes;
	b->taken++;
	return p;
}

static void give(void *p)
{
	struct block *b = (struct block *)((uintptr_t)p & ~(uintptr_t)(BLOCK_BYTES - 1));

	if (!p)
		return;
	if (b != current)
		count(b, -1);
	else if (--b->taken == 0)
		b->used = offsetof(struct block, values); /* all are gone, and nobody else freed any */
}

void json_memory_use(void)
{
	json_set_alloc_funcs(take, give);
}

#endif
