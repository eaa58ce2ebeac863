/* SPDX-License-Identifier: MIT */
/* logpages: see logpages.h. */
#include "collectors/nvme/logpages.h"
#include "base/str.h"
#include "collectors/nvme/page.h"

#include <math.h>
#include <string.h>

enum { ERROR_SIZE = 64, SELF_TEST_SIZE = 28 };

bool nv_error_decode(const uint8_t *page, size_t len, size_t index, struct nv_error *out)
{
	const uint8_t *p;
	uint16_t location;

	*out = (struct nv_error){0};
	if (index >= len / ERROR_SIZE)
		return false;
	p = page + index * ERROR_SIZE;
	if (nv_page_blank(p, ERROR_SIZE))
		return false;
	out->count = nv_le64(p);
	out->queue = nv_le16(p + 8);
	out->command = nv_le16(p + 10);
	out->status = nv_le16(p + 12) >> 1;
	location = nv_le16(p + 14);
	out->location_known = location != 0xffff;
	out->location_byte = location & 0xff;
	out->location_bit = location >> 8 & 7;
	out->lba = nv_le64(p + 16);
	out->namespace_id = nv_le32(p + 24);
	out->transport = p[29];
	return out->count != 0;
}

bool nv_firmware_decode(const uint8_t *p, size_t len, struct nv_firmware *out)
{
	*out = (struct nv_firmware){0};
	if (len < 512 || nv_page_blank(p, 512))
		return false;
	out->active_slot = p[0] & 7;
	out->next_slot = p[0] >> 4 & 7;
	for (int i = 0; i < NV_FIRMWARE_SLOTS; i++)
		str_clean_bytes(out->revisions[i], sizeof out->revisions[i], p + 8 + 8 * i, 8);
	return out->active_slot != 0;
}

/* Figure 214, Device Self-test Status, bits 3:0. */
static enum self_test result_of(int code)
{
	switch (code) {
	case 0x0:
		return SELF_TEST_PASSED;
	case 0x1: /* by a command */
	case 0x2: /* by a reset */
	case 0x3: /* a namespace went away */
	case 0x4: /* by a format */
	case 0x8:
	case 0x9: /* by a sanitize */
		return SELF_TEST_ABORTED;
	case 0x5: /* fatal error */
	case 0x6: /* some segment failed */
	case 0x7: /* the segment that is named failed */
		return SELF_TEST_FAILED;
	default:
		return SELF_TEST_UNKNOWN;
	}
}

static void decode_self_test(const uint8_t *p, struct nv_self_test *out)
{
	*out = (struct nv_self_test){
		.result_code = p[0] & 0xf,
		.kind = p[0] >> 4,
		.segment = p[1],
		.power_on_hours = nv_le64(p + 4),
		.namespace_known = p[2] & 1,
		.lba_known = p[2] & 2,
		.namespace_id = nv_le32(p + 12),
		.lba = nv_le64(p + 16),
	};
	out->result = result_of(out->result_code);
}

bool nv_self_tests_decode(const uint8_t *p, size_t len, struct nv_self_tests *out)
{
	const size_t size = 4 + NV_SELF_TESTS * SELF_TEST_SIZE;

	*out = (struct nv_self_tests){0};
	/* all zeros would be twenty tests that passed; all ones is a drive that is not there */
	if (len < size || nv_page_blank(p, size))
		return false;
	out->running_kind = p[0] & 0xf;
	out->completion_percent = out->running_kind ? p[1] & 0x7f : 0;
	while (out->n < NV_SELF_TESTS) {
		const uint8_t *q = p + 4 + SELF_TEST_SIZE * out->n;

		if ((q[0] & 0xf) == 0xf || nv_page_blank(q, SELF_TEST_SIZE))
			break; /* not used, and none older */
		decode_self_test(q, &out->tests[out->n++]);
	}
	return true;
}

static double percent(uint8_t p, double max)
{
	return p <= max ? p : NAN;
}

/* A field of billions of bytes; 0 is "not reported". */
static struct count billions(const uint8_t *p)
{
	struct count c = count_of_le128(p);

	return c.hi || c.lo ? count_times(c, UINT64_C(1000000000)) : (struct count){0};
}

/* A field of bytes; 0 is "not reported". */
static struct count bytes_of(const uint8_t *p)
{
	struct count c = count_of_le128(p);

	c.known = c.hi || c.lo;
	return c;
}

bool nv_endurance_group_decode(const uint8_t *p, size_t len, struct nv_endurance_group *out)
{
	*out = (struct nv_endurance_group){0};
	if (len < 512 || nv_page_blank(p, 512))
		return false;
	out->critical_warning = p[0];
	out->spare_percent = percent(p[3], 100);
	out->spare_threshold_percent = percent(p[4], 100);
	out->used_percent = percent(p[5], 255);
	out->endurance_bytes = billions(p + 32);
	out->bytes_read = billions(p + 48);
	out->bytes_written = billions(p + 64);
	out->media_bytes_written = billions(p + 80);
	out->host_reads = count_of_le128(p + 96);
	out->host_writes = count_of_le128(p + 112);
	out->media_errors = count_of_le128(p + 128);
	out->error_log_entries = count_of_le128(p + 144);
	out->capacity_bytes = bytes_of(p + 160);
	out->unallocated_bytes = out->capacity_bytes.known ? count_of_le128(p + 176) : (struct count){0};
	return true;
}

static uint64_t le48(const uint8_t *p)
{
	return nv_le32(p) | (uint64_t)nv_le16(p + 4) << 32;
}

bool nv_ocp_smart_decode(const uint8_t *p, size_t len, struct nv_ocp_smart *out)
{
	/* AFD514C9-7C6F-4F9C-A4F2-BFEA2810AFC5, last byte first */
	static const uint8_t guid[16] = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4, 0x9c, 0x4f, 0x6f,
		0x7c, 0xc9, 0x14, 0xd5, 0xaf};

	*out = (struct nv_ocp_smart){0};
	if (len < 512 || memcmp(p + 496, guid, sizeof guid) != 0)
		return false;
	out->version = nv_le16(p + 494);
	out->media_bytes_written = count_of_le128(p);
	out->media_bytes_read = count_of_le128(p + 16);
	out->bad_user_blocks = le48(p + 32);
	out->bad_user_blocks_normalized = nv_le16(p + 38);
	out->bad_system_blocks = le48(p + 40);
	out->bad_system_blocks_normalized = nv_le16(p + 46);
	out->xor_recoveries = nv_le64(p + 48);
	out->uncorrectable_reads = nv_le64(p + 56);
	out->soft_ecc_errors = nv_le64(p + 64);
	out->end_to_end_detected = nv_le32(p + 72);
	out->end_to_end_corrected = nv_le32(p + 76);
	out->system_data_used_percent = p[80];
	out->refreshes = nv_le64(p + 80) >> 8;
	out->max_erase_count = nv_le32(p + 88);
	out->min_erase_count = nv_le32(p + 92);
	out->throttle_events = p[96];
	out->throttle_status = p[97];
	out->pcie_correctable_errors = nv_le64(p + 104);
	out->incomplete_shutdowns = nv_le32(p + 112);
	out->free_blocks_percent = p[120];
	out->capacitor_health_percent = nv_le16(p + 128);
	out->unaligned_io = nv_le64(p + 136);
	out->security_version = nv_le64(p + 144);
	out->namespace_use = nv_le64(p + 152);
	out->power_loss_starts = count_of_le128(p + 160);
	out->endurance_bytes = bytes_of(p + 176);
	out->has_link_retrainings = out->version >= 4;
	if (out->has_link_retrainings)
		out->link_retrainings = nv_le64(p + 192);
	return true;
}

/* Figure 276: maximum power in units of 0.01 W, or 0.0001 W where Max Power Scale says so. */
static void decode_power_state(const uint8_t *p, struct nv_power_state *out)
{
	uint16_t power = nv_le16(p);

	out->max_watts = power ? power * (p[3] & 1 ? 0.0001 : 0.01) : NAN;
	out->operational = !(p[3] & 2);
	out->entry_us = nv_le32(p + 4);
	out->exit_us = nv_le32(p + 8);
}

bool nv_identify_decode(const uint8_t *p, size_t len, struct nv_identify *out)
{
	uint32_t version;

	*out = (struct nv_identify){0};
	if (len < 4096 || nv_page_blank(p, 4096))
		return false;
	out->pci_vendor = nv_le16(p);
	out->pci_subsystem_vendor = nv_le16(p + 2);
	str_clean_bytes(out->serial, sizeof out->serial, p + 4, 20);
	str_clean_bytes(out->model, sizeof out->model, p + 24, 40);
	str_clean_bytes(out->firmware, sizeof out->firmware, p + 64, 8);
	for (int i = 0; i < 3; i++)
		out->oui[i] = p[75 - i];
	out->controller_id = nv_le16(p + 78);
	version = nv_le32(p + 80);
	out->version_major = (int)(version >> 16);
	out->version_minor = version >> 8 & 0xff;
	out->version_tertiary = version & 0xff;
	out->has_self_test = nv_le16(p + 256) & 1 << 4;
	out->firmware_slots = p[260] >> 1 & 7;
	out->error_log_entries = p[262] + 1;
	out->warning_temperature_c = nv_celsius(nv_le16(p + 266));
	out->critical_temperature_c = nv_celsius(nv_le16(p + 268));
	out->capacity_bytes = bytes_of(p + 280);
	out->unallocated_bytes = out->capacity_bytes.known ? count_of_le128(p + 296) : (struct count){0};
	out->extended_self_test_minutes = nv_le16(p + 316);
	out->has_extended_self_test_minutes = out->has_self_test && out->extended_self_test_minutes;
	out->endurance_groups = nv_le16(p + 340);
	out->namespaces = nv_le32(p + 516);
	str_clean_bytes(out->nqn, sizeof out->nqn, p + 768, strnlen((const char *)p + 768, 256));
	out->n_power_states = (size_t)p[263] + 1;
	if (out->n_power_states > NV_POWER_STATES)
		out->n_power_states = NV_POWER_STATES;
	for (size_t i = 0; i < out->n_power_states; i++)
		decode_power_state(p + 2048 + 32 * i, &out->power_states[i]);
	return true;
}
