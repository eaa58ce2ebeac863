/* SPDX-License-Identifier: MIT */
/*
 * store: a stream as SMART makes it through the store: store DRIVES ROUNDS FILE [POLLS-A-COMMIT [SECONDS]].
 * Prints a figure a line, NAME VALUE; tests/bench/store.py makes sentences of them.  With SECONDS
 * each poll waits so long: what is really written is then told by the kernel.
 *
 * Of the metrics that the store knows half never change, six creep, three or four move every
 * minute (in sectors and pages), and the temperature wobbles by a degree in a sample of five.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "storage/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { READS = 50, POLLS_MAX = 16 };

struct stream {
	size_t n;
	struct bay *bays;
	struct history h;
	struct alerts alerts;
	struct events events;
	uint64_t random, samples;
};

static uint64_t next(struct stream *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* On a busy machine this says more: what the work itself takes. */
static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void add(struct count *c, uint64_t n)
{
	*c = count_of(c->lo + n);
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
	b->wear.percent_used = 3;
	b->wear.life_left_percent = 97;
	b->wear.available_spare_percent = 100;
	b->wear.spare_threshold_percent = 10;
	b->wear.bytes_written = count_of(512000 * (next(s) % 1000000000));
	b->wear.bytes_read = count_of(512000 * (next(s) % 1000000000));
	b->wear.physical_bytes_written = count_of(16384 * (next(s) % 100000000));
	b->health.critical_warning = 0;
	b->health.media_errors = count_of(0);
	b->health.error_log_entries = count_of(next(s) % 100);
	b->health.unsafe_shutdowns = count_of(next(s) % 20);
	b->health.power_cycles = count_of(next(s) % 90);
	b->health.power_on_hours = count_of(next(s) % 20000);
	b->health.controller_busy_minutes = count_of(next(s) % 90000);
	b->temperature_c = 38;
	b->link.now = b->link.max = (struct pcie_rate){32000, 4};
	b->link.aer_correctable = count_of(next(s) % 10);
	b->link.aer_nonfatal = b->link.aer_fatal = count_of(0);
	str_copy(p->id, sizeof p->id, b->drive.id);
	str_copy(p->serial, sizeof p->serial, b->drive.serial);
	str_copy(p->host, sizeof p->host, host);
	str_copy(p->target, sizeof p->target, host);
	str_copy(p->bay, sizeof p->bay, bay);
	p->here = true;
}

static void go_on(struct stream *s, int round)
{
	history_tick(&s->h, INT64_C(1772445600000) + round * INT64_C(60000) + (int64_t)(next(s) % 7),
		round ? 60000 : -1);
	for (size_t i = 0; i < s->n; i++) {
		struct bay *b = &s->bays[i];
		struct drive_past *p = &s->h.drives[i];

		add(&b->wear.bytes_written, 512000 * (next(s) % 9000));
		add(&b->wear.bytes_read, 512000 * (next(s) % 9000));
		add(&b->wear.physical_bytes_written, 16384 * (next(s) % 300000)); /* pages of flash */
		add(&b->health.power_on_hours, (round + (int)i) % 60 == 0);
		add(&b->health.controller_busy_minutes, next(s) % 7 == 0);
		add(&b->health.error_log_entries, next(s) % 500 == 0);
		add(&b->link.aer_correctable, next(s) % 300 == 0);
		if (next(s) % 5 == 0)
			b->temperature_c = 37 + (double)(next(s) % 3);
		p->seen_wall_ms = s->h.wall_ms;
		p->seen_at_ms = s->h.steady_ms;
		p->counters[PAST_BYTES_WRITTEN] = b->wear.bytes_written;
		p->counters[PAST_BYTES_READ] = b->wear.bytes_read;
		p->counters[PAST_POWER_ON_HOURS] = b->health.power_on_hours;
		p->counters[PAST_POWER_CYCLES] = b->health.power_cycles;
		p->counters[PAST_UNSAFE_SHUTDOWNS] = b->health.unsafe_shutdowns;
		p->counters[PAST_MEDIA_ERRORS] = b->health.media_errors;
	}
}

static size_t known_of(const struct bay *b)
{
	size_t n, known = 0;
	const struct metric *table = metric_table(&n);

	for (size_t i = 0; i < n; i++)
		known += metric_of(&table[i], b).known;
	return known;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_spread(const char *name, double *ms, size_t n)
{
	qsort(ms, n, sizeof *ms, by_size);
	printf("%s_median_ms %.3f\n%s_worst_ms %.3f\n", name, ms[n / 2], name, ms[n - 1]);
}

static long number_in(const char *file, const char *key)
{
	char line[256];
	FILE *f = fopen(file, "r");
	long n = -1;

	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, key, strlen(key)) == 0)
			n = strtol(line + strlen(key), NULL, 10);
	if (f)
		fclose(f);
	return n;
}

static long private_kb(void)
{
	return number_in("/proc/self/smaps_rollup", "Private_Dirty:");
}

static long wal_bytes(const char *path)
{
	char name[512];
	FILE *f;
	long n = 0;

	snprintf(name, sizeof name, "%s-wal", path);
	f = fopen(name, "rb");
	if (f && fseek(f, 0, SEEK_END) == 0)
		n = ftell(f);
	if (f)
		fclose(f);
	return n;
}

/* ---- writing ---- */

/* Polls that wait for the commit are copies. */
struct waiting {
	size_t n;
	struct store_poll polls[POLLS_MAX];
	struct bay *bays[POLLS_MAX];
};

static int commit(struct store *st, struct stream *s, struct waiting *w)
{
	const struct store_round r = {.n_polls = w->n,
		.polls = w->polls,
		.history = &s->h,
		.alerts = &s->alerts,
		.events = &s->events};
	struct err e = {""};
	int rc = store_put_round(st, &r, &e);

	if (rc)
		fprintf(stderr, "store: %s\n", e.text);
	w->n = 0;
	return rc;
}

static int write_all(struct store *st, struct stream *s, int rounds, size_t a_commit, unsigned seconds,
	const char *path)
{
	double *ms = mem_new((size_t)rounds, sizeof *ms), *cpu = mem_new((size_t)rounds, sizeof *cpu);
	struct waiting w = {0};
	size_t n_commits = 0;
	long wal = 0;
	int rc = 0;

	for (size_t i = 0; i < a_commit; i++)
		w.bays[i] = mem_new(s->n, sizeof **w.bays);
	for (int r = 0; r < rounds && rc == 0; r++) {
		double began, began_cpu;

		go_on(s, r);
		s->samples += s->n * known_of(&s->bays[0]);
		memcpy(w.bays[w.n], s->bays, s->n * sizeof *s->bays);
		w.polls[w.n] = (struct store_poll){
			s->h.wall_ms, s->h.steady_ms, s->n, w.bays[w.n]};
		if (++w.n == a_commit || r == rounds - 1) {
			began = now_ms();
			began_cpu = cpu_ms();
			rc = commit(st, s, &w);
			cpu[n_commits] = cpu_ms() - began_cpu;
			ms[n_commits++] = now_ms() - began;
		}
		if (wal_bytes(path) > wal)
			wal = wal_bytes(path);
		if (seconds)
			sleep(seconds);
	}
	print_spread("cycle", ms, n_commits);
	print_spread("cycle_cpu", cpu, n_commits);
	printf("wal_bytes %ld\n", wal);
	for (size_t i = 0; i < a_commit; i++)
		free(w.bays[i]);
	free(ms);
	free(cpu);
	return rc;
}

/* ---- reading ---- */

static void count_point(void *arg, const struct store_point *p)
{
	*(uint64_t *)arg += p->count;
}

static void count_latest(void *arg, const struct store_latest *l)
{
	size_t n;

	metric_table(&n);
	for (size_t i = 0; i < n; i++)
		*(uint64_t *)arg += l->values[i].known;
}

static void read_all(struct store *st)
{
	const struct store_filter f = {CLOCK_NEVER, CLOCK_NEVER, 0, 0};
	double series[READS], series_cpu[READS], latest[READS];
	uint64_t points = 0, values = 0;
	struct err e = {""};

	for (int i = 0; i < READS; i++) {
		double began = now_ms(), began_cpu = cpu_ms();

		points = values = 0;
		store_each_point(st, "SN000003", metric_find("bytes_written"), &f, count_point,
			&points, &e);
		series[i] = now_ms() - began;
		series_cpu[i] = cpu_ms() - began_cpu;
		began = now_ms();
		store_each_latest(st, count_latest, &values, &e);
		latest[i] = now_ms() - began;
	}
	printf("series_points %" PRIu64 "\n", points);
	print_spread("series", series, READS);
	print_spread("series_cpu", series_cpu, READS);
	printf("latest_values %" PRIu64 "\n", values);
	print_spread("latest", latest, READS);
}

int main(int argc, char **argv)
{
	int64_t drives, rounds, a_commit = 1, seconds = 0;
	struct stream s = {.random = 88172645463325252};
	struct err e = {""};
	struct store *st;
	long before_kb, wrote;
	int rc;

	if (argc < 4 || !str_to_int(argv[1], 1, 100000, &drives) ||
		!str_to_int(argv[2], 1, 10000000, &rounds) ||
		(argc > 4 && !str_to_int(argv[4], 1, POLLS_MAX, &a_commit)) ||
		(argc > 5 && !str_to_int(argv[5], 0, 3600, &seconds)))
		return 64;
	s.n = (size_t)drives;
	s.bays = mem_new(s.n, sizeof *s.bays);
	history_init(&s.h);
	alerts_init(&s.alerts);
	for (size_t i = 0; i < s.n; i++)
		begin_drive(&s, i);
	before_kb = private_kb();
	wrote = number_in("/proc/self/io", "write_bytes:");
	st = store_open(argv[3], STORE_WRITE, NULL, &e);
	if (!st) {
		fprintf(stderr, "store: %s\n", e.text);
		return 1;
	}
	rc = write_all(st, &s, (int)rounds, (size_t)a_commit, (unsigned)seconds, argv[3]);
	printf("samples %" PRIu64 "\n", s.samples);
	printf("private_kb %ld\n", private_kb() - before_kb);
	printf("written_bytes %ld\n", number_in("/proc/self/io", "write_bytes:") - wrote);
	read_all(st);
	store_close(st);
	history_release(&s.h);
	free(s.bays);
	return rc ? 1 : 0;
}
