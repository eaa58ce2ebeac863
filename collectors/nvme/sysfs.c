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
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 32, NAMES_MAX = 4096 };

void nv_sysfs_keep(struct nv_sysfs *s)
{
	s->kept = nv_kept_new(s->root);
}

void nv_sysfs_record(struct nv_sysfs *s, json_t *record)
{
	s->record = record;
}

/* Takes over `what`; the first that was found stays. */
static void note(const struct nv_sysfs *s, const char *path, json_t *what)
{
	char key[NV_PATH_MAX + 8];

	snprintf(key, sizeof key, "sys/%s", path);
	if (!json_object_get(s->record, key))
		json_object_set_new(s->record, key, what);
	else
		json_decref(what);
}

/* What is no text is kept as it is understood. */
static void note_bytes(const struct nv_sysfs *s, const char *path, const char *bytes, size_t len)
{
	json_t *text = memchr(bytes, '\0', len) ? NULL : json_stringn(bytes, len);
	char clean[NV_TEXT_MAX];

	if (!text) {
		str_clean_bytes(clean, sizeof clean, bytes, len);
		text = json_string(clean);
	}
	note(s, path, text);
}

int nv_sysfs_open(struct nv_sysfs *s, const char *root, struct err *e)
{
	s->kept = NULL;
	s->record = NULL;
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
	nv_kept_free(s->kept);
	s->kept = NULL;
}

bool nv_path_join(char *out, size_t size, const char *dir, const char *name)
{
	size_t n = strlen(dir), more = strlen(name), slash = n > 0;

	if (n + slash + more >= size)
		return false;
	memcpy(out, dir, n);
	memcpy(out + n, "/", slash);
	memcpy(out + n + slash, name, more + 1);
	return true;
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
	if (nv_kept_is_folder(s->kept, longer))
		return str_copy(done, NV_PATH_MAX, longer);
	n = readlinkat(s->root, longer, target, sizeof target - 1);
	if (n < 0 && errno != EINVAL)
		return false;
	if (n < 0) { /* there, and no link */
		nv_kept_note_folder(s->kept, longer);
		return str_copy(done, NV_PATH_MAX, longer);
	}
	target[n] = '\0';
	if (s->record && target[0] != '/') /* sysfs has no others */
		note(s, longer, json_pack("{s:s}", "link", target));
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
	if (w.rest[0] || !str_copy(out, size, done))
		return false;
	if (s->record)
		note(s, done, json_pack("{s:b}", "folder", 1));
	return true;
}

int nv_sysfs_bytes(const struct nv_sysfs *s, const char *dir, const char *name, char *out, size_t size)
{
	char path[NV_PATH_MAX];
	ssize_t n;

	out[0] = '\0';
	if (!nv_path_join(path, sizeof path, dir, name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	n = nv_kept_read(s->kept, s->root, path, out, size);
	if (n >= 0 && s->record)
		note_bytes(s, path, out, (size_t)n);
	return (int)n;
}

bool nv_sysfs_text(const struct nv_sysfs *s, const char *dir, const char *name, char *out, size_t size)
{
	char raw[NV_TEXT_MAX / 8]; /* more than any of these texts has */
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

/* That a name is there may be all that is asked of it: links and folders in a list are found things. */
static void note_entry(const struct nv_sysfs *s, const char *dir, const char *name)
{
	char path[NV_PATH_MAX], target[NV_PATH_MAX];
	struct stat st;
	ssize_t n;

	if (!nv_path_join(path, sizeof path, dir, name) || fstatat(s->root, path, &st, AT_SYMLINK_NOFOLLOW))
		return;
	if (S_ISDIR(st.st_mode)) {
		note(s, path, json_pack("{s:b}", "folder", 1));
		return;
	}
	n = S_ISLNK(st.st_mode) ? readlinkat(s->root, path, target, sizeof target - 1) : -1;
	if (n <= 0 || target[0] == '/')
		return;
	target[n] = '\0';
	note(s, path, json_pack("{s:s}", "link", target));
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
		if (s->record)
			note_entry(s, real, entry->d_name);
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
