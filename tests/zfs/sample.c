/* SPDX-License-Identifier: MIT */
/*
 * sample: holds what we make of a recorded output of zpool against a description of it in JSON.
 *
 *   sample FILE DESCRIPTION
 *
 * The description says which names lead to which controllers (`assume`), and some of `pools`
 * (POOL of docs/API.md), `tree`, `scan`, `iostat`, `list` and `get`.  Only what stands there is
 * compared; each difference is a line, and the status is 1 then.  zfs_samples.tap runs it.  A
 * description with `jobs` is one of fio's output, and FILE is the answer of `lanewatch ceiling`.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/jtext.h"
#include "base/str.h"
#include "collectors/zfs/names.h"
#include "collectors/zfs/zpool.h"
#include "document/pools.h"
#include "model/inventory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int differences, compared;

static void differ(const char *where, const char *what, const char *got, const char *want)
{
	differences++;
	printf("%s: %s is %s, should be %s\n", where, what, got, want);
}

static void same_text(const char *where, const char *what, const char *got, const json_t *want)
{
	const char *w = json_is_null(want) ? "" : json_string_value(want);

	compared++;
	if (!str_same(got, w))
		differ(where, what, got ? got : "null", w ? w : "?");
}

/* Rounded figures match to one percent, as do powers of 1024. */
static void near(const char *where, const char *what, double got, const json_t *want)
{
	double w = json_is_string(want) ? zpool_number(json_string_value(want)) : jtext_number(want);
	char a[40], b[40];

	compared++;
	if (isnan(got) && isnan(w))
		return;
	if (fabs(got - w) <= 0.011 * fabs(w))
		return;
	snprintf(a, sizeof a, "%.0f", got);
	snprintf(b, sizeof b, "%.0f", w);
	differ(where, what, a, b);
}

/* ---- pools ---- */

static bool same_json(const json_t *got, const json_t *want)
{
	return json_is_number(want) && json_is_number(got) ? fabs(json_number_value(got) - json_number_value(want)) < 1.5 :
							      json_equal(got, want);
}

static void show_difference(const char *where, const char *key, const json_t *got, const json_t *want)
{
	char *a = got ? json_dumps(got, JSON_ENCODE_ANY) : NULL, *b = json_dumps(want, JSON_ENCODE_ANY);

	differ(where, key, a ? a : "not there", b);
	free(a);
	free(b);
}

static void compare_objects(const char *where, const json_t *got, json_t *want)
{
	const char *key;
	json_t *w;

	json_object_foreach(want, key, w)
	{
		const json_t *g = json_object_get(got, key);

		compared++;
		if (!str_same(key, "vdevs") && !same_json(g, w))
			show_difference(where, key, g, w);
	}
	if (!json_object_get(want, "slowest") && json_object_get(got, "slowest") &&
		!json_is_null(json_object_get(got, "slowest")))
		show_difference(where, "slowest", json_object_get(got, "slowest"), json_null());
}

static void compare_pool(const json_t *got, json_t *want)
{
	const json_t *vdevs = json_object_get(got, "vdevs");
	const char *name = json_string_value(json_object_get(want, "pool"));
	json_t *w;
	size_t i;

	compare_objects(name, got, want);
	if (json_array_size(vdevs) != json_array_size(json_object_get(want, "vdevs")))
		show_difference(name, "vdevs", vdevs, json_object_get(want, "vdevs"));
	json_array_foreach(json_object_get(want, "vdevs"), i, w)
		compare_objects(json_string_value(json_object_get(w, "name")), json_array_get(vdevs, i), w);
}

/* ---- tree ---- */

static void compare_errors(const struct pool_node *n, const json_t *want)
{
	const struct count *counts[] = {&n->read_errors, &n->write_errors, &n->checksum_errors};
	const char *const keys[] = {"read", "write", "checksum"};

	for (size_t i = 0; i < 3; i++)
		near(n->name, keys[i], count_to_double(*counts[i]), json_object_get(want, keys[i]));
}

static void compare_node(const struct pool *p, size_t row, const json_t *want)
{
	const struct pool_node *n = &p->nodes[row];
	const char *type = json_string_value(json_object_get(want, "type"));
	const char *kind = pool_node_is_leaf(n) ? "leaf" : pool_node_kind_word(n->kind);

	same_text(n->name, "name", n->name, json_object_get(want, "name"));
	same_text(n->name, "state", pool_state_word(n->state), json_object_get(want, "state"));
	compare_errors(n, json_object_get(want, "errors"));
	if (type && !str_same(type, kind))
		differ(n->name, "type", kind, type);
	if (json_object_get(want, "drive"))
		same_text(n->name, "drive", n->controller, json_object_get(want, "drive"));
	if (json_object_get(want, "was"))
		same_text(n->name, "was", n->was, json_object_get(want, "was"));
	if (json_object_get(want, "note") && json_is_string(json_object_get(want, "state")))
		same_text(n->name, "note", n->note, json_object_get(want, "note"));
}

/* The list of a part, each with its children, against the rows from *row on. */
static void compare_nodes(const struct pool *p, const char *part, json_t *list)
{
	struct {
		json_t *list;
		size_t i;
	} stack[8] = {{list, 0}};
	size_t row = 0;
	int depth = 0;

	while (row < p->n_nodes && !str_same(pool_part_word(p->nodes[row].part), part))
		row++;
	while (depth >= 0) {
		json_t *want = json_array_get(stack[depth].list, stack[depth].i++), *below;

		if (!want) {
			depth--;
			continue;
		}
		if (row >= p->n_nodes || !str_same(pool_part_word(p->nodes[row].part), part) || p->nodes[row].depth != depth) {
			differ(p->name, part, "another tree", json_string_value(json_object_get(want, "name")));
			return;
		}
		compare_node(p, row++, want);
		below = json_object_get(want, "children");
		if (json_array_size(below) && depth < 7) {
			depth++;
			stack[depth].list = below;
			stack[depth].i = 0;
		}
	}
	if (row < p->n_nodes && str_same(pool_part_word(p->nodes[row].part), part))
		differ(p->name, part, p->nodes[row].name, "nothing more");
}

static void compare_tree(const struct pool *p, json_t *want)
{
	const char *key;
	json_t *list;

	json_object_foreach(want, key, list)
		if (json_is_array(list))
			compare_nodes(p, key, list);
	for (size_t i = 0; want && i < p->n_nodes; i++)
		if (!json_object_get(want, pool_part_word(p->nodes[i].part)))
			differ(p->name, "part", pool_part_word(p->nodes[i].part), "nothing");
}

/* ---- scan ---- */

static void compare_time(const char *what, int64_t got, const json_t *want)
{
	char text[CLOCK_TEXT_MAX];

	clock_text(got, text);
	text[strcspn(text, "Z")] = '\0';
	if (want)
		same_text("scan", what, text, want);
}

static void compare_scan(const struct pool *p, json_t *want)
{
	const struct pool_scan *s = p->scans;
	json_t *w;

	if (json_is_null(want)) {
		compared++;
		if (p->n_scans)
			differ(p->name, "scan", pool_scan_function_word(s->function), "none");
		return;
	}
	same_text("scan", "function", pool_scan_function_word(s->function), json_object_get(want, "function"));
	same_text("scan", "state", pool_scan_state_word(s->state), json_object_get(want, "state"));
	w = json_object_get(want, "repaired");
	w = w ? w : json_object_get(want, "processed");
	if (w)
		same_text("scan", "amount", s->amount, w);
	if (json_object_get(want, "vdev"))
		same_text("scan", "vdev", s->vdev, json_object_get(want, "vdev"));
	if (json_object_get(want, "percent"))
		near("scan", "percent", s->percent, json_object_get(want, "percent"));
	if (json_object_get(want, "to_go_s"))
		near("scan", "to go", (double)s->to_go_s, json_object_get(want, "to_go_s"));
	if (json_object_get(want, "duration_s"))
		near("scan", "duration", (double)s->duration_s, json_object_get(want, "duration_s"));
	if (json_object_get(want, "errors"))
		near("scan", "errors", (double)s->errors, json_object_get(want, "errors"));
	compare_time("started", s->started_wall_ms, json_object_get(want, "started"));
	compare_time("ended", s->ended_wall_ms, json_object_get(want, "ended"));
	compare_time("paused", s->paused_wall_ms, json_object_get(want, "paused_since"));
}

/* ---- rows ---- */

static const char *const iostat_keys[] = {"alloc", "free", "read_ops", "write_ops", "read_bytes_per_second",
	"write_bytes_per_second"};
static const char *const list_keys[] = {"size", "alloc", "free"};

static bool is_pool_or_section(const struct zpool_row *r)
{
	return r->depth == 0 || r->part == PART_UNKNOWN;
}

static void compare_row(const struct zpool_row *r, const json_t *want, const char *const *keys, size_t n)
{
	const json_t *depth = json_object_get(want, "depth"), *role = json_object_get(want, "role");

	same_text(r->name, "name", r->name, json_object_get(want, "name"));
	if (depth && r->depth >= 0)
		near(r->name, "depth", r->depth, depth);
	if (role)
		same_text(r->name, "role", pool_part_word(r->part), role);
	for (size_t i = 0; i < n && i < r->n_cells; i++) {
		double v = zpool_number(r->cells[i]);

		/* -p prints 0 for the capacity that a leaf does not have */
		if (i < 2 && v == 0 && !is_pool_or_section(r) && json_is_null(json_object_get(want, keys[i])))
			v = NAN;
		if (json_object_get(want, keys[i]) && !(json_is_null(json_object_get(want, keys[i])) && v == 0))
			near(r->name, keys[i], v, json_object_get(want, keys[i]));
	}
}

/* A heading of a section is no row of ours: it is the part of the rows below it. */
static enum pool_part heading(const json_t *want)
{
	return json_is_null(json_object_get(want, "read_ops")) ?
		       zpool_section(json_string_value(json_object_get(want, "name"))) : PART_UNKNOWN;
}

static void compare_blocks(const struct zpool_rows *rows, const json_t *blocks)
{
	size_t row = 0;

	for (size_t b = 0; b < json_array_size(blocks); b++) {
		const json_t *block = json_array_get(blocks, b);
		enum pool_part part = PART_UNKNOWN;

		for (size_t i = 0; i < json_array_size(block); i++) {
			if (heading(json_array_get(block, i))) {
				part = heading(json_array_get(block, i));
				continue;
			}
			if (row >= rows->n || rows->rows[row].block != (int)b) {
				differ("iostat", "row", "not there", json_string_value(json_object_get(json_array_get(block, i), "name")));
				return;
			}
			if (rows->rows[row].depth == 0)
				part = PART_UNKNOWN;
			else if (part && rows->rows[row].part != part)
				differ(rows->rows[row].name, "part", pool_part_word(rows->rows[row].part), pool_part_word(part));
			compare_row(&rows->rows[row++], json_array_get(block, i), iostat_keys, 6);
		}
	}
	if (row != rows->n)
		differ("iostat", "row", rows->rows[row].name, "nothing more");
}

/* Of the forms with 11 columns, what stands behind the first three. */
static void compare_list_rest(const struct zpool_row *r, const json_t *want)
{
	const char *health = json_string_value(json_object_get(want, "health"));
	size_t at = r->n_cells >= 9 ? 8 : 5;

	if (r->n_cells < 7 && at > 5)
		return;
	if (json_object_get(want, "fragmentation_percent")) {
		near(r->name, "fragmentation", zpool_number(r->cells[5]), json_object_get(want, "fragmentation_percent"));
		near(r->name, "capacity", zpool_number(r->cells[6]), json_object_get(want, "capacity_percent"));
	}
	if (health && at < r->n_cells && !str_same(r->cells[at], health))
		differ(r->name, "health", r->cells[at], health);
}

static void compare_list(const struct zpool_rows *rows, const json_t *list)
{
	if (rows->n != json_array_size(list))
		differ("list", "rows", "another number", "as described");
	for (size_t i = 0; i < rows->n && i < json_array_size(list); i++) {
		compare_row(&rows->rows[i], json_array_get(list, i), list_keys, 3);
		compare_list_rest(&rows->rows[i], json_array_get(list, i));
	}
}

static void compare_get(const struct zpool_rows *rows, const json_t *want)
{
	for (size_t i = 0; i < rows->n; i++)
		same_text(rows->rows[i].name, rows->rows[i].cells[0], rows->rows[i].cells[1],
			jtext_at(want, rows->rows[i].name, rows->rows[i].cells[0], NULL));
}

/* ---- the drives that the description assumes ---- */

static void add_drive(struct snapshot *s, const char *controller, const json_t *link)
{
	struct bay *b = snapshot_add_bay(s, controller);
	int64_t n;

	b->has_drive = true;
	b->present = TRI_YES;
	b->pcie = true;
	str_copy(b->drive.controller, sizeof b->drive.controller, controller);
	snprintf(b->drive.serial, sizeof b->drive.serial, "S-%s", controller);
	b->link.now.speed_mtps = pcie_speed_from_gts(jtext_number(json_object_get(link, "speed_gts")));
	b->link.max.speed_mtps = pcie_speed_from_gts(jtext_number(json_object_get(link, "max_speed_gts")));
	b->link.now.width_lanes = jtext_int(json_object_get(link, "width"), 0, 32, &n) ? (int)n : 0;
	b->link.max.width_lanes = jtext_int(json_object_get(link, "max_width"), 0, 32, &n) ? (int)n : 0;
}

static void assume_drives(struct snapshot *s, const json_t *assume)
{
	json_t *links = json_object_get(assume, "links"), *name;
	const char *key;

	json_object_foreach(json_object_get(assume, "names"), key, name)
		add_drive(s, json_string_value(name), json_object_get(links, json_string_value(name)));
}

static void compare_pools(struct zpool_pools *pools, const json_t *d)
{
	const json_t *want = json_object_get(d, "pools"), *tree = json_object_get(d, "tree"),
		     *scan = json_object_get(d, "scan"), *assume = json_object_get(d, "assume");
	struct inventory inv;
	struct snapshot s;

	snapshot_init(&s, "host", TARGET_NVME, "host");
	s.target.verdict = TARGET_OK;
	assume_drives(&s, assume);
	for (size_t i = 0; i < pools->n; i++) {
		zfs_names_look_up(&pools->pools[i], json_object_get(assume, "names"), NULL);
		snapshot_take_pool(&s, &pools->pools[i]);
	}
	inventory_init(&inv);
	inventory_apply(&inv, &s);
	inventory_finish(&inv, NULL, 0);
	if (inv.n_pools != json_array_size(want))
		differ("pools", "number", "another", "as described");
	for (size_t i = 0; i < inv.n_pools && i < json_array_size(want); i++) {
		json_t *got = document_of_pool(&inv.pools[i]);

		compare_pool(got, json_array_get(want, i));
		compare_tree(&inv.pools[i], json_array_get(tree, i));
		if (scan)
			compare_scan(&inv.pools[i], json_array_get(scan, i));
		json_decref(got);
	}
	inventory_release(&inv);
	snapshot_release(&s);
}

/* ---- lanewatch ceiling ---- */

static void compare_jobs(const json_t *got, json_t *want)
{
	json_t *w;
	size_t i;

	if (json_array_size(got) != json_array_size(want))
		show_difference("ceiling", "jobs", got, want);
	json_array_foreach(want, i, w)
	{
		json_object_del(w, "direction");
		if (json_is_null(json_object_get(w, "bytes_per_second")) || !json_object_get(w, "error"))
			json_object_del(w, "error");
		compare_objects(json_string_value(json_object_get(w, "jobname")), json_array_get(got, i), w);
	}
}

static int compare_ceiling(const char *text, size_t len, const json_t *d)
{
	const json_t *percent = json_object_get(d, "percent_of_ceiling"), *groups, *sum = json_object_get(d, "sum_of_concurrent_jobs");
	struct err e = {""};
	json_t *got = jtext_parse(text, len, NULL, &e);

	near("ceiling", "of all", jtext_number(json_object_get(got, "ceiling_bytes_per_second")),
		json_object_get(d, "ceiling_bytes_per_second"));
	compare_jobs(json_object_get(got, "jobs"), json_object_get(d, "jobs"));
	groups = json_array_get(json_object_get(got, "groups"), 0);
	if (sum)
		compare_objects("group", groups, (json_t *)sum);
	if (percent)
		near("ceiling", "percent", round(jtext_number(jtext_at(sum ? groups : json_array_get(json_object_get(got, "jobs"), 0),
			"percent_of_ceiling", NULL))), percent);
	if (e.text[0])
		differ("answer", "content", e.text, "JSON");
	json_decref(got);
	return differences ? 1 : 0;
}

static int compare(const char *text, size_t len, const json_t *d)
{
	const char *command = json_string_value(json_object_get(d, "command"));
	struct zpool_pools pools = {0};
	struct zpool_rows rows = {0};
	struct err e = {""};

	if (json_object_get(d, "jobs"))
		return compare_ceiling(text, len, d);
	if (str_starts(command, "zpool status")) {
		if (zpool_read_status(text, len, &pools, &e) == 0)
			compare_pools(&pools, d);
	} else if (text[0] == '{') { /* list in JSON has no error counters */
		if (zpool_read_json(text, len, &pools, &e) == 0) {
			json_object_del((json_t *)d, "tree");
			compare_pools(&pools, d);
		}
	} else if (zpool_read_rows(text, len, &rows, &e) == 0) {
		if (json_object_get(d, "iostat"))
			compare_blocks(&rows, json_object_get(d, "iostat"));
		else if (json_object_get(d, "list"))
			compare_list(&rows, json_object_get(d, "list"));
		else
			compare_get(&rows, json_object_get(d, "get"));
	}
	if (e.text[0])
		differ("file", "content", e.text, "readable");
	zpool_rows_release(&rows);
	zpool_pools_release(&pools);
	return differences ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct buf text, described;
	struct err e = {""};
	json_t *d = NULL;
	int rc = 2;

	buf_init(&text, 4 << 20);
	buf_init(&described, 4 << 20);
	if (argc == 3 && file_read(argv[1], &text, &e) == 0 && file_read(argv[2], &described, &e) == 0)
		d = jtext_parse(buf_text(&described), described.len, NULL, &e);
	if (d) {
		rc = compare(buf_text(&text), text.len, d);
		if (!compared && json_array_size(json_object_get(d, "pools")))
			rc = 2;
	} else {
		fprintf(stderr, "sample: %s\n", argc == 3 ? e.text : "sample FILE DESCRIPTION");
	}
	json_decref(d);
	buf_release(&text);
	buf_release(&described);
	return rc;
}
