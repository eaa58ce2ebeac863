/* SPDX-License-Identifier: MIT */
/*
 * tls: the server's certificate and key as texts, looked at before they are used
 * (SECURITY.md, W9).
 */
#ifndef WEB_TLS_H
#define WEB_TLS_H

#include "base/err.h"

#include <stdbool.h>

/* What GnuTLS may agree on: TLS 1.2 and 1.3, forward secrecy, authenticated ciphers. */
extern const char tls_priorities[];

/* PEM texts; both NULL without TLS. */
struct tls {
	char *certificate, *key;
};

/* Reads both files; -1 with the remedy if one cannot be read, the key may be read by others, or they do not belong together. */
int tls_read(struct tls *t, const char *certificate_file, const char *key_file, struct err *e);
void tls_release(struct tls *t);

bool tls_same(const struct tls *a, const struct tls *b);

#endif
