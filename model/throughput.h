/* SPDX-License-Identifier: MIT */
/*
 * throughput: what a drive moves: bytes per second in each direction, the share of time in which
 * something was pending, and the share of what its link carries; from two readings of the
 * counters that the kernel keeps for its block devices.  Pure; the first reading gives no rate.
 */
#ifndef MODEL_THROUGHPUT_H
#define MODEL_THROUGHPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bay;
struct inventory;

/* What the block devices of a drive have moved since they appeared. */
struct io_counters {
	bool known;
	bool busy_known; /* false too where several devices are busy side by side */
	uint64_t read_bytes, written_bytes;
	uint32_t busy_ms; /* the kernel's own width: it begins anew after 49 days of work */
	uint64_t series;  /* which devices: another one, and the counters began anew */
	int64_t at_mono_ms;
};

/* Between two readings; NAN where not known. */
struct throughput {
	bool known; /* then bytes and time are */
	uint64_t read_bytes, written_bytes;
	double seconds;
	double read_bps, write_bps; /* whole bytes */
	double busy_ratio;	    /* 0 to 1, in thousandths */
	double link_ratio;	    /* the busier direction as a share of the link, likewise */
};

struct throughput throughput_unknown(void);

/*
 * From the counters before and now, with `link_bps` (NAN not known) as what the link carries in one
 * direction.  Unknown where no time passed, a counter went back, or they are those of other devices.
 */
struct throughput throughput_between(const struct io_counters *before, const struct io_counters *now, double link_bps);

/* What the ports of the drive carry together in one direction; NAN not known, or no PCIe link. */
double throughput_link(const struct bay *b);

/*
 * Hints at drives whose links are full while most of their neighbours' are not (`link-full`).
 * The bays first to end are those of one host.
 */
void throughput_hints(struct inventory *inv, size_t first, size_t end);

#endif
