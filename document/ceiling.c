/* SPDX-License-Identifier: MIT */
/* ceiling: see ceiling.h. */
#include "document/ceiling.h"

#include "base/str.h"

#include <math.h>

static void put(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value);
}

static json_t *text(const char *s)
{
	return s && *s ? json_string(s) : json_null();
}

static json_t *whole(double v)
{
	return isfinite(v) && fabs(v) < 9e15 ? json_integer((json_int_t)floor(v)) : json_null();
}

static json_t *drives(const struct machine *m)
{
	json_t *a = json_array();

	for (size_t i = 0; i < m->n_drives; i++) {
		const struct bay *b = m->drives[i].bay;
		json_t *o = json_object();

		put(o, "controller", text(b->drive.controller));
		put(o, "serial", text(b->drive.serial));
		put(o, "bay", text(b->bay));
		put(o, "host", text(b->host));
		put(o, "ceiling_bytes_per_second", whole(m->drives[i].can.read));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *uplinks(const struct machine *m)
{
	json_t *a = json_array();

	for (size_t i = 0; i < m->n_uplinks; i++) {
		const struct machine_uplink *u = &m->uplinks[i];
		json_t *o = json_object(), *bays = json_array();

		for (size_t k = 0; k < u->hop->n_shared; k++)
			json_array_append_new(bays, text(u->hop->shared_by[k]));
		put(o, "host", text(u->hop->host));
		put(o, "at", text(u->hop->at));
		put(o, "shared_by", bays);
		put(o, "drives_bytes_per_second", whole(u->members.read));
		put(o, "link_bytes_per_second", whole(u->link.read));
		put(o, "ceiling_bytes_per_second", whole(u->can.read));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *pools(const struct inventory *inv)
{
	json_t *a = json_array();

	for (size_t i = 0; i < inv->n_pools; i++) {
		const struct pool *p = &inv->pools[i];
		json_t *o = json_object();

		put(o, "host", text(p->host));
		put(o, "pool", text(p->name));
		put(o, "read_ceiling_bytes_per_second", whole(p->can.read));
		put(o, "write_ceiling_bytes_per_second", whole(p->can.write));
		json_array_append_new(a, o);
	}
	return a;
}

json_t *document_of_ceiling(const struct machine *m, const struct inventory *inv)
{
	json_t *o = json_object();

	put(o, "schema", json_string("lanewatch/ceiling/v1"));
	put(o, "ceiling_bytes_per_second", whole(ceiling_total(&m->sum).read));
	put(o, "drives", drives(m));
	put(o, "uplinks", uplinks(m));
	put(o, "pools", pools(inv));
	put(o, "claim", json_null());
	put(o, "jobs", json_array());
	put(o, "groups", json_array());
	return o;
}

void document_put_claim(json_t *o, const struct claim *c)
{
	bool known = c->verdict != CLAIM_UNKNOWN;

	put(o, "verdict", json_string(claim_word(c->verdict)));
	put(o, "plausible", known ? json_boolean(c->verdict != CLAIM_IMPOSSIBLE) : json_null());
	put(o, "percent_of_ceiling", isfinite(c->percent) ? json_real(round(c->percent * 10) / 10) : json_null());
	put(o, "hint", c->verdict == CLAIM_IMPOSSIBLE ? json_string("cache-or-zeros") : json_null());
	put(o, "message", text(c->message));
}
