/* SPDX-License-Identifier: MIT */
/* kept: see kept.h. */
#include "collectors/nvme/kept.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES_MAX = 4096, FOLDERS_MAX = 4096, TEXT_MAX = 64 };

/* Attributes that change while their device stays; all others are as old as the last full scan. */
static const char *const watched_names[] = {"state", "current_link_speed", "current_link_width", "power_state",
	"runtime_status"};

/* Listings that change when something comes or goes; of the last one only what is ours. */
static const struct listing {
	const char *path, *prefix;
} listings[] = {{"class/nvme", ""}, {"bus/pci/devices", ""}, {"class/block", "nvme"}};

enum { LISTINGS = sizeof listings / sizeof listings[0] };

/* How an attribute read: the beginning of its text, or why there was none. */
struct reading {
	ssize_t n;
	int error;
	char text[TEXT_MAX];
};

/* An attribute, or a folder (fd -1). */
struct item {
	UT_hash_handle hh;
	int fd;	   /* -1: opened each time */
	bool used; /* since the last full scan began */
	struct reading last; /* of watched ones */
	char path[];
};

struct nv_kept {
	int root;
	size_t files_max, n_files;
	struct item *watched, *files, *folders;
	uint64_t listed[LISTINGS]; /* when the last full scan began */
	bool scanned, unsteady;	   /* unsteady: something changed during the last full scan */
};

/* ---- items ---- */

static struct item *find(struct item *table, const char *path)
{
	struct item *i;

	HASH_FIND_STR(table, path, i);
	if (i)
		i->used = true;
	return i;
}

static struct item *add(struct item **table, const char *path, int fd)
{
	size_t len = strlen(path) + 1;
	struct item *i = mem_new(1, sizeof *i + len);

	i->fd = fd;
	i->used = true;
	memcpy(i->path, path, len);
	HASH_ADD_STR(*table, path, i);
	return i;
}

static void close_item(struct nv_kept *k, struct item *i)
{
	if (i->fd < 0)
		return;
	close(i->fd);
	i->fd = -1;
	k->n_files--;
}

/* Drops what was not used since the last call; all of it with `all`. */
static void drop_unused(struct nv_kept *k, struct item **table, bool all)
{
	struct item *i, *next;

	HASH_ITER(hh, *table, i, next) {
		if (!all && i->used) {
			i->used = false;
			continue;
		}
		HASH_DEL(*table, i);
		close_item(k, i);
		free(i);
	}
}

static void drop_all(struct nv_kept *k, bool all)
{
	drop_unused(k, &k->watched, all);
	drop_unused(k, &k->files, all);
	drop_unused(k, &k->folders, all);
}

static size_t descriptors_max(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return 0;
	if (l.rlim_cur < 2 * FILES_MAX && l.rlim_cur < l.rlim_max) {
		struct rlimit more = {.rlim_cur = l.rlim_max < 2 * FILES_MAX ? l.rlim_max : 2 * FILES_MAX, .rlim_max = l.rlim_max};

		if (setrlimit(RLIMIT_NOFILE, &more) == 0)
			l = more;
	}
	return l.rlim_cur / 2 < FILES_MAX ? (size_t)(l.rlim_cur / 2) : FILES_MAX;
}

struct nv_kept *nv_kept_new(int root)
{
	struct nv_kept *k = mem_new(1, sizeof *k);

	k->root = root;
	k->files_max = descriptors_max();
	return k;
}

void nv_kept_free(struct nv_kept *k)
{
	if (!k)
		return;
	drop_all(k, true);
	free(k);
}

bool nv_kept_is_folder(struct nv_kept *k, const char *path)
{
	return k && find(k->folders, path);
}

void nv_kept_note_folder(struct nv_kept *k, const char *path)
{
	if (k && HASH_COUNT(k->folders) < FOLDERS_MAX)
		add(&k->folders, path, -1);
}

/* ---- reading ---- */

/* sysfs gives a whole attribute with one read, and a file of a recording is no longer. */
static ssize_t read_start(int fd, char *out, size_t size)
{
	ssize_t n;

	do
		n = pread(fd, out, size - 1, 0);
	while (n < 0 && errno == EINTR);
	out[n > 0 ? n : 0] = '\0';
	return n;
}

/* Opens and reads; the descriptor stays with the caller where it asks for it (-1: nothing to keep). */
static ssize_t open_and_read(int root, const char *path, char *out, size_t size, int *keep)
{
	int fd = openat(root, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY), saved;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read_start(fd, out, size);
	saved = errno;
	if (n >= 0 && keep)
		*keep = fd;
	else
		close(fd);
	errno = saved;
	return n;
}

static bool is_watched(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof watched_names / sizeof watched_names[0]; i++)
		if (str_same(name, watched_names[i]))
			return true;
	return false;
}

/* A quarter of the descriptors is for watched attributes alone. */
static bool may_keep(const struct nv_kept *k, bool watched)
{
	return k->n_files < (watched ? k->files_max : k->files_max - k->files_max / 4);
}

/* Reads an item that is there already; from its descriptor if that still has a device. */
static ssize_t read_item(struct nv_kept *k, struct item *i, bool watched, char *out, size_t size)
{
	ssize_t n = i->fd >= 0 ? read_start(i->fd, out, size) : -1;

	if (n >= 0)
		return n;
	close_item(k, i);
	n = open_and_read(k->root, i->path, out, size, may_keep(k, watched) ? &i->fd : NULL);
	k->n_files += i->fd >= 0;
	return n;
}

static struct reading reading_of(ssize_t n, const char *text)
{
	struct reading r = {.n = n < TEXT_MAX ? n : TEXT_MAX, .error = n < 0 ? errno : 0};

	if (r.n > 0)
		memcpy(r.text, text, (size_t)r.n);
	return r;
}

static bool reads_alike(const struct reading *a, const struct reading *b)
{
	return a->n == b->n && a->error == b->error && memcmp(a->text, b->text, sizeof a->text) == 0;
}

/* What is read twice in one scan (a port above two drives) may have changed in between: then the scan is not to be built on. */
static void watch(struct nv_kept *k, struct item *i, bool again, ssize_t n, const char *text)
{
	struct reading now = reading_of(n, text);

	if (again && !reads_alike(&i->last, &now))
		k->unsteady = true;
	i->last = now;
}

ssize_t nv_kept_read(struct nv_kept *k, int root, const char *path, char *out, size_t size)
{
	bool watched = k && is_watched(path), again;
	struct item **table, *i;
	int fd = -1, saved;
	ssize_t n;

	out[0] = '\0';
	if (!k)
		return open_and_read(root, path, out, size, NULL);
	table = watched ? &k->watched : &k->files;
	HASH_FIND_STR(*table, path, i);
	again = i && i->used;
	if (i) {
		i->used = true;
		n = read_item(k, i, watched, out, size);
	} else {
		n = open_and_read(root, path, out, size, may_keep(k, watched) ? &fd : NULL);
		/* what is not there comes with a device or not at all */
		if (fd >= 0 || (watched && (n >= 0 || errno != ENOENT))) {
			saved = errno;
			i = add(table, path, fd);
			k->n_files += fd >= 0;
			errno = saved;
		}
	}
	saved = errno;
	if (i && watched)
		watch(k, i, again, n, out);
	errno = saved;
	return n;
}

/* ---- what changed ---- */

/* FNV-1a over a name and its inode: a device that took another's name has a node of its own. */
static uint64_t mark_of(const struct dirent *entry)
{
	uint64_t h = UINT64_C(14695981039346656037) ^ (uint64_t)entry->d_ino;

	h *= UINT64_C(1099511628211);
	for (const char *c = entry->d_name; *c; c++)
		h = (h ^ (unsigned char)*c) * UINT64_C(1099511628211);
	return h;
}

/* The sum of the marks, since their order is nobody's. */
uint64_t nv_kept_mark(int root, const char *folder, const char *prefix)
{
	int fd = openat(root, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	uint64_t mark = 1;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.' && str_starts(entry->d_name, prefix))
			mark += mark_of(entry);
	closedir(dir);
	return mark;
}

/* True if what is listed is what was; takes down what is. */
static bool same_listed(struct nv_kept *k)
{
	bool same = true;

	for (int i = 0; i < LISTINGS; i++) {
		uint64_t now = nv_kept_mark(k->root, listings[i].path, listings[i].prefix);

		same &= now == k->listed[i];
		k->listed[i] = now;
	}
	return same;
}

void nv_kept_next_scan(struct nv_kept *k)
{
	bool same = same_listed(k);

	drop_all(k, !same);
	k->scanned = true;
	k->unsteady = false;
}

/* A descriptor that fails has lost its device, whatever stands at its path now. */
static bool reads_as_before(struct nv_kept *k, struct item *i)
{
	char text[TEXT_MAX + 1];
	ssize_t n = i->fd >= 0 ? read_start(i->fd, text, sizeof text) : open_and_read(k->root, i->path, text, sizeof text, NULL);
	struct reading now = reading_of(n, text);

	return (n >= 0 || i->fd < 0) && reads_alike(&i->last, &now);
}

bool nv_kept_unchanged(struct nv_kept *k)
{
	struct item *i, *next;

	if (!k->scanned || k->unsteady)
		return false;
	for (int l = 0; l < LISTINGS; l++)
		if (nv_kept_mark(k->root, listings[l].path, listings[l].prefix) != k->listed[l])
			return false;
	HASH_ITER(hh, k->watched, i, next)
		if (!reads_as_before(k, i))
			return false;
	return true;
}
