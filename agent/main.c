/* SPDX-License-Identifier: MIT */
/*
 * main: finds the command, loads the configuration, runs it.  Everything else is in
 * libagent.a, so that tests link the same code.
 */
#include "agent/cli/command.h"
#include "agent/config.h"
#include "agent/options.h"
#include "base/json_memory.h"
#include "base/log.h"
#include "base/mem.h"

#include <jansson.h>
#include <uv.h>

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <unistd.h>

/* No core file and no peeking by other processes of the user: secrets are in memory (SECURITY.md, S3). */
static void keep_secrets(void)
{
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0);
}

static const struct command *find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static void tell_errors(const struct config *c)
{
	for (size_t i = 0; i < c->n_errors; i++) {
		const struct config_error *e = &c->errors[i];

		if (e->line)
			fprintf(stderr, "lanewatch: %s:%d: %s\n", e->file, e->line, e->message);
		else if (e->file[0])
			fprintf(stderr, "lanewatch: %s: %s\n", e->file, e->message);
		else
			fprintf(stderr, "lanewatch: %s\n", e->message);
	}
}

/*
 * The exit status, when all that was printed is out: on a full disk half an answer must not look like one.
 * A reader that has seen enough (head, a pager that was left) is no fault.
 */
static int flush_output(int rc)
{
	struct pollfd p = {.fd = STDOUT_FILENO, .events = POLLOUT};
	bool lost = ferror(stdout);

	errno = 0;
	lost |= fflush(stdout) != 0;
	if (!lost || errno == EPIPE || (poll(&p, 1, 0) == 1 && (p.revents & POLLERR)))
		return rc;
	fprintf(stderr, "lanewatch: standard output: %s; what was written there is not whole\n",
		strerror(errno ? errno : EIO));
	return EX_IOERR;
}

static int run(const struct command *cmd, const struct options *o)
{
	struct config c;
	int rc;

	if (config_load(&c, o) == 0 || cmd->takes_broken_config) {
		rc = cmd->run(o, &c);
	} else {
		tell_errors(&c);
		rc = c.status;
	}
	config_release(&c);
	return rc;
}

/*
 * Without memory jansson damages the heap (2.14, json_loadb) and libuv aborts: it is over before they
 * notice, in a line.  What they take is bounded before, so no BMC decides about it.
 */
static void give_libraries_memory(void)
{
	json_memory_use();
	uv_replace_allocator(mem_take, mem_resize, mem_new, free);
}

int main(int argc, char **argv)
{
	struct options o;
	struct err e;
	const struct command *cmd = NULL;
	int rc = EX_USAGE;

	give_libraries_memory();
	setlocale(LC_CTYPE, "");
	signal(SIGPIPE, SIG_IGN);
	if (options_parse(&o, argc, argv, &e)) {
		fprintf(stderr, "lanewatch: %s\n", e.text);
		goto out;
	}
	if (o.version) {
		printf("lanewatch %s\n", PACKAGE_VERSION);
		rc = EX_OK;
		goto out;
	}
	if (o.help || !o.command) {
		options_help(o.command);
		rc = o.help ? EX_OK : EX_USAGE;
		goto out;
	}
	cmd = find(o.command);
	if (!o.debug_core)
		keep_secrets();
	log_set_level(LOG_LEVEL_WARN + (enum log_level)(o.verbose > 2 ? 2 : o.verbose));
	rc = run(cmd, &o);
out:
	options_release(&o);
	return flush_output(rc);
}
