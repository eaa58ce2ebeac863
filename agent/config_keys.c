/* SPDX-License-Identifier: MIT */
/* config_keys: see config_keys.h. */
#include "agent/config_keys.h"
#include "base/str.h"

#include <string.h>

static const char *const target_types[] = {"redfish", "nvme", "zfs", "replay", NULL};
static const char *const notify_types[] = {"webhook", "alertmanager", "mail", "syslog", "exec", NULL};
static const char *const durabilities[] = {"normal", "full", NULL};
static const char *const severities[] = {"warning", "critical", NULL};
static const char *const rule_severities[] = {"warning", "critical", "none", NULL};

#define DAY_MS (24 * 3600 * 1000.0)

const struct config_key config_keys[] = {
	{PLACE_TOP, "database", TYPE_PATH, 0, 0, NULL, "/var/lib/lanewatch/lanewatch.db", "file of the store"},
	{PLACE_TOP, "keep_raw", TYPE_TEXT, 0, 0, NULL, "60d", "how long points are kept as they were read"},
	{PLACE_TOP, "keep_hours", TYPE_TEXT, 0, 0, NULL, "2y", "how long they are kept by the hour"},
	{PLACE_TOP, "keep_days", TYPE_TEXT, 0, 0, NULL, "forever", "how long they are kept by the day"},
	{PLACE_TOP, "database_max_size", TYPE_TEXT, 0, 0, NULL, "none", "size at which the oldest points go"},
	{PLACE_TOP, "commit_every", TYPE_DURATION, 1000, 3600e3, NULL, "each round", "how long points may wait for the disk, to be written together"},
	{PLACE_TOP, "durability", TYPE_WORD, 0, 0, durabilities, "normal", "whether a power cut may cost points that were written last"},
	{PLACE_TOP, "listen", TYPE_TEXT, 0, 0, NULL, "127.0.0.1:9288", "address and port of the web page and the metrics"},
	{PLACE_TOP, "hostnames", TYPE_PATTERNS, 0, 0, NULL, NULL, "further names by which the web page is asked for"},
	{PLACE_TOP, "tls_certificate", TYPE_PATH, 0, 0, NULL, NULL, "certificate of the web page, with what signed it (PEM)"},
	{PLACE_TOP, "tls_key", TYPE_PATH, 0, 0, NULL, NULL, "its key (PEM), readable by nobody else"},
	{PLACE_TOP, "users_file", TYPE_PATH, 0, 0, NULL, NULL, "who may see the web page: NAME:HASH lines of hash-password"},
	{PLACE_TOP, "plaintext", TYPE_BOOL, 0, 0, NULL, "false", "listen on the network without TLS"},
	{PLACE_TOP, "anonymous", TYPE_BOOL, 0, 0, NULL, "false", "listen on the network without a password"},
	{PLACE_TOP, "connections_per_address", TYPE_NUMBER, 1, 64, NULL, "16", "of the 64 connections that the web page has, those that one address may hold"},
	{PLACE_TOP, "group_wait", TYPE_DURATION, 1000, 600e3, NULL, "0", "what fires waits so long for others of its group"},
	{PLACE_TOP, "poll_interval", TYPE_DURATION, 1000, DAY_MS, NULL, "60s", "time between two readings of a target"},

	{PLACE_TOP, "logs_interval", TYPE_DURATION, 1000, DAY_MS, NULL, "5m", "time between two looks into a BMC's log"},
	{PLACE_TOP, "metrics_interval", TYPE_DURATION, 1000, DAY_MS, NULL, "10m", "time between two readings of wear and temperature that cost requests of their own"},
	{PLACE_TOP, "topology_interval", TYPE_DURATION, 1000, 7 * DAY_MS, NULL, "1d", "time between two walks over all that a BMC has"},
	{PLACE_TOP, "shard", TYPE_TEXT, 0, 0, NULL, "all", "part of the listed targets that this agent takes"},
	{PLACE_TOP, "targets_at_once", TYPE_NUMBER, 1, 1000, NULL, "16, more in a fleet", "targets asked side by side"},
	{PLACE_TOP, "requests_at_once", TYPE_NUMBER, 1, 10000, NULL, "512", "requests under way side by side, to all targets together"},

	{PLACE_TARGET, "type", TYPE_WORD, 0, 0, target_types, NULL, "what is read"},
	{PLACE_TARGET, "url", TYPE_TEXT, 0, 0, NULL, NULL, "address of the BMC"},
	{PLACE_TARGET, "username", TYPE_TEXT, 0, 0, NULL, NULL, "account on the BMC"},
	{PLACE_TARGET, "password_file", TYPE_PATH, 0, 0, NULL, NULL, "file with its password on the first line"},
	{PLACE_TARGET, "ca_file", TYPE_PATH, 0, 0, NULL, NULL, "certificates (PEM) that may sign the BMC's"},
	{PLACE_TARGET, "tls_pin", TYPE_TEXT, 0, 0, NULL, NULL, "sha256//BASE64 of the BMC's public key"},
	{PLACE_TARGET, "tls_verify", TYPE_BOOL, 0, 0, NULL, "true", "check the BMC's certificate"},
	{PLACE_TARGET, "allow_plaintext", TYPE_BOOL, 0, 0, NULL, "false", "send credentials over http to another machine"},
	{PLACE_TARGET, "poll_interval", TYPE_DURATION, 1000, DAY_MS, NULL, "that of all targets", "time between two readings of this target"},
	{PLACE_TARGET, "events", TYPE_BOOL, 0, 0, NULL, "true", "listen to the BMC's stream of events where it offers one"},
	{PLACE_TARGET, "logs_interval", TYPE_DURATION, 1000, DAY_MS, NULL, "that of all targets", "time between two looks into this BMC's log"},
	{PLACE_TARGET, "metrics_interval", TYPE_DURATION, 1000, DAY_MS, NULL, "that of all targets", "the same for wear and temperature"},
	{PLACE_TARGET, "topology_interval", TYPE_DURATION, 1000, 7 * DAY_MS, NULL, "that of all targets", "time between two walks over all that this BMC has"},
	{PLACE_TARGET, "host", TYPE_TEXT, 0, 0, NULL, "the name of the target", "machine that the target belongs to"},
	{PLACE_TARGET, "group", TYPE_TEXT, 0, 0, NULL, NULL, "what happens to targets of one group is told together"},
	{PLACE_TARGET, "path", TYPE_PATH, 0, 0, NULL, NULL, "recording that is played"},
	{PLACE_TARGET, "requests_at_once", TYPE_NUMBER, 1, 2, NULL, "2", "requests that it is sent side by side"},
	{PLACE_TARGET, "expand", TYPE_BOOL, 0, 0, NULL, "true", "ask for $expand where the BMC declares it"},

	{PLACE_FILE_SD, "files", TYPE_PATTERNS, 0, 0, NULL, NULL, "lists of targets, in the form of Prometheus"},
	{PLACE_FILE_SD, "username", TYPE_TEXT, 0, 0, NULL, NULL, "account on the BMC"},
	{PLACE_FILE_SD, "password_file", TYPE_PATH, 0, 0, NULL, NULL, "file with its password on the first line"},
	{PLACE_FILE_SD, "ca_file", TYPE_PATH, 0, 0, NULL, NULL, "certificates (PEM) that may sign the BMC's"},
	{PLACE_FILE_SD, "tls_pin", TYPE_TEXT, 0, 0, NULL, NULL, "sha256//BASE64 of the BMC's public key"},
	{PLACE_FILE_SD, "tls_verify", TYPE_BOOL, 0, 0, NULL, "true", "check the BMC's certificate"},
	{PLACE_FILE_SD, "allow_plaintext", TYPE_BOOL, 0, 0, NULL, "false", "send credentials over http to another machine"},
	{PLACE_FILE_SD, "poll_interval", TYPE_DURATION, 1000, DAY_MS, NULL, "that of all targets", "time between two readings of this target"},
	{PLACE_FILE_SD, "events", TYPE_BOOL, 0, 0, NULL, "true", "listen to the BMC's stream of events where it offers one"},
	{PLACE_FILE_SD, "logs_interval", TYPE_DURATION, 1000, DAY_MS, NULL, "that of all targets", "time between two looks into this BMC's log"},
	{PLACE_FILE_SD, "metrics_interval", TYPE_DURATION, 1000, DAY_MS, NULL, "that of all targets", "the same for wear and temperature"},
	{PLACE_FILE_SD, "topology_interval", TYPE_DURATION, 1000, 7 * DAY_MS, NULL, "that of all targets", "time between two walks over all that this BMC has"},
	{PLACE_FILE_SD, "group", TYPE_TEXT, 0, 0, NULL, NULL, "what happens to targets of one group is told together"},
	{PLACE_FILE_SD, "requests_at_once", TYPE_NUMBER, 1, 2, NULL, "2", "requests that it is sent side by side"},
	{PLACE_FILE_SD, "expand", TYPE_BOOL, 0, 0, NULL, "true", "ask for $expand where the BMC declares it"},

	{PLACE_POLICY, "targets", TYPE_PATTERNS, 0, 0, NULL, "all", "targets that it is for"},
	{PLACE_POLICY, "bays", TYPE_PATTERNS, 0, 0, NULL, "all", "bays that it is for"},
	{PLACE_POLICY, "expect", TYPE_TEXT, 0, 0, NULL, NULL, "link that a bay must have"},
	{PLACE_POLICY, "require_present", TYPE_BOOL, 0, 0, NULL, "false", "an empty bay is a fault"},

	{PLACE_CARD, "bays", TYPE_PATTERNS, 0, 0, NULL, NULL, "bays on the card, in the order of its drives"},

	{PLACE_BAY_MAP, "bays", TYPE_PATTERNS, 0, 0, NULL, NULL, "\"BAY = PCI PATH\" or \"BAY = slot NAME\", one for each bay"},

	{PLACE_DRIVE_MODEL, "rated_tbw", TYPE_NUMBER, 0.001, 1e9, NULL, NULL, "terabytes that may be written in its life"},
	{PLACE_DRIVE_MODEL, "rated_read", TYPE_TEXT, 0, 0, NULL, NULL, "what it reads at most, as \"7 GB/s\""},
	{PLACE_DRIVE_MODEL, "rated_write", TYPE_TEXT, 0, 0, NULL, NULL, "what it writes at most, as \"5.2 GB/s\""},
	{PLACE_DRIVE_MODEL, "rated_dwpd", TYPE_NUMBER, 0.001, 1000, NULL, NULL, "drive writes per day that it is rated for"},

	{PLACE_NOTIFY, "type", TYPE_WORD, 0, 0, notify_types, NULL, "who is told"},
	{PLACE_NOTIFY, "url", TYPE_TEXT, 0, 0, NULL, NULL, "where to"},
	{PLACE_NOTIFY, "username", TYPE_TEXT, 0, 0, NULL, NULL, "account there"},
	{PLACE_NOTIFY, "password_file", TYPE_PATH, 0, 0, NULL, NULL, "file with its password on the first line"},
	{PLACE_NOTIFY, "ca_file", TYPE_PATH, 0, 0, NULL, NULL, "certificates (PEM) that may sign the server's"},
	{PLACE_NOTIFY, "tls_pin", TYPE_TEXT, 0, 0, NULL, NULL, "sha256//BASE64 of the server's public key"},
	{PLACE_NOTIFY, "tls_verify", TYPE_BOOL, 0, 0, NULL, "true", "check the server's certificate"},
	{PLACE_NOTIFY, "allow_plaintext", TYPE_BOOL, 0, 0, NULL, "false", "go on without TLS"},
	{PLACE_NOTIFY, "template", TYPE_PATH, 0, 0, NULL, NULL, "JSON of a webhook with {{names}} in it"},
	{PLACE_NOTIFY, "repeat", TYPE_DURATION, 1000, 3600e3, NULL, "60s", "between two posts of what stands"},
	{PLACE_NOTIFY, "heartbeat", TYPE_DURATION, 1000, DAY_MS, NULL, NULL, "a sign of life so often"},
	{PLACE_NOTIFY, "from", TYPE_TEXT, 0, 0, NULL, NULL, "sender of a mail"},
	{PLACE_NOTIFY, "to", TYPE_PATTERNS, 0, 0, NULL, NULL, "who gets a mail"},
	{PLACE_NOTIFY, "socket", TYPE_PATH, 0, 0, NULL, "/dev/log", "socket of the system's log"},
	{PLACE_NOTIFY, "command", TYPE_PATTERNS, 0, 0, NULL, NULL, "program and its arguments"},
	{PLACE_NOTIFY, "deadline", TYPE_DURATION, 1000, 600e3, NULL, "10s", "for one run of the program"},
	{PLACE_NOTIFY, "kinds", TYPE_PATTERNS, 0, 0, NULL, "all", "kinds of alerts that it is told"},
	{PLACE_NOTIFY, "severity", TYPE_WORD, 0, 0, severities, "warning", "the least severity that it is told"},

	{PLACE_ALERT, "warning", TYPE_NUMBER, 0, 255, NULL, "80", "percent used"},
	{PLACE_ALERT, "critical", TYPE_NUMBER, 0, 255, NULL, "100", "percent used"},
	{PLACE_ALERT, "when", TYPE_TEXT, 0, 0, NULL, NULL, "condition over a metric"},
	{PLACE_ALERT, "kinds", TYPE_PATTERNS, 0, 0, NULL, NULL, "kinds that get another severity"},
	{PLACE_ALERT, "severity", TYPE_WORD, 0, 0, rule_severities, "warning", "of the condition, or of the kinds"},
	{PLACE_ALERT, "message", TYPE_TEXT, 0, 0, NULL, NULL, "what to do about it"},
	{PLACE_ALERT, "targets", TYPE_PATTERNS, 0, 0, NULL, "all", "targets that it is for"},
	{PLACE_ALERT, "bays", TYPE_PATTERNS, 0, 0, NULL, "all", "bays that it is for"},
	{PLACE_ALERT, "models", TYPE_PATTERNS, 0, 0, NULL, "all", "drive models that it is for"},
	{PLACE_ALERT, "roles", TYPE_PATTERNS, 0, 0, NULL, "all", "roles of drives that it is for"},

	{PLACE_MAINTENANCE, "targets", TYPE_PATTERNS, 0, 0, NULL, "all", "targets that it is for"},
	{PLACE_MAINTENANCE, "hosts", TYPE_PATTERNS, 0, 0, NULL, "all", "machines that it is for"},
	{PLACE_MAINTENANCE, "bays", TYPE_PATTERNS, 0, 0, NULL, "all", "bays that it is for"},
	{PLACE_MAINTENANCE, "kinds", TYPE_PATTERNS, 0, 0, NULL, "all", "kinds of alerts that it is for"},
	{PLACE_MAINTENANCE, "from", TYPE_TEXT, 0, 0, NULL, NULL, "its beginning"},
	{PLACE_MAINTENANCE, "until", TYPE_TEXT, 0, 0, NULL, NULL, "its end"},
	{PLACE_MAINTENANCE, "days", TYPE_PATTERNS, 0, 0, NULL, "all", "days of the week on which it begins"},
	{PLACE_MAINTENANCE, "at", TYPE_TEXT, 0, 0, NULL, NULL, "time of day at which it begins, UTC"},
	{PLACE_MAINTENANCE, "duration", TYPE_DURATION, 60e3, 7 * DAY_MS, NULL, NULL, "how long it lasts"},
	{PLACE_UNKNOWN, NULL, TYPE_UNKNOWN, 0, 0, NULL, NULL, NULL},
};

static const char *const place_names[PLACES_END] = {
	[PLACE_TOP] = "", [PLACE_TARGET] = "target", [PLACE_FILE_SD] = "file_sd", [PLACE_POLICY] = "policy", [PLACE_CARD] = "card",
	[PLACE_BAY_MAP] = "bay_map",
	[PLACE_DRIVE_MODEL] = "drive_model", [PLACE_NOTIFY] = "notify", [PLACE_ALERT] = "alert",
	[PLACE_MAINTENANCE] = "maintenance",
};

const char *config_place_name(enum config_place p)
{
	return p > PLACE_UNKNOWN && p < PLACES_END ? place_names[p] : "";
}

enum config_place config_place_of(const char *section_name)
{
	for (size_t p = PLACE_TOP + 1; p < PLACES_END; p++)
		if (strcmp(place_names[p], section_name) == 0)
			return (enum config_place)p;
	return PLACE_UNKNOWN;
}

const struct config_key *config_key_find(enum config_place p, const char *name)
{
	for (const struct config_key *k = config_keys; k->name; k++)
		if (k->place == p && strcmp(k->name, name) == 0)
			return k;
	return NULL;
}

const char *config_key_nearest(enum config_place p, const char *name)
{
	const char *words[64];
	size_t n = 0;

	for (const struct config_key *k = config_keys; k->name; k++)
		if (k->place == p && n < 32)
			words[n++] = k->name;
	if (p == PLACE_TOP) {
		words[n++] = "include";
		for (size_t s = PLACE_TOP + 1; s < PLACES_END; s++)
			words[n++] = place_names[s];
	}
	words[n] = NULL;
	return str_nearest(name, words);
}

enum config_place config_key_elsewhere(const char *name)
{
	for (const struct config_key *k = config_keys; k->name; k++)
		if (strcmp(k->name, name) == 0)
			return k->place;
	return PLACE_UNKNOWN;
}
