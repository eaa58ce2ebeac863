/* SPDX-License-Identifier: MIT */
/*
 * pools: see pools.h.  `tree` is the whole of it, a row each with its depth, so that no reader
 * needs recursion; the other keys are what follows from it.
 */
#include "document/pools.h"

#include "base/clock.h"
#include "base/jtext.h"
#include "base/mem.h"
#include "base/str.h"
#include "document/field.h"

#include <math.h>
#include <string.h>

enum { ROWS_MAX = 8192, SCANS_MAX = POOL_SCANS_MAX };

/* Byte counts are decimal text. */
static json_t *bytes(double v)
{
	char out[COUNT_TEXT_MAX];

	return v >= 0 && v < 1.8e19 ? field_text(count_text(count_of((uint64_t)v), out)) : json_null();
}

static json_t *seconds(int64_t s)
{
	return s < 0 ? json_null() : json_integer(s);
}

static json_t *errors(const struct pool_node *n)
{
	const char *keys[] = {"read", "write", "checksum"};
	const struct count counts[] = {n->read_errors, n->write_errors, n->checksum_errors};
	json_t *o;

	if (!counts[0].known && !counts[1].known && !counts[2].known)
		return json_null();
	o = json_object();
	for (size_t i = 0; i < 3; i++)
		field_put(o, keys[i], counts[i].known ? json_integer((json_int_t)counts[i].lo) : json_null());
	return o;
}

/* ---- parts ---- */

static json_t *members(const struct pool *p, size_t first, size_t end)
{
	json_t *a = json_array();

	for (size_t i = first; i < end; i++)
		if (pool_node_is_leaf(&p->nodes[i]))
			json_array_append_new(a, field_text(pool_node_label(&p->nodes[i])));
	return a;
}

static json_t *members_of(const struct pool *p, enum pool_part part)
{
	json_t *a = json_array();

	for (size_t i = 0; i < p->n_nodes; i++)
		if (p->nodes[i].part == part && pool_node_is_leaf(&p->nodes[i]))
			json_array_append_new(a, field_text(pool_node_label(&p->nodes[i])));
	return a;
}

static json_t *group(const struct pool *p, enum pool_part part, const struct pool_group *g)
{
	json_t *o;

	if (!g->there)
		return json_null();
	o = json_object();
	field_put(o, "members", members_of(p, part));
	field_put(o, "ceiling_bytes_per_second", field_whole(g->ceiling_bps));
	return o;
}

static json_t *missing(const struct pool *p)
{
	json_t *a = json_array();

	for (size_t i = 0; i < p->n_nodes; i++)
		if (pool_node_is_leaf(&p->nodes[i]) && pool_node_missing(&p->nodes[i]))
			json_array_append_new(a, field_text(p->nodes[i].name));
	return a;
}

static json_t *vdevs(const struct pool *p)
{
	json_t *a = json_array();

	for (size_t i = 0; i < p->n_vdevs; i++) {
		const struct pool_vdev *v = &p->vdevs[i];
		json_t *o = json_object();

		field_put(o, "name", field_text(v->name));
		field_put(o, "kind", field_text(v->kind));
		field_put(o, "members", members(p, v->first, v->end));
		field_put(o, "health", field_text(pool_state_word(v->health)));
		field_put(o, "slowest", field_text(v->slowest));
		field_put(o, "ceiling_bytes_per_second", field_whole(v->ceiling_bps));
		field_put(o, "ceiling_if_healthy_bytes_per_second", field_whole(v->if_healthy_bps));
		field_put(o, "read_bytes_per_second", field_whole(v->read_bps));
		field_put(o, "write_bytes_per_second", field_whole(v->write_bps));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *scans(const struct pool *p)
{
	json_t *a = json_array();

	for (size_t i = 0; i < p->n_scans; i++) {
		const struct pool_scan *s = &p->scans[i];
		json_t *o = json_object();

		field_put(o, "function", field_text(pool_scan_function_word(s->function)));
		field_put(o, "state", field_text(pool_scan_state_word(s->state)));
		field_put(o, "vdev", field_text(s->vdev));
		field_put(o, "percent", isfinite(s->percent) ? json_real(s->percent) : json_null());
		field_put(o, "duration_seconds", seconds(s->duration_s));
		field_put(o, "to_go_seconds", seconds(s->to_go_s));
		field_put(o, "errors", seconds(s->errors));
		field_put(o, "amount", field_text(s->amount));
		field_put(o, "started_at", field_time(s->started_wall_ms));
		field_put(o, "ended_at", field_time(s->ended_wall_ms));
		field_put(o, "paused_at", field_time(s->paused_wall_ms));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *tree(const struct pool *p)
{
	json_t *a = json_array();
	char pulled[256];

	for (size_t i = 0; i < p->n_nodes; i++) {
		const struct pool_node *n = &p->nodes[i];
		json_t *o = json_object();

		pool_if_pulled(p, i, pulled, sizeof pulled);
		field_put(o, "name", field_text(n->name));
		field_put(o, "depth", json_integer(n->depth));
		field_put(o, "role", field_text(pool_part_word(n->part)));
		field_put(o, "type", field_text(pool_node_kind_word(n->kind)));
		field_put(o, "state", field_text(pool_state_word(n->state)));
		field_put(o, "errors", errors(n));
		field_put(o, "resilvering", json_boolean(n->resilvering));
		field_put(o, "note", field_text(n->note));
		field_put(o, "was", field_text(n->was));
		field_put(o, "path", field_text(n->path));
		field_put(o, "controller", field_text(n->controller));
		field_put(o, "bay", field_text(n->bay));
		field_put(o, "serial", field_text(n->serial));
		field_put(o, "read_bytes_per_second", field_whole(n->read_bps));
		field_put(o, "write_bytes_per_second", field_whole(n->write_bps));
		field_put(o, "if_pulled", field_text(pulled));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *hints(unsigned bits)
{
	json_t *a = json_array();

	for (unsigned bit = 1; bit < POOL_HINTS_END; bit <<= 1)
		if (bits & bit)
			json_array_append_new(a, field_text(pool_hint_word((enum pool_hint)bit)));
	return a;
}

json_t *document_of_pool(const struct pool *p)
{
	json_t *o = json_object();

	field_put(o, "target", field_text(p->target));
	field_put(o, "host", field_text(p->host));
	field_put(o, "pool", field_text(p->name));
	field_put(o, "health", field_text(pool_state_word(p->state)));
	field_put(o, "status", field_text(p->status));
	field_put(o, "data_errors", seconds(p->data_errors));
	field_put(o, "bytes_size", bytes(p->size_bytes));
	field_put(o, "bytes_allocated", bytes(p->alloc_bytes));
	field_put(o, "bytes_free", bytes(p->free_bytes));
	field_put(o, "scans", scans(p));
	field_put(o, "vdevs", vdevs(p));
	field_put(o, "log", group(p, PART_LOG, &p->log));
	field_put(o, "cache", group(p, PART_CACHE, &p->cache));
	field_put(o, "special", group(p, PART_SPECIAL, &p->special));
	field_put(o, "spares", members_of(p, PART_SPARE));
	field_put(o, "missing", missing(p));
	field_put(o, "read_ceiling_bytes_per_second", field_whole(p->can.read));
	field_put(o, "write_ceiling_bytes_per_second", field_whole(p->can.write));
	field_put(o, "hints", hints(p->hints));
	field_put(o, "tree", tree(p));
	field_put(o, "stale", json_boolean(p->stale));
	field_put(o, "observed_at", field_time(p->observed_wall_ms));
	return o;
}

/* ---- back ---- */

static json_t *get(const json_t *o, const char *key)
{
	return json_object_get(o, key);
}

#define COPY(to, o, key) jtext_copy(to, sizeof(to), get(o, key))

static double not_negative(const json_t *j)
{
	double v = jtext_number(j);

	return v >= 0 ? v : NAN;
}

static int64_t int_or_none(const json_t *j)
{
	int64_t v;

	return jtext_int(j, 0, INT64_MAX, &v) ? v : -1;
}

static int64_t time_from(const json_t *j)
{
	const char *s = jtext_string(j);

	return s ? clock_parse(s) : CLOCK_NEVER;
}

static struct count count_from(const json_t *j)
{
	int64_t v = int_or_none(j);

	return v < 0 ? (struct count){0} : count_of((uint64_t)v);
}

static void read_row(struct pool *p, const json_t *o)
{
	enum pool_part part = pool_part_of(jtext_string(get(o, "role")));
	struct pool_node *n;
	int64_t depth;

	if (!part || !jtext_string(get(o, "name")) || !jtext_int(get(o, "depth"), 0, 16, &depth))
		return;
	n = pool_add_node(p, jtext_string(get(o, "name")), part, (int)depth);
	n->kind = pool_node_kind_of(jtext_string(get(o, "type")));
	n->state = pool_state_of(jtext_string(get(o, "state")));
	n->read_errors = count_from(jtext_at(o, "errors", "read", NULL));
	n->write_errors = count_from(jtext_at(o, "errors", "write", NULL));
	n->checksum_errors = count_from(jtext_at(o, "errors", "checksum", NULL));
	n->resilvering = jtext_bool(get(o, "resilvering")) == 1;
	COPY(n->note, o, "note");
	COPY(n->was, o, "was");
	COPY(n->path, o, "path");
	COPY(n->controller, o, "controller");
	COPY(n->bay, o, "bay");
	COPY(n->serial, o, "serial");
	n->read_bps = not_negative(get(o, "read_bytes_per_second"));
	n->write_bps = not_negative(get(o, "write_bytes_per_second"));
}

/* The row of a vdev's name among the data vdevs. */
static void find_rows(const struct pool *p, struct pool_vdev *v)
{
	for (size_t i = 0; i < p->n_nodes; i = pool_node_end(p, i))
		if (p->nodes[i].part == PART_DATA && p->nodes[i].depth == 0 && str_same(p->nodes[i].name, v->name)) {
			v->first = i;
			v->end = pool_node_end(p, i);
		}
}

static void read_vdev(struct pool *p, const json_t *o)
{
	struct pool_vdev *v;

	p->vdevs = mem_grow(p->vdevs, p->n_vdevs, sizeof *p->vdevs);
	v = &p->vdevs[p->n_vdevs++];
	*v = (struct pool_vdev){0};
	COPY(v->name, o, "name");
	COPY(v->kind, o, "kind");
	COPY(v->slowest, o, "slowest");
	v->health = pool_state_of(jtext_string(get(o, "health")));
	v->ceiling_bps = not_negative(get(o, "ceiling_bytes_per_second"));
	v->if_healthy_bps = not_negative(get(o, "ceiling_if_healthy_bytes_per_second"));
	v->read_bps = not_negative(get(o, "read_bytes_per_second"));
	v->write_bps = not_negative(get(o, "write_bytes_per_second"));
	find_rows(p, v);
}

static void read_scan(struct pool *p, const json_t *o)
{
	struct pool_scan *s = &p->scans[p->n_scans++];

	*s = (struct pool_scan){0};
	s->function = pool_scan_function_of(jtext_string(get(o, "function")));
	s->state = pool_scan_state_of(jtext_string(get(o, "state")));
	COPY(s->vdev, o, "vdev");
	COPY(s->amount, o, "amount");
	s->percent = not_negative(get(o, "percent"));
	s->duration_s = int_or_none(get(o, "duration_seconds"));
	s->to_go_s = int_or_none(get(o, "to_go_seconds"));
	s->errors = int_or_none(get(o, "errors"));
	s->started_wall_ms = time_from(get(o, "started_at"));
	s->ended_wall_ms = time_from(get(o, "ended_at"));
	s->paused_wall_ms = time_from(get(o, "paused_at"));
}

static struct pool_group read_group(const json_t *o)
{
	return (struct pool_group){json_is_object(o), not_negative(get(o, "ceiling_bytes_per_second"))};
}

bool document_read_pool(const json_t *j, struct pool *out)
{
	json_t *o;
	size_t i;

	if (!jtext_string(get(j, "pool")))
		return false;
	*out = pool_unknown(jtext_string(get(j, "pool")));
	COPY(out->target, j, "target");
	COPY(out->host, j, "host");
	COPY(out->status, j, "status");
	out->state = pool_state_of(jtext_string(get(j, "health")));
	out->data_errors = int_or_none(get(j, "data_errors"));
	out->size_bytes = not_negative(get(j, "bytes_size"));
	out->alloc_bytes = not_negative(get(j, "bytes_allocated"));
	out->free_bytes = not_negative(get(j, "bytes_free"));
	out->can.read = not_negative(get(j, "read_ceiling_bytes_per_second"));
	out->can.write = not_negative(get(j, "write_ceiling_bytes_per_second"));
	out->stale = jtext_bool(get(j, "stale")) == 1;
	out->observed_wall_ms = time_from(get(j, "observed_at"));
	json_array_foreach(get(j, "tree"), i, o)
		if (i < ROWS_MAX)
			read_row(out, o);
	json_array_foreach(get(j, "vdevs"), i, o)
		if (i < ROWS_MAX && json_is_object(o))
			read_vdev(out, o);
	json_array_foreach(get(j, "scans"), i, o)
		if (i < SCANS_MAX && json_is_object(o))
			read_scan(out, o);
	json_array_foreach(get(j, "hints"), i, o)
		out->hints |= pool_hint_of(jtext_string(o));
	out->log = read_group(get(j, "log"));
	out->cache = read_group(get(j, "cache"));
	out->special = read_group(get(j, "special"));
	return true;
}
