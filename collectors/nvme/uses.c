/* SPDX-License-Identifier: MIT */
/* uses: see uses.h.  Runs in the thread of a round. */
#include "collectors/nvme/uses.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Layers above a drive (partition, md, crypt, LVM, snapshot) and devices that are looked at for one. */
enum { LAYERS_MAX = 8, DEVICES_MAX = 64, TEXT_MAX = 1 << 20 };

struct device {
	char dir[NV_PATH_MAX];
	int layer; /* 0: the drive's own disk or partition, above it are holders */
};

struct looking {
	const struct nv_sysfs *sys;
	const struct nv_uses_from *from;
	struct buf mounts, swaps;
	struct drive *drive;
	/* its devices, from the disk upwards: those from `next` on are still to be looked at */
	size_t n_devices, next;
	struct device devices[DEVICES_MAX];
};

/* ---- mounts and swap ---- */

/* "\040" is a blank (proc(5)). */
static void unescape(char *out, size_t size, const char *s, size_t len)
{
	char text[256];
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < sizeof text; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '\\' && i + 3 < len && strspn(s + i + 1, "01234567") >= 3) {
			c = (unsigned char)((s[i + 1] - '0') * 64 + (s[i + 2] - '0') * 8 + (s[i + 3] - '0'));
			i += 3;
		}
		text[n++] = (char)c;
	}
	text[n] = '\0';
	str_clean(out, size, text);
}

/* The n-th word of a line, 0 first; its length, 0 if there is none. */
static size_t word(const char *line, size_t len, size_t n, const char **at)
{
	const char *end = line + len;

	for (;; n--) {
		size_t k;

		while (line < end && (*line == ' ' || *line == '\t'))
			line++;
		for (k = 0; line + k < end && line[k] != ' ' && line[k] != '\t'; k++)
			;
		*at = line;
		if (n == 0)
			return k;
		line += k;
	}
}

static bool same(const char *s, size_t len, const char *text)
{
	return strlen(text) == len && memcmp(s, text, len) == 0;
}

/* The type of a file system stands behind the lone hyphen. */
static void mount_type(const char *line, size_t len, char *out, size_t size)
{
	const char *at;
	size_t n;

	out[0] = '\0';
	for (size_t i = 6; (n = word(line, len, i, &at)); i++)
		if (same(at, n, "-")) {
			n = word(line, len, i + 1, &at);
			unescape(out, size, at, n);
			return;
		}
}

/* The shortest path at which a device ("259:1") is mounted; false if it is not. */
static bool mounted(const struct looking *l, const char *device, char *mount, size_t size, char *type, size_t type_size)
{
	const char *line = buf_text(&l->mounts), *at;
	bool found = false;

	for (size_t len; *line; line += len + (line[len] == '\n')) {
		char path[256];
		size_t n;

		len = strcspn(line, "\n");
		n = word(line, len, 2, &at);
		if (!same(at, n, device))
			continue;
		n = word(line, len, 4, &at);
		unescape(path, sizeof path, at, n);
		if (found && strlen(path) >= strlen(mount))
			continue;
		str_copy(mount, size, path);
		mount_type(line, len, type, type_size);
		found = true;
	}
	return found;
}

static bool swapped(const struct looking *l, const char *name)
{
	const char *line = buf_text(&l->swaps), *at;

	for (size_t len; *line; line += len + (line[len] == '\n')) {
		char path[256];
		size_t n;

		len = strcspn(line, "\n");
		n = word(line, len, 0, &at);
		unescape(path, sizeof path, at, n);
		if (str_starts(path, "/dev/") && str_same(path + strlen("/dev/"), name))
			return true;
	}
	return false;
}

/* ---- signatures that udev read ---- */

static void udev_value(const char *text, const char *key, char *out, size_t size)
{
	size_t n = strlen(key);

	out[0] = '\0';
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (strncmp(line, "E:", 2) == 0 && strncmp(line + 2, key, n) == 0 && line[2 + n] == '=') {
			str_clean_bytes(out, size, line + n + 3, strcspn(line + n + 3, "\n"));
			return;
		}
}

static void add_signature(struct looking *l, const char *name, const char *device)
{
	struct drive_use u = {.kind = USE_MEMBER};
	struct buf text;
	char path[512];

	buf_init(&text, TEXT_MAX);
	if (l->from->udev && snprintf(path, sizeof path, "%s/b%s", l->from->udev, device) < (int)sizeof path &&
		file_read(path, &text, NULL) == 0) {
		udev_value(buf_text(&text), "ID_FS_TYPE", u.detail, sizeof u.detail);
		udev_value(buf_text(&text), "ID_FS_LABEL", u.name, sizeof u.name);
	}
	if (u.detail[0]) {
		if (!u.name[0])
			str_copy(u.name, sizeof u.name, name);
		drive_add_use(l->drive, &u);
	}
	buf_release(&text);
}

/* ---- device mapper and md ---- */

/* "ubuntu--vg-ubuntu--lv" is ubuntu-vg/ubuntu-lv: they part at the one hyphen that is not doubled. */
static void volume_name(const char *dm, char *out, size_t size)
{
	bool parted = false;
	size_t n = 0;

	for (const char *s = dm; *s && n + 1 < size; s++) {
		if (s[0] == '-' && s[1] == '-') {
			out[n++] = '-';
			s++;
		} else {
			out[n++] = *s == '-' && !parted ? '/' : *s;
			parted |= *s == '-';
		}
	}
	out[n] = '\0';
}

static void describe_dm(const struct looking *l, const char *dir, struct drive_use *u)
{
	char path[NV_PATH_MAX], uuid[160] = "", name[128] = "";

	if (nv_path_join(path, sizeof path, dir, "dm")) {
		nv_sysfs_text(l->sys, path, "uuid", uuid, sizeof uuid);
		nv_sysfs_text(l->sys, path, "name", name, sizeof name);
	}
	if (str_starts(uuid, "LVM-")) {
		u->kind = USE_LVM;
		if (name[0]) /* else the kernel's own stays */
			volume_name(name, u->name, sizeof u->name);
		return;
	}
	u->kind = str_starts(uuid, "CRYPT-") ? USE_CRYPT : USE_DM;
	if (name[0])
		str_copy(u->name, sizeof u->name, name);
	/* "CRYPT-LUKS2-...", "mpath-3500...": the words before the number */
	if (u->kind == USE_CRYPT)
		str_clean_bytes(u->detail, sizeof u->detail, uuid + strlen("CRYPT-"), strcspn(uuid + strlen("CRYPT-"), "-"));
	else
		str_clean_bytes(u->detail, sizeof u->detail, uuid, strcspn(uuid, "-"));
}

static void describe_md(const struct looking *l, const char *dir, struct drive_use *u)
{
	char path[NV_PATH_MAX], level[16] = "";
	int64_t disks = 0, gone = 0;

	u->kind = USE_MD;
	if (!nv_path_join(path, sizeof path, dir, "md") || !nv_sysfs_text(l->sys, path, "level", level, sizeof level))
		return;
	if (!nv_sysfs_int(l->sys, path, "raid_disks", &disks) || disks <= 0)
		snprintf(u->detail, sizeof u->detail, "%s", level);
	else if (nv_sysfs_int(l->sys, path, "degraded", &gone) && gone > 0)
		snprintf(u->detail, sizeof u->detail, "%.10s, %" PRId32 " of %" PRId32 " missing", level, (int32_t)gone, (int32_t)disks);
	else
		snprintf(u->detail, sizeof u->detail, "%.10s of %" PRId32, level, (int32_t)disks);
}

/* True for what is only a part of a volume, and nobody's to see. */
static bool inner_part(const char *name)
{
	static const char *const ends[] = {"_tdata", "_tmeta", "_cdata", "_cmeta", "_corig"};
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		if (len > strlen(ends[i]) && strcmp(name + len - strlen(ends[i]), ends[i]) == 0)
			return true;
	return strstr(name, "_rimage_") || strstr(name, "_rmeta_");
}

/* ---- climbing ---- */

static void put_device(struct looking *l, const char *dir, int layer)
{
	if (layer > LAYERS_MAX || l->n_devices == DEVICES_MAX)
		return;
	for (size_t i = 0; i < l->n_devices; i++)
		if (str_same(l->devices[i].dir, dir))
			return; /* by another way: an array over two partitions of one drive */
	str_copy(l->devices[l->n_devices].dir, sizeof l->devices[0].dir, dir);
	l->devices[l->n_devices++].layer = layer;
}

/* What stands on a device will be looked at; false if nothing does. */
static bool put_holders(struct looking *l, const struct device *d)
{
	struct nv_names holders;
	char path[NV_PATH_MAX], up[NV_PATH_MAX];
	size_t n;

	if (!nv_path_join(path, sizeof path, d->dir, "holders"))
		return false;
	nv_sysfs_list(l->sys, path, &holders);
	n = holders.n;
	for (size_t i = 0; i < n; i++)
		if (nv_path_join(path, sizeof path, "class/block", holders.names[i]) && nv_sysfs_resolve(l->sys, path, up, sizeof up))
			put_device(l, up, d->layer + 1);
	nv_names_release(&holders);
	return n > 0;
}

static void look_at(struct looking *l, const struct device *d)
{
	const char *name = nv_path_last(d->dir);
	struct drive_use u = {.kind = d->layer ? USE_OTHER : USE_MOUNT};
	char device[32] = "", type[sizeof u.detail] = "";
	bool held = put_holders(l, d), mount;

	nv_sysfs_text(l->sys, d->dir, "dev", device, sizeof device);
	str_copy(u.name, sizeof u.name, name);
	mount = *device && mounted(l, device, u.mount, sizeof u.mount, type, sizeof type);
	if (d->layer == 0)
		str_copy(u.detail, sizeof u.detail, type);
	else if (str_starts(name, "dm-"))
		describe_dm(l, d->dir, &u);
	else if (str_starts(name, "md"))
		describe_md(l, d->dir, &u);
	if (!mount && swapped(l, name)) {
		u.kind = d->layer ? u.kind : USE_SWAP;
		str_copy(u.mount, sizeof u.mount, "[swap]");
		mount = true;
	}
	if (mount || (d->layer > 0 && !inner_part(u.name)))
		drive_add_use(l->drive, &u);
	if (d->layer == 0 && !held && !mount && *device)
		add_signature(l, name, device);
}

/* The disk and its partitions. */
static void put_disk(struct looking *l, const char *namespace)
{
	char path[NV_PATH_MAX], dir[NV_PATH_MAX], part[NV_PATH_MAX], number[16];
	struct nv_names names;

	if (!nv_path_join(path, sizeof path, "class/block", namespace) || !nv_sysfs_resolve(l->sys, path, dir, sizeof dir))
		return;
	l->drive->uses_known = true;
	put_device(l, dir, 0);
	nv_sysfs_list(l->sys, dir, &names);
	for (size_t i = 0; i < names.n; i++)
		if (str_starts(names.names[i], namespace) && nv_path_join(part, sizeof part, dir, names.names[i]) &&
			nv_sysfs_text(l->sys, part, "partition", number, sizeof number))
			put_device(l, part, 0);
	nv_names_release(&names);
}

static void look_at_drive(struct looking *l, struct drive *d)
{
	l->drive = d;
	l->n_devices = l->next = 0;
	for (size_t k = 0; k < d->n_namespaces; k++)
		put_disk(l, d->namespaces[k]);
	while (l->next < l->n_devices)
		look_at(l, &l->devices[l->next++]);
}

static void read_bounded(struct buf *b, const char *path)
{
	buf_init(b, TEXT_MAX);
	if (path && file_read(path, b, NULL))
		buf_clear(b);
}

void nv_uses_read(const struct nv_sysfs *s, const struct nv_uses_from *from, struct snapshot *out)
{
	struct looking *l = mem_new(1, sizeof *l);

	l->sys = s;
	l->from = from;
	read_bounded(&l->mounts, from->mountinfo);
	read_bounded(&l->swaps, from->swaps);
	for (size_t i = 0; i < out->n_bays; i++)
		look_at_drive(l, &out->bays[i].drive);
	buf_release(&l->mounts);
	buf_release(&l->swaps);
	free(l);
}
