/* SPDX-License-Identifier: MIT */
/*
 * count: a number that only counts, up to 128 bits, or not known.
 *
 * NVMe counters are 128 bits wide (NVM Express Base Specification 2.0, figure 207) and
 * bytes written are data units times 512 000: no step here loses a digit.
 */
#ifndef MODEL_COUNT_H
#define MODEL_COUNT_H

#include <stdbool.h>
#include <stdint.h>

struct count {
	bool known;
	bool none[7]; /* where padding would be: bays are packed byte by byte, and each is set so */
	uint64_t hi, lo;
};

#define COUNT_TEXT_MAX 48

struct count count_of(uint64_t n);
struct count count_of_le128(const uint8_t bytes[16]); /* little-endian, as in log pages */

/* a times n; not known if a is not, or past 128 bits. */
struct count count_times(struct count a, uint64_t n);

/* a minus b; not known if either is not or b is larger. */
struct count count_minus(struct count a, struct count b);

/* <0, 0, >0 as a is less than, equal to or greater than b; both must be known. */
int count_compare(struct count a, struct count b);

/* Nearest double; NAN if not known. */
double count_to_double(struct count a);

/* True and *out if known and at most 2^64-1. */
bool count_to_u64(struct count a, uint64_t *out);

/* Decimal digits, "" if not known. Returns out. */
const char *count_text(struct count a, char out[COUNT_TEXT_MAX]);

/* Reads decimal digits; not known if the text is anything else or past 128 bits. */
struct count count_parse(const char *s);

#endif
