/* SPDX-License-Identifier: MIT */
/*
 * supervise: what a service manager wants to hear: ready, stopping, still alive (sd_notify(3)).
 * Without libsystemd, or where nobody listens, all of it does nothing.
 */
#ifndef AGENT_SUPERVISE_H
#define AGENT_SUPERVISE_H

#include <stdint.h>

void supervise_ready(void);
void supervise_stopping(void);

/* It takes over a new configuration; supervise_ready() says when it has. */
void supervise_reloading(void);

/* Milliseconds within which supervise_alive() has to be called; 0 if nobody counts. */
int64_t supervise_period_ms(void);
void supervise_alive(void);

#endif
