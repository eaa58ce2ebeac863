/* SPDX-License-Identifier: MIT */
/* count: see count.h.  Arithmetic by 32-bit limbs: no compiler extension, right on any machine. */
#include "model/count.h"

#include <math.h>
#include <string.h>

struct count count_of(uint64_t n)
{
	return (struct count){.known = true, .lo = n};
}

struct count count_of_le128(const uint8_t bytes[16])
{
	struct count c = {.known = true};

	for (int i = 7; i >= 0; i--) {
		c.lo = c.lo << 8 | bytes[i];
		c.hi = c.hi << 8 | bytes[8 + i];
	}
	return c;
}

/* a * n + add; not known past 128 bits */
static struct count times_plus(struct count a, uint32_t n, uint32_t add)
{
	uint32_t limb[4] = {(uint32_t)a.lo, (uint32_t)(a.lo >> 32), (uint32_t)a.hi, (uint32_t)(a.hi >> 32)};
	uint64_t carry = add;

	for (int i = 0; i < 4; i++) {
		carry += (uint64_t)limb[i] * n;
		limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (!a.known || carry)
		return (struct count){0};
	return (struct count){.known = true, .hi = (uint64_t)limb[3] << 32 | limb[2], .lo = (uint64_t)limb[1] << 32 | limb[0]};
}

static struct count plus(struct count a, struct count b)
{
	struct count sum = {.known = a.known && b.known, .hi = a.hi + b.hi, .lo = a.lo + b.lo};
	uint64_t carry = sum.lo < b.lo;

	if (__builtin_add_overflow(a.hi, b.hi, &sum.hi) ||
		__builtin_add_overflow(sum.hi, carry, &sum.hi))
		sum.known = false;
	return sum;
}

struct count count_times(struct count a, uint64_t n)
{
	struct count low = times_plus(a, (uint32_t)n, 0);
	struct count high = times_plus(a, (uint32_t)(n >> 32), 0);

	if (high.known && high.hi >> 32)
		high.known = false;
	high.hi = high.hi << 32 | high.lo >> 32;
	high.lo <<= 32;
	return plus(low, high);
}

struct count count_minus(struct count a, struct count b)
{
	if (!a.known || !b.known || count_compare(a, b) < 0)
		return (struct count){0};
	return (struct count){.known = true, .hi = a.hi - b.hi - (a.lo < b.lo), .lo = a.lo - b.lo};
}

int count_compare(struct count a, struct count b)
{
	if (a.hi != b.hi)
		return a.hi < b.hi ? -1 : 1;
	return a.lo == b.lo ? 0 : a.lo < b.lo ? -1 : 1;
}

double count_to_double(struct count a)
{
	return a.known ? ldexp((double)a.hi, 64) + (double)a.lo : NAN;
}

bool count_to_u64(struct count a, uint64_t *out)
{
	if (!a.known || a.hi)
		return false;
	*out = a.lo;
	return true;
}

/* Divides by ten in place and returns the remainder. */
static unsigned tenth(uint32_t limb[4])
{
	uint64_t rest = 0;

	for (int i = 3; i >= 0; i--) {
		rest = rest << 32 | limb[i];
		limb[i] = (uint32_t)(rest / 10);
		rest %= 10;
	}
	return (unsigned)rest;
}

const char *count_text(struct count a, char out[COUNT_TEXT_MAX])
{
	uint32_t limb[4] = {(uint32_t)a.lo, (uint32_t)(a.lo >> 32), (uint32_t)a.hi, (uint32_t)(a.hi >> 32)};
	char *p = out + COUNT_TEXT_MAX - 1;

	*p = '\0';
	if (a.known)
		do
			*--p = (char)('0' + tenth(limb));
		while (limb[0] | limb[1] | limb[2] | limb[3]);
	memmove(out, p, (size_t)(out + COUNT_TEXT_MAX - p));
	return out;
}

struct count count_parse(const char *s)
{
	struct count c = {.known = *s != '\0'};

	for (; *s && c.known; s++) {
		if (*s < '0' || *s > '9')
			return (struct count){0};
		c = times_plus(c, 10, (uint32_t)(*s - '0'));
	}
	return c;
}
