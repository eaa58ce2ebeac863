/* SPDX-License-Identifier: MIT */
/*
 * catalogue: targets, drives and places with their numbers, and what the writer knows of
 * their rows, so that a round touches only those that changed.  Also what history
 * remembers, read and written.  For the files of this folder.
 */
#ifndef STORAGE_CATALOGUE_H
#define STORAGE_CATALOGUE_H

#include "model/history.h"
#include "model/lookup.h"
#include "storage/db.h"
#include "storage/store.h"

#include <stddef.h>
#include <stdint.h>

/* A row of the file: what points tell as well, and a sum of everything else. */
struct known_row {
	char key[24]; /* drive.id */
	uint64_t sum;
	int64_t seen_wall_ms, seen_at_ms;
	struct count counters[PAST_COUNTERS];
};

struct known_drive {
	int64_t id, at_poll;
	struct known_row row;
	const uint8_t *values, *values_end; /* in the poll that is being written; NULL not seen */
	int64_t stay;		 /* of its last stay; 0 none yet */
	int64_t place, last_poll; /* of that stay */
};

struct known_place {
	int64_t id;
	char host[96], bay[64];
};

/* The counters of drive_past in metric_table(), and as bits. */
struct counters_at {
	size_t metric[PAST_COUNTERS];
	uint64_t bits;
};

struct catalogue {
	size_t n_drives, n_places, n_targets;
	struct known_drive *drives;
	struct known_place *places;
	struct target_past *targets;
	struct lookup by_key, by_place;
	int64_t next_poll;
	struct counters_at counters;
};

/* What is in the file; kept until catalogue_forget(), which a failed write calls. */
struct catalogue *catalogue_get(struct store *s, struct err *e);
void catalogue_forget(struct store *s);

/* By drive.id; NULL if there is none. */
struct known_drive *catalogue_drive(struct catalogue *c, const char *key);

/* By its number in the file; NULL if there is none. */
struct known_drive *catalogue_by_id(struct catalogue *c, int64_t id);

/*
 * Rows of targets and drives that changed.  What can be told from the points of the
 * round's last poll (when it was seen, counters) is no change.
 */
int catalogue_write(struct store *s, const struct store_round *r, struct err *e);

/* Number of a place, made where there is none; -1 with the reason. */
int64_t catalogue_place(struct store *s, const char *host, const char *bay, struct err *e);

/* A drive was in a place at this poll. */
int catalogue_stay(
	struct store *s, struct known_drive *d, int64_t place, int64_t poll, struct err *e);

/* Writes how long the stay of a drive goes on at least. */
int catalogue_keep_stay(struct store *s, int64_t drive, int64_t last_poll, struct err *e);

#endif
