/* SPDX-License-Identifier: MIT */
/* survey: see survey.h. */
#include "collectors/redfish/survey.h"
#include "base/jtext.h"
#include "base/str.h"
#include "collectors/redfish/dialect.h"
#include "collectors/redfish/drive.h"
#include "collectors/redfish/pcie.h"
#include "collectors/redfish/telemetry.h"

#include <stdio.h>
#include <string.h>

/* ---- what the service offers --------------------------------------------- */

/* Chooses the $expand that the root declares (DSP0266, ProtocolFeaturesSupported); none if it declares none. */
static void learn_expand(struct rf_survey *s)
{
	const json_t *x = jtext_at(s->root, "ProtocolFeaturesSupported", "ExpandQuery", NULL);
	bool all = json_is_true(json_object_get(x, "ExpandAll"));
	bool no_links = json_is_true(json_object_get(x, "NoLinks"));
	bool levels = json_is_true(json_object_get(x, "Levels"));
	int64_t most;

	if (s->tree->expand_query)
		return;
	s->tree->expand_query = levels ? (all ? "$expand=*($levels=1)" : "$expand=.($levels=1)")
				       : (all ? "$expand=*" : "$expand=.");
	s->tree->can_expand = (all || no_links) && !s->no_expand;
	s->tree->can_go_deep = levels && no_links && jtext_int(json_object_get(x, "MaxLevels"), 2, INT32_MAX, &most);
	s->tree->can_expand_drives = s->tree->can_expand;
}

static void learn_dialect(struct rf_survey *s)
{
	if (!s->dialect && s->root && s->system)
		s->dialect = rf_dialect_find(s);
	if (s->dialect && s->dialect->refuses_expand && s->dialect->refuses_expand(s))
		s->tree->can_expand = s->tree->can_expand_drives = false;
	if (s->dialect && s->dialect->storage_keeps_links)
		s->tree->can_expand_drives = false;
}

/*
 * True if the list of systems may be expanded: before a system was read, the root alone tells whether
 * it is of a maker some of whose BMCs cannot do it.
 */
static bool may_expand_systems(const struct rf_survey *s)
{
	const struct rf_dialect *d = s->dialect ? s->dialect : rf_dialect_find(s);

	return !d->refuses_expand;
}

/* Takes note of a list of drives that is under way, or that could not be read. */
static void note_state(struct rf_survey *s, const struct rf_resource *r)
{
	if (!r)
		return;
	if (r->state == RF_FAILED)
		s->incomplete = true;
	if (r->state == RF_WANTED || r->state == RF_ASKED)
		s->under_way = true;
}

/*
 * Counts a member of a list; false past the ceiling.  The ceilings of the lists lie below that of the
 * tree: a list without end must not take the place of the drives that others name.
 */
static bool within(struct rf_survey *s, size_t *n, size_t max, const char *list)
{
	if ((*n)++ < max)
		return true;
	rf_tree_too_many(s->tree, list);
	s->incomplete = true;
	return false;
}

static struct rf_resource *resource_of(const struct rf_survey *s, const json_t *ref)
{
	const char *link = jtext_string(json_is_object(ref) ? json_object_get(ref, "@odata.id") : ref);

	return link ? rf_tree_find(s->tree, link) : NULL;
}

/* ---- drives ---------------------------------------------------------------- */

static struct rf_drive *find_drive(struct rf_survey *s, const char *key)
{
	for (size_t i = 0; i < s->n_drives; i++)
		if (strcmp(s->drives[i].path, key) == 0)
			return &s->drives[i];
	return NULL;
}

/* A Storage or a collection that is listed among drives is none. */
static bool is_container(const json_t *doc)
{
	return json_object_get(doc, "Drives") || json_object_get(doc, "Members");
}

bool rf_survey_list_under_way(struct rf_survey *s, const char *path, unsigned live)
{
	const char *slash = strrchr(path, '/');
	char above[RF_PATH_MAX];
	struct rf_resource *r;

	if (!s->tree->can_expand || !slash || slash == path)
		return false;
	snprintf(above, sizeof above, "%.*s", (int)(slash - path), path);
	r = rf_tree_find(s->tree, above);
	if (r && r->state == RF_FAILED && r->status == 404) /* there is none: it is not asked for again and again */
		return false;
	if (rf_tree_want(s->tree, above, RF_OPTIONAL | RF_EXPAND | RF_SHORTCUT | live))
		return false;
	r = rf_tree_find(s->tree, above);
	return r && (r->state == RF_WANTED || r->state == RF_ASKED);
}

/*
 * Where a Storage does not bring its drives, the collection of their chassis does: true while that is
 * under way.
 */
static bool chassis_brings(struct rf_survey *s, const char *path)
{
	if (s->tree->can_expand_drives || !str_starts(path, "/redfish/v1/Chassis/") ||
		!rf_survey_list_under_way(s, path, RF_LIVE))
		return false;
	s->under_way = true;
	return true;
}

struct rf_drive *rf_survey_add_drive(struct rf_survey *s, const json_t *ref, json_t *storage)
{
	char path[RF_PATH_MAX], key[RF_PATH_MAX];
	struct rf_drive *d;
	json_t *doc;

	if (!rf_tree_path_of(s->tree, ref, path))
		return NULL;
	rf_path_key(path, key);
	d = find_drive(s, key);
	if (d || s->n_drives == RF_DRIVES_MAX || chassis_brings(s, path))
		return d;
	doc = rf_tree_want(s->tree, path, RF_LIVE);
	d = &s->drives[s->n_drives];
	*d = (struct rf_drive){.resource = rf_tree_find(s->tree, path), .doc = doc, .storage = storage};
	if (!d->resource || is_container(doc))
		return NULL;
	s->n_drives++;
	d->path = d->resource->key;
	return d;
}

static void survey_drives(struct rf_survey *s, json_t *holder, const char *key, json_t *storage)
{
	struct rf_members it = {0};
	const json_t *ref;

	while ((ref = rf_tree_member(s->tree, &it, holder, key, RF_LIVE)))
		rf_survey_add_drive(s, ref, storage);
}

/* True if one more request for the whole Storage is cheaper than one for each of its drives. */
static bool worth_expanding(const struct rf_survey *s, const json_t *storage)
{
	size_t unread = 0, i;
	json_t *ref;

	json_array_foreach(json_object_get(storage, "Drives"), i, ref)
	{
		const struct rf_resource *r = resource_of(s, ref);

		unread += !r || (r->state != RF_FAILED && (r->state != RF_READ || r->round < s->tree->walk_round));
	}
	return unread > 1 && s->tree->can_expand_drives;
}

/* True if a controller may tell of its drive: its link, or its wear. */
static bool is_telling(const json_t *controller)
{
	return json_object_get(controller, "PCIeInterface") || json_object_get(controller, "Metrics") ||
	       json_object_get(controller, "NVMeControllerProperties");
}

/* The list of a Storage's own controllers: inside it (old services) or as a collection. */
static void survey_controllers(struct rf_survey *s, json_t *storage, struct rf_drive *d)
{
	json_t *inside = json_array_get(json_object_get(storage, "StorageControllers"), 0);
	const char *own = jtext_string(json_object_get(storage, "@odata.id"));
	struct rf_members it = {0};
	const json_t *ref;
	json_t *list;

	if (is_telling(inside)) {
		d->controller = inside;
		d->controller_path = own ? own : d->resource->key;
		return;
	}
	list = rf_tree_want_ref(s->tree, json_object_get(storage, "Controllers"), RF_OPTIONAL | RF_EXPAND);
	while ((ref = rf_tree_member(s->tree, &it, list, "Members", RF_OPTIONAL))) {
		json_t *doc = rf_tree_want_ref(s->tree, ref, RF_OPTIONAL | RF_LIVE);
		struct rf_resource *r = resource_of(s, ref);

		if (doc && r && is_telling(doc)) {
			d->controller = doc;
			d->controller_path = r->key;
			return;
		}
	}
}

/*
 * True if one request for the whole collection spares several: it brought its members along, and of
 * those more than one are read at every poll for themselves alone (iLO: a Storage for each drive;
 * OpenBMC: the drives of a chassis).
 */
static bool brings_members(const struct rf_survey *s, const json_t *ref)
{
	struct rf_resource *list = resource_of(s, ref);
	size_t n = 0, i;
	json_t *member;

	if (!list || !list->expanded || !s->tree->can_expand)
		return false;
	json_array_foreach(json_object_get(rf_tree_document(list), "Members"), i, member)
	{
		const struct rf_resource *r = resource_of(s, member);

		n += r && (r->flags & RF_LIVE) && !r->expanded && r->state == RF_READ && r->round != s->tree->round;
	}
	return n > 1;
}

static unsigned expand_flags(const struct rf_survey *s, const json_t *ref)
{
	return brings_members(s, ref) ? RF_EXPAND | RF_LIVE : RF_EXPAND;
}

static void survey_storage(struct rf_survey *s, const json_t *ref)
{
	json_t *storage = rf_tree_want_ref(s->tree, ref, RF_EXPAND);
	struct rf_resource *r = resource_of(s, ref);
	json_t *drives;

	note_state(s, r);
	if (!storage || !r)
		return;
	drives = json_object_get(storage, "Drives");
	if (json_array_size(drives))
		r->flags |= RF_LIVE;
	if (worth_expanding(s, storage))
		rf_tree_want_expanded(s->tree, r);
	note_state(s, r);
	if (r->state != RF_READ)
		return;
	if (json_is_object(drives))
		survey_drives(s, rf_tree_want_ref(s->tree, drives, RF_EXPAND | RF_LIVE), "Members", storage);
	else
		survey_drives(s, storage, "Drives", storage);
}

static void survey_system(struct rf_survey *s, const json_t *ref)
{
	json_t *system = rf_tree_want_ref(s->tree, ref, RF_LIVE), *storages;
	struct rf_members it = {0};
	const json_t *member;
	const json_t *list;

	if (!system)
		return;
	list = json_object_get(system, "Storage");
	if (!s->system || (list && !json_object_get(s->system, "Storage")))
		s->system = system;
	learn_dialect(s);
	if (!s->dialect)
		return;
	storages = rf_tree_want_ref(s->tree, list, expand_flags(s, list));
	while ((member = rf_tree_member(s->tree, &it, storages, "Members", RF_PLAIN)) &&
		within(s, &s->n_storages, RF_STORAGES_MAX, "/redfish/v1/Systems"))
		survey_storage(s, member);
	if (s->dialect->want_of_system)
		s->dialect->want_of_system(s, system);
	if (system == s->system)
		s->manager = rf_tree_want_ref(s->tree,
			json_array_get(jtext_at(system, "Links", "ManagedBy", NULL), 0), RF_OPTIONAL);
}

/* ---- chassis: slots, and drives that only they list --------------------------- */

static void survey_slots(struct rf_survey *s, const json_t *ref)
{
	json_t *slots = rf_tree_want_ref(s->tree, ref, RF_OPTIONAL), *slot;
	struct rf_resource *r = resource_of(s, ref);
	size_t i;

	if (!r)
		return;
	json_array_foreach(json_object_get(slots, "Slots"), i, slot)
		if (s->n_slots < RF_SLOTS_MAX && json_is_object(slot))
			s->slots[s->n_slots++] = (struct rf_slot){slot, r->key};
}

/* True if a Storage lists the drives of a chassis: the chassis lists the same. Not where a Storage could not be read. */
static bool drives_are_listed(const struct rf_survey *s, const char *chassis)
{
	char drives[RF_PATH_MAX + 8], key[RF_PATH_MAX];

	if (s->incomplete)
		return false;
	rf_path_key(chassis, key);
	snprintf(drives, sizeof drives, "%s/Drives/", key);
	for (size_t i = 0; i < s->n_drives; i++)
		if (s->drives[i].storage && str_starts(s->drives[i].path, drives))
			return true;
	return false;
}

/* True if drives tell who they are, and name their chassis: what a chassis says of them is a copy, and the Storage's wins. */
static bool drives_tell_chassis(const struct rf_survey *s)
{
	size_t present = 0;

	for (size_t i = 0; i < s->n_drives; i++) {
		const json_t *doc = s->drives[i].doc;

		if (str_same(jtext_string(jtext_at(doc, "Status", "State", NULL)), "Absent"))
			continue;
		present++;
		if (!jtext_string(json_object_get(doc, "SerialNumber")) ||
			!jtext_string(jtext_at(doc, "Links", "Chassis", "@odata.id", NULL)))
			return false;
	}
	return present && !s->incomplete;
}

/* The key of the chassis that a drive names; false if it names none. */
static bool chassis_of_drive(struct rf_survey *s, const struct rf_drive *d, char key[RF_PATH_MAX])
{
	char path[RF_PATH_MAX];

	if (!rf_tree_path_of(s->tree, jtext_at(d->doc, "Links", "Chassis", NULL), path))
		return false;
	rf_path_key(path, key);
	return true;
}

/* True if a drive names a chassis that none before it does. */
static bool is_first_of_chassis(struct rf_survey *s, size_t i)
{
	char key[RF_PATH_MAX], other[RF_PATH_MAX];

	if (!chassis_of_drive(s, &s->drives[i], key))
		return false;
	while (i--)
		if (chassis_of_drive(s, &s->drives[i], other) && strcmp(key, other) == 0)
			return false;
	return true;
}

/* True if a chassis has nothing to tell that is not known: only its drives, or not even those. */
static bool is_needless(const struct rf_survey *s, const char *path)
{
	return s->dialect->no_drive_slots && s->dialect->no_drive_devices && drives_are_listed(s, path);
}

/* One answer for a chassis of drives, its slots, devices and sensors, where the service can do that. */
static unsigned chassis_flags(const struct rf_survey *s)
{
	return s->dialect->chassis_repeats && s->tree->can_go_deep ? RF_OPTIONAL | RF_EXPAND | RF_DEEP : RF_OPTIONAL;
}

static void survey_chassis(struct rf_survey *s, const json_t *ref)
{
	char path[RF_PATH_MAX];
	json_t *chassis, *list;

	if (!rf_tree_path_of(s->tree, ref, path))
		return;
	if (s->dialect->spares_chassis && s->dialect->spares_chassis(path))
		return;
	if (is_needless(s, path))
		return;
	chassis = rf_tree_want(s->tree, path, chassis_flags(s));
	if (!chassis || s->n_chassis == RF_CHASSIS_MAX)
		return;
	s->chassis[s->n_chassis++] = chassis;
	if (!s->dialect->no_drive_slots)
		survey_slots(s, json_object_get(chassis, "PCIeSlots"));
	if (s->under_way || drives_are_listed(s, path)) /* a Storage may bring its drives along */
		return;
	if (s->dialect->chassis_repeats && drives_tell_chassis(s))
		return;
	list = json_object_get(chassis, "Drives");
	list = rf_tree_want_ref(s->tree, list, RF_OPTIONAL | expand_flags(s, list));
	survey_drives(s, list, "Members", NULL);
	survey_drives(s, json_object_get(chassis, "Links"), "Drives", NULL);
}

/* ---- SimpleStorage: old services, and where Drives are stubs ------------------------ */

static struct rf_drive *drive_named(struct rf_survey *s, const char *name)
{
	for (size_t i = 0; name && i < s->n_drives; i++)
		if (strcmp(rf_path_last(s->drives[i].path), name) == 0)
			return &s->drives[i];
	return NULL;
}

/* A device is the Drive of its name, or, where there are no Drives at all, a drive of its own. */
static void survey_simple_devices(struct rf_survey *s, const char *path, json_t *devices, bool no_drives)
{
	json_t *device;
	size_t i;

	json_array_foreach(devices, i, device)
	{
		struct rf_drive *d = drive_named(s, jtext_string(json_object_get(device, "Name")));

		if (d)
			d->simple = device;
		else if (no_drives && s->n_drives < RF_DRIVES_MAX && jtext_string(json_object_get(device, "Model")))
			s->drives[s->n_drives++] = (struct rf_drive){.path = path, .simple = device};
	}
}

static void survey_simple_storage(struct rf_survey *s)
{
	bool no_drives = s->n_drives == 0, wanted = no_drives;
	struct rf_members it = {0};
	const json_t *ref;
	json_t *list;

	for (size_t i = 0; i < s->n_drives; i++)
		wanted |= s->drives[i].doc && rf_drive_is_stub(s->drives[i].doc);
	if (!wanted)
		return;
	list = rf_tree_want_ref(s->tree, json_object_get(s->system, "SimpleStorage"), RF_OPTIONAL | RF_EXPAND);
	while ((ref = rf_tree_member(s->tree, &it, list, "Members", RF_OPTIONAL))) {
		json_t *simple = rf_tree_want_ref(s->tree, ref, RF_OPTIONAL | RF_LIVE);
		struct rf_resource *r = resource_of(s, ref);

		if (r)
			survey_simple_devices(s, r->key, json_object_get(simple, "Devices"), no_drives);
	}
}

/* ---- all of it ------------------------------------------------------------------------ */

static size_t drives_of(const struct rf_survey *s, const json_t *storage)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_drives; i++)
		n += s->drives[i].storage == storage;
	return n;
}

static bool tells_wear(const json_t *drive)
{
	return json_object_get(drive, "Metrics") || json_is_number(json_object_get(drive, "PredictedMediaLifeLeftPercent"));
}

/* What is measured of a drive: linked by itself, or by the controller that is this drive. */
static json_t *want_metrics(struct rf_survey *s, const struct rf_drive *d, const char *key)
{
	const json_t *own = json_object_get(d->doc, key);

	if (!own && rf_drive_same_serial(d->controller, d->doc))
		own = json_object_get(d->controller, key);
	return rf_tree_want_ref(s->tree, own, RF_OPTIONAL | RF_METRICS);
}

static bool drives_are_read(const struct rf_survey *s)
{
	for (size_t i = 0; i < s->n_drives; i++) {
		const struct rf_resource *r = s->drives[i].resource;

		if (r && (r->state == RF_WANTED || r->state == RF_ASKED))
			return false;
	}
	return !s->under_way;
}

/* What is measured: of all drives in a report, where there is one, and else of each by itself. */
static void survey_measured(struct rf_survey *s)
{
	if (s->telemetry && (!drives_are_read(s) || rf_telemetry_survey(s->telemetry, s)))
		return; /* a report may spare the requests below */
	for (size_t i = 0; i < s->n_drives; i++) {
		struct rf_drive *d = &s->drives[i];

		if (!d->doc)
			continue;
		d->report = s->telemetry ? rf_telemetry_of(s->telemetry, d) : NULL;
		if (!rf_telemetry_covers(d)) {
			d->metrics = want_metrics(s, d, "Metrics");
			d->environment = want_metrics(s, d, "EnvironmentMetrics");
		}
		if (s->dialect->want_of_drive)
			s->dialect->want_of_drive(s, d);
	}
}

static void survey_details(struct rf_survey *s)
{
	for (size_t i = 0; i < s->n_drives; i++)
		if (s->drives[i].doc)
			rf_pcie_claim_linked(s, &s->drives[i]);
	for (size_t i = 0; i < s->n_drives; i++) {
		struct rf_drive *d = &s->drives[i];

		if (!d->doc)
			continue;
		if ((!d->device || !tells_wear(d->doc)) && d->storage && !s->dialect->drive_tells_link &&
			drives_of(s, d->storage) == 1)
			survey_controllers(s, d->storage, d);
	}
	survey_measured(s);
	if (s->under_way)
		return;
	rf_pcie_explore(s);
	if (s->dialect->drive_tells_link)
		rf_pcie_recheck(s);
	survey_simple_storage(s);
}

static bool wait_for_drives(const struct rf_survey *s)
{
	if (!s->dialect->no_drive_slots && !s->dialect->chassis_repeats)
		return false;
	for (size_t i = 0; s->dialect->chassis_repeats && i < s->n_drives; i++) {
		const struct rf_resource *r = s->drives[i].resource;

		if (r && (r->state == RF_WANTED || r->state == RF_ASKED))
			return true;
	}
	return s->under_way;
}

static void forget_lists(struct rf_survey *s)
{
	s->system = s->manager = s->events = NULL;
	s->incomplete = s->under_way = false;
	s->n_drives = s->n_slots = s->n_devices = s->n_chassis = s->n_storages = 0;
}

/* The systems, with their storages and drives. */
static void survey_systems(struct rf_survey *s)
{
	const json_t *ref = json_object_get(s->root, "Systems");
	json_t *list = rf_tree_want_ref(s->tree, ref, may_expand_systems(s) ? expand_flags(s, ref) : RF_PLAIN);
	struct rf_members it = {0};
	size_t n = 0;

	note_state(s, resource_of(s, ref));
	while ((ref = rf_tree_member(s->tree, &it, list, "Members", RF_PLAIN)) &&
		within(s, &n, RF_SYSTEMS_MAX, "/redfish/v1/Systems")) {
		survey_system(s, ref);
		note_state(s, resource_of(s, ref));
	}
}

static void survey_all_chassis(struct rf_survey *s)
{
	json_t *list = rf_tree_want_ref(s->tree, json_object_get(s->root, "Chassis"),
		s->dialect->spares_chassis ? RF_PLAIN : RF_EXPAND);
	struct rf_members it = {0};
	const json_t *ref;
	size_t n = 0;

	while (!wait_for_drives(s) && (ref = rf_tree_member(s->tree, &it, list, "Members", RF_PLAIN)) &&
		within(s, &n, RF_CHASSIS_MAX, "/redfish/v1/Chassis"))
		survey_chassis(s, ref);
}

/* The chassis that the drives name, and no others. */
static void survey_named_chassis(struct rf_survey *s)
{
	for (size_t i = 0; i < s->n_drives; i++)
		if (is_first_of_chassis(s, i))
			survey_chassis(s, jtext_at(s->drives[i].doc, "Links", "Chassis", NULL));
}

void rf_survey_run(struct rf_survey *s)
{
	forget_lists(s);
	s->root = rf_tree_want(s->tree, "/redfish/v1/", RF_PLAIN);
	if (!s->root)
		return;
	learn_expand(s);
	if (s->wants_events)
		s->events = rf_tree_want_ref(s->tree, json_object_get(s->root, "EventService"), RF_OPTIONAL);
	survey_systems(s);
	if (!s->dialect) /* which chassis may be read is for the dialect to say */
		return;
	note_state(s, resource_of(s, json_object_get(s->system, "Storage")));
	if (!s->dialect->chassis_repeats)
		survey_all_chassis(s);
	if (wait_for_drives(s)) /* they tell which chassis are needed */
		return;
	if (s->dialect->chassis_repeats && drives_tell_chassis(s))
		survey_named_chassis(s);
	else if (s->dialect->chassis_repeats)
		survey_all_chassis(s);
	survey_details(s);
}
