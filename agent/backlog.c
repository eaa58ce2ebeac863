/* SPDX-License-Identifier: MIT */
/* backlog: see backlog.h. */
#include "agent/backlog.h"

#include "base/mem.h"
#include "model/history.h"

#include <stdlib.h>
#include <string.h>

void backlog_release(struct backlog *b)
{
	for (size_t i = 0; i < b->n; i++)
		free((struct bay *)b->polls[i].bays);
	free(b->polls);
	events_release(&b->events);
	*b = (struct backlog){.dropped = b->dropped};
}

static void drop_oldest(struct backlog *b)
{
	b->n_bays -= b->polls[0].n_bays;
	free((struct bay *)b->polls[0].bays);
	memmove(&b->polls[0], &b->polls[1], (b->n - 1) * sizeof *b->polls);
	b->n--;
	b->dropped++;
}

void backlog_add_poll(struct backlog *b, const struct store_poll *p)
{
	struct bay *bays = mem_new(p->n_bays, sizeof *bays);
	size_t n = 0;

	for (size_t i = 0; i < p->n_bays; i++)
		if (bay_holds_drive(&p->bays[i]) && !p->bays[i].stale)
			bays[n++] = p->bays[i];
	while (b->n && (b->n_bays + n) * sizeof *bays > BACKLOG_BYTES_MAX)
		drop_oldest(b);
	b->polls = mem_grow(b->polls, b->n, sizeof *b->polls);
	b->polls[b->n++] = (struct store_poll){p->at_wall_ms, p->at_steady_ms, n, bays};
	b->n_bays += n;
}

void backlog_add_events(struct backlog *b, const struct events *ev)
{
	for (size_t i = 0; i < ev->n; i++) {
		struct event *mine =
			events_add(&b->events, 0, EVENT_UNKNOWN, SEVERITY_UNKNOWN);

		*mine = ev->items[i];
		mine->id = 0;
	}
}
