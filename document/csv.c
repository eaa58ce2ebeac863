/* SPDX-License-Identifier: MIT */
/* csv: see csv.h. */
#include "document/csv.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

enum { CELL_MAX = 2048 };

const json_t *column_value(const json_t *object, const struct column *c)
{
	for (size_t i = 0; i < sizeof c->path / sizeof c->path[0] && c->path[i]; i++)
		object = json_object_get(object, c->path[i]);
	return object;
}

const char *column_text(const json_t *value, char number[COLUMN_NUMBER_MAX])
{
	number[0] = '\0';
	if (json_is_string(value))
		return json_string_value(value);
	if (json_is_integer(value))
		snprintf(number, COLUMN_NUMBER_MAX, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		snprintf(number, COLUMN_NUMBER_MAX, "%.15g", json_real_value(value));
	else if (json_is_boolean(value))
		return json_is_true(value) ? "true" : "false";
	return number;
}

/* Words of a list, with a blank between them. */
static void join(char *out, size_t size, const json_t *list)
{
	size_t i, n = 0;
	json_t *j;

	*out = '\0';
	json_array_foreach((json_t *)list, i, j) {
		const char *word = json_string_value(j);

		if (word && n < size)
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? " " : "", word);
	}
}

/* Texts only: numbers are written as numbers, and a minus sign is no formula there. */
static void add_text(struct buf *out, const char *raw)
{
	char s[CELL_MAX];
	bool quote;

	str_clean(s, sizeof s, raw);
	quote = strpbrk(s, "\",");
	if (quote)
		buf_add_text(out, "\"");
	if (*s && strchr("=+-@", *s))
		buf_add_text(out, "'");
	for (const char *p = s; *p; p++)
		buf_add(out, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
	if (quote)
		buf_add_text(out, "\"");
}

static void add_cell(struct buf *out, const json_t *value)
{
	char number[COLUMN_NUMBER_MAX], list[CELL_MAX];

	if (json_is_array(value)) {
		join(list, sizeof list, value);
		add_text(out, list);
	} else if (json_is_string(value)) {
		add_text(out, json_string_value(value));
	} else {
		buf_add_text(out, column_text(value, number));
	}
}

void csv_add_header(struct buf *out, const struct column *columns)
{
	for (const struct column *c = columns; c->name; c++)
		buf_printf(out, "%s%s", c == columns ? "" : ",", c->name);
	buf_add_text(out, "\r\n");
}

void csv_add_row(struct buf *out, const struct column *columns, const json_t *object)
{
	for (const struct column *c = columns; c->name; c++) {
		if (c != columns)
			buf_add_text(out, ",");
		add_cell(out, column_value(object, c));
	}
	buf_add_text(out, "\r\n");
}
