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
			errno = EFBIG;
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

char *file_secret_take(const char *path, struct err *e)
{
	struct buf b;
	char *secret = NULL, *end;
	int fd;

	buf_init(&b, 4096);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		err_set(e, "%s: %s", path, strerror(errno));
		return NULL;
	}
	if (check_secret(fd, path, e))
		goto out;
	if (read_all(fd, &b)) {
		err_set(e, "%s: %s", path, strerror(errno));
		goto out;
	}
	secret = mem_text(buf_text(&b));
	end = strpbrk(secret, "\r\n");
	if (end)
		explicit_bzero(end, strlen(end));
	if (!secret[0]) {
		err_set(e, "%s: empty; write the password on its first line", path);
		mem_wipe_free(secret);
		secret = NULL;
	}
out:
	if (b.data)
		explicit_bzero(b.data, b.len);
	buf_release(&b);
	close(fd);
	return secret;
}
