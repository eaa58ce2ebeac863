/* SPDX-License-Identifier: MIT */
/* names: see names.h.  Runs in the thread of a round. */
#include "collectors/zfs/names.h"
#include "base/jtext.h"
#include "base/str.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINKS_MAX = 20000, LAYERS_MAX = 8 };

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- making a map ---- */

static void add_name(json_t *map, const char *name, const char *kernel_name)
{
	if (json_object_size(map) < LINKS_MAX && !json_object_get(map, name))
		json_object_set_new(map, name, json_string(kernel_name));
}

static void add_folder(json_t *map, const char *dev, const char *folder)
{
	char path[512], target[512], key[512];
	struct dirent *entry;
	DIR *d;

	snprintf(path, sizeof path, "%s/%s", dev, folder);
	d = opendir(path);
	while (d && (entry = readdir(d))) {
		ssize_t n;

		if (snprintf(path, sizeof path, "%s/%s/%s", dev, folder, entry->d_name) >= (int)sizeof path)
			continue;
		n = readlink(path, target, sizeof target - 1);
		if (n <= 0)
			continue;
		target[n] = '\0';
		snprintf(key, sizeof key, "%s/%s", folder, entry->d_name);
		add_name(map, key, last_part(target));
		add_name(map, entry->d_name, last_part(target));
	}
	if (d)
		closedir(d);
}

json_t *zfs_names_of_host(const char *dev)
{
	static const char *const folders[] = {"disk/by-vdev", "mapper", "disk/by-partlabel", "disk/by-partuuid",
		"disk/by-label", "disk/by-uuid", "disk/by-id", "disk/by-path"};
	json_t *map = json_object();

	for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
		add_folder(map, dev, folders[i]);
	return map;
}

void zfs_names_add_sysfs(json_t *map, const struct nv_sysfs *s)
{
	struct nv_names blocks;
	char path[NV_PATH_MAX], dir[NV_PATH_MAX], text[160], name[192];

	nv_sysfs_list(s, "block", &blocks);
	for (size_t i = 0; i < blocks.n; i++) {
		if (!nv_path_join(path, sizeof path, "block", blocks.names[i]) ||
			!nv_sysfs_resolve(s, path, dir, sizeof dir))
			continue;
		if (nv_sysfs_text(s, dir, "wwid", text, sizeof text)) {
			snprintf(name, sizeof name, "nvme-%s", text);
			add_name(map, name, blocks.names[i]);
		}
		if (nv_path_join(path, sizeof path, dir, "dm") && nv_sysfs_text(s, path, "name", text, sizeof text))
			add_name(map, text, blocks.names[i]);
	}
	nv_names_release(&blocks);
}

/* ---- looking up ---- */

/* A key as it stands, and with its partition cut off; the map's keys may have either. */
static const char *find(const json_t *map, const char *key)
{
	char cut[192];
	const char *found = jtext_string(json_object_get(map, key));

	if (found || !str_copy(cut, sizeof cut, key))
		return found;
	pool_cut_partition(cut);
	return jtext_string(json_object_get(map, cut));
}

/* With the path that zpool prints and with less and less of it. */
static const char *find_any(const json_t *map, const char *name)
{
	static const char *const roots[] = {"", "/dev/", "/dev/disk/"};
	const char *found = NULL;

	for (size_t i = 0; i < sizeof roots / sizeof roots[0] && !found && *name; i++)
		if (str_starts(name, roots[i]))
			found = find(map, name + strlen(roots[i]));
	return found || !*name || (name[0] == '/' && !str_starts(name, "/dev/")) ? found : find(map, last_part(name));
}

/* The one device below a dm or md device; false if there is none or more than one disk. */
static bool one_below(const struct nv_sysfs *s, const char *name, char *out, size_t size)
{
	char path[NV_PATH_MAX], disk[32];
	struct nv_names slaves;
	bool one = false;

	snprintf(path, sizeof path, "block/%s/slaves", name);
	nv_sysfs_list(s, path, &slaves);
	for (size_t i = 0; i < slaves.n; i++) {
		if (!pool_device_of(slaves.names[i], disk, sizeof disk))
			str_copy(disk, sizeof disk, slaves.names[i]);
		if (i > 0 && !str_same(disk, out)) {
			one = false;
			break;
		}
		one = str_copy(out, size, disk);
	}
	nv_names_release(&slaves);
	return one;
}

/* "../../nvme0n1p1", "dm-3", "nvme0": the whole disk, or the controller, below. */
static bool disk_of(const char *found, const struct nv_sysfs *s, char *out, size_t size)
{
	char name[64], below[64];

	if (!str_copy(name, sizeof name, last_part(found)))
		return false;
	for (int i = 0; i < LAYERS_MAX; i++) {
		if (pool_device_of(name, out, size))
			return true;
		if (str_starts(name, "nvme"))
			return str_copy(out, size, name);
		if (!s || strchr(name, '/') || !one_below(s, name, below, sizeof below))
			return false;
		str_copy(name, sizeof name, below);
	}
	return false;
}

static void look_up(struct pool_node *n, const json_t *map, const struct nv_sysfs *s)
{
	const char *names[] = {n->path[0] ? n->path : n->name, n->devid, n->phys_path};
	char disk[sizeof n->device];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *found = find_any(map, names[i]);

		if (!found || !disk_of(found, s, disk, sizeof disk))
			continue;
		if (n->device[0] && !str_same(n->device, disk)) { /* two answers: none */
			str_copy(n->device, sizeof n->device, "?");
			return;
		}
		str_copy(n->device, sizeof n->device, disk);
	}
}

void zfs_names_look_up(struct pool *p, const json_t *map, const struct nv_sysfs *s)
{
	for (size_t i = 0; i < p->n_nodes; i++)
		if (p->nodes[i].kind == NODE_LEAF)
			look_up(&p->nodes[i], map, s);
}
