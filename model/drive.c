/* SPDX-License-Identifier: MIT */
/* drive: see drive.h. */
#include "model/drive.h"

#include "base/str.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *drive_state_word(enum drive_state s)
{
	switch (s) {
	case DRIVE_STATE_UNKNOWN:
		return NULL;
	case DRIVE_LIVE:
		return "live";
	case DRIVE_DEAD:
		return "dead";
	case DRIVE_NOT_ANSWERING:
		return "not-answering";
	case DRIVE_RESETTING:
		return "resetting";
	}
	return NULL;
}

enum drive_state drive_state_of(const char *word)
{
	for (int s = DRIVE_STATE_UNKNOWN + 1; word && s <= DRIVE_RESETTING; s++)
		if (str_same(word, drive_state_word(s)))
			return s;
	return DRIVE_STATE_UNKNOWN;
}

/* Upper case, blanks and underscores as one blank, none at the ends: two spellings of one text agree. */
static void fold(char *out, size_t size, const char *s)
{
	bool gap = false;
	size_t o = 0;

	for (; *s && o + 2 < size; s++) {
		unsigned char c = (unsigned char)*s;

		if (isspace(c) || c == '_') {
			gap = o > 0;
			continue;
		}
		if (gap)
			out[o++] = ' ';
		gap = false;
		out[o++] = (char)toupper(c);
	}
	out[o] = '\0';
}

/* "0000 0000", "FFFF-FFFF", "........": one character over and over, punctuation left out. */
static bool filler(const char *folded)
{
	char first = '\0';
	size_t n = 0;

	for (const char *p = folded; *p; p++) {
		if (!isalnum((unsigned char)*p) && !((unsigned char)*p & 0x80))
			continue;
		if (n++ == 0)
			first = *p;
		else if (*p != first)
			return false;
	}
	/* a short "11" may be somebody's numbering; zeros, Fs and Xs of any length are not */
	return n == 0 || n >= 4 || strchr("0FX", first);
}

bool drive_serial_identifies(const char *serial)
{
	static const char *const words[] = {
		"N/A", "NA", "N.A.", "NONE", "NULL", "(NULL)", "UNKNOWN", "NOT AVAILABLE",
		"NOT APPLICABLE", "NOT SPECIFIED", "NOT PRESENT", "NOT REPORTED", "NOT SUPPORTED",
		"UNSPECIFIED", "UNDEFINED", "UNAVAILABLE", "INVALID", "EMPTY", "ABSENT", "NO SERIAL",
		"DEFAULT STRING", "TO BE FILLED BY O.E.M.", "SERIAL NUMBER", "SERIALNUMBER",
	};
	char text[64];

	fold(text, sizeof text, serial);
	if (text[strcspn(text, "0123456789")]) /* no word has a digit, and nearly all serials have one */
		return !filler(text);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (str_same(text, words[i]))
			return false;
	return !filler(text);
}

/* FNV-1a, 64 bits: spreads well, needs no table, and nobody gains from a collision. */
static uint64_t hash(uint64_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
	return h;
}

/* `kind` keeps a place that reads like a serial apart from that serial. */
static void set_id(struct drive *d, const char *kind, const char *text)
{
	uint64_t h = hash(hash(UINT64_C(14695981039346656037), kind), text);

	snprintf(d->id, sizeof d->id, "%016" PRIx64, h);
}

void drive_name_place(struct drive *d, const char *place)
{
	set_id(d, "place ", place);
}

void drive_name(struct drive *d, const char *place)
{
	char serial[64];

	if (!drive_serial_identifies(d->serial)) {
		drive_name_place(d, place);
		return;
	}
	fold(serial, sizeof serial, d->serial);
	set_id(d, "serial ", serial);
}

void drive_serial_key(const char *serial, char *out, size_t size)
{
	out[0] = '\0';
	if (drive_serial_identifies(serial))
		fold(out, size, serial);
}

/* What a folded text ends with, '\0' where it is empty. */
static char last_folded(const char *s)
{
	size_t n = strlen(s);

	while (n && (isspace((unsigned char)s[n - 1]) || s[n - 1] == '_'))
		n--;
	return n ? (char)toupper((unsigned char)s[n - 1]) : '\0';
}

bool drive_serial_same(const struct drive *a, const struct drive *b)
{
	char x[64], y[64];

	/* drives of one lot differ in their last digits: most pairs are told apart here */
	if (last_folded(a->serial) != last_folded(b->serial))
		return false;
	fold(x, sizeof x, a->serial);
	fold(y, sizeof y, b->serial);
	return drive_serial_identifies(a->serial) && str_same(x, y);
}

/* True if one model, from some word on (behind a maker's name), begins like the other or the other like it. */
static bool model_within(const char *longer, const char *model)
{
	for (const char *p = longer; p; p = strchr(p, ' ')) {
		p += *p == ' ';
		if (str_starts(p, model) || str_starts(model, p))
			return true;
	}
	return false;
}

static bool models_agree(const struct drive *a, const struct drive *b)
{
	char x[96], y[96];

	fold(x, sizeof x, a->model);
	fold(y, sizeof y, b->model);
	if (!*x || !*y)
		return true;
	return model_within(x, y) || model_within(y, x);
}

bool drive_same(const struct drive *a, const struct drive *b)
{
	return drive_serial_same(a, b) && models_agree(a, b);
}

void drive_add_source(struct drive *d, const char *target)
{
	for (size_t i = 0; i < d->n_sources; i++)
		if (str_same(d->sources[i], target))
			return;
	if (d->n_sources < DRIVE_SOURCES_MAX)
		str_copy(d->sources[d->n_sources], sizeof d->sources[0], target);
	d->n_sources += d->n_sources < DRIVE_SOURCES_MAX;
}

void drive_add_use(struct drive *d, const struct drive_use *u)
{
	for (size_t i = 0; i < d->n_uses; i++)
		if (d->uses[i].kind == u->kind && str_same(d->uses[i].name, u->name) && str_same(d->uses[i].mount, u->mount))
			return;
	if (d->n_uses < DRIVE_USES_MAX)
		d->uses[d->n_uses++] = *u;
}

static const char *const use_words[] = {
	[USE_MOUNT] = "mount",
	[USE_SWAP] = "swap",
	[USE_MD] = "md",
	[USE_LVM] = "lvm",
	[USE_CRYPT] = "crypt",
	[USE_DM] = "dm",
	[USE_OTHER] = "other",
	[USE_MEMBER] = "member",
};

const char *use_kind_word(enum use_kind k)
{
	return (size_t)k < sizeof use_words / sizeof use_words[0] ? use_words[k] : NULL;
}

enum use_kind use_kind_of(const char *word)
{
	for (int k = USE_UNKNOWN + 1; word && k <= USE_MEMBER; k++)
		if (str_same(word, use_words[k]))
			return (enum use_kind)k;
	return USE_UNKNOWN;
}
