/* SPDX-License-Identifier: MIT */
/* output_csv: one line a bay, as spreadsheets read it: which columns each view has. */
#include "agent/cli/output.h"

#include "document/bays.h"
#include "document/csv.h"

enum { LINE_MAX_BYTES = 256 * 1024 };

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

void output_csv(FILE *f, enum view view, const struct inventory *inv)
{
	const struct column *columns = columns_of(view);
	struct buf line;

	buf_init(&line, LINE_MAX_BYTES);
	csv_add_header(&line, columns);
	for (size_t i = 0; i < inv->n_bays; i++) {
		json_t *bay = document_of_bay(&inv->bays[i]);

		csv_add_row(&line, columns, bay);
		json_decref(bay);
		fwrite(buf_text(&line), 1, line.len, f);
		buf_clear(&line);
	}
	fwrite(buf_text(&line), 1, line.len, f);
	buf_release(&line);
}
