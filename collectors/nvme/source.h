/* SPDX-License-Identifier: MIT */
/* source: the collector of the drives of this host, or of a recorded host. */
#ifndef COLLECTORS_NVME_SOURCE_H
#define COLLECTORS_NVME_SOURCE_H

#include "collectors/collector.h"

extern const struct collector nv_collector;

#endif
