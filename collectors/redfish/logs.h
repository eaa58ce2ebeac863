/* SPDX-License-Identifier: MIT */
/*
 * logs: the records about drives that came into a BMC's log since it was last read.
 *
 * One log is chosen of those that system and manager offer (lifecycle log, IML, event log, SEL, ...).
 * It is read from its newest record back to one that is known, or from the known one on where the
 * oldest comes first; at most RF_LOG_PAGES_MAX pages a reading.  At the first contact only what is
 * newest is remembered: the past of a machine is no news.  Which records are known stands in a note
 * in the state folder, written only when the next reading begins: what was read and could not be
 * stored any more is read again after a restart.  On the loop's thread.
 */
#ifndef REDFISH_LOGS_H
#define REDFISH_LOGS_H

#include "collectors/redfish/session.h"
#include "collectors/redfish/survey.h"
#include "model/snapshot.h"

#include <stdbool.h>

enum { RF_LOG_PAGES_MAX = 20, RF_LOG_EVENTS_MAX = 200 };

struct rf_logs;

/* The session is borrowed and outlives it. */
struct rf_logs *rf_logs_new(struct rf_session *session);
void rf_logs_free(struct rf_logs *l);

/*
 * Begins a reading, if it is time for one: true if it is under way; then done(arg) is called, from
 * the loop, when it has ended.  The survey is borrowed until then.
 */
bool rf_logs_read(struct rf_logs *l, const struct rf_survey *s, void (*done)(void *arg), void *arg);

/* The next rf_logs_read() reads, whatever the time: something was heard. */
void rf_logs_hurry(struct rf_logs *l);

/* Ends a reading without its done(); what it had read so far is read again. */
void rf_logs_cancel(struct rf_logs *l);

/* Adds what the reading found to the snapshot, with the bays of its drives where they can be told. */
void rf_logs_report(struct rf_logs *l, const struct rf_survey *s, struct snapshot *out);

#endif
