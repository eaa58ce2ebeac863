/* SPDX-License-Identifier: MIT */
/* supervise_none: supervise.h in a build without libsystemd. */
#include "agent/supervise.h"

void supervise_ready(void)
{
}

void supervise_reloading(void)
{
}

void supervise_stopping(void)
{
}

int64_t supervise_period_ms(void)
{
	return 0;
}

void supervise_alive(void)
{
}
