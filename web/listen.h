/* SPDX-License-Identifier: MIT */
/*
 * listen: "ADDRESS:PORT" as a socket address, and which Host headers belong to it.
 */
#ifndef WEB_LISTEN_H
#define WEB_LISTEN_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/socket.h>

/* Reads "127.0.0.1:9288" or "[::1]:9288"; -1 with the reason. */
int listen_parse(const char *text, struct sockaddr_storage *out, socklen_t *len, struct err *e);

/* True for 127.0.0.0/8 and ::1. */
bool listen_is_loopback(const struct sockaddr_storage *a);

/*
 * True if a Host header names us: a loopback name (SECURITY.md, W2: against DNS rebinding), a
 * literal address that we listen on, or one of `hosts`.  The port does not matter: a proxy may
 * have another.
 */
bool listen_host_fits(const struct sockaddr_storage *a, const char *const *hosts, const char *host);

#endif
