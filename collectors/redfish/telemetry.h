/* SPDX-License-Identifier: MIT */
/*
 * telemetry: SMART data of many drives out of one MetricReport (DSP2046: TelemetryService), in
 * place of a request for each drive, where the service has such reports.
 *
 * Dell's are known by name (NVMeSMARTData, StorageDiskSMARTData, StorageSensor), others' by their
 * definitions.  A service without them, or without the licence, is not asked again before the next
 * whole walk, a day later.  A value counts only if it is young by the BMC's own clock, and of the
 * drive that is in the bay now: what was measured before a drive came is its predecessor's.
 */
#ifndef REDFISH_TELEMETRY_H
#define REDFISH_TELEMETRY_H

#include "collectors/redfish/survey.h"

#include <jansson.h>
#include <stdbool.h>

/* What the reports of one BMC said last, and which drive was where. */
struct rf_telemetry;

struct rf_telemetry *rf_telemetry_new(void);
void rf_telemetry_free(struct rf_telemetry *t);

/*
 * To be called when all drives are read.  Wants the reports where they save requests, and reads
 * them once a round; true while they are under way.
 */
bool rf_telemetry_survey(struct rf_telemetry *t, struct rf_survey *s);

/*
 * What the reports say of a drive, in the words of DriveMetrics.NVMeSMART (and "CriticalWarning",
 * the bits of log page 02h); NULL if nothing that counts.  Borrowed until the next survey.
 */
json_t *rf_telemetry_of(const struct rf_telemetry *t, const struct rf_drive *d);

/* True if a report tells the wear of a drive: no request of its own is needed. */
bool rf_telemetry_covers(const struct rf_drive *d);

#endif
