/* SPDX-License-Identifier: MIT */
/*
 * output_text: the sentences under a table and in a plugin's long output: one for all, one
 * for each bay and target that is not as it should be.
 */
#ifndef AGENT_CLI_OUTPUT_TEXT_H
#define AGENT_CLI_OUTPUT_TEXT_H

#include "agent/cli/output.h"
#include "base/buf.h"

/* Ceiling of all text of one inventory. */
enum { OUTPUT_TEXT_MAX = 8 << 20 };

/* How bad a sentence is, for its colour. */
enum tone { TONE_UNKNOWN = 0, TONE_PLAIN, TONE_GOOD, TONE_WARN, TONE_BAD };

/* "23 of 25 bays as expected; 1 degraded-width (bay 7); 1 degraded-speed (bay 15); 1 empty (bay 3)". */
void text_summary(struct buf *out, enum view view, const struct inventory *inv);

/*
 * Calls fn for each sentence, worst things first: bays that are not as expected, targets,
 * hops, notes and hints; texts are borrowed for the call.
 */
void text_sentences(enum view view, const struct inventory *inv,
	void (*fn)(void *arg, enum tone tone, const char *sentence), void *arg);

/* True if the bays are of more than one host, so that names of bays need the host. */
bool text_several_hosts(const struct inventory *inv);

enum tone text_verdict_tone(const struct bay *b);
enum tone text_alert_tone(enum alert_level a);

/* "endurance-used, read-only", "" if there are none; returns out. */
const char *text_reasons(unsigned wear_reasons, char *out, size_t size);

/* Exit status of the view, 0 to 3. */
int text_status(enum view view, const struct inventory *inv);

#endif
