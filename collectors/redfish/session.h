/* SPDX-License-Identifier: MIT */
/*
 * session: how requests to one BMC are allowed: a session token, Basic, or nothing; and
 * the requests themselves, with redirects inside the BMC followed (SECURITY.md, R1, R11).
 *
 * One session is made and used for as long as the source lives, and deleted on the way out;
 * one that a killed run left is deleted at the next start, by a note in the state folder
 * that holds its path and never its token.  After a refused login the next try waits:
 * an account must not be locked by us.
 */
#ifndef REDFISH_SESSION_H
#define REDFISH_SESSION_H

#include "base/http.h"
#include "base/url.h"
#include "collectors/collector.h"
#include "collectors/redfish/path.h"
#include "collectors/redfish/secrets.h"
#include "model/reason.h"

#include <stdbool.h>

struct rf_session {
	const struct target_config *config;
	const struct collector_env *env;
	struct url origin;
	char base[160];		     /* "https://host:port" */
	char token[1024];	     /* "" without a session */
	char old_token[1024];	     /* of the session before, which a late answer may tell */
	char location[RF_PATH_MAX];  /* the session's own path, "" if the service told none */
	char sessions[RF_PATH_MAX];  /* where sessions are made */
	bool basic;		     /* sessions are refused or not offered */
	char *password;
	struct rf_secrets secrets;   /* the password and the token: not to be told */
	int64_t next_login_mono_ms;  /* not before: the last login was refused */
	enum reason refused;	     /* why the last login failed */
	char why[256];
	int requests;		     /* sent since the last reset, logins too */
	unsigned generation;	     /* changes with every login, and with every session that is given up */
	struct login *login;	     /* under way; NULL if none is */
	struct left *left;	     /* sessions of killed runs, being deleted */
};

/* Fills the session of a target; -1 if its address cannot be one. */
int rf_session_init(struct rf_session *s, const struct target_config *c, const struct collector_env *env, struct err *e);
void rf_session_release(struct rf_session *s);

/* True if requests can be sent: nobody's name is configured, a token is there, or Basic is used. */
bool rf_session_ready(const struct rf_session *s);

/*
 * Gives up a session whose token the service takes no longer.  It is deleted all the same: a service
 * that refuses one resource by 401 has kept it, and its table of sessions is small.
 */
void rf_session_give_up(struct rf_session *s);

/* Notes that Basic was refused: no request is tried with it before a while (R11). */
void rf_session_refuse_basic(struct rf_session *s);

/* Takes over where the service says that sessions are made; NULL and what is no such place change nothing. */
void rf_session_learn_place(struct rf_session *s, const char *link);

/* Logs in; done(arg, ok) is called later, from the loop.  Not ok: s->refused and s->why tell. */
void rf_session_login(struct rf_session *s, void (*done)(void *arg, bool ok), void *arg);

/* Ends a login that is under way, if one is, without its done(). */
void rf_session_cancel_login(struct rf_session *s);

/* Deletes the session, if there is one; done(arg) is called later, from the loop, also without one. */
void rf_session_logout(struct rf_session *s, void (*done)(void *arg), void *arg);

/* Sends a GET of a path with what allows it; NULL `allowed` for the root, which anybody may read. */
struct http_call *rf_session_get(struct rf_session *s, const char *path, bool allowed, size_t body_max,
	void (*done)(void *arg, const struct http_reply *reply), void *arg);

/* Opens a stream of events (base/http.h, chunk), behind the event last_id if that is not "". */
struct http_call *rf_session_stream(struct rf_session *s, const char *path, const char *last_id,
	bool (*chunk)(void *arg, const char *data, size_t len), void (*done)(void *arg, const struct http_reply *reply), void *arg);

/* The reason that a reply which is no answer stands for. */
enum reason rf_session_reason(const struct http_reply *r);

#endif
