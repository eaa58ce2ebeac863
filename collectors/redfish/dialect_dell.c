/* SPDX-License-Identifier: MIT */
/*
 * dialect_dell: iDRAC 9 and 10 (and 8, without $expand).
 *
 * The Drive itself tells the link: NegotiatedSpeedGbs is one lane after line coding (7.877,
 * 15.754, 31.508), the width is the text "x4" in Oem.Dell.DellPCIeSSD.  Bus numbers are
 * hexadecimal text.  An empty bay is no Drive, only a PCIeSlots entry whose SlotKey is
 * "PCIeSSD.BaySlot.<bay>:<backplane>".  SMART values need a licence (LIC501).
 */
#include "base/jtext.h"
#include "base/str.h"
#include "collectors/redfish/dialect.h"
#include "collectors/redfish/drive.h"
#include "collectors/redfish/link.h"
#include "collectors/redfish/telemetry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool speaks(const struct rf_survey *s)
{
	const char *vendor = jtext_string(json_object_get(s->root, "Vendor"));
	const char *product = jtext_string(json_object_get(s->root, "Product"));

	return (vendor && str_has_nocase(vendor, "Dell")) ||
	       jtext_at(s->root, "Oem", "Dell", NULL) || jtext_at(s->system, "Oem", "Dell", NULL) ||
	       (product && str_has_nocase(product, "Integrated Dell"));
}

/* iDRAC 8 (12G and 13G servers) answers $expand with broken JSON. */
static bool refuses_expand(const struct rf_survey *s)
{
	const char *generation = jtext_string(jtext_at(s->system, "Oem", "Dell", "DellSystem", "SystemGeneration", NULL));
	const char *model = jtext_string(json_object_get(s->system, "Model"));

	return (generation && (str_starts(generation, "12G") || str_starts(generation, "13G"))) ||
	       (model && (str_match("PowerEdge ?2?0*", model) || str_match("PowerEdge ?3?0*", model) ||
			  str_match("PowerEdge ??3?0*", model)));
}

/* Old iDRACs restart when a RAID or enclosure chassis is read. */
static bool spares_chassis(const char *path)
{
	const char *id = rf_path_last(path);

	return str_starts(id, "Enclosure.") || str_starts(id, "RAID.") || str_starts(id, "AHCI.") ||
	       str_starts(id, "BOSS.") || str_starts(id, "NonRAID.");
}

static const json_t *oem(const struct rf_drive *d)
{
	return jtext_at(d->doc, "Oem", "Dell", NULL);
}

/* A property of DellPCIeSSD, or of DellPhysicalDisk which repeats some of them. */
static const json_t *oem_value(const struct rf_drive *d, const char *key)
{
	const json_t *j = jtext_at(oem(d), "DellPCIeSSD", key, NULL);

	return j && !json_is_null(j) ? j : jtext_at(oem(d), "DellPhysicalDisk", key, NULL);
}

static void want_of_drive(struct rf_survey *s, struct rf_drive *d)
{
	json_t *ref = jtext_at(oem(d), "DellNVMeSMARTAttributes", NULL);

	if (rf_telemetry_covers(d))
		return;
	/* a link, an embedded object, null, or nothing */
	if (json_object_get(ref, "CompositeTemperatureKelvin") || json_object_get(ref, "LifeUsedPercent"))
		d->oem_metrics = ref;
	else if (json_is_object(ref))
		d->oem_metrics = rf_tree_want_ref(s->tree, ref, RF_OPTIONAL | RF_METRICS);
}

/* ---- link -------------------------------------------------------------------- */

/* Speed and width of one end, read together: a placeholder in one voids the other. */
static struct pcie_rate read_rate(const struct rf_drive *d, const char *speed, const char *width, bool *placeholder)
{
	const json_t *gbps = json_object_get(d->doc, speed);
	const char *lanes = jtext_string(oem_value(d, width));
	struct pcie_rate r = {0};

	if (json_is_number(gbps))
		r.speed_mtps = pcie_speed_from_coded_gbps(json_number_value(gbps));
	if (lanes)
		r.width_lanes = pcie_width_parse(lanes);
	*placeholder = (gbps && !r.speed_mtps) || (lanes && !r.width_lanes);
	return *placeholder ? (struct pcie_rate){0} : r;
}

static bool both_known(struct pcie_rate r)
{
	return r.speed_mtps && r.width_lanes;
}

static void read_link(const struct rf_drive *d, struct pcie_link *l)
{
	bool placeholder, ignored;
	struct pcie_rate now = read_rate(d, "NegotiatedSpeedGbs", "PCIeNegotiatedLinkWidth", &placeholder);
	struct pcie_rate max = read_rate(d, "CapableSpeedGbs", "PCIeCapableLinkWidth", &ignored);

	if (!d->doc)
		return;
	rf_link_keep_raw(l, jtext_at(oem(d), "DellPCIeSSD", NULL), "PCIeNegotiatedLinkWidth");
	rf_link_keep_raw(l, jtext_at(oem(d), "DellPCIeSSD", NULL), "PCIeCapableLinkWidth");
	if (both_known(now) && both_known(l->now) &&
		(now.speed_mtps != l->now.speed_mtps || now.width_lanes != l->now.width_lanes)) {
		/* the Drive and its PCIe device do not agree: neither is believed */
		l->now = (struct pcie_rate){0};
		l->doubt = REASON_CONTRADICTORY;
	} else if (now.speed_mtps || now.width_lanes) {
		l->now = now;
		l->doubt = REASON_NONE;
		str_clean(l->now_from, sizeof l->now_from, d->path);
	} else if (placeholder && !both_known(l->now)) {
		l->now = (struct pcie_rate){0};
		l->doubt = REASON_PLACEHOLDER;
	}
	if (max.speed_mtps || max.width_lanes) {
		l->max = max;
		str_clean(l->max_from, sizeof l->max_from, d->path);
	}
}

/* ---- bay ------------------------------------------------------------------------ */

static bool is_boot(const struct rf_drive *d)
{
	const char *name = jtext_string(json_object_get(d->storage, "Name"));
	const char *id = jtext_string(json_object_get(d->storage, "Id"));
	const char *model = jtext_string(json_object_get(
		json_array_get(json_object_get(d->storage, "StorageControllers"), 0), "Model"));

	return str_starts(rf_path_last(d->path), "Disk.Direct.") || (name && str_starts(name, "BOSS")) ||
	       (id && str_starts(id, "BOSS")) || (model && str_starts(model, "BOSS"));
}

/* DellPCIeSSD.Bus, .Device and .Function are hexadecimal text ("E5"). */
static void read_address(const struct rf_drive *d, struct bay *b)
{
	const char *bus = jtext_string(oem_value(d, "Bus"));
	const char *device = jtext_string(oem_value(d, "Device"));
	const char *function = jtext_string(oem_value(d, "Function"));
	unsigned n[3];

	if (!bus || !device || !function || strspn(bus, "0123456789abcdefABCDEF") != strlen(bus))
		return;
	if (sscanf(bus, "%2x", &n[0]) == 1 && sscanf(device, "%2x", &n[1]) == 1 && n[1] < 32 &&
		sscanf(function, "%1x", &n[2]) == 1 && n[2] < 8)
		snprintf(b->drive.pci_address, sizeof b->drive.pci_address, "0000:%02x:%02x.%x", n[0], n[1], n[2]);
}

/* A life left of 0 from a card or controller that makes it up: BOSS with SSDs that are not Dell's. */
static void doubt_life_left(struct bay *b)
{
	if (b->wear.life_left_percent != 0 || b->role != ROLE_BOOT)
		return;
	b->wear.percent_used = b->wear.life_left_percent = NAN;
	b->notes |= NOTE_LIFE_LEFT_NOT_CREDIBLE;
}

static void read_smart(const struct rf_drive *d, struct bay *b)
{
	double used = jtext_number(json_object_get(d->oem_metrics, "LifeUsedPercent"));
	double kelvin = jtext_number(json_object_get(d->oem_metrics, "CompositeTemperatureKelvin"));
	double threshold = rf_percent(json_object_get(d->oem_metrics, "AvailableSpareThresholdPercent"));
	double spare = rf_percent(json_object_get(d->oem_metrics, "AvailableSparePercent"));
	int64_t warnings, n;

	if (used >= 0 && used <= 255) {
		b->wear.percent_used = used;
		b->wear.life_left_percent = used < 100 ? 100 - used : 0;
	}
	if (kelvin > 213 && kelvin < 473)
		b->temperature_c = kelvin - 273;
	if (!isnan(threshold))
		b->wear.spare_threshold_percent = threshold;
	if (!isnan(spare))
		b->wear.available_spare_percent = spare;
	if (jtext_int(json_object_get(d->oem_metrics, "ControllerBusyTimeMinutes"), 0, INT64_MAX, &n))
		b->health.controller_busy_minutes = count_of((uint64_t)n);
	if (jtext_int(json_object_get(d->oem_metrics, "CriticalWarningsCount"), 0, 0x3f, &warnings))
		b->health.critical_warning = (int)warnings;
	if (jtext_int(json_object_get(d->oem_metrics, "MediaDataIntegrityErrorsCount"), 0, INT64_MAX, &n))
		b->health.media_errors = count_of((uint64_t)n);
	if (jtext_int(json_object_get(d->oem_metrics, "ErrorInfoCount"), 0, INT64_MAX, &n))
		b->health.error_log_entries = count_of((uint64_t)n);
	if (jtext_int(json_object_get(d->oem_metrics, "PowerOnHours"), 0, INT64_MAX, &n))
		b->health.power_on_hours = count_of((uint64_t)n);
	if (jtext_int(json_object_get(d->oem_metrics, "PowerCycleCount"), 0, INT64_MAX, &n))
		b->health.power_cycles = count_of((uint64_t)n);
	if (jtext_int(json_object_get(d->oem_metrics, "UnsafeShutdownsCount"), 0, INT64_MAX, &n))
		b->health.unsafe_shutdowns = count_of((uint64_t)n);
}

static void read_bay(const struct rf_survey *s, const struct rf_drive *d, struct bay *b)
{
	double spare = rf_percent(oem_value(d, "AvailableSparePercent")); /* 255 is "not available" */

	(void)s;
	if (is_boot(d))
		b->role = ROLE_BOOT;
	if (!d->doc || rf_drive_is_stub(d->doc)) {
		/* a PCIe device's serial number is the board's part label, never the drive's */
		b->drive.serial[0] = b->drive.part_number[0] = '\0';
		return;
	}
	jtext_copy(b->drive.form_factor, sizeof b->drive.form_factor, oem_value(d, "DriveFormFactor"));
	if (!isnan(spare))
		b->wear.available_spare_percent = spare;
	read_address(d, b);
	read_smart(d, b);
	doubt_life_left(b);
}

static bool slot_bay(const json_t *slot, char *out, size_t size)
{
	const char *key = jtext_string(jtext_at(slot, "Oem", "Dell", "SlotKey", NULL));
	size_t n;

	if (!key || !str_starts(key, "PCIeSSD.BaySlot."))
		return false;
	key += strlen("PCIeSSD.BaySlot.");
	n = strspn(key, "0123456789");
	if (!n || n >= size)
		return false;
	memcpy(out, key, n);
	out[n] = '\0';
	return true;
}

/* "Disk.Bay.7:Enclosure.Internal.0-1" is bay 7, "Disk.Direct.0-0:BOSS.SL.10-1" a place of its own. */
static bool bay_of_path(const char *path, char *out, size_t size)
{
	const char *id = rf_path_last(path);
	size_t n;

	if (str_starts(id, "Disk.Bay."))
		id += strlen("Disk.Bay.");
	else if (!str_starts(id, "Disk."))
		return false;
	n = strcspn(id, ":");
	if (!n || n >= size)
		return false;
	memcpy(out, id, n);
	out[n] = '\0';
	return true;
}

const struct rf_dialect rf_dialect_dell = {
	.name = "dell",
	.speaks = speaks,
	.refuses_expand = refuses_expand,
	.spares_chassis = spares_chassis,
	.want_of_drive = want_of_drive,
	.link = read_link,
	.bay = read_bay,
	.slot_bay = slot_bay,
	.bay_of_path = bay_of_path,
	.drive_tells_link = true,
};
