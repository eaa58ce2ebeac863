/* SPDX-License-Identifier: MIT */
/* notify_way: the table of the ways; see notify_way.h. */
#include "agent/notify_way.h"

#include "base/str.h"

#include <stdlib.h>

static const struct {
	const char *word;
	const struct notify_way *way;
} ways[NOTIFY_TYPES_END] = {
	[NOTIFY_WEBHOOK] = {"webhook", &notify_webhook},
	[NOTIFY_ALERTMANAGER] = {"alertmanager", &notify_alertmanager},
	[NOTIFY_MAIL] = {"mail", &notify_mail},
	[NOTIFY_SYSLOG] = {"syslog", &notify_syslog},
	[NOTIFY_EXEC] = {"exec", &notify_exec},
};

const struct notify_way *notify_way_of(enum notify_type t)
{
	return t < NOTIFY_TYPES_END ? ways[t].way : NULL;
}

const char *notify_type_word(enum notify_type t)
{
	return t < NOTIFY_TYPES_END ? ways[t].word : NULL;
}

enum notify_type notify_type_of(const char *word)
{
	for (size_t i = 1; i < NOTIFY_TYPES_END; i++)
		if (str_same(ways[i].word, word))
			return (enum notify_type)i;
	return NOTIFY_UNKNOWN;
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void notify_config_release(struct notify_config *c)
{
	free(c->url);
	free(c->username);
	free(c->password_file);
	free(c->ca_file);
	free(c->pin);
	free(c->template_text);
	free(c->from);
	free(c->socket);
	free_list(c->to);
	free_list(c->command);
	patterns_release(&c->kinds);
}

const char *notify_text(const json_t *notice, const char *key)
{
	const char *text = json_string_value(json_object_get(notice, key));

	return text ? text : "";
}
