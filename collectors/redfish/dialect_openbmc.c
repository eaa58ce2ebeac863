/* SPDX-License-Identifier: MIT */
/*
 * dialect_openbmc: bmcweb and its children (NVIDIA, IBM, ...).  Speeds of 0.0 are not known,
 * CapableSpeedGbs is a raw sum.  A drive's temperature is a sensor of its chassis, named
 * <chassis>_SSD_<m>_Temp_<n>, m counting the drives of that chassis.
 */
#include "base/jtext.h"
#include "base/str.h"
#include "collectors/redfish/dialect.h"

#include <stdio.h>
#include <string.h>

static bool speaks(const struct rf_survey *s)
{
	const char *vendor = jtext_string(json_object_get(s->root, "Vendor"));
	const char *product = jtext_string(json_object_get(s->root, "Product"));
	const char *maker = jtext_string(json_object_get(s->system, "Manufacturer"));

	return str_same_nocase(vendor, "NVIDIA") || str_same_nocase(vendor, "OpenBMC") ||
	       (product && str_has_nocase(product, "OpenBMC")) ||
	       jtext_at(s->root, "Oem", "OpenBmc", NULL) || jtext_at(s->root, "Oem", "Nvidia", NULL) ||
	       (str_same_nocase(maker, "NVIDIA") && !jtext_at(s->root, "Oem", "Ami", NULL));
}

/* How many drives of the same chassis come before this one, by name; and how many there are. */
static size_t place_in_chassis(const struct rf_survey *s, const struct rf_drive *d, size_t *n)
{
	const char *chassis = jtext_string(jtext_at(d->doc, "Links", "Chassis", "@odata.id", NULL));
	size_t before = 0;

	*n = 0;
	for (size_t i = 0; i < s->n_drives; i++) {
		const struct rf_drive *o = &s->drives[i];

		if (!o->storage || !str_same(chassis, jtext_string(jtext_at(o->doc, "Links", "Chassis", "@odata.id", NULL))))
			continue;
		(*n)++;
		before += str_natural(rf_path_last(o->path), rf_path_last(d->path)) < 0;
	}
	return before;
}

static void want_of_drive(struct rf_survey *s, struct rf_drive *d)
{
	json_t *chassis = rf_tree_want_ref(s->tree, jtext_at(d->doc, "Links", "Chassis", NULL), RF_OPTIONAL);
	json_t *sensors = rf_tree_want_ref(s->tree, json_object_get(chassis, "Sensors"), RF_OPTIONAL | RF_METRICS | RF_EXPAND);
	char pattern[48], path[RF_PATH_MAX];
	struct rf_members it = {0};
	const json_t *ref;
	size_t n, place = place_in_chassis(s, d, &n);

	if (!d->storage)
		return;
	if (n == 1)
		str_copy(pattern, sizeof pattern, "*_Temp_*");
	else
		snprintf(pattern, sizeof pattern, "*_SSD_%zu_Temp_*", place);
	while ((ref = rf_tree_member(s->tree, &it, sensors, "Members", RF_OPTIONAL)))
		if (rf_tree_path_of(s->tree, ref, path) && str_match(pattern, rf_path_last(path))) {
			d->sensor = rf_tree_want(s->tree, path, RF_OPTIONAL | RF_METRICS);
			return;
		}
}

const struct rf_dialect rf_dialect_openbmc = {
	.name = "openbmc",
	.speaks = speaks,
	.want_of_drive = want_of_drive,
	.chassis_repeats = true, /* both lists are made of the same objects */
};
