/* SPDX-License-Identifier: MIT */
/*
 * What base/ does not have and the simulator needs all over: a word on stderr, an end with
 * a status, a formatted string. It is a test tool: without memory it ends.
 */
#ifndef SIMBMC_UTIL_H
#define SIMBMC_UTIL_H

#include <jansson.h>

#include <stdarg.h>

#define SIM_EX_STRICT	3	/* --strict saw a request that no reader sends */
#define SIM_EX_USAGE	64
#define SIM_EX_OSERR	71
#define SIM_EX_TEMPFAIL 75

/* One line "lanewatch-simbmc: ..." on stderr; fail() ends the program with the status. */
void warn_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void fail(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3), noreturn));

/* A text on the heap, to be freed; never NULL. */
char *format(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));
char *vformat(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/* s as a JSON string; what is not UTF-8 in it becomes '?'. Never NULL. */
json_t *utf8_text(const char *s);

/* Decodes %xx in place; %00 and broken ones stay as they are. */
void percent_decode(char *s);

#endif
