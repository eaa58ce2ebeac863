/* SPDX-License-Identifier: MIT */
/* supervise: see supervise.h.  The one place that knows libsystemd. */
#include "agent/supervise.h"

#include <systemd/sd-daemon.h>
#include <uv.h>

void supervise_ready(void)
{
	sd_notify(0, "READY=1");
}

void supervise_reloading(void)
{
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld", (long long)(uv_hrtime() / 1000));
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
