/* SPDX-License-Identifier: MIT */
/*
 * GnuTLS makes the key and the certificate.
 */
#include "tests/simbmc/cert.h"

#include "base/mem.h"
#include "tests/simbmc/util.h"

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY_S 86400

static int add_name(gnutls_x509_crt_t crt, const char *name)
{
	struct in_addr a;

	if (inet_pton(AF_INET, name, &a) == 1)
		return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, &a,
			sizeof a, GNUTLS_FSAN_APPEND);
	return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_DNSNAME, name,
		(unsigned)strlen(name), GNUTLS_FSAN_APPEND);
}

static int add_names(gnutls_x509_crt_t crt, const char *names)
{
	int rc = 0;

	while (*names && rc == 0) {
		size_t n = strcspn(names, ",");
		char *name = format("%.*s", (int)n, names);

		rc = add_name(crt, name);
		free(name);
		names += n + (names[n] == ',');
	}
	return rc;
}

static int set_times(gnutls_x509_crt_t crt, int days)
{
	time_t now = time(NULL);
	time_t end = now + (time_t)days * DAY_S;
	int rc = gnutls_x509_crt_set_expiration_time(crt, end);

	return rc < 0 ? rc : gnutls_x509_crt_set_activation_time(crt,
		(end < now ? end : now) - DAY_S);
}

/* Fills and signs; the first error of GnuTLS, or 0. */
static int fill(gnutls_x509_crt_t crt, gnutls_x509_privkey_t key, const char *names,
	int days)
{
	unsigned char serial[8];
	int rc = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof serial);

	serial[0] &= 0x7f;	/* positive */
	if (rc == 0)
		rc = gnutls_x509_crt_set_version(crt, 3);
	if (rc == 0)
		rc = gnutls_x509_crt_set_serial(crt, serial, sizeof serial);
	if (rc == 0)
		rc = gnutls_x509_crt_set_dn(crt, "CN=lanewatch-simbmc", NULL);
	if (rc == 0)
		rc = set_times(crt, days);
	if (rc == 0)
		rc = gnutls_x509_crt_set_key(crt, key);
	if (rc == 0)
		rc = add_names(crt, names);
	/* A certificate that a client takes as its own CA. */
	if (rc == 0)
		rc = gnutls_x509_crt_set_basic_constraints(crt, 1, -1);
	if (rc == 0)
		rc = gnutls_x509_crt_set_key_usage(crt,
			GNUTLS_KEY_DIGITAL_SIGNATURE | GNUTLS_KEY_KEY_CERT_SIGN);
	if (rc == 0)
		rc = gnutls_x509_crt_sign2(crt, crt, key, GNUTLS_DIG_SHA256, 0);
	return rc;
}

static char *text_of(const gnutls_datum_t *d)
{
	return format("%.*s", (int)d->size, (const char *)d->data);
}

/* base64(sha256(SubjectPublicKeyInfo)) */
static int make_pin(gnutls_x509_crt_t crt, char **pin)
{
	gnutls_pubkey_t pub = NULL;
	gnutls_datum_t der = {0}, b64 = {0};
	unsigned char sum[32];
	gnutls_datum_t digest = {sum, sizeof sum};
	int rc = gnutls_pubkey_init(&pub);

	if (rc == 0)
		rc = gnutls_pubkey_import_x509(pub, crt, 0);
	if (rc == 0)
		rc = gnutls_pubkey_export2(pub, GNUTLS_X509_FMT_DER, &der);
	if (rc == 0)
		rc = gnutls_hash_fast(GNUTLS_DIG_SHA256, der.data, der.size, sum);
	if (rc == 0)
		rc = gnutls_base64_encode2(&digest, &b64);
	if (rc == 0)
		*pin = format("sha256//%.*s", (int)b64.size, (const char *)b64.data);
	gnutls_free(b64.data);
	gnutls_free(der.data);
	gnutls_pubkey_deinit(pub);
	return rc;
}

static int export(struct cert *c, gnutls_x509_crt_t crt, gnutls_x509_privkey_t key)
{
	gnutls_datum_t pem = {0};
	int rc = gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, &pem);

	if (rc == 0)
		c->cert_pem = text_of(&pem);
	gnutls_free(pem.data);
	pem = (gnutls_datum_t){0};
	if (rc == 0)
		rc = gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &pem);
	if (rc == 0)
		c->key_pem = text_of(&pem);
	gnutls_free(pem.data);
	return rc < 0 ? rc : make_pin(crt, &c->pin);
}

struct cert *cert_new(const char *names, int days, struct err *e)
{
	struct cert *c = mem_new(1, sizeof *c);
	gnutls_x509_crt_t crt = NULL;
	gnutls_x509_privkey_t key = NULL;
	int rc = gnutls_x509_crt_init(&crt);

	if (rc == 0)
		rc = gnutls_x509_privkey_init(&key);
	if (rc == 0)
		rc = gnutls_x509_privkey_generate(key, GNUTLS_PK_ECDSA,
			GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
	if (rc == 0)
		rc = fill(crt, key, names, days);
	if (rc == 0)
		rc = export(c, crt, key);
	if (crt)
		gnutls_x509_crt_deinit(crt);
	if (key)
		gnutls_x509_privkey_deinit(key);
	if (rc == 0)
		return c;
	err_set(e, "no certificate could be made: %s", gnutls_strerror(rc));
	cert_free(c);
	return NULL;
}

void cert_free(struct cert *c)
{
	if (!c)
		return;
	free(c->key_pem);
	free(c->cert_pem);
	free(c->pin);
	free(c);
}
