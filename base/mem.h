/* SPDX-License-Identifier: MIT */
/*
 * mem: memory for set-up code.  Out of memory ends the program with one message and
 * status 75 (EX_TEMPFAIL).  Memory whose size an outsider chose does not come from
 * here: use a buf with a ceiling, or malloc and fail that resource.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Zeroed memory for n things of `size` bytes; never NULL. */
void *mem_new(size_t n, size_t size) __attribute__((malloc, returns_nonnull));

/* A copy of a text; never NULL. */
char *mem_text(const char *s) __attribute__((malloc, returns_nonnull));

/*
 * Makes room for one more element in a growing array: `items` holds `n` elements of
 * `size` bytes.  Returns the array, perhaps moved; grows by doubling.  The new element
 * is not cleared.  `items` may be NULL when n is 0.
 */
void *mem_grow(void *items, size_t n, size_t size) __attribute__((returns_nonnull));

/* realloc() of so many bytes; never NULL. */
void *mem_resize(void *p, size_t bytes) __attribute__((returns_nonnull));

/* malloc() of so many bytes; never NULL. */
void *mem_take(size_t bytes) __attribute__((malloc, returns_nonnull));

/* Says that there is no memory and ends the program: for a library that fails for want of it. */
void mem_exhausted(void) __attribute__((noreturn));

/* Overwrites and frees a secret text; NULL is fine. */
void mem_wipe_free(char *secret);

#endif
