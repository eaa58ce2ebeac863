/* SPDX-License-Identifier: MIT */
/* alerts: what stands, from the store.  Ends like a monitoring plugin: 2 critical, 1
 * warning, 0 nothing fires. */
#include "agent/cli/command.h"
#include "agent/cli/output.h"
#include "agent/cli/output_rows.h"
#include "agent/cli/stored.h"
#include "base/clock.h"
#include "document/events.h"

#include <stdio.h>
#include <sysexits.h>

static void print_table(const struct alerts *a)
{
	static const char *const heads[] = {"SINCE", "STATE", "SEVERITY", "KIND", "HOST",
		"BAY", "SERIAL", "WHAT", NULL};
	struct rows *r = rows_new(heads);

	for (size_t i = 0; i < a->n; i++) {
		const struct alert *x = &a->items[i];
		char since[CLOCK_TEXT_MAX];
		const char *const cells[] = {clock_text(x->since_wall_ms, since),
			alert_state_word(x->state), severity_word(x->severity),
			alert_kind_word(x->kind), x->host, x->bay, x->serial, x->message};

		rows_add(r, cells);
	}
	rows_print(r, stdout);
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
	struct alerts a;
	struct err e = {""};
	struct store *s;
	int rc;

	s = stored_open(c, &rc);
	if (!s)
		return rc;
	alerts_init(&a);
	if (store_get_alerts(s, o->all, &a, &e)) {
		fprintf(stderr, "lanewatch: %s\n", e.text);
		rc = 3;
		goto out;
	}
	rc = alerts_status(&a);
	if (o->output == OUTPUT_JSON) {
		if (stored_print(document_of_alerts(&a)))
			rc = 3;
	} else if (o->output == OUTPUT_NAGIOS) {
		print_nagios(&a);
	} else {
		print_table(&a);
	}
	if (fflush(stdout))
		rc = 3;
out:
	alerts_release(&a);
	store_close(s);
	return rc;
}
