/* SPDX-License-Identifier: MIT */
/*
 * output: an inventory as a table, JSON, CSV or a monitoring plugin's line, on standard
 * output.  One function table for each format; what a command shows is a view.
 */
#ifndef AGENT_CLI_OUTPUT_H
#define AGENT_CLI_OUTPUT_H

#include "agent/options.h"
#include "model/inventory.h"

#include <jansson.h>
#include <stdio.h>

enum view { VIEW_UNKNOWN = 0, VIEW_VERIFY, VIEW_INVENTORY, VIEW_WEAR };

/* Writes in the format of o->output. */
void output_inventory(const struct options *o, enum view view, const struct inventory *inv);

/* The commissioning report with what `ceiling` measured, if it did. */
void output_report(const struct inventory *inv, const json_t *ceiling);

void output_table(FILE *f, const struct options *o, enum view view, const struct inventory *inv);
void output_csv(FILE *f, enum view view, const struct inventory *inv);
void output_nagios(FILE *f, enum view view, const struct inventory *inv);

/* Parts of a plugin's output: "LANEWATCH WARNING - " by the exit status, and a text in one line. */
void nagios_begin(FILE *f, int status);
void nagios_text(FILE *f, const char *s);

#endif
