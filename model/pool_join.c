/* SPDX-License-Identifier: MIT */
/*
 * pool_join: which drive a leaf of a pool is (see pool.h).
 *
 * A member's name is not a device's name: an alias may look like a controller and be another
 * drive, by-id names carry a serial number, by-path names a PCI address.  Where two ways lead to
 * different drives, the leaf is joined to none.
 */
#include "model/pool_column.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

static const char digits[] = "0123456789";

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The length of "nvme0n1" or "sda" at the start, 0 if it is neither. */
static size_t disk_len(const char *s)
{
	static const char *const letters[] = {"sd", "hd", "vd", "xvd"};
	size_t n, more;

	if (str_starts(s, "nvme")) {
		n = 4 + strspn(s + 4, digits);
		if (n == 4 || s[n] != 'n')
			return 0;
		more = strspn(s + n + 1, digits);
		return more ? n + 1 + more : 0;
	}
	for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
		if (!str_starts(s, letters[i]))
			continue;
		n = strlen(letters[i]);
		more = strspn(s + n, "abcdefghijklmnopqrstuvwxyz");
		return more && more <= 3 ? n + more : 0;
	}
	return 0;
}

bool pool_device_of(const char *name, char *out, size_t size)
{
	const char *s = str_starts(name, "/dev/") ? name + 5 : name, *rest;
	size_t n = disk_len(s);

	if (n == 0 || n >= size)
		return false;
	rest = s + n;
	if (str_starts(s, "nvme") && *rest == 'p')
		rest++; /* "nvme0n1p1" */
	else if (str_starts(s, "nvme") && *rest)
		return false;
	if (rest != s + n && !*rest)
		return false;
	if (rest[strspn(rest, digits)])
		return false;
	memcpy(out, s, n);
	out[n] = '\0';
	return true;
}

void pool_cut_partition(char *name)
{
	size_t len = strlen(name), n = len;
	char *last = strrchr(name, '/');

	last = last ? last + 1 : name;
	while (n && strchr(digits, name[n - 1]))
		n--;
	if (n == len)
		return;
	if (n > 5 && strncmp(name + n - 5, "-part", 5) == 0)
		name[n - 5] = '\0';
	else if (disk_len(last) && str_starts(last, "nvme") && name[n - 1] == 'p')
		name[n - 1] = '\0';
	else if (disk_len(last) && !str_starts(last, "nvme"))
		name[n] = '\0';
}

/* ---- one bay and one name ---- */

static bool has_device(const struct bay *b, const char *device)
{
	for (size_t i = 0; i < b->drive.n_namespaces; i++)
		if (str_same(b->drive.namespaces[i], device))
			return true;
	return false;
}

static bool has_controller(const struct bay *b, const char *name)
{
	if (str_same(b->drive.controller, name))
		return true;
	for (size_t i = 0; i < b->drive.n_paths; i++)
		if (str_same(b->drive.paths[i].controller, name))
			return true;
	return false;
}

/* "nvme3", as a controller is called. */
static bool is_controller(const char *name)
{
	size_t n = str_starts(name, "nvme") ? strspn(name + 4, digits) : 0;

	return n && name[4 + n] == '\0';
}

/*
 * nvme0n1 need not be a namespace of nvme0, so its list decides; only for drives of which no list
 * is known does the number in the name.
 */
static bool is_device(const struct bay *b, const char *device)
{
	char controller[16];
	size_t n;

	if (is_controller(device))
		return has_controller(b, device);
	if (b->drive.n_namespaces)
		return has_device(b, device);
	n = str_starts(device, "nvme") ? 4 + strspn(device + 4, digits) : 0;
	if (n == 0 || n >= sizeof controller)
		return false;
	memcpy(controller, device, n);
	controller[n] = '\0';
	return has_controller(b, controller);
}

/* "pci-0000:41:00.0-nvme-1" */
static bool has_address(const struct bay *b, const char *name)
{
	const char *address = name + strlen("pci-");
	size_t n = strspn(address, "0123456789abcdef:.");

	if (n == 0 || address[n] != '-')
		return false;
	if (strncmp(b->drive.pci_address, address, n) == 0 && b->drive.pci_address[n] == '\0')
		return true;
	for (size_t i = 0; i < b->drive.n_paths; i++)
		if (strncmp(b->drive.paths[i].address, address, n) == 0 && b->drive.paths[i].address[n] == '\0')
			return true;
	return false;
}

/* "nvme-MODEL_SERIAL" or "nvme-MODEL_SERIAL_1", "diskid/DISK-SERIAL": the serial at the end. */
static bool has_serial(const struct bay *b, const char *name, char before)
{
	const char *serial = b->drive.serial;
	size_t n = strlen(serial), len = strlen(name), id = len;

	if (!drive_serial_identifies(serial) || b->notes & NOTE_DUPLICATE_SERIAL || strpbrk(serial, " /"))
		return false;
	if (len > n && name[len - n - 1] == before && strcmp(name + len - n, serial) == 0)
		return true;
	while (id && strchr(digits, name[id - 1]))
		id--;
	if (id == len || id == 0 || name[id - 1] != '_')
		return false;
	id--;
	return id > n && name[id - n - 1] == before && strncmp(name + id - n, serial, n) == 0;
}

/* GEOM's "DISK-SERIAL" and a partition of it, "DISK-SERIALp1"; the whole name first. */
static bool has_disk_ident(const struct bay *b, const char *name)
{
	char cut[96];
	size_t n;

	if (has_serial(b, name, '-'))
		return true;
	if (!str_copy(cut, sizeof cut, name))
		return false;
	for (n = strlen(cut); n && strchr(digits, cut[n - 1]);)
		n--;
	if (n == 0 || n == strlen(cut) || cut[n - 1] != 'p')
		return false;
	cut[n - 1] = '\0';
	return has_serial(b, cut, '-');
}

static bool fits(const struct bay *b, const char *name)
{
	char device[32];

	if (pool_device_of(name, device, sizeof device))
		return is_device(b, device);
	if (str_starts(name, "pci-"))
		return has_address(b, name);
	if (str_starts(name, "DISK-"))
		return has_disk_ident(b, name);
	if (str_starts(name, "nvme-") || str_starts(name, "ata-") || str_starts(name, "scsi-"))
		return has_serial(b, name, '_');
	return false;
}

/* ---- all bays ---- */

/* What is left of a name when path, partition and GEOM's layers are taken off; false for a file. */
static bool bare_name(const char *name, char *out, size_t size)
{
	if (!str_copy(out, size, name) || (out[0] == '/' && !str_starts(out, "/dev/")))
		return false;
	for (size_t n = strlen(out); n > 4 && (strcmp(out + n - 4, ".eli") == 0 || strcmp(out + n - 4, ".nop") == 0);
		n -= 4)
		out[n - 4] = '\0';
	pool_cut_partition(out);
	memmove(out, last_part(out), strlen(last_part(out)) + 1);
	return out[0] != '\0';
}

struct search {
	const struct bay *found;
	bool torn; /* two names, or two drives */
};

static void take(struct search *s, const struct bay *b)
{
	if (s->found && s->found != b)
		s->torn = true;
	s->found = b;
}

static void look(struct search *s, const char *name, const struct bay *bays, size_t n_bays)
{
	char bare[192];

	if (!bare_name(name, bare, sizeof bare))
		return;
	for (size_t i = 0; i < n_bays; i++)
		if (bays[i].has_drive && fits(&bays[i], bare))
			take(s, &bays[i]);
}

/* The half that is being replaced has the path of its successor. */
static bool is_old_half(const char *name)
{
	return str_same(name, "old") || str_ends(name, "/old");
}

const struct bay *pool_find_bay(const struct pool_node *n, const struct bay *bays, size_t n_bays)
{
	struct search s = {0};

	if (n->kind != NODE_LEAF || is_old_half(n->name) || n->name[strspn(n->name, digits)] == '\0')
		return NULL; /* a name of digits alone: not there, or not valid */
	if (n->device[0]) {
		for (size_t i = 0; i < n_bays; i++)
			if (bays[i].has_drive && is_device(&bays[i], n->device))
				take(&s, &bays[i]);
		return s.torn ? NULL : s.found;
	}
	look(&s, n->path[0] ? n->path : n->name, bays, n_bays);
	look(&s, n->devid, bays, n_bays);
	look(&s, n->phys_path, bays, n_bays);
	return s.torn ? NULL : s.found;
}

const struct bay *pool_bay(const struct pool_node *n, const struct bay *bays, size_t n_bays)
{
	for (size_t i = 0; n->bay[0] && i < n_bays; i++)
		if (bays[i].has_drive && str_same(bays[i].bay, n->bay) && str_same(bays[i].drive.serial, n->serial))
			return &bays[i];
	return NULL;
}

static void join(struct pool_node *n, const struct bay *b)
{
	str_copy(n->controller, sizeof n->controller, b->drive.controller);
	str_copy(n->bay, sizeof n->bay, b->bay);
	str_copy(n->serial, sizeof n->serial, b->drive.serial);
}

static const struct bay *controller_bay(const char *name, const struct bay *bays, size_t n_bays)
{
	for (size_t i = 0; i < n_bays; i++)
		if (bays[i].has_drive && has_controller(&bays[i], name))
			return &bays[i];
	return NULL;
}

/*
 * Aliases named after controllers ("nvme2"), and nothing that tells where they lead: they are
 * taken for the controllers, but only if all of them could be, and none was looked up.
 */
static void join_controllers(struct pool *p, const struct bay *bays, size_t n_bays)
{
	for (size_t i = 0; i < p->n_nodes; i++)
		if (p->nodes[i].kind == NODE_LEAF && is_controller(p->nodes[i].name) &&
			(p->nodes[i].device[0] || p->nodes[i].path[0] || !controller_bay(p->nodes[i].name, bays, n_bays)))
			return;
	for (size_t i = 0; i < p->n_nodes; i++)
		if (p->nodes[i].kind == NODE_LEAF && is_controller(p->nodes[i].name))
			join(&p->nodes[i], controller_bay(p->nodes[i].name, bays, n_bays));
}

/* ---- roles ---- */

static enum bay_role role_of(enum pool_part part)
{
	switch (part) {
	case PART_DATA:
		return ROLE_DATA;
	case PART_DEDUP:
	case PART_SPECIAL:
		return ROLE_SPECIAL;
	case PART_LOG:
		return ROLE_LOG;
	case PART_CACHE:
		return ROLE_CACHE;
	case PART_SPARE:
		return ROLE_SPARE;
	case PART_UNKNOWN:
		break;
	}
	return ROLE_UNKNOWN;
}

/* Of several roles of one drive the one that would be missed most. */
static int weight(enum bay_role r)
{
	switch (r) {
	case ROLE_UNKNOWN:
		return 0;
	case ROLE_SPARE:
		return 1;
	case ROLE_CACHE:
		return 2;
	case ROLE_LOG:
		return 3;
	case ROLE_SPECIAL:
		return 4;
	case ROLE_DATA:
		return 5;
	case ROLE_BOOT:
		return 6;
	}
	return 0;
}

static void put_roles(const struct pool *p, struct bay *bays, size_t n_bays)
{
	for (size_t i = 0; i < p->n_nodes; i++) {
		enum bay_role role = role_of(p->nodes[i].part);

		for (size_t k = 0; p->nodes[i].bay[0] && k < n_bays; k++)
			if (pool_bay(&p->nodes[i], &bays[k], 1) && weight(role) > weight(bays[k].role))
				bays[k].role = role;
	}
}

void pool_join(struct pool *p, struct bay *bays, size_t n_bays)
{
	for (size_t i = 0; i < p->n_nodes; i++) {
		struct pool_node *n = &p->nodes[i];
		const struct bay *b = pool_find_bay(n, bays, n_bays);

		n->controller[0] = n->bay[0] = n->serial[0] = '\0';
		if (b)
			join(n, b);
	}
	join_controllers(p, bays, n_bays);
	put_roles(p, bays, n_bays);
}
