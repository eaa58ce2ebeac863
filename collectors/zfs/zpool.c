/* SPDX-License-Identifier: MIT */
/* zpool: what the readers share, and how list and iostat go into the pools; see zpool.h. */
#include "collectors/zfs/zpool.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void zpool_pools_release(struct zpool_pools *ps)
{
	for (size_t i = 0; i < ps->n; i++)
		pool_release(&ps->pools[i]);
	free(ps->pools);
	*ps = (struct zpool_pools){0};
}

struct pool *zpool_add(struct zpool_pools *ps, const char *name)
{
	if (ps->n >= ZPOOL_POOLS_MAX)
		return NULL;
	ps->pools = mem_grow(ps->pools, ps->n, sizeof *ps->pools);
	ps->pools[ps->n] = pool_unknown(name);
	return &ps->pools[ps->n++];
}

bool zpool_next_line(const char **text, size_t *len, struct zpool_line *out)
{
	const char *end;

	if (*len == 0)
		return false;
	end = memchr(*text, '\n', *len);
	out->s = *text;
	out->len = end ? (size_t)(end - *text) : *len;
	*text += out->len + (end != NULL);
	*len -= out->len + (end != NULL);
	if (out->len && out->s[out->len - 1] == '\r')
		out->len--;
	return true;
}

enum pool_part zpool_section(const char *word)
{
	static const struct {
		const char *word;
		enum pool_part part;
	} sections[] = {
		{"logs", PART_LOG},
		{"cache", PART_CACHE},
		{"l2cache", PART_CACHE},
		{"spares", PART_SPARE},
		{"special", PART_SPECIAL},
		{"dedup", PART_DEDUP},
	};

	for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
		if (str_same(sections[i].word, word))
			return sections[i].part;
	return PART_UNKNOWN;
}

double zpool_number(const char *s)
{
	static const char units[] = "KMGTPE";
	char text[24];
	const char *unit = NULL;
	size_t n = strlen(s);
	double v, step = 1;

	if (n == 0 || n >= sizeof text)
		return NAN;
	str_copy(text, sizeof text, s);
	if (text[n - 1] == 'B' && n > 1)
		text[--n] = '\0';
	unit = strchr(units, text[n - 1]);
	if (unit)
		text[n - 1] = '\0';
	if (text[strspn(text, "0123456789.")] || !str_to_double(text, &v))
		return NAN;
	for (const char *u = units; unit && u <= unit; u++)
		step *= 1024;
	return v * step;
}

int64_t zpool_time(const char *s)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char text[40], out[32];
	const char *month, *year;
	size_t n;

	str_copy(text, sizeof text, s);
	n = strlen(text);
	if (n < 24 || text[3] != ' ' || text[7] != ' ' || text[10] != ' ' || text[13] != ':' || text[16] != ':')
		return CLOCK_NEVER;
	year = text + 20;
	if (str_starts(year, "UTC ") || str_starts(year, "GMT ")) /* any other zone is not known here */
		year += 4;
	memcpy(out, text + 4, 3);
	out[3] = '\0';
	month = strstr(months, out);
	if (!month || (month - months) % 3 || strspn(year, "0123456789") != 4)
		return CLOCK_NEVER;
	n = (size_t)(month - months) / 3 + 1;
	memcpy(out, year, 4);
	out[4] = out[7] = '-';
	out[5] = (char)('0' + n / 10);
	out[6] = (char)('0' + n % 10);
	out[8] = text[8] == ' ' ? '0' : text[8];
	out[9] = text[9];
	out[10] = 'T';
	memcpy(out + 11, text + 11, 8);
	out[19] = 'Z';
	out[20] = '\0';
	return clock_parse(out);
}

int zpool_read_status(const char *text, size_t len, struct zpool_pools *out, struct err *e)
{
	size_t i = 0;

	while (i < len && strchr(" \t\r\n", text[i]) && text[i])
		i++;
	return i < len && text[i] == '{' ? zpool_read_json(text, len, out, e) : zpool_read_text(text, len, out, e);
}

/* ---- list and iostat into the pools ---- */

static struct pool *find_pool(struct zpool_pools *ps, const char *name)
{
	for (size_t i = 0; i < ps->n; i++)
		if (str_same(ps->pools[i].name, name))
			return &ps->pools[i];
	return NULL;
}

/* A row of the pool itself: at depth 0; where the form tells no depth, by its name. */
static struct pool *pool_row(struct zpool_pools *ps, const struct zpool_row *r)
{
	return r->depth > 0 || r->part != PART_UNKNOWN ? NULL : find_pool(ps, r->name);
}

void zpool_take_list(struct zpool_pools *ps, const struct zpool_rows *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct zpool_row *row = &r->rows[i];
		struct pool *p = pool_row(ps, row);

		if (!p || row->n_cells < 3)
			continue;
		p->size_bytes = zpool_number(row->cells[0]);
		p->alloc_bytes = zpool_number(row->cells[1]);
		p->free_bytes = zpool_number(row->cells[2]);
	}
}

/* "raidz2" of old versions stands for "raidz2-0". */
static bool same_vdev(const char *printed, const char *name)
{
	size_t n = strlen(printed);

	return strncmp(printed, name, n) == 0 &&
	       (name[n] == '\0' || (name[n] == '-' && name[n + 1] && name[n + 1 + strspn(name + n + 1, "0123456789")] == '\0'));
}

/* `status` may have been asked without -P, or the other way round. */
static bool same_member(const char *printed, const struct pool_node *n)
{
	char a[192], b[192];
	const char *last;

	if (same_vdev(printed, n->name) || str_same(printed, n->path))
		return true;
	str_copy(a, sizeof a, printed);
	str_copy(b, sizeof b, n->name);
	pool_cut_partition(a);
	pool_cut_partition(b);
	last = strrchr(a, '/');
	if (last && str_same(last + 1, b))
		return true;
	last = strrchr(b, '/');
	return last && str_same(last + 1, a);
}

/* Rows come in the order of the tree, some of which iostat leaves out. */
static size_t find_node(const struct pool *p, size_t from, const char *name)
{
	for (size_t i = from; i < p->n_nodes; i++)
		if (p->nodes[i].part != PART_SPARE && same_member(name, &p->nodes[i]))
			return i;
	return p->n_nodes;
}

void zpool_take_iostat(struct zpool_pools *ps, const struct zpool_rows *r)
{
	int last = r->n ? r->rows[r->n - 1].block : 0;
	struct pool *p = NULL;
	size_t next = 0;

	if (last == 0 && !r->scripted)
		return;
	for (size_t i = 0; i < r->n; i++) {
		const struct zpool_row *row = &r->rows[i];
		struct pool *other = pool_row(ps, row);
		size_t k;

		if (row->block != last || row->n_cells < 6)
			continue;
		k = p ? find_node(p, next, row->name) : 0;
		if (p && k < p->n_nodes) {
			p->nodes[k].read_bps = zpool_number(row->cells[4]);
			p->nodes[k].write_bps = zpool_number(row->cells[5]);
			next = k + 1;
		} else if (other) {
			p = other;
			next = 0;
		}
	}
}
