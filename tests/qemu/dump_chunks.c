/* SPDX-License-Identifier: MIT */
/*
 * dump_chunks: packs points, prints the bytes and what comes out of them again; and reads chunks
 * from files.  Run on a big-endian machine and here: both print the same.
 */
#include "storage/chunk.h"
#include "storage/hot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 120 };

static uint64_t state = 88172645463325252;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static struct metric_value value(const struct metric *m, size_t k, size_t i)
{
	struct metric_value v = {.known = next() % 9 != 0,
		.whole = m->kind == METRIC_COUNT || m->kind == METRIC_WHOLE};

	if (v.whole)
		v.count = (struct count){.known = true,
			.hi = k % 5 == 4 ? next() : 0,
			.lo = k % 3 ? next() >> (k % 60) : i * 512000};
	else
		v.real = k % 4 ? (double)(int64_t)(next() % 2000) / 10 - 20 : 1.0 / (double)(1 + next() % 7);
	return v;
}

static void print_value(struct metric_value v)
{
	char digits[COUNT_TEXT_MAX];

	if (!v.known)
		puts("-");
	else if (v.whole)
		puts(count_text(v.count, digits));
	else
		printf("%.17g\n", v.real);
}

static void print_rows(const struct chunk_rows *r)
{
	size_t n;

	metric_table(&n);
	for (size_t i = 0; i < r->n; i++) {
		printf("%" PRId64 " %" PRId64 "\n", r->poll[i], r->place[i]);
		for (size_t m = 0; m < n; m++)
			print_value(r->values[m][i]);
	}
}

int main(void)
{
	struct chunk_rows a, b;
	size_t n_metrics;
	const struct metric *table = metric_table(&n_metrics);

	chunk_rows_init(&a, ROWS, CHUNK_ALL);
	chunk_rows_init(&b, ROWS, CHUNK_ALL);
	for (int round = 0; round < 20; round++) {
		struct buf out;

		a.n = 1 + next() % ROWS;
		for (size_t i = 0; i < a.n; i++) {
			a.poll[i] = (int64_t)(1000 + i + (i > 50 ? next() % 3 : 0));
			a.place[i] = (int64_t)(next() % 3);
			for (size_t m = 0; m < n_metrics; m++)
				a.values[m][i] = value(&table[m], m + (size_t)round, i);
		}
		buf_init(&out, 1 << 20);
		if (chunk_encode(&a, &out))
			return 1;
		for (size_t i = 0; i < out.len; i++)
			printf("%02x%s", (unsigned char)out.data[i], i % 40 == 39 ? "\n" : "");
		puts("");
		if (chunk_decode(out.data, out.len, &b))
			return 1;
		print_rows(&b);
		buf_release(&out);
	}
	chunk_rows_release(&a);
	chunk_rows_release(&b);
	return 0;
}
