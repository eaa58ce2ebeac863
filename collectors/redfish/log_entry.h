/* SPDX-License-Identifier: MIT */
/*
 * log_entry: what one record of a BMC's log, or one event that it sends, says of drives: whether it
 * is about storage at all, how grave it is, what it means, and which bay it names.  Pure.
 */
#ifndef REDFISH_LOG_ENTRY_H
#define REDFISH_LOG_ENTRY_H

#include "model/event.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Fills e with a bmc-log event; false if the record is not about drives or their links: fans, logins
 * (our own among them) and the like.  `to` is the word of what it means, where that is known; `bay`
 * the number that the text names, which is still to be held against the bays that there are.
 */
bool rf_log_entry_read(const json_t *entry, const char *log, struct event *e);

/* A number for the record's content: two readings of one record have the same, whatever its Id has become. */
uint64_t rf_log_entry_key(const json_t *entry);

/* The drive that a record names by a link; NULL if it names none. Borrowed. */
const char *rf_log_entry_origin(const json_t *entry);

#endif
