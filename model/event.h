/* SPDX-License-Identifier: MIT */
/* event: one thing that happened, EVENT of the contract, and lists of them.  Pure. */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include <stddef.h>
#include <stdint.h>

enum event_type {
	EVENT_UNKNOWN = 0,
	EVENT_DRIVE_ADDED,
	EVENT_DRIVE_REMOVED,
	EVENT_DRIVE_MOVED,
	EVENT_DRIVE_REPLACED,
	EVENT_FIRMWARE_CHANGED,
	EVENT_COUNTER_RESET,
	EVENT_LINK_CHANGED,
	EVENT_LINK_FLAPPING,
	EVENT_VERDICT_CHANGED,
	EVENT_TARGET_UNREACHABLE,
	EVENT_TARGET_RECOVERED,
	EVENT_BMC_LOG,
	EVENT_DRIVE_NOT_ANSWERING,
	EVENT_DRIVE_DEAD,
	EVENT_POOL_CHANGED,
	EVENT_STORE_FULL,
	EVENT_STORE_RECOVERED,
	EVENT_CLOCK_JUMP,
};

enum severity {
	SEVERITY_UNKNOWN = 0,
	SEVERITY_INFO,
	SEVERITY_WARNING,
	SEVERITY_CRITICAL
};

/* Texts are "" where they do not apply. */
struct event {
	int64_t id; /* given by the store; 0 before */
	int64_t at_wall_ms;
	enum event_type type;
	enum severity severity;
	char target[64], host[96], bay[64], serial[64];
	char from[96], to[96];
	char message[256];
	char source_id[64];
};

struct events {
	size_t n;
	struct event *items;
};

void events_release(struct events *ev);

/* A new event; valid until the next is added. */
struct event *events_add(struct events *ev, int64_t at_wall_ms, enum event_type type,
	enum severity severity);

const char *event_type_word(enum event_type t); /* NULL for unknown */
enum event_type event_type_of(const char *word);
const char *severity_word(enum severity s);
enum severity severity_of(const char *word);

#endif
