/* SPDX-License-Identifier: MIT */
/*
 * file_sd: lists of targets in the form of Prometheus (file_sd), and which part of a shared list
 * an agent takes.  Pure.
 */
#ifndef AGENT_FILE_SD_H
#define AGENT_FILE_SD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One target of a list; "" where its labels do not tell. */
struct file_sd_target {
	char address[192]; /* host, host:port or a URL */
	char name[64];	   /* label "instance", of a group of one; else the address */
	char host[96];	   /* label "host" */
	char group[64];	   /* label "group" */
};

/*
 * Reads [{"targets": ["ADDRESS", ...], "labels": {...}}, ...] and calls fn for each target.  -1 with
 * the reason if any of it is wrong: then fn may have been called for others.  fn ends it with false.
 */
int file_sd_read(const char *text, size_t len, bool (*fn)(void *arg, const struct file_sd_target *t), void *arg, struct err *e);

/* "2/5": the second of five parts; false if it is none (1 to 1000 parts). */
bool shard_parse(const char *text, unsigned *part, unsigned *parts);

/*
 * True if this part takes the name.  Rendezvous hashing: each name is in exactly one part, and where
 * a part is added only those move that it takes.
 */
bool shard_takes(unsigned part, unsigned parts, const char *name);

#endif
