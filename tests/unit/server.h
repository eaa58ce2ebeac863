/* SPDX-License-Identifier: MIT */
/*
 * server: a tiny server on loopback that answers as badly as a test wants: it hands each
 * request to a function that sends raw bytes.  Plain sockets, or TLS by GnuTLS; a thread
 * for each connection, or a child process of its own (where the client is measured).
 */
#ifndef TESTS_UNIT_SERVER_H
#define TESTS_UNIT_SERVER_H

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct peer {
	int fd;
	gnutls_session_t tls; /* NULL: plain */
};

struct server {
	/* Answers one request (headers and body as they came); false closes the connection. */
	bool (*answer)(struct server *s, struct peer *p, const char *request);
	gnutls_certificate_credentials_t credentials; /* NULL: plain */
	const char *priority;			      /* of GnuTLS; NULL: its default */
	bool silent_tls;			      /* accepts and never shakes hands */
	int fd, port;
	pid_t pid; /* of the child, 0 for threads */
	pthread_t acceptor;
	struct worker *workers; /* one for each connection there was */
	atomic_int connections, requests;
	char last[8192]; /* the last request */
};

/* Fill answer (and what else is wanted) first. Listens when it returns. */
void server_start(struct server *s);

/* The same in a child process. Counters stay with the child. */
void server_fork(struct server *s);

/* Ends connections, threads and child; what an answer waits for with peer_wait() ends. */
void server_stop(struct server *s);

/* "http://127.0.0.1:PORT/path", or https; returns out. */
const char *server_url(const struct server *s, const char *path, char *out, size_t size);

/* False when the other side is gone. */
bool peer_send(struct peer *p, const void *data, size_t len);
bool peer_text(struct peer *p, const char *s);

/* Says nothing until the other side or server_stop() ends the connection. */
void peer_wait(struct peer *p);

/* A key and a certificate that a test makes for itself. */
struct identity {
	gnutls_x509_privkey_t key;
	gnutls_x509_crt_t crt;
	char pin[64];
};

struct identity_wish {
	const char *dns, *ip; /* alternative names; NULL none */
	const struct identity *issuer; /* NULL: signed by itself */
	bool authority;
	long from_s, until_s; /* from now; both 0: valid for an hour */
};

void identity_make(struct identity *id, struct identity_wish w);
void identity_release(struct identity *id);

/* Credentials for a server; to be freed after server_stop(). */
gnutls_certificate_credentials_t identity_credentials(const struct identity *id);

/* Writes the certificate as PEM to a new file, whose name goes to path ("...XXXXXX" before). */
void identity_save(const struct identity *id, char *path);

#endif
