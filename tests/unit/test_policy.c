/* SPDX-License-Identifier: MIT */
/* Policies: patterns and ranges, which policy wins, what may be expected, which bays a list names. */
#include "model/policy.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

static bool matches(const char *list, const char *name)
{
	struct patterns p = {0};
	bool yes;

	patterns_add_list(&p, list);
	yes = patterns_match(&p, name);
	patterns_release(&p);
	return yes;
}

START_TEST(patterns_and_ascending_ranges_match_names)
{
	static const struct {
		const char *list, *name;
		bool yes;
	} rows[] = {
		{"0-23", "0", true}, {"0-23", "23", true}, {"0-23", "24", false}, {"0-23", "7", true}, {"0-23", "-1", false},
		{"0-23", "7a", false}, {"0-23", "", false}, {"0-23", "0x7", false}, {"0-23", "07", true},
		{"24-25,M.2-*", "25", true}, {"24-25,M.2-*", "M.2-1", true}, {"24-25, M.2-* ", "M.2-", true}, {"24-25,M.2-*", "M.3", false},
		{"5-1", "5-1", true}, {"5-1", "3", false}, {"5-1", "5", false}, {"5-5", "5-5", true}, {"5-5", "5", false},
		{"5-1,5-2", "5-2", true}, {"24-25", "24-25", true}, {"1-2-3", "2", false}, {"1-2-3", "1-2-3", true},
		{"*", "", true}, {"*", "anything", true}, {"?", "4", true}, {"?", "44", false}, {"1I:1:?", "1I:1:3", true},
		{"", "", false}, {",,", "", false}, {"0-99999999999", "5", false}, {"99999999999999999999-5", "5", false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		ck_assert_msg(matches(rows[i].list, rows[i].name) == rows[i].yes, "\"%s\" \"%s\"", rows[i].list, rows[i].name);
}
END_TEST

START_TEST(expectations_in_every_spelling_are_read_and_nonsense_is_refused)
{
	static const struct {
		const char *text;
		int mtps, lanes;
	} good[] = {
		{"32 GT/s x4", 32000, 4}, {"gen5 x4", 32000, 4}, {"gen5", 32000, 0}, {"x4", 0, 4}, {"32GT/s x4", 32000, 4},
		{"Gen5x4", 32000, 4}, {"16.0 GT/s", 16000, 0}, {"GEN3 X2", 8000, 2}, {"  gen4   x16  ", 16000, 16},
		{"2.5 gt/s X1", 2500, 1}, {"16.0 GT/s PCIe x4", 16000, 4},
	};
	static const char *const bad[] = {"", " ", "4", "32", "32 x4", "gen9 x4", "gen5 x3", "x", "x0", "x255", "fast", "gen5 x4 x4",
		"x4 gen5", "gen5 4", "31 GT/s x4", "gen5,x4", "32 GT x4", "max", "gen5 x4 please", "PCIe", "PCIe x4",
		"gen5                                                             !"};

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		struct pcie_rate r = {-1, -1};

		ck_assert_msg(policy_expect_parse(good[i].text, &r), "\"%s\"", good[i].text);
		ck_assert_msg(r.speed_mtps == good[i].mtps && r.width_lanes == good[i].lanes, "\"%s\": %d %d",
			good[i].text, r.speed_mtps, r.width_lanes);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct pcie_rate r = {-1, -1};

		ck_assert_msg(!policy_expect_parse(bad[i], &r), "\"%s\"", bad[i]);
		ck_assert_msg(r.speed_mtps == -1 && r.width_lanes == -1, "\"%s\" left its mark", bad[i]);
	}
}
END_TEST

static void add(struct policy_set *s, const char *name, const char *targets, const char *bays)
{
	struct policy *p = policy_set_add(s, name);

	patterns_add_list(&p->targets, targets);
	patterns_add_list(&p->bays, bays);
}

static const char *found(const struct policy_set *s, const char *target, const char *bay)
{
	const struct policy *p = policy_find(s, target, bay);

	return p ? p->name : "(none)";
}

START_TEST(the_most_specific_policy_wins_and_of_equals_the_later)
{
	struct policy_set s;

	policy_set_init(&s);
	ck_assert_str_eq(found(&s, "bmc1", "3"), "(none)");
	add(&s, "both", "bmc1", "3");
	add(&s, "bay", "", "3-4");
	add(&s, "bay again", "*", "4"); /* a star restricts nothing: no more specific than the one before */
	add(&s, "target", "bmc*", "");
	add(&s, "default", "", "");
	add(&s, "default again", "*", "*");
	ck_assert_str_eq(found(&s, "bmc1", "3"), "both");
	ck_assert_str_eq(found(&s, "bmc2", "3"), "bay");
	ck_assert_str_eq(found(&s, "bmc2", "4"), "bay again");
	ck_assert_str_eq(found(&s, "bmc1", "9"), "target");
	ck_assert_str_eq(found(&s, "local", "9"), "default again");
	policy_set_release(&s);
}
END_TEST

START_TEST(a_fresh_set_expects_nothing_and_has_the_usual_limits)
{
	struct policy_set s;

	policy_set_init(&s);
	ck_assert_double_eq(s.wear.warning_percent, 80);
	ck_assert_double_eq(s.wear.critical_percent, 100);
	ck_assert_ptr_null(policy_model_find(&s, "Acme"));
	policy_set_release(&s);
}
END_TEST

START_TEST(the_last_fitting_drive_model_holds)
{
	struct policy_set s;

	policy_set_init(&s);
	policy_set_add_model(&s, "Acme*")->rated_tbw = 7000;
	policy_set_add_model(&s, "Acme FX*")->rated_tbw = 14000;
	policy_set_add_model(&s, "Bolt*")->rated_dwpd = 1;
	ck_assert_double_eq(policy_model_find(&s, "Acme FX9000")->rated_tbw, 14000);
	ck_assert_double_eq(policy_model_find(&s, "Acme G5")->rated_tbw, 7000);
	ck_assert(isnan(policy_model_find(&s, "Bolt 1")->rated_tbw));
	ck_assert_ptr_null(policy_model_find(&s, "Other"));
	policy_set_release(&s);
}
END_TEST

/* ---- bay maps ---- */

static const char *placed(const char *path, const char *slot)
{
	static const char *const entries[] = {"0 = 0000:40:01.1", "1 = 0000:40:01.1/00.0/04.0", "2=10000:00:00.0",
		"boot = slot 31", " top left  =  slot  M.2 A ", "5 = 0000:80:01.1/0000:81:00.0"};
	static struct bay_place found;
	const struct bay_place *p;
	struct bay_map m = {.n = 0};
	struct err e;
	struct bay b = bay_unknown("local", "srv1", "x");

	for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
		ck_assert_msg(bay_map_add(&m, entries[i], &e) == 0, "%s: %s", entries[i], e.text);
	str_copy(b.drive.pci_path, sizeof b.drive.pci_path, path);
	str_copy(b.slot, sizeof b.slot, slot);
	p = bay_map_find(&m, &b);
	found = p ? *p : (struct bay_place){.bay = "none"};
	bay_map_release(&m);
	return found.bay;
}

START_TEST(a_bay_map_finds_a_drive_by_the_nearest_path_then_by_its_slot)
{
	ck_assert_str_eq(placed("0000:40:01.1/0000:41:00.0", ""), "0");
	ck_assert_str_eq(placed("0000:40:01.1/0000:41:00.0", "31"), "0"); /* the path counts more */
	ck_assert_str_eq(placed("0000:40:01.1/0000:41:00.0/0000:42:03.0/0000:44:00.0", ""), "0");
	ck_assert_str_eq(placed("0000:40:01.1/0000:41:00.0/0000:42:04.0/0000:45:00.0", ""), "1");
	ck_assert_str_eq(placed("0000:40:01.1/0000:b1:00.0/0000:b2:04.0/0000:b5:00.0", ""), "1"); /* buses numbered anew */
	ck_assert_str_eq(placed("0000:64:05.5/10000:00:00.0/10000:01:00.0", ""), "2");
	ck_assert_str_eq(placed("0000:80:01.1/0000:81:00.0", ""), "5");
	ck_assert_str_eq(placed("0000:80:01.1/0000:82:00.0", "31"), "boot");
	ck_assert_str_eq(placed("", "M.2 A"), "top left");
	ck_assert_str_eq(placed("0000:40:01.2/0000:42:00.0", "310"), "none");
	ck_assert_str_eq(placed("", ""), "none");
}
END_TEST

START_TEST(a_bay_map_says_what_is_wrong_with_an_entry)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"", "BAY = 0000:40:01.1"}, {"0", "BAY = 0000:40:01.1"}, {"= 0000:40:01.1", "name of a bay"},
		{"1 = ", "neither a PCI path"}, {"1 = 40:01.1", "neither a PCI path"}, {"1 = 0000:40:1.1", "neither a PCI path"},
		{"1 = 0000:40:01.1/", "neither a PCI path"}, {"1 = 00.0/0000:40:01.1", "neither a PCI path"},
		{"1 = slot", "neither a PCI path"}, {"1 = slots 5", "neither a PCI path"}, {"0 = 0000:40:01.2", "bay '0' is there twice"},
		{"1 = 0000:40:01.1", "is bay '0' and bay '1'"}, {"1 = slot 31", "is bay 'boot' and bay '1'"},
	};
	struct bay_map m = {.n = 0};
	struct err e = {""};

	ck_assert_int_eq(bay_map_add(&m, "0 = 0000:40:01.1", &e), 0);
	ck_assert_int_eq(bay_map_add(&m, "boot = slot 31", &e), 0);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		ck_assert_msg(bay_map_add(&m, bad[i].text, &e) == -1, "%s", bad[i].text);
		ck_assert_msg(strstr(e.text, bad[i].says), "%s: %s", bad[i].text, e.text);
	}
	ck_assert_uint_eq(m.n, 2);
	bay_map_release(&m);
}
END_TEST

START_TEST(a_card_keeps_its_slot_and_bays)
{
	struct policy_set s;
	struct policy_card *c;

	policy_set_init(&s);
	c = policy_set_add_card(&s, "5");
	patterns_add(&c->bays, "5-1");
	patterns_add(&c->bays, "5-2");
	ck_assert_str_eq(s.cards[0].slot, "5");
	ck_assert(patterns_match(&c->bays, "5-2") && !patterns_match(&c->bays, "2"));
	policy_set_release(&s);
	ck_assert_uint_eq(s.n_cards, 0);
}
END_TEST

struct names {
	int n;
	char text[64];
};

static void keep(void *arg, const char *name)
{
	struct names *names = arg;
	size_t used = strlen(names->text);

	names->n++;
	str_copy(names->text + used, sizeof names->text - used, name);
	used = strlen(names->text);
	str_copy(names->text + used, sizeof names->text - used, " ");
}

START_TEST(lists_name_their_bays_one_by_one)
{
	struct patterns p = {0};
	struct names names = {0};

	patterns_add_list(&p, "1-3,08-10,5-1,M.2-*,rear?,A");
	patterns_each_name(&p, keep, &names);
	ck_assert_str_eq(names.text, "1 2 3 08 09 10 5-1 A ");
	patterns_release(&p);
}
END_TEST

START_TEST(a_huge_range_is_cut_and_matches_all_the_same)
{
	struct patterns p = {0};
	struct names names = {0};

	patterns_add_list(&p, "0-2000000000,0-2000000000,x");
	patterns_each_name(&p, keep, &names);
	ck_assert_int_eq(names.n, 4096);
	ck_assert(patterns_match(&p, "1999999999"));
	patterns_release(&p);
}
END_TEST

UNIT_MAIN("policy", patterns_and_ascending_ranges_match_names,
	expectations_in_every_spelling_are_read_and_nonsense_is_refused,
	the_most_specific_policy_wins_and_of_equals_the_later,
	a_fresh_set_expects_nothing_and_has_the_usual_limits, the_last_fitting_drive_model_holds,
	a_bay_map_finds_a_drive_by_the_nearest_path_then_by_its_slot, a_bay_map_says_what_is_wrong_with_an_entry,
	a_card_keeps_its_slot_and_bays, lists_name_their_bays_one_by_one,
	a_huge_range_is_cut_and_matches_all_the_same)
