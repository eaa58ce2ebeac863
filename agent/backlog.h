/* SPDX-License-Identifier: MIT */
/*
 * backlog: what could not be stored yet: polls up to a ceiling, the oldest of which are
 * lost first and counted, and events, which are all kept.
 */
#ifndef AGENT_BACKLOG_H
#define AGENT_BACKLOG_H

#include "model/event.h"
#include "storage/store.h"

#include <stddef.h>
#include <stdint.h>

enum { BACKLOG_BYTES_MAX = 16 << 20 };

struct backlog {
	size_t n, n_bays;         /* polls that wait, and the bays in them */
	struct store_poll *polls; /* oldest first; each owns its bays */
	struct events events;
	uint64_t dropped; /* polls that were lost, ever */
};

void backlog_release(struct backlog *b);

/* Copies the bays of a poll that hold drives. */
void backlog_add_poll(struct backlog *b, const struct store_poll *p);
void backlog_add_events(struct backlog *b, const struct events *ev);

#endif
