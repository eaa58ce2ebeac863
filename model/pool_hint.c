/* SPDX-License-Identifier: MIT */
/*
 * pool_hint: see pool_hint.h.  Hints, not alerts: each is a sentence with the numbers, and
 * nothing that was not read counts for or against.
 */
#include "model/pool_hint.h"

#include "base/mem.h"
#include "base/str.h"
#include "model/pool_column.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Members that reach the end of their endurance together: from half of it on, as many as the vdev
 * cannot lose, within five points of one another.
 */
static const double worn_percent = 50, together_points = 5;

/* Earlier where they are so many times as far as every drive of the pool's other vdevs. */
static const double ahead_times = 3, ahead_percent = 20;

/* A log that is this much further worn than any data drive wears fastest. */
static const double ahead_points = 10;

struct view {
	struct inventory *inv;
	struct pool *p;
	const struct bay *bays;
	size_t n_bays;
	size_t vdev; /* its row */
	size_t n;
	struct pool_column *columns;
};

static struct remark *add(const struct view *v, enum pool_hint h)
{
	struct remark *r = inventory_add_hint(v->inv, pool_hint_word(h), v->p->host, v->p->target);

	v->p->hints |= h;
	str_copy(r->pool, sizeof r->pool, v->p->name);
	return r;
}

static const struct bay *bay_of(const struct view *v, size_t row)
{
	return row < v->p->n_nodes ? pool_bay(&v->p->nodes[row], v->bays, v->n_bays) : NULL;
}

static double used(const struct bay *b)
{
	return b && b->wear.applicable ? b->wear.percent_used : NAN;
}

static const char *name_of(const struct view *v)
{
	return v->p->nodes[v->vdev].name;
}

/* "24.0 MB/s", "7.9 GB/s"; returns out. */
static const char *rate_text(double bps, char out[24])
{
	snprintf(out, 24, bps < 0.1e9 ? "%.1f MB/s" : "%.1f GB/s", bps < 0.1e9 ? bps / 1e6 : bps / 1e9);
	return out;
}

/* ---- slow-member ---- */

static const struct pool_vdev *data_vdev(const struct pool *p, size_t row)
{
	for (size_t i = 0; i < p->n_vdevs; i++)
		if (p->vdevs[i].first == row)
			return &p->vdevs[i];
	return NULL;
}

static void slow_member(const struct view *v)
{
	struct ceiling_member *m = mem_new(v->n + 1, sizeof *m);
	const struct pool_vdev *d = data_vdev(v->p, v->vdev);
	size_t slow;

	for (size_t i = 0; i < v->n; i++)
		m[i] = (struct ceiling_member){v->columns[i].can, v->columns[i].missing};
	slow = ceiling_slowest(m, v->n);
	free(m);
	if (slow < v->n) {
		const struct bay *b = bay_of(v, v->columns[slow].leaf);
		struct remark *r = add(v, POOL_HINT_SLOW_MEMBER);
		int len;

		if (b)
			remark_add_bay(r, b->bay);
		len = snprintf(r->message, sizeof r->message, "%.64s sets the pace of %.64s: its link carries %.1f GB/s",
			pool_node_label(&v->p->nodes[v->columns[slow].leaf]), name_of(v),
			v->columns[slow].can.write / 1e9);
		if (d && !isnan(d->ceiling_bps) && d->if_healthy_bps > d->ceiling_bps)
			snprintf(r->message + len, sizeof r->message - (size_t)len,
				", so the vdev writes at most %.1f instead of %.1f GB/s", d->ceiling_bps / 1e9,
				d->if_healthy_bps / 1e9);
	}
}

/* ---- no-redundancy ---- */

static const struct bay *most_worn(const struct view *v)
{
	const struct bay *most = NULL;

	for (size_t i = v->vdev; i < pool_node_end(v->p, v->vdev); i++) {
		const struct bay *b = bay_of(v, i);

		if (!isnan(used(b)) && v->p->nodes[i].state != POOL_FAULTED && (!most || used(b) > used(most)))
			most = b;
	}
	return most;
}

static void no_redundancy(const struct view *v)
{
	size_t tolerance = pool_tolerance(v->p, v->vdev, v->n), lost = 0;
	const struct bay *worn;
	struct remark *r;
	int len;

	for (size_t i = 0; i < v->n; i++)
		lost += !v->columns[i].whole;
	if (lost != tolerance || v->n == 0) /* beyond it the pool itself says that it failed */
		return;
	r = add(v, POOL_HINT_NO_REDUNDANCY);
	if (tolerance == 0)
		len = snprintf(r->message, sizeof r->message, "%.64s has no redundancy: the pool is lost with it", name_of(v));
	else
		len = snprintf(r->message, sizeof r->message,
			"%.64s has no redundancy left (%zu of %zu members are missing or incomplete): one more and the pool is lost",
			name_of(v), lost, v->n);
	worn = most_worn(v);
	if (!worn)
		return;
	remark_add_bay(r, worn->bay);
	if (len > 0 && (size_t)len < sizeof r->message)
		snprintf(r->message + len, sizeof r->message - (size_t)len, "; most worn is bay %.32s at %.0f %%", worn->bay,
			used(worn));
}

/* ---- correlated-wear ---- */

static int by_wear(const void *x, const void *y)
{
	const struct bay *const *a = x, *const *b = y;

	return (used(*a) > used(*b)) - (used(*a) < used(*b));
}

/* The longest run of drives that are worn alike; they are sorted. */
static size_t longest_run(const struct bay **bays, size_t n, size_t *first)
{
	size_t longest = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = i;

		while (k < n && used(bays[k]) - used(bays[i]) <= together_points)
			k++;
		if (k - i >= longest) {
			longest = k - i;
			*first = i;
		}
	}
	return longest;
}

/* From which use on the members of the vdev are looked at. */
static double worn_from(const struct view *v)
{
	double others = NAN;

	for (size_t i = 0; i < v->p->n_nodes; i++) {
		bool ours = i >= v->vdev && i < pool_node_end(v->p, v->vdev);
		double other = ours || v->p->nodes[i].part != v->p->nodes[v->vdev].part ? NAN : used(bay_of(v, i));

		if (!isnan(other) && !(other <= others))
			others = other;
	}
	return isnan(others) ? worn_percent : fmin(worn_percent, fmax(ahead_percent, ahead_times * others));
}

static void correlated_wear(const struct view *v)
{
	double from = worn_from(v);
	size_t tolerance = pool_tolerance(v->p, v->vdev, v->n), end = pool_node_end(v->p, v->vdev);
	const struct bay **bays = mem_new(end - v->vdev, sizeof *bays);
	size_t n = 0, first = 0, run;

	for (size_t i = v->vdev; i < end; i++) {
		const struct bay *b = bay_of(v, i);

		if (used(b) >= from)
			bays[n++] = b;
	}
	if (n > 1)
		qsort(bays, n, sizeof *bays, by_wear);
	run = longest_run(bays, n, &first);
	if (tolerance && run > tolerance) {
		struct remark *r = add(v, POOL_HINT_CORRELATED_WEAR);

		for (size_t i = first; i < first + run; i++)
			remark_add_bay(r, bays[i]->bay);
		snprintf(r->message, sizeof r->message,
			"%zu members of %.64s wear out together (%.0f to %.0f %% used), and it can lose %zu: replace them one after "
			"the other in good time",
			run, name_of(v), used(bays[first]), used(bays[first + run - 1]), tolerance);
	}
	free(bays);
}

/* ---- log-slower-than-pool ---- */

static double most_used(const struct view *v, enum pool_part part, const struct bay **which)
{
	double most = NAN;

	for (size_t i = 0; i < v->p->n_nodes; i++) {
		const struct bay *b = v->p->nodes[i].part == part ? bay_of(v, i) : NULL;

		if (!isnan(used(b)) && !(used(b) <= most)) {
			most = used(b);
			*which = b;
		}
	}
	return most;
}

static void name_log(const struct view *v, struct remark *r)
{
	for (size_t i = 0; i < v->p->n_nodes; i++) {
		const struct bay *b = v->p->nodes[i].part == PART_LOG ? bay_of(v, i) : NULL;

		if (b)
			remark_add_bay(r, b->bay);
	}
}

static void slow_log(const struct view *v)
{
	const struct bay *log = NULL, *data = NULL;
	double of_log = most_used(v, PART_LOG, &log), of_data = most_used(v, PART_DATA, &data);
	char of_it[24], of_pool[24];
	struct remark *r;

	if (v->p->log.there && v->p->log.ceiling_bps < v->p->can.write) {
		r = add(v, POOL_HINT_LOG_SLOWER);
		name_log(v, r);
		snprintf(r->message, sizeof r->message,
			"synchronous writes go through the log, which takes at most %s where the pool could take %s",
			rate_text(v->p->log.ceiling_bps, of_it), rate_text(v->p->can.write, of_pool));
	} else if (of_log >= ahead_percent && of_log > of_data + ahead_points) {
		r = add(v, POOL_HINT_LOG_SLOWER);
		name_log(v, r);
		snprintf(r->message, sizeof r->message,
			"the log in bay %.32s wears fastest of all: %.0f %% used where no data drive has more than %.0f %%",
			log->bay, of_log, of_data);
	}
}

void pool_hints(struct inventory *inv, struct pool *p, const struct bay *bays, size_t n_bays)
{
	struct view v = {inv, p, bays, n_bays, 0, 0, NULL};

	p->hints = 0;
	for (size_t i = 0; i < p->n_nodes; i = pool_node_end(p, i)) {
		enum pool_part part = p->nodes[i].part;

		if (part == PART_SPARE || part == PART_CACHE || part == PART_UNKNOWN)
			continue;
		v.vdev = i;
		v.columns = mem_new(pool_node_end(p, i) - i, sizeof *v.columns);
		v.n = pool_columns(p, i, bays, n_bays, v.columns);
		slow_member(&v);
		if (part != PART_LOG) {
			no_redundancy(&v);
			correlated_wear(&v);
		}
		free(v.columns);
	}
	slow_log(&v);
}
