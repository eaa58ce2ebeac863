/* SPDX-License-Identifier: MIT */
/*
 * The table of servers, and what faults do to their bays.
 */
#include "tests/simbmc/machine.h"

#include "base/mem.h"
#include "tests/simbmc/docs.h"
#include "tests/simbmc/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * One row is one kind of server. bays counts the front bays, first_bay is the ordinal of
 * the first one. Dell's ordinals start at 0; the standard one starts at 1 on purpose.
 */
static const struct chassis_desc chassis_table[] = {
	{
		.name = "r7725xd",
		.what = "24 bays, Gen5 x4, 15.36 TB, BOSS-N1 boot pair, like iDRAC10",
		.routes = dell_routes,
		.vendor = "Dell",
		.product = "Integrated Dell Remote Access Controller",
		.model = "PowerEdge R7725xd",
		.generation = "17G Monolithic",
		.bmc_firmware = "1.30.10.50",
		.redfish_version = "1.20.1",
		.registry = "IDRAC.2.10",
		.system_id = "System.Embedded.1",
		.chassis_id = "System.Embedded.1",
		.manager_id = "iDRAC.Embedded.1",
		.log_id = "Lclog",
		.boot_controller = "BOSS.SL.14-1",
		.boot_model = "BOSS-N1",
		.expand_levels = 1,
		.bays = 24,
		.boot_drives = 2,
		.drive_gen = 5, .drive_lanes = 4, .slot_gen = 5, .slot_lanes = 4,
		.boot_gen = 4, .boot_lanes = 4,
		.drive_maker = "Northlight",
		.drive_model = "Northlight NVMe N9 RI 15.36TB",
		.drive_firmware = "1.2.0",
		.drive_bytes = 15360950534144,
		.boot_bytes = 480103981056,
		.boot_drive_maker = "Fernwick",
		.boot_drive_model = "Fernwick NVMe M20 480GB",
		.boot_drive_firmware = "F2M0",
		.serial_mark = "N9", .boot_serial_mark = "M2",
		.log_page = 50,
		.idrac10 = true,
	}, {
		.name = "r650",
		.what = "10 bays, Gen4 x4, 7.68 TB, BOSS-S2 boot pair, like iDRAC9 5.x",
		.routes = dell_routes,
		.vendor = "Dell",
		.product = "Integrated Dell Remote Access Controller",
		.model = "PowerEdge R650",
		.generation = "15G Monolithic",
		.bmc_firmware = "5.10.50.00",
		.redfish_version = "1.11.0",
		.registry = "IDRAC.2.5",
		.system_id = "System.Embedded.1",
		.chassis_id = "System.Embedded.1",
		.manager_id = "iDRAC.Embedded.1",
		.log_id = "Lclog",
		.boot_controller = "AHCI.SL.6-1",
		.boot_model = "BOSS-S2",
		.expand_levels = 1,
		.bays = 10,
		.boot_drives = 2,
		.drive_gen = 4, .drive_lanes = 4, .slot_gen = 4, .slot_lanes = 4,
		/* Padded with a blank as some makers' names are on iDRAC9. */
		.drive_maker = "Northlight Storage ",
		.drive_model = "Northlight NVMe N6 MU 7.68TB",
		.drive_firmware = "3.0.4",
		.drive_bytes = 7681501126656,
		.boot_bytes = 240057409536,
		.boot_drive_maker = "FERNWICK",
		.boot_drive_model = "FWK M5 240GB",
		.boot_drive_firmware = "D4FW",
		.serial_mark = "N6", .boot_serial_mark = "M5",
		.log_page = 50,
	}, {
		.name = "generic",
		.what = "8 bays, Gen5 x4, 3.84 TB, the DMTF standard and nothing else",
		.routes = generic_routes,
		.vendor = "Exemplar",
		.product = "Exemplar Service Processor",
		.model = "EX-2008",
		.bmc_firmware = "2.4.1",
		.redfish_version = "1.18.0",
		.registry = "ResourceEvent.1.3",
		.system_id = "1",
		.chassis_id = "1",
		.manager_id = "bmc",
		.log_id = "EventLog",
		.boot_controller = "",
		.expand_levels = 2,
		.bays = 8,
		.first_bay = 1,
		.drive_gen = 5, .drive_lanes = 4, .slot_gen = 5, .slot_lanes = 4,
		.drive_maker = "Northlight",
		.drive_model = "Northlight N9 3.84TB",
		.drive_firmware = "1.2.0",
		.drive_bytes = 3840755982336,
		.serial_mark = "S9", .boot_serial_mark = "",
		.log_page = 1000,
	},
};

const struct chassis_desc *chassis_at(size_t i)
{
	return i < sizeof chassis_table / sizeof *chassis_table ? &chassis_table[i] : NULL;
}

const struct chassis_desc *chassis_find(const char *name)
{
	const struct chassis_desc *d;

	for (size_t i = 0; (d = chassis_at(i)); i++) {
		if (!strcmp(d->name, name))
			return d;
	}
	return NULL;
}

const char *health_text(enum health h)
{
	switch (h) {
	case HEALTH_UNKNOWN:
		return NULL;
	case HEALTH_OK:
		return "OK";
	case HEALTH_WARNING:
		return "Warning";
	case HEALTH_CRITICAL:
		return "Critical";
	}
	return NULL;
}

double gen_gts(unsigned gen)
{
	static const double gts[] = { 0, 2.5, 5, 8, 16, 32, 64 };

	return gen < sizeof gts / sizeof *gts ? gts[gen] : 0;
}

/* 8b/10b up to 5 GT/s, 128b/130b from 8 to 32 GT/s, FLIT (242 of 256) at 64 GT/s. */
double gen_lane_gbs(unsigned gen)
{
	if (gen <= 2)
		return gen_gts(gen) * 8 / 10;
	if (gen <= 5)
		return gen_gts(gen) * 128 / 130;
	return gen_gts(gen) * 242 / 256;
}

static void init_bay(struct bay *b, const struct machine *m, unsigned i)
{
	const struct chassis_desc *d = m->desc;

	*b = (struct bay){
		.number = d->first_bay + i,
		.present = true,
		.drive_gen = d->drive_gen,
		.drive_lanes = d->drive_lanes,
		.slot_gen = d->slot_gen,
		.slot_lanes = d->slot_lanes,
		.used_percent = (int)((i * 7 + m->instance) % 5),
		.spare_percent = 100,
		.temp_c = 31 + (int)(i % 6),
		.health = HEALTH_OK,
		.capacity_bytes = d->drive_bytes,
		/* Two halves of the backplane, each on the lanes of one processor. */
		.pci_bus = i < m->n_bays / 2 ? 0x21 + i : 0x91 + (i - m->n_bays / 2),
	};
	snprintf(b->maker, sizeof b->maker, "%s", d->drive_maker);
	snprintf(b->model, sizeof b->model, "%s", d->drive_model);
	snprintf(b->firmware, sizeof b->firmware, "%s", d->drive_firmware);
	snprintf(b->serial, sizeof b->serial, "7LW%03u%s%03u", m->instance, d->serial_mark,
		 b->number);
}

static void init_boot(struct bay *b, const struct machine *m, unsigned i)
{
	const struct chassis_desc *d = m->desc;

	*b = (struct bay){
		.number = i,
		.is_boot = true,
		.present = true,
		.drive_gen = d->boot_gen,
		.drive_lanes = d->boot_lanes,
		.slot_gen = d->boot_gen,
		.slot_lanes = d->boot_lanes,
		.used_percent = (int)i,
		.spare_percent = d->boot_gen ? 100 : -1,
		.temp_c = 38,
		.health = HEALTH_OK,
		.capacity_bytes = d->boot_bytes,
	};
	snprintf(b->maker, sizeof b->maker, "%s", d->boot_drive_maker);
	snprintf(b->model, sizeof b->model, "%s", d->boot_drive_model);
	snprintf(b->firmware, sizeof b->firmware, "%s", d->boot_drive_firmware);
	snprintf(b->serial, sizeof b->serial, "7LW%03u%s%03u", m->instance,
		 d->boot_serial_mark, i);
}

void machine_init(struct machine *m, const struct chassis_desc *desc, unsigned instance,
		  unsigned bays)
{
	*m = (struct machine){
		.desc = desc,
		.instance = instance,
		.n_bays = bays ? bays : desc->bays,
		.n_boot = desc->boot_drives,
		.born_wall_s = time(NULL),
	};
	snprintf(m->service_tag, sizeof m->service_tag, "LW%05u", instance % 100000);
	for (unsigned i = 0; i < m->n_bays; i++)
		init_bay(&m->bays[i], m, i);
	for (unsigned i = 0; i < m->n_boot; i++)
		init_boot(&m->boot[i], m, i);
}

struct bay *machine_bay(struct machine *m, unsigned number)
{
	unsigned first = m->desc->first_bay;

	if (number < first || number - first >= m->n_bays)
		return NULL;
	return &m->bays[number - first];
}

/* A link trains to what both ends can do. */
static void train(struct bay *b)
{
	b->now_gen = b->drive_gen < b->slot_gen ? b->drive_gen : b->slot_gen;
	b->now_lanes = b->drive_lanes < b->slot_lanes ? b->drive_lanes : b->slot_lanes;
}

/* Faults of the two ends; the link is trained after them. */
static void apply_to_ends(struct bay *b, const struct fault *f)
{
	switch (f->kind) {
	case FAULT_DRIVE_WIDTH:
		b->drive_lanes = (unsigned)f->value;
		break;
	case FAULT_DRIVE_SPEED:
		b->drive_gen = (unsigned)f->value;
		break;
	case FAULT_SLOT_WIDTH:
		b->slot_lanes = (unsigned)f->value;
		break;
	case FAULT_SLOT_SPEED:
		b->slot_gen = (unsigned)f->value;
		break;
	case FAULT_UNKNOWN:
	case FAULT_WIDTH:
	case FAULT_SPEED:
	case FAULT_LINK:
	case FAULT_ABSENT:
	case FAULT_PRESENT:
	case FAULT_WEAR:
	case FAULT_SPARE:
	case FAULT_TEMP:
	case FAULT_STATUS:
	case FAULT_HEALTH:
	case FAULT_MODEL:
	case FAULT_SERIAL:
	case FAULT_FIRMWARE:
		break;
	}
}

static void apply_fault(struct bay *b, const struct fault *f)
{
	unsigned value = f->value < 0 ? 0 : (unsigned)f->value;

	switch (f->kind) {
	case FAULT_WIDTH:
		b->now_lanes = value;
		break;
	case FAULT_SPEED:
		b->now_gen = value;
		break;
	case FAULT_LINK:
		b->now_gen = 0;
		b->now_lanes = 0;
		break;
	case FAULT_ABSENT:
		b->present = false;
		break;
	case FAULT_PRESENT:
		b->present = true;
		break;
	case FAULT_WEAR:
		b->used_percent = f->value;
		break;
	case FAULT_SPARE:
		b->spare_percent = f->value;
		break;
	case FAULT_TEMP:
		b->temp_c = f->value;
		break;
	case FAULT_STATUS:
		b->answer_status = f->value;
		break;
	case FAULT_HEALTH:
		b->health = f->value < 0 ? HEALTH_UNKNOWN : (enum health)f->value;
		break;
	case FAULT_MODEL:
		snprintf(b->model, sizeof b->model, "%s", f->text);
		break;
	case FAULT_SERIAL:
		snprintf(b->serial, sizeof b->serial, "%.63s", f->text);
		break;
	case FAULT_FIRMWARE:
		snprintf(b->firmware, sizeof b->firmware, "%.31s", f->text);
		break;
	case FAULT_UNKNOWN:
	case FAULT_DRIVE_WIDTH:
	case FAULT_DRIVE_SPEED:
	case FAULT_SLOT_WIDTH:
	case FAULT_SLOT_SPEED:
		break;
	}
}

static bool names_another(const struct machine *m, const struct fault *f)
{
	return f->instance && f->instance != m->instance;
}

static struct bay *fault_bay(struct machine *m, const struct fault *f)
{
	if (names_another(m, f))
		return NULL;
	if (f->boot)
		return f->bay < m->n_boot ? &m->boot[f->bay] : NULL;
	return machine_bay(m, f->bay);
}

static void train_all(struct machine *m)
{
	for (unsigned i = 0; i < m->n_bays; i++)
		train(&m->bays[i]);
	for (unsigned i = 0; i < m->n_boot; i++)
		train(&m->boot[i]);
}

static int no_such_bay(const struct machine *m, const struct fault *f, struct err *e)
{
	if (f->boot)
		return err_set(e, "%s has no boot drive %u", m->desc->name, f->bay);
	return err_set(e, "%s has no bay %u; its bays are %u to %u", m->desc->name, f->bay,
		m->desc->first_bay, m->desc->first_bay + m->n_bays - 1);
}

int machine_apply(struct machine *m, const struct fault *faults, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		struct bay *b = fault_bay(m, &faults[i]);

		if (b)
			apply_to_ends(b, &faults[i]);
		else if (!names_another(m, &faults[i]))
			return no_such_bay(m, &faults[i], e);
	}
	train_all(m);
	for (size_t i = 0; i < n; i++) {
		struct bay *b = fault_bay(m, &faults[i]);

		if (b)
			apply_fault(b, &faults[i]);
	}
	return 0;
}

static void add_record(struct machine *m, int kind, int value, struct bay *b)
{
	m->records[m->n_records++ % MACHINE_RECORDS_MAX] = (struct machine_record){
		.wall_s = time(NULL), .kind = kind, .value = value, .bay = b};
}

void machine_note_login(struct machine *m)
{
	add_record(m, FAULT_UNKNOWN, 0, NULL);
}

const struct machine_record *machine_record(const struct machine *m, unsigned i)
{
	unsigned oldest = m->n_records < MACHINE_RECORDS_MAX ? 0 : m->n_records - MACHINE_RECORDS_MAX;

	return &m->records[(i < oldest ? oldest : i) % MACHINE_RECORDS_MAX];
}

int machine_change(struct machine *m, const struct fault *f, struct err *e)
{
	struct bay *b = fault_bay(m, f);

	if (!b)
		return names_another(m, f) ? 0 : no_such_bay(m, f, e);
	if (!m->at_start) {
		m->at_start = mem_new(m->n_bays, sizeof *m->at_start);
		memcpy(m->at_start, m->bays, m->n_bays * sizeof *m->at_start);
	}
	apply_to_ends(b, f);
	if (f->kind != FAULT_WIDTH && f->kind != FAULT_SPEED && f->kind != FAULT_LINK)
		train(b);
	apply_fault(b, f);
	add_record(m, (int)f->kind, f->value, b);
	return 0;
}

void machine_release(struct machine *m)
{
	free(m->at_start);
	free(m->reported);
	m->at_start = NULL;
	m->reported = NULL;
}

enum health machine_health(const struct machine *m)
{
	enum health worst = HEALTH_OK;

	for (unsigned i = 0; i < m->n_bays; i++) {
		if (m->bays[i].present && m->bays[i].health > worst)
			worst = m->bays[i].health;
	}
	for (unsigned i = 0; i < m->n_boot; i++) {
		if (m->boot[i].present && m->boot[i].health > worst)
			worst = m->boot[i].health;
	}
	return worst;
}
