/* SPDX-License-Identifier: MIT */
/*
 * zpool_text: `zpool status` in text, as OpenZFS, FreeBSD, illumos and zfs-fuse print it.
 *
 * A pool is a block of "name: text" lines, then a table whose rows begin with a tab.  Names may
 * hold blanks, so a row is cut at the column of STATE in its own header, never at a blank; depth
 * is the indentation by two.  The wording of sentences is kept for people and not understood.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/zfs/zpool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_LEN = 1024, FIELD_MAX_LEN = 2048 };

enum where { WHERE_UNKNOWN = 0, WHERE_HEAD, WHERE_CONFIG, WHERE_ROWS };

struct reader {
	struct zpool_pools *out;
	struct pool *pool; /* the last of out */
	enum where where;
	enum pool_part part;
	size_t state_column; /* behind the tab */
	int n_columns;	     /* behind STATE */
	bool root_seen;
	size_t n_nodes;
	char field[16]; /* the head line that is being collected */
	char text[FIELD_MAX_LEN];
};

/* ---- head lines ---- */

static void end_field(struct reader *r)
{
	struct pool *p = r->pool;

	if (p && (str_same(r->field, "scan") || str_same(r->field, "scrub"))) {
		if (p->n_scans < POOL_SCANS_MAX && zpool_read_scan(r->text, &p->scans[p->n_scans]))
			p->n_scans++;
	} else if (p && str_same(r->field, "status")) {
		str_clean(p->status, sizeof p->status, r->text);
	}
	r->field[0] = '\0';
	r->text[0] = '\0';
}

static void add_text(struct reader *r, const char *s)
{
	size_t n = strlen(r->text);

	s += strspn(s, " \t");
	if (n && n + 1 < sizeof r->text) {
		r->text[n++] = ' ';
		r->text[n] = '\0';
	}
	str_copy(r->text + n, sizeof r->text - n, s);
}

static void take_errors(struct pool *p, const char *s)
{
	char number[24];
	size_t n = strspn(s, "0123456789");

	if (str_starts(s, "No known data errors")) {
		p->data_errors = 0;
	} else if (n && n < sizeof number && str_starts(s + n, " data errors")) {
		memcpy(number, s, n);
		number[n] = '\0';
		if (!str_to_int(number, 0, INT64_MAX, &p->data_errors))
			p->data_errors = -1;
	}
}

/* "  pool: tank": the word before the colon, and what follows it. */
static bool split_head(char *line, const char **key, char **value)
{
	char *colon;

	*key = line + strspn(line, " ");
	colon = strchr(*key, ':');
	if (!colon || colon == *key || strcspn(*key, " \t") < (size_t)(colon - *key))
		return false;
	*colon = '\0';
	*value = colon + 1 + (colon[1] == ' ');
	return true;
}

static void begin_pool(struct reader *r, const char *name)
{
	r->pool = zpool_add(r->out, name);
	r->where = WHERE_HEAD;
	r->root_seen = false;
}

static void head_line(struct reader *r, char *line)
{
	const char *key;
	char *value, word[24];

	if (!split_head(line, &key, &value))
		return;
	end_field(r);
	if (str_same(key, "pool")) {
		begin_pool(r, value);
		return;
	}
	if (!r->pool)
		return;
	if (str_same(key, "config")) {
		r->where = WHERE_CONFIG;
	} else if (str_same(key, "errors")) {
		take_errors(r->pool, value);
	} else if (str_same(key, "state")) {
		str_clean(word, sizeof word, value);
		r->pool->state = pool_state_of(word);
	} else {
		str_copy(r->field, sizeof r->field, key);
		add_text(r, value);
	}
}

/* ---- the table ---- */

static void table_head(struct reader *r, const char *body)
{
	const char *state = strstr(body, "STATE"), *s;

	if (!str_starts(body, "NAME ") || !state)
		return;
	r->state_column = (size_t)(state - body);
	r->n_columns = 0;
	for (s = state + strcspn(state, " "); *s;) {
		s += strspn(s, " ");
		r->n_columns += *s != '\0';
		s += strcspn(s, " ");
	}
	r->part = PART_DATA;
	r->where = WHERE_ROWS;
}

/* Takes a word off; false if there is none. */
static bool take_word(const char **s, char *out, size_t size)
{
	size_t n;

	*s += strspn(*s, " \t");
	n = strcspn(*s, " \t");
	if (n == 0)
		return false;
	str_clean_bytes(out, size, *s, n < size ? n : size - 1);
	*s += n;
	return true;
}

/* Counters, and the cells of -s, --power and -d; a spare's row has none and its text follows at once. */
static void take_cells(struct reader *r, struct pool_node *n, const char **s)
{
	struct count *counts[] = {&n->read_errors, &n->write_errors, &n->checksum_errors};

	for (int i = 0; i < r->n_columns; i++) {
		const char *before = *s;
		char word[24];
		double v;

		if (!take_word(s, word, sizeof word))
			return;
		v = zpool_number(word);
		if (isnan(v) && !str_same(word, "-") && !str_same(word, "on") && !str_same(word, "off")) {
			*s = before;
			return;
		}
		if (i < 3 && !isnan(v) && v < 9e18)
			*counts[i] = count_of((uint64_t)(v + 0.5));
	}
}

/* "was PATH", and remarks in words or in brackets. */
static void take_note(struct pool_node *n, const char *s)
{
	const char *was, *end;
	char rest[256];

	s += strspn(s, " \t");
	n->resilvering = strstr(s, "(resilvering)") || strstr(s, "(awaiting resilver)");
	was = str_starts(s, "was ") ? s : strstr(s, "  was ");
	if (!was) {
		str_clean(n->note, sizeof n->note, s);
		return;
	}
	str_copy(rest, (size_t)(was - s) + 1 < sizeof rest ? (size_t)(was - s) + 1 : sizeof rest, s);
	was += strspn(was, " ") + strlen("was ");
	end = strstr(was, "  (");
	str_clean_bytes(n->was, sizeof n->was, was, end ? (size_t)(end - was) : strlen(was));
	if (end)
		str_copy(rest + strlen(rest), sizeof rest - strlen(rest), end + 2);
	str_clean(n->note, sizeof n->note, rest);
}

/* A heading stands at depth 0 with nothing behind it; the first row of all is the pool. */
static bool is_section(const struct reader *r, const char *body, enum pool_part *part)
{
	char word[24];

	if (!r->root_seen || body[0] == ' ' || !str_copy(word, sizeof word, body))
		return false;
	word[strcspn(word, " \t")] = '\0';
	*part = zpool_section(word);
	return *part && body[strlen(word) + strspn(body + strlen(word), " \t")] == '\0';
}

static void table_row(struct reader *r, const char *body)
{
	size_t indent = strspn(body, " "), len = strlen(body);
	char name[sizeof((struct pool_node *)0)->name], word[24];
	enum pool_part part;
	struct pool_node *n;
	const char *rest;

	if (is_section(r, body, &part)) {
		r->part = part;
		return;
	}
	if (len <= r->state_column || indent >= r->state_column || indent % 2 || indent > 32)
		return;
	str_clean_bytes(name, sizeof name, body + indent, r->state_column - indent);
	rest = body + r->state_column;
	if (!name[0] || !take_word(&rest, word, sizeof word))
		return;
	if (indent == 0) { /* the pool's own row: its word stands in when there is no line "state:" */
		r->root_seen = true;
		if (!r->pool->state)
			r->pool->state = pool_state_of(word);
		return;
	}
	if (!r->root_seen || ++r->n_nodes > ZPOOL_NODES_MAX)
		return;
	n = pool_add_node(r->pool, name, r->part, (int)indent / 2 - 1);
	n->state = pool_state_of(word);
	if (n->part != PART_SPARE)
		take_cells(r, n, &rest);
	take_note(n, rest);
}

/* ---- all of it ---- */

/* A row deeper than one below its predecessor has no parent; it is taken one below. */
static void settle(struct pool *p)
{
	for (size_t i = 0; i < p->n_nodes; i++) {
		bool first = i == 0 || p->nodes[i].part != p->nodes[i - 1].part;
		int most = first ? 0 : p->nodes[i - 1].depth + 1;

		if (p->nodes[i].depth > most)
			p->nodes[i].depth = most;
	}
	pool_settle_kinds(p);
}

static void take_line(struct reader *r, char *line)
{
	if (line[0] == '\t' && r->where == WHERE_ROWS) {
		table_row(r, line + 1);
	} else if (line[0] == '\t' && r->where == WHERE_CONFIG) {
		table_head(r, line + 1);
	} else if (line[0] == '\t') {
		if (r->field[0])
			add_text(r, line);
	} else if (line[0] == '\0') {
		if (r->where == WHERE_ROWS)
			r->where = WHERE_HEAD; /* "errors:" follows */
	} else {
		if (r->where == WHERE_ROWS)
			r->where = WHERE_HEAD;
		head_line(r, line);
	}
}

/* Says that there is nothing, in a few words that have not changed. */
static bool says_nothing(const char *text, size_t len)
{
	static const char none[] = "no pools available";

	for (size_t i = 0; i < len; i++)
		if (!strchr(" \t\r\n", text[i]) || !text[i])
			return len - i >= sizeof none - 1 && memcmp(text + i, none, sizeof none - 1) == 0;
	return true;
}

int zpool_read_text(const char *text, size_t len, struct zpool_pools *out, struct err *e)
{
	struct reader *r = mem_new(1, sizeof *r);
	struct zpool_line line;
	char copy[LINE_MAX_LEN];
	bool nothing = says_nothing(text, len);

	*out = (struct zpool_pools){0};
	r->out = out;
	while (zpool_next_line(&text, &len, &line)) {
		size_t n = line.len < sizeof copy ? line.len : sizeof copy - 1;

		memcpy(copy, line.s, n);
		copy[n] = '\0';
		take_line(r, copy);
	}
	end_field(r);
	free(r);
	for (size_t i = 0; i < out->n; i++)
		settle(&out->pools[i]);
	if (out->n == 0 && !nothing)
		return err_set(e, "not the output of zpool status: there is no line \"pool:\" in it");
	return 0;
}
