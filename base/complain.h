/* SPDX-License-Identifier: MIT */
/*
 * complain: when a lasting fault is said: when it begins, then once an hour with a count, and
 * when it is over (SECURITY.md, A7).  What is said, and how loud, is the caller's.  One
 * complaint belongs to one thread.
 */
#ifndef BASE_COMPLAIN_H
#define BASE_COMPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COMPLAIN_AGAIN_MS = 60 * 60 * 1000, COMPLAIN_TAIL_MAX = 64 };

/* Zeroed: no fault. */
struct complaint {
	int64_t since_mono_ms, said_mono_ms;
	size_t n; /* how often since it began; 0: there is no fault */
};

/*
 * The fault is there, perhaps again.  True if it is to be said; tail is then "", or how long and
 * how often: "; for 2 h now, 118 times".
 */
bool complain(struct complaint *c, int64_t now_mono_ms, char tail[COMPLAIN_TAIL_MAX]);

/* The fault is not there.  True if that is news; tail is then " after 2 h, 118 times". */
bool complain_over(struct complaint *c, int64_t now_mono_ms, char tail[COMPLAIN_TAIL_MAX]);

/* "45 s", "12 min", "3 h", "2 d". */
void complain_duration(int64_t ms, char *out, size_t size);

#endif
