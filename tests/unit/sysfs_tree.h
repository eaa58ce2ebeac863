/* SPDX-License-Identifier: MIT */
/*
 * sysfs_tree: makes small sysfs trees below a temporary folder, for tests of what reads them.
 * The folder is a recorded target: sys/ and nvme/ lie in it.
 */
#ifndef TESTS_UNIT_SYSFS_TREE_H
#define TESTS_UNIT_SYSFS_TREE_H

#include <stddef.h>
#include <stdint.h>

struct tree {
	char dir[64]; /* the target's folder */
	char sys[72]; /* dir/sys */
};

/* A port with an NVMe drive below it. Texts that are NULL are left out, names get defaults. */
struct tree_drive {
	const char *parent;	/* folder below /sys; NULL: devices/pci0000:40 */
	const char *port;	/* "0000:40:01.1" */
	const char *address;	/* "0000:41:00.0" */
	const char *name;	/* "nvme0" */
	const char *subsystem;	/* "nvme-subsys0"; NULL: none, and the namespace is the controller's */
	const char *serial, *model, *state, *transport;
	const char *speed, *width, *max_speed, *max_width;	/* of the drive */
	const char *port_speed, *port_width, *port_max_speed, *port_max_width;
	const char *namespace; /* "nvme0n1"; NULL: none */
	const char *slot;
};

/* A healthy Gen5 x4 drive: the start of most tests. */
#define TREE_GOOD                                                                        \
	.state = "live", .transport = "pcie", .model = "Acme X", .speed = "32.0 GT/s PCIe", .width = "4", \
	.max_speed = "32.0 GT/s PCIe", .max_width = "4", .port_speed = "32.0 GT/s PCIe",  \
	.port_width = "4", .port_max_speed = "32.0 GT/s PCIe", .port_max_width = "4"

struct tree tree_make(void);
void tree_remove(struct tree *t);

/* Paths are relative to the target's folder: "sys/block/x", "nvme/nvme0/smart.hex". */
void tree_file(const struct tree *t, const char *path, const char *text);
void tree_bytes(const struct tree *t, const char *path, const void *bytes, size_t len);
void tree_link(const struct tree *t, const char *path, const char *target);
void tree_folder(const struct tree *t, const char *path);
void tree_remove_path(const struct tree *t, const char *path); /* and all below it */
void tree_rename(const struct tree *t, const char *path, const char *to);	/* over what stands there */

void tree_add_drive(const struct tree *t, const struct tree_drive *d);

#endif
