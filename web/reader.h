/* SPDX-License-Identifier: MIT */
/*
 * reader: a thread's own view of the store, which another thread writes: opened when it is
 * first needed, and anew when another file stands in its place.
 */
#ifndef WEB_READER_H
#define WEB_READER_H

#include "base/err.h"
#include "storage/store.h"

/* For a file that may come later; the path is borrowed. */
void *reader_make(void *path);
void reader_drop(void *reader);

/* The store, borrowed; a read of it may take `limit_ms`. NULL with the reason. */
struct store *reader_store(void *reader, int limit_ms, struct err *e);

#endif
