/* SPDX-License-Identifier: MIT */
/* recording: see recording.h.  Runs in the thread of a round. */
#include "collectors/zfs/recording.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/str.h"
#include "collectors/replay/recorded.h"
#include "collectors/zfs/names.h"
#include "collectors/zfs/zpool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 4 << 20 };

static bool has(const char *dir, const char *name)
{
	char path[4096];

	return snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path && access(path, F_OK) == 0;
}

/* Reads DIR/zpool/NAME; false, said in the target, if it is there and cannot be read. */
static bool read_text(const char *dir, const char *name, struct buf *out, struct target *t)
{
	char path[4096];
	struct err e = {""};

	buf_init(out, TEXT_MAX);
	if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
		return false;
	if (file_read(path, out, &e) == 0)
		return true;
	target_add_error(t, name, "", e.text);
	return false;
}

static bool read_status(const char *dir, struct zpool_pools *pools, struct target *t)
{
	const char *name = has(dir, "zpool/status.json") ? "zpool/status.json" : "zpool/status.txt";
	struct err e = {""};
	struct buf text;
	bool done = false;

	if (read_text(dir, name, &text, t)) {
		done = zpool_read_status(buf_text(&text), text.len, pools, &e) == 0;
		if (!done)
			target_add_error(t, name, "", e.text);
	}
	buf_release(&text);
	return done;
}

static void read_rows(const char *dir, const char *name, struct zpool_pools *pools, struct target *t,
	void (*take)(struct zpool_pools *ps, const struct zpool_rows *r))
{
	struct zpool_rows rows;
	struct err e = {""};
	struct buf text;

	if (!has(dir, name))
		return;
	if (read_text(dir, name, &text, t)) {
		if (zpool_read_rows(buf_text(&text), text.len, &rows, &e) == 0) {
			take(pools, &rows);
			zpool_rows_release(&rows);
		} else {
			target_add_error(t, name, "", e.text);
		}
	}
	buf_release(&text);
}

/* Sizes of `zpool list -j`. */
static void read_list_json(const char *dir, struct zpool_pools *pools, struct target *t)
{
	struct zpool_pools listed;
	struct err e = {""};
	struct buf text;

	if (!has(dir, "zpool/list.json"))
		return;
	if (read_text(dir, "zpool/list.json", &text, t) && zpool_read_json(buf_text(&text), text.len, &listed, &e) == 0) {
		for (size_t i = 0; i < listed.n; i++)
			for (size_t k = 0; k < pools->n; k++)
				if (str_same(listed.pools[i].name, pools->pools[k].name)) {
					pools->pools[k].size_bytes = listed.pools[i].size_bytes;
					pools->pools[k].alloc_bytes = listed.pools[i].alloc_bytes;
					pools->pools[k].free_bytes = listed.pools[i].free_bytes;
				}
		zpool_pools_release(&listed);
	} else if (e.text[0]) {
		target_add_error(t, "zpool/list.json", "", e.text);
	}
	buf_release(&text);
}

static void look_up(const char *dir, struct zpool_pools *pools, struct target *t)
{
	struct nv_sysfs sys = {.root = -1};
	struct err e = {""};
	char path[4096];
	json_t *map = NULL;

	if (has(dir, "by-id.json")) {
		map = recorded_json(dir, "by-id.json", &e);
		if (!map)
			target_add_error(t, "by-id.json", "", e.text);
	}
	if (!json_is_object(map)) {
		json_decref(map);
		map = json_object();
	}
	if (has(dir, "sys") && snprintf(path, sizeof path, "%s/sys", dir) < (int)sizeof path &&
		nv_sysfs_open(&sys, path, NULL) == 0)
		zfs_names_add_sysfs(map, &sys);
	for (size_t i = 0; i < pools->n; i++)
		zfs_names_look_up(&pools->pools[i], map, sys.root >= 0 ? &sys : NULL);
	nv_sysfs_close(&sys);
	json_decref(map);
}

bool zfs_recording_read(const char *dir, struct snapshot *s)
{
	struct zpool_pools pools = {0};
	struct target *t = &s->target;

	if (!has(dir, "zpool/status.json") && !has(dir, "zpool/status.txt"))
		return false;
	if (!read_status(dir, &pools, t))
		return true;
	read_rows(dir, "zpool/list.txt", &pools, t, zpool_take_list);
	read_list_json(dir, &pools, t);
	read_rows(dir, "zpool/iostat.txt", &pools, t, zpool_take_iostat);
	look_up(dir, &pools, t);
	for (size_t i = 0; i < pools.n; i++)
		snapshot_take_pool(s, &pools.pools[i]);
	zpool_pools_release(&pools);
	return true;
}
