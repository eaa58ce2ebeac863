/* SPDX-License-Identifier: MIT */
/* schema: see schema.h.  Depth is bounded: the documents are ours, their nesting is known. */
#include "tests/unit/schema.h"

#include "base/str.h"

#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, PLACE_MAX = 256 };

struct checker {
	const json_t *root;
	char *why;
	size_t size;
	int depth;
};

static int check(struct checker *c, const json_t *schema, const json_t *v, const char *place);

static int __attribute__((format(printf, 3, 4))) wrong(const struct checker *c, const char *place, const char *fmt, ...)
{
	int n = snprintf(c->why, c->size, "%s: ", *place ? place : "(root)");
	va_list ap;

	va_start(ap, fmt);
	if (n >= 0 && (size_t)n < c->size)
		vsnprintf(c->why + n, c->size - (size_t)n, fmt, ap);
	va_end(ap);
	return -1;
}

static bool is_type(const char *type, const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return str_same(type, "object");
	case JSON_ARRAY:
		return str_same(type, "array");
	case JSON_STRING:
		return str_same(type, "string");
	case JSON_INTEGER:
		return str_same(type, "integer") || str_same(type, "number");
	case JSON_REAL:
		return str_same(type, "number");
	case JSON_TRUE:
	case JSON_FALSE:
		return str_same(type, "boolean");
	case JSON_NULL:
		return str_same(type, "null");
	}
	return false;
}

static int check_type(struct checker *c, const json_t *type, const json_t *v, const char *place)
{
	json_t *one;
	size_t i;

	if (json_is_string(type) && is_type(json_string_value(type), v))
		return 0;
	json_array_foreach(type, i, one)
		if (is_type(json_string_value(one), v))
			return 0;
	return wrong(c, place, "wrong type");
}

static bool equal(const json_t *a, const json_t *b)
{
	if (json_is_number(a) && json_is_number(b))
		return json_number_value(a) == json_number_value(b);
	return json_equal(a, b);
}

static int check_enum(struct checker *c, const json_t *values, const json_t *v, const char *place)
{
	json_t *one;
	size_t i;

	json_array_foreach(values, i, one)
		if (equal(one, v))
			return 0;
	return wrong(c, place, "none of the words: %s", json_is_string(v) ? json_string_value(v) : "(no text)");
}

static int check_pattern(struct checker *c, const json_t *pattern, const json_t *v, const char *place)
{
	regex_t re;
	int hit;

	if (!json_is_string(v))
		return 0;
	if (regcomp(&re, json_string_value(pattern), REG_EXTENDED | REG_NOSUB))
		return wrong(c, place, "a pattern that is none");
	hit = regexec(&re, json_string_value(v), 0, NULL, 0);
	regfree(&re);
	return hit == 0 ? 0 : wrong(c, place, "does not fit the pattern: %s", json_string_value(v));
}

static int check_any(struct checker *c, const json_t *list, const json_t *v, const char *place)
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (check(c, one, v, place) == 0)
			return 0;
	return -1;
}

static int check_items(struct checker *c, const json_t *items, const json_t *v, const char *place)
{
	char below[PLACE_MAX];
	json_t *one;
	size_t i;

	json_array_foreach(v, i, one) {
		snprintf(below, sizeof below, "%.200s[%zu]", place, i);
		if (check(c, items, one, below))
			return -1;
	}
	return 0;
}

static int check_object(struct checker *c, const json_t *schema, const json_t *v, const char *place)
{
	const json_t *required = json_object_get(schema, "required"), *names = json_object_get(schema, "propertyNames");
	const json_t *properties = json_object_get(schema, "properties"), *rest = json_object_get(schema, "additionalProperties");
	char below[PLACE_MAX];
	const char *key;
	json_t *one;
	size_t i;

	if (!json_is_object(v))
		return 0;
	json_array_foreach(required, i, one)
		if (!json_object_get(v, json_string_value(one)))
			return wrong(c, place, "lacks %s", json_string_value(one));
	json_object_foreach((json_t *)v, key, one) {
		const json_t *of = json_object_get(properties, key);
		json_t *name;
		int bad;

		snprintf(below, sizeof below, "%.200s.%s", place, key);
		if (!of)
			of = rest;
		if (!of && properties)
			return wrong(c, below, "is not in the schema");
		if (of && check(c, of, one, below))
			return -1;
		name = names ? json_string(key) : NULL;
		bad = name ? check(c, names, name, below) : 0;
		json_decref(name);
		if (bad)
			return -1;
	}
	return 0;
}

static int check_word(struct checker *c, const char *word, const json_t *schema, const json_t *v, const char *place)
{
	static const char *const telling[] = {"$schema", "$id", "title", "description", "$defs", "required",
		"properties", "additionalProperties", "propertyNames", NULL};
	const json_t *is = json_object_get(schema, word);

	if (str_same(word, "$ref")) {
		const char *name = json_string_value(is);

		if (!name || !str_starts(name, "#/$defs/"))
			return wrong(c, place, "a reference that is none");
		is = json_object_get(json_object_get(c->root, "$defs"), name + strlen("#/$defs/"));
		return is ? check(c, is, v, place) : wrong(c, place, "no definition %s", name);
	}
	if (str_same(word, "type"))
		return check_type(c, is, v, place);
	if (str_same(word, "enum"))
		return check_enum(c, is, v, place);
	if (str_same(word, "const"))
		return equal(is, v) ? 0 : wrong(c, place, "another constant");
	if (str_same(word, "anyOf"))
		return check_any(c, is, v, place);
	if (str_same(word, "items"))
		return check_items(c, is, v, place);
	if (str_same(word, "pattern"))
		return check_pattern(c, is, v, place);
	if (str_same(word, "minimum"))
		return !json_is_number(v) || json_number_value(v) >= json_number_value(is) ? 0 : wrong(c, place, "too small");
	if (str_same(word, "maximum"))
		return !json_is_number(v) || json_number_value(v) <= json_number_value(is) ? 0 : wrong(c, place, "too large");
	for (size_t i = 0; telling[i]; i++)
		if (str_same(word, telling[i]))
			return 0;
	return wrong(c, place, "a keyword that is not known here: %s", word);
}

static int check(struct checker *c, const json_t *schema, const json_t *v, const char *place)
{
	const char *word;
	json_t *is;
	int rc = 0;

	if (!json_is_object(schema) || ++c->depth > DEPTH_MAX)
		return wrong(c, place, "no schema, or one that never ends");
	json_object_foreach((json_t *)schema, word, is)
		if (rc == 0)
			rc = check_word(c, word, schema, v, place);
	if (rc == 0)
		rc = check_object(c, schema, v, place);
	c->depth--;
	return rc;
}

int schema_check(const json_t *schema, const json_t *value, char *why, size_t size)
{
	struct checker c = {schema, why, size, 0};

	*why = '\0';
	return check(&c, schema, value, "");
}

json_t *schema_read(const char *path)
{
	const char *srcdir = getenv("srcdir");
	char whole[1024];

	snprintf(whole, sizeof whole, "%s/%s", srcdir ? srcdir : ".", path);
	return json_load_file(whole, JSON_REJECT_DUPLICATES, NULL);
}
