/* SPDX-License-Identifier: MIT */
/*
 * Moments at which a waiting request goes on: a sorted list on the monotonic clock. One
 * thread runs everything, so there are no locks; a list is enough for some hundred waits.
 */
#ifndef SIMBMC_TIMERS_H
#define SIMBMC_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

struct timer {
	struct timer *next;
	int64_t due_mono_ms;
	bool armed;
	void (*fire)(struct timer *t);
};

struct timers {
	struct timer *first;
};

/* Arms t (which must not be armed) to fire after_ms from now; the caller owns it. */
void timer_arm(struct timers *all, struct timer *t, unsigned after_ms,
	       void (*fire)(struct timer *));

/* Takes an armed timer out; nothing happens to one that is not armed. */
void timer_cancel(struct timers *all, struct timer *t);

/* Milliseconds until the first one is due, -1 without any: what epoll_wait() takes. */
int timers_wait_ms(const struct timers *all);

/* Fires what is due, or everything where all_of_them says so. */
void timers_run(struct timers *all, bool all_of_them);

#endif
