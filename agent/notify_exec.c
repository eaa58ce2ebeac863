/* SPDX-License-Identifier: MIT */
/*
 * notify_exec: a program of the operator's, for each notice: by absolute path, with an argument
 * vector, a clean environment and no shell; the notice as JSON on its standard input; a
 * deadline, then SIGKILL to all of its process group; what it prints is bounded (SECURITY.md, S9).
 *
 * 0 took it; 64 and 65 (EX_USAGE, EX_DATAERR) will never; anything else is tried again later.
 */
#include "agent/notify_template.h"
#include "agent/notify_way.h"

#include "base/jtext.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

enum { OUTPUT_MAX = 4096, ARGS_MAX = 64, HANDLES = 4, DESCRIPTORS_MAX = 4096 };

struct child {
	uv_process_t process;
	uv_pipe_t in, out;
	uv_timer_t deadline;
	uv_write_t write;
	char *text, *args[ARGS_MAX + 1];
	char output[OUTPUT_MAX], chunk[1024];
	size_t n_output;
	int n_open;
	bool spawned, late;
	int64_t status;
	int signum;
	notify_done_fn *done; /* NULL: cancelled */
	void *arg;
};

static char *const clean_environment[] = {
	(char *)"LC_ALL=C", (char *)"TZ=UTC", (char *)"PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};

/* What was printed just before the end is still in the pipe. */
static void drain(struct child *c)
{
	uv_os_fd_t fd;
	ssize_t n;

	if (uv_is_closing((uv_handle_t *)&c->out) || uv_fileno((uv_handle_t *)&c->out, &fd))
		return;
	while (c->n_output < sizeof c->output &&
		(n = read(fd, c->output + c->n_output, sizeof c->output - c->n_output)) > 0)
		c->n_output += (size_t)n;
}

static void kill_all(struct child *c)
{
	if (c->spawned && c->process.pid > 0)
		uv_kill(-c->process.pid, SIGKILL);
}

/* "ended with 3: no such pager" */
static void describe(const struct child *c, char *out, size_t size)
{
	char text[160];

	str_clean_bytes(text, sizeof text, c->output, c->n_output < sizeof text ? c->n_output : sizeof text - 1);
	if (!c->spawned)
		snprintf(out, size, "cannot be started: %s", uv_strerror((int)c->status));
	else if (c->late)
		snprintf(out, size, "did not end in time and was killed");
	else if (c->signum)
		snprintf(out, size, "ended by signal %d", c->signum);
	else
		snprintf(out, size, "ended with %d%s%s", (int)c->status, text[0] ? ": " : "", text);
}

static enum notify_end end_of(const struct child *c)
{
	if (!c->spawned || c->late || c->signum)
		return NOTIFY_LATER;
	if (c->status == 0)
		return NOTIFY_TOOK;
	return c->status == EX_USAGE || c->status == EX_DATAERR ? NOTIFY_REFUSED : NOTIFY_LATER;
}

static void free_child(struct child *c)
{
	for (size_t i = 0; c->args[i]; i++)
		free(c->args[i]);
	free(c->text);
	free(c);
}

/* Told when all of its handles are closed, so that nothing of it is left. */
static void on_closed(uv_handle_t *h)
{
	struct child *c = h->data;
	char said[256];

	if (--c->n_open > 0)
		return;
	describe(c, said, sizeof said);
	if (c->done)
		c->done(c->arg, end_of(c), said);
	free_child(c);
}

static void close_handle(uv_handle_t *h)
{
	if (!uv_is_closing(h))
		uv_close(h, on_closed);
}

static void close_all(struct child *c)
{
	close_handle((uv_handle_t *)&c->process);
	close_handle((uv_handle_t *)&c->in);
	close_handle((uv_handle_t *)&c->out);
	close_handle((uv_handle_t *)&c->deadline);
}

/* What it started and left behind ends with it. */
static void on_exit_of(uv_process_t *p, int64_t status, int signum)
{
	struct child *c = p->data;

	c->status = status;
	c->signum = signum;
	drain(c);
	kill_all(c);
	close_all(c);
}

static void on_deadline(uv_timer_t *t)
{
	struct child *c = t->data;

	c->late = true;
	kill_all(c); /* on_exit_of() follows */
}

static void give_room(uv_handle_t *h, size_t wanted, uv_buf_t *out)
{
	struct child *c = h->data;

	(void)wanted;
	*out = uv_buf_init(c->chunk, sizeof c->chunk);
}

/* The first few thousand bytes are kept, the rest is read and dropped until the deadline. */
static void on_output(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct child *c = s->data;
	size_t room = sizeof c->output - c->n_output;

	if (n < 0)
		uv_read_stop(s);
	if (n <= 0)
		return;
	if ((size_t)n < room)
		room = (size_t)n;
	memcpy(c->output + c->n_output, b->base, room);
	c->n_output += room;
}

static void on_written(uv_write_t *w, int status)
{
	struct child *c = w->data;

	(void)status; /* a program need not read it */
	close_handle((uv_handle_t *)&c->in);
}

static void fill_arguments(struct child *c, const struct notify_post *p)
{
	for (size_t i = 0; p->config->command[i] && i < ARGS_MAX; i++) {
		char *text = i ? template_fill_text(p->config->command[i], p->notice) : NULL;

		c->args[i] = text ? text : mem_text(p->config->command[i]);
	}
}

static void init_handles(struct child *c, uv_loop_t *loop)
{
	uv_pipe_init(loop, &c->in, 0);
	uv_pipe_init(loop, &c->out, 0);
	uv_timer_init(loop, &c->deadline);
	c->process.data = c->in.data = c->out.data = c->deadline.data = c->write.data = c;
	c->n_open = HANDLES;
}

/* libcurl's sockets have no close-on-exec (7.88): they are not the child's business. */
static void keep_descriptors(void)
{
	for (int fd = 3; fd < DESCRIPTORS_MAX; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* What it prints and what it complains of come by one pipe. */
static int spawn(struct child *c, uv_loop_t *loop)
{
	int out[2], rc;
	uv_stdio_container_t io[3] = {
		{.flags = UV_CREATE_PIPE | UV_READABLE_PIPE, .data.stream = (uv_stream_t *)&c->in},
		{.flags = UV_INHERIT_FD}, {.flags = UV_INHERIT_FD}};
	uv_process_options_t o = {.exit_cb = on_exit_of,
		.file = c->args[0],
		.args = c->args,
		.env = (char **)(void *)clean_environment,
		.cwd = "/",
		.flags = UV_PROCESS_DETACHED, /* a group of its own, to be ended as one */
		.stdio_count = 3,
		.stdio = io};

	if (pipe2(out, O_CLOEXEC))
		return uv_translate_sys_error(errno);
	io[1].data.fd = io[2].data.fd = out[1];
	keep_descriptors();
	rc = uv_spawn(loop, &c->process, &o);
	close(out[1]);
	if (uv_pipe_open(&c->out, out[0]))
		close(out[0]);
	return rc;
}

static void *send_exec(const struct notify_env *env, const struct notify_post *p, notify_done_fn *done, void *arg)
{
	struct child *c = mem_new(1, sizeof *c);
	uv_buf_t text;
	int rc;

	*c = (struct child){.done = done, .arg = arg};
	fill_arguments(c, p);
	c->text = jtext_print(p->notice, JSON_COMPACT);
	init_handles(c, env->loop);
	rc = spawn(c, env->loop);
	c->spawned = rc == 0;
	if (rc) {
		c->status = rc;
		close_all(c);
		return c;
	}
	uv_timer_start(&c->deadline, on_deadline, (uint64_t)p->config->deadline_ms, 0);
	uv_read_start((uv_stream_t *)&c->out, give_room, on_output);
	text = uv_buf_init(c->text ? c->text : (char *)"", c->text ? (unsigned)strlen(c->text) : 0);
	uv_write(&c->write, (uv_stream_t *)&c->in, &text, 1, on_written);
	return c;
}

static void cancel(void *call)
{
	struct child *c = call;

	c->done = NULL;
	kill_all(c);
	if (!c->spawned)
		return;
	close_all(c);
}

const struct notify_way notify_exec = {send_exec, cancel, false};
