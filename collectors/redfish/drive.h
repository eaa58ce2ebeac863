/* SPDX-License-Identifier: MIT */
/*
 * drive: a Drive resource and its metrics to a bay, after the standard (DSP2046: Drive,
 * DriveMetrics, EnvironmentMetrics).  What makers do otherwise is in their dialects.
 */
#ifndef REDFISH_DRIVE_H
#define REDFISH_DRIVE_H

#include "collectors/redfish/survey.h"
#include "model/bay.h"

/* Fills a bay from a drive; the link and the bay's name are others' work. */
void rf_drive_read(const struct rf_survey *s, const struct rf_drive *d, struct bay *b);

/* The name of the bay that a drive is in, by ordinal or label; false if it tells none. */
bool rf_drive_bay_name(const struct rf_drive *d, char *out, size_t size);

/* True if a Drive tells nothing but that it is listed. */
bool rf_drive_is_stub(const json_t *doc);

/* True if two resources have one serial number. */
bool rf_drive_same_serial(const json_t *a, const json_t *b);

/* A percentage from 0 to 100 in a number field; NAN for text, null and all that is out of range. */
double rf_percent(const json_t *j);

/* Sets life left and used of a bay from a life-left percentage, if it is one. */
void rf_drive_set_life_left(struct bay *b, double percent);

#endif
