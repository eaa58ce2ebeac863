/* SPDX-License-Identifier: MIT */
/* verify, inventory, wear: one round over the targets, shown from three sides. */
#include "agent/cli/command.h"
#include "agent/cli/output.h"
#include "agent/cli/output_text.h"
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
