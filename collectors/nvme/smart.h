/* SPDX-License-Identifier: MIT */
/*
 * smart: the SMART / Health Information page (log 02h; NVM Express Base Specification 2.0,
 * figure 207) from its raw bytes.  Counters keep all 128 bits.
 */
#ifndef COLLECTORS_NVME_SMART_H
#define COLLECTORS_NVME_SMART_H

#include "model/count.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NV_SMART_SIZE = 512, NV_SMART_SENSORS = 8 };

struct nv_smart {
	uint8_t critical_warning;
	uint16_t temperature_k; /* composite, as given */
	uint8_t spare_percent, spare_threshold_percent, used_percent;
	uint8_t endurance_group_warning;
	struct count data_units_read, data_units_written; /* of 512 000 bytes; 0 is "not reported" */
	struct count host_reads, host_writes;
	struct count controller_busy_minutes, power_cycles, power_on_hours, unsafe_shutdowns;
	struct count media_errors, error_log_entries;
	uint32_t warning_temperature_minutes, critical_temperature_minutes;
	uint16_t sensors_k[NV_SMART_SENSORS];
	uint32_t throttle_count[2], throttle_seconds[2];
};

enum nv_sample { NV_SAMPLE_UNKNOWN = 0, NV_SAMPLE_GOOD, NV_SAMPLE_BLANK, NV_SAMPLE_IMPOSSIBLE };

/*
 * Takes the fields out; the bytes may be anything.  BLANK: all ones or all zeros, or too short;
 * IMPOSSIBLE: percentages that are none.  Neither is a sample; the fields are filled all the same.
 */
enum nv_sample nv_smart_decode(const uint8_t *page, size_t len, struct nv_smart *out);

#endif
