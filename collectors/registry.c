/* SPDX-License-Identifier: MIT */
/* registry: the list of collectors.  An array, so that the linker keeps them all. */
#include "collectors/collector.h"
#include "collectors/redfish/collector.h"
#include "collectors/nvme/source.h"
#include "collectors/replay/replay.h"
#include "collectors/zfs/source.h"

#include <stdlib.h>

static const struct collector *const collectors[] = {
	&rf_collector,
	&nv_collector,
	&zfs_collector,
	&replay_collector,
};

const struct collector *collector_find(enum target_kind kind)
{
	for (size_t i = 0; i < sizeof collectors / sizeof collectors[0]; i++)
		if (collectors[i]->kind == kind)
			return collectors[i];
	return NULL;
}
