/* SPDX-License-Identifier: MIT */
/*
 * How a document of a simulated BMC comes to be: a table of path patterns, each with a
 * function that writes the JSON from the machine when it is asked for. Nothing is kept,
 * so 200 instances cost no memory for trees. Helpers for what all documents share.
 */
#ifndef SIMBMC_DOCS_H
#define SIMBMC_DOCS_H

#include "tests/simbmc/machine.h"

#include <jansson.h>

#define DOCS_SEGMENTS_MAX	16

/* A request for one document: the path below /redfish/v1, cut at its slashes. */
struct ask {
	const struct machine *m;
	const char *path;	/* the whole, without a trailing slash */
	const char *seg[DOCS_SEGMENTS_MAX];
	unsigned n;
	int status;		/* set by a builder that gives no document or an error */
};

/*
 * pattern "Systems/@s/Storage/@": @ is any one segment, @s, @c and @m the ids of the
 * machine's system, chassis and manager. The builder gives a new document, or NULL for
 * 404.
 */
struct route {
	const char *pattern;
	json_t *(*build)(struct ask *a);
};

/*
 * The document at path (below /redfish/v1, already percent-decoded); NULL with *status. A
 * document that holds only an error comes with its status too.
 */
json_t *docs_get(const struct machine *m, const char *path, int *status);

/* {"@odata.id": "/redfish/v1" fmt} */
json_t *ref(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* "/redfish/v1" fmt as a JSON string. */
json_t *uri(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
json_t *text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A collection of the kind "Drive" at the path asked for; takes members. */
json_t *collection(const struct ask *a, const char *kind, json_t *members);
/* {"State": "Enabled", "Health": .., "HealthRollup": ..} */
json_t *status_of(enum health h);
/* A number, or null for -1. */
json_t *percent(int v);
/* A Redfish error body with one message. */
json_t *error_body(const char *message_id, const char *message);
/* Adds key -> value, taking the value; ends the program without memory. */
void put(json_t *object, const char *key, json_t *value);
void push(json_t *array, json_t *value);
/* json_pack() that ends the program where it fails: our own bug or no memory. */
#define pack(...) ((json_t *)docs_must(json_pack(__VA_ARGS__)))
void *docs_must(void *p);
/* RFC 3339 in UTC. */
json_t *date_text(time_t wall_s);

/* Shared by all dialects. */
json_t *doc_session_service(struct ask *a);
json_t *doc_systems(struct ask *a);
json_t *doc_chassis_list(struct ask *a);
json_t *doc_managers(struct ask *a);
json_t *protocol_features(const struct machine *m);

/* The entry of record i (machine.h), in the manner of either log. */
json_t *dell_record(const struct machine *m, unsigned i);
json_t *generic_record(const struct machine *m, unsigned i);

/* The event service, and its place in the root, where there is one (--sse). */
json_t *doc_event_service(struct ask *a);
void put_event_service(const struct machine *m, json_t *root);

/* The telemetry service, and its place in the root, where there is one (--telemetry). */
json_t *doc_telemetry(struct ask *a);
json_t *doc_reports(struct ask *a);
json_t *doc_report(struct ask *a);
json_t *doc_report_definitions(struct ask *a);
json_t *doc_report_definition(struct ask *a);
void put_telemetry_service(const struct machine *m, json_t *root);

extern const struct route dell_routes[];
extern const struct route generic_routes[];

#endif
