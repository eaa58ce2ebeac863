/* SPDX-License-Identifier: MIT */
/* sysfs_tree: see sysfs_tree.h.  Whatever fails here ends the test program. */
#include "tests/unit/sysfs_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	abort();
}

struct tree tree_make(void)
{
	struct tree t = {.dir = "/tmp/lw-tree-XXXXXX"};

	if (access("/dev/shm", W_OK) == 0)
		snprintf(t.dir, sizeof t.dir, "/dev/shm/lw-tree-XXXXXX"); /* small files by the thousand */
	if (!mkdtemp(t.dir))
		die("mkdtemp");
	snprintf(t.sys, sizeof t.sys, "%s/sys", t.dir);
	tree_folder(&t, "sys/class/nvme");
	tree_folder(&t, "sys/bus/pci/slots");
	return t;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

void tree_remove(struct tree *t)
{
	nftw(t->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void tree_remove_path(const struct tree *t, const char *path)
{
	char whole[1024];

	snprintf(whole, sizeof whole, "%s/%s", t->dir, path);
	if (nftw(whole, remove_one, 16, FTW_DEPTH | FTW_PHYS))
		die(whole);
}

void tree_rename(const struct tree *t, const char *path, const char *to)
{
	char from[1024], whole[1024];

	snprintf(from, sizeof from, "%s/%s", t->dir, path);
	snprintf(whole, sizeof whole, "%s/%s", t->dir, to);
	if (rename(from, whole))
		die(whole);
}

/* Makes the folders above a path; gives the whole path. */
static void place(const struct tree *t, const char *path, char *out, size_t size)
{
	int n = snprintf(out, size, "%s/%s", t->dir, path);

	if (n < 0 || (size_t)n >= size)
		die("path too long");
	for (char *p = out + strlen(t->dir) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		if (mkdir(out, 0755) && errno != EEXIST)
			die(out);
		*p = '/';
	}
}

void tree_bytes(const struct tree *t, const char *path, const void *bytes, size_t len)
{
	char whole[1024];
	FILE *f;

	place(t, path, whole, sizeof whole);
	f = fopen(whole, "wb");
	if (!f || fwrite(bytes, 1, len, f) != len || fclose(f))
		die(whole);
}

void tree_file(const struct tree *t, const char *path, const char *text)
{
	char line[4096];

	snprintf(line, sizeof line, "%s\n", text);
	tree_bytes(t, path, line, strlen(line));
}

void tree_link(const struct tree *t, const char *path, const char *target)
{
	char whole[1024];

	place(t, path, whole, sizeof whole);
	unlink(whole);
	if (symlink(target, whole))
		die(whole);
}

void tree_folder(const struct tree *t, const char *path)
{
	char inside[1024], whole[1024];

	snprintf(inside, sizeof inside, "%s/.", path);
	place(t, inside, whole, sizeof whole);
}

static void attribute(const struct tree *t, const char *dir, const char *name, const char *value)
{
	char path[1024];

	if (!value)
		return;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	tree_file(t, path, value);
}

/* A link whose target is given from /sys: as many ".." as the place is deep. */
static void link_from(const struct tree *t, const char *where, const char *target)
{
	char path[1024], up[1024];
	size_t n = 0;

	for (const char *p = where; (p = strchr(p, '/')) != NULL && n + 4 < sizeof up; p++, n += 3)
		memcpy(up + n, "../", 3);
	snprintf(up + n, sizeof up - n, "%s", target);
	snprintf(path, sizeof path, "sys/%s", where);
	tree_link(t, path, up);
}

static void add_links(const struct tree *t, const char *dir, const char *speed, const char *width,
	const char *max_speed, const char *max_width)
{
	attribute(t, dir, "current_link_speed", speed);
	attribute(t, dir, "current_link_width", width);
	attribute(t, dir, "max_link_speed", max_speed);
	attribute(t, dir, "max_link_width", max_width);
}

static void add_subsystem(const struct tree *t, const struct tree_drive *d, const char *controller)
{
	char where[512], target[512];

	snprintf(target, sizeof target, "devices/virtual/nvme-subsystem/%s", d->subsystem);
	snprintf(where, sizeof where, "sys/%s", target);
	tree_folder(t, where);
	snprintf(where, sizeof where, "class/nvme-subsystem/%s", d->subsystem);
	link_from(t, where, target);
	snprintf(where, sizeof where, "%s/%s", target, d->name);
	link_from(t, where, controller);
}

void tree_add_drive(const struct tree *t, const struct tree_drive *d)
{
	char port[512], device[640], controller[768], path[1024], link[1024];

	snprintf(port, sizeof port, "sys/%s/%s", d->parent ? d->parent : "devices/pci0000:40", d->port);
	snprintf(device, sizeof device, "%s/%s", port, d->address);
	snprintf(controller, sizeof controller, "%s/nvme/%s", device, d->name);
	tree_folder(t, device);
	attribute(t, port, "class", "0x060400");
	attribute(t, device, "class", "0x010802");
	add_links(t, port, d->port_speed, d->port_width, d->port_max_speed, d->port_max_width);
	add_links(t, device, d->speed, d->width, d->max_speed, d->max_width);
	tree_folder(t, controller);
	attribute(t, controller, "serial", d->serial);
	attribute(t, controller, "model", d->model);
	attribute(t, controller, "firmware_rev", "1.0.0");
	attribute(t, controller, "state", d->state);
	attribute(t, controller, "transport", d->transport);
	attribute(t, controller, "address", d->address);
	snprintf(path, sizeof path, "%s/device", controller);
	tree_link(t, path, "../..");
	snprintf(link, sizeof link, "class/nvme/%s", d->name);
	link_from(t, link, controller + strlen("sys/"));
	snprintf(link, sizeof link, "bus/pci/devices/%s", d->address);
	link_from(t, link, device + strlen("sys/"));
	if (d->subsystem)
		add_subsystem(t, d, controller + strlen("sys/"));
	if (d->namespace) {
		if (d->subsystem)
			snprintf(path, sizeof path, "sys/devices/virtual/nvme-subsystem/%s/%s/size", d->subsystem,
				d->namespace);
		else
			snprintf(path, sizeof path, "%s/%s/size", controller, d->namespace);
		tree_file(t, path, "7501476528");
	}
	if (d->slot) {
		snprintf(path, sizeof path, "sys/bus/pci/slots/%s/address", d->slot);
		snprintf(link, sizeof link, "%.*s", (int)strlen(d->address) - 2, d->address);
		tree_file(t, path, link);
	}
}
