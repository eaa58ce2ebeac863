/* SPDX-License-Identifier: MIT */
/*
 * config_parse: libconfuse, and nothing else knows it.  Gets a text that config_scan.c has
 * been over, and puts the values where the scan has found their keys.
 */
#include "agent/config_text.h"
#include "base/mem.h"
#include "base/str.h"

#include <confuse.h>
#include <errno.h>
#include <stdlib.h>

/* The scan has told already what is wrong; what it did not see is told by config_parse(). */
static void quiet(cfg_t *cfg, const char *fmt, va_list ap)
{
	(void)cfg;
	(void)fmt;
	(void)ap;
}

/* All values are texts to libconfuse: types are checked where file and line can be said. Returns how many there are. */
static size_t add_keys(cfg_opt_t *opts, enum config_place place)
{
	const cfg_opt_t end = CFG_END();
	size_t n = 0;

	for (const struct config_key *k = config_keys; k->name; k++) {
		const cfg_opt_t one = CFG_STR(k->name, NULL, CFGF_NODEFAULT);
		const cfg_opt_t list = CFG_STR_LIST(k->name, NULL, CFGF_NODEFAULT);

		if (k->place == place)
			opts[n++] = k->type == TYPE_PATTERNS ? list : one;
	}
	opts[n] = end;
	return n;
}

/* Room in a table for all keys there are, the sections, and the end. */
static size_t table_room(void)
{
	size_t n = PLACES_END + 1;

	for (const struct config_key *k = config_keys; k->name; k++)
		n++;
	return n;
}

static cfg_t *make_parser(void)
{
	const cfg_opt_t end = CFG_END();
	size_t room = table_room();
	cfg_opt_t *tables = mem_new(PLACES_END * room, sizeof *tables);
	cfg_opt_t *top = tables + PLACE_TOP * room;
	size_t n = add_keys(top, PLACE_TOP);
	cfg_t *cfg;

	for (size_t p = PLACE_TOP + 1; p < PLACES_END; p++) {
		const cfg_opt_t section = CFG_SEC(config_place_name((enum config_place)p),
			tables + p * room, CFGF_MULTI | CFGF_TITLE);

		add_keys(tables + p * room, (enum config_place)p);
		top[n++] = section;
	}
	top[n] = end;
	cfg = cfg_init(top, CFGF_NONE); /* copies the tables */
	free(tables);
	if (cfg)
		cfg_set_error_function(cfg, quiet);
	return cfg;
}

static void take_values(struct config_section *s, cfg_t *from)
{
	for (size_t i = 0; i < s->n; i++) {
		struct config_value *v = &s->values[i];
		cfg_opt_t *opt = cfg_getopt(from, v->key->name);
		size_t n = opt && !v->wrong ? cfg_opt_size(opt) : 0;

		v->texts = mem_new(n, sizeof *v->texts);
		for (; v->n < n; v->n++) {
			const char *text = cfg_opt_getnstr(opt, (unsigned)v->n);

			v->texts[v->n] = mem_text(text ? text : "");
		}
	}
}

int config_parse(struct config_text *out, const char *text, struct config *c)
{
	unsigned seen[PLACES_END] = {0};
	cfg_t *cfg = make_parser();
	int rc = -1;

	if (!cfg) /* it has no other reason; a status of 78 would be the end for systemd */
		mem_exhausted();
	errno = 0;
	if (cfg_parse_buf(cfg, text) != CFG_SUCCESS)
		goto out;
	take_values(&out->sections[0], cfg);
	for (size_t i = 1; i < out->n_sections; i++) {
		struct config_section *s = &out->sections[i];
		cfg_t *from = cfg_getnsec(
			cfg, config_place_name(s->place), seen[s->place]++);

		if (!from || !str_same(cfg_title(from), s->title))
			goto out;
		take_values(s, from);
	}
	rc = 0;
out:
	if (rc && errno == ENOMEM)
		mem_exhausted();
	if (rc)
		config_error_add(c, out->file, cfg->line, "not understood");
	cfg_free(cfg);
	return rc;
}
