/* SPDX-License-Identifier: MIT */
/*
 * bays: writes lanewatch/bays/v1 from the model (see bays.h; read back by bays_read.c).
 *
 * Keys stand in the order of docs/API.md and are always there.  NAN, "", an unknown count and
 * an unknown word all become null; a whole number is written without a point.
 */
#include "document/bays.h"

#include "base/clock.h"
#include "base/str.h"
#include "document/pools.h"

#include <math.h>
#include <string.h>

#define EXACT_MAX (UINT64_C(1) << 53) /* beyond it readers lose digits */

static void put(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value);
}

/* "" is null.  A text that was cut inside a character is cleaned once more. */
static json_t *text(const char *s)
{
	char clean[512];
	json_t *j;

	if (!s || !*s)
		return json_null();
	j = json_string(s);
	if (j)
		return j;
	str_clean(clean, sizeof clean, s);
	return json_string(clean);
}

static json_t *number(double v)
{
	if (!isfinite(v))
		return json_null();
	if (v == trunc(v) && fabs(v) <= (double)EXACT_MAX)
		return json_integer((json_int_t)v);
	return json_real(v);
}

static json_t *positive(double v)
{
	return v > 0 ? number(v) : json_null();
}

static json_t *tri(enum tri t)
{
	return t == TRI_UNKNOWN ? json_null() : json_boolean(t == TRI_YES);
}

static json_t *time_text(int64_t wall_ms)
{
	char out[CLOCK_TEXT_MAX];

	return text(clock_text(wall_ms, out));
}

/* The day only: a forecast is no better than that. */
static json_t *day_text(int64_t wall_ms)
{
	char out[CLOCK_TEXT_MAX];

	clock_text(wall_ms, out);
	out[strcspn(out, "T")] = '\0';
	return text(out);
}

static json_t *digits(struct count c)
{
	char out[COUNT_TEXT_MAX];

	return text(count_text(c, out));
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
			json_array_append_new(a, text(word(bit)));
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
	put(o, speed, positive(r.speed_mtps / 1000.0));
	put(o, width, positive(r.width_lanes));
}

static json_t *link_raw(const struct pcie_link *l)
{
	json_t *o = json_object();

	for (size_t i = 0; i < l->n_raw; i++)
		if (*l->raw[i].property) /* "" is what was given, not unknown */
			put(o, l->raw[i].property, *l->raw[i].value ? text(l->raw[i].value) : json_string(""));
	return o;
}

static json_t *link_sources(const struct pcie_link *l)
{
	json_t *o = json_object();

	put(o, "speed_gts", text(l->now_from));
	put(o, "width", text(l->now_from));
	put(o, "max_speed_gts", text(l->max_from));
	put(o, "max_width", text(l->max_from));
	put(o, "slot", text(l->slot_from));
	return o;
}

static json_t *link_views(const struct pcie_link *l)
{
	json_t *a = json_array();

	for (size_t i = 0; i < l->n_views; i++) {
		json_t *o = json_object();

		put(o, "target", text(l->views[i].target));
		put_rate(o, "speed_gts", "width", l->views[i].now);
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *link_aer(const struct pcie_link *l)
{
	json_t *o;

	if (!l->aer_correctable.known && !l->aer_nonfatal.known && !l->aer_fatal.known)
		return json_null();
	o = json_object();
	put(o, "correctable", count(l->aer_correctable));
	put(o, "nonfatal", count(l->aer_nonfatal));
	put(o, "fatal", count(l->aer_fatal));
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
	put(o, "slot", link_slot(l));
	put(o, "bandwidth_bytes_per_second", positive(round(pcie_bandwidth(l->now))));
	put(o, "max_bandwidth_bytes_per_second", positive(round(pcie_bandwidth(l->max))));
	put(o, "raw", link_raw(l));
	put(o, "sources", link_sources(l));
	put(o, "by_source", link_views(l));
	put(o, "changes", l->changes < 0 ? json_null() : json_integer(l->changes));
	put(o, "aer", link_aer(l));
	return o;
}

/* ---- drive ---- */

static json_t *drive_paths(const struct drive *d)
{
	json_t *a = json_array();

	for (size_t i = 0; i < d->n_paths; i++) {
		struct pcie_link link = pcie_link_of_ends(&d->paths[i].link);
		json_t *o = json_object();

		put(o, "address", text(d->paths[i].address));
		put(o, "controller", text(d->paths[i].controller));
		put(o, "link", document_of_link(&link));
		put(o, "verdict", text(verdict_word(d->paths[i].verdict)));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *drive(const struct drive *d)
{
	json_t *o = json_object(), *namespaces = json_array(), *sources = json_array();

	for (size_t i = 0; i < d->n_namespaces; i++)
		json_array_append_new(namespaces, text(d->namespaces[i]));
	for (size_t i = 0; i < d->n_sources; i++)
		json_array_append_new(sources, text(d->sources[i]));
	put(o, "id", text(d->id));
	put(o, "serial", text(d->serial));
	put(o, "model", text(d->model));
	put(o, "manufacturer", text(d->manufacturer));
	put(o, "part_number", text(d->part_number));
	put(o, "firmware", text(d->firmware));
	put(o, "capacity_bytes", count(d->capacity_bytes));
	put(o, "protocol", text(d->protocol));
	put(o, "media_type", text(d->media_type));
	put(o, "form_factor", text(d->form_factor));
	put(o, "controller", text(d->controller));
	put(o, "namespaces", namespaces);
	put(o, "pci_address", text(d->pci_address));
	put(o, "state", text(drive_state_word(d->state)));
	put(o, "paths", drive_paths(d));
	put(o, "sources", sources);
	return o;
}

/* ---- wear and health ---- */

static json_t *forecast(const struct forecast *f)
{
	json_t *o;

	if (!f->known)
		return json_null();
	o = json_object();
	put(o, "percent_per_year", number(f->percent_per_year));
	put(o, "days_to_100", number(f->days_to_100));
	put(o, "exhausted_on", day_text(f->exhausted_on_wall_ms));
	put(o, "earliest", day_text(f->earliest_wall_ms));
	put(o, "latest", day_text(f->latest_wall_ms));
	put(o, "basis_days", number(f->basis_days));
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

static json_t *wear(const struct wear *w)
{
	json_t *o = json_object();

	put(o, "percent_used", number(w->percent_used));
	put(o, "life_left_percent", number(w->life_left_percent));
	put(o, "available_spare_percent", number(w->available_spare_percent));
	put(o, "spare_threshold_percent", number(w->spare_threshold_percent));
	put(o, "bytes_written", digits(w->bytes_written));
	put(o, "bytes_read", digits(w->bytes_read));
	put(o, "physical_bytes_written", digits(w->physical_bytes_written));
	put(o, "alert", text(alert_level_word(w->alert)));
	put(o, "reasons", words(w->reasons, WEAR_REASONS_END, word_of_wear_reason));
	put(o, "applicable", json_boolean(w->applicable));
	put(o, "quality", text(quality_word(w->quality)));
	put(o, "forecast", forecast(&w->forecast));
	put(o, "rated_tbw", number(w->rated_tbw));
	put(o, "rated_dwpd", number(w->rated_dwpd));
	put(o, "used_dwpd", number(w->used_dwpd));
	return o;
}

static json_t *self_test(const struct health *h)
{
	json_t *o;

	if (h->self_test == SELF_TEST_UNKNOWN)
		return json_null();
	o = json_object();
	put(o, "result", text(self_test_word(h->self_test)));
	put(o, "code", h->self_test_code < 0 ? json_null() : json_integer(h->self_test_code));
	put(o, "power_on_hours", count(h->self_test_hours));
	return o;
}

static json_t *health(const struct health *h)
{
	json_t *o = json_object();
	bool told = h->critical_warning >= 0;

	put(o, "status", text(health_word(h->status)));
	put(o, "reasons", words(h->reasons, WEAR_REASONS_END, word_of_wear_reason));
	put(o, "failure_predicted", tri(h->failure_predicted));
	put(o, "critical_warning", !told ? json_null() :
		words((unsigned)h->critical_warning, CRITICAL_PMR << 1, word_of_warning));
	put(o, "media_errors", count(h->media_errors));
	put(o, "error_log_entries", count(h->error_log_entries));
	put(o, "unsafe_shutdowns", count(h->unsafe_shutdowns));
	put(o, "power_cycles", count(h->power_cycles));
	put(o, "power_on_hours", count(h->power_on_hours));
	put(o, "controller_busy_minutes", count(h->controller_busy_minutes));
	put(o, "self_test", self_test(h));
	return o;
}

/* ---- bay ---- */

static json_t *policy(const struct bay *b)
{
	json_t *o;

	if (!b->has_policy)
		return json_null();
	o = json_object();
	put(o, "name", text(b->policy));
	put_rate(o, "speed_gts", "width", b->policy_rate);
	put(o, "require_present", json_boolean(b->require_present));
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
		json_array_append_new(a, number(b->sensors_c[i]));
	return a;
}

json_t *document_of_bay(const struct bay *b)
{
	json_t *o = json_object();

	put(o, "target", text(b->target));
	put(o, "host", text(b->host));
	put(o, "bay", text(b->bay));
	put(o, "location", text(b->location));
	put(o, "present", tri(b->present));
	put(o, "expected", json_boolean(b->expected));
	put(o, "role", text(bay_role_word(b->role)));
	put(o, "drive", b->has_drive ? drive(&b->drive) : json_null());
	put(o, "link", document_of_link(&b->link));
	put(o, "verdict", text(verdict_word(b->judged.verdict)));
	put(o, "limited_by", text(limited_by_word(b->judged.limited_by)));
	put(o, "reason", text(reason_word(b->judged.reason)));
	put(o, "message", text(b->judged.message));
	put(o, "policy", policy(b));
	put(o, "wear", b->has_drive ? wear(&b->wear) : json_null());
	put(o, "health", health(&b->health));
	put(o, "bmc_health", text(b->bmc_health));
	put(o, "temperature_celsius", number(b->temperature_c));
	put(o, "sensors_celsius", sensors(b));
	put(o, "busy", tri(b->busy));
	put(o, "stale", json_boolean(b->stale));
	put(o, "observed_at", time_text(b->observed_wall_ms));
	put(o, "notes", words(b->notes, NOTES_END, word_of_note));
	return o;
}

/* ---- targets and what stands beside the bays ---- */

static json_t *target_errors(const struct target *t)
{
	json_t *a = json_array();

	for (size_t i = 0; i < t->n_errors; i++) {
		json_t *o = json_object();

		put(o, "resource", text(t->errors[i].resource));
		put(o, "code", text(t->errors[i].code));
		put(o, "message", text(t->errors[i].message));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *of_target(const struct target *t)
{
	json_t *o = json_object();
	const char *power = t->power == TRI_YES ? "on" : t->power == TRI_NO ? "off" : NULL;

	put(o, "name", text(t->name));
	put(o, "kind", text(target_kind_word(t->kind)));
	put(o, "host", text(t->host));
	put(o, "url", text(t->url));
	put(o, "vendor", text(t->vendor));
	put(o, "product", text(t->product));
	put(o, "firmware", text(t->firmware));
	put(o, "power", text(power));
	put(o, "verdict", text(target_verdict_word(t->verdict)));
	put(o, "partial", json_boolean(t->partial));
	put(o, "reason", text(reason_word(t->reason)));
	put(o, "message", text(t->message));
	put(o, "errors", target_errors(t));
	put(o, "requests", json_integer(t->requests));
	put(o, "duration_ms", json_integer(t->duration_ms));
	put(o, "observed_at", time_text(t->observed_wall_ms));
	return o;
}

static json_t *names(char (*list)[64], size_t n)
{
	json_t *a = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(a, text(list[i]));
	return a;
}

static json_t *hop(const struct hop *h)
{
	json_t *o = json_object();

	put(o, "target", text(h->target));
	put(o, "host", text(h->host));
	put(o, "at", text(h->at));
	put(o, "link", document_of_link(&h->link));
	put(o, "verdict", text(verdict_word(h->verdict)));
	put(o, "message", text(h->message));
	put(o, "shared_by", names(h->shared_by, h->n_shared));
	return o;
}

static json_t *note(const struct remark *r)
{
	json_t *o = json_object();

	put(o, "code", text(r->code));
	put(o, "target", text(r->target));
	put(o, "bay", text(r->bay));
	put(o, "serial", text(r->serial));
	put(o, "message", text(r->message));
	return o;
}

static json_t *hint(const struct remark *r)
{
	json_t *o = json_object();

	put(o, "code", text(r->code));
	put(o, "target", text(r->target));
	put(o, "bays", names(r->bays, r->n_bays));
	put(o, "pool", text(r->pool));
	put(o, "message", text(r->message));
	return o;
}

static json_t *summary(const struct inventory *inv)
{
	json_t *o = json_object(), *verdicts = json_object();
	size_t present = 0;

	for (size_t i = 0; i < inv->n_bays; i++) {
		const char *word = verdict_word(inv->bays[i].judged.verdict);

		present += inv->bays[i].present == TRI_YES;
		if (word)
			put(verdicts, word,
				json_integer(1 + json_integer_value(json_object_get(verdicts, word))));
	}
	put(o, "bays", json_integer((json_int_t)inv->n_bays));
	put(o, "present", json_integer((json_int_t)present));
	put(o, "verdicts", verdicts);
	return o;
}

/* ---- the whole ---- */

static json_t *target_at(const struct inventory *inv, size_t i)
{
	return of_target(&inv->targets[i]);
}

static json_t *bay_at(const struct inventory *inv, size_t i)
{
	return document_of_bay(&inv->bays[i]);
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

	put(o, "schema", json_string("lanewatch/bays/v1"));
	put(o, "collected_at", time_text(inv->collected_wall_ms));
	put(o, "summary", summary(inv));
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
		put(o, lists[k].key, a);
	}
	put(o, "layouts", json_object());
	return o;
}

static int to_buf(const char *text, size_t len, void *buf)
{
	return buf_add(buf, text, len);
}

static int add_json(struct buf *out, json_t *j)
{
	int rc = json_dump_callback(j, to_buf, out, JSON_COMPACT | DOCUMENT_DUMP);

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
