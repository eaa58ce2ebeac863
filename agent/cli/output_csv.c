/* SPDX-License-Identifier: MIT */
/*
 * output_csv: one line a bay, as spreadsheets read it (RFC 4180: header, CRLF, quotes).
 *
 * Values are those of the JSON document, so both say the same; what is not known is empty.
 * A text that a spreadsheet would take for a formula gets an apostrophe (SECURITY.md, R13).
 */
#include "agent/cli/output.h"

#include "base/str.h"
#include "document/bays.h"

#include <string.h>

/* A column: its name, and the keys that lead to its value. */
struct column {
	const char *name;
	const char *path[3];
};

static const struct column verify_columns[] = {
	{"target", {"target"}},
	{"host", {"host"}},
	{"bay", {"bay"}},
	{"present", {"present"}},
	{"verdict", {"verdict"}},
	{"limited_by", {"limited_by"}},
	{"reason", {"reason"}},
	{"speed_gts", {"link", "speed_gts"}},
	{"width", {"link", "width"}},
	{"max_speed_gts", {"link", "max_speed_gts"}},
	{"max_width", {"link", "max_width"}},
	{"slot_max_speed_gts", {"link", "slot", "max_speed_gts"}},
	{"slot_max_width", {"link", "slot", "max_width"}},
	{"bandwidth_bytes_per_second", {"link", "bandwidth_bytes_per_second"}},
	{"policy", {"policy", "name"}},
	{"policy_speed_gts", {"policy", "speed_gts"}},
	{"policy_width", {"policy", "width"}},
	{"require_present", {"policy", "require_present"}},
	{"model", {"drive", "model"}},
	{"serial", {"drive", "serial"}},
	{"firmware", {"drive", "firmware"}},
	{"pci_address", {"drive", "pci_address"}},
	{"sources", {"drive", "sources"}},
	{"notes", {"notes"}},
	{"stale", {"stale"}},
	{"observed_at", {"observed_at"}},
	{"message", {"message"}},
	{NULL, {NULL}},
};

static const struct column inventory_columns[] = {
	{"target", {"target"}},
	{"host", {"host"}},
	{"bay", {"bay"}},
	{"location", {"location"}},
	{"present", {"present"}},
	{"expected", {"expected"}},
	{"role", {"role"}},
	{"model", {"drive", "model"}},
	{"manufacturer", {"drive", "manufacturer"}},
	{"part_number", {"drive", "part_number"}},
	{"serial", {"drive", "serial"}},
	{"firmware", {"drive", "firmware"}},
	{"capacity_bytes", {"drive", "capacity_bytes"}},
	{"protocol", {"drive", "protocol"}},
	{"media_type", {"drive", "media_type"}},
	{"form_factor", {"drive", "form_factor"}},
	{"controller", {"drive", "controller"}},
	{"namespaces", {"drive", "namespaces"}},
	{"pci_address", {"drive", "pci_address"}},
	{"state", {"drive", "state"}},
	{"sources", {"drive", "sources"}},
	{"verdict", {"verdict"}},
	{"health", {"health", "status"}},
	{"bmc_health", {"bmc_health"}},
	{"temperature_celsius", {"temperature_celsius"}},
	{"notes", {"notes"}},
	{"stale", {"stale"}},
	{"observed_at", {"observed_at"}},
	{NULL, {NULL}},
};

static const struct column wear_columns[] = {
	{"target", {"target"}},
	{"host", {"host"}},
	{"bay", {"bay"}},
	{"model", {"drive", "model"}},
	{"serial", {"drive", "serial"}},
	{"alert", {"wear", "alert"}},
	{"reasons", {"wear", "reasons"}},
	{"percent_used", {"wear", "percent_used"}},
	{"life_left_percent", {"wear", "life_left_percent"}},
	{"available_spare_percent", {"wear", "available_spare_percent"}},
	{"spare_threshold_percent", {"wear", "spare_threshold_percent"}},
	{"bytes_written", {"wear", "bytes_written"}},
	{"bytes_read", {"wear", "bytes_read"}},
	{"rated_tbw", {"wear", "rated_tbw"}},
	{"rated_dwpd", {"wear", "rated_dwpd"}},
	{"applicable", {"wear", "applicable"}},
	{"health", {"health", "status"}},
	{"critical_warning", {"health", "critical_warning"}},
	{"media_errors", {"health", "media_errors"}},
	{"unsafe_shutdowns", {"health", "unsafe_shutdowns"}},
	{"power_on_hours", {"health", "power_on_hours"}},
	{"temperature_celsius", {"temperature_celsius"}},
	{"notes", {"notes"}},
	{"stale", {"stale"}},
	{"observed_at", {"observed_at"}},
	{NULL, {NULL}},
};

static const struct column *columns_of(enum view view)
{
	switch (view) {
	case VIEW_UNKNOWN:
	case VIEW_INVENTORY:
		return inventory_columns;
	case VIEW_VERIFY:
		return verify_columns;
	case VIEW_WEAR:
		return wear_columns;
	}
	return inventory_columns;
}

/* Texts only: numbers are written as numbers, and a minus sign is no formula there. */
static void put_text(FILE *f, const char *raw)
{
	char s[512];
	bool formula, quote;

	str_clean(s, sizeof s, raw); /* a CSV ends up on a terminal too */
	formula = *s && strchr("=+-@", *s);
	quote = strpbrk(s, "\",");
	if (quote)
		fputc('"', f);
	if (formula)
		fputc('\'', f);
	for (const char *p = s; *p; p++) {
		if (*p == '"')
			fputc('"', f);
		fputc(*p, f);
	}
	if (quote)
		fputc('"', f);
}

/* Words of a list, with a blank between them. */
static void put_list(FILE *f, const json_t *a)
{
	char text[512] = "";
	size_t i, n = 0;
	json_t *j;

	json_array_foreach(a, i, j) {
		const char *word = json_string_value(j);

		if (word && n < sizeof text)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? " " : "", word);
	}
	put_text(f, text);
}

static void put_value(FILE *f, const json_t *j)
{
	if (json_is_string(j))
		put_text(f, json_string_value(j));
	else if (json_is_integer(j))
		fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(j));
	else if (json_is_real(j))
		fprintf(f, "%.15g", json_real_value(j));
	else if (json_is_boolean(j))
		fputs(json_is_true(j) ? "true" : "false", f);
	else if (json_is_array(j))
		put_list(f, j);
}

static void put_bay(FILE *f, const struct column *columns, const struct bay *b)
{
	json_t *bay = document_of_bay(b);

	for (const struct column *c = columns; c->name; c++) {
		const json_t *j = bay;

		for (size_t i = 0; i < 3 && c->path[i]; i++)
			j = json_object_get(j, c->path[i]);
		if (c != columns)
			fputc(',', f);
		put_value(f, j);
	}
	fputs("\r\n", f);
	json_decref(bay);
}

void output_csv(FILE *f, enum view view, const struct inventory *inv)
{
	const struct column *columns = columns_of(view);

	for (const struct column *c = columns; c->name; c++)
		fprintf(f, "%s%s", c == columns ? "" : ",", c->name);
	fputs("\r\n", f);
	for (size_t i = 0; i < inv->n_bays; i++)
		put_bay(f, columns, &inv->bays[i]);
}
