/* SPDX-License-Identifier: MIT */
/* uplink: see uplink.h. */
#include "model/uplink.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { UPLINKS_MAX = 65536, SHARED_MIN = 2 };

void uplinks_release(struct uplinks *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->items[i].bays);
	free(u->items);
	*u = (struct uplinks){0};
}

/* Hops of a host lie together, and come in the same order each round: `from` is where the last one was. */
static struct uplink *find(struct uplinks *u, const struct hop *h, size_t *from)
{
	for (size_t i = 0; i < u->n; i++) {
		struct uplink *x = &u->items[(*from + i) % u->n];

		if (!str_same(x->at, h->at) || !str_same(x->host, h->host))
			continue;
		*from = (*from + i + 1) % u->n;
		return x;
	}
	return NULL;
}

static void take_bays(struct uplink *x, const struct hop *h)
{
	if (x->n != h->n_shared) {
		free(x->bays);
		x->bays = mem_new(h->n_shared, sizeof *x->bays);
		x->n = h->n_shared;
	}
	memcpy(x->bays, h->shared_by, h->n_shared * sizeof *x->bays);
	str_copy(x->target, sizeof x->target, h->target);
}

void uplinks_remember(struct uplinks *u, const struct inventory *now)
{
	size_t from = 0;

	for (size_t i = 0; i < now->n_hops; i++) {
		const struct hop *h = &now->hops[i];
		struct uplink *x;

		if (h->n_shared < SHARED_MIN)
			continue;
		x = find(u, h, &from);
		if (!x && u->n >= UPLINKS_MAX)
			continue;
		if (!x) {
			u->items = mem_grow(u->items, u->n, sizeof *u->items);
			x = &u->items[u->n++];
			*x = (struct uplink){.n = 0};
			str_copy(x->host, sizeof x->host, h->host);
			str_copy(x->at, sizeof x->at, h->at);
		}
		if (h->n_shared >= x->n || !x->failed) /* of one that failed, what is left does not count */
			take_bays(x, h);
	}
}

void uplinks_judge(struct uplinks *u, const struct inventory *now,
	bool (*lost)(const void *arg, const char *host, const char *bay), const void *arg)
{
	u->n_failed = 0;
	for (size_t i = 0; i < u->n; i++) {
		struct uplink *x = &u->items[i];
		bool rests = inventory_rests(now, x->host);

		x->failed |= !rests;
		for (size_t k = 0; k < x->n && x->failed && !rests; k++)
			x->failed = lost(arg, x->host, x->bays[k]);
		u->n_failed += x->failed;
	}
}

const struct uplink *uplinks_above(const struct uplinks *u, const char *host, const char *bay)
{
	const struct uplink *most = NULL;

	for (size_t i = 0; i < u->n && u->n_failed; i++) {
		const struct uplink *x = &u->items[i];

		if (!x->failed || (most && x->n <= most->n) || !str_same(x->host, host))
			continue;
		for (size_t k = 0; k < x->n; k++)
			if (str_same(x->bays[k], bay))
				most = x;
	}
	return most;
}
