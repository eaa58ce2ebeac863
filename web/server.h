/* SPDX-License-Identifier: MIT */
/*
 * server: the HTTP server (libmicrohttpd) on the agent's loop by its epoll descriptor.
 *
 * Loopback without a password by default; for another address TLS and a login, or an explicit
 * word for each (SECURITY.md, W1).  Every request is checked against the hosts that may be
 * named (W2), has an absolute deadline (W7), and is answered from pages that are ready: what
 * takes time is done by a crew of threads.  All else on the loop's thread.
 */
#ifndef WEB_SERVER_H
#define WEB_SERVER_H

#include "base/err.h"
#include "web/api.h"

#include <stddef.h>
#include <uv.h>

struct server;

struct server_config {
	const char *listen;	  /* "127.0.0.1:9288", "[::1]:9288" */
	const char *const *hosts; /* further names that may stand in Host; NULL-terminated, may be NULL */
	const char *tls_certificate, *tls_key; /* files in PEM; NULL: no TLS */
	const char *users_file;	  /* who may see it (web/login.h); NULL: whoever can connect */
	const char *database;	  /* of the store, for histories; NULL: there is none */
	unsigned connections_per_address; /* 0: 16; a reverse proxy is one address */
	bool plaintext;		  /* no TLS although others than this machine are served */
	bool anonymous;		  /* likewise no login */
	const char *web_root;	  /* serve the page's files from this folder, while one draws; NULL: as built in */
	int request_ms, reply_ms; /* 0: 10 s and 30 s */
};

/* Whether all that fits together, without a look at any file; -1 with one line that says what to do. */
int server_check(const struct server_config *c, struct err *e);

/* Starts to listen; NULL with one line that says what to do. The api is borrowed and outlives it. */
struct server *server_new(uv_loop_t *loop, const struct server_config *c, struct api *api, struct err *e);

/*
 * Reads certificate, key and users again, and takes c for everything but the address and the
 * database, which a running server keeps.  -1 with the reason: then nothing has changed.  Pages
 * that are open are cut off, and come back, where the certificate is another one.
 */
int server_reload(struct server *s, const struct server_config *c, struct err *e);

/* The port that it listens on. */
int server_port(const struct server *s);

/* Stops listening, ends all connections, and calls closed(arg) when its handles are gone. */
void server_close(struct server *s, void (*closed)(void *arg), void *arg);

/* Lets streaming pages know that something changed (server-sent events). */
void server_changed(struct server *s);

#endif
