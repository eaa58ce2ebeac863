/* SPDX-License-Identifier: MIT */
/*
 * The grammar of --fault: one table of keys, each with the kind of value it takes.
 */
#include "tests/simbmc/faults.h"

#include "base/str.h"
#include "tests/simbmc/machine.h"

#include <jansson.h>

#include <stddef.h>
#include <string.h>

/* How the value of a key is read. */
enum value_kind {
	VALUE_UNKNOWN = 0,
	VALUE_NONE,
	VALUE_LANES,
	VALUE_SPEED,
	VALUE_RANGE,
	VALUE_HEALTH,
	VALUE_LINK,
	VALUE_TEXT,
};

static const struct fault_key {
	const char *name;
	enum fault_kind kind;
	enum value_kind value;
	int min, max;
	bool may_be_unknown;
	const char *takes;
} keys[] = {
	{ "width", FAULT_WIDTH, VALUE_LANES, 0, 0, true, "1, 2, 4, 8, 16 or unknown" },
	{ "speed", FAULT_SPEED, VALUE_SPEED, 0, 0, true,
	  "2.5, 5, 8, 16, 32, 64 (GT/s) or unknown" },
	{ "link", FAULT_LINK, VALUE_LINK, 0, 0, true, "unknown" },
	{ "drive-width", FAULT_DRIVE_WIDTH, VALUE_LANES, 0, 0, false, "1, 2, 4, 8 or 16" },
	{ "drive-speed", FAULT_DRIVE_SPEED, VALUE_SPEED, 0, 0, false,
	  "2.5, 5, 8, 16, 32 or 64 (GT/s)" },
	{ "slot-width", FAULT_SLOT_WIDTH, VALUE_LANES, 0, 0, false, "1, 2, 4, 8 or 16" },
	{ "slot-speed", FAULT_SLOT_SPEED, VALUE_SPEED, 0, 0, false,
	  "2.5, 5, 8, 16, 32 or 64 (GT/s)" },
	{ "absent", FAULT_ABSENT, VALUE_NONE, 0, 0, false, "no value" },
	{ "present", FAULT_PRESENT, VALUE_NONE, 0, 0, false, "no value" },
	{ "wear", FAULT_WEAR, VALUE_RANGE, 0, 255, true, "0 to 255 (percent used) or unknown" },
	{ "spare", FAULT_SPARE, VALUE_RANGE, 0, 100, true, "0 to 100 (percent) or unknown" },
	{ "temp", FAULT_TEMP, VALUE_RANGE, 0, 150, false, "0 to 150 (Celsius)" },
	{ "status", FAULT_STATUS, VALUE_RANGE, 400, 599, false, "an HTTP status, 400 to 599" },
	{ "health", FAULT_HEALTH, VALUE_HEALTH, 0, 0, true, "ok, warning, critical or unknown" },
	{ "model", FAULT_MODEL, VALUE_TEXT, 0, 0, false, "a text of at most 255 bytes" },
	{ "serial", FAULT_SERIAL, VALUE_TEXT, 0, 0, false, "a text of at most 63 bytes" },
	{ "firmware", FAULT_FIRMWARE, VALUE_TEXT, 0, 0, false, "a text of at most 31 bytes" },
};

/* Copies the next blank-separated word and moves *p behind it; false where there is none. */
static bool next_word(const char **p, char *word, size_t size)
{
	size_t n;

	*p += strspn(*p, " \t");
	n = strcspn(*p, " \t");
	if (n == 0 || n >= size)
		return false;
	memcpy(word, *p, n);
	word[n] = '\0';
	*p += n;
	return true;
}

static bool read_index(const char **p, unsigned *out)
{
	char word[16];
	int64_t v;

	if (!next_word(p, word, sizeof word) || !str_to_int(word, 0, 9999, &v))
		return false;
	*out = (unsigned)v;
	return true;
}

static bool value_lanes(const char *s, int *out)
{
	int64_t v;

	if (!str_to_int(s, 1, 16, &v) || (v & (v - 1)))
		return false;
	*out = (int)v;
	return true;
}

static bool value_speed(const char *s, int *out)
{
	static const char *const gts[] = { "2.5", "5", "8", "16", "32", "64" };

	for (size_t i = 0; i < sizeof gts / sizeof *gts; i++) {
		if (!strcmp(s, gts[i])) {
			*out = (int)i + 1;
			return true;
		}
	}
	return false;
}

static bool value_health(const char *s, int *out)
{
	if (!strcmp(s, "ok"))
		*out = HEALTH_OK;
	else if (!strcmp(s, "warning"))
		*out = HEALTH_WARNING;
	else if (!strcmp(s, "critical"))
		*out = HEALTH_CRITICAL;
	else
		return false;
	return true;
}

static bool value_text(const char *s, enum fault_kind kind, struct fault *out)
{
	size_t max = kind == FAULT_MODEL ? 255 : kind == FAULT_SERIAL ? 63 : 31;
	json_t *probe = json_string(s);

	/* A BMC cannot send what is not UTF-8 in JSON, so neither can we. */
	if (!probe)
		return false;
	json_decref(probe);
	return strlen(s) <= max && str_copy(out->text, sizeof out->text, s);
}

static bool read_value(const struct fault_key *k, const char *s, struct fault *out)
{
	int64_t v;

	if (k->may_be_unknown && !strcmp(s, "unknown")) {
		out->value = -1;
		return true;
	}
	switch (k->value) {
	case VALUE_NONE:
		return *s == '\0';
	case VALUE_LANES:
		return value_lanes(s, &out->value);
	case VALUE_SPEED:
		return value_speed(s, &out->value);
	case VALUE_RANGE:
		if (!str_to_int(s, k->min, k->max, &v))
			return false;
		out->value = (int)v;
		return true;
	case VALUE_HEALTH:
		return value_health(s, &out->value);
	case VALUE_TEXT:
		return value_text(s, k->kind, out);
	case VALUE_LINK:
	case VALUE_UNKNOWN:
		return false;
	}
	return false;
}

static const struct fault_key *find_key(const char *name)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	}
	return NULL;
}

/* "[instance K] bay N" or "[instance K] boot N". */
static bool read_place(const char **p, struct fault *out)
{
	char word[16];

	if (!next_word(p, word, sizeof word))
		return false;
	if (!strcmp(word, "instance")) {
		if (!read_index(p, &out->instance) || out->instance == 0 ||
		    !next_word(p, word, sizeof word))
			return false;
	}
	out->boot = !strcmp(word, "boot");
	if (!out->boot && strcmp(word, "bay"))
		return false;
	return read_index(p, &out->bay);
}

int fault_parse(const char *text, struct fault *out, struct err *e)
{
	const struct fault_key *k;
	const char *p = text;
	char word[32];

	*out = (struct fault){0};
	if (!read_place(&p, out) || !next_word(&p, word, sizeof word))
		return err_set(e, "\"%s\": write it as \"bay 7 width 2\"", text);
	k = find_key(word);
	if (!k)
		return err_set(e, "\"%s\": \"%s\" is no fault; there are width, speed, link, "
			"drive-width, drive-speed, slot-width, slot-speed, absent, wear, spare, "
			"temp, status, health, model, serial, firmware", text, word);
	p += strspn(p, " \t");
	out->kind = k->kind;
	if (!read_value(k, p, out))
		return err_set(e, "\"%s\": %s takes %s", text, k->name, k->takes);
	return 0;
}
