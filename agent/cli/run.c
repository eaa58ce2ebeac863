/* SPDX-License-Identifier: MIT */
/* run: the service, or with --rounds a few rounds of it. */
#include "agent/cli/command.h"
#include "agent/run.h"

#include <stdio.h>
#include <sysexits.h>

int command_run(const struct options *o, const struct config *c)
{
	if (c->n_targets == 0 && c->n_listed == 0) { /* a list may be empty, or another's part */
		fprintf(stderr, "lanewatch: run: nothing to watch: add a target to the "
				"configuration\n");
		return EX_CONFIG;
	}
	return run_service(o, c);
}
