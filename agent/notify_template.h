/* SPDX-License-Identifier: MIT */
/*
 * notify_template: texts with {{names}} of a notice in them: the JSON of a webhook that wants
 * another shape than ours, and the arguments of a command.
 *
 * "{{message}}" as a whole string becomes the value itself (a text, null, a list), within a
 * longer string its text.  Names are those of the notification (CONTRACTS, section 3).
 */
#ifndef AGENT_NOTIFY_TEMPLATE_H
#define AGENT_NOTIFY_TEMPLATE_H

#include "base/err.h"

#include <jansson.h>

/* 0, or -1 with what is wrong and in which line of the text (1 is the first). */
int template_check_json(const char *text, int *line, struct err *e);
int template_check_text(const char *text, struct err *e);

/* A new value; NULL without memory, or if the text is no template. */
json_t *template_fill_json(const char *text, const json_t *notice);
char *template_fill_text(const char *text, const json_t *notice); /* to free() */

#endif
