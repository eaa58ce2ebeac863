/* SPDX-License-Identifier: MIT */
/*
 * config_section: one section of a file on its way into the configuration, and the ways to take
 * checked values out of it.  For config_build.c, which calls the builders of sections, and them.
 */
#ifndef AGENT_CONFIG_SECTION_H
#define AGENT_CONFIG_SECTION_H

#include "agent/config_text.h"
#include "model/policy.h"

struct build {
	struct config *c;
	const struct config_text *text;
	const struct config_section *s;
};

/* Says an error about a key, or about the section where key is NULL. */
void section_complain(const struct build *b, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* NULL where not given, or wrong (which was said). take: the caller's to free(). */
const char *section_text(const struct build *b, const char *key);
char *section_take_text(const struct build *b, const char *key);
char *section_take_path(const struct build *b, const char *key); /* from the folder of the file */
char **section_take_list(const struct build *b, const char *key); /* elements as they are, NULL at the end */
bool section_bool(const struct build *b, const char *key, bool standard);
double section_number(const struct build *b, const char *key, double standard);
int64_t section_duration_ms(const struct build *b, const char *key, int64_t standard);
void section_patterns(const struct build *b, const char *key, struct patterns *out);
bool section_has(const struct build *b, const char *key);

/* ---- of config_store.c ---- */

void config_build_store(const struct build *b);

/* ---- the builders of config_alert.c ---- */

void config_build_notify(const struct build *b);
void config_build_alert(const struct build *b);
void config_build_maintenance(const struct build *b);

#endif
