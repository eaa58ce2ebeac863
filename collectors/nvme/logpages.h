/* SPDX-License-Identifier: MIT */
/*
 * logpages: the other pages, from raw bytes: errors (01h), firmware slots (03h), self-tests (06h),
 * endurance group (09h), OCP extended SMART (C0h) and Identify Controller.  Section and figure
 * numbers are those of the NVM Express Base Specification 2.0.
 *
 * Each decoder takes any bytes and gives false for those that are no such page.
 */
#ifndef COLLECTORS_NVME_LOGPAGES_H
#define COLLECTORS_NVME_LOGPAGES_H

#include "model/count.h"
#include "model/wear.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One entry of log 01h (figure 206). */
struct nv_error {
	uint64_t count; /* 0: entry not used */
	uint16_t queue, command, status; /* the status field without its phase tag */
	bool location_known;
	uint16_t location_byte;
	uint8_t location_bit;
	uint64_t lba;
	uint32_t namespace_id;
	uint8_t transport;
};

/* Entry `index`; false if the page has no such entry or it is not used. */
bool nv_error_decode(const uint8_t *page, size_t len, size_t index, struct nv_error *out);

enum { NV_FIRMWARE_SLOTS = 7 };

/* Log 03h (figure 209). Slots count from 1; 0 is none. */
struct nv_firmware {
	int active_slot, next_slot;
	char revisions[NV_FIRMWARE_SLOTS][9];
};

bool nv_firmware_decode(const uint8_t *page, size_t len, struct nv_firmware *out);

enum { NV_SELF_TESTS = 20 };

/* One result of log 06h (figures 213 and 214). */
struct nv_self_test {
	enum self_test result;
	int result_code; /* 0 to 15, as the drive says */
	int kind;	 /* 1 short, 2 extended, 14 the vendor's */
	int segment;
	uint64_t power_on_hours;
	bool lba_known, namespace_known;
	uint64_t lba;
	uint32_t namespace_id;
};

struct nv_self_tests {
	int running_kind; /* 0 none */
	int completion_percent;
	size_t n; /* newest first */
	struct nv_self_test tests[NV_SELF_TESTS];
};

bool nv_self_tests_decode(const uint8_t *page, size_t len, struct nv_self_tests *out);

/* Log 09h (figure 216); all amounts are in bytes, 10^9 times what the page says; not known where it says 0. */
struct nv_endurance_group {
	uint8_t critical_warning;
	double spare_percent, spare_threshold_percent, used_percent; /* NAN where the page has nonsense */
	struct count endurance_bytes, bytes_read, bytes_written, media_bytes_written;
	struct count host_reads, host_writes, media_errors, error_log_entries;
	struct count capacity_bytes, unallocated_bytes;
};

bool nv_endurance_group_decode(const uint8_t *page, size_t len, struct nv_endurance_group *out);

/* Log C0h (OCP Datacenter NVMe SSD Specification 2.0, SMART / Health Information Extended); false without its GUID. */
struct nv_ocp_smart {
	struct count media_bytes_written, media_bytes_read;
	uint64_t bad_user_blocks, bad_system_blocks; /* 48 bits */
	uint16_t bad_user_blocks_normalized, bad_system_blocks_normalized;
	uint64_t xor_recoveries, uncorrectable_reads, soft_ecc_errors;
	uint32_t end_to_end_detected, end_to_end_corrected;
	uint8_t system_data_used_percent;
	uint64_t refreshes; /* 56 bits */
	uint32_t max_erase_count, min_erase_count;
	uint8_t throttle_events, throttle_status;
	uint64_t pcie_correctable_errors;
	uint32_t incomplete_shutdowns;
	uint8_t free_blocks_percent;
	uint16_t capacitor_health_percent;
	uint64_t unaligned_io, security_version, namespace_use;
	struct count power_loss_starts, endurance_bytes;
	uint64_t link_retrainings; /* version 4 and later */
	bool has_link_retrainings;
	uint16_t version;
};

bool nv_ocp_smart_decode(const uint8_t *page, size_t len, struct nv_ocp_smart *out);

enum { NV_POWER_STATES = 32 };

/* Identify Controller (figure 275). */
struct nv_identify {
	uint16_t pci_vendor, pci_subsystem_vendor, controller_id;
	char serial[64], model[96], firmware[32], nqn[256];
	uint8_t oui[3]; /* most significant first */
	int version_major, version_minor, version_tertiary; /* 0.0.0: before 1.2 */
	double warning_temperature_c, critical_temperature_c; /* NAN not given */
	struct count capacity_bytes, unallocated_bytes;
	uint8_t firmware_slots;
	bool has_self_test, has_extended_self_test_minutes;
	uint16_t extended_self_test_minutes;
	uint16_t endurance_groups; /* the largest identifier, 0: there are none */
	uint32_t namespaces;
	int error_log_entries; /* how many the drive keeps */
	size_t n_power_states;
	struct nv_power_state {
		double max_watts; /* NAN not given */
		bool operational;
		uint32_t entry_us, exit_us;
	} power_states[NV_POWER_STATES];
};

bool nv_identify_decode(const uint8_t *page, size_t len, struct nv_identify *out);

#endif
