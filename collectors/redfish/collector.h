/* SPDX-License-Identifier: MIT */
/* collector: the Redfish collector's entry in collectors/registry.c. */
#ifndef REDFISH_COLLECTOR_H
#define REDFISH_COLLECTOR_H

#include "collectors/collector.h"

extern const struct collector rf_collector;

#endif
