/* SPDX-License-Identifier: MIT */
/* stream: see stream.h. */
#include "collectors/redfish/stream.h"
#include "base/str.h"

#include <string.h>

void rf_stream_init(struct rf_stream *s)
{
	*s = (struct rf_stream){0};
	buf_init(&s->line, RF_STREAM_LINE_MAX);
	buf_init(&s->data, RF_STREAM_EVENT_MAX);
}

void rf_stream_release(struct rf_stream *s)
{
	buf_release(&s->line);
	buf_release(&s->data);
}

void rf_stream_restart(struct rf_stream *s)
{
	buf_clear(&s->line);
	buf_clear(&s->data);
	s->id[0] = '\0';
	s->after_cr = s->has_data = false;
}

/* It goes into a header of the next request: printable ASCII, or it is none. */
static void take_id(struct rf_stream *s, const char *value)
{
	for (const char *p = value; *p; p++)
		if (*p < ' ' || *p > '~')
			return;
	if (strlen(value) < sizeof s->id)
		str_copy(s->id, sizeof s->id, value);
}

static void take_retry(struct rf_stream *s, const char *value)
{
	int64_t ms;

	if (!str_to_int(value, 0, INT64_MAX, &ms) || strspn(value, "0123456789") != strlen(value))
		return;
	if (ms < RF_STREAM_RETRY_MIN_MS)
		ms = RF_STREAM_RETRY_MIN_MS;
	s->retry_ms = ms < RF_STREAM_RETRY_MAX_MS ? ms : RF_STREAM_RETRY_MAX_MS;
}

static bool take_data(struct rf_stream *s, const char *value, size_t len)
{
	if (s->has_data && buf_add(&s->data, "\n", 1))
		return false;
	s->has_data = true;
	return buf_add(&s->data, value, len) == 0;
}

static bool end_event(struct rf_stream *s, void (*event)(void *arg, const char *data, size_t len), void *arg)
{
	if (s->id[0])
		str_copy(s->last_id, sizeof s->last_id, s->id);
	if (s->has_data && s->data.len) {
		s->n_events++;
		event(arg, buf_text(&s->data), s->data.len);
	}
	if (s->data.room > RF_STREAM_LINE_MAX) { /* a large one is rare: its memory is not kept */
		buf_release(&s->data);
		buf_init(&s->data, RF_STREAM_EVENT_MAX);
	}
	buf_clear(&s->data);
	s->has_data = false;
	s->id[0] = '\0';
	return true;
}

static bool take_line(struct rf_stream *s, void (*event)(void *arg, const char *data, size_t len), void *arg)
{
	const char *line = buf_text(&s->line), *colon = memchr(line, ':', s->line.len), *value;
	size_t name = colon ? (size_t)(colon - line) : s->line.len;

	if (s->line.len == 0)
		return end_event(s, event, arg);
	value = colon ? colon + 1 + (colon[1] == ' ') : "";
	if (name == 4 && memcmp(line, "data", 4) == 0)
		return take_data(s, value, colon ? s->line.len - (size_t)(value - line) : 0);
	if (name == 2 && memcmp(line, "id", 2) == 0 && !memchr(line, '\0', s->line.len))
		take_id(s, value);
	else if (name == 5 && memcmp(line, "retry", 5) == 0)
		take_retry(s, value);
	return true;
}

bool rf_stream_feed(struct rf_stream *s, const char *bytes, size_t len,
	void (*event)(void *arg, const char *data, size_t len), void *arg)
{
	while (len) {
		size_t n = 0;

		if (s->after_cr && *bytes == '\n') {
			bytes++;
			len--;
			s->after_cr = false;
			continue;
		}
		s->after_cr = false;
		while (n < len && bytes[n] != '\n' && bytes[n] != '\r')
			n++;
		if (buf_add(&s->line, bytes, n))
			return false;
		bytes += n;
		len -= n;
		if (!len)
			break;
		s->after_cr = *bytes == '\r';
		bytes++;
		len--;
		if (!take_line(s, event, arg))
			return false;
		buf_clear(&s->line);
	}
	return true;
}
