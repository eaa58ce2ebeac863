/* SPDX-License-Identifier: MIT */
/*
 * sources: the targets of a configuration, held open for as long as they are read, so
 * that a session lives from round to round.  All on the loop's thread.
 *
 * They are read in two ways: all of them in a round (commands that read once, `run --rounds`,
 * recordings), or each at its own pace (the service), where a source that does not answer is
 * asked less and less often and keeps nobody waiting.
 */
#ifndef AGENT_SOURCES_H
#define AGENT_SOURCES_H

#include "collectors/collector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sources;

/* Begun side by side where nobody waits for the answer: each holds a megabyte while it walks. */
enum { SOURCES_AT_ONCE = 16 };

/*
 * Opens a source for each target; env is borrowed and outlives it, targets are copied.  A
 * target that cannot be opened says so in each round: that is part of the answer.  At most
 * at_once begin side by side; one that takes long does not count.
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

/* ---- each at its own pace ---- */

/*
 * From now on each source is due every interval_ms, or at its own interval if its target has
 * one; after an answer that was none less often.  sources_poll_due() asks those that are due.
 */
void sources_pace(struct sources *s, int64_t interval_ms, size_t at_once,
	void (*got)(void *arg, const struct snapshot *snapshot), void *arg);
void sources_poll_due(struct sources *s);

/* Milliseconds until the next one is due, -1 if none will be. */
int64_t sources_next_ms(const struct sources *s);

/*
 * How many are being asked, or will be within soon_ms, of whom an answer is to be expected: a round
 * is worth waiting for these.
 */
size_t sources_awaited(const struct sources *s, int64_t soon_ms);

/* Makes a target due now: something was heard of it. Unknown names are passed over. */
void sources_hurry(struct sources *s, const char *target);

/*
 * Takes over a new list of targets.  Those that say the same as before go on undisturbed, with
 * their session; the others are closed, and opened anew where they are still in the list.
 */
void sources_change(struct sources *s, const struct target_config *targets, size_t n);

enum source_state {
	SOURCE_UNKNOWN = 0,
	SOURCE_IDLE,
	SOURCE_POLLING,
	SOURCE_BACKOFF,	     /* its last answer was none: asked less often */
	SOURCE_UNRESPONSIVE, /* asked, and no end in sight: not asked again before it has ended */
	SOURCE_DISABLED,     /* cannot be opened, or is being closed */
};

struct source_status {
	const char *name;
	enum source_state state;
	int64_t held_ms;     /* since when it is so */
	int64_t due_ms;	     /* until it is asked again; 0 now */
	int64_t late_ms;     /* its last poll began so long after it was due */
	size_t polls, misses; /* asked, and in vain, since the start */
	const char *why;     /* the last answer that was none; "" where it answers */
};

/* Tells of each target that is configured now. */
void sources_each(const struct sources *s, void (*fn)(void *arg, const struct source_status *st), void *arg);

const char *source_state_word(enum source_state state);

/* ---- the end ---- */

/* Logs out everywhere, stopping what is under way without a word, then calls closed(arg)
 * and is gone. */
void sources_close(struct sources *s, void (*closed)(void *arg), void *arg);

#endif
