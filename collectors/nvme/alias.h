/* SPDX-License-Identifier: MIT */
/*
 * alias: the lasting names that udev gives to whole namespaces below /dev/disk/by-id, or that
 * by-id.json of a recording has.  Links are read, nothing is opened.
 */
#ifndef COLLECTORS_NVME_ALIAS_H
#define COLLECTORS_NVME_ALIAS_H

#include "model/snapshot.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct nv_alias {
	char name[DRIVE_NAME_MAX];
	char device[24]; /* "nvme0n1" */
};

struct nv_aliases {
	size_t n;
	struct nv_alias *items; /* in natural order of the names */
	uint64_t mark;		/* of the folder they were read from */
};

/* Names of NVMe namespaces in a folder of links, read where they are not there yet or a link came, went or was replaced. */
void nv_aliases_refresh(struct nv_aliases *a, const char *folder);

/* The same from by-id.json in the folder of a recorded target; what is wrong with it is an error of the target. */
void nv_aliases_of_recording(const char *folder, struct nv_aliases *out, struct target *t);

/* Gives each drive of the snapshot the names of its namespaces, as many as it holds. */
void nv_aliases_fill(const struct nv_aliases *a, struct snapshot *s);

/* {NAME: DEVICE}, as by-id.json has them; the caller's to json_decref(). */
json_t *nv_aliases_map(const struct nv_aliases *a);

void nv_aliases_release(struct nv_aliases *a);

#endif
