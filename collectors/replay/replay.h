/* SPDX-License-Identifier: MIT */
/* replay: the collector of readings in neutral form (observation.json of a recording). */
#ifndef COLLECTORS_REPLAY_REPLAY_H
#define COLLECTORS_REPLAY_REPLAY_H

#include "collectors/collector.h"

extern const struct collector replay_collector;

#endif
