/* SPDX-License-Identifier: MIT */
/* From a sysfs tree and pages to a snapshot: drives, links, bays, uplinks, health. */
#include "base/clock.h"
#include "collectors/nvme/drives.h"
#include "collectors/nvme/recording.h"
#include "tests/unit/sysfs_tree.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct tree t;
static struct snapshot snap;
static struct nv_drives *kept; /* NULL in most tests */

static void setup(void)
{
	t = tree_make();
	snapshot_init(&snap, "host", TARGET_NVME, "srv1");
}

static void read_tree(void)
{
	struct nv_sysfs sys, folder;

	ck_assert_int_eq(nv_sysfs_open(&sys, t.sys, NULL), 0);
	ck_assert_int_eq(nv_sysfs_open(&folder, t.dir, NULL), 0);
	nv_drives_read(&sys, &nv_recording_ops, &folder, 1000, kept, &snap);
	nv_sysfs_close(&sys);
	nv_sysfs_close(&folder);
}

static void teardown(void)
{
	snapshot_release(&snap);
	tree_remove(&t);
}

static const struct bay *bay(const char *name)
{
	for (size_t i = 0; i < snap.n_bays; i++)
		if (strcmp(snap.bays[i].bay, name) == 0)
			return &snap.bays[i];
	ck_abort_msg("no bay %s", name);
}

static void rate(struct pcie_rate r, int speed_mtps, int width_lanes)
{
	ck_assert_int_eq(r.speed_mtps, speed_mtps);
	ck_assert_int_eq(r.width_lanes, width_lanes);
}

static const struct tree_drive first = {.port = "0000:40:01.1", .address = "0000:41:00.0", .name = "nvme0",
	.serial = "SN0001", .slot = "1", .namespace = "nvme0n1", TREE_GOOD};

START_TEST(a_drive_is_found_in_its_slot_with_link_capacity_and_names)
{
	const struct bay *b;

	setup();
	tree_add_drive(&t, &first);
	read_tree();
	ck_assert_int_eq(snap.target.verdict, TARGET_OK);
	ck_assert_uint_eq(snap.n_bays, 1);
	b = bay("1");
	ck_assert_int_eq(b->present, TRI_YES);
	ck_assert(b->has_drive && b->pcie);
	ck_assert_str_eq(b->slot, "1");
	ck_assert_str_eq(b->drive.serial, "SN0001");
	ck_assert_str_eq(b->drive.controller, "nvme0");
	ck_assert_str_eq(b->drive.pci_address, "0000:41:00.0");
	ck_assert_int_eq(b->drive.state, DRIVE_LIVE);
	ck_assert_uint_eq(b->drive.n_namespaces, 1);
	ck_assert_str_eq(b->drive.namespaces[0], "nvme0n1");
	ck_assert(count_to_double(b->drive.capacity_bytes) == 7501476528.0 * 512);
	rate(b->link.now, 32000, 4);
	rate(b->link.max, 32000, 4);
	rate(b->link.slot, 32000, 4);
	ck_assert_str_eq(b->link.now_from, "/sys/bus/pci/devices/0000:41:00.0/current_link_speed");
	ck_assert_str_eq(b->link.slot_from, "/sys/bus/pci/devices/0000:40:01.1/max_link_speed");
	ck_assert_uint_eq(snap.n_hops, 0);
	ck_assert_uint_eq(b->drive.n_paths, 1);
	ck_assert_int_eq(b->wear_unread, REASON_NOT_REPORTED);
	ck_assert_int_eq(b->busy, TRI_UNKNOWN);
	teardown();
}
END_TEST

START_TEST(every_spelling_of_a_link_is_read_and_placeholders_void_their_pair)
{
	static const struct {
		const char *speed, *width;
		int speed_mtps, width_lanes;
		enum reason doubt;
	} rows[] = {
		{"2.5 GT/s", "4", 2500, 4, REASON_NONE},
		{"5 GT/s", "4", 5000, 4, REASON_NONE},
		{"8 GT/s", "2", 8000, 2, REASON_NONE},
		{"8.0 GT/s PCIe", "1", 8000, 1, REASON_NONE},
		{"16.0 GT/s PCIe", "4", 16000, 4, REASON_NONE},
		{"64.0 GT/s PCIe", "8", 64000, 8, REASON_NONE},
		{"Unknown", "4", 0, 0, REASON_PLACEHOLDER},
		{"Unknown speed", "4", 0, 0, REASON_PLACEHOLDER},
		{"32.0 GT/s PCIe", "0", 0, 0, REASON_PLACEHOLDER},
		{"32.0 GT/s PCIe", "63", 0, 0, REASON_PLACEHOLDER},
		{"32.0 GT/s PCIe", "255", 0, 0, REASON_PLACEHOLDER},
		{"32.0 GT/s PCIe", NULL, 32000, 0, REASON_NONE},
		{NULL, "4", 0, 4, REASON_NONE},
		{NULL, NULL, 0, 0, REASON_NOT_REPORTED},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct tree_drive d = first;

		d.speed = rows[i].speed;
		d.width = rows[i].width;
		d.max_speed = d.max_width = d.port_speed = d.port_width = d.port_max_speed = d.port_max_width = NULL;
		setup();
		tree_add_drive(&t, &d);
		read_tree();
		rate(bay("1")->link.now, rows[i].speed_mtps, rows[i].width_lanes);
		rate(bay("1")->link.max, 0, 0);
		ck_assert_int_eq(bay("1")->link.doubt, rows[i].doubt);
		teardown();
	}
}
END_TEST

START_TEST(two_ends_that_differ_or_a_link_above_its_maximum_are_no_reading)
{
	struct tree_drive d = first;

	d.speed = "16.0 GT/s PCIe";
	setup();
	tree_add_drive(&t, &d);
	read_tree();
	rate(bay("1")->link.now, 0, 0);
	ck_assert_int_eq(bay("1")->link.doubt, REASON_CONTRADICTORY);
	rate(bay("1")->link.max, 32000, 4);
	teardown();

	d = first;
	d.max_speed = "16.0 GT/s PCIe";
	setup();
	tree_add_drive(&t, &d);
	read_tree();
	rate(bay("1")->link.now, 0, 0);
	ck_assert_int_eq(bay("1")->link.doubt, REASON_CONTRADICTORY);
	teardown();
}
END_TEST

START_TEST(a_sleeping_device_says_so)
{
	static const struct {
		const char *file, *text;
		bool sleeps;
	} rows[] = {
		{"power_state", "D0", false},
		{"power_state", "D3hot", true},
		{"power_state", "D3cold", true},
		{"power_state", "D1", true},
		{"power_state", "unknown", false},
		{"power_state", "error", false},
		{"power/runtime_status", "suspended", true},
		{"power/runtime_status", "active", false},
		{"power/runtime_status", "unsupported", false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char path[256];

		setup();
		tree_add_drive(&t, &first);
		snprintf(path, sizeof path, "sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/%s", rows[i].file);
		tree_file(&t, path, rows[i].text);
		read_tree();
		ck_assert_msg(bay("1")->link.power_saving_said == rows[i].sleeps, "%s", rows[i].text);
		teardown();
	}
}
END_TEST

START_TEST(errors_of_both_ends_are_counted_and_a_root_port_knows_of_fatal_ones)
{
	const char *port = "sys/devices/pci0000:40/0000:40:01.1/";
	char path[256];
	uint64_t n;

	setup();
	tree_add_drive(&t, &first);
	snprintf(path, sizeof path, "%s0000:41:00.0/aer_dev_correctable", port);
	tree_file(&t, path, "RxErr 1\nBadTLP 2\nTOTAL_ERR_COR 3");
	snprintf(path, sizeof path, "%saer_dev_correctable", port);
	tree_file(&t, path, "RxErr 4\nTOTAL_ERR_COR 4");
	snprintf(path, sizeof path, "%s0000:41:00.0/aer_dev_fatal", port);
	tree_file(&t, path, "DLP 0\nTOTAL_ERR_FATAL 0");
	snprintf(path, sizeof path, "%saer_rootport_total_err_fatal", port);
	tree_file(&t, path, "1");
	read_tree();
	ck_assert(count_to_u64(bay("1")->link.aer_correctable, &n) && n == 7);
	ck_assert(count_to_u64(bay("1")->link.aer_fatal, &n) && n == 1);
	ck_assert(!bay("1")->link.aer_nonfatal.known);
	/* and each end alone, by kind */
	ck_assert(bay("1")->link.aer_device.kinds_known);
	ck_assert_uint_eq(bay("1")->link.aer_device.kinds[PCIE_RX_ERR], 1);
	ck_assert_uint_eq(bay("1")->link.aer_device.kinds[PCIE_BAD_TLP], 2);
	ck_assert_uint_eq(bay("1")->link.aer_port.kinds[PCIE_RX_ERR], 4);
	ck_assert(count_to_u64(bay("1")->link.aer_port.correctable, &n) && n == 4);
	ck_assert(!bay("1")->link.aer_port.fatal.known);
	teardown();
}
END_TEST

START_TEST(namespaces_belong_to_the_subsystem_and_not_to_the_number)
{
	struct tree_drive a = first, b = first;

	a.name = "nvme1", a.subsystem = "nvme-subsys0", a.namespace = "nvme0n1";
	b.name = "nvme0", b.subsystem = "nvme-subsys1", b.namespace = "nvme1n1";
	b.port = "0000:40:02.1", b.address = "0000:42:00.0", b.slot = "2", b.serial = "SN0002";
	setup();
	tree_add_drive(&t, &a);
	tree_add_drive(&t, &b);
	tree_file(&t, "sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/nvme/nvme1/nvme0c1n1/inflight", "  1  0");
	tree_file(&t, "sys/devices/pci0000:40/0000:40:02.1/0000:42:00.0/nvme/nvme0/nvme1c0n1/inflight", "  0  0");
	read_tree();
	ck_assert_uint_eq(snap.n_bays, 2);
	ck_assert_str_eq(bay("1")->drive.controller, "nvme1");
	ck_assert_uint_eq(bay("1")->drive.n_namespaces, 1);
	ck_assert_str_eq(bay("1")->drive.namespaces[0], "nvme0n1");
	ck_assert_int_eq(bay("1")->busy, TRI_YES);
	ck_assert_str_eq(bay("2")->drive.namespaces[0], "nvme1n1");
	ck_assert_int_eq(bay("2")->busy, TRI_NO);
	teardown();
}
END_TEST

/* Reads one drive whose block devices say this; NULL: the file is not there. */
static struct io_counters counters(const char *head, const char *path, const char *iostats)
{
	static const char at[] = "sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/nvme/nvme0";
	struct tree_drive a = first;
	struct io_counters io;
	char name[160];

	a.subsystem = "nvme-subsys0", a.namespace = "nvme0n1";
	setup();
	tree_add_drive(&t, &a);
	if (head)
		tree_file(&t, "sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/stat", head);
	if (iostats)
		tree_file(&t, "sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/queue/iostats", iostats);
	if (path) {
		snprintf(name, sizeof name, "%s/nvme0c0n1/stat", at);
		tree_file(&t, name, path);
	}
	read_tree();
	ck_assert_uint_eq(snap.n_bays, 1);
	io = snap.bays[0].io;
	teardown();
	return io;
}

START_TEST(bytes_are_counted_of_the_namespace_or_of_its_paths_where_it_stands_still)
{
	static const struct {
		const char *head, *path, *iostats;
		bool known;
		uint64_t read_bytes, written_bytes;
	} rows[] = {
		{"  1000 0 8000 5 20 0 160 1 0 77 6 0 0 0 0 0 0", NULL, "1", true, 8000 * 512, 160 * 512},
		{"  1000 0 8000 5 20 0 160 1 0 77 6", NULL, NULL, true, 8000 * 512, 160 * 512}, /* before 4.18 */
		{"  1000 0 8000 5 20 0 160 1 0 77 6 0 0 0 0 0 0", "1000 0 8008 5 20 0 160 1 0 77 6", "1", true, 8000 * 512, 160 * 512},
		{"0 0 0 0 0 0 0 0 0 0 0", "1000 0 8008 5 20 0 160 1 0 77 6", "1", true, 8008 * 512, 160 * 512},
		{"0 0 0 0 0 0 0 0 0 0 0", NULL, "1", true, 0, 0},
		{"0 0 0 0 0 0 0 0 0 0 0", NULL, "0", false, 0, 0}, /* told not to count: that is not 0 */
		{"1000 0 8000", NULL, "1", false, 0, 0},
		{"1000 0 -8000 5 20 0 160 1 0 77 6", NULL, "1", false, 0, 0},
		{"1000 0 18446744073709551616 5 20 0 160 1 0 77 6", NULL, "1", false, 0, 0},
		{"1000 0 18446744073709551615 5 20 0 160 1 0 77 6", NULL, "1", false, 0, 0},
		{"many words and no number", NULL, "1", false, 0, 0},
		{NULL, NULL, NULL, false, 0, 0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct io_counters io = counters(rows[i].head, rows[i].path, rows[i].iostats);

		ck_assert_msg(io.known == rows[i].known, "row %zu", i);
		if (!io.known)
			continue;
		ck_assert_msg(io.read_bytes == rows[i].read_bytes && io.written_bytes == rows[i].written_bytes, "row %zu: %llu %llu", i,
			(unsigned long long)io.read_bytes, (unsigned long long)io.written_bytes);
	}
}
END_TEST

START_TEST(two_controllers_of_one_subsystem_are_one_bay_with_the_worse_link)
{
	struct tree_drive a = first, b = first;

	a.subsystem = b.subsystem = "nvme-subsys0";
	b.name = "nvme1", b.port = "0000:80:01.1", b.address = "0000:81:00.0", b.slot = NULL, b.namespace = NULL;
	b.parent = "devices/pci0000:80";
	b.width = b.port_width = "2";
	setup();
	tree_add_drive(&t, &a);
	tree_add_drive(&t, &b);
	read_tree();
	ck_assert_uint_eq(snap.n_bays, 1);
	ck_assert_uint_eq(bay("1")->drive.n_paths, 2);
	ck_assert_str_eq(bay("1")->drive.paths[0].controller, "nvme0");
	ck_assert_str_eq(bay("1")->drive.paths[1].controller, "nvme1");
	ck_assert_str_eq(bay("1")->drive.paths[1].address, "0000:81:00.0");
	rate(bay("1")->link.now, 32000, 2);
	teardown();
}
END_TEST

START_TEST(one_way_that_lives_keeps_the_drive_alive)
{
	struct tree_drive a = first, b = first;

	a.subsystem = b.subsystem = "nvme-subsys0";
	a.state = "dead";
	b.name = "nvme1", b.port = "0000:40:02.1", b.address = "0000:42:00.0", b.slot = NULL, b.namespace = NULL;
	setup();
	tree_add_drive(&t, &a);
	tree_add_drive(&t, &b);
	read_tree();
	ck_assert_uint_eq(snap.n_bays, 1);
	ck_assert_int_eq(snap.bays[0].drive.state, DRIVE_LIVE);
	ck_assert_str_eq(snap.bays[0].bay, "1"); /* the slot of the other way */
	teardown();
}
END_TEST

START_TEST(a_virtual_function_has_the_link_of_its_physical_one)
{
	struct tree_drive a = first, b = first;

	a.subsystem = b.subsystem = "nvme-subsys0";
	b.name = "nvme1", b.address = "0000:41:00.1", b.speed = "Unknown", b.width = "0", b.slot = NULL;
	b.max_speed = "Unknown", b.max_width = "0", b.namespace = NULL;
	setup();
	tree_add_drive(&t, &a);
	tree_add_drive(&t, &b);
	tree_link(&t, "sys/devices/pci0000:40/0000:40:01.1/0000:41:00.1/physfn", "../0000:41:00.0");
	read_tree();
	ck_assert_uint_eq(snap.n_bays, 1);
	ck_assert_uint_eq(bay("1")->drive.n_paths, 1);
	ck_assert_str_eq(bay("1")->drive.controller, "nvme0");
	rate(bay("1")->link.now, 32000, 4);
	teardown();
}
END_TEST

START_TEST(a_lone_virtual_function_is_judged_by_the_physical_one)
{
	struct tree_drive d = first;

	d.address = "0000:41:00.2", d.speed = "Unknown", d.width = "0", d.max_speed = d.max_width = NULL;
	d.slot = NULL;
	setup();
	tree_add_drive(&t, &d);
	tree_file(&t, "sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/current_link_speed", "32.0 GT/s PCIe");
	tree_file(&t, "sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/current_link_width", "4");
	tree_link(&t, "sys/devices/pci0000:40/0000:40:01.1/0000:41:00.2/physfn", "../0000:41:00.0");
	read_tree();
	ck_assert_uint_eq(snap.n_bays, 1);
	rate(snap.bays[0].link.now, 32000, 4);
	ck_assert_str_eq(snap.bays[0].drive.pci_address, "0000:41:00.2");
	teardown();
}
END_TEST

START_TEST(an_uplink_is_told_once_with_the_bays_that_share_it)
{
	const char *up = "devices/pci0000:40/0000:40:01.1/0000:41:00.0";
	struct tree_drive a = first, b = first;
	char path[256];

	a.parent = b.parent = up;
	a.port = "0000:42:00.0", a.address = "0000:43:00.0";
	b.port = "0000:42:01.0", b.address = "0000:44:00.0", b.name = "nvme1", b.slot = "2", b.namespace = NULL;
	setup();
	tree_add_drive(&t, &a);
	tree_add_drive(&t, &b);
	for (int i = 0; i < 2; i++) {
		const char *dir = i ? up : "devices/pci0000:40/0000:40:01.1";

		snprintf(path, sizeof path, "sys/%s/current_link_speed", dir);
		tree_file(&t, path, "16.0 GT/s PCIe");
		snprintf(path, sizeof path, "sys/%s/current_link_width", dir);
		tree_file(&t, path, "8");
		snprintf(path, sizeof path, "sys/%s/max_link_speed", dir);
		tree_file(&t, path, i ? "16.0 GT/s PCIe" : "32.0 GT/s PCIe");
		snprintf(path, sizeof path, "sys/%s/max_link_width", dir);
		tree_file(&t, path, "16");
	}
	read_tree();
	ck_assert_uint_eq(snap.n_bays, 2);
	ck_assert_uint_eq(snap.n_hops, 1);
	ck_assert_str_eq(snap.hops[0].at, "0000:41:00.0");
	rate(snap.hops[0].link.now, 16000, 8);
	rate(snap.hops[0].link.max, 16000, 16);
	rate(snap.hops[0].link.slot, 32000, 16);
	ck_assert_uint_eq(snap.hops[0].n_shared, 2);
	ck_assert_str_eq(snap.hops[0].shared_by[0], "1");
	ck_assert_str_eq(snap.hops[0].shared_by[1], "2");
	rate(bay("1")->link.now, 32000, 4);
	teardown();
}
END_TEST

/* A drive in an outer box: root port, upper port of the box's bridge, its lower port, drive. */
static void add_box(const char *root_max, const char *upper_max, const char *removable)
{
	const char *up = "devices/pci0000:00/0000:00:07.0/0000:01:00.0";
	const char *const dirs[] = {"devices/pci0000:00/0000:00:07.0", up};
	struct tree_drive d = first;
	char path[256];

	d.parent = up;
	d.port = "0000:02:00.0", d.address = "0000:03:00.0", d.slot = NULL;
	d.speed = d.max_speed = d.port_speed = d.port_max_speed = "8.0 GT/s PCIe";
	tree_add_drive(&t, &d);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "sys/%s/current_link_speed", dirs[i]);
		tree_file(&t, path, "2.5 GT/s PCIe");
		snprintf(path, sizeof path, "sys/%s/current_link_width", dirs[i]);
		tree_file(&t, path, "4");
		snprintf(path, sizeof path, "sys/%s/max_link_speed", dirs[i]);
		tree_file(&t, path, i ? upper_max : root_max);
		snprintf(path, sizeof path, "sys/%s/max_link_width", dirs[i]);
		tree_file(&t, path, "4");
	}
	if (removable) {
		snprintf(path, sizeof path, "sys/%s/removable", up);
		tree_file(&t, path, removable);
	}
}

START_TEST(a_tunnelled_hop_is_not_known_and_the_drive_behind_it_is)
{
	static const struct {
		const char *root_max, *upper_max, *removable;
		bool known;
	} rows[] = {
		{"2.5 GT/s PCIe", "2.5 GT/s PCIe", NULL, false},
		{"2.5 GT/s PCIe", "16.0 GT/s PCIe", NULL, false},
		{"16.0 GT/s PCIe", "16.0 GT/s PCIe", "removable", false},
		{"16.0 GT/s PCIe", "16.0 GT/s PCIe", "fixed", true},
		{"16.0 GT/s PCIe", "16.0 GT/s PCIe", NULL, true},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		setup();
		add_box(rows[i].root_max, rows[i].upper_max, rows[i].removable);
		read_tree();
		ck_assert_uint_eq(snap.n_hops, 1);
		ck_assert_msg(pcie_link_known(&snap.hops[0].link) == rows[i].known, "row %zu", i);
		rate(bay("0000:03:00.0")->link.now, 8000, 4);
		teardown();
	}
}
END_TEST

START_TEST(a_vmd_endpoint_is_no_hop_and_its_domain_gets_a_note)
{
	struct tree_drive d = first;

	d.parent = "devices/pci0000:16/0000:16:00.5/pci10000:e0";
	d.port = "10000:e0:02.0", d.address = "10000:e1:00.0", d.slot = "7";
	setup();
	tree_add_drive(&t, &d);
	read_tree();
	rate(bay("7")->link.now, 32000, 4);
	ck_assert_uint_eq(snap.n_hops, 0);
	ck_assert(bay("7")->notes & NOTE_VMD_DOMAIN);
	teardown();
}
END_TEST

START_TEST(several_drives_in_one_slot_are_told_apart_by_their_addresses)
{
	const char *up = "devices/pci0000:40/0000:40:01.1/0000:41:00.0";
	struct tree_drive d = first;
	char address[16], port[16], name[8], serial[8];

	setup();
	d.parent = up, d.slot = NULL, d.namespace = NULL;
	for (int i = 0; i < 3; i++) { /* found in another order than that of their addresses */
		snprintf(port, sizeof port, "0000:42:%02x.0", 2 - i);
		snprintf(address, sizeof address, "0000:%02x:00.0", 0x45 - i);
		snprintf(name, sizeof name, "nvme%d", i);
		snprintf(serial, sizeof serial, "SN%d", i);
		d.port = port, d.address = address, d.name = name, d.serial = serial;
		tree_add_drive(&t, &d);
	}
	tree_file(&t, "sys/bus/pci/slots/5/address", "0000:41:00");
	read_tree();
	ck_assert_uint_eq(snap.n_bays, 3);
	ck_assert_str_eq(bay("5-1")->drive.serial, "SN2");
	ck_assert_str_eq(bay("5-3")->drive.serial, "SN0");
	ck_assert_str_eq(bay("5-1")->slot, "5");
	teardown();
}
END_TEST

START_TEST(a_slot_of_one_function_names_its_drive_too)
{
	struct tree_drive d = first;

	d.slot = NULL;
	setup();
	tree_add_drive(&t, &d);
	tree_file(&t, "sys/bus/pci/slots/12/address", "0000:41:00.1");
	tree_file(&t, "sys/bus/pci/slots/7/address", "0000:41:00.0");
	read_tree();
	ck_assert_uint_eq(snap.n_bays, 1);
	ck_assert_str_eq(snap.bays[0].bay, "7");
	teardown();
}
END_TEST

START_TEST(a_slot_without_number_or_no_slot_gives_the_pci_address)
{
	struct tree_drive d = first;

	d.slot = "8191";
	setup();
	tree_add_drive(&t, &d);
	read_tree();
	ck_assert_str_eq(snap.bays[0].bay, "0000:41:00.0");
	ck_assert_str_eq(snap.bays[0].slot, "");
	teardown();
	d.slot = "2-1";
	setup();
	tree_add_drive(&t, &d);
	read_tree();
	ck_assert_str_eq(snap.bays[0].bay, "2-1");
	teardown();
}
END_TEST

START_TEST(a_drive_over_fabrics_has_no_pcie_link_and_is_listed)
{
	setup();
	tree_file(&t, "sys/devices/virtual/nvme-fabrics/ctl/nvme3/transport", "tcp");
	tree_file(&t, "sys/devices/virtual/nvme-fabrics/ctl/nvme3/address", "traddr=192.0.2.9,trsvcid=4420");
	tree_file(&t, "sys/devices/virtual/nvme-fabrics/ctl/nvme3/serial", "FAB1");
	tree_file(&t, "sys/devices/virtual/nvme-fabrics/ctl/nvme3/state", "live");
	tree_link(&t, "sys/class/nvme/nvme3", "../../devices/virtual/nvme-fabrics/ctl/nvme3");
	read_tree();
	ck_assert_uint_eq(snap.n_bays, 1);
	ck_assert(!snap.bays[0].pcie);
	ck_assert_str_eq(snap.bays[0].bay, "nvme3");
	ck_assert_str_eq(snap.bays[0].location, "traddr=192.0.2.9,trsvcid=4420");
	ck_assert(!pcie_link_known(&snap.bays[0].link));
	teardown();
}
END_TEST

static void put_smart(const char *controller)
{
	uint8_t page[512] = {0};
	char path[64];

	page[1] = 0x37, page[2] = 1; /* 311 K */
	page[3] = 100, page[4] = 10, page[5] = 11;
	page[48] = 2;
	page[160] = 3;
	page[200] = 0x39, page[201] = 1;
	page[204] = 0x3e, page[205] = 1;
	snprintf(path, sizeof path, "nvme/%s/smart.bin", controller);
	tree_bytes(&t, path, page, sizeof page);
}

START_TEST(the_health_page_fills_wear_health_and_temperatures)
{
	const struct bay *b;
	uint64_t n;

	setup();
	tree_add_drive(&t, &first);
	put_smart("nvme0");
	tree_file(&t, "nvme/nvme0/error.error", "0x4002");
	read_tree();
	b = bay("1");
	ck_assert(b->wear.percent_used == 11 && b->wear.available_spare_percent == 100);
	ck_assert(count_to_u64(b->wear.bytes_written, &n) && n == 1024000);
	ck_assert(!b->wear.bytes_read.known); /* 0 units: not reported */
	ck_assert(count_to_u64(b->health.media_errors, &n) && n == 3);
	ck_assert(count_to_u64(b->health.power_cycles, &n) && n == 0);
	ck_assert_int_eq(b->health.critical_warning, 0);
	ck_assert(b->temperature_c == 38);
	ck_assert(b->sensors_c[0] == 40 && isnan(b->sensors_c[1]) && b->sensors_c[2] == 45);
	ck_assert_int_eq(b->wear_unread, REASON_NONE);
	ck_assert_int_eq(b->health.self_test, SELF_TEST_UNKNOWN);
	ck_assert(!snap.target.partial);
	teardown();
}
END_TEST

START_TEST(other_pages_add_to_it_and_a_refused_one_hides_none)
{
	uint8_t page[4096] = {0};
	const struct bay *b;
	uint64_t n;

	setup();
	tree_add_drive(&t, &first);
	put_smart("nvme0");
	for (int i = 0; i < 20; i++)
		page[4 + 28 * i] = 0x0f;
	page[4] = 0x27, page[8] = 99;
	tree_bytes(&t, "nvme/nvme0/self-test.bin", page, 564);
	memset(page, 0, sizeof page);
	memcpy(page + 4, "SN0001", 6);
	page[280 + 5] = 1; /* 2^40 bytes */
	tree_bytes(&t, "nvme/nvme0/identify.bin", page, 4096);
	tree_file(&t, "nvme/nvme0/ocp-smart.error", "0x0006");
	read_tree();
	b = bay("1");
	ck_assert_int_eq(b->health.self_test, SELF_TEST_FAILED);
	ck_assert_int_eq(b->health.self_test_code, 7);
	ck_assert(count_to_u64(b->health.self_test_hours, &n) && n == 99);
	ck_assert(count_to_u64(b->drive.capacity_bytes, &n) && n == UINT64_C(1) << 40);
	ck_assert(b->wear.percent_used == 11);
	ck_assert(snap.target.partial);
	ck_assert_uint_eq(snap.target.n_errors, 1);
	ck_assert_str_eq(snap.target.errors[0].resource, "nvme0 ocp-smart");
	ck_assert_str_eq(snap.target.errors[0].code, "0x6");
	teardown();
}
END_TEST

/* LW-S5: what needs a right that we lack is said with the remedy; links stay. */
START_TEST(without_permission_wear_is_unknown_links_stay_and_hwmon_gives_the_temperature_LW_S5)
{
	const char *dir = "sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/nvme/nvme0/hwmon4/";
	char path[256];

	setup();
	tree_add_drive(&t, &first);
	for (int k = NV_PAGE_UNKNOWN + 1; k < NV_PAGES; k++) {
		snprintf(path, sizeof path, "nvme/nvme0/%s.error", nv_page_word(k));
		tree_file(&t, path, "EACCES");
	}
	snprintf(path, sizeof path, "%sname", dir);
	tree_file(&t, path, "nvme");
	snprintf(path, sizeof path, "%stemp1_input", dir);
	tree_file(&t, path, "49850");
	snprintf(path, sizeof path, "%stemp3_input", dir);
	tree_file(&t, path, "51850");
	read_tree();
	ck_assert_int_eq(bay("1")->wear_unread, REASON_PERMISSION_DENIED);
	ck_assert(isnan(bay("1")->wear.percent_used));
	rate(bay("1")->link.now, 32000, 4);
	ck_assert_int_eq(snap.target.verdict, TARGET_OK);
	ck_assert(snap.target.partial);
	ck_assert_int_eq(snap.target.reason, REASON_PERMISSION_DENIED);
	ck_assert_ptr_nonnull(strstr(snap.target.message, "CAP_SYS_ADMIN"));
	ck_assert_uint_eq(snap.target.n_errors, 1);
	ck_assert_double_eq_tol(bay("1")->temperature_c, 49.85, 1e-9);
	ck_assert(isnan(bay("1")->sensors_c[0]));
	ck_assert_double_eq_tol(bay("1")->sensors_c[1], 51.85, 1e-9);
	teardown();
}
END_TEST

START_TEST(a_page_that_does_not_come_says_what_the_drive_is)
{
	static const struct {
		const char *error;
		enum drive_state state;
		enum reason reason;
	} rows[] = {
		{"hang", DRIVE_NOT_ANSWERING, REASON_TIMEOUT},
		{"ETIMEDOUT", DRIVE_NOT_ANSWERING, REASON_TIMEOUT},
		{"EAGAIN", DRIVE_RESETTING, REASON_TIMEOUT},
		{"ENODEV", DRIVE_LIVE, REASON_NOT_REPORTED},
		{"0x2002", DRIVE_LIVE, REASON_NOT_REPORTED},
		{"0x0006", DRIVE_LIVE, REASON_NOT_REPORTED},
		{"nonsense", DRIVE_LIVE, REASON_NOT_REPORTED},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		setup();
		tree_add_drive(&t, &first);
		tree_file(&t, "nvme/nvme0/smart.error", rows[i].error);
		read_tree();
		ck_assert_msg(bay("1")->drive.state == rows[i].state, "%s", rows[i].error);
		ck_assert_msg(bay("1")->wear_unread == rows[i].reason, "%s", rows[i].error);
		ck_assert(snap.target.partial);
		teardown();
	}
}
END_TEST

START_TEST(a_controller_that_is_not_live_is_not_asked)
{
	static const struct {
		const char *state;
		enum drive_state means;
	} rows[] = {{"dead", DRIVE_DEAD}, {"resetting", DRIVE_RESETTING}, {"connecting", DRIVE_RESETTING},
		{"new", DRIVE_RESETTING}, {"deleting", DRIVE_STATE_UNKNOWN}};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct tree_drive d = first;

		d.state = rows[i].state;
		setup();
		tree_add_drive(&t, &d);
		put_smart("nvme0");
		read_tree();
		ck_assert_int_eq(bay("1")->drive.state, rows[i].means);
		ck_assert(isnan(bay("1")->wear.percent_used));
		ck_assert_int_eq(snap.target.requests, 0);
		ck_assert(snap.target.partial);
		teardown();
	}
}
END_TEST

START_TEST(a_page_of_ones_zeros_or_nonsense_is_no_sample)
{
	uint8_t page[512];

	for (int i = 0; i < 3; i++) {
		memset(page, i == 1 ? 0xff : 0, sizeof page);
		if (i == 2)
			page[3] = 100, page[4] = 150, page[5] = 7;
		setup();
		tree_add_drive(&t, &first);
		tree_bytes(&t, "nvme/nvme0/smart.bin", page, sizeof page);
		read_tree();
		ck_assert_int_eq(bay("1")->wear.quality, WEAR_QUALITY_SUSPECT);
		ck_assert(isnan(bay("1")->wear.percent_used));
		ck_assert(isnan(bay("1")->temperature_c));
		ck_assert_int_eq(bay("1")->health.critical_warning, -1);
		teardown();
	}
}
END_TEST

START_TEST(pages_that_change_slowly_are_asked_seldom_and_refused_ones_once)
{
	uint8_t page[4096] = {0};

	setup();
	kept = nv_drives_new();
	tree_add_drive(&t, &first);
	put_smart("nvme0");
	memcpy(page + 4, "SN0001", 6);
	page[280 + 5] = 1;
	tree_bytes(&t, "nvme/nvme0/identify.bin", page, 4096);
	tree_file(&t, "nvme/nvme0/self-test.error", "0x4002");
	for (int round = 0; round < 12; round++) {
		snapshot_release(&snap);
		snapshot_init(&snap, "host", TARGET_NVME, "srv1");
		read_tree();
		/* the first asks all that there is, the others the health page alone */
		ck_assert_int_eq(snap.target.requests, round == 0 ? 3 : 1);
		ck_assert(bay("1")->wear.percent_used == 11);
		ck_assert(count_to_double(bay("1")->drive.capacity_bytes) == 1099511627776.0);
	}
	tree_file(&t, "sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/nvme/nvme0/serial", "OTHER");
	snapshot_release(&snap);
	snapshot_init(&snap, "host", TARGET_NVME, "srv1");
	read_tree();
	ck_assert_int_eq(snap.target.requests, 3); /* another drive under the same number */
	nv_drives_free(kept);
	kept = NULL;
	teardown();
}
END_TEST

/* What a drive was asked for in a round, one letter a page, and what it answers. */
struct asked {
	char pages[32];
	uint16_t group;
	enum nv_page hangs; /* NV_PAGE_UNKNOWN: none */
	enum nv_page refuses;
	uint8_t groups; /* that Identify tells of */
};

static void answer_and_note(void *arg, struct nv_ask *asks, size_t n, unsigned timeout_ms)
{
	struct asked *a = arg;
	bool hangs = false;

	ck_assert_uint_gt(timeout_ms, 0);
	for (size_t i = 0; i < n; i++) {
		struct nv_answer *out = &asks[i].answer;

		hangs |= asks[i].page == a->hangs;
		if (hangs) { /* as the reader does: the rest is not asked */
			nv_answer_errno(out, ETIMEDOUT);
			if (asks[i].page != a->hangs)
				continue;
		}
		a->pages[strlen(a->pages)] = "?seftnoi"[asks[i].page];
		if (asks[i].page == NV_PAGE_ENDURANCE_GROUP)
			a->group = asks[i].endurance_group;
		if (hangs)
			continue;
		if (asks[i].page == a->refuses) {
			nv_answer_status(out, 0x4002);
			continue;
		}
		out->end = NV_READ;
		out->len = nv_page_size(asks[i].page);
		out->data[0] = 1; /* no page is blank */
		out->data[340] = asks[i].page == NV_PAGE_IDENTIFY ? a->groups : 0;
	}
}

static const char *asked_after(struct asked *a, int64_t ms)
{
	static const struct nv_ops ops = {.ask = answer_and_note};
	static int64_t now_mono_ms = 1000;
	struct nv_sysfs sys;

	now_mono_ms += ms;
	clock_set(0, now_mono_ms);
	memset(a->pages, 0, sizeof a->pages);
	snapshot_release(&snap);
	snapshot_init(&snap, "host", TARGET_NVME, "srv1");
	ck_assert_int_eq(nv_sysfs_open(&sys, t.sys, NULL), 0);
	nv_drives_read(&sys, &ops, a, 1000, kept, &snap);
	nv_sysfs_close(&sys);
	clock_set(CLOCK_NEVER, 0);
	ck_assert_uint_eq((unsigned)snap.target.requests, strlen(a->pages));
	return a->pages;
}

START_TEST(the_health_page_is_asked_at_each_poll_the_others_hourly_and_a_refused_one_after_a_day)
{
	enum { MINUTE = 60 * 1000, HOUR = 60 * MINUTE };
	struct asked a = {.groups = 2, .refuses = NV_PAGE_OCP_SMART};

	setup();
	kept = nv_drives_new();
	tree_add_drive(&t, &first);
	/* smart, identify, error, firmware, self-test, ocp; then the endurance group that Identify told of */
	ck_assert_str_eq(asked_after(&a, 0), "siefton");
	ck_assert_uint_eq(a.group, 1);
	ck_assert_str_eq(asked_after(&a, MINUTE), "s");
	ck_assert_str_eq(asked_after(&a, MINUTE), "s");
	ck_assert_str_eq(asked_after(&a, HOUR), "seftn"); /* Identify once, the refused one not */
	ck_assert_str_eq(asked_after(&a, MINUTE), "s");
	ck_assert_str_eq(asked_after(&a, 24 * HOUR), "sefton");
	ck_assert(!snap.target.partial); /* a page that a drive does not have is no fault */
	nv_drives_free(kept);

	kept = nv_drives_new();
	a = (struct asked){.hangs = NV_PAGE_FIRMWARE};
	ck_assert_str_eq(asked_after(&a, 0), "sief");
	ck_assert(snap.target.partial);
	ck_assert_int_eq(snap.bays[0].drive.state, DRIVE_LIVE);
	ck_assert_str_eq(asked_after(&a, MINUTE), "sto"); /* the page that hangs waits an hour; there is no group */
	a.hangs = NV_PAGE_SMART;
	ck_assert_str_eq(asked_after(&a, MINUTE), "s");
	ck_assert_int_eq(snap.bays[0].drive.state, DRIVE_NOT_ANSWERING);
	a.hangs = NV_PAGE_UNKNOWN;
	ck_assert_str_eq(asked_after(&a, MINUTE), "s");
	ck_assert_int_eq(snap.bays[0].drive.state, DRIVE_LIVE);
	ck_assert_str_eq(asked_after(&a, HOUR), "sefto");
	nv_drives_free(kept);
	kept = NULL;
	teardown();
}
END_TEST

START_TEST(errors_firmware_and_what_the_flash_took_come_from_their_pages)
{
	uint8_t page[4096] = {0};
	const struct bay *b;
	uint64_t n;

	setup();
	tree_add_drive(&t, &first);
	tree_file(&t, "nvme/nvme0/smart.error", "0x4002");
	page[0] = 11, page[8] = 0, page[12] = 0x04; /* older */
	page[64] = 12, page[76] = 0x02, page[77] = 0x05, page[80] = 0x80, page[88] = 1;
	tree_bytes(&t, "nvme/nvme0/error.bin", page, 1024);
	memset(page, 0, sizeof page);
	page[0] = 0x21;
	memcpy(page + 8, "FW1.0   FW2.0   ", 16);
	tree_bytes(&t, "nvme/nvme0/firmware.bin", page, 512);
	memset(page, 0, sizeof page);
	page[3] = 100, page[80] = 7;
	tree_bytes(&t, "nvme/nvme0/endurance-group.bin", page, 512);
	read_tree();
	b = bay("1");
	ck_assert(count_to_u64(b->health.error_log_entries, &n) && n == 12);
	ck_assert(b->health.last_error.known && b->health.last_error.status == 0x281);
	ck_assert_uint_eq(b->health.last_error.namespace_id, 1);
	ck_assert(count_to_u64(b->health.last_error.lba, &n) && n == 0x80);
	ck_assert_str_eq(b->drive.firmware, "1.0.0"); /* sysfs goes first */
	ck_assert_str_eq(b->drive.firmware_next, "FW2.0");
	ck_assert(count_to_u64(b->wear.physical_bytes_written, &n) && n == UINT64_C(7000000000));

	/* OCP's page is exact and goes first; of several groups none is the drive */
	memset(page, 0, sizeof page);
	page[340] = 2;
	tree_bytes(&t, "nvme/nvme0/identify.bin", page, 4096);
	snapshot_release(&snap);
	snapshot_init(&snap, "host", TARGET_NVME, "srv1");
	read_tree();
	ck_assert(!bay("1")->wear.physical_bytes_written.known);
	memset(page, 0, sizeof page);
	page[0] = 99;
	memcpy(page + 496, "\xc5\xaf\x10\x28\xea\xbf\xf2\xa4\x9c\x4f\x6f\x7c\xc9\x14\xd5\xaf", 16);
	tree_bytes(&t, "nvme/nvme0/ocp-smart.bin", page, 512);
	snapshot_release(&snap);
	snapshot_init(&snap, "host", TARGET_NVME, "srv1");
	read_tree();
	ck_assert(count_to_u64(bay("1")->wear.physical_bytes_written, &n) && n == 99);
	teardown();
}
END_TEST

/* ---- sweeps on what was kept ---- */

static struct nv_sysfs kept_sys;

static void begin_sweeps(void)
{
	setup();
	tree_folder(&t, "sys/class/block");
	kept = nv_drives_new();
	ck_assert_int_eq(nv_sysfs_open(&kept_sys, t.sys, NULL), 0);
	nv_sysfs_keep(&kept_sys);
}

static void sweep(void)
{
	snapshot_release(&snap);
	snapshot_init(&snap, "host", TARGET_NVME, "srv1");
	nv_drives_read(&kept_sys, NULL, NULL, 1000, kept, &snap);
}

static void end_sweeps(void)
{
	nv_drives_free(kept);
	kept = NULL;
	nv_sysfs_close(&kept_sys);
	teardown();
}

static const char port_dir[] = "sys/devices/pci0000:40/0000:40:01.1";
static const char device_dir[] = "sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0";
static const char controller_dir[] = "sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0/nvme/nvme0";

static void put(const char *dir, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	tree_file(&t, path, text);
}

START_TEST(what_can_change_is_seen_at_the_next_sweep_and_the_rest_at_the_next_full_one)
{
	int seen = 0;

	begin_sweeps();
	tree_add_drive(&t, &first);
	put(device_dir, "power_state", "D0");
	put(device_dir, "aer_dev_correctable", "RxErr 0\nTOTAL_ERR_COR 0");
	put(controller_dir, "nvme0n1/stat", "1000 0 8000 10 500 0 4000 10 0 10 20 0 0 0 0 0 0");
	sweep();
	rate(bay("1")->link.now, 32000, 4);
	put(device_dir, "current_link_speed", "16.0 GT/s PCIe");
	put(port_dir, "current_link_speed", "16.0 GT/s PCIe");
	sweep();
	rate(bay("1")->link.now, 16000, 4);
	put(device_dir, "current_link_width", "2");
	put(port_dir, "current_link_width", "2");
	sweep();
	rate(bay("1")->link.now, 16000, 2);
	ck_assert(!bay("1")->link.power_saving_said);
	put(device_dir, "power_state", "D3hot");
	sweep();
	ck_assert(bay("1")->link.power_saving_said);
	put(controller_dir, "nvme0n1/stat", "1000 0 8000 10 501 0 4008 10 3 10 20 0 0 0 0 0 0");
	sweep();
	ck_assert_uint_eq(bay("1")->io.written_bytes, 4008 * 512);
	ck_assert_int_eq(bay("1")->busy, TRI_YES);
	put(controller_dir, "state", "resetting");
	sweep();
	ck_assert_int_eq(bay("1")->drive.state, DRIVE_RESETTING);
	put(controller_dir, "state", "live");
	sweep();
	ck_assert_int_eq(bay("1")->drive.state, DRIVE_LIVE);
	put(device_dir, "aer_dev_correctable", "RxErr 7\nTOTAL_ERR_COR 7");
	for (int i = 0; i < NV_SWEEPS_FULL; i++) {
		sweep();
		seen += bay("1")->link.aer_correctable.lo == 7;
	}
	ck_assert_int_eq(seen, 1);
	end_sweeps();
}
END_TEST

START_TEST(a_drive_that_comes_goes_or_takes_anothers_place_is_seen_at_the_next_sweep)
{
	struct tree_drive d = first;

	begin_sweeps();
	tree_add_drive(&t, &first);
	sweep();
	sweep();
	d.port = "0000:40:01.2", d.address = "0000:42:00.0", d.name = "nvme1", d.serial = "SN0002", d.slot = "2";
	d.namespace = "nvme1n1";
	tree_add_drive(&t, &d);
	sweep();
	ck_assert_uint_eq(snap.n_bays, 2);
	ck_assert_str_eq(bay("2")->drive.serial, "SN0002");

	/* under the same number and at the same address: nothing but the link's inode tells */
	put("sys/devices/pci0000:40/0000:40:01.2/0000:42:00.0/nvme/nvme1", "serial", "SN0003");
	tree_link(&t, "sys/class/nvme/new", "../../devices/pci0000:40/0000:40:01.2/0000:42:00.0/nvme/nvme1");
	tree_rename(&t, "sys/class/nvme/new", "sys/class/nvme/nvme1");
	sweep();
	ck_assert_str_eq(bay("2")->drive.serial, "SN0003");

	/* a namespace more, told by the list of block devices alone */
	sweep();
	put(controller_dir, "nvme0n2/size", "2048");
	tree_link(&t, "sys/class/block/nvme0n2", "../../devices/pci0000:40/0000:40:01.1/0000:41:00.0/nvme/nvme0/nvme0n2");
	sweep();
	ck_assert_uint_eq(bay("1")->drive.n_namespaces, 2);

	tree_remove_path(&t, "sys/class/nvme/nvme1");
	sweep();
	ck_assert_uint_eq(snap.n_bays, 1);
	end_sweeps();
}
END_TEST

START_TEST(an_attribute_that_no_longer_reads_is_no_kept_value)
{
	static const char *const files[] = {"current_link_speed", "current_link_width"};

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		char path[256];

		begin_sweeps();
		tree_add_drive(&t, &first);
		sweep();
		/* as descriptors of a device that is gone fail, a file cut to nothing reads nothing */
		snprintf(path, sizeof path, "%s/%s", device_dir, files[i]);
		tree_bytes(&t, path, "", 0);
		sweep();
		ck_assert(!bay("1")->link.now.speed_mtps || !bay("1")->link.now.width_lanes);
		end_sweeps();
	}
}
END_TEST

START_TEST(a_folder_that_is_no_sysfs_is_unreachable_and_one_without_nvme_is_empty)
{
	setup();
	read_tree();
	ck_assert_int_eq(snap.target.verdict, TARGET_OK);
	ck_assert_uint_eq(snap.n_bays, 0);
	teardown();
	setup();
	tree_folder(&t, "sys/empty");
	snprintf(t.sys, sizeof t.sys, "%s/sys/empty", t.dir);
	read_tree();
	ck_assert_int_eq(snap.target.verdict, TARGET_UNREACHABLE);
	ck_assert(snap.target.message[0]);
	teardown();
}
END_TEST

UNIT_MAIN("nvme_drives", a_drive_is_found_in_its_slot_with_link_capacity_and_names,
	every_spelling_of_a_link_is_read_and_placeholders_void_their_pair,
	two_ends_that_differ_or_a_link_above_its_maximum_are_no_reading, a_sleeping_device_says_so,
	errors_of_both_ends_are_counted_and_a_root_port_knows_of_fatal_ones,
	namespaces_belong_to_the_subsystem_and_not_to_the_number,
	bytes_are_counted_of_the_namespace_or_of_its_paths_where_it_stands_still,
	two_controllers_of_one_subsystem_are_one_bay_with_the_worse_link, one_way_that_lives_keeps_the_drive_alive,
	a_virtual_function_has_the_link_of_its_physical_one, a_lone_virtual_function_is_judged_by_the_physical_one,
	an_uplink_is_told_once_with_the_bays_that_share_it, a_tunnelled_hop_is_not_known_and_the_drive_behind_it_is,
	a_vmd_endpoint_is_no_hop_and_its_domain_gets_a_note,
	several_drives_in_one_slot_are_told_apart_by_their_addresses,
	a_slot_of_one_function_names_its_drive_too, a_slot_without_number_or_no_slot_gives_the_pci_address, a_drive_over_fabrics_has_no_pcie_link_and_is_listed,
	the_health_page_fills_wear_health_and_temperatures, other_pages_add_to_it_and_a_refused_one_hides_none,
	without_permission_wear_is_unknown_links_stay_and_hwmon_gives_the_temperature_LW_S5,
	a_page_that_does_not_come_says_what_the_drive_is, a_controller_that_is_not_live_is_not_asked,
	a_page_of_ones_zeros_or_nonsense_is_no_sample,
	pages_that_change_slowly_are_asked_seldom_and_refused_ones_once,
	the_health_page_is_asked_at_each_poll_the_others_hourly_and_a_refused_one_after_a_day,
	errors_firmware_and_what_the_flash_took_come_from_their_pages,
	what_can_change_is_seen_at_the_next_sweep_and_the_rest_at_the_next_full_one,
	a_drive_that_comes_goes_or_takes_anothers_place_is_seen_at_the_next_sweep,
	an_attribute_that_no_longer_reads_is_no_kept_value,
	a_folder_that_is_no_sysfs_is_unreachable_and_one_without_nvme_is_empty)
