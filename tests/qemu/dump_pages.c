/* SPDX-License-Identifier: MIT */
/*
 * dump_pages FILE...: every field that the decoders take out of the pages in the files (a byte that
 * says which page, then its bytes), one a line.  Built for this machine and for a big-endian one by
 * tests/stages/bigendian.sh, which compares what they print.  Needs nothing but the C library.
 */
#include "collectors/nvme/logpages.h"
#include "collectors/nvme/page.h"
#include "collectors/nvme/smart.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void count(const char *name, struct count c)
{
	char text[COUNT_TEXT_MAX];

	printf("%s %s %.17g\n", name, count_text(c, text), count_to_double(c));
	printf("%s %s\n", name, count_text(count_times(c, 512000), text));
}

static void number(const char *name, uint64_t n)
{
	printf("%s %" PRIu64 "\n", name, n);
}

static void dump_smart(const uint8_t *p, size_t len)
{
	struct nv_smart m;

	number("sample", nv_smart_decode(p, len, &m));
	number("warning", m.critical_warning);
	number("kelvin", m.temperature_k);
	printf("celsius %g\n", nv_celsius(m.temperature_k));
	number("used", m.used_percent);
	count("read", m.data_units_read);
	count("written", m.data_units_written);
	count("host_reads", m.host_reads);
	count("host_writes", m.host_writes);
	count("busy", m.controller_busy_minutes);
	count("cycles", m.power_cycles);
	count("hours", m.power_on_hours);
	count("unsafe", m.unsafe_shutdowns);
	count("media", m.media_errors);
	count("errors", m.error_log_entries);
	number("warm", m.warning_temperature_minutes);
	number("hot", m.critical_temperature_minutes);
	for (int i = 0; i < NV_SMART_SENSORS; i++)
		number("sensor", m.sensors_k[i]);
	for (int i = 0; i < 2; i++) {
		number("throttled", m.throttle_count[i]);
		number("seconds", m.throttle_seconds[i]);
	}
}

static void dump_lists(const uint8_t *p, size_t len)
{
	struct nv_self_tests tests;
	struct nv_firmware f;
	struct nv_error x;

	for (size_t i = 0; i < len / 64; i++)
		if (nv_error_decode(p, len, i, &x))
			printf("error %" PRIu64 " %u %u %x %u %" PRIx64 " %x\n", x.count, x.queue, x.command,
				x.status, x.location_byte, x.lba, x.namespace_id);
	if (nv_firmware_decode(p, len, &f))
		printf("firmware %d %d %s %s\n", f.active_slot, f.next_slot, f.revisions[0], f.revisions[1]);
	if (!nv_self_tests_decode(p, len, &tests))
		return;
	for (size_t i = 0; i < tests.n; i++)
		printf("test %d %d %" PRIu64 " %x %" PRIx64 "\n", tests.tests[i].result, tests.tests[i].kind,
			tests.tests[i].power_on_hours, tests.tests[i].namespace_id, tests.tests[i].lba);
}

static void dump_others(const uint8_t *p, size_t len)
{
	struct nv_endurance_group g;
	struct nv_ocp_smart o;
	struct nv_identify id;

	if (nv_endurance_group_decode(p, len, &g)) {
		count("group_written", g.bytes_written);
		count("group_capacity", g.capacity_bytes);
	}
	if (nv_ocp_smart_decode(p, len, &o)) {
		count("media_written", o.media_bytes_written);
		printf("ocp %" PRIu64 " %u %" PRIu64 " %" PRIu64 " %u %u\n", o.bad_user_blocks,
			o.bad_user_blocks_normalized, o.refreshes, o.pcie_correctable_errors, o.incomplete_shutdowns,
			o.version);
	}
	if (!nv_identify_decode(p, len, &id))
		return;
	printf("identify %x %x %s %s %s %d.%d.%d %g %g %u %u %u\n", id.pci_vendor, id.controller_id, id.serial,
		id.model, id.firmware, id.version_major, id.version_minor, id.version_tertiary,
		id.warning_temperature_c, id.critical_temperature_c, id.extended_self_test_minutes,
		id.endurance_groups, id.namespaces);
	count("capacity", id.capacity_bytes);
	for (size_t i = 0; i < id.n_power_states; i++)
		printf("power %g %d %u %u\n", id.power_states[i].max_watts, id.power_states[i].operational,
			id.power_states[i].entry_us, id.power_states[i].exit_us);
}

int main(int argc, char **argv)
{
	static uint8_t page[NV_PAGE_MAX + 1];

	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");
		size_t len;

		if (!f) {
			perror(argv[i]);
			return 1;
		}
		len = fread(page, 1, sizeof page, f);
		fclose(f);
		if (len == 0)
			continue;
		printf("== %zu bytes\n", len);
		dump_smart(page + 1, len - 1);
		dump_lists(page + 1, len - 1);
		dump_others(page + 1, len - 1);
	}
	return 0;
}
