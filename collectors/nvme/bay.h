/* SPDX-License-Identifier: MIT */
/*
 * bay: which place of the machine a PCI device sits in: the name of the nearest slot on its way
 * up (bus/pci/slots), else its PCI address.
 */
#ifndef COLLECTORS_NVME_BAY_H
#define COLLECTORS_NVME_BAY_H

#include "collectors/nvme/pci.h"
#include "collectors/nvme/sysfs.h"

struct nv_slots {
	size_t n;
	struct nv_slot *items;
};

struct nv_slot {
	char name[64];
	char address[NV_ADDRESS_MAX]; /* domain:bus:device, without function */
};

void nv_slots_read(const struct nv_sysfs *s, struct nv_slots *out);
void nv_slots_release(struct nv_slots *slots);

/* The slot of a device by its resolved path, NULL if it is in none. */
const struct nv_slot *nv_slots_find(const struct nv_slots *slots, const char *device);

/* True if a slot has this name. */
bool nv_slots_has(const struct nv_slots *slots, const char *name);

#endif
