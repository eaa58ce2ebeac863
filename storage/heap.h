/* SPDX-License-Identifier: MIT */
/*
 * heap: rounds put together, as they wait for the disk.  All zeros is an empty one.  For writer.c,
 * which says which thread has which heap.
 */
#ifndef STORAGE_HEAP_H
#define STORAGE_HEAP_H

#include "model/history.h"
#include "storage/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap {
	uint64_t ticket; /* of the last one; 0: empty */
	bool urgent;
	size_t n_polls, n_bytes; /* of all polls */
	struct store_poll *polls;
	struct history history;
	struct alerts alerts;
	struct silences silences;
	struct events events;
	bool has_history, has_alerts, has_silences;
	int64_t at_wall_ms;
	char *document;
	size_t n_notices, n_released; /* the first ones may be told already */
	struct store_notice *notices;
	size_t n_told;
	struct store_told *told;
};

void heap_release(struct heap *h);

/* All of the second, which is newer, goes to the first. */
void heap_join(struct heap *to, struct heap *more);

/* Drops the oldest polls as long as there are more than WRITER_POLLS_BYTES_MAX of them; how many. */
size_t heap_drop_oldest(struct heap *h);

/* A poll and a notice are the heap's from now on; what else is added is copied. */
void heap_add_poll(struct heap *h, const struct store_poll *p);
void heap_add_notice(struct heap *h, struct store_notice n);
void heap_add_events(struct heap *h, const struct events *ev);
void heap_add_told(struct heap *h, const struct store_told *told, size_t n);

struct store_notice notice_copy(const struct store_notice *n); /* to be released */
void notice_release(struct store_notice *n);

#endif
