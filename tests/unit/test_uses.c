/* SPDX-License-Identifier: MIT */
/* What lies on a drive: holders of sysfs, mounts, swap, and signatures of what is not active. */
#include "collectors/nvme/uses.h"
#include "base/str.h"
#include "tests/unit/sysfs_tree.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

static struct tree t;
static struct snapshot snap;
static char where[3][96];

/* A block device, and what holds it. Partitions lie in the folder of their disk. */
static void device(const char *path, const char *dev)
{
	char name[192], target[192];

	snprintf(name, sizeof name, "sys/devices/%s/dev", path);
	tree_file(&t, name, dev);
	snprintf(name, sizeof name, "sys/class/block/%s", nv_path_last(path));
	snprintf(target, sizeof target, "../../devices/%s", path);
	tree_link(&t, name, target);
}

static void attribute(const char *path, const char *text)
{
	char name[192];

	snprintf(name, sizeof name, "sys/devices/%s", path);
	tree_file(&t, name, text);
}

static void holder(const char *path, const char *name)
{
	char link[192], target[192];

	snprintf(link, sizeof link, "sys/devices/%s/holders/%s", path, name);
	snprintf(target, sizeof target, "../../../../class/block/%s", name);
	tree_link(&t, link, target);
}

/* A disk with two partitions. */
static void setup(void)
{
	struct bay *b;

	t = tree_make();
	device("d/nvme0n1", "259:0");
	device("d/nvme0n1/nvme0n1p1", "259:1");
	attribute("d/nvme0n1/nvme0n1p1/partition", "1");
	device("d/nvme0n1/nvme0n1p2", "259:2");
	attribute("d/nvme0n1/nvme0n1p2/partition", "2");
	attribute("d/nvme0n1/nvme0n1-of-nobody/dev", "259:9"); /* no partition */
	snprintf(where[0], sizeof where[0], "%s/mountinfo", t.dir);
	snprintf(where[1], sizeof where[1], "%s/swaps", t.dir);
	snprintf(where[2], sizeof where[2], "%s/udev", t.dir);
	tree_file(&t, "swaps", "Filename\tType\tSize\tUsed\tPriority\n");
	snapshot_init(&snap, "os", TARGET_NVME, "srv");
	b = snapshot_add_bay(&snap, "1");
	b->has_drive = true;
	b->drive.n_namespaces = 1;
	str_copy(b->drive.namespaces[0], sizeof b->drive.namespaces[0], "nvme0n1");
}

/* "mount nvme0n1p1 (ext4) on /; ..." */
static const char *found(char *out, size_t size)
{
	const struct nv_uses_from from = {where[0], where[1], where[2]};
	const struct drive *d = &snap.bays[0].drive;
	struct nv_sysfs s;
	size_t n = 0;

	ck_assert_int_eq(nv_sysfs_open(&s, t.sys, NULL), 0);
	nv_uses_read(&s, &from, &snap);
	nv_sysfs_close(&s);
	ck_assert(d->uses_known);
	out[0] = '\0';
	for (size_t i = 0; i < d->n_uses && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s %s (%s) on %s", i ? "; " : "", use_kind_word(d->uses[i].kind), d->uses[i].name,
			d->uses[i].detail, d->uses[i].mount);
	return out;
}

static void finds(const char *want)
{
	char got[1024];

	ck_assert_str_eq(found(got, sizeof got), want);
	snapshot_release(&snap);
	tree_remove(&t);
}

START_TEST(file_systems_of_partitions_are_told_by_their_mounts)
{
	setup();
	tree_file(&t, "mountinfo",
		"22 1 259:2 / /var/lib/long/bind rw - ext4 /dev/nvme0n1p2 rw\n"
		"23 1 259:2 / / rw,relatime shared:1 master:2 - ext4 /dev/nvme0n1p2 rw\n"
		"24 23 259:1 / /boot/my\\040efi rw - vfat /dev/nvme0n1p1 rw\n"
		"25 23 0:30 / /tank rw - zfs tank/data rw\n"
		"26 cut");
	finds("mount nvme0n1p1 (vfat) on /boot/my efi; mount nvme0n1p2 (ext4) on /");
}
END_TEST

START_TEST(an_array_is_told_with_level_members_and_what_is_missing)
{
	setup();
	tree_file(&t, "mountinfo", "24 23 9:0 / /boot rw - xfs /dev/md0 rw\n");
	device("v/md0", "9:0");
	attribute("v/md0/md/level", "raid1");
	attribute("v/md0/md/raid_disks", "2");
	attribute("v/md0/md/degraded", "1");
	holder("d/nvme0n1/nvme0n1p1", "md0");
	device("v/md1", "9:1");
	attribute("v/md1/md/level", "raid10");
	attribute("v/md1/md/raid_disks", "4");
	attribute("v/md1/md/degraded", "0");
	holder("d/nvme0n1/nvme0n1p2", "md1");
	finds("md md0 (raid1, 1 of 2 missing) on /boot; md md1 (raid10 of 4) on ");
}
END_TEST

START_TEST(volumes_on_crypt_on_an_array_are_all_told_and_inner_parts_are_not)
{
	setup();
	tree_file(&t, "mountinfo", "24 23 253:1 / / rw - ext4 /dev/mapper/x rw\n");
	tree_file(&t, "swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/dm-2                partition\t100\t0\t-2\n");
	device("v/dm-0", "253:0");
	attribute("v/dm-0/dm/name", "secret");
	attribute("v/dm-0/dm/uuid", "CRYPT-LUKS2-0123456789abcdef-secret");
	device("v/dm-1", "253:1");
	attribute("v/dm-1/dm/name", "ubuntu--vg-ubuntu--lv");
	attribute("v/dm-1/dm/uuid", "LVM-AAAABBBB");
	device("v/dm-2", "253:2");
	attribute("v/dm-2/dm/name", "vg-swap-1");
	attribute("v/dm-2/dm/uuid", "LVM-CCCC");
	device("v/dm-3", "253:3");
	attribute("v/dm-3/dm/name", "vg-thin_tdata");
	attribute("v/dm-3/dm/uuid", "LVM-DDDD-tdata");
	holder("d/nvme0n1/nvme0n1p2", "dm-0");
	holder("v/dm-0", "dm-1");
	holder("v/dm-0", "dm-2");
	holder("v/dm-0", "dm-3");
	finds("crypt secret (LUKS2) on ; lvm ubuntu-vg/ubuntu-lv () on /; lvm vg/swap-1 () on [swap]");
}
END_TEST

START_TEST(swap_and_signatures_of_what_is_not_active_are_told)
{
	setup();
	tree_file(&t, "swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/nvme0n1p1 partition 1 0 -2\n");
	tree_file(&t, "udev/b259:2", "S:disk/by-id/x\nE:ID_FS_LABEL=tank\nE:ID_FS_TYPE=zfs_member\n");
	finds("swap nvme0n1p1 () on [swap]; member tank (zfs_member) on ");
}
END_TEST

START_TEST(where_nothing_is_found_nothing_is_said)
{
	setup();
	finds("");
}
END_TEST

START_TEST(holders_in_a_ring_or_without_end_are_left_after_some)
{
	char name[32], up[32];

	setup();
	device("v/dm-0", "253:0");
	holder("d/nvme0n1", "dm-0");
	holder("v/dm-0", "dm-0");
	holder("d/nvme0n1", "dm-99"); /* leads nowhere */
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "v/loop%d", i);
		snprintf(up, sizeof up, "loop%d", i + 1);
		device(name, "7:0");
		holder(name, up);
	}
	holder("d/nvme0n1/nvme0n1p1", "loop0");
	finds("dm dm-0 () on ; other loop0 () on ; other loop1 () on ; other loop2 () on ; other loop3 () on ; other loop4 () on ");
}
END_TEST

START_TEST(a_drive_whose_devices_are_not_here_was_not_looked_at)
{
	const struct nv_uses_from from = {NULL, NULL, NULL};
	struct nv_sysfs s;

	setup();
	str_copy(snap.bays[0].drive.namespaces[0], sizeof snap.bays[0].drive.namespaces[0], "nvme7n1");
	ck_assert_int_eq(nv_sysfs_open(&s, t.sys, NULL), 0);
	nv_uses_read(&s, &from, &snap);
	nv_sysfs_close(&s);
	ck_assert(!snap.bays[0].drive.uses_known);
	snapshot_release(&snap);
	tree_remove(&t);
}
END_TEST

UNIT_MAIN("uses", file_systems_of_partitions_are_told_by_their_mounts, an_array_is_told_with_level_members_and_what_is_missing,
	volumes_on_crypt_on_an_array_are_all_told_and_inner_parts_are_not, swap_and_signatures_of_what_is_not_active_are_told,
	where_nothing_is_found_nothing_is_said, holders_in_a_ring_or_without_end_are_left_after_some,
	a_drive_whose_devices_are_not_here_was_not_looked_at)
