/* SPDX-License-Identifier: MIT */
/* pcie: see pcie.h. */
#include "collectors/redfish/pcie.h"
#include "base/jtext.h"
#include "base/str.h"
#include "collectors/redfish/dialect.h"
#include "collectors/redfish/drive.h"
#include "model/drive.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/*
 * Waits for the collection above a device, where one request for it brings all devices: true while
 * it is under way.
 */
static bool collection_under_way(struct rf_survey *s, const char *path, unsigned live)
{
	const char *slash = strrchr(path, '/');
	char above[RF_PATH_MAX];
	struct rf_resource *r;

	if (!s->tree->can_expand || !slash || slash == path)
		return false;
	snprintf(above, sizeof above, "%.*s", (int)(slash - path), path);
	if (rf_tree_want(s->tree, above, RF_OPTIONAL | RF_EXPAND | live))
		return false;
	r = rf_tree_find(s->tree, above);
	return r && (r->state == RF_WANTED || r->state == RF_ASKED);
}

static struct rf_device *get_device(struct rf_survey *s, const char *path)
{
	unsigned live = s->dialect->drive_tells_link ? RF_PLAIN : RF_LIVE;
	struct rf_resource *r;
	json_t *doc;

	for (size_t i = 0; i < s->n_devices; i++)
		if (strcmp(s->devices[i].path, path) == 0)
			return &s->devices[i];
	if (s->n_devices == RF_DEVICES_MAX || collection_under_way(s, path, live))
		return NULL;
	doc = rf_tree_want(s->tree, path, RF_OPTIONAL | live);
	r = rf_tree_find(s->tree, path);
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

	if (function && rf_tree_path_of(s->tree, function, path) && device_of_function(path, device))
		claim(d, get_device(s, device));
}

static bool lacks_device(const struct rf_survey *s, const struct rf_drive *d)
{
	const char *state = jtext_string(jtext_at(d->doc, "Status", "State", NULL));
	const char *protocol = jtext_string(json_object_get(d->doc, "Protocol"));

	if (d->device || json_object_get(d->controller, "PCIeInterface") || str_same(state, "Absent"))
		return false;
	if (!d->doc)
		return d->resource && d->resource->state == RF_FAILED;
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

/* Joins the devices of a list to drives: by serial number, else by what their functions name. */
static void explore_list(struct rf_survey *s, json_t *list, const char *key, bool lost)
{
	struct rf_members it = {0};
	const json_t *ref;
	char path[RF_PATH_MAX];

	while ((ref = rf_tree_member(s->tree, &it, list, key, RF_OPTIONAL))) {
		struct rf_device *device = rf_tree_path_of(s->tree, ref, path) ? get_device(s, path) : NULL;
		struct rf_drive *d;

		if (!device || device->claims)
			continue;
		d = drive_of_serial(s, device->doc);
		if (d && !d->device)
			claim(d, device);
		else if (!d && (lost || json_object_get(device->doc, "PCIeInterface")))
			adopt(s, device, lost);
	}
}

void rf_pcie_explore(struct rf_survey *s)
{
	json_t *of_system = json_object_get(s->system, "PCIeDevices");
	bool lost = s->n_drives == 0, linkless = lost;

	for (size_t i = 0; i < s->n_drives; i++) {
		const struct rf_drive *d = &s->drives[i];

		if (d->resource && (d->resource->state == RF_WANTED || d->resource->state == RF_ASKED))
			return; /* not before all drives were read */
		if (lacks_device(s, d)) {
			linkless = true;
			lost |= !d->doc || rf_drive_is_stub(d->doc);
		}
	}
	if (!linkless)
		return;
	for (size_t c = 0; c < s->n_chassis; c++) {
		json_t *list = rf_tree_want_ref(s->tree, json_object_get(s->chassis[c], "PCIeDevices"),
			RF_OPTIONAL | RF_EXPAND);

		explore_list(s, list, "Members", lost);
	}
	if (json_is_array(of_system))
		explore_list(s, s->system, "PCIeDevices", lost);
	else
		explore_list(s, rf_tree_want_ref(s->tree, of_system, RF_OPTIONAL | RF_EXPAND), "Members", lost);
}
