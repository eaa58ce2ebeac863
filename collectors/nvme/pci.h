/* SPDX-License-Identifier: MIT */
/*
 * pci: PCI addresses and the way up from a device to the root, read off resolved sysfs paths
 * ("devices/pci0000:40/0000:40:01.1/0000:41:00.0").
 */
#ifndef COLLECTORS_NVME_PCI_H
#define COLLECTORS_NVME_PCI_H

#include <stdbool.h>
#include <stddef.h>

enum { NV_ADDRESS_MAX = 24 };

/* True for "0000:41:00.0" and for domains of more digits ("10000:e1:00.0", Intel VMD). */
bool nv_pci_is_address(const char *s);

/* The address without its function, as bus/pci/slots has it ("0000:41:00"). */
bool nv_pci_without_function(const char *address, char *out, size_t size);

/* True for the made-up domains from 0x10000 up, in which Intel VMD shows its drives. */
bool nv_pci_is_vmd_domain(const char *address);

/*
 * Goes from a device to the bridge above it, in place.  False at a root bus: a host bridge, or
 * the VMD endpoint that is no hop of the drive's way.
 */
bool nv_pci_up(char *path);

/*
 * The addresses on a device's way, from the root port down to it, slashes between them
 * ("0000:40:01.1/0000:41:00.0").  What does not fit is left out at the root's end.
 */
void nv_pci_way(const char *path, char *out, size_t size);

#endif
