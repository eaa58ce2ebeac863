/* SPDX-License-Identifier: MIT */
/*
 * What a BMC does with a request: logs people in and out, and reads them its tree. Runs in
 * the only thread, on a request that is complete.
 */
#include "tests/simbmc/reply.h"

#include "tests/simbmc/docs.h"
#include "tests/simbmc/play.h"
#include "tests/simbmc/sse.h"
#include "tests/simbmc/util.h"

#include <stdlib.h>
#include <string.h>

/* "SessionService/Sessions" of "/redfish/v1/SessionService/Sessions". */
static const char *sessions_rel(const struct instance *in)
{
	return in->auth.sessions_path + strlen("/redfish/v1/");
}

/* The id of a path "<sessions>/<id>", or NULL. */
static const char *session_id(const struct instance *in, const char *path)
{
	const char *rel = sessions_rel(in);
	size_t n = strlen(rel);

	if (strncmp(path, rel, n) || path[n] != '/' || strchr(path + n + 1, '/'))
		return NULL;
	return path + n + 1;
}

/* The document at a path: sessions are always the live ones. */
static void instance_doc(struct instance *in, const char *path, struct tree_doc *out)
{
	const char *id = session_id(in, path);

	*out = (struct tree_doc){.status = 200};
	if (!strcmp(path, sessions_rel(in))) {
		out->json = auth_list_doc(&in->auth);
	} else if (id) {
		out->json = auth_session_doc(&in->auth, id);
		if (!out->json)
			out->status = 404;
	} else {
		tree_get(&in->tree, path, out);
	}
}

static bool ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), m = strlen(tail);

	return n >= m && !strcmp(s + n - m, tail);
}

static unsigned page_size(const struct instance *in, const char *path)
{
	if (in->machine && ends_with(path, "/Entries"))
		return in->machine->desc->log_page;
	return in->server->o->page_size;
}

/* For $expand: the first page of what a reference names, or NULL where it answers an error. */
static json_t *get_expanded(void *arg, const char *odata_id)
{
	struct instance *in = arg;
	char *path = tree_path(odata_id);
	const struct query plain = {0};
	struct tree_doc doc;
	json_t *json = NULL;

	if (!path)
		return NULL;
	instance_doc(in, path, &doc);
	if (doc.status == 200)
		json = json_incref(tree_doc_json(&doc));
	tree_doc_release(&doc);
	if (json)
		query_page(json, odata_id, &plain, page_size(in, path));
	free(path);
	return json;
}

static enum MHD_Result reply_bad_query(struct request *r, const char *message)
{
	return reply_json(r, 400, error_body("Base.1.12.QueryParameterOutOfRange", message),
		NULL);
}

/* Pages and expands; takes doc over. */
static enum MHD_Result reply_queried(struct request *r, const char *path, json_t *doc,
	const struct query *q)
{
	struct instance *in = r->in;
	const struct options *o = in->server->o;
	const struct expand_manner manner = {
		.ignore = o->no_expand || o->expand_ignored,
		.drop_last = o->expand_truncated,
	};
	const struct expander by = {get_expanded, in};
	const char *self = json_string_value(json_object_get(doc, "@odata.id"));

	if (q->expand && !manner.ignore && in->offer.max_levels &&
		q->levels > in->offer.max_levels) {
		json_decref(doc);
		return reply_bad_query(r, "The value of $levels is larger than MaxLevels.");
	}
	if (!query_page(doc, self ? self : "", q, page_size(in, path))) {
		json_decref(doc);
		return reply_bad_query(r, "The value of $skip is out of range.");
	}
	query_expand(doc, q, &in->offer, &manner, &by);
	return reply_json(r, 200, doc, NULL);
}

static enum MHD_Result reply_doc(struct request *r, const char *path, struct tree_doc *doc)
{
	const char *text = strchr(r->uri, '?');
	struct query q;
	struct err e;
	json_t *json;

	if (query_parse(text ? text + 1 : "", &q, &e) < 0)
		return reply_bad_query(r, e.text);
	/* A file goes out byte for byte where nothing asks for more: it may be broken. */
	if (doc->bytes && !q.expand && !q.has_top && !q.has_skip && !page_size(r->in, path)) {
		char *bytes = doc->bytes;

		doc->bytes = NULL;
		return reply_bytes(r, 200, bytes, doc->len, NULL);
	}
	json = tree_doc_json(doc);
	if (!json)
		return reply_error(r, 500);
	return reply_queried(r, path, json_incref(json), &q);
}

static enum MHD_Result read_resource(struct request *r, const char *path)
{
	struct tree_doc doc;
	enum MHD_Result rc;

	instance_doc(r->in, path, &doc);
	if (doc.status == 200)
		rc = reply_doc(r, path, &doc);
	else if (tree_doc_json(&doc))
		rc = reply_json(r, doc.status, json_incref(doc.json), NULL);
	else
		rc = reply_error(r, doc.status);
	tree_doc_release(&doc);
	return rc;
}

static enum MHD_Result reply_session(struct request *r, const struct session *s)
{
	char *location = format("%s/%u", r->in->auth.sessions_path, s->id);
	const struct reply_header headers[] = {
		{"X-Auth-Token", s->token},
		{"Location", location},
		{NULL, NULL},
	};
	enum MHD_Result rc;

	rc = reply_json(r, 201, auth_session_doc(&r->in->auth, strrchr(location, '/') + 1),
		headers);
	free(location);
	return rc;
}

/* The table of sessions is full: Dell's number for it, whoever is simulated. */
static enum MHD_Result reply_full(struct request *r)
{
	return reply_json(r, 503, error_body("IDRAC.2.8.RAC0218",
		"The table of user sessions is full."), NULL);
}

static enum MHD_Result log_in(struct request *r)
{
	json_t *body = json_loadb(buf_text(&r->body), r->body.len, 0, NULL);
	const struct session *s;
	int status;

	if (!json_is_object(body)) {
		json_decref(body);
		return reply_error(r, 400);
	}
	status = auth_open(&r->in->auth, json_string_value(json_object_get(body, "UserName")),
		json_string_value(json_object_get(body, "Password")), &s);
	json_decref(body);
	if (status == 503)
		return reply_full(r);
	if (status != 201)
		return reply_error(r, status);
	if (r->in->machine)
		machine_note_login(r->in->machine);
	return reply_session(r, s);
}

static enum MHD_Result read_versions(struct request *r)
{
	return reply_json(r, 200, json_pack("{s:s}", "v1", "/redfish/v1/"), NULL);
}

static bool is_read(const struct request *r)
{
	return !strcmp(r->method, "GET") || !strcmp(r->method, "HEAD");
}

static bool allowed(struct request *r)
{
	return auth_allows(&r->in->auth, request_header(r, "X-Auth-Token"),
		request_header(r, "Authorization"));
}

/* A request that a monitor has no business sending (--strict). */
static void count_forbidden(struct request *r, const char *path)
{
	const struct instance *in = r->in;

	if (is_read(r) || (!strcmp(r->method, "POST") && !strcmp(path, sessions_rel(in))) ||
		(!strcmp(r->method, "DELETE") && session_id(in, path)))
		return;
	if (in->server->o->strict)
		warn_line("forbidden request: %s %s", r->method, r->uri);
	in->server->forbidden++;
}

static enum MHD_Result handle_path(struct request *r, const char *path)
{
	struct instance *in = r->in;
	const char *id = session_id(in, path);

	if (r->too_big)
		return reply_error(r, 413);
	if (!strcmp(r->method, "POST") && !strcmp(path, sessions_rel(in)))
		return log_in(r);
	if (*path == '\0' && is_read(r))
		return read_resource(r, path);
	if (!allowed(r))
		return reply_error(r, 401);
	if (is_read(r) && in->machine && in->machine->sse && !strcmp(path, SSE_PATH))
		return sse_answer(r);
	if (is_read(r))
		return read_resource(r, path);
	if (!strcmp(r->method, "DELETE") && id) {
		if (!auth_close(&in->auth, id))
			return reply_error(r, 404);
		return reply_json(r, 204, NULL, NULL);
	}
	return reply_error(r, 405);
}

/* "/redfish" itself, which lists the versions and is open to everybody. */
static bool is_versions(const struct request *r)
{
	return is_read(r) && (!strcmp(r->uri, "/redfish") || !strcmp(r->uri, "/redfish/"));
}

enum MHD_Result request_handle(struct request *r)
{
	enum MHD_Result rc;
	char *path;

	auth_expire(&r->in->auth);
	path = tree_path(r->uri);
	if (!r->rule_chosen)
		count_forbidden(r, path ? path : "?");
	if (play_rules(r, allowed(r), &rc))
		goto out;
	if (is_versions(r))
		rc = read_versions(r);
	else if (!path)
		rc = reply_error(r, 404);
	else
		rc = handle_path(r, path);
out:
	free(path);
	return rc;
}
