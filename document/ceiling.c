/* SPDX-License-Identifier: MIT */
/* ceiling: see ceiling.h. */
#include "document/ceiling.h"

#include "base/str.h"
#include "document/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static json_t *drives(const struct machine *m)
{
	json_t *a = json_array();

	for (size_t i = 0; i < m->n_drives; i++) {
		const struct machine_drive *d = &m->drives[i];
		json_t *o = json_object();

		field_put(o, "controller", field_text(d->controller));
		field_put(o, "serial", field_text(d->serial));
		field_put(o, "bay", field_text(d->name));
		field_put(o, "host", field_text(d->host));
		field_put(o, "ceiling_bytes_per_second", field_whole(d->can.read));
		field_put(o, "write_ceiling_bytes_per_second", field_whole(d->can.write));
		field_put(o, "link_bytes_per_second", field_whole(d->link_bps));
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
			json_array_append_new(bays, field_text(u->hop->shared_by[k]));
		field_put(o, "host", field_text(u->hop->host));
		field_put(o, "at", field_text(u->hop->at));
		field_put(o, "shared_by", bays);
		field_put(o, "drives_bytes_per_second", field_whole(u->members.read));
		field_put(o, "link_bytes_per_second", field_whole(u->link.read));
		field_put(o, "ceiling_bytes_per_second", field_whole(u->can.read));
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

		field_put(o, "host", field_text(p->host));
		field_put(o, "pool", field_text(p->name));
		field_put(o, "read_ceiling_bytes_per_second", field_whole(p->can.read));
		field_put(o, "write_ceiling_bytes_per_second", field_whole(p->can.write));
		json_array_append_new(a, o);
	}
	return a;
}

json_t *document_of_ceiling(const struct machine *m, const struct inventory *inv)
{
	json_t *o = json_object();

	field_put(o, "schema", json_string("lanewatch/ceiling/v1"));
	field_put(o, "ceiling_bytes_per_second", field_whole(ceiling_total(&m->sum).read));
	field_put(o, "drives", drives(m));
	field_put(o, "uplinks", uplinks(m));
	field_put(o, "pools", pools(inv));
	field_put(o, "claim", json_null());
	field_put(o, "jobs", json_array());
	field_put(o, "groups", json_array());
	field_put(o, "measured", json_null());
	return o;
}

static json_t *measured_drives(const struct measurement *m)
{
	json_t *a = json_array();

	for (size_t i = 0; i < m->n_drives; i++) {
		const struct measured_drive *d = &m->drives[i];
		json_t *o = json_object();

		field_put(o, "host", field_text(d->bay->host));
		field_put(o, "bay", field_text(d->bay->bay));
		field_put(o, "controller", field_text(d->bay->drive.controller));
		field_put(o, "serial", field_text(d->bay->drive.serial));
		field_put(o, "device", field_text(d->device));
		field_put(o, "link_bytes_per_second", field_whole(d->link_bps));
		field_put(o, "alone_bytes_per_second", field_whole(d->alone_bps));
		field_put(o, "together_bytes_per_second", field_whole(d->together_bps));
		field_put(o, "error", field_text(d->error ? strerror((int)d->error) : ""));
		field_put(o, "vanished", json_boolean(d->vanished));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *findings(const struct measurement *m)
{
	json_t *a = json_array();

	for (size_t i = 0; i < m->n_findings; i++) {
		const struct finding *f = &m->findings[i];
		json_t *o = json_object();

		field_put(o, "code", field_text(finding_word(f->code)));
		field_put(o, "bay", field_text(f->drive < m->n_drives ? m->drives[f->drive].bay->bay : ""));
		field_put(o, "message", field_text(f->message));
		json_array_append_new(a, o);
	}
	return a;
}

void document_put_measurement(json_t *ceiling, const struct measurement *m)
{
	json_t *o = json_object();

	field_put(o, "seconds", json_integer(m->seconds));
	field_put(o, "stopped", json_boolean(m->stopped));
	field_put(o, "alone_bytes_per_second", field_whole(measurement_alone(m)));
	field_put(o, "together_bytes_per_second", field_whole(measurement_together(m)));
	field_put(o, "processors_ratio", isfinite(m->cpu_ratio) ? json_real(round(m->cpu_ratio * 1000) / 1000) : json_null());
	field_put(o, "drives", measured_drives(m));
	field_put(o, "findings", findings(m));
	field_put(ceiling, "measured", o);
}

void document_put_claim(json_t *o, const struct claim *c)
{
	bool known = c->verdict != CLAIM_UNKNOWN;

	field_put(o, "verdict", json_string(claim_word(c->verdict)));
	field_put(o, "plausible", known ? json_boolean(c->verdict != CLAIM_IMPOSSIBLE) : json_null());
	field_put(o, "percent_of_ceiling", isfinite(c->percent) ? json_real(round(c->percent * 10) / 10) : json_null());
	field_put(o, "hint", c->verdict == CLAIM_IMPOSSIBLE ? json_string("cache-or-zeros") : json_null());
	field_put(o, "message", field_text(c->message));
}

/* "pool tank reads at most ...", of each pool of the machine's hosts that streams less than its links carry. */
static void about_pools(const struct machine *m, const struct inventory *inv, double bps, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < inv->n_pools && n < size; i++) {
		const struct pool *p = &inv->pools[i];
		bool ours = false;

		for (size_t k = 0; k < m->n_drives && !ours; k++)
			ours = str_same_nocase(m->drives[k].host, p->host);
		if (ours && p->can.read > 0)
			n += (size_t)snprintf(out + n, size - n,
				"%spool %.64s reads at most %.1f GB/s in streams by its layout, of which it is %.0f %%", n ? "; " : "", p->name,
				p->can.read / 1e9, 100 * bps / p->can.read);
	}
}

void document_put_judged(json_t *ceiling, double bytes_per_second, const struct machine *m, const struct inventory *inv)
{
	struct claim c = claim_check(bytes_per_second, &m->sum, false);
	char pools[320], message[sizeof c.message + sizeof pools + 16];
	json_t *o = json_object();

	field_put(o, "bytes_per_second", field_whole(bytes_per_second));
	document_put_claim(o, &c);
	about_pools(m, inv, bytes_per_second, pools, sizeof pools);
	if (*pools && c.verdict != CLAIM_IMPOSSIBLE) {
		snprintf(message, sizeof message, "%s; here: %s", c.message, pools);
		json_object_set_new(o, "message", json_string(message)); /* longer than field_text() bears if it is odd */
	}
	field_put(ceiling, "claim", o);
}
