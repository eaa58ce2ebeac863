/* SPDX-License-Identifier: MIT */
/*
 * dialect_hpe: iLO 5, 6 and 7.
 *
 * A direct NVMe drive is a Storage of its own (DA...), whose inline StorageControllers[0] has
 * the link; the standard reading takes it by serial number.  Behind MR, SR and NS204 cards
 * (DE...) NegotiatedSpeedGbs is the raw sum of all lanes, which decides neither generation nor
 * lanes: it stays unknown.  Temperature, hours and wear status are in Oem.Hpe.  Drives behind
 * old Smart Arrays are only in the SmartStorage tree, others are there a second time.  PCIeDevices
 * are cards without a link, and PCIeSlots are the cards' slots: neither is asked for.
 */
#include "base/jtext.h"
#include "base/str.h"
#include "collectors/redfish/dialect.h"
#include "collectors/redfish/drive.h"

#include <math.h>
#include <string.h>

static bool speaks(const struct rf_survey *s)
{
	const char *vendor = jtext_string(json_object_get(s->root, "Vendor"));
	const char *maker = jtext_string(json_object_get(s->system, "Manufacturer"));

	return str_same_nocase(vendor, "HPE") || str_same_nocase(maker, "HPE") ||
	       jtext_at(s->root, "Oem", "Hpe", NULL) || jtext_at(s->root, "Oem", "Hp", NULL) ||
	       jtext_at(s->system, "Oem", "Hpe", NULL) || jtext_at(s->system, "Oem", "Hp", NULL);
}

/* A link, under "Links" or as iLO 4 writes it, "links". */
static json_t *want_link(struct rf_survey *s, const json_t *doc, const char *name, unsigned flags)
{
	const json_t *links = json_object_get(doc, "Links");

	return rf_tree_want_ref(s->tree, json_object_get(links ? links : json_object_get(doc, "links"), name), flags);
}

static const json_t *oem_of(const json_t *doc)
{
	const json_t *hpe = jtext_at(doc, "Oem", "Hpe", NULL);

	return hpe ? hpe : jtext_at(doc, "Oem", "Hp", NULL);
}

/* Systems/n/SmartStorage/ArrayControllers/n/DiskDrives/n */
static void want_of_system(struct rf_survey *s, json_t *system)
{
	json_t *smart = want_link(s, oem_of(system), "SmartStorage", RF_OPTIONAL);
	json_t *arrays = want_link(s, smart, "ArrayControllers", RF_OPTIONAL | RF_EXPAND);
	struct rf_members it = {0};
	const json_t *ref, *disk;

	while ((ref = rf_tree_member(s->tree, &it, arrays, "Members", RF_OPTIONAL))) {
		json_t *array = rf_tree_want_ref(s->tree, ref, RF_OPTIONAL);
		json_t *list = want_link(s, array, "PhysicalDrives", RF_OPTIONAL | RF_EXPAND);
		struct rf_members disks = {0};

		if (!list)
			list = rf_tree_want_ref(s->tree, json_object_get(array, "DiskDrives"), RF_OPTIONAL | RF_EXPAND);
		while ((disk = rf_tree_member(s->tree, &disks, list, "Members", RF_OPTIONAL)))
			rf_survey_add_drive(s, disk, NULL);
	}
}

static bool is_smart_storage(const struct rf_drive *d)
{
	const char *type = jtext_string(json_object_get(d->doc, "@odata.type"));

	return (type && str_has_nocase(type, "SmartStorageDiskDrive")) || str_has_nocase(d->path, "/SmartStorage/");
}

/* A disk of the SmartStorage tree has a schema of its own. */
static void read_smart_disk(const json_t *doc, struct bay *b)
{
	double used = jtext_number(json_object_get(doc, "SSDEnduranceUtilizationPercentage"));
	int64_t mib;

	jtext_copy(b->bay, sizeof b->bay, json_object_get(doc, "Location"));
	str_copy(b->location, sizeof b->location, b->bay);
	jtext_copy(b->drive.protocol, sizeof b->drive.protocol, json_object_get(doc, "InterfaceType"));
	jtext_copy(b->drive.firmware, sizeof b->drive.firmware,
		jtext_at(doc, "FirmwareVersion", "Current", "VersionString", NULL));
	if (jtext_int(json_object_get(doc, "CapacityMiB"), 1, INT64_MAX >> 20, &mib))
		b->drive.capacity_bytes = count_of((uint64_t)mib << 20);
	b->pcie = str_has_nocase(b->drive.protocol, "nvme") || str_has_nocase(b->drive.protocol, "pcie");
	if (b->wear.applicable && used >= 0 && used < 1000) { /* 329 was seen; 255 is 255 or more */
		b->wear.percent_used = used < 255 ? used : 255;
		b->wear.life_left_percent = used < 100 ? 100 - used : 0;
	}
}

static void read_oem(const struct rf_drive *d, struct bay *b)
{
	const json_t *from = is_smart_storage(d) ? d->doc : oem_of(d->doc);
	double temperature = jtext_number(json_object_get(from, "CurrentTemperatureCelsius"));
	int64_t hours;

	if (temperature > 0 && temperature < 200)
		b->temperature_c = temperature;
	if (jtext_int(json_object_get(from, "PowerOnHours"), 0, INT32_MAX, &hours))
		b->health.power_on_hours = count_of((uint64_t)hours);
}

static bool is_boot(const struct rf_drive *d)
{
	const char *name = jtext_string(json_object_get(d->storage, "Name"));
	const char *inline_model = jtext_string(json_object_get(
		json_array_get(json_object_get(d->storage, "StorageControllers"), 0), "Model"));
	const char *model = jtext_string(json_object_get(d->controller, "Model"));

	return (name && str_has_nocase(name, "NS204")) || (model && str_has_nocase(model, "NS204")) ||
	       (inline_model && str_has_nocase(inline_model, "NS204"));
}

static void read_bay(const struct rf_survey *s, const struct rf_drive *d, struct bay *b)
{
	(void)s;
	if (!d->doc)
		return;
	if (is_smart_storage(d))
		read_smart_disk(d->doc, b);
	read_oem(d, b);
	if (is_boot(d))
		b->role = ROLE_BOOT;
}

const struct rf_dialect rf_dialect_hpe = {
	.name = "hpe",
	.speaks = speaks,
	.want_of_system = want_of_system,
	.bay = read_bay,
	.no_drive_devices = true,
	.no_drive_slots = true, /* an empty bay is a Drive that is Absent */
	.storage_keeps_links = true,
};
