/* SPDX-License-Identifier: MIT */
/*
 * The simulated server: a row of the description table (machine.c), the number of one
 * instance, and what the faults made of its bays. Plain data; the documents of a BMC are
 * written from it by docs_dell.c and docs_generic.c each time somebody asks.
 */
#ifndef SIMBMC_MACHINE_H
#define SIMBMC_MACHINE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct route;
struct fault;

#define MACHINE_BAYS_MAX	128
#define MACHINE_BOOT_MAX	2
#define MACHINE_RECORDS_MAX	256

enum health {
	HEALTH_UNKNOWN = 0,
	HEALTH_OK,
	HEALTH_WARNING,
	HEALTH_CRITICAL,
};

/* A drive bay or a boot drive's socket. Generations are 1..6, 0 where nobody knows. */
struct bay {
	unsigned number;
	bool is_boot;
	bool present;
	int answer_status;	/* its resource answers with this status; 0: with itself */
	unsigned drive_gen, drive_lanes;
	unsigned slot_gen, slot_lanes;
	unsigned now_gen, now_lanes;
	int used_percent;	/* 0..255; -1: the BMC does not say */
	int spare_percent;	/* -1: the BMC does not say */
	int temp_c;
	enum health health;
	uint64_t capacity_bytes;
	unsigned pci_bus;
	char maker[64];
	char model[256];
	char serial[64];
	char firmware[32];
};

/* A kind of server. All names in the table are invented but for the servers' own. */
struct chassis_desc {
	const char *name;
	const char *what;	/* one line for --help */
	const struct route *routes;
	const char *vendor;
	const char *product;
	const char *model;
	const char *generation;	/* Dell: "17G Monolithic" */
	const char *bmc_firmware;
	const char *redfish_version;
	const char *registry;	/* prefix of message ids: "IDRAC.2.10" */
	const char *system_id, *chassis_id, *manager_id;
	const char *log_id;
	const char *boot_controller;	/* "" without boot drives */
	const char *boot_model;
	unsigned expand_levels;
	unsigned bays, first_bay;
	unsigned boot_drives;
	unsigned drive_gen, drive_lanes, slot_gen, slot_lanes;
	unsigned boot_gen, boot_lanes;	/* 0: SATA */
	const char *drive_maker, *drive_model, *drive_firmware;
	const char *serial_mark, *boot_serial_mark;	/* tells chassis apart in serials */
	uint64_t drive_bytes, boot_bytes;
	const char *boot_drive_maker, *boot_drive_model, *boot_drive_firmware;
	unsigned log_page;	/* entries in one page of the log */
	bool idrac10;		/* three-part PCIe ids, PCIeInterface, function links */
};

/* Something that happened while the simulator ran: a login, or a fault that came over --stdin. */
struct machine_record {
	time_t wall_s;
	int kind;		/* of enum fault_kind; 0: a login */
	int value;
	struct bay *bay;	/* NULL: none */
};

/* Telemetry: the bays as they were when the last report was made. */
struct machine_report {
	unsigned period_s;
	time_t made_wall_s;	/* 0: none was made */
	struct bay bays[MACHINE_BAYS_MAX];
};

struct machine {
	const struct chassis_desc *desc;
	unsigned instance;	/* from 1 */
	unsigned n_bays, n_boot;
	bool licensed;		/* Dell: SMART over Redfish is answered */
	unsigned session_timeout_s;
	time_t born_wall_s;	/* log entries lie before it */
	char service_tag[16];
	struct bay bays[MACHINE_BAYS_MAX];
	struct bay boot[MACHINE_BOOT_MAX];
	/* What came into the log since the start: the newest of it, and how much there was. */
	struct machine_record records[MACHINE_RECORDS_MAX];
	unsigned n_records;
	struct bay *at_start;	/* the bays as they were, once something changed; else NULL */
	bool sse;
	struct machine_report *reported;	/* NULL: no telemetry */
};

/* The row of that name, or NULL. i counts them for --help: NULL past the end. */
const struct chassis_desc *chassis_find(const char *name);
const struct chassis_desc *chassis_at(size_t i);

/* Fills m; bays 0 takes the count of the description. Nothing to release. */
void machine_init(struct machine *m, const struct chassis_desc *desc, unsigned instance,
		  unsigned bays);

/*
 * Applies those faults that name this instance, then trains the links; -1 where a fault
 * names a bay that this chassis does not have.
 */
int machine_apply(struct machine *m, const struct fault *faults, size_t n, struct err *e);

/* The bay with that ordinal, or NULL. */
struct bay *machine_bay(struct machine *m, unsigned number);

void machine_note_login(struct machine *m);

/* Applies one fault while it runs, and writes a record of it; -1 where there is no such bay. */
int machine_change(struct machine *m, const struct fault *f, struct err *e);

/* Record i, counted from 0; one that is kept no more has become the oldest that is. */
const struct machine_record *machine_record(const struct machine *m, unsigned i);

/* Frees what a change kept. */
void machine_release(struct machine *m);

/* The worst health of all drives that are there. */
enum health machine_health(const struct machine *m);

const char *health_text(enum health h);

/* Of a PCIe generation: GT/s a lane ("32"), payload of one lane in Gb/s after coding. */
double gen_gts(unsigned gen);
double gen_lane_gbs(unsigned gen);

#endif
