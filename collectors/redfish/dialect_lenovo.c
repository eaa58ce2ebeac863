/* SPDX-License-Identifier: MIT */
/*
 * dialect_lenovo: XCC.  Direct NVMe drives tell no link on XCC 2; drives on an M.2 kit name
 * the kit's PCIe function, whose link is the kit's.  Temperature is in Oem.Lenovo.
 */
#include "base/jtext.h"
#include "base/str.h"
#include "collectors/redfish/dialect.h"

static bool speaks(const struct rf_survey *s)
{
	const char *vendor = jtext_string(json_object_get(s->root, "Vendor"));
	const char *maker = jtext_string(json_object_get(s->system, "Manufacturer"));

	return str_same_nocase(vendor, "Lenovo") || str_same_nocase(maker, "Lenovo") ||
	       jtext_at(s->root, "Oem", "Lenovo", NULL) || jtext_at(s->system, "Oem", "Lenovo", NULL);
}

static bool is_boot(const struct rf_drive *d)
{
	const char *id = jtext_string(json_object_get(d->storage, "Id"));
	const char *name = jtext_string(json_object_get(
		json_array_get(json_object_get(d->storage, "StorageControllers"), 0), "Name"));

	return str_same(id, "M.2") || (name && str_has_nocase(name, "M.2") && str_has_nocase(name, "RAID"));
}

static void read_bay(const struct rf_survey *s, const struct rf_drive *d, struct bay *b)
{
	double temperature = jtext_number(jtext_at(d->doc, "Oem", "Lenovo", "Temperature", NULL));

	(void)s;
	if (temperature > 0 && temperature < 200)
		b->temperature_c = temperature;
	if (is_boot(d))
		b->role = ROLE_BOOT;
}

const struct rf_dialect rf_dialect_lenovo = {
	.name = "lenovo",
	.speaks = speaks,
	.bay = read_bay,
};
