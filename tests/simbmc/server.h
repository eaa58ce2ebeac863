/* SPDX-License-Identifier: MIT */
/*
 * The HTTP side: one libmicrohttpd daemon for each BMC, all of them in one epoll loop and
 * one thread, so that nothing here needs a lock. A request that has to wait is suspended and
 * holds up nobody.
 */
#ifndef SIMBMC_SERVER_H
#define SIMBMC_SERVER_H

#include "base/buf.h"
#include "base/err.h"
#include "tests/simbmc/auth.h"
#include "tests/simbmc/machine.h"
#include "tests/simbmc/options.h"
#include "tests/simbmc/query.h"
#include "tests/simbmc/reqlog.h"
#include "tests/simbmc/timers.h"
#include "tests/simbmc/tree.h"

#include <microhttpd.h>

#include <stdbool.h>
#include <stdint.h>

struct server;
struct request;
struct cert;
struct rule_book;
struct rule_state;

/* One BMC. */
struct instance {
	struct server *server;
	unsigned number;	/* from 1 */
	uint16_t port;
	struct MHD_Daemon *daemon;
	int epoll_fd;		/* the daemon's */
	bool kick;		/* it has something to do */
	unsigned last_conn;
	struct machine *machine;
	struct tree tree;
	struct auth auth;
	struct expand_offer offer;
	struct rule_state *rules;	/* NULL without --rules */
	struct sse *streams;	/* that are open */
};

struct server {
	const struct options *o;
	struct buf input;	/* of --stdin: the line that is not whole yet */
	struct instance *instances;
	unsigned n;
	int epoll_fd, signal_fd;
	struct timers timers;
	struct reqlog log;
	struct cert *cert;
	const struct rule_book *book;
	bool stopping;
	unsigned forbidden;	/* requests that --strict condemns */
};

/*
 * Starts everything; o and book (NULL: no rules) stay the caller's. -1 with the reason;
 * server_release() is due either way.
 */
int server_init(struct server *s, const struct options *o, const struct rule_book *book,
		struct err *e);

/* Runs until SIGTERM or SIGINT. */
void server_run(struct server *s);
void server_release(struct server *s);

/* "http://127.0.0.1:8000" of one BMC, to be freed. */
char *instance_url(const struct instance *in);

#endif
