/* SPDX-License-Identifier: MIT */
/*
 * Answers that are complete before they are sent. Runs in the only thread.
 */
#include "tests/simbmc/reply.h"

#include "base/mem.h"
#include "tests/simbmc/docs.h"
#include "tests/simbmc/play.h"
#include "tests/simbmc/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

/* Smaller bodies do not get smaller. */
#define GZIP_FROM 512

unsigned char *gzip_whole(const void *in, size_t len, size_t *out_len)
{
	z_stream z = {0};
	unsigned char *out = NULL;
	uLong room;

	/* 16 + 15: the gzip wrapper around the largest window. */
	if (deflateInit2(&z, 6, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	room = deflateBound(&z, (uLong)len);
	out = malloc(room);
	z.next_in = (Bytef *)(uintptr_t)in;
	z.avail_in = (uInt)len;
	z.next_out = out;
	z.avail_out = (uInt)room;
	if (out && deflate(&z, Z_FINISH) == Z_STREAM_END) {
		*out_len = z.total_out;
	} else {
		free(out);
		out = NULL;
	}
	deflateEnd(&z);
	return out;
}

static bool accepts_gzip(const struct request *r)
{
	const char *accept = request_header(r, "Accept-Encoding");

	return accept && strstr(accept, "gzip") && !strstr(accept, "gzip;q=0");
}

/* FNV-1a, 64 bits: equal bodies have equal tags, which is all that is asked. */
static void make_etag(const char *bytes, size_t len, char etag[24])
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
	snprintf(etag, 24, "\"%016llx\"", (unsigned long long)h);
}

static bool is_read(const struct request *r)
{
	return !strcmp(r->method, "GET") || !strcmp(r->method, "HEAD");
}

static void add_headers(struct MHD_Response *response, const struct reply_header *headers)
{
	MHD_add_response_header(response, "OData-Version", "4.0");
	MHD_add_response_header(response, "Cache-Control", "no-cache");
	for (; headers && headers->name; headers++)
		MHD_add_response_header(response, headers->name, headers->value);
}

static enum MHD_Result queue(struct request *r, int status, struct MHD_Response *response,
	size_t bytes)
{
	enum MHD_Result rc;

	request_log(r, status, !strcmp(r->method, "HEAD") ? 0 : bytes);
	rc = MHD_queue_response(r->conn, (unsigned)status, response);
	MHD_destroy_response(response);
	return rc;
}

static enum MHD_Result reply_empty(struct request *r, int status, const char *etag,
	const struct reply_header *headers)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);

	if (!response)
		return MHD_NO;
	add_headers(response, headers);
	if (etag)
		MHD_add_response_header(response, "ETag", etag);
	return queue(r, status, response, 0);
}

enum MHD_Result reply_bytes(struct request *r, int status, char *bytes, size_t len,
	const struct reply_header *headers)
{
	const char *known = request_header(r, "If-None-Match");
	struct MHD_Response *response;
	unsigned char *packed = NULL;
	char etag[24] = "";

	if (r->rule)
		return play_body(r, status, bytes, len);
	if (status == 200 && is_read(r)) {
		make_etag(bytes, len, etag);
		if (known && strstr(known, etag)) {
			free(bytes);
			return reply_empty(r, 304, etag, headers);
		}
	}
	if (len >= GZIP_FROM && accepts_gzip(r))
		packed = gzip_whole(bytes, len, &len);
	if (packed) {
		free(bytes);
		bytes = (char *)packed;
	}
	response = MHD_create_response_from_buffer(len, bytes, MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(bytes);
		return MHD_NO;
	}
	add_headers(response, headers);
	MHD_add_response_header(response, "Content-Type", "application/json;charset=utf-8");
	if (*etag)
		MHD_add_response_header(response, "ETag", etag);
	if (packed)
		MHD_add_response_header(response, "Content-Encoding", "gzip");
	return queue(r, status, response, len);
}

enum MHD_Result reply_json(struct request *r, int status, json_t *doc,
	const struct reply_header *headers)
{
	char *bytes;

	if (!doc)
		return reply_empty(r, status, NULL, headers);
	/* 16 digits: 31.50769230769231 is how an iDRAC prints it. */
	bytes = json_dumps(doc, JSON_COMPACT | JSON_REAL_PRECISION(16));
	json_decref(doc);
	if (!bytes)
		fail(SIM_EX_TEMPFAIL, "a document could not be written");
	return reply_bytes(r, status, bytes, strlen(bytes), headers);
}

static const struct status_text {
	int status;
	const char *id, *message;
} status_texts[] = {
	{400, "Base.1.12.GeneralError", "The request is not well formed."},
	{401, "Base.1.12.NoValidSession", "Log in first: there is no valid session."},
	{403, "Base.1.12.InsufficientPrivilege", "This account may not do that."},
	{404, "Base.1.12.ResourceMissingAtURI", "There is no resource at this address."},
	{405, "Base.1.12.OperationNotAllowed", "The method is not allowed here."},
	{413, "Base.1.12.PayloadTooLarge", "The body is too large."},
	{500, "SYS446", "A part of the service did not answer in time."},
	{503, "SWC0700", "The service is not ready; try again later."},
};

enum MHD_Result reply_error(struct request *r, int status)
{
	const struct status_text *t = &status_texts[0];
	const struct reply_header basic[] = {
		{"WWW-Authenticate", "Basic realm=\"Redfish\""}, {NULL, NULL}};
	const struct reply_header allow[] = {{"Allow", "GET, HEAD"}, {NULL, NULL}};
	const struct chassis_desc *d = r->in->machine ? r->in->machine->desc : NULL;
	char *id;
	json_t *doc;

	for (size_t i = 0; i < sizeof status_texts / sizeof *status_texts; i++) {
		if (status_texts[i].status == status)
			t = &status_texts[i];
	}
	id = strchr(t->id, '.') ? mem_text(t->id) :
				  format("%s.%s", d ? d->registry : "IDRAC.2.8", t->id);
	doc = error_body(id, t->message);
	free(id);
	return reply_json(r, status, doc,
		status == 401 ? basic : status == 405 ? allow : NULL);
}
