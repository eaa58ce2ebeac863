/* SPDX-License-Identifier: MIT */
/*
 * The content reader that libmicrohttpd calls. It suspends its connection where a pause is
 * due and is called again afterwards.
 */
#include "tests/simbmc/stream.h"

#include "base/mem.h"
#include "tests/simbmc/util.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define BLOCK		((size_t)64 << 10)
#define ENDLESS_BYTES	1024
#define ENDLESS_MS	10

struct stream {
	struct request *r;	/* outlives the answer's sending, not the response */
	const struct rule *rule;
	char *bytes;
	size_t len;
	uint64_t at;		/* in the plain source */
	uint64_t sent;
	unsigned pause_ms;
	size_t piece;		/* at most so many bytes between two pauses; 0: no limit */
	bool paused;
	bool zipping, zip_done;
	z_stream z;
	unsigned char *zip_in;
};

static size_t copy_part(char *out, size_t max, const char *from, size_t len, uint64_t at)
{
	size_t n = at < len ? len - (size_t)at : 0;

	if (n > max)
		n = max;
	memcpy(out, from + (n ? (size_t)at : 0), n);
	return n;
}

/* Bytes of prefix, units, suffix at position s->at; 0 at the end. */
static size_t read_repeat(struct stream *s, char *out, size_t max)
{
	const struct rule_repeat *p = &s->rule->repeat;
	size_t prefix = strlen(p->prefix);
	uint64_t units_end = prefix + p->unit_bytes;
	size_t n;

	if (s->at < prefix) {
		n = copy_part(out, max, p->prefix, prefix, s->at);
	} else if (s->at < units_end) {
		if (max > units_end - s->at)
			max = (size_t)(units_end - s->at);
		n = copy_part(out, max, p->block, p->block_len,
			(s->at - prefix) % p->block_len);
	} else {
		n = copy_part(out, max, p->suffix, strlen(p->suffix), s->at - units_end);
	}
	s->at += n;
	return n;
}

static size_t read_plain(struct stream *s, char *out, size_t max)
{
	size_t n;

	if (s->rule->endless) {
		memset(out, ' ', max);
		return max;
	}
	if (s->rule->has_repeat)
		return read_repeat(s, out, max);
	n = copy_part(out, max, s->bytes, s->len, s->at);
	s->at += n;
	return n;
}

/* Deflates until there is something to send; 0 at the end. */
static size_t read_zipped(struct stream *s, char *out, size_t max)
{
	bool end = false;

	s->z.next_out = (Bytef *)out;
	s->z.avail_out = (uInt)max;
	while (!s->zip_done && s->z.avail_out == max) {
		if (s->z.avail_in == 0) {
			s->z.next_in = s->zip_in;
			s->z.avail_in = (uInt)read_plain(s, (char *)s->zip_in, BLOCK);
			end = s->z.avail_in == 0;
		}
		if (deflate(&s->z, end ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_END)
			s->zip_done = true;
	}
	return max - s->z.avail_out;
}

static ssize_t on_read(void *cls, uint64_t pos, char *out, size_t max)
{
	struct stream *s = cls;
	size_t n;

	(void)pos;
	if (s->r->in->server->stopping)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (s->pause_ms && s->sent && !s->paused) {
		s->paused = true;
		request_suspend(s->r, s->pause_ms);
		return 0;
	}
	s->paused = false;
	if (s->piece && max > s->piece)
		max = s->piece;
	if (s->rule->has_cut) {
		if (s->sent >= s->rule->cut_after)
			return MHD_CONTENT_READER_END_WITH_ERROR;
		if (max > s->rule->cut_after - s->sent)
			max = (size_t)(s->rule->cut_after - s->sent);
	}
	n = s->zipping ? read_zipped(s, out, max) : read_plain(s, out, max);
	if (n == 0)
		return MHD_CONTENT_READER_END_OF_STREAM;
	s->sent += n;
	s->r->streamed = (size_t)s->sent;
	return (ssize_t)n;
}

static void on_free(void *cls)
{
	struct stream *s = cls;

	if (s->zipping)
		deflateEnd(&s->z);
	free(s->zip_in);
	free(s->bytes);
	free(s);
}

static bool start_zip(struct stream *s)
{
	if (deflateInit2(&s->z, 6, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	s->zip_in = mem_new(BLOCK, 1);
	s->zipping = true;
	return true;
}

struct MHD_Response *stream_response(struct request *r, const struct rule *rule, char *bytes,
	size_t len)
{
	struct stream *s = mem_new(1, sizeof *s);
	bool sized = bytes && !rule->chunked && !rule->has_repeat && !rule->endless;
	struct MHD_Response *response;

	s->r = r;
	s->rule = rule;
	s->bytes = bytes;
	s->len = len;
	s->piece = rule->endless ? ENDLESS_BYTES : rule->drip_bytes;
	s->pause_ms = rule->endless ? ENDLESS_MS : rule->drip_ms;
	if (rule->has_repeat && rule->gzip && !start_zip(s)) {
		on_free(s);
		return NULL;
	}
	response = MHD_create_response_from_callback(sized ? len : MHD_SIZE_UNKNOWN, BLOCK,
		on_read, s, on_free);
	if (!response)
		on_free(s);
	return response;
}
