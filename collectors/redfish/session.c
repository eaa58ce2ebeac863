/* SPDX-License-Identifier: MIT */
/* session: see session.h. */
#include "collectors/redfish/session.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/jtext.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/redfish/session_note.h"
#include "collectors/redfish/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	LOGIN_BODY_MAX = 64 * 1024,
	/* at most 3 refused logins in 10 minutes */
	WAIT_AFTER_REFUSAL_MS = 200 * 1000,
	WAIT_WHEN_FULL_MS = 60 * 1000,
	LOGOUT_MS = 4 * 1000, /* a stopped agent is not kept waiting */
};

static const char sessions_default[] = "/redfish/v1/SessionService/Sessions";

int rf_session_init(struct rf_session *s, const struct target_config *c, const struct collector_env *env, struct err *e)
{
	*s = (struct rf_session){.config = c, .env = env};
	if (url_parse(c->url, &s->origin, e))
		return -1;
	url_text(&s->origin, s->base, sizeof s->base);
	if (!s->origin.tls && c->username && !c->allow_plaintext && !url_is_loopback(&s->origin))
		return err_set(e, "%s: a password would go over plain http; use https, or set allow_plaintext = true", c->url);
	str_copy(s->sessions, sizeof s->sessions, sessions_default);
	return 0;
}

static void forget_left(struct rf_session *s);

static void forget(struct rf_session *s)
{
	if (s->token[0])
		str_copy(s->old_token, sizeof s->old_token, s->token);
	explicit_bzero(s->token, sizeof s->token);
	s->generation++;
}

void rf_session_release(struct rf_session *s)
{
	rf_session_cancel_login(s);
	forget_left(s);
	forget(s);
	rf_secrets_release(&s->secrets);
	explicit_bzero(s->old_token, sizeof s->old_token);
	mem_wipe_free(s->password);
	s->password = NULL;
}

/* Knows the present password and token again, and the token before. */
static void learn_secrets(struct rf_session *s)
{
	rf_secrets_release(&s->secrets);
	if (s->password && s->password[0])
		rf_secrets_add(&s->secrets, s->password, s->config->username);
	if (s->token[0])
		rf_secrets_add(&s->secrets, s->token, NULL);
	if (s->old_token[0])
		rf_secrets_add(&s->secrets, s->old_token, NULL);
}

bool rf_session_ready(const struct rf_session *s)
{
	return !s->config->username || s->token[0] || s->basic;
}

/*
 * True for a path that ends in "Sessions" (levels 0) or one level below: the only places of a BMC that
 * are written to, whatever it calls its sessions (S7).
 */
static bool is_sessions(const char *path, int levels)
{
	char key[RF_PATH_MAX];

	rf_path_key(path, key);
	while (levels-- > 0) {
		char *slash = strrchr(key, '/');

		if (!slash || strchr(slash, '?'))
			return false;
		*slash = '\0';
	}
	return str_same_nocase(rf_path_last(key), "Sessions");
}

void rf_session_learn_place(struct rf_session *s, const char *link)
{
	char path[RF_PATH_MAX];

	if (link && rf_path_reduce(&s->origin, link, path) && is_sessions(path, 0))
		str_copy(s->sessions, sizeof s->sessions, path);
}

/* ---- requests -------------------------------------------------------------------- */

static struct http_tls tls_of(const struct rf_session *s)
{
	return (struct http_tls){
		.insecure = s->config->tls_insecure,
		.ca_file = s->config->ca_file,
		.pin = s->config->pin,
	};
}

/* Adds what allows a request, and sends it. */
static struct http_call *send_allowed(struct rf_session *s, struct http_request *r, const char **headers, size_t n, const char *path,
	bool allowed, void (*done)(void *, const struct http_reply *), void *arg)
{
	char url[sizeof s->base + RF_PATH_MAX], token[sizeof s->token + 32];
	struct http_call *call;

	snprintf(url, sizeof url, "%s%s", s->base, path);
	r->url = url;
	r->headers = headers;
	r->tls = tls_of(s);
	if (allowed && s->token[0]) {
		snprintf(token, sizeof token, "X-Auth-Token: %s", s->token);
		headers[n++] = token;
	} else if (allowed && s->basic) {
		r->username = s->config->username;
		r->password = s->password;
	}
	s->requests++;
	call = http_send(s->env->http, r, done, arg);
	explicit_bzero(token, sizeof token);
	return call;
}

static struct http_call *send_request(struct rf_session *s, const char *method, const char *path, bool allowed,
	const char *body, size_t body_max, void (*done)(void *, const struct http_reply *), void *arg)
{
	const char *headers[5] = {"Accept: application/json", "OData-Version: 4.0"};
	struct http_request r = {.method = method, .body_max = body_max};
	size_t n = 2;

	if (str_same(method, "DELETE"))
		r.total_ms = LOGOUT_MS;
	if (body) {
		headers[n++] = "Content-Type: application/json";
		r.body = body;
		r.body_len = strlen(body);
	}
	return send_allowed(s, &r, headers, n, path, allowed, done, arg);
}

struct http_call *rf_session_stream(struct rf_session *s, const char *path, const char *last_id,
	bool (*chunk)(void *arg, const char *data, size_t len), void (*done)(void *arg, const struct http_reply *reply), void *arg)
{
	const char *headers[5] = {"Accept: text/event-stream", "OData-Version: 4.0"};
	struct http_request r = {.method = "GET", .body_max = LOGIN_BODY_MAX, .chunk = chunk};
	char last[96];
	size_t n = 2;

	if (last_id[0]) {
		snprintf(last, sizeof last, "Last-Event-ID: %s", last_id);
		headers[n++] = last;
	}
	return send_allowed(s, &r, headers, n, path, true, done, arg);
}

struct http_call *rf_session_get(struct rf_session *s, const char *path, bool allowed, size_t body_max,
	void (*done)(void *arg, const struct http_reply *reply), void *arg)
{
	return send_request(s, "GET", path, allowed, NULL, body_max, done, arg);
}

enum reason rf_session_reason(const struct http_reply *r)
{
	switch (r->end) {
	case HTTP_TIMED_OUT:
		return REASON_TIMEOUT;
	case HTTP_TLS_FAILED:
		return REASON_TLS_FAILED;
	case HTTP_ANSWERED:
		return r->status == 401 || r->status == 403 ? REASON_AUTH_FAILED
		       : r->status >= 500		    ? REASON_REFUSED
							    : REASON_NOT_REDFISH;
	case HTTP_TOO_LARGE:
		return REASON_NOT_REDFISH;
	case HTTP_END_UNKNOWN:
	case HTTP_NO_NAME:
	case HTTP_REFUSED:
	case HTTP_BROKEN:
	case HTTP_NOT_ALLOWED:
		break;
	}
	return REASON_REFUSED;
}

/* ---- login ------------------------------------------------------------------------- */

struct login {
	struct rf_session *session; /* NULL: nobody waits for it any more */
	struct http_call *call;	    /* NULL while it only fails late */
	void (*done)(void *arg, bool ok);
	void *arg;
	char path[RF_PATH_MAX];
	bool redirected;
};

static void end_login(struct login *l, bool ok)
{
	void (*done)(void *, bool) = l->done;
	void *arg = l->arg;

	l->session->login = NULL;
	free(l);
	done(arg, ok);
}

/* Not before wait_ms, nor before the reply itself asks for. */
static void refuse(struct login *l, enum reason reason, int64_t wait_ms, const char *why, const struct http_reply *r)
{
	int64_t retry_ms = r->end == HTTP_ANSWERED ? http_reply_retry_after_ms(r, clock_wall_ms()) : 0;
	struct rf_session *s = l->session;

	if (retry_ms > wait_ms)
		wait_ms = retry_ms;
	s->refused = reason;
	s->next_login_mono_ms = clock_mono_ms() + wait_ms;
	str_clean(s->why, sizeof s->why, why);
	end_login(l, false);
}

/* The session table is full: by message or by status (iDRAC RAC0218, Base SessionLimitExceeded). */
static bool table_full(const struct http_reply *r)
{
	return strstr(r->body, "RAC0218") || strstr(r->body, "SessionLimitExceeded") ||
	       (r->status == 503 && strstr(r->body, "sessions"));
}

/* Takes the path of the new session, if the link is one. */
static bool keep_location(struct rf_session *s, const char *link)
{
	if (link && rf_path_reduce(&s->origin, link, s->location) && is_sessions(s->location, 1))
		return true;
	s->location[0] = '\0';
	return false;
}

static void keep_session(struct rf_session *s, const struct http_reply *r)
{
	char link[RF_PATH_MAX];
	json_t *body = jtext_parse(r->body, r->body_len, NULL, NULL);

	s->generation++;
	if (!http_reply_header(r, "Location", link, sizeof link) || !keep_location(s, link))
		keep_location(s, jtext_string(json_object_get(body, "@odata.id")));
	json_decref(body);
	learn_secrets(s);
	if (rf_secrets_in(&s->secrets, s->location))
		return; /* a path that tells the token: nothing is noted of it */
	session_note_write(s->env->state_dir, s->base, s->config->username, s->location);
}

static void ignore_reply(void *arg, const struct http_reply *r)
{
	(void)arg;
	(void)r;
}

/* A session that a killed run left on this BMC. Its note goes when the BMC has answered. */
struct left {
	struct http_call *call; /* NULL once it is over */
	char note[512];
	struct left *next;
};

static void left_deleted(void *arg, const struct http_reply *r)
{
	struct left *l = arg;

	l->call = NULL;
	if (r->end == HTTP_ANSWERED)
		unlink(l->note);
}

static void delete_left(void *arg, const char *note, const char *location)
{
	struct rf_session *s = arg;
	char path[RF_PATH_MAX];
	struct left *l;

	if (!rf_path_reduce(&s->origin, location, path) || !is_sessions(path, 1)) {
		unlink(note);
		return;
	}
	l = mem_new(1, sizeof *l);
	*l = (struct left){.next = s->left};
	str_copy(l->note, sizeof l->note, note);
	s->left = l;
	l->call = send_request(s, "DELETE", path, true, NULL, LOGIN_BODY_MAX, left_deleted, l);
}

static void forget_left(struct rf_session *s)
{
	struct left *l, *next;

	for (l = s->left; l; l = next) {
		next = l->next;
		if (l->call)
			http_cancel(l->call);
		free(l);
	}
	s->left = NULL;
}

static void logged_in(void *arg, const struct http_reply *r);
static void fail_late(struct login *l);

static void send_login(struct login *l)
{
	struct rf_session *s = l->session;
	json_t *j = json_pack("{s:s, s:s}", "UserName", s->config->username, "Password", s->password);
	char *body = j ? jtext_print(j, JSON_COMPACT) : NULL;

	l->call = NULL;
	if (body) {
		l->call = send_request(s, "POST", l->path, false, body, LOGIN_BODY_MAX, logged_in, l);
	} else { /* a login of nothing would count as a refused one */
		s->refused = REASON_REFUSED;
		str_copy(s->why, sizeof s->why, "out of memory");
		fail_late(l);
	}
	mem_wipe_free(body);
	json_decref(j);
}

/* 307 and 308 to the same path with or without its trailing slash: the one redirect of a POST that is followed. */
static bool follow_slash(struct login *l, const struct http_reply *r)
{
	char link[RF_PATH_MAX], path[RF_PATH_MAX], a[RF_PATH_MAX], b[RF_PATH_MAX];

	if ((r->status != 307 && r->status != 308) || l->redirected ||
		!http_reply_header(r, "Location", link, sizeof link) ||
		!rf_path_reduce(&l->session->origin, link, path))
		return false;
	rf_path_key(path, a);
	rf_path_key(l->path, b);
	if (strcmp(a, b) != 0)
		return false;
	l->redirected = true;
	str_copy(l->path, sizeof l->path, path);
	send_login(l);
	return true;
}

static void logged_in(void *arg, const struct http_reply *r)
{
	struct login *l = arg;
	struct rf_session *s = l->session;
	char why[320];

	if (r->end != HTTP_ANSWERED) {
		refuse(l, rf_session_reason(r), WAIT_WHEN_FULL_MS, r->why, r);
	} else if (follow_slash(l, r)) {
		return;
	} else if (r->status / 100 == 2 && http_reply_header(r, "X-Auth-Token", s->token, sizeof s->token) &&
		   s->token[0]) {
		keep_session(s, r);
		forget_left(s);
		session_note_each_left(s->env->state_dir, s->base, s->config->username, delete_left, s);
		end_login(l, true);
	} else if (table_full(r)) {
		refuse(l, REASON_SESSION_LIMIT, WAIT_WHEN_FULL_MS,
			"all sessions of the BMC are in use; log others out or wait until they time out", r);
	} else if (r->status == 404 || r->status == 405 || r->status == 501 || r->status / 100 == 2) {
		s->basic = true;
		end_login(l, true);
	} else if (r->status == 401 || r->status == 403 || r->status == 400) {
		snprintf(why, sizeof why, "user name or password refused for \"%s\"; check username and password_file",
			s->config->username);
		refuse(l, REASON_AUTH_FAILED, WAIT_AFTER_REFUSAL_MS, why, r);
	} else {
		snprintf(why, sizeof why, "login answered with HTTP status %d; try again later", r->status);
		refuse(l, REASON_REFUSED, WAIT_WHEN_FULL_MS, why, r);
	}
}

/* The password: its file, the service manager's credential of the target's name, or a person. */
static char *take_password(const struct rf_session *s, struct err *e)
{
	const struct target_config *c = s->config;
	const char *credentials = getenv("CREDENTIALS_DIRECTORY");
	char path[512];
	char *secret;

	if (c->password_file || credentials) {
		snprintf(path, sizeof path, "%s/%s", credentials ? credentials : "", c->name);
		secret = file_secret_take(c->password_file ? c->password_file : path, e);
		if (!secret)
			err_wrap(e, "password file");
		return secret;
	}
	secret = s->env->ask_password ? s->env->ask_password(c->name) : NULL;
	if (!secret)
		err_set(e, "no password for \"%s\"; give --password-file, or password_file in the configuration", c->username);
	return secret;
}

struct late_end {
	uv_timer_t timer;
	struct login *login;
};

static void free_late(uv_handle_t *h)
{
	free(h->data);
}

static void end_late(uv_timer_t *t)
{
	struct late_end *late = t->data;

	uv_close((uv_handle_t *)t, free_late);
	if (late->login->session)
		end_login(late->login, false);
	else
		free(late->login);
}

/* Fails a login from the loop, without having asked the BMC. */
static void fail_late(struct login *l)
{
	struct late_end *late = mem_new(1, sizeof *late);

	late->login = l;
	uv_timer_init(l->session->env->loop, &late->timer);
	late->timer.data = late;
	uv_timer_start(&late->timer, end_late, 0, 0);
}

void rf_session_login(struct rf_session *s, void (*done)(void *arg, bool ok), void *arg)
{
	struct login *l = mem_new(1, sizeof *l);
	struct err e = {""};

	*l = (struct login){.session = s, .done = done, .arg = arg};
	s->login = l;
	str_copy(l->path, sizeof l->path, s->sessions);
	if (s->next_login_mono_ms > clock_mono_ms()) { /* s->refused and s->why still stand */
		fail_late(l);
		return;
	}
	mem_wipe_free(s->password); /* read anew: it may have been rotated */
	s->password = take_password(s, &e);
	if (!s->password) {
		s->refused = REASON_AUTH_FAILED;
		str_clean(s->why, sizeof s->why, e.text);
		fail_late(l);
		return;
	}
	learn_secrets(s);
	send_login(l);
}

void rf_session_cancel_login(struct rf_session *s)
{
	struct login *l = s->login;

	s->login = NULL;
	if (!l)
		return;
	if (l->call) {
		http_cancel(l->call);
		free(l);
	} else {
		l->session = NULL; /* its timer frees it */
	}
}

/* ---- logout -------------------------------------------------------------------------- */

void rf_session_give_up(struct rf_session *s)
{
	if (s->token[0] && s->location[0])
		send_request(s, "DELETE", s->location, true, NULL, LOGIN_BODY_MAX, ignore_reply, NULL);
	s->location[0] = '\0';
	forget(s);
}

void rf_session_refuse_basic(struct rf_session *s)
{
	s->basic = false;
	s->next_login_mono_ms = clock_mono_ms() + WAIT_AFTER_REFUSAL_MS;
	s->generation++;
}

struct logout {
	struct rf_session *session;
	void (*done)(void *arg);
	void *arg;
	uv_timer_t timer;
};

static void logout_gone(uv_handle_t *h)
{
	struct logout *l = h->data;
	void (*done)(void *) = l->done;
	void *arg = l->arg;

	free(l);
	done(arg);
}

static void logged_out(void *arg, const struct http_reply *r)
{
	struct logout *l = arg;
	struct rf_session *s = l->session;

	if (r && r->end == HTTP_ANSWERED)
		session_note_remove(s->env->state_dir, s->base, s->config->username);
	forget(s);
	uv_close((uv_handle_t *)&l->timer, logout_gone);
}

static void nothing_to_log_out(uv_timer_t *t)
{
	logged_out(t->data, NULL);
}

void rf_session_logout(struct rf_session *s, void (*done)(void *arg), void *arg)
{
	struct logout *l = mem_new(1, sizeof *l);

	l->session = s;
	l->done = done;
	l->arg = arg;
	uv_timer_init(s->env->loop, &l->timer);
	l->timer.data = l;
	if (s->token[0] && s->location[0])
		send_request(s, "DELETE", s->location, true, NULL, LOGIN_BODY_MAX, logged_out, l);
	else
		uv_timer_start(&l->timer, nothing_to_log_out, 0, 0);
}
