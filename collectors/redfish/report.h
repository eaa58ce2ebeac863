/* SPDX-License-Identifier: MIT */
/*
 * report: a complete survey to a snapshot: the target, one bay for each drive (however often
 * it is listed), empty bays from slots, and what could not be read.
 */
#ifndef REDFISH_REPORT_H
#define REDFISH_REPORT_H

#include "collectors/redfish/survey.h"
#include "model/snapshot.h"

/* Fills an initialised snapshot; its target's name, host and url are the caller's work. */
void rf_report(const struct rf_survey *s, struct snapshot *out);

#endif
