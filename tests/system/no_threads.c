/* SPDX-License-Identifier: MIT */
/*
 * Loaded before a program: it can start no more than NO_THREADS_AFTER threads while the file NO_THREADS_WHILE
 * is there.  RLIMIT_NPROC does not bind root; this binds everybody.  For limits.tap (LW-A5).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_long started;

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	__typeof__(pthread_create) *real = (__typeof__(pthread_create) *)dlsym(RTLD_NEXT, "pthread_create");
	const char *after = getenv("NO_THREADS_AFTER"), *file = getenv("NO_THREADS_WHILE");

	if (after && file && access(file, F_OK) == 0 && started >= strtol(after, NULL, 10))
		return EAGAIN;
	started++;
	return real(thread, attr, run, arg);
}
