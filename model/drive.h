/* SPDX-License-Identifier: MIT */
/*
 * drive: who a drive is and how it is reached.  Identity is the trimmed serial number plus
 * a model that does not contradict; a serial that is empty, all zeros or shared by two
 * present drives identifies nothing, then the place does.
 */
#ifndef MODEL_DRIVE_H
#define MODEL_DRIVE_H

#include "model/count.h"
#include "model/pcie_link.h"
#include "model/verdict.h"

#include <stdbool.h>
#include <stddef.h>

enum drive_state {
	DRIVE_STATE_UNKNOWN = 0,
	DRIVE_LIVE,
	DRIVE_DEAD,
	DRIVE_NOT_ANSWERING,
	DRIVE_RESETTING,
};

/* What was found on a drive: what the kernel shows above its block devices, and where that is mounted. */
enum use_kind {
	USE_UNKNOWN = 0,
	USE_MOUNT, /* a file system of the drive itself */
	USE_SWAP,
	USE_MD,
	USE_LVM,
	USE_CRYPT,
	USE_DM,	    /* another device mapper target */
	USE_OTHER,  /* another holder, by its name: bcache0 */
	USE_MEMBER, /* a signature: of a pool, volume group or array that is not active here */
};

struct drive_use {
	enum use_kind kind;
	char name[48];	 /* "md0", "vg0/root", "nvme0n1p1", "tank" */
	char detail[32]; /* "raid1, 1 of 2 missing", "ext4", "zfs_member" */
	char mount[48];	 /* "/", "[swap]"; "" none */
};

enum { DRIVE_USES_MAX = 6 };

enum { DRIVE_NAMESPACES_MAX = 8, DRIVE_PATHS_MAX = 2, DRIVE_SOURCES_MAX = 4, DRIVE_NAMES_MAX = 4, DRIVE_NAME_MAX = 128 };

/* One port that leads to the drive; a dual-port drive has two. */
struct drive_path {
	char address[24];    /* PCI address */
	char controller[16]; /* "nvme0" */
	struct pcie_ends link; /* rates only: where they came from is told of the bay's link */
	enum verdict verdict;
};

/* Texts are "" where they are not known. */
struct drive {
	char id[24]; /* stable over polls and sources: drive_name() */
	char serial[64];
	char model[96];
	char manufacturer[64];
	char part_number[64];
	char firmware[32];
	char firmware_next[32]; /* that it will run after its next reset, where that is another one */
	char protocol[16]; /* NVMe, SATA, SAS */
	char media_type[16];
	char form_factor[24];
	char controller[16];
	char pci_address[24];
	char pci_path[128]; /* addresses from the root port down to it, slashes between: where it is, not who it is */
	struct count capacity_bytes;
	enum drive_state state;
	bool uses_known; /* looked for; then none means that nothing is known of any */
	size_t n_uses;
	struct drive_use uses[DRIVE_USES_MAX];
	size_t n_namespaces, n_paths, n_sources, n_names;
	char namespaces[DRIVE_NAMESPACES_MAX][24];
	char names[DRIVE_NAMES_MAX][DRIVE_NAME_MAX]; /* of its namespaces below /dev/disk/by-id */
	struct drive_path paths[DRIVE_PATHS_MAX];
	char sources[DRIVE_SOURCES_MAX][64]; /* names of the targets that see it */
};

/* "live", "dead", "not-answering", "resetting"; NULL if not known. */
const char *drive_state_word(enum drive_state s);
enum drive_state drive_state_of(const char *word);

/*
 * False for a serial that identifies nothing: empty, blanks, all zeros, one filler over and
 * over ("FFFF-FFFF", "........"), or a word such as "N/A", "None", "Unknown".
 */
bool drive_serial_identifies(const char *serial);

/*
 * Fills d->id: 16 hex digits from the serial, or from `place` ("host/bay") where the serial
 * identifies nothing.  The model stays out of it, because host and BMC spell it differently
 * ("Acme X", "X") and the id must not depend on which of them answered.  Two present
 * drives of one serial (drive_serial_same) are named with drive_name_place() instead.
 */
void drive_name(struct drive *d, const char *place);
void drive_name_place(struct drive *d, const char *place);

/* A serial as drives are told apart by it: upper case, blanks folded; "" if it identifies nothing. */
void drive_serial_key(const char *serial, char *out, size_t size);

/* True if the serials identify and are equal, whatever the models: any case, blanks folded. */
bool drive_serial_same(const struct drive *a, const struct drive *b);

/*
 * True if both are one drive: serials that identify and are equal, models that do not
 * contradict: one empty, or one the other's beginning, also behind a maker's name.
 */
bool drive_same(const struct drive *a, const struct drive *b);

/* Adds a use once; past DRIVE_USES_MAX it is dropped. */
void drive_add_use(struct drive *d, const struct drive_use *u);
const char *use_kind_word(enum use_kind k); /* "mount", "md", ...; NULL for unknown */
enum use_kind use_kind_of(const char *word);

/* Remembers a source once; past DRIVE_SOURCES_MAX it is dropped. */
void drive_add_source(struct drive *d, const char *target);

#endif
