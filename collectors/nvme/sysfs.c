/* SPDX-License-Identifier: MIT */
/* sysfs: see sysfs.h. */
#include "collectors/nvme/sysfs.h"
#include "base/mem.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINKS_MAX = 32, NAMES_MAX = 4096 };

int nv_sysfs_open(struct nv_sysfs *s, const char *root, struct err *e)
{
	s->root = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->root < 0)
		return err_set(e, "%s: %s", root, strerror(errno));
	return 0;
}

void nv_sysfs_close(struct nv_sysfs *s)
{
	if (s->root >= 0)
		close(s->root);
	s->root = -1;
}

bool nv_path_join(char *out, size_t size, const char *dir, const char *name)
{
	int n = snprintf(out, size, "%s%s%s", dir, dir[0] ? "/" : "", name);

	return n >= 0 && (size_t)n < size;
}

bool nv_path_up(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

const char *nv_path_last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What is left of a way: parts are taken off its front. */
struct way {
	char text[NV_PATH_MAX];
	const char *rest;
};

/* Puts a link's target before what is left of the way. */
static bool way_follow(struct way *w, const char *target)
{
	char whole[NV_PATH_MAX];

	if (!nv_path_join(whole, sizeof whole, target, w->rest))
		return false;
	str_copy(w->text, sizeof w->text, whole);
	w->rest = w->text;
	return true;
}

/* Takes the first part off; false if nothing is left, or it is too long to be a name. */
static bool way_next(struct way *w, char *part, size_t size)
{
	size_t len;

	w->rest += strspn(w->rest, "/");
	len = strcspn(w->rest, "/");
	if (len == 0 || len >= size)
		return false;
	memcpy(part, w->rest, len);
	part[len] = '\0';
	w->rest += len;
	return true;
}

/* One part further: a name, or a link's target in its place. False if it is not there. */
static bool way_step(const struct nv_sysfs *s, struct way *w, char *done, const char *part, int *links)
{
	char longer[NV_PATH_MAX], target[NV_PATH_MAX];
	ssize_t n;

	if (!nv_path_join(longer, sizeof longer, done, part))
		return false;
	n = readlinkat(s->root, longer, target, sizeof target - 1);
	if (n < 0 && errno != EINVAL)
		return false;
	if (n < 0) /* there, and no link */
		return str_copy(done, NV_PATH_MAX, longer);
	target[n] = '\0';
	if (target[0] == '/')
		done[0] = '\0'; /* the root of an absolute link is ours */
	return ++*links <= LINKS_MAX && way_follow(w, target);
}

bool nv_sysfs_resolve(const struct nv_sysfs *s, const char *path, char *out, size_t size)
{
	char done[NV_PATH_MAX] = "", part[256];
	struct way w;
	int links = 0;

	w.rest = w.text;
	if (!str_copy(w.text, sizeof w.text, path))
		return false;
	while (way_next(&w, part, sizeof part)) {
		if (str_same(part, "."))
			continue;
		if (!str_same(part, "..")) {
			if (!way_step(s, &w, done, part, &links))
				return false;
		} else if (!nv_path_up(done)) {
			done[0] = '\0'; /* ".." at the root stays there */
		}
	}
	return w.rest[0] == '\0' && str_copy(out, size, done);
}

int nv_sysfs_bytes(const struct nv_sysfs *s, const char *dir, const char *name, char *out, size_t size)
{
	char path[NV_PATH_MAX];
	size_t len = 0;
	ssize_t n = 1;
	int fd, saved;

	out[0] = '\0';
	if (!nv_path_join(path, sizeof path, dir, name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = openat(s->root, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	/* sysfs gives a whole attribute with the first read; a second one only where it may go on */
	while (len < size - 1) {
		n = read(fd, out + len, size - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	saved = errno;
	close(fd);
	out[len] = '\0';
	errno = saved;
	return n < 0 ? -1 : (int)len;
}

bool nv_sysfs_text(const struct nv_sysfs *s, const char *dir, const char *name, char *out, size_t size)
{
	char raw[NV_TEXT_MAX];
	int n = nv_sysfs_bytes(s, dir, name, raw, sizeof raw);

	out[0] = '\0';
	if (n <= 0)
		return false;
	str_clean_bytes(out, size, raw, (size_t)n);
	return out[0] != '\0';
}

bool nv_sysfs_int(const struct nv_sysfs *s, const char *dir, const char *name, int64_t *out)
{
	char text[64];

	return nv_sysfs_text(s, dir, name, text, sizeof text) &&
	       str_to_int(text, INT64_MIN, INT64_MAX, out);
}

static int by_nature(const void *a, const void *b)
{
	return str_natural(a, b);
}

void nv_sysfs_list(const struct nv_sysfs *s, const char *path, struct nv_names *out)
{
	char real[NV_PATH_MAX];
	struct dirent *entry;
	DIR *dir;
	int fd;

	*out = (struct nv_names){0};
	if (!nv_sysfs_resolve(s, path, real, sizeof real))
		return;
	fd = openat(s->root, real[0] ? real : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while (out->n < NAMES_MAX && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= sizeof out->names[0])
			continue;
		out->names = mem_grow(out->names, out->n, sizeof out->names[0]);
		str_copy(out->names[out->n++], sizeof out->names[0], entry->d_name);
	}
	closedir(dir);
	if (out->n)
		qsort(out->names, out->n, sizeof out->names[0], by_nature);
}

void nv_names_release(struct nv_names *n)
{
	free(n->names);
	*n = (struct nv_names){0};
}
