/* SPDX-License-Identifier: MIT */
/* bay_map: see bay_map.h.  Pure; filled once by set-up code, read afterwards. */
#include "model/bay_map.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static size_t hex_digits(const char *s)
{
	return strspn(s, "0123456789abcdefABCDEF");
}

/* "00.0": device and function; the length, 0 if it is none. */
static size_t function_len(const char *s)
{
	return hex_digits(s) == 2 && s[2] == '.' && hex_digits(s + 3) == 1 ? 4 : 0;
}

/* "0000:40:01.1", also with a longer domain; the length, 0 if it is none. */
static size_t address_len(const char *s)
{
	size_t domain = hex_digits(s);

	if (domain < 4 || domain > 8 || s[domain] != ':' || hex_digits(s + domain + 1) != 2 || s[domain + 3] != ':' ||
		!function_len(s + domain + 4))
		return 0;
	return domain + 4 + 4;
}

/* An address, then addresses or functions, each behind a slash. */
static bool path_right(const char *s)
{
	size_t n = address_len(s);

	while (n && s[n] == '/') {
		s += n + 1;
		n = address_len(s) ? address_len(s) : function_len(s);
	}
	return n && s[n] == '\0';
}

/* Cuts the blanks off both ends, in place. */
static char *trim(char *s)
{
	size_t n;

	s += strspn(s, " \t");
	n = strlen(s);
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		s[--n] = '\0';
	return s;
}

static int parse(const char *text, struct bay_place *p, struct err *e)
{
	char copy[256], *where, *bay;

	*p = (struct bay_place){0};
	if (!str_copy(copy, sizeof copy, text) || !(where = strrchr(copy, '=')))
		return err_set(e, "'%.80s': write \"BAY = 0000:40:01.1\" or \"BAY = slot NAME\"", text);
	*where++ = '\0';
	where = trim(where);
	bay = trim(copy);
	if (!bay[0] || !str_copy(p->bay, sizeof p->bay, bay))
		return err_set(e, "'%.80s': the name of a bay is 1 to %zu bytes", text, sizeof p->bay - 1);
	if (strncmp(where, "slot", 4) == 0 && (where[4] == ' ' || where[4] == '\t')) {
		if (!str_copy(p->slot, sizeof p->slot, trim(where + 4)))
			return err_set(e, "'%.80s': the name of a slot is at most %zu bytes", text, sizeof p->slot - 1);
		return 0;
	}
	if (!path_right(where) || !str_copy(p->path, sizeof p->path, where))
		return err_set(e,
			"'%.80s' is neither a PCI path, as in 0000:40:01.1 or 0000:40:01.1/00.0, nor \"slot NAME\"", where);
	return 0;
}

int bay_map_add(struct bay_map *m, const char *text, struct err *e)
{
	struct bay_place p;

	if (parse(text, &p, e))
		return -1;
	for (size_t i = 0; i < m->n; i++) {
		if (str_same(m->places[i].bay, p.bay))
			return err_set(e, "bay '%s' is there twice", p.bay);
		if (p.path[0] ? str_same_nocase(m->places[i].path, p.path) : str_same(m->places[i].slot, p.slot))
			return err_set(e, "'%s' is bay '%s' and bay '%s'", p.path[0] ? p.path : p.slot,
				m->places[i].bay, p.bay);
	}
	m->places = mem_grow(m->places, m->n, sizeof *m->places);
	m->places[m->n++] = p;
	return 0;
}

void bay_map_release(struct bay_map *m)
{
	free(m->places);
	*m = (struct bay_map){0};
}

/* One step of a wanted path against one of a drive's; both end at a slash or at the end. */
static bool step_same(const char *want, const char *step)
{
	size_t n = strcspn(want, "/"), k = strcspn(step, "/");

	if (n == 4 && k > n) /* by device and function */
		return strncasecmp(want, step + k - n, n) == 0;
	return n == k && strncasecmp(want, step, n) == 0;
}

static const char *next_step(const char *s)
{
	s += strcspn(s, "/");
	return *s ? s + 1 : NULL;
}

/* How many steps of the drive's way are above the end of `want` and with it; 0 if it is not on the way. */
static size_t depth_of(const char *want, const char *way)
{
	size_t above = 0;

	for (const char *from = way; from; from = next_step(from), above++) {
		const char *w = want, *s = from;
		size_t n = 0;

		while (w && s && step_same(w, s)) {
			n++;
			w = next_step(w);
			s = next_step(s);
		}
		if (!w)
			return above + n;
	}
	return 0;
}

const struct bay_place *bay_map_find(const struct bay_map *m, const struct bay *b)
{
	const struct bay_place *best = NULL, *by_slot = NULL;
	size_t deepest = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct bay_place *p = &m->places[i];
		size_t depth = p->path[0] && b->drive.pci_path[0] ? depth_of(p->path, b->drive.pci_path) : 0;

		if (depth > deepest) {
			best = p;
			deepest = depth;
		}
		if (p->slot[0] && str_same(p->slot, b->slot))
			by_slot = p;
	}
	return best ? best : by_slot;
}
