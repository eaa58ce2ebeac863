/* SPDX-License-Identifier: MIT */
/* field: values of the model as values of a JSON object; what is not known is null. */
#ifndef DOCUMENT_FIELD_H
#define DOCUMENT_FIELD_H

#include <jansson.h>
#include <stdint.h>

/* Sets a key of o to a value, which is handed over; a key is always there: NULL is null. */
void field_put(json_t *o, const char *key, json_t *value);

/* "" and NULL are null. A text that was cut inside a character is cleaned once more. */
json_t *field_text(const char *s);

json_t *field_time(int64_t wall_ms); /* RFC 3339; CLOCK_NEVER is null */
json_t *field_number(double v);	     /* an integer where it is one; NAN is null */
json_t *field_whole(double v);	     /* rounded down: a ceiling is not exceeded by rounding */

#endif
