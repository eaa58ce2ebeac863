/* SPDX-License-Identifier: MIT */
/* report: see report.h. */
#include "collectors/redfish/report.h"
#include "base/jtext.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/redfish/dialect.h"
#include "collectors/redfish/drive.h"
#include "collectors/redfish/link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the target -------------------------------------------------------------- */

static void report_target(const struct rf_survey *s, struct target *t)
{
	const char *power = jtext_string(json_object_get(s->system, "PowerState"));

	if (!jtext_copy(t->vendor, sizeof t->vendor, json_object_get(s->root, "Vendor")) &&
		!jtext_copy(t->vendor, sizeof t->vendor, json_object_get(s->system, "Manufacturer")) && s->dialect)
		str_copy(t->vendor, sizeof t->vendor, s->dialect == &rf_dialect_standard ? "" : s->dialect->name);
	if (!jtext_copy(t->product, sizeof t->product, json_object_get(s->system, "Model")))
		jtext_copy(t->product, sizeof t->product, json_object_get(s->root, "Product"));
	jtext_copy(t->firmware, sizeof t->firmware, json_object_get(s->manager, "FirmwareVersion"));
	t->power = str_same(power, "On") ? TRI_YES : str_same(power, "Off") ? TRI_NO : TRI_UNKNOWN;
}

static void report_errors(const struct rf_survey *s, struct target *t)
{
	const struct rf_resource *r;

	for (r = s->tree->resources; r; r = r->hh.next) {
		char status[8];

		if (r->state != RF_FAILED || r->wanted != s->tree->round) /* a member that is listed no more is missed by nobody */
			continue;
		if ((r->flags & RF_OPTIONAL) && (r->status == 404 || r->status == 405 || r->status == 501 ||
			rf_tree_not_licensed(r)))
			continue;
		snprintf(status, sizeof status, "%d", r->status);
		target_add_error(t, r->key, r->failure->code[0] ? r->failure->code : status, r->failure->message);
	}
	for (size_t i = 0; i < s->tree->n_troubles; i++)
		target_add_error(t, s->tree->troubles[i].resource, s->tree->troubles[i].code,
			s->tree->troubles[i].message);
}

/* ---- one drive, one bay -------------------------------------------------------- */

static bool bay_name(const struct rf_survey *s, const struct rf_drive *d, char *out, size_t size)
{
	if (rf_drive_bay_name(d, out, size))
		return true;
	if (s->dialect->bay_of_path && s->dialect->bay_of_path(d->path, out, size))
		return true;
	str_clean(out, size, rf_path_last(d->path));
	return false;
}

/* A Drive that is listed and could not be read: something is there, but what and how is not known. */
static void report_unread(const struct rf_drive *d, struct bay *b)
{
	b->present = TRI_UNKNOWN;
	b->link.doubt = b->link.doubt ? b->link.doubt : REASON_NOT_REPORTED;
	b->wear_unread = REASON_NOT_REPORTED;
	if (d->resource && rf_tree_not_licensed(d->resource))
		b->link.doubt = b->wear_unread = REASON_NOT_LICENSED;
}

/* Why wear is not there: not licensed, where that is what the service said. */
static void explain_wear(const struct rf_survey *s, struct bay *b)
{
	if (b->wear_unread || !isnan(b->wear.percent_used))
		return;
	b->wear_unread = s->tree->metrics_refused ? REASON_NOT_LICENSED : REASON_NOT_REPORTED;
}

static void report_drive(const struct rf_survey *s, const struct rf_drive *d, struct snapshot *out)
{
	char name[64];
	struct bay *b;

	bay_name(s, d, name, sizeof name);
	b = snapshot_add_bay(out, name);
	if (!d->doc && !d->device && !d->simple) {
		report_unread(d, b);
	} else {
		rf_drive_read(s, d, b);
		if (b->present != TRI_NO && b->pcie)
			b->link = rf_link_read(s, d);
	}
	if (s->dialect->bay && b->present != TRI_NO)
		s->dialect->bay(s, d, b);
	if (b->has_drive)
		explain_wear(s, b);
}

/* ---- the same drive, listed twice ------------------------------------------------- */

/* Takes over what one listing tells and the other does not. */
static void fill_gaps(struct bay *to, const struct bay *from)
{
	if (!pcie_link_known(&to->link) && pcie_link_known(&from->link))
		to->link = from->link;
	if (isnan(to->temperature_c))
		to->temperature_c = from->temperature_c;
	if (isnan(to->wear.percent_used) && !isnan(from->wear.percent_used)) {
		to->wear = from->wear;
		to->wear_unread = REASON_NONE;
	}
	if (!to->health.power_on_hours.known)
		to->health.power_on_hours = from->health.power_on_hours;
	if (!to->drive.firmware[0])
		str_copy(to->drive.firmware, sizeof to->drive.firmware, from->drive.firmware);
	if (!to->drive.form_factor[0])
		str_copy(to->drive.form_factor, sizeof to->drive.form_factor, from->drive.form_factor);
	if (!to->drive.manufacturer[0])
		str_copy(to->drive.manufacturer, sizeof to->drive.manufacturer, from->drive.manufacturer);
	if (!to->bmc_health[0])
		str_copy(to->bmc_health, sizeof to->bmc_health, from->bmc_health);
}

/*
 * True if two rows are one drive: same identity, and listed by a Storage and by a chassis, or
 * twice in one place.  Two present drives with one serial number in two bays are two drives.
 */
static bool listed_twice(const struct bay *a, bool a_of_storage, const struct bay *b, bool b_of_storage)
{
	if (!a->has_drive || !b->has_drive || !drive_same(&a->drive, &b->drive))
		return false;
	return a_of_storage != b_of_storage || strcmp(a->bay, b->bay) == 0;
}

/* True if an empty listing is of a place that another listing fills (GB300: Absent against Enabled). */
static bool same_place(const struct bay *a, const struct bay *b)
{
	return (a->present == TRI_NO) != (b->present == TRI_NO) && a->location[0] &&
	       strcmp(a->location, b->location) == 0 && strcmp(a->bay, b->bay) == 0;
}

/* A Drive that could not be read. */
static bool is_unread(const struct bay *b)
{
	return !b->has_drive && b->present == TRI_UNKNOWN;
}

/* True if a Drive could not be read, and a PCIe device stands in the same bay. */
static bool stands_in(const struct bay *a, const struct bay *b)
{
	return is_unread(a) != is_unread(b) && strcmp(a->bay, b->bay) == 0;
}

/* What is remembered of a row beside the bay itself. */
struct row {
	bool of_storage;
	char own_name[64]; /* from its resource: used where ordinals and labels repeat */
	char plain[64];	   /* as the drive tells it */
	struct rf_resource *resource;
};

static void remove_row(struct snapshot *out, struct row *rows, size_t i)
{
	memmove(&out->bays[i], &out->bays[i + 1], (out->n_bays - i - 1) * sizeof out->bays[0]);
	memmove(&rows[i], &rows[i + 1], (out->n_bays - i - 1) * sizeof rows[0]);
	out->n_bays--;
}

/* The Systems path wins; what only the other listing tells is taken over. */
static void merge_rows(struct snapshot *out, struct row *rows, size_t i, size_t j)
{
	struct bay *a = &out->bays[i], *b = &out->bays[j];
	bool fill = a->has_drive && b->has_drive;

	if (is_unread(a) || (!rows[i].of_storage && rows[j].of_storage && !is_unread(b))) {
		struct bay bay = *a;
		struct row row = rows[i];

		*a = *b;
		*b = bay;
		rows[i] = rows[j];
		rows[j] = row;
	}
	if (fill)
		fill_gaps(a, b);
	remove_row(out, rows, j);
}

static void merge_listings(struct snapshot *out, struct row *rows)
{
	for (size_t i = 0; i < out->n_bays; i++)
		for (size_t j = i + 1; j < out->n_bays;) {
			const struct bay *a = &out->bays[i], *b = &out->bays[j];

			if ((rows[i].of_storage != rows[j].of_storage && (same_place(a, b) || stands_in(a, b))) ||
				listed_twice(a, rows[i].of_storage, b, rows[j].of_storage))
				merge_rows(out, rows, i, j);
			else
				j++;
		}
}

/* ---- names of bays ------------------------------------------------------------------- */

static size_t rows_named(const struct snapshot *out, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < out->n_bays; i++)
		n += strcmp(out->bays[i].bay, name) == 0;
	return n;
}

static void rename_if_repeated(struct snapshot *out, size_t i, const char *name)
{
	if (name[0] && rows_named(out, out->bays[i].bay) > 1)
		str_copy(out->bays[i].bay, sizeof out->bays[i].bay, name);
}

/*
 * Ordinals may repeat (boxes, backplanes, boot cards).  A boot drive gives way to a data drive;
 * among equals all take their labels, and what is still the same takes its resource's name.
 */
static void tell_apart(struct snapshot *out, const struct row *rows)
{
	char ordinal[64];

	for (size_t i = 0; i < out->n_bays; i++)
		if (out->bays[i].role == ROLE_BOOT)
			rename_if_repeated(out, i, rows[i].own_name);
	for (size_t i = 0; i < out->n_bays; i++) {
		if (rows_named(out, out->bays[i].bay) < 2)
			continue;
		str_copy(ordinal, sizeof ordinal, out->bays[i].bay);
		for (size_t j = i; j < out->n_bays; j++)
			if (strcmp(out->bays[j].bay, ordinal) == 0 && out->bays[j].location[0])
				str_copy(out->bays[j].bay, sizeof out->bays[j].bay, out->bays[j].location);
	}
	for (size_t i = 0; i < out->n_bays; i++)
		rename_if_repeated(out, i, rows[i].own_name);
}

/* True if not all drives could be read: names that only they make ambiguous are not seen to be. */
static bool is_partial(const struct rf_survey *s, const struct snapshot *out)
{
	for (size_t i = 0; i < out->n_bays; i++)
		if (is_unread(&out->bays[i]))
			return true;
	return s->incomplete;
}

/* In a poll that lacks drives a bay is called as in those before: a boot drive does not move to a data drive's bay. */
static void recall_names(struct snapshot *out, const struct row *rows)
{
	for (size_t i = 0; i < out->n_bays; i++) {
		const struct rf_bay_name *known = rows[i].resource ? rows[i].resource->bay : NULL;

		if (known && strcmp(known->plain, rows[i].plain) == 0)
			str_copy(out->bays[i].bay, sizeof out->bays[i].bay, known->told);
	}
}

static void keep_names(const struct snapshot *out, const struct row *rows, bool partial)
{
	for (size_t i = 0; i < out->n_bays; i++) {
		struct rf_resource *r = rows[i].resource;
		bool told = strcmp(out->bays[i].bay, rows[i].plain) != 0;

		if (!r || (!told && partial))
			continue;
		if (!told) {
			free(r->bay);
			r->bay = NULL;
			continue;
		}
		if (!r->bay)
			r->bay = mem_new(1, sizeof *r->bay);
		str_copy(r->bay->plain, sizeof r->bay->plain, rows[i].plain);
		str_copy(r->bay->told, sizeof r->bay->told, out->bays[i].bay);
	}
}

/* ---- slots ------------------------------------------------------------------------------ */

/* A slot for drives, after the standard: U.2, EDSFF and the like, or one that is called a bay. */
static bool standard_slot_bay(const json_t *slot, char *out, size_t size)
{
	const json_t *part = jtext_at(slot, "Location", "PartLocation", NULL);
	const char *type = jtext_string(json_object_get(slot, "SlotType"));
	const char *kind = jtext_string(json_object_get(part, "LocationType"));
	int64_t n;

	if (!(type && (str_same(type, "U2") || str_starts(type, "EDSFF"))) && !str_same(kind, "Bay"))
		return false;
	if (!jtext_int(json_object_get(part, "LocationOrdinalValue"), 0, 9999, &n))
		return false;
	snprintf(out, size, "%d", (int)n);
	return true;
}

/* True if the slot itself says that nothing is in it. */
static bool slot_empty(const struct rf_survey *s, const json_t *slot)
{
	const char *state = jtext_string(jtext_at(slot, "Status", "State", NULL));

	if (s->dialect->slot_bay)
		return true; /* the dialect's empty bays say no more than that no drive is listed */
	return str_same(state, "Absent") || !json_array_size(jtext_at(slot, "Links", "PCIeDevice", NULL));
}

static struct bay *find_bay(struct snapshot *out, const char *name)
{
	for (size_t i = 0; i < out->n_bays; i++)
		if (strcmp(out->bays[i].bay, name) == 0)
			return &out->bays[i];
	return NULL;
}

static bool slot_name(const struct rf_survey *s, const json_t *slot, char *out, size_t size)
{
	return s->dialect->slot_bay ? s->dialect->slot_bay(slot, out, size)
				    : standard_slot_bay(slot, out, size);
}

/* True if the numbers of slots are those of bays: no drive is listed, or one sits in a bay of a slot's number. */
static bool slots_are_bays(const struct rf_survey *s, struct snapshot *out)
{
	char name[64];

	for (size_t i = 0; i < s->n_slots; i++)
		if (slot_name(s, s->slots[i].doc, name, sizeof name) && find_bay(out, name))
			return true;
	return out->n_bays == 0 || s->dialect->slot_bay;
}

static void report_slot(const struct rf_survey *s, const struct rf_slot *slot, struct snapshot *out)
{
	const char *type;
	char name[64];
	struct bay *b;
	int64_t lanes;

	if (!slot_name(s, slot->doc, name, sizeof name))
		return;
	b = find_bay(out, name);
	if (!b) {
		b = snapshot_add_bay(out, name);
		b->present = s->incomplete || !slot_empty(s, slot->doc) ? TRI_UNKNOWN : TRI_NO;
		b->link.doubt = REASON_NOT_REPORTED;
	}
	if (b->link.slot.speed_mtps || b->link.slot.width_lanes || !b->pcie)
		return;
	type = jtext_string(json_object_get(slot->doc, "PCIeType"));
	b->link.slot.speed_mtps = type ? pcie_speed_parse(type) : 0;
	if (jtext_int(json_object_get(slot->doc, "Lanes"), 0, 64, &lanes))
		b->link.slot.width_lanes = pcie_width_from_int(lanes);
	str_clean(b->link.slot_from, sizeof b->link.slot_from, slot->path);
}

/* The end of the path, with what is above the list of drives: "RAID_Slot2/Disk.0". */
static void own_name(const struct rf_survey *s, const struct rf_drive *d, char *out, size_t size)
{
	const char *drives = strstr(d->path, "/Drives/"), *above = drives;
	char name[2 * RF_PATH_MAX];

	if (s->dialect->bay_of_path && s->dialect->bay_of_path(d->path, out, size))
		return;
	if (jtext_copy(out, size, jtext_at(d->doc, "PhysicalLocation", "PartLocation", "ServiceLabel", NULL)))
		return;
	while (above && above > d->path && above[-1] != '/')
		above--;
	snprintf(name, sizeof name, "%.*s%s%s", above ? (int)(drives - above) : 0, above ? above : "",
		above ? "/" : "", rf_path_last(d->path));
	str_clean(out, size, name);
}

void rf_report(const struct rf_survey *s, struct snapshot *out)
{
	struct row rows[RF_DRIVES_MAX];
	bool partial;

	report_target(s, &out->target);
	report_errors(s, &out->target);
	if (!s->dialect)
		return;
	for (size_t i = 0; i < s->n_drives; i++) {
		report_drive(s, &s->drives[i], out);
		rows[i].of_storage = s->drives[i].storage != NULL;
		rows[i].resource = s->drives[i].resource;
		str_copy(rows[i].plain, sizeof rows[i].plain, out->bays[i].bay);
		own_name(s, &s->drives[i], rows[i].own_name, sizeof rows[i].own_name);
	}
	merge_listings(out, rows);
	partial = is_partial(s, out);
	if (partial)
		recall_names(out, rows);
	tell_apart(out, rows);
	keep_names(out, rows, partial);
	if (!s->dialect->no_drive_slots && slots_are_bays(s, out))
		for (size_t i = 0; i < s->n_slots; i++)
			report_slot(s, &s->slots[i], out);
}
