/* SPDX-License-Identifier: MIT */
/* login: see login.h.  On the loop's thread, but login_try_run(). */
#include "web/login.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <crypt.h>
#include <gnutls/crypto.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
	FILE_BYTES_MAX = 64 * 1024,
	USERS_MAX = 256,
	DIGEST = 32,
	ADDRESS = 16,
	REMEMBERED = 64,
	REMEMBERED_MS = 5 * 60 * 1000,
	ADDRESSES = 64,
	WRONG_FREE = 5,	      /* wrong ones from an address before it is slowed down */
	WRONG_PAUSE_MS = 2000, /* between two tries of it then */
	WRONG_FORGOTTEN_MS = 10 * 60 * 1000,
	YESCRYPT_COST = 5, /* a tenth of a second and 16 MiB on a server */
};

static const char token_mark[] = "sha256:";

struct user {
	char name[LOGIN_USER_MAX];
	char hash[LOGIN_HASH_MAX];
	bool is_token;
	unsigned char digest[DIGEST]; /* of a token */
};

struct users {
	size_t n;
	struct user *items;
};

/* A password that was right lately, as a keyed hash. */
struct remembered {
	unsigned char mark[DIGEST];
	int64_t until_mono_ms; /* 0: free */
};

struct address {
	unsigned char bytes[ADDRESS];
	int wrong; /* in a row */
	int64_t last_mono_ms;
};

struct login {
	struct users users;
	unsigned char key[DIGEST]; /* of this process */
	struct remembered remembered[REMEMBERED];
	struct address addresses[ADDRESSES];
};

/* ---- the file ---- */

static void users_release(struct users *u)
{
	if (u->items)
		explicit_bzero(u->items, u->n * sizeof *u->items);
	free(u->items);
	*u = (struct users){0};
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static bool read_digest(const char *hex, unsigned char out[DIGEST])
{
	if (strlen(hex) != 2 * DIGEST)
		return false;
	for (size_t i = 0; i < DIGEST; i++) {
		int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		out[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}

/* bcrypt and yescrypt; the others are too quick to try. */
static bool is_slow_hash(const char *hash)
{
	static const char *const begins[] = {"$2a$", "$2b$", "$2y$", "$y$"};
	bool fits = false;
	int rc = crypt_checksalt(hash);

	for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
		fits |= str_starts(hash, begins[i]);
	return fits && (rc == CRYPT_SALT_OK || rc == CRYPT_SALT_TOO_CHEAP);
}

static const struct user *user_find(const struct users *u, const char *name, bool is_token)
{
	for (size_t i = 0; i < u->n; i++)
		if (u->items[i].is_token == is_token && strcmp(u->items[i].name, name) == 0)
			return &u->items[i];
	return NULL;
}

/* NULL, or what is wrong with "NAME:HASH". */
static const char *add_user(struct users *u, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);
	char name[LOGIN_USER_MAX], clean[LOGIN_USER_MAX];
	struct user one = {0};

	if (!colon)
		return "not NAME:HASH, as `lanewatch hash-password NAME` prints it";
	if (colon == line || (size_t)(colon - line) >= sizeof name)
		return "the name is empty or longer than 63 bytes";
	memcpy(name, line, (size_t)(colon - line));
	name[colon - line] = '\0';
	str_clean(clean, sizeof clean, name);
	if (strcmp(clean, name) != 0)
		return "the name contains what cannot be printed";
	len -= (size_t)(colon + 1 - line);
	if (len >= sizeof one.hash)
		return "the hash is too long";
	memcpy(one.name, name, sizeof name);
	memcpy(one.hash, colon + 1, len);
	one.is_token = str_starts(one.hash, token_mark);
	if (one.is_token ? !read_digest(one.hash + strlen(token_mark), one.digest) : !is_slow_hash(one.hash))
		return "no hash of bcrypt or yescrypt, nor sha256: of a token; `lanewatch hash-password NAME` makes one";
	if (user_find(u, one.name, one.is_token))
		return "the name stands there already";
	if (u->n == USERS_MAX)
		return "more than 256 names";
	u->items = mem_grow(u->items, u->n, sizeof one);
	u->items[u->n++] = one;
	return NULL;
}

static int read_lines(struct users *u, const char *file, const char *text, struct err *e)
{
	for (int n = 1; *text; n++) {
		size_t len = strcspn(text, "\r\n"), blank = strspn(text, " \t");
		const char *wrong = NULL;

		if (blank < len && text[0] != '#')
			wrong = add_user(u, text, len);
		if (wrong)
			return err_set(e, "%s:%d: %s", file, n, wrong);
		text += len;
		text += *text == '\r';
		text += *text == '\n';
	}
	return u->n ? 0 : err_set(e, "%s: nobody stands in it; `lanewatch hash-password NAME` makes a line", file);
}

static int users_read(struct users *u, const char *file, struct err *e)
{
	struct buf text;
	int rc;

	*u = (struct users){0};
	buf_init(&text, FILE_BYTES_MAX);
	rc = file_secret_read(file, &text, e);
	if (rc == 0)
		rc = read_lines(u, file, buf_text(&text), e);
	if (rc)
		users_release(u);
	if (text.data)
		explicit_bzero(text.data, text.len);
	buf_release(&text);
	return rc;
}

struct login *login_new(const char *file, struct err *e)
{
	struct login *l = mem_new(1, sizeof *l);

	if (gnutls_rnd(GNUTLS_RND_KEY, l->key, sizeof l->key))
		err_set(e, "no random numbers to be had");
	else if (users_read(&l->users, file, e) == 0)
		return l;
	free(l);
	return NULL;
}

void login_free(struct login *l)
{
	if (!l)
		return;
	users_release(&l->users);
	explicit_bzero(l, sizeof *l);
	free(l);
}

/* ---- where a request comes from ---- */

/* An IPv4 address, or the 64 bits of an IPv6 one that belong to one customer. */
static void address_bytes(const struct sockaddr *from, unsigned char out[ADDRESS])
{
	memset(out, 0, ADDRESS);
	if (from->sa_family == AF_INET)
		memcpy(out + 12, &((const struct sockaddr_in *)from)->sin_addr, 4);
	else if (from->sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&((const struct sockaddr_in6 *)from)->sin6_addr))
		memcpy(out + 12, (const unsigned char *)&((const struct sockaddr_in6 *)from)->sin6_addr + 12, 4);
	else if (from->sa_family == AF_INET6)
		memcpy(out, &((const struct sockaddr_in6 *)from)->sin6_addr, 8);
}

/* ---- what was right lately ---- */

/*
 * A keyed hash over address, name and password with the hash it was held against: from elsewhere
 * a password costs a try, however quickly this could tell it; a changed file forgets it as well.
 */
static void mark_of(const struct login *l, const struct login_try *t, unsigned char out[DIGEST])
{
	char text[ADDRESS + LOGIN_USER_MAX + LOGIN_PASSWORD_MAX + LOGIN_HASH_MAX];
	size_t n = 0;

	memset(text, 0, sizeof text);
	address_bytes((const struct sockaddr *)&t->from, (unsigned char *)text);
	n += ADDRESS;
	memcpy(text + n, t->user, strlen(t->user));
	n += LOGIN_USER_MAX;
	memcpy(text + n, t->password, strlen(t->password));
	n += LOGIN_PASSWORD_MAX;
	memcpy(text + n, t->hash, strlen(t->hash));
	if (gnutls_hmac_fast(GNUTLS_MAC_SHA256, l->key, sizeof l->key, text, sizeof text, out))
		gnutls_rnd(GNUTLS_RND_NONCE, out, DIGEST); /* fits nothing then */
	explicit_bzero(text, sizeof text);
}

static bool is_remembered(const struct login *l, const struct login_try *t)
{
	unsigned char mark[DIGEST];
	int64_t now = clock_mono_ms();
	bool found = false;

	mark_of(l, t, mark);
	for (size_t i = 0; i < REMEMBERED; i++)
		found |= l->remembered[i].until_mono_ms > now && gnutls_memcmp(l->remembered[i].mark, mark, DIGEST) == 0;
	return found;
}

static void remember(struct login *l, const struct login_try *t)
{
	struct remembered *oldest = &l->remembered[0];

	for (size_t i = 1; i < REMEMBERED; i++)
		if (l->remembered[i].until_mono_ms < oldest->until_mono_ms)
			oldest = &l->remembered[i];
	mark_of(l, t, oldest->mark);
	oldest->until_mono_ms = clock_mono_ms() + REMEMBERED_MS;
}

/* ---- wrong ones, by address ---- */

/* The entry of an address; the one that was quiet for longest is given up for a new one. */
static struct address *address_of(struct login *l, const struct sockaddr *from)
{
	struct address *oldest = &l->addresses[0];
	unsigned char bytes[ADDRESS];

	address_bytes(from, bytes);
	for (size_t i = 0; i < ADDRESSES; i++) {
		struct address *a = &l->addresses[i];

		if (memcmp(a->bytes, bytes, sizeof bytes) == 0 && a->wrong)
			return a;
		if (!a->wrong || a->last_mono_ms < oldest->last_mono_ms)
			oldest = oldest->wrong ? a : oldest;
	}
	*oldest = (struct address){0};
	memcpy(oldest->bytes, bytes, sizeof bytes);
	return oldest;
}

/* A try counts as wrong until it turns out right: so that many at once are not one. */
static bool may_try(struct login *l, const struct sockaddr *from)
{
	struct address *a = address_of(l, from);
	int64_t now = clock_mono_ms();

	if (now - a->last_mono_ms > WRONG_FORGOTTEN_MS)
		a->wrong = 0;
	if (a->wrong >= WRONG_FREE && now - a->last_mono_ms < WRONG_PAUSE_MS)
		return false;
	a->wrong++;
	a->last_mono_ms = now;
	return true;
}

/* ---- a request ---- */

static enum login_answer look_at_token(const struct login *l, const char *token, struct login_try *out)
{
	enum login_answer answer = LOGIN_NONE;
	unsigned char digest[DIGEST];

	if (gnutls_hash_fast(GNUTLS_DIG_SHA256, token, strlen(token), digest))
		return LOGIN_NONE;
	for (size_t i = 0; i < l->users.n; i++) {
		const struct user *u = &l->users.items[i];

		if (!u->is_token || gnutls_memcmp(u->digest, digest, DIGEST) != 0)
			continue;
		memcpy(out->user, u->name, sizeof out->user);
		answer = LOGIN_TOKEN;
	}
	return answer;
}

/* "NAME:PASSWORD" in base64. */
static bool read_basic(const char *text, struct login_try *out)
{
	const gnutls_datum_t in = {(unsigned char *)text, (unsigned)strlen(text)};
	gnutls_datum_t plain = {NULL, 0};
	const char *colon;
	bool fits = false;
	size_t name, password;

	if (in.size > 1024 || gnutls_base64_decode2(&in, &plain))
		return false;
	colon = plain.size ? memchr(plain.data, ':', plain.size) : NULL;
	if (colon && !memchr(plain.data, '\0', plain.size)) {
		name = (size_t)(colon - (char *)plain.data);
		password = plain.size - name - 1;
		fits = name && name < sizeof out->user && password && password < sizeof out->password;
		if (fits) {
			memcpy(out->user, plain.data, name);
			memcpy(out->password, colon + 1, password);
		}
	}
	if (plain.data)
		explicit_bzero(plain.data, plain.size);
	gnutls_free(plain.data);
	return fits;
}

/* Whoever is not known is held against another's hash, and never fits. */
static void choose_hash(const struct login *l, struct login_try *out)
{
	const struct user *u = user_find(&l->users, out->user, false);

	out->known = u;
	for (size_t i = 0; !u && i < l->users.n; i++)
		if (!l->users.items[i].is_token)
			u = &l->users.items[i];
	if (u)
		memcpy(out->hash, u->hash, sizeof out->hash);
}

static const char *after_scheme(const char *header, const char *scheme)
{
	size_t n = strlen(scheme);

	if (!header || strncasecmp(header, scheme, n) != 0 || header[n] != ' ')
		return NULL;
	return header + n + strspn(header + n, " ");
}

enum login_answer login_look(struct login *l, const char *authorization, const struct sockaddr *from, struct login_try *out)
{
	const char *token = after_scheme(authorization, "Bearer"), *basic = after_scheme(authorization, "Basic");

	memset(out, 0, sizeof *out);
	if (token)
		return look_at_token(l, token, out);
	if (!basic || !read_basic(basic, out))
		return LOGIN_NONE;
	choose_hash(l, out);
	if (!out->hash[0]) /* there are only tokens */
		return LOGIN_NONE;
	memcpy(&out->from, from, from->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in));
	if (out->known && is_remembered(l, out))
		return LOGIN_RIGHT;
	if (!may_try(l, from))
		return LOGIN_LATER;
	return LOGIN_TRY;
}

void login_try_run(struct login_try *t)
{
	struct crypt_data *data = mem_new(1, sizeof *data);
	const char *hash = crypt_r(t->password, t->hash, data);
	size_t len = strlen(t->hash);

	t->right = hash && strlen(hash) == len && gnutls_memcmp(hash, t->hash, len) == 0 && t->known;
	explicit_bzero(data, sizeof *data);
	free(data);
}

void login_took(struct login *l, const struct login_try *t)
{
	const struct user *u = user_find(&l->users, t->user, false);
	struct address *a = address_of(l, (const struct sockaddr *)&t->from);

	a->last_mono_ms = clock_mono_ms();
	if (!t->right)
		return;
	a->wrong = 0;
	if (u && strcmp(u->hash, t->hash) == 0) /* the file may have changed meanwhile */
		remember(l, t);
}

void login_try_wipe(struct login_try *t)
{
	explicit_bzero(t, sizeof *t);
}

/* ---- making what stands in the file ---- */

bool login_hash_password(const char *password, char out[LOGIN_HASH_MAX])
{
	struct crypt_data *data = mem_new(1, sizeof *data);
	char salt[CRYPT_GENSALT_OUTPUT_SIZE];
	const char *hash = NULL;

	if (crypt_gensalt_rn("$y$", YESCRYPT_COST, NULL, 0, salt, sizeof salt))
		hash = crypt_r(password, salt, data);
	if (hash && (hash[0] == '*' || !str_copy(out, LOGIN_HASH_MAX, hash)))
		hash = NULL;
	explicit_bzero(data, sizeof *data);
	free(data);
	return hash;
}

bool login_make_token(char token[LOGIN_TOKEN_MAX], char hash[LOGIN_HASH_MAX])
{
	unsigned char random[DIGEST], digest[DIGEST];

	if (gnutls_rnd(GNUTLS_RND_KEY, random, sizeof random))
		return false;
	snprintf(token, LOGIN_TOKEN_MAX, "lw_");
	for (size_t i = 0; i < 24; i++) /* 192 bits */
		snprintf(token + 3 + 2 * i, 3, "%02x", random[i]);
	explicit_bzero(random, sizeof random);
	if (gnutls_hash_fast(GNUTLS_DIG_SHA256, token, strlen(token), digest))
		return false;
	snprintf(hash, LOGIN_HASH_MAX, "%s", token_mark);
	for (size_t i = 0; i < DIGEST; i++)
		snprintf(hash + strlen(token_mark) + 2 * i, 3, "%02x", digest[i]);
	return true;
}
