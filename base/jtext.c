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

/* ---- compact text, as jansson writes it: its own writer makes a hash table a call and looks each container up in it ---- */

static int add_escape(struct buf *out, unsigned char c)
{
	static const char *const known[] = {['"'] = "\\\"", ['\\'] = "\\\\", ['\b'] = "\\b", ['\f'] = "\\f",
		['\n'] = "\\n", ['\r'] = "\\r", ['\t'] = "\\t"};

	return known[c] ? buf_add_text(out, known[c]) : buf_printf(out, "\\u%04X", c);
}

static int add_string(struct buf *out, const char *s, size_t len)
{
	int rc = buf_add(out, "\"", 1);

	while (len && rc == 0) {
		size_t n = 0;

		while (n < len && (unsigned char)s[n] >= ' ' && s[n] != '"' && s[n] != '\\')
			n++;
		rc = buf_add(out, s, n);
		if (rc == 0 && n < len)
			rc = add_escape(out, (unsigned char)s[n++]);
		s += n;
		len -= n;
	}
	return rc ? rc : buf_add(out, "\"", 1);
}

static int add_integer(struct buf *out, json_int_t v)
{
	unsigned long long rest = v < 0 ? 0ULL - (unsigned long long)v : (unsigned long long)v;
	char digits[24], *p = digits + sizeof digits;

	do
		*--p = (char)('0' + rest % 10);
	while (rest /= 10);
	if (v < 0)
		*--p = '-';
	return buf_add(out, p, (size_t)(digits + sizeof digits - p));
}

static int add_compact(struct buf *out, const json_t *j, size_t flags);

static int add_object(struct buf *out, const json_t *j, size_t flags)
{
	const char *key, *before = "{";
	int rc = 0;
	json_t *v;

	json_object_foreach((json_t *)j, key, v)
	{
		rc = rc ? rc : buf_add(out, before, 1);
		rc = rc ? rc : add_string(out, key, strlen(key));
		rc = rc ? rc : buf_add(out, ":", 1);
		rc = rc ? rc : add_compact(out, v, flags);
		before = ",";
	}
	return rc ? rc : buf_add_text(out, *before == '{' ? "{}" : "}");
}

static int add_array(struct buf *out, const json_t *j, size_t flags)
{
	int rc = buf_add(out, "[", 1);
	json_t *v;
	size_t i;

	json_array_foreach((json_t *)j, i, v)
	{
		if (rc == 0 && i)
			rc = buf_add(out, ",", 1);
		rc = rc ? rc : add_compact(out, v, flags);
	}
	return rc ? rc : buf_add(out, "]", 1);
}

static int add_compact(struct buf *out, const json_t *j, size_t flags)
{
	switch (json_typeof(j)) {
	case JSON_OBJECT:
		return add_object(out, j, flags);
	case JSON_ARRAY:
		return add_array(out, j, flags);
	case JSON_STRING:
		return add_string(out, json_string_value(j), json_string_length(j));
	case JSON_INTEGER:
		return add_integer(out, json_integer_value(j));
	case JSON_REAL:
		return json_dump_callback(j, to_buf, out, flags | JSON_ENCODE_ANY);
	case JSON_TRUE:
		return buf_add_text(out, "true");
	case JSON_FALSE:
		return buf_add_text(out, "false");
	case JSON_NULL:
		break;
	}
	return buf_add_text(out, "null");
}

int jtext_add(struct buf *out, const json_t *j, size_t flags)
{
	const size_t digits = JSON_REAL_PRECISION(31), any = JSON_ENCODE_ANY;

	if ((flags & ~(digits | any)) == JSON_COMPACT && (json_is_object(j) || json_is_array(j) || (j && flags & any)))
		return add_compact(out, j, flags);
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
