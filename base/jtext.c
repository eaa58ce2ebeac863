/* SPDX-License-Identifier: MIT */
/* jtext: see jtext.h. */
#include "base/jtext.h"
#include "base/str.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Counts nesting and elements (commas and openers outside strings); 0 if within the limits. */
static int measure(const char *text, size_t len, size_t *elements, struct err *e)
{
	size_t depth = 0, n = 0;
	bool in_string = false;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (in_string) {
			if (c == '\\')
				i++;
			else if (c == '"')
				in_string = false;
			continue;
		}
		if (c == '"')
			in_string = true;
		else if (c == '{' || c == '[')
			depth++, n++;
		else if (c == '}' || c == ']')
			depth -= depth > 0;
		else if (c == ',')
			n++;
		if (depth > JTEXT_DEPTH_MAX)
			return err_set(e, "JSON nested deeper than %d", JTEXT_DEPTH_MAX);
		if (n > JTEXT_ELEMENTS_MAX)
			return err_set(e, "JSON with more than %d elements", JTEXT_ELEMENTS_MAX);
	}
	*elements = n;
	return 0;
}

json_t *jtext_parse(const char *text, size_t len, size_t *elements, struct err *e)
{
	const size_t flags = JSON_REJECT_DUPLICATES;
	json_error_t why;
	size_t n = 0;
	json_t *j;

	if (measure(text, len, &n, e))
		return NULL;
	if (elements)
		*elements = n;
	j = json_loadb(text, len, flags, &why);
	if (!j && json_error_code(&why) == json_error_numeric_overflow)
		j = json_loadb(text, len, flags | JSON_DECODE_INT_AS_REAL, &why);
	if (!j)
		err_set(e, "not JSON: %s (line %d)", why.text, why.line);
	return j;
}

json_t *jtext_at(const json_t *j, ...)
{
	const char *key;
	va_list ap;

	va_start(ap, j);
	while (j && (key = va_arg(ap, const char *)))
		j = json_object_get(j, key);
	va_end(ap);
	return (json_t *)j;
}

const char *jtext_string(const json_t *j)
{
	const char *s = json_string_value(j);

	return s && s[0] ? s : NULL;
}

bool jtext_copy(char *out, size_t size, const json_t *j)
{
	str_clean(out, size, json_string_value(j));
	return out[0] != '\0';
}

double jtext_number(const json_t *j)
{
	const char *s = json_string_value(j);
	double v;

	if (json_is_number(j))
		v = json_number_value(j);
	else if (!s || !str_to_double(s, &v))
		return NAN;
	return isfinite(v) ? v : NAN;
}

bool jtext_int(const json_t *j, int64_t min, int64_t max, int64_t *out)
{
	const char *s = json_string_value(j);
	int64_t v;

	if (s)
		return str_to_int(s, min, max, out);
	if (json_is_integer(j)) {
		v = json_integer_value(j);
	} else if (json_is_real(j)) {
		double d = json_real_value(j);

		if (d != floor(d) || d < -9007199254740992.0 || d > 9007199254740992.0)
			return false;
		v = (int64_t)d;
	} else {
		return false;
	}
	if (v < min || v > max)
		return false;
	*out = v;
	return true;
}

int jtext_bool(const json_t *j)
{
	return json_is_true(j) ? 1 : json_is_false(j) ? 0 : -1;
}
