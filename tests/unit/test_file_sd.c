/* SPDX-License-Identifier: MIT */
/* Lists of targets, and how agents divide them. */
#include "agent/file_sd.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

static char seen[1024];

static bool take(void *arg, const struct file_sd_target *t)
{
	(void)arg;
	snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s=%s(%s,%s) ", t->name, t->address, t->host, t->group);
	return true;
}

static const struct row {
	const char *text, *targets; /* NULL: refused */
	const char *why;
} rows[] = {
	{"[]", "", ""},
	{"[{\"targets\":[]}]", "", ""},
	{"[{\"targets\":[\"a\",\"b:8443\"]}]", "a=a(,) b:8443=b:8443(,) ", ""},
	{"[{\"targets\":[\"https://a:1/redfish/v1\"]}]", "a:1=https://a:1/redfish/v1(,) ", ""},
	{"[{\"targets\":[\"a\"],\"labels\":{\"instance\":\"r1\",\"host\":\"h\",\"group\":\"row 3\",\"__meta\":\"x\"}}]", "r1=a(h,row 3) ", ""},
	{"[{\"targets\":[\"a\",\"b\"],\"labels\":{\"instance\":\"r1\"}}]", "a=a(,) b=b(,) ", ""},
	{"{}", NULL, "no list of groups"},
	{"[7]", NULL, "no list \"targets\""},
	{"[{\"targets\":[7]}]", NULL, "not a text"},
	{"[{\"targets\":[\"a\"],\"labels\":7}]", NULL, "no object"},
	{"[{\"targets\":[\"a\"],\"labels\":{\"instance\":\"a/b\"}}]", NULL, "no name"},
	{"[{\"targets\":[\"..\"]}]", NULL, "no name"},
	{"[{\"targets\":[\"a\\u001b\"]}]", NULL, "no plain text"},
	{"[{\"targets\":[\"", NULL, ""},
};

START_TEST(a_list_in_the_form_of_prometheus_gives_names_addresses_and_machines)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct err e = {""};
		int rc;

		seen[0] = '\0';
		rc = file_sd_read(rows[i].text, strlen(rows[i].text), take, NULL, &e);
		ck_assert_msg(rc == (rows[i].targets ? 0 : -1), "row %zu: %s", i, e.text);
		if (rows[i].targets)
			ck_assert_str_eq(seen, rows[i].targets);
		else
			ck_assert_msg(strstr(e.text, rows[i].why) && e.text[0], "row %zu: %s", i, e.text);
	}
}
END_TEST

START_TEST(a_part_is_written_as_which_of_how_many)
{
	static const struct {
		const char *text;
		bool right;
	} texts[] = {{"1/1", true}, {"2/5", true}, {"5/5", true}, {"6/5", false}, {"0/5", false}, {"2", false}, {"", false},
		{"/5", false}, {"2/", false}, {"2/0", false}, {"a/b", false}, {"1/1001", false}, {"-1/5", false}};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		unsigned part, parts;

		ck_assert_msg(shard_parse(texts[i].text, &part, &parts) == texts[i].right, "%s", texts[i].text);
	}
}
END_TEST

START_TEST(each_name_is_in_one_part_parts_are_even_and_a_new_part_takes_only_its_own)
{
	unsigned count[6] = {0}, moved = 0, wrong = 0;

	for (int i = 0; i < 5000; i++) {
		char name[32];
		unsigned in5 = 0, in6 = 0;

		snprintf(name, sizeof name, "bmc-%04d.example.net", i);
		for (unsigned p = 1; p <= 5; p++)
			if (shard_takes(p, 5, name))
				in5 = in5 ? 99 : p;
		for (unsigned p = 1; p <= 6; p++)
			if (shard_takes(p, 6, name))
				in6 = in6 ? 99 : p;
		ck_assert(in5 >= 1 && in5 <= 5 && in6 >= 1 && in6 <= 6);
		count[in5]++;
		moved += in5 != in6;
		wrong += in5 != in6 && in6 != 6;
	}
	for (unsigned p = 1; p <= 5; p++)
		ck_assert(count[p] > 850 && count[p] < 1150);
	ck_assert_uint_eq(wrong, 0);
	ck_assert(moved > 700 && moved < 970);
}
END_TEST

UNIT_MAIN("file_sd", a_list_in_the_form_of_prometheus_gives_names_addresses_and_machines, a_part_is_written_as_which_of_how_many,
	each_name_is_in_one_part_parts_are_even_and_a_new_part_takes_only_its_own)
