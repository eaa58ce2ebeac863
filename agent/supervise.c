/* SPDX-License-Identifier: MIT */
/* supervise: see supervise.h.  The one place that knows libsystemd. */
#include "agent/supervise.h"

#include <systemd/sd-daemon.h>

void supervise_ready(void)
{
	sd_notify(0, "READY=1");
}

void supervise_stopping(void)
{
	sd_notify(0, "STOPPING=1");
}

int64_t supervise_period_ms(void)
{
	uint64_t usec = 0;

	return sd_watchdog_enabled(0, &usec) > 0 ? (int64_t)(usec / 1000) : 0;
}

void supervise_alive(void)
{
	sd_notify(0, "WATCHDOG=1");
}
