/* SPDX-License-Identifier: MIT */
/*
 * config_keys: what may stand in a configuration, as data: sections, and in each section
 * its keys with type, range, default and a line of help.  The one list that the reader, the
 * checks, the hints and the tests of the manual go by.
 */
#ifndef AGENT_CONFIG_KEYS_H
#define AGENT_CONFIG_KEYS_H

#include <stdbool.h>
#include <stddef.h>

enum config_place {
	PLACE_UNKNOWN = 0,
	PLACE_TOP, /* outside of all sections */
	PLACE_TARGET,
	PLACE_FILE_SD,
	PLACE_POLICY,
	PLACE_CARD,
	PLACE_BAY_MAP,
	PLACE_DRIVE_MODEL,
	PLACE_NOTIFY,
	PLACE_ALERT,
	PLACE_MAINTENANCE,
	PLACES_END,
};

enum config_type {
	TYPE_UNKNOWN = 0,
	TYPE_TEXT,
	TYPE_PATH,     /* relative to the folder of the file it stands in */
	TYPE_WORD,     /* one of `words` */
	TYPE_BOOL,     /* true or false */
	TYPE_NUMBER,   /* between min and max */
	TYPE_DURATION, /* "1s", "5m", "1h", between min and max milliseconds */
	TYPE_PATTERNS, /* "a,b-*" or {"a", "b-*"} */
};

struct config_key {
	enum config_place place;
	const char *name;
	enum config_type type;
	double min, max;
	const char *const *words; /* TYPE_WORD; NULL at the end */
	const char *standard;	  /* the default in words; NULL none */
	const char *help;
};

/* The table, ended by a NULL name. */
extern const struct config_key config_keys[];

const char *config_place_name(enum config_place p);	     /* "target"; "" for PLACE_TOP */
enum config_place config_place_of(const char *section_name); /* PLACE_UNKNOWN if there is no such section */
const struct config_key *config_key_find(enum config_place p, const char *name);

/* The key (at the top: or section) whose name is nearest to a wrong one; NULL if none is near. */
const char *config_key_nearest(enum config_place p, const char *name);

/* The place where a key of this name would be right; PLACE_UNKNOWN if there is none. */
enum config_place config_key_elsewhere(const char *name);

#endif
