/* SPDX-License-Identifier: MIT */
/*
 * login: who may see the pages: names with crypt(3) hashes of passwords (HTTP Basic), and
 * tokens for programs (Bearer, to read only), from one file (SECURITY.md, W8):
 *
 *	anna:$y$j9T$...			as `lanewatch hash-password anna` prints it, or `htpasswd -B`
 *	prometheus:sha256:1f2e...	as `lanewatch hash-password --token prometheus` prints it
 *
 * A hash takes a tenth of a second and more, so it is reckoned in a thread: login_look() says
 * when that is needed, login_try_run() does it, login_took() hears of it.
 */
#ifndef WEB_LOGIN_H
#define WEB_LOGIN_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

enum { LOGIN_USER_MAX = 64, LOGIN_PASSWORD_MAX = 512, LOGIN_HASH_MAX = 384 };

enum login_answer {
	LOGIN_UNKNOWN = 0,
	LOGIN_NONE,  /* nothing was given, or it is wrong: 401 */
	LOGIN_RIGHT, /* by a password */
	LOGIN_TOKEN, /* right, and may only read */
	LOGIN_TRY,   /* the password has to be looked at: out->... is filled */
	LOGIN_LATER, /* too many wrong ones from there: 429 */
};

/* One password that is looked at. Holds it: wipe with login_try_wipe(). */
struct login_try {
	char user[LOGIN_USER_MAX];
	char password[LOGIN_PASSWORD_MAX];
	char hash[LOGIN_HASH_MAX]; /* what it is held against: of this user, or of another for the same cost */
	bool known;		   /* there is such a user */
	bool right;		   /* by login_try_run() */
	struct sockaddr_storage from;
};

struct login;

/* Reads the file; NULL with file, line and remedy. */
struct login *login_new(const char *file, struct err *e);
void login_free(struct login *l);

/*
 * What an Authorization header (NULL: none) is worth. `out->user` gets the name for RIGHT and
 * TOKEN, all of it is filled for TRY.
 */
enum login_answer login_look(struct login *l, const char *authorization, const struct sockaddr *from, struct login_try *out);

/* In a thread: one call of crypt(3), whoever the user is. */
void login_try_run(struct login_try *t);

/* On the loop: remembers a right one for 5 minutes, counts a wrong one. */
void login_took(struct login *l, const struct login_try *t);

void login_try_wipe(struct login_try *t);

/* A hash for the file from a password, at a cost of a tenth of a second and more; false if crypt(3) cannot. */
bool login_hash_password(const char *password, char out[LOGIN_HASH_MAX]);

/* A new token and what the file holds of it ("sha256:..."). */
enum { LOGIN_TOKEN_MAX = 64 };
bool login_make_token(char token[LOGIN_TOKEN_MAX], char hash[LOGIN_HASH_MAX]);

#endif
