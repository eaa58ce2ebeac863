/* SPDX-License-Identifier: MIT */
/* pcie: see pcie.h. */
#include "collectors/redfish/pcie.h"
#include "base/jtext.h"
#include "base/str.h"
#include "collectors/redfish/dialect.h"
#include "collectors/redfish/drive.h"
#include "collectors/redfish/link.h"
#include "model/drive.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DRIVE_LANES_MAX = 8 };

static bool is_under_way(const struct rf_resource *r)
{
	return r && (r->state == RF_WANTED || r->state == RF_ASKED);
}

/* True for a device that has more lanes than any drive: a card, or a port of a switch. */
static bool is_wide(const json_t *device)
{
	int64_t lanes;

	return jtext_int(jtext_at(device, "PCIeInterface", "MaxLanes", NULL), DRIVE_LANES_MAX + 1, INT32_MAX, &lanes);
}

/* The device of a path, wanted if it is new; NULL while it is not there. One of `many` may come with its collection. */
static struct rf_device *get_device(struct rf_survey *s, const char *path, bool many)
{
	unsigned live = s->dialect->drive_tells_link ? RF_PLAIN : RF_LIVE;
	struct rf_resource *r;
	json_t *doc;

	for (size_t i = 0; i < s->n_devices; i++)
		if (strcmp(s->devices[i].path, path) == 0)
			return &s->devices[i];
	if (s->n_devices == RF_DEVICES_MAX || (many && rf_survey_list_under_way(s, path, live)))
		return NULL;
	doc = rf_tree_want(s->tree, path, RF_OPTIONAL);
	r = rf_tree_find(s->tree, path);
	if (r && (doc ? !is_wide(doc) : r->state == RF_FAILED))
		r->flags |= live;
	if (!doc || !r)
		return NULL;
	s->devices[s->n_devices] = (struct rf_device){.doc = doc, .path = r->key};
	return &s->devices[s->n_devices++];
}

static void claim(struct rf_drive *d, struct rf_device *device)
{
	if (!device)
		return;
	device->claims++;
	d->device = device->doc;
	d->device_path = device->path;
}

/* The device above a function, by its path; false if the path has no function in it. */
static bool device_of_function(const char *function, char out[RF_PATH_MAX])
{
	const char *end = strstr(function, "/PCIeFunctions/");

	if (!end)
		return false;
	snprintf(out, RF_PATH_MAX, "%.*s", (int)(end - function), function);
	return true;
}

void rf_pcie_claim_linked(struct rf_survey *s, struct rf_drive *d)
{
	const json_t *links = json_object_get(d->doc, "Links");
	const json_t *function = json_array_get(json_object_get(links, "PCIeFunctions"), 0);
	char path[RF_PATH_MAX], device[RF_PATH_MAX];
	const struct rf_resource *r;
	struct rf_device *own;

	if (!function || !rf_tree_path_of(s->tree, function, path) || !device_of_function(path, device))
		return;
	own = get_device(s, device, true);
	claim(d, own);
	r = rf_tree_find(s->tree, device);
	if (!own && (!r || is_under_way(r))) /* itself, or the collection that brings it */
		s->under_way = true;
}

static bool lacks_device(const struct rf_survey *s, const struct rf_drive *d)
{
	const char *state = jtext_string(jtext_at(d->doc, "Status", "State", NULL));
	const char *protocol = jtext_string(json_object_get(d->doc, "Protocol"));

	if (d->device || json_object_get(d->controller, "PCIeInterface") || str_same(state, "Absent"))
		return false;
	if (!d->doc)
		return d->resource && d->resource->state == RF_FAILED && !s->dialect->drive_tells_link;
	if (rf_drive_is_stub(d->doc))
		return true;
	return !s->dialect->drive_tells_link && !str_same_nocase(protocol, "SATA") &&
	       !str_same_nocase(protocol, "SAS");
}

/* The function of a device that says it is an NVMe drive (class code 0108xxh), or that links to drives. */
static json_t *drive_function(struct rf_survey *s, const json_t *device)
{
	json_t *list = rf_tree_want_ref(s->tree, json_object_get(device, "PCIeFunctions"), RF_OPTIONAL | RF_EXPAND);
	struct rf_members it = {0};
	const json_t *ref;

	while ((ref = rf_tree_member(s->tree, &it, list, "Members", RF_OPTIONAL))) {
		json_t *f = rf_tree_want_ref(s->tree, ref, RF_OPTIONAL);
		const char *class_code = jtext_string(json_object_get(f, "ClassCode"));

		if (json_array_size(jtext_at(f, "Links", "Drives", NULL)) ||
			(class_code && strncasecmp(class_code, "0x0108", 6) == 0))
			return f;
	}
	return NULL;
}

/* Finds the drive with a device's serial number. */
static struct rf_drive *drive_of_serial(struct rf_survey *s, const json_t *device)
{
	char serial[64], other[64];

	if (!jtext_copy(serial, sizeof serial, json_object_get(device, "SerialNumber")) ||
		!drive_serial_identifies(serial))
		return NULL;
	for (size_t i = 0; i < s->n_drives; i++)
		if (jtext_copy(other, sizeof other, json_object_get(s->drives[i].doc, "SerialNumber")) &&
			strcmp(serial, other) == 0)
			return &s->drives[i];
	return NULL;
}

/*
 * A device that no drive names: joins it by its functions' links, else it stands for a drive itself
 * where drives are `lost`.
 */
static void adopt(struct rf_survey *s, struct rf_device *device, bool lost)
{
	json_t *f = drive_function(s, device->doc), *ref;
	struct rf_drive *d;
	size_t i;

	if (!f)
		return;
	device->function = f;
	json_array_foreach(jtext_at(f, "Links", "Drives", NULL), i, ref)
	{
		d = rf_survey_add_drive(s, ref, NULL);
		if (d && !d->device) {
			d->function = f;
			claim(d, device);
		}
	}
	if (i || !lost || s->n_drives == RF_DRIVES_MAX)
		return;
	d = &s->drives[s->n_drives++];
	*d = (struct rf_drive){.path = device->path, .function = f};
	claim(d, device);
}

/*
 * True if a device that no drive claimed may be one, so that its functions are worth a request: it is
 * there, has no more lanes than drives have, and has a link to tell.  A serial number that is no
 * drive's is somebody else's, unless drives are `lost`, which tell none.
 */
static bool may_be_drive(const json_t *device, bool lost)
{
	const char *state = jtext_string(jtext_at(device, "Status", "State", NULL));
	const json_t *interface = json_object_get(device, "PCIeInterface");
	char serial[64];

	if (str_same(state, "Absent") || str_same(state, "Disabled") || is_wide(device))
		return false;
	if (lost)
		return interface || jtext_string(json_object_get(device, "Model"));
	return interface && !(jtext_copy(serial, sizeof serial, json_object_get(device, "SerialNumber")) &&
			      drive_serial_identifies(serial));
}

/* Reads the devices of a list and joins them to drives by serial number; false while some are to come. */
static bool join_list(struct rf_survey *s, json_t *list, const char *key)
{
	bool many = json_array_size(json_object_get(list, key)) > 1, complete = true;
	struct rf_members it = {0};
	const json_t *ref;
	char path[RF_PATH_MAX];

	while ((ref = rf_tree_member(s->tree, &it, list, key, RF_OPTIONAL))) {
		struct rf_device *device;
		struct rf_drive *d;

		if (!rf_tree_path_of(s->tree, ref, path) ||
			(s->dialect->spares_device && s->dialect->spares_device(path)))
			continue;
		device = get_device(s, path, many);
		complete &= device || !is_under_way(rf_tree_find(s->tree, path));
		if (!device || device->claims)
			continue;
		d = drive_of_serial(s, device->doc);
		if (d && !d->device)
			claim(d, device);
	}
	return complete;
}

/* The same for the devices of all chassis and the system. */
static bool join_devices(struct rf_survey *s)
{
	json_t *of_system = json_object_get(s->system, "PCIeDevices");
	bool complete = true;

	for (size_t c = 0; c < s->n_chassis; c++)
		complete &= join_list(s, rf_tree_want_ref(s->tree, json_object_get(s->chassis[c], "PCIeDevices"),
			RF_OPTIONAL | RF_EXPAND), "Members");
	if (json_is_array(of_system))
		return join_list(s, s->system, "PCIeDevices") && complete;
	return join_list(s, rf_tree_want_ref(s->tree, of_system, RF_OPTIONAL | RF_EXPAND), "Members") && complete;
}

/* True if drives are left that tell no link; `lost` are those that tell nothing at all. */
static bool are_linkless(const struct rf_survey *s, bool *lost)
{
	bool linkless = s->n_drives == 0;

	*lost = linkless;
	for (size_t i = 0; i < s->n_drives; i++)
		if (lacks_device(s, &s->drives[i])) {
			linkless = true;
			*lost |= !s->drives[i].doc || rf_drive_is_stub(s->drives[i].doc);
		}
	return linkless;
}

void rf_pcie_explore(struct rf_survey *s)
{
	bool lost;

	if (s->dialect->no_drive_devices)
		return;
	for (size_t i = 0; i < s->n_drives; i++)
		if (is_under_way(s->drives[i].resource))
			return; /* not before all drives were read */
	if (!are_linkless(s, &lost) || !join_devices(s) || !are_linkless(s, &lost))
		return;
	for (size_t i = 0; i < s->n_devices; i++)
		if (!s->devices[i].claims && may_be_drive(s->devices[i].doc, lost))
			adopt(s, &s->devices[i], lost);
}

void rf_pcie_recheck(struct rf_survey *s)
{
	for (size_t i = 0; i < s->n_drives; i++) {
		const struct rf_drive *d = &s->drives[i];
		struct rf_resource *r = d->device ? rf_tree_find(s->tree, d->device_path) : NULL;

		if (r && r->state == RF_READ && r->round != s->tree->round && d->doc &&
			rf_link_read(s, d).doubt == REASON_CONTRADICTORY)
			r->state = RF_WANTED;
	}
}
