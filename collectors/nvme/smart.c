/* SPDX-License-Identifier: MIT */
/* smart: see smart.h. */
#include "collectors/nvme/smart.h"
#include "collectors/nvme/page.h"

enum nv_sample nv_smart_decode(const uint8_t *p, size_t len, struct nv_smart *out)
{
	*out = (struct nv_smart){0};
	if (len < NV_SMART_SIZE)
		return NV_SAMPLE_BLANK;
	out->critical_warning = p[0];
	out->temperature_k = nv_le16(p + 1);
	out->spare_percent = p[3];
	out->spare_threshold_percent = p[4];
	out->used_percent = p[5];
	out->endurance_group_warning = p[6];
	out->data_units_read = count_of_le128(p + 32);
	out->data_units_written = count_of_le128(p + 48);
	out->host_reads = count_of_le128(p + 64);
	out->host_writes = count_of_le128(p + 80);
	out->controller_busy_minutes = count_of_le128(p + 96);
	out->power_cycles = count_of_le128(p + 112);
	out->power_on_hours = count_of_le128(p + 128);
	out->unsafe_shutdowns = count_of_le128(p + 144);
	out->media_errors = count_of_le128(p + 160);
	out->error_log_entries = count_of_le128(p + 176);
	out->warning_temperature_minutes = nv_le32(p + 192);
	out->critical_temperature_minutes = nv_le32(p + 196);
	for (int i = 0; i < NV_SMART_SENSORS; i++)
		out->sensors_k[i] = nv_le16(p + 200 + 2 * i);
	for (int i = 0; i < 2; i++) {
		out->throttle_count[i] = nv_le32(p + 216 + 4 * i);
		out->throttle_seconds[i] = nv_le32(p + 224 + 4 * i);
	}
	if (nv_page_blank(p, NV_SMART_SIZE))
		return NV_SAMPLE_BLANK;
	return out->spare_percent > 100 || out->spare_threshold_percent > 100 ? NV_SAMPLE_IMPOSSIBLE
									      : NV_SAMPLE_GOOD;
}
