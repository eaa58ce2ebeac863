/* SPDX-License-Identifier: MIT */
/* verify, inventory, wear: one round over the targets, shown from three sides. */
#include "agent/cli/command.h"
#include "agent/cli/output.h"
#include "agent/cli/output_text.h"
#include "agent/cli/stored.h"
#include "agent/collect.h"
#include "base/clock.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

/* Those that wear out first come first; those without a date stay in their order, behind them. */
static int by_date(const void *x, const void *y)
{
	const struct bay *a = x, *b = y;
	int64_t i = a->wear.forecast.exhausted_on_wall_ms, k = b->wear.forecast.exhausted_on_wall_ms;
	int rc = (i == CLOCK_NEVER) - (k == CLOCK_NEVER);

	if (rc || i == CLOCK_NEVER || i == k)
		return rc ? rc : str_natural(a->host, b->host) ? str_natural(a->host, b->host) : str_natural(a->bay, b->bay);
	return i > k ? 1 : -1;
}

static void sort_by_date(struct inventory *inv)
{
	bool any = false;

	for (size_t i = 0; i < inv->n_bays; i++)
		any |= inv->bays[i].wear.forecast.exhausted_on_wall_ms != CLOCK_NEVER;
	if (any)
		qsort(inv->bays, inv->n_bays, sizeof *inv->bays, by_date);
}

/* Reads everything once, or what the agent stored, and shows it; 0, or the exit status (said on standard error). */
static int read_and_show(const struct options *o, const struct config *c, enum view view, struct inventory *inv)
{
	struct err e = {""};

	if (o->database && c->n_targets == 0) {
		int rc = stored_inventory(c, inv);

		if (rc)
			return rc;
	} else if (collect_once(c, o, inv, &e)) {
		fprintf(stderr, "lanewatch: %s\n", e.text);
		return EX_USAGE;
	}
	if (view == VIEW_WEAR && (o->output == OUTPUT_DEFAULT || o->output == OUTPUT_TABLE))
		sort_by_date(inv);
	output_inventory(o, view, inv);
	return EX_OK;
}

static int show(const struct options *o, const struct config *c, enum view view)
{
	struct inventory inv;
	int rc = read_and_show(o, c, view, &inv);

	if (rc == EX_OK)
		rc = text_status(view, &inv);
	inventory_release(&inv);
	return rc;
}

int command_verify(const struct options *o, const struct config *c)
{
	return show(o, c, VIEW_VERIFY);
}

int command_wear(const struct options *o, const struct config *c)
{
	return show(o, c, VIEW_WEAR);
}

int command_inventory(const struct options *o, const struct config *c)
{
	return show(o, c, VIEW_INVENTORY);
}
