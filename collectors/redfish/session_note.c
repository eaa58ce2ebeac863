/* SPDX-License-Identifier: MIT */
/* session_note: see session_note.h. */
#include "collectors/redfish/session_note.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* FNV-1a: a name that is the same in each run, not a secret */
static uint64_t hash(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return (h ^ 0xff) * 0x100000001b3u;
}

static uint64_t hash_of(const char *base, const char *user)
{
	return hash(hash(0xcbf29ce484222325u, base), user);
}

static void note_path(const char *dir, const char *base, const char *user, char *out, size_t size)
{
	snprintf(out, size, "%s/session-%016llx-%ld", dir, (unsigned long long)hash_of(base, user), (long)getpid());
}

void session_note_write(const char *dir, const char *base, const char *user, const char *location)
{
	char path[512];
	int fd;

	if (!dir || !location[0])
		return;
	note_path(dir, base, user, path, sizeof path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	if (write(fd, location, strlen(location)) != (ssize_t)strlen(location))
		unlink(path);
	close(fd);
}

void session_note_remove(const char *dir, const char *base, const char *user)
{
	char path[512];

	if (!dir)
		return;
	note_path(dir, base, user, path, sizeof path);
	unlink(path);
}

/* The process of a note of this BMC and user; 0 if the name is another's. */
static long note_pid(const char *name, uint64_t wanted)
{
	char prefix[40];
	int64_t pid;

	snprintf(prefix, sizeof prefix, "session-%016llx-", (unsigned long long)wanted);
	if (!str_starts(name, prefix) || !str_to_int(name + strlen(prefix), 1, INT32_MAX, &pid))
		return 0;
	return (long)pid;
}

void session_note_each_left(const char *dir, const char *base, const char *user,
	void (*fn)(void *arg, const char *note, const char *location), void *arg)
{
	DIR *d = dir ? opendir(dir) : NULL;
	struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d))) {
		long pid = note_pid(e->d_name, hash_of(base, user));
		char path[512];
		struct buf b;

		if (!pid || pid == (long)getpid() || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		buf_init(&b, 2048);
		if (file_read(path, &b, NULL) == 0 && b.len)
			fn(arg, path, buf_text(&b));
		else
			unlink(path);
		buf_release(&b);
	}
	closedir(d);
}
