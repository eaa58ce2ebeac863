/* SPDX-License-Identifier: MIT */
/*
 * rest: the bays between rounds, and those of hosts that a round does not touch (inventory.h).  They
 * lie host by host, so that a round of a fleet costs what the hosts cost that told something in it.
 */
#include "model/inventory.h"

#include "base/mem.h"
#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Hosts are the same in upper and lower case. */
static const char *key_of(const char *host, char out[sizeof((struct rested *)0)->host])
{
	size_t i = 0;

	for (; host[i] && i + 1 < sizeof((struct rested *)0)->host; i++)
		out[i] = (char)tolower((unsigned char)host[i]);
	out[i] = '\0';
	return out;
}

/* The first of that host, or the next behind `r`; NULL if there is none. */
static struct rested *next_of(const struct inventory *inv, const char *host, const struct rested *r)
{
	char key[sizeof inv->rested->host];
	size_t i = r ? lookup_next(&inv->by_host, (size_t)(r - inv->rested)) : lookup_first(&inv->by_host, key_of(host, key), "");

	while (i != LOOKUP_END && !str_same_nocase(inv->rested[i].host, host))
		i = lookup_next(&inv->by_host, i);
	return i == LOOKUP_END ? NULL : &inv->rested[i];
}

bool inventory_rests(const struct inventory *inv, const char *host)
{
	const struct rested *r = next_of(inv, host, NULL);

	return r && !r->touched;
}

/* A bay that was carried from an earlier round may have its host in another spelling: all are touched. */
void inventory_touch(struct inventory *inv, const char *host)
{
	for (struct rested *r = next_of(inv, host, NULL); r; r = next_of(inv, host, r))
		r->touched = true;
}

void inventory_touch_all(struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_rested; i++)
		inv->rested[i].touched = true;
}

void inventory_last(const struct inventory *inv, struct bay_pack *out)
{
	struct bay b;

	for (size_t i = 0; i < inv->n_rested; i++) {
		const struct rested *r = &inv->rested[i];

		for (size_t k = 0; r->touched && k < r->bays.n; k++) {
			bay_pack_get(&r->bays, k, &b);
			bay_pack_add(out, &b);
		}
	}
}

/* ---- laying down ---- */

static int rested_compare(const void *x, const void *y)
{
	const struct rested *a = x, *b = y;
	int order = str_natural(a->host, b->host);

	return order ? order : strcmp(a->host, b->host);
}

/* The bays of the round before of hosts that this one touched. */
static void drop_touched(struct inventory *inv)
{
	size_t kept = 0;

	for (size_t i = 0; i < inv->n_rested; i++)
		if (inv->rested[i].touched)
			bay_pack_release(&inv->rested[i].bays);
		else
			inv->rested[kept++] = inv->rested[i];
	inv->n_rested = kept;
}

/* Those of one host, from bay `first` on; returns one past the last. */
static size_t lay_down(struct inventory *inv, size_t first)
{
	struct rested r = {.touched = false};
	size_t i = first;

	str_copy(r.host, sizeof r.host, inv->bays[first].host);
	for (; i < inv->n_bays && str_same(inv->bays[i].host, r.host); i++)
		bay_pack_add(&r.bays, &inv->bays[i]);
	bay_pack_fit(&r.bays);
	inv->rested = mem_grow(inv->rested, inv->n_rested, sizeof *inv->rested);
	inv->rested[inv->n_rested++] = r;
	return i;
}

static void index_rested(struct inventory *inv)
{
	char key[sizeof inv->rested->host];

	lookup_clear(&inv->by_host);
	for (size_t i = 0; i < inv->n_rested; i++)
		lookup_add(&inv->by_host, key_of(inv->rested[i].host, key), "");
}

static int remark_compare(const void *x, const void *y)
{
	const struct remark *a = x, *b = y;
	int order = str_natural(a->host, b->host);

	return order ? order : (a->nth > b->nth) - (a->nth < b->nth);
}

/* In the order of their hosts again; those of one host stay in theirs. */
static void order_remarks(struct remark *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		list[i].nth = i;
	if (n > 1)
		qsort(list, n, sizeof *list, remark_compare);
}

void inventory_rest(struct inventory *inv)
{
	if (!inv->at_work)
		return;
	inv->at_work = false;
	drop_touched(inv);
	for (size_t i = 0; i < inv->n_bays;)
		i = lay_down(inv, i);
	if (inv->n_rested > 1)
		qsort(inv->rested, inv->n_rested, sizeof *inv->rested, rested_compare);
	index_rested(inv);
	order_remarks(inv->notes, inv->n_notes);
	order_remarks(inv->hints, inv->n_hints);
	free(inv->bays);
	inv->bays = NULL;
	inv->n_bays = 0;
	for (size_t i = 0; i < inv->n_rested; i++) {
		inv->rested[i].first = inv->n_bays;
		inv->n_bays += inv->rested[i].bays.n;
	}
}

void inventory_restore(struct inventory *inv, struct inventory *from)
{
	inv->collected_wall_ms = from->collected_wall_ms;
	inv->bays = from->bays;
	inv->n_bays = from->n_bays;
	from->bays = NULL;
	from->n_bays = 0;
	inv->at_work = true;
	inventory_rest(inv);
	inventory_touch_all(inv);
}

/* ---- looking at them ---- */

/* The host that bay number i is of. */
static const struct rested *host_of(const struct inventory *inv, size_t i)
{
	size_t low = 0, high = inv->n_rested;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (inv->rested[middle].first <= i)
			low = middle;
		else
			high = middle;
	}
	return &inv->rested[low];
}

const struct bay *inventory_bay(const struct inventory *inv, size_t i, struct bay *room)
{
	const struct rested *r;

	if (inv->bays)
		return &inv->bays[i];
	r = host_of(inv, i);
	bay_pack_get(&r->bays, i - r->first, room);
	return room;
}

void rested_release(struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_rested; i++)
		bay_pack_release(&inv->rested[i].bays);
	free(inv->rested);
	lookup_release(&inv->by_host);
}
