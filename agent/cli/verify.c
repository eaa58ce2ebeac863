/* SPDX-License-Identifier: MIT */
/* verify, inventory, wear: one round over the targets, shown from three sides. */
#include "agent/cli/command.h"
#include "agent/cli/output.h"
#include "agent/cli/stored.h"
#include "agent/collect.h"

#include <stdio.h>
#include <sysexits.h>

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
	if (output_inventory(o, view, inv)) {
		perror("lanewatch: standard output");
		return EX_IOERR;
	}
	return EX_OK;
}

int command_verify(const struct options *o, const struct config *c)
{
	struct inventory inv;
	int rc = read_and_show(o, c, VIEW_VERIFY, &inv);

	if (rc == EX_OK)
		rc = inventory_verify_status(&inv);
	inventory_release(&inv);
	return rc;
}

int command_wear(const struct options *o, const struct config *c)
{
	struct inventory inv;
	int rc = read_and_show(o, c, VIEW_WEAR, &inv);

	if (rc == EX_OK)
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
	int rc = read_and_show(o, c, VIEW_INVENTORY, &inv);

	if (rc == EX_OK)
		rc = read_status(&inv);
	inventory_release(&inv);
	return rc;
}
