/* SPDX-License-Identifier: MIT */
/*
 * change: what happened between the last round and this one, as events: EVENT of the
 * contract.  Identity is settled here: which drive of now is which of before, also when a
 * serial number fails to read for one poll.  Pure.
 */
#ifndef MODEL_CHANGE_H
#define MODEL_CHANGE_H

#include "model/event.h"
#include "model/history.h"

#include <stdint.h>

/* The wall clock jumped by so much (history_tick). */
void change_clock_jumped(const struct history *h, int64_t jump_ms, struct events *ev);

/*
 * Holds `now` (finished, with what was carried) against what is remembered: adds the
 * events, settles drive.id, link.changes and media_errors_rising of its bays, and
 * remembers it.
 */
void change_reconcile(struct history *h, const struct wear_limits *limits,
	struct inventory *now, struct events *ev);

#endif
