/* SPDX-License-Identifier: MIT */
/*
 * jtext: JSON from outside, bounded before it is parsed; and careful access to it.
 *
 * jansson takes up to 80 times a body's size in memory and has a depth limit of 2048
 * (SECURITY.md, R4), so nesting and elements are counted over the bytes first.  Wrong
 * types, nulls and missing keys are the same thing to the readers below: not known (R6).
 */
#ifndef BASE_JTEXT_H
#define BASE_JTEXT_H

#include "base/buf.h"
#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JTEXT_DEPTH_MAX	   64
#define JTEXT_ELEMENTS_MAX 100000

/*
 * Parses one JSON object or array.  Duplicate keys, trailing text, bad UTF-8 and anything
 * past the two limits are refused with the reason; a number beyond 64 bits (or beyond a
 * double) becomes null, so that it is unknown and hides no neighbour (R5).  The result is the
 * caller's to json_decref().  *elements (may be NULL) gets the count.
 */
json_t *jtext_parse(const char *text, size_t len, size_t *elements, struct err *e);

/* Adds the value as text, with jansson's flags; 0, or -1 where it holds what JSON cannot, or as buf_add() fails. */
int jtext_add(struct buf *out, const json_t *j, size_t flags);

/*
 * The value as text, with jansson's flags; the caller's to free().  NULL where it is NULL, holds what JSON
 * cannot, or without memory.
 */
char *jtext_print(const json_t *j, size_t flags);

/* Follows object keys given one by one, NULL at the end; NULL where the way ends. Borrowed. */
json_t *jtext_at(const json_t *j, ...) __attribute__((sentinel));

/* A text, borrowed; NULL if it is none or empty. */
const char *jtext_string(const json_t *j);

/* Copies a text through str_clean(); "" where there is none. True if anything is left. */
bool jtext_copy(char *out, size_t size, const json_t *j);

/* A finite number, also when written as decimal text; NAN where there is none. */
double jtext_number(const json_t *j);

/* A whole number between min and max, also as text; false where there is none. */
bool jtext_int(const json_t *j, int64_t min, int64_t max, int64_t *out);

/* 1 true, 0 false, -1 not known. */
int jtext_bool(const json_t *j);

#endif
