/* SPDX-License-Identifier: MIT */
/*
 * inside: what the two halves of the server share: server.c has the daemon, its connections and
 * the loop, request.c what happens to one request.  Nobody else includes this.
 *
 * A request that waits for a thread is a suspended connection.  The thread knows only its job;
 * request and job point at each other on the loop, and either may go first.
 */
#ifndef WEB_INSIDE_H
#define WEB_INSIDE_H

#include "web/asset.h"
#include "web/crew.h"
#include "web/login.h"
#include "web/reply.h"
#include "web/server.h"
#include "web/stream.h"
#include "web/tls.h"

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* What is looked at of a header, borrowed from libmicrohttpd until the request is over; NULL: it is not there. */
struct header {
	const char *host, *accept, *accept_encoding, *if_none_match, *content_length;
	unsigned hosts, lengths, codings; /* how often those stand there that may stand once */
	bool odd;			  /* something that two readers may understand in two ways */
};

/* What came of one request, until its reply is queued. */
struct request {
	struct header header;
	struct buf body;
	bool too_big;
	struct errand *errand; /* a thread works for it: the connection is suspended */
	enum login_answer login;
	char user[LOGIN_USER_MAX]; /* who signed in; "" nobody */
	struct page *ready; /* what a thread made */
	int status;
};

struct connection {
	struct connection *next;
	struct server *server;
	int fd;
	int64_t since_mono_ms; /* when its request began, or its reply was queued */
	int64_t limit_ms;
	struct MHD_Connection *suspended; /* by an errand; NULL: it is not */
	bool idle;	       /* kept open after a reply, for another request */
	bool streaming;	       /* exempt from the deadline, but counted */
	bool odd;	       /* its address is too long, or has a NUL in it */
	struct request request; /* the one that is under way */
};

/* What a thread does for a request. */
struct errand {
	struct crew_job job; /* first */
	struct server *server;
	struct MHD_Connection *connection;
	struct request *request; /* NULL: it went away meanwhile */
	struct login_try login;
	struct series *series;
	uint64_t ticket;   /* of a change that has to be kept before it is answered */
	struct page *page; /* what is answered then */
	struct err why;	   /* it is not */
	bool kept;
};

struct server {
	struct MHD_Daemon *daemon; /* NULL: it could not start again with another certificate */
	struct api *api;
	struct server_config config;
	struct sockaddr_storage address;
	struct assets *assets;
	struct login *login; /* NULL: whoever can connect */
	struct tls tls;
	int request_ms, reply_ms;
	int64_t now_mono_ms; /* when libmicrohttpd began what it does: near enough for deadlines of seconds */
	struct reply_date date;
	struct connection *connections;
	struct streams streams;
	struct crew *hashers, *readers;
	char *database;
	uv_loop_t *loop;
	uv_poll_t *poll; /* of the daemon's descriptor */
	uv_timer_t timer; /* libmicrohttpd's own timeouts */
	uv_timer_t sweep; /* overdue connections */
	int open_handles;
	void (*closed)(void *arg);
	void *closed_arg;
};

/* ---- server.c ---- */

/* Lets libmicrohttpd do what there is to do. */
void server_run(struct server *s);

struct connection *connection_of(struct MHD_Connection *mhd);

/* Counts a connection's time from now; NULL is fine. */
void connection_limit(struct connection *c, int64_t limit_ms);

/* ---- request.c ---- */

enum MHD_Result request_take(void *server, struct MHD_Connection *mhd, const char *path, const char *method,
	const char *version, const char *upload, size_t *upload_size, void **context);
void request_completed(void *server, struct MHD_Connection *mhd, void **context, enum MHD_RequestTerminationCode code);

/* The address as it came, before it is decoded. */
void *request_uri(void *server, const char *uri, struct MHD_Connection *mhd);

#endif
