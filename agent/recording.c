/* SPDX-License-Identifier: MIT */
/* recording: see recording.h. */
#include "agent/recording.h"

#include "agent/config_build.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/jtext.h"
#include "base/mem.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JSON_BYTES_MAX = 4 << 20, TARGETS_MAX = 4096 };

/* Reads a file of JSON; NULL with the reason. */
static json_t *read_json(const char *path, struct err *e)
{
	json_t *j = NULL;
	struct buf b;

	buf_init(&b, JSON_BYTES_MAX);
	if (file_read(path, &b, e) == 0) {
		j = jtext_parse(buf_text(&b), b.len, NULL, e);
		if (!j)
			err_wrap(e, "%s", path);
	}
	buf_release(&b);
	return j;
}

/* A folder below the recording: no way out of it. */
static bool plain_path(const char *path)
{
	const char *p = path;

	if (!path || path[0] == '/' || strlen(path) > 128)
		return false;
	while (p) {
		if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0'))
			return false;
		p = strchr(p, '/');
		p = p ? p + 1 : NULL;
	}
	return true;
}

static int add_step(struct recording *r, const char *dir, const json_t *j, struct err *e)
{
	const char *path = jtext_string(jtext_at(j, "path", NULL));
	double mono_s = jtext_number(jtext_at(j, "mono_s", NULL));
	struct recording_step *s;

	r->steps = mem_grow(r->steps, r->n, sizeof *r->steps);
	s = &r->steps[r->n];
	*s = (struct recording_step){.mono_ms = -1};
	if (!plain_path(path) || snprintf(s->path, sizeof s->path, "%s/%s", dir, path) >=
					 (int)sizeof s->path)
		return err_set(e,
			"%s/recording.json: the path of step %zu is not a folder below "
			"the recording",
			dir, r->n + 1);
	jtext_copy(s->at, sizeof s->at, jtext_at(j, "at", NULL));
	s->at_wall_ms = clock_parse(s->at);
	if (isfinite(mono_s) && mono_s >= 0 && mono_s < 1e12)
		s->mono_ms = (int64_t)(mono_s * 1000);
	r->n++;
	return 0;
}

int recording_load(const char *dir, struct recording *r, struct err *e)
{
	char path[4096];
	json_t *j, *steps;
	int rc = -1;

	*r = (struct recording){0};
	if (snprintf(path, sizeof path, "%s/recording.json", dir) >= (int)sizeof path)
		return err_set(e, "the name of the recording is too long");
	if (access(path, F_OK))
		return err_set(e, "%s is no recording: it has no recording.json", dir);
	j = read_json(path, e);
	if (!j)
		return -1;
	steps = jtext_at(j, "steps", NULL);
	if (!str_same(jtext_string(jtext_at(j, "schema", NULL)),
		    "lanewatch/recording/v1")) {
		err_set(e, "%s: the schema is not lanewatch/recording/v1", path);
		goto out;
	}
	if (json_array_size(steps) == 0) {
		err_set(e, "%s: there are no steps in it", path);
		goto out;
	}
	for (size_t i = 0; i < json_array_size(steps); i++)
		if (add_step(r, dir, json_array_get(steps, i), e))
			goto out;
	rc = 0;
out:
	json_decref(j);
	return rc;
}

void recording_release(struct recording *r)
{
	free(r->steps);
	*r = (struct recording){0};
}

static int add_target(struct config *c, const char *step, const char *name, struct err *e)
{
	struct target_config *t;
	char path[4608];
	const char *kind;
	json_t *j;
	int rc = 0;

	snprintf(path, sizeof path, "%s/%s/target.json", step, name);
	j = read_json(path, e);
	if (!j)
		return -1;
	kind = jtext_string(jtext_at(j, "kind", NULL));
	if (strlen(name) >= sizeof t->name) {
		rc = err_set(e, "%s: the name of the target is too long", path);
	} else if (!kind || !target_kind_of(kind)) {
		rc = err_set(
			e, "%s: the kind is none of redfish, nvme, zfs and replay", path);
	} else {
		t = config_add_target(c, name);
		t->kind = target_kind_of(kind);
		if (!jtext_copy(t->host, sizeof t->host, jtext_at(j, "host", NULL)))
			str_copy(t->host, sizeof t->host, name);
		jtext_copy(t->url, sizeof t->url, jtext_at(j, "url", NULL));
		path[strlen(path) - strlen("/target.json")] = '\0';
		t->recording = mem_text(path);
	}
	json_decref(j);
	return rc;
}

static int add_targets(struct config *c, const char *step, struct dirent *const *names,
	int n, struct err *e)
{
	char path[4608];

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%s/%s/target.json", step, names[i]->d_name);
		if (names[i]->d_name[0] == '.' || access(path, F_OK))
			continue;
		if (c->n_targets >= TARGETS_MAX)
			return err_set(e, "%s: more than %d targets", step, TARGETS_MAX);
		if (add_target(c, step, names[i]->d_name, e))
			return -1;
	}
	if (c->n_targets == 0)
		return err_set(
			e, "%s: no target in it (a folder with a target.json)", step);
	return 0;
}

int recording_targets(const struct recording_step *step, struct config *c, struct err *e)
{
	struct dirent **names = NULL;
	int n = scandir(step->path, &names, NULL, alphasort), rc;

	if (n < 0)
		return err_set(e, "%s: %s", step->path, strerror(errno));
	rc = add_targets(c, step->path, names, n, e);
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return rc;
}
