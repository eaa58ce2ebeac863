/* SPDX-License-Identifier: MIT */
/* rf_fixture: see rf_fixture.h. */
#include "tests/unit/rf_fixture.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/redfish/report.h"
#include "collectors/redfish/survey.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *rf_fixture_load_file(const char *path)
{
	return json_load_file(path, 0, NULL);
}

/* Folders are walked with a list, not by recursion. */
json_t *rf_fixture_load_folder(const char *root)
{
	json_t *tree = json_object(), *todo = json_array();

	json_array_append_new(todo, json_string("/redfish"));
	for (size_t i = 0; i < json_array_size(todo); i++) {
		const char *at = json_string_value(json_array_get(todo, i));
		char folder[4096], file[4200], below[4200];
		struct dirent *e;
		json_t *doc;
		DIR *d;

		snprintf(folder, sizeof folder, "%s%s", root, at);
		d = opendir(folder);
		while (d && (e = readdir(d)))
			if (e->d_name[0] != '.' && e->d_type == DT_DIR) {
				snprintf(below, sizeof below, "%.2000s/%s", at, e->d_name);
				json_array_append_new(todo, json_string(below));
			}
		if (d)
			closedir(d);
		snprintf(file, sizeof file, "%s/index.json", folder);
		doc = json_load_file(file, 0, NULL);
		if (doc)
			json_object_set_new(tree, at, doc);
	}
	json_decref(todo);
	if (json_object_size(tree))
		return tree;
	json_decref(tree);
	return NULL;
}

static void walk(const json_t *tree, const char *path, json_t *doc, json_t *asked, struct snapshot *out)
{
	struct rf_survey *s = mem_new(1, sizeof *s);
	struct rf_resource *r;
	struct rf_tree t;

	rf_tree_init(&t, NULL);
	rf_tree_begin(&t);
	t.metrics_due = true;
	s->tree = &t;
	s->no_expand = true;
	for (;;) {
		json_t *answer;

		r = rf_tree_next(&t);
		if (!r) {
			rf_survey_run(s);
			r = rf_tree_next(&t);
		}
		if (!r)
			break;
		if (asked)
			json_object_set_new(asked, r->key, json_true());
		answer = path && strcmp(path, r->key) == 0 ? doc : json_object_get(tree, r->key);
		if (answer)
			rf_tree_put(&t, r, json_incref(answer), 1);
		else
			rf_tree_fail(&t, r, 404, "", "not in the fixture");
	}
	snapshot_init(out, "fixture", TARGET_REDFISH, "fixture");
	rf_report(s, out);
	rf_tree_release(&t);
	free(s);
}

void rf_fixture_walk(const json_t *tree, const char *path, json_t *doc, struct snapshot *out)
{
	walk(tree, path, doc, NULL, out);
}

json_t *rf_fixture_asks(const json_t *tree)
{
	json_t *asked = json_object();
	struct snapshot out;

	walk(tree, NULL, NULL, asked, &out);
	snapshot_release(&out);
	return asked;
}
