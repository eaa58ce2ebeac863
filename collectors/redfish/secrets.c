/* SPDX-License-Identifier: MIT */
/* secrets: see secrets.h. */
#include "collectors/redfish/secrets.h"
#include "base/buf.h"
#include "base/jtext.h"
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORM_MIN = 6 }; /* an encoding shorter than this says nothing */

/* ---- forms ---------------------------------------------------------------- */

/* Takes over the text of a form, NULL for none. */
static void add_form(struct rf_secrets *s, struct rf_secret_form form)
{
	if (form.text && form.text[0] && s->n < RF_SECRET_FORMS)
		s->forms[s->n++] = form;
	else
		mem_wipe_free(form.text);
}

static char *to_hex(const char *secret)
{
	size_t len = strlen(secret);
	char *out = mem_new(2 * len + 1, 1);

	for (size_t i = 0; i < len; i++)
		snprintf(out + 2 * i, 3, "%02x", (unsigned char)secret[i]);
	return out;
}

/* Percent-encoded, with the unreserved characters of RFC 3986 as they are; NULL if all are. */
static char *to_percent(const char *secret, bool form)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
	char *out = mem_new(3 * strlen(secret) + 1, 1), *to = out;
	bool changed = false;

	for (const char *c = secret; *c; c++) {
		if (strchr(plain, *c)) {
			*to++ = *c;
			continue;
		}
		changed = true;
		if (form && *c == ' ') {
			*to++ = '+';
			continue;
		}
		snprintf(to, 4, "%%%02x", (unsigned char)*c);
		to += 3;
	}
	if (changed)
		return out;
	mem_wipe_free(out);
	return NULL;
}

static char *to_base64(const char *bytes, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *out = mem_new(len / 3 * 4 + 5, 1), *to = out;

	for (size_t i = 0; i + 2 < len; i += 3) { /* whole groups only: the last may end otherwise */
		unsigned n = (unsigned)(unsigned char)bytes[i] << 16 | (unsigned)(unsigned char)bytes[i + 1] << 8 |
			     (unsigned char)bytes[i + 2];

		for (int shift = 18; shift >= 0; shift -= 6)
			*to++ = digits[n >> shift & 63];
	}
	return out;
}

/* The base64 of the secret as it looks `offset` bytes after the start of a group: without the groups that others share. */
static char *to_base64_within(const char *secret, size_t offset)
{
	size_t skip = (3 - offset) % 3, len = strlen(secret);

	return len > skip ? to_base64(secret + skip, len - skip) : NULL;
}

static char *to_reverse(const char *secret)
{
	size_t len = strlen(secret);
	char *out = mem_new(len + 1, 1);

	for (size_t i = 0; i < len; i++)
		out[i] = secret[len - 1 - i];
	return out;
}

/* NULL instead of an encoding that is too short to say anything. */
static char *long_enough(char *text)
{
	if (!text || strlen(text) >= FORM_MIN)
		return text;
	mem_wipe_free(text);
	return NULL;
}

/* As a JSON text has it, between the quotes; NULL if that is the same. */
static char *to_json(const char *secret, size_t flags)
{
	json_t *j = json_string(secret);
	char *quoted = j ? jtext_print(j, JSON_ENCODE_ANY | flags) : NULL, *out = NULL;
	size_t len = quoted ? strlen(quoted) : 0;

	json_decref(j);
	if (len > 2 && len - 2 > strlen(secret)) {
		quoted[len - 1] = '\0';
		out = mem_text(quoted + 1);
	}
	mem_wipe_free(quoted);
	return out;
}

void rf_secrets_add(struct rf_secrets *s, const char *secret, const char *username)
{
	bool is_long = strlen(secret) >= RF_SECRET_LONG;
	size_t len = strlen(secret) + (username ? strlen(username) : 0) + 2;
	char *basic;

	add_form(s, (struct rf_secret_form){.text = mem_text(secret), .is_long = is_long});
	add_form(s, (struct rf_secret_form){.text = to_json(secret, 0), .is_long = is_long});
	add_form(s, (struct rf_secret_form){.text = to_json(secret, JSON_ESCAPE_SLASH), .is_long = is_long});
	add_form(s, (struct rf_secret_form){.text = long_enough(to_reverse(secret)), .is_long = is_long});
	add_form(s, (struct rf_secret_form){.text = long_enough(to_hex(secret)), .fold = true, .is_long = is_long});
	for (int form = 0; form < 2; form++)
		add_form(s, (struct rf_secret_form){.text = to_percent(secret, form), .fold = true, .is_long = is_long});
	for (size_t offset = 0; offset < 3; offset++)
		add_form(s, (struct rf_secret_form){.text = long_enough(to_base64_within(secret, offset)),
			.base64 = true, .is_long = is_long});
	if (!username)
		return;
	basic = mem_new(len, 1);
	snprintf(basic, len, "%s:%s", username, secret);
	add_form(s, (struct rf_secret_form){.text = long_enough(to_base64(basic, strlen(basic))), .base64 = true, .is_long = true});
	mem_wipe_free(basic);
}

void rf_secrets_release(struct rf_secrets *s)
{
	for (size_t i = 0; i < s->n; i++)
		mem_wipe_free(s->forms[i].text);
	*s = (struct rf_secrets){0};
}

/* ---- search --------------------------------------------------------------------- */

/* Where a secret stands in a text. */
struct place {
	const char *at;
	size_t len;
};

/* Adds what stands around a form in base64, up to a group of four on each side: it has the secret's ends in it. */
static void spread(struct place *p, const char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
	size_t n;

	for (n = 0; n < 4 && p->at > text && strchr(digits, p->at[-1]); n++) {
		p->at--;
		p->len++;
	}
	for (n = 0; n < 4 && p->at[p->len] && strchr(digits, p->at[p->len]); n++)
		p->len++;
}

/* The first place of one form in what is left of a text, from `from` on; false if there is none. */
static bool find_form(const struct rf_secret_form *f, const char *text, const char *from, struct place *p)
{
	p->at = f->fold ? strcasestr(from, f->text) : strstr(from, f->text);
	p->len = strlen(f->text);
	if (p->at && f->base64)
		spread(p, text);
	return p->at != NULL;
}

static bool is_in(const struct rf_secrets *s, const char *text, bool all)
{
	struct place p;

	for (size_t i = 0; i < s->n; i++)
		if ((all || s->forms[i].is_long) && find_form(&s->forms[i], text, text, &p))
			return true;
	return false;
}

bool rf_secrets_in(const struct rf_secrets *s, const char *text)
{
	return is_in(s, text, true);
}

/* Each form goes over the text once, however many secrets are in it. */
static void hide_text(const struct rf_secrets *s, json_t *j, bool all)
{
	const char *text = json_string_value(j), *from = text;
	struct place next[RF_SECRET_FORMS];
	struct buf b;

	if (!is_in(s, text, all))
		return;
	for (size_t i = 0; i < s->n; i++)
		if (!(all || s->forms[i].is_long) || !find_form(&s->forms[i], text, text, &next[i]))
			next[i].at = NULL;
	buf_init(&b, 3 * json_string_length(j) + 4);
	for (;;) {
		const struct place *first = NULL;

		for (size_t i = 0; i < s->n; i++) {
			if (next[i].at && next[i].at < from && !find_form(&s->forms[i], from, from, &next[i]))
				next[i].at = NULL;
			if (next[i].at && (!first || next[i].at < first->at))
				first = &next[i];
		}
		if (!first)
			break;
		buf_add(&b, from, (size_t)(first->at - from));
		buf_add_text(&b, "***");
		from = first->at + first->len;
	}
	buf_add_text(&b, from);
	if (json_string_set(j, buf_text(&b))) /* half a character is left */
		json_string_set(j, "***");
	buf_release(&b);
}

/* One object or list: what is in it goes to `todo` if it is one itself. */
static void hide_in(const struct rf_secrets *s, json_t *doc, bool all, json_t *todo)
{
	const char *key;
	void *next;
	size_t i;
	json_t *j;

	json_object_foreach_safe(doc, next, key, j)
	{
		if (json_is_string(j))
			hide_text(s, j, all);
		else if (json_is_object(j) || json_is_array(j))
			json_array_append(todo, j);
		if (is_in(s, key, all))
			json_object_del(doc, key);
	}
	json_array_foreach(doc, i, j)
	{
		if (json_is_string(j))
			hide_text(s, j, all);
		else if (json_is_object(j) || json_is_array(j))
			json_array_append(todo, j);
	}
}

void rf_secrets_hide(const struct rf_secrets *s, const char *body, json_t *doc)
{
	bool all = json_object_get(doc, "error") != NULL;
	json_t *todo;

	/* the body tells whether there is any, but for escapes that any character may be written with */
	if (!s->n || (body && !strstr(body, "\\u") && !strstr(body, "\\/") && !is_in(s, body, all)))
		return;
	todo = json_array();
	json_array_append(todo, doc);
	for (size_t i = 0; i < json_array_size(todo); i++) /* grows as it goes; no recursion on outside input */
		hide_in(s, json_array_get(todo, i), all, todo);
	json_decref(todo);
}
