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
#include "agent/config_text.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* TOKEN_BAD is a word that is wrong (said already); TOKEN_LOST is where no end was found. */
enum token { TOKEN_UNKNOWN = 0, TOKEN_END, TOKEN_WORD, TOKEN_MARK, TOKEN_BAD, TOKEN_LOST };

struct scan {
	struct config_text *out;
	struct config *c;
	char *text;
	size_t len, at;
	int line;
	/* the token that was read last */
	enum token token;
	char mark;    /* TOKEN_MARK: one of { } ( ) = , and + for += */
	size_t start; /* where it begins in the text */
	int start_line;
	char word[256]; /* TOKEN_WORD: without quotes and escapes */
	bool quoted;
};

static int complain(struct scan *s, int line, const char *message)
{
	return config_error_add(s->c, s->out->file, line, "%s", message);
}

static void blank(struct scan *s, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (s->text[i] != '\n')
			s->text[i] = ' ';
}

/* ---- tokens ---- */

static char peek(const struct scan *s, size_t ahead)
{
	return s->at + ahead < s->len ? s->text[s->at + ahead] : '\0';
}

static void skip_line(struct scan *s)
{
	while (s->at < s->len && s->text[s->at] != '\n')
		s->at++;
}

/* Stands on a comment's first character; false if a block comment never ends. */
static bool skip_comment(struct scan *s)
{
	size_t from = s->at;
	bool block = peek(s, 0) == '/' && peek(s, 1) == '*';

	if (!block) {
		skip_line(s);
		blank(s, from, s->at);
		return true;
	}
	for (s->at += 2; s->at < s->len; s->at++) {
		if (peek(s, 0) == '*' && peek(s, 1) == '/') {
			s->at += 2;
			blank(s, from, s->at);
			return true;
		}
		s->line += peek(s, 0) == '\n';
	}
	return false;
}

static bool at_comment(const struct scan *s)
{
	return peek(s, 0) == '#' || (peek(s, 0) == '/' && (peek(s, 1) == '/' || peek(s, 1) == '*'));
}

static enum token bad(struct scan *s, enum token what, const char *message)
{
	complain(s, s->start_line, message);
	return s->token = what;
}

static void keep(struct scan *s, size_t n, char ch)
{
	if (n + 1 >= sizeof s->word)
		return;
	s->word[n] = ch;
	s->word[n + 1] = '\0';
}

/* What is wrong with a backslash and the character behind it; NULL if nothing. */
static const char *escape_fault(char quote, char ch)
{
	if (quote == '\'')
		return ch == '\\' || ch == '\'' ? NULL : "within single quotes a backslash stands only before \\ and '";
	return ch && strchr("\\'\"$", ch) ? NULL : "a backslash stands only before \\ ' \" and $; write \\\\ for a backslash";
}

/* A string in double or single quotes; libconfuse expands variables in double ones. */
static enum token read_string(struct scan *s)
{
	char quote = s->text[s->at++], ch;
	const char *fault = NULL;
	size_t n = 0;

	s->word[0] = '\0';
	s->quoted = true;
	for (; (ch = peek(s, 0)) != quote; s->at++) {
		if (s->at >= s->len || ch == '\n')
			return bad(s, TOKEN_LOST, "the string does not end on its line; the closing quote is missing");
		if (quote == '"' && ch == '$' && peek(s, 1) == '{')
			fault = "variables are not expanded: write the value itself (or \\${ for these characters)";
		if (ch == '\\') {
			ch = peek(s, 1);
			if (ch == '\n' || s->at + 1 >= s->len)
				continue;
			if (escape_fault(quote, ch))
				fault = escape_fault(quote, ch);
			s->at++;
		}
		keep(s, n++, ch);
	}
	s->at++;
	if (n >= sizeof s->word)
		fault = "the string is longer than 255 bytes";
	return fault ? bad(s, TOKEN_BAD, fault) : (s->token = TOKEN_WORD);
}

static bool in_word(const struct scan *s)
{
	char ch = peek(s, 0);

	return s->at < s->len && !strchr(" #\"'\t\n\r={}()+,", ch) && !at_comment(s);
}

static enum token read_word(struct scan *s)
{
	size_t n = 0;

	s->word[0] = '\0';
	s->quoted = false;
	for (; in_word(s); s->at++)
		keep(s, n++, peek(s, 0));
	if (peek(s, 0) == '{' && s->text[s->at - 1] == '$') {
		s->at += strcspn(s->text + s->at, "}\n");
		s->at += peek(s, 0) == '}';
		return bad(s, TOKEN_BAD, "variables are not expanded: write the value itself");
	}
	if (n >= sizeof s->word)
		return bad(s, TOKEN_BAD, "the word is longer than 255 bytes");
	return s->token = TOKEN_WORD;
}

static enum token next(struct scan *s)
{
	for (;;) {
		char ch = peek(s, 0);

		s->start = s->at;
		s->start_line = s->line;
		if (s->at >= s->len)
			return s->token = TOKEN_END;
		if (at_comment(s)) {
			if (!skip_comment(s))
				return bad(s, TOKEN_LOST, "the comment that begins here does not end; */ is missing");
		} else if (ch == '\n') {
			s->line++;
			s->at++;
		} else if (ch == ' ' || ch == '\t' || ch == '\r') {
			s->at++;
		} else if (ch == '"' || ch == '\'') {
			return read_string(s);
		} else if (strchr("{}()=,", ch) || (ch == '+' && peek(s, 1) == '=')) {
			s->mark = ch;
			s->at += ch == '+' ? 2 : 1;
			return s->token = TOKEN_MARK;
		} else if (ch == '+') {
			s->at++;
			return bad(s, TOKEN_BAD, "a + means nothing here; quote what it belongs to");
		} else {
			return read_word(s);
		}
	}
}

static bool is_mark(const struct scan *s, char mark)
{
	return s->token == TOKEN_MARK && s->mark == mark;
}

/* Puts the last token back. */
static void unread(struct scan *s)
{
	s->at = s->start;
	s->line = s->start_line;
}

/* ---- values ---- */

/*
 * In a list, at something that does not belong there.  If it is the next key, the } is
 * missing; else the list goes on to its }.
 */
static void end_list(struct scan *s)
{
	struct scan ahead = *s;

	if (s->token == TOKEN_WORD && !s->quoted) {
		while (peek(&ahead, 0) == ' ' || peek(&ahead, 0) == '\t')
			ahead.at++;
		if (peek(&ahead, 0) == '=') {
			unread(s);
			return;
		}
	}
	while (!is_mark(s, '}') && s->token != TOKEN_END && s->token != TOKEN_LOST)
		next(s);
}

/* Goes over the rest of a line that makes no sense, but not over the end of a section. */
static void skip_nonsense(struct scan *s)
{
	int line = s->start_line, depth = 0;

	do {
		depth += is_mark(s, '{');
		depth -= is_mark(s, '}');
		next(s);
	} while (s->start_line == line && s->token != TOKEN_END && s->token != TOKEN_LOST && (depth > 0 || !is_mark(s, '}')));
	if (s->token != TOKEN_LOST)
		unread(s);
}

/*
 * Behind the = : a word, or a list; *list says which.  0, or -1 with the reason said and as
 * much skipped as belongs to it.  `what` is the key, for the message.
 */
static int skip_value(struct scan *s, const char *what, int line, bool *list)
{
	bool fault = false;

	*list = false;
	next(s);
	if (s->token == TOKEN_WORD)
		return 0;
	if (s->token == TOKEN_BAD || s->token == TOKEN_LOST)
		return -1;
	if (!is_mark(s, '{')) {
		unread(s);
		return config_error_add(s->c, s->out->file, line, "%s: the value is missing", what);
	}
	*list = true;
	for (;;) {
		next(s);
		if (is_mark(s, '}'))
			return fault ? -1 : 0;
		fault |= s->token == TOKEN_BAD;
		if (s->token != TOKEN_WORD && s->token != TOKEN_BAD)
			break;
		next(s);
		if (is_mark(s, '}'))
			return fault ? -1 : 0;
		if (!is_mark(s, ','))
			break;
	}
	if (s->token == TOKEN_LOST)
		return -1;
	end_list(s);
	return config_error_add(s->c, s->out->file, line,
		"%s: a list is written {\"one\", \"two\"}; a comma or the } is missing", what);
}

/* Goes over what belongs to a name that nobody knows: a value, arguments, or a whole section. */
static void skip_unknown(struct scan *s)
{
	int depth = 0;

	if (next(s) == TOKEN_WORD)
		next(s); /* a title */
	if (is_mark(s, '=') || is_mark(s, '+')) {
		if (next(s) == TOKEN_WORD || s->token == TOKEN_BAD || s->token == TOKEN_LOST)
			return;
	}
	if (!is_mark(s, '{') && !is_mark(s, '(')) {
		unread(s);
		return;
	}
	do {
		depth += is_mark(s, '{') || is_mark(s, '(');
		depth -= is_mark(s, '}') || is_mark(s, ')');
	} while (depth > 0 && next(s) != TOKEN_END && s->token != TOKEN_LOST);
}

/* ---- statements ---- */

static struct config_section *add_section(struct config_text *t, enum config_place place, const char *title, int line)
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
		snprintf(out, size, "%s \"%s\": ", config_place_name(sec->place), sec->title);
	return out;
}

static void unknown_name(struct scan *s, const struct config_section *sec, const char *name, int line)
{
	const char *near = config_key_nearest(sec->place, name);
	enum config_place other = config_key_elsewhere(name);
	char where[192], clean[64];

	str_clean(clean, sizeof clean, name);
	section_text(sec, where, sizeof where);
	if (strcmp(name, "password") == 0)
		config_error_add(s->c, s->out->file, line, "%sa password never stands in the configuration: "
			"write it to a file (chmod 600) and give password_file", where);
	else if (other == PLACE_TOP)
		config_error_add(s->c, s->out->file, line, "%s'%s' stands outside of all sections", where, clean);
	else if (other)
		config_error_add(s->c, s->out->file, line, "%sno key '%s' here; it belongs into a %s section",
			where, clean, config_place_name(other));
	else if (near)
		config_error_add(s->c, s->out->file, line, "%sno key '%s'; did you mean %s?", where, clean, near);
	else
		config_error_add(s->c, s->out->file, line, "%sno key '%s'; see lanewatch.conf(5)", where, clean);
}

/* name = value, of a key that exists; -1 with the reason said. */
static int read_value(struct scan *s, const struct config_section *sec, struct config_value *v)
{
	char what[256], where[192];
	const struct config_value *before = config_value_get(sec, v->key->name);

	snprintf(what, sizeof what, "%s%s", section_text(sec, where, sizeof where), v->key->name);
	next(s);
	if (!is_mark(s, '=')) {
		config_error_add(s->c, s->out->file, v->line, "%s: write %s = VALUE; the = is missing", what, v->key->name);
		skip_nonsense(s);
		return -1;
	}
	if (skip_value(s, what, v->line, &v->list))
		return -1;
	if (v->list && v->key->type != TYPE_PATTERNS)
		return config_error_add(s->c, s->out->file, v->line, "%s: takes one value, not a list", what);
	if (before)
		return config_error_add(s->c, s->out->file, v->line, "%s: already set in line %d", what, before->line);
	return 0;
}

static int read_key(struct scan *s, struct config_section *sec, const struct config_key *key, int line)
{
	struct config_value v = {.key = key, .line = line};

	v.wrong = read_value(s, sec, &v) != 0;
	if (!config_value_get(sec, key->name)) {
		sec->values = mem_grow(sec->values, sec->n, sizeof *sec->values);
		sec->values[sec->n++] = v;
	}
	return v.wrong ? -1 : 0;
}

static const struct config_section *section_before(const struct config_text *t, enum config_place place, const char *title)
{
	for (size_t i = 1; i < t->n_sections; i++)
		if (t->sections[i].place == place && strcmp(t->sections[i].title, title) == 0)
			return &t->sections[i];
	return NULL;
}

/* include("pattern"), always blanked. */
static void read_include(struct scan *s, size_t from, int line)
{
	char *pattern = NULL;

	next(s);
	if (is_mark(s, '(') && next(s) == TOKEN_WORD) {
		pattern = mem_text(s->word);
		next(s);
	}
	if (pattern && pattern[0] && is_mark(s, ')')) {
		s->out->includes = mem_grow(s->out->includes, s->out->n_includes, sizeof *s->out->includes);
		s->out->includes[s->out->n_includes++] = (struct config_include){pattern, line};
		pattern = NULL;
	} else if (s->token != TOKEN_BAD && s->token != TOKEN_LOST) {
		complain(s, line, "include is written include(\"targets.d/*.conf\")");
		skip_nonsense(s);
	}
	free(pattern);
	blank(s, from, s->at);
}

/*
 * The title and the opening brace of a section.  Gives the section to read into, or NULL with
 * the reason said.
 */
static struct config_section *open_section(struct scan *s, enum config_place place, int line)
{
	const char *name = config_place_name(place);
	const struct config_section *before;
	char title[128], clean[128];

	next(s);
	if (s->token == TOKEN_BAD || s->token == TOKEN_LOST)
		return NULL;
	if (s->token != TOKEN_WORD || !s->word[0]) {
		unread(s);
		config_error_add(s->c, s->out->file, line, "a %s has a name: write %s \"NAME\" { ... }", name, name);
		return NULL;
	}
	str_clean(clean, sizeof clean, s->word);
	if (strcmp(clean, s->word) != 0) {
		config_error_add(s->c, s->out->file, line, "the name of a %s is 1 to 127 printable bytes", name);
		return NULL;
	}
	str_copy(title, sizeof title, s->word);
	next(s);
	if (!is_mark(s, '{')) {
		unread(s);
		config_error_add(s->c, s->out->file, line, "%s \"%s\": the { is missing", name, title);
		return NULL;
	}
	before = section_before(s->out, place, title);
	if (before) {
		config_error_add(s->c, s->out->file, line, "%s \"%s\": there is one of this name already, in line %d", name,
			title, before->line);
		unread(s);
		return NULL;
	}
	if (s->out->n_sections > CONFIG_SECTIONS_MAX) {
		complain(s, line, "too many sections in one file (4096)");
		unread(s);
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
	while (strchr(" \t\r\n", peek(&ahead, 0)) && ahead.at < ahead.len)
		ahead.at++;
	return peek(&ahead, 0) == '"' || peek(&ahead, 0) == '\'' || peek(&ahead, 0) == '{' || in_word(&ahead);
}

/*
 * One key of a section, or its closing brace (then 1).  What is wrong is blanked.
 */
static int read_in_section(struct scan *s, struct config_section *sec)
{
	const struct config_key *key;
	size_t from = s->start;
	int line = s->start_line, rc;

	if (is_mark(s, '}'))
		return 1;
	if (s->token == TOKEN_END || begins_section(s)) {
		config_error_add(s->c, s->out->file, line, "the } of %s \"%s\", which begins in line %d, is missing",
			config_place_name(sec->place), sec->title, sec->line);
		/* closed for the parser too, in place of the blank before; its line numbers are not used */
		if (s->token == TOKEN_WORD && strchr(" \t\n", s->text[from - 1]))
			s->text[from - 1] = '}';
		unread(s);
		return 1;
	}
	key = s->token == TOKEN_WORD && !s->quoted ? config_key_find(sec->place, s->word) : NULL;
	if (key) {
		rc = read_key(s, sec, key, line);
	} else if (s->token == TOKEN_WORD && !s->quoted) {
		unknown_name(s, sec, s->word, line);
		skip_unknown(s);
		rc = -1;
	} else {
		if (s->token != TOKEN_BAD && s->token != TOKEN_LOST)
			config_error_add(s->c, s->out->file, line, "%s \"%s\": %s where a key was expected",
				config_place_name(sec->place), sec->title,
				s->token == TOKEN_WORD ? "a string" : "punctuation");
		skip_nonsense(s);
		rc = -1;
	}
	if (rc)
		blank(s, from, s->at);
	return 0;
}

static int read_section(struct scan *s, enum config_place place, size_t from, int line)
{
	struct config_section *sec = open_section(s, place, line);

	if (!sec && s->token == TOKEN_LOST)
		return -1;
	if (!sec) {
		skip_unknown(s);
		blank(s, from, s->at);
		return 0;
	}
	do
		next(s);
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
		if (is_mark(s, '}'))
			complain(s, line, "'}' closes nothing");
		else if (s->token != TOKEN_BAD && s->token != TOKEN_LOST)
			complain(s, line, s->token == TOKEN_WORD ? "a string where a key or a section was expected" :
								   "punctuation where a key or a section was expected");
		if (!is_mark(s, '}') && s->token != TOKEN_LOST)
			skip_nonsense(s);
		blank(s, from, s->at);
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
		blank(s, from, s->at);
	return 0;
}

/* Control characters mean nothing in a configuration and hide what is written. */
static int check_bytes(struct scan *s)
{
	for (size_t i = 0; i < s->len; i++) {
		unsigned char ch = (unsigned char)s->text[i];

		s->line += ch == '\n';
		if ((ch < 0x20 && ch != '\n' && ch != '\t' && ch != '\r') || ch == 0x7f)
			return config_error_add(s->c, s->out->file, s->line, "a control character (0x%02x); this is no text file", ch);
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
	while (next(&s) != TOKEN_END)
		if (read_at_top(&s))
			return -1;
	return 0;
}
