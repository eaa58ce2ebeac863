/* SPDX-License-Identifier: MIT */
/*
 * Loaded before a program: of its calls for memory the NO_MEMORY_AT-th fails, counted from main(), with
 * all threads; NO_MEMORY_LOG gets a line when it does, and the number of calls when the program ends in
 * order.  For no_memory.tap (LW-A4); glibc alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

static long calls, fail_at = -1;
static const char *log_name, *wants_trace;

static void say(const char *what, long n)
{
	char line[64];
	int fd = log_name ? open(log_name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
	int len = snprintf(line, sizeof line, "%s %ld\n", what, n);

	if (fd < 0)
		return;
	if (write(fd, line, (size_t)len) == len && wants_trace && n == fail_at) {
		void *frames[32];

		backtrace_symbols_fd(frames, backtrace(frames, 32), fd);
	}
	close(fd);
}

/* libconfuse reads what strdup() gave without a look (3.3): there is nothing to try. */
static int spared(void *caller)
{
	Dl_info info;

	return !getenv("NO_MEMORY_ALL") && dladdr(caller, &info) && strstr(info.dli_fname, "libconfuse");
}

static int fails(void *caller)
{
	long n = fail_at < 0 ? 0 : __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);

	if (n == 0 || n != fail_at)
		return 0;
	if (spared(caller)) {
		say("spared", n);
		return 0;
	}
	say("failed", n);
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}

char *strdup(const char *s)
{
	size_t size = strlen(s) + 1;
	char *copy = fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);

	return copy ? memcpy(copy, s, size) : NULL;
}

void *aligned_alloc(size_t align, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(align, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
	*p = fails(__builtin_return_address(0)) ? NULL : __libc_memalign(align, size);
	return *p ? 0 : ENOMEM;
}

static void at_end(void)
{
	say("calls", calls);
}

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("NO_MEMORY_AT");

	log_name = getenv("NO_MEMORY_LOG");
	wants_trace = getenv("NO_MEMORY_TRACE");
	if (wants_trace) { /* it takes memory the first time */
		void *frame;

		backtrace(&frame, 1);
	}
	atexit(at_end);
	fail_at = at ? strtol(at, NULL, 10) : 0;
}
