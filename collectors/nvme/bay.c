/* SPDX-License-Identifier: MIT */
/* bay: see bay.h. */
#include "collectors/nvme/bay.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/*
 * pciehp names a slot by the number in its port's Slot Capabilities, 13 bits; all ones (8191, and
 * 8191-1 for the next) is a port that was given no number.
 */
static bool numbered(const char *name)
{
	return !str_same(name, "8191") && !str_starts(name, "8191-");
}

void nv_slots_read(const struct nv_sysfs *s, struct nv_slots *out)
{
	struct nv_names names;
	struct nv_slot slot;
	char dir[NV_PATH_MAX];

	*out = (struct nv_slots){0};
	nv_sysfs_list(s, "bus/pci/slots", &names);
	for (size_t i = 0; i < names.n; i++) {
		if (!numbered(names.names[i]) ||
			!nv_path_join(dir, sizeof dir, "bus/pci/slots", names.names[i]) ||
			!nv_sysfs_resolve(s, dir, dir, sizeof dir) ||
			!nv_sysfs_text(s, dir, "address", slot.address, sizeof slot.address))
			continue;
		str_clean(slot.name, sizeof slot.name, names.names[i]);
		out->items = mem_grow(out->items, out->n, sizeof *out->items);
		out->items[out->n++] = slot;
	}
	nv_names_release(&names);
}

void nv_slots_release(struct nv_slots *slots)
{
	free(slots->items);
	*slots = (struct nv_slots){0};
}

/* A slot is a device; some kernels give a function a slot of its own, and its address all digits. */
const struct nv_slot *nv_slots_find(const struct nv_slots *slots, const char *device)
{
	char path[NV_PATH_MAX], address[NV_ADDRESS_MAX];

	str_copy(path, sizeof path, device);
	do {
		if (!nv_pci_without_function(nv_path_last(path), address, sizeof address))
			return NULL;
		for (size_t i = 0; i < slots->n; i++)
			if (str_same_nocase(slots->items[i].address, address) ||
				str_same_nocase(slots->items[i].address, nv_path_last(path)))
				return &slots->items[i];
	} while (nv_pci_up(path));
	return NULL;
}

bool nv_slots_has(const struct nv_slots *slots, const char *name)
{
	for (size_t i = 0; i < slots->n; i++)
		if (str_same(slots->items[i].name, name))
			return true;
	return false;
}
