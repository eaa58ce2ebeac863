/* SPDX-License-Identifier: MIT */
/*
 * capture: what BMCs and local drives answered, as a recording (docs/RECORDINGS.md) that any
 * read command reads again with --recording, with personal details replaced.
 */
#include "agent/cli/bundle.h"
#include "agent/cli/command.h"
#include "agent/collect.h"
#include "agent/disguise.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* {target: {path: document}}, in the order in which they came */
struct bundle {
	json_t *targets;
};

static void keep(void *arg, const char *target, const char *path, const json_t *doc)
{
	struct bundle *b = arg;
	json_t *documents = json_object_get(b->targets, target);

	if (!documents) {
		documents = json_object();
		json_object_set_new(b->targets, target, documents);
	}
	json_object_set(documents, path, (json_t *)doc);
}

/* ---- writing -------------------------------------------------------------------------- */

/* A resource's path holds only what a folder name may: a hostile one is left out. */
static bool writable_path(const char *path)
{
	return str_starts(path, "/redfish/v1") && !strstr(path, "/../") && !str_ends(path, "/..") && strlen(path) < 900;
}

static int write_documents(const char *dir, const char *name, const json_t *documents, const struct disguise *d, struct err *e)
{
	char rest[1200];
	const char *path;
	json_t *doc;
	int rc = 0;

	json_object_foreach((json_t *)documents, path, doc)
	{
		char *hidden = disguise_text(d, path);
		json_t *copy = disguise_apply(d, doc);

		snprintf(rest, sizeof rest, "0000/%s%s/index.json", name, hidden);
		if (rc == 0 && writable_path(hidden))
			rc = bundle_write_json(dir, rest, copy, e);
		json_decref(copy);
		free(hidden);
	}
	return rc;
}

static int write_target(const char *dir, const char *name, const struct target *t, const json_t *found,
	const struct disguise *d, struct err *e)
{
	char *host = disguise_text(d, t->host);
	json_t *about = json_pack("{s:s, s:s, s:n, s:s?}", "kind", target_kind_word(t->kind), "host", host, "url", "error",
		t->verdict == TARGET_UNREACHABLE ? reason_word(t->reason) : NULL);
	char rest[1200];
	int rc;

	free(host);
	snprintf(rest, sizeof rest, "0000/%s/target.json", name);
	rc = bundle_write_json(dir, rest, about, e);
	json_decref(about);
	if (rc == 0)
		rc = t->kind == TARGET_NVME ? bundle_write_local(dir, name, found, d, e) :
					      write_documents(dir, name, found, d, e);
	return rc;
}

static int write_steps(const char *dir, struct err *e)
{
	char at[CLOCK_TEXT_MAX];
	json_t *j = json_pack("{s:s, s:[{s:s, s:s}]}", "schema", "lanewatch/recording/v1", "steps", "at",
		clock_text(clock_wall_ms(), at), "path", "0000");
	int rc = bundle_write_json(dir, "recording.json", j, e);

	json_decref(j);
	return rc;
}

static int write_bundle(const char *dir, const struct bundle *b, const struct inventory *inv, struct err *e)
{
	struct disguise *d = disguise_new();
	const char *path;
	size_t n[2] = {0};
	json_t *doc;
	int rc = 0;

	for (size_t i = 0; i < inv->n_targets; i++) {
		const json_t *found = json_object_get(b->targets, inv->targets[i].name);

		disguise_learn_host(d, inv->targets[i].host);
		if (inv->targets[i].kind == TARGET_NVME)
			bundle_learn_local(d, found);
		else
			json_object_foreach((json_t *)found, path, doc)
				disguise_learn(d, doc);
	}
	for (size_t i = 0; i < inv->n_targets && rc == 0; i++) {
		bool local = inv->targets[i].kind == TARGET_NVME;
		const char *word = local ? "os" : "bmc";
		size_t nth = ++n[local];
		char name[32];

		/* a target's own name may be its host's: the folders are numbered, so that they stay in order */
		if (nth == 1)
			snprintf(name, sizeof name, "%s", word);
		else
			snprintf(name, sizeof name, "%s%03zu", word, nth);
		rc = write_target(dir, name, &inv->targets[i], json_object_get(b->targets, inv->targets[i].name), d, e);
	}
	if (rc == 0)
		rc = write_steps(dir, e);
	disguise_free(d);
	return rc;
}

/* ---- the command --------------------------------------------------------------------------- */

static bool any_reached(const struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_targets; i++)
		if (inv->targets[i].verdict != TARGET_UNREACHABLE)
			return true;
	return false;
}

int command_capture(const struct options *o, const struct config *c)
{
	struct bundle b = {json_object()};
	struct inventory inv;
	struct err e = {""};
	int rc = 3;

	inventory_init(&inv);
	if (!o->output_dir) {
		err_set(&e, "capture: say where to, with --output DIR");
		rc = EX_USAGE;
		goto out;
	}
	for (size_t i = 0; i < c->n_targets; i++)
		if (c->targets[i].kind != TARGET_REDFISH && c->targets[i].kind != TARGET_NVME) {
			err_set(&e, "capture: %s is neither a BMC nor a host's drives; only those can be captured",
				c->targets[i].name);
			rc = EX_USAGE;
			goto out;
		}
	if (collect_and_keep(c, o, keep, &b, &inv, &e))
		goto out;
	if (!any_reached(&inv))
		err_set(&e, "nothing captured: %s", inv.targets[0].message);
	else if (bundle_make(o->output_dir, &e) == 0 && write_bundle(o->output_dir, &b, &inv, &e) == 0)
		rc = EX_OK;
	if (rc == EX_OK)
		printf("captured %zu target%s in %s; look it over before you hand it on\n", inv.n_targets,
			inv.n_targets == 1 ? "" : "s", o->output_dir);
out:
	if (rc)
		fprintf(stderr, "lanewatch: %s\n", e.text);
	json_decref(b.targets);
	inventory_release(&inv);
	return rc;
}
