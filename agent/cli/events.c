/* SPDX-License-Identifier: MIT */
/* events: what happened, from the store. */
#include "agent/cli/command.h"
#include "agent/cli/output_rows.h"
#include "agent/cli/stored.h"
#include "base/clock.h"
#include "document/events.h"

#include <stdio.h>
#include <sysexits.h>

static void print_table(const struct events *ev)
{
	static const char *const heads[] = {
		"AT", "SEVERITY", "TYPE", "HOST", "BAY", "SERIAL", "WHAT", NULL};
	struct rows *r = rows_new(heads);

	for (size_t i = 0; i < ev->n; i++) {
		const struct event *e = &ev->items[i];
		char at[CLOCK_TEXT_MAX];
		const char *const cells[] = {clock_text(e->at_wall_ms, at),
			severity_word(e->severity), event_type_word(e->type), e->host,
			e->bay, e->serial, e->message};

		rows_add(r, cells);
	}
	rows_print(r, stdout);
}

int command_events(const struct options *o, const struct config *c)
{
	struct events ev = {0};
	struct store_filter f;
	struct err e = {""};
	struct store *s;
	int rc;

	if (stored_filter(o, &f))
		return EX_USAGE;
	s = stored_open(c, &rc);
	if (!s)
		return rc;
	if (store_get_events(s, &f, &ev, &e)) {
		fprintf(stderr, "lanewatch: %s\n", e.text);
		rc = 3;
	} else if (o->output == OUTPUT_JSON) {
		stored_print(document_of_events(&ev));
	} else {
		print_table(&ev);
	}
	events_release(&ev);
	store_close(s);
	return rc;
}
