/* SPDX-License-Identifier: MIT */
/* mem: see mem.h. */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

void mem_exhausted(void)
{
	fputs("lanewatch: out of memory\n", stderr);
	_exit(EX_TEMPFAIL); /* other threads may be at work with what exit() would take from them */
}

static void *must(void *p)
{
	if (!p)
		mem_exhausted();
	return p;
}

void *mem_new(size_t n, size_t size)
{
	return must(calloc(n ? n : 1, size ? size : 1));
}

char *mem_text(const char *s)
{
	return must(strdup(s));
}

void *mem_grow(void *items, size_t n, size_t size)
{
	size_t bytes;

	/* a power of two (or zero) is full: the next room is double */
	if (n & (n - 1))
		return items;
	if (__builtin_mul_overflow(n ? n * 2 : 1, size, &bytes))
		return must(NULL);
	return must(realloc(items, bytes));
}

void *mem_resize(void *p, size_t bytes)
{
	return must(realloc(p, bytes ? bytes : 1));
}

void *mem_take(size_t bytes)
{
	return must(malloc(bytes ? bytes : 1));
}

void mem_wipe_free(char *secret)
{
	if (!secret)
		return;
	explicit_bzero(secret, strlen(secret));
	free(secret);
}
