/* SPDX-License-Identifier: MIT */
/*
 * zpool: what zpool(8) prints, as pools: `status` in text (OpenZFS of all ages, FreeBSD,
 * illumos, zfs-fuse) and in JSON (OpenZFS 2.3 and later), `list` and `iostat` as rows.
 *
 * Pure: text in, values out; nothing is looked up.  What a version does not say stays
 * unknown.  Zone of the dates is UTC: the agent runs zpool with TZ=UTC.
 */
#ifndef COLLECTORS_ZFS_ZPOOL_H
#define COLLECTORS_ZFS_ZPOOL_H

#include "base/err.h"
#include "model/pool.h"

#include <stddef.h>

struct zpool_pools {
	size_t n;
	struct pool *pools;
};

void zpool_pools_release(struct zpool_pools *ps);

/*
 * Reads the output of `zpool status`, text or JSON, or of `zpool list -j -v`.  Empty output and
 * "no pools available" are no pools.  -1 if it is none of these; *out needs no release then.
 */
int zpool_read_status(const char *text, size_t len, struct zpool_pools *out, struct err *e);

/* The two readers behind it. */
int zpool_read_text(const char *text, size_t len, struct zpool_pools *out, struct err *e);
int zpool_read_json(const char *text, size_t len, struct zpool_pools *out, struct err *e);

/* ---- list and iostat: rows ---- */

enum { ZPOOL_CELLS_MAX = 11 };

struct zpool_row {
	int block; /* which sample of iostat, from 0 */
	int depth; /* -1 where the form (-H) does not tell */
	enum pool_part part; /* PART_UNKNOWN for the pool itself, and where the form does not tell */
	char name[160];
	size_t n_cells;
	char cells[ZPOOL_CELLS_MAX][24]; /* as printed, "-" included */
};

struct zpool_rows {
	size_t n;
	struct zpool_row *rows;
	bool scripted; /* -H: cells are separated by tabs */
};

void zpool_rows_release(struct zpool_rows *r);

/* Reads `zpool list` or `zpool iostat` in any of their forms; -1 if it is neither. */
int zpool_read_rows(const char *text, size_t len, struct zpool_rows *out, struct err *e);

/* "1.49K", "0", "758G" (powers of 1024), "4096": NAN for "-" and all else. */
double zpool_number(const char *s);

/* Puts sizes of `zpool list` into the pools. */
void zpool_take_list(struct zpool_pools *ps, const struct zpool_rows *r);

/*
 * Puts the rates of the last sample of `zpool iostat -v` into the rows of the pools.  A lone
 * sample in columns is the average since the import, not a rate of now, and is left out; a lone
 * one of -H is what the agent asks for with -y.
 */
void zpool_take_iostat(struct zpool_pools *ps, const struct zpool_rows *r);

/* ---- shared by the readers ---- */

struct zpool_line {
	const char *s;
	size_t len;
};

/* Takes the next line off a text; false at its end. A carriage return at its end goes. */
bool zpool_next_line(const char **text, size_t *len, struct zpool_line *out);

/* Adds a pool; NULL past the limit. */
struct pool *zpool_add(struct zpool_pools *ps, const char *name);

/* "logs", "cache", "spares", "special", "dedup", "l2cache"; PART_UNKNOWN for all else. */
enum pool_part zpool_section(const char *word);

/* Reads the text behind "scan:" with its further lines; false if nothing was ever scanned. */
bool zpool_read_scan(const char *text, struct pool_scan *out);

/* "Sun Mar  1 01:36:45 2026", with or without a zone before the year; CLOCK_NEVER if it is none. */
int64_t zpool_time(const char *s);

struct pool_scan zpool_scan_unknown(void);

enum { ZPOOL_POOLS_MAX = 256, ZPOOL_NODES_MAX = 8192 };

#endif
