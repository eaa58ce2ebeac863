/* SPDX-License-Identifier: MIT */
/*
 * link: what a drive's PCIe link is, from the best source that a service offers: the PCIe
 * device that is the drive's own, the storage controller that is the drive, or what the
 * dialect knows.  The controller of an adapter is never taken for the drive's link.
 */
#ifndef REDFISH_LINK_H
#define REDFISH_LINK_H

#include "collectors/redfish/survey.h"
#include "model/pcie_link.h"

/* The link of a drive; where a value cannot be derived it stays unknown, with the reason in `doubt`. */
struct pcie_link rf_link_read(const struct rf_survey *s, const struct rf_drive *d);

/*
 * Reads a PCIeInterface object (DSP2046, PCIeDevice: PCIeInterface).  A placeholder voids the speed
 * and width that were read together with it; what is merely missing voids only itself.
 */
void rf_link_read_interface(const json_t *interface, const char *from, struct pcie_link *l);

/* Keeps a property as it was given, for `raw`, if the object has it. */
void rf_link_keep_raw(struct pcie_link *l, const json_t *object, const char *property);

#endif
