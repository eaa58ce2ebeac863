/* SPDX-License-Identifier: MIT */
/* fio_run: see fio_run.h. */
#include "agent/fio_run.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	OUTPUT_MAX = 16 << 20,
	ERROR_MAX = 16 << 10,
	CHUNK = 16384,
	TICK_MS = 200,
	START_MS = 30000, /* to start and end: far more than it takes */
	END_MS = 5000,	  /* from SIGINT to its last words */
	KILL_MS = 1000,
	DESCRIPTORS_MAX = 1024,
	ARGS_FIXED_MAX = 16,
	STATUS_NO_EXEC = 127,
};

static const char *const clean_environment[] = {"LC_ALL=C", "TZ=UTC", "HOME=/", "PATH=/usr/bin:/bin", NULL};

/* Asynchronous ones: a drive is only busy with many requests at once. */
static const char *const engines[] = {"libaio", "io_uring"};

/*
 * 256 KiB by 32 is 8 MiB in flight for each drive: enough to fill the fastest link, little enough
 * for the memory of a machine with many.
 */
static const char *const fixed_args[] = {"--output-format=json", "--readonly", "--thread", "--rw=read", "--direct=1", "--bs=256k",
	"--iodepth=32", "--invalidate=0", "--allow_file_create=0", "--time_based", NULL};

const char *fio_program(void)
{
	static const char *const places[] = {"/usr/bin/fio", "/usr/local/bin/fio"};

	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
		if (access(places[i], X_OK) == 0)
			return places[i];
	return NULL;
}

/* ---- the child ---- */

struct child {
	pid_t pid;
	const char **argv;
	char (*made)[96]; /* words of argv that were put together */
	struct pollfd p[3]; /* what it says, its complaints, and what stops us */
	struct buf out, err;
};

/* Between fork and exec only what is safe in a program with threads. */
static _Noreturn void become(const char *const *argv, pid_t parent, int out, int err)
{
	const struct rlimit nothing = {0, 0};
	int null = open("/dev/null", O_RDONLY);
	sigset_t none;

	setpgid(0, 0); /* Ctrl-C is for us, who then end it in order */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it ended before the line above */
		_exit(STATUS_NO_EXEC);
	setrlimit(RLIMIT_FSIZE, &nothing); /* no file grows by it, whatever its options mean */
	if (chdir("/") || null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(STATUS_NO_EXEC);
	for (int fd = 3; fd < DESCRIPTORS_MAX; fd++)
		close(fd);
	execve(argv[0], (char *const *)(void *)argv, (char *const *)(void *)clean_environment);
	_exit(STATUS_NO_EXEC);
}

static int start(struct child *c, const char *const *argv, int stop_fd, struct err *e)
{
	int a[2] = {-1, -1}, b[2] = {-1, -1};
	pid_t parent = getpid();

	if (pipe2(a, O_CLOEXEC) || pipe2(b, O_CLOEXEC) || (c->pid = fork()) < 0) {
		err_set(e, "%s: %s", argv[0], strerror(errno));
		for (int i = 0; i < 2; i++) {
			if (a[i] >= 0)
				close(a[i]);
			if (b[i] >= 0)
				close(b[i]);
		}
		return -1;
	}
	if (c->pid == 0)
		become(argv, parent, a[1], b[1]);
	close(a[1]);
	close(b[1]);
	c->p[0] = (struct pollfd){.fd = a[0], .events = POLLIN};
	c->p[1] = (struct pollfd){.fd = b[0], .events = POLLIN};
	c->p[2] = (struct pollfd){.fd = stop_fd, .events = POLLIN};
	return 0;
}

/* Takes what one side has, or closes it at its end; false if there is too much of it. */
static bool take(struct pollfd *p, struct buf *b)
{
	char chunk[CHUNK];
	ssize_t n = read(p->fd, chunk, sizeof chunk);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0) {
		close(p->fd);
		p->fd = -1;
		return true;
	}
	return buf_add(b, chunk, (size_t)n) == 0;
}

static bool open_still(const struct child *c)
{
	return c->p[0].fd >= 0 || c->p[1].fd >= 0;
}

/* Listens until it has said all, is to stop, or its time is over. */
static int listen_to(struct fio_runner *r, struct child *c, int64_t start_mono_ms, int64_t end_mono_ms, struct err *e)
{
	while (open_still(c)) {
		int64_t now = clock_mono_ms();

		if (c->p[2].fd >= 0 && c->p[2].revents) {
			r->stopped = true;
			c->p[2].fd = -1; /* once is enough */
			kill(-c->pid, SIGINT);
			end_mono_ms = now + END_MS;
		}
		if (now >= end_mono_ms)
			return err_set(e, r->stopped ? "does not stop" : "does not end");
		if (r->tick && !r->stopped)
			r->tick(r->tick_arg, (double)(now - start_mono_ms) / 1000);
		if (poll(c->p, 3, TICK_MS) < 0 && errno != EINTR)
			return err_set(e, "%s", strerror(errno));
		for (int i = 0; i < 2; i++)
			if (c->p[i].fd >= 0 && c->p[i].revents && !take(&c->p[i], i ? &c->err : &c->out))
				return err_set(e, "says more than %zu bytes", i ? c->err.max : c->out.max);
	}
	return 0;
}

/* Its wait status if it ends within the time, -1 if it hangs in the kernel: it is left behind then. */
static int reap(struct fio_runner *r, const struct child *c, int64_t wait_ms)
{
	int64_t end_mono_ms = clock_mono_ms() + wait_ms;
	int status = 0;
	pid_t done;

	while ((done = waitpid(c->pid, &status, WNOHANG)) == 0 && clock_mono_ms() < end_mono_ms)
		poll(NULL, 0, 10);
	if (done != c->pid) {
		r->stuck = done == 0 ? c->pid : 0;
		return -1;
	}
	return status;
}

/* fio's complaints go to either side, before the document or instead of it. */
static void said(const struct child *c, char *out, size_t size)
{
	const struct buf *b = c->err.len ? &c->err : &c->out;
	const char *s = buf_text(b);

	str_clean_bytes(out, size, s, strcspn(s, "\n"));
}

static int run_child(struct fio_runner *r, unsigned seconds, struct child *c, struct err *e)
{
	const char *const *argv = c->argv;
	int64_t start_mono_ms = clock_mono_ms();
	int rc, status;

	if (r->stuck)
		return err_set(e, "%s: an earlier one still hangs in the kernel", argv[0]);
	if (start(c, argv, r->stop_fd, e))
		return -1;
	rc = listen_to(r, c, start_mono_ms, start_mono_ms + seconds * INT64_C(1000) + START_MS, e);
	for (int i = 0; i < 2; i++)
		if (c->p[i].fd >= 0)
			close(c->p[i].fd);
	if (rc)
		kill(-c->pid, SIGKILL);
	status = reap(r, c, rc ? KILL_MS : END_MS);
	if (rc)
		return err_wrap(e, "%s", argv[0]);
	if (status < 0) {
		kill(-c->pid, SIGKILL);
		return err_set(e, "%s: does not end", argv[0]);
	}
	if (WIFSIGNALED(status))
		return err_set(e, "%s: ended by signal %d", argv[0], WTERMSIG(status));
	if (WEXITSTATUS(status) == STATUS_NO_EXEC && c->out.len == 0)
		return err_set(e, "%s: cannot be run", argv[0]);
	return 0;
}

/* ---- a run ---- */

/* The vector; texts that were made stand in `made`, three for each task and three more. */
static const char **arguments(const char *program, const char *engine, const struct fio_task *tasks, size_t n, unsigned seconds,
	char (*made)[96])
{
	const char **argv = mem_new(ARGS_FIXED_MAX + 2 * n + 4, sizeof *argv);
	size_t k = 0, m = 0;

	argv[k++] = program;
	for (size_t i = 0; fixed_args[i]; i++)
		argv[k++] = fixed_args[i];
	snprintf(made[m], sizeof *made, "--ioengine=%s", engine);
	argv[k++] = made[m++];
	snprintf(made[m], sizeof *made, "--runtime=%u", seconds);
	argv[k++] = made[m++];
	for (size_t i = 0; i < n; i++) {
		snprintf(made[m], sizeof *made, "--name=%s", tasks[i].name);
		argv[k++] = made[m++];
		snprintf(made[m], sizeof *made, "--filename=%s", tasks[i].path);
		argv[k++] = made[m++];
	}
	return argv;
}

/* What fio says of an engine that it, or this kernel, does not have. */
static bool no_engine(const struct child *c)
{
	static const char *const words[] = {"not loadable", "Operation not permitted", "Function not implemented", "io_queue_init", "engine"};
	const char *out = buf_text(&c->out), *err = buf_text(&c->err);
	const char *document = strstr(out, "\n{");

	if (document || out[0] == '{')
		return false;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strstr(out, words[i]) || strstr(err, words[i]))
			return true;
	return false;
}

static int run_with(struct fio_runner *r, const char *engine, const struct fio_task *tasks, size_t n, unsigned seconds,
	struct fio_result *out, bool *other, struct err *e)
{
	struct child c = {.made = mem_new(2 * n + 4, sizeof *c.made)};
	char complaint[160];
	int rc;

	buf_init(&c.out, OUTPUT_MAX);
	buf_init(&c.err, ERROR_MAX);
	*other = false;
	c.argv = arguments(r->program, engine, tasks, n, seconds, c.made);
	rc = run_child(r, seconds, &c, e);
	if (rc == 0 && fio_read(buf_text(&c.out), c.out.len, out, e)) {
		said(&c, complaint, sizeof complaint);
		*other = no_engine(&c);
		rc = err_set(e, "%s gave no result%s%s", r->program, *complaint ? ": " : "", complaint);
	}
	buf_release(&c.out);
	buf_release(&c.err);
	free(c.argv);
	free(c.made);
	return rc;
}

int fio_run(struct fio_runner *r, const struct fio_task *tasks, size_t n, unsigned seconds, struct fio_result *out, struct err *e)
{
	bool other = true;
	int rc = -1;

	*out = (struct fio_result){0};
	r->stopped = false;
	if (n == 0 || n > FIO_TASKS_MAX || seconds == 0 || seconds > FIO_SECONDS_MAX)
		return err_set(e, "fio: from 1 to %d devices and seconds up to %d", FIO_TASKS_MAX, FIO_SECONDS_MAX);
	if (r->engine)
		return run_with(r, r->engine, tasks, n, seconds, out, &other, e);
	for (size_t i = 0; i < sizeof engines / sizeof engines[0] && other; i++) {
		rc = run_with(r, engines[i], tasks, n, seconds, out, &other, e);
		if (rc == 0)
			r->engine = engines[i];
	}
	return rc;
}
