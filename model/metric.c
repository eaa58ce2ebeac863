/* SPDX-License-Identifier: MIT */
/* metric: see metric.h. */
#include "model/metric.h"

#include <math.h>
#include <string.h>

#define AT(member) offsetof(struct bay, member)

/* New ones go to the end and get a column by a migration (schemas/sql). */
static const struct metric table[] = {
	{"percent_used", METRIC_REAL, AT(wear.percent_used), false},
	{"life_left_percent", METRIC_REAL, AT(wear.life_left_percent), false},
	{"available_spare_percent", METRIC_REAL, AT(wear.available_spare_percent), false},
	{"spare_threshold_percent", METRIC_REAL, AT(wear.spare_threshold_percent), false},
	{"bytes_written", METRIC_COUNT, AT(wear.bytes_written), true},
	{"bytes_read", METRIC_COUNT, AT(wear.bytes_read), true},
	{"physical_bytes_written", METRIC_COUNT, AT(wear.physical_bytes_written), true},
	{"critical_warning", METRIC_WHOLE, AT(health.critical_warning), false},
	{"media_errors", METRIC_COUNT, AT(health.media_errors), true},
	{"error_log_entries", METRIC_COUNT, AT(health.error_log_entries), true},
	{"unsafe_shutdowns", METRIC_COUNT, AT(health.unsafe_shutdowns), true},
	{"power_cycles", METRIC_COUNT, AT(health.power_cycles), true},
	{"power_on_hours", METRIC_COUNT, AT(health.power_on_hours), true},
	{"controller_busy_minutes", METRIC_COUNT, AT(health.controller_busy_minutes),
		true},
	{"temperature_celsius", METRIC_REAL, AT(temperature_c), false},
	{"speed_gts", METRIC_SPEED, AT(link.now.speed_mtps), false},
	{"width", METRIC_WHOLE, AT(link.now.width_lanes), false},
	{"max_speed_gts", METRIC_SPEED, AT(link.max.speed_mtps), false},
	{"max_width", METRIC_WHOLE, AT(link.max.width_lanes), false},
	{"aer_correctable", METRIC_COUNT, AT(link.aer_correctable), true},
	{"aer_nonfatal", METRIC_COUNT, AT(link.aer_nonfatal), true},
	{"aer_fatal", METRIC_COUNT, AT(link.aer_fatal), true},
	{"read_bytes_per_second", METRIC_REAL, AT(throughput.read_bps), false},
	{"write_bytes_per_second", METRIC_REAL, AT(throughput.write_bps), false},
	{"busy_ratio", METRIC_REAL, AT(throughput.busy_ratio), false},
	{"link_ratio", METRIC_REAL, AT(throughput.link_ratio), false},
};

const struct metric *metric_table(size_t *n)
{
	*n = sizeof table / sizeof table[0];
	return table;
}

const struct metric *metric_find(const char *name)
{
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}

static struct metric_value real(double d)
{
	return (struct metric_value){.known = isfinite(d), .real = d};
}

static struct metric_value whole(struct count c)
{
	return (struct metric_value){.known = c.known, .whole = true, .count = c};
}

/* A whole number of which a negative value, or 0 where 0 is no lane count, says "not
 * known". */
static struct metric_value whole_int(const struct metric *m, int v)
{
	bool lanes = m->offset != AT(health.critical_warning);

	return v < 0 || (lanes && v == 0) ? (struct metric_value){0}
					  : whole(count_of((uint64_t)v));
}

struct metric_value metric_of(const struct metric *m, const struct bay *b)
{
	const void *at = (const char *)b + m->offset;
	int speed_mtps;

	switch (m->kind) {
	case METRIC_UNKNOWN:
		break;
	case METRIC_REAL:
		return real(*(const double *)at);
	case METRIC_COUNT:
		return whole(*(const struct count *)at);
	case METRIC_SPEED:
		speed_mtps = *(const int *)at;
		return real(speed_mtps > 0 ? speed_mtps / 1000.0 : NAN);
	case METRIC_WHOLE:
		return whole_int(m, *(const int *)at);
	}
	return (struct metric_value){0};
}

double metric_number(struct metric_value v)
{
	if (!v.known)
		return NAN;
	return v.whole ? count_to_double(v.count) : v.real;
}
