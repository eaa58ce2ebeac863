/* SPDX-License-Identifier: MIT */
/* child: see child.h. */
#include "collectors/zfs/child.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DESCRIPTORS_MAX = 1024, CHUNK = 16384, KILL_WAIT_MS = 200 };

static const char *const clean_environment[] = {"LC_ALL=C", "TZ=UTC", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};

/* True while the one that was killed is still there. */
static bool still_there(struct zfs_child *c)
{
	if (c->stuck && waitpid(c->stuck, NULL, WNOHANG) != 0)
		c->stuck = 0; /* gone, or nobody's */
	return c->stuck != 0;
}

/* Between fork and exec only what is safe in a program with threads. */
static _Noreturn void become(const char *const *argv, int out, int err)
{
	int null = open("/dev/null", O_RDONLY);
	sigset_t none;

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(127);
	for (int fd = 3; fd < DESCRIPTORS_MAX; fd++)
		close(fd);
	execve(argv[0], (char *const *)(void *)argv, (char *const *)(void *)clean_environment);
	_exit(127);
}

/* One side at its end, or what it had; false if there is too much of it. */
static bool take(struct pollfd *p, struct buf *b)
{
	char chunk[CHUNK];
	ssize_t n = read(p->fd, chunk, sizeof chunk);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0) {
		close(p->fd);
		p->fd = -1; /* poll() passes over it */
		return true;
	}
	return buf_add(b, chunk, (size_t)n) == 0;
}

/* 0 at the end of both, -1 with the reason. */
static int collect(struct pollfd p[2], struct buf *out, struct buf *err, int64_t end_mono_ms, struct err *e)
{
	while (p[0].fd >= 0 || p[1].fd >= 0) {
		int64_t left = end_mono_ms - clock_mono_ms();
		int n = left > 0 ? poll(p, 2, (int)left) : 0;

		if (n == 0)
			return err_set(e, "does not answer");
		if (n < 0 && errno != EINTR)
			return err_set(e, "%s", strerror(errno));
		for (int i = 0; n > 0 && i < 2; i++)
			if (p[i].revents && !take(&p[i], i ? err : out))
				return err_set(e, "says more than %zu bytes", i ? err->max : out->max);
	}
	return 0;
}

/* Its status if it ends in time; never waits for one that no signal reaches. */
static int reap(struct zfs_child *c, pid_t pid, int64_t end_mono_ms, struct err *e)
{
	int status = 0;
	pid_t done;

	while ((done = waitpid(pid, &status, WNOHANG)) == 0 && clock_mono_ms() < end_mono_ms)
		poll(NULL, 0, 5);
	if (done == 0) {
		kill(-pid, SIGKILL);
		c->stuck = pid;
		return err_set(e, "does not end");
	}
	if (done < 0)
		return err_set(e, "%s", strerror(errno));
	if (!WIFEXITED(status))
		return err_set(e, "ended by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}

static void close_all(struct pollfd p[2])
{
	for (int i = 0; i < 2; i++) {
		if (p[i].fd >= 0)
			close(p[i].fd);
		p[i].fd = -1;
	}
}

int zfs_child_run(struct zfs_child *c, const char *const *argv, unsigned deadline_ms, struct buf *out, struct buf *err,
	struct err *e)
{
	int64_t end_mono_ms = clock_mono_ms() + deadline_ms;
	int a[2] = {-1, -1}, b[2] = {-1, -1}, rc;
	struct pollfd p[2];
	pid_t pid;

	if (still_there(c))
		return err_set(e, "%s: an earlier one still hangs in the kernel", argv[0]);
	if (pipe2(a, O_CLOEXEC) || pipe2(b, O_CLOEXEC) || (pid = fork()) < 0) {
		err_set(e, "%s: %s", argv[0], strerror(errno));
		for (int i = 0; i < 2; i++) {
			if (a[i] >= 0)
				close(a[i]);
			if (b[i] >= 0)
				close(b[i]);
		}
		return -1;
	}
	if (pid == 0)
		become(argv, a[1], b[1]);
	close(a[1]);
	close(b[1]);
	p[0] = (struct pollfd){.fd = a[0], .events = POLLIN};
	p[1] = (struct pollfd){.fd = b[0], .events = POLLIN};
	rc = collect(p, out, err, end_mono_ms, e);
	close_all(p);
	if (rc) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
		(void)reap(c, pid, clock_mono_ms() + KILL_WAIT_MS, NULL); /* it was killed: how it ended says nothing */
		return err_wrap(e, "%s", argv[0]);
	}
	rc = reap(c, pid, end_mono_ms, e);
	return rc < 0 ? err_wrap(e, "%s", argv[0]) : rc;
}
