/* SPDX-License-Identifier: MIT */
/*
 * check_config: says what is wrong with a configuration, or what would be done with it.
 * config_load() has done the work; here it is printed.  Nothing is contacted, and no secret
 * is opened.
 */
#include "agent/cli/command.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/url.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* ---- columns ---- */

enum { COLUMNS_MAX = 5, CELL_MAX = 200 };

/* Rows of texts, the first is the heading. */
struct grid {
	size_t n_columns, n_rows;
	char (*cells)[COLUMNS_MAX][CELL_MAX];
};

static void grid_add(struct grid *g, const char *const cells[COLUMNS_MAX])
{
	g->cells = mem_grow(g->cells, g->n_rows, sizeof *g->cells);
	for (size_t i = 0; i < COLUMNS_MAX; i++)
		str_clean(g->cells[g->n_rows][i], CELL_MAX,
			i < g->n_columns ? cells[i] : "");
	g->n_rows++;
}

/* Characters of a UTF-8 text. */
static size_t characters(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void grid_print(struct grid *g)
{
	size_t widths[COLUMNS_MAX] = {0};

	for (size_t r = 0; r < g->n_rows; r++)
		for (size_t i = 0; i < g->n_columns; i++)
			if (characters(g->cells[r][i]) > widths[i])
				widths[i] = characters(g->cells[r][i]);
	for (size_t r = 0; r < g->n_rows; r++) {
		for (size_t i = 0; i + 1 < g->n_columns; i++)
			printf("  %s%*s", g->cells[r][i],
				(int)(widths[i] - characters(g->cells[r][i])), "");
		printf("  %s\n", g->cells[r][g->n_columns - 1]);
	}
	free(g->cells);
}

/* ---- what would be done ---- */

static const char *or_dash(const char *s)
{
	return s && s[0] ? s : "-";
}

/* Who logs in, and where the password comes from. */
static void account_text(const struct target_config *t, char *out, size_t size)
{
	if (!t->username)
		str_copy(out, size, t->kind == TARGET_REDFISH ? "none" : "-");
	else if (t->password_file)
		snprintf(out, size, "%s, password in %s", t->username, t->password_file);
	else
		snprintf(out, size, "%s, password asked on the terminal", t->username);
}

/* Credentials over http to another machine: allowed in words, so said in words. */
static bool in_the_clear(const struct target_config *t)
{
	struct url u;

	return t->username && url_parse(t->url, &u, NULL) == 0 && !u.tls &&
	       !url_is_loopback(&u);
}

static void tls_text(const struct target_config *t, char *out, size_t size)
{
	if (t->kind != TARGET_REDFISH)
		str_copy(out, size, t->path ? t->path : "-");
	else if (str_starts(t->url, "http:"))
		str_copy(out, size,
			in_the_clear(t) ?
				"NONE: the password crosses the network unencrypted" :
				"none");
	else if (t->ca_file)
		snprintf(out, size, "signed by %s%s", t->ca_file,
			t->pin ? ", and pinned" : "");
	else if (t->pin)
		str_copy(out, size, "pinned");
	else
		str_copy(out, size,
			t->tls_insecure ? "NOT CHECKED" :
					  "signed by an authority of the system");
}

static void print_targets(const struct config *c)
{
	static const char *const head[COLUMNS_MAX] = {
		"TARGET", "HOST", "ADDRESS", "ACCOUNT", "CERTIFICATE"};
	struct grid g = {.n_columns = COLUMNS_MAX};
	char account[CELL_MAX], tls[CELL_MAX];

	printf("\n%zu target%s\n", c->n_targets, c->n_targets == 1 ? "" : "s");
	if (c->n_targets == 0)
		return;
	grid_add(&g, head);
	for (size_t i = 0; i < c->n_targets; i++) {
		const struct target_config *t = &c->targets[i];
		const char *const cells[COLUMNS_MAX] = {t->name, t->host,
			t->url[0] ? t->url : target_kind_word(t->kind), account, tls};

		account_text(t, account, sizeof account);
		tls_text(t, tls, sizeof tls);
		grid_add(&g, cells);
	}
	grid_print(&g);
}

static void patterns_text(
	const struct patterns *p, const char *none, char *out, size_t size)
{
	size_t n = 0;

	str_copy(out, size, p->n ? "" : none);
	for (size_t i = 0; i < p->n && n < size; i++)
		n += (size_t)snprintf(
			out + n, size - n, "%s%s", i ? "," : "", p->items[i]);
}

static void expect_text(const struct policy *p, char *out, size_t size)
{
	out[0] = '\0';
	if (p->has_expect && p->expect.speed_mtps)
		snprintf(out, size, "%s GT/s ", pcie_speed_text(p->expect.speed_mtps));
	if (p->has_expect && p->expect.width_lanes)
		snprintf(out + strlen(out), size - strlen(out), "x%d",
			p->expect.width_lanes);
}

static void print_policies(const struct config *c)
{
	static const char *const head[COLUMNS_MAX] = {
		"POLICY", "TARGETS", "BAYS", "EXPECTS", "EMPTY BAY"};
	struct grid g = {.n_columns = COLUMNS_MAX};
	char targets[CELL_MAX], bays[CELL_MAX], expect[CELL_MAX];

	if (c->policies.n_policies == 0)
		return;
	printf("\n%zu polic%s\n", c->policies.n_policies,
		c->policies.n_policies == 1 ? "y" : "ies");
	grid_add(&g, head);
	for (size_t i = 0; i < c->policies.n_policies; i++) {
		const struct policy *p = &c->policies.policies[i];
		const char *const cells[COLUMNS_MAX] = {p->name, targets, bays, expect,
			p->require_present ? "a fault" : "fine"};

		patterns_text(&p->targets, "all", targets, sizeof targets);
		patterns_text(&p->bays, "all", bays, sizeof bays);
		expect_text(p, expect, sizeof expect);
		if (!expect[0])
			str_copy(expect, sizeof expect, "nothing");
		grid_add(&g, cells);
	}
	grid_print(&g);
}

static void print_cards(const struct config *c)
{
	static const char *const head[COLUMNS_MAX] = {"CARD", "BAYS"};
	struct grid g = {.n_columns = 2};
	char bays[CELL_MAX];

	if (c->policies.n_cards == 0)
		return;
	printf("\n");
	grid_add(&g, head);
	for (size_t i = 0; i < c->policies.n_cards; i++) {
		const char *const cells[COLUMNS_MAX] = {c->policies.cards[i].slot, bays};

		patterns_text(&c->policies.cards[i].bays, "-", bays, sizeof bays);
		grid_add(&g, cells);
	}
	grid_print(&g);
}

/* One row a bay: what is printed is compared with the machine, label by label. */
static void print_maps(const struct config *c)
{
	static const char *const head[COLUMNS_MAX] = {"BAY MAP", "BAY", "PCI PATH OR SLOT"};
	struct grid g = {.n_columns = 3};
	char where[CELL_MAX];

	if (c->policies.n_maps == 0)
		return;
	printf("\n");
	grid_add(&g, head);
	for (size_t i = 0; i < c->policies.n_maps; i++)
		for (size_t k = 0; k < c->policies.maps[i].n; k++) {
			const struct bay_place *p = &c->policies.maps[i].places[k];
			const char *const cells[COLUMNS_MAX] = {c->policies.maps[i].host, p->bay, where};

			snprintf(where, sizeof where, "%s%s", p->path[0] ? "" : "slot ", p->path[0] ? p->path : p->slot);
			grid_add(&g, cells);
		}
	grid_print(&g);
}

static void print_models(const struct config *c)
{
	static const char *const head[COLUMNS_MAX] = {
		"DRIVE MODEL", "RATED TBW", "RATED DWPD"};
	struct grid g = {.n_columns = 3};
	char tbw[32], dwpd[32];

	if (c->policies.n_models == 0)
		return;
	printf("\n");
	grid_add(&g, head);
	for (size_t i = 0; i < c->policies.n_models; i++) {
		const struct policy_drive_model *m = &c->policies.models[i];
		const char *const cells[COLUMNS_MAX] = {m->pattern, tbw, dwpd};

		snprintf(tbw, sizeof tbw, m->rated_tbw > 0 ? "%g" : "-", m->rated_tbw);
		snprintf(
			dwpd, sizeof dwpd, m->rated_dwpd > 0 ? "%g" : "-", m->rated_dwpd);
		grid_add(&g, cells);
	}
	grid_print(&g);
}

/* Where a channel leads. */
static const char *where_to(const struct notify_config *n)
{
	if (n->url)
		return n->url;
	return n->command ? n->command[0] : or_dash(n->socket);
}

static void print_rest(const struct config *c)
{
	printf("\nwear             warning at %g %% used, critical at %g %%\n",
		c->policies.wear.warning_percent, c->policies.wear.critical_percent);
	for (size_t i = 0; i < c->n_notifies; i++)
		printf("notify           \"%s\": %s %s\n", c->notifies[i].name,
			notify_type_word(c->notifies[i].type),
			where_to(&c->notifies[i]));
	for (size_t i = 0; i < c->rules.n; i++)
		printf("alert            \"%s\"\n", c->rules.items[i].name);
	for (size_t i = 0; i < c->maintenance.n; i++)
		printf("maintenance      \"%s\"\n", c->maintenance.items[i].comment);
	printf("database         %s\nlisten           %s%s%s\npoll_interval    %gs\n",
		c->database, c->listen, c->web.tls_key ? ", TLS" : "",
		c->web.users_file ? ", users_file" : "", (double)c->poll_interval_ms / 1000);
}

static void print_table(const struct config *c)
{
	for (size_t i = 0; i < c->n_files; i++)
		printf("%s%s", i ? ", " : "", c->files[i]);
	printf(": all right\n");
	print_targets(c);
	print_policies(c);
	print_cards(c);
	print_maps(c);
	print_models(c);
	print_rest(c);
}

/* ---- what is wrong ---- */

static void print_errors(const struct config *c)
{
	for (size_t i = 0; i < c->n_errors; i++) {
		const struct config_error *e = &c->errors[i];

		if (e->line)
			printf("%s:%d: %s\n", e->file, e->line, e->message);
		else
			printf("%s%s%s\n", e->file, e->file[0] ? ": " : "", e->message);
	}
	printf("%zu error%s\n", c->n_errors, c->n_errors == 1 ? "" : "s");
}

/* ---- lanewatch/config/v1 ---- */

static json_t *text_or_null(const char *s)
{
	return s[0] ? json_string(s) : json_null();
}

static json_t *json_errors(const struct config *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->n_errors; i++) {
		const struct config_error *e = &c->errors[i];

		json_array_append_new(list,
			json_pack("{s:o, s:o, s:s}", "file", text_or_null(e->file),
				"line", e->line ? json_integer(e->line) : json_null(),
				"message", e->message));
	}
	return list;
}

/* None where something is wrong: nothing would be read. */
static json_t *json_targets(const struct config *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->n_targets && !c->n_errors; i++) {
		const struct target_config *t = &c->targets[i];

		json_array_append_new(list,
			json_pack("{s:s, s:s, s:o}", "name", t->name, "kind",
				target_kind_word(t->kind), "url", text_or_null(t->url)));
	}
	return list;
}

static void print_json(const struct config *c)
{
	json_t *j = json_pack("{s:s, s:b, s:o, s:o}", "schema", "lanewatch/config/v1",
		"ok", c->n_errors == 0, "errors", json_errors(c), "targets",
		json_targets(c));

	json_dumpf(j, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(j);
}

int command_check_config(const struct options *o, const struct config *c)
{
	if (o->output == OUTPUT_JSON)
		print_json(c);
	else if (c->n_errors)
		print_errors(c);
	else
		print_table(c);
	return c->n_errors ? EX_CONFIG : EX_OK;
}
