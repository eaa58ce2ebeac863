/* SPDX-License-Identifier: MIT */
/* notify_config: one `notify` section of the configuration as plain data. */
#ifndef AGENT_NOTIFY_CONFIG_H
#define AGENT_NOTIFY_CONFIG_H

#include "model/event.h"
#include "model/policy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum notify_type {
	NOTIFY_UNKNOWN = 0,
	NOTIFY_WEBHOOK,
	NOTIFY_ALERTMANAGER,
	NOTIFY_MAIL,
	NOTIFY_SYSLOG,
	NOTIFY_EXEC,
	NOTIFY_TYPES_END,
};

/* Texts are the section's own, NULL where not given; lists end with NULL. */
struct notify_config {
	char name[64];
	enum notify_type type;
	char *url; /* http, https; smtp, smtps; udp for syslog */
	char *username, *password_file, *ca_file, *pin;
	bool tls_insecure, allow_plaintext;
	char *template_text; /* JSON of a webhook, checked */
	char *from;
	char **to;
	char **command; /* its first is an absolute path */
	char *socket;   /* of the local syslog */
	int64_t deadline_ms;
	int64_t repeat_ms;    /* Alertmanager: between two posts of what stands */
	int64_t heartbeat_ms; /* 0: none */
	struct patterns kinds; /* n 0: all */
	enum severity severity_min;
};

/* Also of `test` and `heartbeat`, which are no alerts. */
const char *notify_type_word(enum notify_type t); /* NULL for unknown */
enum notify_type notify_type_of(const char *word);

void notify_config_release(struct notify_config *c);

#endif
