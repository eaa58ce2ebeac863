/* SPDX-License-Identifier: MIT */
/* machine: see machine.h.  Runs in the thread of a round. */
#include "collectors/nvme/machine.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/nvme/bay.h"
#include "collectors/nvme/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One drive on its way into the snapshot. */
struct found {
	const struct nv_controller *main; /* the controller that speaks for it */
	const struct nv_slot *slot;
	char bay[64];
};

/* A full scan on its way. */
struct look {
	const struct nv_sysfs *sysfs;
	struct nv_scan scan;
	struct nv_slots slots;
	size_t n_found;
	struct found *found;
	struct snapshot *out;
};

/* A controller that answers speaks for the drive before one that does not, a physical one before a virtual one. */
static int voice(const struct nv_controller *c)
{
	return (c->may_ask ? 2 : 0) + (c->virtual_function ? 0 : 1);
}

static void find_drives(struct look *r)
{
	for (size_t i = 0; i < r->scan.n_controllers; i++) {
		struct nv_controller *c = &r->scan.controllers[i];
		struct found *f = NULL;

		for (size_t k = 0; k < r->n_found && !f; k++)
			if (nv_scan_same_drive(r->found[k].main, c))
				f = &r->found[k];
		if (!f) {
			r->found = mem_grow(r->found, r->n_found, sizeof *r->found);
			f = &r->found[r->n_found++];
			*f = (struct found){.main = c};
		} else if (voice(c) > voice(f->main)) {
			f->main = c;
		}
		c->bay = (size_t)(f - r->found);
	}
}

/* Numeric order of two PCI addresses. */
static int compare_addresses(const char *a, const char *b)
{
	unsigned long x[4] = {0}, y[4] = {0};

	if (sscanf(a, "%lx:%lx:%lx.%lx", &x[0], &x[1], &x[2], &x[3]) != 4 ||
		sscanf(b, "%lx:%lx:%lx.%lx", &y[0], &y[1], &y[2], &y[3]) != 4)
		return str_natural(a, b);
	for (int i = 0; i < 4; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* The slot of the drive: that of its main controller, else of any other. */
static const struct nv_slot *slot_of(const struct look *r, const struct found *f)
{
	const struct nv_slot *slot = f->main->device[0] ? nv_slots_find(&r->slots, f->main->device) : NULL;

	for (size_t i = 0; !slot && i < r->scan.n_controllers; i++) {
		const struct nv_controller *c = &r->scan.controllers[i];

		if (c->device[0] && c->bay == f->main->bay)
			slot = nv_slots_find(&r->slots, c->device);
	}
	return slot;
}

/*
 * A slot with one drive gives the bay its name.  Of several drives in one slot (a card with a
 * switch) each gets the slot's name and its rank by PCI address, unless a slot has that name.
 */
static void name_bay(const struct look *r, struct found *f)
{
	size_t mates = 0, rank = 1;

	if (!f->slot) {
		str_copy(f->bay, sizeof f->bay, f->main->device[0] ? f->main->address : f->main->name);
		return;
	}
	for (size_t i = 0; i < r->n_found; i++) {
		if (r->found[i].slot != f->slot)
			continue;
		mates++;
		if (compare_addresses(r->found[i].main->address, f->main->address) < 0)
			rank++;
	}
	if (mates == 1) {
		str_copy(f->bay, sizeof f->bay, f->slot->name);
		return;
	}
	if (snprintf(f->bay, sizeof f->bay, "%s-%zu", f->slot->name, rank) >= (int)sizeof f->bay ||
		nv_slots_has(&r->slots, f->bay))
		str_copy(f->bay, sizeof f->bay, f->main->address);
}

/* Controllers of one physical device share its link: functions .0 and .1, or a function and its virtual ones. */
static bool same_port(const char *a, const char *b)
{
	char x[NV_ADDRESS_MAX], y[NV_ADDRESS_MAX];

	return nv_pci_without_function(nv_path_last(a), x, sizeof x) &&
	       nv_pci_without_function(nv_path_last(b), y, sizeof y) && str_same(x, y);
}

static enum verdict judge(const struct pcie_link *l)
{
	const struct verdict_input in = {.reachable = true, .present = true, .pcie = true, .link = *l};

	return verdict_reach(&in).verdict;
}

static bool worse(const struct pcie_link *a, const struct pcie_link *b)
{
	int d = verdict_badness(judge(a)) - verdict_badness(judge(b));

	return d > 0 || (d == 0 && pcie_bandwidth(a->now) < pcie_bandwidth(b->now));
}

/* One more way to the drive; its link is the bay's if it is the worst so far. */
static void add_path(struct look *r, struct bay *b, const struct nv_controller *c)
{
	struct drive *d = &b->drive;
	struct drive_path *p;
	struct pcie_link l;

	for (size_t i = 0; i < d->n_paths; i++)
		if (same_port(d->paths[i].address, nv_path_last(c->device)))
			return;
	l = nv_link_read(r->sysfs, c->device);
	nv_link_read_hops(r->sysfs, c->device, b->bay, r->out);
	if (d->n_paths == 0 || worse(&l, &b->link))
		b->link = l;
	if (d->n_paths == DRIVE_PATHS_MAX)
		return;
	p = &d->paths[d->n_paths++];
	*p = (struct drive_path){.link = pcie_link_ends(&l)};
	str_copy(p->address, sizeof p->address, nv_path_last(c->device));
	str_copy(p->controller, sizeof p->controller, c->name);
}

static void add_paths(struct look *r, struct bay *b, const struct nv_controller *main)
{
	if (main->device[0])
		add_path(r, b, main);
	for (size_t i = 0; i < r->scan.n_controllers; i++) {
		const struct nv_controller *c = &r->scan.controllers[i];

		if (c != main && c->device[0] && c->bay == main->bay)
			add_path(r, b, c);
	}
	b->pcie = b->drive.n_paths > 0;
}

/* To whichever drive each namespace belongs. */
static void place_namespaces(struct look *r)
{
	for (size_t i = 0; i < r->scan.n_namespaces; i++) {
		struct nv_namespace *n = &r->scan.namespaces[i];

		for (size_t k = 0; n->bay == SIZE_MAX && k < r->scan.n_controllers; k++)
			if (nv_scan_belongs(n, &r->scan.controllers[k]))
				n->bay = r->scan.controllers[k].bay;
	}
}

static void add_namespaces(const struct look *r, struct bay *b, size_t bay)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < r->scan.n_namespaces; i++) {
		const struct nv_namespace *n = &r->scan.namespaces[i];

		if (n->bay != bay || n->hidden)
			continue;
		if (__builtin_add_overflow(bytes, n->bytes, &bytes))
			bytes = 0;
		if (b->drive.n_namespaces < DRIVE_NAMESPACES_MAX)
			str_copy(b->drive.namespaces[b->drive.n_namespaces++],
				sizeof b->drive.namespaces[0], n->name);
	}
	if (bytes)
		b->drive.capacity_bytes = count_of(bytes);
}

/* Dead if all ways are, live if one is. */
static enum drive_state state_of(const struct look *r, const struct nv_controller *main)
{
	enum drive_state state = main->state;

	for (size_t i = 0; i < r->scan.n_controllers; i++) {
		const struct nv_controller *c = &r->scan.controllers[i];

		if (c->bay == main->bay && (c->state == DRIVE_LIVE || state == DRIVE_STATE_UNKNOWN))
			state = c->state;
	}
	return state;
}

/* The bay as it is before the drive is asked. */
static void add_bay(struct look *r, const struct found *f)
{
	const struct nv_controller *c = f->main;
	struct bay *b = snapshot_add_bay(r->out, f->bay);
	struct drive *d = &b->drive;

	b->present = TRI_YES;
	b->has_drive = true;
	if (f->slot) {
		str_copy(b->slot, sizeof b->slot, f->slot->name);
		snprintf(b->location, sizeof b->location, "slot %s, %s", f->slot->name, c->address);
	} else {
		str_copy(b->location, sizeof b->location, c->device[0] ? c->address : c->where);
	}
	str_copy(d->serial, sizeof d->serial, c->serial);
	str_copy(d->model, sizeof d->model, c->model);
	str_copy(d->firmware, sizeof d->firmware, c->firmware);
	str_copy(d->protocol, sizeof d->protocol, c->transport[0] && !str_same(c->transport, "pcie")
							  ? "NVMe-oF"
							  : "NVMe");
	str_copy(d->media_type, sizeof d->media_type, "SSD");
	str_copy(d->controller, sizeof d->controller, c->name);
	str_copy(d->pci_address, sizeof d->pci_address, c->address);
	nv_pci_way(c->device, d->pci_path, sizeof d->pci_path);
	d->state = state_of(r, c);
	add_paths(r, b, c);
	add_namespaces(r, b, c->bay);
	if (nv_pci_is_vmd_domain(c->address))
		b->notes |= NOTE_VMD_DOMAIN;
	drive_add_source(d, r->out->target.name);
}

/* Who built the machine; firmware that was never told says so in words that name nothing. */
static void read_machine(const struct nv_sysfs *s, struct target *t)
{
	static const char *const nothing[] = {"To Be Filled By O.E.M.", "Default string", "System Product Name",
		"System manufacturer", "Not Specified", "None"};
	char *texts[] = {t->vendor, t->product, t->firmware};
	char dir[NV_PATH_MAX];

	if (!nv_sysfs_resolve(s, "class/dmi/id", dir, sizeof dir))
		return;
	nv_sysfs_text(s, dir, "sys_vendor", t->vendor, sizeof t->vendor);
	nv_sysfs_text(s, dir, "product_name", t->product, sizeof t->product);
	nv_sysfs_text(s, dir, "bios_version", t->firmware, sizeof t->firmware);
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		for (size_t k = 0; k < sizeof nothing / sizeof nothing[0]; k++)
			if (str_same_nocase(texts[i], nothing[k]))
				texts[i][0] = '\0';
}

/* Gives the machine what is kept of the scan: the controllers that speak, in the order of the bays. */
static struct nv_machine *take_machine(struct look *r, struct snapshot *bays)
{
	struct nv_machine *m = mem_new(1, sizeof *m);

	m->scan = r->scan;
	r->scan = (struct nv_scan){0};
	m->base = *bays;
	*bays = (struct snapshot){0};
	m->voices = mem_new(r->n_found + 1, sizeof *m->voices);
	for (size_t i = 0; i < r->n_found; i++)
		m->voices[i] = r->found[i].main;
	return m;
}

struct nv_machine *nv_machine_read(const struct nv_sysfs *s, const struct target *t, struct err *e)
{
	struct snapshot bays;
	struct look r = {.sysfs = s, .out = &bays};
	struct nv_machine *m = NULL;

	snapshot_init(&bays, t->name, t->kind, t->host);
	if (s->kept)
		nv_kept_next_scan(s->kept);
	if (nv_scan_read(s, &r.scan, e))
		goto out;
	read_machine(s, &bays.target);
	nv_slots_read(s, &r.slots);
	find_drives(&r);
	place_namespaces(&r);
	for (size_t i = 0; i < r.n_found; i++)
		r.found[i].slot = slot_of(&r, &r.found[i]);
	for (size_t i = 0; i < r.n_found; i++)
		name_bay(&r, &r.found[i]);
	for (size_t i = 0; i < r.n_found; i++)
		add_bay(&r, &r.found[i]);
	m = take_machine(&r, &bays);
out:
	free(r.found);
	nv_slots_release(&r.slots);
	nv_scan_release(&r.scan);
	snapshot_release(&bays);
	return m;
}

void nv_machine_free(struct nv_machine *m)
{
	if (!m)
		return;
	free(m->voices);
	nv_scan_release(&m->scan);
	snapshot_release(&m->base);
	free(m);
}

static void put_hop(const struct hop *h, struct snapshot *out)
{
	struct hop *mine = snapshot_add_hop(out, h->at);

	mine->link = h->link;
	for (size_t i = 0; i < h->n_shared; i++)
		hop_add_shared(mine, h->shared_by[i]);
}

void nv_machine_put(const struct nv_machine *m, struct snapshot *out)
{
	const struct target *t = &m->base.target;

	str_copy(out->target.vendor, sizeof out->target.vendor, t->vendor);
	str_copy(out->target.product, sizeof out->target.product, t->product);
	str_copy(out->target.firmware, sizeof out->target.firmware, t->firmware);
	for (size_t i = 0; i < m->base.n_bays; i++) {
		struct bay *b = snapshot_add_bay(out, m->base.bays[i].bay);
		int64_t observed_wall_ms = b->observed_wall_ms;

		*b = m->base.bays[i];
		b->observed_wall_ms = observed_wall_ms;
	}
	for (size_t i = 0; i < m->base.n_hops; i++)
		put_hop(&m->base.hops[i], out);
}
