/* SPDX-License-Identifier: MIT */
/* Bays at rest: what comes out is what went in, byte for byte, and most of the room is saved. */
#include "base/str.h"
#include "model/bay_pack.h"
#include "tests/unit/unit.h"

#include <string.h>

/* Whatever its bytes are: no zero at all, only zeros, gaps of every length between runs of every length. */
START_TEST(every_byte_of_a_bay_is_kept)
{
	static struct bay b, out;
	unsigned char *fill = (unsigned char *)&b;
	struct bay_pack p = {0};

	for (size_t run = 0; run < 600; run += run < 8 ? 1 : 83)
		for (size_t gap = 0; gap < 600; gap += gap < 8 ? 1 : 83) {
			for (size_t i = 0; i < sizeof b; i++)
				fill[i] = run && i % (run + gap) < run ? (unsigned char)(1 + i * 31 % 251) : 0;
			bay_pack_add(&p, &b);
			bay_pack_get(&p, p.n - 1, &out);
			ck_assert_mem_eq(&b, &out, sizeof b);
		}
	bay_pack_release(&p);
}
END_TEST

START_TEST(a_bay_comes_out_as_it_went_in_and_its_names_are_seen_from_outside)
{
	static struct bay b, out;
	struct bay_pack p = {0};

	for (int i = 0; i < 100; i++) {
		b = bay_unknown("bmc", "server", i % 2 ? "5" : "");
		b.has_drive = i % 3;
		str_copy(b.drive.serial, sizeof b.drive.serial, "S1");
		str_copy(b.drive.uses[5].mount, sizeof b.drive.uses[5].mount, "/srv");
		str_copy(b.link.slot_from, sizeof b.link.slot_from, "/sys/bus/pci/devices/0000:01:00.0");
		str_copy(b.bmc_health, sizeof b.bmc_health, "OK");
		b.outlier = (unsigned)i;
		bay_pack_add(&p, &b);
	}
	ck_assert_uint_eq(p.n, 100);
	ck_assert_uint_lt(p.len, 100 * sizeof b / 10);
	bay_pack_get(&p, 99, &out);
	ck_assert_mem_eq(&b, &out, sizeof b);
	ck_assert_str_eq(bay_pack_host(&p, 98), "server");
	ck_assert_str_eq(bay_pack_name(&p, 98), "");
	ck_assert_str_eq(bay_pack_name(&p, 99), "5");
	bay_pack_release(&p);
	ck_assert_uint_eq(p.n, 0);
}
END_TEST

UNIT_MAIN("bay_pack", every_byte_of_a_bay_is_kept,
	a_bay_comes_out_as_it_went_in_and_its_names_are_seen_from_outside)
