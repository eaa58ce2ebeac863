/* SPDX-License-Identifier: MIT */
/* config_token: see config_token.h. */
#include "agent/config_token.h"

#include <string.h>

int scan_error(struct scan *s, int line, const char *message)
{
	return config_error_add(s->c, s->out->file, line, "%s", message);
}

void scan_blank(struct scan *s, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (s->text[i] != '\n')
			s->text[i] = ' ';
}

char scan_peek(const struct scan *s, size_t ahead)
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
	bool block = scan_peek(s, 0) == '/' && scan_peek(s, 1) == '*';

	if (!block) {
		skip_line(s);
		scan_blank(s, from, s->at);
		return true;
	}
	for (s->at += 2; s->at < s->len; s->at++) {
		if (scan_peek(s, 0) == '*' && scan_peek(s, 1) == '/') {
			s->at += 2;
			scan_blank(s, from, s->at);
			return true;
		}
		s->line += scan_peek(s, 0) == '\n';
	}
	return false;
}

static bool at_comment(const struct scan *s)
{
	return scan_peek(s, 0) == '#' ||
	       (scan_peek(s, 0) == '/' &&
		       (scan_peek(s, 1) == '/' || scan_peek(s, 1) == '*'));
}

static enum token bad(struct scan *s, enum token what, const char *message)
{
	scan_error(s, s->start_line, message);
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
		return ch == '\\' || ch == '\'' ?
			       NULL :
			       "within single quotes a backslash stands only before \\ and '";
	return ch && strchr("\\'\"$", ch) ?
		       NULL :
		       "a backslash stands only before \\ ' \" and $; write \\\\ for a backslash";
}

/* A string in double or single quotes; libconfuse expands variables in double ones. */
static enum token read_string(struct scan *s)
{
	char quote = s->text[s->at++], ch;
	const char *fault = NULL;
	size_t n = 0;

	s->word[0] = '\0';
	s->quoted = true;
	for (; (ch = scan_peek(s, 0)) != quote; s->at++) {
		if (s->at >= s->len || ch == '\n')
			return bad(s, TOKEN_LOST,
				"the string does not end on its line; the closing quote is missing");
		if (quote == '"' && ch == '$' && scan_peek(s, 1) == '{')
			fault = "variables are not expanded: write the value itself (or \\${ for these characters)";
		if (ch == '\\') {
			ch = scan_peek(s, 1);
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

bool scan_in_word(const struct scan *s)
{
	char ch = scan_peek(s, 0);

	return s->at < s->len && !strchr(" #\"'\t\n\r={}()+,", ch) && !at_comment(s);
}

static enum token read_word(struct scan *s)
{
	size_t n = 0;

	s->word[0] = '\0';
	s->quoted = false;
	for (; scan_in_word(s); s->at++)
		keep(s, n++, scan_peek(s, 0));
	if (scan_peek(s, 0) == '{' && s->text[s->at - 1] == '$') {
		s->at += strcspn(s->text + s->at, "}\n");
		s->at += scan_peek(s, 0) == '}';
		return bad(s, TOKEN_BAD,
			"variables are not expanded: write the value itself");
	}
	if (n >= sizeof s->word)
		return bad(s, TOKEN_BAD, "the word is longer than 255 bytes");
	return s->token = TOKEN_WORD;
}

enum token scan_next(struct scan *s)
{
	for (;;) {
		char ch = scan_peek(s, 0);

		s->start = s->at;
		s->start_line = s->line;
		if (s->at >= s->len)
			return s->token = TOKEN_END;
		if (at_comment(s)) {
			if (!skip_comment(s))
				return bad(s, TOKEN_LOST,
					"the comment that begins here does not end; */ is missing");
		} else if (ch == '\n') {
			s->line++;
			s->at++;
		} else if (ch == ' ' || ch == '\t' || ch == '\r') {
			s->at++;
		} else if (ch == '"' || ch == '\'') {
			return read_string(s);
		} else if (strchr("{}()=,", ch) ||
			   (ch == '+' && scan_peek(s, 1) == '=')) {
			s->mark = ch;
			s->at += ch == '+' ? 2 : 1;
			return s->token = TOKEN_MARK;
		} else if (ch == '+') {
			s->at++;
			return bad(s, TOKEN_BAD,
				"a + means nothing here; quote what it belongs to");
		} else {
			return read_word(s);
		}
	}
}

bool scan_is(const struct scan *s, char mark)
{
	return s->token == TOKEN_MARK && s->mark == mark;
}

void scan_back(struct scan *s)
{
	s->at = s->start;
	s->line = s->start_line;
}
