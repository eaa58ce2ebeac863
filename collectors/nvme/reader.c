/* SPDX-License-Identifier: MIT */
/* reader: see reader.h.  This file is the agent's side: start, ask, keep the deadline. */
#include "collectors/nvme/reader.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/nvme/reader_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * When the kernel gives a command up it aborts it and may reset the controller: no asker may be so
 * impatient.  We stop waiting long before, and drop the answer when it comes.
 */
enum { KERNEL_MS = 30000, END_MS = 500, BIRTH_MS = 1000 };

struct nv_reader {
	int socket;
	pid_t pid, keeper; /* pid 0: it has not announced itself yet */
	uint32_t next_id;
	bool pinned;
	bool gone; /* both processes have ended: said once, and nothing can be asked any more */
};

/* Per question: where it stands. */
enum stand { OPEN = 0, SENT, DONE };

struct asking {
	struct nv_reader *reader;
	struct nv_ask *asks;
	enum stand *stands;
	size_t n;
	uint32_t first_id; /* of asks[0]; the others follow */
	int64_t until_mono_ms;
};

/* Leaves nothing open in the child but its socket and the standard descriptors. */
static void close_others(int keep)
{
	long max = sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range
	if (keep == 3 && syscall(SYS_close_range, 4U, ~0U, 0U) == 0)
		return;
#endif
	for (int fd = 3; fd < (max > 0 && max < 65536 ? (int)max : 65536); fd++)
		if (fd != keep)
			close(fd);
}

static void child(int socket, bool confine,
	void (*read_page)(int *fd, const struct nv_question *q, struct nv_answer *out))
{
	const char *open_word = getenv("LANEWATCH_READER_UNCONFINED");
	bool filter = !str_same(open_word, "1");

	/* the lowest free place, so that all behind it can be closed at once */
	if (socket != 3) {
		if (dup2(socket, 3) < 0)
			_exit(70);
		close(socket);
		socket = 3;
	}
	close_others(socket);
	if (confine && !filter)
		log_warn("nvme", "reader runs without its system call filter (LANEWATCH_READER_UNCONFINED)");
	if (confine)
		nv_reader_confine(false); /* the filter is the reader's own */
	nv_reader_keep(socket, confine && filter, read_page);
}

/* Takes an announcement; one that took another's place is said. */
static void take_birth(struct nv_reader *r, const struct nv_wire_reply *w)
{
	if (w->error)
		log_error("nvme", "the reader process %ld has died and was started again; the drives it was asking are asked at the next poll",
			(long)r->pid);
	r->pid = w->status;
}

/* The first packet is there as soon as the reader is; without it, it is found out at the first question. */
static void wait_for_birth(struct nv_reader *r)
{
	struct pollfd p = {.fd = r->socket, .events = POLLIN};
	struct nv_wire_reply w;

	if (poll(&p, 1, BIRTH_MS) > 0 && recv(r->socket, &w, sizeof w, MSG_DONTWAIT) >= (ssize_t)offsetof(struct nv_wire_reply, data) &&
		w.id == NV_WIRE_BORN)
		take_birth(r, &w);
}

static struct nv_reader *start(bool confine,
	void (*read_page)(int *fd, const struct nv_question *q, struct nv_answer *out), struct err *e)
{
	struct nv_reader *r;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		err_set(e, "reader: socketpair: %s", strerror(errno));
		return NULL;
	}
	pid = fork();
	if (pid < 0) {
		err_set(e, "reader: fork: %s", strerror(errno));
		close(pair[0]);
		close(pair[1]);
		return NULL;
	}
	if (pid == 0) {
		close(pair[0]);
		child(pair[1], confine, read_page);
	}
	close(pair[1]);
	if (confine)
		nv_reader_drop_privilege();
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	r = mem_new(1, sizeof *r);
	r->socket = pair[0];
	r->keeper = pid;
	r->next_id = NV_WIRE_BORN + 1;
	wait_for_birth(r);
	return r;
}

struct nv_reader *nv_reader_start(struct err *e)
{
	if (!nv_kernel_available()) {
		err_set(e, "this build has no libnvme: drives are not asked for their pages");
		return NULL;
	}
	return start(true, nv_kernel_read, e);
}

struct nv_reader *nv_reader_start_with(
	void (*read_page)(int *fd, const struct nv_question *q, struct nv_answer *out), struct err *e)
{
	return start(false, read_page, e);
}

/* Waits until the other end of the socket is closed: that is when the last thread is gone. */
static bool ended_in_time(int socket)
{
	int64_t until_mono_ms = clock_mono_ms() + END_MS, left;
	struct pollfd p = {.fd = socket, .events = POLLIN};
	struct nv_wire_reply late;

	while ((left = until_mono_ms - clock_mono_ms()) > 0 && poll(&p, 1, (int)left) > 0) {
		ssize_t n = recv(socket, &late, sizeof late, MSG_DONTWAIT);

		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return true;
	}
	return false;
}

void nv_reader_stop(struct nv_reader *r)
{
	bool ended;

	if (!r || r->pinned)
		return;
	/* it ends when it sees that; one that hangs in the kernel is left to init */
	shutdown(r->socket, SHUT_WR);
	ended = ended_in_time(r->socket);
	close(r->socket);
	waitpid(r->keeper, NULL, ended ? 0 : WNOHANG);
	free(r);
}

void nv_reader_pin(struct nv_reader *r)
{
	r->pinned = true;
}

pid_t nv_reader_pid(const struct nv_reader *r)
{
	return r->pid;
}

pid_t nv_reader_keeper_pid(const struct nv_reader *r)
{
	return r->keeper;
}

int nv_reader_socket(const struct nv_reader *r)
{
	return r->socket;
}

static void give_up(struct asking *a, size_t i, int error)
{
	a->asks[i].answer = (struct nv_answer){0};
	nv_answer_errno(&a->asks[i].answer, error);
	a->stands[i] = DONE;
}

static void reader_gone(struct asking *a)
{
	if (!a->reader->gone) {
		log_error("nvme", "the reader process has ended: drives are not asked any more; restart the service");
		waitpid(a->reader->keeper, NULL, WNOHANG);
	}
	a->reader->gone = true;
	for (size_t i = 0; i < a->n; i++)
		if (a->stands[i] != DONE)
			give_up(a, i, EPIPE);
}

/* N of "nvmeN". */
static bool controller_number(const char *name, uint16_t *out)
{
	int64_t n;

	if (!str_starts(name, "nvme") || !str_to_int(name + 4, 0, NV_CONTROLLERS_MAX - 1, &n))
		return false;
	*out = (uint16_t)n;
	return true;
}

/* True if the question before, to the same controller, still waits: one at a time. */
static bool controller_waits(const struct asking *a, size_t i)
{
	return i > 0 && a->stands[i - 1] != DONE && str_same(a->asks[i - 1].controller, a->asks[i].controller);
}

/* Sends what can be sent; false if the reader is gone. Sets *full where the socket takes no more. */
static bool send_open(struct asking *a, bool *full)
{
	*full = false;
	for (size_t i = 0; i < a->n; i++) {
		struct nv_wire_request q = {.id = a->first_id + (uint32_t)i,
			.magic = NV_WIRE_MAGIC,
			.page = (uint16_t)a->asks[i].page,
			.endurance_group = a->asks[i].endurance_group,
			.timeout_ms = KERNEL_MS};

		if (a->stands[i] != OPEN || controller_waits(a, i))
			continue;
		if (!controller_number(a->asks[i].controller, &q.controller)) {
			give_up(a, i, ENODEV);
			continue;
		}
		if (send(a->reader->socket, &q, sizeof q, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof q) {
			a->stands[i] = SENT;
			continue;
		}
		if (errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS && errno != EINTR)
			return false;
		*full = true;
		return true;
	}
	return true;
}

/* A drive that left its first question unanswered is not asked the others. */
static void skip_rest(struct asking *a, size_t i)
{
	for (size_t k = i + 1; k < a->n && str_same(a->asks[k].controller, a->asks[i].controller); k++)
		give_up(a, k, a->asks[i].answer.error);
}

/* Puts a reply where it belongs; one that nobody waits for any more is dropped. */
static void take_reply(struct asking *a, const struct nv_wire_reply *w, size_t len)
{
	size_t i = w->id - a->first_id;
	struct nv_answer *out;

	if (len < offsetof(struct nv_wire_reply, data) || i >= a->n || a->stands[i] != SENT ||
		w->len > len - offsetof(struct nv_wire_reply, data))
		return;
	out = &a->asks[i].answer;
	*out = (struct nv_answer){.end = (enum nv_end)w->end, .status = w->status, .error = w->error, .len = w->len};
	memcpy(out->data, w->data, w->len);
	a->stands[i] = DONE;
	if (out->end == NV_TIMED_OUT || out->end == NV_FAILED || out->end == NV_DENIED)
		skip_rest(a, i);
}

/* What was sent to a reader that died has no answer, nor the rest of what its drives were to be asked. */
static void reader_reborn(struct asking *a, const struct nv_wire_reply *w)
{
	take_birth(a->reader, w);
	for (size_t i = 0; i < a->n && w->error; i++) {
		if (a->stands[i] != SENT)
			continue;
		give_up(a, i, EPIPE);
		skip_rest(a, i);
	}
}

/* Takes what is there; false if the reader is gone. */
static bool receive(struct asking *a)
{
	struct nv_wire_reply w;

	for (;;) {
		ssize_t n = recv(a->reader->socket, &w, sizeof w, MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return true;
		if (n <= 0)
			return false;
		if (n >= (ssize_t)offsetof(struct nv_wire_reply, data) && w.id == NV_WIRE_BORN)
			reader_reborn(a, &w);
		else
			take_reply(a, &w, (size_t)n);
	}
}

static bool all_done(const struct asking *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->stands[i] != DONE)
			return false;
	return true;
}

static void ask_reader(void *arg, struct nv_ask *asks, size_t n, unsigned timeout_ms)
{
	struct nv_reader *r = arg;
	struct asking a = {.reader = r, .asks = asks, .n = n, .first_id = r->next_id};
	bool alive = !r->gone, full = false;

	a.stands = mem_new(n + 1, sizeof *a.stands);
	a.until_mono_ms = clock_mono_ms() + timeout_ms;
	r->next_id += (uint32_t)n;
	/* late answers, and news of a reader that died between two rounds: nothing of this one was lost */
	alive = alive && receive(&a);
	while (alive && !all_done(&a)) {
		struct pollfd p = {.fd = r->socket, .events = POLLIN};
		int64_t left = a.until_mono_ms - clock_mono_ms();

		if (left <= 0)
			break;
		alive = send_open(&a, &full);
		if (!alive || all_done(&a))
			break;
		if (full)
			p.events |= POLLOUT;
		if (poll(&p, 1, (int)left) > 0)
			alive = receive(&a);
	}
	if (!alive)
		reader_gone(&a);
	for (size_t i = 0; i < n; i++)
		if (a.stands[i] != DONE)
			give_up(&a, i, ETIMEDOUT);
	free(a.stands);
}

const struct nv_ops nv_reader_ops = {.ask = ask_reader};
