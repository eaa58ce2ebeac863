/* SPDX-License-Identifier: MIT */
/*
 * join: see join.h.  Which views are one place is decided here, host after host; what the
 * bay then says is merge.c's.  The BMC knows what is printed on the chassis, so its views
 * come first and name the place.
 */
#include "model/join.h"

#include "base/mem.h"
#include "base/str.h"
#include "model/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const size_t NOWHERE = (size_t)-1;

/* Indexes of the views that are this place; the first one names it. */
struct place {
	size_t n;
	size_t view[MERGE_VIEWS_MAX];
};

/* A view as it came, and when its turn is: host after host, the BMC's before the kernel's. */
struct turn {
	const struct seen *seen;
	size_t at; /* its number there */
	enum target_kind kind;
	size_t nth;
};

/* One host on its way; views, turns and place_of have n_views elements. */
struct join {
	const struct turn *turns;
	struct bay *views; /* copies, checked and with the names of cards */
	size_t n_views;
	size_t *place_of; /* place of each view, or NOWHERE */
	struct place *places;
	size_t n_places;
};

/* ---- before joining: the names of places, and serials that identify nothing ---- */

/* Order of PCI addresses: fixed-width hexadecimal, so the text's own, but VMD domains are longer. */
static int address_compare(const char *a, const char *b)
{
	size_t na = strcspn(a, ":"), nb = strcspn(b, ":");

	return na != nb ? (na < nb ? -1 : 1) : strcmp(a, b);
}

/*
 * True for a drive in a slot: the slot gave the bay its name, or several drives were found in it, or
 * its ports all have its number and the kernel told them apart ("5", "5-1", "5-2").
 */
static bool in_slot(const struct bay *b, const char *slot)
{
	size_t n = strlen(slot);

	if (str_same(b->bay, slot) || str_same(b->slot, slot))
		return true;
	return n && strncmp(b->slot, slot, n) == 0 && b->slot[n] == '-' && b->slot[n + 1] &&
	       strspn(b->slot + n + 1, "0123456789") == strlen(b->slot + n + 1);
}

/* How many drives of the view's target sit in the same slot at lower addresses. */
static size_t drives_before(const struct join *j, size_t v, const char *slot)
{
	size_t n = 0;

	for (size_t i = 0; i < j->n_views; i++) {
		const struct bay *a = &j->views[i], *b = &j->views[v];
		int order;

		if (i == v || !a->has_drive || !in_slot(a, slot) || !str_same(a->target, b->target))
			continue;
		order = address_compare(a->drive.pci_address, b->drive.pci_address);
		n += order < 0 || (order == 0 && i < v);
	}
	return n;
}

/* The drives found in the slot of a card take the card's bays, in the order of their addresses. */
static void name_cards(struct join *j, const struct policy_set *policies)
{
	/* the new names; views keep the old ones until all cards are done, for they tell the slot */
	const char **names = mem_new(j->n_views + 1, sizeof *names);

	for (size_t c = 0; c < policies->n_cards; c++) {
		const struct policy_card *card = &policies->cards[c];

		for (size_t v = 0; v < j->n_views; v++) {
			size_t nth;

			if (!j->views[v].has_drive || !in_slot(&j->views[v], card->slot))
				continue;
			nth = drives_before(j, v, card->slot);
			if (nth < card->bays.n)
				names[v] = card->bays.items[nth];
		}
	}
	for (size_t v = 0; v < j->n_views; v++)
		if (names[v])
			str_copy(j->views[v].bay, sizeof j->views[v].bay, names[v]);
	free(names);
}

/*
 * The operator's own names of places take the part of slots: a drive that is alone in one has its
 * name, of several each has it with its rank by PCI address, until a card says better.
 */
static void name_mapped(struct join *j, const struct bay_map *map)
{
	const struct bay_place **places = mem_new(j->n_views + 1, sizeof *places);

	for (size_t v = 0; v < j->n_views; v++)
		places[v] = j->views[v].has_drive ? bay_map_find(map, &j->views[v]) : NULL;
	for (size_t v = 0; v < j->n_views; v++) {
		struct bay *b = &j->views[v];
		size_t mates = 0, rank = 1;

		for (size_t i = 0; places[v] && i < j->n_views; i++) {
			const struct bay *a = &j->views[i];

			if (places[i] != places[v] || !str_same(a->target, b->target))
				continue;
			mates++;
			rank += address_compare(a->drive.pci_address, b->drive.pci_address) < 0;
		}
		if (!places[v])
			continue;
		str_copy(b->slot, sizeof b->slot, places[v]->bay);
		if (mates == 1)
			str_copy(b->bay, sizeof b->bay, places[v]->bay);
		else
			snprintf(b->bay, sizeof b->bay, "%.48s-%zu", places[v]->bay, rank);
	}
	free(places);
}

static void name_places(struct join *j, const struct policy_set *policies)
{
	const struct bay_map *map = policies ? policy_map_find(policies, j->views[0].host) : NULL;

	if (map)
		name_mapped(j, map);
	if (policies)
		name_cards(j, policies);
}

static bool in_place(const struct bay *b)
{
	return b->has_drive && b->present != TRI_NO;
}

/* One serial in two bays of one target names neither of them. */
static void mark_duplicates(struct join *j)
{
	for (size_t i = 0; i < j->n_views; i++)
		for (size_t k = i + 1; k < j->n_views; k++) {
			struct bay *a = &j->views[i], *b = &j->views[k];

			if (!in_place(a) || !in_place(b) || !str_same(a->target, b->target) ||
				a->stale != b->stale || !drive_serial_same(&a->drive, &b->drive))
				continue;
			a->notes |= NOTE_DUPLICATE_SERIAL;
			b->notes |= NOTE_DUPLICATE_SERIAL;
		}
}

/* ---- which views are one place ---- */

static const struct bay *first_view(const struct join *j, const struct place *p)
{
	return &j->views[p->view[0]];
}

static bool place_takes(const struct join *j, const struct place *p, const struct bay *b)
{
	if (p->n == MERGE_VIEWS_MAX)
		return false;
	for (size_t i = 0; i < p->n; i++)
		if (str_same(j->views[p->view[i]].target, b->target))
			return false;
	return true;
}

static bool holds_drive(const struct join *j, const struct place *p, const struct bay *b)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct bay *a = &j->views[p->view[i]];

		if (in_place(a) && !(a->notes & NOTE_DUPLICATE_SERIAL) && drive_same(&a->drive, &b->drive))
			return true;
	}
	return false;
}

/* True if the place surely holds another drive than b; what is stale contradicts nothing. */
static bool contradicts(const struct join *j, const struct place *p, const struct bay *b)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct bay *a = &j->views[p->view[i]];

		if (in_place(a) && in_place(b) && !a->stale && !b->stale &&
			drive_serial_identifies(a->drive.serial) &&
			drive_serial_identifies(b->drive.serial) && !drive_same(&a->drive, &b->drive))
			return true;
	}
	return false;
}

static void add_to_place(struct join *j, size_t place, size_t v)
{
	struct place *p = &j->places[place];

	p->view[p->n++] = v;
	j->place_of[v] = place;
}

static struct place *place_named(struct join *j, const struct bay *b)
{
	for (size_t i = 0; i < j->n_places; i++)
		if (str_same(first_view(j, &j->places[i])->bay, b->bay))
			return &j->places[i];
	return NULL;
}

/*
 * A place of its own.  Where its name is taken, a drive falls back to its PCI address and an
 * empty bay is left out: it cannot be told which one it is.
 */
static void new_place(struct join *j, size_t v)
{
	struct bay *b = &j->views[v];
	const struct place *taken = place_named(j, b);

	if (taken && !str_same(first_view(j, taken)->target, b->target)) {
		if (!b->has_drive)
			return;
		if (*b->drive.pci_address)
			str_copy(b->bay, sizeof b->bay, b->drive.pci_address);
	}
	j->places = mem_grow(j->places, j->n_places, sizeof *j->places);
	j->places[j->n_places] = (struct place){0};
	add_to_place(j, j->n_places++, v);
}

static void join_by_drive(struct join *j, size_t v)
{
	const struct bay *b = &j->views[v];

	if (!in_place(b) || b->notes & NOTE_DUPLICATE_SERIAL)
		return;
	for (size_t i = 0; i < j->n_places; i++)
		if (place_takes(j, &j->places[i], b) && holds_drive(j, &j->places[i], b)) {
			add_to_place(j, i, v);
			return;
		}
}

/* True unless a drive of this target was found elsewhere under another name. */
static bool names_agree(const struct join *j, const struct bay *b)
{
	for (size_t v = 0; v < j->n_views; v++) {
		const struct bay *a = &j->views[v];

		if (j->place_of[v] == NOWHERE || !str_same(a->target, b->target))
			continue;
		if (!str_same(a->bay, first_view(j, &j->places[j->place_of[v]])->bay))
			return false;
	}
	return true;
}

static void join_by_name(struct join *j, size_t v)
{
	const struct bay *b = &j->views[v];
	struct place *p = names_agree(j, b) ? place_named(j, b) : NULL;

	if (p && place_takes(j, p, b) && !contradicts(j, p, b))
		add_to_place(j, (size_t)(p - j->places), v);
	else
		new_place(j, v);
}

/* Target after target: first by drive, for that tells whether names can be trusted; then by name. */
static void find_places(struct join *j)
{
	for (size_t first = 0, end; first < j->n_views; first = end) {
		const char *target = j->views[first].target;

		for (end = first; end < j->n_views && str_same(j->views[end].target, target); end++)
			join_by_drive(j, end);
		for (size_t v = first; v < end; v++)
			if (j->place_of[v] == NOWHERE)
				join_by_name(j, v);
	}
}

/* ---- hops ---- */

/* Hops name bays as their target does; here they get the names of the places. */
static void copy_hop(const struct join *j, struct inventory *inv, const struct hop *h)
{
	struct hop *out;

	inv->hops = mem_grow(inv->hops, inv->n_hops, sizeof *inv->hops);
	out = &inv->hops[inv->n_hops++];
	*out = *h;
	out->n_shared = 0;
	out->shared_by = NULL;
	for (size_t i = 0; i < h->n_shared; i++)
		for (size_t v = 0; v < j->n_views; v++)
			if (j->place_of[v] != NOWHERE && str_same(j->views[v].target, h->target) &&
				str_same(bay_pack_name(&j->turns[v].seen->bays, j->turns[v].at), h->shared_by[i]))
				hop_add_shared(out, first_view(j, &j->places[j->place_of[v]])->bay);
}

/* The hops of the targets that see this host. */
static void copy_hops(const struct join *j, struct inventory *inv)
{
	for (size_t v = 0; v < j->n_views; v++) {
		const struct seen *s;

		if (v && str_same(j->views[v].target, j->views[v - 1].target))
			continue;
		s = inventory_seen(inv, j->views[v].target);
		for (size_t i = 0; s && i < s->n_hops; i++)
			if (str_same_nocase(s->hops[i].host, j->views[v].host))
				copy_hop(j, inv, &s->hops[i]);
	}
}

/* ---- host after host ---- */

static int kind_rank(enum target_kind k)
{
	switch (k) {
	case TARGET_REDFISH:
		return 0;
	case TARGET_REPLAY:
		return 1;
	case TARGET_KIND_UNKNOWN:
	case TARGET_NVME:
		return 2;
	case TARGET_ZFS:
		return 3;
	}
	return 3;
}

static const char *turn_host(const struct turn *t)
{
	return bay_pack_host(&t->seen->bays, t->at);
}

static int turn_compare(const void *x, const void *y)
{
	const struct turn *a = x, *b = y;
	int order = strcasecmp(turn_host(a), turn_host(b));

	if (order == 0)
		order = kind_rank(a->kind) - kind_rank(b->kind);
	if (order == 0)
		order = str_natural(a->seen->target, b->seen->target);
	if (order == 0)
		order = strcmp(a->seen->target, b->seen->target);
	return order ? order : (a->nth > b->nth) - (a->nth < b->nth);
}

/* Adds those of one target, but of hosts that rest. */
static void add_turns(struct turn *turns, size_t *n, const struct inventory *inv, const struct seen *s)
{
	const struct target *t = inventory_target(inv, s->target);
	bool rests = false;

	for (size_t k = 0; k < s->bays.n; k++) {
		if (k == 0 || !str_same(bay_pack_host(&s->bays, k), bay_pack_host(&s->bays, k - 1)))
			rests = inventory_rests(inv, bay_pack_host(&s->bays, k));
		if (!rests) {
			turns[*n] = (struct turn){s, k, t ? t->kind : TARGET_KIND_UNKNOWN, *n};
			++*n;
		}
	}
}

/* All views of all targets in the order of their turns; `n` gets their number. */
static struct turn *turns_new(const struct inventory *inv, size_t *n)
{
	struct turn *turns;

	*n = 0;
	for (size_t i = 0; i < inv->n_seen; i++)
		*n += inv->seen[i].bays.n;
	turns = mem_new(*n + 1, sizeof *turns);
	*n = 0;
	for (size_t i = 0; i < inv->n_seen; i++)
		add_turns(turns, n, inv, &inv->seen[i]);
	qsort(turns, *n, sizeof *turns, turn_compare);
	return turns;
}

/* An empty bay has no drive, whatever its resource still says; what was read and has one is filled. */
static void settle(struct bay *b)
{
	if (b->present == TRI_NO)
		b->has_drive = false;
	else if (b->has_drive && !b->stale)
		b->present = TRI_YES;
	pcie_link_check(&b->link);
}

static struct bay merged(const struct join *j, const struct place *p)
{
	struct merge_view views[MERGE_VIEWS_MAX];

	for (size_t i = 0; i < p->n; i++)
		views[i] = (struct merge_view){&j->views[p->view[i]], j->turns[p->view[i]].kind};
	return merge_views(views, p->n);
}

static void join_host(struct inventory *inv, const struct policy_set *policies, const struct turn *turns, size_t n)
{
	struct join j = {.turns = turns, .n_views = n};

	j.views = mem_new(n, sizeof *j.views);
	j.place_of = mem_new(n, sizeof *j.place_of);
	for (size_t v = 0; v < n; v++) {
		bay_pack_get(&turns[v].seen->bays, turns[v].at, &j.views[v]);
		j.place_of[v] = NOWHERE;
		str_copy(j.views[v].host, sizeof j.views[v].host, turn_host(&turns[0])); /* one spelling */
		settle(&j.views[v]);
	}
	name_places(&j, policies);
	mark_duplicates(&j);
	find_places(&j);
	for (size_t i = 0; i < j.n_places; i++) {
		inv->bays = mem_grow(inv->bays, inv->n_bays, sizeof *inv->bays);
		inv->bays[inv->n_bays++] = merged(&j, &j.places[i]);
	}
	copy_hops(&j, inv);
	free(j.places);
	free(j.place_of);
	free(j.views);
}

void join_views(struct inventory *inv, const struct policy_set *policies)
{
	size_t n;
	struct turn *turns = turns_new(inv, &n);

	for (size_t first = 0, end; first < n; first = end) {
		for (end = first + 1; end < n; end++)
			if (!str_same_nocase(turn_host(&turns[end]), turn_host(&turns[first])))
				break;
		join_host(inv, policies, turns + first, end - first);
	}
	free(turns);
}
