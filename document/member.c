/* SPDX-License-Identifier: MIT */
/* member: see member.h. */
#include "document/member.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8 }; /* no document is as deep; a name may be */

struct wanted {
	struct wanted *next, *below; /* in the order of their names */
	const struct member *member; /* of the table; NULL: it has none of that name */
	bool whole;		     /* not only what is below */
	char key[64];
};

static const struct member *find(const struct member *table, const char *key)
{
	for (; table && table->key; table++)
		if (strcmp(table->key, key) == 0)
			return table;
	return NULL;
}

/* The one below of that name, made where it is not there yet; NULL for one that nothing has. */
static struct wanted *below(struct wanted *w, const char *name, size_t n, const struct member *table)
{
	struct wanted **at = &w->below;

	if (n >= sizeof w->key)
		return NULL;
	while (*at && (strncmp((*at)->key, name, n) != 0 || (*at)->key[n]))
		at = &(*at)->next;
	if (!*at) {
		*at = mem_new(1, sizeof **at);
		memcpy((*at)->key, name, n);
		(*at)->member = find(table, (*at)->key);
	}
	return *at;
}

static void add(struct wanted *w, const char *name, size_t n, const struct member *table)
{
	for (int depth = 0; w && depth < DEPTH_MAX; depth++) {
		const char *dot = memchr(name, '.', n);
		size_t len = dot ? (size_t)(dot - name) : n;

		w = below(w, name, len, table);
		if (!w)
			return;
		if (!dot) {
			w->whole = true;
			return;
		}
		table = w->member ? w->member->below : NULL;
		name += len + 1;
		n -= len + 1;
	}
}

struct wanted *wanted_read(const char *names, const struct member *table)
{
	struct wanted *w = mem_new(1, sizeof *w);

	while (*names) {
		size_t n = strcspn(names, ",");

		add(w, names, n, table);
		names += n + (names[n] == ',');
	}
	return w;
}

void wanted_free(struct wanted *w)
{
	while (w) {
		struct wanted *next = w->next;

		wanted_free(w->below);
		free(w);
		w = next;
	}
}

/* What is wanted of a value, a reference to which is handed over; NULL if that is nothing. */
static json_t *part(const struct wanted *w, json_t *value)
{
	json_t *some = NULL;

	if (w->whole || json_is_null(value))
		return value;
	if (json_is_object(value))
		some = wanted_of(w, value);
	json_decref(value);
	return some;
}

static void put(json_t *o, const char *key, json_t *value)
{
	if (value)
		json_object_set_new(o, key, value);
}

json_t *wanted_of(const struct wanted *w, const json_t *object)
{
	json_t *o = json_object();

	for (w = w->below; w; w = w->next) {
		json_t *value = json_object_get(object, w->key);

		if (value)
			put(o, w->key, part(w, json_incref(value)));
	}
	return o;
}

static json_t *value_of(const struct member *m, const void *of, const struct wanted *w)
{
	const void *at = (const char *)of + m->at;
	json_t *value;

	if (m->below && (!m->known || m->known(of)))
		return member_object(m->below, at, w && !w->whole ? w : NULL);
	value = m->below ? json_null() : m->value(at);
	if (!value)
		value = json_null();
	return w ? part(w, value) : value;
}

json_t *member_object(const struct member *table, const void *of, const struct wanted *w)
{
	json_t *o = json_object();

	if (!w) {
		for (const struct member *m = table; m->key; m++)
			put(o, m->key, value_of(m, of, NULL));
		return o;
	}
	for (w = w->below; w; w = w->next)
		if (w->member)
			put(o, w->key, value_of(w->member, of, w));
	return o;
}
