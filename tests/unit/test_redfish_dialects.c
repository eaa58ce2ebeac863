/* SPDX-License-Identifier: MIT */
/*
 * Each maker's own ways, on a small fixture each (tests/fixtures/redfish/): which dialect is
 * spoken, and what becomes of every bay.  One line a bay:
 *
 *   bay: serial role now/max left celsius hours health +words
 *
 * GT/s x lanes, percent left, "-" for what is not known.
 */
#include "base/mem.h"
#include "collectors/redfish/dialect.h"
#include "tests/unit/rf_fixture.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINES_MAX = 8 };

struct maker {
	const char *fixture, *vendor, *product, *firmware;
	const char *lines[LINES_MAX];
};

static const struct maker hpe = {
	"hpe", "HPE", "Test Server Gen0", "iLO 9 v0.01",
	{
		"1: TH0000001 data 16x4/16x4 100 19 6000 OK",
		"2: TH0000002 data 16x2/16x4 99 20 6001 Critical +predicted", /* Critical and predicted at 99 % left */
		"3: TH0000003 data -/- 87.5 - - OK",	       /* 64.0 is a sum: neither speed nor lanes */
		"4: - - -/- - - - - +absent",		       /* what an empty bay predicts is a leftover */
		"Slot=29:Bay=1: TH0000004 boot -/- 100 - - OK", /* its ordinal is a data drive's, too */
		"1I:3:5: TH0000005 data -/- 96 15 6977 OK +no-pcie", /* only in the old tree */
	},
};

static const struct maker supermicro = {
	"supermicro", "Supermicro", "TEST-821", "01.00.09",
	{
		"0: TS0000000 data -/16x4 93 37 - OK", /* used 7; 15.75 alone decides nothing */
		"1: TS0000001 data 8x4/16x4 0 38 - OK", /* used 130: nothing is left, not less than nothing */
		"2: TS0000002 data -/- - 39 - OK",
	},
};

static const struct maker lenovo = {
	"lenovo", "Lenovo", "Test SR000", "TEST0A 0.01",
	{
		"M.2 - Drive0: TL0000000 boot -/- 100 35 - OK", /* the kit's link is not the drives' */
		"1: TL0000001 boot -/- 100 35 - OK",
		"0: TL0000002 data -/- 98 36 - OK",
	},
};

static const struct maker openbmc = {
	"openbmc", "OpenBMC", "Test NVL", "test-1.0",
	{
		"NVMe E1.S Slot 0: TO0000000 data -/- - 28 - -", /* 255 and 0.0 are not known */
		"NVMe E1.S Slot 1: TO0000001 data -/- 100 31 - -",
	},
};

static const struct maker cisco = {
	"cisco", "Cisco Systems Inc.", "TEST-C000", "0.1(1a)",
	{
		"1: TC0000001 data -/- - - - OK +no-pcie", /* a disk has no life left to lose */
		"9: TC0000002 data -/- 97 - 15828 OK +no-pcie",
		"3: - - -/- - - - - +unread",
	},
};

static const struct maker ami = {
	"ami", "AMI", "TESTX100", "0.0.1",
	{
		"NVMe_Device0_NSID1: - data 8x4/16x4 - - - OK",
		"NVMe_Device1_NSID1: - data -/16x4 - - - OK +placeholder", /* Gen1 without lanes is no link */
	},
};

static char *number(double v, char out[32])
{
	snprintf(out, 32, isnan(v) ? "-" : "%g", v);
	return out;
}

static char *rate(struct pcie_rate r, char out[32])
{
	if (r.speed_mtps && r.width_lanes)
		snprintf(out, 32, "%gx%d", r.speed_mtps / 1000.0, r.width_lanes);
	else
		snprintf(out, 32, r.speed_mtps || r.width_lanes ? "half" : "-");
	return out;
}

static const char *or_dash(const char *s)
{
	return s[0] ? s : "-";
}

static void describe(const struct bay *b, char *out, size_t size)
{
	char now[32], max[32], left[32], celsius[32], hours[32];
	const char *role = b->role == ROLE_BOOT ? "boot" : b->role == ROLE_DATA ? "data" : "-";

	snprintf(out, size, "%s: %s %s %s/%s %s %s %s %s%s%s%s%s%s", b->bay, or_dash(b->drive.serial), role,
		rate(b->link.now, now), rate(b->link.max, max), number(b->wear.life_left_percent, left),
		number(b->temperature_c, celsius),
		number(b->health.power_on_hours.known ? (double)b->health.power_on_hours.lo : NAN, hours),
		or_dash(b->bmc_health), b->health.failure_predicted == TRI_YES ? " +predicted" : "",
		b->present == TRI_NO ? " +absent" : b->present == TRI_UNKNOWN ? " +unread" : "",
		b->has_drive && !b->pcie ? " +no-pcie" : "", b->notes & NOTE_CAPACITY_SUSPECT ? " +capacity" : "",
		b->link.doubt == REASON_PLACEHOLDER ? " +placeholder" : "");
}

static json_t *load(const char *name)
{
	const char *top = getenv("srcdir");
	char path[512];
	json_t *tree;

	snprintf(path, sizeof path, "%s/tests/fixtures/redfish/%s.json", top ? top : "..", name);
	tree = rf_fixture_load_file(path);
	ck_assert_msg(tree != NULL, "%s is missing", path);
	return tree;
}

static bool has_line(const struct snapshot *s, const char *line)
{
	char text[512];

	for (size_t i = 0; i < s->n_bays; i++) {
		describe(&s->bays[i], text, sizeof text);
		if (strcmp(text, line) == 0)
			return true;
	}
	return false;
}

static void tell(const struct snapshot *s)
{
	char text[512];

	for (size_t i = 0; i < s->n_bays; i++) {
		describe(&s->bays[i], text, sizeof text);
		printf("# got: %s\n", text);
	}
}

static void check(const struct maker *m)
{
	json_t *tree = load(m->fixture);
	struct snapshot s;
	size_t n = 0;

	rf_fixture_walk(tree, NULL, NULL, &s);
	ck_assert_str_eq(s.target.vendor, m->vendor);
	ck_assert_str_eq(s.target.product, m->product);
	ck_assert_str_eq(s.target.firmware, m->firmware);
	ck_assert_int_eq(s.target.power, TRI_YES);
	for (; n < LINES_MAX && m->lines[n]; n++) {
		if (!has_line(&s, m->lines[n]))
			tell(&s);
		ck_assert_msg(has_line(&s, m->lines[n]), "no bay is \"%s\"", m->lines[n]);
	}
	ck_assert_uint_eq(s.n_bays, n);
	snapshot_release(&s);
	json_decref(tree);
}

START_TEST(hpe_reads_direct_drives_cards_boot_cards_and_the_old_tree)
{
	check(&hpe);
}
END_TEST

START_TEST(supermicro_reads_links_and_wear_from_its_own_texts)
{
	check(&supermicro);
}
END_TEST

START_TEST(lenovo_never_takes_the_link_of_a_kit_for_a_drives)
{
	check(&lenovo);
}
END_TEST

START_TEST(openbmc_takes_zeros_for_unknown_and_temperatures_from_sensors)
{
	check(&openbmc);
}
END_TEST

START_TEST(cisco_reads_its_own_wear_and_no_life_of_a_disk)
{
	check(&cisco);
}
END_TEST

START_TEST(cisco_capacity_in_mib_becomes_bytes)
{
	json_t *tree = load("cisco");
	struct snapshot s;

	rf_fixture_walk(tree, NULL, NULL, &s);
	ck_assert_str_eq(s.bays[0].drive.serial, "TC0000001");
	ck_assert(s.bays[0].drive.capacity_bytes.known);
	ck_assert_uint_eq(s.bays[0].drive.capacity_bytes.lo, 3815447ull << 20);
	ck_assert_uint_eq(s.bays[0].notes, 0);
	snapshot_release(&s);
	json_decref(tree);
}
END_TEST

START_TEST(ami_finds_stub_drives_by_their_pcie_functions)
{
	check(&ami);
}
END_TEST

/* Who is who, from the least that each of them tells. */
static const struct {
	const char *root, *system;
	const struct rf_dialect *dialect;
} tells[] = {
	{"{\"Vendor\":\"Dell\"}", "{}", &rf_dialect_dell},
	{"{}", "{\"Oem\":{\"Dell\":{}}}", &rf_dialect_dell},
	{"{\"Product\":\"Integrated Dell Remote Access Controller\"}", "{}", &rf_dialect_dell},
	{"{\"Vendor\":\"HPE\"}", "{}", &rf_dialect_hpe},
	{"{\"Oem\":{\"Hpe\":{}}}", "{}", &rf_dialect_hpe},
	{"{\"Oem\":{\"Hp\":{}}}", "{}", &rf_dialect_hpe},
	{"{}", "{\"Manufacturer\":\"Supermicro\"}", &rf_dialect_supermicro},
	{"{\"Vendor\":\"Lenovo\"}", "{}", &rf_dialect_lenovo},
	{"{\"Vendor\":\"Cisco Systems Inc.\"}", "{}", &rf_dialect_cisco},
	{"{\"Vendor\":\"NVIDIA\"}", "{}", &rf_dialect_openbmc},
	{"{\"Oem\":{\"OpenBmc\":{}}}", "{}", &rf_dialect_openbmc},
	/* AMI's service on a server that NVIDIA made is AMI's */
	{"{\"Vendor\":\"AMI\",\"Oem\":{\"Ami\":{}}}", "{\"Manufacturer\":\"NVIDIA\"}", &rf_dialect_standard},
	{"{\"Vendor\":\"Somebody\"}", "{\"Manufacturer\":\"Somebody\"}", &rf_dialect_standard},
	{"{\"Vendor\":7,\"Product\":[],\"Oem\":\"Dell\"}", "{\"Manufacturer\":null}", &rf_dialect_standard},
	{"{}", "{}", &rf_dialect_standard},
};

START_TEST(a_maker_is_known_by_the_least_that_it_tells)
{
	struct rf_survey *s = mem_new(1, sizeof *s);

	for (size_t i = 0; i < sizeof tells / sizeof tells[0]; i++) {
		s->root = json_loads(tells[i].root, 0, NULL);
		s->system = json_loads(tells[i].system, 0, NULL);
		ck_assert_msg(rf_dialect_find(s) == tells[i].dialect, "%s %s is taken for %s", tells[i].root,
			tells[i].system, rf_dialect_find(s)->name);
		json_decref(s->root);
		json_decref(s->system);
	}
	free(s);
}
END_TEST

UNIT_MAIN("redfish dialects",
	hpe_reads_direct_drives_cards_boot_cards_and_the_old_tree,
	supermicro_reads_links_and_wear_from_its_own_texts,
	lenovo_never_takes_the_link_of_a_kit_for_a_drives,
	openbmc_takes_zeros_for_unknown_and_temperatures_from_sensors,
	cisco_reads_its_own_wear_and_no_life_of_a_disk,
	cisco_capacity_in_mib_becomes_bytes,
	ami_finds_stub_drives_by_their_pcie_functions,
	a_maker_is_known_by_the_least_that_it_tells)
