/* SPDX-License-Identifier: MIT */
/*
 * pcie: which PCIe device is which drive: by the function that a Drive names, by serial number,
 * by the Drives that a function names; and devices that stand for a drive which tells nothing.
 * A part of the survey; like it, run again after each answer.
 */
#ifndef REDFISH_PCIE_H
#define REDFISH_PCIE_H

#include "collectors/redfish/survey.h"

/* Takes the device of a drive that names its function. */
void rf_pcie_claim_linked(struct rf_survey *s, struct rf_drive *d);

/* Looks through the PCIe devices of chassis and system, where drives are left that tell no link or nothing at all. */
void rf_pcie_explore(struct rf_survey *s);

/*
 * A device that is not read at every poll may tell of a link as it was: where drive and device
 * contradict each other, the device is wanted anew.
 */
void rf_pcie_recheck(struct rf_survey *s);

#endif
