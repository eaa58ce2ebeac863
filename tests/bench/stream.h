/* SPDX-License-Identifier: MIT */
/*
 * stream: what drives say minute by minute, as SMART makes it: 30 numbers a drive, of which 16 never
 * change, 6 creep, 4 move every minute, 3 temperatures wobble by a degree in a sample of five, and
 * one is noise.  The same for the same number of drives, so that several engines are given the same.
 *
 * Comes with a metric_table() of its own in place of the program's (model/metric.h).
 */
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include "model/bay.h"
#include "model/history.h"

#include <stddef.h>
#include <stdint.h>

struct stream {
	size_t n;
	struct bay *bays;
	struct history h; /* its clock is that of the last minute */
	int minutes;
	uint64_t random;
};

void stream_begin(struct stream *s, size_t n_drives);
void stream_next(struct stream *s); /* a minute goes by */
void stream_end(struct stream *s);

#endif
