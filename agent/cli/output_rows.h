/* SPDX-License-Identifier: MIT */
/* output_rows: a plain table of texts, for lists that are no inventory. */
#ifndef AGENT_CLI_OUTPUT_ROWS_H
#define AGENT_CLI_OUTPUT_ROWS_H

#include <stdio.h>

enum { ROWS_COLUMNS_MAX = 8 };

struct rows;

/* `heads` ends with NULL; a head that begins with '>' is a column of numbers, set right.
 */
struct rows *rows_new(const char *const *heads);

/* As many cells as heads; "" and NULL print as "-". Copied. */
void rows_add(struct rows *r, const char *const *cells);

/* Prints it, cut to the width of a terminal; the table is gone. */
void rows_print(struct rows *r, FILE *f);

#endif
