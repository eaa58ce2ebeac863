/* SPDX-License-Identifier: MIT */
/*
 * config: the configuration file (libconfuse) and the targets of the command line, as
 * plain data.  Everything wrong is told with file, line, what was expected and the nearest
 * right word; the first problem does not hide the next.
 */
#ifndef AGENT_CONFIG_H
#define AGENT_CONFIG_H

#include "agent/options.h"
#include "base/err.h"
#include "collectors/collector.h"
#include "model/policy.h"

#include <stddef.h>
#include <stdint.h>

struct config_error {
	char file[192];
	int line;
	char message[256];
};

enum notify_type { NOTIFY_UNKNOWN = 0, NOTIFY_WEBHOOK, NOTIFY_ALERTMANAGER, NOTIFY_SYSLOG, NOTIFY_MAIL, NOTIFY_EXEC };

struct notify_config {
	char name[64];
	enum notify_type type;
	char *url;
};

struct config {
	char *database;
	char *listen;
	int64_t poll_interval_ms;
	size_t n_targets, n_notifies, n_errors;
	struct target_config *targets;
	struct notify_config *notifies;
	struct policy_set policies;
	struct config_error *errors;
};

/*
 * Fills c from the file (NULL: /etc/lanewatch/lanewatch.conf if it exists, else nothing) and
 * from the sources named on the command line, which replace the file's targets.  -1 if anything
 * is wrong: then c->errors tells all of it.  Release it either way.
 */
int config_load(struct config *c, const struct options *o);
void config_release(struct config *c);

#endif
