/* SPDX-License-Identifier: MIT */
/* alerts: what stands, from the store.  Ends like a monitoring plugin: 2 critical, 1
 * warning, 0 nothing fires. */
#include "agent/cli/alerts.h"
#include "agent/cli/command.h"
#include "agent/cli/output.h"
#include "agent/cli/output_rows.h"
#include "agent/cli/stored.h"
#include "base/clock.h"
#include "base/str.h"
#include "document/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

/* What is wrong, and who takes care of it. */
static void describe(const struct alert *a, char *out, size_t size)
{
	char until[CLOCK_TEXT_MAX];
	bool silent = a->silenced_until_wall_ms > clock_wall_ms();

	snprintf(out, size, "%s%s%s%s%s%s%s%s", a->acknowledged_by[0] ? "[" : "", a->acknowledged_by,
		a->acknowledged_by[0] ? " takes care] " : "", silent ? "[silent until " : "",
		silent ? clock_text(a->silenced_until_wall_ms, until) : "", silent ? " by " : "", silent ? a->silenced_by : "",
		silent ? "] " : "");
	str_copy(out + strlen(out), size - strlen(out), a->message);
}

/* The worst of a machine and its sentences; a ; would end the name of the host. */
static void print_host(const struct alerts *a, const char *host)
{
	static const char *const words[] = {"OK", "WARNING", "CRITICAL"};
	size_t n = 0;
	int worst = 0;

	for (size_t i = 0; i < a->n; i++) {
		int s = a->items[i].severity == SEVERITY_CRITICAL ? 2 : 1;

		if (a->items[i].state != ALERT_FIRING || !str_same(a->items[i].host, host))
			continue;
		n++;
		worst = s > worst ? s : worst;
	}
	printf("[%" PRId64 "] PROCESS_SERVICE_CHECK_RESULT;", clock_wall_ms() / 1000);
	for (const char *s = host; *s; s++)
		putchar(*s == ';' || (unsigned char)*s < ' ' ? '_' : *s);
	printf(";lanewatch;%d;LANEWATCH %s - %zu alert%s", worst, words[worst], n, n == 1 ? " fires" : "s fire");
	for (size_t i = 0; i < a->n; i++) {
		if (a->items[i].state != ALERT_FIRING || !str_same(a->items[i].host, host))
			continue;
		printf("\\n%s ", severity_word(a->items[i].severity));
		nagios_text(stdout, a->items[i].message);
	}
	putchar('\n');
}

static void print_table(const struct alerts *a)
{
	static const char *const heads[] = {">ID", "SINCE", "STATE", "SEVERITY", "KIND", "HOST",
		"BAY", "WHAT", NULL};
	struct rows *r = rows_new(heads);

	for (size_t i = 0; i < a->n; i++) {
		const struct alert *x = &a->items[i];
		char since[CLOCK_TEXT_MAX], id[24], what[512];
		const char *const cells[] = {id, clock_text(x->since_wall_ms, since),
			alert_state_word(x->state), severity_word(x->severity),
			alert_kind_word(x->kind), x->host, x->bay, what};

		snprintf(id, sizeof id, "%" PRId64, x->id);
		describe(x, what, sizeof what);

		rows_add(r, cells);
	}
	rows_print(r, stdout);
}

/* A result for each machine, as its service "lanewatch", in the form of Nagios' command file (External Commands). */
static int print_passive(const struct alerts *a, const struct config *c)
{
	struct inventory inv;
	int rc = stored_inventory(c, &inv);

	for (size_t i = 0; i < inv.n_targets && rc == 0; i++) {
		const char *host = inv.targets[i].host;
		bool told = false;

		for (size_t k = 0; k < i; k++)
			told |= str_same(inv.targets[k].host, host);
		if (!told)
			print_host(a, host);
	}
	inventory_release(&inv);
	return rc;
}

/* "LANEWATCH CRITICAL - 2 alerts fire", how many of each severity, and a line for each. */
static void print_nagios(const struct alerts *a)
{
	size_t critical = 0, firing = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct alert *x = &a->items[i];

		firing += x->state == ALERT_FIRING;
		critical += x->state == ALERT_FIRING && x->severity == SEVERITY_CRITICAL;
	}
	nagios_begin(stdout, alerts_status(a));
	printf("%zu alert%s | 'critical'=%zu 'warning'=%zu\n", firing,
		firing == 1 ? " fires" : "s fire", critical, firing - critical);
	for (size_t i = 0; i < a->n; i++) {
		const struct alert *x = &a->items[i];

		if (x->state != ALERT_FIRING)
			continue;
		printf("%s ", severity_word(x->severity));
		nagios_text(stdout, x->host);
		fputs(": ", stdout);
		nagios_text(stdout, x->message);
		putchar('\n');
	}
}

int command_alerts(const struct options *o, const struct config *c)
{
	struct silences said = {0};
	struct alerts a;
	struct err e = {""};
	struct store *s;
	int rc;

	if (o->n_args > 0)
		return strcmp(o->args[0], "test") == 0 && o->n_args == 1 ? alerts_test(o, c) : alerts_change(o, c);
	if (o->passive && o->output != OUTPUT_NAGIOS) {
		fprintf(stderr, "lanewatch: alerts: --passive belongs to -o nagios\n");
		return EX_USAGE;
	}
	s = stored_open(c, &rc);
	if (!s)
		return rc;
	alerts_init(&a);
	if (store_get_alerts(s, o->all, &a, &e) || store_get_silences(s, &said, &e)) {
		fprintf(stderr, "lanewatch: %s\n", e.text);
		rc = 3;
		goto out;
	}
	for (size_t i = 0; i < a.n; i++)
		alert_look_silent(&a.items[i], &said, &c->maintenance, clock_wall_ms());
	rc = alerts_status(&a);
	if (o->output == OUTPUT_JSON) {
		stored_print(document_of_alerts(&a));
	} else if (o->passive) {
		rc = print_passive(&a, c);
	} else if (o->output == OUTPUT_NAGIOS) {
		print_nagios(&a);
	} else {
		print_table(&a);
	}
out:
	alerts_release(&a);
	silences_release(&said);
	store_close(s);
	return rc;
}
