/* SPDX-License-Identifier: MIT */
/*
 * ceiling: what links, sets of drives, uplinks, vdevs and pools can carry at most, and
 * whether a claimed throughput can have come from them.  Pure; no I/O.
 *
 * All rates are bytes per second, read and write apart, NAN where not known.  They are line
 * rates after coding: protocol takes about a tenth more, so nothing real reaches them.
 */
#ifndef MODEL_CEILING_H
#define MODEL_CEILING_H

#include "base/err.h"
#include "model/pcie_link.h"

#include <stdbool.h>
#include <stddef.h>

struct ceiling {
	double read, write;
};

struct ceiling ceiling_unknown(void);

/* Of a link, both directions alike; what the drive itself is rated for caps it where given (NAN: not). */
struct ceiling ceiling_of_link(struct pcie_rate now, struct ceiling rated);

/* The smaller of a ceiling and what a drive is rated for, as far as that is given. */
struct ceiling ceiling_capped(struct ceiling c, struct ceiling rated);

/* Of what lies behind a shared uplink: the smaller of the two; unknown if either is. */
struct ceiling ceiling_behind(struct ceiling members, struct ceiling uplink);

/* A set of drives, or of vdevs: the sum of those that are known, and how many are not. */
struct ceiling_sum {
	struct ceiling known;
	size_t n, n_unknown;
};

void ceiling_add(struct ceiling_sum *s, struct ceiling member);

/* The sum, unknown if any member is or there is none. */
struct ceiling ceiling_total(const struct ceiling_sum *s);

enum layout_kind { LAYOUT_UNKNOWN = 0, LAYOUT_DISK, LAYOUT_MIRROR, LAYOUT_RAIDZ, LAYOUT_DRAID };

struct layout {
	enum layout_kind kind;
	int parity;		   /* raidz and draid */
	int data, children, spares; /* draid alone */
};

/*
 * "disk", "mirror-0", "raidz", "raidz2-1", "draid2:4d:11c:1s-0" as zpool names top-level
 * vdevs (zpoolconcepts(7)); false for anything else.
 */
bool layout_parse(const char *name, struct layout *out);

struct ceiling_member {
	struct ceiling can;
	bool missing; /* faulted, removed, taken offline: it carries nothing */
};

/*
 * Streaming ceiling of a vdev of n members, the missing ones counted in: a mirror writes at its
 * slowest and reads at the sum; raidz moves (n - parity) times its slowest; draid
 * (children - spares) x data / (data + parity) times its slowest.  Unknown if a live member is,
 * 0 if too many are missing for the layout.
 */
struct ceiling ceiling_of_vdev(const struct layout *l, const struct ceiling_member *members, size_t n);

/*
 * The member that sets the pace; n if none is live and known, or if all live ones are alike to
 * within one percent.
 */
size_t ceiling_slowest(const struct ceiling_member *members, size_t n);

enum claim_verdict {
	CLAIM_UNKNOWN = 0, /* the ceiling is not known, or only part of it and the claim is above that */
	CLAIM_POSSIBLE,	   /* below the ceiling; that proves nothing */
	CLAIM_UNLIKELY,	   /* more than the protocol leaves of the links (92 %) */
	CLAIM_IMPOSSIBLE,  /* above the links: it did not come from the drives */
};

struct claim {
	enum claim_verdict verdict;
	double percent; /* of the ceiling; NAN not known */
	char message[256];
};

/* Holds a rate against the sum of the links concerned; `write` says which direction. */
struct claim claim_check(double bytes_per_second, const struct ceiling_sum *links, bool write);

/* "possible", "unlikely", "impossible", "unknown". */
const char *claim_word(enum claim_verdict v);

/*
 * "157GB/s", "74.4 GiB/s", "252 Gb/s", "3500MB/s", "10Gbit/s", "12 GBps"; b is bits, B is bytes.
 * -1 with one sentence for anything else; a unit must be given.
 */
int claim_parse(const char *s, double *bytes_per_second, struct err *e);

#endif
