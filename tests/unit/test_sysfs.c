/* SPDX-License-Identifier: MIT */
/* Reading below one root: links stay inside, files are bounded, what is missing is not there. */
#include "collectors/nvme/pci.h"
#include "collectors/nvme/sysfs.h"
#include "tests/unit/sysfs_tree.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

static struct tree t;
static struct nv_sysfs s;

static void setup(void)
{
	t = tree_make();
	ck_assert_int_eq(nv_sysfs_open(&s, t.sys, NULL), 0);
}

static void teardown(void)
{
	nv_sysfs_close(&s);
	tree_remove(&t);
}

static const char *resolved(const char *path)
{
	static char out[NV_PATH_MAX];

	return nv_sysfs_resolve(&s, path, out, sizeof out) ? out : "none";
}

START_TEST(a_link_is_followed_and_the_way_has_none_left)
{
	setup();
	tree_file(&t, "sys/devices/a/b/serial", " X1 ");
	tree_link(&t, "sys/class/nvme/nvme0", "../../devices/a/b");
	tree_link(&t, "sys/devices/a/b/device", "../..");
	ck_assert_str_eq(resolved("class/nvme/nvme0"), "devices/a/b");
	ck_assert_str_eq(resolved("class/nvme/nvme0/device/a"), "devices/a");
	ck_assert_str_eq(resolved("class/nvme/nvme0/serial"), "devices/a/b/serial");
	ck_assert_str_eq(resolved("class//nvme/./nvme0/"), "devices/a/b");
	ck_assert_str_eq(resolved("class/nvme/nvme1"), "none");
	teardown();
}
END_TEST

START_TEST(no_link_and_no_dots_lead_out_of_the_root)
{
	char text[64];

	setup();
	tree_file(&t, "secret", "outside");
	tree_link(&t, "sys/up", "../secret");
	tree_link(&t, "sys/far", "/etc/passwd");
	tree_link(&t, "sys/a/b/c", "../../../../../../../../etc/passwd");
	tree_link(&t, "sys/folder", "/etc");
	ck_assert_str_eq(resolved("up"), "none");
	ck_assert_str_eq(resolved("far"), "none");
	ck_assert_str_eq(resolved("a/b/c"), "none");
	ck_assert_str_eq(resolved("../secret"), "none");
	ck_assert(!nv_sysfs_text(&s, "", "up", text, sizeof text));
	ck_assert(!nv_sysfs_text(&s, "", "far", text, sizeof text));
	ck_assert_str_eq(text, "");
	teardown();
}
END_TEST

START_TEST(an_absolute_link_starts_at_the_root_of_the_tree)
{
	setup();
	tree_file(&t, "sys/devices/x/state", "live");
	tree_link(&t, "sys/abs", "/devices/x");
	ck_assert_str_eq(resolved("abs/state"), "devices/x/state");
	teardown();
}
END_TEST

START_TEST(links_that_go_in_a_circle_end)
{
	char path[600] = "";

	setup();
	tree_link(&t, "sys/a", "b");
	tree_link(&t, "sys/b", "a");
	tree_link(&t, "sys/deep", "deep/deep");
	ck_assert_str_eq(resolved("a"), "none");
	ck_assert_str_eq(resolved("deep"), "none");
	memset(path, 'x', sizeof path - 1);
	ck_assert_str_eq(resolved(path), "none");
	teardown();
}
END_TEST

START_TEST(a_file_that_is_too_large_is_cut_and_text_is_cleaned)
{
	char big[9000], text[16], bytes[64];

	setup();
	memset(big, 'y', sizeof big);
	tree_bytes(&t, "sys/big", big, sizeof big);
	tree_bytes(&t, "sys/nul", "AB\0\0 \n", 6);
	tree_bytes(&t, "sys/escape", "\033[31mred\n", 9);
	tree_bytes(&t, "sys/empty", "", 0);
	ck_assert_int_eq(nv_sysfs_bytes(&s, "", "big", bytes, sizeof bytes), sizeof bytes - 1);
	ck_assert(nv_sysfs_text(&s, "", "big", text, sizeof text));
	ck_assert_uint_eq(strlen(text), sizeof text - 1);
	ck_assert(nv_sysfs_text(&s, "", "nul", text, sizeof text));
	ck_assert_str_eq(text, "AB");
	ck_assert(nv_sysfs_text(&s, "", "escape", text, sizeof text));
	ck_assert_str_eq(text, "?[31mred");
	ck_assert(!nv_sysfs_text(&s, "", "empty", text, sizeof text));
	ck_assert(!nv_sysfs_text(&s, "", "class", text, sizeof text)); /* a folder */
	teardown();
}
END_TEST

START_TEST(a_folder_is_listed_in_natural_order_through_its_link)
{
	struct nv_names n;

	setup();
	tree_folder(&t, "sys/real/nvme10");
	tree_folder(&t, "sys/real/nvme2");
	tree_link(&t, "sys/way", "real");
	nv_sysfs_list(&s, "way", &n);
	ck_assert_uint_eq(n.n, 2);
	ck_assert_str_eq(n.names[0], "nvme2");
	ck_assert_str_eq(n.names[1], "nvme10");
	nv_names_release(&n);
	nv_sysfs_list(&s, "nowhere", &n);
	ck_assert_uint_eq(n.n, 0);
	teardown();
}
END_TEST

static size_t open_descriptors(void)
{
	struct nv_sysfs proc;
	struct nv_names n;
	size_t count;

	ck_assert_int_eq(nv_sysfs_open(&proc, "/proc/self", NULL), 0);
	nv_sysfs_list(&proc, "fd", &n);
	count = n.n;
	nv_names_release(&n);
	nv_sysfs_close(&proc);
	return count;
}

START_TEST(kept_descriptors_read_anew_follow_a_new_device_and_are_given_back)
{
	char text[64], path[64];
	size_t before;

	setup();
	before = open_descriptors();
	nv_sysfs_keep(&s);
	nv_kept_next_scan(s.kept);
	for (int i = 0; i < 20; i++) {
		snprintf(path, sizeof path, "sys/devices/d%d/state", i);
		tree_file(&t, path, "live");
		snprintf(path, sizeof path, "devices/d%d", i);
		ck_assert_str_eq(resolved(path), path);
		ck_assert(nv_sysfs_text(&s, path, "state", text, sizeof text));
	}
	ck_assert_uint_eq(open_descriptors(), before + 20);
	tree_file(&t, "sys/devices/d3/state", "dead"); /* the same file, written anew */
	ck_assert(nv_sysfs_text(&s, "devices/d3", "state", text, sizeof text));
	ck_assert_str_eq(text, "dead");
	nv_kept_next_scan(s.kept);
	ck_assert_uint_eq(open_descriptors(), before + 20);
	ck_assert(nv_sysfs_text(&s, "devices/d3", "state", text, sizeof text));
	nv_kept_next_scan(s.kept); /* only d3 was used */
	ck_assert_uint_eq(open_descriptors(), before + 1);
	ck_assert(!nv_sysfs_text(&s, "devices/d21", "state", text, sizeof text));
	nv_kept_next_scan(s.kept);
	nv_kept_next_scan(s.kept);
	ck_assert_uint_eq(open_descriptors(), before);
	teardown();
}
END_TEST

START_TEST(pci_addresses_are_told_from_other_names)
{
	static const char *const good[] = {"0000:41:00.0", "10000:e1:00.0", "ffff:FF:1f.7"};
	static const char *const bad[] = {"", "pci0000:40", "0000:41:00", "000:41:00.0", "0000:41:00.0x", "0000:4:00.0",
		"0000:41:0.0", "0000:41:00.00", "nvme0", "123456789:41:00.0"};

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		ck_assert_msg(nv_pci_is_address(good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_msg(!nv_pci_is_address(bad[i]), "%s", bad[i]);
	ck_assert(nv_pci_is_vmd_domain("10000:e1:00.0"));
	ck_assert(!nv_pci_is_vmd_domain("0000:e1:00.0"));
	ck_assert(!nv_pci_is_vmd_domain("ffff:e1:00.0"));
}
END_TEST

START_TEST(the_way_up_ends_at_a_root_bus_also_behind_vmd)
{
	char path[NV_PATH_MAX] = "devices/pci0000:16/0000:16:00.5/pci10000:e0/10000:e0:02.0/10000:e1:00.0";

	ck_assert(nv_pci_up(path));
	ck_assert_str_eq(nv_path_last(path), "10000:e0:02.0");
	ck_assert(!nv_pci_up(path));
}
END_TEST

UNIT_MAIN("sysfs", a_link_is_followed_and_the_way_has_none_left, no_link_and_no_dots_lead_out_of_the_root,
	an_absolute_link_starts_at_the_root_of_the_tree, links_that_go_in_a_circle_end,
	a_file_that_is_too_large_is_cut_and_text_is_cleaned,
	a_folder_is_listed_in_natural_order_through_its_link,
	kept_descriptors_read_anew_follow_a_new_device_and_are_given_back, pci_addresses_are_told_from_other_names,
	the_way_up_ends_at_a_root_bus_also_behind_vmd)
