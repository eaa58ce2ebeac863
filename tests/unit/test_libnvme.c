/* SPDX-License-Identifier: MIT */
/*
 * The other pages against libnvme's own structures, 100 000 random ones of each kind (the health page:
 * test_smart.c).  OCP's page has no structure there.  LANEWATCH_SEED gives a seed again.
 */
#include "collectors/nvme/logpages.h"
#include "collectors/nvme/page.h"
#include "tests/unit/unit.h"

#include <libnvme.h>

#include <endian.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint8_t page[NV_PAGE_MAX] __attribute__((aligned(8)));
static uint64_t x;

static void make_page(size_t len)
{
	for (size_t i = 0; i < len; i += 8) {
		x ^= x << 13; /* xorshift64 */
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(page + i, &x, 8);
	}
}

/* The name of the first field that is not the same; NULL if all are. */
#define SAME(name, ours, theirs)                                                                                      \
	do {                                                                                                          \
		if ((ours) != (theirs))                                                                               \
			return name;                                                                                  \
	} while (0)

static bool same_count(struct count c, const uint8_t b[16])
{
	struct count want = {.known = true};

	for (int i = 15; i >= 8; i--)
		want.hi = want.hi << 8 | b[i];
	for (int i = 7; i >= 0; i--)
		want.lo = want.lo << 8 | b[i];
	return count_compare(c, want) == 0;
}

static bool same_billions(struct count c, const uint8_t b[16])
{
	struct count units = {.known = true};

	for (int i = 15; i >= 8; i--)
		units.hi = units.hi << 8 | b[i];
	for (int i = 7; i >= 0; i--)
		units.lo = units.lo << 8 | b[i];
	return count_compare(c, count_times(units, UINT64_C(1000000000))) == 0;
}

static const char *errors(void)
{
	struct nvme_error_log_page r;
	struct nv_error e;

	for (size_t i = 0; i < NV_ERROR_ENTRIES; i++) {
		memcpy(&r, page + i * sizeof r, sizeof r);
		SAME("used", nv_error_decode(page, NV_ERROR_ENTRIES * sizeof r, i, &e), r.error_count != 0);
		SAME("error_count", e.count, le64toh(r.error_count));
		SAME("sqid", e.queue, le16toh(r.sqid));
		SAME("cmdid", e.command, le16toh(r.cmdid));
		SAME("status_field", e.status, le16toh(r.status_field) >> 1);
		SAME("location", e.location_byte | e.location_bit << 8, le16toh(r.parm_error_location) & 0x7ff);
		SAME("lba", e.lba, le64toh(r.lba));
		SAME("nsid", e.namespace_id, le32toh(r.nsid));
		SAME("trtype", e.transport, r.trtype);
	}
	return NULL;
}

static const char *firmware(void)
{
	struct nvme_firmware_slot r;
	struct nv_firmware f;

	memcpy(&r, page, sizeof r);
	SAME("is one", nv_firmware_decode(page, sizeof r, &f), (r.afi & 7) != 0);
	SAME("active", f.active_slot, r.afi & 7);
	SAME("next", f.next_slot, r.afi >> 4 & 7);
	return NULL;
}

static const char *self_tests(void)
{
	struct nvme_self_test_log r;
	struct nv_self_tests s;
	size_t n = 0;

	memcpy(&r, page, sizeof r);
	SAME("is one", nv_self_tests_decode(page, sizeof r, &s), true);
	SAME("current_operation", s.running_kind, r.current_operation & 0xf);
	SAME("completion", s.completion_percent, s.running_kind ? r.completion & 0x7f : 0);
	while (n < NVME_LOG_ST_MAX_RESULTS && (r.result[n].dsts & NVME_ST_RESULT_MASK) != NVME_ST_RESULT_NOT_USED)
		n++;
	SAME("results", s.n, n);
	for (size_t i = 0; i < n; i++) {
		const struct nv_self_test *t = &s.tests[i];

		SAME("result", t->result_code, r.result[i].dsts & NVME_ST_RESULT_MASK);
		SAME("kind", t->kind, r.result[i].dsts >> NVME_ST_CODE_SHIFT);
		SAME("segment", t->segment, r.result[i].seg);
		SAME("hours", t->power_on_hours, le64toh(r.result[i].poh));
		SAME("namespace_known", t->namespace_known, (r.result[i].vdi & NVME_ST_VALID_DIAG_INFO_NSID) != 0);
		SAME("lba_known", t->lba_known, (r.result[i].vdi & NVME_ST_VALID_DIAG_INFO_FLBA) != 0);
		SAME("nsid", t->namespace_id, le32toh(r.result[i].nsid));
		SAME("lba", t->lba, le64toh(r.result[i].flba));
	}
	return NULL;
}

static bool same_percent(double ours, uint8_t theirs, int max)
{
	return theirs <= max ? ours == theirs : isnan(ours);
}

static const char *endurance_group(void)
{
	struct nvme_endurance_group_log r;
	struct nv_endurance_group g;

	memcpy(&r, page, sizeof r);
	SAME("is one", nv_endurance_group_decode(page, sizeof r, &g), true);
	SAME("critical_warning", g.critical_warning, r.critical_warning);
	SAME("spare", same_percent(g.spare_percent, r.avl_spare, 100), true);
	SAME("threshold", same_percent(g.spare_threshold_percent, r.avl_spare_threshold, 100), true);
	SAME("used", same_percent(g.used_percent, r.percent_used, 255), true);
	SAME("endurance", same_billions(g.endurance_bytes, r.endurance_estimate), true);
	SAME("read", same_billions(g.bytes_read, r.data_units_read), true);
	SAME("written", same_billions(g.bytes_written, r.data_units_written), true);
	SAME("media", same_billions(g.media_bytes_written, r.media_units_written), true);
	SAME("host_reads", same_count(g.host_reads, r.host_read_cmds), true);
	SAME("host_writes", same_count(g.host_writes, r.host_write_cmds), true);
	SAME("media_errors", same_count(g.media_errors, r.media_data_integrity_err), true);
	SAME("error_log_entries", same_count(g.error_log_entries, r.num_err_info_log_entries), true);
	return NULL;
}

static bool same_kelvin(double ours, uint16_t theirs)
{
	return theirs >= 173 && theirs <= 473 ? ours == theirs - 273 : isnan(ours);
}

static const char *identify(void)
{
	static struct nvme_id_ctrl r;
	struct nv_identify id;

	memcpy(&r, page, sizeof r);
	SAME("is one", nv_identify_decode(page, sizeof r, &id), true);
	SAME("vid", id.pci_vendor, le16toh(r.vid));
	SAME("ssvid", id.pci_subsystem_vendor, le16toh(r.ssvid));
	SAME("ieee", id.oui[0] << 16 | id.oui[1] << 8 | id.oui[2], r.ieee[2] << 16 | r.ieee[1] << 8 | r.ieee[0]);
	SAME("cntlid", id.controller_id, le16toh(r.cntlid));
	SAME("ver", (uint32_t)id.version_major << 16 | (uint32_t)id.version_minor << 8 | (uint32_t)id.version_tertiary,
		le32toh(r.ver));
	SAME("oacs", id.has_self_test, (le16toh(r.oacs) & NVME_CTRL_OACS_SELF_TEST) != 0);
	SAME("frmw", id.firmware_slots, r.frmw >> 1 & 7);
	SAME("elpe", id.error_log_entries, r.elpe + 1);
	SAME("wctemp", same_kelvin(id.warning_temperature_c, le16toh(r.wctemp)), true);
	SAME("cctemp", same_kelvin(id.critical_temperature_c, le16toh(r.cctemp)), true);
	SAME("tnvmcap", same_count(id.capacity_bytes, r.tnvmcap), true);
	SAME("unvmcap", same_count(id.unallocated_bytes, r.unvmcap), true);
	SAME("edstt", id.extended_self_test_minutes, le16toh(r.edstt));
	SAME("endgidmax", id.endurance_groups, le16toh(r.endgidmax));
	SAME("nn", id.namespaces, le32toh(r.nn));
	SAME("npss", id.n_power_states, r.npss < 31 ? (size_t)r.npss + 1 : 32);
	for (size_t i = 0; i < id.n_power_states; i++) {
		const struct nvme_id_psd *p = &r.psd[i];
		double watts = le16toh(p->mp) * (p->flags & NVME_PSD_FLAGS_MXPS ? 0.0001 : 0.01);

		SAME("mp", p->mp ? id.power_states[i].max_watts == watts : isnan(id.power_states[i].max_watts), true);
		SAME("nops", id.power_states[i].operational, !(p->flags & NVME_PSD_FLAGS_NOPS));
		SAME("enlat", id.power_states[i].entry_us, le32toh(p->enlat));
		SAME("exlat", id.power_states[i].exit_us, le32toh(p->exlat));
	}
	return NULL;
}

static const struct {
	const char *name;
	size_t len;
	const char *(*compare)(void);
} kinds[] = {{"error", 1024, errors}, {"firmware", 512, firmware}, {"self-test", 568, self_tests},
	{"endurance-group", 512, endurance_group}, {"identify", 4096, identify}};

START_TEST(random_pages_of_each_kind_read_as_libnvme_has_them)
{
	const char *given = getenv("LANEWATCH_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);

	x = seed | 1;
	printf("# seed %llu\n", (unsigned long long)seed);
	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
		for (size_t n = 0; n < (is_valgrind() ? 1000 : 100000); n++) {
			const char *field;

			make_page(kinds[k].len);
			field = kinds[k].compare();
			if (field)
				ck_abort_msg("%s, page %zu: %s", kinds[k].name, n, field);
		}
}
END_TEST

UNIT_MAIN("libnvme", random_pages_of_each_kind_read_as_libnvme_has_them)
