/* SPDX-License-Identifier: MIT */
/*
 * host: see host.h.  Runs in the thread of a round.
 *
 * All forms of zpool take the lock of the module's namespace, which a suspended pool may hold for
 * ever.  The kernel tells the state of each pool in /proc without that lock, so it is read first,
 * and zpool is not started where one is suspended.
 */
#include "collectors/zfs/host.h"
#include "base/file.h"
#include "base/str.h"
#include "collectors/zfs/names.h"
#include "collectors/zfs/zpool.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OUTPUT_MAX = 4 << 20, ERROR_MAX = 4096, DEADLINE_MS = 5000, ARGS_MAX = 10 };

static const char kstat_dir[] = "/proc/spl/kstat/zfs";

struct run {
	struct buf out, err;
	int status; /* -1: none, see why */
	struct err why;
};

static void run_init(struct run *r)
{
	*r = (struct run){.status = -1};
	buf_init(&r->out, OUTPUT_MAX);
	buf_init(&r->err, ERROR_MAX);
}

static void run_release(struct run *r)
{
	buf_release(&r->out);
	buf_release(&r->err);
}

/* Runs zpool with the words of a line. */
static void run(struct zfs_host *h, const char *program, const char *const *args, struct run *r)
{
	const char *argv[ARGS_MAX + 2] = {program};

	for (size_t i = 0; i < ARGS_MAX && args[i]; i++)
		argv[i + 1] = args[i];
	run_init(r);
	r->status = zfs_child_run(&h->child, argv, DEADLINE_MS, &r->out, &r->err, &r->why);
	if (r->status > 0) {
		char said[256];

		str_clean_bytes(said, sizeof said, buf_text(&r->err), r->err.len < 200 ? r->err.len : 200);
		err_set(&r->why, "%s %s ended with %d: %s", program, args[0], r->status, said);
	}
}

/* ---- suspended pools ---- */

static enum pool_state kernel_state(const char *pool)
{
	char path[512], word[24];
	struct buf text;

	buf_init(&text, 64);
	word[0] = '\0';
	if (snprintf(path, sizeof path, "%s/%s/state", kstat_dir, pool) < (int)sizeof path &&
		file_read(path, &text, NULL) == 0)
		str_clean(word, sizeof word, buf_text(&text));
	buf_release(&text);
	return pool_state_of(word);
}

/* Adds the pools as the kernel tells them if one of them is suspended; true then. */
static bool take_suspended(struct snapshot *s)
{
	struct zpool_pools pools = {0};
	struct dirent *entry;
	DIR *d = opendir(kstat_dir);
	bool suspended = false;

	while (d && (entry = readdir(d))) {
		enum pool_state state = entry->d_name[0] == '.' ? POOL_STATE_UNKNOWN : kernel_state(entry->d_name);
		struct pool *p = state ? zpool_add(&pools, entry->d_name) : NULL;

		if (p)
			p->state = state;
		suspended |= state == POOL_SUSPENDED;
	}
	if (d)
		closedir(d);
	if (suspended) {
		target_add_error(&s->target, "zpool status", "",
			"a pool is suspended: its tree is not asked for, because zpool would hang");
		for (size_t i = 0; i < pools.n; i++)
			snapshot_take_pool(s, &pools.pools[i]);
	}
	zpool_pools_release(&pools);
	return suspended;
}

/* ---- asking ---- */

static const char *const status_args[][ARGS_MAX] = {
	[ZFS_JSON] = {"status", "-j", "--json-int"},
	[ZFS_TEXT] = {"status", "-P", "-p"},
	[ZFS_TEXT_OLD] = {"status"},
};

static const char *const list_args[][ARGS_MAX] = {
	[ZFS_JSON] = {"list", "-H", "-p", "-o", "name,size,allocated,free"},
	[ZFS_TEXT] = {"list", "-H", "-p", "-o", "name,size,allocated,free"},
	[ZFS_TEXT_OLD] = {"list", "-H"},
};

/* -y: not the averages since the import, which old versions print as a first sample. Takes a second. */
static const char *const iostat_args[][ARGS_MAX] = {
	[ZFS_JSON] = {"iostat", "-v", "-H", "-p", "-P", "-y", "1", "1"},
	[ZFS_TEXT] = {"iostat", "-v", "-H", "-p", "-P", "-y", "1", "1"},
	[ZFS_TEXT_OLD] = {"iostat", "-v", "1", "2"},
};

/* The newest form that this zpool knows; an unknown option ends it with 2. */
static int read_status(struct zfs_host *h, const char *program, struct zpool_pools *pools, struct err *e)
{
	enum zfs_form form = h->form ? h->form : ZFS_JSON;
	struct run r;
	int rc;

	for (;; form++) {
		run(h, program, status_args[form], &r);
		if (r.status != 2 || h->form || form == ZFS_TEXT_OLD)
			break;
		run_release(&r);
	}
	if (r.status < 0 || (r.status > 0 && r.out.len == 0)) {
		*e = r.why;
		rc = -1;
	} else {
		rc = zpool_read_status(buf_text(&r.out), r.out.len, pools, e);
		if (rc == 0)
			h->form = form;
	}
	run_release(&r);
	return rc;
}

static void read_rows(struct zfs_host *h, const char *program, const char *const *args, struct zpool_pools *pools,
	void (*take)(struct zpool_pools *ps, const struct zpool_rows *r), struct target *t)
{
	struct zpool_rows rows;
	struct run r;

	run(h, program, args, &r);
	if (r.status == 0 && zpool_read_rows(buf_text(&r.out), r.out.len, &rows, &r.why) == 0) {
		take(pools, &rows);
		zpool_rows_release(&rows);
	} else {
		target_add_error(t, args[0], "", r.why.text);
	}
	run_release(&r);
}

static void look_up(struct zpool_pools *pools)
{
	json_t *map = zfs_names_of_host("/dev");
	struct nv_sysfs sys = {.root = -1};

	if (nv_sysfs_open(&sys, "/sys", NULL) == 0)
		zfs_names_add_sysfs(map, &sys);
	for (size_t i = 0; i < pools->n; i++)
		zfs_names_look_up(&pools->pools[i], map, sys.root >= 0 ? &sys : NULL);
	nv_sysfs_close(&sys);
	json_decref(map);
}

/* Where distributions put it. */
static const char *usual_program(void)
{
	static const char *const places[] = {"/usr/sbin/zpool", "/sbin/zpool", "/usr/local/sbin/zpool", "/usr/bin/zpool"};

	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
		if (access(places[i], X_OK) == 0)
			return places[i];
	return NULL;
}

void zfs_host_read(struct zfs_host *h, const char *program, struct snapshot *s)
{
	struct target *t = &s->target;
	struct zpool_pools pools = {0};
	struct err e = {""};

	if (!program && access("/sys/module/zfs", F_OK)) {
		target_unreachable(t, REASON_NOT_REPORTED, "ZFS is not loaded in this kernel (name zpool by path = \"...\" to ask nevertheless)");
		return;
	}
	program = program ? program : usual_program();
	if (!program) {
		target_unreachable(t, REASON_NOT_REPORTED, "there is no zpool here; say where it is by path = \"/.../zpool\"");
		return;
	}
	t->verdict = TARGET_OK;
	if (take_suspended(s))
		return;
	if (read_status(h, program, &pools, &e)) {
		target_unreachable(t, h->child.stuck || strstr(e.text, "does not answer") ? REASON_TIMEOUT : REASON_REFUSED, e.text);
		return;
	}
	if (pools.n) {
		read_rows(h, program, list_args[h->form], &pools, zpool_take_list, t);
		read_rows(h, program, iostat_args[h->form], &pools, zpool_take_iostat, t);
		look_up(&pools);
	}
	for (size_t i = 0; i < pools.n; i++)
		snapshot_take_pool(s, &pools.pools[i]);
	zpool_pools_release(&pools);
}
