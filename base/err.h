/* SPDX-License-Identifier: MIT */
/*
 * err: one sentence for people about what went wrong.
 *
 * Functions that can fail in a way that a person will want to know take a
 * `struct err *e` as their last parameter, fill it where most is known, and wrap
 * it on the way up.  `e` may be NULL: then nobody wants to know.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

struct err {
	char text[512];
};

/* Sets the sentence (one line, no trailing full stop); returns -1 for `return err_set(...)`. */
int err_set(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "what: " before the sentence; returns -1. */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
