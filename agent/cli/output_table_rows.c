/* SPDX-License-Identifier: MIT */
/* output_table_rows: see output_rows.h.  With output_table.c the only one that knows
 * libsmartcols. */
#include "agent/cli/output_rows.h"

#include "base/mem.h"
#include "base/str.h"

#include <libsmartcols.h>
#include <stdlib.h>

enum { CELL_MAX = 320 };

struct rows {
	struct libscols_table *table;
	size_t n;
};

struct rows *rows_new(const char *const *heads)
{
	struct rows *r = mem_new(1, sizeof *r);

	scols_init_debug(0);
	r->table = scols_new_table();
	for (; heads[r->n]; r->n++) {
		int right = heads[r->n][0] == '>';
		int last = !heads[r->n + 1];

		scols_table_new_column(r->table, heads[r->n] + right, 0,
			(right ? SCOLS_FL_RIGHT : 0) | (last ? SCOLS_FL_TRUNC : 0));
	}
	return r;
}

void rows_add(struct rows *r, const char *const *cells)
{
	struct libscols_line *line = scols_table_new_line(r->table, NULL);

	for (size_t i = 0; i < r->n; i++) {
		char clean[CELL_MAX];

		str_clean(clean, sizeof clean, cells[i] && cells[i][0] ? cells[i] : "-");
		scols_line_set_data(line, i, clean);
	}
}

void rows_print(struct rows *r, FILE *f)
{
	scols_table_set_stream(r->table, f);
	scols_print_table(r->table);
	scols_unref_table(r->table);
	free(r);
}
