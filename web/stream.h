/* SPDX-License-Identifier: MIT */
/*
 * stream: server-sent events: "something changed, ask again" to every page that is open.
 * A page that waits is a suspended connection and costs nothing.
 */
#ifndef WEB_STREAM_H
#define WEB_STREAM_H

#include <microhttpd.h>
#include <stdbool.h>

enum { STREAMS_MAX = 8 };

struct stream;

struct streams {
	struct stream *first;
	unsigned change; /* counts what changed */
};

/* True if one more may be opened (SECURITY.md, W7). */
bool streams_have_room(const struct streams *s);

/* Queues the reply that never ends. `fd`: of its connection. */
enum MHD_Result streams_open(struct streams *s, struct MHD_Connection *mhd, int fd, bool signs_in);

/* Tells all that something changed; let libmicrohttpd run then. */
void streams_tell(struct streams *s);

/* Lets go of pages that were closed, which libmicrohttpd does not notice by itself; likewise. */
void streams_look(struct streams *s);

/* Whether nothing more can come from who is at the other end of a socket. */
bool stream_peer_gone(int fd);

/* Ends all: a suspended connection cannot be stopped. */
void streams_end(struct streams *s);

#endif
