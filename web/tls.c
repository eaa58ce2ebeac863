/* SPDX-License-Identifier: MIT */
/* tls: see tls.h. */
#include "web/tls.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>

enum { PEM_BYTES_MAX = 256 * 1024 };

const char tls_priorities[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:"
			      "-CIPHER-ALL:+AES-256-GCM:+AES-128-GCM:+CHACHA20-POLY1305:%SERVER_PRECEDENCE";

static char *read_text(const char *file, bool secret, struct err *e)
{
	struct buf b;
	char *text = NULL;

	buf_init(&b, PEM_BYTES_MAX);
	if ((secret ? file_secret_read(file, &b, e) : file_read(file, &b, e)) == 0) {
		text = buf_take(&b);
		if (!text)
			err_set(e, "%s: no memory", file);
	}
	buf_release(&b);
	return text;
}

/* That both are what they should be, and belong together. */
static int look_at(const struct tls *t, const char *certificate_file, const char *key_file, struct err *e)
{
	const gnutls_datum_t certificate = {(unsigned char *)t->certificate, (unsigned)strlen(t->certificate)};
	const gnutls_datum_t key = {(unsigned char *)t->key, (unsigned)strlen(t->key)};
	gnutls_certificate_credentials_t both;
	int rc;

	if (gnutls_certificate_allocate_credentials(&both))
		return err_set(e, "no memory");
	rc = gnutls_certificate_set_x509_key_mem(both, &certificate, &key, GNUTLS_X509_FMT_PEM);
	gnutls_certificate_free_credentials(both);
	if (rc < 0)
		return err_set(e, "%s with %s: %s", certificate_file, key_file, gnutls_strerror(rc));
	return 0;
}

int tls_read(struct tls *t, const char *certificate_file, const char *key_file, struct err *e)
{
	*t = (struct tls){.certificate = read_text(certificate_file, false, e)};
	if (t->certificate)
		t->key = read_text(key_file, true, e);
	if (t->key && look_at(t, certificate_file, key_file, e) == 0)
		return 0;
	tls_release(t);
	return -1;
}

void tls_release(struct tls *t)
{
	free(t->certificate);
	mem_wipe_free(t->key);
	*t = (struct tls){0};
}

bool tls_same(const struct tls *a, const struct tls *b)
{
	return str_same(a->certificate, b->certificate) && str_same(a->key, b->key);
}
