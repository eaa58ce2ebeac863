/* SPDX-License-Identifier: MIT */
/* varint: numbers of seven bits a byte, the low ones first; for the files of this folder. */
#ifndef STORAGE_VARINT_H
#define STORAGE_VARINT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { VARINT_MAX = 10 };

/* Writes up to VARINT_MAX bytes; where the next ones go. */
static inline uint8_t *varint_to(uint8_t *p, uint64_t n)
{
	while (n > 0x7f) {
		*p++ = (uint8_t)(n | 0x80);
		n >>= 7;
	}
	*p++ = (uint8_t)n;
	return p;
}

static inline uint8_t *word_to(uint8_t *p, uint64_t n)
{
	for (int k = 0; k < 8; k++)
		*p++ = (uint8_t)(n >> (8 * k));
	return p;
}

static inline int put_varint(struct buf *b, uint64_t n)
{
	uint8_t bytes[VARINT_MAX];

	return buf_add(b, bytes, (size_t)(varint_to(bytes, n) - bytes));
}

/* 0, -1, 1, -2, ... as 0, 1, 2, 3, ...; what wraps comes back by wrapping. */
static inline uint64_t zigzag(uint64_t n)
{
	return n << 1 ^ (n >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t unzigzag(uint64_t n)
{
	return n >> 1 ^ (n & 1 ? UINT64_MAX : 0);
}

struct reader {
	const uint8_t *p, *end;
	bool bad;
};

static inline uint64_t get_varint(struct reader *r)
{
	uint64_t n = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (r->p == r->end)
			break;
		byte = *r->p++;
		n |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return n;
	}
	r->bad = true;
	return 0;
}

static inline uint64_t get_word(struct reader *r)
{
	uint64_t n = 0;

	if (r->end - r->p < 8) {
		r->bad = true;
		return 0;
	}
	for (int k = 0; k < 8; k++)
		n |= (uint64_t)*r->p++ << (8 * k);
	return n;
}

static inline int put_word(struct buf *b, uint64_t n)
{
	uint8_t bytes[8];

	return buf_add(b, bytes, (size_t)(word_to(bytes, n) - bytes));
}

#endif
