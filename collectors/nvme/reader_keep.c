/* SPDX-License-Identifier: MIT */
/*
 * reader_keep: the process between agent and reader.  It has the reader's capability, reads nothing
 * from anybody and only waits: a reader that dies is started again, which the agent, having given up
 * the privilege, could not do.  It ends when the agent has closed the socket.
 */
#include "collectors/nvme/reader_wire.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAUSE_MS = 1000, PAUSE_MAX_MS = 60000 };

/* The first packet of each reader: who it is, and whether it took the place of one that died. */
static void announce(int socket, bool again)
{
	const struct nv_wire_reply w = {.id = NV_WIRE_BORN, .status = (int32_t)getpid(), .error = again};

	while (send(socket, &w, offsetof(struct nv_wire_reply, data), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

/* True if the agent went away meanwhile. */
static bool pause_or_end(int socket, int ms)
{
	struct pollfd p = {.fd = socket}; /* POLLHUP comes unasked */

	return poll(&p, 1, ms) > 0;
}

void nv_reader_keep(int socket, bool filter, void (*read_page)(int *fd, const struct nv_question *q, struct nv_answer *out))
{
	int pause_ms = PAUSE_MS;

	/* the agent decides when we end: it closes the socket */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	for (bool again = false;; again = true) {
		pid_t pid = fork();
		int status = 0;

		if (pid == 0) {
			if (filter)
				nv_reader_confine(true);
			announce(socket, again);
			nv_reader_serve(socket, read_page);
		}
		while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
			_exit(0);
		/* the first one at once, so that the next poll finds it; one that dies all the time not */
		if (pause_or_end(socket, again || pid < 0 ? pause_ms : 0))
			_exit(0);
		if (again && pause_ms < PAUSE_MAX_MS)
			pause_ms *= 2;
	}
}
