/* SPDX-License-Identifier: MIT */
/* api: see api.h.  On the loop's thread. */
#include "web/api.h"
#include "base/mem.h"
#include "base/str.h"
#include "web/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char type_json[] = "application/json";
static const char type_problem[] = "application/problem+json";
static const char type_text[] = "text/plain; charset=utf-8";

/* One resource: how it is made, and which members of it a query may choose by. */
struct resource {
	const char *path;
	const char *list;	    /* the array in the document that is filtered; NULL none */
	const char *const *filters; /* keys of its objects that a query may name; NULL-terminated */
};

static const char *const bay_filters[] = {"target", "host", "bay", "verdict", "role", NULL};
static const char *const target_filters[] = {"name", "host", "kind", "verdict", NULL};
static const char *const event_filters[] = {"target", "host", "bay", "serial", "type", "severity", NULL};
static const char *const alert_filters[] = {"target", "bay", "serial", "kind", "severity", "state", NULL};

enum { BAYS, TARGETS, DRIVES, EVENTS, ALERTS, SUMMARY, STATUS, RESOURCES };

static const struct resource resources[RESOURCES] = {
	[BAYS] = {"/api/v1/bays", "bays", bay_filters},
	[TARGETS] = {"/api/v1/targets", "targets", target_filters},
	[DRIVES] = {"/api/v1/drives", "drives", bay_filters},
	[EVENTS] = {"/api/v1/events", "events", event_filters},
	[ALERTS] = {"/api/v1/alerts", "alerts", alert_filters},
	[SUMMARY] = {"/api/v1/summary", NULL, NULL},
	[STATUS] = {"/api/v1/status", NULL, NULL},
};

struct api {
	json_t *documents[RESOURCES]; /* NULL before anything was published */
	struct page *pages[RESOURCES];
	struct page *metrics;
	bool ready;
};

static struct page *page_of_json(const json_t *j, const char *type)
{
	char *text = json_dumps(j, DOCUMENT_DUMP | JSON_COMPACT);

	if (!text)
		text = mem_text("null");
	return page_new(text, strlen(text), type);
}

struct api *api_new(void)
{
	return mem_new(1, sizeof(struct api));
}

static void forget(struct api *a)
{
	for (size_t i = 0; i < RESOURCES; i++) {
		json_decref(a->documents[i]);
		page_unref(a->pages[i]);
		a->documents[i] = NULL;
		a->pages[i] = NULL;
	}
	page_unref(a->metrics);
	a->metrics = NULL;
}

void api_free(struct api *a)
{
	if (!a)
		return;
	forget(a);
	free(a);
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

static json_t *list_or_empty(const json_t *list, const char *schema, const char *key)
{
	return list ? json_incref((json_t *)list) : json_pack("{s:s, s:[]}", "schema", schema, key);
}

void api_publish(struct api *a, const struct api_state *s)
{
	json_t *bays = document_of_inventory(s->inventory);
	struct buf text;

	forget(a);
	a->documents[BAYS] = bays;
	a->documents[DRIVES] = drives_of(bays);
	a->documents[TARGETS] = part_of(bays, "lanewatch/targets/v1", "targets");
	a->documents[SUMMARY] = part_of(bays, "lanewatch/summary/v1", "summary");
	a->documents[EVENTS] = list_or_empty(s->events, "lanewatch/events/v1", "events");
	a->documents[ALERTS] = list_or_empty(s->alerts, "lanewatch/alerts/v1", "alerts");
	a->documents[STATUS] = s->status ? json_incref((json_t *)s->status)
					 : json_pack("{s:s}", "schema", "lanewatch/status/v1");
	for (size_t i = 0; i < RESOURCES; i++)
		a->pages[i] = page_of_json(a->documents[i], type_json);
	buf_init(&text, 256u << 20);
	metrics_write(&text, s->inventory);
	a->metrics = page_new(buf_take(&text), 0, metrics_type);
	a->metrics->len = strlen(a->metrics->body);
	a->ready = true;
}

struct page *api_problem(int status, const char *title, const char *detail)
{
	json_t *j = json_pack("{s:s, s:i, s:s, s:s}", "type", "about:blank", "status", status, "title", title,
		"detail", detail);
	struct page *p = page_of_json(j, type_problem);

	json_decref(j);
	return p;
}

/* ---- lists by query --------------------------------------------------------------- */

static bool takes(const struct resource *r, const char *key)
{
	for (const char *const *f = r->filters; f && *f; f++)
		if (strcmp(*f, key) == 0)
			return true;
	return strcmp(key, "limit") == 0 || strcmp(key, "offset") == 0;
}

static bool fits(const json_t *object, const struct api_query *q)
{
	for (size_t i = 0; i < q->n; i++) {
		const char *value;

		if (strcmp(q->pairs[i].key, "limit") == 0 || strcmp(q->pairs[i].key, "offset") == 0)
			continue;
		value = json_string_value(json_object_get(object, q->pairs[i].key));
		if (!value || !str_match(q->pairs[i].value, value))
			return false;
	}
	return true;
}

static bool number_of(const struct api_query *q, const char *key, int64_t max, int64_t *out)
{
	for (size_t i = 0; i < q->n; i++)
		if (strcmp(q->pairs[i].key, key) == 0)
			return str_to_int(q->pairs[i].value, 0, max, out);
	return true;
}

/* The document with its list cut down to what the query chooses; `total` says how many fit. */
static json_t *choose(const json_t *document, const struct resource *r, const struct api_query *q, int64_t offset, int64_t limit)
{
	json_t *out = json_copy((json_t *)document), *list = json_array(), *object;
	int64_t total = 0;
	size_t i;

	json_array_foreach(json_object_get(document, r->list), i, object)
	{
		if (!fits(object, q))
			continue;
		if (total++ >= offset && (int64_t)json_array_size(list) < limit)
			json_array_append(list, object);
	}
	json_object_set_new(out, r->list, list);
	json_object_set_new(out, "total", json_integer(total));
	return out;
}

static struct page *filtered(const struct api *a, size_t n, const struct api_query *q, int *status)
{
	const struct resource *r = &resources[n];
	int64_t offset = 0, limit = 1000;
	char detail[256];
	struct page *p;
	json_t *j;

	for (size_t i = 0; i < q->n; i++)
		if (!r->list || !takes(r, q->pairs[i].key)) {
			*status = 400;
			snprintf(detail, sizeof detail, "%s takes no query key \"%.40s\"", r->path, q->pairs[i].key);
			return api_problem(400, "Bad query", detail);
		}
	if (!number_of(q, "offset", INT32_MAX, &offset) || !number_of(q, "limit", 1000, &limit)) {
		*status = 400;
		return api_problem(400, "Bad query", "offset is a whole number, limit one up to 1000");
	}
	j = choose(a->documents[n], r, q, offset, limit);
	p = page_of_json(j, type_json);
	json_decref(j);
	return p;
}

/* GET /api/v1/drives/ID: the bay of one drive, by id or serial number. */
static struct page *one_drive(const struct api *a, const char *id, int *status)
{
	json_t *bay;
	size_t i;

	json_array_foreach(json_object_get(a->documents[DRIVES], "drives"), i, bay)
	{
		const json_t *drive = json_object_get(bay, "drive");

		if (str_same(json_string_value(json_object_get(drive, "id")), id) ||
			str_same(json_string_value(json_object_get(drive, "serial")), id))
			return page_of_json(bay, type_json);
	}
	*status = 404;
	return api_problem(404, "No such drive", "ask /api/v1/drives for the ids and serial numbers that are known");
}

static struct page *word(const char *text)
{
	return page_new(mem_text(text), strlen(text), type_text);
}

struct page *api_get(struct api *a, const char *path, const struct api_query *q, int *status)
{
	*status = 200;
	if (strcmp(path, "/healthz") == 0)
		return word("ok\n");
	if (strcmp(path, "/readyz") == 0) {
		*status = a->ready ? 200 : 503;
		return word(a->ready ? "ok\n" : "starting\n");
	}
	if (!str_starts(path, "/api/v1/") && strcmp(path, "/metrics") != 0) {
		*status = 404;
		return api_problem(404, "Not found", "nothing is served at this path");
	}
	if (!a->ready) {
		*status = 503;
		return api_problem(503, "Starting", "the first poll is not over yet; try again in a few seconds");
	}
	if (strcmp(path, "/metrics") == 0)
		return page_ref(a->metrics);
	if (str_starts(path, "/api/v1/drives/"))
		return one_drive(a, path + strlen("/api/v1/drives/"), status);
	for (size_t i = 0; i < RESOURCES; i++)
		if (strcmp(path, resources[i].path) == 0)
			return q->n ? filtered(a, i, q, status) : page_ref(a->pages[i]);
	*status = 404;
	return api_problem(404, "Not found", "nothing is served at this path");
}
