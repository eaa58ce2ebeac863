/* SPDX-License-Identifier: MIT */
/*
 * capture: what BMCs answered, as a recording (docs/API.md, "Recordings") that any read
 * command reads again with --recording, with personal details replaced.
 */
#include "agent/cli/command.h"
#include "agent/collect.h"
#include "agent/disguise.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

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

/* Makes the folders of a file's path below the bundle. */
static int make_folders(char *path, struct err *e)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int rc;

		*slash = '\0';
		rc = mkdir(path, 0755);
		if (rc && errno != EEXIST)
			err_set(e, "%s: %s", path, strerror(errno));
		*slash = '/';
		if (rc && errno != EEXIST)
			return -1;
	}
	return 0;
}

static int write_json(const char *dir, const char *rest, const json_t *j, struct err *e)
{
	char path[4096], *text = json_dumps(j, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	int fd = -1, rc = -1;
	FILE *f = NULL;

	if (!text || snprintf(path, sizeof path, "%s/%s", dir, rest) >= (int)sizeof path) {
		err_set(e, "%s: the path is too long", dir);
		goto out;
	}
	if (make_folders(path, e))
		goto out;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f || fprintf(f, "%s\n", text) < 0 || fclose(f)) {
		err_set(e, "%s: %s", path, strerror(errno));
		goto out;
	}
	rc = 0;
out:
	if (fd >= 0 && !f)
		close(fd);
	free(text);
	return rc;
}

/* A resource's path holds only what a folder name may: a hostile one is left out. */
static bool writable_path(const char *path)
{
	return str_starts(path, "/redfish/v1") && !strstr(path, "/../") && !str_ends(path, "/..") && strlen(path) < 900;
}

static int write_target(const char *dir, const char *name, const struct target *t, const json_t *documents,
	const struct disguise *d, struct err *e)
{
	char *host = disguise_text(d, t->host);
	json_t *about = json_pack("{s:s, s:s, s:n, s:s?}", "kind", "redfish", "host", host, "url", "error",
		t->verdict == TARGET_UNREACHABLE ? reason_word(t->reason) : NULL);
	char rest[1200];
	const char *path;
	json_t *doc;
	int rc;

	free(host);
	snprintf(rest, sizeof rest, "0000/%s/target.json", name);
	rc = write_json(dir, rest, about, e);
	json_decref(about);
	json_object_foreach((json_t *)documents, path, doc)
	{
		char *hidden = disguise_text(d, path);
		json_t *copy = disguise_apply(d, doc);

		snprintf(rest, sizeof rest, "0000/%s%s/index.json", name, hidden);
		if (rc == 0 && writable_path(hidden))
			rc = write_json(dir, rest, copy, e);
		json_decref(copy);
		free(hidden);
	}
	return rc;
}

static int write_steps(const char *dir, struct err *e)
{
	char at[CLOCK_TEXT_MAX];
	json_t *j = json_pack("{s:s, s:[{s:s, s:s}]}", "schema", "lanewatch/recording/v1", "steps", "at",
		clock_text(clock_wall_ms(), at), "path", "0000");
	int rc = write_json(dir, "recording.json", j, e);

	json_decref(j);
	return rc;
}

static int write_bundle(const char *dir, const struct bundle *b, const struct inventory *inv, struct err *e)
{
	struct disguise *d = disguise_new();
	const char *path;
	json_t *doc;
	int rc = 0;

	for (size_t i = 0; i < inv->n_targets; i++) {
		disguise_learn_host(d, inv->targets[i].host);
		json_object_foreach(json_object_get(b->targets, inv->targets[i].name), path, doc)
			disguise_learn(d, doc);
	}
	for (size_t i = 0; i < inv->n_targets && rc == 0; i++) {
		char name[32];

		/* a target's own name may be its host's: the folders are numbered */
		snprintf(name, sizeof name, i ? "bmc%zu" : "bmc", i + 1);
		rc = write_target(dir, name, &inv->targets[i], json_object_get(b->targets, inv->targets[i].name), d, e);
	}
	if (rc == 0)
		rc = write_steps(dir, e);
	disguise_free(d);
	return rc;
}

/* ---- the command --------------------------------------------------------------------------- */

static int make_bundle_folder(const char *dir, struct err *e)
{
	if (mkdir(dir, 0755) == 0)
		return 0;
	return err_set(e, "%s: %s; give a folder that does not exist yet", dir, strerror(errno));
}

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
		if (c->targets[i].kind != TARGET_REDFISH) {
			err_set(&e, "capture: %s is no BMC; only redfish targets can be captured", c->targets[i].name);
			rc = EX_USAGE;
			goto out;
		}
	if (collect_and_keep(c, o, keep, &b, &inv, &e))
		goto out;
	if (!any_reached(&inv))
		err_set(&e, "nothing captured: %s", inv.targets[0].message);
	else if (make_bundle_folder(o->output_dir, &e) == 0 && write_bundle(o->output_dir, &b, &inv, &e) == 0)
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
