/* SPDX-License-Identifier: MIT */
/*
 * config_text: the text of one configuration file as sections, keys and values, with the
 * line of each.  It knows which keys there are (config_keys.h) and nothing of what they mean.
 *
 * Two steps.  config_scan.c walks over the text first: it takes out what libconfuse cannot
 * be trusted with and reports it, so that one mistake does not hide the next.  config_parse.c
 * gives the rest to libconfuse and takes the values.
 */
#ifndef AGENT_CONFIG_TEXT_H
#define AGENT_CONFIG_TEXT_H

#include "agent/config.h"
#include "agent/config_keys.h"

enum {
	CONFIG_FILE_BYTES_MAX = 1 << 20,
	CONFIG_SECTIONS_MAX = 4096, /* in one file */
};

struct config_value {
	const struct config_key *key;
	int line;
	bool list;  /* given as {...}: each text is one element */
	bool wrong; /* given, and what is wrong with it was said: not to be used */
	size_t n;
	char **texts;
};

struct config_section {
	enum config_place place;
	char title[128];
	int line;
	size_t n;
	struct config_value *values;
};

struct config_include {
	char *pattern;
	int line;
};

struct config_text {
	const char *file; /* borrowed, for messages */
	size_t n_sections, n_includes;
	struct config_section *sections; /* the first is PLACE_TOP */
	struct config_include *includes;
};

/*
 * Reads a text of len bytes, which is changed.  Everything that is wrong goes to the errors
 * of c; what is right is in `out` all the same (initialised here, release it).
 */
void config_text_read(struct config_text *out, const char *file, char *text, size_t len, struct config *c);
void config_text_release(struct config_text *t);

/* The value of a key in a section, NULL if it is not given. */
const struct config_value *config_value_get(const struct config_section *s, const char *key);

/* The two steps. scan: -1 if what is left must not go to the parser. */
int config_scan(struct config_text *out, char *text, size_t len, struct config *c);
int config_parse(struct config_text *out, const char *text, struct config *c);

/* Adds an error; file "" and line 0 for the command line. Returns -1. */
int config_error_add(struct config *c, const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
