/* SPDX-License-Identifier: MIT */
/* heap: see heap.h. */
#include "storage/heap.h"

#include "base/mem.h"
#include "base/str.h"
#include "storage/writer.h"

#include <stdlib.h>
#include <string.h>

void notice_release(struct store_notice *n)
{
	free((char *)n->channel);
	free((char *)n->body);
}

struct store_notice notice_copy(const struct store_notice *n)
{
	return (struct store_notice){.id = n->id,
		.alert_id = n->alert_id,
		.channel = mem_text(n->channel),
		.body = mem_text(n->body)};
}

void heap_release(struct heap *h)
{
	for (size_t i = 0; i < h->n_polls; i++)
		store_poll_release(&h->polls[i]);
	for (size_t i = 0; i < h->n_notices; i++)
		notice_release(&h->notices[i]);
	free(h->polls);
	free(h->notices);
	free(h->told);
	free(h->document);
	free(h->history.drives);
	free(h->history.targets);
	free(h->alerts.items);
	silences_release(&h->silences);
	events_release(&h->events);
	*h = (struct heap){0};
}

size_t heap_drop_oldest(struct heap *h)
{
	size_t n = 0;

	for (; n < h->n_polls && h->n_bytes > WRITER_POLLS_BYTES_MAX; n++) {
		h->n_bytes -= h->polls[n].drives.len;
		store_poll_release(&h->polls[n]);
	}
	h->n_polls -= n;
	if (n && h->n_polls)
		memmove(h->polls, h->polls + n, h->n_polls * sizeof *h->polls);
	return n;
}

void heap_add_poll(struct heap *h, const struct store_poll *p)
{
	h->polls = mem_grow(h->polls, h->n_polls, sizeof *h->polls);
	h->polls[h->n_polls++] = *p;
	h->n_bytes += p->drives.len;
}

void heap_add_events(struct heap *h, const struct events *ev)
{
	for (size_t i = 0; i < ev->n; i++)
		*events_add(&h->events, 0, EVENT_UNKNOWN, SEVERITY_UNKNOWN) = ev->items[i];
}

void heap_add_told(struct heap *h, const struct store_told *told, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		h->told = mem_grow(h->told, h->n_told, sizeof *h->told);
		h->told[h->n_told++] = told[i];
	}
}

void heap_add_notice(struct heap *h, struct store_notice n)
{
	h->notices = mem_grow(h->notices, h->n_notices, sizeof *h->notices);
	h->notices[h->n_notices++] = n;
}

static struct alert *find_alert(const struct alerts *a, int64_t id)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->items[i].id == id)
			return &a->items[i];
	return NULL;
}

/* The newer list has those no more whose end the older one tells. */
static void replace_alerts(struct alerts *to, struct alerts *more)
{
	for (size_t i = 0; i < to->n; i++) {
		if (to->items[i].state != ALERT_RESOLVED || find_alert(more, to->items[i].id))
			continue;
		more->items = mem_resize(more->items, (more->n + 1) * sizeof *more->items);
		more->items[more->n++] = to->items[i];
	}
	free(to->items);
	*to = *more;
}

static bool has_drive(const struct history *h, const char *id)
{
	for (size_t i = lookup_first(&h->by_id, id, ""); i != LOOKUP_END; i = lookup_next(&h->by_id, i))
		if (str_same(h->drives[i].id, id))
			return true;
	return false;
}

/* What became of the others waits on. */
static void replace_history(struct history *to, struct history *more)
{
	size_t n = more->n_drives;

	more->drives = mem_resize(more->drives, (n + to->n_drives) * sizeof *more->drives);
	for (size_t i = 0; i < n && to->n_drives; i++)
		lookup_add(&more->by_id, more->drives[i].id, "");
	for (size_t i = 0; i < to->n_drives; i++)
		if (!has_drive(more, to->drives[i].id))
			more->drives[more->n_drives++] = to->drives[i];
	lookup_release(&more->by_id);
	free(to->drives);
	free(to->targets);
	*to = *more;
}

void heap_join(struct heap *to, struct heap *more)
{
	to->ticket = more->ticket ? more->ticket : to->ticket;
	to->urgent |= more->urgent;
	for (size_t i = 0; i < more->n_polls; i++)
		heap_add_poll(to, &more->polls[i]);
	more->n_polls = 0;
	heap_add_events(to, &more->events);
	heap_add_told(to, more->told, more->n_told);
	for (size_t i = 0; i < more->n_notices; i++)
		heap_add_notice(to, more->notices[i]);
	more->n_notices = 0;
	if (more->has_history)
		replace_history(&to->history, &more->history);
	if (more->has_alerts)
		replace_alerts(&to->alerts, &more->alerts);
	if (more->has_silences) {
		silences_release(&to->silences);
		to->silences = more->silences;
	}
	if (more->document) {
		free(to->document);
		to->document = more->document;
	}
	to->has_history |= more->has_history;
	to->has_alerts |= more->has_alerts;
	to->has_silences |= more->has_silences;
	to->at_wall_ms = more->at_wall_ms ? more->at_wall_ms : to->at_wall_ms;
	more->history = (struct history){0};
	more->alerts = (struct alerts){0};
	more->silences = (struct silences){0};
	more->document = NULL;
	heap_release(more);
}
