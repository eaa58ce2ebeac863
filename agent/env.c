/* SPDX-License-Identifier: MIT */
/* env: see env.h. */
#include "agent/env.h"
#include "collectors/nvme/reader.h"

#include "base/mem.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static void only_interrupt(int signum)
{
	(void)signum;
}

/* One line of the terminal.  Ctrl-C ends the waiting; libuv's own handler would let the read go on. */
static ssize_t read_line(char *line, size_t size, bool *interrupted)
{
	const struct sigaction stop = {.sa_handler = only_interrupt};
	struct sigaction before;
	ssize_t n;

	sigaction(SIGINT, &stop, &before);
	n = read(STDIN_FILENO, line, size - 1);
	*interrupted = n < 0 && errno == EINTR;
	sigaction(SIGINT, &before, NULL);
	return n;
}

char *env_ask_password(const char *target)
{
	struct termios before, quiet;
	char line[256] = "";
	char *secret = NULL;
	bool interrupted;

	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) ||
		tcgetattr(STDIN_FILENO, &before))
		return NULL;
	quiet = before;
	quiet.c_lflag &= ~(tcflag_t)ECHO;
	fprintf(stderr, "\r\033[KPassword for %s: ", target); /* over the line of progress */
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
	if (read_line(line, sizeof line, &interrupted) > 0) {
		line[strcspn(line, "\r\n")] = '\0';
		secret = line[0] ? mem_text(line) : NULL;
	}
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
	fputc('\n', stderr);
	explicit_bzero(line, sizeof line);
	if (interrupted)
		raise(SIGINT); /* for whom it was meant, now that the terminal echoes again */
	return secret;
}

const char *env_state_dir(char *out, size_t size)
{
	const char *service = getenv("STATE_DIRECTORY"), *xdg = getenv("XDG_STATE_HOME"),
		   *home = getenv("HOME");

	if (service && service[0] == '/')
		snprintf(out, size, "%s", service);
	else if (xdg && xdg[0] == '/')
		snprintf(out, size, "%s/lanewatch", xdg);
	else if (home && home[0] == '/')
		snprintf(out, size, "%s/.local/state/lanewatch", home);
	else
		return NULL;
	for (char *slash = strchr(out + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(out, 0700);
		*slash = '/';
	}
	return mkdir(out, 0700) == 0 || errno == EEXIST ? out : NULL;
}

struct nv_reader *env_reader(const struct target_config *targets, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (targets[i].kind == TARGET_NVME && !targets[i].recording)
			return nv_reader_start(NULL);
	return NULL;
}
