/* SPDX-License-Identifier: MIT */
/*
 * str: small text helpers: bounded copies, cleaning of outside text, numbers with a
 * range, patterns, natural order, nearest word.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies at most size-1 bytes, cut at a UTF-8 boundary; true if all of it fitted. */
bool str_copy(char *out, size_t size, const char *s);

/*
 * The one door for text from outside (SECURITY.md, R13): valid UTF-8, blanks trimmed at
 * both ends, control characters (C0, C1, DEL) and bidirectional controls replaced by one
 * '?' each, cut at a character boundary.  NULL gives "".
 */
void str_clean(char *out, size_t size, const char *s);
void str_clean_bytes(char *out, size_t size, const void *bytes, size_t len);

/* A whole number in decimal (or 0x hexadecimal) between min and max; false if the text is anything else. */
bool str_to_int(const char *s, int64_t min, int64_t max, int64_t *out);

/* A finite decimal number; false if the text is anything else. (main() leaves LC_NUMERIC at "C".) */
bool str_to_double(const char *s, double *out);

bool str_same(const char *a, const char *b);       /* equal; NULL equals "" */
bool str_same_nocase(const char *a, const char *b); /* ASCII letters of either case */
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
bool str_has_nocase(const char *s, const char *part);

/* Shell-like pattern with * and ? (one byte) over the whole text; no recursion, never more than length times length steps. */
bool str_match(const char *pattern, const char *s);

/* Order for people: "Bay 2" before "Bay 10"; less than, equal to or greater than 0. */
int str_natural(const char *a, const char *b);

/* The word of a NULL-terminated list that is nearest to `s`; NULL if none is near. */
const char *str_nearest(const char *s, const char *const *words);

#endif
