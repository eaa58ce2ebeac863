/* SPDX-License-Identifier: MIT */
/* Lists of the API: what a query chooses, in which order, and as CSV. */
#include "tests/unit/unit.h"
#include "web/list.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static json_t *document(void)
{
	return json_pack("{s:s, s:[{s:s,s:s,s:s,s:{s:i}},{s:s,s:s,s:s,s:n},{s:s,s:s,s:s,s:{s:n}},{s:s,s:s,s:s,s:{s:i}}]}", "schema", "x", "bays",
		"host", "a", "bay", "2", "verdict", "ok", "link", "width", 4,
		"host", "a", "bay", "10", "verdict", "absent", "link",
		"host", "b", "bay", "1", "verdict", "unknown", "link", "width",
		"host", "b", "bay", "9", "verdict", "degraded-width", "link", "width", 2);
}

/* What is replied, as a tree; NULL with what is wrong with the query. */
static json_t *choose(const json_t *document, const struct list *l, const struct api_query *q, struct err *e)
{
	struct rows rows = list_rows(l, document);
	struct chosen c;
	struct buf out;
	json_t *j = NULL;

	buf_init(&out, 1 << 20);
	if (list_choose(&c, &rows, q, false, e) == 0) {
		ck_assert_int_eq(list_add_document(&out, document, &c), 0);
		ck_assert_int_eq(list_add_end(&out, &c), 0);
		j = json_loads(buf_text(&out), JSON_REJECT_DUPLICATES, NULL);
		ck_assert_ptr_nonnull(j);
	}
	chosen_release(&c);
	buf_release(&out);
	return j;
}

/* "bay bay ... | total next" of a query "key=value&key=value", or what is wrong with it. */
static void ask(const char *query, char *out, size_t size)
{
	struct api_query q = {0};
	char text[256];
	json_t *d = document(), *j, *bay;
	size_t i, n = 0;
	struct err e;

	snprintf(text, sizeof text, "%s", query);
	for (char *p = text; *p;) {
		char *end = p + strcspn(p, "&"), *eq = p + strcspn(p, "=");
		bool more = *end;

		*end = *eq = '\0';
		q.pairs[q.n].key = p;
		q.pairs[q.n++].value = eq + 1;
		p = end + more;
	}
	j = choose(d, &list_bays, &q, &e);
	out[0] = '\0';
	if (!j) {
		snprintf(out, size, "%s", e.text);
	} else {
		const json_t *next = json_object_get(j, "next");

		json_array_foreach(json_object_get(j, "bays"), i, bay)
			n += (size_t)snprintf(out + n, size - n, "%s ", json_string_value(json_object_get(bay, "bay")));
		snprintf(out + n, size - n, "| %lld %lld", (long long)json_integer_value(json_object_get(j, "total")),
			json_is_null(next) ? -1LL : (long long)json_integer_value(next));
	}
	json_decref(j);
	json_decref(d);
}

static const struct {
	const char *query, *wanted;
} queries[] = {
	{"", "2 10 1 9 | 4 -1"},
	{"host=a", "2 10 | 2 -1"},
	{"host=a&verdict=ok", "2 | 1 -1"},
	{"verdict=degraded-*", "9 | 1 -1"},
	{"width=4", "2 | 1 -1"},
	{"width=", "10 1 | 2 -1"},
	{"width=0", "| 0 -1"},
	{"sort=bay", "1 2 9 10 | 4 -1"},
	{"sort=-bay", "10 9 2 1 | 4 -1"},
	{"sort=width", "9 2 10 1 | 4 -1"},
	{"sort=-width", "2 9 10 1 | 4 -1"},
	{"limit=3", "2 10 1 | 4 3"},
	{"limit=3&offset=3", "9 | 4 -1"},
	{"offset=4", "| 4 -1"},
	{"offset=2147483647", "| 4 -1"},
	{"limit=0", "limit is a whole number from 1 to 1000"},
	{"limit=1001", "limit is a whole number from 1 to 1000"},
	{"limit=x", "limit is a whole number from 1 to 1000"},
	{"offset=-1", "offset is a whole number from 0"},
	{"q=B", "1 9 | 2 -1"},
	{"q=A&verdict=ok", "2 | 1 -1"},
	{"q=", "2 10 1 9 | 4 -1"},
	{"sort=colour", "sort: no column \"colour\"; a minus before the name sorts downwards"},
	{"sort=", "sort: no column \"\"; a minus before the name sorts downwards"},
	{"fields=", "fields names members, with commas between them, at most 64"},
	{"colour=red", "no column \"colour\" to choose by; docs/API.md lists them"},
};

START_TEST(a_query_chooses_sorts_and_pages)
{
	for (size_t i = 0; i < COUNT(queries); i++) {
		char got[256];

		ask(queries[i].query, got, sizeof got);
		ck_assert_str_eq(got, queries[i].wanted);
	}
}
END_TEST

START_TEST(fields_leave_out_the_rest_and_the_document_stays_as_it_was)
{
	struct api_query q = {.n = 1, .pairs = {{"fields", "bay,,nothing,verdict"}}};
	json_t *d = document(), *before = json_deep_copy(d);
	json_t *j = choose(d, &list_bays, &q, NULL);
	const json_t *first = json_array_get(json_object_get(j, "bays"), 0);

	ck_assert_uint_eq(json_object_size(first), 2);
	ck_assert_str_eq(json_string_value(json_object_get(first, "verdict")), "ok");
	ck_assert(json_equal(d, before));
	json_decref(j);
	json_decref(d);
	json_decref(before);
}
END_TEST

START_TEST(a_name_with_dots_chooses_below_a_member)
{
	static const struct {
		const char *fields, *wanted;
	} cases[] = {
		{"bay,link.slot.max_width,link.width", "{'bay':'2','link':{'slot':{'max_width':4},'width':2}}"},
		{"link.slot,link.slot.max_width", "{'link':{'slot':{'max_width':4,'max_speed_gts':null}}}"},
		{"link.slot.max_width,link", "{'link':{'width':2,'slot':{'max_width':4,'max_speed_gts':null}}}"},
		{"link.slot.max_speed_gts", "{'link':{'slot':{'max_speed_gts':null}}}"},
		{"wear.percent_used,wear.forecast.exhausted_on", "{'wear':null}"},
		{"bay.x,nothing.x,link.nothing,.,..,link.", "{'link':{}}"},
	};
	json_t *d = json_pack("{s:[{s:s, s:{s:i, s:{s:i, s:n}}, s:n}]}", "bays", "bay", "2", "link", "width", 2, "slot", "max_width", 4, "max_speed_gts", "wear");
	json_t *before = json_deep_copy(d);

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct api_query q = {.n = 1, .pairs = {{"fields", cases[i].fields}}};
		json_t *j = choose(d, &list_bays, &q, NULL);
		char *got = json_dumps(json_array_get(json_object_get(j, "bays"), 0), JSON_COMPACT);

		for (char *p = got; *p; p++)
			*p = *p == '"' ? '\'' : *p;
		ck_assert_str_eq(got, cases[i].wanted);
		free(got);
		json_decref(j);
	}
	ck_assert(json_equal(d, before));
	json_decref(before);
	json_decref(d);
}
END_TEST

START_TEST(a_list_cut_to_members_alone_comes_whole)
{
	struct api_query q = {.n = 1, .pairs = {{"fields", "bay"}, {"host", "*"}}};
	json_t *list = json_array(), *d = json_pack("{s:o}", "bays", list), *j;

	for (int i = 0; i < LIST_ROWS_MAX + 7; i++)
		json_array_append_new(list, json_pack("{s:i, s:s}", "bay", i, "host", "h"));
	j = choose(d, &list_bays, &q, NULL);
	ck_assert_uint_eq(json_array_size(json_object_get(j, "bays")), LIST_ROWS_MAX + 7);
	ck_assert(json_is_null(json_object_get(j, "next")));
	json_decref(j);
	q.n = 2;
	j = choose(d, &list_bays, &q, NULL);
	ck_assert_uint_eq(json_array_size(json_object_get(j, "bays")), LIST_ROWS_MAX);
	ck_assert_int_eq(json_integer_value(json_object_get(j, "next")), LIST_ROWS_MAX);
	json_decref(j);
	json_decref(d);
}
END_TEST

START_TEST(more_keys_than_there_is_room_for_are_refused)
{
	struct api_query q = {.overflow = true};
	json_t *d = document();
	struct err e;

	ck_assert_ptr_null(choose(d, &list_bays, &q, &e));
	ck_assert_str_eq(e.text, "more than 16 keys");
	json_decref(d);
}
END_TEST

static const struct {
	const char *text, *cell;
} cells[] = {
	{"plain", "plain"},
	{"a,b", "\"a,b\""},
	{"a\"b", "\"a\"\"b\""},
	{"=1+1", "'=1+1"},
	{"+1", "'+1"},
	{"-1", "'-1"},
	{"@x", "'@x"},
	{"\tx", "x"},
	{"=a,b", "\"'=a,b\""},
	{"a\r\nb", "a??b"},
	{"", ""},
};

START_TEST(a_text_in_csv_is_quoted_and_no_formula_LW_R13)
{
	for (size_t i = 0; i < COUNT(cells); i++) {
		struct buf out;
		json_t *d = json_pack("{s:[{s:s, s:i, s:n}]}", "events", "message", cells[i].text, "id", -5, "bay");
		struct rows rows = list_rows(&list_events, d);
		struct api_query q = {0};
		struct chosen c;
		const char *line;
		char wanted[128];

		buf_init(&out, 4096);
		ck_assert_int_eq(list_choose(&c, &rows, &q, true, NULL), 0);
		list_add_csv(&out, &c);
		chosen_release(&c);
		line = strstr(buf_text(&out), "\r\n");
		ck_assert_ptr_nonnull(line);
		snprintf(wanted, sizeof wanted, "\r\n-5,,,,,,,,,,%s\r\n", cells[i].cell);
		ck_assert_str_eq(line, wanted);
		buf_release(&out);
		json_decref(d);
	}
}
END_TEST

UNIT_MAIN("web_list", a_query_chooses_sorts_and_pages,
	fields_leave_out_the_rest_and_the_document_stays_as_it_was,
	a_name_with_dots_chooses_below_a_member, a_list_cut_to_members_alone_comes_whole, more_keys_than_there_is_room_for_are_refused,
	a_text_in_csv_is_quoted_and_no_formula_LW_R13)
