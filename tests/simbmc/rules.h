/* SPDX-License-Identifier: MIT */
/*
 * The rules of --rules as data, and which of them fits a request. play.c plays them.
 *
 * The file is a JSON list of {"when": {...}, "do": {...}}, or an object that has such a list
 * as "rules". lanewatch-simbmc(8) has the words.
 */
#ifndef SIMBMC_RULES_H
#define SIMBMC_RULES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rule_header {
	char *name, *value;
};

/* A body made of one text many times over, perhaps larger than memory. */
struct rule_repeat {
	char *prefix, *block, *suffix;	/* block: the unit some whole times, for speed */
	size_t block_len;
	uint64_t unit_bytes;		/* all units together */
};

/* What comes next, whatever is asked. */
struct rule_then {
	unsigned count;
	int status;
	char *text;
};

struct rule {
	char *method, *path, *only_suffix;
	bool prefix;			/* the path ended with '*' */
	unsigned from, to;

	int status;
	bool status_given;
	char *body;			/* NULL: the resource as it is */
	size_t body_len;
	bool fill_in;			/* {self} and the like */
	struct rule_header *headers;
	size_t n_headers;
	char *raw;			/* bytes instead of an HTTP answer of ours */
	size_t raw_len;
	bool has_repeat;
	struct rule_repeat repeat;
	bool endless;
	bool gzip, chunked, has_cut;
	unsigned delay_ms, hold_ms, drip_bytes, drip_ms, header_flood;
	uint64_t cut_after;
	bool drop_sessions;
	struct rule_then then_all;
};

struct rule_book {
	struct rule *rules;
	size_t n;
};

/* How often each rule matched in one BMC, and what then_all left to do. */
struct rule_state {
	const struct rule_book *book;
	unsigned *counts;
	struct rule_then pending;	/* text borrowed from its rule */
};

/* NULL with file, number of the rule, and what is wrong with it. */
struct rule_book *rule_book_read(const char *path, struct err *e);
void rule_book_free(struct rule_book *b);

/* What one connection needs for these rules' headers. b may be NULL. */
size_t rule_book_memory(const struct rule_book *b);

struct rule_state *rule_state_new(const struct rule_book *b);
void rule_state_free(struct rule_state *s);

/* The next rule from *at on that fits; counts it, gives its match number in *nth and moves
   *at behind it. NULL past the end. uri with its query. */
const struct rule *rule_match(struct rule_state *s, const char *method, const char *uri,
			      size_t *at, unsigned *nth);

#endif
