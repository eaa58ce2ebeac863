/* SPDX-License-Identifier: MIT */
/* pools: the pools of all hosts, each joined to the bays of its own (see pool_hint.h). */
#include "model/pool_hint.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *x, const void *y)
{
	const struct pool *a = x, *b = y;
	int order = str_natural(a->host, b->host);

	if (order == 0)
		order = str_natural(a->name, b->name);
	return order ? order : strcmp(a->name, b->name);
}

/* Two targets of one host may both tell of a pool: the first that is not stale. */
static bool told_already(const struct inventory *inv, const struct pool *p)
{
	for (size_t i = 0; i < inv->n_pools; i++)
		if (str_same_nocase(inv->pools[i].host, p->host) && str_same(inv->pools[i].name, p->name))
			return true;
	return false;
}

static void take(struct inventory *inv, bool stale)
{
	for (size_t i = 0; i < inv->n_seen; i++)
		for (size_t k = 0; k < inv->seen[i].n_pools; k++) {
			const struct pool *p = &inv->seen[i].pools[k];

			if (p->stale != stale || inventory_rests(inv, p->host) || told_already(inv, p))
				continue;
			inv->pools = mem_grow(inv->pools, inv->n_pools, sizeof *inv->pools);
			inv->pools[inv->n_pools++] = pool_copy(p);
		}
}

/* Those of before, but of hosts that rest. */
static void clear(struct inventory *inv)
{
	size_t kept = 0;

	for (size_t i = 0; i < inv->n_pools; i++)
		if (inventory_rests(inv, inv->pools[i].host))
			inv->pools[kept++] = inv->pools[i];
		else
			pool_release(&inv->pools[i]);
	inv->n_pools = kept;
}

void pools_finish(struct inventory *inv)
{
	clear(inv);
	take(inv, false);
	take(inv, true);
	if (inv->n_pools > 1)
		qsort(inv->pools, inv->n_pools, sizeof *inv->pools, compare);
	for (size_t i = 0; i < inv->n_pools; i++) {
		struct pool *p = &inv->pools[i];
		struct bay *bays;
		size_t first = 0, end;

		if (inventory_rests(inv, p->host))
			continue;
		while (first < inv->n_bays && !str_same_nocase(inv->bays[first].host, p->host))
			first++;
		for (end = first; end < inv->n_bays && str_same_nocase(inv->bays[end].host, p->host);)
			end++;
		bays = end > first ? inv->bays + first : NULL;
		pool_finish(p, bays, end - first);
		pool_hints(inv, p, bays, end - first);
	}
}
