/* SPDX-License-Identifier: MIT */
/*
 * sources: the targets of a configuration, held open for as long as they are read, so
 * that a session lives from round to round.  All on the loop's thread.
 */
#ifndef AGENT_SOURCES_H
#define AGENT_SOURCES_H

#include "collectors/collector.h"

#include <stdbool.h>
#include <stddef.h>

struct sources;

/* Begun side by side where nobody waits for the answer: each holds a megabyte while it walks. */
enum { SOURCES_AT_ONCE = 16 };

/*
 * Opens a source for each target; both are borrowed and outlive it.  A target that cannot be
 * opened says so in each round: that is part of the answer.  At most at_once begin side by
 * side; one that takes long does not count.
 */
struct sources *sources_new(const struct collector_env *env, const struct target_config *targets,
	size_t n, size_t at_once);

/*
 * Starts a round over all that do not still work at an earlier one.  got() is called for
 * each snapshot (borrowed for the call), and ended() once when all that were asked in
 * this round have answered, both from the loop, never from within this call.
 */
void sources_poll(struct sources *s,
	void (*got)(void *arg, const struct snapshot *snapshot), void (*ended)(void *arg),
	void *arg);

/* Says that the next round is the last one: each source is closed as soon as it has answered
 * in it, so that no session is held until the slowest is done. */
void sources_leave(struct sources *s);

/* Logs out everywhere, stopping what is under way without a word, then calls closed(arg)
 * and is gone. */
void sources_close(struct sources *s, void (*closed)(void *arg), void *arg);

#endif
