/* SPDX-License-Identifier: MIT */
/* config_text: see config_text.h. */
#include "agent/config_text.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ERRORS_MAX = 100 }; /* past that many, a person starts with the first */

int config_error_add(struct config *c, const char *file, int line, const char *fmt, ...)
{
	struct config_error *e;
	char text[512];
	va_list ap;

	if (c->n_errors >= ERRORS_MAX)
		return -1;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	c->errors = mem_grow(c->errors, c->n_errors, sizeof *c->errors);
	e = &c->errors[c->n_errors++];
	*e = (struct config_error){.line = line};
	str_clean(e->file, sizeof e->file, file);
	str_clean(e->message, sizeof e->message, text);
	return -1;
}

static void release_section(struct config_section *s)
{
	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = 0; k < s->values[i].n; k++)
			free(s->values[i].texts[k]);
		free(s->values[i].texts);
	}
	free(s->values);
}

static void release_sections(struct config_text *t)
{
	for (size_t i = 0; i < t->n_sections; i++)
		release_section(&t->sections[i]);
	free(t->sections);
	t->sections = NULL;
	t->n_sections = 0;
}

void config_text_read(struct config_text *out, const char *file, char *text, size_t len,
	struct config *c)
{
	*out = (struct config_text){.file = file};
	/* without values there is nothing to check; what is included can be, all the same */
	if (config_scan(out, text, len, c) || config_parse(out, text, c))
		release_sections(out);
}

void config_text_release(struct config_text *t)
{
	release_sections(t);
	for (size_t i = 0; i < t->n_includes; i++)
		free(t->includes[i].pattern);
	free(t->includes);
	*t = (struct config_text){.file = t->file};
}

const struct config_value *config_value_get(
	const struct config_section *s, const char *key)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->values[i].key->name, key) == 0)
			return &s->values[i];
	return NULL;
}
