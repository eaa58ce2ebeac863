/* SPDX-License-Identifier: MIT */
/*
 * $top, $skip, $expand.
 */
#include "tests/simbmc/query.h"

#include "base/str.h"
#include "tests/simbmc/util.h"

#include <stdlib.h>
#include <string.h>

/* Deeper than any Redfish document; bounds the recursion of the walk. */
#define DEPTH_MAX 24

static int read_count(const char *name, const char *value, unsigned *out, struct err *e)
{
	int64_t v;

	if (!str_to_int(value, 0, 1000000, &v))
		return err_set(e, "The value %s of %s is out of range.", value, name);
	*out = (unsigned)v;
	return 0;
}

/* "*($levels=1)", ".", "~" and the like. */
static int read_expand(const char *value, struct query *q, struct err *e)
{
	const char *levels = strstr(value, "$levels=");
	int64_t v;
	char digits[8];

	switch (*value) {
	case '*':
		q->expand = EXPAND_ALL;
		break;
	case '.':
		q->expand = EXPAND_NO_LINKS;
		break;
	case '~':
		q->expand = EXPAND_LINKS;
		break;
	default:
		return err_set(e, "The value %s of $expand is not known.", value);
	}
	q->levels = 1;
	if (!levels)
		return 0;
	levels += strlen("$levels=");
	str_copy(digits, sizeof digits, levels);
	digits[strspn(digits, "0123456789")] = '\0';
	if (!str_to_int(digits, 1, 100, &v))
		return err_set(e, "The value %s of $levels is out of range.", value);
	q->levels = (unsigned)v;
	return 0;
}

static int read_option(char *pair, struct query *q, struct err *e)
{
	char *value = strchr(pair, '=');

	if (!value)
		return 0;
	*value++ = '\0';
	percent_decode(pair);
	percent_decode(value);
	if (!strcmp(pair, "$expand"))
		return read_expand(value, q, e);
	if (!strcmp(pair, "$top")) {
		q->has_top = true;
		return read_count(pair, value, &q->top, e);
	}
	if (!strcmp(pair, "$skip")) {
		q->has_skip = true;
		return read_count(pair, value, &q->skip, e);
	}
	return 0;
}

int query_parse(const char *text, struct query *q, struct err *e)
{
	char *copy = format("%s", text);
	char *at = copy;
	int rc = 0;

	*q = (struct query){0};
	while (*at && rc == 0) {
		size_t n = strcspn(at, "&");
		bool last = at[n] == '\0';

		at[n] = '\0';
		rc = read_option(at, q, e);
		at += last ? n : n + 1;
	}
	free(copy);
	return rc;
}

void expand_offer_read(const json_t *root, struct expand_offer *offer)
{
	const json_t *features = json_object_get(root, "ProtocolFeaturesSupported");
	const json_t *query = json_object_get(features, "ExpandQuery");
	const char *vendor = json_string_value(json_object_get(root, "Vendor"));
	json_int_t levels = json_integer_value(json_object_get(query, "MaxLevels"));

	*offer = (struct expand_offer){
		.all = json_is_true(json_object_get(query, "ExpandAll")),
		.no_links = json_is_true(json_object_get(query, "NoLinks")),
		.links = json_is_true(json_object_get(query, "Links")),
		.members_only = vendor && !strcmp(vendor, "HPE"),
	};
	if (!offer->all && !offer->no_links && !offer->links)
		return;
	offer->max_levels = 1;
	if (levels > 1 && levels <= 6)
		offer->max_levels = (unsigned)levels;
}

static void set_next_link(json_t *doc, const char *path, const struct query *q, unsigned skip)
{
	char *next = q->has_top ? format("%s?$skip=%u&$top=%u", path, skip, q->top) :
				  format("%s?$skip=%u", path, skip);

	json_object_set_new(doc, "Members@odata.nextLink", json_string(next));
	free(next);
}

bool query_page(json_t *doc, const char *path, const struct query *q, unsigned page_size)
{
	json_t *members = json_object_get(doc, "Members");
	size_t count = json_array_size(members);
	size_t from = q->has_skip ? q->skip : 0;
	size_t n = page_size ? page_size : count;
	json_t *cut;

	if (!json_is_array(members))
		return true;
	if (q->has_top && q->top < n)
		n = q->top;
	if (from >= count && from > 0)
		return false;
	if (n > count - from)
		n = count - from;
	if (n == count)
		return true;
	cut = json_array();
	for (size_t i = from; i < from + n; i++)
		json_array_append(cut, json_array_get(members, i));
	json_object_set_new(doc, "Members", cut);
	if (n > 0 && from + n < count)
		set_next_link(doc, path, q, (unsigned)(from + n));
	return true;
}

/* What one walk over a document carries along. */
struct walk {
	enum expand_scope scope;
	unsigned levels;
	const struct expand_manner *manner;
	const struct expander *by;
	const char *self;
};

static void walk_value(const struct walk *w, json_t *value, bool in_links, unsigned depth);

static const char *reference_of(const json_t *value)
{
	const char *id = json_string_value(json_object_get(value, "@odata.id"));

	if (!id || json_object_size(value) != 1 || strchr(id, '#'))
		return NULL;
	return id;
}

static bool in_scope(const struct walk *w, bool in_links)
{
	switch (w->scope) {
	case EXPAND_NOTHING:
		return false;
	case EXPAND_MEMBERS:
	case EXPAND_NO_LINKS:
		return !in_links;
	case EXPAND_LINKS:
		return in_links;
	case EXPAND_ALL:
		return true;
	}
	return false;
}

/* The document behind a reference, itself expanded where levels are left; NULL to leave it. */
static json_t *fetch(const struct walk *w, const json_t *value, bool in_links)
{
	const char *id = reference_of(value);
	struct walk deeper = *w;
	json_t *doc;

	if (!id || !in_scope(w, in_links) || !strcmp(id, w->self))
		return NULL;
	doc = w->by->get(w->by->arg, id);
	if (doc && w->levels > 1) {
		deeper.levels--;
		deeper.self = id;
		walk_value(&deeper, doc, false, 0);
	}
	return doc;
}

static void walk_array(const struct walk *w, json_t *list, bool in_links, unsigned depth)
{
	size_t n = json_array_size(list);
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		json_t *item = json_array_get(list, i);
		json_t *doc = fetch(w, item, in_links);

		if (doc) {
			json_array_set_new(list, i, doc);
			any = true;
		} else if (!reference_of(item)) {
			walk_value(w, item, in_links, depth + 1);
		}
	}
	if (any && w->manner->drop_last)
		json_array_remove(list, n - 1);
}

static void walk_member(const struct walk *w, json_t *object, const char *key, json_t *value,
	bool in_links, unsigned depth)
{
	json_t *doc;

	if (json_is_array(value)) {
		walk_array(w, value, in_links, depth);
		return;
	}
	doc = fetch(w, value, in_links);
	if (doc)
		json_object_set_new(object, key, doc);
	else if (json_is_object(value) && !reference_of(value))
		walk_value(w, value, in_links, depth + 1);
}

static void walk_value(const struct walk *w, json_t *value, bool in_links, unsigned depth)
{
	const char *key;
	json_t *child;

	if (depth > DEPTH_MAX || !json_is_object(value))
		return;
	if (w->scope == EXPAND_MEMBERS) {
		walk_array(w, json_object_get(value, "Members"), false, depth);
		return;
	}
	json_object_foreach(value, key, child) {
		walk_member(w, value, key, child, in_links || !strcmp(key, "Links"), depth);
	}
}

static enum expand_scope offered_scope(const struct query *q, const struct expand_offer *o)
{
	if (o->members_only)
		return EXPAND_MEMBERS;
	if (q->expand == EXPAND_ALL && !o->all)
		return o->no_links ? EXPAND_NO_LINKS : EXPAND_NOTHING;
	if (q->expand == EXPAND_NO_LINKS && !o->no_links)
		return EXPAND_NOTHING;
	if (q->expand == EXPAND_LINKS && !o->links)
		return EXPAND_NOTHING;
	return q->expand;
}

void query_expand(json_t *doc, const struct query *q, const struct expand_offer *offer,
	const struct expand_manner *manner, const struct expander *by)
{
	const char *self = json_string_value(json_object_get(doc, "@odata.id"));
	struct walk w = {
		.levels = q->levels,
		.manner = manner,
		.by = by,
		.self = self ? self : "",
	};

	if (q->expand == EXPAND_NOTHING || !offer->max_levels || manner->ignore)
		return;
	w.scope = offered_scope(q, offer);
	walk_value(&w, doc, false, 0);
}
