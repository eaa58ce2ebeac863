/* SPDX-License-Identifier: MIT */
/*
 * config_token: the words, strings and marks of a configuration's text, by the rules of
 * libconfuse's lexer; for config_scan.c alone.
 */
#ifndef AGENT_CONFIG_TOKEN_H
#define AGENT_CONFIG_TOKEN_H

#include "agent/config_text.h"

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

/* Reads the next token; what is wrong with it is said, comments are blanked. */
enum token scan_next(struct scan *s);

/* Puts the last token back. */
void scan_back(struct scan *s);

/* Whether the last token is this mark. */
bool scan_is(const struct scan *s, char mark);

/* The character so far ahead of the next token, '\0' behind the end. */
char scan_peek(const struct scan *s, size_t ahead);

/* Whether a word without quotes goes on here. */
bool scan_in_word(const struct scan *s);

/* Takes a part out of the text; lines stay lines. */
void scan_blank(struct scan *s, size_t from, size_t to);

/* Says an error in a line; returns -1. */
int scan_error(struct scan *s, int line, const char *message);

#endif
