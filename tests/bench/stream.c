/* SPDX-License-Identifier: MIT */
/* stream: see stream.h. */
#include "tests/bench/stream.h"

#include "base/mem.h"
#include "base/str.h"
#include "model/metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the program's metrics all but the table. */
const struct metric *program_metric_table(size_t *n);
const struct metric *program_metric_find(const char *name);
#define metric_table program_metric_table
#define metric_find program_metric_find
#include "model/metric.c" /* NOLINT(bugprone-suspicious-include) */
#undef metric_table
#undef metric_find

/* What is in no table of the program borrows a field of its kind. */
static const struct metric thirty[] = {
	/* never change */
	{"percent_used", METRIC_REAL, AT(wear.percent_used), false},
	{"life_left_percent", METRIC_REAL, AT(wear.life_left_percent), false},
	{"available_spare_percent", METRIC_REAL, AT(wear.available_spare_percent), false},
	{"spare_threshold_percent", METRIC_REAL, AT(wear.spare_threshold_percent), false},
	{"critical_warning", METRIC_WHOLE, AT(health.critical_warning), false},
	{"media_errors", METRIC_COUNT, AT(health.media_errors), true},
	{"unsafe_shutdowns", METRIC_COUNT, AT(health.unsafe_shutdowns), true},
	{"power_cycles", METRIC_COUNT, AT(health.power_cycles), true},
	{"speed_gts", METRIC_SPEED, AT(link.now.speed_mtps), false},
	{"width", METRIC_WHOLE, AT(link.now.width_lanes), false},
	{"max_speed_gts", METRIC_SPEED, AT(link.max.speed_mtps), false},
	{"max_width", METRIC_WHOLE, AT(link.max.width_lanes), false},
	{"aer_nonfatal", METRIC_COUNT, AT(link.aer_nonfatal), true},
	{"aer_fatal", METRIC_COUNT, AT(link.aer_fatal), true},
	{"capacity_bytes", METRIC_COUNT, AT(drive.capacity_bytes), false},
	{"health", METRIC_REAL, AT(wear.rated_tbw), false},
	/* creep */
	{"error_log_entries", METRIC_COUNT, AT(health.error_log_entries), true},
	{"power_on_hours", METRIC_COUNT, AT(health.power_on_hours), true},
	{"controller_busy_minutes", METRIC_COUNT, AT(health.controller_busy_minutes), true},
	{"warm_minutes", METRIC_COUNT, AT(health.self_test_hours), true},
	{"aer_correctable", METRIC_COUNT, AT(link.aer_correctable), true},
	{"port_aer_correctable", METRIC_REAL, AT(wear.rated_dwpd), true},
	/* move */
	{"bytes_written", METRIC_COUNT, AT(wear.bytes_written), true},
	{"bytes_read", METRIC_COUNT, AT(wear.bytes_read), true},
	{"write_commands", METRIC_COUNT, AT(wear.physical_bytes_written), true},
	{"read_commands", METRIC_COUNT, AT(io_done), true},
	/* wobble */
	{"temperature_celsius", METRIC_REAL, AT(temperature_c), false},
	{"sensor_1_celsius", METRIC_REAL, AT(sensors_c[0]), false},
	{"sensor_2_celsius", METRIC_REAL, AT(sensors_c[1]), false},
	/* noise: what the poll took, in ms */
	{"poll_ms", METRIC_REAL, AT(wear.used_dwpd), false},
};

const struct metric *metric_table(size_t *n)
{
	*n = sizeof thirty / sizeof thirty[0];
	return thirty;
}

const struct metric *metric_find(const char *name)
{
	for (size_t i = 0; i < sizeof thirty / sizeof thirty[0]; i++)
		if (str_same(thirty[i].name, name))
			return &thirty[i];
	return NULL;
}

/* ---- the stream ---- */

static uint64_t next(struct stream *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random;
}

static struct count any_count(struct stream *s, uint64_t below, uint64_t unit)
{
	return count_of(unit * (next(s) % below));
}

static void begin_counters(struct stream *s, struct bay *b)
{
	b->wear.bytes_written = any_count(s, 1000000000, 512000);
	b->wear.bytes_read = any_count(s, 1000000000, 512000);
	b->wear.physical_bytes_written = any_count(s, UINT64_C(10000000000), 1);
	b->io_done = any_count(s, UINT64_C(10000000000), 1);
	b->health.media_errors = count_of(0);
	b->health.error_log_entries = any_count(s, 100, 1);
	b->health.unsafe_shutdowns = any_count(s, 20, 1);
	b->health.power_cycles = any_count(s, 90, 1);
	b->health.power_on_hours = any_count(s, 20000, 1);
	b->health.controller_busy_minutes = any_count(s, 90000, 1);
	b->health.self_test_hours = any_count(s, 500, 1);
	b->link.aer_correctable = any_count(s, 10, 1);
	b->link.aer_nonfatal = b->link.aer_fatal = count_of(0);
}

static void begin_drive(struct stream *s, size_t i)
{
	struct bay *b = &s->bays[i];
	struct drive_past *p = history_add_drive(&s->h);
	char host[32], bay[16];

	snprintf(host, sizeof host, "srv%zu", i / 24);
	snprintf(bay, sizeof bay, "%zu", i % 24);
	*b = bay_unknown(host, host, bay);
	b->has_drive = true;
	b->present = TRI_YES;
	snprintf(b->drive.serial, sizeof b->drive.serial, "SN%06zu", i);
	snprintf(b->drive.id, sizeof b->drive.id, "%016zx", i + 1);
	b->drive.capacity_bytes = count_of(UINT64_C(7681501126656));
	b->wear.percent_used = 3;
	b->wear.life_left_percent = 97;
	b->wear.available_spare_percent = 100;
	b->wear.spare_threshold_percent = 10;
	b->wear.rated_tbw = 1;
	b->wear.rated_dwpd = 0;
	b->wear.used_dwpd = 20;
	b->health.critical_warning = 0;
	b->temperature_c = b->sensors_c[0] = b->sensors_c[1] = 38;
	b->link.now = b->link.max = (struct pcie_rate){32000, 4};
	begin_counters(s, b);
	str_copy(p->id, sizeof p->id, b->drive.id);
	str_copy(p->serial, sizeof p->serial, b->drive.serial);
	str_copy(p->host, sizeof p->host, host);
	str_copy(p->target, sizeof p->target, host);
	str_copy(p->bay, sizeof p->bay, bay);
	p->here = true;
}

void stream_begin(struct stream *s, size_t n_drives)
{
	*s = (struct stream){.n = n_drives,
		.bays = mem_new(n_drives, sizeof *s->bays),
		.random = 88172645463325252};
	history_init(&s->h);
	for (size_t i = 0; i < n_drives; i++)
		begin_drive(s, i);
}

void stream_end(struct stream *s)
{
	history_release(&s->h);
	free(s->bays);
}

static void add(struct count *c, uint64_t n)
{
	*c = count_of(c->lo + n);
}

static void wobble(struct stream *s, double *celsius)
{
	if (next(s) % 5 == 0)
		*celsius = 37 + (double)(next(s) % 3);
}

static void move(struct stream *s, struct bay *b, size_t i)
{
	uint64_t written = next(s) % 9000, read = next(s) % 9000; /* thousands of sectors */

	add(&b->wear.bytes_written, 512000 * written);
	add(&b->wear.bytes_read, 512000 * read);
	add(&b->wear.physical_bytes_written, 4 * written + next(s) % 100); /* of 128 KiB */
	add(&b->io_done, 4 * read + next(s) % 100);
	add(&b->health.power_on_hours, ((size_t)s->minutes + i) % 60 == 0);
	add(&b->health.controller_busy_minutes, next(s) % 7 == 0);
	add(&b->health.error_log_entries, next(s) % 500 == 0);
	add(&b->health.self_test_hours, next(s) % 100 == 0);
	add(&b->link.aer_correctable, next(s) % 300 == 0);
	b->wear.rated_dwpd += next(s) % 300 == 0;
	wobble(s, &b->temperature_c);
	wobble(s, &b->sensors_c[0]);
	wobble(s, &b->sensors_c[1]);
	b->wear.used_dwpd = 20 + (double)(next(s) % 100);
}

static void remember(const struct history *h, struct drive_past *p, const struct bay *b)
{
	p->seen_wall_ms = h->wall_ms;
	p->seen_at_ms = h->steady_ms;
	p->counters[PAST_BYTES_WRITTEN] = b->wear.bytes_written;
	p->counters[PAST_BYTES_READ] = b->wear.bytes_read;
	p->counters[PAST_POWER_ON_HOURS] = b->health.power_on_hours;
	p->counters[PAST_POWER_CYCLES] = b->health.power_cycles;
	p->counters[PAST_UNSAFE_SHUTDOWNS] = b->health.unsafe_shutdowns;
	p->counters[PAST_MEDIA_ERRORS] = b->health.media_errors;
}

void stream_next(struct stream *s)
{
	static const int64_t began_ms = INT64_C(1772445600000), minute_ms = 60000;

	history_tick(&s->h, began_ms + s->minutes * minute_ms + (int64_t)(next(s) % 7),
		s->minutes ? minute_ms : -1);
	for (size_t i = 0; i < s->n; i++) {
		move(s, &s->bays[i], i);
		remember(&s->h, &s->h.drives[i], &s->bays[i]);
	}
	s->minutes++;
}
