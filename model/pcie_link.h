/* SPDX-License-Identifier: MIT */
/*
 * pcie_link: what is known of one PCIe link: negotiated now, what the drive can do, what
 * the slot (or the port above) can do, and where each value came from.
 *
 * Speeds are MT/s for each lane (32000 is Gen5), widths are lanes; 0 is "not known".
 */
#ifndef MODEL_PCIE_LINK_H
#define MODEL_PCIE_LINK_H

#include "model/count.h"
#include "model/reason.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pcie_rate {
	int speed_mtps;	 /* for each lane; 0 not known */
	int width_lanes; /* 0 not known */
};

/* A property as its source spelt it, for `raw`. */
struct pcie_raw {
	char property[48];
	char value[32];
};

struct pcie_view {
	char target[64];
	struct pcie_rate now;
};

/* Correctable errors by kind, in the order of the bits of the Correctable Error Status Register (PCIe 6.0, 7.8.4.5). */
enum pcie_error {
	PCIE_RX_ERR = 0,
	PCIE_BAD_TLP,
	PCIE_BAD_DLLP,
	PCIE_ROLLOVER,
	PCIE_TIMEOUT,
	PCIE_NON_FATAL_ERR,
	PCIE_CORR_INT_ERR,
	PCIE_HEADER_OF,
	PCIE_ERROR_KINDS,
};

/* What one end of a link has counted since it was found. */
struct pcie_errors {
	struct count correctable, nonfatal, fatal;
	bool kinds_known;
	uint64_t kinds[PCIE_ERROR_KINDS];
};

enum { PCIE_RAW_MAX = 8, PCIE_VIEWS_MAX = 4, PCIE_FROM_MAX = 192 };

struct pcie_link {
	struct pcie_rate now, max, slot;
	enum reason doubt;	/* why `now` is not known, where the source told */
	bool power_saving_said; /* the device says so: runtime suspended, or not in D0 */
	int changes;		/* link changes seen by the agent; -1 not counted */
	struct count aer_correctable, aer_nonfatal, aer_fatal; /* of both ends */
	struct pcie_errors aer_device, aer_port;
	char now_from[PCIE_FROM_MAX]; /* resource path, or sysfs file; "" where nothing was read */
	char max_from[PCIE_FROM_MAX];
	char slot_from[PCIE_FROM_MAX];
	size_t n_raw, n_views;
	struct pcie_raw raw[PCIE_RAW_MAX];
	struct pcie_view views[PCIE_VIEWS_MAX]; /* what each target saw, when more than one did */
};

/* A link by its rates alone: what is kept of a drive's other ports. */
struct pcie_ends {
	struct pcie_rate now, max, slot;
	enum reason doubt;
};

/* A link of which nothing is known; changes is -1. */
struct pcie_link pcie_link_unknown(void);

struct pcie_ends pcie_link_ends(const struct pcie_link *l);

/* The link of these rates; what else a link tells is not known. */
struct pcie_link pcie_link_of_ends(const struct pcie_ends *e);

/* Keeps a property as given; past PCIE_RAW_MAX it is dropped. */
void pcie_link_add_raw(struct pcie_link *l, const char *property, const char *value);

/* "RxErr", "BadTLP", ... as the kernel spells them. */
const char *pcie_error_word(enum pcie_error k);

/* True if anything was counted, be it 0. */
bool pcie_errors_known(const struct pcie_errors *e);

/* True if any of speed, width, maximum or slot is known. */
bool pcie_link_known(const struct pcie_link *l);

/*
 * Readings that void themselves (verdict rule 3).  A figure that no link can have (width 63,
 * 12345 MT/s) is a placeholder and voids its pair; a current value above what the drive or the
 * slot can do contradicts it and voids `now`.  The doubt is REASON_PLACEHOLDER or
 * REASON_CONTRADICTORY then.
 */
void pcie_link_check(struct pcie_link *l);

/*
 * Speed in MT/s of any spelling: "32.0 GT/s PCIe", "8 GT/s", "Gen4", "gen5", "16.0 GT/s",
 * a bare "16" is none.  0 for "Unknown", "N/A", "" and all other text.  Only real PCIe speeds
 * (2.5, 5, 8, 16, 32, 64 GT/s) count.
 */
int pcie_speed_parse(const char *s);

/* MT/s of a rate in GT/s, within 1 %, also after line coding is taken off by the caller; 0 if it is no PCIe speed. */
int pcie_speed_from_gts(double gts);

/* MT/s of one lane's payload in Gbit/s (7.877, 15.754, 31.508 ... within 1 %); 0 if it is none. */
int pcie_speed_from_coded_gbps(double gbps);

/* Lanes of "4", "x4", "X4"; 0 for "0", "255", "63", "None", "N/A" and all else. Legal: 1 2 4 8 12 16 32. */
int pcie_width_parse(const char *s);

/* The number itself if it is a legal width, else 0. */
int pcie_width_from_int(int64_t lanes);

/* "2.5", "5", "8", "16", "32", "64"; "?" if not known. */
const char *pcie_speed_text(int speed_mtps);

/* PCIe generation 1..6, 0 if not known. */
int pcie_generation(int speed_mtps);

/*
 * Bytes per second that the link can carry in one direction after line coding (8b/10b up to
 * 5 GT/s, 128b/130b from 8 to 32 GT/s, 242/256 at 64 GT/s; PCI Express Base Specification 6.0,
 * chapters 2 and 4), before protocol overhead.  0 if speed or width is not known.
 */
double pcie_bandwidth(struct pcie_rate r);

#endif
