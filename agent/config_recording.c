/* SPDX-License-Identifier: MIT */
/* config_recording: the last step of a recording as the targets of a configuration. */
#include "agent/config_build.h"
#include "agent/recording.h"

int config_recording_targets(struct config *c, const char *dir, struct err *e)
{
	struct recording r;
	int rc = recording_load(dir, &r, e);

	if (rc == 0)
		rc = recording_targets(&r.steps[r.n - 1], c, e);
	recording_release(&r);
	return rc;
}
