/* SPDX-License-Identifier: MIT */
/*
 * NVMe pages as drives and files give them: the first byte says which page, the rest are its bytes;
 * with the top bit set it is a page in hexadecimal text.
 */
#include "collectors/nvme/logpages.h"
#include "collectors/nvme/page_check.h"
#include "collectors/nvme/recording.h"
#include "collectors/nvme/smart.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

static void decode_all(const uint8_t *p, size_t len)
{
	struct nv_smart smart;
	struct nv_error error;
	struct nv_firmware firmware;
	struct nv_self_tests tests;
	struct nv_endurance_group group;
	struct nv_ocp_smart ocp;
	struct nv_identify id;

	if (nv_smart_decode(p, len, &smart) == NV_SAMPLE_GOOD)
		assert(smart.spare_percent <= 100 && smart.spare_threshold_percent <= 100);
	for (size_t i = 0; i <= len / 64; i++)
		if (nv_error_decode(p, len, i, &error))
			assert(error.count != 0);
	if (nv_firmware_decode(p, len, &firmware))
		assert(firmware.active_slot >= 1 && firmware.active_slot <= NV_FIRMWARE_SLOTS);
	if (nv_self_tests_decode(p, len, &tests))
		assert(tests.n <= NV_SELF_TESTS);
	if (nv_endurance_group_decode(p, len, &group))
		assert(!(group.spare_percent > 100));
	nv_ocp_smart_decode(p, len, &ocp);
	if (nv_identify_decode(p, len, &id))
		assert(id.n_power_states <= NV_POWER_STATES && strlen(id.serial) < sizeof id.serial);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t page[NV_PAGE_MAX];
	struct err e;
	long n;

	if (size == 0)
		return 0;
	if (data[0] & 0x80) {
		n = nv_hex_parse((const char *)data + 1, size - 1, page, sizeof page);
		assert(n >= -1 && n <= (long)sizeof page);
		if (n < 0)
			return 0;
		decode_all(page, (size_t)n);
		nv_page_check((enum nv_page)(data[0] & 7), page, (size_t)n, &e);
		return 0;
	}
	decode_all(data + 1, size - 1);
	nv_page_check((enum nv_page)(data[0] & 7), data + 1, size - 1, &e);
	return 0;
}
