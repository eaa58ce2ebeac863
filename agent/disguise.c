/* SPDX-License-Identifier: MIT */
/*
 * disguise: see disguise.h.  Learning finds texts by the key that holds them, and addresses
 * by their form in any text; applying replaces every occurrence, longest first.
 */
#include "agent/disguise.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/table.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_UNKNOWN = 0, KIND_SERIAL, KIND_UUID, KIND_MAC, KIND_HOST, KIND_WWN, KIND_IPV4, KIND_IPV6 };

enum { SHORTEST = 4 }; /* shorter texts would be found where they do not belong */

struct alias {
	char *from, *to;
	UT_hash_handle hh;
};

struct disguise {
	struct alias *aliases;
	unsigned n_ipv4, n_ipv6;
};

/*
 * Which keys hold what, whatever resource they stand in: those that end so, blanks apart, so that
 * PCASerialNumber and "Board Serial Number" are found as well.
 */
static const struct {
	const char *key;
	enum kind kind;
} keys[] = {
	{"SerialNumber", KIND_SERIAL},
	{"AssetTag", KIND_SERIAL},
	{"ServiceTag", KIND_SERIAL},
	{"ExpressServiceCode", KIND_SERIAL},
	{"NodeID", KIND_SERIAL},
	{"serial", KIND_SERIAL},
	{"PPID", KIND_SERIAL},
	{"UUID", KIND_UUID},
	{"MACAddress", KIND_MAC},
	{"HostName", KIND_HOST},
	{"FQDN", KIND_HOST},
	{"DomainName", KIND_HOST},
	{"DurableName", KIND_WWN},
	{"SASAddress", KIND_WWN},
	{"WWN", KIND_WWN},
};

static uint64_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *s; s++)
		h = (h ^ (unsigned char)toupper((unsigned char)*s)) * 0x100000001b3u;
	h ^= h >> 32; /* the low bits of FNV-1a alone tell like texts apart badly */
	return h * 0x9e3779b97f4a7c15u;
}

/* ---- what is disguised already ----------------------------------------------------- */

static bool all_of(const char *s, size_t n, const char *set)
{
	return strlen(s) == n && strspn(s, set) == n;
}

static bool is_disguised(enum kind kind, const char *s)
{
	switch (kind) {
	case KIND_SERIAL:
		return str_starts(s, "LW") && all_of(s + 2, 10, "0123456789ABCDEF");
	case KIND_UUID:
		return str_starts(s, "4c570000-0000-4000-8000-");
	case KIND_MAC:
		return str_starts(s, "02:4c:57:");
	case KIND_HOST:
		return str_ends(s, ".example") || str_ends(s, ".example.net") || strcmp(s, "localhost") == 0;
	case KIND_WWN:
		return str_starts(s, "4c57") || str_starts(s, "4C57") || str_starts(s, "4C:57") || str_starts(s, "4c:57");
	case KIND_IPV4:
		return str_starts(s, "192.0.2.") || str_starts(s, "127.") || str_starts(s, "0.") || str_starts(s, "255.");
	case KIND_IPV6:
		return str_starts(s, "2001:db8:") || strcmp(s, "::") == 0 || strcmp(s, "::1") == 0;
	case KIND_UNKNOWN:
		break;
	}
	return true;
}

/* ---- what takes its place ------------------------------------------------------------- */

/* The same separators and length, other digits; the first four say that it was done. */
static void disguise_wwn(const char *from, char *out, size_t size)
{
	static const char mark[] = "4C57", digits[] = "0123456789ABCDEF";
	uint64_t h = hash(from);
	size_t n = 0, o;

	for (o = 0; from[o] && o + 1 < size; o++) {
		if (!isxdigit((unsigned char)from[o])) {
			out[o] = from[o];
			continue;
		}
		out[o] = n < 4 ? mark[n] : digits[(h >> (4 * (n % 16))) & 15];
		n++;
	}
	out[o] = '\0';
}

static void make(struct disguise *d, enum kind kind, const char *from, char *out, size_t size)
{
	unsigned long long h = hash(from);

	switch (kind) {
	case KIND_SERIAL:
		snprintf(out, size, "LW%010llX", h & 0xffffffffffu);
		break;
	case KIND_UUID:
		snprintf(out, size, "4c570000-0000-4000-8000-%012llx", h & 0xffffffffffffu);
		break;
	case KIND_MAC:
		snprintf(out, size, "02:4c:57:%02llx:%02llx:%02llx", h & 255, h >> 8 & 255, h >> 16 & 255);
		break;
	case KIND_HOST:
		snprintf(out, size, "host-%08llx.example", h & 0xffffffffu);
		break;
	case KIND_WWN:
		disguise_wwn(from, out, size);
		break;
	case KIND_IPV4:
		snprintf(out, size, "192.0.2.%u", 1 + d->n_ipv4++ % 254);
		break;
	case KIND_IPV6:
		snprintf(out, size, "2001:db8::%x", 1 + d->n_ipv6++);
		break;
	case KIND_UNKNOWN:
		out[0] = '\0';
		break;
	}
}

/* Remembers one text under its trimmed form; what says nothing ("N/A", blanks) stays. */
static void learn(struct disguise *d, enum kind kind, const char *text)
{
	char from[256], to[300];
	struct alias *a;

	str_clean(from, sizeof from, text);
	if (strlen(from) < SHORTEST || strspn(from, "0-:. ") == strlen(from) || is_disguised(kind, from) ||
		str_has_nocase(from, "N/A") || str_same_nocase(from, "None") || str_same_nocase(from, "Unknown") ||
		str_has_nocase(from, "O.E.M"))
		return;
	HASH_FIND_STR(d->aliases, from, a);
	if (a)
		return;
	make(d, kind, from, to, sizeof to);
	a = mem_new(1, sizeof *a);
	a->from = mem_text(from);
	a->to = mem_text(to);
	HASH_ADD_KEYPTR(hh, d->aliases, a->from, strlen(a->from), a);
}

static int longest_first(struct alias *a, struct alias *b)
{
	size_t n = strlen(a->from), k = strlen(b->from);

	return n < k ? 1 : n > k ? -1 : strcmp(a->from, b->from);
}

/* ---- learning ---------------------------------------------------------------------------- */

/* Addresses by their form, in any text: "host 10.1.2.3 says", "02:11:..", "fe80::1". */
static void learn_addresses(struct disguise *d, const char *text)
{
	while (*text) {
		size_t n = strspn(text, "0123456789abcdefABCDEF:.");
		unsigned char raw[16];
		char word[64];

		if (n >= 7 && n < sizeof word) {
			memcpy(word, text, n);
			word[n] = '\0';
			if (inet_pton(AF_INET, word, raw) == 1)
				learn(d, KIND_IPV4, word);
			else if (n == 17 && strspn(word + 2, ":") == 1 && strchr(word, '.') == NULL && word[14] == ':')
				learn(d, KIND_MAC, word);
			else if ((strstr(word, "::") || n > sizeof "11:22:33:44:55:66:77:88" - 1) && inet_pton(AF_INET6, word, raw) == 1)
				learn(d, KIND_IPV6, word);
		}
		text += n ? n : 1;
	}
}

/* True if a key ends in a name, blanks apart. */
static bool ends_in(const char *key, const char *name)
{
	size_t k = strlen(key), n = strlen(name);

	while (n && k) {
		if (key[k - 1] == ' ')
			k--;
		else if (key[--k] != name[--n])
			return false;
	}
	return n == 0;
}

static void learn_value(struct disguise *d, const char *key, const json_t *value)
{
	const char *text = json_string_value(value);

	if (!text)
		return;
	for (size_t i = 0; key && i < sizeof keys / sizeof keys[0]; i++)
		if (ends_in(key, keys[i].key))
			learn(d, keys[i].kind, text);
	learn_addresses(d, text);
}

/* A server's SKU is its service tag on Dell; a drive's repeats the serial number on others. */
static void learn_sku(struct disguise *d, const json_t *doc)
{
	const char *type = json_string_value(json_object_get(doc, "@odata.type"));

	const char *sku = json_string_value(json_object_get(doc, "SKU"));

	if (sku && type && (str_has_nocase(type, "ComputerSystem") || str_has_nocase(type, "#Chassis")))
		learn(d, KIND_SERIAL, sku);
}

void disguise_learn(struct disguise *d, const json_t *doc)
{
	json_t *todo = json_array(), *value;
	const char *key;
	size_t i;

	learn_sku(d, doc);
	json_array_append(todo, (json_t *)doc);
	for (size_t at = 0; at < json_array_size(todo); at++) {
		json_t *j = json_array_get(todo, at);

		json_object_foreach(j, key, value)
		{
			learn_value(d, key, value);
			if (json_is_object(value) || json_is_array(value))
				json_array_append(todo, value);
		}
		json_array_foreach(j, i, value)
		{
			learn_value(d, NULL, value);
			if (json_is_object(value) || json_is_array(value))
				json_array_append(todo, value);
		}
	}
	json_decref(todo);
	HASH_SORT(d->aliases, longest_first);
}

void disguise_learn_host(struct disguise *d, const char *host)
{
	learn_addresses(d, host);
	if (!strchr(host, ':') && strspn(host, "0123456789.") != strlen(host))
		learn(d, KIND_HOST, host);
	HASH_SORT(d->aliases, longest_first);
}

void disguise_learn_text(struct disguise *d, enum disguise_kind kind, const char *text)
{
	switch (kind) {
	case DISGUISE_SERIAL:
		learn(d, KIND_SERIAL, text);
		break;
	case DISGUISE_UUID:
		learn(d, KIND_UUID, text);
		break;
	case DISGUISE_WWN:
		learn(d, KIND_WWN, text);
		break;
	case DISGUISE_ADDRESSES:
		learn_addresses(d, text);
		break;
	case DISGUISE_UNKNOWN:
		break;
	}
	HASH_SORT(d->aliases, longest_first);
}

/* ---- applying ------------------------------------------------------------------------------- */

/* The alias whose text begins here, as a whole word; the longest wins by the order of the list. */
static const struct alias *alias_at(const struct disguise *d, const char *text, const char *at)
{
	if (at > text && isalnum((unsigned char)at[-1]))
		return NULL;
	for (const struct alias *a = d->aliases; a; a = a->hh.next) {
		size_t n = strlen(a->from);

		if (strncmp(at, a->from, n) == 0 && !isalnum((unsigned char)at[n]))
			return a;
	}
	return NULL;
}

char *disguise_text(const struct disguise *d, const char *text)
{
	struct buf out;

	buf_init(&out, 64u << 20);
	for (const char *at = text; *at;) {
		const struct alias *a = alias_at(d, text, at);

		if (a) {
			buf_add_text(&out, a->to);
			at += strlen(a->from);
		} else {
			buf_add(&out, at++, 1);
		}
	}
	return buf_take(&out);
}

static json_t *disguised(const struct disguise *d, const json_t *value)
{
	char *text = disguise_text(d, json_string_value(value));
	json_t *out = json_string(text);

	free(text);
	return out ? out : json_null();
}

json_t *disguise_apply(const struct disguise *d, const json_t *doc)
{
	json_t *copy = json_deep_copy(doc), *todo = json_array(), *value;
	const char *key;
	void *tmp;
	size_t i;

	json_array_append(todo, copy);
	for (size_t at = 0; at < json_array_size(todo); at++) {
		json_t *j = json_array_get(todo, at);

		json_object_foreach_safe(j, tmp, key, value)
		{
			if (json_is_string(value))
				json_object_set_new(j, key, disguised(d, value));
			else if (json_is_object(value) || json_is_array(value))
				json_array_append(todo, value);
		}
		json_array_foreach(j, i, value)
		{
			if (json_is_string(value))
				json_array_set_new(j, i, disguised(d, value));
			else if (json_is_object(value) || json_is_array(value))
				json_array_append(todo, value);
		}
	}
	json_decref(todo);
	return copy;
}

struct disguise *disguise_new(void)
{
	return mem_new(1, sizeof(struct disguise));
}

void disguise_free(struct disguise *d)
{
	struct alias *a, *next;

	if (!d)
		return;
	HASH_ITER(hh, d->aliases, a, next)
	{
		HASH_DEL(d->aliases, a);
		free(a->from);
		free(a->to);
		free(a);
	}
	free(d);
}
