/* SPDX-License-Identifier: MIT */
/* change: see change.h. */
#include "web/change.h"
#include "base/clock.h"
#include "base/jtext.h"
#include "base/str.h"
#include "web/when.h"

#include <string.h>

enum { SILENCE_DAYS_MAX = 366 };

static const char prefix[] = "/api/v1/alerts/";

static const struct verb {
	const char *name;
	enum change_kind post, drop;
} verbs[] = {
	{"ack", CHANGE_ACK, CHANGE_UNACK},
	{"silence", CHANGE_SILENCE, CHANGE_UNSILENCE},
};

/* The verb of a path, and the alert that it is for; NULL if it is no such path. */
static const struct verb *verb_of(const char *path, int64_t *id)
{
	const char *slash;
	char digits[24] = "";

	if (!str_starts(path, prefix))
		return NULL;
	path += strlen(prefix);
	slash = strchr(path, '/');
	if (!slash || slash == path || (size_t)(slash - path) >= sizeof digits)
		return NULL;
	memcpy(digits, path, (size_t)(slash - path));
	if (strspn(digits, "0123456789") != strlen(digits) || !str_to_int(digits, 1, INT64_MAX, id))
		return NULL;
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
		if (strcmp(slash + 1, verbs[i].name) == 0)
			return &verbs[i];
	return NULL;
}

bool change_has_path(const char *path)
{
	int64_t id;

	return verb_of(path, &id);
}

static int refuse_other_keys(const json_t *j, struct err *e)
{
	static const char *const known[] = {"by", "note", "until"};
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)j, key, value)
	{
		bool fits = false;

		for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
			fits |= strcmp(key, known[i]) == 0;
		if (!fits)
			return err_set(e, "no key \"%.40s\"; there are by, note and until", key);
		if (!json_is_string(value))
			return err_set(e, "%s is a text", key);
	}
	return 0;
}

static int read_until(struct change *c, const json_t *j, struct err *e)
{
	const char *text = jtext_string(json_object_get(j, "until"));
	int64_t now = clock_wall_ms();

	if (c->kind != CHANGE_SILENCE)
		return text ? err_set(e, "until belongs to a silence; to acknowledge has no end") : 0;
	c->until_wall_ms = text ? when_parse(text) : CLOCK_NEVER;
	if (c->until_wall_ms == CLOCK_NEVER)
		return err_set(e, "until has to be given: a time as 2026-11-30T12:00:00Z, or how long as +4h or +7d");
	if (c->until_wall_ms <= now || c->until_wall_ms > now + SILENCE_DAYS_MAX * INT64_C(86400000))
		return err_set(e, "until lies in the past, or more than a year ahead");
	return 0;
}

static int read_body(struct change *c, const json_t *j, const char *user, struct err *e)
{
	if (!json_is_object(j))
		return err_set(e, "the body is no JSON object");
	if (refuse_other_keys(j, e))
		return -1;
	jtext_copy(c->note, sizeof c->note, json_object_get(j, "note"));
	if (user) /* it cannot be said in another's name */
		str_clean(c->by, sizeof c->by, user);
	else
		jtext_copy(c->by, sizeof c->by, json_object_get(j, "by"));
	if (!c->by[0])
		return err_set(e, "by has to be given: who does it");
	return read_until(c, j, e);
}

int change_read(struct change *c, const char *method, const char *path, const char *body, size_t len, const char *user, struct err *e)
{
	const struct verb *v;
	struct err why;
	json_t *j;
	int rc;

	*c = (struct change){.until_wall_ms = CLOCK_NEVER};
	v = verb_of(path, &c->alert_id);
	if (!v)
		return err_set(e, "nothing can be changed at this path");
	if (strcmp(method, "DELETE") == 0) {
		c->kind = v->drop;
		str_clean(c->by, sizeof c->by, user);
		return 0;
	}
	c->kind = v->post;
	j = jtext_parse(body, len, NULL, &why);
	if (!j)
		return err_set(e, "the body cannot be read as JSON: %s", why.text);
	rc = read_body(c, j, user, e);
	json_decref(j);
	return rc;
}
