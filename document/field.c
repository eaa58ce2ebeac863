/* SPDX-License-Identifier: MIT */
/* field: see field.h. */
#include "document/field.h"

#include "base/clock.h"
#include "base/str.h"

#include <math.h>

#define EXACT_MAX 9007199254740992.0 /* 2^53: beyond it readers lose digits */

void field_put(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value ? value : json_null());
}

json_t *field_text(const char *s)
{
	char clean[512];
	json_t *j;

	if (!s || !*s)
		return json_null();
	j = json_string(s);
	if (j)
		return j;
	str_clean(clean, sizeof clean, s);
	return json_string(clean);
}

json_t *field_time(int64_t wall_ms)
{
	char out[CLOCK_TEXT_MAX];

	return field_text(clock_text(wall_ms, out));
}

json_t *field_number(double v)
{
	if (!isfinite(v))
		return json_null();
	if (v == trunc(v) && fabs(v) <= EXACT_MAX)
		return json_integer((json_int_t)v);
	return json_real(v);
}

json_t *field_whole(double v)
{
	return isfinite(v) && fabs(v) <= EXACT_MAX ? json_integer((json_int_t)floor(v)) : json_null();
}
