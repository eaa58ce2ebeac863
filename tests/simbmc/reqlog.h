/* SPDX-License-Identifier: MIT */
/*
 * The request log: one JSON object a line, written before the answer leaves, so that a
 * client that has its answer finds its line. No secrets: only whether there were any.
 */
#ifndef SIMBMC_REQLOG_H
#define SIMBMC_REQLOG_H

#include "base/err.h"

#include <jansson.h>

#include <stdbool.h>
#include <stddef.h>

struct reqlog {
	int fd;	/* -1: no log */
};

struct reqlog_line {
	unsigned instance, conn, sessions;
	const char *method, *path;
	int status;		/* 0: bytes of a rule that are no HTTP of ours */
	size_t bytes;		/* of the body as it is sent */
	bool token, basic;
	json_t *headers;	/* names, sorted; taken over */
};

/* Opens the file for appending; NULL: no log. */
int reqlog_open(struct reqlog *l, const char *path, struct err *e);
void reqlog_close(struct reqlog *l);

void reqlog_write(struct reqlog *l, const struct reqlog_line *line);

/* How much of a rule's body went out, also where the client hung up in the middle. */
void reqlog_sent(struct reqlog *l, unsigned instance, const char *path, size_t sent);

#endif
