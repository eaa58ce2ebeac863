/* SPDX-License-Identifier: MIT */
/* stream: see stream.h. */
#include "web/stream.h"
#include "base/mem.h"
#include "web/reply.h"

#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct stream {
	struct stream *next;
	struct streams *all;
	struct MHD_Connection *connection;
	int fd;
	unsigned seen; /* the change that was told last */
	bool asleep;
	bool gone; /* its page was closed */
};

static ssize_t more(void *arg, uint64_t pos, char *out, size_t max)
{
	struct stream *st = arg;
	int n;

	if (st->gone)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (st->seen == st->all->change && pos) {
		st->asleep = true;
		MHD_suspend_connection(st->connection);
		return 0;
	}
	st->seen = st->all->change;
	n = snprintf(out, max, "%sid: %u\nevent: changed\ndata: {}\n\n", pos ? "" : "retry: 2000\n", st->seen);
	return n > 0 && (size_t)n < max ? n : 0;
}

static void stream_free(void *arg)
{
	struct stream *st = arg, **at = &st->all->first;

	while (*at && *at != st)
		at = &(*at)->next;
	if (*at)
		*at = st->next;
	free(st);
}

bool streams_have_room(const struct streams *s)
{
	int n = 0;

	for (const struct stream *st = s->first; st; st = st->next)
		n++;
	return n < STREAMS_MAX;
}

enum MHD_Result streams_open(struct streams *s, struct MHD_Connection *mhd, int fd, bool signs_in)
{
	struct stream *st = mem_new(1, sizeof *st);
	struct MHD_Response *r;
	enum MHD_Result rc;

	*st = (struct stream){.next = s->first, .all = s, .connection = mhd, .fd = fd};
	s->first = st;
	r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1024, more, st, stream_free);
	if (!r) {
		stream_free(st);
		return MHD_NO;
	}
	reply_add_headers(r, signs_in);
	MHD_add_response_header(r, "Content-Type", "text/event-stream");
	rc = MHD_queue_response(mhd, 200, r);
	MHD_destroy_response(r);
	return rc;
}

static void wake(struct stream *st)
{
	if (!st->asleep)
		return;
	st->asleep = false;
	MHD_resume_connection(st->connection);
}

void streams_tell(struct streams *s)
{
	s->change++;
	for (struct stream *st = s->first; st; st = st->next)
		wake(st);
}

bool stream_peer_gone(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLRDHUP};

	return poll(&p, 1, 0) > 0 && p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL);
}

void streams_look(struct streams *s)
{
	for (struct stream *st = s->first; st; st = st->next)
		if (st->asleep && stream_peer_gone(st->fd)) {
			st->gone = true;
			wake(st);
		}
}

void streams_end(struct streams *s)
{
	for (struct stream *st = s->first; st; st = st->next) {
		st->gone = true;
		wake(st);
	}
}
