/* SPDX-License-Identifier: MIT */
/* server: see server.h. Any failure here ends the test with a word. */
#include "tests/unit/server.h"

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "# test server: %s\n", what);
	abort();
}

/* ---- bytes ---- */

bool peer_send(struct peer *p, const void *data, size_t len)
{
	const char *at = data;

	while (len) {
		ssize_t n = p->tls ? gnutls_record_send(p->tls, at, len)
				   : send(p->fd, at, len, MSG_NOSIGNAL);

		if (p->tls && (n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED))
			continue;
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

bool peer_text(struct peer *p, const char *s)
{
	return peer_send(p, s, strlen(s));
}

static ssize_t peer_read(struct peer *p, void *out, size_t size)
{
	ssize_t n;

	do
		n = p->tls ? gnutls_record_recv(p->tls, out, size) : read(p->fd, out, size);
	while (p->tls && (n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED));
	return n;
}

/* One request with its body, 0 at the end of the connection. */
static size_t read_request(struct peer *p, char *out, size_t size)
{
	size_t len = 0, want = 0;

	while (!want || len < want) {
		ssize_t n = peer_read(p, out + len, size - 1 - len);
		char *end, *length;

		if (n <= 0)
			return 0;
		len += (size_t)n;
		out[len] = '\0';
		end = strstr(out, "\r\n\r\n");
		if (!end)
			continue;
		length = strcasestr(out, "\r\nContent-Length:");
		want = (size_t)(end - out) + 4;
		if (length && length < end)
			want += strtoul(length + 17, NULL, 10);
	}
	return len;
}

void peer_wait(struct peer *p)
{
	char c;

	while (read(p->fd, &c, 1) > 0)
		;
}

/* ---- connections ---- */

struct worker {
	struct worker *next;
	struct server *s;
	struct peer p;
	pthread_t thread;
};

static void shake_hands(struct server *s, struct peer *p)
{
	int rc;

	gnutls_init(&p->tls, GNUTLS_SERVER | GNUTLS_NO_SIGNAL);
	if (s->priority)
		must(gnutls_priority_set_direct(p->tls, s->priority, NULL) == 0, s->priority);
	else
		gnutls_set_default_priority(p->tls);
	gnutls_credentials_set(p->tls, GNUTLS_CRD_CERTIFICATE, s->credentials);
	gnutls_transport_set_int(p->tls, p->fd);
	do
		rc = gnutls_handshake(p->tls);
	while (rc < 0 && !gnutls_error_is_fatal(rc));
}

/* The socket is shut down and left open: server_stop() may be about to do the same. */
static void *serve(void *arg)
{
	struct worker *w = arg;
	struct server *s = w->s;
	char request[sizeof s->last];

	if (s->silent_tls)
		peer_wait(&w->p);
	else if (s->credentials)
		shake_hands(s, &w->p);
	while (read_request(&w->p, request, sizeof request)) {
		memcpy(s->last, request, sizeof request);
		s->requests++;
		if (!s->answer(s, &w->p, request))
			break;
	}
	if (w->p.tls) {
		gnutls_bye(w->p.tls, GNUTLS_SHUT_WR);
		gnutls_deinit(w->p.tls);
	}
	shutdown(w->p.fd, SHUT_RDWR);
	return NULL;
}

static void *accept_all(void *arg)
{
	struct server *s = arg;
	struct worker *w;
	int fd;

	while ((fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		s->connections++;
		w = calloc(1, sizeof *w);
		must(w != NULL, "memory");
		*w = (struct worker){.next = s->workers, .s = s, .p.fd = fd};
		s->workers = w;
		must(pthread_create(&w->thread, NULL, serve, w) == 0, "thread");
	}
	return NULL;
}

static void listen_on_loopback(struct server *s)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof a;

	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(s->fd >= 0 && bind(s->fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(s->fd, 64) == 0 &&
			getsockname(s->fd, (struct sockaddr *)&a, &len) == 0, "listen");
	s->port = ntohs(a.sin_port);
}

void server_start(struct server *s)
{
	listen_on_loopback(s);
	must(pthread_create(&s->acceptor, NULL, accept_all, s) == 0, "thread");
}

void server_fork(struct server *s)
{
	listen_on_loopback(s);
	s->pid = fork();
	must(s->pid >= 0, "fork");
	if (s->pid == 0) {
		alarm(600); /* never left behind */
		accept_all(s);
		_exit(0);
	}
	close(s->fd);
}

static void end_threads(struct server *s)
{
	struct worker *w, *next;

	shutdown(s->fd, SHUT_RDWR);
	pthread_join(s->acceptor, NULL);
	close(s->fd);
	for (w = s->workers; w; w = w->next)
		shutdown(w->p.fd, SHUT_RDWR);
	for (w = s->workers; w; w = next) {
		next = w->next;
		pthread_join(w->thread, NULL);
		close(w->p.fd);
		free(w);
	}
	s->workers = NULL;
}

void server_stop(struct server *s)
{
	if (!s->pid) {
		end_threads(s);
		return;
	}
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
}

const char *server_url(const struct server *s, const char *path, char *out, size_t size)
{
	snprintf(out, size, "%s://127.0.0.1:%d%s", s->credentials || s->silent_tls ? "https" : "http",
		s->port, path);
	return out;
}

/* ---- identities ---- */

static void make_pin(struct identity *id)
{
	gnutls_pubkey_t key;
	gnutls_datum_t der, text, digest;
	unsigned char sum[32];

	digest = (gnutls_datum_t){sum, sizeof sum};
	must(gnutls_pubkey_init(&key) == 0 && gnutls_pubkey_import_x509(key, id->crt, 0) == 0 &&
			gnutls_pubkey_export2(key, GNUTLS_X509_FMT_DER, &der) == 0 &&
			gnutls_hash_fast(GNUTLS_DIG_SHA256, der.data, der.size, sum) == 0 &&
			gnutls_base64_encode2(&digest, &text) == 0, "pin");
	snprintf(id->pin, sizeof id->pin, "sha256//%.*s", (int)text.size, (char *)text.data);
	gnutls_free(der.data);
	gnutls_free(text.data);
	gnutls_pubkey_deinit(key);
}

static void set_names(gnutls_x509_crt_t crt, const struct identity_wish *w)
{
	const char *cn = w->dns ? w->dns : w->ip ? w->ip : "lanewatch test authority";
	unsigned char ip[4];

	gnutls_x509_crt_set_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, cn, (unsigned)strlen(cn));
	if (w->dns)
		gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_DNSNAME, w->dns,
			(unsigned)strlen(w->dns), GNUTLS_FSAN_SET);
	if (w->ip && inet_pton(AF_INET, w->ip, ip) == 1)
		gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, ip, sizeof ip,
			w->dns ? GNUTLS_FSAN_APPEND : GNUTLS_FSAN_SET);
}

void identity_make(struct identity *id, struct identity_wish w)
{
	const struct identity *issuer = w.issuer ? w.issuer : id;
	unsigned char serial[8];
	time_t now = time(NULL);

	must(gnutls_x509_privkey_init(&id->key) == 0 &&
			gnutls_x509_privkey_generate(id->key, GNUTLS_PK_ECDSA,
				GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0) == 0, "key");
	gnutls_x509_crt_init(&id->crt);
	gnutls_x509_crt_set_version(id->crt, 3);
	gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof serial);
	serial[0] &= 0x7f;
	gnutls_x509_crt_set_serial(id->crt, serial, sizeof serial);
	gnutls_x509_crt_set_activation_time(id->crt, now + (w.until_s ? w.from_s : -60));
	gnutls_x509_crt_set_expiration_time(id->crt, now + (w.until_s ? w.until_s : 3600));
	gnutls_x509_crt_set_basic_constraints(id->crt, w.authority, -1);
	set_names(id->crt, &w);
	gnutls_x509_crt_set_key(id->crt, id->key);
	must(gnutls_x509_crt_sign2(id->crt, issuer->crt, issuer->key, GNUTLS_DIG_SHA256, 0) == 0, "sign");
	make_pin(id);
}

void identity_release(struct identity *id)
{
	gnutls_x509_crt_deinit(id->crt);
	gnutls_x509_privkey_deinit(id->key);
}

gnutls_certificate_credentials_t identity_credentials(const struct identity *id)
{
	gnutls_certificate_credentials_t c;
	gnutls_x509_crt_t crt = id->crt;


	must(gnutls_certificate_allocate_credentials(&c) == 0 &&
			gnutls_certificate_set_x509_key(c, &crt, 1, id->key) >= 0, "credentials");
	return c;
}

void identity_save(const struct identity *id, char *path)
{
	gnutls_datum_t pem;
	int fd = mkstemp(path);

	must(fd >= 0 && gnutls_x509_crt_export2(id->crt, GNUTLS_X509_FMT_PEM, &pem) == 0 &&
			write(fd, pem.data, pem.size) == (ssize_t)pem.size, "certificate file");
	close(fd);
	gnutls_free(pem.data);
}
