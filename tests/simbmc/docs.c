/* SPDX-License-Identifier: MIT */
/*
 * The look-up of a path in a machine's routes, and the shapes that all documents share.
 */
#include "tests/simbmc/docs.h"

#include "base/mem.h"
#include "tests/simbmc/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *docs_must(void *p)
{
	if (!p)
		fail(SIM_EX_TEMPFAIL, "a document could not be written");
	return p;
}

void put(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) < 0)
		docs_must(NULL);
}

void push(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) < 0)
		docs_must(NULL);
}

__attribute__((format(printf, 2, 0)))
static json_t *vtext(const char *prefix, const char *fmt, va_list ap)
{
	char *tail = vformat(fmt, ap);
	char *whole = format("%s%s", prefix, tail);
	json_t *s = docs_must(json_string(whole));

	free(tail);
	free(whole);
	return s;
}

json_t *text(const char *fmt, ...)
{
	va_list ap;
	json_t *s;

	va_start(ap, fmt);
	s = vtext("", fmt, ap);
	va_end(ap);
	return s;
}

json_t *uri(const char *fmt, ...)
{
	va_list ap;
	json_t *s;

	va_start(ap, fmt);
	s = vtext("/redfish/v1", fmt, ap);
	va_end(ap);
	return s;
}

json_t *ref(const char *fmt, ...)
{
	va_list ap;
	json_t *s;

	va_start(ap, fmt);
	s = vtext("/redfish/v1", fmt, ap);
	va_end(ap);
	return pack("{s:o}", "@odata.id", s);
}

json_t *date_text(time_t wall_s)
{
	char buf[32];
	struct tm tm;

	gmtime_r(&wall_s, &tm);
	strftime(buf, sizeof buf, "%Y-%m-%dT%H:%M:%S+00:00", &tm);
	return docs_must(json_string(buf));
}

json_t *status_of(enum health h)
{
	const char *s = health_text(h);

	return pack("{s:s, s:s?, s:s?}",
		    "State", "Enabled",
		    "Health", s,
		    "HealthRollup", s);
}

json_t *percent(int v)
{
	return docs_must(v < 0 ? json_null() : json_integer(v));
}

json_t *error_body(const char *message_id, const char *message)
{
	return pack("{s:{s:s, s:s, s:[{s:s, s:o, s:[], s:s, s:s}]}}", "error",
		    "code", "Base.1.12.GeneralError",
		    "message", "See the extended information for what went wrong.",
		    "@Message.ExtendedInfo",
		    "MessageId", message_id,
		    "Message", utf8_text(message),
		    "MessageArgs",
		    "Severity", "Warning",
		    "Resolution", "None.");
}

json_t *collection(const struct ask *a, const char *kind, json_t *members)
{
	return pack("{s:o, s:s, s:o, s:o, s:I, s:o}",
		    "@odata.context",
		    uri("/$metadata#%sCollection.%sCollection", kind, kind),
		    "@odata.id", a->path,
		    "@odata.type", text("#%sCollection.%sCollection", kind, kind),
		    "Name", text("%s Collection", kind),
		    "Members@odata.count", (json_int_t)json_array_size(members),
		    "Members", members);
}

json_t *protocol_features(const struct machine *m)
{
	return pack("{s:{s:b, s:b, s:b, s:b, s:i}, s:b, s:b, s:b, s:b}",
		    "ExpandQuery",
		    "ExpandAll", 1, "Levels", 1, "Links", 1, "NoLinks", 1,
		    "MaxLevels", (int)m->desc->expand_levels,
		    "FilterQuery", 0, "SelectQuery", 0, "OnlyMemberQuery", 0,
		    "ExcerptQuery", 0);
}

json_t *doc_session_service(struct ask *a)
{
	return pack("{s:s, s:s, s:s, s:s, s:b, s:i, s:o}",
		    "@odata.id", a->path,
		    "@odata.type", "#SessionService.v1_1_8.SessionService",
		    "Id", "SessionService",
		    "Name", "Session Service",
		    "ServiceEnabled", 1,
		    "SessionTimeout", (int)a->m->session_timeout_s,
		    "Sessions", ref("/SessionService/Sessions"));
}

void put_event_service(const struct machine *m, json_t *root)
{
	if (m->sse)
		put(root, "EventService", ref("/EventService"));
}

json_t *doc_event_service(struct ask *a)
{
	if (!a->m->sse)
		return NULL;
	return pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:{s:b}}",
		    "@odata.id", a->path,
		    "@odata.type", "#EventService.v1_10_0.EventService",
		    "Id", "EventService",
		    "Name", "Event Service",
		    "ServiceEnabled", 1,
		    "ServerSentEventUri", uri("/EventService/SSE"),
		    "SSEFilterPropertiesSupported", "EventFormatType", 1);
}

json_t *doc_systems(struct ask *a)
{
	return collection(a, "ComputerSystem",
			  pack("[o]", ref("/Systems/%s", a->m->desc->system_id)));
}

json_t *doc_chassis_list(struct ask *a)
{
	return collection(a, "Chassis",
			  pack("[o]", ref("/Chassis/%s", a->m->desc->chassis_id)));
}

json_t *doc_managers(struct ask *a)
{
	return collection(a, "Manager",
			  pack("[o]", ref("/Managers/%s", a->m->desc->manager_id)));
}

/* Does segment s fit the pattern's p (n bytes long)? */
static bool segment_fits(const struct chassis_desc *d, const char *p, size_t n,
			 const char *s)
{
	if (n == 1 && *p == '@')
		return true;
	if (n == 2 && *p == '@') {
		const char *id = p[1] == 's' ? d->system_id :
				 p[1] == 'c' ? d->chassis_id : d->manager_id;
		return !strcmp(id, s);
	}
	return strlen(s) == n && !memcmp(p, s, n);
}

static bool pattern_fits(const struct ask *a, const char *pattern)
{
	for (unsigned i = 0; i < a->n; i++) {
		size_t n = strcspn(pattern, "/");

		if (n == 0 || !segment_fits(a->m->desc, pattern, n, a->seg[i]))
			return false;
		pattern += n;
		if (*pattern == '/')
			pattern++;
	}
	return *pattern == '\0';
}

/* Cuts buf at its slashes into a->seg; an empty segment or too many fit no pattern. */
static bool cut_path(struct ask *a, char *buf)
{
	while (*buf) {
		size_t n = strcspn(buf, "/");
		bool more = buf[n] == '/';

		if (n == 0 || a->n == DOCS_SEGMENTS_MAX)
			return false;
		a->seg[a->n++] = buf;
		buf[n] = '\0';
		buf += n + (more ? 1 : 0);
	}
	return true;
}

static json_t *answer(struct ask *a)
{
	for (const struct route *r = a->m->desc->routes; r->pattern; r++) {
		if (pattern_fits(a, r->pattern))
			return r->build(a);
	}
	return NULL;
}

json_t *docs_get(const struct machine *m, const char *path, int *status)
{
	char *whole = format("/redfish/v1%s%s", *path ? "/" : "", path);
	char *cut = mem_text(path);
	struct ask a = {.m = m, .path = whole};
	json_t *doc = cut_path(&a, cut) ? answer(&a) : NULL;

	free(cut);
	free(whole);
	*status = a.status ? a.status : doc ? 200 : 404;
	return doc;
}
