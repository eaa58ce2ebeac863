/* SPDX-License-Identifier: MIT */
/*
 * Who may read: the sessions of one BMC and its single account. Sessions end by DELETE,
 * by disuse, or when a rule drops them all. Tokens are random; nothing here is logged.
 */
#ifndef SIMBMC_AUTH_H
#define SIMBMC_AUTH_H

#include <jansson.h>

#include <stdbool.h>
#include <stdint.h>

enum auth_mode {
	AUTH_UNKNOWN = 0,
	AUTH_NONE,	/* everything is open; sessions can be had all the same */
	AUTH_SESSION,
	AUTH_BASIC,	/* a login is answered 405, as iDRAC8 does */
	AUTH_EITHER,
};

#define AUTH_TOKEN_SIZE 33

struct session {
	struct session *next;
	unsigned id;
	char token[AUTH_TOKEN_SIZE];
	int64_t opened_wall_ms, used_mono_ms;
};

struct auth {
	enum auth_mode mode;
	const char *user, *password;	/* borrowed from the options */
	unsigned max_sessions;
	unsigned timeout_s;		/* 0: sessions do not time out */
	char *sessions_path;		/* "/redfish/v1/...", as the root says */
	struct session *first;
	unsigned live, last_id;
};

/* Copies sessions_path; user and password stay the caller's. */
void auth_init(struct auth *a, enum auth_mode mode, const char *user,
	       const char *password, unsigned max_sessions, unsigned timeout_s,
	       const char *sessions_path);
void auth_release(struct auth *a);

/* Opens a session for a login. 201 with *out borrowed, 401, 405 or 503 (table full). */
int auth_open(struct auth *a, const char *user, const char *password,
	      const struct session **out);

/* Ends the session with that id; false if there is none. */
bool auth_close(struct auth *a, const char *id);
void auth_drop_all(struct auth *a);

/* May a request with these headers (NULL: not sent) read? Marks the session as used. */
bool auth_allows(struct auth *a, const char *token, const char *authorization);

/* Forgets sessions that nobody used for too long. */
void auth_expire(struct auth *a);

/* The collection, and one session by its id (NULL: there is none); new documents. */
json_t *auth_list_doc(const struct auth *a);
json_t *auth_session_doc(const struct auth *a, const char *id);

#endif
