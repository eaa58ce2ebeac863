/* SPDX-License-Identifier: MIT */
/*
 * Plays the rules of --rules on a request: the first one that fits answers it, or changes
 * how the resource is sent.
 */
#ifndef SIMBMC_PLAY_H
#define SIMBMC_PLAY_H

#include "tests/simbmc/request.h"

/*
 * True if a rule answered (or holds) the request: *rc is then for libmicrohttpd. Where a rule
 * only changes the manner of an answer, r->rule is set and the answer is still to be made:
 * reply_bytes() hands it to play_body().
 */
bool play_rules(struct request *r, bool allowed, enum MHD_Result *rc);

/* Sends a body (taken over) in the manner of r->rule. */
enum MHD_Result play_body(struct request *r, int status, char *bytes, size_t len);

/* The request is over: says in the log how much of a rule's body went out. */
void play_over(struct request *r);

#endif
