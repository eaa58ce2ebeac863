/* SPDX-License-Identifier: MIT */
/*
 * A database file, opened and asked everything that a reader asks; and, from the same bytes, each of
 * the packed forms alone, behind a checksum that is right.  Nothing crashes, hangs or reads past its end.
 */
#include "base/log.h"
#include "storage/chunk.h"
#include "storage/crc32.h"
#include "storage/hot.h"
#include "storage/maintain.h"
#include "storage/rollup.h"
#include "tests/fuzz/fuzz.h"

#include "base/clock.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 5, MILLISECONDS = 500 };

/* ---- the packed forms ---- */

static uint8_t *with_sum(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + HEAD);
	uint32_t crc;

	assert(copy);
	memcpy(copy + HEAD, data, size);
	crc = crc32_of(copy + HEAD, size);
	copy[0] = 1;
	for (int k = 0; k < 4; k++)
		copy[1 + k] = (uint8_t)(crc >> (8 * k));
	return copy;
}

/* What can be read can be written, and is the same when it is read again. */
static void chunk_there_and_back(const uint8_t *bytes, size_t len)
{
	struct chunk_rows a, b;
	struct buf out;

	chunk_rows_init(&a, 256, CHUNK_ALL);
	chunk_rows_init(&b, 256, CHUNK_ALL);
	buf_init(&out, 16 << 20);
	if (chunk_decode(bytes, len, &a) == 0) {
		assert(chunk_encode(&a, &out) == 0);
		assert(chunk_decode(out.data, out.len, &b) == 0 && b.n == a.n);
		assert(memcmp(a.poll, b.poll, a.n * sizeof *a.poll) == 0);
		for (size_t i = 0; i < a.n; i++)
			assert(a.values[4][i].known == b.values[4][i].known &&
				a.values[4][i].count.lo == b.values[4][i].count.lo);
	}
	buf_release(&out);
	chunk_rows_release(&a);
	chunk_rows_release(&b);
}

static void packed_forms(const uint8_t *data, size_t size)
{
	uint8_t *bytes = with_sum(data, size);
	struct metric_value values[CHUNK_METRICS_MAX];
	struct rollup r = {0};
	struct hot_reader hot;

	chunk_there_and_back(bytes, size + HEAD);
	if (hot_open(&hot, bytes, size + HEAD, 0, 0) == 0)
		while (hot_next(&hot))
			hot_values(&hot, values);
	(void)rollup_decode(data, size, &r);
	rollup_release(&r);
	free(bytes);
}

/* ---- the file ---- */

static void ignore_point(void *arg, const struct store_point *p)
{
	assert(p->bay && p->serial);
	++*(size_t *)arg;
}

static void ask(void *arg, const char *id, const char *serial, const char *model)
{
	const struct store_filter all = {CLOCK_NEVER, CLOCK_NEVER, 0, 0},
				  days = {CLOCK_NEVER, CLOCK_NEVER, 0, 86400000};
	struct forecast_sample wear[16];
	struct err e = {""};
	size_t n = 0;

	(void)serial;
	(void)model;
	store_each_point(arg, id, metric_find("bytes_written"), &all, ignore_point, &n, &e);
	store_each_point(arg, id, metric_find("temperature_celsius"), &days, ignore_point, &n, &e);
	store_get_wear(arg, id, wear, 16, &e);
}

static void ask_file(const char *path)
{
	const struct store_filter f = {CLOCK_NEVER, CLOCK_NEVER, 100, 0};
	struct store_stats stats;
	struct events ev = {0};
	struct history h;
	struct alerts a;
	struct err e = {""};
	struct store *s = store_open(path, STORE_LOOK, NULL, &e);

	if (!s) {
		assert(e.text[0]);
		return;
	}
	history_init(&h);
	alerts_init(&a);
	store_deadline(s, MILLISECONDS);
	store_get_history(s, &h, &e);
	store_get_alerts(s, true, &a, &e);
	store_get_events(s, &f, &ev, &e);
	store_get_stats(s, &stats, &e);
	free(store_take_document(s, &e));
	/* the names are read to their end first: asking within would reset the statement */
	for (size_t i = 0; i < h.n_drives && i < 4; i++)
		ask(s, h.drives[i].id, "", "");
	history_release(&h);
	alerts_release(&a);
	events_release(&ev);
	store_close(s);
}

static void as_file(const uint8_t *data, size_t size)
{
	char name[] = "/tmp/lanewatch-fuzz-XXXXXX", beside[64];
	int fd = mkstemp(name);

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
	ask_file(name);
	unlink(name);
	snprintf(beside, sizeof beside, "%s-wal", name);
	unlink(beside);
	snprintf(beside, sizeof beside, "%s-shm", name);
	unlink(beside);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	log_set_level(LOG_LEVEL_UNKNOWN);
	if (size > 16 && memcmp(data, "SQLite format 3", 16) == 0)
		as_file(data, size);
	else
		packed_forms(data, size);
	return 0;
}
