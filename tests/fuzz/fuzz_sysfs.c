/* SPDX-License-Identifier: MIT */
/*
 * Text of sysfs attributes: each line of the input becomes one file of a small tree (a switch with
 * one drive), "\0" and all; an empty line leaves the file out.  Whatever they say, a drive is found
 * and nothing impossible is shown.
 */
#include "collectors/nvme/drives.h"
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
	nv_sysfs_close(&sys);
	assert(s.n_bays == 1 && s.bays[0].bay[0]);
	check_link(&s.bays[0].link);
	for (size_t i = 0; i < s.n_hops; i++)
		check_link(&s.hops[i].link);
	snapshot_release(&s);
	return 0;
}
