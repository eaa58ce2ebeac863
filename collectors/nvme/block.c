/* SPDX-License-Identifier: MIT */
/* block: see block.h.  Runs in the thread of a round. */
#include "collectors/nvme/block.h"
#include "base/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SECTOR_BYTES = 512 }; /* in stat, whatever the device's own blocks are */

/* Columns of stat; discards came with 4.18, flushes with 5.5. */
enum column { READS = 0, READ_SECTORS = 2, WRITES = 4, WRITTEN_SECTORS = 6, IN_FLIGHT = 8, BUSY_MS = 9, DISCARDS = 11, FLUSHES = 15, COLUMNS = 17, COLUMNS_MIN = 11 };

static size_t read_columns(const char *text, uint64_t columns[COLUMNS])
{
	size_t n = 0;

	while (n < COLUMNS) {
		char *end;

		while (*text == ' ')
			text++;
		errno = 0;
		columns[n] = strtoull(text, &end, 10);
		if (end == text || errno || *text == '-')
			break;
		text = end;
		n++;
	}
	return n;
}

/* The kernel was told not to count: all columns stand still then, which is no idle device. */
static bool is_counted(const struct nv_sysfs *s, const char *dir)
{
	int64_t counted;

	return !nv_sysfs_int(s, dir, "queue/iostats", &counted) || counted != 0;
}

/* Reads and writes that are pending, from a file of their own. */
static bool read_in_flight(const struct nv_sysfs *s, const char *dir, uint64_t *out)
{
	uint64_t reads, writes;
	char text[64];

	if (!nv_sysfs_text(s, dir, "inflight", text, sizeof text) ||
		sscanf(text, "%" SCNu64 " %" SCNu64, &reads, &writes) != 2)
		return false;
	*out = reads | writes;
	return true;
}

/* The kernel gives one number in both files; a recorded tree may have only one of them, or they were written at two moments. */
static enum tri in_flight_of(const struct nv_sysfs *s, const char *dir, const uint64_t *c, size_t n)
{
	uint64_t pending = 0;
	bool known = n >= COLUMNS_MIN;

	if (known && (s->kept || c[IN_FLIGHT]))
		pending = c[IN_FLIGHT];
	else
		known = read_in_flight(s, dir, &pending);
	return !known ? TRI_UNKNOWN : pending ? TRI_YES : TRI_NO;
}

struct block_io nv_block_read(const struct nv_sysfs *s, const char *dir)
{
	struct block_io b = {.moved.at_mono_ms = clock_mono_ms()};
	uint64_t c[COLUMNS] = {0};
	char text[256];
	size_t n = nv_sysfs_text(s, dir, "stat", text, sizeof text) ? read_columns(text, c) : 0;

	b.in_flight = in_flight_of(s, dir, c, n);
	if (n > WRITES)
		b.done = count_of(c[READS] + c[WRITES] + c[DISCARDS] + c[FLUSHES]);
	if (n < COLUMNS_MIN || !is_counted(s, dir) ||
		__builtin_mul_overflow(c[READ_SECTORS], (uint64_t)SECTOR_BYTES, &b.moved.read_bytes) ||
		__builtin_mul_overflow(c[WRITTEN_SECTORS], (uint64_t)SECTOR_BYTES, &b.moved.written_bytes))
		return b;
	b.moved.known = b.moved.busy_known = true;
	b.moved.busy_ms = (uint32_t)c[BUSY_MS];
	return b;
}

void nv_block_add(struct io_counters *sum, const struct io_counters *io)
{
	if (!io->known)
		return;
	if (!sum->known) {
		*sum = *io;
		return;
	}
	if (__builtin_add_overflow(sum->read_bytes, io->read_bytes, &sum->read_bytes) ||
		__builtin_add_overflow(sum->written_bytes, io->written_bytes, &sum->written_bytes))
		sum->known = false;
	sum->busy_known = false;
	sum->series = sum->series * 31 + io->series;
}
