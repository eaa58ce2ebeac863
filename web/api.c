/* SPDX-License-Identifier: MIT */
/* api: see api.h.  On the loop's thread. */
#include "web/api.h"
#include "base/clock.h"
#include "base/jtext.h"
#include "base/mem.h"
#include "base/str.h"
#include "document/ceiling.h"
#include "web/documents.h"
#include "web/kept.h"
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

struct api {
	struct documents documents;
	struct kept kept;
	struct page *metrics[METRICS_FORMATS];
	struct metrics_more more;
	int64_t metrics_mono_ms; /* when those pages were made */
	const struct change_calls *changes;
	bool ready;
};

/* ---- pages ---- */

/* Of a tree, which is given up. */
static struct page *page_of_json(json_t *j, const char *type)
{
	char *text = jtext_print(j, DOCUMENT_DUMP | JSON_COMPACT);

	json_decref(j);
	if (!text)
		text = mem_text("null");
	return page_new(text, strlen(text), type);
}

static struct page *page_of_buf(struct buf *text, const char *type)
{
	size_t len = text->len;
	char *body = buf_take(text), *exact = realloc(body, len + 1); /* some of them are kept for long */

	return page_new(exact ? exact : body, len, type);
}

struct page *api_problem(int status, const char *title, const char *detail)
{
	char clean[512]; /* it may repeat a query, whose bytes are anybody's */
	json_t *j;

	str_clean(clean, sizeof clean, detail);
	j = json_pack("{s:s, s:i, s:s, s:s}", "type", "about:blank", "status", status, "title", title, "detail", clean);
	return page_of_json(j, type_problem);
}

static struct page *problem(int *status, int now, const char *title, const char *detail)
{
	*status = now;
	return api_problem(now, title, detail);
}

static struct page *starting(int *status)
{
	return problem(status, 503, "Starting", "the first poll is not over yet; try again in a few seconds");
}

static struct page *word(const char *text)
{
	return page_new(mem_text(text), strlen(text), type_text);
}

/* ---- what is known ---- */

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

void api_free(struct api *a)
{
	if (!a)
		return;
	kept_clear(&a->kept);
	forget_metrics(a);
	documents_clear(&a->documents);
	free(a);
}

void api_publish(struct api *a, const struct api_state *s)
{
	kept_clear(&a->kept);
	forget_metrics(a);
	documents_clear(&a->documents);
	a->documents.inventory = s->inventory;
	a->documents.tally = s->tally;
	a->more = (struct metrics_more){.tally = s->tally, .store_bytes = s->store_bytes, .dropped = s->dropped};
	documents_set(&a->documents, DOCUMENT_EVENTS, s->events);
	documents_set(&a->documents, DOCUMENT_ALERTS, s->alerts);
	documents_set(&a->documents, DOCUMENT_STATUS, s->status);
	a->ready = true;
}

void api_publish_alerts(struct api *a, const json_t *alerts)
{
	kept_clear(&a->kept);
	forget_metrics(a);
	documents_set(&a->documents, DOCUMENT_ALERTS, alerts);
}

void api_set_changes(struct api *a, const struct change_calls *calls)
{
	a->changes = calls;
}

/* ---- a resource: whole, chosen from by query, or as CSV ---- */

struct ask {
	const struct route *route;
	const char *rest; /* what stands for {id} */
	const struct api_query *query;
};

struct route {
	const char *path; /* "{id}" in it: whatever stands there */
	struct page *(*get)(struct api *a, const struct ask *ask, int *status); /* NULL: not answered here */
	enum document_kind kind;
	const struct list *list; /* what a query may choose of it; NULL: takes none */
};

static bool has_query(const struct ask *ask)
{
	return ask->query->n || ask->query->overflow;
}

static struct page *get_document(struct api *a, const struct ask *ask, int *status)
{
	if (has_query(ask))
		return problem(status, 400, "Bad query", "this resource takes no query");
	return page_of_json(documents_get(&a->documents, ask->route->kind), type_json);
}

static int add_chosen(struct buf *text, const struct api *a, const struct ask *ask, const json_t *document, const struct chosen *c)
{
	int rc;

	if (ask->route->kind == DOCUMENT_BAYS)
		rc = document_add_inventory(text, a->documents.inventory, list_add_rows, c);
	else
		rc = list_add_document(text, document, c);
	return rc || !has_query(ask) ? rc : list_add_end(text, c);
}

/* A list, or what a query chooses of it. */
static struct page *choose(struct api *a, const struct ask *ask, bool csv, int *status)
{
	json_t *document = documents_get(&a->documents, ask->route->kind);
	struct rows rows = documents_rows(&a->documents, ask->route->kind, ask->route->list, document);
	struct chosen c;
	struct page *p;
	struct buf text;
	struct err e;

	buf_init(&text, csv ? 64u << 20 : PTRDIFF_MAX);
	if (list_choose(&c, &rows, ask->query, csv, &e)) {
		p = problem(status, 400, "Bad query", e.text);
	} else if (csv) {
		list_add_csv(&text, &c);
		p = page_of_buf(&text, type_csv);
	} else if (add_chosen(&text, a, ask, document, &c)) {
		p = problem(status, 503, "No memory", "the list is too long for it; ask for less");
	} else {
		p = page_of_buf(&text, type_json);
	}
	buf_release(&text);
	chosen_release(&c);
	json_decref(document);
	return p;
}

static struct page *get_csv(struct api *a, const struct ask *ask, int *status)
{
	return choose(a, ask, true, status);
}

static bool wants_csv(const struct api_query *q)
{
	return q->accept && str_starts(q->accept, "text/csv");
}

static struct page *get_list(struct api *a, const struct ask *ask, int *status)
{
	return choose(a, ask, wants_csv(ask->query), status);
}

/* ---- resources of their own ---- */

static bool is_drive(const struct bay *b, const char *id_or_serial)
{
	return b->has_drive && *id_or_serial && (str_same(b->drive.id, id_or_serial) || str_same(b->drive.serial, id_or_serial));
}

/* By id or serial number: the bay that a drive is in. */
static struct page *get_drive(struct api *a, const struct ask *ask, int *status)
{
	const struct inventory *inv = a->documents.inventory;
	struct bay room;

	for (size_t i = 0; i < inv->n_bays; i++) {
		const struct bay *b = inventory_bay(inv, i, &room);

		if (is_drive(b, ask->rest))
			return page_of_json(document_of_bay(b), type_json);
	}
	return problem(status, 404, "No such drive", "ask /api/v1/drives for the ids and serial numbers that are known");
}

/* ?host=NAME&claim=157GB/s */
static struct page *get_ceiling(struct api *a, const struct ask *ask, int *status)
{
	const struct api_query *q = ask->query;
	const char *host = NULL, *claim = NULL;
	double claim_bps = NAN;
	struct err e;
	json_t *j;

	if (!has_query(ask))
		return get_document(a, ask, status);
	for (size_t i = 0; i < q->n; i++) {
		const char **to = strcmp(q->pairs[i].key, "host") == 0 ? &host : strcmp(q->pairs[i].key, "claim") == 0 ? &claim : NULL;

		if (!to || *to || q->overflow)
			return problem(status, 400, "Bad query", "a ceiling takes host=NAME and claim=RATE, each once");
		*to = q->pairs[i].value;
	}
	if (claim && claim_parse(claim, &claim_bps, &e))
		return problem(status, 400, "Bad claim", e.text);
	j = documents_ceiling(a->documents.inventory, host, claim_bps);
	if (host && json_array_size(json_object_get(j, "drives")) == 0) {
		json_decref(j);
		return problem(status, 404, "No such host", "no drive of a host of that name is known");
	}
	return page_of_json(j, type_json);
}

/* ?host=NAME: the commissioning report of a machine, to print. */
static struct page *get_report(struct api *a, const struct ask *ask, int *status)
{
	const struct inventory *inv = a->documents.inventory;
	const struct api_query *q = ask->query;
	struct bay room;
	struct buf text;

	if (q->n != 1 || strcmp(q->pairs[0].key, "host") != 0)
		return problem(status, 400, "Bad query", "a report is of one host: report.html?host=NAME");
	for (size_t i = 0; i < inv->n_bays; i++) {
		if (!str_same(inventory_bay(inv, i, &room)->host, q->pairs[0].value))
			continue;
		buf_init(&text, 16u << 20);
		report_write(&text, inv, q->pairs[0].value, "report.css", NULL);
		return page_of_buf(&text, type_html);
	}
	return problem(status, 404, "No such host", "no bay of a host of that name is known");
}

static struct page *get_style(struct api *a, const struct ask *ask, int *status)
{
	(void)a;
	(void)ask;
	(void)status;
	return page_new(mem_text(report_style), strlen(report_style), type_css);
}

static bool wants_openmetrics(const struct api_query *q)
{
	return q->accept && str_has_nocase(q->accept, "application/openmetrics-text");
}

static struct page *get_metrics(struct api *a, const struct ask *ask, int *status)
{
	enum metrics_format format = wants_openmetrics(ask->query) ? METRICS_OPENMETRICS : METRICS_TEXT;
	int64_t now = clock_mono_ms();
	struct buf text;

	(void)status;
	if (a->metrics[format] && now - a->metrics_mono_ms >= METRICS_KEPT_MS)
		forget_metrics(a); /* there are ages in them */
	if (!a->metrics[format]) {
		buf_init(&text, 256u << 20);
		a->more.alerts = json_object_get(a->documents.given[DOCUMENT_ALERTS], "alerts");
		metrics_write(&text, a->documents.inventory, &a->more, format);
		a->metrics_mono_ms = now;
		a->metrics[format] = page_of_buf(&text, metrics_type(format));
	}
	return page_ref(a->metrics[format]);
}

static struct page *get_health(struct api *a, const struct ask *ask, int *status)
{
	(void)a;
	(void)ask;
	(void)status;
	return word("ok\n");
}

static struct page *get_ready(struct api *a, const struct ask *ask, int *status)
{
	(void)ask;
	*status = a->ready ? 200 : 503;
	return word(a->ready ? "ok\n" : "starting\n");
}

/* ---- the routes ---- */

static const struct route routes[] = {
	{.path = "/api/v1/bays", get_list, DOCUMENT_BAYS, &list_bays},
	{.path = "/api/v1/bays.csv", get_csv, DOCUMENT_BAYS, &list_bays},
	{.path = "/api/v1/targets", get_list, DOCUMENT_TARGETS, &list_targets},
	{.path = "/api/v1/targets.csv", get_csv, DOCUMENT_TARGETS, &list_targets},
	{.path = "/api/v1/drives", get_list, DOCUMENT_DRIVES, &list_drives},
	{.path = "/api/v1/drives.csv", get_csv, DOCUMENT_DRIVES, &list_drives},
	{.path = "/api/v1/drives/{id}", get_drive},
	{.path = "/api/v1/events", get_list, DOCUMENT_EVENTS, &list_events},
	{.path = "/api/v1/events.csv", get_csv, DOCUMENT_EVENTS, &list_events},
	{.path = "/api/v1/alerts", get_list, DOCUMENT_ALERTS, &list_alerts},
	{.path = "/api/v1/alerts.csv", get_csv, DOCUMENT_ALERTS, &list_alerts},
	{.path = "/api/v1/summary", get_document, DOCUMENT_SUMMARY},
	{.path = "/api/v1/status", get_document, DOCUMENT_STATUS},
	{.path = "/api/v1/pools", get_document, DOCUMENT_POOLS},
	{.path = "/api/v1/ceiling", get_ceiling, DOCUMENT_CEILING},
	{.path = "/report.html", get_report},
	{.path = "/report.css", get_style},
	{.path = "/metrics", get_metrics},
	{.path = "/healthz", get_health},
	{.path = "/readyz", get_ready},
	/* by request.c, for they wait: a thread, a round */
	{.path = "/api/v1/series"},
	{.path = "/api/v1/stream"},
	/* by change.c */
	{.path = "/api/v1/alerts/{id}/ack"},
	{.path = "/api/v1/alerts/{id}/silence"},
};

const char *api_route(size_t i)
{
	return i < sizeof routes / sizeof routes[0] ? routes[i].path : NULL;
}

/* Fills ask->rest where a route ends with {id}; that may hold slashes, as ids of drives do. */
static bool fits(const struct route *r, const char *path, struct ask *ask)
{
	size_t n = strcspn(r->path, "{");

	if (!r->get || strncmp(r->path, path, n) != 0)
		return false;
	ask->route = r;
	ask->rest = path + n;
	return r->path[n] || !*ask->rest;
}

/* What a reply depends on, as a text; false for what is too long to be kept. With lengths: any byte may stand in a query. */
static bool key_of(char key[KEPT_KEY_MAX], const char *path, const struct api_query *q)
{
	int n = snprintf(key, KEPT_KEY_MAX, "%zu %s%d", strlen(path), path, wants_csv(q));

	for (size_t i = 0; i < q->n && n >= 0 && n < KEPT_KEY_MAX; i++) {
		const char *name = q->pairs[i].key, *value = q->pairs[i].value;

		n += snprintf(key + n, (size_t)(KEPT_KEY_MAX - n), " %zu %s%zu %s", strlen(name), name, strlen(value), value);
	}
	return !q->overflow && n >= 0 && n < KEPT_KEY_MAX;
}

static struct page *find(struct api *a, const char *path, const struct api_query *q, int *status)
{
	struct ask ask = {.query = q};

	for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++)
		if (fits(&routes[i], path, &ask))
			return ask.route->get(a, &ask, status);
	return problem(status, 404, "Not found", "nothing is served at this path");
}

/* Made anew at each call: what says whether we live, and what has its own clock. */
static bool is_kept(const char *path)
{
	return strcmp(path, "/metrics") != 0 && strcmp(path, "/healthz") != 0 && strcmp(path, "/readyz") != 0;
}

struct page *api_get(struct api *a, const char *path, const struct api_query *q, int *status)
{
	char key[KEPT_KEY_MAX];
	bool keep = is_kept(path);
	struct page *p;

	*status = 200;
	if (keep && !a->ready)
		return str_starts(path, "/api/v1/") ? starting(status) : problem(status, 404, "Not found", "nothing is served at this path");
	if (!a->ready && strcmp(path, "/metrics") == 0)
		return starting(status);
	keep = keep && key_of(key, path, q);
	p = keep ? kept_find(&a->kept, key) : NULL;
	if (p)
		return p;
	p = find(a, path, q, status);
	if (keep && *status == 200)
		kept_add(&a->kept, key, p);
	return p;
}

/* ---- what is answered beside the loop ---- */

/* A bay or drive that is listed now, though nothing may be stored of it yet. */
static bool is_listed(const struct api *a, const char *who)
{
	const struct inventory *inv = a->documents.inventory;
	char place[256];
	struct bay room;

	for (size_t i = 0; i < inv->n_bays; i++) {
		const struct bay *b = inventory_bay(inv, i, &room);

		snprintf(place, sizeof place, "%s/%s", b->host, b->bay);
		if (str_same(place, who) || is_drive(b, who))
			return true;
	}
	return false;
}

struct series *api_series(struct api *a, const struct api_query *q, struct page **reply, int *status)
{
	struct series *s = NULL;
	struct err e;

	if (!a->ready)
		*reply = starting(status);
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

/* ---- changes ---- */

/* An alert as it is now, by its id. */
static struct page *one_alert(struct api *a, int64_t id, int *status)
{
	json_t *alert;
	size_t i;

	json_array_foreach(json_object_get(a->documents.given[DOCUMENT_ALERTS], "alerts"), i, alert)
		if (json_integer_value(json_object_get(alert, "id")) == id)
			return page_of_json(json_incref(alert), type_json);
	return problem(status, 404, "No such alert", "it is over, or never was; /api/v1/alerts lists those that stand");
}

struct page *api_change(struct api *a, const char *method, const char *path, const struct buf *body, const char *user, uint64_t *ticket, int *status)
{
	struct change c;
	struct err e;

	*status = 503;
	*ticket = 0;
	if (!a->ready || !a->changes)
		return problem(status, 503, "Not now", "the first poll is not over yet; try again in a few seconds");
	if (change_read(&c, method, path, buf_text(body), body->len, user, &e))
		return problem(status, 400, "Bad request", e.text);
	if (a->changes->alert(a->changes->arg, &c, ticket, status, &e))
		return problem(status, *status, *status == 404 ? "No such alert" : "Not as it is", e.text);
	*status = 200;
	return one_alert(a, c.alert_id, status);
}

int api_await_change(const struct api *a, uint64_t ticket, struct err *e)
{
	return a->changes->kept(a->changes->arg, ticket, e);
}

