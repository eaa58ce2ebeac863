/* SPDX-License-Identifier: MIT */
/* event: see event.h. */
#include "model/event.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const char *const type_words[] = {
	[EVENT_DRIVE_ADDED] = "drive-added",
	[EVENT_DRIVE_REMOVED] = "drive-removed",
	[EVENT_DRIVE_MOVED] = "drive-moved",
	[EVENT_DRIVE_REPLACED] = "drive-replaced",
	[EVENT_FIRMWARE_CHANGED] = "firmware-changed",
	[EVENT_COUNTER_RESET] = "counter-reset",
	[EVENT_LINK_CHANGED] = "link-changed",
	[EVENT_LINK_FLAPPING] = "link-flapping",
	[EVENT_VERDICT_CHANGED] = "verdict-changed",
	[EVENT_TARGET_UNREACHABLE] = "target-unreachable",
	[EVENT_TARGET_RECOVERED] = "target-recovered",
	[EVENT_BMC_LOG] = "bmc-log",
	[EVENT_DRIVE_NOT_ANSWERING] = "drive-not-answering",
	[EVENT_DRIVE_DEAD] = "drive-dead",
	[EVENT_POOL_CHANGED] = "pool-changed",
	[EVENT_STORE_FULL] = "store-full",
	[EVENT_STORE_RECOVERED] = "store-recovered",
	[EVENT_CLOCK_JUMP] = "clock-jump",
};

static const char *const severity_words[] = {
	[SEVERITY_INFO] = "info",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_CRITICAL] = "critical",
};

static size_t word_index(const char *const *words, size_t n, const char *word)
{
	for (size_t i = 1; i < n && word; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return 0;
}

#define WORDS(list) list, sizeof list / sizeof list[0]

const char *event_type_word(enum event_type t)
{
	return (size_t)t < sizeof type_words / sizeof type_words[0] ? type_words[t]
								    : NULL;
}

enum event_type event_type_of(const char *word)
{
	return (enum event_type)word_index(WORDS(type_words), word);
}

const char *severity_word(enum severity s)
{
	return (size_t)s < sizeof severity_words / sizeof severity_words[0]
		       ? severity_words[s]
		       : NULL;
}

enum severity severity_of(const char *word)
{
	return (enum severity)word_index(WORDS(severity_words), word);
}

void events_release(struct events *ev)
{
	free(ev->items);
	*ev = (struct events){0};
}

struct event *events_add(struct events *ev, int64_t at_wall_ms, enum event_type type,
	enum severity severity)
{
	struct event *e;

	ev->items = mem_grow(ev->items, ev->n, sizeof *ev->items);
	e = &ev->items[ev->n++];
	*e = (struct event){.at_wall_ms = at_wall_ms, .type = type, .severity = severity};
	return e;
}
