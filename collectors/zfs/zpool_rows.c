/* SPDX-License-Identifier: MIT */
/*
 * zpool_rows: the tables of `zpool list` and `zpool iostat`, in columns for people or with tabs
 * for scripts (-H).
 *
 * Names may hold blanks.  iostat's rule of dashes tells how wide the names are; list's names end
 * where the cell below SIZE begins.
 */
#include "base/mem.h"
#include "base/str.h"
#include "collectors/zfs/zpool.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_LEN = 1024, ROWS_MAX = 4 * ZPOOL_NODES_MAX };

struct reader {
	struct zpool_rows *out;
	int block;
	enum pool_part part;
	size_t name_width; /* iostat */
	size_t size_end;   /* list: where the cells below SIZE end */
	bool rows_since_head;
};

void zpool_rows_release(struct zpool_rows *r)
{
	free(r->rows);
	*r = (struct zpool_rows){0};
}

static struct zpool_row *add_row(struct reader *r, const char *name, size_t len)
{
	struct zpool_row *row;

	if (r->out->n >= ROWS_MAX)
		return NULL;
	r->out->rows = mem_grow(r->out->rows, r->out->n, sizeof *r->out->rows);
	row = &r->out->rows[r->out->n++];
	*row = (struct zpool_row){.block = r->block, .depth = -1};
	str_clean_bytes(row->name, sizeof row->name, name, len);
	r->rows_since_head = true;
	return row;
}

static void add_cell(struct zpool_row *row, const char *s, size_t len)
{
	if (row && row->n_cells < ZPOOL_CELLS_MAX)
		str_clean_bytes(row->cells[row->n_cells++], sizeof row->cells[0], s, len);
}

static void add_words(struct zpool_row *row, const char *s)
{
	while (*(s += strspn(s, " "))) {
		size_t n = strcspn(s, " ");

		add_cell(row, s, n);
		s += n;
	}
}

/* A line whose cells are all "-" and whose name is a section's. */
static bool is_section(struct reader *r, const char *line)
{
	size_t n = strcspn(line, " \t");
	char word[16];
	enum pool_part part;

	if (n == 0 || n >= sizeof word || line[n] == '\t')
		return false;
	memcpy(word, line, n);
	word[n] = '\0';
	part = zpool_section(word);
	if (!part || line[n + strspn(line + n, " -")])
		return false;
	r->part = part;
	return true;
}

/* ---- with tabs ---- */

static void tabbed(struct reader *r, const char *line)
{
	bool below = line[0] == '\t'; /* list: a vdev, whatever its depth */
	const char *s = line + below;
	size_t n = strcspn(s, "\t");
	struct zpool_row *row;

	if (n == 0)
		return;
	r->out->scripted = true;
	row = add_row(r, s, n);
	if (!row)
		return;
	/* iostat: the same first name again begins a new sample */
	if (!below && r->out->n > 1 && str_same(row->name, r->out->rows[0].name))
		row->block = ++r->block;
	if (below) {
		row->part = r->part ? r->part : PART_DATA;
	} else {
		r->part = PART_UNKNOWN;
	}
	for (s += n; *s == '\t'; s += n) {
		s++;
		n = strcspn(s, "\t");
		add_cell(row, s, n);
	}
}

/* ---- in columns ---- */

static bool is_rule(const char *line)
{
	return str_starts(line, "-----") && line[strspn(line, "- ")] == '\0';
}

static bool is_head(struct reader *r, const char *line)
{
	const char *size;
	bool list = str_starts(line, "NAME ");

	if (!list && !(str_starts(line, "pool ") && strstr(line, " alloc ") && strstr(line, " free ")))
		return false;
	size = list ? strstr(line, " SIZE") : NULL;
	r->size_end = size ? (size_t)(size - line) + strlen(" SIZE") : 0;
	if (r->rows_since_head)
		r->block++;
	r->rows_since_head = false;
	r->part = PART_UNKNOWN;
	return true;
}

/* How many bytes of the line are its name. */
static size_t name_width(const struct reader *r, const char *line)
{
	size_t len = strlen(line), i;

	if (r->name_width)
		return r->name_width < len ? r->name_width : len;
	if (!r->size_end || r->size_end > len)
		return 0;
	for (i = r->size_end; i && line[i - 1] != ' ';)
		i--;
	return i;
}

static void columns(struct reader *r, const char *line)
{
	size_t indent = strspn(line, " "), width = name_width(r, line);
	struct zpool_row *row;

	if (width <= indent || indent % 2)
		return;
	row = add_row(r, line + indent, width - indent);
	if (!row)
		return;
	row->depth = (int)indent / 2;
	if (indent == 0)
		r->part = PART_DATA;
	else
		row->part = r->part;
	add_words(row, line + width);
}

static void take_line(struct reader *r, const char *line)
{
	if (is_section(r, line))
		return;
	if (strchr(line, '\t')) {
		tabbed(r, line);
	} else if (is_rule(line)) {
		r->name_width = strcspn(line, " ");
	} else if (!is_head(r, line) && (r->name_width || r->size_end)) {
		columns(r, line);
	}
}

int zpool_read_rows(const char *text, size_t len, struct zpool_rows *out, struct err *e)
{
	struct reader r = {.out = out};
	struct zpool_line line;
	char copy[LINE_MAX_LEN];
	bool any = false;

	*out = (struct zpool_rows){0};
	while (zpool_next_line(&text, &len, &line)) {
		size_t n = line.len < sizeof copy ? line.len : sizeof copy - 1;

		memcpy(copy, line.s, n);
		copy[n] = '\0';
		any |= copy[strspn(copy, " \t")] != '\0';
		if (!str_starts(copy, "no pools available"))
			take_line(&r, copy);
		else
			any = false;
	}
	if (out->n == 0 && any)
		return err_set(e, "not the output of zpool list or iostat");
	return 0;
}
