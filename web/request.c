/* SPDX-License-Identifier: MIT */
/*
 * request: what happens to one request: its header is looked at, its body taken, who asks is
 * found out, and a page is queued, at once or when a thread has made it.
 */
#include "web/inside.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "web/listen.h"
#include "web/reply.h"
#include "web/site.h"

#include <stdlib.h>
#include <string.h>

enum { URI_MAX = 4096, BODY_MAX = 16 * 1024, KEPT_MS = 60 * 1000 };

/* ---- replies ------------------------------------------------------------------------------- */

static enum MHD_Result reply_with(struct server *s, struct MHD_Connection *mhd, struct page *p, int status, struct reply_more more)
{
	struct connection *c = connection_of(mhd);

	if (!c)
		return MHD_NO;
	more.signs_in = s->login;
	more.date = &s->date;
	more.accept_encoding = c->request.header.accept_encoding;
	more.if_none_match = c->request.header.if_none_match;
	connection_limit(c, s->reply_ms);
	return reply_queue(mhd, p, status, &more);
}

static enum MHD_Result reply(struct server *s, struct MHD_Connection *mhd, struct page *p, int status)
{
	return reply_with(s, mhd, p, status, (struct reply_more){0});
}

static enum MHD_Result refuse(struct server *s, struct MHD_Connection *mhd, int status, const char *title, const char *detail)
{
	return reply(s, mhd, api_problem(status, title, detail), status);
}

static enum MHD_Result open_stream(struct server *s, struct MHD_Connection *mhd)
{
	struct connection *c = connection_of(mhd);

	if (!c || !streams_have_room(&s->streams))
		return refuse(s, mhd, 503, "Too many streams", "close another page, or poll instead");
	c->streaming = true;
	return streams_open(&s->streams, mhd, c->fd, s->login);
}

/* ---- requests ----------------------------------------------------------------------------------- */

static enum MHD_Result add_pair(void *arg, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct api_query *q = arg;

	(void)kind;
	q->overflow = q->n == sizeof q->pairs / sizeof q->pairs[0];
	if (q->overflow)
		return MHD_NO;
	q->pairs[q->n].key = key;
	q->pairs[q->n++].value = value ? value : "";
	return MHD_YES;
}

/* ---- errands of threads ------------------------------------------------------------------------------ */

/* The request goes on where it was: libmicrohttpd calls on_request() for it again. */
static void wake(struct errand *w)
{
	if (!w->request)
		return;
	w->request->errand = NULL;
	connection_of(w->connection)->suspended = NULL;
	MHD_resume_connection(w->connection);
	server_run(w->server);
}

/* Suspends the request until a thread has done its errand; false if there are too many. */
static bool send_errand(struct server *s, struct crew *crew, struct MHD_Connection *mhd, struct request *rq, struct errand *w)
{
	struct connection *c = connection_of(mhd);

	w->server = s;
	w->connection = mhd;
	w->request = rq;
	if (!c || !crew_put(crew, &w->job))
		return false;
	rq->errand = w;
	c->suspended = mhd;
	connection_limit(c, s->reply_ms); /* the client has done its part */
	MHD_suspend_connection(mhd);
	return true;
}

/* ---- histories --------------------------------------------------------------------------------------- */

static void run_series(struct crew_job *j, void *own)
{
	series_read(((struct errand *)j)->series, own);
}

static void done_series(struct crew_job *j)
{
	struct errand *w = (struct errand *)j;

	if (w->request) {
		w->request->status = 200;
		w->request->ready = api_series_end(w->server->api, w->series, &w->request->status);
	}
	wake(w);
	series_free(w->series);
	free(w);
}

static enum MHD_Result read_series(struct server *s, struct MHD_Connection *mhd, const struct api_query *q, struct request *rq)
{
	struct page *p = NULL;
	int status = 200;
	struct series *series = api_series(s->api, q, &p, &status);
	struct errand *w;

	if (!series)
		return reply(s, mhd, p, status);
	w = mem_new(1, sizeof *w);
	*w = (struct errand){.job = {.run = run_series, .done = done_series}, .series = series};
	if (s->database && send_errand(s, s->readers, mhd, rq, w))
		return MHD_YES;
	series_free(series);
	free(w);
	return refuse(s, mhd, 503, s->database ? "Too many at once" : "No history",
		s->database ? "eight histories are being read; try again in a few seconds" : "nothing is stored here");
}

static enum MHD_Result answer(struct server *s, struct MHD_Connection *mhd, const char *path, struct request *rq)
{
	const struct header *h = &rq->header;
	struct api_query q = {.accept = h->accept, .gzip = h->accept_encoding && reply_names_gzip(h->accept_encoding)};
	struct page *p;
	int status;

	if (rq->ready) {
		p = rq->ready;
		rq->ready = NULL;
		return reply(s, mhd, p, rq->status);
	}

	if (strcmp(path, "/api/v1/stream") == 0)
		return open_stream(s, mhd);
	p = assets_get(s->assets, path);
	if (p)
		return reply(s, mhd, p, 200);
	MHD_get_connection_values(mhd, MHD_GET_ARGUMENT_KIND, add_pair, &q);
	if (strcmp(path, "/api/v1/series") == 0)
		return read_series(s, mhd, &q, rq);
	p = api_get(s->api, path, &q, &status);
	return reply(s, mhd, p, status);
}

/* How long a body will be by its header; of a chunked one that is not said, 0. */
static int64_t body_bytes(const char *given)
{
	int64_t n = 0;

	return given && !str_to_int(given, 0, INT64_MAX, &n) ? INT64_MAX : n;
}

/* Why a request is not answered; status 0: nothing is wrong with it. */
struct refusal {
	int status;
	const char *title, *detail;
};

/* GET and HEAD read; POST and DELETE change, each at paths of its own. */
static struct refusal look_at_method(const char *method, bool changes)
{
	bool fits = changes ? strcmp(method, "POST") == 0 || strcmp(method, "DELETE") == 0
			    : strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;

	return fits ? (struct refusal){0}
		    : (struct refusal){405, "Method not allowed",
			changes ? "here something is changed, by POST or DELETE" : "only GET and HEAD are answered here"};
}

static struct refusal look_at_site(struct server *s, struct MHD_Connection *mhd, const char *host)
{
	const struct site_header h = {.host = host, .content_type = reply_header(mhd, "Content-Type"),
		.origin = reply_header(mhd, "Origin"), .fetch_site = reply_header(mhd, "Sec-Fetch-Site")};
	const char *why = NULL;
	int status = site_refuses(&h, &s->address, s->config.hosts, &why);

	return (struct refusal){status, status == 403 ? "Another site" : "Not JSON", why};
}

/* Where a header goes that is asked for by every request; NULL: it is none of them. */
static const char **place_of(struct header *h, const char *key)
{
	switch (key[0]) {
	case 'A':
	case 'a':
		return str_same_nocase(key, "Accept") ? &h->accept : str_same_nocase(key, "Accept-Encoding") ? &h->accept_encoding : NULL;
	case 'C':
	case 'c':
		return str_same_nocase(key, "Content-Length") ? &h->content_length : NULL;
	case 'H':
	case 'h':
		return str_same_nocase(key, "Host") ? &h->host : NULL;
	case 'I':
	case 'i':
		return str_same_nocase(key, "If-None-Match") ? &h->if_none_match : NULL;
	}
	return NULL;
}

/* Notes what of a header two readers may understand in two ways, too (RFC 9112, sections 3.2, 5.1 and 6.3). */
static enum MHD_Result note_field(void *arg, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct header *h = arg;
	const char **at = place_of(h, key);

	(void)kind;
	if (at && !*at)
		*at = value ? value : "";
	h->hosts += at == &h->host;
	h->lengths += at == &h->content_length;
	if (str_same_nocase(key, "Transfer-Encoding")) {
		h->codings++;
		h->odd |= !value || !str_same_nocase(value, "chunked");
	}
	h->odd |= strpbrk(key, " \t") != NULL;
	return MHD_YES;
}

/* A proxy before us could take a part of such a request for another one, or for one to another host. */
static bool is_ambiguous(const struct header *h)
{
	return h->odd || h->hosts > 1 || h->lengths + h->codings > 1;
}

/* What is wrong by the header alone, before a body is taken. */
static struct refusal look_at_header(struct server *s, struct MHD_Connection *mhd, const struct connection *c, const char *method, bool changes)
{
	const struct header *h = &c->request.header;
	struct refusal r;

	if (is_ambiguous(h))
		return (struct refusal){400, "Bad header", "Host and one of Content-Length and Transfer-Encoding may stand in it once, with no blank before a colon"};
	if (!listen_host_fits(&s->address, s->config.hosts, h->host))
		return (struct refusal){421, "Wrong host", "this server is not known by that name; ask for it by its address"};
	r = look_at_method(method, changes);
	if (r.status)
		return r;
	if (c->odd)
		return (struct refusal){400, "Bad address", "the address is longer than 4096 bytes, or has a zero byte in it"};
	if (body_bytes(h->content_length) > BODY_MAX)
		return (struct refusal){413, "Too much", changes ? "a body may have 16 KiB" : "no request here has a body"};
	return changes ? look_at_site(s, mhd, h->host) : (struct refusal){0};
}

static enum MHD_Result early(struct server *s, struct MHD_Connection *mhd, const struct connection *c, const char *method, bool changes)
{
	struct refusal r = look_at_header(s, mhd, c, method, changes);

	if (!r.status)
		return MHD_YES;
	return reply_with(s, mhd, api_problem(r.status, r.title, r.detail), r.status, (struct reply_more){.changes = changes});
}

/* ---- changes ---------------------------------------------------------------------------------------- */

static void run_change(struct crew_job *j, void *own)
{
	struct errand *w = (struct errand *)j;

	(void)own;
	w->kept = api_await_change(w->server->api, w->ticket, &w->why) == 0;
}

static void done_change(struct crew_job *j)
{
	struct errand *w = (struct errand *)j;

	if (w->request && w->kept) {
		w->request->status = 200;
		w->request->ready = w->page;
		w->page = NULL;
	} else if (w->request) {
		w->request->status = 503;
		w->request->ready = api_problem(503, "Not now", w->why.text[0] ? w->why.text : "the agent ends");
	}
	page_unref(w->page);
	wake(w);
	free(w);
}

/* It is answered when it is on the disk. */
static enum MHD_Result await_change(struct server *s, struct MHD_Connection *mhd, struct request *rq, struct page *p, uint64_t ticket)
{
	struct errand *w = mem_new(1, sizeof *w);

	*w = (struct errand){.job = {.run = run_change, .done = done_change}, .ticket = ticket, .page = p};
	if (send_errand(s, s->readers, mhd, rq, w))
		return MHD_YES;
	page_unref(p);
	free(w);
	return refuse(s, mhd, 503, "Too many at once", "others are waiting for the disk; try again in a few seconds");
}

static enum MHD_Result end_change(struct server *s, struct MHD_Connection *mhd, struct page *p, int status)
{
	if (status == 200)
		streams_tell(&s->streams); /* run() is under way already */
	return reply(s, mhd, p, status);
}

static enum MHD_Result change(struct server *s, struct MHD_Connection *mhd, const char *path, const char *method, struct request *rq)
{
	struct page *p = rq->ready;
	uint64_t ticket;
	int status;

	if (p) {
		rq->ready = NULL;
		return end_change(s, mhd, p, rq->status);
	}
	if (rq->too_big)
		return refuse(s, mhd, 413, "Too much", "a body may have 16 KiB");
	if (rq->login == LOGIN_TOKEN)
		return refuse(s, mhd, 403, "Reading only", "a token may read; sign in with a name and a password to change something");
	p = api_change(s->api, method, path, &rq->body, rq->user[0] ? rq->user : NULL, &ticket, &status);
	return ticket ? await_change(s, mhd, rq, p, ticket) : end_change(s, mhd, p, status);
}

/* ---- who asks --------------------------------------------------------------------------------------- */

static void run_login(struct crew_job *j, void *own)
{
	(void)own;
	login_try_run(&((struct errand *)j)->login);
}

static void done_login(struct crew_job *j)
{
	struct errand *w = (struct errand *)j;

	if (j->ran && w->server->login)
		login_took(w->server->login, &w->login);
	if (w->request) {
		w->request->login = j->ran && w->login.right ? LOGIN_RIGHT : LOGIN_NONE;
		memcpy(w->request->user, w->login.user, sizeof w->request->user);
	}
	login_try_wipe(&w->login);
	wake(w);
	free(w);
}

static enum MHD_Result look_at_password(struct server *s, struct MHD_Connection *mhd, struct request *rq, const struct login_try *t)
{
	struct errand *w = mem_new(1, sizeof *w);

	*w = (struct errand){.job = {.run = run_login, .done = done_login}, .login = *t};
	if (send_errand(s, s->hashers, mhd, rq, w))
		return MHD_YES;
	login_try_wipe(&w->login);
	free(w);
	return refuse(s, mhd, 503, "Too many at once", "others are signing in; try again in a few seconds");
}

/* Fills rq->login, at once or after a thread looked at a password: then nothing is queued, and it stays LOGIN_TRY. */
static enum MHD_Result sign_in(struct server *s, struct MHD_Connection *mhd, struct request *rq)
{
	const union MHD_ConnectionInfo *i = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	enum MHD_Result rc = MHD_YES;
	struct login_try t;

	rq->login = i ? login_look(s->login, reply_header(mhd, "Authorization"), i->client_addr, &t) : LOGIN_NONE;
	if (rq->login == LOGIN_RIGHT || rq->login == LOGIN_TOKEN)
		memcpy(rq->user, t.user, sizeof rq->user);
	if (rq->login == LOGIN_TRY)
		rc = look_at_password(s, mhd, rq, &t);
	if (i)
		login_try_wipe(&t);
	return rc;
}

/* Two words that say nothing; whatever watches the agent has no password. */
static bool is_open(const char *path)
{
	return strcmp(path, "/healthz") == 0 || strcmp(path, "/readyz") == 0;
}

/* A person who opens a page gets one that says so and needs no other file of ours; a program the problem. */
static enum MHD_Result ask_to_sign_in(struct server *s, struct MHD_Connection *mhd, const char *path, const struct request *rq)
{
	const char *accept = rq->header.accept;
	bool opens = (strcmp(path, "/") == 0 || str_ends(path, ".html")) && accept && str_has_nocase(accept, "text/html");
	struct page *p = opens ? assets_get(s->assets, "/signin.html") : NULL;

	return reply(s, mhd, p ? p : api_problem(401, "Sign in", "a name and its password are needed, or a token"), 401);
}

static enum MHD_Result act(struct server *s, struct MHD_Connection *mhd, const char *path, const char *method, struct request *rq)
{
	return change_has_path(path) ? change(s, mhd, path, method, rq) : answer(s, mhd, path, rq);
}

/* The request is whole: who asks is known, or found out first. */
static enum MHD_Result take(struct server *s, struct MHD_Connection *mhd, const char *path, const char *method, struct request *rq)
{
	enum MHD_Result rc = MHD_YES;

	if (!s->login || is_open(path))
		return act(s, mhd, path, method, rq);
	if (rq->login == LOGIN_UNKNOWN)
		rc = sign_in(s, mhd, rq);
	switch (rq->login) {
	case LOGIN_RIGHT:
	case LOGIN_TOKEN:
		return act(s, mhd, path, method, rq);
	case LOGIN_TRY: /* suspended, or refused */
		return rc;
	case LOGIN_LATER:
		return reply_with(s, mhd, api_problem(429, "Too many wrong passwords", "wait two seconds before the next try"), 429,
			(struct reply_more){.retry_after_s = 2});
	case LOGIN_UNKNOWN:
	case LOGIN_NONE:
		break;
	}
	return ask_to_sign_in(s, mhd, path, rq);
}

/* The header is there; the body is not yet. */
static enum MHD_Result begin(struct server *s, struct MHD_Connection *mhd, const char *method, bool changes, void **context)
{
	struct connection *c = connection_of(mhd);

	if (!c)
		return MHD_NO;
	c->request = (struct request){0};
	buf_init(&c->request.body, BODY_MAX);
	*context = &c->request;
	MHD_get_connection_values(mhd, MHD_HEADER_KIND, note_field, &c->request.header);
	return early(s, mhd, c, method, changes);
}

enum MHD_Result request_take(void *arg, struct MHD_Connection *mhd, const char *path, const char *method,
	const char *version, const char *upload, size_t *upload_size, void **context)
{
	struct server *s = arg;
	struct request *rq = *context;
	bool changes = change_has_path(path);

	(void)version;
	if (!rq)
		return begin(s, mhd, method, changes, context);
	if (*upload_size) { /* past the limit, or where nothing takes it, it is read and dropped until the deadline */
		rq->too_big |= changes && buf_add(&rq->body, upload, *upload_size) != 0;
		*upload_size = 0;
		return MHD_YES;
	}
	return take(s, mhd, path, method, rq);
}

static void end(struct request *rq)
{
	if (!rq)
		return;
	if (rq->errand)
		rq->errand->request = NULL;
	buf_release(&rq->body);
	page_unref(rq->ready);
	rq->ready = NULL;
}

/* The next request of a kept connection has a deadline of its own, which begins with it. */
void request_completed(void *arg, struct MHD_Connection *mhd, void **context, enum MHD_RequestTerminationCode code)
{
	struct connection *c = connection_of(mhd);

	(void)arg;
	(void)code;
	end(*context);
	*context = NULL;
	if (!c)
		return;
	c->streaming = false;
	connection_limit(c, KEPT_MS);
	c->idle = true;
}

/* libmicrohttpd would end the decoded path at %00: so the address is looked at as it came. */
void *request_uri(void *arg, const char *uri, struct MHD_Connection *mhd)
{
	struct connection *c = connection_of(mhd);

	connection_limit(c, ((struct server *)arg)->request_ms);
	if (c) {
		c->odd = strlen(uri) > URI_MAX || strstr(uri, "%00");
		c->idle = false;
	}
	return NULL;
}
