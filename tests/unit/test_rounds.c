/* SPDX-License-Identifier: MIT */
/*
 * Rounds that work on the hosts alone that told something come to what rounds come to that make all
 * bays anew: random fleets are played both ways.  The events of each round are the same text, and so is
 * the whole document where all targets told in it.
 */
#include "base/buf.h"
#include "base/jtext.h"
#include "base/str.h"
#include "document/bays.h"
#include "document/events.h"
#include "model/alert.h"
#include "model/change.h"
#include "model/history.h"
#include "model/localise.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

enum { HOSTS = 3, TARGETS = 3 * HOSTS, BAYS = 5, DRIVES = 20, ROUNDS = 60, FLEETS = 20 };

static uint32_t seed;

static unsigned any(unsigned n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

/* Where each drive really is: host and bay, or nowhere. */
struct world {
	int drive[HOSTS][BAYS]; /* -1: none */
	bool narrow[DRIVES];
};

static bool is_in(const struct world *w, int drive)
{
	for (int i = 0; i < HOSTS * BAYS; i++)
		if (w->drive[i / BAYS][i % BAYS] == drive)
			return true;
	return false;
}

static void change_world(struct world *w)
{
	int *a = &w->drive[any(HOSTS)][any(BAYS)], *b = &w->drive[any(HOSTS)][any(BAYS)], was = *a;

	switch (any(4)) {
	case 0:
		*a = *b;
		*b = was;
		break;
	case 1:
		*a = -1;
		break;
	case 2:
		if (*a < 0)
			for (int d = 0; d < DRIVES && *a < 0; d++)
				if (!is_in(w, d))
					*a = d;
		break;
	default:
		w->narrow[any(DRIVES)] ^= true;
	}
}

/* What target number t says now: each host has two BMCs and a kernel, which spells its name otherwise. */
static struct snapshot say(const struct world *w, unsigned t, int64_t now_ms, bool well)
{
	static const char *const hosts[2][HOSTS] = {{"srv-1", "srv-2", "srv-3"}, {"SRV-1", "SRV-2", "srv-3"}};
	bool kernel = t % 3 == 2;
	unsigned host = t / 3;
	char name[16], text[32];
	struct snapshot s;

	snprintf(name, sizeof name, "target-%u", t);
	snapshot_init(&s, name, kernel ? TARGET_NVME : TARGET_REDFISH, hosts[kernel][host]);
	s.target.observed_wall_ms = now_ms;
	s.target.verdict = well || any(6) ? TARGET_OK : TARGET_UNREACHABLE;
	s.target.power = well || any(12) ? TRI_YES : TRI_NO;
	s.target.partial = !well && !any(8);
	for (unsigned k = 0; s.target.verdict == TARGET_OK && k < BAYS; k++) {
		int d = w->drive[host][k];
		struct bay *b;

		if ((s.target.partial && any(2)) || (kernel && d < 0))
			continue;
		snprintf(text, sizeof text, "%s%u", kernel ? "nvme" : "", k);
		b = snapshot_add_bay(&s, text);
		b->observed_wall_ms = now_ms;
		b->present = d < 0 ? TRI_NO : TRI_YES;
		b->has_drive = d >= 0;
		if (d < 0)
			continue;
		snprintf(b->drive.serial, sizeof b->drive.serial, "SERIAL%02d", d);
		str_copy(b->drive.model, sizeof b->drive.model, d % 2 ? "Acme A" : "Acme B");
		str_copy(b->drive.protocol, sizeof b->drive.protocol, "NVMe");
		b->link.now = (struct pcie_rate){32000, w->narrow[d] ? 2 : 4};
		b->link.max = b->link.slot = (struct pcie_rate){32000, 4};
	}
	return s;
}

/* One of the two ways. */
struct way {
	bool whole;
	struct inventory inventory;
	struct history history;
	struct alerts alerts;
};

static void add(struct buf *out, json_t *j)
{
	ck_assert_int_eq(jtext_add(out, j, JSON_COMPACT), 0);
	json_decref(j);
}

static void play(struct way *x, const struct policy_set *policies, int64_t now_ms, bool all_told, struct buf *out)
{
	struct bay_pack last = {0};
	struct events ev = {0};
	struct notices notices = {0};
	struct alert_round round = {.history = &x->history, .limits = &policies->wear, .inventory = &x->inventory};

	history_tick(&x->history, now_ms, 20000);
	if (x->whole)
		inventory_touch_all(&x->inventory);
	inventory_last(&x->inventory, &last);
	inventory_join(&x->inventory, policies, now_ms);
	history_support(&x->history, &x->inventory);
	inventory_judge(&x->inventory, policies);
	history_carry(&x->history, &last, &x->inventory);
	bay_pack_release(&last);
	change_reconcile(&x->history, &policies->wear, &x->inventory, &ev);
	localise_faults(&x->history, &x->inventory);
	alerts_evaluate(&x->alerts, &round, &notices);
	inventory_settled(&x->inventory);
	inventory_rest(&x->inventory);
	buf_init(out, 64 << 20);
	if (all_told)
		add(out, document_of_inventory(&x->inventory));
	for (size_t i = 0; i < ev.n; i++)
		add(out, document_of_event(&ev.items[i]));

	events_release(&ev);
	notices_release(&notices);
}

static void play_fleet(const struct policy_set *policies)
{
	struct way ways[2] = {{.whole = true}, {.whole = false}};
	int64_t now_ms = INT64_C(1790000000000);
	struct world w;

	for (int i = 0; i < HOSTS * BAYS; i++)
		w.drive[i / BAYS][i % BAYS] = i < DRIVES && any(3) ? i : -1;
	memset(w.narrow, 0, sizeof w.narrow);
	for (int k = 0; k < 2; k++) {
		inventory_init(&ways[k].inventory);
		history_init(&ways[k].history);
		alerts_init(&ways[k].alerts);
	}
	for (int r = 0; r < ROUNDS; r++, now_ms += 20000) {
		struct buf text[2];
		bool all_tell = r % 5 == 4;

		for (unsigned n = any(4); n > 0; n--)
			change_world(&w);
		for (unsigned t = 0; t < TARGETS; t++) {
			struct snapshot s;

			if (any(3) && !all_tell)
				continue;
			s = say(&w, t, now_ms, all_tell);
			for (int k = 0; k < 2; k++)
				inventory_apply(&ways[k].inventory, &s);
			if (!any(25) && !all_tell)
				for (int k = 0; k < 2; k++)
					inventory_forget(&ways[k].inventory, s.target.name);
			snapshot_release(&s);
		}
		for (int k = 0; k < 2; k++)
			play(&ways[k], policies, now_ms, all_tell, &text[k]);
		ck_assert_msg(strcmp(buf_text(&text[0]), buf_text(&text[1])) == 0, "round %d differs: %s\n%s", r, buf_text(&text[0]),
			buf_text(&text[1]));
		buf_release(&text[0]);
		buf_release(&text[1]);
	}
	for (int k = 0; k < 2; k++) {
		inventory_release(&ways[k].inventory);
		history_release(&ways[k].history);
		alerts_release(&ways[k].alerts);
	}
}

START_TEST(a_round_of_some_hosts_comes_to_what_a_round_of_all_comes_to)
{
	struct policy_set policies;

	policy_set_init(&policies);
	for (seed = 1; seed < FLEETS; seed++) {
		uint32_t was = seed;

		play_fleet(&policies);
		seed = was;
	}
	policy_set_release(&policies);
}
END_TEST

static size_t firing(const struct alerts *a, const char *host)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		n += a->items[i].state == ALERT_FIRING && str_same(a->items[i].host, host);
	return n;
}

START_TEST(an_alert_of_a_host_that_rests_neither_ages_nor_goes)
{
	struct policy_set policies;
	struct way x = {.whole = false};
	int64_t now_ms = INT64_C(1790000000000);
	struct world w;
	struct buf text;

	policy_set_init(&policies);
	inventory_init(&x.inventory);
	history_init(&x.history);
	alerts_init(&x.alerts);
	for (int i = 0; i < HOSTS * BAYS; i++)
		w.drive[i / BAYS][i % BAYS] = i;
	memset(w.narrow, 0, sizeof w.narrow);
	w.narrow[0] = true; /* of the first host */
	for (int r = 0; r < 200; r++, now_ms += 20000) {
		bool first = r < 50 || r > 150; /* the first host tells of itself */

		if (r > 150)
			w.narrow[0] = false;
		for (unsigned t = first ? 0 : 3; t < TARGETS; t++) {
			struct snapshot s = say(&w, t, now_ms, true);

			inventory_apply(&x.inventory, &s);
			snapshot_release(&s);
		}
		play(&x, &policies, now_ms, true, &text);
		buf_release(&text);
		if (r > 40 && r <= 150)
			ck_assert_uint_eq(firing(&x.alerts, "srv-1"), 1);
	}
	ck_assert_uint_eq(x.alerts.n, 0);
	inventory_release(&x.inventory);
	history_release(&x.history);
	alerts_release(&x.alerts);
	policy_set_release(&policies);
}
END_TEST

UNIT_MAIN("rounds", an_alert_of_a_host_that_rests_neither_ages_nor_goes,
	a_round_of_some_hosts_comes_to_what_a_round_of_all_comes_to)
