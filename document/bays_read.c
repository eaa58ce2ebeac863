/* SPDX-License-Identifier: MIT */
/*
 * bays_read: the model back from lanewatch/bays/v1: what the store, a recording of neutral
 * readings or another lanewatch wrote (see bays.h; written by bays.c).
 *
 * The text may come from anywhere: a value of a wrong type or out of its range is not known
 * (SECURITY.md, R6), and never spoils its neighbours.
 */
#include "document/bays.h"

#include "base/clock.h"
#include "base/jtext.h"
#include "base/mem.h"
#include "base/str.h"
#include "document/pools.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAYS_MAX = 65536, NAMES_MAX = 4096 };

static json_t *get(const json_t *o, const char *key)
{
	return json_object_get(o, key);
}

#define COPY(to, o, key) jtext_copy(to, sizeof(to), get(o, key))

/* A name may also have been written as a number. */
static void copy_name(char *out, size_t size, const json_t *j)
{
	if (json_is_integer(j))
		snprintf(out, size, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
	else
		jtext_copy(out, size, j);
}

static double between(const json_t *j, double min, double max)
{
	double v = jtext_number(j);

	return v >= min && v <= max ? v : NAN;
}

static double not_negative(const json_t *j)
{
	return between(j, 0, HUGE_VAL);
}

static struct count count_from(const json_t *j)
{
	double v;

	if (json_is_string(j))
		return count_parse(json_string_value(j));
	if (json_is_integer(j) && json_integer_value(j) >= 0)
		return count_of((uint64_t)json_integer_value(j));
	v = json_is_real(j) ? json_real_value(j) : -1;
	return v >= 0 && v < 9007199254740992.0 && v == trunc(v) ? count_of((uint64_t)v) : (struct count){0};
}

static enum tri tri_from(const json_t *j)
{
	int b = jtext_bool(j);

	return b < 0 ? TRI_UNKNOWN : b ? TRI_YES : TRI_NO;
}

static int64_t time_from(const json_t *j)
{
	const char *s = jtext_string(j);
	char day[CLOCK_TEXT_MAX];

	if (s && strlen(s) == 10) {
		snprintf(day, sizeof day, "%sT00:00:00Z", s);
		s = day;
	}
	return s ? clock_parse(s) : CLOCK_NEVER;
}

/* The bits of an array of words; words that are none are passed over. */
static unsigned bits_from(const json_t *a, unsigned (*bit_of)(const char *word))
{
	unsigned bits = 0;
	json_t *j;
	size_t i;

	json_array_foreach(a, i, j)
		bits |= bit_of(jtext_string(j));
	return bits;
}

static unsigned warning_of(const char *word)
{
	for (unsigned bit = 1; word && bit <= CRITICAL_PMR; bit <<= 1)
		if (str_same(word, critical_warning_word((enum critical_warning)bit)))
			return bit;
	return 0;
}

static struct pcie_rate rate_from(const json_t *o, const char *speed, const char *width)
{
	struct pcie_rate r = {0};
	int64_t lanes;
	double gts = jtext_number(get(o, speed));

	if (gts > 0)
		r.speed_mtps = pcie_speed_from_gts(gts);
	if (jtext_int(get(o, width), 1, 32, &lanes))
		r.width_lanes = pcie_width_from_int(lanes);
	return r;
}

/* ---- link ---- */

static void read_raw(struct pcie_link *l, const json_t *o)
{
	const char *key;
	json_t *j;

	json_object_foreach((json_t *)o, key, j)
		if (json_is_string(j))
			pcie_link_add_raw(l, key, json_string_value(j));
}

static void read_views(struct pcie_link *l, const json_t *a)
{
	json_t *o;
	size_t i;

	json_array_foreach(a, i, o) {
		if (l->n_views == PCIE_VIEWS_MAX)
			return;
		COPY(l->views[l->n_views].target, o, "target");
		l->views[l->n_views++].now = rate_from(o, "speed_gts", "width");
	}
}

static struct pcie_errors read_aer_end(const json_t *o)
{
	struct pcie_errors e = {.correctable = count_from(get(o, "correctable")), .nonfatal = count_from(get(o, "nonfatal")),
		.fatal = count_from(get(o, "fatal"))};
	const json_t *kinds = get(o, "kinds");
	struct count c;

	e.kinds_known = pcie_errors_known(&e) && json_is_object(kinds);
	for (int k = 0; e.kinds_known && k < PCIE_ERROR_KINDS; k++) {
		c = count_from(get(kinds, pcie_error_word(k)));
		e.kinds[k] = c.known ? c.lo : 0;
	}
	return e;
}

static struct pcie_link read_link(const json_t *o)
{
	struct pcie_link l = pcie_link_unknown();
	const json_t *from = get(o, "sources"), *aer = get(o, "aer");
	int64_t changes;

	l.now = rate_from(o, "speed_gts", "width");
	l.max = rate_from(o, "max_speed_gts", "max_width");
	l.slot = rate_from(get(o, "slot"), "max_speed_gts", "max_width");
	if (!COPY(l.now_from, from, "speed_gts"))
		COPY(l.now_from, from, "width");
	if (!COPY(l.max_from, from, "max_speed_gts"))
		COPY(l.max_from, from, "max_width");
	COPY(l.slot_from, from, "slot");
	read_raw(&l, get(o, "raw"));
	read_views(&l, get(o, "by_source"));
	if (jtext_int(get(o, "changes"), 0, INT32_MAX, &changes))
		l.changes = (int)changes;
	l.aer_correctable = count_from(get(aer, "correctable"));
	l.aer_nonfatal = count_from(get(aer, "nonfatal"));
	l.aer_fatal = count_from(get(aer, "fatal"));
	l.aer_device = read_aer_end(get(aer, "device"));
	l.aer_port = read_aer_end(get(aer, "port"));
	return l;
}

/* ---- drive ---- */

static void read_paths(struct drive *d, const json_t *a)
{
	json_t *o;
	size_t i;

	json_array_foreach(a, i, o) {
		struct drive_path *p = &d->paths[d->n_paths];
		struct pcie_link link;

		if (d->n_paths == DRIVE_PATHS_MAX || !json_is_object(o))
			continue;
		COPY(p->address, o, "address");
		COPY(p->controller, o, "controller");
		link = read_link(get(o, "link"));
		p->link = pcie_link_ends(&link);
		p->verdict = verdict_of(jtext_string(get(o, "verdict")));
		d->n_paths++;
	}
}

static void read_uses(struct drive *d, const json_t *a)
{
	json_t *j;
	size_t i;

	d->uses_known = json_is_array(a);
	json_array_foreach(a, i, j)
	{
		struct drive_use u = {.kind = use_kind_of(jtext_string(get(j, "kind")))};

		COPY(u.name, j, "name");
		COPY(u.detail, j, "detail");
		COPY(u.mount, j, "mount");
		if (u.kind != USE_UNKNOWN)
			drive_add_use(d, &u);
	}
}

static struct drive read_drive(const json_t *o)
{
	struct drive d = {0};
	json_t *j;
	size_t i;

	COPY(d.id, o, "id");
	COPY(d.serial, o, "serial");
	COPY(d.model, o, "model");
	COPY(d.manufacturer, o, "manufacturer");
	COPY(d.part_number, o, "part_number");
	COPY(d.firmware, o, "firmware");
	COPY(d.firmware_next, o, "firmware_next");
	COPY(d.protocol, o, "protocol");
	COPY(d.media_type, o, "media_type");
	COPY(d.form_factor, o, "form_factor");
	COPY(d.controller, o, "controller");
	COPY(d.pci_address, o, "pci_address");
	COPY(d.pci_path, o, "pci_path");
	d.capacity_bytes = count_from(get(o, "capacity_bytes"));
	d.state = drive_state_of(jtext_string(get(o, "state")));
	read_uses(&d, get(o, "uses"));
	json_array_foreach(get(o, "namespaces"), i, j)
		if (d.n_namespaces < DRIVE_NAMESPACES_MAX && jtext_copy(d.namespaces[d.n_namespaces], sizeof d.namespaces[0], j))
			d.n_namespaces++;
	json_array_foreach(get(o, "names"), i, j)
		if (d.n_names < DRIVE_NAMES_MAX && jtext_copy(d.names[d.n_names], sizeof d.names[0], j))
			d.n_names++;
	json_array_foreach(get(o, "sources"), i, j)
		if (d.n_sources < DRIVE_SOURCES_MAX && jtext_copy(d.sources[d.n_sources], sizeof d.sources[0], j))
			d.n_sources++;
	read_paths(&d, get(o, "paths"));
	return d;
}

/* ---- wear and health ---- */

static struct forecast read_forecast(const json_t *o)
{
	struct forecast f = forecast_unknown();

	if (!json_is_object(o))
		return f;
	f.known = true;
	f.percent_per_year = not_negative(get(o, "percent_per_year"));
	f.days_to_100 = not_negative(get(o, "days_to_100"));
	f.exhausted_on_wall_ms = time_from(get(o, "exhausted_on"));
	f.earliest_wall_ms = time_from(get(o, "earliest"));
	f.latest_wall_ms = time_from(get(o, "latest"));
	f.basis_days = not_negative(get(o, "basis_days"));
	return f;
}

static enum wear_quality quality_of(const char *word)
{
	if (str_same(word, "good"))
		return WEAR_GOOD;
	return str_same(word, "suspect") ? WEAR_QUALITY_SUSPECT : WEAR_QUALITY_UNKNOWN;
}

static struct wear read_wear(const json_t *o)
{
	struct wear w = wear_unknown();

	w.percent_used = between(get(o, "percent_used"), 0, 255);
	w.life_left_percent = between(get(o, "life_left_percent"), 0, 100);
	w.available_spare_percent = between(get(o, "available_spare_percent"), 0, 100);
	w.spare_threshold_percent = between(get(o, "spare_threshold_percent"), 0, 100);
	w.bytes_written = count_from(get(o, "bytes_written"));
	w.bytes_read = count_from(get(o, "bytes_read"));
	w.physical_bytes_written = count_from(get(o, "physical_bytes_written"));
	w.alert = alert_level_of(jtext_string(get(o, "alert")));
	w.reasons = bits_from(get(o, "reasons"), wear_reason_of);
	w.applicable = jtext_bool(get(o, "applicable")) != 0;
	w.quality = quality_of(jtext_string(get(o, "quality")));
	w.forecast = read_forecast(get(o, "forecast"));
	w.rated_tbw = not_negative(get(o, "rated_tbw"));
	w.rated_dwpd = not_negative(get(o, "rated_dwpd"));
	w.used_dwpd = not_negative(get(o, "used_dwpd"));
	return w;
}

static struct last_error read_last_error(const json_t *o)
{
	struct last_error x = {.number = count_from(get(o, "number")), .lba = count_from(get(o, "lba"))};
	const char *status = jtext_string(get(o, "status"));
	int64_t n;

	x.known = x.number.known && status && str_to_int(status, 0, 0x7fff, &n);
	if (!x.known)
		return (struct last_error){0};
	x.status = (int)n;
	if (jtext_int(get(o, "namespace"), 1, UINT32_MAX, &n))
		x.namespace_id = (uint32_t)n;
	return x;
}

static struct health read_health(const json_t *o)
{
	struct health h = health_unknown();
	const json_t *test = get(o, "self_test");
	int64_t code;

	h.status = alert_level_of(jtext_string(get(o, "status")));
	h.reasons = bits_from(get(o, "reasons"), wear_reason_of);
	h.failure_predicted = tri_from(get(o, "failure_predicted"));
	if (json_is_array(get(o, "critical_warning")))
		h.critical_warning = (int)bits_from(get(o, "critical_warning"), warning_of);
	h.media_errors = count_from(get(o, "media_errors"));
	h.error_log_entries = count_from(get(o, "error_log_entries"));
	h.unsafe_shutdowns = count_from(get(o, "unsafe_shutdowns"));
	h.power_cycles = count_from(get(o, "power_cycles"));
	h.power_on_hours = count_from(get(o, "power_on_hours"));
	h.controller_busy_minutes = count_from(get(o, "controller_busy_minutes"));
	h.self_test = self_test_of(jtext_string(get(test, "result")));
	h.self_test_code = jtext_int(get(test, "code"), 0, 255, &code) ? (int)code : -1;
	h.self_test_hours = count_from(get(test, "power_on_hours"));
	h.last_error = read_last_error(get(o, "last_error"));
	return h;
}

/* Why the page could not be read, as far as its reasons tell. */
static enum reason unread_from(const struct wear *w)
{
	if (w->reasons & WEAR_PERMISSION_DENIED)
		return REASON_PERMISSION_DENIED;
	return w->reasons & WEAR_TIMEOUT ? REASON_TIMEOUT : REASON_NONE;
}

/* ---- bay ---- */

static void read_policy(struct bay *b, const json_t *o)
{
	if (!json_is_object(o))
		return;
	b->has_policy = true;
	COPY(b->policy, o, "name");
	b->policy_rate = rate_from(o, "speed_gts", "width");
	b->require_present = jtext_bool(get(o, "require_present")) == 1;
}

static void read_sensors(struct bay *b, const json_t *a)
{
	json_t *j;
	size_t i;

	json_array_foreach(a, i, j)
		if (i < BAY_SENSORS_MAX)
			b->sensors_c[i] = between(j, -273, 1000);
}

/* A drive has a PCIe link of its own unless the document says otherwise. */
static bool has_pcie(const struct bay *b)
{
	return b->judged.verdict != VERDICT_NOT_APPLICABLE &&
	       !str_same_nocase(b->drive.protocol, "SATA") && !str_same_nocase(b->drive.protocol, "SAS");
}

static void read_judgement(struct judgement *j, const json_t *o)
{
	j->verdict = verdict_of(jtext_string(get(o, "verdict")));
	j->limited_by = limited_by_of(jtext_string(get(o, "limited_by")));
	j->reason = reason_of(jtext_string(get(o, "reason")));
	COPY(j->message, o, "message");
}

/* All of it or nothing: a rate without bytes and time was not counted. */
static struct throughput read_throughput(const json_t *o)
{
	struct throughput t = throughput_unknown();

	t.seconds = not_negative(get(o, "seconds"));
	t.read_bps = not_negative(get(o, "read_bytes_per_second"));
	t.write_bps = not_negative(get(o, "write_bytes_per_second"));
	t.busy_ratio = between(get(o, "busy_ratio"), 0, 1);
	t.link_ratio = not_negative(get(o, "link_ratio"));
	t.known = t.seconds > 0 && t.read_bps >= 0 && t.write_bps >= 0 &&
		  count_to_u64(count_from(get(o, "bytes_read")), &t.read_bytes) &&
		  count_to_u64(count_from(get(o, "bytes_written")), &t.written_bytes);
	return t.known ? t : throughput_unknown();
}

struct bay document_read_bay(const json_t *j, const char *target, const char *host)
{
	struct bay b = bay_unknown(target, host, "");
	char own[sizeof b.host];

	copy_name(b.bay, sizeof b.bay, get(j, "bay"));
	if (COPY(own, j, "target"))
		str_copy(b.target, sizeof b.target, own);
	if (COPY(own, j, "host"))
		str_copy(b.host, sizeof b.host, own);
	COPY(b.location, j, "location");
	b.has_drive = json_is_object(get(j, "drive"));
	/* a reading that names a drive and does not speak of presence means that it is there */
	b.present = get(j, "present") || !b.has_drive ? tri_from(get(j, "present")) : TRI_YES;
	b.expected = jtext_bool(get(j, "expected")) == 1;
	b.role = bay_role_of(jtext_string(get(j, "role")));
	b.drive = read_drive(get(j, "drive"));
	b.link = read_link(get(j, "link"));
	read_judgement(&b.judged, j);
	b.pcie = has_pcie(&b);
	read_policy(&b, get(j, "policy"));
	b.wear = read_wear(get(j, "wear"));
	b.wear_unread = unread_from(&b.wear);
	b.media_errors_rising = b.wear.reasons & WEAR_MEDIA_ERRORS_RISING;
	b.health = read_health(get(j, "health"));
	COPY(b.bmc_health, j, "bmc_health");
	b.temperature_c = between(get(j, "temperature_celsius"), -273, 1000);
	read_sensors(&b, get(j, "sensors_celsius"));
	b.busy = tri_from(get(j, "busy"));
	b.throughput = read_throughput(get(j, "throughput"));
	b.stale = jtext_bool(get(j, "stale")) == 1;
	b.observed_wall_ms = time_from(get(j, "observed_at"));
	b.notes = bits_from(get(j, "notes"), note_of);
	return b;
}

/* ---- targets and what stands beside the bays ---- */

static void read_errors(struct target *t, const json_t *a)
{
	json_t *o;
	size_t i;

	json_array_foreach(a, i, o) {
		const char *resource = jtext_string(get(o, "resource"));
		const char *code = jtext_string(get(o, "code"));
		const char *message = jtext_string(get(o, "message"));

		if (json_is_object(o))
			target_add_error(t, resource, code, message);
	}
}

static void read_target(struct inventory *inv, const json_t *o)
{
	struct target t = {0};
	const char *power = jtext_string(get(o, "power"));
	int64_t n;

	if (!COPY(t.name, o, "name"))
		return;
	t.kind = target_kind_of(jtext_string(get(o, "kind")));
	COPY(t.host, o, "host");
	COPY(t.url, o, "url");
	COPY(t.vendor, o, "vendor");
	COPY(t.product, o, "product");
	COPY(t.firmware, o, "firmware");
	t.power = str_same(power, "on") ? TRI_YES : str_same(power, "off") ? TRI_NO : TRI_UNKNOWN;
	t.tls = target_tls_of(jtext_string(get(o, "tls")));
	t.verdict = target_verdict_of(jtext_string(get(o, "verdict")));
	read_errors(&t, get(o, "errors"));
	t.partial = jtext_bool(get(o, "partial")) == 1;
	t.reason = reason_of(jtext_string(get(o, "reason")));
	COPY(t.message, o, "message");
	if (jtext_int(get(o, "requests"), 0, INT32_MAX, &n))
		t.requests = (int)n;
	if (jtext_int(get(o, "duration_ms"), 0, INT64_MAX / 2, &n))
		t.duration_ms = n;
	t.observed_wall_ms = time_from(get(o, "observed_at"));
	inventory_put_target(inv, &t);
	free(t.errors);
}

static void read_hop(struct inventory *inv, const json_t *o)
{
	char bay[sizeof((struct bay *)0)->bay];
	struct hop *h;
	json_t *j;
	size_t i;

	inv->hops = mem_grow(inv->hops, inv->n_hops, sizeof *inv->hops);
	h = &inv->hops[inv->n_hops++];
	*h = (struct hop){0};
	COPY(h->target, o, "target");
	COPY(h->host, o, "host");
	COPY(h->at, o, "at");
	h->link = read_link(get(o, "link"));
	h->verdict = verdict_of(jtext_string(get(o, "verdict")));
	COPY(h->message, o, "message");
	json_array_foreach(get(o, "shared_by"), i, j)
		if (i < NAMES_MAX && jtext_copy(bay, sizeof bay, j))
			hop_add_shared(h, bay);
}

static void read_pool(struct inventory *inv, const json_t *o)
{
	struct pool p;

	if (!document_read_pool(o, &p))
		return;
	inv->pools = mem_grow(inv->pools, inv->n_pools, sizeof *inv->pools);
	inv->pools[inv->n_pools++] = p;
}

static void read_note(struct inventory *inv, const json_t *o)
{
	struct bay of = {.has_drive = true};
	struct remark *r;
	char code[sizeof r->code];

	COPY(code, o, "code");
	COPY(of.target, o, "target");
	COPY(of.bay, o, "bay");
	COPY(of.drive.serial, o, "serial");
	r = inventory_add_note(inv, code, &of);
	COPY(r->message, o, "message");
}

static void read_hint(struct inventory *inv, const json_t *o)
{
	struct remark *r;
	char code[sizeof r->code], target[sizeof r->target], bay[sizeof r->bay];
	json_t *j;
	size_t i;

	COPY(code, o, "code");
	COPY(target, o, "target");
	r = inventory_add_hint(inv, code, "", target);
	json_array_foreach(get(o, "bays"), i, j)
		if (i < NAMES_MAX && jtext_copy(bay, sizeof bay, j))
			remark_add_bay(r, bay);
	COPY(r->pool, o, "pool");
	COPY(r->message, o, "message");
}

static void read_bay(struct inventory *inv, const json_t *o)
{
	inv->bays = mem_grow(inv->bays, inv->n_bays, sizeof *inv->bays);
	inv->bays[inv->n_bays++] = document_read_bay(o, "", "");
}

/* ---- whole documents ---- */

/* The lists of a document, and who reads an item of each. */
static const struct list {
	const char *key;
	void (*read)(struct inventory *inv, const json_t *o);
} lists[] = {
	{"targets", read_target},
	{"bays", read_bay},
	{"path", read_hop},
	{"pools", read_pool},
	{"notes", read_note},
	{"hints", read_hint},
};

enum { LISTS = sizeof lists / sizeof lists[0] };

static void read_item(struct inventory *inv, const struct list *l, size_t i, const json_t *o)
{
	if (i < BAYS_MAX && json_is_object(o))
		l->read(inv, o);
}

static int refuse(bool is_ours, struct err *e)
{
	return err_set(e, is_ours ? "a document without its list of bays" : "not a document of lanewatch/bays/v1");
}

static bool is_ours(const json_t *schema)
{
	return str_same(jtext_string(schema), "lanewatch/bays/v1");
}

int document_read_inventory(const json_t *j, struct inventory *inv, struct err *e)
{
	json_t *o;
	size_t i;

	inventory_init(inv);
	if (!is_ours(get(j, "schema")) || !json_is_array(get(j, "bays")))
		return refuse(is_ours(get(j, "schema")), e);
	inv->collected_wall_ms = time_from(get(j, "collected_at"));
	for (const struct list *l = lists; l < lists + LISTS; l++)
		json_array_foreach(get(j, l->key), i, o)
			read_item(inv, l, i, o);
	return 0;
}

/* ---- the same from text, value by value ---- */

struct text {
	const char *at, *end;
};

static void skip_blanks(struct text *t)
{
	while (t->at < t->end && strchr(" \t\r\n", *t->at))
		t->at++;
}

static bool take(struct text *t, char c)
{
	skip_blanks(t);
	if (t->at == t->end || *t->at != c)
		return false;
	t->at++;
	return true;
}

/* The value that stands next, a new reference; NULL if there is none. */
static json_t *take_value(struct text *t)
{
	json_error_t error;
	json_t *j = json_loadb(t->at, (size_t)(t->end - t->at), JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);

	if (j)
		t->at += error.position;
	return j;
}

/* Behind its '['. */
static bool take_items(struct text *t, struct inventory *inv, const struct list *l)
{
	size_t i = 0;

	if (take(t, ']'))
		return true;
	do {
		json_t *o = take_value(t);

		if (!o)
			return false;
		read_item(inv, l, i++, o);
		json_decref(o);
	} while (take(t, ','));
	return take(t, ']');
}

struct found {
	bool ours, bays;
};

static bool take_member(struct text *t, struct inventory *inv, struct found *f)
{
	json_t *key = take_value(t), *value = NULL;
	const char *name = json_string_value(key);
	bool ok = name && take(t, ':');

	for (const struct list *l = lists; ok && l < lists + LISTS; l++)
		if (strcmp(name, l->key) == 0 && take(t, '[')) {
			f->bays |= l->read == read_bay;
			ok = take_items(t, inv, l);
			goto out;
		}
	value = ok ? take_value(t) : NULL;
	ok = value != NULL;
	if (ok && strcmp(name, "schema") == 0)
		f->ours = is_ours(value);
	if (ok && strcmp(name, "collected_at") == 0)
		inv->collected_wall_ms = time_from(value);
out:
	json_decref(key);
	json_decref(value);
	return ok;
}

int document_read_text(const char *text, struct inventory *inv, struct err *e)
{
	struct text t = {text, text + strlen(text)};
	struct found f = {false, false};
	bool ok = take(&t, '{');

	inventory_init(inv);
	while (ok && (ok = take_member(&t, inv, &f)) && take(&t, ','))
		continue;
	if (!ok || !take(&t, '}'))
		return err_set(e, "no JSON at byte %zu", (size_t)(t.at - text));
	return f.ours && f.bays ? 0 : refuse(f.ours, e);
}
