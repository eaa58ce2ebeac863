/* SPDX-License-Identifier: MIT */
/* api: see api.h.  On the loop's thread. */
#include "web/api.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "document/ceiling.h"
#include "web/metrics.h"
#include "web/report.h"
#include "web/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char type_json[] = "application/json";
static const char type_problem[] = "application/problem+json";
static const char type_text[] = "text/plain; charset=utf-8";

static const char type_html[] = "text/html; charset=utf-8";
static const char type_css[] = "text/css; charset=utf-8";
static const char type_csv[] = "text/csv; charset=utf-8; header=present";

enum { METRICS_KEPT_MS = 1000 };

static const char prefix[] = "/api/v1/";

/* One resource: its name below /api/v1/, and what a query may choose of it. */
struct resource {
	const char *name;
	const struct list *list; /* NULL: takes no query */
};

enum { BAYS, TARGETS, DRIVES, EVENTS, ALERTS, SUMMARY, STATUS, POOLS, CEILING, RESOURCES };

static const struct list list_drives = {"drives", NULL};

static const struct resource resources[RESOURCES] = {
	[BAYS] = {"bays", &list_bays},
	[TARGETS] = {"targets", &list_targets},
	[DRIVES] = {"drives", &list_drives},
	[EVENTS] = {"events", &list_events},
	[ALERTS] = {"alerts", &list_alerts},
	[SUMMARY] = {"summary", NULL},
	[STATUS] = {"status", NULL},
	[POOLS] = {"pools", NULL},
	[CEILING] = {"ceiling", NULL},
};

struct api {
	json_t *documents[RESOURCES]; /* made when they are first asked for */
	struct page *pages[RESOURCES]; /* made of them at the first request */
	struct page *metrics[METRICS_FORMATS];
	const struct inventory *inventory;
	struct metrics_more more;
	int64_t metrics_mono_ms; /* when those pages were made */
	const struct change_calls *changes;
	bool ready;
};

static struct page *page_of_json(const json_t *j, const char *type)
{
	char *text = json_dumps(j, DOCUMENT_DUMP | JSON_COMPACT);

	if (!text)
		text = mem_text("null");
	return page_new(text, strlen(text), type);
}

static json_t *document(struct api *a, size_t n);

struct api *api_new(void)
{
	return mem_new(1, sizeof(struct api));
}

static void forget_metrics(struct api *a)
{
	for (size_t i = 0; i < METRICS_FORMATS; i++) {
		page_unref(a->metrics[i]);
		a->metrics[i] = NULL;
	}
}

static void forget(struct api *a)
{
	for (size_t i = 0; i < RESOURCES; i++) {
		json_decref(a->documents[i]);
		page_unref(a->pages[i]);
		a->documents[i] = NULL;
		a->pages[i] = NULL;
	}
	forget_metrics(a);
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

/* What the links of a host can carry, NULL: of all that is watched; and whether a rate can be (NAN: none is claimed). */
static json_t *ceiling_of(const struct inventory *inv, const char *host, double claim_bps)
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

static json_t *list_or_empty(const json_t *list, const char *schema, const char *key)
{
	return list ? json_incref((json_t *)list) : json_pack("{s:s, s:[]}", "schema", schema, key);
}

static struct page *page_of_buf(struct buf *text, const char *type)
{
	size_t len = text->len;

	return page_new(buf_take(text), len, type);
}

static struct page *metrics_page(struct api *a, enum metrics_format format)
{
	int64_t now = clock_mono_ms();
	struct buf text;

	if (a->metrics[format] && now - a->metrics_mono_ms >= METRICS_KEPT_MS)
		forget_metrics(a); /* there are ages in them */
	if (!a->metrics[format]) {
		buf_init(&text, 256u << 20);
		a->more.alerts = json_object_get(document(a, ALERTS), "alerts");
		metrics_write(&text, a->inventory, &a->more, format);
		a->metrics_mono_ms = now;
		a->metrics[format] = page_of_buf(&text, metrics_type(format));
	}
	return page_ref(a->metrics[format]);
}

/* Makes a document, of which most are parts of the first. */
static json_t *make_document(struct api *a, size_t n)
{
	switch (n) {
	case BAYS:
		return document_of_inventory(a->inventory);
	case DRIVES:
		return drives_of(document(a, BAYS));
	case TARGETS:
		return part_of(document(a, BAYS), "lanewatch/targets/v1", "targets");
	case SUMMARY:
		return part_of(document(a, BAYS), "lanewatch/summary/v1", "summary");
	case POOLS:
		return part_of(document(a, BAYS), "lanewatch/pools/v1", "pools");
	case CEILING:
		return ceiling_of(a->inventory, NULL, NAN);
	}
	return json_null();
}

/* A document of the last round, made when it is first asked for: most rounds nobody looks. */
static json_t *document(struct api *a, size_t n)
{
	if (!a->documents[n])
		a->documents[n] = make_document(a, n);
	return a->documents[n];
}

void api_publish(struct api *a, const struct api_state *s)
{
	forget(a);
	a->inventory = s->inventory;
	a->more = (struct metrics_more){.tally = s->tally, .store_bytes = s->store_bytes, .dropped = s->dropped};
	a->documents[EVENTS] = list_or_empty(s->events, "lanewatch/events/v1", "events");
	a->documents[ALERTS] = list_or_empty(s->alerts, "lanewatch/alerts/v1", "alerts");
	a->documents[STATUS] = s->status ? json_incref((json_t *)s->status)
					 : json_pack("{s:s}", "schema", "lanewatch/status/v1");
	a->ready = true;
}

void api_publish_alerts(struct api *a, const json_t *alerts)
{
	page_unref(a->pages[ALERTS]);
	a->pages[ALERTS] = NULL;
	forget_metrics(a);
	json_decref(a->documents[ALERTS]);
	a->documents[ALERTS] = list_or_empty(alerts, "lanewatch/alerts/v1", "alerts");
}

void api_set_changes(struct api *a, const struct change_calls *calls)
{
	a->changes = calls;
}

struct page *api_problem(int status, const char *title, const char *detail)
{
	char clean[512]; /* it may repeat a query, whose bytes are anybody's */
	struct page *p;
	json_t *j;

	str_clean(clean, sizeof clean, detail);
	j = json_pack("{s:s, s:i, s:s, s:s}", "type", "about:blank", "status", status, "title", title, "detail", clean);
	p = page_of_json(j, type_problem);
	json_decref(j);
	return p;
}

static struct page *problem(int *status, int now, const char *title, const char *detail)
{
	*status = now;
	return api_problem(now, title, detail);
}

/* ---- lists by query --------------------------------------------------------------- */

static struct page *csv_page(const json_t *document, const struct list *l)
{
	struct buf text;

	buf_init(&text, 64u << 20);
	list_write_csv(&text, json_object_get(document, l->key), l);
	return page_of_buf(&text, type_csv);
}

static struct page *list_page(struct api *a, size_t n, const struct api_query *q, bool csv, int *status)
{
	struct list l = *resources[n].list;
	struct page *p;
	struct err e;
	json_t *j;

	if (!l.columns) /* a drive is listed as the bay it is in */
		l.columns = list_bays.columns;
	j = list_choose(document(a, n), &l, q, csv ? LIST_CSV_ROWS_MAX : LIST_ROWS_MAX, &e);
	if (!j)
		return problem(status, 400, "Bad query", e.text);
	p = csv ? csv_page(j, &l) : page_of_json(j, type_json);
	json_decref(j);
	return p;
}

/* A resource by its name, with ".csv" behind it or asked for by Accept as CSV. */
static struct page *resource(struct api *a, const char *name, const struct api_query *q, int *status)
{
	size_t len = strcspn(name, ".");
	bool csv = strcmp(name + len, ".csv") == 0 || (q->accept && str_starts(q->accept, "text/csv"));

	if (name[len] && strcmp(name + len, ".csv") != 0)
		return NULL;
	for (size_t i = 0; i < RESOURCES; i++) {
		const struct resource *r = &resources[i];

		if (strlen(r->name) != len || memcmp(r->name, name, len) != 0)
			continue;
		if (r->list && (csv || q->n || q->overflow))
			return list_page(a, i, q, csv, status);
		if (name[len])
			return NULL;
		if (q->n || q->overflow)
			return problem(status, 400, "Bad query", "this resource takes no query");
		if (!a->pages[i])
			a->pages[i] = page_of_json(document(a, i), type_json);
		return page_ref(a->pages[i]);
	}
	return NULL;
}

/* GET /api/v1/ceiling?host=NAME&claim=157GB/s */
static struct page *ceiling(struct api *a, const struct api_query *q, int *status)
{
	const char *host = NULL, *claim = NULL;
	double claim_bps = NAN;
	struct err e;
	struct page *p;
	json_t *j;

	for (size_t i = 0; i < q->n; i++) {
		const char **to = strcmp(q->pairs[i].key, "host") == 0 ? &host : strcmp(q->pairs[i].key, "claim") == 0 ? &claim : NULL;

		if (!to || *to || q->overflow)
			return problem(status, 400, "Bad query", "a ceiling takes host=NAME and claim=RATE, each once");
		*to = q->pairs[i].value;
	}
	if (claim && claim_parse(claim, &claim_bps, &e))
		return problem(status, 400, "Bad claim", e.text);
	j = ceiling_of(a->inventory, host, claim_bps);
	if (host && json_array_size(json_object_get(j, "drives")) == 0) {
		json_decref(j);
		return problem(status, 404, "No such host", "no drive of a host of that name is known");
	}
	p = page_of_json(j, type_json);
	json_decref(j);
	return p;
}

/* A bay or drive that is listed now, though nothing may be stored of it yet. */
static bool is_listed(struct api *a, const char *who)
{
	char place[256];
	json_t *bay;
	size_t i;

	json_array_foreach(json_object_get(document(a, BAYS), "bays"), i, bay)
	{
		const json_t *drive = json_object_get(bay, "drive");
		const char *host = json_string_value(json_object_get(bay, "host"));

		snprintf(place, sizeof place, "%s/%s", host ? host : "", json_string_value(json_object_get(bay, "bay")));
		if (str_same(place, who) || str_same(json_string_value(json_object_get(drive, "serial")), who) ||
			str_same(json_string_value(json_object_get(drive, "id")), who))
			return true;
	}
	return false;
}

struct series *api_series(struct api *a, const struct api_query *q, struct page **reply, int *status)
{
	struct series *s = NULL;
	struct err e;

	if (!a->ready)
		*reply = problem(status, 503, "Starting", "the first poll is not over yet; try again in a few seconds");
	else if (!(s = series_new(q, &e)))
		*reply = problem(status, 400, "Bad query", e.text);
	return s;
}

struct page *api_series_end(struct api *a, struct series *s, int *status)
{
	struct page *p;

	switch (series_take(s, &p)) {
	case SERIES_UNKNOWN:
	case SERIES_FAILED:
		break;
	case SERIES_NOBODY:
		if (is_listed(a, series_who(s)))
			return p;
		page_unref(p);
		return problem(status, 404, "No such series", "nothing is stored under that name; ask /api/v1/drives for serial numbers");
	case SERIES_READ:
		return p;
	}
	return problem(status, 503, "No history", "it could not be read within two seconds; ask for less, or see storing in /api/v1/status");
}

/* GET /api/v1/drives/ID: the bay of one drive, by id or serial number. */
static struct page *one_drive(struct api *a, const char *id, int *status)
{
	json_t *bay;
	size_t i;

	json_array_foreach(json_object_get(document(a, DRIVES), "drives"), i, bay)
	{
		const json_t *drive = json_object_get(bay, "drive");

		if (str_same(json_string_value(json_object_get(drive, "id")), id) ||
			str_same(json_string_value(json_object_get(drive, "serial")), id))
			return page_of_json(bay, type_json);
	}
	return problem(status, 404, "No such drive", "ask /api/v1/drives for the ids and serial numbers that are known");
}

static struct page *word(const char *text)
{
	return page_new(mem_text(text), strlen(text), type_text);
}

/* GET /report.html?host=NAME: the commissioning report of a machine, to print. */
static struct page *report(struct api *a, const struct api_query *q, int *status)
{
	struct buf text;

	if (q->n != 1 || strcmp(q->pairs[0].key, "host") != 0)
		return problem(status, 400, "Bad query", "a report is of one host: report.html?host=NAME");
	for (size_t i = 0; i < a->inventory->n_bays; i++) {
		if (!str_same(a->inventory->bays[i].host, q->pairs[0].value))
			continue;
		buf_init(&text, 16u << 20);
		report_write(&text, a->inventory, q->pairs[0].value, "report.css", NULL);
		return page_of_buf(&text, type_html);
	}
	return problem(status, 404, "No such host", "no bay of a host of that name is known");
}

static bool wants_openmetrics(const struct api_query *q)
{
	return q->accept && str_has_nocase(q->accept, "application/openmetrics-text");
}

static struct page *find(struct api *a, const char *path, const struct api_query *q, int *status)
{
	const char *name = path + strlen(prefix);

	if (strcmp(path, "/metrics") == 0)
		return metrics_page(a, wants_openmetrics(q) ? METRICS_OPENMETRICS : METRICS_TEXT);
	if (strcmp(path, "/report.html") == 0)
		return report(a, q, status);
	if (strcmp(path, "/report.css") == 0)
		return page_new(mem_text(report_style), strlen(report_style), type_css);
	if (!str_starts(path, prefix))
		return NULL;
	if (str_starts(name, "drives/"))
		return one_drive(a, name + strlen("drives/"), status);
	if (strcmp(name, "ceiling") == 0 && q->n)
		return ceiling(a, q, status);
	return resource(a, name, q, status);
}

/* An alert as it is now, by its id. */
static struct page *one_alert(struct api *a, int64_t id, int *status)
{
	json_t *alert;
	size_t i;

	json_array_foreach(json_object_get(document(a, ALERTS), "alerts"), i, alert)
		if (json_integer_value(json_object_get(alert, "id")) == id)
			return page_of_json(alert, type_json);
	return problem(status, 404, "No such alert", "it is over, or never was; /api/v1/alerts lists those that stand");
}

struct page *api_change(struct api *a, const char *method, const char *path, const struct buf *body, const char *user, int *status)
{
	struct change c;
	struct err e;

	*status = 503;
	if (!a->ready || !a->changes)
		return problem(status, 503, "Not now", "the first poll is not over yet; try again in a few seconds");
	if (change_read(&c, method, path, buf_text(body), body->len, user, &e))
		return problem(status, 400, "Bad request", e.text);
	if (a->changes->alert(a->changes->arg, &c, status, &e))
		return problem(status, *status, *status == 404 ? "No such alert" : *status == 409 ? "Not as it is" : "Not now", e.text);
	*status = 200;
	return one_alert(a, c.alert_id, status);
}

struct page *api_get(struct api *a, const char *path, const struct api_query *q, int *status)
{
	struct page *p;

	*status = 200;
	if (strcmp(path, "/healthz") == 0)
		return word("ok\n");
	if (strcmp(path, "/readyz") == 0) {
		*status = a->ready ? 200 : 503;
		return word(a->ready ? "ok\n" : "starting\n");
	}
	if (!a->ready && (str_starts(path, prefix) || strcmp(path, "/metrics") == 0))
		return problem(status, 503, "Starting", "the first poll is not over yet; try again in a few seconds");
	p = a->ready ? find(a, path, q, status) : NULL;
	return p ? p : problem(status, 404, "Not found", "nothing is served at this path");
}
