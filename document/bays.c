/* SPDX-License-Identifier: MIT */
/*
 * bays: writes lanewatch/bays/v1 from the model (see bays.h; read back by bays_read.c).
 *
 * Keys stand in the order of docs/API.md and are always there.  NAN, "", an unknown count and
 * an unknown word all become null; a whole number is written without a point.
 */
#include "document/bays.h"

#include "base/clock.h"
#include "base/jtext.h"
#include "document/field.h"
#include "document/pools.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define EXACT_MAX (UINT64_C(1) << 53) /* beyond it readers lose digits */

static json_t *positive(double v)
{
	return v > 0 ? field_number(v) : json_null();
}

static json_t *tri(enum tri t)
{
	return t == TRI_UNKNOWN ? json_null() : json_boolean(t == TRI_YES);
}

/* The day only: a forecast is no better than that. */
static json_t *day_text(int64_t wall_ms)
{
	char out[CLOCK_TEXT_MAX];

	clock_text(wall_ms, out);
	out[strcspn(out, "T")] = '\0';
	return field_text(out);
}

static json_t *digits(struct count c)
{
	char out[COUNT_TEXT_MAX];

	return field_text(count_text(c, out));
}

static json_t *count(struct count c)
{
	uint64_t n;

	if (count_to_u64(c, &n) && n <= EXACT_MAX)
		return json_integer((json_int_t)n);
	return digits(c);
}

/* A word for each bit of a set, in the order of the bits. */
static json_t *words(unsigned bits, unsigned end, const char *(*word)(unsigned bit))
{
	json_t *a = json_array();

	for (unsigned bit = 1; bit < end; bit <<= 1)
		if (bits & bit && word(bit))
			json_array_append_new(a, field_text(word(bit)));
	return a;
}

static const char *word_of_note(unsigned bit)
{
	return note_word((enum note)bit);
}

static const char *word_of_wear_reason(unsigned bit)
{
	return wear_reason_word((enum wear_reason)bit);
}

static const char *word_of_warning(unsigned bit)
{
	return critical_warning_word((enum critical_warning)bit);
}

/* ---- link ---- */

static void put_rate(json_t *o, const char *speed, const char *width, struct pcie_rate r)
{
	field_put(o, speed, positive(r.speed_mtps / 1000.0));
	field_put(o, width, positive(r.width_lanes));
}

static json_t *link_raw(const struct pcie_link *l)
{
	json_t *o = json_object();

	for (size_t i = 0; i < l->n_raw; i++)
		if (*l->raw[i].property) /* "" is what was given, not unknown */
			field_put(o, l->raw[i].property, *l->raw[i].value ? field_text(l->raw[i].value) : json_string(""));
	return o;
}

static json_t *link_sources(const struct pcie_link *l)
{
	json_t *o = json_object();

	field_put(o, "speed_gts", field_text(l->now_from));
	field_put(o, "width", field_text(l->now_from));
	field_put(o, "max_speed_gts", field_text(l->max_from));
	field_put(o, "max_width", field_text(l->max_from));
	field_put(o, "slot", field_text(l->slot_from));
	return o;
}

static json_t *link_views(const struct pcie_link *l)
{
	json_t *a = json_array();

	for (size_t i = 0; i < l->n_views; i++) {
		json_t *o = json_object();

		field_put(o, "target", field_text(l->views[i].target));
		put_rate(o, "speed_gts", "width", l->views[i].now);
		json_array_append_new(a, o);
	}
	return a;
}

/* One end; kinds that were never counted are left out. */
static json_t *aer_end(const struct pcie_errors *e)
{
	json_t *o, *kinds;

	if (!pcie_errors_known(e))
		return json_null();
	o = json_object();
	kinds = e->kinds_known ? json_object() : json_null();
	for (int k = 0; e->kinds_known && k < PCIE_ERROR_KINDS; k++)
		if (e->kinds[k])
			field_put(kinds, pcie_error_word(k), count(count_of(e->kinds[k])));
	field_put(o, "correctable", count(e->correctable));
	field_put(o, "nonfatal", count(e->nonfatal));
	field_put(o, "fatal", count(e->fatal));
	field_put(o, "kinds", kinds);
	return o;
}

static json_t *link_aer(const struct pcie_link *l)
{
	json_t *o;

	if (!l->aer_correctable.known && !l->aer_nonfatal.known && !l->aer_fatal.known)
		return json_null();
	o = json_object();
	field_put(o, "correctable", count(l->aer_correctable));
	field_put(o, "nonfatal", count(l->aer_nonfatal));
	field_put(o, "fatal", count(l->aer_fatal));
	field_put(o, "device", aer_end(&l->aer_device));
	field_put(o, "port", aer_end(&l->aer_port));
	return o;
}

static json_t *link_slot(const struct pcie_link *l)
{
	json_t *o;

	if (!l->slot.speed_mtps && !l->slot.width_lanes)
		return json_null();
	o = json_object();
	put_rate(o, "max_speed_gts", "max_width", l->slot);
	return o;
}

json_t *document_of_link(const struct pcie_link *l)
{
	json_t *o;

	if (!pcie_link_known(l) && !l->n_raw && !l->n_views)
		return json_null();
	o = json_object();
	put_rate(o, "speed_gts", "width", l->now);
	put_rate(o, "max_speed_gts", "max_width", l->max);
	field_put(o, "slot", link_slot(l));
	field_put(o, "bandwidth_bytes_per_second", positive(round(pcie_bandwidth(l->now))));
	field_put(o, "max_bandwidth_bytes_per_second", positive(round(pcie_bandwidth(l->max))));
	field_put(o, "raw", link_raw(l));
	field_put(o, "sources", link_sources(l));
	field_put(o, "by_source", link_views(l));
	field_put(o, "changes", l->changes < 0 ? json_null() : json_integer(l->changes));
	field_put(o, "aer", link_aer(l));
	return o;
}

/* ---- drive ---- */

static json_t *drive_paths(const struct drive *d)
{
	json_t *a = json_array();

	for (size_t i = 0; i < d->n_paths; i++) {
		struct pcie_link link = pcie_link_of_ends(&d->paths[i].link);
		json_t *o = json_object();

		field_put(o, "address", field_text(d->paths[i].address));
		field_put(o, "controller", field_text(d->paths[i].controller));
		field_put(o, "link", document_of_link(&link));
		field_put(o, "verdict", field_text(verdict_word(d->paths[i].verdict)));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *uses(const struct drive *d)
{
	json_t *a;

	if (!d->uses_known)
		return json_null();
	a = json_array();
	for (size_t i = 0; i < d->n_uses; i++) {
		json_t *o = json_object();

		field_put(o, "kind", field_text(use_kind_word(d->uses[i].kind)));
		field_put(o, "name", field_text(d->uses[i].name));
		field_put(o, "detail", field_text(d->uses[i].detail));
		field_put(o, "mount", field_text(d->uses[i].mount));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *drive(const struct drive *d)
{
	json_t *o = json_object(), *namespaces = json_array(), *by_id = json_array(), *sources = json_array();

	for (size_t i = 0; i < d->n_namespaces; i++)
		json_array_append_new(namespaces, field_text(d->namespaces[i]));
	for (size_t i = 0; i < d->n_names; i++)
		json_array_append_new(by_id, field_text(d->names[i]));
	for (size_t i = 0; i < d->n_sources; i++)
		json_array_append_new(sources, field_text(d->sources[i]));
	field_put(o, "id", field_text(d->id));
	field_put(o, "serial", field_text(d->serial));
	field_put(o, "model", field_text(d->model));
	field_put(o, "manufacturer", field_text(d->manufacturer));
	field_put(o, "part_number", field_text(d->part_number));
	field_put(o, "firmware", field_text(d->firmware));
	field_put(o, "firmware_next", field_text(d->firmware_next));
	field_put(o, "capacity_bytes", count(d->capacity_bytes));
	field_put(o, "protocol", field_text(d->protocol));
	field_put(o, "media_type", field_text(d->media_type));
	field_put(o, "form_factor", field_text(d->form_factor));
	field_put(o, "controller", field_text(d->controller));
	field_put(o, "namespaces", namespaces);
	field_put(o, "uses", uses(d));
	field_put(o, "names", by_id);
	field_put(o, "pci_address", field_text(d->pci_address));
	field_put(o, "pci_path", field_text(d->pci_path));
	field_put(o, "state", field_text(drive_state_word(d->state)));
	field_put(o, "paths", drive_paths(d));
	field_put(o, "sources", sources);
	return o;
}

/* ---- wear and health ---- */

static json_t *forecast(const struct forecast *f)
{
	json_t *o;

	if (!f->known)
		return json_null();
	o = json_object();
	field_put(o, "percent_per_year", field_number(f->percent_per_year));
	field_put(o, "days_to_100", field_number(f->days_to_100));
	field_put(o, "exhausted_on", day_text(f->exhausted_on_wall_ms));
	field_put(o, "earliest", day_text(f->earliest_wall_ms));
	field_put(o, "latest", day_text(f->latest_wall_ms));
	field_put(o, "basis_days", field_number(f->basis_days));
	return o;
}

static const char *quality_word(enum wear_quality q)
{
	switch (q) {
	case WEAR_GOOD:
		return "good";
	case WEAR_QUALITY_SUSPECT:
		return "suspect";
	case WEAR_QUALITY_UNKNOWN:
		break;
	}
	return NULL;
}

/* Over the whole life, in thousandths; NAN where one of them is not known, or they cannot be of one life. */
static double amplification(const struct wear *w)
{
	double host = count_to_double(w->bytes_written), physical = count_to_double(w->physical_bytes_written);

	return host > 0 && physical / host > 0.01 ? round(physical / host * 1000) / 1000 : NAN;
}

static json_t *wear(const struct wear *w)
{
	json_t *o = json_object();

	field_put(o, "percent_used", field_number(w->percent_used));
	field_put(o, "life_left_percent", field_number(w->life_left_percent));
	field_put(o, "available_spare_percent", field_number(w->available_spare_percent));
	field_put(o, "spare_threshold_percent", field_number(w->spare_threshold_percent));
	field_put(o, "bytes_written", digits(w->bytes_written));
	field_put(o, "bytes_read", digits(w->bytes_read));
	field_put(o, "physical_bytes_written", digits(w->physical_bytes_written));
	field_put(o, "write_amplification", field_number(amplification(w)));
	field_put(o, "alert", field_text(alert_level_word(w->alert)));
	field_put(o, "reasons", words(w->reasons, WEAR_REASONS_END, word_of_wear_reason));
	field_put(o, "applicable", json_boolean(w->applicable));
	field_put(o, "quality", field_text(quality_word(w->quality)));
	field_put(o, "forecast", forecast(&w->forecast));
	field_put(o, "rated_tbw", field_number(w->rated_tbw));
	field_put(o, "rated_dwpd", field_number(w->rated_dwpd));
	field_put(o, "used_dwpd", field_number(w->used_dwpd));
	return o;
}

static json_t *self_test(const struct health *h)
{
	json_t *o;

	if (h->self_test == SELF_TEST_UNKNOWN)
		return json_null();
	o = json_object();
	field_put(o, "result", field_text(self_test_word(h->self_test)));
	field_put(o, "code", h->self_test_code < 0 ? json_null() : json_integer(h->self_test_code));
	field_put(o, "power_on_hours", count(h->self_test_hours));
	return o;
}

static json_t *last_error(const struct last_error *x)
{
	char status[16];
	json_t *o;

	if (!x->known)
		return json_null();
	o = json_object();
	snprintf(status, sizeof status, "0x%x", (unsigned)x->status);
	field_put(o, "number", count(x->number));
	field_put(o, "status", field_text(status));
	field_put(o, "namespace", x->namespace_id ? json_integer(x->namespace_id) : json_null());
	field_put(o, "lba", digits(x->lba));
	return o;
}

static json_t *health(const struct health *h)
{
	json_t *o = json_object();
	bool told = h->critical_warning >= 0;

	field_put(o, "status", field_text(health_word(h->status)));
	field_put(o, "reasons", words(h->reasons, WEAR_REASONS_END, word_of_wear_reason));
	field_put(o, "failure_predicted", tri(h->failure_predicted));
	field_put(o, "critical_warning", !told ? json_null() :
		words((unsigned)h->critical_warning, CRITICAL_PMR << 1, word_of_warning));
	field_put(o, "media_errors", count(h->media_errors));
	field_put(o, "error_log_entries", count(h->error_log_entries));
	field_put(o, "unsafe_shutdowns", count(h->unsafe_shutdowns));
	field_put(o, "power_cycles", count(h->power_cycles));
	field_put(o, "power_on_hours", count(h->power_on_hours));
	field_put(o, "controller_busy_minutes", count(h->controller_busy_minutes));
	field_put(o, "self_test", self_test(h));
	field_put(o, "last_error", last_error(&h->last_error));
	return o;
}

/* ---- bay ---- */

static json_t *policy(const struct bay *b)
{
	json_t *o;

	if (!b->has_policy)
		return json_null();
	o = json_object();
	field_put(o, "name", field_text(b->policy));
	put_rate(o, "speed_gts", "width", b->policy_rate);
	field_put(o, "require_present", json_boolean(b->require_present));
	return o;
}

/* From sensor 1 to the last that is there; null for those between that are not. */
static json_t *sensors(const struct bay *b)
{
	json_t *a = json_array();
	size_t n = BAY_SENSORS_MAX;

	while (n && !isfinite(b->sensors_c[n - 1]))
		n--;
	for (size_t i = 0; i < n; i++)
		json_array_append_new(a, field_number(b->sensors_c[i]));
	return a;
}

static json_t *throughput(const struct throughput *t)
{
	json_t *o;

	if (!t->known)
		return json_null();
	o = json_object();
	field_put(o, "read_bytes_per_second", field_whole(t->read_bps));
	field_put(o, "write_bytes_per_second", field_whole(t->write_bps));
	field_put(o, "busy_ratio", field_number(t->busy_ratio));
	field_put(o, "link_ratio", field_number(t->link_ratio));
	field_put(o, "bytes_read", digits(count_of(t->read_bytes)));
	field_put(o, "bytes_written", digits(count_of(t->written_bytes)));
	field_put(o, "seconds", field_number(t->seconds));
	return o;
}

json_t *document_of_bay(const struct bay *b)
{
	json_t *o = json_object();

	field_put(o, "target", field_text(b->target));
	field_put(o, "host", field_text(b->host));
	field_put(o, "bay", field_text(b->bay));
	field_put(o, "location", field_text(b->location));
	field_put(o, "present", tri(b->present));
	field_put(o, "expected", json_boolean(b->expected));
	field_put(o, "role", field_text(bay_role_word(b->role)));
	field_put(o, "drive", b->has_drive ? drive(&b->drive) : json_null());
	field_put(o, "link", document_of_link(&b->link));
	field_put(o, "verdict", field_text(verdict_word(b->judged.verdict)));
	field_put(o, "limited_by", field_text(limited_by_word(b->judged.limited_by)));
	field_put(o, "reason", field_text(reason_word(b->judged.reason)));
	field_put(o, "message", field_text(b->judged.message));
	field_put(o, "policy", policy(b));
	field_put(o, "wear", b->has_drive ? wear(&b->wear) : json_null());
	field_put(o, "health", health(&b->health));
	field_put(o, "bmc_health", field_text(b->bmc_health));
	field_put(o, "temperature_celsius", field_number(b->temperature_c));
	field_put(o, "sensors_celsius", sensors(b));
	field_put(o, "busy", tri(b->busy));
	field_put(o, "throughput", throughput(&b->throughput));
	field_put(o, "stale", json_boolean(b->stale));
	field_put(o, "observed_at", field_time(b->observed_wall_ms));
	field_put(o, "notes", words(b->notes, NOTES_END, word_of_note));
	return o;
}

/* ---- targets and what stands beside the bays ---- */

static json_t *target_errors(const struct target *t)
{
	json_t *a = json_array();

	for (size_t i = 0; i < t->n_errors; i++) {
		json_t *o = json_object();

		field_put(o, "resource", field_text(t->errors[i].resource));
		field_put(o, "code", field_text(t->errors[i].code));
		field_put(o, "message", field_text(t->errors[i].message));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *of_target(const struct target *t)
{
	json_t *o = json_object();
	const char *power = t->power == TRI_YES ? "on" : t->power == TRI_NO ? "off" : NULL;

	field_put(o, "name", field_text(t->name));
	field_put(o, "kind", field_text(target_kind_word(t->kind)));
	field_put(o, "host", field_text(t->host));
	field_put(o, "url", field_text(t->url));
	field_put(o, "vendor", field_text(t->vendor));
	field_put(o, "product", field_text(t->product));
	field_put(o, "firmware", field_text(t->firmware));
	field_put(o, "power", field_text(power));
	field_put(o, "tls", field_text(target_tls_word(t->tls)));
	field_put(o, "verdict", field_text(target_verdict_word(t->verdict)));
	field_put(o, "partial", json_boolean(t->partial));
	field_put(o, "reason", field_text(reason_word(t->reason)));
	field_put(o, "message", field_text(t->message));
	field_put(o, "errors", target_errors(t));
	field_put(o, "requests", json_integer(t->requests));
	field_put(o, "duration_ms", json_integer(t->duration_ms));
	field_put(o, "observed_at", field_time(t->observed_wall_ms));
	return o;
}

static json_t *names(char (*list)[64], size_t n)
{
	json_t *a = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(a, field_text(list[i]));
	return a;
}

static json_t *hop(const struct hop *h)
{
	json_t *o = json_object();

	field_put(o, "target", field_text(h->target));
	field_put(o, "host", field_text(h->host));
	field_put(o, "at", field_text(h->at));
	field_put(o, "link", document_of_link(&h->link));
	field_put(o, "verdict", field_text(verdict_word(h->verdict)));
	field_put(o, "message", field_text(h->message));
	field_put(o, "shared_by", names(h->shared_by, h->n_shared));
	return o;
}

static json_t *note(const struct remark *r)
{
	json_t *o = json_object();

	field_put(o, "code", field_text(r->code));
	field_put(o, "target", field_text(r->target));
	field_put(o, "bay", field_text(r->bay));
	field_put(o, "serial", field_text(r->serial));
	field_put(o, "message", field_text(r->message));
	return o;
}

static json_t *hint(const struct remark *r)
{
	json_t *o = json_object();

	field_put(o, "code", field_text(r->code));
	field_put(o, "target", field_text(r->target));
	field_put(o, "bays", names(r->bays, r->n_bays));
	field_put(o, "pool", field_text(r->pool));
	field_put(o, "message", field_text(r->message));
	return o;
}

static json_t *summary(const struct inventory *inv)
{
	json_t *o = json_object(), *verdicts = json_object();
	size_t present = 0;

	for (size_t i = 0; i < inv->n_bays; i++) {
		struct bay room;
		const struct bay *b = inventory_bay(inv, i, &room);
		const char *word = verdict_word(b->judged.verdict);

		present += b->present == TRI_YES;
		if (word)
			field_put(verdicts, word,
				json_integer(1 + json_integer_value(json_object_get(verdicts, word))));
	}
	field_put(o, "bays", json_integer((json_int_t)inv->n_bays));
	field_put(o, "present", json_integer((json_int_t)present));
	field_put(o, "verdicts", verdicts);
	return o;
}

/* ---- the whole ---- */

static json_t *target_at(const struct inventory *inv, size_t i)
{
	return of_target(&inv->targets[i]);
}

static json_t *bay_at(const struct inventory *inv, size_t i)
{
	struct bay room;

	return document_of_bay(inventory_bay(inv, i, &room));
}

static json_t *hop_at(const struct inventory *inv, size_t i)
{
	return hop(&inv->hops[i]);
}

static json_t *pool_at(const struct inventory *inv, size_t i)
{
	return document_of_pool(&inv->pools[i]);
}

static json_t *note_at(const struct inventory *inv, size_t i)
{
	return note(&inv->notes[i]);
}

static json_t *hint_at(const struct inventory *inv, size_t i)
{
	return hint(&inv->hints[i]);
}

/* The lists of a document in their order; one item at a time, so that a text needs no tree of all. */
struct list {
	const char *key;
	size_t n;
	json_t *(*at)(const struct inventory *inv, size_t i);
};

enum { LISTS = 6 };

static void lists_of(const struct inventory *inv, struct list out[LISTS])
{
	out[0] = (struct list){"targets", inv->n_targets, target_at};
	out[1] = (struct list){"bays", inv->n_bays, bay_at};
	out[2] = (struct list){"path", inv->n_hops, hop_at};
	out[3] = (struct list){"pools", inv->n_pools, pool_at};
	out[4] = (struct list){"notes", inv->n_notes, note_at};
	out[5] = (struct list){"hints", inv->n_hints, hint_at};
}

/* What stands before the lists. */
static json_t *head(const struct inventory *inv)
{
	json_t *o = json_object();

	field_put(o, "schema", json_string("lanewatch/bays/v1"));
	field_put(o, "collected_at", field_time(inv->collected_wall_ms));
	field_put(o, "summary", summary(inv));
	return o;
}

json_t *document_of_inventory(const struct inventory *inv)
{
	struct list lists[LISTS];
	json_t *o = head(inv);

	lists_of(inv, lists);
	for (size_t k = 0; k < LISTS; k++) {
		json_t *a = json_array();

		for (size_t i = 0; i < lists[k].n; i++)
			json_array_append_new(a, lists[k].at(inv, i));
		field_put(o, lists[k].key, a);
	}
	field_put(o, "layouts", json_object());
	return o;
}

static int add_json(struct buf *out, json_t *j)
{
	int rc = jtext_add(out, j, JSON_COMPACT | DOCUMENT_DUMP);

	json_decref(j);
	return rc;
}

static int add_list(struct buf *out, const struct inventory *inv, const struct list *l)
{
	int rc = buf_printf(out, ",\"%s\":[", l->key);

	for (size_t i = 0; i < l->n && rc == 0; i++) {
		rc = i ? buf_add_text(out, ",") : 0;
		if (rc == 0)
			rc = add_json(out, l->at(inv, i));
	}
	return rc ? rc : buf_add_text(out, "]");
}

int document_add_inventory(struct buf *out, const struct inventory *inv)
{
	struct list lists[LISTS];
	int rc = add_json(out, head(inv));

	if (rc == 0)
		out->data[--out->len] = '\0'; /* the head's closing brace: the object goes on */
	lists_of(inv, lists);
	for (size_t k = 0; k < LISTS && rc == 0; k++)
		rc = add_list(out, inv, &lists[k]);
	return rc ? rc : buf_add_text(out, ",\"layouts\":{}}");
}
