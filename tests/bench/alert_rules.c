/* SPDX-License-Identifier: MIT */
/*
 * The CPU of one evaluation of all rules over 24 000 drives of 1 000 machines: a quiet fleet, one in
 * which every tenth drive has something, and a quiet one again.  Ten conditions of the operator's,
 * limits and severities with patterns, silences and maintenance windows are looked at as well.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/alert.h"
#include "model/change.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HOSTS = 1000, BAYS = 24, DRIVES = HOSTS * BAYS };

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void make_fleet(struct inventory *inv)
{
	inventory_init(inv);
	inv->targets = mem_new(HOSTS, sizeof *inv->targets);
	inv->bays = mem_new(DRIVES, sizeof *inv->bays);
	inv->n_targets = HOSTS;
	inv->n_bays = DRIVES;
	for (int i = 0; i < DRIVES; i++) {
		struct bay *b = &inv->bays[i];
		char host[32], bay[16];

		snprintf(host, sizeof host, "r7725xd-%04d", i / BAYS);
		snprintf(bay, sizeof bay, "%d", i % BAYS);
		*b = bay_unknown(host, host, bay);
		b->present = TRI_YES;
		b->has_drive = true;
		b->link.now = b->link.max = (struct pcie_rate){32000, 4};
		b->judged.verdict = VERDICT_OK;
		b->wear.percent_used = i % 60;
		b->wear.available_spare_percent = 100;
		b->wear.spare_threshold_percent = 10;
		b->temperature_c = 30 + i % 20;
		b->health.critical_warning = 0;
		b->health.media_errors = count_of(0);
		snprintf(b->drive.serial, sizeof b->drive.serial, "SN%08d", i);
		snprintf(b->drive.id, sizeof b->drive.id, "id%08d", i);
		str_copy(b->drive.model, sizeof b->drive.model, "Acme 9000 3.84TB");
		str_copy(inv->targets[i / BAYS].name, sizeof inv->targets->name, host);
		str_copy(inv->targets[i / BAYS].host, sizeof inv->targets->host, host);
		inv->targets[i / BAYS].verdict = TARGET_OK;
	}
}

static void make_rules(struct rules *rules)
{
	static const char *const texts[] = {"temperature_celsius > 70 for 10m", "temperature_celsius > 60 for 1h", "percent_used > 70",
		"available_spare_percent < 50", "available_spare_percent <= spare_threshold_percent", "media_errors > 100",
		"unsafe_shutdowns > 1000", "power_on_hours > 60000", "speed_gts < 32 for 5m", "width < 4 for 5m"};
	struct err e = {""};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct rule *r = rules_add(rules, texts[i]);

		if (rule_parse_condition(r, texts[i], &e))
			fprintf(stderr, "%s\n", e.text);
		patterns_add_list(&r->scope.targets, "r7725xd-*,lab-*");
	}
	for (int i = 0; i < 5; i++) {
		struct rule *r = rules_add(rules, "severity");

		r->type = RULE_SEVERITY;
		patterns_add_list(&r->kinds, "link,temperature");
		patterns_add_list(&r->scope.models, "Other*");
	}
}

static double look(const char *name, struct alerts *a, const struct history *h, const struct inventory *inv,
	const struct rules *rules, const struct silences *windows)
{
	static const struct wear_limits limits = {80, 100};
	const struct alert_round round = {
		.history = h, .limits = &limits, .inventory = inv, .rules = rules, .silences = windows, .maintenance = windows};
	struct notices told = {0};
	double began = cpu_ms(), ended;

	alerts_evaluate(a, &round, &told);
	ended = cpu_ms();
	printf("alerts: %-34s %6.1f ms CPU, %5zu alerts, %5zu notices\n", name, ended - began, a->n, told.n);
	notices_release(&told);
	return ended - began;
}

int main(void)
{
	static const struct wear_limits limits = {80, 100};
	struct silences windows = {0};
	struct events ev = {0};
	struct inventory inv;
	struct rules rules = {0};
	struct history h;
	struct alerts a;

	make_fleet(&inv);
	make_rules(&rules);
	for (int i = 0; i < 20; i++) {
		struct silence *s = silences_add(&windows);

		s->days = 1u << (i % 7);
		s->length_ms = 3600 * 1000;
		str_copy(s->hosts, sizeof s->hosts, "r77*");
	}
	history_init(&h);
	history_tick(&h, INT64_C(1772445600000), -1);
	change_reconcile(&h, &limits, &inv, &ev);
	events_release(&ev);
	alerts_init(&a);
	printf("alerts: one evaluation over %d drives of %d machines, 10 conditions, 40 windows (wanted: at most 50 ms)\n", DRIVES, HOSTS);
	look("quiet", &a, &h, &inv, &rules, &windows);
	look("quiet, again", &a, &h, &inv, &rules, &windows);
	for (int i = 0; i < DRIVES; i += 10) {
		inv.bays[i].temperature_c = 75;
		inv.bays[i].wear.reasons = WEAR_ENDURANCE_USED;
		inv.bays[i].wear.percent_used = 90;
	}
	look("each tenth drive gets something", &a, &h, &inv, &rules, &windows);
	look("and has it still", &a, &h, &inv, &rules, &windows);
	alerts_release(&a);
	history_release(&h);
	inventory_release(&inv);
	rules_release(&rules);
	silences_release(&windows);
	return 0;
}
