/* SPDX-License-Identifier: MIT */
/*
 * notice: what people are told of alerts: the notification of the contract, before any
 * channel.  Many of one machine at once become one with members, so that a chassis does
 * not fill a mailbox.  Pure.
 */
#ifndef MODEL_NOTICE_H
#define MODEL_NOTICE_H

#include "model/event.h"

#include <stdbool.h>
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
	ALERT_RULE,	 /* a condition of the operator's */
	ALERT_HEARTBEAT, /* no alert: that the agent lives */
	ALERT_TEST,	 /* no alert: that a channel works */
};

enum alert_state { ALERT_STATE_UNKNOWN = 0, ALERT_PENDING, ALERT_FIRING, ALERT_RESOLVED };

/* More than so many of one machine, or unreachable machines, become one notice. */
enum { NOTICE_ALONE_MAX = 3 };

struct notice_member {
	int64_t alert_id;
	enum alert_kind kind;
	enum alert_state state;
	enum severity severity, severity_before;
	int64_t since_wall_ms;
	char target[64], host[96], bay[64], serial[64], rule[64];
	char message[320];
};

/* Texts are "" where they do not apply. */
struct notice {
	char id[64]; /* the same in every repeat of the same news, so that receivers can
			tell */
	int64_t alert_id; /* 0 for a grouped one */
	int64_t at_wall_ms, since_wall_ms;
	enum alert_kind kind;
	enum severity severity, severity_before; /* before: told until now, where it became worse */
	enum alert_state state;
	char target[64], host[96], bay[64], serial[64], rule[64];
	char group[64]; /* of the target; "" none */
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

/* A copy with those for which fits() is true; members are copied too. */
void notices_pick(const struct notices *from, bool (*fits)(const void *arg, const struct notice *n), const void *arg,
	struct notices *out);

const char *alert_kind_word(enum alert_kind k); /* NULL for unknown */
enum alert_kind alert_kind_of(const char *word);
const char *alert_state_word(enum alert_state s);
enum alert_state alert_state_of(const char *word);

#endif
