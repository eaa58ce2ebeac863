/* SPDX-License-Identifier: MIT */
/*
 * metric: the numbers of a bay that are kept over time, each named as its key in the
 * document (percent_used, bytes_written, speed_gts, ...).  One table, so that the store,
 * the command line and the page agree on what there is.  Pure.
 */
#ifndef MODEL_METRIC_H
#define MODEL_METRIC_H

#include "model/bay.h"

#include <stddef.h>

enum metric_kind {
	METRIC_UNKNOWN = 0,
	METRIC_REAL,
	METRIC_COUNT,
	METRIC_SPEED,
	METRIC_WHOLE
};

struct metric {
	const char *name;
	enum metric_kind kind;
	size_t offset; /* in struct bay */
	bool counter;  /* only ever grows: a rate means something */
};

/* A value of any metric: a number of up to 128 bits, a real, or not known. */
struct metric_value {
	bool known;
	bool whole; /* then `count` holds it, else `real` */
	struct count count;
	double real;
};

/* The table; *n gets its length. */
const struct metric *metric_table(size_t *n);

/* NULL if there is none of that name. */
const struct metric *metric_find(const char *name);

/* What a bay says of it. */
struct metric_value metric_of(const struct metric *m, const struct bay *b);

/* Nearest double, NAN if not known. */
double metric_number(struct metric_value v);

#endif
