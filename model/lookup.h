/* SPDX-License-Identifier: MIT */
/*
 * lookup: which elements of an array may have a key: a hash with chains of indices, made
 * anew where the array changes.  It only narrows down: whoever looks compares for
 * himself.
 */
#ifndef MODEL_LOOKUP_H
#define MODEL_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#define LOOKUP_END SIZE_MAX

struct lookup {
	size_t n, n_buckets; /* n_buckets is a power of two, or 0 */
	size_t *buckets;     /* the first entry of each chain */
	struct lookup_entry *entries;
};

/* Empty it, or free it. */
void lookup_clear(struct lookup *l);
void lookup_release(struct lookup *l);

/* The next element of the array, number n, has this key: two texts, the second may be "".
 */
void lookup_add(struct lookup *l, const char *a, const char *b);

/* for (i = lookup_first(l, a, b); i != LOOKUP_END; i = lookup_next(l, i)): latest added
 * first. */
size_t lookup_first(const struct lookup *l, const char *a, const char *b);
size_t lookup_next(const struct lookup *l, size_t i);

#endif
