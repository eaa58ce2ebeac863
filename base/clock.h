/* SPDX-License-Identifier: MIT */
/*
 * clock: the only place that asks what time it is.
 *
 * Wall time is UTC in milliseconds since 1970, monotonic time is milliseconds since some
 * start; they never meet in an expression.  Both are int64_t on every machine.  A clock
 * can be turned by hand, for tests and for `replay`, which plays on a recording's clock.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_NEVER INT64_MIN /* a time that is not known */

int64_t clock_wall_ms(void);
int64_t clock_mono_ms(void);

/* Turns both clocks by hand from now on; CLOCK_NEVER for wall gives the real ones back. */
void clock_set(int64_t wall_ms, int64_t mono_ms);

#define CLOCK_TEXT_MAX 32

/* "2026-11-30T12:00:00Z" (RFC 3339, UTC); "" for CLOCK_NEVER. Years 1 to 9999. Returns out. */
const char *clock_text(int64_t wall_ms, char out[CLOCK_TEXT_MAX]);

/* "Mon, 30 Nov 2026 12:00:00 GMT", as HTTP has it (RFC 9110 section 5.6.7); the same otherwise. */
const char *clock_text_http(int64_t wall_ms, char out[CLOCK_TEXT_MAX]);

/* Reads RFC 3339 with Z or an offset, fractions allowed; CLOCK_NEVER if it is none (or NULL). */
int64_t clock_parse(const char *s);

/* A date of HTTP (RFC 9110 section 5.6.7, all three forms) in wall milliseconds; CLOCK_NEVER if it is none. */
int64_t clock_parse_http(const char *s);

#endif
