/* SPDX-License-Identifier: MIT */
/*
 * bay: writes a BAY of lanewatch/bays/v1 from the model (see bays.h; read back by bays_read.c).
 *
 * The members of each object are a table, in the order of docs/API.md.  NAN, "", an unknown count and
 * an unknown word all become null; a whole number is written without a point.
 */
#include "document/bays.h"

#include "base/clock.h"
#include "document/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define EXACT_MAX (UINT64_C(1) << 53) /* beyond it readers lose digits */

/* ---- values of what lies in a struct ---- */

static json_t *text(const void *at)
{
	return field_text(at);
}

static json_t *number(const void *at)
{
	return field_number(*(const double *)at);
}

static json_t *whole(const void *at)
{
	return field_whole(*(const double *)at);
}

static json_t *truth(const void *at)
{
	return json_boolean(*(const bool *)at);
}

static json_t *tri(const void *at)
{
	enum tri t = *(const enum tri *)at;

	return t == TRI_UNKNOWN ? json_null() : json_boolean(t == TRI_YES);
}

static json_t *time_text(const void *at)
{
	return field_time(*(const int64_t *)at);
}

/* The day only: a forecast is no better than that. */
static json_t *day_text(const void *at)
{
	char out[CLOCK_TEXT_MAX];

	clock_text(*(const int64_t *)at, out);
	out[strcspn(out, "T")] = '\0';
	return field_text(out);
}

static json_t *digits(const void *at)
{
	char out[COUNT_TEXT_MAX];

	return field_text(count_text(*(const struct count *)at, out));
}

static json_t *bytes(const void *at)
{
	struct count c = count_of(*(const uint64_t *)at);

	return digits(&c);
}

static json_t *count(const void *at)
{
	struct count c = *(const struct count *)at;
	uint64_t n;

	if (count_to_u64(c, &n) && n <= EXACT_MAX)
		return json_integer((json_int_t)n);
	return digits(&c);
}

static json_t *positive(double v)
{
	return v > 0 ? field_number(v) : json_null();
}

static json_t *gts(const void *at)
{
	return positive(*(const int *)at / 1000.0);
}

static json_t *lanes(const void *at)
{
	return positive(*(const int *)at);
}

static json_t *not_negative(const void *at)
{
	int n = *(const int *)at;

	return n < 0 ? json_null() : json_integer(n);
}

/* A word of an enum. */
#define WORD(name, type, word)                              \
	static json_t *name(const void *at)                 \
	{                                                   \
		return field_text(word(*(const type *)at)); \
	}

WORD(role, enum bay_role, bay_role_word)
WORD(verdict, enum verdict, verdict_word)
WORD(limited_by, enum limited_by, limited_by_word)
WORD(reason, enum reason, reason_word)
WORD(state, enum drive_state, drive_state_word)
WORD(alert, enum alert_level, alert_level_word)
WORD(health_status, enum alert_level, health_word)
WORD(self_test_result, enum self_test, self_test_word)

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

static json_t *notes(const void *at)
{
	return words(*(const unsigned *)at, NOTES_END, word_of_note);
}

static json_t *wear_reasons(const void *at)
{
	return words(*(const unsigned *)at, WEAR_REASONS_END, word_of_wear_reason);
}

/* ---- link ---- */

#define AT(member) offsetof(struct pcie_link, member)

static json_t *bandwidth(const void *at)
{
	return positive(round(pcie_bandwidth(*(const struct pcie_rate *)at)));
}

static json_t *link_raw(const void *at)
{
	const struct pcie_link *l = at;
	json_t *o = json_object();

	for (size_t i = 0; i < l->n_raw; i++)
		if (*l->raw[i].property) /* "" is what was given, not unknown */
			field_put(o, l->raw[i].property, *l->raw[i].value ? field_text(l->raw[i].value) : json_string(""));
	return o;
}

static json_t *link_views(const void *at)
{
	const struct pcie_link *l = at;
	json_t *a = json_array();

	for (size_t i = 0; i < l->n_views; i++) {
		json_t *o = json_object();

		field_put(o, "target", field_text(l->views[i].target));
		field_put(o, "speed_gts", gts(&l->views[i].now.speed_mtps));
		field_put(o, "width", lanes(&l->views[i].now.width_lanes));
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
	for (int k = 0; e->kinds_known && k < PCIE_ERROR_KINDS; k++) {
		struct count n = count_of(e->kinds[k]);

		if (e->kinds[k])
			field_put(kinds, pcie_error_word(k), count(&n));
	}
	field_put(o, "correctable", count(&e->correctable));
	field_put(o, "nonfatal", count(&e->nonfatal));
	field_put(o, "fatal", count(&e->fatal));
	field_put(o, "kinds", kinds);
	return o;
}

static json_t *link_aer(const void *at)
{
	const struct pcie_link *l = at;
	json_t *o;

	if (!l->aer_correctable.known && !l->aer_nonfatal.known && !l->aer_fatal.known)
		return json_null();
	o = json_object();
	field_put(o, "correctable", count(&l->aer_correctable));
	field_put(o, "nonfatal", count(&l->aer_nonfatal));
	field_put(o, "fatal", count(&l->aer_fatal));
	field_put(o, "device", aer_end(&l->aer_device));
	field_put(o, "port", aer_end(&l->aer_port));
	return o;
}

static bool has_slot(const void *of)
{
	const struct pcie_link *l = of;

	return l->slot.speed_mtps || l->slot.width_lanes;
}

static const struct member slot_members[] = {
	{"max_speed_gts", offsetof(struct pcie_rate, speed_mtps), .value = gts},
	{"max_width", offsetof(struct pcie_rate, width_lanes), .value = lanes},
	{.key = NULL},
};

static const struct member source_members[] = {
	{"speed_gts", AT(now_from), .value = text},
	{"width", AT(now_from), .value = text},
	{"max_speed_gts", AT(max_from), .value = text},
	{"max_width", AT(max_from), .value = text},
	{"slot", AT(slot_from), .value = text},
	{.key = NULL},
};

static const struct member link_members[] = {
	{"speed_gts", AT(now.speed_mtps), .value = gts},
	{"width", AT(now.width_lanes), .value = lanes},
	{"max_speed_gts", AT(max.speed_mtps), .value = gts},
	{"max_width", AT(max.width_lanes), .value = lanes},
	{"slot", AT(slot), .below = slot_members, .known = has_slot},
	{"bandwidth_bytes_per_second", AT(now), .value = bandwidth},
	{"max_bandwidth_bytes_per_second", AT(max), .value = bandwidth},
	{"raw", 0, .value = link_raw},
	{"sources", 0, .below = source_members},
	{"by_source", 0, .value = link_views},
	{"changes", AT(changes), .value = not_negative},
	{"aer", 0, .value = link_aer},
	{.key = NULL},
};

static bool tells(const struct pcie_link *l)
{
	return pcie_link_known(l) || l->n_raw || l->n_views;
}

json_t *document_of_link(const struct pcie_link *l)
{
	return tells(l) ? member_object(link_members, l, NULL) : json_null();
}

/* ---- drive ---- */

#undef AT
#define AT(member) offsetof(struct drive, member)

static json_t *paths(const void *at)
{
	const struct drive *d = at;
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

static json_t *uses(const void *at)
{
	const struct drive *d = at;
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

static json_t *namespaces(const void *at)
{
	const struct drive *d = at;
	json_t *a = json_array();

	for (size_t i = 0; i < d->n_namespaces; i++)
		json_array_append_new(a, field_text(d->namespaces[i]));
	return a;
}

static json_t *names(const void *at)
{
	const struct drive *d = at;
	json_t *a = json_array();

	for (size_t i = 0; i < d->n_names; i++)
		json_array_append_new(a, field_text(d->names[i]));
	return a;
}

static json_t *sources(const void *at)
{
	const struct drive *d = at;
	json_t *a = json_array();

	for (size_t i = 0; i < d->n_sources; i++)
		json_array_append_new(a, field_text(d->sources[i]));
	return a;
}

static const struct member drive_members[] = {
	{"id", AT(id), .value = text},
	{"serial", AT(serial), .value = text},
	{"model", AT(model), .value = text},
	{"manufacturer", AT(manufacturer), .value = text},
	{"part_number", AT(part_number), .value = text},
	{"firmware", AT(firmware), .value = text},
	{"firmware_next", AT(firmware_next), .value = text},
	{"capacity_bytes", AT(capacity_bytes), .value = count},
	{"protocol", AT(protocol), .value = text},
	{"media_type", AT(media_type), .value = text},
	{"form_factor", AT(form_factor), .value = text},
	{"controller", AT(controller), .value = text},
	{"namespaces", 0, .value = namespaces},
	{"uses", 0, .value = uses},
	{"names", 0, .value = names},
	{"pci_address", AT(pci_address), .value = text},
	{"pci_path", AT(pci_path), .value = text},
	{"state", AT(state), .value = state},
	{"paths", 0, .value = paths},
	{"sources", 0, .value = sources},
	{.key = NULL},
};

/* ---- wear and health ---- */

#undef AT
#define AT(member) offsetof(struct forecast, member)

static const struct member forecast_members[] = {
	{"percent_per_year", AT(percent_per_year), .value = number},
	{"days_to_100", AT(days_to_100), .value = number},
	{"exhausted_on", AT(exhausted_on_wall_ms), .value = day_text},
	{"earliest", AT(earliest_wall_ms), .value = day_text},
	{"latest", AT(latest_wall_ms), .value = day_text},
	{"basis_days", AT(basis_days), .value = number},
	{.key = NULL},
};

static bool has_forecast(const void *of)
{
	return ((const struct wear *)of)->forecast.known;
}

static json_t *quality(const void *at)
{
	switch (*(const enum wear_quality *)at) {
	case WEAR_GOOD:
		return json_string("good");
	case WEAR_QUALITY_SUSPECT:
		return json_string("suspect");
	case WEAR_QUALITY_UNKNOWN:
		break;
	}
	return json_null();
}

/* Over the whole life, in thousandths; null where one of them is not known, or they cannot be of one life. */
static json_t *amplification(const void *at)
{
	const struct wear *w = at;
	double host = count_to_double(w->bytes_written), physical = count_to_double(w->physical_bytes_written);

	return field_number(host > 0 && physical / host > 0.01 ? round(physical / host * 1000) / 1000 : NAN);
}

#undef AT
#define AT(member) offsetof(struct wear, member)

static const struct member wear_members[] = {
	{"percent_used", AT(percent_used), .value = number},
	{"life_left_percent", AT(life_left_percent), .value = number},
	{"available_spare_percent", AT(available_spare_percent), .value = number},
	{"spare_threshold_percent", AT(spare_threshold_percent), .value = number},
	{"bytes_written", AT(bytes_written), .value = digits},
	{"bytes_read", AT(bytes_read), .value = digits},
	{"physical_bytes_written", AT(physical_bytes_written), .value = digits},
	{"write_amplification", 0, .value = amplification},
	{"alert", AT(alert), .value = alert},
	{"reasons", AT(reasons), .value = wear_reasons},
	{"applicable", AT(applicable), .value = truth},
	{"quality", AT(quality), .value = quality},
	{"forecast", AT(forecast), .below = forecast_members, .known = has_forecast},
	{"rated_tbw", AT(rated_tbw), .value = number},
	{"rated_dwpd", AT(rated_dwpd), .value = number},
	{"used_dwpd", AT(used_dwpd), .value = number},
	{.key = NULL},
};

static json_t *warnings(const void *at)
{
	int bits = *(const int *)at;

	return bits < 0 ? json_null() : words((unsigned)bits, CRITICAL_PMR << 1, word_of_warning);
}

#undef AT
#define AT(member) offsetof(struct health, member)

static bool has_self_test(const void *of)
{
	return ((const struct health *)of)->self_test != SELF_TEST_UNKNOWN;
}

static const struct member self_test_members[] = {
	{"result", AT(self_test), .value = self_test_result},
	{"code", AT(self_test_code), .value = not_negative},
	{"power_on_hours", AT(self_test_hours), .value = count},
	{.key = NULL},
};

static json_t *last_error(const void *at)
{
	const struct last_error *x = at;
	char status[16];
	json_t *o;

	if (!x->known)
		return json_null();
	o = json_object();
	snprintf(status, sizeof status, "0x%x", (unsigned)x->status);
	field_put(o, "number", count(&x->number));
	field_put(o, "status", field_text(status));
	field_put(o, "namespace", x->namespace_id ? json_integer(x->namespace_id) : json_null());
	field_put(o, "lba", digits(&x->lba));
	return o;
}

static const struct member health_members[] = {
	{"status", AT(status), .value = health_status},
	{"reasons", AT(reasons), .value = wear_reasons},
	{"failure_predicted", AT(failure_predicted), .value = tri},
	{"critical_warning", AT(critical_warning), .value = warnings},
	{"media_errors", AT(media_errors), .value = count},
	{"error_log_entries", AT(error_log_entries), .value = count},
	{"unsafe_shutdowns", AT(unsafe_shutdowns), .value = count},
	{"power_cycles", AT(power_cycles), .value = count},
	{"power_on_hours", AT(power_on_hours), .value = count},
	{"controller_busy_minutes", AT(controller_busy_minutes), .value = count},
	{"self_test", 0, .below = self_test_members, .known = has_self_test},
	{"last_error", AT(last_error), .value = last_error},
	{.key = NULL},
};

/* ---- bay ---- */

#undef AT
#define AT(member) offsetof(struct throughput, member)

static const struct member throughput_members[] = {
	{"read_bytes_per_second", AT(read_bps), .value = whole},
	{"write_bytes_per_second", AT(write_bps), .value = whole},
	{"busy_ratio", AT(busy_ratio), .value = number},
	{"link_ratio", AT(link_ratio), .value = number},
	{"bytes_read", AT(read_bytes), .value = bytes},
	{"bytes_written", AT(written_bytes), .value = bytes},
	{"seconds", AT(seconds), .value = number},
	{.key = NULL},
};

#undef AT
#define AT(member) offsetof(struct bay, member)

static const struct member policy_members[] = {
	{"name", AT(policy), .value = text},
	{"speed_gts", AT(policy_rate.speed_mtps), .value = gts},
	{"width", AT(policy_rate.width_lanes), .value = lanes},
	{"require_present", AT(require_present), .value = truth},
	{.key = NULL},
};

/* From sensor 1 to the last that is there; null for those between that are not. */
static json_t *sensors(const void *at)
{
	const double *sensors_c = at;
	json_t *a = json_array();
	size_t n = BAY_SENSORS_MAX;

	while (n && !isfinite(sensors_c[n - 1]))
		n--;
	for (size_t i = 0; i < n; i++)
		json_array_append_new(a, field_number(sensors_c[i]));
	return a;
}

static bool has_drive(const void *of)
{
	return ((const struct bay *)of)->has_drive;
}

static bool has_link(const void *of)
{
	return tells(&((const struct bay *)of)->link);
}

static bool has_policy(const void *of)
{
	return ((const struct bay *)of)->has_policy;
}

static bool has_throughput(const void *of)
{
	return ((const struct bay *)of)->throughput.known;
}

const struct member document_bay_members[] = {
	{"target", AT(target), .value = text},
	{"host", AT(host), .value = text},
	{"bay", AT(bay), .value = text},
	{"location", AT(location), .value = text},
	{"present", AT(present), .value = tri},
	{"expected", AT(expected), .value = truth},
	{"role", AT(role), .value = role},
	{"drive", AT(drive), .below = drive_members, .known = has_drive},
	{"link", AT(link), .below = link_members, .known = has_link},
	{"verdict", AT(judged.verdict), .value = verdict},
	{"limited_by", AT(judged.limited_by), .value = limited_by},
	{"reason", AT(judged.reason), .value = reason},
	{"message", AT(judged.message), .value = text},
	{"policy", 0, .below = policy_members, .known = has_policy},
	{"wear", AT(wear), .below = wear_members, .known = has_drive},
	{"health", AT(health), .below = health_members},
	{"bmc_health", AT(bmc_health), .value = text},
	{"temperature_celsius", AT(temperature_c), .value = number},
	{"sensors_celsius", AT(sensors_c), .value = sensors},
	{"busy", AT(busy), .value = tri},
	{"throughput", AT(throughput), .below = throughput_members, .known = has_throughput},
	{"stale", AT(stale), .value = truth},
	{"observed_at", AT(observed_wall_ms), .value = time_text},
	{"notes", AT(notes), .value = notes},
	{.key = NULL},
};

json_t *document_of_bay(const struct bay *b)
{
	return member_object(document_bay_members, b, NULL);
}
