/* SPDX-License-Identifier: MIT */
/*
 * zpool_json: `zpool status -j` and `zpool list -j -v` of OpenZFS 2.3 and later.
 *
 * Keys stand in the order of the table.  Numbers are integers (--json-int) or rounded text, state
 * words are partly others than those of the text, and 2.3.2 leaves out state and type of a draid.
 */
#include "base/clock.h"
#include "base/jtext.h"
#include "base/str.h"
#include "collectors/zfs/zpool.h"

#include <math.h>
#include <string.h>

enum { DEPTH_MAX = 8 };

static json_t *get(const json_t *o, const char *key)
{
	return json_object_get(o, key);
}

/* 12, "12" or "1.49K"; NAN if it is none. */
static double number(const json_t *j)
{
	const char *s = jtext_string(j);
	double v = json_is_number(j) ? json_number_value(j) : s ? zpool_number(s) : NAN;

	return v >= 0 && v < 9e18 ? v : NAN;
}

static struct count count(const json_t *j)
{
	double v = number(j);

	if (json_is_integer(j) && json_integer_value(j) >= 0)
		return count_of((uint64_t)json_integer_value(j));
	return isnan(v) ? (struct count){0} : count_of((uint64_t)(v + 0.5));
}

/* Seconds since 1970 or a date in words; 0 and "-" are none. */
static int64_t time_of(const json_t *j)
{
	double v = json_is_number(j) ? json_number_value(j) : NAN;
	const char *s = jtext_string(j);

	if (v > 0 && v < 1e11)
		return (int64_t)v * 1000;
	return s ? zpool_time(s) : CLOCK_NEVER;
}

/* ---- vdevs ---- */

static enum pool_state state_of(const json_t *o)
{
	const char *word = jtext_string(get(o, "state")), *aux = jtext_string(get(o, "aux"));

	if (str_same(word, "CANT_OPEN"))
		return str_same(aux, "CORRUPT_DATA") || str_same(aux, "BAD_LOG") ? POOL_FAULTED : POOL_UNAVAIL;
	if (str_same(word, "CLOSED"))
		return POOL_OFFLINE;
	return pool_state_of(word);
}

/* The words that the text has for them. */
static const char *aux_words(const char *aux)
{
	static const struct {
		const char *aux, *words;
	} known[] = {
		{"OPEN_FAILED", "cannot open"},
		{"BAD_GUID_SUM", "missing device"},
		{"NO_REPLICAS", "insufficient replicas"},
		{"VERSION_NEWER", "newer version"},
		{"UNSUP_FEAT", "unsupported feature(s)"},
		{"SPARED", "currently in use"},
		{"ERR_EXCEEDED", "too many errors"},
		{"IO_FAILURE", "experienced I/O failures"},
		{"BAD_LOG", "bad intent log"},
		{"EXTERNAL", "external device fault"},
		{"SPLIT_POOL", "split into new pool"},
		{"CHILDREN_OFFLINE", "all children offline"},
		{"BAD_LABEL", "invalid label"},
		{"CORRUPT_DATA", "corrupted data"},
	};

	for (size_t i = 0; aux && i < sizeof known / sizeof known[0]; i++)
		if (str_same(known[i].aux, aux))
			return known[i].words;
	return "";
}

static void take_vdev(struct pool *p, const char *key, const json_t *o, enum pool_part part, int depth)
{
	struct pool_node *n = pool_add_node(p, key, part, depth);
	const char *aux = jtext_string(get(o, "aux"));

	if (jtext_string(get(o, "name")))
		jtext_copy(n->name, sizeof n->name, get(o, "name"));
	n->state = state_of(o);
	jtext_copy(n->path, sizeof n->path, get(o, "path"));
	jtext_copy(n->devid, sizeof n->devid, get(o, "devid"));
	jtext_copy(n->phys_path, sizeof n->phys_path, get(o, "phys_path"));
	jtext_copy(n->was, sizeof n->was, get(o, "was"));
	str_copy(n->note, sizeof n->note, aux_words(aux));
	n->read_errors = count(get(o, "read_errors"));
	n->write_errors = count(get(o, "write_errors"));
	n->checksum_errors = count(get(o, "checksum_errors"));
}

/* One object of vdevs, with a hand-made stack in place of recursion. */
static void take_vdevs(struct pool *p, json_t *vdevs, enum pool_part part)
{
	struct {
		json_t *o;
		void *at;
	} stack[DEPTH_MAX];
	int depth = 0;

	if (!json_is_object(vdevs))
		return;
	stack[0].o = vdevs;
	stack[0].at = json_object_iter(vdevs);
	while (depth >= 0 && p->n_nodes < ZPOOL_NODES_MAX) {
		const char *key;
		json_t *o, *below;

		if (!stack[depth].at) {
			depth--;
			continue;
		}
		key = json_object_iter_key(stack[depth].at);
		o = json_object_iter_value(stack[depth].at);
		stack[depth].at = json_object_iter_next(stack[depth].o, stack[depth].at);
		if (!json_is_object(o) || (depth == 0 && part == PART_DATA && zpool_section(key)))
			continue;
		take_vdev(p, key, o, part, depth);
		below = get(o, "vdevs");
		if (json_is_object(below) && depth + 1 < DEPTH_MAX) {
			depth++;
			stack[depth].o = below;
			stack[depth].at = json_object_iter(below);
		}
	}
}

/* ---- scans ---- */

static enum pool_scan_state scan_state(const json_t *o)
{
	const char *word = jtext_string(get(o, "state"));

	if (str_same(word, "SCANNING") || str_same(word, "ACTIVE"))
		return time_of(get(o, "scrub_pause")) == CLOCK_NEVER ? SCAN_RUNNING : SCAN_PAUSED;
	if (str_same(word, "FINISHED") || str_same(word, "COMPLETE"))
		return SCAN_FINISHED;
	return str_same(word, "CANCELED") ? SCAN_CANCELED : SCAN_STATE_UNKNOWN;
}

static struct pool_scan *add_scan(struct pool *p, const json_t *o, enum pool_scan_function f)
{
	struct pool_scan *s;
	double errors = number(get(o, "errors"));

	if (p->n_scans >= POOL_SCANS_MAX)
		return NULL;
	s = &p->scans[p->n_scans++];
	*s = zpool_scan_unknown();
	s->function = f;
	s->state = scan_state(o);
	s->started_wall_ms = time_of(get(o, "start_time"));
	s->ended_wall_ms = time_of(get(o, "end_time"));
	if (s->state == SCAN_PAUSED)
		s->paused_wall_ms = time_of(get(o, "scrub_pause"));
	if (s->state == SCAN_FINISHED && s->started_wall_ms != CLOCK_NEVER && s->ended_wall_ms >= s->started_wall_ms)
		s->duration_s = (s->ended_wall_ms - s->started_wall_ms) / 1000;
	if (!isnan(errors))
		s->errors = (int64_t)errors;
	return s;
}

static void put_percent(struct pool_scan *s, double done, double of)
{
	if (s && (s->state == SCAN_RUNNING || s->state == SCAN_PAUSED) && of > 0 && done >= 0 && done <= of)
		s->percent = 100 * done / of;
}

static void take_scans(struct pool *p, const json_t *stats)
{
	const char *word = jtext_string(get(stats, "function"));
	enum pool_scan_function f = str_same(word, "SCRUB") ? SCAN_SCRUB :
				    str_same(word, "RESILVER") ? SCAN_RESILVER : SCAN_UNKNOWN;
	double skipped = number(get(stats, "skipped"));
	json_t *rebuild;
	const char *key;

	if (f)
		put_percent(add_scan(p, stats, f), number(get(stats, "issued")),
			number(get(stats, "to_examine")) - (isnan(skipped) ? 0 : skipped));
	json_object_foreach(get(stats, "rebuild_stats"), key, rebuild)
	{
		struct pool_scan *s = add_scan(p, rebuild, SCAN_RESILVER);

		if (s)
			str_clean(s->vdev, sizeof s->vdev, key);
		put_percent(s, number(get(rebuild, "issued")), number(get(rebuild, "to_scan")));
	}
}

/* The text says "(resilvering)"; here a member that takes part has processed something. */
static void mark_resilvering(struct pool *p, json_t *root)
{
	bool running = false;
	json_t *o, *level[DEPTH_MAX];
	void *at[DEPTH_MAX];
	size_t row = 0;
	int depth = 0;

	for (size_t i = 0; i < p->n_scans; i++)
		running |= p->scans[i].function == SCAN_RESILVER && p->scans[i].state == SCAN_RUNNING;
	level[0] = get(root, "vdevs");
	if (!running || !json_is_object(level[0]))
		return;
	at[0] = json_object_iter(level[0]);
	while (depth >= 0 && row < p->n_nodes) { /* the data part comes first, in the same order */
		if (!at[depth]) {
			depth--;
			continue;
		}
		o = json_object_iter_value(at[depth]);
		at[depth] = json_object_iter_next(level[depth], at[depth]);
		p->nodes[row].resilvering = number(get(o, "scan_processed")) > 0 || get(o, "resilver_deferred");
		row++;
		if (json_is_object(get(o, "vdevs")) && depth + 1 < DEPTH_MAX) {
			level[++depth] = get(o, "vdevs");
			at[depth] = json_object_iter(level[depth]);
		}
	}
}

/* ---- pools ---- */

static double property(const json_t *o, const char *key)
{
	return number(jtext_at(o, "properties", key, "value", NULL));
}

static void take_parts(struct pool *p, json_t *o)
{
	const char *key;
	json_t *part;

	json_object_foreach(o, key, part)
		if (zpool_section(key))
			take_vdevs(p, part, zpool_section(key));
}

/* `status` has the root vdev between the pool and its vdevs, `list` has not. */
static void take_pool(struct zpool_pools *out, const char *key, json_t *o)
{
	const char *name = jtext_string(get(o, "name"));
	json_t *root = json_object_get(get(o, "vdevs"), name ? name : key);
	struct pool *p = zpool_add(out, name ? name : key);
	double errors = number(get(o, "error_count"));

	if (!p)
		return;
	if (root && !str_same(jtext_string(get(root, "vdev_type")), "root"))
		root = NULL;
	p->state = pool_state_of(jtext_string(get(o, "state")));
	jtext_copy(p->status, sizeof p->status, get(o, "status"));
	if (!isnan(errors))
		p->data_errors = (int64_t)errors;
	p->size_bytes = property(o, "size");
	p->alloc_bytes = property(o, "allocated");
	p->free_bytes = property(o, "free");
	take_scans(p, get(o, "scan_stats"));
	take_vdevs(p, get(root ? root : o, "vdevs"), PART_DATA);
	mark_resilvering(p, root ? root : o);
	if (!root)
		take_parts(p, get(o, "vdevs"));
	take_parts(p, o);
	pool_settle_kinds(p);
}

int zpool_read_json(const char *text, size_t len, struct zpool_pools *out, struct err *e)
{
	json_t *j = jtext_parse(text, len, NULL, e), *pools = get(j, "pools"), *pool;
	const char *key;

	*out = (struct zpool_pools){0};
	if (!j)
		return -1;
	if (!json_is_object(pools)) {
		json_decref(j);
		return err_set(e, "not the output of zpool status -j: there are no \"pools\" in it");
	}
	json_object_foreach(pools, key, pool)
		if (json_is_object(pool))
			take_pool(out, key, pool);
	json_decref(j);
	return 0;
}
