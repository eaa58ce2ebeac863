/* SPDX-License-Identifier: MIT */
/*
 * bays: writes lanewatch/bays/v1 from the model (see bays.h; a BAY by bay.c; read back by bays_read.c).
 *
 * Keys stand in the order of docs/API.md and are always there; what is not known is null.
 */
#include "document/bays.h"

#include "base/jtext.h"
#include "document/field.h"
#include "document/pools.h"

#include <string.h>

/* ---- targets and what stands beside the bays ---- */

static json_t *target_errors(const struct target *t)
{
	json_t *a = json_array();

	for (size_t i = 0; i < t->n_errors; i++) {
		json_t *o = json_object();

		field_put(o, "resource", field_text(t->errors[i].resource));
		field_put(o, "code", field_text(t->errors[i].code));
		field_put(o, "message", field_text(t->errors[i].message));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *of_target(const struct target *t)
{
	json_t *o = json_object();
	const char *power = t->power == TRI_YES ? "on" : t->power == TRI_NO ? "off" : NULL;

	field_put(o, "name", field_text(t->name));
	field_put(o, "kind", field_text(target_kind_word(t->kind)));
	field_put(o, "host", field_text(t->host));
	field_put(o, "url", field_text(t->url));
	field_put(o, "vendor", field_text(t->vendor));
	field_put(o, "product", field_text(t->product));
	field_put(o, "firmware", field_text(t->firmware));
	field_put(o, "power", field_text(power));
	field_put(o, "tls", field_text(target_tls_word(t->tls)));
	field_put(o, "verdict", field_text(target_verdict_word(t->verdict)));
	field_put(o, "partial", json_boolean(t->partial));
	field_put(o, "reason", field_text(reason_word(t->reason)));
	field_put(o, "message", field_text(t->message));
	field_put(o, "errors", target_errors(t));
	field_put(o, "requests", json_integer(t->requests));
	field_put(o, "duration_ms", json_integer(t->duration_ms));
	field_put(o, "observed_at", field_time(t->observed_wall_ms));
	return o;
}

static json_t *names(char (*list)[64], size_t n)
{
	json_t *a = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(a, field_text(list[i]));
	return a;
}

static json_t *hop(const struct hop *h)
{
	json_t *o = json_object();

	field_put(o, "target", field_text(h->target));
	field_put(o, "host", field_text(h->host));
	field_put(o, "at", field_text(h->at));
	field_put(o, "link", document_of_link(&h->link));
	field_put(o, "verdict", field_text(verdict_word(h->verdict)));
	field_put(o, "message", field_text(h->message));
	field_put(o, "shared_by", names(h->shared_by, h->n_shared));
	return o;
}

static json_t *note(const struct remark *r)
{
	json_t *o = json_object();

	field_put(o, "code", field_text(r->code));
	field_put(o, "target", field_text(r->target));
	field_put(o, "bay", field_text(r->bay));
	field_put(o, "serial", field_text(r->serial));
	field_put(o, "message", field_text(r->message));
	return o;
}

static json_t *hint(const struct remark *r)
{
	json_t *o = json_object();

	field_put(o, "code", field_text(r->code));
	field_put(o, "target", field_text(r->target));
	field_put(o, "bays", names(r->bays, r->n_bays));
	field_put(o, "pool", field_text(r->pool));
	field_put(o, "message", field_text(r->message));
	return o;
}

static json_t *summary(const struct inventory *inv)
{
	json_t *o = json_object(), *verdicts = json_object();
	size_t present = 0;

	for (size_t i = 0; i < inv->n_bays; i++) {
		struct bay room;
		const struct bay *b = inventory_bay(inv, i, &room);
		const char *word = verdict_word(b->judged.verdict);

		present += b->present == TRI_YES;
		if (word)
			field_put(verdicts, word,
				json_integer(1 + json_integer_value(json_object_get(verdicts, word))));
	}
	field_put(o, "bays", json_integer((json_int_t)inv->n_bays));
	field_put(o, "present", json_integer((json_int_t)present));
	field_put(o, "verdicts", verdicts);
	return o;
}

/* ---- the whole ---- */

static json_t *target_at(const struct inventory *inv, size_t i)
{
	return of_target(&inv->targets[i]);
}

static json_t *bay_at(const struct inventory *inv, size_t i)
{
	struct bay room;

	return document_of_bay(inventory_bay(inv, i, &room));
}

static json_t *hop_at(const struct inventory *inv, size_t i)
{
	return hop(&inv->hops[i]);
}

static json_t *pool_at(const struct inventory *inv, size_t i)
{
	return document_of_pool(&inv->pools[i]);
}

static json_t *note_at(const struct inventory *inv, size_t i)
{
	return note(&inv->notes[i]);
}

static json_t *hint_at(const struct inventory *inv, size_t i)
{
	return hint(&inv->hints[i]);
}

/* The lists of a document in their order; one item at a time, so that a text needs no tree of all. */
struct list {
	const char *key;
	size_t n;
	json_t *(*at)(const struct inventory *inv, size_t i);
};

enum { LISTS = 6 };

static void lists_of(const struct inventory *inv, struct list out[LISTS])
{
	out[0] = (struct list){"targets", inv->n_targets, target_at};
	out[1] = (struct list){"bays", inv->n_bays, bay_at};
	out[2] = (struct list){"path", inv->n_hops, hop_at};
	out[3] = (struct list){"pools", inv->n_pools, pool_at};
	out[4] = (struct list){"notes", inv->n_notes, note_at};
	out[5] = (struct list){"hints", inv->n_hints, hint_at};
}

/* What stands before the lists. */
static json_t *head(const struct inventory *inv)
{
	json_t *o = json_object();

	field_put(o, "schema", json_string("lanewatch/bays/v1"));
	field_put(o, "collected_at", field_time(inv->collected_wall_ms));
	field_put(o, "summary", summary(inv));
	return o;
}

static json_t *list_of(const struct inventory *inv, const struct list *l)
{
	json_t *a = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(a, l->at(inv, i));
	return a;
}

json_t *document_of_inventory(const struct inventory *inv)
{
	struct list lists[LISTS];
	json_t *o = head(inv);

	lists_of(inv, lists);
	for (size_t k = 0; k < LISTS; k++)
		field_put(o, lists[k].key, list_of(inv, &lists[k]));
	field_put(o, "layouts", json_object());
	return o;
}

json_t *document_of_part(const struct inventory *inv, const char *schema, const char *key)
{
	struct list lists[LISTS];
	json_t *o = json_object();

	field_put(o, "schema", json_string(schema));
	field_put(o, "collected_at", field_time(inv->collected_wall_ms));
	lists_of(inv, lists);
	for (size_t k = 0; k < LISTS; k++)
		if (strcmp(lists[k].key, key) == 0)
			field_put(o, key, list_of(inv, &lists[k]));
	if (strcmp(key, "summary") == 0)
		field_put(o, key, summary(inv));
	return o;
}

static int add_json(struct buf *out, json_t *j)
{
	int rc = jtext_add(out, j, JSON_COMPACT | DOCUMENT_DUMP);

	json_decref(j);
	return rc;
}

static int add_items(struct buf *out, const struct inventory *inv, const struct list *l)
{
	int rc = 0;

	for (size_t i = 0; i < l->n && rc == 0; i++) {
		rc = i ? buf_add_text(out, ",") : 0;
		if (rc == 0)
			rc = add_json(out, l->at(inv, i));
	}
	return rc;
}

int document_add_inventory(struct buf *out, const struct inventory *inv, int (*add_bays)(struct buf *out, const void *arg), const void *arg)
{
	struct list lists[LISTS];
	int rc = add_json(out, head(inv));

	if (rc == 0)
		out->data[--out->len] = '\0'; /* the head's closing brace: the object goes on */
	lists_of(inv, lists);
	for (size_t k = 0; k < LISTS && rc == 0; k++) {
		rc = buf_printf(out, ",\"%s\":[", lists[k].key);
		if (rc == 0)
			rc = add_bays && lists[k].at == bay_at ? add_bays(out, arg) : add_items(out, inv, &lists[k]);
		if (rc == 0)
			rc = buf_add_text(out, "]");
	}
	return rc ? rc : buf_add_text(out, ",\"layouts\":{}}");
}
