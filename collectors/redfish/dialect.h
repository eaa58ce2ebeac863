/* SPDX-License-Identifier: MIT */
/*
 * dialect: what one maker does otherwise than the standard says: who it is, which
 * resources are asked for besides, and how its values are read.  docs/ADDING-A-BMC.md.
 *
 * Every function may be NULL: then the standard reading is right.  They are called after it
 * and may correct it.  Vendor oddities stand nowhere else.
 */
#ifndef REDFISH_DIALECT_H
#define REDFISH_DIALECT_H

#include "collectors/redfish/survey.h"
#include "model/bay.h"

struct rf_dialect {
	const char *name;
	/* True if the service is of this maker, from its root (and system, once that was read). */
	bool (*speaks)(const struct rf_survey *s);
	/* True if $expand is not to be used although it is declared. */
	bool (*refuses_expand)(const struct rf_survey *s);
	/* True if a chassis is not to be read, by its path. */
	bool (*spares_chassis)(const char *path);
	/* True if a PCIe device is no drive's, by its path. */
	bool (*spares_device)(const char *path);
	/* Wants resources of a system, or of a drive, that the standard does not know. */
	void (*want_of_system)(struct rf_survey *s, json_t *system);
	void (*want_of_drive)(struct rf_survey *s, struct rf_drive *d);
	/* Reads the link where the standard sources do not tell it. */
	void (*link)(const struct rf_drive *d, struct pcie_link *l);
	/* Corrects a bay: role, wear, temperature, health, name. */
	void (*bay)(const struct rf_survey *s, const struct rf_drive *d, struct bay *b);
	/* The name of the bay that a PCIe slot is, true if it is one for drives. */
	bool (*slot_bay)(const json_t *slot, char *out, size_t size);
	/* The bay's name of a Drive that could not be read, from its path; true if that tells it. */
	bool (*bay_of_path)(const char *path, char *out, size_t size);
	bool chassis_repeats;	  /* a Storage lists all drives, which name their chassis; others tell nothing of drives */
	bool no_drive_devices;	  /* no PCIe device is a drive's: they are not looked through */
	bool no_drive_slots;	  /* PCIeSlots are not those of drives: they are not asked for */
	bool storage_keeps_links; /* $expand brings members of collections, but not the drives of a Storage */
	bool drive_tells_link; /* the Drive itself has the live link: its PCIe device need not be read at every poll */
};

extern const struct rf_dialect rf_dialect_standard, rf_dialect_dell, rf_dialect_hpe,
	rf_dialect_supermicro, rf_dialect_lenovo, rf_dialect_openbmc, rf_dialect_cisco;

/* The dialect of a service; never NULL. */
const struct rf_dialect *rf_dialect_find(const struct rf_survey *s);

#endif
