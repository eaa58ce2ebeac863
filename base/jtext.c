/* SPDX-License-Identifier: MIT */
/* jtext: see jtext.h. */
#include "base/jtext.h"
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
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

/* True if the text of a number, which ends before `end`, does not fit: jansson refuses all then. */
static bool is_beyond(char *text, char *end)
{
	char kept = *end;
	bool beyond;

	*end = '\0';
	errno = 0;
	if (strpbrk(text, ".eE"))
		beyond = fabs(strtod(text, NULL)) == HUGE_VAL;
	else
		beyond = strtoll(text, NULL, 10) != 0 && errno == ERANGE;
	*end = kept;
	return beyond;
}

/*
 * Makes null of numbers that do not fit.  (jansson could read integers as reals instead, but
 * then every integer of the document loses digits, and 1e999 still hides its neighbours.)
 */
static void blank_numbers(char *text, size_t len)
{
	static const char of_numbers[] = "0123456789+-.eE";

	for (size_t i = 0; i < len; i++) {
		size_t n;

		if (text[i] == '"') {
			for (i++; i < len && text[i] != '"'; i++)
				i += text[i] == '\\';
			continue;
		}
		n = strspn(text + i, of_numbers);
		if (n > 4 && (text[i] == '-' || isdigit((unsigned char)text[i])) && is_beyond(text + i, text + i + n)) {
			memset(text + i, ' ', n);
			memcpy(text + i, "null", 4);
		}
		i += n ? n - 1 : 0;
	}
}

static json_t *load_without_huge_numbers(const char *text, size_t len, size_t flags, json_error_t *why)
{
	char *copy = malloc(len + 1);
	json_t *j;

	if (!copy)
		return NULL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	blank_numbers(copy, len);
	j = json_loadb(copy, len, flags, why);
	free(copy);
	return j;
}

json_t *jtext_parse(const char *text, size_t len, size_t *elements, struct err *e)
{
	const size_t flags = JSON_REJECT_DUPLICATES;
	char reason[128];
	json_error_t why;
	size_t n = 0;
	json_t *j;

	if (measure(text, len, &n, e))
		return NULL;
	if (elements)
		*elements = n;
	j = json_loadb(text, len, flags, &why);
	if (!j && json_error_code(&why) == json_error_numeric_overflow)
		j = load_without_huge_numbers(text, len, flags, &why);
	if (!j) {
		str_clean(reason, sizeof reason, why.text); /* it quotes the document */
		err_set(e, "not JSON: %s (line %d)", reason, why.line);
	}
	return j;
}

static int to_buf(const char *text, size_t len, void *out)
{
	return buf_add(out, text, len);
}

int jtext_add(struct buf *out, const json_t *j, size_t flags)
{
	return json_dump_callback(j, to_buf, out, flags);
}

char *jtext_print(const json_t *j, size_t flags)
{
	struct buf text;
	char *exact;

	buf_init(&text, PTRDIFF_MAX);
	if (jtext_add(&text, j, flags)) {
		buf_release(&text);
		return NULL;
	}
	exact = realloc(text.data, text.len + 1); /* some of them are kept for long */
	return exact ? exact : text.data;
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
