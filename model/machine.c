/* SPDX-License-Identifier: MIT */
/* machine: see machine.h. */
#include "model/machine.h"

#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Both ports of a dual-port drive carry data at the same time. */
static struct ceiling drive_can(const struct bay *b)
{
	struct ceiling_sum s = {0};

	if (b->drive.n_paths < 2)
		return ceiling_of_link(b->link.now, ceiling_unknown());
	for (size_t i = 0; i < b->drive.n_paths; i++)
		ceiling_add(&s, ceiling_of_link(b->drive.paths[i].link.now, ceiling_unknown()));
	return ceiling_total(&s);
}

static void add_drives(struct machine *m, const struct inventory *inv, bool (*chosen)(const void *arg, const struct bay *b),
	const void *arg)
{
	struct bay room;

	m->drives = mem_new(inv->n_bays + 1, sizeof *m->drives);
	for (size_t i = 0; i < inv->n_bays; i++) {
		const struct bay *b = inventory_bay(inv, i, &room);
		struct machine_drive *d = &m->drives[m->n_drives];
		struct ceiling link, can;

		if (!b->has_drive || b->present == TRI_NO || (chosen && !chosen(arg, b)))
			continue;
		link = b->pcie ? drive_can(b) : ceiling_unknown();
		can = ceiling_capped(link, b->rated);
		m->rated_limits |= can.read < link.read || can.write < link.write;
		*d = (struct machine_drive){.bay = inv->bays ? b : NULL, .can = can, .link_bps = link.read, .counted = b->pcie};
		str_copy(d->host, sizeof d->host, b->host);
		str_copy(d->name, sizeof d->name, b->bay);
		str_copy(d->controller, sizeof d->controller, b->drive.controller);
		str_copy(d->serial, sizeof d->serial, b->drive.serial);
		m->n_drives++;
	}
}

/* ---- uplinks, the one with the fewest drives first ---- */

static bool shares(const struct hop *h, const struct machine_drive *d)
{
	if (!str_same_nocase(h->host, d->host))
		return false;
	for (size_t i = 0; i < h->n_shared; i++)
		if (str_same(h->shared_by[i], d->name))
			return true;
	return false;
}

static int fewer_first(const void *x, const void *y)
{
	const struct machine_uplink *a = x, *b = y;

	return (a->n_drives > b->n_drives) - (a->n_drives < b->n_drives);
}

static void add_uplinks(struct machine *m, const struct inventory *inv)
{
	m->uplinks = mem_new(inv->n_hops + 1, sizeof *m->uplinks);
	for (size_t i = 0; i < inv->n_hops; i++) {
		struct machine_uplink u = {.hop = &inv->hops[i]};

		for (size_t k = 0; k < m->n_drives; k++)
			u.n_drives += m->drives[k].counted && shares(u.hop, &m->drives[k]);
		u.link = ceiling_of_link(u.hop->link.now, ceiling_unknown());
		u.members = u.can = ceiling_unknown();
		if (u.n_drives)
			m->uplinks[m->n_uplinks++] = u;
	}
	if (m->n_uplinks > 1)
		qsort(m->uplinks, m->n_uplinks, sizeof *m->uplinks, fewer_first);
}

/* What counts in the sum: a drive, or all that lies behind an uplink; `at` of a drive leads to its group. */
struct groups {
	struct ceiling *can; /* one a drive, then one an uplink */
	size_t *at;
	bool *gone;
};

static void cap(struct machine *m, struct machine_uplink *u, struct groups *g, size_t group)
{
	struct ceiling_sum members = {0};
	bool *seen = mem_new(m->n_drives + m->n_uplinks + 1, sizeof *seen);

	for (size_t k = 0; k < m->n_drives; k++) {
		if (!m->drives[k].counted || !shares(u->hop, &m->drives[k]))
			continue;
		if (!seen[g->at[k]])
			ceiling_add(&members, g->can[g->at[k]]);
		seen[g->at[k]] = true;
	}
	u->members = ceiling_total(&members);
	/* what an uplink of unknown width carries is not known, and does not void what is known of drives */
	u->can = isnan(u->link.read) ? u->members : ceiling_behind(u->members, u->link);
	m->uplinks_limit |= u->can.read < u->members.read;
	if (!isnan(u->can.read)) {
		for (size_t k = 0; k < m->n_drives; k++)
			if (m->drives[k].counted && shares(u->hop, &m->drives[k])) {
				g->gone[g->at[k]] = true;
				g->at[k] = group;
			}
		g->can[group] = u->can;
		g->gone[group] = false;
	}
	free(seen);
}

void machine_read(struct machine *m, const struct inventory *inv, bool (*chosen)(const void *arg, const struct bay *b),
	const void *arg)
{
	struct groups g;
	size_t n;

	*m = (struct machine){0};
	add_drives(m, inv, chosen, arg);
	add_uplinks(m, inv);
	n = m->n_drives + m->n_uplinks;
	g.can = mem_new(n + 1, sizeof *g.can);
	g.at = mem_new(n + 1, sizeof *g.at);
	g.gone = mem_new(n + 1, sizeof *g.gone);
	for (size_t i = 0; i < n; i++) {
		g.at[i] = i;
		g.gone[i] = i >= m->n_drives || !m->drives[i].counted;
		if (i < m->n_drives)
			g.can[i] = m->drives[i].can;
	}
	for (size_t i = 0; i < m->n_uplinks; i++)
		cap(m, &m->uplinks[i], &g, m->n_drives + i);
	for (size_t i = 0; i < n; i++)
		if (!g.gone[i])
			ceiling_add(&m->sum, g.can[i]);
	m->sum.n = m->sum.n_unknown = 0;
	for (size_t i = 0; i < m->n_drives; i++) {
		m->sum.n += m->drives[i].counted;
		m->sum.n_unknown += m->drives[i].counted && isnan(m->drives[i].can.read);
	}
	free(g.can);
	free(g.at);
	free(g.gone);
}

void machine_release(struct machine *m)
{
	free(m->drives);
	free(m->uplinks);
	*m = (struct machine){0};
}
