/* SPDX-License-Identifier: MIT */
/* documents: see documents.h. */
#include "web/documents.h"
#include "base/str.h"
#include "document/bays.h"
#include "document/ceiling.h"
#include "document/field.h"

#include <math.h>

void documents_clear(struct documents *d)
{
	for (size_t i = 0; i < DOCUMENTS; i++)
		json_decref(d->given[i]);
	*d = (struct documents){0};
}

static json_t *empty(enum document_kind kind)
{
	switch (kind) {
	case DOCUMENT_EVENTS:
		return json_pack("{s:s, s:[]}", "schema", "lanewatch/events/v1", "events");
	case DOCUMENT_ALERTS:
		return json_pack("{s:s, s:[]}", "schema", "lanewatch/alerts/v1", "alerts");
	case DOCUMENT_STATUS:
		return json_pack("{s:s}", "schema", "lanewatch/status/v1");
	case DOCUMENT_BAYS:
	case DOCUMENT_TARGETS:
	case DOCUMENT_DRIVES:
	case DOCUMENT_SUMMARY:
	case DOCUMENT_POOLS:
	case DOCUMENT_CEILING:
	case DOCUMENTS:
		break;
	}
	return json_null();
}

void documents_set(struct documents *d, enum document_kind kind, const json_t *j)
{
	json_decref(d->given[kind]);
	d->given[kind] = j ? json_incref((json_t *)j) : empty(kind);
}

static json_t *row_of_bays(const void *of, size_t i, const struct wanted *w)
{
	struct bay room;

	return member_object(document_bay_members, inventory_bay(of, i, &room), w);
}

/* Each BAY that has a drive is that drive's whole story. */
static json_t *row_of_drives(const void *of, size_t i, const struct wanted *w)
{
	struct bay room;
	const struct bay *b = inventory_bay(of, i, &room);

	return b->has_drive ? member_object(document_bay_members, b, w) : NULL;
}

struct rows documents_rows(const struct documents *d, enum document_kind kind, const struct list *l, const json_t *document)
{
	if (kind != DOCUMENT_BAYS && kind != DOCUMENT_DRIVES)
		return list_rows(l, document);
	return (struct rows){.list = l, .n = d->inventory->n_bays, .each = kind == DOCUMENT_BAYS,
		.row = kind == DOCUMENT_BAYS ? row_of_bays : row_of_drives, .of = d->inventory, .members = document_bay_members};
}

static bool is_of_host(const void *host, const struct bay *b)
{
	return str_same_nocase(b->host, host);
}

static void keep_host(json_t *list, const char *host)
{
	for (size_t i = json_array_size(list); i-- > 0;)
		if (!str_same_nocase(json_string_value(json_object_get(json_array_get(list, i), "host")), host))
			json_array_remove(list, i);
}

json_t *documents_ceiling(const struct inventory *inv, const char *host, double claim_bps)
{
	struct machine m;
	json_t *j;

	machine_read(&m, inv, host ? is_of_host : NULL, host);
	j = document_of_ceiling(&m, inv);
	if (host)
		keep_host(json_object_get(j, "pools"), host);
	if (!isnan(claim_bps))
		document_put_judged(j, claim_bps, &m, inv);
	machine_release(&m);
	return j;
}

/* How the last polls of a target went, oldest first. */
static void add_polls(json_t *target, const struct tally_target *t)
{
	static const char *const words[] = {[TALLY_OK] = "ok", [TALLY_PARTIAL] = "partial", [TALLY_FAILED] = "failed"};
	size_t n = !t ? 0 : t->n_polls < TALLY_POLLS ? t->n_polls : TALLY_POLLS;
	json_t *list = json_array();

	for (size_t i = n; i-- > 0;)
		json_array_append_new(list, json_string(words[t->polls[(t->n_polls - 1 - i) % TALLY_POLLS]]));
	field_put(target, "polls", list);
	field_put(target, "polls_since", n ? field_time(t->polled_wall_ms[(t->n_polls - n) % TALLY_POLLS]) : json_null());
}

static json_t *document_of_targets(const struct documents *d)
{
	json_t *j = document_of_part(d->inventory, "lanewatch/targets/v1", "targets"), *target;
	size_t i;

	json_array_foreach(json_object_get(j, "targets"), i, target)
		add_polls(target, d->tally ? tally_find(d->tally, json_string_value(json_object_get(target, "name"))) : NULL);
	return j;
}

json_t *documents_get(const struct documents *d, enum document_kind kind)
{
	const struct inventory *inv = d->inventory;

	switch (kind) {
	case DOCUMENT_BAYS:
		return NULL;
	case DOCUMENT_DRIVES:
		return json_pack("{s:s, s:o, s:[]}", "schema", "lanewatch/drives/v1", "collected_at", field_time(inv->collected_wall_ms), "drives");
	case DOCUMENT_TARGETS:
		return document_of_targets(d);
	case DOCUMENT_SUMMARY:
		return document_of_part(inv, "lanewatch/summary/v1", "summary");
	case DOCUMENT_POOLS:
		return document_of_part(inv, "lanewatch/pools/v1", "pools");
	case DOCUMENT_CEILING:
		return documents_ceiling(inv, NULL, NAN);
	case DOCUMENT_EVENTS:
	case DOCUMENT_ALERTS:
	case DOCUMENT_STATUS:
	case DOCUMENTS:
		break;
	}
	return json_incref(d->given[kind]);
}
