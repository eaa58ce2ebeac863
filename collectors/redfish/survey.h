/* SPDX-License-Identifier: MIT */
/*
 * survey: goes over what the tree holds, wants what is missing, and lists what there is:
 * drives with their storage, controller, PCIe device and metrics, and slots.
 *
 * Run it again after each answer: nothing is remembered but the tree and the dialect.  When
 * the tree wants nothing more, the lists are complete, and report.c makes a snapshot of them.
 * RAID and enclosure chassis are read only where drives need them: old iDRACs restart when
 * those are asked for.
 */
#ifndef REDFISH_SURVEY_H
#define REDFISH_SURVEY_H

#include "collectors/redfish/tree.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct rf_dialect;
struct rf_telemetry;

enum {
	RF_SYSTEMS_MAX = 64, /* read of a list; as all below */
	RF_STORAGES_MAX = 512,
	RF_DRIVES_MAX = 512,
	RF_CHASSIS_MAX = 128,
	RF_SLOTS_MAX = 256,
	RF_DEVICES_MAX = 256,
};

/* A place where a drive is, or was listed. All pointers borrow from the tree. */
struct rf_drive {
	const char *path;	      /* key of the Drive, or of the PCIe device where there is no Drive */
	struct rf_resource *resource; /* NULL where there is no Drive resource */
	json_t *doc;		      /* NULL while it is not read, and where it failed */
	json_t *storage;	      /* the Storage that lists it; NULL if only a chassis does */
	json_t *controller;	      /* the storage controller that is this drive; NULL if none is */
	const char *controller_path;
	json_t *device, *function;    /* its PCIe device and function; NULL where not known */
	const char *device_path;
	json_t *metrics, *environment, *oem_metrics;
	json_t *report;		      /* what telemetry says of it (telemetry.h) */
	json_t *sensor;		      /* a Sensor that measures its temperature */
	json_t *simple;		      /* its entry in a SimpleStorage's Devices */
};

struct rf_slot {
	json_t *doc; /* an element of PCIeSlots.Slots */
	const char *path;
};

struct rf_device {
	json_t *doc;
	const char *path;
	json_t *function;
	unsigned claims; /* drives that say it is theirs: more than one means that it is an adapter */
};

struct rf_survey {
	struct rf_tree *tree;
	struct rf_telemetry *telemetry;	  /* NULL: its reports are not read */
	const struct rf_dialect *dialect; /* NULL until the root and a system were read */
	bool no_expand; /* set by the operator */
	bool wants_events; /* set by who listens to them */
	json_t *root, *system, *manager;
	json_t *events; /* the EventService; NULL if none is wanted or offered */
	bool under_way;	 /* a list of drives, or a device that a drive names, is still to come */
	bool incomplete; /* a list of drives could not be read: what is not listed may still be there */
	size_t n_storages, n_drives, n_slots, n_devices, n_chassis;
	struct rf_drive drives[RF_DRIVES_MAX];
	struct rf_slot slots[RF_SLOTS_MAX];
	struct rf_device devices[RF_DEVICES_MAX];
	json_t *chassis[RF_CHASSIS_MAX];
};

/* Goes over the tree once. */
void rf_survey_run(struct rf_survey *s);

/* For dialects: the drive of a link, added if it is new; NULL if the link is refused or there are too many. */
struct rf_drive *rf_survey_add_drive(struct rf_survey *s, const json_t *ref, json_t *storage);

/*
 * Waits for the collection above a member, where one request for it brings all members: true while
 * it is under way.
 */
bool rf_survey_list_under_way(struct rf_survey *s, const char *path, unsigned live);

#endif
