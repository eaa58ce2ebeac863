/* SPDX-License-Identifier: MIT */
/*
 * reader_serve: the reader's own loop (reader.h).  The main thread takes requests off the socket;
 * each controller has one thread that asks it, made at its first request and kept with its open node.
 * A thread that does not come back holds nobody else up: its controller is answered "timed out" until
 * it does, and its late answer goes out with the old id, which the asker drops.
 */
#include "collectors/nvme/reader_wire.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STACK_BYTES = 128 * 1024 };

/* One controller and its thread. */
struct lane {
	int socket;
	void (*read_page)(int *fd, const struct nv_question *q, struct nv_answer *out);
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool started, busy;
	struct nv_wire_request request; /* while busy */
	int fd;				/* the thread's own */
};

static void send_reply(int socket, const struct nv_wire_reply *w)
{
	size_t len = offsetof(struct nv_wire_reply, data) + w->len;

	/* blocks while the agent is slow; it is one packet, whole or not at all */
	while (send(socket, w, len, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

static void reply_errno(int socket, uint32_t id, int error)
{
	struct nv_wire_reply w = {.id = id};
	struct nv_answer a = {0};

	nv_answer_errno(&a, error);
	w.end = (int32_t)a.end;
	w.error = a.error;
	send_reply(socket, &w);
}

static struct nv_wire_reply ask_drive(struct lane *l, const struct nv_wire_request *r)
{
	const struct nv_question q = {.controller = r->controller,
		.page = (enum nv_page)r->page,
		.endurance_group = r->endurance_group,
		.timeout_ms = r->timeout_ms};
	struct nv_wire_reply w = {.id = r->id};
	struct nv_answer a = {0};

	l->read_page(&l->fd, &q, &a);
	w.end = (int32_t)a.end;
	w.status = a.status;
	w.error = a.error;
	w.len = (uint32_t)(a.len <= sizeof w.data ? a.len : 0);
	memcpy(w.data, a.data, w.len);
	return w;
}

static void *lane_main(void *arg)
{
	struct lane *l = arg;
	struct nv_wire_request r;
	struct nv_wire_reply w;

	for (;;) {
		pthread_mutex_lock(&l->lock);
		while (!l->busy)
			pthread_cond_wait(&l->wake, &l->lock);
		r = l->request;
		pthread_mutex_unlock(&l->lock);
		w = ask_drive(l, &r);
		/* free before the answer is out: the asker's next question may follow at once */
		pthread_mutex_lock(&l->lock);
		l->busy = false;
		pthread_mutex_unlock(&l->lock);
		send_reply(l->socket, &w);
	}
	return NULL;
}

static bool start_lane(struct lane *l)
{
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->wake, NULL);
	l->fd = -1;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	rc = pthread_create(&thread, &attr, lane_main, l);
	pthread_attr_destroy(&attr);
	l->started = rc == 0;
	return l->started;
}

/* Everything in a request is checked: the other side may have been taken over. */
static bool request_ok(const struct nv_wire_request *r, ssize_t len)
{
	return len == (ssize_t)sizeof *r && r->magic == NV_WIRE_MAGIC && r->controller < NV_CONTROLLERS_MAX &&
	       r->page > NV_PAGE_UNKNOWN && r->page < NV_PAGES && r->timeout_ms >= NV_KERNEL_MS_MIN &&
	       r->timeout_ms <= NV_KERNEL_MS_MAX;
}

static void hand_over(struct lane *l, const struct nv_wire_request *r)
{
	bool busy;

	if (!l->started && !start_lane(l)) {
		reply_errno(l->socket, r->id, EAGAIN);
		return;
	}
	pthread_mutex_lock(&l->lock);
	busy = l->busy;
	if (!busy) {
		l->request = *r;
		l->busy = true;
		pthread_cond_signal(&l->wake);
	}
	pthread_mutex_unlock(&l->lock);
	if (busy)
		reply_errno(l->socket, r->id, ETIMEDOUT);
}

void nv_reader_serve(int socket, void (*read_page)(int *fd, const struct nv_question *q, struct nv_answer *out))
{
	struct lane *lanes = calloc(NV_CONTROLLERS_MAX, sizeof *lanes);
	struct nv_wire_request r;

	/* the agent decides when we end: it closes the socket */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	for (;;) {
		ssize_t n = recv(socket, &r, sizeof r, MSG_TRUNC);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || !lanes)
			_exit(0);
		if (!request_ok(&r, n)) {
			if (n >= (ssize_t)sizeof r.id)
				reply_errno(socket, r.id, EINVAL);
			continue;
		}
		if (!lanes[r.controller].started) {
			lanes[r.controller].socket = socket;
			lanes[r.controller].read_page = read_page;
		}
		hand_over(&lanes[r.controller], &r);
	}
}
