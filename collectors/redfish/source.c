/* SPDX-License-Identifier: MIT */
/*
 * source: one BMC as a collector's source: fetches what the tree wants, from the BMC with at
 * most two requests in flight or from a recording, until the survey wants nothing more, and
 * reports.  On the loop's thread.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/http.h"
#include "base/jtext.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/collector.h"
#include "collectors/redfish/collector.h"
#include "collectors/redfish/logs.h"
#include "collectors/redfish/report.h"
#include "collectors/redfish/session.h"
#include "collectors/redfish/sse.h"
#include "collectors/redfish/survey.h"
#include "collectors/redfish/telemetry.h"
#include "collectors/redfish/topology.h"
#include "collectors/redfish/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	IN_FLIGHT_MAX = 2,
	LONG_LIST = 4, /* so many that are wanted are worth a second connection */
	BODY_MAX = 4 * 1024 * 1024,
	CA_FILE_MAX = 4 * 1024 * 1024,
	REDIRECTS_MAX = 3,
	WAITS_MAX = 3,		       /* times that a round waits because the BMC asks to */
	WAIT_MAX_MS = 10 * 1000,       /* a longer one is left to a later round */
	BUSY_MAX = 2,		       /* answers in a row that ask to wait: the BMC means us, not a resource */
	TIMEOUTS_MAX = 2,	       /* requests that time out before the rest is given up */
	SWEEP_MS = 120 * 1000,
	LOGIN_GRACE_MS = 1000, /* for a login under way when the source is closed */
	METRICS_PERIOD_MS = 10 * 60 * 1000,
	REFUSAL_MS = 24 * 60 * 60 * 1000,
};

static const char left_alone[] = "the BMC is busy and asks to be left alone for a while (Retry-After)";
static const char no_account[] = "it wants a login; give --username, or username in the configuration";

struct source;

/* One request in flight. */
struct fetch {
	struct source *source;
	struct rf_resource *resource;
	struct http_call *call;
	char path[RF_PATH_MAX];
	int redirects;
	bool again; /* asked once more, after no reply at all */
	unsigned generation; /* of the session that it was sent with */
};

struct source {
	const struct target_config *config;
	struct collector_env env;
	struct rf_session session;
	struct rf_tree tree;
	struct rf_survey *survey; /* of the round; NULL between rounds */
	struct rf_topology topology;
	struct rf_telemetry *telemetry; /* NULL: nobody wants it */
	struct rf_logs *logs;	  /* NULL: nobody wants them */
	bool logs_asked;	  /* in this round */
	struct rf_sse *sse;	  /* NULL: nobody listens */
	struct fetch fetches[IN_FLIGHT_MAX];
	bool logging_in, logged_in_anew, failed_auth;
	bool root_closed; /* the service root too is for those who are logged in */
	bool proven;	  /* a resource was read with the present login */
	int refusals;	  /* resources answered 401 to the present login, before one was read */
	uv_timer_t timer; /* the sweep's deadline; the start of a recorded round; a login's grace */
	bool polling;
	const char *given_up, *given_up_why; /* what is still wanted in this round fails so; NULL: it is asked */
	int timeouts, waits, busy_in_row;
	int64_t hold_until_mono_ms; /* nothing is sent before (Retry-After) */
	uv_timer_t pause;	    /* until then, or until a deferred resource may be asked for */
	int64_t started_mono_ms, metrics_mono_ms, refused_mono_ms;
	bool heard; /* something was answered in this round */
	enum reason root_reason; /* why the root could not be read, or what was asked first while nothing was heard */
	char root_why[256];
	void (*done)(void *arg, const struct snapshot *s);
	void *done_arg;
	void (*closed)(void *arg);
	void *closed_arg;
};

static void step(struct source *s);
static void source_logged_out(void *arg);

/* ---- the end of a round ------------------------------------------------------------------- */

static bool is_service_root(const json_t *root)
{
	const char *type = jtext_string(json_object_get(root, "@odata.type"));

	return root && (json_object_get(root, "RedfishVersion") || (type && str_has_nocase(type, "ServiceRoot")));
}

static void cannot(struct target *t, enum target_verdict verdict, enum reason reason, const char *message)
{
	t->verdict = verdict;
	t->reason = reason;
	str_clean(t->message, sizeof t->message, message);
}

static bool wants_login(const struct source *s)
{
	if (s->config->username)
		return false;
	for (const struct rf_resource *r = s->tree.resources; r; r = r->hh.next)
		if (r->state == RF_FAILED && r->status == 401)
			return true;
	return false;
}

/* Decides whether the target was reached, and says why not. */
static void judge_target(const struct source *s, struct target *t)
{
	if (s->failed_auth)
		cannot(t, TARGET_UNREACHABLE, s->session.refused, s->session.why);
	else if ((!s->survey->root || !s->heard) && s->root_reason)
		cannot(t, TARGET_UNREACHABLE, s->root_reason, s->root_why);
	else if (!is_service_root(s->survey->root))
		cannot(t, TARGET_UNREACHABLE, REASON_NOT_REDFISH, "the answer of /redfish/v1 is no Redfish service root; is this the address of a BMC?");
	else if (!s->survey->system && wants_login(s))
		cannot(t, TARGET_UNREACHABLE, REASON_AUTH_FAILED, no_account);
	else if (!s->survey->system && s->hold_until_mono_ms > clock_mono_ms())
		cannot(t, TARGET_UNREACHABLE, REASON_REFUSED, left_alone);
	else if (!s->survey->system && (s->given_up || s->timeouts))
		cannot(t, TARGET_UNREACHABLE, REASON_TIMEOUT, "the BMC answers no more after its service root");
	else if (!s->survey->system)
		cannot(t, TARGET_UNKNOWN, REASON_NOT_REPORTED, "the service lists no system that could be read");
	else
		t->verdict = TARGET_OK;
}

/* Hands over what was read, and what was answered in its place. */
static void keep_documents(const struct source *s)
{
	const struct rf_resource *r;
	bool refusal_kept = false; /* one tells that metrics are not licensed */

	for (r = s->tree.resources; s->env.keep && r; r = r->hh.next) {
		bool refused = r->state == RF_FAILED && (r->flags & RF_METRICS);
		json_t *error;

		if (!r->wanted || !r->named || (refused && refusal_kept))
			continue;
		refusal_kept |= refused && r->status && r->status != 404;
		if (r->state == RF_READ) {
			s->env.keep(s->env.keep_arg, s->config->name, r->key, r->doc);
		} else if (r->state == RF_FAILED && r->status && r->status != 404) {
			error = json_pack("{s:{s:s, s:s}}", "error", "code", r->failure->code, "message", r->failure->message);
			s->env.keep(s->env.keep_arg, s->config->name, r->key, error);
			json_decref(error);
		}
	}
}

static void refuse_login(struct source *s)
{
	s->failed_auth = true;
	s->session.refused = REASON_AUTH_FAILED;
	snprintf(s->session.why, sizeof s->session.why,
		"user name or password refused for \"%s\"; check username and password_file", s->config->username);
	if (s->session.basic)
		rf_session_refuse_basic(&s->session);
}

/* How long this BMC is not to be asked again: as it said itself, or until the next login may be tried. */
static int64_t retry_after_ms(const struct source *s)
{
	int64_t until = s->hold_until_mono_ms, now = clock_mono_ms();

	if (s->failed_auth && s->session.next_login_mono_ms > until)
		until = s->session.next_login_mono_ms;
	return until > now ? until - now : 0;
}

static enum target_tls tls_of(const struct target_config *c)
{
	if (strncmp(c->url, "https", 5) != 0)
		return TARGET_TLS_NONE;
	if (c->pin && !c->ca_file)
		return TARGET_TLS_PINNED;
	return c->tls_insecure ? TARGET_TLS_UNVERIFIED : TARGET_TLS_VERIFIED;
}

static void finish(struct source *s)
{
	struct snapshot out;

	s->polling = false;
	uv_timer_stop(&s->timer);
	uv_timer_stop(&s->pause);
	if (s->refusals && !s->proven)
		refuse_login(s);
	snapshot_init(&out, s->config->name, TARGET_REDFISH, s->config->host);
	str_copy(out.target.url, sizeof out.target.url, s->config->url);
	out.target.observed_wall_ms = clock_wall_ms();
	out.target.requests = s->session.requests;
	out.target.retry_after_ms = retry_after_ms(s);
	out.target.duration_ms = clock_mono_ms() - s->started_mono_ms;
	judge_target(s, &out.target);
	if (s->survey->root && !s->config->recording)
		out.target.tls = tls_of(s->config);
	if (out.target.verdict != TARGET_UNREACHABLE)
		rf_report(s->survey, &out);
	if (out.target.verdict == TARGET_OK)
		rf_topology_saw(&s->topology, s->survey);
	else if (out.target.verdict == TARGET_UNKNOWN)
		rf_topology_lost(&s->topology);
	if (s->logs)
		rf_logs_report(s->logs, s->survey, &out);
	keep_documents(s);
	if (s->sse && out.target.verdict == TARGET_OK)
		rf_sse_open(s->sse, s->survey->events);
	free(s->survey); /* borrows from the tree */
	s->survey = NULL;
	rf_tree_pack(&s->tree);
	s->done(s->done_arg, &out);
	snapshot_release(&out);
}

static void fail_wanted(struct source *s)
{
	struct rf_resource *r;

	for (r = s->tree.resources; r; r = r->hh.next)
		if (r->state == RF_WANTED || r->state == RF_ASKED)
			rf_tree_fail(&s->tree, r, 0, s->given_up, s->given_up_why);
}

static void cancel_fetches(struct source *s)
{
	for (size_t i = 0; i < IN_FLIGHT_MAX; i++)
		if (s->fetches[i].call) {
			http_cancel(s->fetches[i].call);
			s->fetches[i].call = NULL;
		}
}

static void cancel_login(struct source *s)
{
	rf_session_cancel_login(&s->session);
	s->logging_in = false;
}

/*
 * Fails all that is still wanted, and what the survey comes to want after it in this round: the
 * sweep has taken too long, or the BMC answers no more.
 */
static void give_up(struct source *s, const char *code, const char *why)
{
	s->given_up = code;
	s->given_up_why = why;
	if (s->logs)
		rf_logs_cancel(s->logs);
	cancel_fetches(s);
	cancel_login(s);
	fail_wanted(s);
}

/* ---- answers ---------------------------------------------------------------------------------- */

static bool is_root(const struct rf_resource *r)
{
	return strcmp(r->key, "/redfish/v1") == 0;
}

/* What is wrong with a file of authorities; false if it has a certificate.  TLS libraries do not tell. */
static bool ca_file_unfit(const char *path, char *why, size_t size)
{
	struct err e = {""};
	struct buf b;
	bool unfit = true;

	buf_init(&b, CA_FILE_MAX);
	if (file_read(path, &b, &e))
		snprintf(why, size, "ca_file: %s", e.text);
	else if (!strstr(buf_text(&b), "-----BEGIN "))
		snprintf(why, size, "ca_file: %s holds no certificate in PEM", path);
	else
		unfit = false;
	buf_release(&b);
	return unfit;
}

/* Why there is no service root, for people. */
static void fail_root(struct source *s, const struct http_reply *reply)
{
	s->root_reason = rf_session_reason(reply);
	if (reply->end == HTTP_TLS_FAILED && s->config->ca_file &&
		ca_file_unfit(s->config->ca_file, s->root_why, sizeof s->root_why))
		return;
	if (reply->end != HTTP_ANSWERED)
		str_clean(s->root_why, sizeof s->root_why, reply->why);
	else if (s->root_reason == REASON_AUTH_FAILED && !s->config->username)
		str_copy(s->root_why, sizeof s->root_why, no_account);
	else
		snprintf(s->root_why, sizeof s->root_why, "/redfish/v1 is answered with HTTP status %d%s", reply->status,
			s->root_reason == REASON_NOT_REDFISH ? "; is this the address of a BMC?" : "");
}

/* False for what is answered so whatever was asked, and where nothing was. `deep` asks for a lot: it may take too long. */
static bool may_be_of_expand(const struct http_reply *r, bool deep)
{
	if (r->end != HTTP_ANSWERED)
		return r->end == HTTP_BROKEN || r->end == HTTP_TOO_LARGE || (deep && r->end == HTTP_TIMED_OUT);
	return r->status != 401 && r->status != 403 && r->status != 404 && r->status != 429 && r->status != 503;
}

static bool refuses_query(const struct http_reply *r)
{
	return r->end == HTTP_ANSWERED && (r->status == 400 || r->status == 405 || r->status == 501);
}

/*
 * A 429 or 503 that asks to wait (Retry-After).  One resource is asked for again later, in this round if
 * that is soon; true then.  Where it is the root, or others were answered so just before, the whole
 * BMC is left alone.
 */
static bool asks_to_wait(struct source *s, struct rf_resource *r, const struct http_reply *reply)
{
	int64_t wait_ms = reply->end == HTTP_ANSWERED ? http_reply_retry_after_ms(reply, clock_wall_ms()) : 0;
	int64_t until = clock_mono_ms() + wait_ms;
	bool asked_twice = r->not_before_mono_ms != 0;

	if (!wait_ms)
		return false;
	if ((is_root(r) || ++s->busy_in_row >= BUSY_MAX) && until > s->hold_until_mono_ms)
		s->hold_until_mono_ms = until;
	r->not_before_mono_ms = until;
	if (wait_ms > WAIT_MAX_MS || s->waits >= WAITS_MAX || asked_twice)
		return false;
	rf_tree_defer(r, until);
	return true;
}

static void fail(struct source *s, struct rf_resource *r, const struct http_reply *reply)
{
	char code[64] = "", message[192] = "", status[sizeof reply->why];
	json_t *body;

	if (asks_to_wait(s, r, reply))
		return;
	if (may_be_of_expand(reply, r->deep) && rf_tree_unexpand(&s->tree, r, refuses_query(reply)))
		return;
	body = reply->end == HTTP_ANSWERED ? jtext_parse(reply->body, reply->body_len, NULL, NULL) : NULL;
	rf_secrets_hide(&s->session.secrets, reply->body, body);
	rf_error_read(body, code, sizeof code, message, sizeof message);
	json_decref(body);
	if (reply->end == HTTP_ANSWERED)
		snprintf(status, sizeof status, "HTTP status %d", reply->status);
	else
		str_clean(status, sizeof status, reply->why);
	if (is_root(r) || (!s->heard && !s->root_reason)) /* the root is known from before; the network may be gone since */
		fail_root(s, reply);
	if (!code[0] && reply->end == HTTP_TOO_LARGE)
		str_copy(code, sizeof code, "too-large");
	else if (!code[0] && reply->end != HTTP_ANSWERED)
		str_copy(code, sizeof code, reason_word(rf_session_reason(reply)));
	rf_tree_fail(&s->tree, r, reply->status, code, message[0] ? message : status);
	if (reply->end == HTTP_TIMED_OUT && ++s->timeouts >= TIMEOUTS_MAX)
		give_up(s, "timeout", "not asked: the BMC did not answer before");
}

static void take(struct source *s, struct rf_resource *r, const struct http_reply *reply)
{
	struct err e = {""};
	size_t elements = 0;
	json_t *doc = jtext_parse(reply->body, reply->body_len, &elements, &e);

	if (doc) {
		rf_secrets_hide(&s->session.secrets, reply->body, doc);
		rf_tree_put(&s->tree, r, doc, elements);
		return;
	}
	if (rf_secrets_in(&s->session.secrets, reply->body)) /* the reason may cite some of it */
		str_copy(e.text, sizeof e.text, "an answer that is no JSON");
	if (rf_tree_unexpand(&s->tree, r, false))
		return;
	if (is_root(r)) {
		s->root_reason = REASON_NOT_REDFISH;
		snprintf(s->root_why, sizeof s->root_why, "the answer of /redfish/v1 is no Redfish; is this the address of a BMC?");
	}
	rf_tree_fail(&s->tree, r, reply->status, "not-json", e.text);
}

static void send_fetch(struct fetch *f);
static bool follow(struct fetch *f, const struct http_reply *r);

static void forget_login(struct source *s)
{
	s->proven = false;
	s->refusals = 0;
}

/*
 * A 401.  If it answers a login that is not the present one, the resource is asked again.  The session
 * may be gone: one new login a round is made.  A resource that even that may not read fails alone, if
 * others are read; a login that reads nothing is refused.
 */
static bool unauthorized(struct source *s, const struct fetch *f, const struct http_reply *reply)
{
	struct rf_resource *r = f->resource;
	bool denied_before = r->status == 401;

	if (reply->end != HTTP_ANSWERED || reply->status != 401 || !s->config->username)
		return false;
	if (f->generation != s->session.generation || s->logging_in || !rf_session_ready(&s->session)) {
		s->root_closed |= is_root(r);
		r->state = RF_WANTED;
		return true;
	}
	if (!s->session.basic && !s->logged_in_anew && !(denied_before && s->proven)) {
		s->logged_in_anew = true;
		rf_session_give_up(&s->session);
		forget_login(s);
		r->state = RF_WANTED;
		return true;
	}
	if (s->proven || (!s->session.basic && !is_root(r) && ++s->refusals < 2))
		return false;
	refuse_login(s);
	give_up(s, "auth-failed", "not asked: not logged in");
	return true;
}

static void answered(void *arg, const struct http_reply *reply)
{
	struct fetch *f = arg;
	struct source *s = f->source;
	struct rf_resource *r = f->resource;

	f->call = NULL;
	s->heard |= reply->end == HTTP_ANSWERED;
	if (unauthorized(s, f, reply)) {
		; /* wanted again, or given up */
	} else if (reply->end == HTTP_ANSWERED && reply->status == 200) {
		s->busy_in_row = 0;
		s->proven |= !is_root(r) && f->generation == s->session.generation;
		take(s, r, reply);
	} else if (reply->end == HTTP_BROKEN && !reply->status && !f->again) {
		/* a kept connection that the BMC closed just now: a GET may be asked once more */
		f->again = true;
		send_fetch(f);
	} else if (!(reply->end == HTTP_ANSWERED && follow(f, reply))) {
		fail(s, r, reply);
	}
	step(s);
}

static void send_fetch(struct fetch *f)
{
	struct source *s = f->source;
	bool allowed = !is_root(f->resource) || s->session.token[0] || s->session.basic;

	f->generation = s->session.generation;
	f->call = rf_session_get(&s->session, f->path, allowed, BODY_MAX, answered, f);
}

/* At most 3 redirects, inside this BMC only (R1); a 304 or a redirect to somewhere else is a failure. */
static bool follow(struct fetch *f, const struct http_reply *r)
{
	char link[RF_PATH_MAX], path[RF_PATH_MAX];

	if ((r->status != 301 && r->status != 302 && r->status != 303 && r->status != 307 && r->status != 308) ||
		!http_reply_header(r, "Location", link, sizeof link))
		return false;
	if (f->redirects++ >= REDIRECTS_MAX || !rf_path_reduce(&f->source->session.origin, link, path))
		return false;
	str_copy(f->path, sizeof f->path, path);
	send_fetch(f);
	return true;
}

/* ---- asking ---------------------------------------------------------------------------------------- */

/* What was read before the login, the service root, may tell a password that the BMC knew already. */
static void hide_in_tree(struct source *s)
{
	for (struct rf_resource *r = s->tree.resources; r; r = r->hh.next)
		if (r->doc) {
			rf_secrets_hide(&s->session.secrets, NULL, r->doc);
			rf_tree_changed(r);
		}
}

static void logged_in(void *arg, bool ok)
{
	struct source *s = arg;

	s->logging_in = false;
	if (s->closed) {
		uv_timer_stop(&s->timer);
		rf_session_logout(&s->session, source_logged_out, s);
		return;
	}
	forget_login(s);
	hide_in_tree(s);
	if (!ok) {
		s->failed_auth = true;
		give_up(s, "auth-failed", "not asked: not logged in");
	}
	step(s);
}

/* Logs in before anything but the root is asked; true while that is under way. */
static bool wait_for_login(struct source *s)
{
	struct rf_resource *root = rf_tree_find(&s->tree, "/redfish/v1");

	if (rf_session_ready(&s->session))
		return false;
	if (!s->logging_in) {
		rf_session_learn_place(&s->session, root ? jtext_string(
			jtext_at(rf_tree_document(root), "Links", "Sessions", "@odata.id", NULL)) : NULL);
		s->logging_in = true;
		rf_session_login(&s->session, logged_in, s);
	}
	return true;
}

static size_t requests_at_once(const struct target_config *c)
{
	return c->requests_at_once && c->requests_at_once < IN_FLIGHT_MAX ? c->requests_at_once : IN_FLIGHT_MAX;
}

static bool many_wanted(const struct source *s)
{
	size_t n = 0;

	for (const struct rf_resource *r = s->tree.resources; r && n < LONG_LIST; r = r->hh.next)
		n += r->state == RF_WANTED;
	return n == LONG_LIST;
}

/*
 * An open stream of events is a request, too.  The two or three of a poll go one after the other:
 * a second connection costs the BMC a handshake, and us 27 KB for as long as it stays open.
 */
static struct fetch *free_fetch(struct source *s)
{
	size_t most = requests_at_once(s->config) - rf_sse_is_open(s->sse);

	if (most > 1 && !many_wanted(s))
		most = 1;
	for (size_t i = 0; i < most; i++)
		if (!s->fetches[i].call)
			return &s->fetches[i];
	return NULL;
}

static bool idle(const struct source *s)
{
	for (size_t i = 0; i < IN_FLIGHT_MAX; i++)
		if (s->fetches[i].call)
			return false;
	return !s->logging_in;
}

static struct rf_resource *next_wanted(struct source *s)
{
	struct rf_resource *r = rf_tree_next(&s->tree);

	if (r && !s->given_up)
		return r;
	do {
		if (s->given_up)
			fail_wanted(s);
		rf_survey_run(s->survey);
		r = rf_tree_next(&s->tree);
	} while (r && s->given_up);
	return r;
}

static void ask(struct fetch *f, struct rf_resource *r)
{
	const char *query = rf_tree_query(&f->source->tree, r);

	f->resource = r;
	f->redirects = 0;
	f->again = false;
	if (query && strlen(r->path) + strlen(query) + 1 >= sizeof f->path)
		r->expand = false;
	if (r->expand)
		snprintf(f->path, sizeof f->path, "%s%c%s", r->path, strchr(r->path, '?') ? '&' : '?', query);
	else
		str_copy(f->path, sizeof f->path, r->path);
	send_fetch(f);
}

static void pause_over(uv_timer_t *t)
{
	step(t->data);
}

/* Waits for what the BMC asked to wait for, if that is soon; else gives the round up. False if there is nothing to wait for. */
static bool wait_a_while(struct source *s)
{
	int64_t now = clock_mono_ms(), until = s->hold_until_mono_ms;

	if (s->given_up)
		return false;
	if (until <= now)
		until = rf_tree_deferred(&s->tree);
	if (!until)
		return false;
	if (until - now > WAIT_MAX_MS || s->waits >= WAITS_MAX) {
		give_up(s, "busy", "not asked: the BMC asks to be left alone for a while");
		next_wanted(s); /* fails what is still to come */
		return false;
	}
	s->waits++;
	uv_timer_start(&s->pause, pause_over, until > now ? (uint64_t)(until - now) : 1, 0);
	return true;
}

static void logs_ended(void *arg)
{
	step(arg);
}

/* Last of all, the news of the log: true while they are being read. */
static bool reading_logs(struct source *s)
{
	if (!s->logs || s->logs_asked || s->given_up || s->failed_auth)
		return false;
	s->logs_asked = true;
	return rf_logs_read(s->logs, s->survey, logs_ended, s);
}

static void step(struct source *s)
{
	struct fetch *f;

	while (s->polling && s->hold_until_mono_ms <= clock_mono_ms() && (f = free_fetch(s))) {
		struct rf_resource *r = next_wanted(s);

		if (!r)
			break;
		if ((!is_root(r) || s->root_closed) && wait_for_login(s)) {
			r->state = RF_WANTED;
			return;
		}
		ask(f, r);
	}
	if (s->polling && idle(s) && !wait_a_while(s) && !reading_logs(s))
		finish(s);
}

/* A round that asks nothing: the BMC wants to be left alone still. */
static void poll_held(uv_timer_t *t)
{
	struct source *s = t->data;

	s->root_reason = REASON_REFUSED;
	str_copy(s->root_why, sizeof s->root_why, left_alone);
	finish(s);
}

/* ---- a recording ------------------------------------------------------------------------------------- */

static void read_recorded(struct source *s, struct rf_resource *r)
{
	char path[RF_PATH_MAX + 512], key[RF_PATH_MAX];
	struct err e = {""};
	size_t elements = 0;
	struct buf b;
	json_t *doc;

	buf_init(&b, BODY_MAX);
	str_copy(key, sizeof key, r->key);
	snprintf(path, sizeof path, "%s%s/index.json", s->config->recording, key);
	if (file_read(path, &b, &e)) {
		rf_tree_fail(&s->tree, r, errno == ENOENT || errno == ENOTDIR ? 404 : 0, "", "not in the recording");
	} else {
		doc = jtext_parse(buf_text(&b), b.len, &elements, &e);
		if (doc)
			rf_tree_put(&s->tree, r, doc, elements);
		else
			rf_tree_fail(&s->tree, r, 0, "not-json", e.text);
	}
	buf_release(&b);
}

static void poll_recorded(uv_timer_t *t)
{
	struct source *s = t->data;
	struct rf_resource *r;

	while ((r = next_wanted(s)))
		read_recorded(s, r);
	if (!s->survey->root) {
		s->root_reason = REASON_NOT_REDFISH;
		str_copy(s->root_why, sizeof s->root_why, "the recording has no service root");
	}
	finish(s);
}

/* Something happened to a drive: the log tells what, a poll what is. */
static void heard(void *arg)
{
	struct source *s = arg;

	if (s->closed)
		return;
	if (s->logs)
		rf_logs_hurry(s->logs);
	s->env.heard(s->env.heard_arg, s->config->name);
}

/* ---- the collector ------------------------------------------------------------------------------------ */

static void *source_open(const struct target_config *c, const struct collector_env *env, struct err *e)
{
	struct source *s = mem_new(1, sizeof *s);

	s->config = c;
	s->env = *env;
	if (!c->recording && rf_session_init(&s->session, c, &s->env, e)) {
		free(s);
		return NULL;
	}
	if (!c->recording && c->tls_insecure)
		log_warn("redfish", "%s: the certificate is not checked: who sits between can read the password", c->name);
	s->session.config = c; /* a recording's too, whose session does nothing */
	s->session.env = &s->env;
	rf_tree_init(&s->tree, c->recording ? NULL : &s->session.origin);
	rf_topology_init(&s->topology, c->topology_interval_ms);
	if (!env->links_only)
		s->telemetry = rf_telemetry_new();
	if (env->logs && !c->recording)
		s->logs = rf_logs_new(&s->session);
	if (env->heard && !c->recording && !c->no_events && requests_at_once(c) > 1)
		s->sse = rf_sse_new(&s->session, heard, s);
	uv_timer_init(env->loop, &s->timer);
	s->timer.data = s;
	uv_timer_init(env->loop, &s->pause);
	s->pause.data = s;
	for (size_t i = 0; i < IN_FLIGHT_MAX; i++)
		s->fetches[i].source = s;
	return s;
}

static void sweep_late(uv_timer_t *t)
{
	struct source *s = t->data;

	give_up(s, "deadline", "not asked: reading this BMC took too long");
	step(s);
}

/* A licence may come: what was refused for want of one is tried again after a day. */
static void forget_refusal(struct source *s, int64_t now)
{
	if (now - s->refused_mono_ms >= REFUSAL_MS)
		s->tree.metrics_refused = s->tree.metrics_tried = false;
	if (!s->tree.metrics_refused)
		s->refused_mono_ms = now;
}

static int64_t metrics_period_ms(const struct source *s)
{
	return s->config->metrics_interval_ms ? s->config->metrics_interval_ms : METRICS_PERIOD_MS;
}

static void source_poll(void *source, void (*done)(void *arg, const struct snapshot *s), void *arg)
{
	struct source *s = source;
	int64_t now = clock_mono_ms();

	s->done = done;
	s->done_arg = arg;
	s->polling = true;
	s->logged_in_anew = s->failed_auth = false;
	s->given_up = NULL;
	s->timeouts = s->waits = s->busy_in_row = 0;
	s->heard = false;
	s->logs_asked = false;
	forget_login(s);
	s->root_reason = REASON_NONE;
	s->session.requests = 0;
	s->started_mono_ms = now;
	free(s->survey); /* of the poll before */
	s->survey = mem_new(1, sizeof *s->survey);
	s->survey->tree = &s->tree;
	s->survey->telemetry = s->telemetry;
	s->survey->no_expand = s->config->no_expand || s->config->recording;
	s->survey->wants_events = s->sse != NULL;
	rf_tree_begin(&s->tree);
	if (s->hold_until_mono_ms <= now && rf_topology_due(&s->topology))
		rf_tree_rewalk(&s->tree);
	forget_refusal(s, now);
	s->tree.metrics_due = !s->env.links_only && (s->tree.round == 1 || now - s->metrics_mono_ms >= metrics_period_ms(s));
	if (s->tree.metrics_due)
		s->metrics_mono_ms = now;
	if (s->config->recording) {
		uv_timer_start(&s->timer, poll_recorded, 0, 0);
		return;
	}
	if (s->hold_until_mono_ms > now) {
		uv_timer_start(&s->timer, poll_held, 0, 0);
		return;
	}
	uv_timer_start(&s->timer, sweep_late, SWEEP_MS, 0);
	step(s);
}

static void source_gone(uv_handle_t *h)
{
	struct source *s = h->data;
	void (*closed)(void *) = s->closed;
	void *arg = s->closed_arg;

	free(s->survey);
	rf_logs_free(s->logs);
	rf_telemetry_free(s->telemetry);
	rf_tree_release(&s->tree);
	rf_session_release(&s->session);
	free(s);
	closed(arg);
}

static void timer_gone(uv_handle_t *h)
{
	struct source *s = h->data;

	uv_close((uv_handle_t *)&s->pause, source_gone);
}

static void stream_gone(void *arg)
{
	struct source *s = arg;

	uv_close((uv_handle_t *)&s->timer, timer_gone);
}

static void source_logged_out(void *arg)
{
	struct source *s = arg;

	if (s->sse)
		rf_sse_close(s->sse, stream_gone, s);
	else
		stream_gone(s);
}

static void login_late(uv_timer_t *t)
{
	struct source *s = t->data;

	cancel_login(s);
	rf_session_logout(&s->session, source_logged_out, s);
}

/* A login that is under way is awaited, for a little: the session that it makes could not be deleted otherwise. */
static void source_close(void *source, void (*closed)(void *arg), void *arg)
{
	struct source *s = source;

	s->closed = closed;
	s->closed_arg = arg;
	s->polling = false;
	uv_timer_stop(&s->pause);
	if (s->logs)
		rf_logs_cancel(s->logs);
	cancel_fetches(s);
	if (s->logging_in) {
		uv_timer_start(&s->timer, login_late, LOGIN_GRACE_MS, 0);
		return;
	}
	uv_timer_stop(&s->timer);
	rf_session_logout(&s->session, source_logged_out, s);
}

const struct collector rf_collector = {
	.kind = TARGET_REDFISH,
	.open = source_open,
	.poll = source_poll,
	.close = source_close,
};
