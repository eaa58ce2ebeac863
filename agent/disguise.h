/* SPDX-License-Identifier: MIT */
/*
 * disguise: replaces what identifies a machine or its owner in captured documents: serial
 * numbers, service and asset tags, UUIDs, MAC and IP addresses, host names, EUIs.
 *
 * Consistently: equal stays equal, different stays different, in values and in paths.  What
 * is disguised already is known by its form and left alone, so that a capture of a capture
 * is the same.
 */
#ifndef AGENT_DISGUISE_H
#define AGENT_DISGUISE_H

#include <jansson.h>

struct disguise;

struct disguise *disguise_new(void);
void disguise_free(struct disguise *d);

/* Looks through a document for what has to be replaced. First for all documents, then disguise_apply(). */
void disguise_learn(struct disguise *d, const json_t *doc);

/* Learns one name that is known to be a host's. */
void disguise_learn_host(struct disguise *d, const char *host);

/* What local drives tell: not documents but files. */
enum disguise_kind { DISGUISE_UNKNOWN = 0, DISGUISE_SERIAL, DISGUISE_UUID, DISGUISE_WWN, DISGUISE_ADDRESSES };

/* Learns one text that is known to be of a kind, or the addresses in it. */
void disguise_learn_text(struct disguise *d, enum disguise_kind kind, const char *text);

/* A disguised copy of a document; the caller's to json_decref(). */
json_t *disguise_apply(const struct disguise *d, const json_t *doc);

/* A disguised copy of a text (a path, a name); the caller's to free(). */
char *disguise_text(const struct disguise *d, const char *text);

#endif
