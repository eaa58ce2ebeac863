/* SPDX-License-Identifier: MIT */
/*
 * The event stream (--sse): one answer without end for each client, and what happens is sent to
 * all of them. Runs in the only thread.
 */
#ifndef SIMBMC_SSE_H
#define SIMBMC_SSE_H

#include "tests/simbmc/request.h"

#define SSE_PATH	"EventService/SSE"

/* Answers with the stream, from the record behind Last-Event-ID on, if the client sent one. */
enum MHD_Result sse_answer(struct request *r);

/* A record was added to the machine: wakes the streams of this BMC. */
void sse_wake(struct instance *in);

#endif
