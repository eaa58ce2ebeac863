/* SPDX-License-Identifier: MIT */
/*
 * bay_map: what is printed on the chassis, for machines whose firmware numbers its slots wrongly or
 * not at all: the operator's own list of bays by the PCI path, or by the name of the slot, that the
 * kernel shows them under.
 *
 * A PCI path is that of a place and not of the drive in it: "0000:40:01.1", the port that the bay is
 * wired to, or "0000:40:01.1/00.0/04.0", which goes down from a port by device and function and does
 * not change when buses are numbered anew.
 */
#ifndef MODEL_BAY_MAP_H
#define MODEL_BAY_MAP_H

#include "base/err.h"
#include "model/bay.h"

#include <stdbool.h>
#include <stddef.h>

struct bay_place {
	char bay[64];
	char slot[64];	/* "" where it is found by its path */
	char path[128]; /* "" where it is found by its slot */
};

struct bay_map {
	char host[96]; /* pattern for the machines that it is for */
	size_t n;
	struct bay_place *places;
};

/*
 * Adds "BAY = PCI PATH" or "BAY = slot NAME"; -1 with what is wrong: a form that is none of these,
 * or a bay or a place that is there already.
 */
int bay_map_add(struct bay_map *m, const char *text, struct err *e);
void bay_map_release(struct bay_map *m);

/*
 * The place of a drive, NULL if it is in none.  The nearest path on the drive's way up counts,
 * then the slot.
 */
const struct bay_place *bay_map_find(const struct bay_map *m, const struct bay *b);

#endif
