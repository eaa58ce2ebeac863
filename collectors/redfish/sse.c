/* SPDX-License-Identifier: MIT */
/* sse: see sse.h. */
#include "collectors/redfish/sse.h"
#include "base/clock.h"
#include "base/jtext.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/redfish/log_entry.h"
#include "collectors/redfish/stream.h"

#include <stdlib.h>
#include <string.h>

enum {
	AGAIN_FIRST_MS = 5 * 1000,
	AGAIN_MAX_MS = RF_STREAM_RETRY_MAX_MS,
	STEADY_MS = 60 * 1000,	     /* a stream that held so long was a good one */
	TOLD_MS = 50,		     /* events of one happening come in a bunch */
	REFUSED_MS = 60 * 60 * 1000, /* a service that offers it and answers otherwise is asked again after an hour */
};

struct rf_sse {
	struct rf_session *session;
	void (*heard)(void *arg);
	void *arg;
	struct rf_stream stream;
	struct http_call *call;
	uv_timer_t told;  /* out of libcurl's callback */
	uv_timer_t again; /* opens it once more */
	char path[RF_PATH_MAX]; /* "": none is offered */
	bool closing;
	int n_timers; /* still open, at the end */
	int64_t opened_mono_ms, next_mono_ms, pause_ms;
	unsigned generation; /* of the session that it was opened with */
	unsigned random;
	bool said; /* that it works */
	void (*closed)(void *arg);
	void *closed_arg;
};

static void on_told(uv_timer_t *t)
{
	struct rf_sse *s = t->data;

	s->heard(s->arg);
}

bool rf_sse_is_of_drives(const char *text, size_t len)
{
	json_t *doc = jtext_parse(text, len, NULL, NULL), *one;
	struct event e;
	bool found = false;
	size_t i;

	json_array_foreach(json_object_get(doc, "Events"), i, one)
		found |= rf_log_entry_read(one, "SSE", &e);
	json_decref(doc);
	return found;
}

static void on_event(void *arg, const char *data, size_t len)
{
	struct rf_sse *s = arg;

	if (rf_sse_is_of_drives(data, len) && !uv_is_active((uv_handle_t *)&s->told))
		uv_timer_start(&s->told, on_told, TOLD_MS, 0);
}

/* From within libcurl: nothing but reading. */
static bool on_chunk(void *arg, const char *bytes, size_t len)
{
	struct rf_sse *s = arg;

	return rf_stream_feed(&s->stream, bytes, len, on_event, s);
}

/* Up to a quarter more or less, so that a fleet does not come back at once. */
static int64_t jittered(struct rf_sse *s, int64_t ms)
{
	s->random = s->random * 1664525u + 1013904223u;
	return ms - ms / 4 + (int64_t)(s->random >> 8) % (ms / 2 + 1);
}

/* Twice the time with each failure; what the service asks for is the least. */
static void plan(struct rf_sse *s, bool was_good)
{
	int64_t least = s->stream.retry_ms ? s->stream.retry_ms : AGAIN_FIRST_MS;

	s->pause_ms = was_good || !s->pause_ms ? least : s->pause_ms * 2;
	if (s->pause_ms > AGAIN_MAX_MS)
		s->pause_ms = AGAIN_MAX_MS;
	if (s->pause_ms < least)
		s->pause_ms = least;
	s->next_mono_ms = clock_mono_ms() + jittered(s, s->pause_ms);
}

static void connect_stream(struct rf_sse *s);

static void on_again(uv_timer_t *t)
{
	connect_stream(t->data);
}

static void on_end(void *arg, const struct http_reply *r)
{
	struct rf_sse *s = arg;
	bool good = r->status == 200 && clock_mono_ms() - s->opened_mono_ms >= STEADY_MS;

	s->call = NULL;
	plan(s, good);
	if (r->status && r->status != 200 && r->status != 401)
		s->next_mono_ms = clock_mono_ms() + REFUSED_MS;
	uv_timer_start(&s->again, on_again, (uint64_t)(s->next_mono_ms - clock_mono_ms()), 0);
	log_info("redfish", "%s: the event stream ended (%s); it is polled as ever, and the stream tried again in %lld s",
		s->session->config->name, r->why[0] ? r->why : r->status == 200 ? "by the BMC" : "refused",
		(long long)(s->next_mono_ms - clock_mono_ms()) / 1000);
}

/* The path of the stream, with a filter where the service has one; false if it offers none. */
static bool stream_path(const struct rf_sse *s, const json_t *service, char out[RF_PATH_MAX])
{
	static const char filter[] = "?$filter=EventFormatType%20eq%20Event";
	const char *link = jtext_string(json_object_get(service, "ServerSentEventUri"));
	bool filters = json_is_true(jtext_at(service, "SSEFilterPropertiesSupported", "EventFormatType", NULL));

	if (!link || json_is_false(json_object_get(service, "ServiceEnabled")) ||
		!rf_path_reduce(&s->session->origin, link, out))
		return false;
	if (filters && !strchr(out, '?') && strlen(out) + sizeof filter <= RF_PATH_MAX)
		str_copy(out + strlen(out), RF_PATH_MAX - strlen(out), filter);
	return true;
}

struct rf_sse *rf_sse_new(struct rf_session *session, void (*heard)(void *arg), void *arg)
{
	struct rf_sse *s = mem_new(1, sizeof *s);

	*s = (struct rf_sse){.session = session, .heard = heard, .arg = arg};
	s->random = (unsigned)clock_wall_ms() ^ (unsigned)(uintptr_t)s;
	rf_stream_init(&s->stream);
	uv_timer_init(session->env->loop, &s->told);
	uv_timer_init(session->env->loop, &s->again);
	s->told.data = s->again.data = s;
	return s;
}

bool rf_sse_is_open(const struct rf_sse *s)
{
	return s && s->call;
}

static void connect_stream(struct rf_sse *s)
{
	if (s->call || s->closing || !s->path[0] || clock_mono_ms() < s->next_mono_ms || !rf_session_ready(s->session))
		return;
	s->opened_mono_ms = clock_mono_ms();
	s->generation = s->session->generation;
	rf_stream_restart(&s->stream);
	s->call = rf_session_stream(s->session, s->path, s->stream.last_id, on_chunk, on_end, s);
	if (!s->said)
		log_info("redfish", "%s: listening to its events", s->session->config->name);
	s->said = true;
}

void rf_sse_open(struct rf_sse *s, const json_t *service)
{
	if (s->call && s->generation != s->session->generation) { /* its session is gone */
		http_cancel(s->call);
		s->call = NULL;
	}
	if (!service || !stream_path(s, service, s->path))
		s->path[0] = '\0';
	connect_stream(s);
}

static void on_closed(uv_handle_t *h)
{
	struct rf_sse *s = h->data;
	void (*closed)(void *) = s->closed;
	void *arg = s->closed_arg;

	if (--s->n_timers)
		return;
	rf_stream_release(&s->stream);
	free(s);
	closed(arg);
}

void rf_sse_close(struct rf_sse *s, void (*closed)(void *arg), void *arg)
{
	s->closed = closed;
	s->closed_arg = arg;
	if (s->call)
		http_cancel(s->call);
	s->call = NULL;
	s->closing = true;
	s->n_timers = 2;
	uv_close((uv_handle_t *)&s->told, on_closed);
	uv_close((uv_handle_t *)&s->again, on_closed);
}
