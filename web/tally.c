/* SPDX-License-Identifier: MIT */
/* tally: see tally.h. */
#include "web/tally.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

const struct tally_target *tally_find(const struct tally *t, const char *name)
{
	for (size_t i = 0; i < t->n_targets; i++)
		if (strcmp(t->targets[i].name, name) == 0)
			return &t->targets[i];
	return NULL;
}

static struct tally_target *target_of(struct tally *t, const char *name)
{
	const struct tally_target *found = tally_find(t, name);
	struct tally_target *one;

	if (found)
		return &t->targets[found - t->targets];
	t->targets = mem_grow(t->targets, t->n_targets, sizeof *t->targets);
	one = &t->targets[t->n_targets++];
	*one = (struct tally_target){0};
	str_copy(one->name, sizeof one->name, name);
	return one;
}

static struct tally_bay *bay_of(struct tally *t, const char *target, const char *bay)
{
	struct tally_bay *one;

	for (size_t i = 0; i < t->n_bays; i++)
		if (strcmp(t->bays[i].target, target) == 0 && strcmp(t->bays[i].bay, bay) == 0)
			return &t->bays[i];
	t->bays = mem_grow(t->bays, t->n_bays, sizeof *t->bays);
	one = &t->bays[t->n_bays++];
	*one = (struct tally_bay){0};
	str_copy(one->target, sizeof one->target, target);
	str_copy(one->bay, sizeof one->bay, bay);
	return one;
}

static void keep_poll(struct tally_target *mine, const struct target *target, int64_t now_wall_ms)
{
	size_t at = mine->n_polls++ % TALLY_POLLS;

	mine->polled_wall_ms[at] = now_wall_ms;
	mine->polls[at] = target->verdict != TARGET_OK ? TALLY_FAILED : target->partial ? TALLY_PARTIAL : TALLY_OK;
}

/* A target that was not asked in this round was counted before. */
void tally_round(struct tally *t, const struct inventory *inv, const struct events *ev)
{
	for (size_t i = 0; i < inv->n_targets; i++) {
		const struct target *target = &inv->targets[i];
		struct tally_target *mine = target_of(t, target->name);

		if (!target->in_round)
			continue;
		mine->requests += target->requests > 0 ? (uint64_t)target->requests : 0;
		keep_poll(mine, target, inv->collected_wall_ms);
		if (target->verdict != TARGET_OK && (size_t)target->reason < TALLY_REASONS)
			mine->errors[target->reason]++;
	}
	for (size_t i = 0; i < ev->n; i++)
		if (ev->items[i].type == EVENT_DRIVE_REPLACED && ev->items[i].bay[0])
			bay_of(t, ev->items[i].target, ev->items[i].bay)->swaps++;
}

void tally_release(struct tally *t)
{
	free(t->targets);
	free(t->bays);
	*t = (struct tally){0};
}
