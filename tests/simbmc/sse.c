/* SPDX-License-Identifier: MIT */
/*
 * A stream is suspended until there is a record that it has not sent. The records of the machine
 * are the events, so that a client can take up where it was cut off.
 */
#include "tests/simbmc/sse.h"

#include "base/mem.h"
#include "base/str.h"
#include "tests/simbmc/docs.h"
#include "tests/simbmc/reply.h"
#include "tests/simbmc/util.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK	4096
#define SOONER_MS 3600000u	/* a stream that nobody wakes sends a comment after an hour */

struct sse {
	struct request *r;	/* is gone before the response is: not for on_free() */
	struct instance *in;
	struct sse *next;
	unsigned sent;		/* records of the machine that went out */
	char *text;		/* what is being sent */
	size_t at;
	bool slept;
};

static json_t *event_of(const struct machine *m, unsigned i)
{
	json_t *entry = m->desc->idrac10 || strstr(m->desc->registry, "IDRAC") ? dell_record(m, i) : generic_record(m, i);
	json_t *event = pack("{s:s, s:s, s:s, s:o, s:o, s:o}",
		"EventType", "Alert", "EventId", "1", "MemberId", "0",
		"Severity", json_incref(json_object_get(entry, "Severity")),
		"MessageId", json_incref(json_object_get(entry, "MessageId")),
		"Message", json_incref(json_object_get(entry, "Message")));

	put(event, "MessageArgs", json_incref(json_object_get(entry, "MessageArgs")));
	put(event, "EventTimestamp", json_incref(json_object_get(entry, "Created")));
	json_decref(entry);
	return pack("{s:s, s:o, s:s, s:[o]}", "@odata.type", "#Event.v1_7_0.Event",
		"Id", text("%u", i + 1), "Name", "Event Array", "Events", event);
}

/* The next thing to say; NULL if there is nothing. */
static char *next_text(struct sse *s)
{
	const struct machine *m = s->r->in->machine;
	unsigned oldest = m->n_records < MACHINE_RECORDS_MAX ? 0 : m->n_records - MACHINE_RECORDS_MAX;
	json_t *doc;
	char *body, *out;

	if (s->sent < oldest)
		s->sent = oldest;
	if (s->sent >= m->n_records)
		return s->slept ? mem_text(": still here\n\n") : NULL;
	doc = event_of(m, s->sent);
	body = json_dumps(doc, JSON_COMPACT);
	json_decref(doc);
	out = format("id: %u\ndata: %s\n\n", ++s->sent, body ? body : "{}");
	free(body);
	return out;
}

static ssize_t on_read(void *cls, uint64_t pos, char *out, size_t max)
{
	struct sse *s = cls;
	size_t n;

	(void)pos;
	if (s->r->in->server->stopping)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (!s->text)
		s->text = next_text(s);
	s->slept = false;
	if (!s->text) {
		s->slept = true;
		request_suspend(s->r, SOONER_MS);
		return 0;
	}
	n = strlen(s->text) - s->at;
	n = n < max ? n : max;
	memcpy(out, s->text + s->at, n);
	s->at += n;
	if (!s->text[s->at]) {
		free(s->text);
		s->text = NULL;
		s->at = 0;
	}
	return (ssize_t)n;
}

static void on_free(void *cls)
{
	struct sse *s = cls, **at = &s->in->streams;

	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	free(s->text);
	free(s);
}

enum MHD_Result sse_answer(struct request *r)
{
	const char *last = request_header(r, "Last-Event-ID");
	struct sse *s = mem_new(1, sizeof *s);
	struct MHD_Response *response;
	enum MHD_Result rc;
	int64_t id;

	s->r = r;
	s->in = r->in;
	s->sent = last && str_to_int(last, 0, (int64_t)r->in->machine->n_records, &id) ? (unsigned)id : r->in->machine->n_records;
	s->text = mem_text(": welcome\nretry: 1000\n\n");
	s->next = r->in->streams;
	r->in->streams = s;
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, on_read, s, on_free);
	if (!response) {
		on_free(s);
		return MHD_NO;
	}
	MHD_add_response_header(response, "Content-Type", "text/event-stream");
	MHD_add_response_header(response, "Cache-Control", "no-cache");
	request_log(r, 200, 0);
	rc = MHD_queue_response(r->conn, 200, response);
	MHD_destroy_response(response);
	return rc;
}

void sse_wake(struct instance *in)
{
	for (struct sse *s = in->streams; s; s = s->next)
		request_wake(s->r);
}
