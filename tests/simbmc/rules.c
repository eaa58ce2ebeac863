/* SPDX-License-Identifier: MIT */
/*
 * Reads and matches rules.
 */
#include "tests/simbmc/rules.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/simbmc/util.h"

#include <jansson.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define RULES_MAX	((size_t)16 << 20)
#define POOL_BYTES	((size_t)32 << 10)
#define FLOOD_BYTES	192	/* of one flood header in the connection's pool, with room */

static char *bytes_of(const json_t *s, size_t *len)
{
	char *copy = mem_new(json_string_length(s) + 1, 1);

	*len = json_string_length(s);
	memcpy(copy, json_string_value(s), *len);
	return copy;
}

/* The texts of JSON are Unicode; a raw answer is made of their first 256 characters. */
static char *latin1_of(const json_t *s, size_t *len)
{
	const unsigned char *in = (const unsigned char *)json_string_value(s);
	size_t n = json_string_length(s), out = 0;
	char *copy = mem_new(n + 1, 1);

	for (size_t i = 0; i < n; i++) {
		if ((in[i] == 0xc2 || in[i] == 0xc3) && i + 1 < n)
			copy[out++] = (char)((in[i] & 3) << 6 | (in[i + 1] & 0x3f)), i++;
		else
			copy[out++] = (char)in[i];
	}
	*len = out;
	return copy;
}

static char *unhex(const json_t *s, size_t *len, struct err *e)
{
	const char *in = json_string_value(s);
	char *out = mem_new(strlen(in) / 2 + 1, 1);

	*len = 0;
	while (*in) {
		char pair[5] = {'0', 'x', in[0], in[1], '\0'};
		int64_t v;

		if (*in == ' ' || *in == '\n') {
			in++;
			continue;
		}
		if (!in[1] || !str_to_int(pair, 0, 255, &v)) {
			free(out);
			err_set(e, "\"hex\" holds something else");
			return NULL;
		}
		out[(*len)++] = (char)v;
		in += 2;
	}
	return out;
}

static int read_count(const json_t *o, const char *key, int64_t max, int64_t *out,
	struct err *e)
{
	const json_t *v = json_object_get(o, key);

	if (!v)
		return 0;
	if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > max)
		return err_set(e, "\"%s\" is no number up to %lld", key, (long long)max);
	*out = json_integer_value(v);
	return 0;
}

static int read_unsigned(const json_t *o, const char *key, unsigned *out, struct err *e)
{
	int64_t v = *out;

	if (read_count(o, key, INT_MAX, &v, e) < 0)
		return -1;
	*out = (unsigned)v;
	return 0;
}

static int check_text(const json_t *v, const char *key, struct err *e)
{
	if (v && !json_is_string(v))
		return err_set(e, "\"%s\" is no text", key);
	return 0;
}

static int read_when(struct rule *r, const json_t *when, struct err *e)
{
	const char *method = json_string_value(json_object_get(when, "method"));
	const char *path = json_string_value(json_object_get(when, "path"));
	size_t n;

	if (!method || !path)
		return err_set(e, "\"when\" wants a method and a path");
	r->method = mem_text(method);
	r->path = mem_text(path);
	n = strlen(path);
	if (n && path[n - 1] == '*') {
		r->prefix = true;
		r->path[n - 1] = '\0';
	}
	r->from = 1;
	r->to = UINT_MAX;
	if (read_unsigned(when, "from", &r->from, e) < 0)
		return -1;
	return read_unsigned(when, "to", &r->to, e);
}

static int read_headers(struct rule *r, const json_t *headers, struct err *e)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)headers, name, value) {
		if (!json_is_string(value))
			return err_set(e, "the header %s is no text", name);
		r->headers = mem_grow(r->headers, r->n_headers, sizeof *r->headers);
		r->headers[r->n_headers++] = (struct rule_header){
			mem_text(name), mem_text(json_string_value(value))};
	}
	return 0;
}

static int read_repeat(struct rule *r, const json_t *o, struct err *e)
{
	const char *unit = json_string_value(json_object_get(o, "unit"));
	const char *prefix = json_string_value(json_object_get(o, "prefix"));
	const char *suffix = json_string_value(json_object_get(o, "suffix"));
	int64_t count = 0;
	size_t n, times;

	if (!unit || !*unit || read_count(o, "count", (int64_t)1 << 40, &count, e) < 0)
		return err_set(e, "\"repeat\" wants a unit and a count");
	n = strlen(unit);
	times = n < 65536 ? 65536 / n : 1;
	r->has_repeat = true;
	r->repeat.prefix = mem_text(prefix ? prefix : "");
	r->repeat.suffix = mem_text(suffix ? suffix : "");
	r->repeat.unit_bytes = (uint64_t)count * n;
	r->repeat.block_len = n * times;
	r->repeat.block = mem_new(r->repeat.block_len, 1);
	for (size_t i = 0; i < times; i++)
		memcpy(r->repeat.block + i * n, unit, n);
	return 0;
}

static int read_body(struct rule *r, const json_t *d, struct err *e)
{
	const json_t *json = json_object_get(d, "json");
	const json_t *text = json_object_get(d, "text");
	const json_t *hex = json_object_get(d, "hex");
	const json_t *raw = json_object_get(d, "raw");
	const json_t *repeat = json_object_get(d, "repeat");

	if (check_text(text, "text", e) < 0 || check_text(hex, "hex", e) < 0 ||
		check_text(raw, "raw", e) < 0)
		return -1;
	if (raw)
		r->raw = latin1_of(raw, &r->raw_len);
	if (repeat)
		return read_repeat(r, repeat, e);
	if (json) {
		r->body = json_dumps(json, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
		if (!r->body)
			return err_set(e, "\"json\" cannot be written");
		r->body_len = strlen(r->body);
		r->fill_in = true;
	} else if (text) {
		r->body = bytes_of(text, &r->body_len);
	} else if (hex) {
		r->body = unhex(hex, &r->body_len, e);
		if (!r->body)
			return -1;
	}
	return 0;
}

static int read_drip(struct rule *r, const json_t *drip, struct err *e)
{
	if (!drip)
		return 0;
	if (read_unsigned(drip, "bytes", &r->drip_bytes, e) < 0 ||
		read_unsigned(drip, "every_ms", &r->drip_ms, e) < 0)
		return -1;
	if (!r->drip_bytes)
		return err_set(e, "\"drip\" wants bytes and every_ms");
	return 0;
}

static int read_then(struct rule *r, const json_t *then, struct err *e)
{
	const char *text = json_string_value(json_object_get(then, "text"));
	int64_t status = 503;

	if (!then)
		return 0;
	if (read_unsigned(then, "count", &r->then_all.count, e) < 0 ||
		read_count(then, "status", 999, &status, e) < 0)
		return -1;
	r->then_all.status = (int)status;
	r->then_all.text = mem_text(text ? text : "");
	return 0;
}

static int read_manner(struct rule *r, const json_t *d, struct err *e)
{
	int64_t status = 200, cut = 0;
	const json_t *suffix = json_object_get(d, "only_suffix");

	if (read_count(d, "status", 999, &status, e) < 0 ||
		read_count(d, "cut_after", (int64_t)1 << 40, &cut, e) < 0 ||
		read_unsigned(d, "delay_ms", &r->delay_ms, e) < 0 ||
		read_unsigned(d, "hold_ms", &r->hold_ms, e) < 0 ||
		read_unsigned(d, "header_flood", &r->header_flood, e) < 0 ||
		read_drip(r, json_object_get(d, "drip"), e) < 0 ||
		check_text(suffix, "only_suffix", e) < 0)
		return -1;
	if (status < 100)
		return err_set(e, "\"status\" %lld is no HTTP status", (long long)status);
	r->status = (int)status;
	r->status_given = json_object_get(d, "status") != NULL;
	r->has_cut = json_object_get(d, "cut_after") != NULL;
	r->cut_after = (uint64_t)cut;
	r->gzip = json_is_true(json_object_get(d, "gzip"));
	r->chunked = json_is_true(json_object_get(d, "chunked"));
	r->endless = json_is_true(json_object_get(d, "endless_chunks"));
	r->drop_sessions = json_is_true(json_object_get(d, "drop_sessions"));
	r->only_suffix = suffix ? mem_text(json_string_value(suffix)) : NULL;
	return read_then(r, json_object_get(d, "then_all"), e);
}

/* A word that we do not know would be a hostile answer that never happens. */
static int check_words(const json_t *o, const char *const *words, struct err *e)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)o, key, value) {
		size_t i = 0;

		while (words[i] && strcmp(words[i], key))
			i++;
		if (!words[i])
			return err_set(e, "\"%s\" is no word of a rule", key);
	}
	return 0;
}

static int read_rule(struct rule *r, const json_t *o, struct err *e)
{
	static const char *const when_words[] = {"method", "path", "from", "to", NULL};
	static const char *const do_words[] = {"status", "headers", "json", "text", "hex",
		"repeat", "raw", "endless_chunks", "gzip", "chunked", "delay_ms", "hold_ms",
		"drip", "cut_after", "header_flood", "drop_sessions", "then_all",
		"only_suffix", NULL};
	const json_t *when = json_object_get(o, "when");
	const json_t *d = json_object_get(o, "do");

	if (!json_is_object(when) || !json_is_object(d))
		return err_set(e, "it wants \"when\" and \"do\"");
	if (check_words(when, when_words, e) < 0 || check_words(d, do_words, e) < 0)
		return -1;
	if (read_when(r, when, e) < 0 || read_body(r, d, e) < 0 || read_manner(r, d, e) < 0)
		return -1;
	return read_headers(r, json_object_get(d, "headers"), e);
}

static int read_list(struct rule_book *b, const json_t *list, struct err *e)
{
	b->rules = mem_new(json_array_size(list) + 1, sizeof *b->rules);
	for (size_t i = 0; i < json_array_size(list); i++) {
		b->n++;
		if (read_rule(&b->rules[i], json_array_get(list, i), e) < 0)
			return err_wrap(e, "rule %zu", i + 1);
	}
	return 0;
}

static json_t *load(const char *path, struct err *e)
{
	struct buf text;
	json_error_t why;
	json_t *doc = NULL;

	buf_init(&text, RULES_MAX);
	if (file_read(path, &text, e) == 0) {
		doc = json_loadb(buf_text(&text), text.len, JSON_ALLOW_NUL, &why);
		if (!doc)
			err_set(e, "%s:%d: %s", path, why.line, why.text);
	}
	buf_release(&text);
	return doc;
}

struct rule_book *rule_book_read(const char *path, struct err *e)
{
	json_t *doc = load(path, e);
	const json_t *list = json_is_object(doc) ? json_object_get(doc, "rules") : doc;
	struct rule_book *b = NULL;

	if (!doc)
		return NULL;
	if (!json_is_array(list)) {
		err_set(e, "%s: a list of rules is wanted", path);
	} else {
		b = mem_new(1, sizeof *b);
		if (read_list(b, list, e) < 0) {
			err_wrap(e, "%s", path);
			rule_book_free(b);
			b = NULL;
		}
	}
	json_decref(doc);
	return b;
}

static void rule_release(struct rule *r)
{
	for (size_t i = 0; i < r->n_headers; i++) {
		free(r->headers[i].name);
		free(r->headers[i].value);
	}
	free(r->headers);
	free(r->method);
	free(r->path);
	free(r->only_suffix);
	free(r->body);
	free(r->raw);
	free(r->repeat.prefix);
	free(r->repeat.block);
	free(r->repeat.suffix);
	free(r->then_all.text);
}

void rule_book_free(struct rule_book *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++)
		rule_release(&b->rules[i]);
	free(b->rules);
	free(b);
}

size_t rule_book_memory(const struct rule_book *b)
{
	size_t most = 0;

	for (size_t i = 0; b && i < b->n; i++) {
		if (b->rules[i].header_flood > most)
			most = b->rules[i].header_flood;
	}
	return POOL_BYTES + most * FLOOD_BYTES;
}

struct rule_state *rule_state_new(const struct rule_book *b)
{
	struct rule_state *s = mem_new(1, sizeof *s);

	s->book = b;
	s->counts = mem_new(b->n + 1, sizeof *s->counts);
	return s;
}

void rule_state_free(struct rule_state *s)
{
	if (!s)
		return;
	free(s->counts);
	free(s);
}

static bool fits(const struct rule *r, const char *method, const char *uri)
{
	if (strcmp(r->method, method))
		return false;
	if (r->prefix ? !str_starts(uri, r->path) : strcmp(uri, r->path))
		return false;
	return !r->only_suffix || str_ends(uri, r->only_suffix);
}

const struct rule *rule_match(struct rule_state *s, const char *method, const char *uri,
	size_t *at, unsigned *nth)
{
	while (*at < s->book->n) {
		size_t i = (*at)++;
		const struct rule *r = &s->book->rules[i];

		if (!fits(r, method, uri))
			continue;
		*nth = ++s->counts[i];
		if (*nth >= r->from && *nth <= r->to)
			return r;
	}
	return NULL;
}
