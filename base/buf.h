/* SPDX-License-Identifier: MIT */
/*
 * buf: a growing byte buffer, born with the size that it may never pass.
 *
 * What an outsider sends goes into one of these: past the ceiling, or without memory,
 * adding fails and the caller fails that resource.  The bytes are always followed by a
 * NUL that is not counted.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>

struct buf {
	char *data; /* NULL while empty: use buf_text() */
	size_t len;
	size_t room;
	size_t max;
};

/* An empty buffer that holds at most `max` bytes. */
void buf_init(struct buf *b, size_t max);

/* Frees the bytes; the buffer may be initialised again. */
void buf_release(struct buf *b);

/* Forgets the bytes, keeps the memory and the ceiling. */
void buf_clear(struct buf *b);

/* Adds bytes; 0, or -1 past the ceiling or without memory (then nothing is added). */
int buf_add(struct buf *b, const void *data, size_t len);
int buf_add_text(struct buf *b, const char *s);
int buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The bytes as a text, "" when empty; borrowed. */
const char *buf_text(const struct buf *b);

/* Hands the bytes over (NUL-terminated, never NULL unless out of memory); the buffer is empty afterwards. */
char *buf_take(struct buf *b);

#endif
