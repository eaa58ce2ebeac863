/* SPDX-License-Identifier: MIT */
/* block: see block.h.  Runs in the thread of a round. */
#include "collectors/nvme/block.h"
#include "base/clock.h"

#include <errno.h>
#include <stdlib.h>

enum { SECTOR_BYTES = 512 }; /* in stat, whatever the device's own blocks are */

/* Columns of stat; discards came with 4.18, flushes with 5.5. */
enum column { READS = 0, READ_SECTORS = 2, WRITES = 4, WRITTEN_SECTORS = 6, BUSY_MS = 9, DISCARDS = 11, FLUSHES = 15, COLUMNS = 17, COLUMNS_MIN = 11 };

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

void nv_block_read(const struct nv_sysfs *s, const char *dir, struct io_counters *io, struct count *done)
{
	uint64_t c[COLUMNS] = {0};
	char text[256];
	int64_t series;
	size_t n = nv_sysfs_text(s, dir, "stat", text, sizeof text) ? read_columns(text, c) : 0;

	*io = (struct io_counters){.at_mono_ms = clock_mono_ms()};
	*done = (struct count){0};
	if (n <= WRITES)
		return;
	*done = count_of(c[READS] + c[WRITES] + c[DISCARDS] + c[FLUSHES]);
	if (n < COLUMNS_MIN || !is_counted(s, dir) ||
		__builtin_mul_overflow(c[READ_SECTORS], (uint64_t)SECTOR_BYTES, &io->read_bytes) ||
		__builtin_mul_overflow(c[WRITTEN_SECTORS], (uint64_t)SECTOR_BYTES, &io->written_bytes))
		return;
	io->known = io->busy_known = true;
	io->busy_ms = (uint32_t)c[BUSY_MS];
	/* 5.15 and later: no two disks have the same one */
	io->series = nv_sysfs_int(s, dir, "diskseq", &series) && series > 0 ? (uint64_t)series : 0;
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
