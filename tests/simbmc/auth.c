/* SPDX-License-Identifier: MIT */
/*
 * Sessions and the Basic header.
 */
#include "tests/simbmc/auth.h"

#include "base/clock.h"
#include "base/mem.h"
#include "tests/simbmc/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

void auth_init(struct auth *a, enum auth_mode mode, const char *user,
	       const char *password, unsigned max_sessions, unsigned timeout_s,
	       const char *sessions_path)
{
	*a = (struct auth){
		.mode = mode,
		.user = user,
		.password = password,
		.max_sessions = max_sessions,
		.timeout_s = timeout_s,
		.sessions_path = mem_text(sessions_path),
	};
}

void auth_drop_all(struct auth *a)
{
	while (a->first) {
		struct session *s = a->first;

		a->first = s->next;
		free(s);
	}
	a->live = 0;
}

void auth_release(struct auth *a)
{
	auth_drop_all(a);
	free(a->sessions_path);
	*a = (struct auth){0};
}

static void make_token(char token[AUTH_TOKEN_SIZE])
{
	unsigned char raw[(AUTH_TOKEN_SIZE - 1) / 2];

	if (getrandom(raw, sizeof raw, 0) != (ssize_t)sizeof raw)
		fail(SIM_EX_OSERR, "no random bytes for a session token");
	for (size_t i = 0; i < sizeof raw; i++)
		snprintf(token + 2 * i, 3, "%02x", raw[i]);
}

int auth_open(struct auth *a, const char *user, const char *password,
	      const struct session **out)
{
	struct session *s;

	*out = NULL;
	if (a->mode == AUTH_BASIC)
		return 405;
	if (!user || !password || strcmp(user, a->user) || strcmp(password, a->password))
		return 401;
	if (a->live >= a->max_sessions)
		return 503;
	s = mem_new(1, sizeof *s);
	s->id = ++a->last_id;
	s->opened_wall_ms = clock_wall_ms();
	s->used_mono_ms = clock_mono_ms();
	make_token(s->token);
	s->next = a->first;
	a->first = s;
	a->live++;
	*out = s;
	return 201;
}

static bool has_id(const struct session *s, const char *id)
{
	char own[16];

	snprintf(own, sizeof own, "%u", s->id);
	return !strcmp(own, id);
}

static void remove_at(struct auth *a, struct session **at)
{
	struct session *s = *at;

	*at = s->next;
	free(s);
	a->live--;
}

bool auth_close(struct auth *a, const char *id)
{
	for (struct session **at = &a->first; *at; at = &(*at)->next) {
		if (has_id(*at, id)) {
			remove_at(a, at);
			return true;
		}
	}
	return false;
}

void auth_expire(struct auth *a)
{
	int64_t oldest = clock_mono_ms() - (int64_t)a->timeout_s * 1000;
	struct session **at = &a->first;

	if (!a->timeout_s)
		return;
	while (*at) {
		if ((*at)->used_mono_ms < oldest)
			remove_at(a, at);
		else
			at = &(*at)->next;
	}
}

/* Three bytes into four letters; out is large enough by the caller's word. */
static void base64(const char *in, char *out)
{
	static const char abc[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				  "0123456789+/";
	size_t n = strlen(in);

	for (size_t i = 0; i < n; i += 3) {
		unsigned v = (unsigned char)in[i] << 16;

		if (i + 1 < n)
			v |= (unsigned)(unsigned char)in[i + 1] << 8;
		if (i + 2 < n)
			v |= (unsigned char)in[i + 2];
		*out++ = abc[v >> 18 & 63];
		*out++ = abc[v >> 12 & 63];
		*out++ = i + 1 < n ? abc[v >> 6 & 63] : '=';
		*out++ = i + 2 < n ? abc[v & 63] : '=';
	}
	*out = '\0';
}

static bool basic_fits(const struct auth *a, const char *authorization)
{
	char *pair, *want;
	bool same;

	if (strncasecmp(authorization, "Basic ", 6))
		return false;
	pair = format("%s:%s", a->user, a->password);
	want = mem_new(strlen(pair) + 3, 2);
	base64(pair, want);
	same = !strcmp(want, authorization + 6);
	free(want);
	free(pair);
	return same;
}

bool auth_allows(struct auth *a, const char *token, const char *authorization)
{
	if (a->mode == AUTH_NONE)
		return true;
	for (struct session *s = a->first; token && s; s = s->next) {
		if (!strcmp(s->token, token)) {
			s->used_mono_ms = clock_mono_ms();
			return true;
		}
	}
	if (a->mode == AUTH_SESSION || !authorization)
		return false;
	return basic_fits(a, authorization);
}

static json_t *packed(json_t *doc)
{
	if (!doc)
		fail(SIM_EX_TEMPFAIL, "a document could not be written");
	return doc;
}

json_t *auth_list_doc(const struct auth *a)
{
	json_t *members = packed(json_array());

	for (const struct session *s = a->first; s; s = s->next) {
		char *id = format("%s/%u", a->sessions_path, s->id);

		json_array_append_new(members,
				      packed(json_pack("{s:s}", "@odata.id", id)));
		free(id);
	}
	return packed(json_pack("{s:s, s:s, s:s, s:i, s:o}",
		"@odata.id", a->sessions_path,
		"@odata.type", "#SessionCollection.SessionCollection",
		"Name", "Session Collection",
		"Members@odata.count", (int)a->live,
		"Members", members));
}

json_t *auth_session_doc(const struct auth *a, const char *id)
{
	const struct session *s = a->first;
	char opened[CLOCK_TEXT_MAX];
	char *path;
	json_t *doc;

	while (s && !has_id(s, id))
		s = s->next;
	if (!s)
		return NULL;
	path = format("%s/%u", a->sessions_path, s->id);
	doc = packed(json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}",
		"@odata.id", path,
		"@odata.type", "#Session.v1_6_0.Session",
		"Id", strrchr(path, '/') + 1,
		"Name", "User Session",
		"UserName", a->user,
		"SessionType", "Redfish",
		"ClientOriginIPAddress", "127.0.0.1",
		"CreatedTime", clock_text(s->opened_wall_ms, opened)));
	free(path);
	return doc;
}
