/* SPDX-License-Identifier: MIT */
/* alias: see alias.h.  Runs in the thread of a round. */
#include "collectors/nvme/alias.h"
#include "base/jtext.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/nvme/kept.h"
#include "collectors/replay/recorded.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALIASES_MAX = 20000 };

/* nvme0n1, and neither nvme0 nor a partition. */
static bool is_namespace(const char *name)
{
	size_t n;

	if (!str_starts(name, "nvme"))
		return false;
	name += 4;
	n = strspn(name, "0123456789");
	return n && name[n] == 'n' && name[n + 1] && !name[n + 1 + strspn(name + n + 1, "0123456789")];
}

/* What does not fit is left out whole: the longest form only repeats serial and model in hexadecimal. */
static void add(struct nv_aliases *a, const char *name, const char *target)
{
	const char *slash = strrchr(target, '/');
	struct nv_alias one;

	str_clean(one.name, sizeof one.name, name);
	if (!is_namespace(slash ? slash + 1 : target) || a->n == ALIASES_MAX || !str_same(one.name, name) ||
		!str_copy(one.device, sizeof one.device, slash ? slash + 1 : target))
		return;
	a->items = mem_grow(a->items, a->n, sizeof *a->items);
	a->items[a->n++] = one;
}

static int compare(const void *x, const void *y)
{
	const struct nv_alias *a = x, *b = y;
	int order = str_natural(a->name, b->name);

	return order ? order : strcmp(a->name, b->name);
}

static void sort(struct nv_aliases *a)
{
	if (a->n)
		qsort(a->items, a->n, sizeof *a->items, compare);
}

void nv_aliases_refresh(struct nv_aliases *a, const char *folder)
{
	uint64_t mark = nv_kept_mark(AT_FDCWD, folder, "");
	char target[256];
	struct dirent *entry;
	DIR *d;

	if (mark == a->mark)
		return;
	nv_aliases_release(a);
	a->mark = mark;
	d = opendir(folder);
	while (d && (entry = readdir(d))) {
		ssize_t n = readlinkat(dirfd(d), entry->d_name, target, sizeof target - 1);

		if (n <= 0)
			continue;
		target[n] = '\0';
		add(a, entry->d_name, target);
	}
	if (d)
		closedir(d);
	sort(a);
}

void nv_aliases_of_recording(const char *folder, struct nv_aliases *out, struct target *t)
{
	char path[4096];
	struct err e = {""};
	const char *name;
	json_t *map, *j;

	*out = (struct nv_aliases){0};
	if (snprintf(path, sizeof path, "%s/by-id.json", folder) >= (int)sizeof path || access(path, F_OK))
		return;
	map = recorded_json(folder, "by-id.json", &e);
	if (!json_is_object(map))
		target_add_error(t, "by-id.json", "", map ? "it is no object of names" : e.text);
	json_object_foreach(map, name, j)
		if (jtext_string(j))
			add(out, name, jtext_string(j));
	json_decref(map);
	sort(out);
}

static void fill(const struct nv_aliases *a, struct drive *d)
{
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < d->n_namespaces; k++)
			if (d->n_names < DRIVE_NAMES_MAX && str_same(a->items[i].device, d->namespaces[k]))
				str_copy(d->names[d->n_names++], sizeof d->names[0], a->items[i].name);
}

void nv_aliases_fill(const struct nv_aliases *a, struct snapshot *s)
{
	for (size_t i = 0; i < s->n_bays; i++)
		if (s->bays[i].has_drive)
			fill(a, &s->bays[i].drive);
}

json_t *nv_aliases_map(const struct nv_aliases *a)
{
	json_t *map = json_object();

	for (size_t i = 0; i < a->n; i++)
		json_object_set_new(map, a->items[i].name, json_string(a->items[i].device));
	return map;
}

void nv_aliases_release(struct nv_aliases *a)
{
	free(a->items);
	*a = (struct nv_aliases){0};
}
