/* SPDX-License-Identifier: MIT */
/* log_entry: see log_entry.h.  The meaning of ids is that of the makers' message registries. */
#include "collectors/redfish/log_entry.h"
#include "base/jtext.h"
#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* By the last part of the MessageId: the number before it is the registry's version. */
static const struct meaning {
	const char *id;
	enum severity severity;
	enum event_type type; /* EVENT_UNKNOWN: none of ours */
} meanings[] = {
	/* Dell lifecycle log (iDRAC message registry 2.7): drives come and go */
	{"PDR8", SEVERITY_INFO, EVENT_DRIVE_ADDED},
	{"PDR1000", SEVERITY_INFO, EVENT_DRIVE_ADDED},
	{"PDR1100", SEVERITY_INFO, EVENT_DRIVE_ADDED},
	{"PDR5", SEVERITY_WARNING, EVENT_DRIVE_REMOVED},
	{"PDR1016", SEVERITY_CRITICAL, EVENT_DRIVE_REMOVED},
	{"PDR1116", SEVERITY_CRITICAL, EVENT_DRIVE_REMOVED},
	{"PDR4", SEVERITY_INFO, EVENT_UNKNOWN},
	{"PDR26", SEVERITY_INFO, EVENT_UNKNOWN},
	{"PDR6", SEVERITY_WARNING, EVENT_UNKNOWN},
	{"ENC1", SEVERITY_INFO, EVENT_UNKNOWN},
	/* failures */
	{"PDR3", SEVERITY_CRITICAL, EVENT_DRIVE_DEAD},
	{"PDR1001", SEVERITY_CRITICAL, EVENT_DRIVE_DEAD},
	{"PDR1101", SEVERITY_CRITICAL, EVENT_DRIVE_DEAD},
	{"PDR16", SEVERITY_WARNING, EVENT_UNKNOWN},
	{"PDR116", SEVERITY_WARNING, EVENT_UNKNOWN},
	{"PDR1002", SEVERITY_WARNING, EVENT_UNKNOWN},
	{"PDR7", SEVERITY_WARNING, EVENT_UNKNOWN},
	{"PDR46", SEVERITY_CRITICAL, EVENT_UNKNOWN},
	{"PDR64", SEVERITY_CRITICAL, EVENT_UNKNOWN},
	{"PDR110", SEVERITY_CRITICAL, EVENT_UNKNOWN},
	{"PDR111", SEVERITY_CRITICAL, EVENT_UNKNOWN},
	/* endurance and temperature */
	{"PDR112", SEVERITY_WARNING, EVENT_UNKNOWN},
	{"PDR113", SEVERITY_WARNING, EVENT_UNKNOWN},
	{"PDR114", SEVERITY_WARNING, EVENT_UNKNOWN},
	{"PDR115", SEVERITY_CRITICAL, EVENT_UNKNOWN},
	{"SSD0001", SEVERITY_WARNING, EVENT_UNKNOWN},
	{"SSD0002", SEVERITY_WARNING, EVENT_UNKNOWN},
	{"PDR117", SEVERITY_CRITICAL, EVENT_UNKNOWN},
	{"PDR119", SEVERITY_WARNING, EVENT_UNKNOWN},
	{"PDR121", SEVERITY_CRITICAL, EVENT_UNKNOWN},
	{"PDR120", SEVERITY_INFO, EVENT_UNKNOWN},
	{"PDR122", SEVERITY_INFO, EVENT_UNKNOWN},
	/* links */
	{"UEFI0031", SEVERITY_CRITICAL, EVENT_LINK_CHANGED},
	{"UEFI0080", SEVERITY_WARNING, EVENT_LINK_CHANGED},
	{"UEFI0067", SEVERITY_CRITICAL, EVENT_LINK_CHANGED},
	{"PDR200", SEVERITY_CRITICAL, EVENT_LINK_CHANGED},
	{"PCI1319", SEVERITY_CRITICAL, EVENT_UNKNOWN},
	{"PCI3019", SEVERITY_CRITICAL, EVENT_UNKNOWN},
	{"PCI3025", SEVERITY_CRITICAL, EVENT_UNKNOWN},
	/* the BMC and the drive */
	{"CTL137", SEVERITY_WARNING, EVENT_DRIVE_NOT_ANSWERING},
	{"CTL138", SEVERITY_INFO, EVENT_UNKNOWN},
	{"CTL139", SEVERITY_WARNING, EVENT_UNKNOWN},
	/* DMTF's StorageDevice registry, and HPE's iLOEvents */
	{"DriveInserted", SEVERITY_INFO, EVENT_DRIVE_ADDED},
	{"DriveRemoved", SEVERITY_CRITICAL, EVENT_DRIVE_REMOVED},
	{"DriveMissing", SEVERITY_CRITICAL, EVENT_DRIVE_REMOVED},
	{"DriveFailure", SEVERITY_CRITICAL, EVENT_DRIVE_DEAD},
	{"DriveOffline", SEVERITY_WARNING, EVENT_UNKNOWN},
	{"DrivePredictiveFailure", SEVERITY_WARNING, EVENT_UNKNOWN},
	{"DriveOK", SEVERITY_INFO, EVENT_UNKNOWN},
	{"DriveFailureCleared", SEVERITY_INFO, EVENT_UNKNOWN},
	{"DriveMissingCleared", SEVERITY_INFO, EVENT_DRIVE_ADDED},
	{"DriveOfflineCleared", SEVERITY_INFO, EVENT_UNKNOWN},
	{"DrivePredictiveFailureCleared", SEVERITY_INFO, EVENT_UNKNOWN},
	{"PCIeDriveConditionInserted", SEVERITY_INFO, EVENT_DRIVE_ADDED},
	{"PCIeDriveConditionRemoved", SEVERITY_CRITICAL, EVENT_DRIVE_REMOVED},
	{"DriveError", SEVERITY_CRITICAL, EVENT_UNKNOWN},
};

/* Families of ids that speak of drives, for numbers that the table does not know. */
static const char *const families[] = {"PDR", "SSD", "PCIeDrive", "Drive", NULL};

static const char *last_part(const char *message_id)
{
	const char *dot = message_id ? strrchr(message_id, '.') : NULL;

	return dot ? dot + 1 : message_id ? message_id : "";
}

static const struct meaning *meaning_of(const char *id)
{
	for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
		if (strcmp(meanings[i].id, id) == 0)
			return &meanings[i];
	return NULL;
}

static bool of_family(const char *id)
{
	for (size_t i = 0; families[i]; i++) {
		unsigned char next = str_starts(id, families[i]) ? (unsigned char)id[strlen(families[i])] : 0;

		if (isupper(next) || isdigit(next)) /* not "DriverUpdated" */
			return true;
	}
	return false;
}

/* A whole word, in any case: "drive" but not "driver"; a plural counts. */
static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; *p; p++) {
		size_t end = n;

		if ((p > text && isalpha((unsigned char)p[-1])) || strncasecmp(p, word, n) != 0)
			continue;
		end += p[end] == 's' || p[end] == 'S';
		if (!isalpha((unsigned char)p[end]))
			return true;
	}
	return false;
}

/* For logs whose ids tell nothing: what the text, or the sensor, is about. */
static bool speaks_of_drives(const json_t *entry, const char *message)
{
	static const char *const words[] = {"drive", "nvme", "ssd", "hdd", "disk", NULL};
	const char *sensor = jtext_string(json_object_get(entry, "SensorType"));
	const char *of_hpe = jtext_string(jtext_at(entry, "Oem", "Hpe", "ClassDescription", NULL));
	const char *of_dell = jtext_string(jtext_at(entry, "Oem", "Dell", "Category", NULL));

	if ((sensor && str_has_nocase(sensor, "drive")) || (of_hpe && str_has_nocase(of_hpe, "drive")) || str_same_nocase(of_dell, "Storage"))
		return true;
	if (of_dell || of_hpe) /* these tell what they are about by category and id */
		return false;
	for (size_t i = 0; words[i]; i++)
		if (has_word(message, words[i]))
			return true;
	return false;
}

static enum severity severity_told(const json_t *entry)
{
	const char *s = jtext_string(json_object_get(entry, "Severity"));

	if (!s)
		s = jtext_string(json_object_get(entry, "MessageSeverity"));
	if (str_same_nocase(s, "Critical"))
		return SEVERITY_CRITICAL;
	return str_same_nocase(s, "Warning") ? SEVERITY_WARNING : SEVERITY_INFO;
}

/* The number behind a word: "Slot 7", "Bay=7"; false if there is none. */
static bool number_behind(const char *text, const char *word, char *out, size_t size)
{
	size_t n = strlen(word), digits;

	for (const char *p = text; (p = strcasestr(p, word)); p += n) {
		const char *at = p + n;

		if ((p > text && isalpha((unsigned char)p[-1])) || (*at != ' ' && *at != '=' && *at != ':'))
			continue;
		at += 1 + strspn(at + 1, " ");
		digits = strspn(at, "0123456789");
		if (digits == 0 || digits > 4)
			continue;
		snprintf(out, size, "%.*s", (int)digits, at);
		return true;
	}
	return false;
}

/*
 * Dell: "PCIe SSD in Slot 7 in Bay 1", "Drive 5 is removed from disk drive bay 1", "Disk 3 in
 * Backplane 1": the bay there is the backplane.  HPE and others: "Box 2 Bay 5", "Drive 5".
 */
static void find_bay(const char *text, char *out, size_t size)
{
	out[0] = '\0';
	if (strcasestr(text, "drive bay") || strcasestr(text, "backplane")) {
		if (number_behind(text, "Drive", out, size) || number_behind(text, "Disk", out, size))
			return;
	}
	if (strcasestr(text, "in Slot") && number_behind(text, "Slot", out, size))
		return;
	if (strcasestr(text, "Slot") && strcasestr(text, "in Bay") && number_behind(text, "Slot", out, size))
		return;
	if (!number_behind(text, "Bay", out, size) && !number_behind(text, "Drive", out, size))
		number_behind(text, "Disk", out, size);
}

/* The text of the device stands in the arguments, or in the message alone. */
static void name_bay(const json_t *entry, const char *message, struct event *e)
{
	const char *arg = jtext_string(json_array_get(json_object_get(entry, "MessageArgs"), 0));

	if (arg)
		find_bay(arg, e->bay, sizeof e->bay);
	if (!e->bay[0])
		find_bay(message, e->bay, sizeof e->bay);
}

static void write_message(const json_t *entry, const char *message, const char *id, struct event *e)
{
	char clean[sizeof e->message], created[40];

	if (!jtext_copy(created, sizeof created, json_object_get(entry, "Created")))
		jtext_copy(created, sizeof created, json_object_get(entry, "EventTimestamp"));
	str_clean(clean, sizeof clean, message);
	snprintf(e->message, sizeof e->message, "%.190s (%s%s%.32s)", clean, id, id[0] && created[0] ? ", " : "",
		created[0] ? created : "no time given");
}

bool rf_log_entry_read(const json_t *entry, const char *log, struct event *e)
{
	const char *message = jtext_string(json_object_get(entry, "Message"));
	const struct meaning *m;
	char id[48], record[48];

	*e = (struct event){.type = EVENT_BMC_LOG};
	str_clean(id, sizeof id, last_part(jtext_string(json_object_get(entry, "MessageId"))));
	m = meaning_of(id);
	message = message ? message : "";
	if (!m && !of_family(id) && !speaks_of_drives(entry, message))
		return false;
	if (!message[0] && !id[0])
		return false;
	e->severity = m ? m->severity : severity_told(entry);
	if (m && m->type)
		str_copy(e->to, sizeof e->to, event_type_word(m->type));
	name_bay(entry, message, e);
	write_message(entry, message, id, e);
	if (!jtext_copy(record, sizeof record, json_object_get(entry, "Id")) &&
		!jtext_copy(record, sizeof record, json_object_get(entry, "EventId")))
		str_copy(record, sizeof record, "?");
	snprintf(e->source_id, sizeof e->source_id, "%.15s/%s", log, record);
	return true;
}

static uint64_t mix(uint64_t h, const char *s)
{
	for (; s && *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return (h ^ 0xff) * 0x100000001b3u;
}

uint64_t rf_log_entry_key(const json_t *entry)
{
	uint64_t h = 0xcbf29ce484222325u;

	h = mix(h, jtext_string(json_object_get(entry, "Created")));
	h = mix(h, jtext_string(json_object_get(entry, "MessageId")));
	return mix(h, jtext_string(json_object_get(entry, "Message")));
}

const char *rf_log_entry_origin(const json_t *entry)
{
	const json_t *origin = jtext_at(entry, "Links", "OriginOfCondition", NULL);

	if (!origin)
		origin = json_object_get(entry, "OriginOfCondition");
	return jtext_string(json_is_object(origin) ? json_object_get(origin, "@odata.id") : origin);
}
