/* SPDX-License-Identifier: MIT */
/*
 * A self-signed certificate, made at start: P-256, because it is quick.
 */
#ifndef SIMBMC_CERT_H
#define SIMBMC_CERT_H

#include "base/err.h"

struct cert {
	char *key_pem, *cert_pem;
	char *pin;	/* "sha256//..." of the public key, as curl takes it */
};

/*
 * names: comma-separated host names and IPv4 addresses. days: how long from now;
 * negative: it expired so many days ago. NULL with the reason.
 */
struct cert *cert_new(const char *names, int days, struct err *e);
void cert_free(struct cert *c);

#endif
