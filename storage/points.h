/* SPDX-License-Identifier: MIT */
/*
 * points: where the points of drives are: the last ones as rows of `recent`, older ones
 * in chunks of BUCKET_POLLS polls.  For the files of this folder.
 */
#ifndef STORAGE_POINTS_H
#define STORAGE_POINTS_H

#include "storage/db.h"

#include <stdint.h>

enum { BUCKET_POLLS = 120, CHUNK_DRIVE_BITS = 20 };

/* Within a transaction: moves the oldest bucket into chunks, if it is complete at this
 * poll. */
int points_compact(struct store *s, int64_t poll, struct err *e);

#endif
