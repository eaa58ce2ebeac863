/* SPDX-License-Identifier: MIT */
/*
 * pool_column: the columns of a vdev: a member, or the pair of a member and what stands in for
 * it (replacing, spare), which counts once.  For the files of model/pool* alone.
 */
#ifndef MODEL_POOL_COLUMN_H
#define MODEL_POOL_COLUMN_H

#include "model/pool.h"

struct pool_column {
	struct ceiling can;  /* of its slowest live drive; NAN not known */
	struct ceiling best; /* with its link as fast as both ends can do, whether live or not */
	bool missing;	     /* carries nothing of its own */
	bool whole;	     /* its data are all there */
	size_t leaf;	     /* the row that sets its pace; `end` of the vdev if there is none */
};

/* Fills the columns of the vdev at row i (at most its number of rows below, or 1); returns how many. */
size_t pool_columns(const struct pool *p, size_t i, const struct bay *bays, size_t n_bays, struct pool_column *out);

/* How many columns it can lose before data are lost. */
size_t pool_tolerance(const struct pool *p, size_t i, size_t n_columns);

/* Joins the leaves and sets the roles (pool_join.c). */
void pool_join(struct pool *p, struct bay *bays, size_t n_bays);

#endif
