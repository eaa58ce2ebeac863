/* SPDX-License-Identifier: MIT */
/* What drives move, from two readings of the kernel's counters, and links that are full. */
#include "model/throughput.h"
#include "base/str.h"
#include "model/history.h"
#include "model/remark.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct io_counters first = {.known = true, .busy_known = true, .read_bytes = 1000 * 512,
	.written_bytes = 10, .busy_ms = 100, .series = 7, .at_mono_ms = 5000};

START_TEST(rates_are_the_bytes_over_the_time_between)
{
	struct io_counters now = first;
	struct throughput t;

	now.read_bytes += 64 << 20;
	now.written_bytes += 1 << 20;
	now.busy_ms += 500;
	now.at_mono_ms += 2000;
	t = throughput_between(&first, &now, 1e9);
	ck_assert(t.known);
	ck_assert_uint_eq(t.read_bytes, 64 << 20);
	ck_assert_uint_eq(t.written_bytes, 1 << 20);
	ck_assert_double_eq(t.seconds, 2);
	ck_assert_double_eq(t.read_bps, 32 << 20);
	ck_assert_double_eq(t.write_bps, 512 << 10);
	ck_assert_double_eq(t.busy_ratio, 0.25);
	ck_assert_double_eq(t.link_ratio, 0.034);
}
END_TEST

START_TEST(nothing_moved_is_zero_and_not_unknown)
{
	struct io_counters now = first;
	struct throughput t;

	now.at_mono_ms += 1000;
	t = throughput_between(&first, &now, 1e9);
	ck_assert(t.known);
	ck_assert_double_eq(t.read_bps, 0);
	ck_assert_double_eq(t.busy_ratio, 0);
	ck_assert_double_eq(t.link_ratio, 0);
}
END_TEST

START_TEST(counters_that_began_anew_give_no_rate)
{
	struct io_counters now = first;

	now.at_mono_ms += 1000;
	now.read_bytes -= 512;
	ck_assert(!throughput_between(&first, &now, NAN).known);
	now.read_bytes = first.read_bytes;
	now.written_bytes = 0;
	ck_assert(!throughput_between(&first, &now, NAN).known);
	now.written_bytes = first.written_bytes;
	ck_assert(throughput_between(&first, &now, NAN).known);
	now.series = 8;
	ck_assert(!throughput_between(&first, &now, NAN).known);
	now.series = first.series;
	now.at_mono_ms = first.at_mono_ms; /* no time passed */
	ck_assert(!throughput_between(&first, &now, NAN).known);
	now.at_mono_ms += 1000;
	now.known = false;
	ck_assert(!throughput_between(&first, &now, NAN).known);
	ck_assert(isnan(throughput_between(&first, &now, NAN).read_bps));
}
END_TEST

START_TEST(the_kernels_busy_time_may_begin_anew_and_is_never_more_than_all)
{
	struct io_counters before = first, now = first;

	before.busy_ms = UINT32_MAX - 99;
	now.busy_ms = 400;
	now.at_mono_ms += 1000;
	ck_assert_double_eq(throughput_between(&before, &now, NAN).busy_ratio, 0.5);
	before.busy_ms = 0;
	now.busy_ms = 1004; /* a tick more than the time */
	ck_assert_double_eq(throughput_between(&before, &now, NAN).busy_ratio, 1);
	now.busy_ms = 70000;
	ck_assert(isnan(throughput_between(&before, &now, NAN).busy_ratio));
	ck_assert(throughput_between(&before, &now, NAN).known);
	now.busy_known = false;
	ck_assert(isnan(throughput_between(&before, &now, NAN).busy_ratio));
	ck_assert(isnan(throughput_between(&before, &now, NAN).link_ratio));
}
END_TEST

/* ---- bays ---- */

static struct bay drive_in(const char *bay, double link_ratio)
{
	struct bay b = bay_unknown("os", "srv", bay);

	b.has_drive = true;
	b.present = TRI_YES;
	b.link.now = b.link.max = (struct pcie_rate){8000, 4};
	b.throughput = throughput_unknown();
	if (isnan(link_ratio))
		return b;
	b.throughput.known = true;
	b.throughput.link_ratio = link_ratio;
	b.throughput.read_bps = round(link_ratio * pcie_bandwidth(b.link.now));
	b.throughput.write_bps = 0;
	return b;
}

START_TEST(a_full_link_among_easy_ones_is_a_hint_and_all_full_is_none)
{
	static const struct {
		double ratios[5];
		const char *full; /* bays, "" none */
	} rows[] = {
		{{0.90, 0.22, 0.22, 0.22, 0.22}, "1"},
		{{0.90, 0.91, 0.22, 0.22, 0.22}, "12"},
		{{0.90, 0.91, 0.89, 0.22, 0.22}, ""}, /* no longer the odd ones */
		{{0.90, 0.90, 0.90, 0.90, 0.90}, ""},
		{{0.84, 0.22, 0.22, 0.22, 0.22}, ""},
		{{0.90, 0.70, 0.22, 0.22, 0.22}, ""}, /* one is on its way: the load is not even */
		{{0.90, NAN, NAN, NAN, NAN}, ""},
		{{0, 0, 0, 0, 0}, ""},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct inventory inv;
		char full[8] = "", name[2] = "1";

		inventory_init(&inv);
		inv.bays = calloc(5, sizeof *inv.bays);
		inv.n_bays = 5;
		for (size_t k = 0; k < 5; k++, name[0]++)
			inv.bays[k] = drive_in(name, rows[i].ratios[k]);
		throughput_hints(&inv, 0, 5);
		for (size_t k = 0; k < inv.n_hints; k++) {
			ck_assert_str_eq(inv.hints[k].code, "link-full");
			ck_assert_uint_eq(inv.hints[k].n_bays, 1);
			full[k] = inv.hints[k].bays[0][0];
		}
		ck_assert_msg(strcmp(full, rows[i].full) == 0, "row %zu: %s", i, full);
		inventory_release(&inv);
	}
}
END_TEST

START_TEST(the_hint_names_bay_rate_and_share)
{
	struct inventory inv;

	inventory_init(&inv);
	inv.bays = calloc(3, sizeof *inv.bays);
	inv.n_bays = 3;
	for (size_t k = 0; k < 3; k++)
		inv.bays[k] = drive_in(k ? "2" : "M.2-1", k ? 0.2 : 0.9);
	throughput_hints(&inv, 0, 3);
	ck_assert_uint_eq(inv.n_hints, 1);
	ck_assert_str_eq(inv.hints[0].message,
		"the drive in bay M.2-1 reads 3.54 GB/s, 90 % of what its link carries, while no other drive here is above 20 % of its own: "
		"this link is what limits it");
	inventory_release(&inv);
}
END_TEST

START_TEST(a_dual_port_drive_has_both_links_and_a_disk_has_none)
{
	struct bay b = drive_in("1", NAN);

	ck_assert_double_eq_tol(throughput_link(&b), 3938461538.0, 1);
	b.drive.n_paths = 2;
	b.drive.paths[0].link.now = (struct pcie_rate){8000, 2};
	b.drive.paths[1].link.now = (struct pcie_rate){8000, 2};
	ck_assert_double_eq_tol(throughput_link(&b), 3938461538.0, 1);
	b.drive.paths[1].link.now = (struct pcie_rate){0, 0};
	ck_assert(isnan(throughput_link(&b)));
	b.pcie = false;
	ck_assert(isnan(throughput_link(&b)));
}
END_TEST

/* What history makes of it from poll to poll. */
START_TEST(history_compares_with_the_same_drive_of_the_poll_before)
{
	struct history h;
	struct inventory inv;
	struct drive_past *p;

	history_init(&h);
	p = history_add_drive(&h);
	p->here = true;
	str_copy(p->serial, sizeof p->serial, "SN-1");
	str_copy(p->host, sizeof p->host, "srv");
	str_copy(p->bay, sizeof p->bay, "1");
	p->io = first;
	inventory_init(&inv);
	inv.bays = calloc(2, sizeof *inv.bays);
	inv.n_bays = 2;
	inv.bays[0] = drive_in("1", NAN);
	inv.bays[1] = drive_in("2", NAN); /* never seen before */
	str_copy(inv.bays[0].drive.serial, sizeof inv.bays[0].drive.serial, "SN-1");
	str_copy(inv.bays[1].drive.serial, sizeof inv.bays[1].drive.serial, "SN-2");
	inv.bays[0].io = inv.bays[1].io = first;
	inv.bays[0].io.at_mono_ms += 1000;
	inv.bays[0].io.read_bytes += 3938461538;
	history_support(&h, &inv);
	ck_assert(inv.bays[0].throughput.known);
	ck_assert_double_eq(inv.bays[0].throughput.link_ratio, 1);
	ck_assert(!inv.bays[1].throughput.known);

	/* another target's turn: this one was not read anew, and moves what it moved */
	p->io = inv.bays[0].io;
	p->throughput = inv.bays[0].throughput;
	inv.bays[0].throughput = throughput_unknown();
	history_support(&h, &inv);
	ck_assert_double_eq(inv.bays[0].throughput.read_bps, 3938461538);

	/* it does not answer: what it moved is not known */
	inv.bays[0].stale = true;
	history_support(&h, &inv);
	ck_assert(!inv.bays[0].throughput.known);
	inventory_release(&inv);
	history_release(&h);
}
END_TEST

UNIT_MAIN("throughput", rates_are_the_bytes_over_the_time_between, nothing_moved_is_zero_and_not_unknown,
	counters_that_began_anew_give_no_rate, the_kernels_busy_time_may_begin_anew_and_is_never_more_than_all,
	a_full_link_among_easy_ones_is_a_hint_and_all_full_is_none, the_hint_names_bay_rate_and_share,
	a_dual_port_drive_has_both_links_and_a_disk_has_none, history_compares_with_the_same_drive_of_the_poll_before)
