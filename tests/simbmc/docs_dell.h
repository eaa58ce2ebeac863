/* SPDX-License-Identifier: MIT */
/*
 * Dell's manner of Redfish, as iDRAC9 and iDRAC10 differ in it: shared by the files
 * docs_dell*.c, each of which writes one corner of the tree.
 */
#ifndef SIMBMC_DOCS_DELL_H
#define SIMBMC_DOCS_DELL_H

#include "tests/simbmc/docs.h"

#define DELL_SYS	"/Systems/System.Embedded.1"
#define DELL_CHASSIS	"/Chassis/System.Embedded.1"
#define DELL_ENCLOSURE	"Enclosure.Internal.0-1"
#define DELL_IDRAC	"/Managers/iDRAC.Embedded.1"
#define DELL_DIRECT	"CPU.1"		/* the Storage of drives without a controller */

#define DELL_ID_SIZE	64

/* "Disk.Bay.7:Enclosure.Internal.0-1" or "Disk.Direct.0-0:BOSS.SL.14-1" into id. */
void dell_drive_id(const struct machine *m, const struct bay *b, char id[DELL_ID_SIZE]);
/* The bay whose drive has this id in that Storage, present or not; NULL: no such id. */
const struct bay *dell_find_drive(const struct machine *m, const char *storage,
				  const char *id);
/* The Storage a bay's drive is listed in. */
const char *dell_storage_of(const struct machine *m, const struct bay *b);
/* "0-33-0" (iDRAC10) or "33-0" (iDRAC9) into id. */
void dell_device_id(const struct machine *m, unsigned bus, char id[DELL_ID_SIZE]);
/* Where its PCIe devices live, "/Chassis/.../PCIeDevices" or "/Systems/...". */
const char *dell_devices(const struct machine *m);
json_t *dell_oem(const char *type, const char *key, json_t *value);
/* A link to the drive's resource. */
json_t *dell_drive_ref(const struct machine *m, const struct bay *b);
/* References to the PCIe devices: of the drives that are there, the boot card, the NIC. */
json_t *dell_device_refs(const struct machine *m);
bool dell_has_boot(const struct machine *m);

json_t *dell_drive(struct ask *a);
json_t *dell_drive_smart(struct ask *a);
json_t *dell_volumes(struct ask *a);
json_t *dell_volume(struct ask *a);
json_t *dell_pcie_devices(struct ask *a);
json_t *dell_pcie_device(struct ask *a);
json_t *dell_pcie_functions(struct ask *a);
json_t *dell_pcie_function(struct ask *a);
json_t *dell_pcie_slots(struct ask *a);
json_t *dell_log_services(struct ask *a);
json_t *dell_log_service(struct ask *a);
json_t *dell_log_entries(struct ask *a);
json_t *dell_log_entry(struct ask *a);

#endif
