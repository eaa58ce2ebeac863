/* SPDX-License-Identifier: MIT */
/*
 * pool: ZFS pools: the tree that `zpool status` shows, and what follows from joining its
 * leaves to the drives of the host: ceilings by layout, the slowest member, what is missing,
 * which drives are log, cache, special or spare.
 *
 * A collector makes the tree and looks names up where it can (`device`); pools_finish() joins
 * it to the bays of the inventory.  Pure; the inventory owns the result.
 */
#ifndef MODEL_POOL_H
#define MODEL_POOL_H

#include "model/bay.h"
#include "model/ceiling.h"
#include "model/count.h"
#include "model/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* States of pools, groups, members and spares, as zpool-status(8) spells them. */
enum pool_state {
	POOL_STATE_UNKNOWN = 0,
	POOL_ONLINE,
	POOL_DEGRADED,
	POOL_FAULTED,
	POOL_OFFLINE,
	POOL_UNAVAIL,
	POOL_REMOVED,
	POOL_SUSPENDED,
	POOL_SPLIT,
	POOL_AVAIL, /* of a spare */
	POOL_INUSE, /* of a spare */
};

/* The section of the table in which a node stands. */
enum pool_part { PART_UNKNOWN = 0, PART_DATA, PART_DEDUP, PART_SPECIAL, PART_LOG, PART_CACHE, PART_SPARE };

enum pool_node_kind {
	NODE_UNKNOWN = 0,
	NODE_LEAF,
	NODE_DISTRIBUTED, /* a draid's spare space: a leaf without a drive of its own */
	NODE_MIRROR,
	NODE_RAIDZ,
	NODE_DRAID,
	NODE_REPLACING,
	NODE_SPARE,
};

/* One row of the tree.  Texts are "" where they are not known. */
struct pool_node {
	char name[160]; /* as printed */
	int depth;	/* 0 for a top-level vdev of its part; its members follow it one deeper */
	enum pool_part part;
	enum pool_node_kind kind;
	enum pool_state state;
	struct count read_errors, write_errors, checksum_errors;
	bool resilvering; /* its data are not complete yet */
	char note[128];	  /* what stands behind the columns, without the next */
	char was[192];	  /* where a member that is not there was */
	char path[192], devid[128], phys_path[96];
	char device[32]; /* kernel's name of the whole disk, where the collector could look it up */
	double read_bps, write_bps; /* NAN not known */
	/* by pools_finish() */
	char controller[16]; /* "nvme3" */
	char bay[64];	     /* of the same host */
	char serial[64];
};

enum pool_scan_function { SCAN_UNKNOWN = 0, SCAN_SCRUB, SCAN_RESILVER };
enum pool_scan_state { SCAN_STATE_UNKNOWN = 0, SCAN_RUNNING, SCAN_PAUSED, SCAN_FINISHED, SCAN_CANCELED };

struct pool_scan {
	enum pool_scan_function function;
	enum pool_scan_state state;
	char vdev[64]; /* of a sequential rebuild; "" the whole pool */
	double percent;			 /* NAN not known */
	int64_t duration_s, to_go_s;	 /* -1 not known */
	int64_t errors;			 /* -1 not known */
	int64_t started_wall_ms, ended_wall_ms, paused_wall_ms; /* CLOCK_NEVER not known */
	char amount[24]; /* repaired or resilvered, as printed: "758G" */
};

/* A top-level data vdev. */
struct pool_vdev {
	char name[160];
	char kind[16]; /* disk, mirror, raidz2, draid2 */
	enum pool_state health;
	char slowest[160]; /* the member that sets the pace; "" where all are alike or not known */
	double ceiling_bps, if_healthy_bps; /* of writing; NAN not known */
	double read_bps, write_bps;	    /* measured */
	size_t first, end;		    /* its rows in `nodes` */
};

/* Log, cache, special. */
struct pool_group {
	bool there;
	double ceiling_bps; /* of writing; NAN not known */
};

enum pool_hint {
	POOL_HINT_SLOW_MEMBER = 1 << 0,
	POOL_HINT_LOG_SLOWER = 1 << 1,
	POOL_HINT_NO_REDUNDANCY = 1 << 2,
	POOL_HINT_CORRELATED_WEAR = 1 << 3,
	POOL_HINTS_END = 1 << 4,
};

enum { POOL_SCANS_MAX = 2 };

struct pool {
	char target[64], host[96];
	char name[256];
	enum pool_state state;
	char status[256]; /* zpool's own sentence; "" all is well */
	int64_t data_errors; /* -1 not known */
	double size_bytes, alloc_bytes, free_bytes; /* NAN not known; size of a raidz counts parity */
	size_t n_scans, n_nodes, n_vdevs;
	struct pool_scan scans[POOL_SCANS_MAX];
	struct pool_node *nodes;
	bool stale;
	int64_t observed_wall_ms;
	/* by pools_finish() */
	struct pool_vdev *vdevs;
	struct pool_group log, cache, special;
	struct ceiling can;
	unsigned hints; /* bits of enum pool_hint */
};

struct pool pool_unknown(const char *name);
void pool_release(struct pool *p);

/* A copy that owns its own rows. */
struct pool pool_copy(const struct pool *p);

/* Adds an unknown row; valid until the next is added. */
struct pool_node *pool_add_node(struct pool *p, const char *name, enum pool_part part, int depth);

/* Settles the kinds, which follow from names and from who has members. Call it when all rows are there. */
void pool_settle_kinds(struct pool *p);

/* One past the last row below row i. */
size_t pool_node_end(const struct pool *p, size_t i);

bool pool_node_is_leaf(const struct pool_node *n);

/* UNAVAIL or REMOVED: it is not there. */
bool pool_node_missing(const struct pool_node *n);

/* The name for people: the controller where the drive is known, else as printed. */
const char *pool_node_label(const struct pool_node *n);

/* "raidz2", "mirror", "draid2", "disk" of a row; out holds 16 bytes. */
const char *pool_kind_text(const struct pool_node *n, char *out, size_t size);

/* ---- the join ---- */

/*
 * The kernel's name of the whole disk in a member's name or path: "/dev/nvme0n1p1" and "nvme0n1"
 * give "nvme0n1", "sda3" gives "sda".  False for every other kind of name.
 */
bool pool_device_of(const char *name, char *out, size_t size);

/* Cuts the partition that a by-* name or a label ends with: "-part1", "p1" behind a kernel name. */
void pool_cut_partition(char *name);

/*
 * Joins the leaf to one of the bays (all of one host): by the device, the PCI address in the
 * name, the serial number at its end.  NULL if none or more than one fits.
 */
const struct bay *pool_find_bay(const struct pool_node *n, const struct bay *bays, size_t n_bays);

/* Joins all leaves, computes the ceilings, sets the roles of the bays (all of one host). */
void pool_finish(struct pool *p, struct bay *bays, size_t n_bays);

/* The bay that pool_finish() joined a row to, NULL if none. */
const struct bay *pool_bay(const struct pool_node *n, const struct bay *bays, size_t n_bays);

/* What happens to the pool if the drive of row i is pulled now, as a sentence; "" if it is no leaf. */
void pool_if_pulled(const struct pool *p, size_t i, char *out, size_t size);

/*
 * How bad it is: critical where data are out of reach or damaged, or one more member would
 * take them; a warning where it is degraded; nothing where all is well.
 */
enum severity pool_severity(const struct pool *p);

/* "pool tank is DEGRADED; missing: nvme3; One or more devices ..." */
void pool_trouble(const struct pool *p, char *out, size_t size);

/* ---- words ---- */

const char *pool_state_word(enum pool_state s); /* NULL for unknown */
enum pool_state pool_state_of(const char *word);
const char *pool_part_word(enum pool_part p); /* data, dedup, special, log, cache, spare */
enum pool_part pool_part_of(const char *word);
const char *pool_node_kind_word(enum pool_node_kind k); /* leaf, mirror, raidz, ... */
enum pool_node_kind pool_node_kind_of(const char *word);
const char *pool_hint_word(enum pool_hint h);
unsigned pool_hint_of(const char *word);
const char *pool_scan_function_word(enum pool_scan_function f);
const char *pool_scan_state_word(enum pool_scan_state s);
enum pool_scan_function pool_scan_function_of(const char *word);
enum pool_scan_state pool_scan_state_of(const char *word);

#endif
