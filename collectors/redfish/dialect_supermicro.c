/* SPDX-License-Identifier: MIT */
/*
 * dialect_supermicro: X11 and later.
 *
 * No negotiated speed.  CapableSpeedGbs is the coded rate of one lane on some boards (15.75)
 * and of the whole link on others (31.5 for Gen3 x4): alone it decides nothing.  The maximum is
 * text in the OEM part of the PCIe device, joined by serial number.  Wear counts up.
 */
#include "base/jtext.h"
#include "base/str.h"
#include "collectors/redfish/dialect.h"
#include "collectors/redfish/drive.h"
#include "collectors/redfish/link.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool speaks(const struct rf_survey *s)
{
	const char *vendor = jtext_string(json_object_get(s->root, "Vendor"));
	const char *maker = jtext_string(json_object_get(s->system, "Manufacturer"));

	return str_same_nocase(vendor, "Supermicro") || str_same_nocase(maker, "Supermicro") ||
	       jtext_at(s->root, "Oem", "Supermicro", NULL) || jtext_at(s->system, "Oem", "Supermicro", NULL);
}

/* Link as text of one port: now where newer firmware tells it, maximum always. */
static void read_link(const struct rf_drive *d, struct pcie_link *l)
{
	static const struct {
		const char *speed, *width;
	} now = {"Port0LinkSpeed", "Port0LinkWidth"}, max = {"Port0MaxLinkSpeed", "Port0MaxLinkWidth"};
	const json_t *oem = jtext_at(d->device, "Oem", "Supermicro", NULL);
	const char *speed = jtext_string(json_object_get(oem, max.speed));
	const char *width = jtext_string(json_object_get(oem, max.width));

	rf_link_keep_raw(l, oem, max.speed);
	rf_link_keep_raw(l, oem, max.width);
	if (!l->max.speed_mtps && speed)
		l->max.speed_mtps = pcie_speed_parse(speed);
	if (!l->max.width_lanes && width)
		l->max.width_lanes = pcie_width_parse(width);
	if ((l->max.speed_mtps || l->max.width_lanes) && !l->max_from[0])
		str_clean(l->max_from, sizeof l->max_from, d->device_path);
	speed = jtext_string(json_object_get(oem, now.speed));
	width = jtext_string(json_object_get(oem, now.width));
	if (l->now.speed_mtps || l->now.width_lanes || !speed || !width)
		return;
	l->now.speed_mtps = pcie_speed_parse(speed);
	l->now.width_lanes = pcie_width_parse(width);
	if (l->now.speed_mtps && l->now.width_lanes)
		str_clean(l->now_from, sizeof l->now_from, d->device_path);
	else
		l->now = (struct pcie_rate){0};
}

static void read_bay(const struct rf_survey *s, const struct rf_drive *d, struct bay *b)
{
	const json_t *oem = jtext_at(d->doc, "Oem", "Supermicro", NULL);
	double used = jtext_number(json_object_get(oem, "PercentageDriveLifeUsed"));
	double temperature = jtext_number(json_object_get(oem, "Temperature"));

	(void)s;
	if (b->wear.applicable && used >= 0 && used <= 255 && isnan(b->wear.percent_used)) {
		b->wear.percent_used = used;
		b->wear.life_left_percent = used < 100 ? 100 - used : 0;
	}
	if (temperature > 0 && temperature < 200)
		b->temperature_c = temperature;
}

/* "Disk.Bay.7" */
static bool bay_of_path(const char *path, char *out, size_t size)
{
	const char *id = rf_path_last(path);

	if (!str_starts(id, "Disk.Bay."))
		return false;
	str_clean(out, size, id + strlen("Disk.Bay."));
	return out[0] != '\0';
}

/* Devices are named by kind: "NVMeSSD3", "GPU1", "NIC9". */
static bool spares_device(const char *path)
{
	const char *id = rf_path_last(path);

	return str_starts(id, "GPU") || str_starts(id, "NIC");
}

const struct rf_dialect rf_dialect_supermicro = {
	.name = "supermicro",
	.speaks = speaks,
	.spares_device = spares_device,
	.link = read_link,
	.bay = read_bay,
	.bay_of_path = bay_of_path,
};
