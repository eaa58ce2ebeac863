/* SPDX-License-Identifier: MIT */
/*
 * store: the stream of stream.h through the store: store DRIVES ROUNDS FILE [POLLS-A-COMMIT [SECONDS]].
 * Prints a figure a line, NAME VALUE; tests/bench/store.py makes sentences of them.  With SECONDS
 * each poll waits so long: what is really written is then told by the kernel.
 *
 * store DRIVES ROUNDS -: the stream itself to standard output, for other engines: of each round
 * its time in ms and then a number for each series, all as doubles.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "storage/store.h"
#include "tests/bench/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { READS = 50, POLLS_MAX = 16 };

/* Durations, of the clock on the wall and, on a busy machine saying more, of what the work itself takes. */
struct times {
	size_t n;
	double *ms, *cpu_ms;
	double began, began_cpu;
};

static double clock_ms(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static struct times times_new(size_t max)
{
	struct times t = {.ms = mem_new(max, sizeof *t.ms), .cpu_ms = mem_new(max, sizeof *t.cpu_ms)};

	memset(t.ms, 1, max * sizeof *t.ms); /* so that it is there before memory is measured */
	memset(t.cpu_ms, 1, max * sizeof *t.cpu_ms);
	return t;
}

static void times_start(struct times *t)
{
	t->began = clock_ms(CLOCK_MONOTONIC);
	t->began_cpu = clock_ms(CLOCK_THREAD_CPUTIME_ID);
}

static void times_stop(struct times *t)
{
	t->cpu_ms[t->n] = clock_ms(CLOCK_THREAD_CPUTIME_ID) - t->began_cpu;
	t->ms[t->n++] = clock_ms(CLOCK_MONOTONIC) - t->began;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_spread(const char *name, double *ms, size_t n)
{
	qsort(ms, n, sizeof *ms, by_size);
	printf("%s_median_ms %.3f\n%s_p99_ms %.3f\n%s_worst_ms %.3f\n", name, ms[n / 2], name,
		ms[n * 99 / 100], name, ms[n - 1]);
}

static void times_print(struct times *t, const char *name)
{
	char cpu[64];

	snprintf(cpu, sizeof cpu, "%s_cpu", name);
	print_spread(name, t->ms, t->n);
	print_spread(cpu, t->cpu_ms, t->n);
	free(t->ms);
	free(t->cpu_ms);
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

static long written_bytes(void)
{
	return number_in("/proc/self/io", "write_bytes:");
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

struct run {
	const char *path;
	struct store *store;
	struct stream stream;
	struct alerts alerts;
	struct events events;
	int rounds;
	size_t a_commit;
	unsigned seconds;
	struct times cycles;
	long wrote_first;   /* bytes, with the first commit, which makes the file */
	int minutes_first;
	size_t n_waiting;
	struct store_poll polls[POLLS_MAX];
};

static void begin(struct run *r, size_t drives)
{
	stream_begin(&r->stream, drives);
	alerts_init(&r->alerts);
	r->cycles = times_new((size_t)r->rounds);
}

static void end(struct run *r)
{
	store_close(r->store);
	stream_end(&r->stream);
}

static int commit(struct run *r)
{
	const struct store_round round = {.at_wall_ms = r->stream.h.wall_ms,
		.n_polls = r->n_waiting,
		.polls = r->polls,
		.history = &r->stream.h,
		.alerts = &r->alerts,
		.events = &r->events};
	struct err e = {""};
	int rc;

	rc = store_put_round(r->store, &round, &e);
	times_stop(&r->cycles);
	if (rc)
		fprintf(stderr, "store: %s\n", e.text);
	while (r->n_waiting)
		store_poll_release(&r->polls[--r->n_waiting]);
	if (r->cycles.n == 1) {
		r->wrote_first = written_bytes();
		r->minutes_first = r->stream.minutes;
	}
	return rc;
}

static int poll_once(struct run *r)
{
	struct stream *s = &r->stream;
	struct store_poll *p = &r->polls[r->n_waiting++];
	bool due;

	stream_next(s);
	due = r->n_waiting == r->a_commit || s->minutes == r->rounds;
	if (due)
		times_start(&r->cycles);
	*p = (struct store_poll){.at_wall_ms = s->h.wall_ms, .at_steady_ms = s->h.steady_ms};
	for (size_t i = 0; i < s->n; i++)
		store_poll_add(p, &s->bays[i]);
	return due ? commit(r) : 0;
}

static size_t known_of(const struct bay *b)
{
	size_t n, known = 0;
	const struct metric *table = metric_table(&n);

	for (size_t i = 0; i < n; i++)
		known += metric_of(&table[i], b).known;
	return known;
}

static int write_all(struct run *r)
{
	long wal = 0, wrote = written_bytes(), before_kb = private_kb();
	size_t a_minute = r->stream.n * known_of(&r->stream.bays[0]);
	struct err e = {""};
	int rc = 0;

	r->store = store_open(r->path, STORE_WRITE, NULL, &e);
	if (!r->store) {
		fprintf(stderr, "store: %s\n", e.text);
		return -1;
	}
	for (int i = 0; i < r->rounds && rc == 0; i++) {
		rc = poll_once(r);
		if (wal_bytes(r->path) > wal)
			wal = wal_bytes(r->path);
		if (r->seconds)
			sleep(r->seconds);
	}
	printf("private_kb %ld\n", private_kb() - before_kb);
	printf("first_bytes %ld\nfirst_samples %zu\n", r->wrote_first - wrote,
		a_minute * (size_t)r->minutes_first);
	printf("written_bytes %ld\n", written_bytes() - wrote);
	printf("wal_bytes %ld\n", wal);
	printf("samples %zu\n", a_minute * (size_t)r->stream.minutes);
	times_print(&r->cycles, "cycle");
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

static int read_series(struct store *st, const char *metric)
{
	const struct store_filter f = {CLOCK_NEVER, CLOCK_NEVER, 0, 0};
	struct times t = times_new(READS);
	uint64_t points = 0;
	struct err e = {""};
	char name[64];
	int rc = 0;

	for (int i = 0; i < READS && rc >= 0; i++) {
		points = 0;
		times_start(&t);
		rc = store_each_point(st, "SN000003", metric_find(metric), &f, count_point, &points, &e);
		times_stop(&t);
	}
	snprintf(name, sizeof name, "series_%s", metric);
	printf("series_points %" PRIu64 "\n", points);
	times_print(&t, name);
	return rc < 0 ? -1 : 0;
}

static int read_latest(struct store *st)
{
	struct times t = times_new(READS);
	uint64_t values = 0;
	struct err e = {""};
	int rc = 0;

	for (int i = 0; i < READS && rc >= 0; i++) {
		values = 0;
		times_start(&t);
		rc = store_each_latest(st, count_latest, &values, &e);
		times_stop(&t);
	}
	printf("latest_values %" PRIu64 "\n", values);
	times_print(&t, "latest");
	return rc < 0 ? -1 : 0;
}

/* ---- the stream for others ---- */

static void put_round(const struct stream *s)
{
	size_t n;
	const struct metric *table = metric_table(&n);
	double d = (double)s->h.wall_ms;

	fwrite(&d, sizeof d, 1, stdout);
	for (size_t i = 0; i < s->n; i++)
		for (size_t m = 0; m < n; m++) {
			d = metric_number(metric_of(&table[m], &s->bays[i]));
			fwrite(&d, sizeof d, 1, stdout);
		}
}

static void put_stream(size_t drives, int rounds)
{
	struct stream s;

	stream_begin(&s, drives);
	while (s.minutes < rounds && !ferror(stdout)) {
		stream_next(&s);
		put_round(&s);
	}
	stream_end(&s);
}

int main(int argc, char **argv)
{
	int64_t drives, rounds, a_commit = 1, seconds = 0;
	struct run r = {0};
	int rc;

	if (argc < 4 || !str_to_int(argv[1], 1, 100000, &drives) ||
		!str_to_int(argv[2], 1, 10000000, &rounds) ||
		(argc > 4 && !str_to_int(argv[4], 1, POLLS_MAX, &a_commit)) ||
		(argc > 5 && !str_to_int(argv[5], 0, 3600, &seconds)))
		return 64;
	if (str_same(argv[3], "-")) {
		put_stream((size_t)drives, (int)rounds);
		return 0;
	}
	r.path = argv[3];
	r.rounds = (int)rounds;
	r.a_commit = (size_t)a_commit;
	r.seconds = (unsigned)seconds;
	begin(&r, (size_t)drives);
	rc = write_all(&r);
	/* one that moves, one that creeps, one that is noise */
	if (rc == 0)
		rc = read_series(r.store, "bytes_written") || read_series(r.store, "power_on_hours") ||
		     read_series(r.store, "poll_ms") || read_latest(r.store);
	end(&r);
	return rc ? 1 : 0;
}
