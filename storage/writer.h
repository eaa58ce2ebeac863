/* SPDX-License-Identifier: MIT */
/*
 * writer: the one thread that writes the store, so that nobody waits for a disk.  It is handed
 * copies, which go into one heap until they are due: all of it is one transaction.  What cannot be
 * written stays in the heap and is tried again; of the polls in it the oldest are dropped and
 * counted, everything else is kept.
 *
 * All functions belong to the thread that opened it (the loop's), unless they say otherwise.
 */
#ifndef STORAGE_WRITER_H
#define STORAGE_WRITER_H

#include "storage/store.h"

struct writer;

/* Past this the oldest polls are dropped: a day of 24 drives, or half an hour of 1 200. */
enum { WRITER_POLLS_BYTES_MAX = 8 << 20 };

/*
 * Opens the store as STORE_WRITE_UNSEEN does, and begins; what the file holds is looked through in
 * the thread, before anything is written.  NULL with the reason; *fault may be NULL.
 */
struct writer *writer_open(const char *path, enum store_fault *fault, struct err *e);

/* Writes what is left, and is gone.  NULL is fine. */
void writer_close(struct writer *w);

/* Waits until the file was looked through: 1 it was damaged and a new one has begun, 0 it was not. */
int writer_await_look(struct writer *w);

/* In force from the next write on; polls wait for others up to commit_every_ms, everything else for nothing. */
void writer_limit(struct writer *w, const struct store_limits *limits, int64_t commit_every_ms);

/*
 * Hands over a round (store.h) and its poll, which is taken over and may be NULL; everything else
 * is copied.  `polls` of the round is not looked at.  Never waits.  Returns its ticket.
 */
uint64_t writer_put(struct writer *w, struct store_poll *poll, const struct store_round *r);

/*
 * Waits until what has this ticket is on the disk; -1 with the reason if it could not be written
 * when it was tried, or not within so long: it is still kept for later then.  Any thread.
 */
int writer_wait(struct writer *w, uint64_t ticket, int64_t within_ms, struct err *e);

struct writer_state {
	char trouble[256];     /* why the last try to write failed; "" it did not */
	uint64_t dropped;      /* polls that were lost, ever */
	uint64_t files_begun;  /* how often a damaged file gave way to a new one */
};

void writer_get_state(struct writer *w, struct writer_state *out);

/* Since when it is at one write, in milliseconds; 0 it is at none. */
int64_t writer_busy_ms(struct writer *w);

/* For the test of the watchdog (LW-A3): the next write does not end. */
void writer_stall(struct writer *w);

/* Calls news(arg) in the writer's thread whenever there are notices to be told, or it begins to
 * fail or to work; NULL: no more. */
void writer_on_news(struct writer *w, void (*news)(void *arg), void *arg);

/*
 * Takes each notice that may be told now, in the order in which they came: those that are on the
 * disk (kept), and those that could not be brought there: they are told rather than held back.
 */
void writer_each_notice(
	struct writer *w, void (*fn)(void *arg, const struct store_notice *n, bool kept), void *arg);

/* A connection of the caller's own thread to read what was written by now; borrowed until the next call.
 * NULL: there is none just now. */
struct store *writer_reader(struct writer *w);

/* True if a notice was handed over as told, although writer_reader() may not know it yet. */
bool writer_was_told(const struct writer *w, int64_t notice);

#endif
