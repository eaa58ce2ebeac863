/* SPDX-License-Identifier: MIT */
/* pool_column: see pool_column.h; and the ceilings of a pool, from its columns. */
#include "model/pool_column.h"

#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double smaller(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : fmin(a, b);
}

/* The smaller of both, or the one that is known. */
static struct ceiling least(struct ceiling a, struct ceiling b)
{
	return (struct ceiling){smaller(a.read, b.read), smaller(a.write, b.write)};
}

static int lower(int a, int b)
{
	return a && b ? (a < b ? a : b) : a ? a : b;
}

/* What drive and slot can both do. */
static struct pcie_rate achievable(const struct pcie_link *l)
{
	return (struct pcie_rate){lower(l->max.speed_mtps, l->slot.speed_mtps),
		lower(l->max.width_lanes, l->slot.width_lanes)};
}

static bool carries(const struct pool_node *n)
{
	switch (n->state) {
	case POOL_ONLINE:
	case POOL_DEGRADED:
		return true;
	case POOL_STATE_UNKNOWN: /* JSON of 2.3.2 leaves it out for the half that is being replaced */
		return n->depth < 2;
	case POOL_FAULTED:
	case POOL_OFFLINE:
	case POOL_UNAVAIL:
	case POOL_REMOVED:
	case POOL_SUSPENDED:
	case POOL_SPLIT:
	case POOL_AVAIL:
	case POOL_INUSE:
		break;
	}
	return false;
}

static struct ceiling link_of(const struct bay *b)
{
	if (b && !b->pcie)
		return b->rated; /* a disk: there is no link, what it is rated for may be known */
	return b ? ceiling_of_link(b->link.now, b->rated) : ceiling_unknown();
}

static struct ceiling best_of(const struct bay *b)
{
	if (b && !b->pcie)
		return b->rated;
	return b ? ceiling_of_link(achievable(&b->link), b->rated) : ceiling_unknown();
}

static void add_leaf(struct pool_column *c, size_t i, const struct pool_node *n, const struct bay *b)
{
	struct ceiling now = link_of(b);
	bool first = c->missing;

	c->best = least(c->best, best_of(b));
	if (!carries(n))
		return;
	c->whole |= !n->resilvering;
	if (n->kind == NODE_DISTRIBUTED)
		return; /* its drives are those of the other columns */
	c->missing = false;
	if (first) {
		c->can = now;
		c->leaf = i;
	} else if (isnan(now.write) || isnan(c->can.write)) {
		c->can = ceiling_unknown();
	} else if (now.write < c->can.write) {
		c->can = now;
		c->leaf = i;
	}
}

static struct pool_column column_of(const struct pool *p, size_t i, const struct bay *bays, size_t n_bays)
{
	struct pool_column c = {ceiling_unknown(), ceiling_unknown(), true, false, p->n_nodes};

	for (size_t k = i, end = pool_node_end(p, i); k < end; k++)
		if (pool_node_is_leaf(&p->nodes[k]))
			add_leaf(&c, k, &p->nodes[k], pool_bay(&p->nodes[k], bays, n_bays));
	return c;
}

/* The layout of the vdev at row i; a leaf is a disk. */
static struct layout layout_of(const struct pool *p, size_t i)
{
	const struct pool_node *n = &p->nodes[i];
	struct layout l = {.kind = LAYOUT_DISK};

	if (n->kind == NODE_MIRROR || n->kind == NODE_RAIDZ || n->kind == NODE_DRAID)
		layout_parse(n->name, &l);
	else if (n->kind == NODE_UNKNOWN)
		l.kind = LAYOUT_UNKNOWN;
	return l;
}

size_t pool_columns(const struct pool *p, size_t i, const struct bay *bays, size_t n_bays, struct pool_column *out)
{
	struct layout l = layout_of(p, i);
	size_t n = 0;

	if (l.kind == LAYOUT_DISK) {
		out[0] = column_of(p, i, bays, n_bays);
		return 1;
	}
	for (size_t k = i + 1, end = pool_node_end(p, i); k < end; k = pool_node_end(p, k))
		out[n++] = column_of(p, k, bays, n_bays);
	return n;
}

size_t pool_tolerance(const struct pool *p, size_t i, size_t n_columns)
{
	struct layout l = layout_of(p, i);

	switch (l.kind) {
	case LAYOUT_MIRROR:
		return n_columns ? n_columns - 1 : 0;
	case LAYOUT_RAIDZ:
	case LAYOUT_DRAID:
		return (size_t)l.parity;
	case LAYOUT_DISK:
	case LAYOUT_UNKNOWN:
		break;
	}
	return 0;
}

/* ---- ceilings ---- */

/* With every column back and every link at its best, as far as that is known of any. */
static double if_healthy(const struct layout *l, const struct pool_column *columns, struct ceiling_member *m, size_t n)
{
	struct ceiling slowest = ceiling_unknown();

	for (size_t i = 0; i < n; i++)
		slowest = least(slowest, columns[i].best);
	for (size_t i = 0; i < n; i++)
		m[i] = (struct ceiling_member){isnan(columns[i].best.write) ? slowest : columns[i].best, false};
	return ceiling_of_vdev(l, m, n).write;
}

/* What 2.3.2 does not say of a draid: health follows from the members. */
static enum pool_state health_of(const struct pool *p, size_t i, size_t tolerance, const struct pool_column *c, size_t n)
{
	size_t lost = 0;
	bool all_well = true;

	if (p->nodes[i].state || n == 0)
		return p->nodes[i].state;
	for (size_t k = 0; k < n; k++)
		lost += c[k].missing && !c[k].whole;
	for (size_t k = i + 1; k < pool_node_end(p, i); k++)
		all_well &= p->nodes[k].state == POOL_ONLINE;
	return lost > tolerance ? POOL_UNAVAIL : all_well ? POOL_ONLINE : POOL_DEGRADED;
}

static void add_vdev(struct pool *p, size_t i, const struct pool_column *c, const struct ceiling_member *m, size_t n)
{
	size_t slow = ceiling_slowest(m, n);
	struct pool_vdev *v;

	p->vdevs = mem_grow(p->vdevs, p->n_vdevs, sizeof *p->vdevs);
	v = &p->vdevs[p->n_vdevs++];
	*v = (struct pool_vdev){.first = i, .end = pool_node_end(p, i)};
	str_copy(v->name, sizeof v->name, p->nodes[i].name);
	pool_kind_text(&p->nodes[i], v->kind, sizeof v->kind);
	v->health = health_of(p, i, pool_tolerance(p, i, n), c, n);
	v->read_bps = p->nodes[i].read_bps;
	v->write_bps = p->nodes[i].write_bps;
	v->ceiling_bps = v->if_healthy_bps = NAN;
	if (slow < n)
		str_copy(v->slowest, sizeof v->slowest, pool_node_label(&p->nodes[c[slow].leaf]));
}

/* The ceiling of the vdev at row i; a data vdev is listed. */
static struct ceiling judge_vdev(struct pool *p, size_t i, const struct bay *bays, size_t n_bays)
{
	size_t rows = pool_node_end(p, i) - i;
	struct pool_column *c = mem_new(rows, sizeof *c);
	struct ceiling_member *m = mem_new(rows, sizeof *m);
	struct layout l = layout_of(p, i);
	size_t n = pool_columns(p, i, bays, n_bays, c);
	struct ceiling can;

	for (size_t k = 0; k < n; k++)
		m[k] = (struct ceiling_member){c[k].can, c[k].missing};
	can = ceiling_of_vdev(&l, m, n);
	if (p->nodes[i].part == PART_DATA) {
		add_vdev(p, i, c, m, n);
		p->vdevs[p->n_vdevs - 1].ceiling_bps = can.write;
		p->vdevs[p->n_vdevs - 1].if_healthy_bps = if_healthy(&l, c, m, n);
	}
	free(m);
	free(c);
	return can;
}

static struct pool_group group_of(const struct ceiling_sum *s)
{
	return (struct pool_group){s->n > 0, ceiling_total(s).write};
}

void pool_finish(struct pool *p, struct bay *bays, size_t n_bays)
{
	struct ceiling_sum parts[PART_SPARE + 1] = {0};

	pool_join(p, bays, n_bays);
	free(p->vdevs);
	p->vdevs = NULL;
	p->n_vdevs = 0;
	for (size_t i = 0; i < p->n_nodes; i = pool_node_end(p, i))
		if (p->nodes[i].part != PART_SPARE)
			ceiling_add(&parts[p->nodes[i].part], judge_vdev(p, i, bays, n_bays));
	p->can = ceiling_total(&parts[PART_DATA]);
	p->log = group_of(&parts[PART_LOG]);
	p->cache = group_of(&parts[PART_CACHE]);
	p->special = group_of(&parts[PART_SPECIAL]);
}

/* ---- what if ---- */

/* The row at depth 0 above row i. */
static size_t top_of(const struct pool *p, size_t i)
{
	while (i > 0 && p->nodes[i].depth > 0)
		i--;
	return i;
}

/* Columns that are not whole, without and with row i. */
static void count_lost(const struct pool *p, size_t top, size_t i, size_t *now, size_t *then, size_t *n)
{
	struct layout l = layout_of(p, top);
	size_t end = pool_node_end(p, top);

	for (size_t k = l.kind == LAYOUT_DISK ? top : top + 1; k < end; k = pool_node_end(p, k)) {
		bool whole = false, whole_then = false;

		for (size_t leaf = k; leaf < pool_node_end(p, k); leaf++) {
			if (!pool_node_is_leaf(&p->nodes[leaf]) || !carries(&p->nodes[leaf]) || p->nodes[leaf].resilvering)
				continue;
			whole = true;
			whole_then |= leaf != i;
		}
		*now += !whole;
		*then += !whole_then;
		++*n;
	}
}

static void pulled_from_vdev(const struct pool *p, size_t i, char *out, size_t size)
{
	size_t top = top_of(p, i), now = 0, then = 0, n = 0, tolerance;
	const char *vdev = p->nodes[top].name;

	count_lost(p, top, i, &now, &then, &n);
	tolerance = pool_tolerance(p, top, n);
	if (then == now)
		snprintf(out, size, "pool %.64s, %.64s: nothing changes, this member is not needed now", p->name, vdev);
	else if (then > tolerance)
		snprintf(out, size, "pool %.64s fails: %.64s has no redundancy left", p->name, vdev);
	else if (then == tolerance)
		snprintf(out, size, "pool %.64s goes on without any redundancy in %.64s", p->name, vdev);
	else
		snprintf(out, size, "pool %.64s goes on: %.64s can lose %zu more after it", p->name, vdev, tolerance - then);
}

void pool_if_pulled(const struct pool *p, size_t i, char *out, size_t size)
{
	out[0] = '\0';
	if (!pool_node_is_leaf(&p->nodes[i]))
		return;
	switch (p->nodes[i].part) {
	case PART_DATA:
	case PART_DEDUP:
	case PART_SPECIAL:
		pulled_from_vdev(p, i, out, size);
		return;
	case PART_LOG:
		snprintf(out, size,
			"pool %.64s goes on; if the machine fails at the same moment, the last synchronous writes are lost "
			"unless the log is mirrored", p->name);
		return;
	case PART_CACHE:
		snprintf(out, size, "pool %.64s goes on; what was cached is read from its drives again", p->name);
		return;
	case PART_SPARE:
		snprintf(out, size, "pool %.64s goes on with one spare fewer", p->name);
		return;
	case PART_UNKNOWN:
		return;
	}
}
