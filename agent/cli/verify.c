/* SPDX-License-Identifier: MIT */
/* verify, inventory, wear: one round over the targets, shown from three sides. */
#include "agent/cli/command.h"
#include "agent/cli/output.h"
#include "agent/collect.h"

#include <stdio.h>
#include <sysexits.h>

/* Reads everything once and shows it; -1 if nothing could be shown (said on standard error). */
static int read_and_show(const struct options *o, const struct config *c, enum view view, struct inventory *inv)
{
	struct err e = {""};

	if (collect_once(c, o, inv, &e)) {
		fprintf(stderr, "lanewatch: %s\n", e.text);
		return -1;
	}
	if (output_inventory(o, view, inv)) {
		perror("lanewatch: standard output");
		return -1;
	}
	return 0;
}

int command_verify(const struct options *o, const struct config *c)
{
	struct inventory inv;
	int rc = EX_USAGE;

	if (read_and_show(o, c, VIEW_VERIFY, &inv) == 0)
		rc = inventory_verify_status(&inv);
	inventory_release(&inv);
	return rc;
}

int command_wear(const struct options *o, const struct config *c)
{
	struct inventory inv;
	int rc = EX_USAGE;

	if (read_and_show(o, c, VIEW_WEAR, &inv) == 0)
		rc = inventory_wear_status(&inv);
	inventory_release(&inv);
	return rc;
}

/* 0, or 3 where what was asked for could not be read. */
static int read_status(const struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_targets; i++)
		if (inv->targets[i].verdict != TARGET_OK)
			return 3;
	return 0;
}

int command_inventory(const struct options *o, const struct config *c)
{
	struct inventory inv;
	int rc = EX_USAGE;

	if (read_and_show(o, c, VIEW_INVENTORY, &inv) == 0)
		rc = read_status(&inv);
	inventory_release(&inv);
	return rc;
}
