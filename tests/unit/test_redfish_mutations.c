/* SPDX-License-Identifier: MIT */
/*
 * LW-R6: each value of each resource in turn replaced by odd values.  Nothing crashes, a
 * drive's neighbours stay as they were, and no odd value becomes a number that was not there.
 * The fixtures always; captures of real BMCs where they are.
 */
#include "base/str.h"
#include "tests/unit/rf_fixture.h"
#include "tests/unit/unit.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static json_t *odd_value(size_t i)
{
	static char big[65537];

	switch (i) {
	case 0:
		return json_null();
	case 1:
		return json_true();
	case 2:
		return json_integer(-1);
	case 3:
		return json_integer(0);
	case 4:
		return json_integer(9007199254740992);
	case 5:
		return json_real(9223372036854775808.0);
	case 6:
		return json_real(1e308);
	case 7:
		return json_string("");
	case 8:
		return json_string("N/A");
	case 9:
		return json_array();
	case 10:
		return json_object();
	case 11:
		memset(big, 'x', sizeof big - 1);
		return json_string(big);
	}
	return NULL;
}

/* Values of a document are numbered as they come; swaps the n-th for another. False when there are fewer. */
struct place {
	json_t *holder;
	const char *key;
	size_t index;
};

static bool find_place(json_t *doc, size_t n, struct place *out)
{
	json_t *stack[256], *j;
	size_t depth = 0, count = 0, i;
	const char *key;

	stack[depth++] = doc;
	while (depth) {
		json_t *at = stack[--depth];

		json_object_foreach(at, key, j)
		{
			if (count++ == n) {
				*out = (struct place){at, key, 0};
				return true;
			}
			if ((json_is_object(j) || json_is_array(j)) && depth < 256)
				stack[depth++] = j;
		}
		json_array_foreach(at, i, j)
		{
			if (count++ == n) {
				*out = (struct place){at, NULL, i};
				return true;
			}
			if ((json_is_object(j) || json_is_array(j)) && depth < 256)
				stack[depth++] = j;
		}
	}
	return false;
}

static void put(const struct place *p, json_t *value)
{
	if (p->key)
		json_object_set_new(p->holder, p->key, value);
	else
		json_array_set_new(p->holder, p->index, value);
}

static bool sane(double percent, double max)
{
	return isnan(percent) || (percent >= 0 && percent <= max);
}

static void check_bay(const struct bay *b, const char *path, const char *key)
{
	const char *what = key ? key : "[]";

	ck_assert_msg(sane(b->wear.percent_used, 255) && sane(b->wear.life_left_percent, 100) &&
			      sane(b->wear.available_spare_percent, 100),
		"%s %s: wear out of range", path, what);
	ck_assert_msg(isnan(b->temperature_c) || (b->temperature_c > -60 && b->temperature_c < 200),
		"%s %s: %g degrees", path, what, b->temperature_c);
	ck_assert_msg(b->link.now.speed_mtps >= 0 && b->link.now.speed_mtps <= 64000 &&
			      b->link.now.width_lanes >= 0 && b->link.now.width_lanes <= 32,
		"%s %s: link out of range", path, what);
}

/* Rows of other drives must be the same to the byte. */
static void check_neighbours(const struct snapshot *before, const struct snapshot *after, const char *serial,
	const char *path, const char *key)
{
	for (size_t i = 0; i < before->n_bays; i++) {
		const struct bay *b = &before->bays[i];
		bool found = false;

		if (!b->drive.serial[0] || strcmp(b->drive.serial, serial) == 0)
			continue;
		for (size_t j = 0; j < after->n_bays; j++)
			found |= strcmp(after->bays[j].drive.serial, b->drive.serial) == 0 &&
				 after->bays[j].link.now.speed_mtps == b->link.now.speed_mtps &&
				 after->bays[j].link.now.width_lanes == b->link.now.width_lanes &&
				 strcmp(after->bays[j].drive.model, b->drive.model) == 0;
		ck_assert_msg(found, "%s %s: drive %s changed or is gone", path, key ? key : "[]", b->drive.serial);
	}
}

/* Mutates one resource of a tree; `every` leaves some out, to keep the time. */
static size_t mutate(const json_t *tree, const char *path, json_t *doc, const struct snapshot *before, size_t every)
{
	const char *serial = json_string_value(json_object_get(doc, "SerialNumber"));
	bool is_drive = strstr(path, "/Drives/") != NULL && serial && *serial;
	char own[64];
	size_t n = 0;
	struct place p;

	str_clean(own, sizeof own, serial);
	for (size_t i = 0; find_place(doc, i, &p); i++) {
		if (i % every)
			continue;
		for (size_t k = 0; k < 12; k++, n++) {
			json_t *copy = json_deep_copy(doc);
			struct snapshot after;

			find_place(copy, i, &p);
			put(&p, odd_value(k));
			rf_fixture_walk(tree, path, copy, &after);
			for (size_t b = 0; b < after.n_bays; b++)
				check_bay(&after.bays[b], path, p.key);
			if (is_drive)
				check_neighbours(before, &after, own, path, p.key);
			snapshot_release(&after);
			json_decref(copy);
		}
	}
	return n;
}

/* Under valgrind a tree gives every tenth of its resources: each mutation walks all of it. */
static size_t mutate_tree(json_t *tree, size_t every)
{
	const size_t step = is_valgrind() ? 10 : 1;
	struct snapshot before;
	const char *path;
	size_t i = 0, n = 0;
	json_t *doc;

	rf_fixture_walk(tree, NULL, NULL, &before);
	json_object_foreach(tree, path, doc)
		if (i++ % step == 0)
			n += mutate(tree, path, doc, &before, every);
	snapshot_release(&before);
	return n;
}

START_TEST(LW_R6_twenty_thousand_odd_values_in_the_fixtures_harm_nobody)
{
	static const char *const files[] = {"dell-idrac10", "dell-idrac9", "standard", "hpe",
		"supermicro", "lenovo", "openbmc", "cisco", "ami"};
	const size_t every = is_valgrind() ? 4 : 1;
	const char *top = getenv("srcdir");
	size_t n = 0;

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		char path[512];
		json_t *tree;

		snprintf(path, sizeof path, "%s/tests/fixtures/redfish/%s.json", top ? top : "..", files[i]);
		tree = rf_fixture_load_file(path);
		ck_assert_msg(tree != NULL, "%s is missing", path);
		n += mutate_tree(tree, every);
		json_decref(tree);
	}
	ck_assert_uint_ge(n, is_valgrind() ? 500 : 20000);
}
END_TEST

static DIR *open_captures(char *folder, size_t size)
{
	const char *top = getenv("srcdir"), *shared = getenv("LANEWATCH_SHARED");

	if (shared)
		snprintf(folder, size, "%s/redfish/captures", shared);
	else
		snprintf(folder, size, "%s/../shared/redfish/captures", top ? top : "..");
	return opendir(folder);
}

START_TEST(LW_R6_odd_values_in_real_answers_harm_nobody)
{
	char folder[512], path[1024];
	DIR *d = open_captures(folder, sizeof folder);
	struct dirent *e;
	size_t n = 0;

	ck_assert(d != NULL);
	while ((e = readdir(d))) {
		json_t *tree;

		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		tree = e->d_name[0] == '.' ? NULL : rf_fixture_load_folder(path);
		if (tree)
			n += mutate_tree(tree, (1 + json_object_size(tree) * json_object_size(tree) / 300) * (is_valgrind() ? 4 : 1));
		json_decref(tree);
	}
	closedir(d);
	ck_assert_uint_gt(n, is_valgrind() ? 0 : 1000);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		LW_R6_twenty_thousand_odd_values_in_the_fixtures_harm_nobody,
		LW_R6_odd_values_in_real_answers_harm_nobody,
	};
	char folder[512];
	DIR *d = open_captures(folder, sizeof folder);

	if (!d)
		printf("# skipped: %s is not there, so odd values in real answers are not tried\n", folder);
	else
		closedir(d);
	return unit_run("redfish mutations", tests, d ? 2 : 1);
}
