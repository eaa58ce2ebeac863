/* SPDX-License-Identifier: MIT */
/*
 * machine: what the drives of an inventory can carry together: each drive by its link, what lies
 * behind a shared uplink at most what the uplink carries.
 */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include "model/ceiling.h"
#include "model/inventory.h"

struct machine_drive {
	const struct bay *bay; /* of the inventory; NULL where its bays are at rest */
	char host[96], name[64]; /* of the bay */
	char controller[16], serial[64];
	struct ceiling can;    /* of its link, or of both where it has two ports, and what it is rated for; NAN not known */
	double link_bps;       /* of its links alone, one direction */
	bool counted;	       /* has a PCIe link of its own */
};

struct machine_uplink {
	const struct hop *hop; /* of the inventory */
	size_t n_drives;
	struct ceiling members, link, can;
};

struct machine {
	size_t n_drives, n_uplinks;
	struct machine_drive *drives;
	struct machine_uplink *uplinks;
	struct ceiling_sum sum;	  /* n counts drives */
	bool rated_limits;	  /* a drive is rated for less than its link carries */
	bool uplinks_limit;	  /* an uplink carries less than the drives behind it */
};

/* Takes the drives for which `chosen` is true (NULL: all); borrows from the inventory. */
void machine_read(struct machine *m, const struct inventory *inv, bool (*chosen)(const void *arg, const struct bay *b),
	const void *arg);
void machine_release(struct machine *m);

#endif
