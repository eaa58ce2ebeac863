/* SPDX-License-Identifier: MIT */
/*
 * Dell: the lifecycle log. Entry numbers grow with time and the collection begins with
 * the newest. From the oldest: filler of daily life, one insertion for each drive, one
 * record for each fault, then one for each login since the simulator started.
 */
#include "tests/simbmc/docs_dell.h"
#include "tests/simbmc/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILLER_ENTRIES	90
#define FIRST_ID	1001
#define ENTRY_GAP_S	1260

/* What one record says; entry_doc() takes its documents over. */
struct entry {
	const char *id;		/* without the registry's prefix: "PDR8" */
	const char *severity;
	const char *category;
	json_t *message;
	json_t *args;
	json_t *origin;		/* a reference, or NULL */
	time_t wall_s;
};

static const struct filler {
	const char *id, *severity, *category, *message;
} filler[] = {
	{ "SYS1003", "OK", "Audit", "The processor of the host was reset." },
	{ "RED032", "OK", "Audit", "A resource was read by a remote client." },
	{ "PSU0800", "OK", "System Health", "Both power supplies give power again." },
	{ "LOG007", "OK", "Audit", "The record before this one came once more." },
	{ "PR7", "OK", "Configuration", "A part was found at start: memory module A1." },
	{ "FAN1004", "Warning", "System Health", "Fan 3 turns slower than told." },
	{ "FAN1005", "OK", "System Health", "Fan 3 turns as told." },
};

static bool link_short(const struct bay *b)
{
	unsigned gen = b->drive_gen < b->slot_gen ? b->drive_gen : b->slot_gen;
	unsigned width = b->drive_lanes < b->slot_lanes ? b->drive_lanes : b->slot_lanes;

	return (b->now_gen && b->now_gen < gen) || (b->now_lanes && b->now_lanes < width);
}

static void about_drive(struct entry *e, const struct machine *m, const struct bay *b,
			const char *id, const char *severity, json_t *message)
{
	e->id = id;
	e->severity = severity;
	e->category = "Storage";
	e->message = message;
	e->args = pack("[o]", text("PCIe SSD in Slot %u in Bay 1", b->number));
	e->origin = b->present ? dell_drive_ref(m, b) : NULL;
}

static void link_entry(struct entry *e, const struct machine *m, const struct bay *b)
{
	unsigned n = b->number;

	if (b->now_lanes && b->now_lanes < b->drive_lanes)
		about_drive(e, m, b, "UEFI0031", "Critical",
			    text("Slot %u in Bay 1 trained with too few lanes: expected "
				 "x%u, got x%u.", n, b->drive_lanes, b->now_lanes));
	else
		about_drive(e, m, b, "UEFI0080", "Warning",
			    text("Slot %u in Bay 1 is slower than it could be: expected "
				 "Gen%u, got Gen%u.", n, b->drive_gen, b->now_gen));
}

/* What is wrong with a bay that its log should tell; the gravest only. */
enum trouble {
	TROUBLE_NONE = 0,
	TROUBLE_ABSENT,
	TROUBLE_LINK,
	TROUBLE_FAILED,
	TROUBLE_WORN,
	TROUBLE_SPARE,
};

static enum trouble trouble_of(const struct bay *b)
{
	if (!b->present)
		return TROUBLE_ABSENT;
	if (link_short(b))
		return TROUBLE_LINK;
	if (b->health == HEALTH_CRITICAL)
		return TROUBLE_FAILED;
	if (b->used_percent >= 80)
		return TROUBLE_WORN;
	if (b->spare_percent >= 0 && b->spare_percent < 10)
		return TROUBLE_SPARE;
	return TROUBLE_NONE;
}

static void drive_entry(struct entry *e, const struct machine *m, const struct bay *b,
			const char *id, const char *severity, const char *what)
{
	about_drive(e, m, b, id, severity,
		    text("PCIe SSD in Slot %u in Bay 1 %s.", b->number, what));
}

static void trouble_entry(struct entry *e, const struct machine *m, const struct bay *b)
{
	switch (trouble_of(b)) {
	case TROUBLE_NONE:
		break;
	case TROUBLE_ABSENT:
		drive_entry(e, m, b, "PDR5", "Warning", "was taken out");
		break;
	case TROUBLE_LINK:
		link_entry(e, m, b);
		break;
	case TROUBLE_FAILED:
		drive_entry(e, m, b, "PDR3", "Critical", "does not work");
		break;
	case TROUBLE_WORN:
		drive_entry(e, m, b, "SSD0001", "Warning", "has little endurance left");
		break;
	case TROUBLE_SPARE:
		drive_entry(e, m, b, "SSD0002", "Warning", "has little spare left");
		break;
	}
}

/* The past does not change: it tells of the bays as they were at the start. */
static const struct bay *past_bays(const struct machine *m)
{
	return m->at_start ? m->at_start : m->bays;
}

static unsigned count_troubles(const struct machine *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->n_bays; i++)
		n += trouble_of(&past_bays(m)[i]) != TROUBLE_NONE;
	return n;
}

static unsigned count_base(const struct machine *m)
{
	return FILLER_ENTRIES + m->n_bays + count_troubles(m);
}

static unsigned count_all(const struct machine *m)
{
	return count_base(m) + m->n_records;
}

static void login_entry(struct entry *e)
{
	e->id = "USR0030";
	e->severity = "OK";
	e->category = "Audit";
	e->message = text("Login with success by root, from 127.0.0.1 and REDFISH.");
	e->args = pack("[s, s, s]", "root", "127.0.0.1", "REDFISH");
}

/* What a change has to say for itself. */
static void change_entry(struct entry *e, const struct machine *m, const struct machine_record *r)
{
	const struct bay *b = r->bay;

	switch ((enum fault_kind)r->kind) {
	case FAULT_ABSENT:
		drive_entry(e, m, b, "PDR5", "Warning", "was taken out");
		break;
	case FAULT_PRESENT:
	case FAULT_SERIAL:
		drive_entry(e, m, b, "PDR8", "OK", "was put in");
		break;
	case FAULT_WIDTH:
		about_drive(e, m, b, "UEFI0031", "Critical",
			    text("Slot %u in Bay 1 trained with another number of lanes: expected "
				 "x%u, got x%u.", b->number, b->drive_lanes, (unsigned)r->value));
		break;
	case FAULT_SPEED:
	case FAULT_LINK:
		about_drive(e, m, b, "UEFI0080", "Warning",
			    text("Slot %u in Bay 1 has another speed than expected.", b->number));
		break;
	case FAULT_HEALTH:
		drive_entry(e, m, b, r->value == HEALTH_CRITICAL ? "PDR3" : "PDR16",
			    r->value == HEALTH_CRITICAL ? "Critical" : "Warning", "does not work as it should");
		break;
	case FAULT_WEAR:
		drive_entry(e, m, b, "SSD0001", "Warning", "has little endurance left");
		break;
	case FAULT_SPARE:
		drive_entry(e, m, b, "SSD0002", "Warning", "has little spare left");
		break;
	case FAULT_STATUS:
		drive_entry(e, m, b, "CTL137", "Warning", "cannot be asked");
		break;
	case FAULT_TEMP:
		drive_entry(e, m, b, "PDR119", "Warning", "is hot");
		break;
	case FAULT_DRIVE_WIDTH:
	case FAULT_DRIVE_SPEED:
	case FAULT_SLOT_WIDTH:
	case FAULT_SLOT_SPEED:
	case FAULT_MODEL:
	case FAULT_FIRMWARE:
	case FAULT_UNKNOWN:
		drive_entry(e, m, b, "PDR26", "OK", "is online");
		break;
	}
}

static void record_entry(struct entry *e, const struct machine *m, unsigned i)
{
	const struct machine_record *r = machine_record(m, i);

	e->wall_s = r->wall_s;
	if (r->bay)
		change_entry(e, m, r);
	else
		login_entry(e);
}

static void nth_trouble(struct entry *e, const struct machine *m, unsigned nth)
{
	for (unsigned i = 0; i < m->n_bays; i++) {
		if (trouble_of(&past_bays(m)[i]) != TROUBLE_NONE && nth-- == 0) {
			trouble_entry(e, m, &past_bays(m)[i]);
			return;
		}
	}
}

/* Record i, counted from the oldest. */
static struct entry entry_at(const struct machine *m, unsigned i)
{
	unsigned base = count_base(m);
	struct entry e = {
		.wall_s = m->born_wall_s - (time_t)(base - i) * ENTRY_GAP_S,
	};

	if (i >= base) {
		record_entry(&e, m, i - base);
	} else if (i < FILLER_ENTRIES) {
		const struct filler *f = &filler[i % (sizeof filler / sizeof *filler)];

		e.id = f->id;
		e.severity = f->severity;
		e.category = f->category;
		e.message = text("%s", f->message);
		e.args = pack("[]");
	} else if (i < FILLER_ENTRIES + m->n_bays) {
		const struct bay *b = &past_bays(m)[i - FILLER_ENTRIES];

		drive_entry(&e, m, b, "PDR8", "OK", "was put in");
	} else {
		nth_trouble(&e, m, i - FILLER_ENTRIES - m->n_bays);
	}
	return e;
}

static json_t *entry_doc(const struct machine *m, unsigned i)
{
	struct entry e = entry_at(m, i);
	unsigned number = FIRST_ID + i;
	json_t *links = pack("{}");

	if (e.origin)
		put(links, "OriginOfCondition", e.origin);
	return pack("{s:o, s:s, s:o, s:o, s:o, s:s, s:s, s:s, s:o, s:o, s:o, s:o, "
		    "s:{s:{s:s, s:s, s:n}}}",
		    "@odata.id", uri(DELL_IDRAC "/LogServices/Lclog/Entries/%u", number),
		    "@odata.type", "#LogEntry.v1_16_0.LogEntry",
		    "Id", text("%u", number),
		    "Name", text("Log Entry %u", number),
		    "Created", date_text(e.wall_s),
		    "EntryType", "Oem",
		    "OemRecordFormat", "Dell",
		    "Severity", e.severity,
		    "MessageId", text("%s.%s", m->desc->registry, e.id),
		    "Message", e.message,
		    "MessageArgs", e.args,
		    "Links", links,
		    "Oem", "Dell",
		    "@odata.type", "#DellLCLogEntry.v1_1_0.DellLCLogEntry",
		    "Category", e.category,
		    "Comment");
}

json_t *dell_record(const struct machine *m, unsigned i)
{
	return entry_doc(m, count_base(m) + i);
}

static bool is_lclog(const struct ask *a)
{
	return !strcmp(a->seg[3], a->m->desc->log_id);
}

json_t *dell_log_services(struct ask *a)
{
	return collection(a, "LogService",
			  pack("[o]", ref(DELL_IDRAC "/LogServices/%s",
					  a->m->desc->log_id)));
}

json_t *dell_log_service(struct ask *a)
{
	if (!is_lclog(a))
		return NULL;
	return pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:b, s:o, s:s, s:o}",
		    "@odata.id", a->path,
		    "@odata.type", "#LogService.v1_4_0.LogService",
		    "Id", a->seg[3],
		    "Name", "Lifecycle Log Service",
		    "LogEntryType", "OEM",
		    "MaxNumberOfRecords", 500000,
		    "OverWritePolicy", "WrapsWhenFull",
		    "ServiceEnabled", 1,
		    "DateTime", date_text(time(NULL)),
		    "DateTimeLocalOffset", "+00:00",
		    "Entries", ref(DELL_IDRAC "/LogServices/%s/Entries", a->seg[3]));
}

json_t *dell_log_entries(struct ask *a)
{
	json_t *members;

	if (!is_lclog(a))
		return NULL;
	members = pack("[]");
	for (unsigned i = count_all(a->m); i-- > 0; )
		push(members, entry_doc(a->m, i));
	return collection(a, "LogEntry", members);
}

json_t *dell_log_entry(struct ask *a)
{
	unsigned n = count_all(a->m);
	char *end = NULL;
	unsigned long number;

	if (!is_lclog(a) || a->seg[5][0] < '0' || a->seg[5][0] > '9')
		return NULL;
	number = strtoul(a->seg[5], &end, 10);
	if (*end || number < FIRST_ID || number >= FIRST_ID + (unsigned long)n)
		return NULL;
	return entry_doc(a->m, (unsigned)(number - FIRST_ID));
}
