/* SPDX-License-Identifier: MIT */
/* varint: numbers of seven bits a byte, the low ones first; for the files of this folder. */
#ifndef STORAGE_VARINT_H
#define STORAGE_VARINT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

static inline int put_varint(struct buf *b, uint64_t n)
{
	uint8_t bytes[10];
	size_t len = 0;

	do {
		bytes[len++] = (uint8_t)((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
		n >>= 7;
	} while (n);
	return buf_add(b, bytes, len);
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

	for (int k = 0; k < 8; k++)
		bytes[k] = (uint8_t)(n >> (8 * k));
	return buf_add(b, bytes, sizeof bytes);
}

#endif
