/* SPDX-License-Identifier: MIT */
/*
 * The sorted list of waits.
 */
#include "tests/simbmc/timers.h"

#include "base/clock.h"

#include <limits.h>
#include <stddef.h>

void timer_arm(struct timers *all, struct timer *t, unsigned after_ms,
	       void (*fire)(struct timer *))
{
	struct timer **at = &all->first;

	t->due_mono_ms = clock_mono_ms() + after_ms;
	t->fire = fire;
	t->armed = true;
	while (*at && (*at)->due_mono_ms <= t->due_mono_ms)
		at = &(*at)->next;
	t->next = *at;
	*at = t;
}

void timer_cancel(struct timers *all, struct timer *t)
{
	struct timer **at = &all->first;

	if (!t->armed)
		return;
	while (*at && *at != t)
		at = &(*at)->next;
	if (*at)
		*at = t->next;
	t->armed = false;
}

int timers_wait_ms(const struct timers *all)
{
	int64_t left;

	if (!all->first)
		return -1;
	left = all->first->due_mono_ms - clock_mono_ms();
	if (left < 0)
		return 0;
	return left > INT_MAX ? INT_MAX : (int)left;
}

void timers_run(struct timers *all, bool all_of_them)
{
	int64_t now = clock_mono_ms();

	while (all->first && (all_of_them || all->first->due_mono_ms <= now)) {
		struct timer *t = all->first;

		all->first = t->next;
		t->armed = false;
		t->fire(t);
	}
}
