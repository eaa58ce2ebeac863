/* SPDX-License-Identifier: MIT */
/* notify_template: see notify_template.h.  Our operator wrote the template, not a stranger. */
#include "agent/notify_template.h"

#include "base/buf.h"
#include "base/jtext.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 64 * 1024, NAME_MAX_LEN = 32, DEPTH_MAX = 16 };

static const char *const names[] = {"id", "channel", "at", "kind", "severity", "state", "target", "host", "bay", "serial",
	"since", "message", "members", NULL};

/* The name between braces that begin at s; where it ends in *end. False if it is none. */
static bool name_at(const char *s, char name[NAME_MAX_LEN], const char **end)
{
	const char *close = strstr(s, "}}");
	size_t len = close ? (size_t)(close - s) - 2 : 0;

	if (!close || len == 0 || len >= NAME_MAX_LEN)
		return false;
	memcpy(name, s + 2, len);
	name[len] = '\0';
	*end = close + 2;
	return true;
}

static bool known(const char *name)
{
	for (size_t i = 0; names[i]; i++)
		if (str_same(names[i], name))
			return true;
	return false;
}

/* The first place that is wrong, NULL if none is; said in e. */
static const char *find_wrong(const char *text, struct err *e)
{
	char name[NAME_MAX_LEN];

	for (const char *at = strstr(text, "{{"), *end; at; at = strstr(end, "{{")) {
		if (!name_at(at, name, &end)) {
			err_set(e, "a name is written {{message}}; this one has no end, or is none");
			return at;
		}
		if (!known(name)) {
			const char *near = str_nearest(name, names);

			err_set(e, "there is no {{%s}} in a notification%s%s%s", name, near ? "; did you mean {{" : "",
				near ? near : "", near ? "}}?" : "");
			return at;
		}
	}
	return NULL;
}

int template_check_text(const char *text, struct err *e)
{
	return find_wrong(text, e) ? -1 : 0;
}

static int line_at(const char *text, const char *at)
{
	int line = 1;

	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

int template_check_json(const char *text, int *line, struct err *e)
{
	const char *wrong = find_wrong(text, e);
	json_error_t why;
	json_t *j;

	if (wrong) {
		*line = line_at(text, wrong);
		return -1;
	}
	j = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	*line = why.line;
	if (!j)
		return err_set(e, "no JSON: %s", why.text);
	json_decref(j);
	return 0;
}

/* ---- filling in ---- */

static int add_value(struct buf *out, const json_t *v)
{
	char *text;
	int rc;

	if (!v || json_is_null(v))
		return 0;
	if (json_is_string(v))
		return buf_add_text(out, json_string_value(v));
	text = jtext_print(v, JSON_COMPACT | JSON_ENCODE_ANY);
	rc = text ? buf_add_text(out, text) : -1;
	free(text);
	return rc;
}

char *template_fill_text(const char *text, const json_t *notice)
{
	char name[NAME_MAX_LEN];
	const char *at, *end;
	struct buf out;
	int rc = 0;

	buf_init(&out, TEXT_MAX);
	while (!rc && (at = strstr(text, "{{")) && name_at(at, name, &end)) {
		rc = buf_add(&out, text, (size_t)(at - text)) || add_value(&out, json_object_get(notice, name));
		text = end;
	}
	if (rc || buf_add_text(&out, text)) {
		buf_release(&out);
		return NULL;
	}
	return buf_take(&out);
}

/* The value itself where the string is nothing but a name. */
static json_t *fill_string(const char *text, const json_t *notice)
{
	char name[NAME_MAX_LEN], *filled;
	const char *end;
	json_t *j;

	if (str_starts(text, "{{") && name_at(text, name, &end) && !*end) {
		j = json_deep_copy(json_object_get(notice, name));
		return j ? j : json_null();
	}
	filled = template_fill_text(text, notice);
	j = filled ? json_string(filled) : NULL;
	free(filled);
	return j;
}

/* Our operator's file, bounded in depth all the same. */
static json_t *fill(const json_t *t, const json_t *notice, int depth)
{
	const char *key;
	json_t *out, *v;
	size_t i;

	if (depth > DEPTH_MAX)
		return NULL;
	if (json_is_string(t))
		return fill_string(json_string_value(t), notice);
	if (json_is_array(t)) {
		out = json_array();
		json_array_foreach (t, i, v)
			json_array_append_new(out, fill(v, notice, depth + 1));
		return out;
	}
	if (json_is_object(t)) {
		out = json_object();
		json_object_foreach ((json_t *)t, key, v)
			json_object_set_new(out, key, fill(v, notice, depth + 1));
		return out;
	}
	return json_copy((json_t *)t);
}

json_t *template_fill_json(const char *text, const json_t *notice)
{
	json_t *t = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *out = t ? fill(t, notice, 0) : NULL;

	json_decref(t);
	return out;
}
