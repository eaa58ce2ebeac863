/* SPDX-License-Identifier: MIT */
/*
 * config: the configuration file (libconfuse) and the targets of the command line, as
 * plain data.  Everything wrong is told with file, line, what was expected and the nearest
 * right word; the first problem does not hide the next.
 */
#ifndef AGENT_CONFIG_H
#define AGENT_CONFIG_H

#include "agent/notify_config.h"
#include "agent/options.h"
#include "base/err.h"
#include "collectors/collector.h"
#include "model/policy.h"
#include "storage/store.h"
#include "model/rule.h"
#include "model/silence.h"

#include <stddef.h>
#include <stdint.h>

#define CONFIG_DEFAULT_FILE "/etc/lanewatch/lanewatch.conf"

struct server_config;

struct config_error {
	char file[192];
	int line;
	char message[256];
};

/* Of the web page, texts NULL where not given. */
struct web_config {
	char **hostnames; /* further names that may stand in Host; NULL-terminated */
	char *tls_certificate, *tls_key, *users_file;
	unsigned connections_per_address; /* 0: as the server has it */
	bool plaintext, anonymous;
};

/* A file_sd section: lists of targets, and what holds for all that stand in them. */
struct listed_config {
	char file[192]; /* in which it stands, for messages */
	int line;
	size_t n_files;
	char **files; /* patterns, with their folder */
	struct target_config like;
};

/*
 * Everything that a command needs to know.  Targets are those of the command line where it
 * names any, and none with --database of a command that reads: it reads the store.
 */
struct config {
	int status; /* of the program where something is wrong: EX_USAGE, EX_DATAERR or EX_CONFIG (sysexits.h) */
	char *database;
	struct store_limits store;
	int64_t commit_every_ms; /* what is read may wait so long for the disk; 0: it does not */
	char *listen;
	struct web_config web;
	int64_t poll_interval_ms;
	int64_t logs_interval_ms, metrics_interval_ms, topology_interval_ms; /* 0: as usual */
	size_t targets_at_once; /* asked side by side; 0: by their number */
	size_t requests_at_once; /* to all of them together */
	size_t n_targets, n_notifies, n_errors;
	struct target_config *targets;
	struct notify_config *notifies;
	struct policy_set policies;
	struct rules rules;	     /* of the operator */
	struct silences maintenance; /* windows */
	int64_t group_wait_ms;
	struct config_error *errors;
	size_t n_listed;
	struct listed_config *listed;
	unsigned shard, shards; /* of what is listed; 0: all of it */
	size_t n_files;
	char **files; /* that were read, the first is that of --config */
};

/*
 * Fills c from the file of --config and from the sources and the policy of the command line.
 * Without --config it is CONFIG_DEFAULT_FILE, if that exists and no source is named.  -1 if
 * anything is wrong: then c->errors tells all of it and c->status how to end.  Release it
 * either way.
 */
int config_load(struct config *c, const struct options *o);
void config_release(struct config *c);

/* What the web server is told; its texts are borrowed. */
void config_server(const struct config *c, struct server_config *out);

#endif
