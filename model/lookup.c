/* SPDX-License-Identifier: MIT */
/* lookup: see lookup.h. */
#include "model/lookup.h"

#include "base/mem.h"

#include <stdlib.h>

struct lookup_entry {
	uint64_t hash;
	size_t next;
};

static uint64_t hash_text(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
	return (h ^ 0xff) * UINT64_C(1099511628211);
}

static uint64_t hash_of(const char *a, const char *b)
{
	return hash_text(hash_text(UINT64_C(14695981039346656037), a), b);
}

void lookup_clear(struct lookup *l)
{
	l->n = 0;
	for (size_t i = 0; i < l->n_buckets; i++)
		l->buckets[i] = LOOKUP_END;
}

void lookup_release(struct lookup *l)
{
	free(l->buckets);
	free(l->entries);
	*l = (struct lookup){0};
}

static void link_entry(struct lookup *l, size_t i)
{
	size_t *bucket = &l->buckets[l->entries[i].hash & (l->n_buckets - 1)];

	l->entries[i].next = *bucket;
	*bucket = i;
}

static void grow_buckets(struct lookup *l)
{
	free(l->buckets);
	l->n_buckets = l->n_buckets ? l->n_buckets * 2 : 16;
	l->buckets = mem_new(l->n_buckets, sizeof *l->buckets);
	for (size_t i = 0; i < l->n_buckets; i++)
		l->buckets[i] = LOOKUP_END;
	for (size_t i = 0; i < l->n; i++)
		link_entry(l, i);
}

void lookup_add(struct lookup *l, const char *a, const char *b)
{
	l->entries = mem_grow(l->entries, l->n, sizeof *l->entries);
	l->entries[l->n].hash = hash_of(a, b);
	if (l->n >= l->n_buckets)
		grow_buckets(l);
	link_entry(l, l->n);
	l->n++;
}

/* From i on, the first with this hash. */
static size_t same_hash(const struct lookup *l, size_t i, uint64_t hash)
{
	while (i != LOOKUP_END && l->entries[i].hash != hash)
		i = l->entries[i].next;
	return i;
}

size_t lookup_first(const struct lookup *l, const char *a, const char *b)
{
	uint64_t hash = hash_of(a, b);

	return l->n_buckets ? same_hash(l, l->buckets[hash & (l->n_buckets - 1)], hash)
			    : LOOKUP_END;
}

size_t lookup_next(const struct lookup *l, size_t i)
{
	return same_hash(l, l->entries[i].next, l->entries[i].hash);
}
