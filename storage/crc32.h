/* SPDX-License-Identifier: MIT */
/*
 * crc32: the sum of zlib, PNG and Ethernet (reflected, 0xedb88320) over what is packed.
 * Pure; here rather than zlib's, for a reader of one metric spends half of its time on it
 * and the chunk coder has to build alone for other machines.
 */
#ifndef STORAGE_CRC32_H
#define STORAGE_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of(const void *bytes, size_t len);

#endif
