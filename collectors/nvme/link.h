/* SPDX-License-Identifier: MIT */
/*
 * link: what sysfs says of a PCIe link: negotiated and possible speed and width of a device
 * and of the port above it, error counts of both ends, and whether the device sleeps.
 *
 * Kernels spell speeds "8 GT/s" (to 5.6), "8.0 GT/s PCIe" (from 5.7), "Unknown speed" or
 * "Unknown"; widths 0, 63 and 255 are no widths.  A placeholder voids the value read with it.
 */
#ifndef COLLECTORS_NVME_LINK_H
#define COLLECTORS_NVME_LINK_H

#include "collectors/nvme/sysfs.h"
#include "model/pcie_link.h"
#include "model/snapshot.h"

/* The link between the device at a resolved path and the port above it. */
struct pcie_link nv_link_read(const struct nv_sysfs *s, const char *device);

/*
 * The links further up (uplinks of switches), each once in the snapshot, with the bay among those
 * that share it.  Tunnelled ones (Thunderbolt, USB4) have made-up figures and are not known.
 */
void nv_link_read_hops(const struct nv_sysfs *s, const char *device, const char *bay, struct snapshot *out);

/*
 * Adds the errors that both ends of a link have counted (aer_dev_correctable and so on).  `alone`:
 * the device is all there is below the port, so what a root port received came from it.
 */
void nv_aer_read(const struct nv_sysfs *s, const char *device, const char *port, bool alone, struct pcie_link *l);

#endif
