/* SPDX-License-Identifier: MIT */
/*
 * scan: the NVMe controllers of a machine and their namespaces, from sysfs alone; no command
 * is sent to a drive.  nvme0n1 need not belong to nvme0: with multipath its number is the
 * subsystem's, so both are joined by the subsystem they hang below.
 */
#ifndef COLLECTORS_NVME_SCAN_H
#define COLLECTORS_NVME_SCAN_H

#include "collectors/nvme/pci.h"
#include "collectors/nvme/sysfs.h"
#include "model/drive.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One controller: one way to a drive. */
struct nv_controller {
	char name[24];		  /* "nvme0" */
	char subsystem[32];	  /* "nvme-subsys0", "" where the kernel has none */
	char path[NV_PATH_MAX];	  /* resolved */
	char device[NV_PATH_MAX]; /* of the PCI function that has the link; "" for all that is no PCIe */
	char address[NV_ADDRESS_MAX];
	char serial[64], model[96], firmware[32];
	char transport[16]; /* pcie, tcp, rdma, fc, loop */
	char where[128];    /* address as the transport spells it */
	enum drive_state state;
	bool may_ask; /* live: it answers commands */
	bool virtual_function;
	size_t bay; /* of its drive, counted as machine.h has them */
};

/* A namespace, or one path to it (`hidden`: nvme0c1n1), which only tells of I/O. */
struct nv_namespace {
	char name[24];
	char subsystem[32], controller[24]; /* one of the two */
	char path[NV_PATH_MAX];		    /* resolved */
	bool hidden;
	uint64_t bytes;
	uint64_t series; /* no two disks have the same one (5.15 and later); 0: not known */
	size_t bay; /* likewise; SIZE_MAX: of no drive that is known */
};

struct nv_scan {
	size_t n_controllers, n_namespaces;
	struct nv_controller *controllers; /* in natural order */
	struct nv_namespace *namespaces;
};

/* Reads all of it; a machine without NVMe has none. -1 if the root is no sysfs at all. */
int nv_scan_read(const struct nv_sysfs *s, struct nv_scan *out, struct err *e);
void nv_scan_release(struct nv_scan *scan);

/* True if both controllers lead to the same drive. */
bool nv_scan_same_drive(const struct nv_controller *a, const struct nv_controller *b);

/* True if the namespace belongs to the drive behind the controller. */
bool nv_scan_belongs(const struct nv_namespace *n, const struct nv_controller *c);

#endif
