/* SPDX-License-Identifier: MIT */
/*
 * Text of sysfs attributes: each line of the input becomes one file of a small tree (a switch with
 * one drive), "\0" and all; an empty line leaves the file out.  Whatever they say, a drive is found
 * and nothing impossible is shown.
 */
#include "collectors/nvme/drives.h"
#include "collectors/nvme/uses.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/sysfs_tree.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PORT "sys/devices/pci0000:40/0000:40:01.1"
#define UPPER PORT "/0000:41:00.0"
#define LOWER UPPER "/0000:42:00.0"
#define DRIVE LOWER "/0000:43:00.0"
#define DM "sys/devices/virtual/block/dm-0"
#define MD "sys/devices/virtual/block/md0"

static const char *const files[] = {
	DRIVE "/current_link_speed", DRIVE "/current_link_width", DRIVE "/max_link_speed", DRIVE "/max_link_width",
	LOWER "/current_link_speed", LOWER "/current_link_width", LOWER "/max_link_speed", LOWER "/max_link_width",
	UPPER "/current_link_speed", UPPER "/current_link_width", UPPER "/max_link_speed", UPPER "/max_link_width",
	PORT "/current_link_speed", PORT "/current_link_width", PORT "/max_link_speed", PORT "/max_link_width",
	DRIVE "/nvme/nvme0/serial", DRIVE "/nvme/nvme0/model", DRIVE "/nvme/nvme0/state",
	DRIVE "/nvme/nvme0/transport", DRIVE "/nvme/nvme0/address", DRIVE "/nvme/nvme0/nvme0n1/size",
	DRIVE "/nvme/nvme0/nvme0n1/inflight", DRIVE "/nvme/nvme0/nvme0n1/stat", DRIVE "/power_state",
	DRIVE "/aer_dev_correctable", LOWER "/aer_dev_correctable", LOWER "/aer_rootport_total_err_cor",
	UPPER "/removable", "sys/bus/pci/slots/7/address",
	DRIVE "/nvme/nvme0/nvme0n1/dev", DRIVE "/nvme/nvme0/nvme0n1/queue/iostats", DRIVE "/nvme/nvme0/nvme0n1/diskseq",
	DM "/dev", DM "/dm/name", DM "/dm/uuid", MD "/dev", MD "/md/level", MD "/md/raid_disks", MD "/md/degraded",
	"mountinfo", "swaps", "udev/b259:0",
};

static struct tree tree;

/* What stands in a file, so that only what differs is written. */
static struct content {
	size_t len;
	uint8_t bytes[4096];
} contents[sizeof files / sizeof files[0]];

static void remove_tree(void)
{
	tree_remove(&tree);
}

static void make_tree(void)
{
	tree = tree_make();
	tree_folder(&tree, DRIVE "/nvme/nvme0");
	tree_link(&tree, DRIVE "/nvme/nvme0/device", "../..");
	tree_link(&tree, "sys/class/nvme/nvme0", "../../" "devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:00.0/"
						"0000:43:00.0/nvme/nvme0");
	tree_link(&tree, "sys/class/block/nvme0n1", "../../" "devices/pci0000:40/0000:40:01.1/0000:41:00.0/0000:42:00.0/"
						"0000:43:00.0/nvme/nvme0/nvme0n1");
	tree_link(&tree, "sys/class/block/dm-0", "../../devices/virtual/block/dm-0");
	tree_link(&tree, "sys/class/block/md0", "../../devices/virtual/block/md0");
	tree_link(&tree, DRIVE "/nvme/nvme0/nvme0n1/holders/md0", "x");
	tree_link(&tree, MD "/holders/dm-0", "x");
	atexit(remove_tree);
}

static void put_files(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
		size_t len = end ? (size_t)(end - data) : size;
		char path[512];

		if (len <= sizeof contents[i].bytes && len == contents[i].len &&
			memcmp(contents[i].bytes, data, len) == 0) {
			/* as it was */
		} else if (len) {
			tree_bytes(&tree, files[i], data, len);
		} else {
			snprintf(path, sizeof path, "%s/%s", tree.dir, files[i]);
			unlink(path);
		}
		contents[i].len = len <= sizeof contents[i].bytes ? len : (size_t)-1;
		if (len && len <= sizeof contents[i].bytes)
			memcpy(contents[i].bytes, data, len);
		len += end != NULL;
		data += len;
		size -= len;
	}
}

static void check_link(const struct pcie_link *l)
{
	assert(!l->now.speed_mtps || pcie_generation(l->now.speed_mtps));
	assert(pcie_width_from_int(l->now.width_lanes) == l->now.width_lanes);
	assert(!l->max.speed_mtps || l->now.speed_mtps <= l->max.speed_mtps);
}

static void look_at_uses(const struct nv_sysfs *sys, struct snapshot *s)
{
	char mountinfo[96], swaps[96], udev[96];
	const struct nv_uses_from from = {mountinfo, swaps, udev};
	const struct drive *d = &s->bays[0].drive;

	snprintf(mountinfo, sizeof mountinfo, "%s/mountinfo", tree.dir);
	snprintf(swaps, sizeof swaps, "%s/swaps", tree.dir);
	snprintf(udev, sizeof udev, "%s/udev", tree.dir);
	nv_uses_read(sys, &from, s);
	assert(d->n_uses <= DRIVE_USES_MAX && (d->uses_known || !d->n_uses));
	for (size_t i = 0; i < d->n_uses; i++)
		assert(use_kind_word(d->uses[i].kind) && d->uses[i].name[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct snapshot s;
	struct nv_sysfs sys;

	if (!tree.dir[0])
		make_tree();
	put_files(data, size);
	snapshot_init(&s, "host", TARGET_NVME, "h");
	assert(nv_sysfs_open(&sys, tree.sys, NULL) == 0);
	nv_drives_read(&sys, NULL, NULL, 0, NULL, &s);
	assert(s.n_bays == 1 && s.bays[0].bay[0]);
	look_at_uses(&sys, &s);
	nv_sysfs_close(&sys);
	assert(!s.bays[0].io.known || s.bays[0].io.at_mono_ms >= 0);
	check_link(&s.bays[0].link);
	for (size_t i = 0; i < s.n_hops; i++)
		check_link(&s.hops[i].link);
	snapshot_release(&s);
	return 0;
}
