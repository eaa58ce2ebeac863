/* SPDX-License-Identifier: MIT */
/*
 * metrics: see metrics.h.  Families are a table; each is a function from one bay or target
 * to its samples.
 */
#include "web/metrics.h"
#include "base/clock.h"
#include "base/str.h"
#include "model/notice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *metrics_type(enum metrics_format f)
{
	return f == METRICS_OPENMETRICS ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
					: "text/plain; version=0.0.4; charset=utf-8";
}

struct family {
	const char *name, *type, *help;
	void (*of_bay)(struct buf *out, const char *name, const struct bay *b);
	void (*of_target)(struct buf *out, const char *name, const struct target *t);
};

/* A value and its end of line. Most are whole numbers, which are quicker to write as such. */
static void add_number(struct buf *out, double v)
{
	if (v == trunc(v) && fabs(v) < 1e15)
		buf_printf(out, "%" PRId64 "\n", (int64_t)v);
	else
		buf_printf(out, "%.15g\n", v);
}

/* A label's value: backslash, quote and newline are escaped (OpenMetrics 1.0, section 5.1). */
static void add_label(struct buf *out, const char *key, const char *value, bool *any)
{
	buf_add_text(out, *any ? "," : "{");
	buf_add_text(out, key);
	buf_add_text(out, "=\"");
	for (;;) {
		size_t n = strcspn(value, "\\\"\n");

		buf_add(out, value, n);
		value += n;
		if (!*value)
			break;
		buf_add_text(out, *value == '\n' ? "\\n" : *value == '"' ? "\\\"" : "\\\\");
		value++;
	}
	buf_add_text(out, "\"");
	*any = true;
}

static void start_bay(struct buf *out, const char *name, const char *suffix, const struct bay *b, const char *key, const char *value)
{
	bool any = false;

	buf_add_text(out, name);
	buf_add_text(out, suffix);
	add_label(out, "target", b->target, &any);
	add_label(out, "bay", b->bay, &any);
	if (key)
		add_label(out, key, value, &any);
	buf_add_text(out, "} ");
}

static void gauge(struct buf *out, const char *name, const struct bay *b, double v)
{
	if (isnan(v))
		return;
	start_bay(out, name, "", b, NULL, NULL);
	add_number(out, v);
}

static void counter(struct buf *out, const char *name, const struct bay *b, struct count c)
{
	char text[COUNT_TEXT_MAX];

	if (!c.known)
		return;
	start_bay(out, name, "_total", b, NULL, NULL);
	buf_printf(out, "%s\n", count_text(c, text));
}

static double known(int v, double scale)
{
	return v > 0 ? v * scale : NAN;
}

/* ---- of a bay ------------------------------------------------------------------------- */

static void info(struct buf *out, const char *name, const struct bay *b)
{
	const struct drive *d = &b->drive;
	bool any = false;

	if (!b->has_drive)
		return;
	buf_printf(out, "%s_info", name);
	add_label(out, "target", b->target, &any);
	add_label(out, "bay", b->bay, &any);
	add_label(out, "serial", d->serial, &any);
	add_label(out, "model", d->model, &any);
	add_label(out, "manufacturer", d->manufacturer, &any);
	add_label(out, "firmware", d->firmware, &any);
	add_label(out, "protocol", d->protocol, &any);
	add_label(out, "form_factor", d->form_factor, &any);
	buf_add_text(out, "} 1\n");
}

static void present(struct buf *out, const char *name, const struct bay *b)
{
	if (b->present != TRI_UNKNOWN)
		gauge(out, name, b, b->present == TRI_YES);
}

static void capacity(struct buf *out, const char *name, const struct bay *b)
{
	gauge(out, name, b, count_to_double(b->drive.capacity_bytes));
}

static void state_set(struct buf *out, const char *name, const char *label, const struct bay *b, const char *const *words, const char *now)
{
	for (; *words; words++) {
		start_bay(out, name, "", b, label, *words);
		buf_add_text(out, str_same(*words, now) ? "1\n" : "0\n");
	}
}

static void health_state(struct buf *out, const char *name, const struct bay *b)
{
	static const char *const words[] = {"ok", "warning", "critical", "unknown", NULL};

	if (b->has_drive)
		state_set(out, name, "state", b, words, health_word(b->health.status));
}

static void link_verdict(struct buf *out, const char *name, const struct bay *b)
{
	static const char *const words[] = {"ok", "degraded-speed", "degraded-width", "degraded-both", "below-policy",
		"drive-limited", "power-saving", "unknown", "absent", "unreachable", "not-applicable", NULL};

	if (b->judged.verdict != VERDICT_NONE)
		state_set(out, name, "verdict", b, words, verdict_word(b->judged.verdict));
}

static void last_seen(struct buf *out, const char *name, const struct bay *b)
{
	if (b->has_drive && b->observed_wall_ms != CLOCK_NEVER)
		gauge(out, name, b, (double)b->observed_wall_ms / 1000);
}

static void link_speed(struct buf *out, const char *name, const struct bay *b)
{
	gauge(out, name, b, known(b->link.now.speed_mtps, 1e6));
}

static void link_max_speed(struct buf *out, const char *name, const struct bay *b)
{
	gauge(out, name, b, known(b->link.max.speed_mtps, 1e6));
}

static void link_width(struct buf *out, const char *name, const struct bay *b)
{
	gauge(out, name, b, known(b->link.now.width_lanes, 1));
}

static void link_max_width(struct buf *out, const char *name, const struct bay *b)
{
	gauge(out, name, b, known(b->link.max.width_lanes, 1));
}

static void link_bandwidth(struct buf *out, const char *name, const struct bay *b)
{
	double v = pcie_bandwidth(b->link.now);

	gauge(out, name, b, v > 0 ? v : NAN);
}

static void link_changes(struct buf *out, const char *name, const struct bay *b)
{
	if (b->link.changes >= 0)
		counter(out, name, b, count_of((uint64_t)b->link.changes));
}

static void pcie_errors(struct buf *out, const char *name, const struct bay *b)
{
	const struct {
		const char *severity;
		struct count n;
	} kinds[] = {
		{"correctable", b->link.aer_correctable},
		{"nonfatal", b->link.aer_nonfatal},
		{"fatal", b->link.aer_fatal},
	};
	char text[COUNT_TEXT_MAX];

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (!kinds[i].n.known)
			continue;
		start_bay(out, name, "_total", b, "severity", kinds[i].severity);
		buf_printf(out, "%s\n", count_text(kinds[i].n, text));
	}
}

static void expected_speed(struct buf *out, const char *name, const struct bay *b)
{
	if (b->has_policy)
		gauge(out, name, b, known(b->policy_rate.speed_mtps, 1e6));
}

static void expected_width(struct buf *out, const char *name, const struct bay *b)
{
	if (b->has_policy)
		gauge(out, name, b, known(b->policy_rate.width_lanes, 1));
}

static void compliant(struct buf *out, const char *name, const struct bay *b)
{
	enum verdict v = b->judged.verdict;

	if (b->has_policy && (v == VERDICT_OK || v == VERDICT_BELOW_POLICY || v == VERDICT_DRIVE_LIMITED || verdict_degraded(v)))
		gauge(out, name, b, v == VERDICT_OK);
}

static void used(struct buf *out, const char *name, const struct bay *b)
{
	gauge(out, name, b, b->wear.percent_used / 100);
}

static void spare(struct buf *out, const char *name, const struct bay *b)
{
	gauge(out, name, b, b->wear.available_spare_percent / 100);
}

static void spare_threshold(struct buf *out, const char *name, const struct bay *b)
{
	gauge(out, name, b, b->wear.spare_threshold_percent / 100);
}

static void wearout(struct buf *out, const char *name, const struct bay *b)
{
	if (b->wear.forecast.known && b->wear.forecast.exhausted_on_wall_ms != CLOCK_NEVER)
		gauge(out, name, b, (double)b->wear.forecast.exhausted_on_wall_ms / 1000);
}

static void written(struct buf *out, const char *name, const struct bay *b)
{
	counter(out, name, b, b->wear.bytes_written);
}

static void bytes_read(struct buf *out, const char *name, const struct bay *b)
{
	counter(out, name, b, b->wear.bytes_read);
}

static void media_errors(struct buf *out, const char *name, const struct bay *b)
{
	counter(out, name, b, b->health.media_errors);
}

static void unsafe_shutdowns(struct buf *out, const char *name, const struct bay *b)
{
	counter(out, name, b, b->health.unsafe_shutdowns);
}

static void power_on(struct buf *out, const char *name, const struct bay *b)
{
	counter(out, name, b, count_times(b->health.power_on_hours, 3600));
}

static void temperature(struct buf *out, const char *name, const struct bay *b)
{
	char sensor[8];

	if (!isnan(b->temperature_c)) {
		start_bay(out, name, "", b, "sensor", "composite");
		add_number(out, b->temperature_c);
	}
	for (int i = 0; i < BAY_SENSORS_MAX; i++) {
		if (isnan(b->sensors_c[i]))
			continue;
		snprintf(sensor, sizeof sensor, "%d", i + 1);
		start_bay(out, name, "", b, "sensor", sensor);
		add_number(out, b->sensors_c[i]);
	}
}

static void throughput(struct buf *out, const char *name, const struct bay *b)
{
	const struct throughput *t = &b->throughput;

	if (!t->known)
		return;
	start_bay(out, name, "", b, "direction", "read");
	add_number(out, t->read_bps);
	start_bay(out, name, "", b, "direction", "write");
	add_number(out, t->write_bps);
}

static void busy(struct buf *out, const char *name, const struct bay *b)
{
	gauge(out, name, b, b->throughput.busy_ratio);
}

static void warnings(struct buf *out, const char *name, const struct bay *b)
{
	for (int bit = 1; bit <= CRITICAL_PMR && b->health.critical_warning >= 0; bit <<= 1) {
		start_bay(out, name, "", b, "bit", critical_warning_word((enum critical_warning)bit));
		buf_printf(out, "%d\n", (b->health.critical_warning & bit) != 0);
	}
}

/* ---- of a target -------------------------------------------------------------------------- */

static void of_target(struct buf *out, const char *name, const struct target *t, double v)
{
	bool any = false;

	buf_add_text(out, name);
	add_label(out, "target", t->name, &any);
	buf_add_text(out, "} ");
	add_number(out, v);
}

static void up(struct buf *out, const char *name, const struct target *t)
{
	of_target(out, name, t, t->verdict == TARGET_OK);
}

static void duration(struct buf *out, const char *name, const struct target *t)
{
	of_target(out, name, t, (double)t->duration_ms / 1000);
}

/* ---- of a pool ------------------------------------------------------------------------------ */

static void of_pool(struct buf *out, const char *name, const struct pool *p, const char *key, const char *value, double v)
{
	bool any = false;

	if (isnan(v))
		return;
	buf_add_text(out, name);
	add_label(out, "target", p->target, &any);
	add_label(out, "pool", p->name, &any);
	add_label(out, key, value, &any);
	buf_add_text(out, "} ");
	add_number(out, v);
}

static void pool_health(struct buf *out, const char *name, const struct pool *p)
{
	for (enum pool_state s = POOL_ONLINE; p->state && s <= POOL_SPLIT; s++)
		of_pool(out, name, p, "state", pool_state_word(s), s == p->state);
}

static void pool_ceiling(struct buf *out, const char *name, const struct pool *p)
{
	for (size_t i = 0; i < p->n_vdevs; i++)
		of_pool(out, name, p, "vdev", p->vdevs[i].name, floor(p->vdevs[i].ceiling_bps));
}

/* The pool's row is the sum of its data vdevs; unknown if one is. */
static void pool_throughput(struct buf *out, const char *name, const struct pool *p)
{
	double read = p->n_vdevs ? 0 : NAN, write = read;

	for (size_t i = 0; i < p->n_vdevs; i++) {
		read += p->vdevs[i].read_bps;
		write += p->vdevs[i].write_bps;
	}
	of_pool(out, name, p, "direction", "read", read);
	of_pool(out, name, p, "direction", "write", write);
}

static const struct pool_family {
	const char *name, *help;
	void (*of_pool)(struct buf *out, const char *name, const struct pool *p);
} pool_families[] = {
	{"lanewatch_pool_health", "State of the pool, 1 for the one that holds.", pool_health},
	{"lanewatch_pool_vdev_ceiling_bytes_per_second", "What the vdev can write by the links of its members.", pool_ceiling},
	{"lanewatch_pool_throughput_bytes_per_second", "Throughput of the data vdevs at the last poll.", pool_throughput},
};

static const struct family families[] = {
	{"lanewatch_drive", "info", "Drives by bay.", info, NULL},
	{"lanewatch_drive_present", "gauge", "A drive is in the bay.", present, NULL},
	{"lanewatch_drive_capacity_bytes", "gauge", "Capacity.", capacity, NULL},
	{"lanewatch_drive_health", "gauge", "Health, 1 for the state that holds.", health_state, NULL},
	{"lanewatch_drive_last_seen_timestamp_seconds", "gauge", "When the drive was last read.", last_seen, NULL},
	{"lanewatch_drive_link_transfers_per_second", "gauge", "Negotiated rate of a lane.", link_speed, NULL},
	{"lanewatch_drive_link_max_transfers_per_second", "gauge", "Rate of a lane that the drive can do.", link_max_speed, NULL},
	{"lanewatch_drive_link_width", "gauge", "Negotiated lanes.", link_width, NULL},
	{"lanewatch_drive_link_max_width", "gauge", "Lanes that the drive can do.", link_max_width, NULL},
	{"lanewatch_drive_link_bandwidth_bytes_per_second", "gauge", "What the link can carry, each way.", link_bandwidth, NULL},
	{"lanewatch_drive_link_changes", "counter", "Changes of the link that were seen.", link_changes, NULL},
	{"lanewatch_drive_link_verdict", "gauge", "The verdict of the link, 1 for the one that holds.", link_verdict, NULL},
	{"lanewatch_drive_pcie_errors", "counter", "PCIe errors (AER).", pcie_errors, NULL},
	{"lanewatch_bay_expected_link_transfers_per_second", "gauge", "Rate of a lane that the policy expects.", expected_speed, NULL},
	{"lanewatch_bay_expected_link_width", "gauge", "Lanes that the policy expects.", expected_width, NULL},
	{"lanewatch_bay_policy_compliant", "gauge", "The link has what the policy expects.", compliant, NULL},
	{"lanewatch_drive_percentage_used_ratio", "gauge", "Endurance used; 1 is the rating.", used, NULL},
	{"lanewatch_drive_available_spare_ratio", "gauge", "Spare left.", spare, NULL},
	{"lanewatch_drive_available_spare_threshold_ratio", "gauge", "Spare below which the drive warns.", spare_threshold, NULL},
	{"lanewatch_drive_wearout_timestamp_seconds", "gauge", "When the endurance is foreseen to be used up.", wearout, NULL},
	{"lanewatch_drive_written_bytes", "counter", "Bytes written by the host.", written, NULL},
	{"lanewatch_drive_read_bytes", "counter", "Bytes read by the host.", bytes_read, NULL},
	{"lanewatch_drive_media_errors", "counter", "Media and data integrity errors.", media_errors, NULL},
	{"lanewatch_drive_unsafe_shutdowns", "counter", "Unsafe shutdowns.", unsafe_shutdowns, NULL},
	{"lanewatch_drive_power_on_seconds", "counter", "Time powered on.", power_on, NULL},
	{"lanewatch_drive_temperature_celsius", "gauge", "Temperature.", temperature, NULL},
	{"lanewatch_drive_throughput_bytes_per_second", "gauge", "What the drive moved from one poll to the next.", throughput, NULL},
	{"lanewatch_drive_busy_ratio", "gauge", "Share of that time in which requests were pending.", busy, NULL},
	{"lanewatch_drive_critical_warning", "gauge", "Critical warning bits of the drive.", warnings, NULL},
	{"lanewatch_target_up", "gauge", "The target was read.", NULL, up},
	{"lanewatch_target_poll_duration_seconds", "gauge", "How long the last poll took.", NULL, duration},
};

/*
 * OpenMetrics names the family without the suffix of its samples, Prometheus text with it, and
 * that has no type for an info.
 */
static void head(struct buf *out, const char *name, const char *type, const char *help, enum metrics_format f)
{
	const char *suffix = "";

	if (f == METRICS_TEXT && str_same(type, "counter"))
		suffix = "_total";
	if (f == METRICS_TEXT && str_same(type, "info")) {
		suffix = "_info";
		type = "gauge";
	}
	buf_printf(out, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, suffix, help, name, suffix, type);
}

/* ---- of the agent ------------------------------------------------------------------------------ */

static void start_target(struct buf *out, const char *name, const char *target, const char *key, const char *value)
{
	bool any = false;

	buf_add_text(out, name);
	add_label(out, "target", target, &any);
	if (key)
		add_label(out, key, value, &any);
	buf_add_text(out, "} ");
}

static void write_tally(struct buf *out, const struct tally *t, enum metrics_format f)
{
	head(out, "lanewatch_target_requests", "counter", "Requests that the target was sent.", f);
	for (size_t i = 0; i < t->n_targets; i++) {
		start_target(out, "lanewatch_target_requests_total", t->targets[i].name, NULL, NULL);
		buf_printf(out, "%" PRIu64 "\n", t->targets[i].requests);
	}
	head(out, "lanewatch_target_errors", "counter", "Polls that failed, by reason.", f);
	for (size_t i = 0; i < t->n_targets; i++)
		for (size_t k = 1; k < TALLY_REASONS; k++) {
			if (!t->targets[i].errors[k])
				continue;
			start_target(out, "lanewatch_target_errors_total", t->targets[i].name, "reason", reason_word((enum reason)k));
			buf_printf(out, "%" PRIu64 "\n", t->targets[i].errors[k]);
		}
	head(out, "lanewatch_drive_swaps", "counter", "Drives that were put in the place of another.", f);
	for (size_t i = 0; i < t->n_bays; i++) {
		start_target(out, "lanewatch_drive_swaps_total", t->bays[i].target, "bay", t->bays[i].bay);
		buf_printf(out, "%" PRIu64 "\n", t->bays[i].swaps);
	}
}

static size_t count_firing(const json_t *alerts, const char *kind, const char *severity)
{
	json_t *a;
	size_t i, n = 0;

	json_array_foreach((json_t *)alerts, i, a)
		n += str_same(json_string_value(json_object_get(a, "state")), "firing") &&
		     str_same(json_string_value(json_object_get(a, "kind")), kind) &&
		     str_same(json_string_value(json_object_get(a, "severity")), severity);
	return n;
}

/* Each kind that fires, once for each severity. */
static void write_alerts(struct buf *out, const json_t *alerts, enum metrics_format f)
{
	static const char *const severities[] = {"warning", "critical"};

	head(out, "lanewatch_alerts_firing", "gauge", "Alerts that fire.", f);
	for (enum alert_kind k = 1; alert_kind_word(k); k++)
		for (size_t i = 0; i < sizeof severities / sizeof severities[0]; i++)
			buf_printf(out, "lanewatch_alerts_firing{kind=\"%s\",severity=\"%s\"} %zu\n", alert_kind_word(k),
				severities[i], count_firing(alerts, alert_kind_word(k), severities[i]));
}

static void write_ages(struct buf *out, const struct inventory *inv, enum metrics_format f)
{
	int64_t now = clock_wall_ms();

	head(out, "lanewatch_target_data_age_seconds", "gauge", "Since when nothing newer is known.", f);
	for (size_t i = 0; i < inv->n_targets; i++) {
		if (inv->targets[i].observed_wall_ms == CLOCK_NEVER)
			continue;
		start_target(out, "lanewatch_target_data_age_seconds", inv->targets[i].name, "resource", "bays");
		add_number(out, (double)(now - inv->targets[i].observed_wall_ms) / 1000);
	}
}

static void write_more(struct buf *out, const struct inventory *inv, const struct metrics_more *more, enum metrics_format f)
{
	write_ages(out, inv, f);
	if (more->tally)
		write_tally(out, more->tally, f);
	if (more->alerts)
		write_alerts(out, more->alerts, f);
	if (more->store_bytes >= 0) {
		head(out, "lanewatch_store_bytes", "gauge", "Size of the store.", f);
		buf_printf(out, "lanewatch_store_bytes %" PRId64 "\n", more->store_bytes);
	}
	if (more->dropped >= 0) {
		head(out, "lanewatch_samples_dropped", "counter", "Polls that could not be kept.", f);
		buf_printf(out, "lanewatch_samples_dropped_total %" PRId64 "\n", more->dropped);
	}
}

enum { FAMILIES = sizeof families / sizeof families[0] };

/*
 * The samples of a family stand together, while bays are looked at one by one, for those at rest are unpacked each time: a
 * text for each family.
 */
static void write_bays(struct buf of[FAMILIES], const struct inventory *inv)
{
	struct bay room;

	for (size_t k = 0; k < inv->n_bays; k++) {
		const struct bay *b = inventory_bay(inv, k, &room);

		for (size_t i = 0; i < FAMILIES; i++)
			if (families[i].of_bay)
				families[i].of_bay(&of[i], families[i].name, b);
	}
}

void metrics_write(struct buf *out, const struct inventory *inv, const struct metrics_more *more, enum metrics_format f)
{
	struct buf of[FAMILIES];

	for (size_t i = 0; i < FAMILIES; i++)
		buf_init(&of[i], out->max);
	write_bays(of, inv);
	for (size_t i = 0; i < FAMILIES; i++) {
		const struct family *m = &families[i];

		head(out, m->name, m->type, m->help, f);
		buf_add(out, of[i].data, of[i].len);
		buf_release(&of[i]);
		for (size_t k = 0; m->of_target && k < inv->n_targets; k++)
			m->of_target(out, m->name, &inv->targets[k]);
	}
	for (size_t i = 0; i < sizeof pool_families / sizeof pool_families[0]; i++) {
		head(out, pool_families[i].name, "gauge", pool_families[i].help, f);
		for (size_t k = 0; k < inv->n_pools; k++)
			pool_families[i].of_pool(out, pool_families[i].name, &inv->pools[k]);
	}
	write_more(out, inv, more, f);
	head(out, "lanewatch_build", "info", "The program.", f);
	buf_printf(out, "lanewatch_build_info{version=\"%s\"} 1\n", PACKAGE_VERSION);
	if (f == METRICS_OPENMETRICS)
		buf_add_text(out, "# EOF\n");
}
