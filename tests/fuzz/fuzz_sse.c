/* SPDX-License-Identifier: MIT */
/*
 * LW-R12: an event stream, in one piece and in small ones: the same events come out, within the
 * limits, and what is in them is read as records.
 */
#include "collectors/redfish/sse.h"
#include "collectors/redfish/stream.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

struct seen {
	size_t n, bytes;
	unsigned hash;
};

static void take(void *arg, const char *data, size_t len)
{
	struct seen *s = arg;

	assert(len > 0 && len <= RF_STREAM_EVENT_MAX);
	s->n++;
	s->bytes += len;
	for (size_t i = 0; i < len; i++)
		s->hash = s->hash * 31 + (unsigned char)data[i];
	rf_sse_is_of_drives(data, len);
}

static bool feed(const char *data, size_t size, size_t piece, struct seen *seen, struct rf_stream *s)
{
	bool whole = true;

	rf_stream_init(s);
	for (size_t at = 0; at < size && whole; at += piece)
		whole = rf_stream_feed(s, data + at, size - at < piece ? size - at : piece, take, seen);
	assert(s->line.len <= RF_STREAM_LINE_MAX && s->data.len <= RF_STREAM_EVENT_MAX);
	assert(s->retry_ms == 0 || (s->retry_ms >= RF_STREAM_RETRY_MIN_MS && s->retry_ms <= RF_STREAM_RETRY_MAX_MS));
	for (const char *p = s->last_id; *p; p++)
		assert(*p >= ' ' && *p <= '~');
	return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen once = {0}, apart = {0};
	struct rf_stream a, b;
	bool whole;

	whole = feed((const char *)data, size, size ? size : 1, &once, &a);
	if (whole == feed((const char *)data, size, 1 + (size ? data[0] % 7 : 0), &apart, &b) && whole)
		assert(once.n == apart.n && once.bytes == apart.bytes && once.hash == apart.hash && strcmp(a.last_id, b.last_id) == 0);
	rf_stream_release(&a);
	rf_stream_release(&b);
	return 0;
}
