/* SPDX-License-Identifier: MIT */
/*
 * stream: server-sent events out of the bytes that come (WHATWG HTML, section 9.2).  A line has at
 * most 64 KiB and an event 1 MiB (SECURITY.md, R12); past one of them the stream is broken.  Pure.
 */
#ifndef REDFISH_STREAM_H
#define REDFISH_STREAM_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RF_STREAM_LINE_MAX = 64 * 1024,
	RF_STREAM_EVENT_MAX = 1024 * 1024,
	RF_STREAM_RETRY_MIN_MS = 1000,
	RF_STREAM_RETRY_MAX_MS = 10 * 60 * 1000,
};

struct rf_stream {
	struct buf line, data;
	char last_id[64];   /* of the last event that was whole; "" none, or one that is no plain text */
	char id[64];	    /* of the event that is being read */
	int64_t retry_ms;   /* what the service asked for, within the limits; 0: nothing */
	bool after_cr;	    /* a line ended with CR: an LF that follows belongs to it */
	bool has_data;
	size_t n_events;
};

void rf_stream_init(struct rf_stream *s);
void rf_stream_release(struct rf_stream *s);

/* A new connection: what was not whole is forgotten, last_id and retry_ms stay. */
void rf_stream_restart(struct rf_stream *s);

/* Takes bytes and calls event(arg, text, len) for each event that is whole with them; false past a limit. */
bool rf_stream_feed(struct rf_stream *s, const char *bytes, size_t len,
	void (*event)(void *arg, const char *data, size_t len), void *arg);

#endif
