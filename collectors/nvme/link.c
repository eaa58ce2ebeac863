/* SPDX-License-Identifier: MIT */
/* link: see link.h. */
#include "collectors/nvme/link.h"
#include "base/str.h"
#include "collectors/nvme/pci.h"

#include <stdio.h>

/* Files of one rate. */
struct rate_files {
	const char *speed, *width;
};

static const struct rate_files now_files = {"current_link_speed", "current_link_width"};
static const struct rate_files max_files = {"max_link_speed", "max_link_width"};

struct reading {
	struct pcie_rate rate;
	char speed[32], width[32]; /* as the kernel spells them, "" where there is none */
	bool placeholder;
};

/* A missing field voids itself; a placeholder voids its neighbour as well. */
static struct reading read_rate(const struct nv_sysfs *s, const char *dir, const struct rate_files *f)
{
	struct reading r = {0};
	bool speed_there = nv_sysfs_text(s, dir, f->speed, r.speed, sizeof r.speed);
	bool width_there = nv_sysfs_text(s, dir, f->width, r.width, sizeof r.width);

	r.rate.speed_mtps = pcie_speed_parse(r.speed);
	r.rate.width_lanes = pcie_width_parse(r.width);
	r.placeholder = (speed_there && !r.rate.speed_mtps) || (width_there && !r.rate.width_lanes);
	if (r.placeholder)
		r.rate = (struct pcie_rate){0};
	return r;
}

static bool there(const struct reading *r)
{
	return r->speed[0] || r->width[0];
}

static bool differ(struct pcie_rate a, struct pcie_rate b)
{
	return (a.speed_mtps && b.speed_mtps && a.speed_mtps != b.speed_mtps) ||
	       (a.width_lanes && b.width_lanes && a.width_lanes != b.width_lanes);
}

static void from(char *out, size_t size, const char *device, const struct rate_files *f)
{
	snprintf(out, size, "/sys/bus/pci/devices/%s/%s", nv_path_last(device), f->speed);
}

static void keep_raw(struct pcie_link *l, const char *end, const struct rate_files *f, const struct reading *r)
{
	char name[48];

	if (r->speed[0]) {
		snprintf(name, sizeof name, "%s%s", end, f->speed);
		pcie_link_add_raw(l, name, r->speed);
	}
	if (r->width[0]) {
		snprintf(name, sizeof name, "%s%s", end, f->width);
		pcie_link_add_raw(l, name, r->width);
	}
}

static bool sleeps(const struct nv_sysfs *s, const char *device)
{
	char text[32];

	if (nv_sysfs_text(s, device, "power_state", text, sizeof text) &&
		(str_same(text, "D1") || str_same(text, "D2") || str_starts(text, "D3")))
		return true;
	return nv_sysfs_text(s, device, "power/runtime_status", text, sizeof text) &&
	       str_same(text, "suspended");
}

/* Both ends of a link; `port` may be "". */
static struct pcie_link read_ends(const struct nv_sysfs *s, const char *device, const char *port)
{
	struct pcie_link l = pcie_link_unknown();
	struct reading now = read_rate(s, device, &now_files), max = read_rate(s, device, &max_files);
	struct reading port_now = {0}, port_max = {0};

	if (port[0]) {
		port_now = read_rate(s, port, &now_files);
		port_max = read_rate(s, port, &max_files);
	}
	/* a link that trains between two reads looks like two links: look once more */
	if (differ(now.rate, port_now.rate)) {
		now = read_rate(s, device, &now_files);
		port_now = read_rate(s, port, &now_files);
	}
	keep_raw(&l, "", &now_files, &now);
	keep_raw(&l, "", &max_files, &max);
	keep_raw(&l, "port ", &now_files, &port_now);
	keep_raw(&l, "port ", &max_files, &port_max);
	if (there(&now))
		from(l.now_from, sizeof l.now_from, device, &now_files);
	if (there(&max))
		from(l.max_from, sizeof l.max_from, device, &max_files);
	if (there(&port_max))
		from(l.slot_from, sizeof l.slot_from, port, &max_files);
	l.now = now.rate;
	l.max = max.rate;
	l.slot = port_max.rate;
	if (now.placeholder) {
		l.doubt = REASON_PLACEHOLDER;
	} else if (differ(now.rate, port_now.rate)) {
		l.now = (struct pcie_rate){0};
		l.doubt = REASON_CONTRADICTORY;
	} else if (!there(&now)) {
		l.doubt = REASON_NOT_REPORTED;
	}
	pcie_link_check(&l);
	return l;
}

struct pcie_link nv_link_read(const struct nv_sysfs *s, const char *device)
{
	char port[NV_PATH_MAX];
	struct pcie_link l;

	str_copy(port, sizeof port, device);
	if (!nv_pci_up(port))
		port[0] = '\0';
	l = read_ends(s, device, port);
	l.power_saving_said = sleeps(s, device);
	nv_aer_read(s, device, port, true, &l);
	return l;
}

static struct hop *find_hop(struct snapshot *s, const char *at)
{
	for (size_t i = 0; i < s->n_hops; i++)
		if (str_same(s->hops[i].at, at))
			return &s->hops[i];
	return NULL;
}

/*
 * A tunnel shows itself as 2.5 GT/s whatever it carries (USB4 specification 2.0, section 11.1);
 * no real uplink ends in 2.5 GT/s ports with faster ones behind it.  Where the kernel knows an
 * outward port (5.14 and later) it says so of all that is behind it.
 */
static bool tunnelled(const struct nv_sysfs *s, const char *device, const struct pcie_link *l, int below_mtps)
{
	char text[16];

	if (nv_sysfs_text(s, device, "removable", text, sizeof text) && str_same(text, "removable"))
		return true;
	return below_mtps > 2500 && (l->max.speed_mtps == 2500 || l->slot.speed_mtps == 2500);
}

static void add_hop(const struct nv_sysfs *s, const char *upper, const char *port, int below_mtps,
	const char *bay, struct snapshot *out)
{
	struct hop *h = find_hop(out, nv_path_last(upper));
	struct pcie_link l;

	if (h) {
		hop_add_shared(h, bay);
		return;
	}
	l = read_ends(s, upper, port);
	if (l.n_raw == 0)
		return; /* a bridge without PCIe capability is no hop */
	if (tunnelled(s, upper, &l, below_mtps)) {
		l.now = l.max = l.slot = (struct pcie_rate){0};
		l.doubt = REASON_PLACEHOLDER;
	}
	nv_aer_read(s, upper, port, false, &l);
	h = snapshot_add_hop(out, nv_path_last(upper));
	h->link = l;
	hop_add_shared(h, bay);
}

void nv_link_read_hops(const struct nv_sysfs *s, const char *device, const char *bay, struct snapshot *out)
{
	char upper[NV_PATH_MAX], port[NV_PATH_MAX];
	int below;

	/* the way up: drive, port, then always an upper port of a switch and the port above that */
	str_copy(port, sizeof port, device);
	if (!nv_pci_up(port))
		return;
	below = read_rate(s, port, &max_files).rate.speed_mtps;
	for (str_copy(upper, sizeof upper, port); nv_pci_up(upper); str_copy(upper, sizeof upper, port)) {
		str_copy(port, sizeof port, upper);
		if (!nv_pci_up(port)) {
			add_hop(s, upper, "", below, bay, out);
			return;
		}
		add_hop(s, upper, port, below, bay, out);
	}
}
