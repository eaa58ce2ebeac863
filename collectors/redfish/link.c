/* SPDX-License-Identifier: MIT */
/* link: see link.h. */
#include "collectors/redfish/link.h"
#include "base/jtext.h"
#include "base/str.h"
#include "collectors/redfish/dialect.h"
#include "collectors/redfish/drive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rf_link_keep_raw(struct pcie_link *l, const json_t *object, const char *property)
{
	const json_t *j = json_object_get(object, property);
	char *text;

	if (!j)
		return;
	if (json_is_string(j)) {
		pcie_link_add_raw(l, property, json_string_value(j));
		return;
	}
	text = jtext_print(j, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(9));
	if (text)
		pcie_link_add_raw(l, property, text);
	free(text);
}

enum reading { READING_MISSING = 0, READING_GOOD, READING_PLACEHOLDER };

static enum reading read_speed(const json_t *j, int *mtps)
{
	const char *s = json_string_value(j);

	if (!j || json_is_null(j))
		return READING_MISSING;
	*mtps = s ? pcie_speed_parse(s) : 0;
	return *mtps ? READING_GOOD : READING_PLACEHOLDER;
}

static enum reading read_width(const json_t *j, int *lanes)
{
	int64_t n;

	if (!j || json_is_null(j))
		return READING_MISSING;
	*lanes = jtext_int(j, 0, INT32_MAX, &n) ? pcie_width_from_int(n) : 0;
	return *lanes ? READING_GOOD : READING_PLACEHOLDER;
}

/* What drive or slot can do: a placeholder voids the value read with it, as it does in sysfs. */
static struct pcie_rate read_limit(const json_t *object, const char *speed, const char *lanes)
{
	struct pcie_rate r = {0};

	if (read_speed(json_object_get(object, speed), &r.speed_mtps) == READING_PLACEHOLDER ||
		read_width(json_object_get(object, lanes), &r.width_lanes) == READING_PLACEHOLDER)
		return (struct pcie_rate){0};
	return r;
}

void rf_link_read_interface(const json_t *interface, const char *from, struct pcie_link *l)
{
	static const char *const properties[] = {"PCIeType", "LanesInUse", "MaxPCIeType", "MaxLanes"};
	struct pcie_rate now = {0}, max;
	enum reading speed, width;

	if (!json_is_object(interface))
		return;
	for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++)
		rf_link_keep_raw(l, interface, properties[i]);
	speed = read_speed(json_object_get(interface, "PCIeType"), &now.speed_mtps);
	width = read_width(json_object_get(interface, "LanesInUse"), &now.width_lanes);
	max = read_limit(interface, "MaxPCIeType", "MaxLanes");
	/* a port without a link says Gen1 and no lanes (AMI): that is no downgrade */
	if (speed == READING_GOOD && width == READING_MISSING && now.speed_mtps == 2500 &&
		max.speed_mtps > 2500)
		speed = READING_PLACEHOLDER;
	if (speed == READING_PLACEHOLDER || width == READING_PLACEHOLDER) {
		l->doubt = REASON_PLACEHOLDER;
		now = (struct pcie_rate){0};
	}
	l->now = now;
	l->max = max;
	str_clean(l->now_from, sizeof l->now_from, from);
	str_clean(l->max_from, sizeof l->max_from, from);
}

/*
 * True if a device is this drive's alone.  An adapter that several drives name has a link of its
 * own; so has one with more lanes than a drive has, unless its serial number is the drive's.
 */
static bool device_is_drive(const struct rf_survey *s, const struct rf_drive *d)
{
	int64_t lanes = 0;

	jtext_int(jtext_at(d->device, "PCIeInterface", "MaxLanes", NULL), 0, 64, &lanes);
	if (lanes > 4 && !rf_drive_same_serial(d->device, d->doc))
		return false;
	for (size_t i = 0; i < s->n_devices; i++)
		if (s->devices[i].doc == d->device)
			return s->devices[i].claims == 1;
	return false;
}

/* The port above: PCIeDevice.Slot, an upper limit and never the current state. */
static void read_slot(const struct rf_drive *d, struct pcie_link *l)
{
	const json_t *slot = json_object_get(d->device, "Slot");
	char from[RF_PATH_MAX + 8];

	l->slot = read_limit(slot, "PCIeType", "Lanes");
	if (l->slot.speed_mtps || l->slot.width_lanes) {
		snprintf(from, sizeof from, "%s Slot", d->device_path);
		str_clean(l->slot_from, sizeof l->slot_from, from);
	}
}

struct pcie_link rf_link_read(const struct rf_survey *s, const struct rf_drive *d)
{
	struct pcie_link l = pcie_link_unknown();

	if (d->device && device_is_drive(s, d)) {
		rf_link_read_interface(json_object_get(d->device, "PCIeInterface"), d->device_path, &l);
		read_slot(d, &l);
	} else if (d->controller && rf_drive_same_serial(d->controller, d->doc)) {
		rf_link_read_interface(json_object_get(d->controller, "PCIeInterface"), d->controller_path, &l);
	}
	if (s->dialect->link)
		s->dialect->link(d, &l);
	rf_link_keep_raw(&l, d->doc, "NegotiatedSpeedGbs");
	rf_link_keep_raw(&l, d->doc, "CapableSpeedGbs");
	pcie_link_check(&l);
	if ((!l.now.speed_mtps || !l.now.width_lanes) && l.doubt == REASON_NONE)
		l.doubt = REASON_NOT_REPORTED;
	return l;
}
