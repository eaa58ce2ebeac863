/* SPDX-License-Identifier: MIT */
/*
 * config_scan: the walk over a configuration's text before libconfuse sees it.
 *
 * What libconfuse 3.3 does that an operator must not meet, and what is done about it here:
 * it ends at the first mistake (unknown keys and broken lines are reported and blanked, and
 * the walk goes on); it puts the environment into strings (refused in words); its lexer stays
 * inside of a string or comment that never ends, also for the next file (refused); a comment
 * within a list is an error to it, and its include() takes no pattern (both blanked, the
 * include is remembered); a second section of a name replaces the first (refused).
 * Blanks take the place of what is removed, so that all lines keep their numbers.
 */
#include "agent/config_token.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

/*
 * In a list, at something that does not belong there.  If it is the next key, the } is
 * missing; else the list goes on to its }.
 */
static void end_list(struct scan *s)
{
	struct scan ahead = *s;

	if (s->token == TOKEN_WORD && !s->quoted) {
		while (scan_peek(&ahead, 0) == ' ' || scan_peek(&ahead, 0) == '\t')
			ahead.at++;
		if (scan_peek(&ahead, 0) == '=') {
			scan_back(s);
			return;
		}
	}
	while (!scan_is(s, '}') && s->token != TOKEN_END && s->token != TOKEN_LOST)
		scan_next(s);
}

/* Goes over the rest of a line that makes no sense, but not over the end of a section. */
static void skip_nonsense(struct scan *s)
{
	int line = s->start_line, depth = 0;

	do {
		depth += scan_is(s, '{');
		depth -= scan_is(s, '}');
		scan_next(s);
	} while (s->start_line == line && s->token != TOKEN_END &&
		 s->token != TOKEN_LOST && (depth > 0 || !scan_is(s, '}')));
	if (s->token != TOKEN_LOST)
		scan_back(s);
}

/*
 * Behind the = : a word, or a list; *list says which.  0, or -1 with the reason said and as
 * much skipped as belongs to it.  `what` is the key, for the message.
 */
static int skip_value(struct scan *s, const char *what, int line, bool *list)
{
	bool fault = false;

	*list = false;
	scan_next(s);
	if (s->token == TOKEN_WORD)
		return 0;
	if (s->token == TOKEN_BAD || s->token == TOKEN_LOST)
		return -1;
	if (!scan_is(s, '{')) {
		scan_back(s);
		return config_error_add(
			s->c, s->out->file, line, "%s: the value is missing", what);
	}
	*list = true;
	for (;;) {
		scan_next(s);
		if (scan_is(s, '}'))
			return fault ? -1 : 0;
		fault |= s->token == TOKEN_BAD;
		if (s->token != TOKEN_WORD && s->token != TOKEN_BAD)
			break;
		scan_next(s);
		if (scan_is(s, '}'))
			return fault ? -1 : 0;
		if (!scan_is(s, ','))
			break;
	}
	if (s->token == TOKEN_LOST)
		return -1;
	end_list(s);
	return config_error_add(s->c, s->out->file, line,
		"%s: a list is written {\"one\", \"two\"}; a comma or the } is missing",
		what);
}

/* Goes over what belongs to a name that nobody knows: a value, arguments, or a whole section. */
static void skip_unknown(struct scan *s)
{
	int depth = 0;

	if (scan_next(s) == TOKEN_WORD)
		scan_next(s); /* a title */
	if (scan_is(s, '=') || scan_is(s, '+')) {
		if (scan_next(s) == TOKEN_WORD || s->token == TOKEN_BAD ||
			s->token == TOKEN_LOST)
			return;
	}
	if (!scan_is(s, '{') && !scan_is(s, '(')) {
		scan_back(s);
		return;
	}
	do {
		depth += scan_is(s, '{') || scan_is(s, '(');
		depth -= scan_is(s, '}') || scan_is(s, ')');
	} while (depth > 0 && scan_next(s) != TOKEN_END && s->token != TOKEN_LOST);
}

/* ---- statements ---- */

static struct config_section *add_section(
	struct config_text *t, enum config_place place, const char *title, int line)
{
	struct config_section *s;

	t->sections = mem_grow(t->sections, t->n_sections, sizeof *t->sections);
	s = &t->sections[t->n_sections++];
	*s = (struct config_section){.place = place, .line = line};
	str_copy(s->title, sizeof s->title, title);
	return s;
}

/* `"name" of section` in messages: target "bmc", or nothing at the top. */
static const char *section_text(const struct config_section *sec, char *out, size_t size)
{
	if (sec->place == PLACE_TOP)
		out[0] = '\0';
	else
		snprintf(out, size, "%s \"%s\": ", config_place_name(sec->place),
			sec->title);
	return out;
}

static void unknown_name(
	struct scan *s, const struct config_section *sec, const char *name, int line)
{
	const char *near = config_key_nearest(sec->place, name);
	enum config_place other = config_key_elsewhere(name);
	char where[192], clean[64];

	str_clean(clean, sizeof clean, name);
	section_text(sec, where, sizeof where);
	if (strcmp(name, "password") == 0)
		config_error_add(s->c, s->out->file, line,
			"%sa password never stands in the configuration: "
			"write it to a file (chmod 600) and give password_file",
			where);
	else if (other == PLACE_TOP)
		config_error_add(s->c, s->out->file, line,
			"%s'%s' stands outside of all sections", where, clean);
	else if (other)
		config_error_add(s->c, s->out->file, line,
			"%sno key '%s' here; it belongs into a %s section", where, clean,
			config_place_name(other));
	else if (near)
		config_error_add(s->c, s->out->file, line,
			"%sno key '%s'; did you mean %s?", where, clean, near);
	else
		config_error_add(s->c, s->out->file, line,
			"%sno key '%s'; see lanewatch.conf(5)", where, clean);
}

/* name = value, of a key that exists; -1 with the reason said. */
static int read_value(
	struct scan *s, const struct config_section *sec, struct config_value *v)
{
	char what[256], where[192];
	const struct config_value *before = config_value_get(sec, v->key->name);

	snprintf(what, sizeof what, "%s%s", section_text(sec, where, sizeof where),
		v->key->name);
	scan_next(s);
	if (!scan_is(s, '=')) {
		config_error_add(s->c, s->out->file, v->line,
			"%s: write %s = VALUE; the = is missing", what, v->key->name);
		skip_nonsense(s);
		return -1;
	}
	if (skip_value(s, what, v->line, &v->list))
		return -1;
	if (v->list && v->key->type != TYPE_PATTERNS)
		return config_error_add(s->c, s->out->file, v->line,
			"%s: takes one value, not a list", what);
	if (before)
		return config_error_add(s->c, s->out->file, v->line,
			"%s: already set in line %d", what, before->line);
	return 0;
}

static int read_key(struct scan *s, struct config_section *sec,
	const struct config_key *key, int line)
{
	struct config_value v = {.key = key, .line = line};

	v.wrong = read_value(s, sec, &v) != 0;
	if (!config_value_get(sec, key->name)) {
		sec->values = mem_grow(sec->values, sec->n, sizeof *sec->values);
		sec->values[sec->n++] = v;
	}
	return v.wrong ? -1 : 0;
}

static const struct config_section *section_before(
	const struct config_text *t, enum config_place place, const char *title)
{
	for (size_t i = 1; i < t->n_sections; i++)
		if (t->sections[i].place == place &&
			strcmp(t->sections[i].title, title) == 0)
			return &t->sections[i];
	return NULL;
}

/* include("pattern"), always blanked. */
static void read_include(struct scan *s, size_t from, int line)
{
	char *pattern = NULL;

	scan_next(s);
	if (scan_is(s, '(') && scan_next(s) == TOKEN_WORD) {
		pattern = mem_text(s->word);
		scan_next(s);
	}
	if (pattern && pattern[0] && scan_is(s, ')')) {
		s->out->includes = mem_grow(
			s->out->includes, s->out->n_includes, sizeof *s->out->includes);
		s->out->includes[s->out->n_includes++] = (struct config_include){
			pattern, line};
		pattern = NULL;
	} else if (s->token != TOKEN_BAD && s->token != TOKEN_LOST) {
		scan_error(s, line, "include is written include(\"targets.d/*.conf\")");
		skip_nonsense(s);
	}
	free(pattern);
	scan_blank(s, from, s->at);
}

/*
 * The title and the opening brace of a section.  Gives the section to read into, or NULL with
 * the reason said.
 */
static struct config_section *open_section(
	struct scan *s, enum config_place place, int line)
{
	const char *name = config_place_name(place);
	const struct config_section *before;
	char title[128], clean[128];

	scan_next(s);
	if (s->token == TOKEN_BAD || s->token == TOKEN_LOST)
		return NULL;
	if (s->token != TOKEN_WORD || !s->word[0]) {
		scan_back(s);
		config_error_add(s->c, s->out->file, line,
			"a %s has a name: write %s \"NAME\" { ... }", name, name);
		return NULL;
	}
	str_clean(clean, sizeof clean, s->word);
	if (strcmp(clean, s->word) != 0) {
		config_error_add(s->c, s->out->file, line,
			"the name of a %s is 1 to 127 printable bytes", name);
		return NULL;
	}
	str_copy(title, sizeof title, s->word);
	scan_next(s);
	if (!scan_is(s, '{')) {
		scan_back(s);
		config_error_add(s->c, s->out->file, line, "%s \"%s\": the { is missing",
			name, title);
		return NULL;
	}
	before = section_before(s->out, place, title);
	if (before) {
		config_error_add(s->c, s->out->file, line,
			"%s \"%s\": there is one of this name already, in line %d", name,
			title, before->line);
		scan_back(s);
		return NULL;
	}
	if (s->out->n_sections > CONFIG_SECTIONS_MAX) {
		scan_error(s, line, "too many sections in one file (4096)");
		scan_back(s);
		return NULL;
	}
	return add_section(s->out, place, title, line);
}

/* Whether the last token begins a section although another is open still. */
static bool begins_section(const struct scan *s)
{
	struct scan ahead = *s;

	if (s->token != TOKEN_WORD || s->quoted || !config_place_of(s->word))
		return false;
	while (strchr(" \t\r\n", scan_peek(&ahead, 0)) && ahead.at < ahead.len)
		ahead.at++;
	return scan_peek(&ahead, 0) == '"' || scan_peek(&ahead, 0) == '\'' ||
	       scan_peek(&ahead, 0) == '{' || scan_in_word(&ahead);
}

/*
 * One key of a section, or its closing brace (then 1).  What is wrong is blanked.
 */
static int read_in_section(struct scan *s, struct config_section *sec)
{
	const struct config_key *key;
	size_t from = s->start;
	int line = s->start_line, rc;

	if (scan_is(s, '}'))
		return 1;
	if (s->token == TOKEN_END || begins_section(s)) {
		config_error_add(s->c, s->out->file, line,
			"the } of %s \"%s\", which begins in line %d, is missing",
			config_place_name(sec->place), sec->title, sec->line);
		/* closed for the parser too, in place of the blank before; its line numbers are not used */
		if (s->token == TOKEN_WORD && strchr(" \t\n", s->text[from - 1]))
			s->text[from - 1] = '}';
		scan_back(s);
		return 1;
	}
	key = s->token == TOKEN_WORD && !s->quoted ?
		      config_key_find(sec->place, s->word) :
		      NULL;
	if (key) {
		rc = read_key(s, sec, key, line);
	} else if (s->token == TOKEN_WORD && !s->quoted) {
		unknown_name(s, sec, s->word, line);
		skip_unknown(s);
		rc = -1;
	} else {
		if (s->token != TOKEN_BAD && s->token != TOKEN_LOST)
			config_error_add(s->c, s->out->file, line,
				"%s \"%s\": %s where a key was expected",
				config_place_name(sec->place), sec->title,
				s->token == TOKEN_WORD ? "a string" : "punctuation");
		skip_nonsense(s);
		rc = -1;
	}
	if (rc)
		scan_blank(s, from, s->at);
	return 0;
}

static int read_section(struct scan *s, enum config_place place, size_t from, int line)
{
	struct config_section *sec = open_section(s, place, line);

	if (!sec && s->token == TOKEN_LOST)
		return -1;
	if (!sec) {
		skip_unknown(s);
		scan_blank(s, from, s->at);
		return 0;
	}
	do
		scan_next(s);
	while (read_in_section(s, sec) == 0);
	return 0;
}

/* One statement outside of sections; -1: the walk cannot go on. */
static int read_at_top(struct scan *s)
{
	const struct config_key *key;
	enum config_place place;
	size_t from = s->start;
	int line = s->start_line, rc = 0;

	if (s->token != TOKEN_WORD || s->quoted) {
		if (scan_is(s, '}'))
			scan_error(s, line, "'}' closes nothing");
		else if (s->token != TOKEN_BAD && s->token != TOKEN_LOST)
			scan_error(s, line,
				s->token == TOKEN_WORD ?
					"a string where a key or a section was expected" :
					"punctuation where a key or a section was expected");
		if (!scan_is(s, '}') && s->token != TOKEN_LOST)
			skip_nonsense(s);
		scan_blank(s, from, s->at);
		return 0;
	}
	if (strcmp(s->word, "include") == 0) {
		read_include(s, from, line);
		return 0;
	}
	place = config_place_of(s->word);
	if (place)
		return read_section(s, place, from, line);
	key = config_key_find(PLACE_TOP, s->word);
	if (key) {
		rc = read_key(s, &s->out->sections[0], key, line);
	} else {
		unknown_name(s, &s->out->sections[0], s->word, line);
		skip_unknown(s);
		rc = -1;
	}
	if (rc)
		scan_blank(s, from, s->at);
	return 0;
}

/* Control characters mean nothing in a configuration and hide what is written. */
static int check_bytes(struct scan *s)
{
	for (size_t i = 0; i < s->len; i++) {
		unsigned char ch = (unsigned char)s->text[i];

		s->line += ch == '\n';
		if ((ch < 0x20 && ch != '\n' && ch != '\t' && ch != '\r') || ch == 0x7f)
			return config_error_add(s->c, s->out->file, s->line,
				"a control character (0x%02x); this is no text file", ch);
	}
	s->line = 1;
	return 0;
}

int config_scan(struct config_text *out, char *text, size_t len, struct config *c)
{
	struct scan s = {.out = out, .c = c, .text = text, .len = len, .line = 1};

	if (check_bytes(&s))
		return -1;
	add_section(out, PLACE_TOP, "", 1);
	while (scan_next(&s) != TOKEN_END)
		if (read_at_top(&s))
			return -1;
	return 0;
}
