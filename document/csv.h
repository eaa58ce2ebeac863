/* SPDX-License-Identifier: MIT */
/*
 * csv: the objects of a document as lines of CSV (RFC 4180: header, CRLF, quotes).
 *
 * Values are those of the JSON document, so both say the same; what is not known is
 * empty. A text that a spreadsheet would take for a formula gets an apostrophe, and none
 * brings control characters to a terminal (SECURITY.md, R13).
 */
#ifndef DOCUMENT_CSV_H
#define DOCUMENT_CSV_H

#include "base/buf.h"

#include <jansson.h>

/* A column: its name, and where its value lies in an object. */
struct column {
	const char *name;    /* NULL ends an array of columns */
	const char *path[3]; /* keys that lead to the value; NULL unless full */
};

enum { COLUMN_NUMBER_MAX = 32 };

/* The value of a column; borrowed, NULL where the object has none. */
const json_t *column_value(const json_t *object, const struct column *c);

/* A value as text, "" for null and lists; a text is borrowed, a number stands in `number`. */
const char *column_text(const json_t *value, char number[COLUMN_NUMBER_MAX]);

/* Adds the line of names, and one of values; past the ceiling of `out` nothing is added. */
void csv_add_header(struct buf *out, const struct column *columns);
void csv_add_row(struct buf *out, const struct column *columns, const json_t *object);

#endif
