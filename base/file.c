/* SPDX-License-Identifier: MIT */
/* file: see file.h. */
#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_all(int fd, struct buf *out)
{
	char block[8192];
	ssize_t n;

	for (;;) {
		n = read(fd, block, sizeof block);
		if (n == 0)
			return 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (buf_add(out, block, (size_t)n)) {
			errno = (size_t)n > out->max - out->len ? EFBIG : ENOMEM;
			return -1;
		}
	}
}

int file_read(const char *path, struct buf *out, struct err *e)
{
	int fd, rc, saved;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		saved = errno;
		err_set(e, "%s: %s", path, strerror(saved));
		errno = saved;
		return -1;
	}
	rc = read_all(fd, out);
	saved = errno;
	close(fd);
	if (rc)
		err_set(e, "%s: %s", path, strerror(saved));
	errno = saved;
	return rc;
}

static int check_secret(int fd, const char *path, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_set(e, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(e, "%s: not a regular file", path);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return err_set(e, "%s: belongs to another user; make it yours or root's", path);
	if (st.st_mode & 077)
		return err_set(e, "%s: readable by others; run: chmod 600 %s", path, path);
	return 0;
}

/* Reads into a fixed place, so that no copy is left behind; the length, -1 with the reason. */
static ssize_t read_secret(int fd, const char *path, char *out, size_t size, struct err *e)
{
	size_t len = 0;

	for (;;) {
		ssize_t n = read(fd, out + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(e, "%s: %s", path, strerror(errno));
		if (n == 0)
			return (ssize_t)len;
		len += (size_t)n;
		if (len == size)
			return err_set(e, "%s: larger than any password (%zu bytes)", path, size - 1);
	}
}

/* The first line as a text of its own. */
static char *first_line(const char *path, const char *bytes, size_t len, struct err *e)
{
	size_t n = 0;

	while (n < len && bytes[n] != '\n' && bytes[n] != '\r') {
		if (bytes[n] == '\0') {
			err_set(e, "%s: there is a NUL byte in it; write the password as text", path);
			return NULL;
		}
		n++;
	}
	if (n == 0) {
		err_set(e, "%s: empty; write the password on its first line", path);
		return NULL;
	}
	return memcpy(mem_new(n + 1, 1), bytes, n);
}

char *file_secret_take(const char *path, struct err *e)
{
	char bytes[4097], *secret = NULL;
	ssize_t len;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		err_set(e, "%s: %s", path, strerror(errno));
		return NULL;
	}
	if (check_secret(fd, path, e) == 0) {
		len = read_secret(fd, path, bytes, sizeof bytes, e);
		if (len >= 0)
			secret = first_line(path, bytes, (size_t)len, e);
		explicit_bzero(bytes, sizeof bytes);
	}
	close(fd);
	return secret;
}

int file_secret_read(const char *path, struct buf *out, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int rc;

	if (fd < 0)
		return err_set(e, "%s: %s", path, strerror(errno));
	rc = check_secret(fd, path, e);
	if (rc == 0 && read_all(fd, out))
		rc = err_set(e, "%s: %s", path, strerror(errno));
	close(fd);
	return rc;
}
