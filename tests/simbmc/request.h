/* SPDX-License-Identifier: MIT */
/*
 * One request on its way: made when the first line is read, freed when the answer is out.
 */
#ifndef SIMBMC_REQUEST_H
#define SIMBMC_REQUEST_H

#include "tests/simbmc/server.h"

#include <stddef.h>

struct rule;

struct request {
	struct timer timer;	/* first: request_of_timer() */
	struct instance *in;
	struct MHD_Connection *conn;
	char *uri;		/* as sent, with its query */
	char *method;
	unsigned conn_number;
	struct buf body;
	bool too_big;
	bool served_latency;	/* its latency lies behind it */
	/* play.c's: the rule that was chosen, its match number, its raw bytes are out. */
	const struct rule *rule;
	unsigned rule_n;
	bool rule_chosen, rule_held;
	size_t streamed;	/* bytes of a rule's body that went out */
};

/* Holds the request back for so long; the handler is then called again. */
void request_suspend(struct request *r, unsigned ms);

/* Ends its waiting, if it waits. */
void request_wake(struct request *r);

/* A header of the request, NULL if it was not sent. */
const char *request_header(const struct request *r, const char *name);

/* Writes the log line. */
void request_log(struct request *r, int status, size_t bytes);

/* Answers the request (handler.c); the return value goes to libmicrohttpd. */
enum MHD_Result request_handle(struct request *r);

#endif
