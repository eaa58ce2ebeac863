/* SPDX-License-Identifier: MIT */
/* documents: see documents.h. */
#include "web/documents.h"
#include "base/str.h"
#include "document/bays.h"
#include "document/ceiling.h"

#include <math.h>

void documents_clear(struct documents *d)
{
	for (size_t i = 0; i < DOCUMENTS; i++)
		json_decref(d->made[i]);
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

const struct inventory *documents_inventory(struct documents *d)
{
	d->woken |= inventory_wake(d->inventory);
	return d->inventory;
}

void documents_rest(struct documents *d)
{
	if (d->woken)
		inventory_rest(d->inventory);
	d->woken = false;
}

void documents_set(struct documents *d, enum document_kind kind, const json_t *j)
{
	json_decref(d->made[kind]);
	d->made[kind] = j ? json_incref((json_t *)j) : empty(kind);
}

/* The bays that have a drive, as {"schema", "drives": [...]}: each BAY is a drive's whole story. */
static json_t *drives_of(const json_t *bays)
{
	json_t *list = json_array(), *bay;
	size_t i;

	json_array_foreach(json_object_get(bays, "bays"), i, bay)
		if (json_is_object(json_object_get(bay, "drive")))
			json_array_append(list, bay);
	return json_pack("{s:s, s:O, s:o}", "schema", "lanewatch/drives/v1", "collected_at",
		json_object_get(bays, "collected_at"), "drives", list);
}

static json_t *part_of(const json_t *bays, const char *schema, const char *key)
{
	return json_pack("{s:s, s:O, s:O}", "schema", schema, "collected_at",
		json_object_get(bays, "collected_at"), key, json_object_get(bays, key));
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

/* Most are parts of the first. */
static json_t *make(struct documents *d, enum document_kind kind)
{
	switch (kind) {
	case DOCUMENT_BAYS:
		return document_of_inventory(documents_inventory(d));
	case DOCUMENT_DRIVES:
		return drives_of(documents_get(d, DOCUMENT_BAYS));
	case DOCUMENT_TARGETS:
		return part_of(documents_get(d, DOCUMENT_BAYS), "lanewatch/targets/v1", "targets");
	case DOCUMENT_SUMMARY:
		return part_of(documents_get(d, DOCUMENT_BAYS), "lanewatch/summary/v1", "summary");
	case DOCUMENT_POOLS:
		return part_of(documents_get(d, DOCUMENT_BAYS), "lanewatch/pools/v1", "pools");
	case DOCUMENT_CEILING:
		return documents_ceiling(documents_inventory(d), NULL, NAN);
	case DOCUMENT_EVENTS:
	case DOCUMENT_ALERTS:
	case DOCUMENT_STATUS:
	case DOCUMENTS:
		break;
	}
	return empty(kind);
}

json_t *documents_get(struct documents *d, enum document_kind kind)
{
	if (!d->made[kind])
		d->made[kind] = make(d, kind);
	return d->made[kind];
}
