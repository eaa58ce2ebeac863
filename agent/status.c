/* SPDX-License-Identifier: MIT */
/* status: see status.h. */
#include "agent/status.h"

#include "base/complain.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Counts over all targets. */
struct sum {
	size_t n, in_state[SOURCE_DISABLED + 1];
	int64_t late_ms;
};

static void add_target(void *arg, const struct source_status *st)
{
	struct sum *sum = arg;

	sum->n++;
	sum->in_state[st->state]++;
	if (st->late_ms > sum->late_ms)
		sum->late_ms = st->late_ms;
}

static void print_target(void *arg, const struct source_status *st)
{
	char held[24], due[24];

	(void)arg;
	complain_duration(st->held_ms, held, sizeof held);
	complain_duration(st->due_ms, due, sizeof due);
	fprintf(stderr, "lanewatch: status: target %s: %s for %s, next in %s, asked %zu times, in vain %zu%s%s\n",
		st->name, source_state_word(st->state), held, due, st->polls, st->misses, st->why[0] ? ": " : "", st->why);
}

static void print_alerts(const struct pipeline *p)
{
	size_t firing = 0;

	for (size_t i = 0; i < p->alerts.n; i++)
		firing += p->alerts.items[i].state == ALERT_FIRING;
	fprintf(stderr, "lanewatch: status: %zu bays, %zu alerts firing; store: %s\n", p->inventory.n_bays, firing,
		p->stored.trouble[0] ? p->stored.trouble : "ok");
}

void status_print(const struct status *s)
{
	struct sum sum = {0};
	struct rusage use;
	char up[24];

	complain_duration(s->up_ms, up, sizeof up);
	getrusage(RUSAGE_SELF, &use);
	schedule_each(s->schedule, add_target, &sum);
	fprintf(stderr, "lanewatch: status: up %s, %zu rounds, CPU %lld ms, at most %ld KiB\n", up, s->n_rounds,
		(long long)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000 + (use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1000,
		use.ru_maxrss);
	print_alerts(s->pipeline);
	fprintf(stderr, "lanewatch: status: %zu targets", sum.n);
	for (int i = SOURCE_IDLE; i <= SOURCE_DISABLED; i++)
		if (sum.in_state[i])
			fprintf(stderr, ", %zu %s", sum.in_state[i], source_state_word((enum source_state)i));
	fprintf(stderr, "; asked at most %lld ms late\n", (long long)sum.late_ms);
	schedule_each(s->schedule, print_target, NULL);
}
