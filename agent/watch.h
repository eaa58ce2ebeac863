/* SPDX-License-Identifier: MIT */
/*
 * watch: tells when a file changes whose path fits one of some patterns; its folder is watched, so
 * that files which are replaced, made or removed are seen.  On the loop's thread.
 */
#ifndef AGENT_WATCH_H
#define AGENT_WATCH_H

#include "agent/config.h"

#include <uv.h>

struct watch;

/* changed(arg) is called some moments after the lists of the configuration changed. The configuration is not kept. */
struct watch *watch_new(uv_loop_t *loop, const struct config *c, void (*changed)(void *arg), void *arg);

/* Is gone when the loop has turned; NULL is fine. */
void watch_free(struct watch *w);

#endif
