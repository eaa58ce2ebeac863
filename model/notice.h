/* SPDX-License-Identifier: MIT */
/*
 * notice: what people are told of alerts: the notification of the contract, before any
 * channel.  Many of one machine at once become one with members, so that a chassis does
 * not fill a mailbox.  Pure.
 */
#ifndef MODEL_NOTICE_H
#define MODEL_NOTICE_H

#include "model/event.h"

#include <stddef.h>
#include <stdint.h>

enum alert_kind {
	ALERT_KIND_UNKNOWN = 0,
	ALERT_LINK,
	ALERT_WEAR,
	ALERT_SPARE,
	ALERT_MEDIA,
	ALERT_HEALTH,
	ALERT_TEMPERATURE,
	ALERT_ABSENT,
	ALERT_HOST_UNREACHABLE,
	ALERT_FLAPPING,
	ALERT_DRIVE_DEAD,
	ALERT_DRIVE_NOT_ANSWERING,
	ALERT_POOL,
	ALERT_STORE_FULL,
	ALERT_FORECAST,
	ALERT_OUTLIER,
};

enum alert_state { ALERT_STATE_UNKNOWN = 0, ALERT_PENDING, ALERT_FIRING, ALERT_RESOLVED };

/* More than so many of one machine, or unreachable machines, become one notice. */
enum { NOTICE_ALONE_MAX = 3 };

struct notice_member {
	int64_t alert_id;
	enum alert_kind kind;
	enum alert_state state;
	char target[64], bay[64], serial[64];
};

/* Texts are "" where they do not apply. */
struct notice {
	char id[64]; /* the same in every repeat of the same news, so that receivers can
			tell */
	int64_t alert_id; /* 0 for a grouped one */
	int64_t at_wall_ms, since_wall_ms;
	enum alert_kind kind;
	enum severity severity;
	enum alert_state state;
	char target[64], host[96], bay[64], serial[64];
	char message[320];
	size_t n_members; /* 0: alone */
	struct notice_member *members;
};

struct notices {
	size_t n;
	struct notice *items;
};

void notices_release(struct notices *n);

/* A new one, zeroed; valid until the next is added. */
struct notice *notices_add(struct notices *n);

/* Puts together what belongs together (NOTICE_ALONE_MAX). */
void notices_group(struct notices *n);

const char *alert_kind_word(enum alert_kind k); /* NULL for unknown */
enum alert_kind alert_kind_of(const char *word);
const char *alert_state_word(enum alert_state s);
enum alert_state alert_state_of(const char *word);

#endif
