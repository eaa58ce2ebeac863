/* SPDX-License-Identifier: MIT */
/* scan: see scan.h. */
#include "collectors/nvme/scan.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *digits_after(const char *s, const char *prefix)
{
	size_t n;

	if (!s || !str_starts(s, prefix))
		return NULL;
	s += strlen(prefix);
	n = strspn(s, "0123456789");
	return n ? s + n : NULL;
}

static bool is_end(const char *s)
{
	return s && *s == '\0';
}

/* nvme0, and neither nvme0n1 nor nvme-subsys0. */
static bool is_controller(const char *name)
{
	return is_end(digits_after(name, "nvme"));
}

/* nvme0n1; with `hidden` nvme0c1n1, one path to a namespace. */
static bool is_namespace(const char *name, bool *hidden)
{
	const char *rest = digits_after(name, "nvme");
	const char *path = digits_after(rest, "c");

	*hidden = path != NULL;
	return is_end(digits_after(path ? path : rest, "n"));
}

/*
 * The kernel's word for a controller's state.  One that is being taken away is neither well nor
 * dead; words that are not known here (or a kernel before 4.5, which has none) say nothing.
 */
static enum drive_state state_of(const char *word)
{
	if (str_same(word, "live"))
		return DRIVE_LIVE;
	if (str_same(word, "dead"))
		return DRIVE_DEAD;
	if (str_same(word, "resetting") || str_same(word, "connecting") || str_same(word, "new") ||
		str_same(word, "reconnecting"))
		return DRIVE_RESETTING;
	return DRIVE_STATE_UNKNOWN;
}

/*
 * The PCI function below which the controller hangs.  A virtual function has no link of its own
 * (its link registers read as zero): the physical one's counts.
 */
static void find_device(const struct nv_sysfs *s, struct nv_controller *c)
{
	char link[NV_PATH_MAX];

	if (!nv_path_join(link, sizeof link, c->path, "device") ||
		!nv_sysfs_resolve(s, link, c->device, sizeof c->device) ||
		!nv_pci_is_address(nv_path_last(c->device))) {
		c->device[0] = '\0';
		if (!nv_pci_is_address(c->where) ||
			!nv_path_join(link, sizeof link, "bus/pci/devices", c->where) ||
			!nv_sysfs_resolve(s, link, c->device, sizeof c->device))
			return;
	}
	str_copy(c->address, sizeof c->address, nv_path_last(c->device));
	if (nv_path_join(link, sizeof link, c->device, "physfn") &&
		nv_sysfs_resolve(s, link, link, sizeof link) &&
		nv_pci_is_address(nv_path_last(link))) {
		c->virtual_function = true;
		str_copy(c->device, sizeof c->device, link);
	}
}

static void read_controller(const struct nv_sysfs *s, const char *name, struct nv_controller *c)
{
	char link[NV_PATH_MAX], state[24];

	*c = (struct nv_controller){0};
	str_copy(c->name, sizeof c->name, name);
	if (!nv_path_join(link, sizeof link, "class/nvme", name) ||
		!nv_sysfs_resolve(s, link, c->path, sizeof c->path))
		return;
	nv_sysfs_text(s, c->path, "serial", c->serial, sizeof c->serial);
	nv_sysfs_text(s, c->path, "model", c->model, sizeof c->model);
	nv_sysfs_text(s, c->path, "firmware_rev", c->firmware, sizeof c->firmware);
	nv_sysfs_text(s, c->path, "transport", c->transport, sizeof c->transport);
	nv_sysfs_text(s, c->path, "address", c->where, sizeof c->where);
	c->may_ask = !nv_sysfs_text(s, c->path, "state", state, sizeof state) || str_same(state, "live");
	c->state = state_of(state);
	if (!c->transport[0] || str_same(c->transport, "pcie"))
		find_device(s, c);
}

static void add_namespace(const struct nv_sysfs *s, struct nv_scan *scan, const char *dir, const char *name,
	bool hidden, const char *subsystem, const char *controller)
{
	struct nv_namespace *n;
	char path[NV_PATH_MAX];
	int64_t sectors, series;

	if (!nv_path_join(path, sizeof path, dir, name) || !nv_sysfs_resolve(s, path, path, sizeof path))
		return;
	scan->namespaces = mem_grow(scan->namespaces, scan->n_namespaces, sizeof *scan->namespaces);
	n = &scan->namespaces[scan->n_namespaces++];
	*n = (struct nv_namespace){.hidden = hidden, .bay = SIZE_MAX};
	str_copy(n->path, sizeof n->path, path);
	str_copy(n->name, sizeof n->name, name);
	str_copy(n->subsystem, sizeof n->subsystem, subsystem);
	str_copy(n->controller, sizeof n->controller, controller);
	/* 512 bytes whatever the block size */
	if (!hidden && nv_sysfs_int(s, path, "size", &sectors) && sectors > 0 &&
		__builtin_mul_overflow((uint64_t)sectors, UINT64_C(512), &n->bytes))
		n->bytes = 0;
	if (nv_sysfs_int(s, path, "diskseq", &series) && series > 0)
		n->series = (uint64_t)series;
}

/* Namespaces and paths that hang below a folder. */
static void add_namespaces(const struct nv_sysfs *s, struct nv_scan *scan, const char *dir,
	const char *subsystem, const char *controller)
{
	struct nv_names names;
	bool hidden;

	nv_sysfs_list(s, dir, &names);
	for (size_t i = 0; i < names.n; i++)
		if (is_namespace(names.names[i], &hidden))
			add_namespace(s, scan, dir, names.names[i], hidden, subsystem, controller);
	nv_names_release(&names);
}

static void note_members(const struct nv_sysfs *s, struct nv_scan *scan, const char *dir, const char *subsystem)
{
	struct nv_names names;

	nv_sysfs_list(s, dir, &names);
	for (size_t i = 0; i < names.n; i++)
		for (size_t k = 0; k < scan->n_controllers; k++)
			if (str_same(scan->controllers[k].name, names.names[i]))
				str_copy(scan->controllers[k].subsystem,
					sizeof scan->controllers[k].subsystem, subsystem);
	nv_names_release(&names);
}

static void read_subsystems(const struct nv_sysfs *s, struct nv_scan *scan)
{
	struct nv_names names;
	char dir[NV_PATH_MAX];

	nv_sysfs_list(s, "class/nvme-subsystem", &names);
	for (size_t i = 0; i < names.n; i++) {
		if (!nv_path_join(dir, sizeof dir, "class/nvme-subsystem", names.names[i]))
			continue;
		note_members(s, scan, dir, names.names[i]);
		add_namespaces(s, scan, dir, names.names[i], "");
	}
	nv_names_release(&names);
}

int nv_scan_read(const struct nv_sysfs *s, struct nv_scan *out, struct err *e)
{
	struct nv_names names;
	char any[NV_PATH_MAX];

	*out = (struct nv_scan){0};
	if (!nv_sysfs_resolve(s, "class", any, sizeof any) && !nv_sysfs_resolve(s, "bus", any, sizeof any) &&
		!nv_sysfs_resolve(s, "devices", any, sizeof any))
		return err_set(e, "no sysfs: class, bus and devices are missing");
	nv_sysfs_list(s, "class/nvme", &names);
	for (size_t i = 0; i < names.n; i++) {
		if (!is_controller(names.names[i]))
			continue;
		out->controllers = mem_grow(out->controllers, out->n_controllers, sizeof *out->controllers);
		read_controller(s, names.names[i], &out->controllers[out->n_controllers++]);
	}
	nv_names_release(&names);
	for (size_t i = 0; i < out->n_controllers; i++)
		add_namespaces(s, out, out->controllers[i].path, "", out->controllers[i].name);
	read_subsystems(s, out);
	return 0;
}

void nv_scan_release(struct nv_scan *scan)
{
	free(scan->controllers);
	free(scan->namespaces);
	*scan = (struct nv_scan){0};
}

bool nv_scan_same_drive(const struct nv_controller *a, const struct nv_controller *b)
{
	return str_same(a->name, b->name) || (a->subsystem[0] && str_same(a->subsystem, b->subsystem));
}

bool nv_scan_belongs(const struct nv_namespace *n, const struct nv_controller *c)
{
	return n->subsystem[0] ? str_same(n->subsystem, c->subsystem) : str_same(n->controller, c->name);
}
