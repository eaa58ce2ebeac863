/* SPDX-License-Identifier: MIT */
/*
 * bay: one place of a host, the drive in it, and what is said of it: a row of the table,
 * an object of `bays`.  A plain value, copied with `=`.
 */
#ifndef MODEL_BAY_H
#define MODEL_BAY_H

#include "model/ceiling.h"
#include "model/drive.h"
#include "model/pcie_link.h"
#include "model/throughput.h"
#include "model/verdict.h"
#include "model/wear.h"

#include <stdbool.h>
#include <stdint.h>

enum bay_role { ROLE_UNKNOWN = 0, ROLE_DATA, ROLE_BOOT, ROLE_LOG, ROLE_CACHE, ROLE_SPECIAL, ROLE_SPARE };

/* Notes as bits; words in note_word(). */
enum note {
	NOTE_DUPLICATE_SERIAL = 1 << 0,
	NOTE_NOT_SEEN_BY_HOST = 1 << 1,
	NOTE_NOT_SEEN_BY_BMC = 1 << 2,
	NOTE_SOURCES_DISAGREE = 1 << 3,
	NOTE_WEAR_SOURCES_DISAGREE = 1 << 4,
	NOTE_BMC_HEALTH_CONTRADICTS_SMART = 1 << 5,
	NOTE_LIFE_LEFT_NOT_CREDIBLE = 1 << 6,
	NOTE_CAPACITY_SUSPECT = 1 << 7,
	NOTE_WEAR_RATE = 1 << 8,
	NOTE_VMD_DOMAIN = 1 << 9,
	NOTES_END = 1 << 10,
};

enum { BAY_SENSORS_MAX = 8 };

struct bay {
	char target[64];
	char host[96];
	char bay[64];	    /* what is printed on the chassis, else the PCI address */
	char location[128]; /* the source's own words */
	char slot[64];	    /* name of the slot it was found in, shared by the drives of one card; "" none */
	enum tri present;   /* TRI_UNKNOWN: the source could not tell */
	bool expected;	    /* the operator said that this bay exists */
	enum bay_role role;
	bool has_drive;
	struct drive drive;
	struct pcie_link link;
	bool pcie; /* the drive has a PCIe link of its own; else the verdict is not-applicable */
	struct judgement judged;
	bool has_policy, require_present;
	char policy[64];
	struct pcie_rate policy_rate;
	struct wear wear;
	struct ceiling rated;	   /* what the operator knows of its model; NAN not given */
	struct wear_limits wear_limits; /* that hold for it; 0 before it was judged */
	enum reason wear_unread;   /* why wear and health could not be read */
	bool media_errors_rising;
	struct health health;
	char bmc_health[24];	   /* spelt as the BMC does */
	double temperature_c;	   /* NAN not known */
	double sensors_c[BAY_SENSORS_MAX]; /* sensor 1 first; NAN absent */
	enum tri busy;		   /* requests in flight, or I/O since the last poll */
	struct count io_done;	   /* requests completed since start, for `busy` over two polls */
	struct io_counters io;	   /* what its block devices have moved; not known from afar */
	struct throughput throughput; /* since the poll before, by history */
	bool seen_fast_while_busy;
	bool stale; /* the last known values, not this poll's */
	int64_t observed_wall_ms;
	unsigned notes; /* bits of enum note */
	unsigned outlier; /* bits of enum outlier: out of line with its neighbours */
};

/* A bay of which nothing is known but its name. */
struct bay bay_unknown(const char *target, const char *host, const char *name);

const char *bay_role_word(enum bay_role r); /* NULL for unknown */
enum bay_role bay_role_of(const char *word);
const char *note_word(enum note bit);
unsigned note_of(const char *word); /* 0 if it is none */

#endif
