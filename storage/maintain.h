/* SPDX-License-Identifier: MIT */
/*
 * maintain: whole files of the store: is it sound, a copy of it while it is written, that
 * copy put back, and what is in it.  On the thread of the caller, for as long as it takes.
 */
#ifndef STORAGE_MAINTAIN_H
#define STORAGE_MAINTAIN_H

#include "base/err.h"
#include "storage/store.h"

#include <stddef.h>
#include <stdint.h>

/* Who waits for it; either may be NULL. */
struct store_work {
	void (*progress)(void *arg, double part); /* 0 to 1 */
	void (*say)(void *arg, const char *what); /* a fault that was found */
	void *arg;
};

/*
 * Reads all of a file, with every sum in it.  Returns how many faults were found, -1 with
 * *fault and the reason if it cannot be read at all.
 */
int store_check(const char *path, const struct store_work *w, enum store_fault *fault,
	struct err *e);

/*
 * Writes a copy as of one moment, while others go on reading and writing.  The copy must
 * not exist; it appears under its name when it is whole.
 */
int store_backup(const char *path, const char *copy, const struct store_work *w,
	enum store_fault *fault, struct err *e);

/*
 * Puts a copy in the place of the database, which nobody may write meanwhile; what was
 * there is kept beside it under a dated name, which goes to `aside` ("" if there was
 * nothing).  A damaged copy is refused.
 */
int store_restore(const char *path, const char *copy, char *aside, size_t aside_size,
	const struct store_work *w, enum store_fault *fault, struct err *e);

struct store_span {
	int64_t rows, bytes;
	int64_t from_wall_ms, until_wall_ms; /* CLOCK_NEVER: nothing */
};

struct store_stats {
	int64_t version;
	int64_t file_bytes, wal_bytes, free_bytes;
	int64_t drives, places, stays, events, alerts_firing, notices_open, document_bytes;
	struct store_span polls, raw, hours, days; /* raw: chunks */
};

int store_get_stats(struct store *s, struct store_stats *out, struct err *e);

#endif
