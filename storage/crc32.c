/* SPDX-License-Identifier: MIT */
/* crc32: see crc32.h.  Eight bytes at a time, each with a table of its own, so that no look-up waits for another. */
#include "storage/crc32.h"

#include <pthread.h>

enum { AT_ONCE = 8 };

/* What a byte does to the sum when so many others follow it. */
static uint32_t table[AT_ONCE][256];
static pthread_once_t table_made = PTHREAD_ONCE_INIT;

static void make_table(void)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t n = byte;

		for (int bit = 0; bit < 8; bit++)
			n = n >> 1 ^ (n & 1 ? UINT32_C(0xedb88320) : 0);
		table[0][byte] = n;
	}
	for (size_t k = 1; k < AT_ONCE; k++)
		for (size_t byte = 0; byte < 256; byte++)
			table[k][byte] = table[k - 1][byte] >> 8 ^ table[0][table[k - 1][byte] & 255];
}

/* What the four bytes of a word do, the low one first, when those of `t` follow. */
static uint32_t take_word(uint32_t n, const uint32_t (*t)[256])
{
	return t[3][n & 255] ^ t[2][n >> 8 & 255] ^ t[1][n >> 16 & 255] ^ t[0][n >> 24];
}

static uint32_t word_of(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint32_t crc32_of(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	uint32_t crc = UINT32_MAX;

	pthread_once(&table_made, make_table);
	for (; len >= AT_ONCE; len -= AT_ONCE, p += AT_ONCE)
		crc = take_word(crc ^ word_of(p), table + 4) ^ take_word(word_of(p + 4), table);
	for (; len > 0; len--, p++)
		crc = crc >> 8 ^ table[0][(crc ^ *p) & 255];
	return ~crc;
}
